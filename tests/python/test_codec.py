# SPDX-License-Identifier: BSD-3-Clause
"""Encoder and decoder: the tools' bytes, errors, memory, threads."""
import ast
import pathlib
import random
import re
import resource
import threading

import ctv
import numpy as np
import pytest
from conftest import FRAMES, HEIGHT, WIDTH, bytes_of, tool

HEADER = pathlib.Path(__file__).parents[2] / "codec" / "include" / "ctv" / "ctv.h"
GRAY = {"width": 64, "height": 48, "format": "gray"}
FLAT = np.full((48, 64), 90, np.uint8)


def encoded(pictures, **config):
    """All units of a stream."""
    with ctv.Encoder(**{"width": WIDTH, "height": HEIGHT, **config}) as encoder:
        units = [encoder.header]
        for picture in pictures:
            units += [p.data for p in encoder.encode(picture)]
        return units + [p.data for p in encoder.flush()] + [encoder.index()]


def decoded(units, **config):
    with ctv.Decoder(**config) as decoder:
        return [p for unit in units for p in decoder.decode(unit)] + decoder.flush()


@pytest.mark.parametrize("form", ["gray", "i420", "i422", "i444", "rgb", "rgba", "nv12", "i420p10", "p010", "i444p12",
                                  "gray12"])
@pytest.mark.parametrize("in_flight", [1, 4])
def test_streams_and_samples_are_those_of_the_tools(clip, folder, form, in_flight):
    path, pictures = clip(form)
    stream, raw = folder / "tool.ctv", folder / f"tool{pathlib.Path(path).suffix}"
    tool("ctenc", path, "--size", f"{WIDTH}x{HEIGHT}", "--raw-format", form, "-o", stream, "--qp", 28)
    units = encoded(pictures, format=form, qp=28, frames_in_flight=in_flight)
    assert b"".join(units) == stream.read_bytes()
    tool("ctdec", stream, "-o", raw, "--format", form)
    assert b"".join(map(bytes_of, decoded(units, format=form, frames_in_flight=in_flight))) == raw.read_bytes()


@pytest.mark.parametrize("option, config", [
    (["--preset", "paper"], {"preset": "paper"}),
    (["--step", "7.5", "--keyint", "3"], {"step": 7.5, "key_interval": 3}),
    (["--crf", "30", "--set", "pyramid=laplacian"], {"crf": 30, "pyramid": "laplacian"}),
    (["--bitrate", "300", "--fps", "30000/1001"], {"bitrate": 300_000, "fps": "30000/1001"}),
    (["--lossless", "--set", "pyramid=5/3", "--set", "directions=4,2"],
     {"lossless": True, "pyramid": "5/3", "directions": (4, 2)}),
    (["--matrix", "bt709", "--range", "full"], {"matrix": "bt709", "range": "full"}),
    (["--mastering-display", "1,2,3,4,5,6,7,8,9,10", "--content-light", "1000,400"],
     {"mastering_primaries": range(1, 9), "mastering_luminance": (9, 10), "content_light": (1000, 400)}),
])
def test_settings_are_those_of_ctenc(clip, folder, option, config):
    path, pictures = clip("i420")
    tool("ctenc", path, "--size", f"{WIDTH}x{HEIGHT}", "-o", folder / "set.ctv", *option)
    assert b"".join(encoded(pictures, **config)) == (folder / "set.ctv").read_bytes()


def members_of(structure):
    text = re.search(rf"typedef struct {structure} \{{(.*?)\}} {structure};", HEADER.read_text(), re.S)[1]
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"(\w+)(?:\[\w+\])?;", text)) - {"struct_size"}


def test_every_member_of_the_configuration_is_a_keyword():
    members = members_of("ctv_config")
    config = ctv.preset_config("default")
    assert set(config) == members
    encoder = ctv.Encoder(**{**config, **GRAY})
    assert encoder.config == {**config, **GRAY}


def test_the_stub_has_all_keywords():
    stub = ast.parse((pathlib.Path(ctv.__file__).parent / "__init__.pyi").read_text())
    keywords = {c.name: {a.arg for a in f.args.kwonlyargs} for c in stub.body if isinstance(c, ast.ClassDef)
                for f in c.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"}
    decoder = members_of("ctv_decoder_config") - {"limits"} | members_of("ctv_limits")
    assert keywords == {"Encoder": members_of("ctv_config") | {"preset", "fps"}, "Decoder": decoder}


def test_rows_may_have_any_distance(clip):
    pictures = clip("rgb")[1]
    wide = np.zeros((HEIGHT, WIDTH + 9, 3), np.uint8)
    upside_down, columns = [], []
    for p in pictures:
        wide[:, 4:-5] = p
        upside_down.append(p[::-1].copy()[::-1])
        columns.append(np.asfortranarray(p))
    expected = encoded(pictures, format="rgb")
    assert encoded([wide[:, 4:-5]], format="rgb")[1] != expected[1]  # the last picture, coded first
    assert encoded(upside_down, format="rgb") == expected
    assert encoded(columns, format="rgb") == expected
    assert encoded([p.tolist() and np.repeat(p, 2, 1)[:, ::2] for p in pictures], format="rgb") == expected


def test_packets_and_pictures_carry_their_description():
    encoder, decoder = ctv.Encoder(**GRAY, fps=25), ctv.Decoder()
    decoder.decode(encoder.header)
    [first] = encoder.encode(FLAT)
    [second] = encoder.encode(FLAT, timestamp=7, duration=3)
    encoder.request_key_frame()
    encoder.set_quantiser(qp=40)
    [third] = encoder.encode(FLAT, timestamp=11)
    got = [(p.frame_number, p.timestamp, p.duration, p.key_frame) for p in (first, second, third)]
    assert got == [(0, 0, 1, True), (1, 7, 3, False), (2, 11, 1, True)]
    assert third.step > first.step > 0
    shown = [p for unit in (first, second, third) for p in decoder.decode(unit.data)]
    assert [(p.frame_number, p.timestamp, p.duration, p.key_frame) for p in shown] == got
    assert (shown[0].format, shown[0].width, shown[0].height) == ("gray", 64, 48)
    assert shown[0].array.flags.writeable and shown[0].array.shape == (48, 64)
    info = ctv.packet_info(encoder.header, third.data)
    assert info["step"] == third.step and info["header_size"] + sum(
        c["size"] for c in info["components"]) == len(third.data)
    encoder.set_bitrate(100_000), encoder.set_bitrate(0), encoder.set_crf(30), encoder.set_quantiser(step=4)
    assert encoder.description.startswith("cpu: ") and decoder.description.startswith("cpu: ")
    assert all(seconds >= 0 and calls >= 0 for seconds, calls in encoder.stage_times.values())


def test_slopes_are_those_of_the_stripes():
    y, x = np.mgrid[:128, :192]
    picture = np.where(x < 96, 96 + 80 * np.sin((x - y) / 2), 96 + 80 * np.sin((x + y) / 2)).astype(np.uint8)
    encoder = ctv.Encoder(width=192, height=128, format="gray", qp=20, directional_lifting=1)
    [key] = encoder.encode(picture)
    [predicted] = encoder.encode(picture)
    slopes = ctv.packet_slopes(encoder.header, key.data)
    assert slopes.dtype == np.int8 and slopes.shape == (8, 12)
    assert np.median(slopes[:, 1:5]) == 2 and np.median(slopes[:, 7:11]) == -2
    info = ctv.packet_info(encoder.header, key.data)
    scales = [ctv.packet_slopes(encoder.header, key.data, scale) for scale in (1, 2, 3)]
    assert sum(s.size for s in scales) == info["slope_blocks"]
    assert sum(np.count_nonzero(s) for s in scales) == info["slanted_blocks"]
    assert ctv.packet_slopes(encoder.header, predicted.data).shape[0] == 0
    with pytest.raises(ctv.ArgumentError):
        ctv.packet_slopes(encoder.header, key.data, scale=4)
    with pytest.raises(ctv.DamagedError):
        ctv.packet_slopes(encoder.header, key.data[:9])


def test_a_loss_is_left_behind_without_a_key_frame():
    encoder, decoder = ctv.Encoder(**GRAY, slots=3, key_interval=0), ctv.Decoder(conceal=1)
    decoder.decode(encoder.header)
    packets = [encoder.encode(FLAT)[0] for _ in range(4)]
    for packet in packets[:3]:
        [picture] = decoder.decode(packet.data)
        assert picture.damaged == 0
        encoder.acknowledge(picture.frame_number)
    encoder.lost(3)
    [packet] = encoder.encode(FLAT)
    assert not packet.key_frame and ctv.packet_info(encoder.header, packet.data)["reference_frame"] < 3
    [picture] = decoder.decode(packet.data)
    assert (picture.frame_number, picture.damaged) == (4, 0)
    damaged = bytearray(encoder.encode(FLAT)[0].data)
    damaged[-1] ^= 1  # of the vectors
    [picture] = decoder.decode(bytes(damaged))
    assert (picture.frame_number, picture.damaged) == (4, 2)
    with pytest.raises(ValueError, match="has not been sent"):
        encoder.lost(7)


def test_formats_of_cameras_are_other_arrangements():
    rng = np.random.default_rng(3)

    def packet(picture, **config):
        encoder = ctv.Encoder(width=48, height=32, preset="fastest", **config)
        return encoder.header + encoder.encode(picture)[0].data

    rgb = rng.integers(0, 256, (32, 48, 3), np.uint8)
    want = packet(rgb, format="rgb")
    assert packet(rgb[..., ::-1], format="bgr") == want
    bgra = np.concatenate([rgb[..., ::-1], rgb[..., :1]], axis=2)
    assert packet(bgra, format="bgra") == want
    y, u, v = (rng.integers(0, 256, shape, np.uint8) for shape in ((32, 48), (16, 24), (16, 24)))
    assert packet((y, np.stack([v, u], axis=2)), format="nv21") == packet((y, u, v), format="i420")
    u, v = (rng.integers(0, 256, (32, 24), np.uint8) for _ in "uv")
    want = packet((y, u, v), format="i422")
    chroma = np.stack([u, v], axis=2).reshape(32, 48)
    assert packet(np.stack([y, chroma], axis=2), format="yuy2") == want
    assert packet(np.stack([chroma, y], axis=2), format="uyvy") == want
    with pytest.raises(ctv.ArgumentError):
        ctv.Decoder(format="bgr")


def test_an_array_holds_all_planes():
    def shown(width, height, format):
        encoder = ctv.Encoder(width=width, height=height, format="i420", lossless=1, rdoq=0)
        planes = tuple(np.arange(h * w, dtype=np.uint32).astype(np.uint8).reshape(h, w)
                       for h, w in ((height, width), *[((height + 1) // 2, (width + 1) // 2)] * 2))
        decoder = ctv.Decoder(format=format)
        decoder.decode(encoder.header)
        return planes, decoder.decode(encoder.encode(planes)[0].data)[0]

    planes, picture = shown(32, 18, "i420")
    assert picture.array.shape == (27, 32)
    assert (picture.array.reshape(-1) == np.concatenate([p.reshape(-1) for p in planes])).all()
    assert shown(32, 18, "nv12")[1].array.shape == (27, 32)
    assert shown(32, 18, "i444")[1].array.shape == (54, 32)
    with pytest.raises(TypeError, match="see planes"):
        shown(33, 17, "i420")[1].array
    for cls in ctv.Encoder, ctv.Decoder:
        assert "threads" in cls.__doc__ and "max_" in cls.__doc__


def test_arrays_outlive_the_decoder(stream):
    with ctv.read(stream) as reader:
        picture = reader[3]
        expected = bytes_of(picture)
        del reader
    luma = picture.planes[0]
    del picture
    assert luma.tobytes() == expected[:luma.size]
    assert np.from_dlpack(luma).base is not None


@pytest.mark.parametrize("picture, error, message", [
    (np.zeros((48, 64)), TypeError, "uint8 expected, float64"),
    (np.zeros((48, 64), np.int8), TypeError, "uint8 expected, int8"),
    (np.zeros((48, 63), np.uint8), ctv.ArgumentError, r"shape \(48, 64\) expected, \(48, 63\)"),
    (np.zeros((48, 64, 3), np.uint8), ctv.ArgumentError, r"shape \(48, 64\) expected, \(48, 64, 3\)"),
    ((FLAT, FLAT), ctv.ArgumentError, "gray has 1 plane, 2 given"),
    (None, TypeError, "uint8 expected, object"),
    ("picture", TypeError, "uint8 expected"),
])
def test_wrong_pictures(picture, error, message):
    with pytest.raises(error, match=message):
        ctv.Encoder(**GRAY).encode(picture)


@pytest.mark.parametrize("config, error, message", [
    ({"colour": 1}, TypeError, "unexpected keyword argument 'colour'"),
    ({"preset": "fine"}, ctv.ArgumentError, "preset: fine is unknown"),
    ({"qp": 99}, ctv.ArgumentError, r"config.qp: 99 is outside 0..51"),
    ({"qp": 2**40}, ctv.ArgumentError, "qp: .* is out of range"),
    ({"qp": 3.5}, TypeError, "qp: an integer expected, 3.5"),
    ({"pyramid": "8/8"}, ctv.ArgumentError, "'8/8' is none of laplacian"),
    ({"pyramid": 3}, TypeError, "pyramid: a name expected, 3"),
    ({"directions": "4"}, TypeError, "directions: a sequence"),
    ({"directions": [0] * 9}, ctv.ArgumentError, "directions: at most 8"),
])
def test_wrong_settings(config, error, message):
    with pytest.raises(error, match=message):
        ctv.Encoder(**{**GRAY, **config})


def test_calls_in_the_wrong_order():
    encoder, decoder = ctv.Encoder(**GRAY), ctv.Decoder()
    packets = encoder.encode(FLAT) + encoder.encode(FLAT)
    with pytest.raises(ctv.StateError) as caught:
        decoder.decode(packets[0].data)
    assert caught.value.status == -7 and isinstance(caught.value, ctv.Error)
    decoder.decode(encoder.header)
    with pytest.raises(ctv.ReferenceMissingError):
        decoder.decode(packets[1].data)
    with pytest.raises(TypeError):
        decoder.decode("text")
    with pytest.raises(ctv.ArgumentError):
        encoder.set_quantiser()
    encoder.flush()
    with pytest.raises(ctv.StateError):
        encoder.encode(FLAT)
    encoder.close(), decoder.close(), encoder.close()
    for call in (lambda: encoder.header, lambda: encoder.encode(FLAT), lambda: decoder.decode(packets[0].data),
                 encoder.flush, decoder.flush, decoder.reset):
        with pytest.raises(ctv.StateError, match="is closed"):
            call()


def test_a_limit_is_an_error():
    with pytest.raises(ctv.LimitError, match="pixels"):
        ctv.Decoder(max_pixels=100).decode(ctv.Encoder(**GRAY).header)


def test_hostile_bytes_raise_and_nothing_else(clip):
    units = encoded(clip("i420")[1], qp=30)
    dice = random.Random(1)
    for in_flight in (1, 3):
        decoder = ctv.Decoder(frames_in_flight=in_flight, max_pixels=1 << 20, max_memory=1 << 28)
        for _ in range(400):
            unit = bytearray(dice.choice(units))
            for _ in range(dice.randrange(4)):
                unit[dice.randrange(len(unit))] = dice.randrange(256)
            try:
                decoder.decode(unit[:dice.randrange(len(unit) + 1)] if dice.random() < 0.2 else unit)
                ctv.packet_info(units[0], unit)
            except ctv.Error as e:
                assert str(e) and "\n" not in str(e)


def resident():
    """Bytes. The peak of resource.getrusage() may be of an earlier test."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_memory_does_not_grow():
    encoder, decoder = ctv.Encoder(**GRAY, threads=1), ctv.Decoder(threads=1)
    decoder.decode(encoder.header)
    noise = np.random.default_rng(1).integers(0, 256, (8, 48, 64), np.uint8)
    for i in range(1200):
        if i == 200:
            before = resident()
        for packet in encoder.encode(noise[i % 8]):
            [picture] = decoder.decode(packet.data)
        if i % 10 == 0:
            with pytest.raises(ctv.Error):
                decoder.decode(packet.data[:9])
    assert resident() - before < 1 << 20  # 1,000 pictures are 3 MB, their packets as much


def test_threads(clip):
    pictures = clip("i420")[1]
    expected = encoded(pictures)
    results = {}
    workers = [threading.Thread(target=lambda i=i: results.update({i: encoded(pictures)})) for i in range(2)]
    shared = ctv.Encoder(**GRAY)  # calls of several threads take turns
    workers += [threading.Thread(target=lambda: [shared.encode(FLAT) for _ in range(50)]) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == {0: expected, 1: expected} and len(expected) == FRAMES + 2
    assert len(shared.encode(FLAT)) == 1 and shared.flush() == []

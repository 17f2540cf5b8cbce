# SPDX-License-Identifier: BSD-3-Clause
"""Files: random access, information, writing, damage."""
import concurrent.futures
import fractions
import os
import pickle

import ctv
import numpy as np
import pytest
from conftest import FRAMES, HEIGHT, WIDTH, bytes_of


@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("config", [{}, {"frames_in_flight": 3}, {"format": "rgb"}])
def test_random_access_gives_what_iteration_gives(stream, folder, indexed, config):
    path = stream
    if not indexed:
        with ctv.read(stream) as reader:
            path = folder / "plain.ctv"
            path.write_bytes(b"".join(reader.packets()))
    with ctv.read(path, **config) as reader:
        assert reader.info.indexed == indexed and reader.info.key_frames == (0, 5, 10)
        expected = [bytes_of(p) for p in reader]
        assert len(reader) == len(expected) == FRAMES
        for i in (11, 0, 3, 4, 5, 4, 9, -1, 6, 7):
            assert bytes_of(reader[i]) == expected[i], i
        assert [bytes_of(p) for p in reader[2:9:3]] == expected[2:9:3]
        with pickle.loads(pickle.dumps(reader)) as another:
            assert bytes_of(another[7]) == expected[7]
        for outside in (FRAMES, -FRAMES - 1):
            with pytest.raises(IndexError, match=f"frame {outside} of {FRAMES}"):
                reader[outside]
    with pytest.raises(ctv.StateError, match="is closed"):
        reader[0]
    with pytest.raises(ctv.StateError, match="is closed"):
        list(reader)


def test_info(stream):
    info = ctv.info(stream)
    assert (info.width, info.height, info.format, info.frames) == (WIDTH, HEIGHT, "i420", FRAMES)
    assert info.fps == fractions.Fraction(25) and info.pyramid == "9/7" and info.complete
    assert info.bytes == stream.stat().st_size


def test_pictures_of_every_kind_can_be_written(stream, folder, clip):
    path = folder / "written.ctv"
    for form in ("gray", "rgb", "rgba", "i420", "i422", "i444", "nv12"):
        pictures = clip(form)[1]
        assert ctv.write(path, iter(pictures), fps=29.97, lossless=1) == FRAMES
        with ctv.read(path, format=form) as reader:
            assert reader.info.fps == fractions.Fraction(2997, 100)
            for expected, got in zip(pictures, reader):
                planes = expected if isinstance(expected, tuple) else (expected,)
                assert all(map(np.array_equal, planes, got.planes))
    with ctv.read(stream) as reader:
        ctv.write(path, reader, lossless=1)
        with ctv.read(path) as again:
            assert list(map(bytes_of, again)) == list(map(bytes_of, reader))


def test_a_failure_leaves_no_file(folder):
    path = folder / "none.ctv"
    for frames, error in (([], ctv.ArgumentError), ([np.zeros((4, 4))], TypeError), ([3], TypeError),
                          ([np.zeros((4, 4, 5), np.uint8)], ctv.ArgumentError)):
        with pytest.raises(error):
            ctv.write(path, frames)
    assert not list(folder.glob("none.ctv*"))
    with pytest.raises(FileNotFoundError):
        ctv.read(path)


def test_writing_to_a_pipe_and_through_a_link(stream, folder, clip):
    pictures, pipe, target, link = clip("gray")[1], folder / "pipe", folder / "target.ctv", folder / "link.ctv"
    assert ctv.write(os.fsencode(target), pictures) == FRAMES
    os.mkfifo(pipe)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        got = pool.submit(pipe.read_bytes)
        assert ctv.write(pipe, pictures) == FRAMES
        assert got.result() == target.read_bytes() and pipe.is_fifo()
    link.symlink_to(target)
    ctv.write(link, pictures[:3])
    assert link.is_symlink() and len(ctv.read(target)) == 3


def test_two_writers_do_not_meet(folder, clip):
    pictures, path = clip("gray")[1], folder / "both.ctv"
    def slowly():
        yield pictures[0]
        assert ctv.write(path, pictures[:2]) == 2
        yield from pictures[1:]
    assert ctv.write(path, slowly()) == FRAMES
    assert len(ctv.read(path)) == FRAMES and not list(folder.glob("both.ctv?*"))
    with pytest.raises(TypeError):
        ctv.write(path, [pictures[0], None, pictures[1]])


@pytest.mark.parametrize("fps, rate", [(29.97, "2997/100"), (30000 / 1001, "30000/1001"), ("90000/3601", "90000/3601"),
                                       (fractions.Fraction(1, 3600), "1/3600"), (1 / 3600, "1/3600"), (24, "24")])
def test_rates_are_kept(folder, clip, fps, rate):
    path = folder / "rate.ctv"
    ctv.write(path, clip("gray")[1][:1], fps=fps)
    assert ctv.info(path).fps == fractions.Fraction(rate)


def test_random_access_behind_a_loss(folder, clip):
    """A frame may then refer to one before the last key frame."""
    _, pictures = clip("gray")
    path = folder / "loss.ctv"
    with ctv.Encoder(width=WIDTH, height=HEIGHT, format="gray", slots=4, key_interval=0) as encoder:
        data = [encoder.header]
        for n, picture in enumerate(pictures[:10]):
            if n == 6:
                encoder.request_key_frame()
            data += [p.data for p in encoder.encode(picture)]
            if n == 2:
                encoder.acknowledge(2)
            if n == 7:
                encoder.lost(6)
        path.write_bytes(b"".join(data + [encoder.index()]))
    with ctv.read(path) as reader:
        assert reader.info.key_frames == (0, 6)
        expected = [bytes_of(p) for p in reader]
        for i in (9, 8, 7, 3):
            assert bytes_of(reader[i]) == expected[i], i


def test_damaged_files(stream, folder):
    data, path = stream.read_bytes(), folder / "damaged.ctv"
    for size in range(0, 100, 7):
        path.write_bytes(data[:size])
        with pytest.raises(ctv.DamagedError):
            ctv.read(path)
    for size in range(120, len(data), 131):
        path.write_bytes(data[:size])
        with ctv.read(path) as reader:
            whole = sum(1 for _ in reader.packets()) - 1
            assert not reader.info.indexed and len(reader[:]) == len(reader) == whole
            if not reader.info.complete:
                with pytest.raises(ctv.DamagedError, match="the file ends"):
                    list(reader)
    for at in range(0, len(data), 37):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
        try:
            with ctv.read(path, max_memory=1 << 28) as reader:
                for i in range(len(reader)):
                    reader[i]
        except ctv.Error as e:
            assert "\n" not in str(e)


def test_joined_streams_are_one(stream, folder):
    path = folder / "joined.ctv"
    path.write_bytes(stream.read_bytes() * 2)
    with ctv.read(stream) as one, ctv.read(path) as two:
        assert len(two) == 2 * len(one) and not two.info.indexed
        assert bytes_of(two[FRAMES + 3]) == bytes_of(one[3])

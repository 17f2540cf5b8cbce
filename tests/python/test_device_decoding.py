# SPDX-License-Identifier: BSD-3-Clause
"""Decoded pictures in device memory: errors and stubs; with a device, samples, streams, ownership."""
import ast
import ctypes
import gc
import pathlib

import ctv
import numpy as np
import pytest
from conftest import HEIGHT, WIDTH, bytes_of
from device_memory import LEGACY, PER_THREAD, Consumer, HostArray
from test_codec import decoded, encoded

FORMATS = ["gray", "i420", "i422", "i444", "rgb", "rgba", "nv12"]


def on_device(units, **config):
    return decoded(units, memory="cuda", backend="cuda", **config)


def host_copies(driver, picture, **arguments):
    """The samples as a consumer sees them."""
    consumers = [Consumer(driver, plane, **arguments) for plane in picture.planes]
    arrays = [c.array() for c in consumers]
    for c in consumers:
        c.close()
    return arrays


@pytest.mark.parametrize("backend", ["auto", "cpu"])
def test_without_a_device_the_error_says_why(backend):
    try:
        ctv.Decoder(backend="cuda").close()
        if backend == "auto":
            pytest.skip("there is a device")
    except ctv.DeviceError as e:
        assert str(e)
    with pytest.raises(ctv.DeviceError, match=r"memory: device memory needs the CUDA backend, this is cpu: "):
        ctv.Decoder(memory="cuda", backend=backend)
    with pytest.raises(ctv.ArgumentError, match="memory: 'device' is none of host, cuda"):
        ctv.Decoder(memory="device")


def test_the_stub_has_the_attributes_of_planes():
    stub = ast.parse((pathlib.Path(ctv.__file__).parent / "__init__.pyi").read_text())
    [plane] = [c for c in stub.body if isinstance(c, ast.ClassDef) and c.name == "CudaPlane"]
    expected = {"shape", "strides", "dtype", "device", "__cuda_array_interface__", "__dlpack__", "__dlpack_device__"}
    assert {f.name for f in plane.body} == expected <= set(dir(ctv.CudaPlane))
    assert all(getattr(ctv.CudaPlane, name).__doc__ for name in expected - {"dtype"})
    with pytest.raises(TypeError):
        ctv.CudaPlane()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("config", [{}, {"frames_in_flight": 4}, {"reduction": 1}])
def test_consumers_see_the_samples_of_the_cpu(driver, clip, form, config):
    # Predicted frames do not decode at a lower resolution.
    units = encoded(clip(form)[1], format=form, qp=28, **({"key_interval": 1} if "reduction" in config else {}))
    expected = decoded(units, format=form, backend="cpu", **config)
    mine = driver.stream()
    arguments = [{"stream": None}, {"stream": LEGACY}, {"stream": PER_THREAD, "max_version": (0, 8)},
                 {"stream": mine, "max_version": (1, 1)}, {"stream": mine, "copy": True, "max_version": (1, 0)},
                 {"stream": LEGACY, "dl_device": (2, 0), "copy": False}, {"stream": PER_THREAD, "copy": True}]
    pictures = on_device(units, format=form, **config)
    assert len(pictures) == len(expected)
    for i, (host, picture) in enumerate(zip(expected, pictures)):
        assert (picture.format, picture.width, picture.timestamp) == (host.format, host.width, host.timestamp)
        for j in (i % len(arguments), (i + 3) % len(arguments)):
            arrays = host_copies(driver, picture, **arguments[j])
            assert all(map(np.array_equal, arrays, host.planes)), (i, arguments[j])


def test_planes_describe_themselves(driver, clip):
    units = encoded(clip("nv12")[1], format="nv12", qp=28)
    picture = on_device(units, format="nv12")[-1]
    rows, columns = (HEIGHT + 1) // 2, (WIDTH + 1) // 2
    luma, chroma = picture.planes
    assert luma.shape == (HEIGHT, WIDTH) and luma.strides == (WIDTH, 1)
    assert chroma.shape == (rows, columns, 2) and chroma.strides == (2 * columns, 2, 1)
    assert chroma.dtype == np.uint8 and chroma.device == 0 and "CudaPlane" in repr(chroma)
    assert chroma.__dlpack_device__() == (2, 0)
    for version, versioned in ((None, False), ((0, 8), False), ((1, 0), True), ((1, 1), True)):
        consumer = Consumer(driver, chroma, max_version=version)
        assert (consumer.shape, consumer.strides, consumer.versioned) == (chroma.shape, chroma.strides, versioned)
        tensor = consumer.tensor
        assert (tensor.device.type, tensor.device.number, tensor.code, tensor.bits, tensor.lanes) == (2, 0, 1, 8, 1)
        assert tensor.data % 256 == 0
        if versioned:
            assert (consumer.managed.major, consumer.managed.flags) == (1, 0)
        consumer.close()
    interface = chroma.__cuda_array_interface__
    expected = decoded(units, format="nv12", backend="cpu")[-1].planes[1]
    assert (interface["shape"], interface["version"], interface["strides"]) == (chroma.shape, 3, None)
    assert interface["typestr"] == "|u1" and interface["stream"] == LEGACY
    data = driver.read(interface["data"][0], expected.size, interface["stream"])
    assert np.array_equal(data.reshape(expected.shape), expected)


def test_what_a_plane_refuses(driver):
    plane = on_device(encoded([np.zeros((HEIGHT, WIDTH), np.uint8)], format="gray"))[0].array
    for arguments in ({"dl_device": (2, 5)}, {"dl_device": (10, 0)}, {"dl_device": (1, 0), "copy": False}):
        with pytest.raises(BufferError, match="dl_device|copy"):
            plane.__dlpack__(**arguments)
    for stream in (0, -2):
        with pytest.raises(ctv.ArgumentError, match="stream"):
            plane.__dlpack__(stream=stream)
    with pytest.raises(TypeError, match="stream"):
        plane.__dlpack__(stream="1")


class InHostMemory(HostArray):
    """What numpy 2.1 asks a plane for by from_dlpack(plane, device="cpu")."""

    def __dlpack__(self, **arguments):
        return self._array.__dlpack__(**{**arguments, "dl_device": (1, 0)})

    def __dlpack_device__(self):
        return 1, 0


def test_copies_are_apart(driver, clip):
    units = encoded(clip("gray")[1][:1], format="gray", qp=28)
    [host], [picture] = decoded(units, backend="cpu"), on_device(units)
    plane = picture.array
    shared, unordered = Consumer(driver, plane), Consumer(driver, plane, stream=-1, copy=True)
    copy = Consumer(driver, plane, copy=True, max_version=(1, 0))
    assert copy.managed.flags == 2
    driver.fill(shared.tensor.data, 7, WIDTH * HEIGHT, LEGACY)
    assert np.all(shared.array() == 7)
    driver.call("cuStreamSynchronize", ctypes.c_void_p(LEGACY))
    assert np.array_equal(copy.array(), host.array)
    unordered.stream = driver.stream()  # a copy without a stream is there at once
    assert np.array_equal(unordered.array(), host.array)
    assert np.all(np.from_dlpack(InHostMemory(plane)) == 7)
    for consumer in (shared, unordered, copy):
        consumer.close()


def by_interface(driver, plane):
    interface = plane.__cuda_array_interface__
    return driver.read(interface["data"][0], int(np.prod(plane.shape)), interface["stream"]).reshape(plane.shape)


def by_dlpack(driver, plane, **arguments):
    consumer = Consumer(driver, plane, **arguments)
    array = consumer.array()
    consumer.close()
    return array


def by_ordered_copy(driver, plane):
    return by_dlpack(driver, plane, stream=driver.stream(), copy=True)


def by_copy_for_any_stream(driver, plane):
    consumer = Consumer(driver, plane, stream=-1, copy=True)
    consumer.stream = driver.stream()
    array = consumer.array()
    consumer.close()
    return array


def on_the_host(driver, plane):
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        return np.from_dlpack(plane, device="cpu")
    return np.from_dlpack(InHostMemory(plane))


@pytest.fixture(scope="module")
def large(clip):
    """Units whose decoding takes a device a while, and their samples."""
    units = encoded(clip("rgb", 1920, 1080, 3)[1], width=1920, height=1080, format="rgb", qp=28)
    return units, [p.array for p in decoded(units, backend="cpu")]


@pytest.mark.parametrize("in_flight", [1, 2])
@pytest.mark.parametrize("read", [
    by_interface, by_ordered_copy, by_copy_for_any_stream, on_the_host, lambda d, plane: by_dlpack(d, plane),
    lambda d, plane: by_dlpack(d, plane, stream=PER_THREAD), lambda d, plane: by_dlpack(d, plane, stream=d.stream())
])
def test_samples_are_waited_for(driver, large, read, in_flight):
    """decode() returns while the device still works, and streams wait for it only if they are told to."""
    units, expected = large
    with ctv.Decoder(memory="cuda", backend="cuda", frames_in_flight=in_flight) as decoder:
        arrays = [read(driver, p.array) for unit in units for p in decoder.decode(unit)]
        arrays += [read(driver, p.array) for p in decoder.flush()]
    assert len(arrays) == 3 and all(map(np.array_equal, arrays, expected))


def test_planes_outlive_the_decoder(driver, stream):
    with ctv.read(stream, backend="cpu") as reader:
        expected = [bytes_of(p) for p in reader]
    with ctv.read(stream, memory="cuda", backend="cuda") as reader:
        kept = [reader[0], reader[6]]
        consumers = [[Consumer(driver, plane) for plane in p.planes] for p in reader[2:5]]
        luma = reader[7].planes[0]
        assert len(list(reader)) == len(expected)
    del reader
    gc.collect()
    for i, picture in zip((0, 6), kept):
        assert b"".join(a.tobytes() for a in host_copies(driver, picture)) == expected[i]
    for i, planes in zip((2, 3, 4), consumers):
        assert b"".join(c.array().tobytes() for c in planes) == expected[i]
        for c in planes:
            c.close()
    consumer = Consumer(driver, luma)
    assert consumer.array().tobytes() == expected[7][:WIDTH * HEIGHT]
    consumer.close()


def test_device_memory_is_freed_once(driver):
    """A second call of a deleter is a crash; a missing one is growth."""
    width, height = 512, 384
    config = {"width": width, "height": height, "format": "gray", "preset": "fastest", "scene_cut": 0, "qp": 45}
    noise = np.random.default_rng(1).integers(0, 256, (8, height, width), np.uint8)
    header, *packets, _ = encoded(noise, key_interval=1, **config)
    encoder, decoder = ctv.Encoder(backend="cuda", **config), ctv.Decoder(memory="cuda", backend="cuda")
    decoder.decode(header)
    for i in range(1100):
        if i == 100:
            gc.collect()
            before = driver.free_memory()
        [picture] = decoder.decode(packets[i % 8])
        plane, how = picture.array, i % 5
        del picture
        if how == 0:
            plane.__dlpack__(), plane.__dlpack__(max_version=(1, 0))  # no consumer
        elif how == 1:
            one, two = Consumer(driver, plane), Consumer(driver, plane, max_version=(1, 0))
            del plane
            one.close(), two.close()
        elif how == 2:
            plane.__dlpack__(copy=True), plane.__dlpack__(dl_device=(1, 0))
        elif how == 3:
            encoder.encode(plane)
    del plane
    gc.collect()
    assert before - driver.free_memory() < 16 << 20  # 200 pictures, each fifth, have 39 MB

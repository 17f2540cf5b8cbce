# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of other packages as pictures for the encoder: in host memory; with a device, in its memory."""
import ctypes
import weakref

import ctv
import numpy as np
import pytest
from conftest import HEIGHT, WIDTH
from device_memory import DeviceArray, HostArray, managed_of
from test_codec import FLAT, GRAY, encoded
from test_device_decoding import FORMATS, on_device

STILL = {"scene_cut": 0, "qp": 28}  # scene cuts are looked for in host memory alone


def planes_of(picture):
    return picture if isinstance(picture, tuple) else (picture,)


def test_arrays_of_other_packages_in_host_memory(clip):
    pictures = clip("i420")[1]
    foreign = [tuple(HostArray(np.array(p)) for p in picture) for picture in pictures]
    assert encoded(foreign, qp=28) == encoded(pictures, qp=28)
    with pytest.raises(TypeError, match="plane 0: uint8 expected, int8"):
        ctv.Encoder(**GRAY).encode(HostArray(np.zeros((48, 64), np.int8)))


def test_streams_have_numbers():
    for stream in (0, -1):
        with pytest.raises(ctv.ArgumentError, match="stream: .* is none"):
            ctv.Encoder(**GRAY).encode(FLAT, stream=stream)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("in_flight", [1, 4])
def test_packets_are_those_of_host_memory(driver, clip, form, in_flight):
    pictures = clip(form)[1]
    config = {**STILL, "format": form, "backend": "cuda", "frames_in_flight": in_flight}
    expected = encoded(pictures, **{**config, "backend": "cpu"})
    there = [tuple(DeviceArray(driver, p, gap=i % 3 * 7) for p in planes_of(picture))
             for i, picture in enumerate(pictures)]
    assert encoded(there, **config) == expected
    # Decoded pictures, by DLPack, which the encoder alone holds.
    lossless = encoded(pictures, format=form, lossless=1, backend="cpu")
    assert encoded(on_device(lossless, format=form), **config) == expected


class OlderPlane:
    """A plane of a package from before version 1 of DLPack."""

    def __init__(self, plane):
        self._plane = plane

    def __dlpack__(self, *, stream=None):
        return self._plane.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self._plane.__dlpack_device__()


def test_older_packages_are_understood(driver, clip):
    pictures = clip("gray")[1]
    there = on_device(encoded(pictures, format="gray", lossless=1))
    assert encoded([OlderPlane(p.array) for p in there], format="gray", backend="cuda", **STILL) == encoded(
        pictures, format="gray", backend="cpu", **STILL)


@pytest.mark.parametrize("in_flight", [1, 4])
@pytest.mark.parametrize("interface_has_stream", [False, True])
def test_samples_are_read_in_the_order_of_the_stream(driver, clip, in_flight, interface_has_stream):
    """They come late, and are overwritten as soon as encode() has returned."""
    pictures = clip("gray")[1]
    expected = encoded(pictures, format="gray", backend="cpu", **STILL)
    sources = [DeviceArray(driver, p) for p in pictures]
    mine = driver.stream()
    place = DeviceArray(driver, FLAT.repeat(3, 0).repeat(3, 1)[:HEIGHT, :WIDTH])
    ballast = DeviceArray(driver, np.zeros((1 << 10, 1 << 18), np.uint8))
    # The legacy default stream waits for what the interface names; only with one frame in flight is all read then.
    if interface_has_stream:
        place.stream = mine
    order = {} if interface_has_stream and in_flight == 1 else {"stream": mine}
    with ctv.Encoder(width=WIDTH, height=HEIGHT, format="gray", backend="cuda", frames_in_flight=in_flight,
                     **STILL) as encoder:
        packets = []
        for source in sources:
            for _ in range(8):
                driver.fill(ballast.address, 1, ballast.size, mine)
            driver.copy(place.address, source.address, source.size, mine)
            packets += encoder.encode(place, **order)
            driver.fill(place.address, 55, place.size, mine)
        packets += encoder.flush()
    assert [p.data for p in packets] == expected[1:-1]
    driver.call("cuStreamSynchronize", ctypes.c_void_p(mine))


@pytest.mark.parametrize("in_flight", [1, 3])
def test_arrays_are_kept_while_they_may_be_read(driver, in_flight):
    encoder = ctv.Encoder(**GRAY, **STILL, backend="cuda", frames_in_flight=in_flight)
    living = weakref.WeakSet()
    for i in range(6):
        array = DeviceArray(driver, FLAT)
        living.add(array)
        encoder.encode(array)
        del array
        assert len(living) == (min(i + 1, 3) if in_flight == 3 else 0)
    encoder.close()
    assert not living


class Spoilt:
    """A plane whose capsule says something else."""

    def __init__(self, plane, spoil):
        self._plane, self._spoil = plane, spoil

    def __dlpack__(self, **arguments):
        capsule = self._plane.__dlpack__(**arguments)
        self._spoil(managed_of(capsule)[0].tensor)
        return capsule

    def __dlpack_device__(self):
        return self._plane.__dlpack_device__()


def assigning(**values):

    def spoil(tensor):
        for name, value in values.items():
            if isinstance(value, tuple):
                getattr(tensor, name)[value[0]] = value[1]
            else:
                setattr(tensor.device if name == "number" else tensor, name, value)

    return spoil


@pytest.mark.parametrize("spoil, error, message", [
    (assigning(code=0), TypeError, "plane 0: uint8 expected, DLPack code 0 of 8 bits"),
    (assigning(bits=16), TypeError, "plane 0: uint8 expected, DLPack code 1 of 16 bits"),
    (assigning(number=3), ctv.ArgumentError, "plane 0: device 3, the encoder's is 0"),
    (assigning(shape=(1, 63)), ctv.ArgumentError, r"plane 0: shape \(48, 64\) expected, \(48, 63\) given"),
    (assigning(dimensions=1), ctv.ArgumentError, r"plane 0: shape \(48, 64\) expected, \(48\) given"),
    (assigning(strides=(1, 2)), ctv.ArgumentError, r"plane 0: strides \(64, 2\): in device memory"),
    (assigning(strides=(0, 63)), ctv.ArgumentError, r"plane 0: strides \(63, 1\): in device memory"),
    (assigning(strides=(0, -64)), ctv.ArgumentError, r"plane 0: strides \(-64, 1\): in device memory"),
])
def test_wrong_arrays_in_device_memory(driver, spoil, error, message):
    [packet], encoder = ctv.Encoder(**GRAY).encode(FLAT), ctv.Encoder(**GRAY, backend="cuda")
    [picture] = on_device([encoder.header, packet.data])
    with pytest.raises(error, match=message):
        encoder.encode(Spoilt(picture.array, spoil))
    assert encoder.encode(Spoilt(picture.array, lambda tensor: None))


def test_wrong_pictures_in_device_memory(driver, clip):
    [picture] = on_device(encoded(clip("i420")[1][:1], lossless=1))
    planes = clip("i420")[1][0]
    encoder = ctv.Encoder(width=WIDTH, height=HEIGHT, backend="cuda")
    with pytest.raises(ctv.ArgumentError, match="plane 1: not in the memory of plane 0"):
        encoder.encode((picture.planes[0], *planes[1:]))
    with pytest.raises(ctv.ArgumentError, match="device memory needs the CUDA backend"):
        ctv.Encoder(width=WIDTH, height=HEIGHT, backend="cpu").encode(picture)
    for change in ({"typestr": "<u2"}, {"typestr": "|i1"}):
        array = DeviceArray(driver, FLAT)
        interface = {**array.__cuda_array_interface__, **change}
        with pytest.raises(TypeError, match="plane 0: uint8 expected, '"):
            ctv.Encoder(**GRAY, backend="cuda").encode(type("Array", (), {"__cuda_array_interface__": interface})())
    with pytest.raises(ctv.Error, match="cuPointerGetAttribute|device -2"):
        interface = {**array.__cuda_array_interface__, "data": (FLAT.ctypes.data, False)}
        ctv.Encoder(**GRAY, backend="cuda").encode(type("Array", (), {"__cuda_array_interface__": interface})())


def torch_arrays(plane):
    torch = pytest.importorskip("torch")
    return [torch.from_dlpack(plane), torch.as_tensor(plane, device="cuda")], lambda t: t.cpu().numpy()


def cupy_arrays(plane):
    cupy = pytest.importorskip("cupy")
    return [cupy.from_dlpack(plane), cupy.asarray(plane)], cupy.asnumpy


def numba_arrays(plane):
    cuda = pytest.importorskip("numba.cuda")
    return [cuda.as_cuda_array(plane)], lambda a: a.copy_to_host()


def jax_arrays(plane):
    jax = pytest.importorskip("jax")
    return [jax.dlpack.from_dlpack(plane)], np.asarray


@pytest.mark.parametrize("arrays_of", [torch_arrays, cupy_arrays, numba_arrays, jax_arrays])
def test_other_packages_take_planes_and_give_pictures(driver, clip, monkeypatch, arrays_of):
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    pictures = clip("rgb")[1][:4]
    config = {"format": "rgb", **STILL}
    expected = encoded(pictures, backend="cpu", **config)
    there = [arrays_of(p.array) for p in on_device(encoded(pictures, format="rgb", lossless=1, backend="cpu"))]
    for i in range(len(there[0][0])):
        for host, (arrays, to_host) in zip(pictures, there):
            assert np.array_equal(to_host(arrays[i]), host)
        assert encoded([arrays[i] for arrays, _ in there], backend="cuda", frames_in_flight=2, **config) == expected

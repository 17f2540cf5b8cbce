# SPDX-License-Identifier: BSD-3-Clause
"""A CUDA driver by ctypes, and what other packages do with it: arrays in device memory, a consumer of DLPack. It needs
none of these packages."""
import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import numpy as np

LEGACY, PER_THREAD = 1, 2  # streams, by the numbers of DLPack
NAMES = {c: (c, b"used_" + c) for c in (b"dltensor", b"dltensor_versioned")}  # capsules do not copy names


class Device(ctypes.Structure):
    _fields_ = [("type", c_int32), ("number", c_int32)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", c_uint64), ("device", Device), ("dimensions", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("offset", c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", Deleter)]


class ManagedVersioned(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", Deleter),
                ("flags", c_uint64), ("tensor", Tensor)]


def capsule_call(name, result, *parameters):
    function = getattr(ctypes.pythonapi, "PyCapsule_" + name)
    function.restype, function.argtypes = result, [ctypes.py_object, *parameters]
    return function


is_valid = capsule_call("IsValid", ctypes.c_int, c_char_p)
pointer_of = capsule_call("GetPointer", c_void_p, c_char_p)
set_name = capsule_call("SetName", ctypes.c_int, c_char_p)


def managed_of(capsule):
    """The structure in a capsule without a consumer yet, and the capsule's name."""
    name = b"dltensor_versioned" if is_valid(capsule, b"dltensor_versioned") else b"dltensor"
    kind = ManagedVersioned if name.endswith(b"versioned") else Managed
    return ctypes.cast(pointer_of(capsule, name), POINTER(kind)).contents, name


class Driver:
    """The CUDA driver; device 0 is the thread's."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
        context, device = c_void_p(), ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        result = getattr(self._library, name)(*arguments)
        assert result == 0, f"{name}: CUDA error {result}"

    def stream(self):
        """A stream that does not wait for the legacy default stream."""
        stream = c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        return stream.value

    def free_memory(self):
        free, total = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def read(self, address, size, stream=LEGACY):
        """Bytes of device memory, as the stream's order has them."""
        host = np.empty(size, np.uint8)
        self.call("cuMemcpyDtoHAsync_v2", c_void_p(host.ctypes.data), c_uint64(address), c_size_t(size),
                  c_void_p(stream))
        self.call("cuStreamSynchronize", c_void_p(stream))
        return host

    def copy(self, to, source, size, stream):
        self.call("cuMemcpyDtoDAsync_v2", c_uint64(to), c_uint64(source), c_size_t(size), c_void_p(stream))

    def fill(self, address, value, size, stream):
        self.call("cuMemsetD8Async", c_uint64(address), c_uint8(value), c_size_t(size), c_void_p(stream))


class DeviceArray:
    """An array of uint8 in device memory. Rows may have gaps between them."""

    def __init__(self, driver, array, gap=0, stream=None):
        self.driver, self.shape, self.stream = driver, array.shape, stream
        self.row = array[0].size + gap
        padded = np.full((len(array), self.row), 99, np.uint8)
        padded[:, :array[0].size] = array.reshape(len(array), -1)
        self.size, address = padded.size, c_uint64()
        driver.call("cuMemAlloc_v2", ctypes.byref(address), c_size_t(self.size))
        self.address = address.value
        driver.call("cuMemcpyHtoD_v2", address, c_void_p(padded.ctypes.data), c_size_t(self.size))

    def __del__(self):
        self.driver.call("cuMemFree_v2", c_uint64(self.address))

    @property
    def __cuda_array_interface__(self):
        inner = (self.shape[2], 1) if len(self.shape) == 3 else (1,)
        return {"shape": self.shape, "typestr": "|u1", "data": (self.address, True), "version": 3,
                "strides": (self.row, *inner), "stream": self.stream}


class HostArray:
    """An array of a package that has DLPack alone."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **arguments):
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class Consumer:
    """Takes a plane over as DLPack says: renames the capsule, reads in its stream's order, calls the deleter once."""

    def __init__(self, driver, plane, stream=LEGACY, **arguments):
        capsule = plane.__dlpack__(stream=stream, **arguments)
        self.driver, self.stream = driver, stream
        self.managed, name = managed_of(capsule)
        set_name(capsule, NAMES[name][1])
        self.versioned = name.endswith(b"versioned")
        tensor = self.tensor = self.managed.tensor
        self.shape = tuple(tensor.shape[:tensor.dimensions])
        self.strides = tuple(tensor.strides[:tensor.dimensions])

    def array(self):
        return self.driver.read(self.tensor.data + self.tensor.offset, int(np.prod(self.shape)),
                                self.stream).reshape(self.shape)

    def close(self):
        self.managed.deleter(ctypes.addressof(self.managed))

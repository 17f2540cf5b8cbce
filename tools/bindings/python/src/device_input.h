// SPDX-License-Identifier: BSD-3-Clause
// Other packages' arrays in device memory, through DLPack or the CUDA array interface.
#pragma once

#include <string>
#include <vector>

#include "cuda_driver.h"
#include "values.h"

namespace ctv::python {

/// Somebody's array of uint8 in device memory.
struct DeviceArray {
  void* data;
  int device;
  std::vector<py::ssize_t> shape, strides;  // strides in bytes
  py::object owner;                         // keeps the samples; a capsule, or the array itself
};

/// Whether the array says that it is in the memory of a CUDA device.
bool is_on_device(const py::object& array);

/// Looks at an array for which is_on_device() is true. What the stream is given later waits for the samples.
/// @param name begins the messages of errors
/// @param stream 1: the legacy default stream, 2: the thread's, else the address of a cudaStream_t
DeviceArray view_on_device(const py::object& array, const std::string& name, int64_t stream);

}  // namespace ctv::python

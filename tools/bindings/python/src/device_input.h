// SPDX-License-Identifier: BSD-3-Clause
// Other packages' arrays in device memory, through DLPack or the CUDA array interface.
#pragma once

#include <string>
#include <vector>

#include "cuda_driver.h"
#include "values.h"

namespace ctv::python {

/// A caller's array in device memory.
struct DeviceArray {
  void* data;
  int device;
  std::vector<py::ssize_t> shape, strides;  // strides in bytes
  py::object owner;                         // keeps the samples; a capsule, or the array itself
};

/// Whether the array is in CUDA device memory, according to its interface.
bool is_on_device(const py::object& array);

/// Views an array for which is_on_device() is true. Later work of the stream waits for the samples. @param
/// item bytes of an element, 1 or 2 @param name begins error messages @param stream 1: the legacy default
/// stream, 2: the thread's, else the address of a cudaStream_t
DeviceArray view_on_device(const py::object& array, int item, const std::string& name, int64_t stream);

}  // namespace ctv::python

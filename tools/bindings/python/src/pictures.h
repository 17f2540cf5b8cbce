// SPDX-License-Identifier: BSD-3-Clause
// Pictures from and to Python: planes of uint8, or uint16 for more than 8 bits, [rows][columns] or
// [rows][columns][channels], as numpy arrays or in device memory.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <vector>

#include "device_planes.h"
#include "values.h"

namespace ctv::python {

int planes_of(ctv_format format);
/// "uint8" or "uint16". item: bytes.
const char* dtype_of(int item);
/// For example "(48, 64)".
std::string text_of(const std::vector<py::ssize_t>& shape);

/// A caller's picture. The planes live as long as their owners.
struct InputPicture {
  ctv_picture picture;
  std::vector<py::object> owners;
};

/// Device of planes in device memory, and the stream that reads them (view_on_device()).
struct InputDevice {
  int number;
  int64_t stream;
};

/// Checks types, shapes and strides. Views the samples if rows are contiguous; otherwise copies those of
/// numpy arrays.
InputPicture read_picture(const py::object& source, const ctv_config& config, const InputDevice& device);

/// A decoded picture that owns its samples: contiguous planes without gaps.
struct DecodedPicture {
  ctv_picture picture;
  std::unique_ptr<uint8_t[]> samples;
  std::shared_ptr<const DeviceSamples> on_device;  // used instead of samples
};

/// Copies the samples from the decoder, within the device if they are there. Does not need the GIL.
DecodedPicture copy_picture(const ctv_picture& picture, int device);

/// Converts a picture's samples to arrays, or CudaPlane objects, that share their ownership.
py::tuple take_planes(DecodedPicture& decoded);

}  // namespace ctv::python

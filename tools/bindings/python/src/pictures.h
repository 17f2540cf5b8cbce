// SPDX-License-Identifier: BSD-3-Clause
// Pictures from and to Python: planes of uint8, [rows][columns] or [rows][columns][channels], as numpy arrays
// or in device memory.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <vector>

#include "device_planes.h"
#include "values.h"

namespace ctv::python {

/// Planes of a format.
int planes_of(ctv_format format);
/// "(48, 64)"
std::string text_of(const std::vector<py::ssize_t>& shape);

/// A caller's picture. The planes live as long as their owners.
struct InputPicture {
  ctv_picture picture;
  std::vector<py::object> owners;
};

/// Where planes in device memory must be, and in which stream's order they are read (view_on_device()).
struct InputDevice {
  int number;
  int64_t stream;
};

/// Checks types, shapes and strides. Views the samples if rows are contiguous; else copies them, those of
/// numpy arrays.
InputPicture read_picture(const py::object& source, const ctv_config& config, const InputDevice& device);

/// A decoded picture with samples of its own: planes without gaps, one behind the other.
struct DecodedPicture {
  ctv_picture picture;
  std::unique_ptr<uint8_t[]> samples;
  std::shared_ptr<const DeviceSamples> on_device;  // in the place of samples
};

/// Copies the samples out of the decoder, within the device if they are in its memory. Needs no interpreter.
DecodedPicture copy_picture(const ctv_picture& picture, int device);

/// Turns a picture's samples into arrays, or objects of CudaPlane, that own them together.
py::tuple take_planes(DecodedPicture& decoded);

}  // namespace ctv::python

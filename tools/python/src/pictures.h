// SPDX-License-Identifier: BSD-3-Clause
// Pictures from and to numpy: arrays of uint8, [rows][columns] or [rows][columns][channels].
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <vector>

#include "values.h"

namespace ctv::python {

/// A caller's picture. The arrays live as long as this.
struct InputPicture {
  ctv_picture picture;
  std::vector<py::array> planes;
};

/// Checks types, shapes and strides. Views the samples if rows are contiguous, else copies them.
InputPicture read_picture(const py::object& source, ctv_format format, int32_t width, int32_t height);

/// A decoded picture with samples of its own: planes without gaps, one behind the other.
struct DecodedPicture {
  ctv_picture picture;
  std::unique_ptr<uint8_t[]> samples;
};

/// Copies the samples out of the decoder. Needs no interpreter.
DecodedPicture copy_picture(const ctv_picture& picture);

/// Turns a picture's samples into arrays that own them together.
py::tuple take_planes(DecodedPicture& decoded);

}  // namespace ctv::python

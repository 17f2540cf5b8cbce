// SPDX-License-Identifier: BSD-3-Clause
#include "pictures.h"

#include <cstring>
#include <string>

namespace ctv::python {
namespace {

int planes_of(ctv_format format) {
  int planes = 0;
  while (planes < 4 && ctv_plane_rows(format, 1, planes) > 0) ++planes;
  return planes;
}

/// Samples that lie side by side in a plane: [rows][columns][channels], or without the last if it is 1.
py::ssize_t channels_of(ctv_format format, int plane) {
  if (format == CTV_FORMAT_RGB8) return 3;
  if (format == CTV_FORMAT_RGBA8) return 4;
  return format == CTV_FORMAT_NV12 && plane == 1 ? 2 : 1;
}

std::vector<py::ssize_t> shape_of(ctv_format format, int32_t width, int32_t height, int plane) {
  const py::ssize_t channels = channels_of(format, plane);
  const auto rows = static_cast<py::ssize_t>(ctv_plane_rows(format, height, plane));
  const auto columns = static_cast<py::ssize_t>(ctv_plane_row_bytes(format, width, plane)) / channels;
  if (channels == 1) return {rows, columns};
  return {rows, columns, channels};
}

std::string text_of(const std::vector<py::ssize_t>& shape) {
  std::string s;
  for (const py::ssize_t n : shape) s += (s.empty() ? "(" : ", ") + std::to_string(n);
  return (s.empty() ? "(" : s) + ")";
}

/// The plane with rows that the library can read: samples side by side, rows that do not overlap.
py::array readable(const py::array& a, size_t row_bytes) {
  bool dense = true;
  py::ssize_t expected = 1;
  for (py::ssize_t d = a.ndim() - 1; d > 0; --d) {
    dense = dense && (a.shape(d) == 1 || a.strides(d) == expected);
    expected *= a.shape(d);
  }
  const auto row = static_cast<py::ssize_t>(row_bytes);
  const bool apart = a.shape(0) == 1 || a.strides(0) >= row || a.strides(0) <= -row;
  if (dense && apart) return a;
  py::array copy = py::array_t<uint8_t, py::array::c_style>::ensure(a);
  if (!copy) throw py::error_already_set();
  return copy;
}

}  // namespace

InputPicture read_picture(const py::object& source, ctv_format format, int32_t width, int32_t height) {
  const int count = planes_of(format);
  InputPicture input{make_picture(format, width, height), {}};
  std::vector<py::object> planes;
  if (py::hasattr(source, "planes")) {
    for (const py::handle plane : source.attr("planes"))
      planes.push_back(py::reinterpret_borrow<py::object>(plane));
  } else if (count == 1 && !py::isinstance<py::tuple>(source)) {
    planes.push_back(source);
  } else if (py::isinstance<py::tuple>(source) || py::isinstance<py::list>(source)) {
    for (const py::handle plane : source) planes.push_back(py::reinterpret_borrow<py::object>(plane));
  } else {
    throw py::type_error("picture: a tuple of " + std::to_string(count) + " planes expected for " +
                         format_name(format));
  }
  if (planes.size() != static_cast<size_t>(count))
    refuse(std::string("picture: ") + format_name(format) + " has " + std::to_string(count) + " plane" +
           (count > 1 ? "s, " : ", ") + std::to_string(planes.size()) + " given");
  for (int p = 0; p < count; ++p) {
    const auto index = static_cast<size_t>(p);
    const std::string name = "picture, plane " + std::to_string(p) + ": ";
    const py::array a = py::array::ensure(planes[index]);
    if (!a) throw py::type_error(name + "no array");
    if (a.dtype().kind() != 'u' || a.dtype().itemsize() != 1)
      throw py::type_error(name + "uint8 expected, " + py::cast<std::string>(py::str(a.dtype())) + " given");
    const std::vector<py::ssize_t> expected = shape_of(format, width, height, p);
    const std::vector<py::ssize_t> given(a.shape(), a.shape() + a.ndim());
    if (given != expected)
      refuse(name + "shape " + text_of(expected) + " expected, " + text_of(given) + " given");
    const size_t row = ctv_plane_row_bytes(format, width, p);
    input.planes.push_back(readable(a, row));
    const py::array& plane = input.planes.back();
    input.picture.data[p] = const_cast<void*>(plane.data());  // the library only reads it
    input.picture.stride[p] = plane.shape(0) == 1 ? static_cast<ptrdiff_t>(row) : plane.strides(0);
  }
  return input;
}

DecodedPicture copy_picture(const ctv_picture& from) {
  size_t size = 0;
  const int count = planes_of(from.format);
  for (int p = 0; p < count; ++p)
    size += ctv_plane_row_bytes(from.format, from.width, p) * ctv_plane_rows(from.format, from.height, p);
  DecodedPicture copy{from, std::unique_ptr<uint8_t[]>(new uint8_t[size])};
  uint8_t* to = copy.samples.get();
  for (int p = 0; p < count; ++p) {
    const size_t bytes = ctv_plane_row_bytes(from.format, from.width, p);
    const size_t rows = ctv_plane_rows(from.format, from.height, p);
    copy.picture.data[p] = to;
    const auto* row = static_cast<const uint8_t*>(from.data[p]);
    for (size_t y = 0; y < rows; ++y, to += bytes, row += from.stride[p]) std::memcpy(to, row, bytes);
  }
  return copy;
}

py::tuple take_planes(DecodedPicture& decoded) {
  const ctv_picture& picture = decoded.picture;
  const py::capsule owner(decoded.samples.get(),
                          [](void* samples) { delete[] static_cast<uint8_t*>(samples); });
  (void)decoded.samples.release();
  py::tuple planes(static_cast<size_t>(planes_of(picture.format)));
  for (size_t p = 0; p < planes.size(); ++p)
    planes[p] =
        py::array_t<uint8_t>(shape_of(picture.format, picture.width, picture.height, static_cast<int>(p)),
                             static_cast<const uint8_t*>(picture.data[p]), owner);
  return planes;
}

}  // namespace ctv::python

// SPDX-License-Identifier: BSD-3-Clause
#include "pictures.h"

#include <cstring>
#include <string>

#include "device_input.h"

namespace ctv::python {
namespace {

/// Number of interleaved samples in a plane: [rows][columns][channels], or [rows][columns] if it is 1.
py::ssize_t channels_of(ctv_format format, int plane) {
  if (format == CTV_FORMAT_RGB8 || format == CTV_FORMAT_BGR8) return 3;
  if (format == CTV_FORMAT_RGBA8 || format == CTV_FORMAT_BGRA8) return 4;
  if (format == CTV_FORMAT_YUY2 || format == CTV_FORMAT_UYVY) return 2;
  return (format == CTV_FORMAT_NV12 || format == CTV_FORMAT_NV21 || format == CTV_FORMAT_P010) && plane == 1
             ? 2
             : 1;
}

/// Bytes of a sample.
int item_of(ctv_format format) { return ctv_format_bits(format) > 8 ? 2 : 1; }

std::vector<py::ssize_t> shape_of(ctv_format format, int32_t width, int32_t height, int plane) {
  const py::ssize_t channels = channels_of(format, plane);
  const auto rows = static_cast<py::ssize_t>(ctv_plane_rows(format, height, plane));
  const auto columns =
      static_cast<py::ssize_t>(ctv_plane_row_bytes(format, width, plane)) / (channels * item_of(format));
  if (channels == 1) return {rows, columns};
  return {rows, columns, channels};
}

/// Whether the library can read it: contiguous samples in a row, rows that do not overlap.
bool has_whole_rows(const std::vector<py::ssize_t>& shape, const std::vector<py::ssize_t>& strides,
                    int item) {
  py::ssize_t expected = item;
  for (size_t d = shape.size() - 1; d > 0; --d) {
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return shape[0] == 1 || strides[0] >= expected || strides[0] <= -expected;
}

void check_shape(const std::vector<py::ssize_t>& given, const std::vector<py::ssize_t>& expected,
                 const std::string& name) {
  if (given != expected)
    refuse(name + "shape " + text_of(expected) + " expected, " + text_of(given) + " given");
}

/// The picture's planes as a list, for any kind of source.
std::vector<py::object> listed_planes(const py::object& source, ctv_format format) {
  const int count = planes_of(format);
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
  return planes;
}

/// Any array in host memory as a numpy array. Some packages support DLPack only.
py::array host_array(const py::object& plane) {
  const bool numpy_reads = PyObject_CheckBuffer(plane.ptr()) != 0 || py::hasattr(plane, "__array__") ||
                           py::hasattr(plane, "__array_interface__");
  const py::module_ numpy = py::module_::import("numpy");
  if (!numpy_reads && py::hasattr(plane, "__dlpack__") && py::hasattr(numpy, "from_dlpack"))
    return numpy.attr("from_dlpack")(plane);
  return py::array::ensure(plane);
}

/// Sets data and stride of a plane; returns the owner of the samples.
py::object read_host_plane(const py::object& plane, const std::vector<py::ssize_t>& shape, int item,
                           const std::string& name, void*& data, ptrdiff_t& stride) {
  py::array a = host_array(plane);
  if (!a) throw py::type_error(name + "no array");
  if (shape.size() == 2 && a.ndim() == 3 && a.shape(2) == 1)  // (height, width, 1) of other packages
    a = py::reinterpret_borrow<py::array>(a[py::make_tuple(py::ellipsis(), 0)]);
  if (a.dtype().kind() != 'u' || a.dtype().itemsize() != item)
    throw py::type_error(name + dtype_of(item) + " expected, " + py::cast<std::string>(py::str(a.dtype())) +
                         " given");
  check_shape({a.shape(), a.shape() + a.ndim()}, shape, name);
  if (!has_whole_rows(shape, {a.strides(), a.strides() + a.ndim()}, item)) {
    a = item == 1 ? py::array(py::array_t<uint8_t, py::array::c_style>::ensure(a))
                  : py::array(py::array_t<uint16_t, py::array::c_style>::ensure(a));
    if (!a) throw py::error_already_set();
  }
  data = const_cast<void*>(a.data());  // the library only reads it
  stride = a.strides(0);
  return a;
}

py::object read_device_plane(const py::object& plane, const std::vector<py::ssize_t>& shape, int item,
                             const std::string& name, const InputDevice& device, void*& data,
                             ptrdiff_t& stride) {
  DeviceArray a = view_on_device(plane, item, name, device.stream);
  if (a.device != device.number)
    refuse(name + "device " + std::to_string(a.device) + ", the encoder's is " +
           std::to_string(device.number));
  check_shape(a.shape, shape, name);
  if (!has_whole_rows(a.shape, a.strides, item) || (shape[0] > 1 && a.strides[0] < 0))
    refuse(name + "strides " + text_of(a.strides) +
           ": in device memory, the samples of a row must be side by side, and rows top down");
  data = a.data;
  stride = a.strides[0];
  return a.owner;
}

}  // namespace

int planes_of(ctv_format format) {
  int planes = 0;
  while (planes < 4 && ctv_plane_rows(format, 1, planes) > 0) ++planes;
  return planes;
}

const char* dtype_of(int item) { return item == 1 ? "uint8" : "uint16"; }

std::string text_of(const std::vector<py::ssize_t>& shape) {
  std::string s;
  for (const py::ssize_t n : shape) s += (s.empty() ? "(" : ", ") + std::to_string(n);
  return (s.empty() ? "(" : s) + ")";
}

InputPicture read_picture(const py::object& source, const ctv_config& config, const InputDevice& device) {
  const std::vector<py::object> planes = listed_planes(source, config.format);
  InputPicture input{make_picture(config.format, config.width, config.height), {}};
  ctv_picture& picture = input.picture;
  const int item = item_of(config.format);
  for (size_t p = 0; p < planes.size(); ++p) {
    const std::string name = "picture, plane " + std::to_string(p) + ": ";
    const std::vector<py::ssize_t> shape =
        shape_of(config.format, config.width, config.height, static_cast<int>(p));
    const bool on_device = !py::isinstance<py::array>(planes[p]) && is_on_device(planes[p]);
    const ctv_memory memory = on_device ? CTV_MEMORY_CUDA : CTV_MEMORY_HOST;
    if (p > 0 && memory != picture.memory) refuse(name + "not in the memory of plane 0, device or host");
    picture.memory = memory;
    input.owners.push_back(
        on_device
            ? read_device_plane(planes[p], shape, item, name, device, picture.data[p], picture.stride[p])
            : read_host_plane(planes[p], shape, item, name, picture.data[p], picture.stride[p]));
    if (shape[0] == 1)  // the stride does not matter
      picture.stride[p] =
          static_cast<ptrdiff_t>(ctv_plane_row_bytes(config.format, config.width, static_cast<int>(p)));
  }
  if (picture.memory == CTV_MEMORY_CUDA) picture.cuda_stream = reinterpret_cast<CudaStream>(device.stream);
  return input;
}

DecodedPicture copy_picture(const ctv_picture& from, int device) {
  if (from.memory == CTV_MEMORY_CUDA) {
    DecodedPicture copy{from, nullptr, nullptr};
    copy.on_device = copy_on_device(copy.picture, device);
    return copy;
  }
  size_t size = 0;
  const int count = planes_of(from.format);
  for (int p = 0; p < count; ++p)
    size += ctv_plane_row_bytes(from.format, from.width, p) * ctv_plane_rows(from.format, from.height, p);
  DecodedPicture copy{from, std::unique_ptr<uint8_t[]>(new uint8_t[size]), nullptr};
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
  py::tuple planes(static_cast<size_t>(planes_of(picture.format)));
  const auto shape = [&](size_t p) {
    return shape_of(picture.format, picture.width, picture.height, static_cast<int>(p));
  };
  const int item = item_of(picture.format);
  if (decoded.on_device) {
    for (size_t p = 0; p < planes.size(); ++p)
      planes[p] = CudaPlane(decoded.on_device, static_cast<uint8_t*>(picture.data[p]), shape(p), item);
    decoded.on_device.reset();
    return planes;
  }
  const py::capsule owner(decoded.samples.get(),
                          [](void* samples) { delete[] static_cast<uint8_t*>(samples); });
  (void)decoded.samples.release();
  for (size_t p = 0; p < planes.size(); ++p) {
    if (item == 1) {
      planes[p] = py::array_t<uint8_t>(shape(p), static_cast<const uint8_t*>(picture.data[p]), owner);
    } else {
      planes[p] = py::array_t<uint16_t>(shape(p), static_cast<const uint16_t*>(picture.data[p]), owner);
    }
  }
  return planes;
}

}  // namespace ctv::python

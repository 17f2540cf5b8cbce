// SPDX-License-Identifier: BSD-3-Clause
#include "device_input.h"

#include <pybind11/stl.h>

#include <utility>

#include "dlpack.h"
#include "pictures.h"

namespace ctv::python {
namespace {

using namespace py::literals;  // "name"_a

constexpr const char* kInterface = "__cuda_array_interface__";

std::pair<int, int> dlpack_device(const py::object& array) {
  return py::cast<std::pair<int, int>>(array.attr("__dlpack_device__")());
}
bool has_dlpack(const py::object& array) {
  return py::hasattr(array, "__dlpack__") && py::hasattr(array, "__dlpack_device__");
}

[[noreturn]] void wrong_dtype(int item, const std::string& name, const std::string& given) {
  throw py::type_error(name + dtype_of(item) + " expected, " + given + " given");
}

/// The strides of an array without gaps.
std::vector<py::ssize_t> dense_strides(const std::vector<py::ssize_t>& shape, int item) {
  std::vector<py::ssize_t> strides(shape.size());
  py::ssize_t stride = item;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}

/// The capsule stays unconsumed: its destructor frees the memory.
DeviceArray view_dlpack(const py::object& array, int item, const std::string& name, int64_t stream) {
  py::object capsule;
  try {
    capsule = array.attr("__dlpack__")("stream"_a = stream, "max_version"_a = py::make_tuple(1, 0));
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    capsule = array.attr("__dlpack__")("stream"_a = stream);  // object from before version 1
  }
  const dlpack::Tensor* t = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), dlpack::kVersioned) != 0) {
    const auto* m =
        static_cast<const dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::kVersioned));
    if (m->major != 1)
      throw py::buffer_error(name + "DLPack version " + std::to_string(m->major) + " is unknown");
    t = &m->tensor;
  } else {
    const auto* m =
        static_cast<const dlpack::Managed*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::kUnversioned));
    if (m == nullptr) throw py::error_already_set();
    t = &m->tensor;
  }
  if (t->device.type != dlpack::kCuda)
    throw py::buffer_error(name + "DLPack device type " + std::to_string(t->device.type) + " in the capsule");
  const auto [code, bits, lanes] = t->type;
  if (code != dlpack::kUnsigned || bits != 8 * item || lanes != 1)
    wrong_dtype(item, name, "DLPack code " + std::to_string(code) + " of " + std::to_string(bits) + " bits");
  DeviceArray a{static_cast<uint8_t*>(t->data) + t->byte_offset, t->device.number, {}, {}, capsule};
  a.shape.assign(t->shape, t->shape + t->dimensions);
  if (t->strides == nullptr) {
    a.strides = dense_strides(a.shape, item);
  } else {
    for (int d = 0; d < t->dimensions; ++d) a.strides.push_back(t->strides[d] * item);
  }
  return a;
}

/// A member of the CUDA array interface; None if absent.
py::object member(const py::dict& interface, const char* key) {
  return interface.contains(key) ? py::object(interface[key]) : py::object(py::none());
}

DeviceArray view_interface(const py::object& array, int item, const std::string& name, int64_t stream) {
  const auto interface = py::cast<py::dict>(array.attr(kInterface));
  const auto typestr = py::cast<std::string>(interface["typestr"]);
  if (typestr.size() != 3 || typestr[0] == '>' || typestr.substr(1) != (item == 1 ? "u1" : "u2"))
    wrong_dtype(item, name, "'" + typestr + "'");
  if (!member(interface, "mask").is_none()) refuse(name + "an array with a mask");
  DeviceArray a{};
  a.data = reinterpret_cast<void*>(py::cast<uintptr_t>(py::cast<py::tuple>(interface["data"])[0]));
  a.device = device_of(a.data);
  a.shape = py::cast<std::vector<py::ssize_t>>(interface["shape"]);
  const py::object strides = member(interface, "strides");
  a.strides = strides.is_none() ? dense_strides(a.shape, item) : py::cast<std::vector<py::ssize_t>>(strides);
  a.owner = array;
  if (const py::object ready = member(interface, "stream"); !ready.is_none()) {
    const auto number = py::cast<int64_t>(ready);
    if (number == 0) refuse(name + "stream 0 in its CUDA array interface is ambiguous");
    if (number != stream) {
      const UseDevice use(a.device);
      CudaEvent written;
      written.record(reinterpret_cast<CudaStream>(number));
      written.order_before(reinterpret_cast<CudaStream>(stream));
    }
  }
  return a;
}

}  // namespace

bool is_on_device(const py::object& array) {
  if (has_dlpack(array)) return dlpack_device(array).first == dlpack::kCuda;
  return py::hasattr(array, kInterface);
}

DeviceArray view_on_device(const py::object& array, int item, const std::string& name, int64_t stream) {
  return has_dlpack(array) ? view_dlpack(array, item, name, stream)
                           : view_interface(array, item, name, stream);
}

}  // namespace ctv::python

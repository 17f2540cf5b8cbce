// SPDX-License-Identifier: BSD-3-Clause
#include "device_planes.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "dlpack.h"
#include "pictures.h"

namespace ctv::python {
namespace {

using namespace py::literals;  // "name"_a

constexpr size_t kAlignment = 256;  // bytes, required by DLPack

/// Data of a capsule besides the structure.
template <class Managed>
struct Export {
  Managed managed{};
  int64_t shape[3], strides[3];
  std::shared_ptr<const void> samples;
};

const char* name_of(const dlpack::Managed*) { return dlpack::kUnversioned; }
const char* name_of(const dlpack::ManagedVersioned*) { return dlpack::kVersioned; }

/// A capsule without a consumer keeps its name.
template <class Managed>
void drop_capsule(PyObject* capsule) {
  const char* name = name_of(static_cast<const Managed*>(nullptr));
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <class Managed>
py::object make_capsule(std::unique_ptr<Export<Managed>> e, void* data, dlpack::Device device,
                        const std::vector<py::ssize_t>& shape, int item) {
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    e->shape[d] = shape[d];
    e->strides[d] = stride;
  }
  Managed& m = e->managed;
  m.tensor = {data,
              device,
              static_cast<int32_t>(shape.size()),
              {dlpack::kUnsigned, static_cast<uint8_t>(8 * item), 1},
              e->shape,
              e->strides,
              0};
  m.context = e.get();
  m.deleter = [](Managed* managed) { delete static_cast<Export<Managed>*>(managed->context); };
  PyObject* const capsule = PyCapsule_New(&m, name_of(&m), drop_capsule<Managed>);
  if (capsule == nullptr) throw py::error_already_set();
  (void)e.release();
  return py::reinterpret_steal<py::object>(capsule);
}

/// The stream that must wait, in DLPack's numbering; none for -1.
std::optional<CudaStream> consumer_stream(const py::object& stream) {
  if (stream.is_none()) return legacy_stream();
  if (!py::isinstance<py::int_>(stream)) throw py::type_error("stream: an integer or None expected");
  const auto number = py::cast<int64_t>(stream);
  if (number == -1) return std::nullopt;
  if (number <= 0)
    refuse("stream: " + std::to_string(number) +
           " is none: -1 waits for nothing, 1 is the legacy default stream, 2 the thread's, others are "
           "addresses");
  return reinterpret_cast<CudaStream>(number);
}

std::string text_of(const dlpack::Device& d) {
  return "(" + std::to_string(d.type) + ", " + std::to_string(d.number) + ")";
}

}  // namespace

DeviceSamples::DeviceSamples(int device, size_t size) : device_(device) {
  const UseDevice use(device);
  own_.reset(new Own{DeviceBytes(size), CudaEvent()});
}

// CUDA waits for work that may still read the samples, which may include Python functions in a stream.
DeviceSamples::~DeviceSamples() {
  const bool locked = Py_IsInitialized() != 0 && PyGILState_Check() != 0;
  PyThreadState* const state = locked ? PyEval_SaveThread() : nullptr;
  try {
    const UseDevice use(device_);
    own_.reset();
  } catch (const Error&) {
    own_.reset();  // the driver is shutting down, or the device has failed
  }
  if (locked) PyEval_RestoreThread(state);
}

std::shared_ptr<const DeviceSamples> copy_on_device(ctv_picture& picture, int device) {
  struct Plane {
    size_t row, rows, at;  // bytes, rows, offset in bytes
  };
  std::vector<Plane> planes;
  size_t size = 0;
  for (int p = 0; p < planes_of(picture.format); ++p) {
    const Plane plane{ctv_plane_row_bytes(picture.format, picture.width, p),
                      ctv_plane_rows(picture.format, picture.height, p), size};
    planes.push_back(plane);
    size = (size + plane.row * plane.rows + kAlignment - 1) / kAlignment * kAlignment;
  }
  auto samples = std::make_shared<DeviceSamples>(device, size);
  const UseDevice use(device);
  for (size_t p = 0; p < planes.size(); ++p) {
    const auto [row, rows, at] = planes[p];
    uint8_t* const to = samples->data() + at;
    const auto* const from = static_cast<const uint8_t*>(picture.data[p]);
    const bool dense = picture.stride[p] == static_cast<ptrdiff_t>(row);
    for (size_t y = 0; y < (dense ? 1 : rows); ++y)
      copy_on_device(to + y * row, from + static_cast<ptrdiff_t>(y) * picture.stride[p],
                     dense ? row * rows : row, picture.cuda_stream);
    picture.data[p] = to;
    picture.stride[p] = static_cast<ptrdiff_t>(row);
  }
  samples->written().record(picture.cuda_stream);
  return samples;
}

size_t CudaPlane::size() const {
  auto size = static_cast<size_t>(item_);
  for (const py::ssize_t n : shape_) size *= static_cast<size_t>(n);
  return size;
}

py::tuple CudaPlane::shape() const { return py::cast(shape_); }

py::tuple CudaPlane::strides() const {
  std::vector<py::ssize_t> strides(shape_.size());
  py::ssize_t stride = item_;
  for (size_t d = shape_.size(); d-- > 0; stride *= shape_[d]) strides[d] = stride;
  return py::cast(strides);
}

std::string CudaPlane::repr() const {
  return "<ctv.CudaPlane " + text_of(shape_) + " of " + dtype_of(item_) + " on device " +
         std::to_string(device()) + ">";
}

// Consumers only wait for the legacy default stream, which outlives the decoder's.
py::dict CudaPlane::cuda_array_interface() const {
  const UseDevice use(device());
  samples_->written().order_before(legacy_stream());
  return py::dict("shape"_a = shape(), "typestr"_a = item_ == 1 ? "|u1" : "<u2",
                  "data"_a = py::make_tuple(reinterpret_cast<uintptr_t>(data_), false), "version"_a = 3,
                  "strides"_a = py::none(), "stream"_a = 1);
}

py::tuple CudaPlane::dlpack_device() const { return py::make_tuple(dlpack::kCuda, device()); }

py::object CudaPlane::dlpack(const py::object& stream, const py::object& max_version,
                             const py::object& dl_device, const py::object& copy) const {
  const std::optional<CudaStream> waiting = consumer_stream(stream);
  dlpack::Device to{dlpack::kCuda, device()};
  if (!dl_device.is_none()) std::tie(to.type, to.number) = py::cast<std::pair<int, int>>(dl_device);
  const bool to_host = to.type == dlpack::kCpu;
  if (!to_host && (to.type != dlpack::kCuda || to.number != device()))
    throw py::buffer_error("dl_device: " + text_of(to) + " is neither the plane's device nor the host");
  if (to_host && !copy.is_none() && !py::cast<bool>(copy))
    throw py::buffer_error("copy: the host cannot read the plane without a copy");

  std::shared_ptr<const void> owner = samples_;
  uint8_t* data = data_;
  const bool copies = to_host || (!copy.is_none() && py::cast<bool>(copy));
  const UseDevice use(device());
  if (to_host) {
    const std::shared_ptr<uint8_t> host(new uint8_t[size()], std::default_delete<uint8_t[]>());
    const Unlocked unlocked;
    samples_->written().synchronize();
    copy_to_host(host.get(), data_, size());
    owner = host;
    data = host.get();
  } else {
    if (waiting) samples_->written().order_before(*waiting);
    if (copies) {
      const CudaStream order = waiting.value_or(legacy_stream());
      const auto another = std::make_shared<const DeviceSamples>(device(), size());
      if (!waiting) samples_->written().order_before(order);
      copy_on_device(another->data(), data_, size(), order);
      another->written().record(order);
      if (!waiting) another->written().synchronize();  // the consumer's stream is unknown
      owner = another;
      data = another->data();
    }
  }
  if (max_version.is_none() || py::cast<std::pair<int, int>>(max_version).first < 1)
    return make_capsule(std::make_unique<Export<dlpack::Managed>>(Export<dlpack::Managed>{{}, {}, {}, owner}),
                        data, to, shape_, item_);
  auto e =
      std::make_unique<Export<dlpack::ManagedVersioned>>(Export<dlpack::ManagedVersioned>{{}, {}, {}, owner});
  e->managed.major = 1;
  e->managed.flags = copies ? dlpack::kIsCopied : 0;
  return make_capsule(std::move(e), data, to, shape_, item_);
}

void define_cuda_plane(py::module_& m) {
  const py::none none;
  py::class_<CudaPlane>(
      m, "CudaPlane",
      "One plane of a decoded picture in device memory: uint8 or uint16, (rows, columns) or (rows, "
      "columns,\nchannels), without gaps. torch.from_dlpack(), cupy.from_dlpack() and whatever "
      "else reads DLPack or\nthe CUDA array interface take it in place. The samples live as "
      "long as the plane or one of its consumers.")
      .def_property_readonly("shape", &CudaPlane::shape, "(rows, columns) or (rows, columns, channels).")
      .def_property_readonly("strides", &CudaPlane::strides, "Bytes from element to element, as in numpy.")
      .def_property_readonly("dtype",
                             [](const CudaPlane& p) {
                               return p.item() == 1 ? py::dtype::of<uint8_t>() : py::dtype::of<uint16_t>();
                             })
      .def_property_readonly("device", &CudaPlane::device, "The number of the CUDA device.")
      .def_property_readonly("__cuda_array_interface__", &CudaPlane::cuda_array_interface,
                             "Version 3. Reading it makes the legacy default stream wait for the samples.")
      .def("__dlpack_device__", &CudaPlane::dlpack_device, "(2, device): CUDA.")
      .def("__dlpack__", &CudaPlane::dlpack, py::kw_only(), "stream"_a = none, "max_version"_a = none,
           "dl_device"_a = none, "copy"_a = none,
           "A capsule that shares the samples; for the host, dl_device=(1, 0), or with copy=True it has a "
           "copy.\n"
           "stream: will wait for the samples; None or 1: the legacy default stream, 2: the thread's, -1: "
           "none, "
           "else the\naddress of a cudaStream_t.")
      .def("__repr__", &CudaPlane::repr);
}

}  // namespace ctv::python

// SPDX-License-Identifier: BSD-3-Clause
// Decoded pictures in device memory, and their planes as Python objects: DLPack, CUDA array interface.
//
// The library's planes are valid until the decoder's next call, so the samples are copied within the device
// into memory of the package, in the order of the decoder's stream. An event marks the end of the copy.
#pragma once

#include <ctv/ctv.h>

#include <memory>
#include <vector>

#include "cuda_driver.h"
#include "values.h"

namespace ctv::python {

/// A picture's samples in device memory: planes without gaps between rows, each aligned to 256 bytes.
class DeviceSamples {
 public:
  /// Contents undefined.
  DeviceSamples(int device, size_t size);
  /// May be called with or without the GIL.
  ~DeviceSamples();
  DeviceSamples(const DeviceSamples&) = delete;
  DeviceSamples& operator=(const DeviceSamples&) = delete;

  int device() const { return device_; }
  uint8_t* data() const { return own_->bytes.data(); }
  CudaEvent& written() const { return own_->written; }

 private:
  struct Own {
    DeviceBytes bytes;
    CudaEvent written;  // event after which the samples are valid
  };
  const int device_;
  std::unique_ptr<Own> own_;
};

/// Copies a received picture's samples; its data and strides then refer to the copy.
std::shared_ptr<const DeviceSamples> copy_on_device(ctv_picture& picture, int device);

/// ctv.CudaPlane: one plane of uint8 or uint16. Shares the picture's samples.
class CudaPlane {
 public:
  /// item: bytes of an element.
  CudaPlane(std::shared_ptr<const DeviceSamples> samples, uint8_t* data, std::vector<py::ssize_t> shape,
            int item)
      : samples_(std::move(samples)), data_(data), shape_(std::move(shape)), item_(item) {}

  int device() const { return samples_->device(); }
  py::tuple shape() const;
  py::tuple strides() const;
  int item() const { return item_; }
  std::string repr() const;
  py::dict cuda_array_interface() const;
  py::tuple dlpack_device() const;
  py::object dlpack(const py::object& stream, const py::object& max_version, const py::object& dl_device,
                    const py::object& copy) const;

 private:
  size_t size() const;  // bytes

  std::shared_ptr<const DeviceSamples> samples_;
  uint8_t* data_;
  std::vector<py::ssize_t> shape_;  // [rows][columns] or [rows][columns][channels]
  int item_;
};

void define_cuda_plane(py::module_& module);

}  // namespace ctv::python

// SPDX-License-Identifier: BSD-3-Clause
// Pictures between the caller and planes. Host pictures pass through the transfer's pinned memory: the
// caller's memory is free when the call returns, and the copy engines work in parallel to the kernels.
// Borrowed pictures in pinned memory need no such copy. Device pictures are read in place: our stream waits
// for the caller's, and the caller's for our reads.
#include "cuda/picture/picture_transfer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "codec/format/pack_picture.hpp"
#include "cuda/picture/colour.hpp"

namespace ctv::cuda {
namespace {

class CudaPictureTransfer final : public PictureTransfer {
 public:
  CudaPictureTransfer(std::shared_ptr<Device> device, const PictureLayout& layout, int threads)
      : device_(std::move(device)), layout_(layout), threads_(threads) {}

  Status initialise() {
    Device& d = *device_;
    for (Event* event : {&luma_, &uploaded_, &imported_, &caller_, &exported_, &downloaded_}) {
      CTV_RETURN_IF_ERROR(event->create(d, cudaEventDisableTiming));
    }
    return {};
  }

  ~CudaPictureTransfer() override {
    // Copies that use this memory, or that of borrowed pictures, may still be running. After an error, the
    // last copy may have no event.
    cudaStreamSynchronize(device_->up());
    for (const Event* event : {&exported_, &downloaded_}) event->settle();
  }

  Status upload(const ctv_picture& picture) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (picture.memory == CTV_MEMORY_CUDA) {
      in_ = host_copy_ = picture;
      CTV_CUDA_TRY(d, cudaEventRecord(caller_.get(), static_cast<cudaStream_t>(picture.cuda_stream)));
      return {};
    }

    // Room for RGBA from the start, so that graphs of RGB pictures keep their address.
    const ctv_format largest = picture.format == CTV_FORMAT_RGB8 ? CTV_FORMAT_RGBA8 : picture.format;
    CTV_RETURN_IF_ERROR(in_device_.reserve(d, picture_bytes(largest, layout_.width, layout_.height)));
    CTV_CUDA_TRY(d, cudaStreamWaitEvent(d.up(), imported_.get(), 0));
    in_ = host_copy_ = picture;
    size_t at = 0;
    const int planes = format_planes(picture.format);
    for (int p = 0; p < planes; ++p) {
      const size_t bytes = plane_row_bytes(picture.format, layout_.width, p);
      in_.data[p] = in_device_.data() + at;
      in_.stride[p] = static_cast<ptrdiff_t>(bytes);
      at += bytes * static_cast<size_t>(plane_rows(picture.format, layout_.height, p));
    }
    // Planes are copied separately, even if they are contiguous: they may be pinned separately, and the
    // search starts when luma has arrived.
    int p = 0;
    for (; p < planes && picture.borrowed != 0 && is_pinned(picture, p); ++p)
      CTV_RETURN_IF_ERROR(copy_plane(picture, p));
    if (p < planes) {
      // The last upload from this buffer has usually ended, unless two imports follow without finish().
      CTV_CUDA_TRY(d, cudaEventSynchronize(uploaded_.get()));
      // A copy in several parts would start the copy engine earlier, but waking threads costs more than that
      // gains.
      CTV_RETURN_IF_ERROR(in_host_.reserve(d, picture_bytes(picture.format, layout_.width, layout_.height)));
      host_copy_ = pack_picture(picture, in_host_.data(), threads_);
    }
    for (; p < planes; ++p) CTV_RETURN_IF_ERROR(copy_plane(host_copy_, p));
    CTV_CUDA_TRY(d, cudaEventRecord(uploaded_.get(), d.up()));
    return {};
  }

  Result<PlaneView<const uint8_t>> luma() override {
    if (is_rgb(in_.format) || layout_.bits > 8) return PlaneView<const uint8_t>{};
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.wait(on_device() ? caller_ : luma_));
    return PlaneView<const uint8_t>{static_cast<const uint8_t*>(in_.data[0]), layout_.height, layout_.width,
                                    in_.stride[0]};
  }
  Status place(const Planes& planes) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.wait(on_device() ? caller_ : uploaded_));
    {
      const StageMark mark(d, Stage::kColour);
      CTV_RETURN_IF_ERROR(import_planes(d, bytes_in(), layout_, planes));
    }
    CTV_RETURN_IF_ERROR(d.record(imported_));
    if (!on_device()) return {};
    return d.afterwards([this, stream = static_cast<cudaStream_t>(in_.cuda_stream)]() -> Status {
      CTV_CUDA_TRY(*device_, cudaStreamWaitEvent(stream, imported_.get(), 0));
      return {};
    });
  }

  const ctv_picture* host_copy() const override {
    return host_copy_.format != CTV_FORMAT_NONE && host_copy_.memory == CTV_MEMORY_HOST ? &host_copy_
                                                                                        : nullptr;
  }

  Status begin_export(int reduction, ctv_format format, ctv_memory memory) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (format_planes(format) == 0) {
      return {CTV_ERROR_ARGUMENT, "begin_export: unknown format"};
    }
    out_ = {};
    out_.format = format;
    out_.memory = memory;
    out_.width = (layout_.width + (1 << reduction) - 1) >> reduction;
    out_.height = (layout_.height + (1 << reduction) - 1) >> reduction;
    const size_t size = picture_bytes(format, out_.width, out_.height);
    // With one frame in flight, kernels write whole words to the host directly: a copy would begin later and
    // take as long. With more frames in flight they would stall the device.
    direct_ =
        memory == CTV_MEMORY_HOST && d.single_frame() && (keeps_planes(layout_, format) || is_rgb(format));
    if (!direct_) CTV_RETURN_IF_ERROR(out_device_.reserve(d, size));
    if (memory == CTV_MEMORY_HOST) CTV_RETURN_IF_ERROR(out_host_.reserve(d, size));
    size_t at = 0;
    for (int p = 0; p < format_planes(format); ++p) {
      written_[p] = (direct_ ? out_host_.data() : out_device_.data()) + at;
      out_.data[p] = memory == CTV_MEMORY_CUDA ? written_[p] : out_host_.data() + at;
      out_.stride[p] = static_cast<ptrdiff_t>(plane_row_bytes(format, out_.width, p));
      at += plane_row_bytes(format, out_.width, p) * static_cast<size_t>(plane_rows(format, out_.height, p));
    }
    if (direct_ || memory == CTV_MEMORY_CUDA) return {};
    return d.wait(downloaded_);  // the transfer's previous picture has left the buffer
  }

  Status export_plane(int p, PlaneView<const Sample> plane) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const StageMark mark(d, Stage::kColour);
    ConstPlanes planes{};
    const auto i = static_cast<size_t>(p);
    planes[i] = plane;
    return export_same(d, planes, layout_.bits, i, i + 1, bytes_out());
  }
  Status export_planes(const ConstPlanes& planes) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const StageMark mark(d, Stage::kColour);
    return cuda::export_planes(d, planes, layout_, bytes_out());
  }

  Status end_export() override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    CTV_RETURN_IF_ERROR(d.record(exported_));
    if (out_.memory == CTV_MEMORY_CUDA) {
      out_.cuda_stream = d.stream();
      return {};
    }
    if (direct_) return {};
    return d.afterwards([this]() -> Status {
      Device& dev = *device_;
      CTV_CUDA_TRY(dev, cudaStreamWaitEvent(dev.down(), exported_.get(), 0));
      CTV_CUDA_TRY(dev, cudaMemcpyAsync(out_host_.data(), out_device_.data(),
                                        picture_bytes(out_.format, out_.width, out_.height),
                                        cudaMemcpyDeviceToHost, dev.down()));
      CTV_CUDA_TRY(dev, cudaEventRecord(downloaded_.get(), dev.down()));
      return {};
    });
  }

  Status finish(ctv_picture& picture) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    if (out_.memory == CTV_MEMORY_HOST)
      CTV_CUDA_TRY(d, cudaEventSynchronize((direct_ ? exported_ : downloaded_).get()));
    picture.format = out_.format;
    picture.width = out_.width;
    picture.height = out_.height;
    picture.memory = out_.memory;
    std::copy(std::begin(out_.data), std::end(out_.data), std::begin(picture.data));
    std::copy(std::begin(out_.stride), std::end(out_.stride), std::begin(picture.stride));
    picture.cuda_stream = out_.cuda_stream;
    return {};
  }

 private:
  bool on_device() const { return in_.memory == CTV_MEMORY_CUDA; }
  BytePicture bytes_in() const {
    return byte_picture(in_.format, layout_.width, layout_.height, in_.data, in_.stride);
  }

  BytePicture bytes_out() const {
    return byte_picture(out_.format, out_.width, out_.height, written_.data(), out_.stride);
  }

  /// Whether the copy engine can read a plane directly: pinned, judging by its ends, and with a positive
  /// stride.
  bool is_pinned(const ctv_picture& picture, int p) const {
    const auto pinned = [](const uint8_t* at) {
      cudaPointerAttributes attributes{};
      if (cudaPointerGetAttributes(&attributes, at) == cudaSuccess)
        return attributes.type == cudaMemoryTypeHost;
      cudaGetLastError();
      return false;
    };
    const auto longest = static_cast<ptrdiff_t>(device_->properties().memPitch);
    const auto* first = static_cast<const uint8_t*>(picture.data[p]);
    const ptrdiff_t stride = picture.stride[p];
    const ptrdiff_t last = stride * (plane_rows(picture.format, layout_.height, p) - 1) + in_.stride[p] - 1;
    return stride >= 0 && stride <= longest && pinned(first) && pinned(first + last);
  }

  Status copy_plane(const ctv_picture& picture, int p) {
    Device& d = *device_;
    const auto bytes = static_cast<size_t>(in_.stride[p]);
    const auto rows = static_cast<size_t>(plane_rows(picture.format, layout_.height, p));
    if (picture.stride[p] == in_.stride[p]) {
      CTV_CUDA_TRY(
          d, cudaMemcpyAsync(in_.data[p], picture.data[p], bytes * rows, cudaMemcpyHostToDevice, d.up()));
    } else {
      CTV_CUDA_TRY(
          d, cudaMemcpy2DAsync(in_.data[p], bytes, picture.data[p], static_cast<size_t>(picture.stride[p]),
                               bytes, rows, cudaMemcpyHostToDevice, d.up()));
    }
    if (p == 0) CTV_CUDA_TRY(d, cudaEventRecord(luma_.get(), d.up()));
    return {};
  }

  std::shared_ptr<Device> device_;
  const PictureLayout layout_;
  const int threads_;
  // Allocated for the first picture: encoders need no output buffer, decoders no input buffer.
  PinnedArray<uint8_t> in_host_, out_host_;
  DeviceArray<uint8_t> in_device_, out_device_;
  Event luma_, uploaded_, imported_, caller_, exported_, downloaded_;
  ctv_picture host_copy_{}, in_{}, out_{};  // the last input: on the host, and where kernels read it
  std::array<void*, 3> written_{};          // addresses of the last output that kernels write
  bool direct_ = false;                     // that output is in host memory
};

}  // namespace

Result<std::unique_ptr<PictureTransfer>> make_picture_transfer(std::shared_ptr<Device> device,
                                                               const PictureLayout& layout, int threads) {
  auto transfer = std::make_unique<CudaPictureTransfer>(std::move(device), layout, threads);
  CTV_RETURN_IF_ERROR(transfer->initialise());
  return std::unique_ptr<PictureTransfer>(std::move(transfer));
}

}  // namespace ctv::cuda

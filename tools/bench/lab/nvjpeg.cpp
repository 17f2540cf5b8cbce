// SPDX-License-Identifier: BSD-3-Clause
// nvJPEG, a part of the toolkit that can be left out: its calls in the order of its documentation (single
// image encoding and decoding, default backends); 4:2:0 planes in and out.
#include "bench/lab/gpu.hpp"

#if defined(CTV_HAVE_NVJPEG)
#include <cuda_runtime.h>
#include <nvjpeg.h>

#include <algorithm>
#include <array>

#include "bench/lab/gpu.cuh"

namespace ctv::lab {
namespace {

#define CTV_NVJPEG_TRY(call)                                                                           \
  do {                                                                                                 \
    if (const nvjpegStatus_t status_ = (call); status_ != NVJPEG_STATUS_SUCCESS) {                     \
      return Status(CTV_ERROR_DEVICE, std::string(#call, std::string(#call).find('(')) + ": status " + \
                                          std::to_string(static_cast<int>(status_)));                  \
    }                                                                                                  \
  } while (false)

class Coder {
 public:
  Coder(Device& device, const JpegClip& clip) : device_(device), clip_(clip) {
    const size_t width = static_cast<size_t>(clip.width), height = static_cast<size_t>(clip.height);
    planes_ = {width * height, (width + 1) / 2 * ((height + 1) / 2)};
    frame_bytes_ = planes_[0] + 2 * planes_[1];
  }
  ~Coder() {
    if (params_ != nullptr) nvjpegEncoderParamsDestroy(params_);
    if (encoder_ != nullptr) nvjpegEncoderStateDestroy(encoder_);
    if (decoder_ != nullptr) nvjpegJpegStateDestroy(decoder_);
    if (handle_ != nullptr) nvjpegDestroy(handle_);
  }
  Coder(const Coder&) = delete;
  Coder& operator=(const Coder&) = delete;

  Status open(int quality) {
    cudaStream_t stream = device_.stream();
    CTV_NVJPEG_TRY(nvjpegCreateSimple(&handle_));
    CTV_NVJPEG_TRY(nvjpegJpegStateCreate(handle_, &decoder_));
    CTV_NVJPEG_TRY(nvjpegEncoderStateCreate(handle_, &encoder_, stream));
    CTV_NVJPEG_TRY(nvjpegEncoderParamsCreate(handle_, &params_, stream));
    CTV_NVJPEG_TRY(nvjpegEncoderParamsSetQuality(params_, quality, stream));
    CTV_NVJPEG_TRY(nvjpegEncoderParamsSetOptimizedHuffman(params_, 1, stream));
    CTV_NVJPEG_TRY(nvjpegEncoderParamsSetSamplingFactors(params_, NVJPEG_CSS_420, stream));
    size_t most = 0;
    CTV_NVJPEG_TRY(nvjpegEncodeGetBufferSize(handle_, params_, clip_.width, clip_.height, &most));
    CTV_RETURN_IF_ERROR(stream_.allocate(device_, most));
    CTV_RETURN_IF_ERROR(frames_.allocate(device_, frame_bytes_ * clip_.frames.size()));
    CTV_RETURN_IF_ERROR(decoded_.allocate(device_, frame_bytes_ * clip_.frames.size()));
    CTV_RETURN_IF_ERROR(on_device_.allocate(device_, frame_bytes_));
    for (size_t i = 0; i < clip_.frames.size(); ++i)
      std::copy_n(clip_.frames[i], frame_bytes_, frames_.data() + i * frame_bytes_);
    streams_.resize(clip_.frames.size());
    return {};
  }

  Status encode(double& ms) {
    return each_frame(ms, [&](size_t i) -> Status {
      cudaStream_t stream = device_.stream();
      CTV_CUDA_TRY(device_, cudaMemcpyAsync(on_device_.data(), frames_.data() + i * frame_bytes_,
                                            frame_bytes_, cudaMemcpyHostToDevice, stream));
      const nvjpegImage_t image = planes_on_device();
      CTV_NVJPEG_TRY(nvjpegEncodeYUV(handle_, encoder_, params_, &image, NVJPEG_CSS_420, clip_.width,
                                     clip_.height, stream));
      size_t length = 0;  // is known before the bytes can be fetched
      CTV_NVJPEG_TRY(nvjpegEncodeRetrieveBitstream(handle_, encoder_, nullptr, &length, stream));
      CTV_CUDA_TRY(device_, cudaStreamSynchronize(stream));
      if (length > stream_.size()) return {CTV_ERROR_INTERNAL, "nvJPEG: a stream longer than it can be"};
      CTV_NVJPEG_TRY(nvjpegEncodeRetrieveBitstream(handle_, encoder_, stream_.data(), &length, stream));
      CTV_CUDA_TRY(device_, cudaStreamSynchronize(stream));
      streams_[i].assign(stream_.data(), stream_.data() + length);
      return {};
    });
  }

  Status decode(double& ms) {
    return each_frame(ms, [&](size_t i) -> Status {
      cudaStream_t stream = device_.stream();
      nvjpegImage_t image = planes_on_device();
      CTV_NVJPEG_TRY(nvjpegDecode(handle_, decoder_, streams_[i].data(), streams_[i].size(),
                                  NVJPEG_OUTPUT_YUV, &image, stream));
      CTV_CUDA_TRY(device_, cudaMemcpyAsync(decoded_.data() + i * frame_bytes_, on_device_.data(),
                                            frame_bytes_, cudaMemcpyDeviceToHost, stream));
      CTV_CUDA_TRY(device_, cudaStreamSynchronize(stream));
      return {};
    });
  }

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const auto& stream : streams_) sum += stream.size();
    return sum;
  }
  std::vector<uint8_t> decoded() const { return {decoded_.data(), decoded_.data() + decoded_.size()}; }

 private:
  nvjpegImage_t planes_on_device() const {
    nvjpegImage_t image = {};
    const size_t width = static_cast<size_t>(clip_.width);
    image.channel[0] = on_device_.data();
    image.channel[1] = image.channel[0] + planes_[0];
    image.channel[2] = image.channel[1] + planes_[1];
    image.pitch[0] = width;
    image.pitch[1] = image.pitch[2] = (width + 1) / 2;
    return image;
  }

  /// Mean over the frames of the host's milliseconds; each call leaves the stream idle.
  template <typename Work>
  Status each_frame(double& ms, Work&& work) {
    Status status;
    ms = time_ms([&] {
           for (size_t i = 0; i < clip_.frames.size() && status.ok(); ++i) status = work(i);
         }) /
         static_cast<double>(clip_.frames.size());
    return status;
  }

  Device& device_;
  const JpegClip& clip_;
  std::array<size_t, 2> planes_{};  // bytes of luma, of one chroma plane
  size_t frame_bytes_ = 0;
  nvjpegHandle_t handle_ = nullptr;
  nvjpegJpegState_t decoder_ = nullptr;
  nvjpegEncoderState_t encoder_ = nullptr;
  nvjpegEncoderParams_t params_ = nullptr;
  PinnedArray<uint8_t> frames_, decoded_;  // [frame][bytes]
  PinnedArray<uint8_t> stream_;
  DeviceArray<uint8_t> on_device_;
  std::vector<std::vector<uint8_t>> streams_;
};

}  // namespace

Status code_nvjpeg(const JpegClip& clip, int quality, int runs, JpegRun& run) {
  CTV_ASSIGN_OR_RETURN(const std::shared_ptr<Device> device, Device::open(0));
  Coder coder(*device, clip);
  CTV_RETURN_IF_ERROR(coder.open(quality));
  run = {};
  for (int i = -1; i < runs; ++i) {
    double encode_ms = 0, decode_ms = 0;
    CTV_RETURN_IF_ERROR(coder.encode(encode_ms));
    CTV_RETURN_IF_ERROR(coder.decode(decode_ms));
    if (i < 0) continue;
    run.encode_ms.push_back(encode_ms);
    run.decode_ms.push_back(decode_ms);
  }
  run.bytes = coder.bytes();
  run.decoded = coder.decoded();
  return {};
}

}  // namespace ctv::lab
#else
namespace ctv::lab {

Status code_nvjpeg(const JpegClip&, int, int, JpegRun&) {
  return {CTV_ERROR_DEVICE, "the CUDA toolkit of the build had no nvJPEG"};
}

}  // namespace ctv::lab
#endif

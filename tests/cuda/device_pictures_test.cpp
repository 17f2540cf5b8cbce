// SPDX-License-Identifier: BSD-3-Clause
// Pictures that lie in device memory, over the public interface: their packets are those of host pictures,
// and pictures decoded into device memory are those decoded into host memory. The streams are made to lag
// behind, so that a wait that is missing shows.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/cuda/equality.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

constexpr ctv_format kFormats[] = {CTV_FORMAT_GRAY8, CTV_FORMAT_I420,    CTV_FORMAT_I422,  CTV_FORMAT_I444,
                                   CTV_FORMAT_RGB8,  CTV_FORMAT_RGBA8,   CTV_FORMAT_NV12,  CTV_FORMAT_I420_10,
                                   CTV_FORMAT_P010,  CTV_FORMAT_I422_12, CTV_FORMAT_GRAY12};

/// The caller's stream, of its own or the default one, which does not block others.
class CallerStream {
 public:
  CallerStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~CallerStream() { cudaStreamDestroy(stream_); }
  CallerStream(const CallerStream&) = delete;
  CallerStream& operator=(const CallerStream&) = delete;
  cudaStream_t get() const { return stream_; }
  void lag() const {
    EXPECT_EQ(cudaLaunchHostFunc(
                  stream_, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }, nullptr),
              cudaSuccess);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// One picture in device memory, with a pitch.
class DevicePicture {
 public:
  DevicePicture(const Frame& frame, cudaStream_t stream) : stream_(stream), picture_(picture_of(frame)) {
    const auto shapes = plane_shapes(frame.format, frame.width, frame.height);
    picture_.memory = CTV_MEMORY_CUDA;
    picture_.cuda_stream = stream;
    for (size_t p = 0; p < shapes.size(); ++p) {
      if (shapes[p].rows == 0) continue;
      size_t pitch = 0;
      EXPECT_EQ(cudaMallocPitch(&picture_.data[p], &pitch, shapes[p].row_bytes, shapes[p].rows), cudaSuccess);
      picture_.stride[p] = static_cast<ptrdiff_t>(pitch);
    }
  }
  ~DevicePicture() {
    cudaDeviceSynchronize();
    for (void* data : picture_.data) cudaFree(data);
  }
  DevicePicture(const DevicePicture&) = delete;
  DevicePicture& operator=(const DevicePicture&) = delete;
  const ctv_picture& get() const { return picture_; }

  void fill(const Frame& frame) {
    const auto shapes = plane_shapes(frame.format, frame.width, frame.height);
    for (size_t p = 0; p < shapes.size(); ++p) {
      if (shapes[p].rows == 0) continue;
      EXPECT_EQ(cudaMemcpy2DAsync(picture_.data[p], static_cast<size_t>(picture_.stride[p]),
                                  frame.planes[p].data(), shapes[p].row_bytes, shapes[p].row_bytes,
                                  shapes[p].rows, cudaMemcpyHostToDevice, stream_),
                cudaSuccess);
    }
  }
  void spoil(const Frame& frame) {
    const auto shapes = plane_shapes(frame.format, frame.width, frame.height);
    for (size_t p = 0; p < shapes.size(); ++p) {
      if (shapes[p].rows == 0) continue;
      EXPECT_EQ(cudaMemset2DAsync(picture_.data[p], static_cast<size_t>(picture_.stride[p]), 77,
                                  shapes[p].row_bytes, shapes[p].rows, stream_),
                cudaSuccess);
    }
  }

 private:
  cudaStream_t stream_;
  ctv_picture picture_;
};

Stream encode_from_device(const std::vector<Frame>& clip, const ctv_config& config) {
  Stream out;
  Encoder encoder(config);
  const Unit header = encoder.header();
  out.header.assign(header.bytes().begin(), header.bytes().end());
  const auto receive = [&] {
    const auto unit = encoder.receive();
    if (unit) out.packets.emplace_back(unit->bytes().begin(), unit->bytes().end());
    return unit.has_value();
  };
  CallerStream stream;
  DevicePicture picture(clip[0], stream.get());
  for (const Frame& frame : clip) {
    stream.lag();
    picture.fill(frame);
    while (!encoder.send(picture.get())) EXPECT_TRUE(receive());
    picture.spoil(frame);  // in the stream's order after the encoder's reading
  }
  encoder.flush();
  while (receive()) {
  }
  return out;
}

Frame frame_of(const ctv_picture& picture) {
  Frame frame = make_frame(picture.format, picture.width, picture.height);
  EXPECT_EQ(picture.memory, CTV_MEMORY_CUDA);
  const auto stream = static_cast<cudaStream_t>(picture.cuda_stream);
  const auto shapes = plane_shapes(picture.format, picture.width, picture.height);
  for (size_t p = 0; p < shapes.size(); ++p) {
    if (shapes[p].rows == 0) continue;
    EXPECT_EQ(cudaMemcpy2DAsync(frame.planes[p].data(), shapes[p].row_bytes, picture.data[p],
                                static_cast<size_t>(picture.stride[p]), shapes[p].row_bytes, shapes[p].rows,
                                cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
  }
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  return frame;
}

std::vector<Frame> decode_to_device(const Stream& stream, const ctv_decoder_config& config) {
  std::vector<Frame> out;
  Decoder decoder(config);
  const auto receive = [&] {
    const auto picture = decoder.receive();
    if (picture) out.push_back(frame_of(*picture));
    return picture.has_value();
  };
  (void)decoder.send(stream.header);
  for (const Bytes& packet : stream.packets) {
    while (!decoder.send(packet)) EXPECT_TRUE(receive());
  }
  decoder.flush();
  while (receive()) {
  }
  return out;
}

class CudaDevicePictures : public CudaEquality {
 protected:
  void compare(ctv_format format, Extent extent, const std::string& preset, int in_flight) {
    SCOPED_TRACE("format " + std::to_string(format) + " " + text(extent) + " " + preset + ", in flight " +
                 std::to_string(in_flight));
    const std::vector<Frame> clip = moving_clip(format, extent.cols, extent.rows, smallness() > 1 ? 2 : 6);
    Config config = config_for(clip[0], preset);
    config.scene_cut = 0;  // looks at host pictures
    config.key_interval = 4;
    config.backend = CTV_BACKEND_CPU;
    const Stream host = encode(clip, config);
    config.backend = CTV_BACKEND_CUDA;
    config.frames_in_flight = in_flight;
    const Stream device = encode_from_device(clip, config);
    ASSERT_EQ(host.packets.size(), device.packets.size());
    EXPECT_TRUE(host == device);
    for (const ctv_format out : {CTV_FORMAT_NONE, CTV_FORMAT_RGB8, CTV_FORMAT_NV12}) {
      if (only_small() && out != CTV_FORMAT_NONE) continue;
      for (const int reduction : {0, 1}) {
        if (reduction > 0 && preset != "paper") continue;  // its predicted frames have full resolution only
        DecoderConfig decoding = decoder_config(2, reduction, out);
        decoding.backend = CTV_BACKEND_CPU;
        const std::vector<Frame> expected = decode(host, decoding);
        decoding.backend = CTV_BACKEND_CUDA;
        decoding.memory = CTV_MEMORY_CUDA;
        decoding.frames_in_flight = in_flight;
        const std::vector<Frame> pictures = decode_to_device(host, decoding);
        ASSERT_EQ(expected.size(), pictures.size());
        for (size_t i = 0; i < expected.size(); ++i)
          EXPECT_TRUE(expected[i] == pictures[i])
              << "picture " << i << " as format " << out << " at reduction " << reduction;
      }
    }
  }
};

TEST_F(CudaDevicePictures, EveryFormat) {
  for (const ctv_format format : kFormats) {
    if (smallness() > 1) continue;
    compare(format, {70, 101}, "default", 1);
  }
}
TEST_F(CudaDevicePictures, FramesInFlight) {
  for (const int in_flight : {2, 5}) {
    if (smallness() > 1 && in_flight != 2) continue;
    compare(CTV_FORMAT_NV12, {64, 96}, "default", in_flight);
    compare(CTV_FORMAT_I420, {64, 96}, "paper", in_flight);
  }
}
TEST_F(CudaDevicePictures, Large) {
  if (!only_small()) compare(CTV_FORMAT_NV12, {1080, 1920}, "default", 4);
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Time of whole frames: on the device alone (pictures lie there, levels cross the bus beside the kernels,
// nothing waits but the end of each batch), and of several encoders side by side from host memory to packets,
// and decoders back.
// Argument: a clip as y4m 4:2:0, of which the first frames are used; without one, a made-up one of 1920x1080.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "codec/backends.hpp"
#include "codec/config/presets.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/frame_encoder.hpp"
#include "tests/support/borrowing.hpp"

namespace ctv::test {
namespace {

constexpr int kRounds = 15;
constexpr int kBatch = 24;
constexpr int kSlots = 4;
constexpr int kFrames = 8;
constexpr int kWarmUp = 40;  // frames of each coder before those that are timed
constexpr int kTimed = 600;
constexpr int kPackets = 60;

std::vector<Frame> clip_of(const char* path) {
  std::vector<Frame> clip;
  std::ifstream file(path == nullptr ? "" : path, std::ios::binary);
  std::string line;
  int width = 0;
  int height = 0;
  if (std::getline(file, line)) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word[0] == 'W') width = std::stoi(word.substr(1));
      if (word[0] == 'H') height = std::stoi(word.substr(1));
    }
  }
  while (static_cast<int>(clip.size()) < kFrames && std::getline(file, line)) {
    Frame frame = make_frame(CTV_FORMAT_I420, width, height);
    for (auto& plane : frame.planes)
      file.read(reinterpret_cast<char*>(plane.data()), static_cast<std::streamsize>(plane.size()));
    clip.push_back(std::move(frame));
  }
  return clip.empty() ? moving_clip(CTV_FORMAT_I420, 1920, 1080, kFrames) : clip;
}

/// The clip there and back again, so that no frame follows one far from it.
size_t swing(int n, size_t size) {
  const size_t period = size > 1 ? 2 * (size - 1) : 1;
  const size_t i = static_cast<size_t>(n) % period;
  return i < size ? i : period - i;
}

struct DevicePicture {
  explicit DevicePicture(const Frame& frame) : picture(picture_of(frame)) {
    picture.memory = CTV_MEMORY_CUDA;
    for (size_t p = 0; p < 3; ++p) {
      if (frame.planes[p].empty()) continue;
      cudaMalloc(&picture.data[p], frame.planes[p].size());
      cudaMemcpy(picture.data[p], frame.planes[p].data(), frame.planes[p].size(), cudaMemcpyHostToDevice);
    }
  }
  ~DevicePicture() {
    for (void* data : picture.data) cudaFree(data);
  }
  DevicePicture(const DevicePicture&) = delete;
  DevicePicture& operator=(const DevicePicture&) = delete;
  ctv_picture picture;
};

/// Milliseconds a frame, median.
double time_of(Backend& backend, const std::function<void(int)>& frame) {
  std::vector<double> times;
  int n = 0;
  for (int round = 0; round < kRounds + 2; ++round) {
    (void)backend.synchronize().ok();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i) frame(n++);
    (void)backend.synchronize().ok();
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    if (round >= 2) times.push_back(passed.count() / kBatch);
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

void check(const Status& status) {
  if (!status.ok()) {
    std::printf("failed: %s\n", status.message().c_str());
    std::exit(1);
  }
}

// Device time of a predicted frame, encoded and decoded.
void device_alone(const std::vector<Frame>& clip, const char* preset, Engine engine) {
  std::string why;
  auto made = make_backend(CTV_BACKEND_CUDA, 0, 4, why);
  if (!made.ok()) return check(made.status());
  Backend& backend = **made;
  std::vector<std::unique_ptr<DevicePicture>> pictures;
  for (const Frame& frame : clip) pictures.push_back(std::make_unique<DevicePicture>(frame));
  const Config config = config_for(clip[0], preset, 4);
  const auto header = make_sequence_header(config);
  const auto step = make_base_step(config.qp, config.step);
  if (!header.ok()) return check(header.status());
  if (!step.ok()) return check(step.status());
  const ctv::Stream stream = make_stream(*header);
  auto encoder = FrameEncoder::make(backend, stream, {config.search_range, config.rdoq != 0, engine, kSlots});
  if (!encoder.ok()) return check(encoder.status());
  FrameParameters parameters;
  parameters.base_step = *step;
  const auto encode = [&](int n) {
    parameters.type = n == 0 ? FrameType::kKey : FrameType::kPredicted;
    check((*encoder)->analyse(pictures[swing(n, clip.size())]->picture, parameters.type, *step, true,
                              n % kSlots));
    check((*encoder)->code(parameters, n % kSlots));
    (*encoder)->commit();
  };
  const double encoding = time_of(backend, encode);

  auto decoder = FrameDecoder::make(backend, stream, {0, CTV_FORMAT_NONE, CTV_MEMORY_CUDA, engine, kSlots});
  if (!decoder.ok()) return check(decoder.status());
  SymbolCoder symbols(stream.picture, stream.header, stream.grid, 4);
  std::vector<uint8_t> packet;
  for (int slot = 0; slot < kSlots; ++slot) {
    check((*encoder)->slot(slot).levels().finish());
    CodedFrame from = (*encoder)->slot(slot).levels().host();
    from.parameters = parameters;
    symbols.encode(from, packet);
    check(symbols.read_header(packet));
    check(symbols.decode(packet, stream.picture.subbands[0].layers, (*decoder)->coded(slot)));
  }
  const double decoding = time_of(backend, [&](int n) {
    parameters.type = n == 0 ? FrameType::kKey : FrameType::kPredicted;
    check((*decoder)->decode(parameters, n % kSlots));
  });
  std::printf("%-8s %-7s encode %7.3f ms  decode %7.3f ms\n", preset,
              engine == Engine::kDirect ? "direct" : "fft", encoding, decoding);
}

// Frames a second of all coders together, each in a thread of its own, once all have warmed up. make(): a
// coder, which is called with the number of a frame and true to end.
template <typename Make>
void side_by_side(const char* what, int coders, int frames, Make&& make) {
  std::vector<std::thread> threads;
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  for (int c = 0; c < coders; ++c) {
    threads.emplace_back([&] {
      auto coder = make();
      int n = 0;
      while (n < kWarmUp) coder(n++);
      ++ready;
      while (!go) std::this_thread::yield();
      while (n < kWarmUp + frames) coder(n++);
      coder.finish();
    });
  }
  while (ready != coders) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  go = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  std::printf("%d %s side by side: %7.1f fps together\n", coders, what, coders * frames / passed.count());
}

class Encoding {
 public:
  Encoding(const std::vector<ctv_picture>& clip, const Config& config) : clip_(clip), encoder_(config) {}
  void operator()(int n) {
    while (!encoder_.send(clip_[swing(n, clip_.size())])) (void)encoder_.receive();
  }
  void finish() {
    encoder_.flush();
    while (encoder_.receive()) {
    }
  }

 private:
  const std::vector<ctv_picture>& clip_;
  Encoder encoder_;
};

class Decoding {
 public:
  Decoding(const Stream& stream, const DecoderConfig& config) : stream_(stream), decoder_(config) {
    decoder_.send(stream.header);
  }
  // Packets from the first, a key frame, to the last, and again.
  void operator()(int n) {
    while (!decoder_.send(stream_.packets[static_cast<size_t>(n) % stream_.packets.size()]))
      (void)decoder_.receive();
  }
  void finish() {
    decoder_.flush();
    while (decoder_.receive()) {
    }
  }

 private:
  const Stream& stream_;
  Decoder decoder_;
};

void throughput(const std::vector<Frame>& clip) {
  const auto in_flight = [](int coders) { return std::max(2, 16 / coders); };
  std::vector<BorrowedPicture> borrowed;
  std::vector<ctv_picture> copied_pictures, borrowed_pictures;
  for (const Frame& frame : clip) {
    copied_pictures.push_back(picture_of(frame));
    borrowed_pictures.push_back(borrowed.emplace_back(frame, Lending{}).get());
  }
  for (const int encoders : {1, 2, 4, 8}) {
    Config config = config_for(clip[0], "default", 16);
    config.backend = CTV_BACKEND_CUDA;
    config.frames_in_flight = in_flight(encoders);
    side_by_side("encoders", encoders, kTimed, [&] { return Encoding(copied_pictures, config); });
    side_by_side("encoders of borrowed pictures", encoders, kTimed,
                 [&] { return Encoding(borrowed_pictures, config); });
  }
  std::vector<Frame> swung;
  for (int n = 0; n < kPackets; ++n) swung.push_back(clip[swing(n, clip.size())]);
  Config config = config_for(clip[0], "default", 16);
  config.backend = CTV_BACKEND_CUDA;
  const Stream stream = encode(swung, config);
  for (const int decoders : {1, 2, 4, 8}) {
    DecoderConfig decoder = decoder_config(16);
    decoder.backend = CTV_BACKEND_CUDA;
    decoder.frames_in_flight = in_flight(decoders);
    side_by_side("decoders", decoders, 2 * kTimed, [&] { return Decoding(stream, decoder); });
  }
}

}  // namespace
}  // namespace ctv::test

int main(int argc, char** argv) {
  using namespace ctv::test;
  const std::vector<Frame> clip = clip_of(argc > 1 ? argv[1] : nullptr);
  std::printf("%dx%d, time of a predicted frame on the device\n", clip[0].width, clip[0].height);
  for (const char* preset : {"default", "paper"}) {
    for (const ctv::Engine engine : {ctv::Engine::kDirect, ctv::Engine::kFft})
      device_alone(clip, preset, engine);
  }
  throughput(clip);
  return 0;
}

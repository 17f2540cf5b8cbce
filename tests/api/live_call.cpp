// SPDX-License-Identifier: BSD-3-Clause
// A call over a lossy network, in C++: one packet per picture, a bitrate that changes, packets that are lost,
// and reports of the receiver, by which the sender leaves losses behind without a key frame. live_call.c is
// the same in C. Here the network is a function call.
#include <cstdint>
#include <cstdio>
#include <ctv/ctv.hpp>
#include <vector>

namespace {

constexpr int kWidth = 96, kHeight = 64, kFrames = 60, kRoundTrip = 4;

struct Camera {
  std::vector<uint8_t> samples = std::vector<uint8_t>(kWidth * kHeight);

  ctv_picture picture(int n) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x)
        samples[static_cast<size_t>(y * kWidth + x)] = static_cast<uint8_t>(((x + n) * 3) ^ (y * 2));
    }
    ctv_picture p = ctv::make_picture(CTV_FORMAT_GRAY8, kWidth, kHeight);
    p.data[0] = samples.data();
    p.stride[0] = kWidth;
    return p;
  }
};

enum class Report { kNone, kHas, kLacks, kLacksAll };

class Receiver {
 public:
  /// kLacks: the frame needs one that is not there, and the last picture stays on the screen. kLacksAll: no
  /// frame is there, for example after a GPU has failed, and only a key frame helps.
  Report take(std::span<const uint8_t> unit) {
    try {
      while (!decoder_.send(unit)) show();
      show();
      return Report::kHas;
    } catch (const ctv::Error& e) {
      if (e.status() != CTV_ERROR_REFERENCE) throw;
      return decoder_.held().empty() ? Report::kLacksAll : Report::kLacks;
    }
  }
  int pictures() const { return pictures_; }

 private:
  void show() {
    while (decoder_.receive()) ++pictures_;
  }
  ctv::Decoder decoder_;
  int pictures_ = 0;
};

ctv::Config config_of_call() {
  ctv::Config config("fast");
  config.width = kWidth;
  config.height = kHeight;
  config.format = CTV_FORMAT_GRAY8;
  config.fps_num = 30;
  config.fps_den = 1;
  config.key_interval = 0;                   // key frames only where they are needed
  config.min_key_distance = kRoundTrip + 1;  // of several requests in a round trip, one counts
  config.slots = 3;  // frames that wait for a report, and the newest that the receiver has
  config.bitrate = 800000;
  config.buffer_ms = 200;
  return config;
}

bool lost(int n) { return n == 20 || n == 40; }  // the network

}  // namespace

int main() try {
  Camera camera;
  ctv::Encoder encoder(config_of_call());
  Receiver receiver;
  std::vector<Report> reports(kFrames, Report::kNone);
  int key_frames = 0;
  for (int n = 0; n < kFrames; ++n) {
    if (n == kFrames / 2) encoder.set_bitrate(300000);
    const int reported = n - kRoundTrip;
    const Report report = reported < 0 ? Report::kNone : reports[static_cast<size_t>(reported)];
    if (report == Report::kHas) encoder.acknowledge(reported);
    if (report == Report::kLacks) encoder.lost(reported);
    if (report == Report::kLacksAll) encoder.request_key_frame();
    if (!encoder.send(camera.picture(n))) return 1;
    const auto packet = encoder.receive();
    if (!packet) return 1;
    key_frames += packet->key_frame;
    if (lost(n)) continue;
    // With a key frame comes the header, for who joins late or has lost it.
    if (packet->key_frame != 0) (void)receiver.take(encoder.header().bytes());
    reports[static_cast<size_t>(n)] = receiver.take(packet->bytes());
  }
  std::printf("%d of %d pictures shown, %d key frame\n", receiver.pictures(), kFrames, key_frames);
  return key_frames == 1 && receiver.pictures() == kFrames - 2 * (kRoundTrip + 1) ? 0 : 1;
} catch (const ctv::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}

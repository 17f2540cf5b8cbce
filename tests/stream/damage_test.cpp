// SPDX-License-Identifier: BSD-3-Clause
// Damaged streams of every preset and transform: pictures, errors and messages do not depend on backend,
// engine, threads or frames in flight. CTV_DAMAGE_SECONDS: as many rounds as fit into this time, for a
// campaign; CTV_DAMAGE_ROUND: this round alone.
#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>

#include "tests/support/backends.hpp"
#include "tests/support/damage.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {
namespace {

struct Kind {
  const char* name;
  const char* preset;
  ctv_format format;
  void (*change)(ctv_config&);
};

void nothing(ctv_config&) {}

const Kind kKinds[] = {
    {"paper", "paper", CTV_FORMAT_I420, nothing},
    {"default", "default", CTV_FORMAT_I420, nothing},
    {"fast", "fast", CTV_FORMAT_I422, nothing},
    {"fastest", "fastest", CTV_FORMAT_GRAY8, nothing},
    {"slow", "slow", CTV_FORMAT_I444, nothing},
    {"lossless", "lossless", CTV_FORMAT_RGB8, nothing},
    {"10_bits", "default", CTV_FORMAT_I420_10, nothing},
    {"12_bits", "fast", CTV_FORMAT_I444_12, nothing},
    {"directions", "default", CTV_FORMAT_I420,
     [](ctv_config& c) { c.pyramid = CTV_PYRAMID_WAVELET_5_3, c.directions[0] = 16; }},
    {"rle", "slow", CTV_FORMAT_I420, [](ctv_config& c) { c.entropy_coding = CTV_ENTROPY_RLE; }},
    {"rle_layers", "slow", CTV_FORMAT_I420,
     [](ctv_config& c) { c.entropy_coding = CTV_ENTROPY_RLE, c.temporal_layers = 2; }},
};

struct Way {
  ctv_engine engine;
  int frames_in_flight, threads;
};
constexpr Way kWays[] = {
    {CTV_ENGINE_DIRECT, 1, 3}, {CTV_ENGINE_DIRECT, 2, 1}, {CTV_ENGINE_DIRECT, 4, 3}, {CTV_ENGINE_FFT, 1, 2}};

std::vector<Stream> streams_of(const Kind& kind) {
  std::vector<Stream> streams;
  for (const int variant : {0, 1, 2}) {  // the last one of another extent
    const auto clip =
        moving_clip(kind.format, variant == 2 ? 24 : 40, 24, 7, static_cast<uint32_t>(variant + 1));
    Config config = config_for(clip[0], kind.preset, 1);
    config.key_interval = 4;
    kind.change(config);
    streams.push_back(encode(clip, config, true));
  }
  return streams;
}

std::string text(const Event& event) {
  const auto& [status, frame, hash, message] = event;
  return status == CTV_OK ? "picture " + std::to_string(frame) + " " + std::to_string(hash) : message;
}

int number_in(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::atoi(value);
}

class Damage : public testing::TestWithParam<std::tuple<size_t, ctv_backend>> {
 protected:
  void SetUp() override {
    if (backend() == CTV_BACKEND_CUDA && find_backend("cuda") == nullptr) stand_in_.emplace(0);
  }
  static const Kind& kind() { return kKinds[std::get<0>(GetParam())]; }
  static ctv_backend backend() { return std::get<1>(GetParam()); }

  /// Encodes the clips, and notes their pictures.
  void make_streams() {
    streams_ = streams_of(kind());
    for (const Stream& stream : streams_) {
      for (const Event& event : events_of(units_of(stream), decoder_config(1)))
        sound_.insert(std::get<uint64_t>(event));
    }
  }
  /// One stream, decoded by the reference and in every way. False if one differs.
  bool equal_in_every_way(const std::vector<Bytes>& units, int round) {
    DecoderConfig config = decoder_config(1, round % 5 == 4 ? 1 : 0);
    config.limits = {4096, uint64_t{64} << 20, uint64_t{1} << 20};
    if (round % 4 == 3) config.format = CTV_FORMAT_RGB8;
    config.conceal = round % 3 == 2 ? 1 : 0;
    const std::vector<Event> expected = events_of(units, config);
    for (const Event& event : expected) {
      (std::get<0>(event) < 0 ? errors_ : pictures_) += 1;
      if (config.reduction == 0 && config.format == CTV_FORMAT_NONE && config.conceal == 0 &&
          std::get<0>(event) == CTV_OK && !sound_.contains(std::get<uint64_t>(event)))
        ++strange_;
    }
    config.backend = backend();
    for (const Way& way : kWays) {
      const bool on_cpu = backend() == CTV_BACKEND_CPU || stand_in_;
      if (way.engine == CTV_ENGINE_FFT && on_cpu) continue;  // not in all builds
      config.engine = way.engine;
      config.frames_in_flight = way.frames_in_flight;
      config.threads = way.threads;
      const std::vector<Event> events = events_of(units, config);
      if (events == expected) continue;
      size_t i = 0;
      while (i < events.size() && i < expected.size() && events[i] == expected[i]) ++i;
      ADD_FAILURE() << "round " << round << ", engine " << way.engine << ", " << way.frames_in_flight
                    << " in flight, event " << i << " of " << expected.size() << ": \""
                    << (i < events.size() ? text(events[i]) : "nothing") << "\", expected \""
                    << (i < expected.size() ? text(expected[i]) : "nothing") << "\"";
      return false;
    }
    return true;
  }
  std::optional<DeviceThatFails> stand_in_;  // where there is no device
  std::vector<Stream> streams_;
  std::set<uint64_t> sound_;  // digests of the pictures without damage
  int pictures_ = 0;
  int strange_ = 0;  // pictures of damage that only the checksums would have shown
  int errors_ = 0;
};

TEST_P(Damage, PicturesAndErrorsAreEqualInEveryWay) {
  make_streams();
  const int seconds = number_in("CTV_DAMAGE_SECONDS", 0);
  const int only = number_in("CTV_DAMAGE_ROUND", -1);
  const int most = seconds > 0 ? INT_MAX : only >= 0 ? only + 1 : kSanitized ? 10 : 100;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int failures = 0, round = only >= 0 ? only : 0;
  for (; round < most && failures < 5; ++round) {
    if (seconds > 0 && std::chrono::steady_clock::now() > end) break;
    Random random(static_cast<uint64_t>(round) * std::size(kKinds) + std::get<0>(GetParam()));
    if (!equal_in_every_way(damage(streams_, random), round)) ++failures;
  }
  std::cout << "damage: " << kind().name << ", " << round << " streams, " << pictures_ << " pictures, "
            << strange_ << " of them strange, " << errors_ << " errors, " << failures << " differ\n";
  if (round < 10 || only >= 0) return;
  EXPECT_GT(pictures_, round);
  EXPECT_GE(strange_, round >= 100 ? 1 : 0);
  EXPECT_GT(errors_, round / 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Damage,
                         testing::Combine(testing::Range(size_t{0}, std::size(kKinds)),
                                          testing::Values(CTV_BACKEND_CPU, CTV_BACKEND_CUDA)),
                         [](const auto& i) {
                           return std::string(kKinds[std::get<0>(i.param)].name) +
                                  (std::get<1>(i.param) == CTV_BACKEND_CUDA ? "_cuda" : "_cpu");
                         });

}  // namespace
}  // namespace ctv::test

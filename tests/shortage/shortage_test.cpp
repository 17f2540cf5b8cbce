// SPDX-License-Identifier: BSD-3-Clause
// Memory and threads run out at every place in turn. Whatever fails, no call crashes, every failure has its
// status and a message, packets and pictures that are given are right, and the end of the stream comes.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/shortage/shortage.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace ctv::test {
namespace {

constexpr int kFrames = 6;
constexpr int kEnough = 200;  // calls until a loop counts as endless

struct Packet {
  int64_t number = 0;
  bool key = false;
  int64_t reference = 0;
  Bytes bytes;
};

// What one run gave. All is kept outside the shortage.
struct Session {
  std::vector<Packet> packets;
  std::map<int64_t, Frame> pictures;
  std::set<int> statuses;
  bool messages = true;  // every error had one
  bool opened = false;
  bool ended = false;
  ctv_status note(ctv_status status) {
    const Exempt exempt;
    statuses.insert(status);
    if (status < 0 && *ctv_last_error() == '\0') messages = false;
    return status;
  }
};

using Case = std::tuple<std::string, int>;  // preset, frames in flight
class Shortages : public testing::TestWithParam<Case> {
 protected:
  Shortages() : clip_(moving_clip(CTV_FORMAT_I420, 48, 32, kFrames)) {}
  Config config() const {
    const auto& [name, in_flight] = GetParam();
    Config c = config_for(clip_[0], name == "paper" ? name : "default", 2);
    if (name == "bitrate") c.bitrate = 100000;
    if (name == "crf") c.crf = 26;
    c.key_interval = 3;
    c.frames_in_flight = in_flight;
    return c;
  }
  DecoderConfig decoder() const {
    DecoderConfig c = decoder_config();
    c.frames_in_flight = std::get<1>(GetParam());
    return c;
  }

  void encode_into(Session& run, const ctv_config& config) const {
    ctv_encoder* encoder = nullptr;
    if (run.note(ctv_encoder_open(&config, &encoder)) != CTV_OK) {
      EXPECT_EQ(encoder, nullptr);
      return;
    }
    run.opened = true;
    const auto receive = [&] {
      ctv_unit unit{};
      unit.struct_size = sizeof unit;
      const ctv_status status = run.note(ctv_encoder_receive(encoder, &unit));
      if (status == CTV_OK) {
        const Exempt exempt;
        run.packets.push_back({unit.frame_number, unit.key_frame != 0, unit.reference_frame,
                               Bytes(unit.data, unit.data + unit.size)});
      }
      return status;
    };
    for (const Frame& frame : clip_) {
      const ctv_picture picture = [&] {
        const Exempt exempt;
        return picture_of(frame);
      }();
      for (int i = 0; i < kEnough && run.note(ctv_encoder_send(encoder, &picture)) == CTV_AGAIN; ++i)
        receive();
      while (receive() == CTV_OK) {
      }
    }
    run.note(ctv_encoder_flush(encoder));
    for (int i = 0; i < kEnough && !run.ended; ++i) run.ended = receive() == CTV_END;
    ctv_encoder_close(encoder);
  }

  // again: null, or what comes before the stream is sent once more.
  static void decode_into(Session& run, const Stream& stream, const ctv_decoder_config& config,
                          const std::function<void()>& again = {}) {
    ctv_decoder* decoder = nullptr;
    if (run.note(ctv_decoder_open(&config, &decoder)) != CTV_OK) {
      EXPECT_EQ(decoder, nullptr);
      return;
    }
    run.opened = true;
    const auto receive = [&] {
      ctv_picture picture{};
      picture.struct_size = sizeof picture;
      const ctv_status status = run.note(ctv_decoder_receive(decoder, &picture));
      if (status == CTV_OK) {
        const Exempt exempt;
        run.pictures[picture.frame_number] = copy_of(picture);
      }
      return status;
    };
    const auto send = [&](const Bytes& unit) {
      for (int i = 0; i < kEnough; ++i) {
        if (run.note(ctv_decoder_send(decoder, unit.data(), unit.size())) != CTV_AGAIN) return;
        receive();
      }
      run.messages = false;  // AGAIN on both sides
    };
    const auto send_all = [&] {
      send(stream.header);
      for (const Bytes& packet : stream.packets) {
        send(packet);
        while (receive() == CTV_OK) {
        }
      }
    };
    send_all();
    if (again) {
      again();
      send_all();
    }
    run.note(ctv_decoder_flush(decoder));
    for (int i = 0; i < kEnough && !run.ended; ++i) run.ended = receive() == CTV_END;
    ctv_decoder_close(decoder);
  }

  // Statuses that a shortage may cause: out of memory, and what follows from a frame that is missing.
  static void expect_only_shortage(const Session& run) {
    for (const int status : run.statuses) {
      EXPECT_TRUE(status >= 0 || status == CTV_ERROR_MEMORY || status == CTV_ERROR_STATE ||
                  status == CTV_ERROR_REFERENCE)
          << ctv_status_name(static_cast<ctv_status>(status));
    }
    EXPECT_TRUE(run.messages);
    EXPECT_TRUE(run.ended || !run.opened) << "CTV_END never came";
  }

  // A shortage in a decoder. When memory is there again, it shows all pictures of the stream from its start.
  // Unless its device fails only then, at call `fails_at`. Returns whether an allocation failed.
  static bool expect_recovery(const Stream& stream, const std::vector<Frame>& expected,
                              const ctv_decoder_config& config, long n, Shortage kind, long fails_at = 0) {
    Session run;
    bool reached = true;
    bool failed = true;
    const auto expect_pictures = [&] {
      for (const auto& [number, picture] : run.pictures) {
        EXPECT_EQ(picture, expected[static_cast<size_t>(number)]) << "frame " << number;
      }
    };
    std::optional<FailingAllocations> shortage;
    const std::function<void()> again = [&] {
      reached = FailingAllocations::reached();
      shortage.reset();
      failed = DeviceThatFails::calls() >= fails_at;
      expect_pictures();
      run.pictures.clear();
    };
    shortage.emplace(n, kind);
    decode_into(run, stream, config, again);
    shortage.reset();
    expect_only_shortage(run);
    const bool fails_late = !failed && DeviceThatFails::calls() >= fails_at;
    if (fails_late) {
      EXPECT_GT(run.pictures.size(), 0U);
    } else {
      EXPECT_EQ(run.pictures.size(), run.opened ? expected.size() : 0);
    }
    expect_pictures();
    return reached;
  }

  // A healthy decoder accepts every packet that does not depend on a missing frame, and shows the source.
  void expect_good_packets(const Session& run, const Bytes& header) const {
    Decoder decoder(decoder_config(1));
    ASSERT_TRUE(decoder.send(header));
    int64_t last = -1;
    bool missing = false;
    for (const Packet& packet : run.packets) {
      EXPECT_GT(packet.number, last);
      ASSERT_FALSE(packet.bytes.empty()) << "frame " << packet.number;
      if (packet.number != last + 1) missing = true;
      last = packet.number;
      if (packet.key) missing = false;
      ctv_packet_info info{};
      info.struct_size = sizeof info;
      ASSERT_EQ(ctv_packet_info_parse(header.data(), header.size(), packet.bytes.data(), packet.bytes.size(),
                                      &info, nullptr, 0),
                CTV_OK);
      ASSERT_EQ(info.frame_number, packet.number);
      EXPECT_EQ(info.key_frame != 0, packet.key) << "frame " << packet.number;
      EXPECT_EQ(info.reference_frame, packet.reference) << "frame " << packet.number;
      if (missing) continue;
      ASSERT_TRUE(decoder.send(packet.bytes));
      const auto picture = decoder.receive();
      ASSERT_TRUE(picture.has_value());
      // A frame that was not taken keeps its number for the next picture, so the picture is one of the
      // clip's.
      double best = 0;
      const Frame shown = copy_of(*picture);
      for (const Frame& source : clip_) best = std::max(best, psnr(shown, source));
      EXPECT_GE(best, 24.0) << "frame " << packet.number;
    }
  }

  std::vector<Frame> clip_;
};

/// Calls code() with a device that fails at every `step`-th call from `first` to `last`, and memory that runs
/// out at every seventh allocation, once or from then on. code(n, kind, call): returns whether it did.
template <typename Code>
void without_device_and_memory(long first, long last, long step, Code code) {
  for (const Shortage kind : {Shortage::kOnce, Shortage::kFrom}) {
    for (long call = first; call < last; call += step) {
      bool reached = true;
      for (long n = call % 7; reached; n += 7 * kCallStep) {
        const DeviceThatFails device(call);
        reached = code(n, kind, call);
      }
    }
  }
}

TEST_P(Shortages, OfMemoryAndDeviceInTheEncoder) {
  Config c = config();
  c.backend = CTV_BACKEND_AUTO;
  const Bytes header = encode(clip_, config()).header;
  without_device_and_memory(60, 500, 44, [&](long n, Shortage kind, long) {
    Session run;
    bool reached = false;
    {
      const FailingAllocations shortage(n, kind);
      encode_into(run, c);
      reached = FailingAllocations::reached();
    }
    expect_only_shortage(run);
    expect_good_packets(run, header);
    return reached;
  });
}

TEST_P(Shortages, OfMemoryAndDeviceInTheDecoder) {
  const Stream stream = encode(clip_, config());
  const auto expected = decode(stream);
  DecoderConfig c = decoder();
  c.backend = CTV_BACKEND_AUTO;
  without_device_and_memory(20, 300, 28, [&](long n, Shortage kind, long call) {
    return expect_recovery(stream, expected, c, n, kind, call);
  });
}

TEST_P(Shortages, OfMemoryInTheEncoder) {
  const Config c = config();
  const Stream healthy = encode(clip_, c);
  for (const Shortage kind : {Shortage::kOnce, Shortage::kFrom}) {
    bool reached = true;
    long n = 0;
    for (; reached && n < 20000; n += kind == Shortage::kOnce ? 1 : 3) {
      Session run;
      {
        const FailingAllocations shortage(n, kind);
        encode_into(run, c);
        reached = FailingAllocations::reached();
      }
      expect_only_shortage(run);
      expect_good_packets(run, healthy.header);
      if (HasFailure()) FAIL() << "allocation " << n << (kind == Shortage::kOnce ? "" : " and later");
    }
    EXPECT_GT(n, 50) << "allocations are not counted";
  }
}

TEST_P(Shortages, OfMemoryInTheDecoder) {
  Config c = config();
  c.frames_in_flight = 1;
  const Stream stream = encode(clip_, c);
  const auto expected = decode(stream);
  for (const Shortage kind : {Shortage::kOnce, Shortage::kFrom}) {
    bool reached = true;
    long n = 0;
    for (; reached && n < 20000; n += kind == Shortage::kOnce ? 1 : 3) {
      Session run;
      {
        const FailingAllocations shortage(n, kind);
        decode_into(run, stream, decoder());
        reached = FailingAllocations::reached();
      }
      expect_only_shortage(run);
      for (const auto& [number, picture] : run.pictures) {
        EXPECT_EQ(picture, expected[static_cast<size_t>(number)]) << "frame " << number;
      }
      if (HasFailure()) FAIL() << "allocation " << n << (kind == Shortage::kOnce ? "" : " and later");
    }
    EXPECT_GT(n, 50) << "allocations are not counted";
  }
}

class ReceiverShortages : public Shortages {};

// A device that decodes components gets them while the host decodes motion.
TEST_P(ReceiverShortages, OfMemoryInTheDecoder) {
  const std::vector<Frame> clip = moving_clip(CTV_FORMAT_I420, 192, 160, 3);
  Config c = config_for(clip[0], std::get<0>(GetParam()));
  c.entropy_coding = CTV_ENTROPY_RLE;
  const Stream stream = encode(clip, c);
  const auto expected = decode(stream);
  DecoderConfig d = decoder();
  d.backend = CTV_BACKEND_CUDA;
  const DeviceThatFails never(0);
  for (const Shortage kind : {Shortage::kOnce, Shortage::kFrom}) {
    bool reached = true;
    long n = 0;
    for (; reached && n < 20000; n += kind == Shortage::kOnce ? 1 : 3) {
      reached = expect_recovery(stream, expected, d, n, kind);
      if (HasFailure()) FAIL() << "allocation " << n << (kind == Shortage::kOnce ? "" : " and later");
    }
    EXPECT_GT(n, 50) << "allocations are not counted";
  }
}

// The team keeps its threads, so after other tests in this process none may be asked for. The clip is so tall
// that loops have a task for each thread.
TEST_P(Shortages, OfThreads) {
  clip_ = moving_clip(CTV_FORMAT_I420, 48, 640, kFrames);
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  const bool fresh = std::distance(begin(tasks), end(tasks)) == 1;
  {
    const FailingThreads shortage(0, Shortage::kOnce);
    EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  }
  Config c = config();
  const Stream healthy = encode(clip_, c);
  const auto expected = decode(healthy);
  static int threads = 3;  // more in every run, since the team keeps those that it has
  for (const Shortage kind : {Shortage::kOnce, Shortage::kFrom}) {
    for (long n = 0; n < 4; ++n) {
      c.threads = ++threads;
      DecoderConfig d = decoder();
      d.threads = ++threads;
      Session encoding, decoding;
      {
        const FailingThreads shortage(n, kind);
        encode_into(encoding, c);
        EXPECT_TRUE(n > 0 || !fresh || FailingThreads::reached()) << "threads are not counted";
      }
      {
        const FailingThreads shortage(n, kind);
        decode_into(decoding, healthy, d);
      }
      for (const Session* run : {&encoding, &decoding}) expect_only_shortage(*run);
      expect_good_packets(encoding, healthy.header);
      for (const auto& [number, picture] : decoding.pictures) {
        EXPECT_EQ(picture, expected[static_cast<size_t>(number)]) << "frame " << number;
      }
      if (HasFailure()) FAIL() << "thread " << n << (kind == Shortage::kOnce ? "" : " and later");
    }
  }
}

const auto kNames = [](const auto& i) {
  return std::get<0>(i.param) + "_" + std::to_string(std::get<1>(i.param)) + "_in_flight";
};
INSTANTIATE_TEST_SUITE_P(Configurations, Shortages,
                         testing::Combine(testing::Values("default", "paper", "bitrate", "crf"),
                                          testing::Values(1, 3)),
                         kNames);
INSTANTIATE_TEST_SUITE_P(Configurations, ReceiverShortages,
                         testing::Combine(testing::Values("default", "paper"), testing::Values(1, 3)),
                         kNames);

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// A call over a link that loses packets and parts of them: random scripts of losses and late reports.
// Whatever a decoder calls whole equals what a decoder without losses has, on every backend; and the encoder
// leaves losses behind without key frames while something is acknowledged.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/fallback.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

struct Link {
  int slots, layers;
  int round_trip;  // frames until a report arrives
  int loss;        // of 100 packets
  int frames_in_flight = 1;
};

struct Report {
  int64_t frame;
  bool whole;
  int due;
  bool empty = false;  // the decoder holds nothing
};

/// What came of a call.
struct Call {
  Stream stream;
  int key_frames = 0;
  int shown = 0, whole = 0, refused = 0;
  int stuck = 0;  // sound packets refused although all losses had been reported when they were made
};

DecoderConfig decoder_on(ctv_backend backend, bool conceal) {
  DecoderConfig d = decoder_config(1);
  d.backend = backend;
  d.conceal = conceal ? 1 : 0;
  return d;
}

/// One end encodes, the other decodes what arrives and reports late, in any order and sometimes twice.
class Caller {
 public:
  Caller(const Link& link, uint64_t seed, ctv_backend backend)
      : link_(link),
        random_(seed),
        clip_(moving_clip(CTV_FORMAT_I420, 48, 32, 19)),
        encoder_(config(backend)),
        perfect_(decoder_on(CTV_BACKEND_CPU, false)),
        lossy_(decoder_on(backend, seed % 2 == 0)) {
    const auto header = encoder_.header().bytes();
    call_.stream.header.assign(header.begin(), header.end());
    EXPECT_TRUE(perfect_.send(header));
    EXPECT_TRUE(lossy_.send(header));
  }

  Call run(int frames) {
    for (int i = 0; i < frames; ++i) {
      deliver_reports(i);
      open_at_[i] = open_;
      const auto turn = static_cast<size_t>(i % 36);
      const Frame& frame = clip_[std::min(turn, 36 - turn)];
      while (!encoder_.send(picture_of(frame))) receive(i);  // one: how many are ready is a matter of time
      if (link_.frames_in_flight == 1) receive(i);
    }
    encoder_.flush();
    while (receive(frames)) continue;
    return std::move(call_);
  }

 private:
  Config config(ctv_backend backend) const {
    Config c = config_for(clip_[0], "default", 1);
    c.backend = backend;
    c.key_interval = 0;
    c.scene_cut = 0;
    c.qp = 30;
    c.slots = link_.slots;
    c.temporal_layers = link_.layers;
    c.error_resilient = 1;  // so that a predicted packet has more than one part
    c.frames_in_flight = link_.frames_in_flight;
    return c;
  }

  void deliver_reports(int now) {
    for (auto r = reports_.begin(); r != reports_.end();) {
      if (r->due > now) {
        ++r;
        continue;
      }
      if (r->whole) {
        encoder_.acknowledge(r->frame);
      } else {
        encoder_.lost(r->frame);
        if (random_.between(0, 3) == 0) encoder_.lost(r->frame);
        if (r->empty && r->frame > last_key_frame_) encoder_.request_key_frame();
        open_.erase(r->frame);
      }
      r = reports_.erase(r);
    }
  }

  // The next packet; false if there is none.
  bool receive(int now) {
    const auto unit = encoder_.receive();
    if (!unit) return false;
    const Bytes bytes(unit->bytes().begin(), unit->bytes().end());
    call_.stream.packets.push_back(bytes);
    call_.key_frames += unit->key_frame;
    if (unit->key_frame != 0) last_key_frame_ = unit->frame_number;
    EXPECT_TRUE(perfect_.send(bytes));
    const auto picture = perfect_.receive();
    EXPECT_TRUE(picture);
    if (picture) arrive(*unit, bytes, copy_of(*picture), now);
    return true;
  }

  void arrive(const Unit& unit, const Bytes& bytes, const Frame& expected, int now) {
    const int64_t number = unit.frame_number;
    Unit sent;
    sent.data = bytes.data();
    sent.size = bytes.size();
    std::vector<uint8_t> missing;
    const bool whole = random_.between(0, 99) >= link_.loss;
    if (!whole) {
      const size_t parts = parse_parts(call_.stream.header, bytes).size();
      missing.assign(parts, 0);
      if (random_.between(0, 1) == 0) {
        report(number, false, now);
        return;  // nothing arrives
      }
      for (size_t i = 1; i < parts; ++i) missing[i] = random_.byte() & 1U;
    }
    bool right = false;
    try {
      EXPECT_TRUE(lossy_.send_damaged(sent, missing));
      const auto picture = lossy_.receive();
      ASSERT_TRUE(picture);
      ++call_.shown;
      EXPECT_EQ(picture->frame_number, number);
      right = picture->damaged == CTV_DAMAGE_NONE;
      if (right) {
        ++call_.whole;
        EXPECT_EQ(copy_of(*picture), expected) << "frame " << number;
      }
    } catch (const Error& e) {
      EXPECT_TRUE(e.status() == CTV_ERROR_REFERENCE || (!whole && e.status() == CTV_ERROR_STREAM))
          << e.what();
      ++call_.refused;
    }
    for (const int64_t held : lossy_.held()) EXPECT_LE(held, number);
    if (whole && !right && open_at_[number].empty()) ++call_.stuck;
    report(number, right, now);
  }

  void report(int64_t number, bool whole, int now) {
    if (!whole) open_.insert(number);
    const int due = now + link_.round_trip + random_.between(0, 2);
    reports_.push_back({number, whole, due, lossy_.held().empty()});
    if (whole && random_.between(0, 4) == 0) reports_.push_back({number, true, due + 3});
  }

  Link link_;
  Random random_;
  std::vector<Frame> clip_;
  Encoder encoder_;
  Decoder perfect_, lossy_;
  std::deque<Report> reports_;
  int64_t last_key_frame_ = -1;
  std::set<int64_t> open_;                        // losses that are not reported yet
  std::map<int64_t, std::set<int64_t>> open_at_;  // when a frame was sent
  Call call_;
};

class Loss : public testing::TestWithParam<std::tuple<ctv_backend, int>> {
 protected:
  void SetUp() override {
    if (backend() == CTV_BACKEND_CUDA && find_backend("cuda") == nullptr) GTEST_SKIP() << "no CUDA device";
  }
  static ctv_backend backend() { return std::get<0>(GetParam()); }
  static Link link() {
    static constexpr Link kLinks[] = {{1, 1, 3, 10}, {3, 1, 2, 10}, {3, 1, 6, 10}, {8, 1, 8, 20},
                                      {2, 2, 3, 10}, {4, 3, 4, 10}, {8, 3, 5, 30}, {4, 1, 3, 10, 3},
                                      {3, 2, 0, 10}, {8, 1, 5, 70}};
    return kLinks[static_cast<size_t>(std::get<1>(GetParam()))];
  }
};

TEST_P(Loss, WhatIsCalledWholeEqualsTheEncodersPicture) {
  const int frames = kSanitized ? 60 : 160;
  for (const uint64_t seed : {1, 2}) {
    Caller caller(link(), seed, backend());
    const Call call = caller.run(frames);
    EXPECT_EQ(call.stream.packets.size(), static_cast<size_t>(frames));
    EXPECT_GT(call.whole, link().slots == 1 || link().loss > 50 ? 0 : frames / 10);
    if (link().frames_in_flight == 1) {
      EXPECT_EQ(call.stuck, 0);
    }
    EXPECT_GT(call.refused + call.shown, frames / 5);
    if (link().slots >= 3 && link().loss <= 10 && link().round_trip > 0) {
      EXPECT_LE(call.key_frames, 3) << "with something acknowledged, losses need no key frame";
    }
    if (backend() == CTV_BACKEND_CUDA) {
      Caller on_cpu(link(), seed, CTV_BACKEND_CPU);
      EXPECT_EQ(on_cpu.run(frames).stream, call.stream);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Links, Loss,
                         testing::Combine(testing::ValuesIn(built_backends()), testing::Range(0, 10)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param) == CTV_BACKEND_CUDA ? "cuda" : "cpu") +
                                  std::to_string(std::get<1>(i.param));
                         });

// Either end may lose its device. An encoder begins again with a key frame at once; a decoder holds nothing,
// says so with the report of the frame that it refused, and gets one.
TEST(LossFallback, TheCallGoesOn) {
  constexpr int kFrames = 16;
  for (const Link& link : {Link{3, 1, 2, 0}, Link{4, 3, 2, 0}, Link{3, 1, 2, 20}}) {
    const int key_frames = Caller(link, 6, CTV_BACKEND_CPU).run(kFrames).key_frames;
    const int whole = for_each_failure(5, [&](long) {
      const Call call = Caller(link, 6, CTV_BACKEND_CUDA).run(kFrames);
      EXPECT_EQ(call.stream.packets.size(), static_cast<size_t>(kFrames));
      EXPECT_LE(call.stuck, 1);  // the frame at which the decoder lost its device
      if (link.loss > 0) return;
      EXPECT_LE(call.key_frames, key_frames + 2);  // all calls fail, also those of the other end
      EXPECT_GE(call.whole, kFrames - link.round_trip - 3);
    });
    EXPECT_GT(whole, 20);
  }
}

// ---- Layers of frames -------------------------------------------------------------------------------------

TEST(TemporalLayers, TheStreamDecodesWithoutTheHighest) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 13);
  for (const int layers : {2, 3}) {
    Config c = config_for(clip[0], "default", 1);
    c.slots = 2;
    c.temporal_layers = layers;
    c.key_interval = 0;
    const Stream stream = encode(clip, c);
    const auto all = decode(stream);
    for (int most = 0; most < layers; ++most) {
      Stream fewer = stream;
      std::erase_if(fewer.packets, [&](const Bytes& packet) {
        const ctv_packet_info info = parse_packet(stream.header, packet);
        EXPECT_EQ(info.keep_in == CTV_KEEP_NOWHERE, info.temporal_id == layers - 1);
        return info.temporal_id > most;
      });
      const size_t every = size_t{1} << (layers - 1 - most);
      const auto some = decode(fewer);
      ASSERT_EQ(some.size(), (clip.size() + every - 1) / every);
      for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], all[i * every]) << i;
    }
  }
}

// ---- Explicit choices ------------------------------------------------------------------------------------

TEST(FrameOptions, AreInThePacketAndInTheStream) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 7);
  Config c = config_for(clip[0], "default", 1);
  c.slots = 3;
  c.key_interval = 0;
  Encoder encoder(c);
  Decoder decoder(decoder_config(1));
  const Unit head = encoder.header();
  const Bytes header(head.bytes().begin(), head.bytes().end());
  ASSERT_TRUE(decoder.send(header));
  struct Wish {
    int64_t refer_to;
    int32_t keep_in, temporal_id, key_frame;
  };
  const Wish wishes[] = {{CTV_POLICY, 2, CTV_POLICY, 0},
                         {0, 0, CTV_POLICY, 0},
                         {0, CTV_KEEP_NOWHERE, 3, 0},
                         {1, 1, CTV_POLICY, 0},
                         {0, 2, CTV_POLICY, 0},
                         {CTV_POLICY, 0, CTV_POLICY, 1},
                         {4, CTV_KEEP_NOWHERE, CTV_POLICY, 0}};
  for (size_t i = 0; i < clip.size(); ++i) {
    ctv_frame_options o;
    ctv_frame_options_init(&o);
    o.refer_to = wishes[i].refer_to;
    o.keep_in = wishes[i].keep_in;
    o.temporal_id = wishes[i].temporal_id;
    o.key_frame = wishes[i].key_frame;
    ASSERT_TRUE(encoder.send(picture_of(clip[i]), o));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit);
    const ctv_packet_info info = parse_packet(header, unit->bytes());
    const bool key = i == 0 || i == 5;
    EXPECT_EQ(unit->key_frame != 0, key);
    EXPECT_EQ(unit->reference_frame, key ? -1 : wishes[i].refer_to);
    EXPECT_EQ(unit->keep_in, wishes[i].keep_in);
    EXPECT_EQ(unit->temporal_id, wishes[i].temporal_id == CTV_POLICY ? 0 : wishes[i].temporal_id);
    EXPECT_EQ(info.reference_frame, unit->reference_frame);
    EXPECT_EQ(info.keep_in, unit->keep_in);
    EXPECT_EQ(info.temporal_id, unit->temporal_id);
    EXPECT_EQ(info.unit_size, unit->size);
    if (i == 2) continue;  // discardable
    EXPECT_TRUE(decoder.send(unit->bytes()));
    const auto picture = decoder.receive();
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->frame_number, static_cast<int64_t>(i));
  }
  EXPECT_EQ(decoder.held(), (std::vector<int64_t>{5, 3, 4}));
  ctv_frame_options o;
  ctv_frame_options_init(&o);
  o.refer_to = 1;
  const ctv_picture picture = picture_of(clip[0]);
  EXPECT_EQ(ctv_encoder_send_frame(encoder.get(), &picture, &o), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(std::string(ctv_last_error()), "options.refer_to: frame 1 is not held");
  EXPECT_EQ(ctv_encoder_acknowledge(encoder.get(), 7), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_encoder_lost(encoder.get(), -1), CTV_ERROR_ARGUMENT);
}

// What the encoder itself refers to may be asked for.
TEST(FrameOptions, AFrameOfALayerMayReferToWhatItsLayerMay) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 4);
  Config c = config_for(clip[0], "default", 1);
  c.slots = 4;
  c.temporal_layers = 3;
  c.key_interval = 0;
  Encoder encoder(c);
  for (size_t i = 0; i < clip.size(); ++i) {
    ctv_frame_options o;
    ctv_frame_options_init(&o);
    if (i == 3) o.refer_to = 2;
    ASSERT_TRUE(encoder.send(picture_of(clip[i]), o));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit);
    if (i < 3) continue;
    EXPECT_EQ(unit->temporal_id, 2);
    EXPECT_EQ(unit->reference_frame, 2);
  }
}

TEST(FrameOptions, RequestedKeyFramesKeepTheirDistance) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 12);
  Config c = config_for(clip[0], "default", 1);
  c.key_interval = 0;
  c.min_key_distance = 5;
  Encoder encoder(c);
  std::vector<int64_t> keys;
  for (size_t i = 0; i < clip.size(); ++i) {
    if (i == 1 || i == 2 || i == 9) encoder.request_key_frame();
    ctv_frame_options o;
    ctv_frame_options_init(&o);
    o.key_frame = i == 7 ? 1 : 0;
    ASSERT_TRUE(encoder.send(picture_of(clip[i]), o));
    if (const auto unit = encoder.receive(); unit && unit->key_frame != 0) keys.push_back(unit->frame_number);
  }
  EXPECT_EQ(keys, (std::vector<int64_t>{0, 5, 7}));
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Packets without some of their parts: what is missing counts as empty, on every backend, in flight or not;
// the decoder says so; and what it cannot decode repeats the picture before.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/packet.hpp"
#include "codec/pipeline/stream.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/fallback.hpp"

namespace ctv::test {
namespace {

/// A packet as it arrives.
struct Arrival {
  Bytes bytes;
  Bytes missing;  // by part
};

struct Shown {
  Frame frame;
  ctv_damage damaged;
  int32_t missing_parts;
  int64_t timestamp;
  friend bool operator==(const Shown& a, const Shown& b) {
    return a.frame == b.frame && a.frame.number == b.frame.number && a.damaged == b.damaged &&
           a.missing_parts == b.missing_parts && a.timestamp == b.timestamp;
  }
};

std::vector<Shown> show(const Bytes& header, const std::vector<Arrival>& arrivals,
                        const ctv_decoder_config& config, std::vector<int64_t>* held = nullptr,
                        std::vector<ctv_status>* errors = nullptr) {
  Decoder decoder(config);
  std::vector<Shown> shown;
  const auto noted = [&](ctv_status status) {
    if (errors == nullptr) check(status);
    if (status < 0) errors->push_back(status);
    return status;
  };
  const auto receive = [&] {
    ctv_picture p;
    ctv_picture_init(&p);
    for (ctv_status s; (s = noted(ctv_decoder_receive(decoder.get(), &p))) != CTV_AGAIN && s != CTV_END;) {
      if (s == CTV_OK) shown.push_back({copy_of(p), p.damaged, p.missing_parts, p.timestamp});
    }
  };
  EXPECT_TRUE(decoder.send(header));
  for (size_t i = 0; i < arrivals.size(); ++i) {
    Unit unit;
    unit.data = arrivals[i].bytes.data();
    unit.size = arrivals[i].bytes.size();
    unit.frame_number = unit.timestamp = static_cast<int64_t>(i);
    unit.duration = 1;
    const Bytes& missing = arrivals[i].missing;
    while (noted(ctv_decoder_send_damaged(decoder.get(), &unit, missing.data(), missing.size())) ==
           CTV_AGAIN) {
      receive();
    }
    if (config.frames_in_flight == 1) receive();
  }
  decoder.flush();
  receive();
  if (held != nullptr) {
    size_t count = 0;
    held->resize(8);
    check(ctv_decoder_held(decoder.get(), held->data(), held->size(), &count));
    held->resize(count);
  }
  return shown;
}

std::vector<ctv_part> parts_of(const Bytes& header, const Bytes& packet) {
  std::vector<ctv_part> parts(100);
  size_t count = 0;
  check(ctv_packet_parts(header.data(), header.size(), packet.data(), packet.size(), parts.data(),
                         parts.size(), &count));
  parts.resize(count);
  return parts;
}

/// The packet with an empty component, or a region in which nothing is coded: a decoder takes it for what the
/// encoder made.
Bytes without(const Bytes& header, const Bytes& packet, size_t component) {
  const PacketLayout layout = packet_layout(make_stream(*read_sequence_header(header)));
  PacketHeader h;
  EXPECT_TRUE(read_packet_header(packet, layout, h).ok());
  Payloads payloads;
  find_payloads(packet, h, h.component_sizes.size(), {}, payloads);
  const Bytes no_pieces = {0};  // one, which has no bytes
  payloads.components[component] = {};
  if (layout.regions && h.frame.type == FrameType::kPredicted) payloads.components[component] = no_pieces;
  const uint16_t reference = h.frame.reference_check;
  Bytes out;
  write_packet(payloads.side, std::vector<PacketPart>(payloads.components.begin(), payloads.components.end()),
               layout.regions, h, out);
  seal_packet(out, h, reference);
  return out;
}

class Conceal : public testing::TestWithParam<std::tuple<ctv_backend, int, ctv_format>> {
 protected:
  void SetUp() override {
    if (backend() == CTV_BACKEND_CUDA && find_backend("cuda") == nullptr) GTEST_SKIP() << "no CUDA device";
    encode_clip(true);
  }
  void encode_clip(bool error_resilient) {
    const auto clip = moving_clip(std::get<2>(GetParam()), 144, 176, 6);
    Config c = config_for(clip[0], "default");
    c.qp = 14;  // predicted frames have several regions
    c.fps_den = 1;
    c.error_resilient = error_resilient ? 1 : 0;
    stream_ = encode(clip, c);
    whole_ = show(stream_.header, arrivals(), config(true));
  }
  static ctv_backend backend() { return std::get<0>(GetParam()); }
  static DecoderConfig config(bool conceal) {
    DecoderConfig d = decoder_config(2);
    d.backend = backend();
    d.frames_in_flight = std::get<1>(GetParam());
    d.conceal = conceal ? 1 : 0;
    return d;
  }
  std::vector<Arrival> arrivals() const {
    std::vector<Arrival> all;
    for (const Bytes& packet : stream_.packets) all.push_back({packet, {}});
    return all;
  }
  Stream stream_;
  std::vector<Shown> whole_;
};

TEST_P(Conceal, AMissingComponentCountsAsEmpty) {
  for (const size_t at : {size_t{0}, size_t{3}}) {
    const auto parts = parts_of(stream_.header, stream_.packets[at]);
    size_t tried = 0;
    for (size_t part = 1; part < parts.size(); ++part) {
      if (parts[part].size == 0) continue;
      ++tried;
      std::vector<Arrival> lossy = arrivals();
      lossy[at].missing.assign(part + 1, 0);
      lossy[at].missing[part] = 1;
      Bytes& bytes = lossy[at].bytes;  // what is there of it does not matter
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(parts[part].offset), parts[part].size,
                  uint8_t{0x55});
      std::vector<int64_t> held;
      const auto shown = show(stream_.header, lossy, config(true), &held);
      ASSERT_EQ(shown.size(), whole_.size());
      for (size_t i = 0; i < shown.size(); ++i) {
        EXPECT_EQ(shown[i].damaged, i < at ? CTV_DAMAGE_NONE : CTV_DAMAGE_DETAIL) << i;
        EXPECT_EQ(shown[i].missing_parts, i == at ? 1 : 0) << i;
        EXPECT_EQ(shown[i].frame.number, static_cast<int64_t>(i));
        if (i < at) {
          EXPECT_EQ(shown[i], whole_[i]) << i;
        }
      }
      EXPECT_TRUE(held.empty());
      Stream emptied = stream_;
      emptied.packets.resize(at + 1);
      emptied.packets[at] = without(stream_.header, stream_.packets[at], part - 1);
      EXPECT_EQ(decode(emptied, config(false)).back(), shown[at].frame) << "part " << part;
      EXPECT_NE(shown[at].frame, whole_[at].frame);

      lossy[at].missing.clear();  // the same bytes, of which no one says that they are wrong
      EXPECT_EQ(show(stream_.header, lossy, config(true)), shown);
      lossy[at].bytes = stream_.packets[at];
      lossy[at].bytes.resize(parts[part].offset);  // what is cut off is missing, too
      lossy[at].missing.clear();
      const auto cut = show(stream_.header, lossy, config(true));
      ASSERT_EQ(cut.size(), whole_.size());
      EXPECT_GE(cut[at].missing_parts, 1);
    }
    EXPECT_GE(tried, 2U);
  }
}

// Regions go from top to bottom; the loop filter reads a few samples around.
TEST_P(Conceal, ALostRegionCostsItsArea) {
  constexpr size_t kAt = 3;
  const auto parts = parts_of(stream_.header, stream_.packets[kAt]);
  ASSERT_GE(parts.size(), 4U);
  const auto changed_rows = [&](size_t part) {
    std::vector<Arrival> lossy = arrivals();
    lossy.resize(kAt + 1);
    lossy[kAt].missing.assign(part + 1, 0);
    lossy[kAt].missing[part] = 1;
    const Frame lost = show(stream_.header, lossy, config(true)).back().frame;
    const auto& a = lost.planes[0];
    const auto& b = whole_[kAt].frame.planes[0];
    const auto width = static_cast<size_t>(lost.width);
    std::vector<size_t> rows;
    for (size_t row = 0; row < a.size() / width; ++row) {
      const auto begin = static_cast<ptrdiff_t>(row * width);
      const auto end = begin + static_cast<ptrdiff_t>(width);
      if (!std::equal(a.begin() + begin, a.begin() + end, b.begin() + begin)) rows.push_back(row);
    }
    return rows;
  };
  const std::vector<size_t> first = changed_rows(1);
  const std::vector<size_t> last = changed_rows(parts.size() - 1);
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(last.empty());
  EXPECT_LT(first.back(), 132U);  // two strips, and the filter
  EXPECT_GT(last.front(), 60U);   // not the first strip
}

TEST_P(Conceal, WithoutVectorsTheLastPictureIsRepeated) {
  std::vector<Arrival> lossy = arrivals();
  lossy.resize(4);
  lossy[3] = {{}, {1}};
  std::vector<int64_t> held;
  auto shown = show(stream_.header, lossy, config(true), &held);
  ASSERT_EQ(shown.size(), 4U);
  EXPECT_EQ(shown[3].frame, whole_[2].frame);
  EXPECT_EQ(shown[3].damaged, CTV_DAMAGE_REPEATED);
  EXPECT_EQ(shown[3].frame.number, 3);
  EXPECT_EQ(shown[3].timestamp, 3);
  EXPECT_EQ(held, std::vector<int64_t>{2}) << "it is no reference";

  lossy[3] = {stream_.packets[3], {}};
  lossy[3].bytes[5] ^= 0x40;  // in the header: neither number nor time are known
  shown = show(stream_.header, lossy, config(true));
  ASSERT_EQ(shown.size(), 4U);
  EXPECT_EQ(shown[3].frame, whole_[2].frame);
  EXPECT_EQ(shown[3].damaged, CTV_DAMAGE_REPEATED);
  EXPECT_EQ(shown[3].frame.number, 2);
}

TEST_P(Conceal, LossesAreErrorsUnlessTheyAreConcealed) {
  std::vector<Arrival> lossy = arrivals();
  const auto parts = parts_of(stream_.header, stream_.packets[1]);
  const auto refusal = [&](const Bytes& missing, bool conceal) -> std::string {
    lossy[1].missing = missing;
    try {
      show(stream_.header, lossy, config(conceal));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({1}, false), "packet: part 0 is missing");
  EXPECT_EQ(refusal({0, 1}, false),
            "component 0 at byte " + std::to_string(parts[1].offset) + ": is missing");
  // Then the frame is not there, and neither are those that need it.
  EXPECT_NE(refusal({1}, true).find("frame 2 refers to frame 1, which is not held"), std::string::npos);
  lossy[0].missing = {1};
  EXPECT_NE(refusal({}, true).find("there is no picture to repeat"), std::string::npos);
}

// Its checksum covers all bytes, and nothing of it is shown if one of them is wrong.
TEST_P(Conceal, WithoutErrorResilienceAPacketIsNeededWhole) {
  constexpr size_t kAt = 3;
  encode_clip(false);
  const Bytes& packet = stream_.packets[kAt];
  const auto parts = parts_of(stream_.header, packet);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].offset, 0U);
  EXPECT_EQ(parts[0].size, packet.size());
  EXPECT_GT(parts_of(stream_.header, stream_.packets[0]).size(), 1U) << "a key frame";

  std::vector<Arrival> damaged;
  for (const size_t at : {packet.size() / 2, packet.size() - 1}) {
    damaged.push_back({packet, {}});
    damaged.back().bytes[at] ^= 1;
    damaged.push_back({packet, {0, 1}});  // zeros, as a receiver fills in what is missing
    std::fill(damaged.back().bytes.begin() + static_cast<ptrdiff_t>(at), damaged.back().bytes.end(),
              uint8_t{0});
    damaged.push_back({packet, {}});
    damaged.back().bytes.resize(at);
  }
  damaged.push_back({{}, {1}});
  for (size_t i = 0; i < damaged.size(); ++i) {
    std::vector<Arrival> lossy = arrivals();
    lossy[kAt] = damaged[i];
    std::vector<int64_t> held;
    std::vector<ctv_status> errors;
    auto shown = show(stream_.header, lossy, config(true), &held, &errors);
    ASSERT_EQ(shown.size(), kAt + 1) << i;
    EXPECT_TRUE(std::equal(whole_.begin(), whole_.begin() + kAt, shown.begin())) << i;
    EXPECT_EQ(shown[kAt].frame, whole_[kAt - 1].frame) << i;
    EXPECT_EQ(shown[kAt].damaged, CTV_DAMAGE_REPEATED) << i;
    EXPECT_EQ(held, std::vector<int64_t>{kAt - 1}) << i;
    EXPECT_EQ(errors, std::vector<ctv_status>(lossy.size() - kAt - 1, CTV_ERROR_REFERENCE)) << i;

    errors.clear();
    shown = show(stream_.header, lossy, config(false), nullptr, &errors);
    EXPECT_EQ(shown.size(), kAt) << i;
    ASSERT_FALSE(errors.empty()) << i;
    EXPECT_EQ(errors[0], CTV_ERROR_STREAM) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Conceal,
                         testing::Combine(testing::ValuesIn(built_backends()), testing::Values(1, 3),
                                          testing::Values(CTV_FORMAT_I420, CTV_FORMAT_I420_10,
                                                          CTV_FORMAT_I420_12)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param) == CTV_BACKEND_CUDA ? "cuda" : "cpu") +
                                  std::to_string(std::get<1>(i.param)) + "_" +
                                  std::to_string(bits_of(std::get<2>(i.param))) + "_bits";
                         });

// There is nothing to repeat either, until the next key frame.
TEST(ConcealFallback, PicturesComeAgainWithTheNextKeyFrame) {
  const auto clip = moving_clip(CTV_FORMAT_I420, 48, 32, 8);
  Config c = config_for(clip[0], "default", 1);
  c.key_interval = 5;
  const Stream stream = encode(clip, c);
  std::vector<Arrival> lossy;
  for (const Bytes& packet : stream.packets) lossy.push_back({packet, {}});
  lossy[1].missing = {0, 1};
  lossy[3].missing = {0, 0, 1};
  lossy.insert(lossy.begin() + 3, {{}, {1}});
  for (const int in_flight : {1, 3}) {
    DecoderConfig d = decoder_config(1);
    d.frames_in_flight = in_flight;
    d.conceal = 1;
    const auto expected = show(stream.header, lossy, d);
    ASSERT_EQ(expected.size(), 9U);
    EXPECT_EQ(expected[3].damaged, CTV_DAMAGE_REPEATED);
    d.backend = CTV_BACKEND_CUDA;
    const int whole = for_each_failure(1, [&](long) {
      std::vector<ctv_status> errors;
      const auto shown = show(stream.header, lossy, d, nullptr, &errors);
      EXPECT_EQ(shown.size() + errors.size(), expected.size());
      for (const ctv_status error : errors) EXPECT_EQ(error, CTV_ERROR_REFERENCE);
      const auto before = std::ranges::mismatch(shown, expected).in1;
      EXPECT_TRUE(std::equal(before, shown.end(), expected.end() - (shown.end() - before), expected.end()));
      EXPECT_TRUE(before == shown.end() || before->frame.key_frame);
    });
    EXPECT_GT(whole, 10);
  }
}

}  // namespace
}  // namespace ctv::test

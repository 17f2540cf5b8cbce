// SPDX-License-Identifier: BSD-3-Clause
// Components cover each level once for every grouping. Each entropy coding restores a whole packet.
// Damaged payloads are refused within the frame's memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/entropy/symbol_coder.hpp"
#include "codec/format/bytes.hpp"
#include "tests/support/components.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using test::expect_every_level_once;
using test::picture_of;
using test::Random;

TEST(Components, CoverEveryLevelOnceAndRiseByLayer) {
  for (const int planes : {1, 3}) {
    for (const Pyramid pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet9_7}) {
      for (int levels = 1; levels <= 5; ++levels) {
        const PictureLayout picture = picture_of(planes, 97, 61, pyramid, levels, 2);
        std::vector<Grouping> groupings = {{ComponentScope::kSubband, 0}};
        for (int pooled = 0; pooled <= levels + 1; ++pooled) {
          groupings.push_back({ComponentScope::kLayer, static_cast<uint8_t>(pooled)});
        }
        for (const Grouping& g : groupings) {
          expect_every_level_once(picture, make_components(picture, g));
        }
      }
    }
  }
}

TEST(Components, PoolingMakesThePartsThatTheDocumentSays) {
  const PictureLayout picture = picture_of(3, 64, 64, Pyramid::kWavelet9_7, 3, 2);
  const auto count = [&](uint8_t pooled) {
    return make_components(picture, {ComponentScope::kLayer, pooled}).size();
  };
  EXPECT_EQ(count(0), 8U);
  EXPECT_EQ(count(1), 7U);
  EXPECT_EQ(count(3), 3U);
  EXPECT_EQ(count(4), 1U);
  EXPECT_EQ(make_components(picture, {ComponentScope::kSubband, 0}).size(), 3U * 19U);
}

class Packets : public testing::TestWithParam<EntropyCoding> {
 protected:
  // A picture whose levels decrease towards fine bands, and a rotating field of vectors.
  void make(const PictureLayout& picture, const Grouping& grouping, Random& random) {
    picture_ = picture;
    header_.entropy_coding = GetParam();
    header_.grouping = grouping;
    header_.subpel = 2;
    header_.prediction = random.between(0, 1) != 0 ? Prediction::kPicture : Prediction::kSubband;
    header_.lossless = header_.prediction == Prediction::kPicture ? 1 : 0;  // no macroblocks
    const int log2 = header_.prediction == Prediction::kPicture ? kLog2Cell : 4;
    grid_ = {log2, ceil_div(picture.height, 1 << log2), ceil_div(picture.width, 1 << log2)};
    coder_ = std::make_unique<SymbolCoder>(picture_, header_, grid_, 2);
    for (size_t p = 0; p < static_cast<size_t>(picture.planes); ++p) {
      levels_[p].assign(picture.subbands[p].num_coefficients, 0);
      for (const Subband& s : picture.subbands[p].subbands) {
        const int rarity = 1 + s.layer * s.layer * random.between(0, 2);
        const int largest = random.between(0, 9) == 0 ? 32767 : 400 >> std::min(2 * s.layer, 8);
        for (size_t i = 0; i < s.size(); ++i) {
          if (random.between(1, rarity) > 1) continue;
          levels_[p][s.offset + i] = static_cast<Level>(random.between(-largest, largest));
        }
      }
      frame_.levels[p] = levels_[p].data();
    }
    vectors_.resize(grid_.size());
    skips_.resize(grid_.size());
    for (size_t i = 0; i < vectors_.size(); ++i) {
      skips_[i] = random.between(0, 2) == 0 ? 1 : 0;
      vectors_[i] = {static_cast<int16_t>(2 * (static_cast<int>(i) / grid_.cols + random.between(0, 2))),
                     static_cast<int16_t>(2 * random.between(-40, 40) * random.between(0, 1))};
      // Most squares of four cells are alike.
      const auto cols = static_cast<size_t>(grid_.cols);
      const size_t first = i / cols / 2 * 2 * cols + i % cols / 2 * 2;
      if (first % 6 != 0) {
        vectors_[i] = vectors_[first];
        skips_[i] = skips_[first];
      }
    }
    frame_.side = {vectors_.data(), skips_.data()};
  }
  void spoil() {
    for (auto& plane : levels_) std::fill(plane.begin(), plane.end(), Level{99});
    std::fill(vectors_.begin(), vectors_.end(), MotionVector{1, 1});
    std::fill(skips_.begin(), skips_.end(), uint8_t{2});
  }
  // A frame of either type.
  void expect_back_whole(Random& random) {
    frame_.parameters.type = random.between(0, 1) == 0 ? FrameType::kKey : FrameType::kPredicted;
    const std::vector<Level> levels[3] = {levels_[0], levels_[1], levels_[2]};
    Bytes packet;
    coder_->encode(frame_, packet);
    spoil();
    ASSERT_TRUE(coder_->read_header(packet).ok());
    ASSERT_TRUE(coder_->decode(packet, picture_.subbands[0].layers, frame_).ok());
    for (size_t p = 0; p < 3; ++p) ASSERT_EQ(levels_[p], levels[p]);
  }

  PictureLayout picture_;
  SequenceHeader header_;
  MotionGrid grid_;
  std::unique_ptr<SymbolCoder> coder_;
  std::vector<Level> levels_[3];
  std::vector<MotionVector> vectors_;
  std::vector<uint8_t> skips_;
  CodedFrameBuffers frame_;
};

const Grouping kGroupings[] = {{ComponentScope::kSubband, 0},
                               {ComponentScope::kLayer, 0},
                               {ComponentScope::kLayer, 2},
                               {ComponentScope::kLayer, 4}};

TEST_P(Packets, ComeBackWholeAndByLayers) {
  Random random(1);
  for (const Grouping& grouping : kGroupings) {
    for (const Pyramid pyramid : {Pyramid::kLaplacian, Pyramid::kWavelet9_7}) {
      for (const Extent extent : {Extent{1, 1}, Extent{33, 57}, Extent{96, 130}}) {
        make(picture_of(extent.rows % 2 == 0 ? 1 : 3, extent.cols, extent.rows, pyramid, 3,
                        random.between(0, 4)),
             grouping, random);
        for (const FrameType type : {FrameType::kKey, FrameType::kPredicted}) {
          frame_.parameters.type = type;
          const std::vector<Level> levels[3] = {levels_[0], levels_[1], levels_[2]};
          const auto vectors = vectors_;
          const auto skips = skips_;
          Bytes packet;
          coder_->encode(frame_, packet);
          for (int layers = 1; layers <= 4; ++layers) {
            spoil();
            ASSERT_TRUE(coder_->read_header(packet).ok());
            size_t end = coder_->header().size + coder_->header().side_size;
            for (size_t i = 0; i < coder_->components().size(); ++i) {
              if (coder_->components()[i].layer < layers) end += coder_->header().component_sizes[i];
            }
            ASSERT_TRUE(coder_->decode(std::span(packet).first(end), layers, frame_).ok());
            for (const Component& c : coder_->components()) {
              if (c.layer >= layers) continue;
              for (int p = c.first_plane; p <= c.last_plane; ++p) {
                const auto plane = static_cast<size_t>(p);
                const auto begin = static_cast<std::ptrdiff_t>(c.offset(picture_, p));
                const auto count = static_cast<std::ptrdiff_t>(c.count(picture_, p));
                ASSERT_TRUE(std::equal(levels[plane].begin() + begin, levels[plane].begin() + begin + count,
                                       levels_[plane].begin() + begin));
              }
            }
            if (type == FrameType::kPredicted) {
              ASSERT_EQ(vectors_, vectors);
              if (header_.prediction == Prediction::kPicture) {
                ASSERT_EQ(skips_, skips);
              }
            }
          }
          std::copy(std::begin(levels), std::end(levels), std::begin(levels_));
          for (size_t p = 0; p < 3; ++p) frame_.levels[p] = levels_[p].data();
          vectors_ = vectors;
          skips_ = skips;
          frame_.side = {vectors_.data(), skips_.data()};
        }
      }
    }
  }
}

// With entropy coding by runs, components are cut here.
TEST_P(Packets, OfLargePicturesComeBackWhole) {
  Random random(7);
  for (const Grouping& grouping : kGroupings) {
    make(picture_of(3, 600, 500, Pyramid::kLaplacian, 3, 1), grouping, random);
    expect_back_whole(random);
  }
}

TEST_P(Packets, TheNumberOfThreadsDoesNotShow) {
  Random random(3);
  make(picture_of(3, 120, 80, Pyramid::kWavelet9_7, 3, 2), {ComponentScope::kLayer, 2}, random);
  Bytes packet;
  coder_->encode(frame_, packet);
  for (const int threads : {1, 3, 16}) {
    SymbolCoder other(picture_, header_, grid_, threads);
    Bytes again;
    other.encode(frame_, again);
    EXPECT_EQ(again, packet) << threads;
  }
}

// Further tries of a frame with other levels keep its motion.
TEST_P(Packets, MotionIsCodedOnceForAllTries) {
  Random random(6);
  for (const Extent extent : {Extent{20, 17}, Extent{640, 704}}) {  // one slice and several
    make(picture_of(3, extent.cols, extent.rows, Pyramid::kWavelet9_7, 3, 2), {ComponentScope::kLayer, 2},
         random);
    frame_.parameters.type = FrameType::kPredicted;
    Bytes packet;
    coder_->begin(false);
    coder_->encode(frame_, packet);
    for (int tries = 0; tries < 3; ++tries) {
      Bytes again;
      coder_->begin(true);
      coder_->encode(frame_, again);
      EXPECT_EQ(again, packet) << tries;
    }
  }
}

/// Takes components as a device does. seen: the vectors that were there when it was told to run.
struct Receiver final : ComponentReceiver {
  explicit Receiver(const std::vector<MotionVector>& vectors) : there(vectors) {}
  Status start(bool, size_t) override { return {}; }
  bool put(size_t, std::span<const uint8_t>, std::span<const TilePiece>, bool) override { return true; }
  Status send() override { return {}; }
  Status run(bool skips) override {
    with_skips = skips;
    seen = there;
    return {};
  }
  Status wait() override { return {}; }
  bool sound(size_t) const override { return !seen.empty(); }

  const std::vector<MotionVector>& there;
  std::vector<MotionVector> seen;
  bool with_skips = false;
};

// With one thread: its levels are on their way while vectors are decoded.
TEST_P(Packets, AReceiverDoesNotWaitForVectors) {
  Random random(9);
  for (int trial = 0; trial < 6; ++trial) {
    make(picture_of(1, 1280, 1408, Pyramid::kWavelet9_7, 3, 2), {ComponentScope::kLayer, 2}, random);
    frame_.parameters.type = FrameType::kPredicted;
    Bytes packet;
    coder_->encode(frame_, packet);
    const auto sent = vectors_;
    spoil();
    const auto before = vectors_;
    Receiver receiver(vectors_);
    frame_.receiver = &receiver;
    SymbolCoder other(picture_, header_, grid_, 1);
    ASSERT_TRUE(other.read_header(packet).ok());
    ASSERT_TRUE(other.decode(packet, 4, frame_).ok());
    frame_.receiver = nullptr;
    ASSERT_TRUE(other.finish_decoding().ok());
    EXPECT_EQ(receiver.with_skips, header_.prediction == Prediction::kPicture);
    EXPECT_EQ(receiver.seen, before);
    EXPECT_EQ(vectors_, sent);
  }
}

// Replaces each payload by random or damaged bytes, with correct checksums.
TEST_P(Packets, DamagedPayloadsNeverReachBeyondTheirLevels) {
  Random random(4);
  constexpr size_t kGuards = 16;
  make(picture_of(3, 57, 33, Pyramid::kWavelet9_7, 3, 2), {ComponentScope::kLayer, 2}, random);
  frame_.parameters.type = FrameType::kPredicted;
  Bytes packet;
  coder_->encode(frame_, packet);
  for (size_t p = 0; p < 3; ++p) {
    levels_[p].resize(levels_[p].size() + kGuards, Level{1234});
    frame_.levels[p] = levels_[p].data();
  }
  vectors_.resize(vectors_.size() + kGuards, MotionVector{12, 34});
  skips_.resize(skips_.size() + kGuards, uint8_t{77});
  frame_.side = {vectors_.data(), skips_.data()};
  ASSERT_TRUE(coder_->read_header(packet).ok());
  std::vector<Bytes> payloads;
  size_t at = coder_->header().size;
  const auto cut = [&](size_t size) {
    payloads.emplace_back(packet.begin() + static_cast<std::ptrdiff_t>(at),
                          packet.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  };
  cut(coder_->header().side_size);
  for (const uint32_t size : coder_->header().component_sizes) cut(size);
  for (int trial = 0; trial < 1500; ++trial) {
    auto damaged = payloads;
    Bytes& bad = damaged[static_cast<size_t>(random.between(0, static_cast<int>(damaged.size()) - 1))];
    switch (random.between(0, 3)) {
      case 0:
        bad.resize(static_cast<size_t>(random.between(0, 300)));
        std::generate(bad.begin(), bad.end(), [&] { return random.byte(); });
        break;
      case 1:
        bad.resize(static_cast<size_t>(random.between(0, static_cast<int>(bad.size()))));
        break;
      default:
        for (int flips = random.between(1, 8); flips > 0; --flips) {
          bad[static_cast<size_t>(random.between(0, static_cast<int>(bad.size()) - 1))] ^=
              static_cast<uint8_t>(1 << random.between(0, 7));
        }
    }
    PacketHeader header = coder_->header();
    header.side_size = static_cast<uint32_t>(damaged[0].size());
    Bytes payload = damaged[0];
    for (size_t i = 1; i < damaged.size(); ++i) {
      header.component_sizes[i - 1] = static_cast<uint32_t>(damaged[i].size());
      payload.insert(payload.end(), damaged[i].begin(), damaged[i].end());
      header.component_checks[i - 1] = part_check(damaged[i]);
    }
    Bytes unit;
    write_packet_header(header, false, unit);
    unit.insert(unit.end(), payload.begin(), payload.end());
    seal_packet(unit, header, 0);
    ASSERT_TRUE(coder_->read_header(unit).ok());
    (void)coder_->decode(unit, 4, frame_).ok();
    for (const auto& plane : levels_) {
      ASSERT_TRUE(std::all_of(plane.end() - kGuards, plane.end(), [](Level l) { return l == 1234; }));
    }
    ASSERT_TRUE(std::all_of(vectors_.end() - kGuards, vectors_.end(), [](MotionVector v) {
      return v == MotionVector{12, 34};
    }));
    ASSERT_TRUE(std::all_of(skips_.end() - kGuards, skips_.end(), [](uint8_t s) { return s == 77; }));
    if (header_.prediction == Prediction::kPicture) {
      ASSERT_TRUE(std::all_of(skips_.begin(), skips_.end() - kGuards, [](uint8_t s) { return s <= 1; }));
    }
    ASSERT_TRUE(coder_->read_header(packet).ok());
  }
}

TEST_P(Packets, OfKeyFramesHaveSlopes) {
  Random random(8);
  PictureLayout picture = picture_of(3, 57, 33, Pyramid::kWavelet9_7, 3, 0);
  make(picture, {ComponentScope::kLayer, 2}, random);
  const auto refuses = [&](const Bytes& side) {
    Bytes packet;
    PacketHeader header = coder_->header();
    write_packet(side, std::vector<PacketPart>(coder_->components().size()), false, header, packet);
    EXPECT_TRUE(coder_->read_header(packet).ok());
    EXPECT_EQ(coder_->decode(packet, 4, frame_).message(),
              "side payload at byte " + std::to_string(header.size) + ": damaged");
  };
  frame_.parameters.type = FrameType::kKey;
  Bytes packet;
  coder_->encode(frame_, packet);
  EXPECT_EQ(coder_->header().side_size, 0U);
  refuses({1});  // as the stream has no slopes

  for (SubbandLayout& layout : picture.subbands) layout.transform.directional_lifting = true;
  make(picture, {ComponentScope::kLayer, 2}, random);
  std::vector<int8_t> slopes(make_slope_grid(picture.subbands[0]).size());
  for (size_t i = 0; i < slopes.size(); ++i)
    slopes[i] = i < SlopeGrid::kHead ? int8_t{1} : static_cast<int8_t>(random.between(0, kSlopeCount - 1));
  frame_.side.slopes = slopes.data();
  frame_.parameters.type = FrameType::kKey;
  coder_->encode(frame_, packet);
  EXPECT_GT(coder_->header().side_size, 0U);
  const std::vector<int8_t> sent = slopes;
  std::fill(slopes.begin(), slopes.end(), int8_t{99});
  ASSERT_TRUE(coder_->read_header(packet).ok());
  ASSERT_TRUE(coder_->decode(packet, 4, frame_).ok());
  EXPECT_EQ(slopes, sent);
  refuses({1, 0});
}

INSTANTIATE_TEST_SUITE_P(Symbols, Packets, testing::Values(EntropyCoding::kRle, EntropyCoding::kTiles),
                         [](const testing::TestParamInfo<EntropyCoding>& i) {
                           return std::string(i.param == EntropyCoding::kRle ? "Rle" : "Tiles");
                         });

}  // namespace
}  // namespace ctv

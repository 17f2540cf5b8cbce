// SPDX-License-Identifier: BSD-3-Clause
// Where ctdec begins in a stream whose header changes, by its index and by scanning.
#include <gtest/gtest.h>

#include <ctv/ctv.hpp>
#include <vector>

#include "ctdec/seek.h"

namespace ctv::tools {
namespace {

struct Made {
  std::vector<uint8_t> bytes;
  std::vector<KeyFramePlace> places;  // of each frame
  std::vector<uint64_t> packets;      // offsets
};

// Three parts of seven frames with a key frame every three: two sizes, then the first one again.
Made stream(bool with_index) {
  Made made;
  std::optional<Encoder> encoder;
  uint64_t header_at = 0;
  uint64_t key_at = 0;
  for (const int side : {32, 48, 32}) {
    Config config("default");
    config.width = config.height = side;
    config.format = CTV_FORMAT_GRAY8;
    config.key_interval = 3;
    config.threads = 1;
    config.backend = CTV_BACKEND_CPU;
    if (encoder) {
      encoder->reconfigure(config);
    } else {
      encoder.emplace(config);
    }
    const auto append = [&](std::span<const uint8_t> bytes) {
      const uint64_t at = made.bytes.size();
      made.bytes.insert(made.bytes.end(), bytes.begin(), bytes.end());
      return at;
    };
    header_at = append(encoder->header().bytes());
    for (int frame = 0; frame < 7; ++frame) {
      const std::vector<uint8_t> samples(static_cast<size_t>(side * side), static_cast<uint8_t>(20 * frame));
      ctv_picture picture{};
      picture.struct_size = sizeof picture;
      picture.format = CTV_FORMAT_GRAY8;
      picture.width = picture.height = side;
      picture.data[0] = const_cast<uint8_t*>(samples.data());
      picture.stride[0] = side;
      EXPECT_TRUE(encoder->send(picture));
      const auto unit = encoder->receive();
      EXPECT_TRUE(unit);
      made.packets.push_back(append(unit->bytes()));
      if (unit->key_frame != 0) key_at = made.packets.back();
      made.places.push_back({header_at, key_at});
    }
  }
  if (with_index) {
    const auto index = encoder->index().bytes();
    made.bytes.insert(made.bytes.end(), index.begin(), index.end());
  }
  return made;
}

TEST(Seek, FindsTheHeaderThatIsInForce) {
  for (const bool with_index : {true, false}) {
    const Made made = stream(with_index);
    for (size_t frame = 0; frame < made.places.size(); ++frame) {
      UnitReader units(std::make_unique<MemorySource>(made.bytes, true));
      const auto place = find_key_frame(units, static_cast<int64_t>(frame));
      ASSERT_TRUE(place) << frame;
      EXPECT_EQ(place->header, made.places[frame].header) << frame << " index " << with_index;
      EXPECT_EQ(place->packet, made.places[frame].packet) << frame << " index " << with_index;
    }
    UnitReader pipe(std::make_unique<MemorySource>(made.bytes, false));
    EXPECT_FALSE(find_key_frame(pipe, 3));
  }
}

// The index of the second one speaks of its own frames only.
TEST(Seek, CountsTheFramesOfStreamsBehindEachOther) {
  for (const bool with_index : {true, false}) {
    const Made made = stream(with_index);
    std::vector<uint8_t> twice = made.bytes;
    twice.insert(twice.end(), made.bytes.begin(), made.bytes.end());
    UnitReader units(std::make_unique<MemorySource>(twice, true));
    EXPECT_FALSE(pictures_by_index(units));
    const auto count = static_cast<int64_t>(made.places.size());
    for (size_t frame = 0; frame < made.places.size(); ++frame) {
      const auto place = find_key_frame(units, count + static_cast<int64_t>(frame));
      ASSERT_TRUE(place) << frame;
      EXPECT_EQ(place->header, made.bytes.size() + made.places[frame].header) << frame;
      EXPECT_EQ(place->packet, made.bytes.size() + made.places[frame].packet) << frame;
      EXPECT_EQ(place->before, count);
    }
  }
}

// After a loss frames refer to what was acknowledged, which may be before the last key frame.
TEST(Seek, GoesBackWhereFramesDo) {
  Config config("default");
  config.width = config.height = 32;
  config.format = CTV_FORMAT_GRAY8;
  config.key_interval = 0;
  config.slots = 4;
  config.threads = 1;
  config.backend = CTV_BACKEND_CPU;
  Encoder encoder(config);
  const auto header = encoder.header().bytes();
  std::vector<uint8_t> bytes(header.begin(), header.end());
  std::vector<uint64_t> packets;
  for (int frame = 0; frame < 14; ++frame) {
    if (frame == 6 || frame == 11) encoder.request_key_frame();
    const std::vector<uint8_t> samples(32 * 32, static_cast<uint8_t>(10 * frame));
    ctv_picture picture{};
    picture.struct_size = sizeof picture;
    picture.format = CTV_FORMAT_GRAY8;
    picture.width = picture.height = 32;
    picture.data[0] = const_cast<uint8_t*>(samples.data());
    picture.stride[0] = 32;
    EXPECT_TRUE(encoder.send(picture));
    const auto unit = encoder.receive();
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->key_frame != 0, frame == 0 || frame == 6 || frame == 11) << frame;
    packets.push_back(bytes.size());
    bytes.insert(bytes.end(), unit->bytes().begin(), unit->bytes().end());
    if (frame == 2) encoder.acknowledge(2);
    if (frame == 7) encoder.lost(6);
    if (frame == 8) {
      EXPECT_EQ(unit->reference_frame, 2);
    }
  }
  for (const bool with_index : {true, false}) {
    if (with_index) {
      const auto index = encoder.index().bytes();
      bytes.insert(bytes.end(), index.begin(), index.end());
    } else {
      bytes.resize(bytes.size() - encoder.index().bytes().size());
    }
    for (int64_t frame = 0; frame < 14; ++frame) {
      UnitReader units(std::make_unique<MemorySource>(bytes, true));
      const auto place = find_key_frame(units, frame);
      ASSERT_TRUE(place) << frame;
      EXPECT_EQ(place->packet, packets[frame < 11 ? 0 : 11]) << frame << " index " << with_index;
    }
  }
}

TEST(Seek, TheIndexOfAnEncoderGoesOnBehindANewHeader) {
  const Made made = stream(true);
  MemorySource source(made.bytes, true);
  const auto index = read_index(source);
  ASSERT_TRUE(index);
  ASSERT_EQ(index->entries.size(), made.packets.size());
  for (size_t i = 0; i < made.packets.size(); ++i) EXPECT_EQ(index->entries[i].offset, made.packets[i]) << i;
}

}  // namespace
}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Large components of runs are cut into several, each a separate DEFLATE stream: where they are cut, and what
// each holds according to the document.
#include <gtest/gtest.h>

#include <vector>

#include "codec/entropy/symbol_coder.hpp"
#include "tests/reference/zero_runs.hpp"
#include "tests/support/components.hpp"
#include "tests/support/inflate.hpp"
#include "tests/support/random.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;
using test::expect_every_level_once;
using test::picture_of;

TEST(CutComponents, AreOfEqualPartsWhereThereAreTooManyLevels) {
  const PictureLayout picture = picture_of(3, 1100, 700, Pyramid::kLaplacian, 1, 0);  // lowpass 350x550
  const auto levels_of = [&](const Grouping& grouping) {
    const auto components = make_components(picture, grouping, EntropyCoding::kRle);
    expect_every_level_once(picture, components);
    std::vector<size_t> levels;
    for (const Component& c : components) levels.push_back(c.levels);
    return levels;
  };
  using Sizes = std::vector<size_t>;
  EXPECT_EQ(levels_of({ComponentScope::kSubband, 0}),
            (Sizes{64166, 64167, 64167, 48125, 48125, 256666, 256667, 256667, 192500, 192500}));
  EXPECT_EQ(levels_of({ComponentScope::kLayer, 0}),
            (Sizes{64166, 64167, 64167, 48125, 48125, 256666, 256667, 256667, 192500, 192500}));
  // The fourth has the end of luma and the beginning of Cb.
  EXPECT_EQ(levels_of({ComponentScope::kLayer, 1}),
            (Sizes{57750, 57750, 57750, 57750, 57750, 256666, 256667, 256667, 192500, 192500}));
  const auto pooled = make_components(picture, {ComponentScope::kLayer, 1}, EntropyCoding::kRle);
  EXPECT_EQ(pooled[3].count(picture, 0), 192500U - 3 * 57750U);
  EXPECT_EQ(pooled[3].offset(picture, 1), 0U);
  EXPECT_EQ(pooled[3].count(picture, 1), 4 * 57750U - 192500U);
  EXPECT_EQ(pooled[3].count(picture, 2), 0U);
}

// Each part of a large subband can be read alone, and a refusal names its number.
TEST(CutComponents, AreStreamsOfTheirOwn) {
  const PictureLayout picture = picture_of(3, 1100, 700, Pyramid::kLaplacian, 1, 0);
  SequenceHeader header;
  header.entropy_coding = EntropyCoding::kRle;
  header.grouping = {ComponentScope::kLayer, 1};
  std::vector<Level> levels[3];
  CodedFrameBuffers frame;
  test::Random random(8);
  for (size_t p = 0; p < 3; ++p) {
    levels[p].resize(picture.subbands[p].num_coefficients);
    for (size_t i = 0; i < levels[p].size(); i += static_cast<size_t>(random.between(1, 900))) {
      levels[p][i] = static_cast<Level>(random.between(-300, 300));
    }
    frame.levels[p] = levels[p].data();
  }
  const MotionGrid grid{kLog2Cell, 88, 138};
  std::vector<MotionVector> vectors(grid.size());
  std::vector<uint8_t> skips(grid.size());
  frame.side = {vectors.data(), skips.data()};
  frame.parameters.type = FrameType::kPredicted;
  SymbolCoder coder(picture, header, grid, 2);
  Bytes packet;
  coder.encode(frame, packet);
  ASSERT_TRUE(coder.read_header(packet).ok());
  const auto& components = coder.components();
  ASSERT_EQ(components.size(), 10U);
  size_t at = coder.header().size + coder.header().motion_size;
  for (size_t i = 0; i < components.size(); ++i) {
    const size_t size = coder.header().component_sizes[i];
    const auto symbols = test::inflate(std::span(packet).subspan(at, size));
    ASSERT_TRUE(symbols.has_value()) << i;
    Bytes expected;
    for (int p = components[i].first_plane; p <= components[i].last_plane; ++p) {
      const auto [offset, count] = components[i].range(picture, p);
      reference::append_zero_runs(expected, {frame.levels[static_cast<size_t>(p)] + offset, count}, true);
    }
    ASSERT_EQ(*symbols, expected) << i;
    at += size;
  }

  // The same payload with a byte more for the second and one less for the third: checksums hold.
  PacketHeader moved = coder.header();
  ++moved.component_sizes[1];
  --moved.component_sizes[2];
  Bytes unit;
  write_packet_header(components, moved, unit);
  unit.insert(unit.end(), packet.begin() + static_cast<std::ptrdiff_t>(coder.header().size), packet.end());
  seal_packet(unit, moved);
  ASSERT_TRUE(coder.read_header(unit).ok());
  const Status status = coder.decode(unit, 2, frame);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message().find("component 1 at byte "), 0U) << status.message();
}

}  // namespace
}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a packet's header, what a damaged layer spares, and sizes that lie.
#include <gtest/gtest.h>

#include <string>

#include "codec/format/bytes.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/units.hpp"

namespace ctv {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kLayers = 4;
constexpr PacketLayout kLayout{5, false, 1};
constexpr PacketLayout kRegionLayout{5, true, 1};
const std::vector<Component> kComponents = {
    {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 1, 2, 0, 0}, {3, 0, 0, 0, 0}, {3, 1, 2, 0, 0}};

struct Packet {
  PacketHeader header;
  Bytes bytes;
};

Packet packet_of(const Bytes& motion, const std::vector<Bytes>& payloads) {
  Packet p;
  p.header.frame.type = motion.empty() ? FrameType::kKey : FrameType::kPredicted;
  p.header.frame.number = 127;
  const std::vector<PacketPart> parts(payloads.begin(), payloads.end());
  write_packet(motion, parts, false, p.header, p.bytes);
  return p;
}

Status read(const Bytes& bytes, PacketHeader& header) { return read_packet_header(bytes, kLayout, header); }

Status parts_in(const Bytes& bytes, const PacketHeader& header, size_t count, const PartLoss& loss,
                Payloads& found) {
  find_payloads(bytes, header, count, loss, found);
  found.shares.begin(found.components.size(), 2);
  for (size_t i = 0; i < found.components.size(); ++i) found.shares.add(i, found.components[i].size());
  for (size_t i = 0; i < found.shares.size(); ++i) {
    const PartShares::Share& share = found.shares[i];
    check_payload(header, i, share.of(found.components[share.part]), found);
  }
  return settle_payloads(bytes, header, loss, found);
}

Status payloads_in(const Bytes& bytes, const PacketHeader& header, int layers, const PartLoss& loss,
                   Payloads& found) {
  size_t wanted = 0;
  while (wanted < kComponents.size() && kComponents[wanted].layer < layers) ++wanted;
  return parts_in(bytes, header, wanted, loss, found);
}

std::vector<Bytes> payloads_of(std::initializer_list<size_t> sizes) {
  std::vector<Bytes> payloads;
  for (const size_t size : sizes) payloads.emplace_back(size, static_cast<uint8_t>(size));
  return payloads;
}

// The definition, a bit at a time.
uint32_t slow_crc32(std::span<const uint8_t> bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (0xedb88320U & (0 - (crc & 1U)));
  }
  return ~crc;
}

TEST(Crc32, IsTheDefinitionsForAnyLengthAndAddress) {
  std::vector<uint8_t> bytes(1500);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i * i >> 7);
  for (size_t size = 0; size < 400; ++size) {
    const auto some = std::span<const uint8_t>(bytes).subspan(size % 17, size);
    EXPECT_EQ(crc32_of(some, 77), slow_crc32(some, 77)) << size;
  }
  EXPECT_EQ(crc32_of(bytes), slow_crc32(bytes, 0));
}

TEST(Packet, IsTheSameWithPartsInTwoPiecesAndAnyNumberOfThreads) {
  const std::vector<Bytes> payloads = payloads_of({300, 0, 70000, 1, 20000});
  const Packet expected = packet_of(Bytes(30), payloads);
  for (const int threads : {1, 2, 64}) {
    for (const size_t cut : {size_t{0}, size_t{1}, size_t{300}}) {
      std::vector<PacketPart> parts;
      for (const Bytes& b : payloads) {
        const std::span<const uint8_t> all(b);
        const size_t head = std::min(cut, b.size());
        parts.emplace_back(all.first(head), all.subspan(head));
      }
      Packet p{expected.header, Bytes(200000, 1)};  // bytes of a longer frame
      write_packet(Bytes(30), parts, false, p.header, p.bytes, threads);
      EXPECT_EQ(p.bytes, expected.bytes);
      Payloads found;
      ASSERT_TRUE(payloads_in(p.bytes, p.header, kLayers, {}, found).ok());
      for (size_t i = 0; i < payloads.size(); ++i) {
        EXPECT_TRUE(std::ranges::equal(found.components[i], payloads[i])) << i;
      }
    }
  }
}

TEST(Packet, EmptyPartsAndLayersCostNoBytes) {
  const auto header_size = [](const Bytes& motion, std::initializer_list<size_t> sizes) {
    const Packet p = packet_of(motion, payloads_of(sizes));
    size_t payload = motion.size();
    for (const size_t size : sizes) payload += size;
    EXPECT_EQ(p.header.size + payload, p.bytes.size());
    return p.header.size;
  };
  const size_t fields = 3 + 1 + 1 + 1 + 4;  // prefix, bits, number, step, checksum
  EXPECT_EQ(header_size({}, {0, 0, 0, 0, 0}), fields);
  EXPECT_EQ(header_size(Bytes(3), {0, 0, 0, 0, 0}), fields);
  EXPECT_EQ(header_size(Bytes(30), {7, 0, 0, 0, 0}), fields + 1 + 2);  // a size, a check
  EXPECT_EQ(header_size({}, {7, 0, 0, 0, 9}), fields + 5 + 4);
  EXPECT_EQ(header_size({}, {7, 0, 8, 9, 0}), fields + 4 + 6);
  EXPECT_EQ(header_size(Bytes(300), {7, 0, 0, 0, 0}), fields + 1 + 2 + 2);  // longer sizes
}

TEST(Packet, WhatFewFramesNeedCostsBytesOnlyThere) {
  const auto header_of = [](auto change) {
    Packet p;
    p.header.frame = {.number = 5, .type = FrameType::kPredicted};
    change(p.header.frame);
    write_packet({}, std::vector<PacketPart>(kComponents.size()), false, p.header, p.bytes);
    PacketHeader header;
    EXPECT_TRUE(read_packet_header(p.bytes, {kComponents.size(), false, kMaxSlots}, header).ok());
    EXPECT_EQ(header.frame.reference, p.header.frame.reference);
    EXPECT_EQ(header.frame.slot, p.header.frame.slot);
    EXPECT_EQ(header.frame.kept, p.header.frame.kept);
    EXPECT_EQ(header.frame.temporal_id, p.header.frame.temporal_id);
    EXPECT_EQ(header.frame.reconstruction_offset, p.header.frame.reconstruction_offset);
    return header.size;
  };
  const size_t least = header_of([](FrameParameters&) {});
  EXPECT_EQ(header_of([](FrameParameters& f) { f.reference = 2; }), least + 1);
  EXPECT_EQ(header_of([](FrameParameters& f) { f.slot = 7; }), least + 1);
  EXPECT_EQ(header_of([](FrameParameters& f) { f.kept = false, f.temporal_id = 2; }), least + 1);
  EXPECT_EQ(header_of([](FrameParameters& f) { f.reconstruction_offset = 31; }), least + 1);
  EXPECT_EQ(header_of([](FrameParameters& f) { f.reference = 255, f.slot = 1; }), least + 2);
}

TEST(Packet, ASlotThatTheStreamDoesNotHaveIsRefused) {
  Packet p;
  p.header.frame.slot = 3;
  write_packet({}, std::vector<PacketPart>(kComponents.size()), false, p.header, p.bytes);
  PacketHeader header;
  EXPECT_TRUE(read_packet_header(p.bytes, {kComponents.size(), false, 4}, header).ok());
  EXPECT_NE(
      read_packet_header(p.bytes, {kComponents.size(), false, 3}, header).message().find("slot at byte"),
      std::string::npos);
}

TEST(Packet, PartsComeBackWhateverIsEmpty) {
  for (unsigned mask = 0; mask < 64; ++mask) {
    std::vector<Bytes> payloads;
    for (unsigned i = 0; i < 5; ++i) payloads.emplace_back((mask >> i & 1U) * (10 + i), uint8_t{1});
    const Bytes motion((mask >> 5 & 1U) * 200, uint8_t{2});
    const Packet p = packet_of(motion, payloads);
    PacketHeader header;
    ASSERT_TRUE(read(p.bytes, header).ok()) << read(p.bytes, header).message();
    Payloads found;
    ASSERT_TRUE(payloads_in(p.bytes, header, kLayers, {}, found).ok());
    EXPECT_TRUE(std::ranges::equal(found.side, motion));
    ASSERT_EQ(found.components.size(), payloads.size());
    for (size_t i = 0; i < payloads.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(found.components[i], payloads[i])) << i;
    }
  }
}

TEST(Packet, DamageIsToldFromSoundParts) {
  const Packet p = packet_of(Bytes(20), payloads_of({30, 40, 50, 60, 70}));
  const size_t reference_at = p.header.size - 2;  // half of the checksum: tells the reference, too
  Payloads found;
  for (size_t at = 3; at < p.bytes.size(); ++at) {
    Bytes bytes = p.bytes;
    bytes[at] ^= 0x10;
    PacketHeader header;
    const size_t vectors_end = p.header.size + 20;
    const bool other_reference = at >= reference_at && at < p.header.size;
    ASSERT_EQ(read(bytes, header).ok(), at >= vectors_end || other_reference) << at;
    if (other_reference) {
      EXPECT_NE(header.frame.reference_check, 0);
    }
    if (at < vectors_end) continue;
    const int damaged = at < vectors_end + 30 ? 0 : at < vectors_end + 120 ? 1 : 3;
    for (int layers = 1; layers <= kLayers; ++layers) {
      EXPECT_EQ(payloads_in(bytes, header, layers, {}, found).ok(), layers <= damaged) << at;
    }
    ASSERT_TRUE(payloads_in(bytes, header, kLayers, {true, {}}, found).ok());
    EXPECT_EQ(found.missing, 1);
  }
}

TEST(Packet, SizesThatLeaveNothingForTheLastPartAreRefused) {
  Packet p = packet_of({}, payloads_of({7, 0, 0, 0, 9}));
  Bytes bytes = p.bytes;
  bytes.resize(bytes.size() - 9);
  bytes[2] = static_cast<uint8_t>(bytes.size() - 3);
  seal_packet(bytes, p.header, 0);
  PacketHeader header;
  EXPECT_EQ(read(bytes, header).message(),
            "packet size at byte 2: " + std::to_string(bytes.size()) + " bytes announced, at least " +
                std::to_string(bytes.size() + 1) + " by the sizes of its parts");
}

TEST(Packet, NoUnitIsShorterThanWhatTellsItsSize) {
  for (uint8_t size = 0; size < 20; ++size) {
    const Bytes bytes = {'C', 'P', size, 0, 0, 0, 0, 0};
    const auto prefix = read_prefix(bytes);
    ASSERT_EQ(prefix.ok(), size >= 7) << int{size};
    if (prefix.ok()) {
      EXPECT_EQ(prefix->size, 3U + size);
    }
  }
  EXPECT_GE(packet_of({}, payloads_of({0, 0, 0, 0, 0})).bytes.size(), 3U + kLeastPacket);
}

TEST(Packet, ACheckBindsTheHeaderToItsReference) {
  const Packet p = packet_of(Bytes(5), payloads_of({7, 0, 0, 0, 9}));
  Bytes bytes = p.bytes;
  const uint16_t check = seal_packet(bytes, p.header, 0xabcd);
  PacketHeader header;
  ASSERT_TRUE(read(bytes, header).ok());
  EXPECT_EQ(header.frame.reference_check, 0xabcd);
  EXPECT_EQ(header.frame.check, check);
  EXPECT_NE(seal_packet(bytes, p.header, 0xabce), check);
  EXPECT_EQ(seal_packet(bytes, p.header, 0xabcd), check) << "may be repeated";
}

// A predicted packet of macroblocks: `sizes` counts its regions.
Packet regions_of(const Bytes& motion, const std::vector<Bytes>& payloads, bool checked) {
  Packet p;
  p.header.frame = {.number = 127, .type = FrameType::kPredicted};
  p.header.checked = checked;
  const std::vector<PacketPart> parts(payloads.begin(), payloads.end());
  write_packet(motion, parts, true, p.header, p.bytes);
  return p;
}

TEST(Regions, AnyNumberComesBackWithChecksAndWithout) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{6}, size_t{7}, kMostRegions}) {
    for (const bool checked : {false, true}) {
      std::vector<Bytes> payloads;
      size_t size = 20;
      for (size_t i = 0; i < count; ++i) payloads.emplace_back(1 + i, static_cast<uint8_t>(i));
      for (const Bytes& payload : payloads) size += payload.size();
      const Packet p = regions_of(Bytes(20), payloads, checked);
      EXPECT_EQ(p.bytes.size(), p.header.size + size);
      const size_t fields = (size < 100 ? 3 : 4) + 1 + 1 + 1 + 4;  // prefix, bits, number, step, checksum
      EXPECT_EQ(p.header.size, fields + (count > 6 ? 1 : 0) + count + (checked ? 2 * count : 0));
      PacketHeader header;
      ASSERT_TRUE(read_packet_header(p.bytes, kRegionLayout, header).ok());
      EXPECT_EQ(header.checked, checked);
      EXPECT_EQ(header.frame.reconstruction_offset, 0);
      ASSERT_EQ(header.component_sizes.size(), count);
      Payloads found;
      ASSERT_TRUE(parts_in(p.bytes, header, count, {}, found).ok());
      EXPECT_EQ(found.side.size(), 20U);
      for (size_t i = 0; i < count; ++i) EXPECT_TRUE(std::ranges::equal(found.components[i], payloads[i]));
    }
  }
}

TEST(Regions, AreNoMoreThanMayBe) {
  const Packet p = regions_of(Bytes(20), std::vector<Bytes>(kMostRegions + 1, Bytes(2)), true);
  PacketHeader header;
  EXPECT_NE(read_packet_header(p.bytes, kRegionLayout, header).message().find("sizes at byte"),
            std::string::npos);
}

TEST(Regions, KeyFramesOfSuchStreamsHaveComponents) {
  Packet p;
  p.header.frame.reconstruction_offset = 3;
  const std::vector<Bytes> payloads = payloads_of({30, 40, 50, 60, 70});
  write_packet({}, std::vector<PacketPart>(payloads.begin(), payloads.end()), true, p.header, p.bytes);
  PacketHeader header;
  ASSERT_TRUE(read_packet_header(p.bytes, kRegionLayout, header).ok());
  EXPECT_TRUE(header.checked);
  EXPECT_EQ(header.frame.reconstruction_offset, 3);
  EXPECT_EQ(header.component_sizes.size(), payloads.size());
}

TEST(Regions, WithoutChecksThePacketsChecksumCoversThem) {
  const Packet p = regions_of(Bytes(20), payloads_of({30, 40, 50}), false);
  PacketHeader header;
  for (size_t at = p.header.size; at < p.bytes.size(); ++at) {
    Bytes bytes = p.bytes;
    bytes[at] ^= 0x10;
    ASSERT_FALSE(read_packet_header(bytes, kRegionLayout, header).ok()) << at;
  }
  for (size_t size = p.header.size; size < p.bytes.size(); ++size)
    ASSERT_FALSE(read_packet_header(std::span(p.bytes).first(size), kRegionLayout, header).ok()) << size;
}

TEST(Regions, WithChecksOneThatIsDamagedSparesTheOthers) {
  const Packet p = regions_of(Bytes(20), payloads_of({30, 40, 50}), true);
  Payloads found;
  for (size_t at = p.header.size + 20; at < p.bytes.size(); ++at) {
    Bytes bytes = p.bytes;
    bytes[at] ^= 0x10;
    PacketHeader header;
    ASSERT_TRUE(read_packet_header(bytes, kRegionLayout, header).ok()) << at;
    EXPECT_FALSE(parts_in(bytes, header, 3, {}, found).ok());
    ASSERT_TRUE(parts_in(bytes, header, 3, {true, {}}, found).ok());
    EXPECT_EQ(found.missing, 1);
    const size_t region = at < p.header.size + 50 ? 0 : at < p.header.size + 90 ? 1 : 2;
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(found.components[i].empty(), i == region) << at;
  }
}

}  // namespace
}  // namespace ctv

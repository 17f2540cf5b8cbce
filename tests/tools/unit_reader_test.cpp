// SPDX-License-Identifier: BSD-3-Clause
// Cutting a stream into units: whole, cut, garbled, with sizes that lie; from files and pipes.
#include <gtest/gtest.h>

#include <string>

#include "cli/exit.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

// The prefix of a short packet has three bytes.
std::string unit(const std::string& tag, const std::string& payload) {
  std::string s = tag;
  const auto size = static_cast<uint32_t>(payload.size());
  if (tag == "CP") return s + static_cast<char>(size) + payload;
  for (int i = 0; i < 4; ++i) s.push_back(static_cast<char>(size >> (8 * i)));
  return s + payload;
}

UnitReader reader_of(const std::string& s, bool seekable, uint64_t limit = 1 << 20) {
  return UnitReader(std::make_unique<MemorySource>(
                        std::span(reinterpret_cast<const uint8_t*>(s.data()), s.size()), seekable),
                    limit);
}

const std::string kStream =
    unit("CTVS", "head") + unit("CP", "packet zero..") + unit("CP", "packet one...") + unit("CTVX", "");

TEST(UnitReader, WholeStream) {
  for (const bool seekable : {true, false}) {
    UnitReader reader = reader_of(kStream, seekable);
    const ctv_unit_kind kinds[] = {CTV_UNIT_HEADER, CTV_UNIT_PACKET, CTV_UNIT_PACKET, CTV_UNIT_INDEX};
    uint64_t offset = 0;
    for (const ctv_unit_kind kind : kinds) {
      const auto u = reader.next();
      ASSERT_TRUE(u);
      EXPECT_EQ(u->kind, kind);
      EXPECT_EQ(u->offset, offset);
      offset += u->bytes.size();
      reader.read_ahead();
      EXPECT_TRUE(reader.plausible_successor());
    }
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.seek(12), seekable);
    if (seekable) {
      EXPECT_EQ(reader.next()->offset, 12u);
    }
  }
}

// Gives the header and the first packet, fails twice, and gives the rest.
class FailingTwice : public MemorySource {
 public:
  using MemorySource::MemorySource;
  size_t read(std::span<uint8_t> into) override {
    if (sound_ > 0) {
      const size_t n = MemorySource::read(into.first(std::min(into.size(), sound_)));
      sound_ -= n;
      return n;
    }
    if (failures_++ < 2) throw Failure(Exit::kFile, "cannot read");
    return MemorySource::read(into);
  }

 private:
  size_t sound_ = 12 + 16;
  int failures_ = 0;
};

TEST(UnitReader, WhatFailsAheadFailsInNext) {
  UnitReader reader(std::make_unique<FailingTwice>(
      std::span(reinterpret_cast<const uint8_t*>(kStream.data()), kStream.size())));
  EXPECT_EQ(reader.next()->kind, CTV_UNIT_HEADER);
  EXPECT_EQ(reader.next()->bytes.size(), 16u);
  reader.read_ahead();
  EXPECT_THROW(reader.next(), Failure);
  const auto second = reader.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->offset, 28u);
  EXPECT_EQ(std::string(second->bytes.begin() + 3, second->bytes.end()), "packet one...");
}

TEST(UnitReader, EveryCutIsAnErrorExceptBetweenUnits) {
  for (size_t size = 0; size < kStream.size(); ++size) {
    const std::string cut = kStream.substr(0, size);
    UnitReader reader = reader_of(cut, false);
    bool failed = false;
    try {
      while (reader.next()) {
      }
    } catch (const Failure& e) {
      EXPECT_EQ(e.code(), Exit::kStream);
      failed = true;
    }
    EXPECT_EQ(failed, size != 0 && size != 12 && size != 28 && size != 44) << size;
  }
}

TEST(UnitReader, ResynchronisesAfterGarbage) {
  const std::string stream = unit("CTVS", "head") + "garbage CTV! CCTV" + unit("CP", "packet one...");
  for (const bool seekable : {true, false}) {
    UnitReader reader = reader_of(stream, seekable);
    ASSERT_TRUE(reader.next());
    EXPECT_THROW(reader.next(), Failure);
    ASSERT_TRUE(reader.resynchronise());
    const auto u = reader.next();
    ASSERT_TRUE(u);
    EXPECT_EQ(u->offset, 12u + 17);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.resynchronise() && reader.next());
  }
}

TEST(UnitReader, AContainerInAPipeIsToldFromOtherBytes) {
  const auto message_of = [](const std::string& stream) -> std::string {
    try {
      reader_of(stream, false).next();
    } catch (const Failure& e) {
      EXPECT_EQ(e.code(), Exit::kStream);
      return e.what();
    }
    return "";
  };
  for (const char* begin : {"\x1A\x45\xDF\xA3", "nut/multimedia container",
                            "size"
                            "ftypqt  "}) {
    EXPECT_NE(message_of(begin + std::string(20, 'x')).find("give its name"), std::string::npos) << begin;
  }
  EXPECT_NE(message_of("YUV4MPEG2 W64 H48").find("not a ctv stream"), std::string::npos);
  EXPECT_NE(message_of("12345678").find("not a ctv stream"), std::string::npos);
}

TEST(UnitReader, ASizeThatLiesDoesNotSwallowTheRest) {
  std::string stream = kStream;
  stream[12 + 2] = 20;  // packet 0 claims some of packet 1
  UnitReader reader = reader_of(stream, false);
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.next());
  EXPECT_FALSE(reader.plausible_successor());
  ASSERT_TRUE(reader.resynchronise());
  const auto u = reader.next();
  ASSERT_TRUE(u);
  EXPECT_EQ(u->offset, 28u);
  EXPECT_EQ(u->kind, CTV_UNIT_PACKET);
}

// Each of many units goes to the same end. To look into all of them would take quadratic time.
TEST(UnitReader, UnitsWithinUnitsAreNotAllReturned) {
  constexpr size_t kEach = 16, kBytes = 4096 * kEach;
  std::string nested;
  while (nested.size() < kBytes) {
    const size_t size = kBytes - nested.size() - 6;
    std::string head = "CP";
    for (int i = 0; i < 4; ++i)
      head.push_back(static_cast<char>((size >> (7 * i) & 127) | (i < 3 ? 128U : 0U)));
    nested += head + std::string(kEach - head.size(), '.');
  }
  const std::string stream = unit("CTVS", "head") + nested + unit("CP", "packet one...");
  UnitReader reader = reader_of(stream, true);
  ASSERT_TRUE(reader.next());
  uint64_t returned = 0, last = 0;
  while (const auto u = reader.next()) {  // as if each were damaged
    returned += u->bytes.size();
    last = u->offset;
    if (!reader.resynchronise()) break;
  }
  EXPECT_LE(returned, 20 * kBytes);
  EXPECT_EQ(last, 12 + kBytes) << "the packet behind them";
}

TEST(UnitReader, LimitOfUnits) {
  std::string stream = kStream;
  for (size_t i : {2U, 3U, 4U, 5U}) stream[12 + i] = i < 5 ? -1 : 1;  // 2 MiB and more
  UnitReader reader = reader_of(stream, false);
  ASSERT_TRUE(reader.next());
  try {
    reader.next();
    ADD_FAILURE();
  } catch (const Failure& e) {
    EXPECT_EQ(e.code(), Exit::kLimit);
  }
  ASSERT_TRUE(reader.resynchronise());
  EXPECT_EQ(reader.next()->offset, 28u);
}

TEST(UnitReader, AFilesEndIsKnownWithoutReading) {
  // Tags whose sizes reach far beyond the end, as in hostile files: no byte is read twice, none for a size
  // that lies.
  std::string stream = unit("CTVS", "head");
  for (int i = 0; i < 1000; ++i) stream += std::string("CP\x80\x80\x40\0\0\0", 8);
  UnitReader reader = reader_of(stream, true, 1 << 30);
  ASSERT_TRUE(reader.next());
  int cut = 0;
  do {
    try {
      ASSERT_FALSE(reader.next());
      break;
    } catch (const CutUnit&) {
      ++cut;
    } catch (const Failure& e) {
      ADD_FAILURE() << e.what();
    }
  } while (reader.resynchronise());
  EXPECT_EQ(cut, 1000);
}

TEST(UnitReader, LongGarbage) {
  const std::string stream = unit("CTVS", "head") + std::string(3 << 20, 'C') + unit("CP", "xxxxxxx");
  UnitReader reader = reader_of(stream, false);
  ASSERT_TRUE(reader.next());
  EXPECT_THROW(reader.next(), Failure);
  ASSERT_TRUE(reader.resynchronise());
  EXPECT_EQ(reader.next()->offset, stream.size() - 10);
}

}  // namespace
}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The two steps of a piece's encoder: note symbols as events, then code the events in reverse.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/entropy/growing.hpp"
#include "codec/model/rans.hpp"

namespace ctv {

inline constexpr std::array<uint64_t, kWhole> kRansReciprocals = [] {
  std::array<uint64_t, kWhole> r{};
  for (uint32_t i = 1; i < r.size(); ++i) r[i] = rans_reciprocal_64(i);
  return r;
}();

/// Stores symbols as events of rans.hpp from `next` on.
struct EventWriter {
  const SymbolTable* tables;
  uint32_t* next;

  uint32_t symbol(uint32_t table, uint32_t s) {
    uint32_t both = 0;  // start of its interval and of the next one
    std::memcpy(&both, tables[table].begin + s, sizeof both);
    if constexpr (std::endian::native == std::endian::big) both = std::rotl(both, 16);
    *next++ = ((both - (both << 16)) & (kWhole - 1) << 16) | (both & 0xffffU);
    return s;
  }
  uint32_t raw(uint32_t bits, uint32_t value) {
    *next++ = raw_event(bits, value);
    return value;
  }
};

/// Prepends words to bytes. Branch-free: whether a word is due is unpredictable.
struct WordsBefore {
  uint8_t* at;
  void push(uint32_t word, uint32_t due) {
    at[-1] = static_cast<uint8_t>(word >> 8);
    at[-2] = static_cast<uint8_t>(word);
    at -= 2 * due;
  }
};

/// Codes a piece's events from last to first.
struct EventCoder {
  RansWriter<WordsBefore> writer{WordsBefore{nullptr}};
  const uint32_t* event = nullptr;
  void put_next() {
    --event;
    if ((*event & kRawEvent) != 0) {
      writer.put_raw(*event);
    } else {
      writer.put(*event, kRansReciprocals[*event >> 16]);
    }
  }
};

/// Appends the bytes of a piece to `out`, which has `at` bytes. Returns their number.
inline size_t write_events(std::span<const uint32_t> events, Growing<uint8_t>& out, size_t at) {
  const size_t room = at + 2 * events.size() + 8;
  uint8_t* const bytes = out.reserve(room, at);
  EventCoder coder{RansWriter(WordsBefore{bytes + room}), events.data() + events.size()};
  while (coder.event != events.data()) coder.put_next();
  const uint8_t* const first = coder.writer.finish().at;
  const auto size = static_cast<size_t>(bytes + room - first);
  std::copy_n(first, size, bytes + at);  // to a lower address
  return size;
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The stream parameters, each described once: the sequence header, the check of a configuration,
// ctv_stream_info and ctv_parameter read this table. Rows are in the order of the header's bytes
// (docs/bitstream.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "codec/format/headers.hpp"

namespace ctv {

struct StreamField {
  static constexpr size_t kNone = SIZE_MAX;

  const char* title;  // name of the header's field in messages
  int bytes;          // size of one value in the header
  int64_t lo, hi;     // range in the header
  int64_t (*get)(const SequenceHeader&, int i);
  void (*set)(SequenceHeader&, int i, int64_t value);

  // Name of the member of ctv_config and ctv_stream_info, an int32_t or an enumeration; "": none.
  const char* name = "";
  const char* description = "";
  size_t config = kNone;  // offsets of that member
  size_t info = kNone;
  unsigned width = 8;                 // below 8: bits of a byte that consecutive fields share
  bool log2 = false;                  // the header has log2 of the value; 0 means 0 if lo is 0
  std::span<const int32_t> values{};  // the valid values, if they are not a range

  /// Whether a header has the field; null: always. These functions may read earlier fields only.
  bool (*present)(const SequenceHeader&) = nullptr;
  int (*count)(const SequenceHeader&) = nullptr;     // number of values; null: 1
  int64_t (*most)(const SequenceHeader&) = nullptr;  // largest value; null: hi
  /// In messages, what a value above `most` requires; null: a configuration's value is reduced to `most`.
  const char* needs = nullptr;

  int values_in(const SequenceHeader& h) const { return count == nullptr ? 1 : count(h); }
  int64_t most_in(const SequenceHeader& h) const { return most == nullptr ? hi : most(h); }
  bool is_in(const SequenceHeader& h) const { return present == nullptr || present(h); }
  /// Converts a header's value to the public one, and back; -1 if there is none.
  int64_t to_public(int64_t value) const;
  int64_t from_public(int64_t value) const;
  /// Whether a header's value is one of `values`.
  bool allows(int64_t value) const;
  /// For example "8, 16, 32".
  std::string list_values() const;
};

std::span<const StreamField> stream_fields();

/// Reads an int32_t or an enumeration of a public structure.
int32_t member_at(const void* structure, size_t offset, int i = 0);
void set_member_at(void* structure, size_t offset, int i, int64_t value);

}  // namespace ctv

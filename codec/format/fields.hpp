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

  const char* title;  // of the header's field, in messages
  int bytes;          // of one value in the header
  int64_t lo, hi;     // in the header
  int64_t (*get)(const SequenceHeader&, int i);
  void (*set)(SequenceHeader&, int i, int64_t value);

  // Of the member of ctv_config and ctv_stream_info, an int32_t or an enumeration, if there is one.
  const char* name = "";
  const char* description = "";
  size_t config = kNone;  // its offsets
  size_t info = kNone;
  bool log2 = false;                  // the header has log2 of its value; 0 stands for 0 if lo is 0
  std::span<const int32_t> values{};  // all its values, if they are not a range

  /// Whether a header has the field; null: always. The fields before it are known, here and below.
  bool (*present)(const SequenceHeader&) = nullptr;
  int (*count)(const SequenceHeader&) = nullptr;     // of values; null: 1
  int64_t (*most)(const SequenceHeader&) = nullptr;  // largest value; null: hi
  /// What a value above `most` needs, in messages; null: a configuration's value is reduced to `most`.
  const char* needs = nullptr;

  int values_in(const SequenceHeader& h) const { return count == nullptr ? 1 : count(h); }
  int64_t most_in(const SequenceHeader& h) const { return most == nullptr ? hi : most(h); }
  bool is_in(const SequenceHeader& h) const { return present == nullptr || present(h); }
  /// The public value of the header's, and back; -1 if there is none.
  int64_t to_public(int64_t value) const;
  int64_t from_public(int64_t value) const;
  /// Whether a header's value is one of `values`.
  bool allows(int64_t value) const;
  /// "8, 16, 32"
  std::string list_values() const;
};

std::span<const StreamField> stream_fields();

/// An int32_t or an enumeration of a public structure.
int32_t member_at(const void* structure, size_t offset, int i = 0);
void set_member_at(void* structure, size_t offset, int i, int64_t value);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// What several fuzz targets do with an input: settings from its bytes, a decoder driven to its end.
#pragma once

#include <ctv/ctv.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tests/support/clip.hpp"

namespace ctv::fuzz {

/// The bytes of an input, one after the other; 0 past the last.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  int byte() { return size_ == 0 ? 0 : (--size_, *data_++); }
  /// low..high
  int64_t between(int64_t low, int64_t high);
  bool more() const { return size_ > 0; }

 private:
  const uint8_t* data_;
  size_t size_;
};

/// A preset with up to seven settings changed, for the CPU and one thread. The library may refuse it.
ctv_config read_config(Choices& in);
/// A picture for `config`: generated, with samples from the input in its first plane.
test::Frame read_picture(Choices& in, const ctv_config& config, int number);

/// Limits of a few thousand samples. Bits of a: 1..3 reduction, 4..6 all set: threads, then 7: frames in
/// flight. Bits of b: 0..2 format, 3 conceal.
ctv_decoder_config read_decoder_config(unsigned a, unsigned b);

/// All that a decoder gave. Counting and hashing, it allocates nothing.
struct Outcome {
  uint64_t hash = 14695981039346656037U;  // FNV-1a of pictures and of errors, in order
  int pictures = 0;
  bool memory_lacked = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  void add(uint64_t value) { hash = (hash ^ value) * 1099511628211U; }
  void add(const ctv_picture& picture);
  void add(ctv_status status);  // aborts on CTV_ERROR_INTERNAL and on errors without a message
};
/// What happens between units.
struct Script {
  bool reset = false;  // the decoder is reset after units whose size modulo 16 is 3
  // With one frame in flight: the decoder is reset before this unit, or instead of taking its picture.
  size_t reset_at = SIZE_MAX;
  bool with_picture = false;
  std::function<void(size_t unit, bool received)> after = {};  // a unit was sent, or its pictures received
};
/// Sends all units, flushes and receives until CTV_END. Aborts if the decoder says "again" on both sides or
/// does not end.
Outcome decode(std::span<const std::vector<uint8_t>> units, const ctv_decoder_config& config,
               const Script& script = {});

}  // namespace ctv::fuzz

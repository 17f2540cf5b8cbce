// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins for devices (stand_in.hpp). One fails at its n-th call and, as after a sticky error of a real
// device, at all that follow. One keeps the calls of a frame with their arguments, and makes them again when
// a frame comes that the pipeline says is equal.
#pragma once

#include "tests/support/backends.hpp"

namespace ctv::test {

enum class Failure { kForGood, kMemoryOnce };

/// Distance of the calls that fail, in tests that try them in turn. Under sanitizers, which slow these tests
/// most, it is 3; other builds try every call, and so does the fuzz target "fallback".
inline constexpr long kCallStep = kSanitized ? 3 : 1;

/// While it lives, "CUDA" is the stand-in that fails at call number `fail_at` of the whole process (0:
/// never): for good, or this one call for want of memory.
class DeviceThatFails {
 public:
  explicit DeviceThatFails(long fail_at, Failure failure = Failure::kForGood);
  ~DeviceThatFails();
  DeviceThatFails(const DeviceThatFails&) = delete;
  DeviceThatFails& operator=(const DeviceThatFails&) = delete;
  /// Calls made so far.
  static long calls();
};

/// While it lives, "CUDA" is the stand-in that repeats frames.
class DeviceThatRepeats {
 public:
  DeviceThatRepeats();
  ~DeviceThatRepeats();
  DeviceThatRepeats(const DeviceThatRepeats&) = delete;
  DeviceThatRepeats& operator=(const DeviceThatRepeats&) = delete;
  /// Frames repeated so far.
  static long repeated();
};

}  // namespace ctv::test

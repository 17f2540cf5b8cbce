// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for a device: the CPU's stages, the CUDA backend's name, and a failure at the n-th call, after
// which every call fails, as after a sticky error of a real device.
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

}  // namespace ctv::test

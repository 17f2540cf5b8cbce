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

/// While it lives, it is "CUDA".
class CudaStandIn {
 public:
  CudaStandIn() = default;
  ~CudaStandIn();
  CudaStandIn(const CudaStandIn&) = delete;
  CudaStandIn& operator=(const CudaStandIn&) = delete;
};

/// Fails at call number `fail_at` of the whole process (0: never): for good, or this one call for want of
/// memory.
struct DeviceThatFails : CudaStandIn {
  explicit DeviceThatFails(long fail_at, Failure failure = Failure::kForGood);
  /// Calls made so far.
  static long calls();
};

struct DeviceThatRepeats : CudaStandIn {
  DeviceThatRepeats();
  /// Frames repeated so far.
  static long repeated();
};

}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins for devices (stand_in.hpp). One fails at its n-th call and, like a real device after a sticky
// error, at all later calls. The other records the calls of a frame with their arguments, and repeats them
// for a frame that the pipeline declares equal.
#pragma once

#include "tests/support/backends.hpp"

namespace ctv::test {

enum class Failure { kForGood, kMemoryOnce };

/// Distance of the failing calls in tests that try one after the other. 3 under sanitizers, which slow these
/// tests most. Other builds, and the fuzz target "fallback", try every call.
inline constexpr long kCallStep = kSanitized ? 3 : 1;

/// Replaces the backend "CUDA" during its lifetime.
class CudaStandIn {
 public:
  CudaStandIn() = default;
  ~CudaStandIn();
  CudaStandIn(const CudaStandIn&) = delete;
  CudaStandIn& operator=(const CudaStandIn&) = delete;
};

/// Fails at call number `fail_at` of the process (0: never), either forever or once for lack of memory.
struct DeviceThatFails : CudaStandIn {
  explicit DeviceThatFails(long fail_at, Failure failure = Failure::kForGood);
  static long calls();
};

struct DeviceThatRepeats : CudaStandIn {
  DeviceThatRepeats();
  static long repeated();
};

}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Makes the n-th allocation or the n-th thread of the process fail. Linked into one test program only, since
// it replaces operator new and pthread_create.
#pragma once

namespace ctv::test {

enum class Shortage {
  kOnce,  // the n-th request fails, later ones succeed
  kFrom   // the n-th request and all later ones fail
};

/// Fails allocations while it lives; the first has number 0.
class FailingAllocations {
 public:
  FailingAllocations(long n, Shortage kind);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  /// Whether any allocation failed so far.
  static bool reached();
};

/// Fails the creation of threads while it lives; the first has number 0.
class FailingThreads {
 public:
  FailingThreads(long n, Shortage kind);
  ~FailingThreads();
  FailingThreads(const FailingThreads&) = delete;
  FailingThreads& operator=(const FailingThreads&) = delete;
  /// Whether any creation failed so far.
  static bool reached();
};

/// Exempts the calling thread while it lives, so that a test can keep results.
class Exempt {
 public:
  Exempt();
  ~Exempt();
  Exempt(const Exempt&) = delete;
  Exempt& operator=(const Exempt&) = delete;
};

}  // namespace ctv::test

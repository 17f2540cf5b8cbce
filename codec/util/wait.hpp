// SPDX-License-Identifier: BSD-3-Clause
// Waiting for an atomic number to change. Built by gcc 12 for Windows, programs hung in std::atomic::wait();
// with the calls of Windows they do not.
#pragma once

#include <atomic>

namespace ctv {

#if defined(_WIN32)
namespace detail {
void sleep_while_equal(const void* number, const void* old);
void wake_sleepers(const void* number, bool all);
}  // namespace detail
#endif

/// Returns once the number differs from `old`.
template <typename T>
void wait_while_equal(const std::atomic<T>& number, T old) {
  static_assert(sizeof number == 4);
#if defined(_WIN32)
  while (number == old) detail::sleep_while_equal(&number, &old);
#else
  number.wait(old);
#endif
}

/// Wakes one thread that waits for a change, or all. Call it after the change.
template <typename T>
void wake_one(std::atomic<T>& number) {
#if defined(_WIN32)
  detail::wake_sleepers(&number, false);
#else
  number.notify_one();
#endif
}
template <typename T>
void wake_all(std::atomic<T>& number) {
#if defined(_WIN32)
  detail::wake_sleepers(&number, true);
#else
  number.notify_all();
#endif
}

}  // namespace ctv

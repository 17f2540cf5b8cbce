// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/wait.hpp"

#if defined(_WIN32)
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602  // Windows 8
#include <windows.h>

namespace ctv::detail {

void sleep_while_equal(const void* number, const void* old) {
  WaitOnAddress(const_cast<void*>(number), const_cast<void*>(old), 4, INFINITE);
}

void wake_sleepers(const void* number, bool all) {
  all ? WakeByAddressAll(const_cast<void*>(number)) : WakeByAddressSingle(const_cast<void*>(number));
}

}  // namespace ctv::detail
#endif

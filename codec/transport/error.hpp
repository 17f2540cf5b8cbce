// SPDX-License-Identifier: BSD-3-Clause
// Errors of ctv_net: a code and one line in a fixed thread-local buffer, which needs no allocation.
#pragma once

#include <ctv/net.h>

#include <cstdint>
#include <exception>
#include <new>

namespace ctv::net {

/// Keeps the message for ctv_net_last_error() and returns the code.
[[gnu::format(printf, 2, 3)]] ctv_status fail(ctv_status code, const char* format, ...);
const char* last_error();

/// Returns an error that names a value outside its range.
ctv_status check_range(const char* name, int64_t value, int64_t least, int64_t most);

/// Runs body() -> ctv_status; converts exceptions to statuses.
template <typename Body>
ctv_status guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(CTV_ERROR_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return fail(CTV_ERROR_INTERNAL, "defect of the library: %s", e.what());
  }
}

#define CTV_NET_RETURN_IF_ERROR(expression)                                   \
  do {                                                                        \
    if (const ctv_status status_ = (expression); status_ < 0) return status_; \
  } while (false)

}  // namespace ctv::net

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/error.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace ctv::net {
namespace {

thread_local std::array<char, 256> message{};

}  // namespace

ctv_status fail(ctv_status code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(message.data(), message.size(), format, arguments);
  va_end(arguments);
  return code;
}

const char* last_error() { return message.data(); }

ctv_status check_range(const char* name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return CTV_OK;
  return fail(CTV_ERROR_ARGUMENT, "%s: %lld is not in %lld..%lld", name, static_cast<long long>(value),
              static_cast<long long>(least), static_cast<long long>(most));
}

}  // namespace ctv::net

// SPDX-License-Identifier: BSD-3-Clause
// Shared by the C entry points: the last error, versions of structures, the library's only catch.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "codec/util/stage_times.hpp"
#include "codec/util/status.hpp"

namespace ctv::api {

/// Remembers the message for ctv_last_error(), logs it, and returns the code.
ctv_status report(const Status& status);

/// Defaults of the members that an older header lacks.
ctv_config default_config();

/// Writes the times of at most `capacity` called stages to `out` and the number of these stages to `count`.
/// From then on all stages are timed.
void copy_times(StageTimes& times, ctv_stage_time* out, size_t capacity, size_t* count);

/// Runs body() -> Status, converts exceptions to statuses, and reports the result.
template <typename Body>
ctv_status guarded(Body&& body) {
  try {
    return report(ctv::guarded(body));
  } catch (const std::exception&) {  // no memory for a longer message
    return report({CTV_ERROR_MEMORY, "out of memory"});
  }
}

/// Copies a caller's structure. Members that an older header lacks are taken from `defaults`.
template <typename T>
Status read_struct(const T* given, const char* name, T defaults, T& out) {
  if (given == nullptr) return {CTV_ERROR_ARGUMENT, std::string(name) + ": is null"};
  if (given->struct_size < sizeof(size_t) || given->struct_size > sizeof(T)) {
    return {CTV_ERROR_ARGUMENT, std::string(name) + ".struct_size: " + std::to_string(given->struct_size) +
                                    " is not a size of this library's versions; use the init function"};
  }
  out = defaults;
  std::memcpy(&out, given, given->struct_size);
  out.struct_size = sizeof(T);
  return {};
}

/// Initialises the first `size` bytes of a caller's structure, as its header defines it, and sets
/// struct_size.
template <typename T>
Status init_struct(const T& value, const char* name, size_t size, T* out) {
  if (size < sizeof(size_t) || size > sizeof(T)) {
    return {CTV_ERROR_ARGUMENT, std::string(name) + ".struct_size: " + std::to_string(size) +
                                    " is not a size of this library's versions"};
  }
  std::memcpy(out, &value, size);
  out->struct_size = size;
  return {};
}

/// Writes the members that the caller's structure has.
template <typename T>
Status write_struct(const T& value, const char* name, T* out) {
  if (out == nullptr) return {CTV_ERROR_ARGUMENT, std::string(name) + ": is null"};
  const size_t size = out->struct_size;
  if (size < sizeof(size_t) || size > sizeof(T)) {
    return {CTV_ERROR_ARGUMENT, std::string(name) + ".struct_size: is not set"};
  }
  std::memcpy(out, &value, size);
  out->struct_size = size;
  return {};
}

inline Status need(const void* pointer, const char* name) {
  if (pointer != nullptr) return {};
  return {CTV_ERROR_ARGUMENT, std::string(name) + ": is null"};
}

}  // namespace ctv::api

// SPDX-License-Identifier: BSD-3-Clause
// The C interface: versions, errors, configuration, memory, devices. encoder_entry.cpp, decoder_entry.cpp and
// info_entry.cpp have the rest.
#include "codec/api/entry.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "codec/api/host_memory.hpp"
#include "codec/backends.hpp"
#include "codec/config/presets.hpp"
#include "codec/util/log.hpp"

namespace {

// A fixed buffer, so that a lack of memory can be reported too.
constexpr size_t kMost = 500;
thread_local std::array<char, kMost + 1> last_error{};

// Messages may quote text of callers or files: control characters are replaced.
void set_last_error(std::string_view message) {
  const size_t size = std::min(message.size(), kMost);
  std::transform(message.begin(), message.begin() + static_cast<ptrdiff_t>(size), last_error.begin(),
                 [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c; });
  if (message.size() > kMost) std::fill_n(&last_error[kMost - 3], 3, '.');
  last_error[size] = '\0';
}

}  // namespace

ctv_status ctv::api::report(const Status& status) {
  set_last_error(status.message());
  if (!status.ok()) {
    const auto line = last_error;  // a copy: the callback may change last_error
    log_message(CTV_LOG_ERROR, line.data());
    last_error = line;
  }
  return status.code();
}

ctv_config ctv::api::default_config() {
  ctv_config c{};
  apply_preset("default", c);
  return c;
}

void ctv::api::copy_times(StageTimes& times, ctv_stage_time* out, size_t capacity, size_t* count) {
  times.wanted = true;
  size_t n = 0;
  for (size_t i = 0; i < times.entries.size(); ++i) {
    if (times.entries[i].calls == 0) continue;
    if (n < capacity && out != nullptr) {
      out[n] = {kStageNames[i], times.entries[i].seconds, times.entries[i].calls};
    }
    ++n;
  }
  *count = n;
}

using ctv::Status;
using ctv::api::guarded;
using ctv::api::need;

extern "C" {

#define CTV_TEXT(x) #x
#define CTV_VERSION_TEXT(a, b, c) CTV_TEXT(a) "." CTV_TEXT(b) "." CTV_TEXT(c)
const char* ctv_version(void) {
  return CTV_VERSION_TEXT(CTV_VERSION_MAJOR, CTV_VERSION_MINOR, CTV_VERSION_PATCH);
}

const char* ctv_status_name(ctv_status status) {
  switch (status) {
    case CTV_OK:
      return "ok";
    case CTV_AGAIN:
      return "again";
    case CTV_END:
      return "end";
    case CTV_ERROR_ARGUMENT:
      return "invalid argument";
    case CTV_ERROR_STREAM:
      return "damaged stream";
    case CTV_ERROR_LIMIT:
      return "limit exceeded";
    case CTV_ERROR_MEMORY:
      return "out of memory";
    case CTV_ERROR_DEVICE:
      return "device error";
    case CTV_ERROR_UNSUPPORTED:
      return "not supported";
    case CTV_ERROR_STATE:
      return "wrong order of calls";
    case CTV_ERROR_INTERNAL:
      return "internal error";
    case CTV_ERROR_REFERENCE:
      return "lost reference";
  }
  return "unknown status";
}

const char* ctv_last_error(void) { return last_error.data(); }

void ctv_set_log_callback(ctv_log_callback callback, void* opaque) {
  ctv::set_log_callback(callback, opaque);
}

ctv_status ctv_config_init_sized(ctv_config* config, size_t struct_size, const char* preset) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(config, "config"));
    ctv_config c{};
    if (!ctv::apply_preset(preset, c)) {
      return {CTV_ERROR_ARGUMENT, std::string("preset: ") + preset + " is unknown"};
    }
    return ctv::api::init_struct(c, "config", struct_size, config);
  });
}

ctv_status ctv_host_alloc(size_t size, ctv_backend backend, int32_t device, void** data) {
  return guarded([&]() -> Status {
    CTV_RETURN_IF_ERROR(need(data, "data"));
    *data = nullptr;
    if (backend < CTV_BACKEND_AUTO || backend > CTV_BACKEND_CUDA) {
      return {CTV_ERROR_ARGUMENT, "backend: " + std::to_string(backend) + " is unknown"};
    }
    CTV_ASSIGN_OR_RETURN(*data, ctv::allocate_host(size, backend, device));
    return {};
  });
}

void ctv_host_free(void* data) { ctv::free_host(data); }

const char* ctv_preset_name(int i) { return ctv::preset_name(i); }
const char* ctv_preset_description(int i) { return ctv::preset_description(i); }

int ctv_device_count(void) {
  int count = 0;
  std::string why;
  (void)guarded([&]() -> Status {
    count = ctv::cuda_device_count(why);
    return {};
  });
  if (count == 0 && !why.empty()) set_last_error(why);
  return count;
}

ctv_status ctv_device_get_info(int device, ctv_device_info* info) {
  return guarded([&]() -> Status {
    ctv_device_info i{};
    CTV_RETURN_IF_ERROR(ctv::api::write_struct(i, "info", info));
    CTV_RETURN_IF_ERROR(ctv::cuda_device_info(device, i));
    return ctv::api::write_struct(i, "info", info);
  });
}

}  // extern "C"

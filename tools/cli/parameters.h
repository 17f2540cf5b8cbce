// SPDX-License-Identifier: BSD-3-Clause
// The library's description of stream parameters.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <ctv/ctv.h>

namespace ctv::tools {

inline std::vector<ctv_parameter_info> parameters() {
  std::vector<ctv_parameter_info> list;
  ctv_parameter_info info{};
  info.struct_size = sizeof info;
  for (int i = 0; ctv_parameter_get_info(i, &info) == CTV_OK; ++i) list.push_back(info);
  return list;
}

inline ctv_parameter_info parameter_named(const std::string& name) {
  for (const ctv_parameter_info& p : parameters())
    if (p.name == name) return p;
  throw std::logic_error("no stream parameter " + name);
}

/// The value of a parameter in a stream, or in a configuration.
inline int32_t value_of(const ctv_parameter_info& parameter, const ctv_stream_info& stream) {
  int32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char*>(&stream) + parameter.info_offset, sizeof value);
  return value;
}
inline int32_t value_of(const ctv_parameter_info& parameter, const ctv_config& config) {
  int32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char*>(&config) + parameter.config_offset, sizeof value);
  return value;
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// --set NAME=VALUE: the fields of ctv_config that choose one coding tool, by their names. Presets choose them
// for users.
#pragma once

#include <functional>
#include <string>

#include <ctv/ctv.h>

namespace ctv::tools {

struct Setting {
  std::string name;  // of the field
  std::function<void(ctv_config&)> edit;
};

/// The option that sets a field of ctv_config: "--set overlap", "--keyint".
std::string option_of(const std::string& field);

/// Whether a field can be set.
bool is_setting(const std::string& name);
/// Of "NAME=VALUE". Throws Failure(kUsage) that names the field and its range.
Setting parse_setting(const std::string& text);
/// A table of all: name, values, value of preset default, meaning.
std::string list_settings();

}  // namespace ctv::tools

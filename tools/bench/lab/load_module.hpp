// SPDX-License-Identifier: BSD-3-Clause
// How the lab's modules are loaded: libraries that may be missing.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string>

namespace ctv::lab {

/// A module's table, or why there is none.
template <typename Module>
struct Loaded {
  const Module* module = nullptr;
  std::string why;
};

/// Looks for `file` in lib next to the program's folder, then in that folder. `missing`: why, if it is not
/// there. Never unloaded: the CUDA runtime lives on in it.
template <typename Module>
Loaded<Module> load_module(const std::string& file, const char* symbol, uint32_t stamp,
                           const std::string& missing) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  void* handle = nullptr;
  for (const std::filesystem::path& place : {folder / ".." / "lib", folder}) {
    handle = dlopen((place / file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    // A library that is there and lacks another is not the same as one that was not built.
    if (std::filesystem::exists(place / file, error)) return {nullptr, std::string(dlerror())};
  }
  if (handle == nullptr) return {nullptr, missing};
  const auto entry = reinterpret_cast<const Module* (*)()>(dlsym(handle, symbol));
  const Module* module = entry == nullptr ? nullptr : entry();
  if (module == nullptr || module->stamp != stamp) return {nullptr, file + " belongs to another version"};
  if (const auto name = module->device_name(); !name.ok()) return {nullptr, name.status().message()};
  return {module, ""};
}

}  // namespace ctv::lab

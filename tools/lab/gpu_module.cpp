// SPDX-License-Identifier: BSD-3-Clause
#include "lab/gpu_module.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace ctv::lab {
namespace {

constexpr const char* kModuleName = "libctv_lab_cuda.so";

struct Loaded {
  const GpuModule* module = nullptr;
  std::string why;
};

Loaded load() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  void* handle = nullptr;
  for (const std::filesystem::path& place : {folder / ".." / "lib", folder}) {
    handle = dlopen((place / kModuleName).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
  }
  if (handle == nullptr) return {nullptr, "no GPU kernels: " + std::string(kModuleName) + " was not built"};
  const auto entry = reinterpret_cast<decltype(&ctv_lab_cuda_module)>(dlsym(handle, "ctv_lab_cuda_module"));
  const GpuModule* module = entry == nullptr ? nullptr : entry();
  if (module == nullptr || module->stamp != kGpuModuleStamp)
    return {nullptr, std::string(kModuleName) + " belongs to another version"};
  if (const Result<std::string> name = module->device_name(); !name.ok())
    return {nullptr, name.status().message()};
  return {module, ""};
}

}  // namespace

const GpuModule* gpu_module(std::string& why) {
  static const Loaded loaded = load();  // never unloaded: the CUDA runtime lives on in it
  why = loaded.why;
  return loaded.module;
}

}  // namespace ctv::lab

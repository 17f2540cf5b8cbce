// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/transform/cufft_library.hpp"

#include <dlfcn.h>

#include <string>

namespace ctv::cuda {
namespace {

struct Loaded {
  CufftLibrary library;
  std::string why;
};

template <typename Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

Loaded load_now() {
  Loaded l;
  const std::string name = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    l.why = "engine: no cuFFT: " + std::string(dlerror());
    return l;
  }
  CufftLibrary& f = l.library;
  const bool complete = find(handle, "cufftPlanMany", f.plan_many) &&
                        find(handle, "cufftSetStream", f.set_stream) &&
                        find(handle, "cufftExecD2Z", f.exec_d2z) &&
                        find(handle, "cufftExecZ2D", f.exec_z2d) && find(handle, "cufftDestroy", f.destroy);
  if (!complete) l.why = "engine: " + name + " lacks a function";
  return l;
}

}  // namespace

Result<const CufftLibrary*> CufftLibrary::load() {
  static const Loaded loaded = load_now();
  if (!loaded.why.empty()) return {CTV_ERROR_UNSUPPORTED, loaded.why};
  return &loaded.library;
}

}  // namespace ctv::cuda

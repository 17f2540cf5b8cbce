// SPDX-License-Identifier: BSD-3-Clause
#include "ctbench/runner.h"

#include "cli/names.h"

namespace ctv::tools {

std::string Runner::name() const {
  return std::string(name_of(kBackends, backend)) + " " + name_of(kEngines, engine);
}

Runners available_runners(const ctv_config& config) {
  Runners found;
  for (const ctv_backend backend : {CTV_BACKEND_CPU, CTV_BACKEND_CUDA}) {
    if (backend == CTV_BACKEND_CUDA && ctv_device_count() <= 0) {
      const std::string why = ctv_last_error();
      found.missing.push_back("cuda: " + (why.empty() ? std::string("no device") : why));
      continue;
    }
    for (const ctv_engine engine : {CTV_ENGINE_DIRECT, CTV_ENGINE_FFT}) {
      const Runner runner{backend, engine};
      ctv_config tried = config;
      runner.apply(tried);
      try {
        const Encoder encoder(tried);
        found.list.push_back(runner);
      } catch (const Error& e) {
        found.missing.push_back(runner.name() + ": " + e.what());
      }
    }
  }
  return found;
}

}  // namespace ctv::tools

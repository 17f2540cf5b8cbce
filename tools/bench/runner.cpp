// SPDX-License-Identifier: BSD-3-Clause
#include "bench/runner.h"

#include <algorithm>
#include <iterator>

#include "cli/names.h"

namespace ctv::tools {
namespace {

/// Engines differ in how they convolve; lifting and block transforms are the same work by the same code.
bool convolves(const ctv_config& config) {
  const auto directed = [](int32_t count) { return count > 0; };
  return config.transform == CTV_TRANSFORM_CONTOURLET &&
         (config.pyramid == CTV_PYRAMID_LAPLACIAN ||
          std::any_of(std::begin(config.directions), std::end(config.directions), directed));
}

}  // namespace

std::string Runner::name() const {
  return std::string(name_of(kBackends, backend)) + " " + name_of(kEngines, engine);
}

Json Runner::json() const {
  return {{"backend", name_of(kBackends, backend)}, {"engine", name_of(kEngines, engine)}};
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
      if (engine == CTV_ENGINE_FFT && !convolves(config)) continue;
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

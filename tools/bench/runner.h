// SPDX-License-Identifier: BSD-3-Clause
// The ways in which this machine can run the codec: backends and engines that really open here.
#pragma once

#include <string>
#include <vector>

#include "bench/coding.h"

namespace ctv::tools {

struct Runner {
  ctv_backend backend = CTV_BACKEND_CPU;
  ctv_engine engine = CTV_ENGINE_DIRECT;
  /// "cpu direct"
  std::string name() const;
  /// "backend" and "engine".
  Json json() const;
  bool gpu() const { return backend == CTV_BACKEND_CUDA; }
  void apply(ctv_config& config) const {
    config.backend = backend;
    config.engine = engine;
  }
};

struct Runners {
  std::vector<Runner> list;
  std::vector<std::string> missing;  // one line each: which, and why
};

/// Opens an encoder for each of cpu and cuda with direct and, where the transform has convolutions, fft;
/// `config` is complete otherwise.
Runners available_runners(const ctv_config& config);

}  // namespace ctv::tools

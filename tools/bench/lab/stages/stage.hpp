// SPDX-License-Identifier: BSD-3-Clause
// A stage of the codec by itself: how to set it up on a backend, what it must yield, what it costs at least.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "codec/backend/backend.hpp"
#include "codec/pipeline/stream.hpp"

namespace ctv::lab {

/// What one call has to move and to compute, however it is implemented.
struct Work {
  double memory_bytes = 0;  // each input read once, each output written once, in the backend's memory
  double upload_bytes = 0, download_bytes = 0;  // across the bus, where there is one
  /// Integer additions, multiplications, shifts and comparisons of the definition.
  double operations = 0;
};

/// A stage ready to run: calls may be repeated, each does the same.
struct Prepared {
  std::function<Status()> run;
  /// What the last call made; waits for it.
  std::function<Result<std::vector<int16_t>>()> read;
};

struct Stage {
  std::string name;
  std::string about;  // of what, with which parameters
  std::vector<Engine> engines = {Engine::kDirect};
  bool on_host = false;      // needs no backend
  bool device_only = false;  // where pictures may lie in the backend's own memory
  std::function<Work(Extent)> work;
  std::function<Result<Prepared>(Backend&, Engine, Extent)> prepare;
  /// By definition and without speed (tests/reference).
  std::function<std::vector<int16_t>(Extent)> expected;
};

std::vector<Stage> picture_stages();
std::vector<Stage> motion_stages();
std::vector<Stage> transform_stages();
std::vector<Stage> error_stages();
std::vector<Stage> symbol_stages(int threads);

/// What a preset makes of RGB pictures of an extent. Throws ctv::Error where the codec refuses.
Stream stream_of(const char* preset, Extent extent);
/// Its quantisers for luma with the preset's own step, as for a predicted frame.
std::vector<SubbandQuantiser> luma_quantisers(const char* preset, const Stream& stream);

}  // namespace ctv::lab

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/config/run_options.hpp"

#include <algorithm>

#include "codec/util/threads.hpp"

namespace ctv {

int thread_count(int wanted) { return wanted > 0 ? wanted : std::min(available_processors(), 256); }

Engine choose_engine(ctv_engine wanted) { return wanted == CTV_ENGINE_FFT ? Engine::kFft : Engine::kDirect; }

std::string describe(const Backend& backend, Engine engine, const std::string& why) {
  std::string text = backend.description();
  if (engine == Engine::kFft) text += ", filters by FFT";
  if (!why.empty()) text += " (" + why + ")";
  return text;
}

}  // namespace ctv

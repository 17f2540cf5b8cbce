// SPDX-License-Identifier: BSD-3-Clause
// The CPU backend. Stages run inside the call, on `threads` threads, in the caller's memory where possible.
#pragma once

#include <memory>

#include "codec/backend/backend.hpp"

namespace ctv {

/// threads: 1..256; 0: all cores.
std::unique_ptr<Backend> make_cpu_backend(int threads);

// Factories of the backend's objects.
Result<std::unique_ptr<PictureTransfer>> make_cpu_picture_transfer(const PictureLayout& layout, int threads,
                                                                   StageTimes& times);
Result<std::unique_ptr<LevelTransfer>> make_cpu_level_transfer(const PictureLayout& layout,
                                                               const MotionGrid& grid);

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Videos of other codecs, decoded by libavcodec.
#pragma once

#include <memory>

#include "io/frame_reader.h"

namespace ctv::tools {

/// Reads the pictures of the best video track. Unsupported formats are converted, with a note in
/// video().dropped. Each frame has its time, unless options.rate is set: at a constant rate exactly that of
/// its number, otherwise in finer units. Throws Failure.
std::unique_ptr<FrameReader> open_video_reader(const InputOptions& options);

}  // namespace ctv::tools

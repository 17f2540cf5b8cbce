// SPDX-License-Identifier: BSD-3-Clause
// Videos of other codecs, decoded by libavcodec.
#pragma once

#include <memory>

#include "io/frame_reader.h"

namespace ctv::tools {

/// The pictures of the best video track. Formats that a stream does not have are converted, with a word in
/// video().dropped. Each frame has its time, unless options.rate says otherwise: at a constant rate exactly
/// that of its number, else in finer units. Throws Failure.
std::unique_ptr<FrameReader> open_video_reader(const InputOptions& options);

}  // namespace ctv::tools

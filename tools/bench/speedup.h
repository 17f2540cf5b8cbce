// SPDX-License-Identifier: BSD-3-Clause
// The evaluation of Katsigiannis, Dimitsas and Maroulis ("A GPU vs CPU performance evaluation of an
// experimental video compression algorithm"), repeated on the machine at hand: times per frame of encoding
// and decoding, disk excluded, transfers and the CPU's part of the GPU path included, clips averaged. A
// speedup is told only if all that is compared made the same bytes and the same pictures in the same run.
#pragma once

#include <optional>
#include <string>

#include "bench/machine.h"

namespace ctv::tools {

/// What the paper printed: milliseconds a frame on a Phenom II X4 965 (4 cores, 3.4 GHz) and a Tesla C2070
/// (Tables III and IV: "encode_cpu", "encode_gpu", "decode_cpu", "decode_gpu") and the speedups of its Table
/// II
/// ("encode_speedup", "decode_speedup"), one object for each "width" and "height".
Json paper_figures();

/// The document's mean over clips of the runs' medians; `what` is "encode" or "decode", runner "cpu direct".
/// Nothing if not measured.
std::optional<double> mean_ms(const Json& document, const std::string& runner, const std::string& size,
                              const char* what);
/// The fastest CPU runner's time over the fastest CUDA runner's; nothing where one is missing or they
/// differed.
std::optional<double> speedup_of(const Json& document, const std::string& size, const char* what);

std::string speedup_text(const Json& document);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Choices about how to run that do not touch the bytes.
#pragma once

#include <string>

#include "codec/backend/backend.hpp"
#include "codec/format/headers.hpp"

namespace ctv {

/// 0 means all cores.
int thread_count(int wanted);

/// auto: the paper's transform takes the FFT engine on a GPU, as the paper does; everything else the direct
/// one.
Engine choose_engine(ctv_engine wanted, const SequenceHeader& header, const Backend& backend);

/// One line: which backend and engine run, and why.
std::string describe(const Backend& backend, Engine engine, const std::string& why);

}  // namespace ctv

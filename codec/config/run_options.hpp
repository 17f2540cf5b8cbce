// SPDX-License-Identifier: BSD-3-Clause
// Options of execution, which do not influence the bytes.
#pragma once

#include <string>

#include "codec/backend/backend.hpp"

namespace ctv {

/// Resolves 0 to the number of cores.
int thread_count(int wanted);

/// Resolves AUTO to the direct engine, which is faster.
Engine choose_engine(ctv_engine wanted);

/// Returns one line that says which backend and engine run, and why.
std::string describe(const Backend& backend, Engine engine, const std::string& why);

}  // namespace ctv

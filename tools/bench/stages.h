// SPDX-License-Identifier: BSD-3-Clause
// Each stage of the codec alone: the program ctstages (tools/bench/lab/stages), which sees the library's
// insides, checks and times them; what it writes is read and weighed against the machine's memory here.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.h"

namespace ctv::tools {

/// Lines of ctstages, whole ones only: "runners" (backend, description; bytes a second: copy, upload,
/// download) and "results", with "least_microseconds": how long plain copies take for the same bytes; null
/// for no bytes. Returns what ctstages left out, a line each.
std::vector<std::string> read_stages(const std::string& lines, Json& document);
/// The first stage that did not do what its definition says, or not what the first backend did; "" if none.
std::string wrong_stage(const Json& document);
std::string stages_text(const Json& document);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The machine and software of a measurement, without which its figures mean little later.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ctv::tools {

using Json = nlohmann::ordered_json;

/// CPU, cores, memory, system, CUDA devices and driver, compiler, commit, library version, time (UTC).
Json machine_json();
/// A number, or null where JSON cannot represent it (infinity).
Json number(double value);

/// A document as text; names from outside may not be UTF-8.
std::string dump(const Json& document);

}  // namespace ctv::tools

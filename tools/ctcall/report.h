// SPDX-License-Identifier: BSD-3-Clause
// What ctcall says at the end.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ctcall/options.h"

namespace ctv::tools {

/// `plain_bytes`: of a replay, what the same frames take without loss; else 0.
std::string call_text(const CallCommand& command, const CallResult& result, std::optional<double> psnr,
                      uint64_t plain_bytes);
nlohmann::ordered_json call_json(const CallCommand& command, const CallResult& result,
                                 std::optional<double> psnr, uint64_t plain_bytes);

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The final report of ctcall.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ctcall/options.h"

namespace ctv::tools {

/// `plain_bytes`: in a replay, the bytes of the same frames without loss; else 0.
std::string call_text(const CallCommand& command, const CallResult& result, std::optional<double> psnr,
                      uint64_t plain_bytes);
nlohmann::ordered_json call_json(const CallCommand& command, const CallResult& result,
                                 std::optional<double> psnr, uint64_t plain_bytes);

}  // namespace ctv::tools

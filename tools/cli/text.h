// SPDX-License-Identifier: BSD-3-Clause
// printf into a std::string, and parsers of user input (sizes, rates, byte counts). A parser accepts the
// whole text or returns nothing; it never guesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ctv::tools {

#if defined(__MINGW32__)  // libstdc++ takes MinGW's own functions, not those of Windows
#define CTV_PRINTF gnu_printf
#else
#define CTV_PRINTF printf
#endif
[[gnu::format(CTV_PRINTF, 1, 2)]] std::string text(const char* format, ...);

/// A whole decimal number in [minimum, maximum].
std::optional<int64_t> parse_integer(std::string_view s, int64_t minimum, int64_t maximum);
/// A finite decimal number with '.' as the point in any locale.
std::optional<double> parse_real(std::string_view s);
/// "1280x720": width and height, each 1..65535.
std::optional<std::pair<int32_t, int32_t>> parse_size(std::string_view s);
/// "25", "29.97", "30000/1001" (or with ':'): numerator and denominator, each 1..2^31-1.
std::optional<std::pair<int32_t, int32_t>> parse_rate(std::string_view s);
/// "4:3": width and height of a sample, each 0..65535.
std::optional<std::pair<int32_t, int32_t>> parse_aspect(std::string_view s);
/// "800", "800k", "2M": kilobits.
std::optional<double> parse_kilobits(std::string_view s);
/// "4096", "64k", "512M", "8G" (powers of 1024).
std::optional<uint64_t> parse_bytes(std::string_view s);
/// "4,2,0": non-negative integers.
std::optional<std::vector<int32_t>> parse_list(std::string_view s);

std::vector<std::string> split(std::string_view s, char separator);

}  // namespace ctv::tools

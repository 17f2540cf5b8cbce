// SPDX-License-Identifier: BSD-3-Clause
#include "cli/text.h"

#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <numeric>

namespace ctv::tools {
namespace {

constexpr int32_t kMaxExtent = 65535;
constexpr int32_t kMaxInt32 = std::numeric_limits<int32_t>::max();

std::optional<std::pair<int32_t, int32_t>> parse_pair(std::string_view s, const char* separators,
                                                      int64_t minimum) {
  const size_t at = s.find_first_of(separators);
  if (at == std::string_view::npos) return std::nullopt;
  const auto first = parse_integer(s.substr(0, at), minimum, kMaxExtent);
  const auto second = parse_integer(s.substr(at + 1), minimum, kMaxExtent);
  if (!first || !second) return std::nullopt;
  return std::pair(static_cast<int32_t>(*first), static_cast<int32_t>(*second));
}

}  // namespace

std::string text(const char* format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  const int size = std::vsnprintf(nullptr, 0, format, args);
  va_end(args);
  std::string s(size > 0 ? static_cast<size_t>(size) : 0, '\0');
  if (size > 0) std::vsnprintf(s.data(), s.size() + 1, format, again);
  va_end(again);
  return s;
}

std::optional<int64_t> parse_integer(std::string_view s, int64_t minimum, int64_t maximum) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  if (value < minimum || value > maximum) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view s) {
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::pair<int32_t, int32_t>> parse_size(std::string_view s) { return parse_pair(s, "xX", 1); }

std::optional<std::pair<int32_t, int32_t>> parse_aspect(std::string_view s) { return parse_pair(s, ":", 0); }

std::optional<std::pair<int32_t, int32_t>> parse_rate(std::string_view s) {
  if (const size_t bar = s.find_first_of("/:"); bar != std::string_view::npos) {
    const auto num = parse_integer(s.substr(0, bar), 1, kMaxInt32);
    const auto den = parse_integer(s.substr(bar + 1), 1, kMaxInt32);
    if (!num || !den) return std::nullopt;
    return std::pair(static_cast<int32_t>(*num), static_cast<int32_t>(*den));
  }
  if (const auto whole = parse_integer(s, 1, kMaxInt32)) return std::pair(static_cast<int32_t>(*whole), 1);
  const auto value = parse_real(s);
  if (!value || *value < 0.001 || *value > 100000) return std::nullopt;
  // 23.976 and 29.97 mean NTSC rates, 24000/1001 and 30000/1001.
  const double nominal = std::round(*value);
  if (nominal >= 1 && std::abs(nominal * 1000 / 1001 - *value) < 0.005 * nominal / 30)
    return std::pair(static_cast<int32_t>(nominal) * 1000, 1001);
  const auto thousandths = static_cast<int32_t>(std::lround(*value * 1000));
  const int32_t divisor = std::gcd(thousandths, 1000);
  return std::pair(thousandths / divisor, 1000 / divisor);
}

std::optional<double> parse_kilobits(std::string_view s) {
  double unit = 1;
  if (s.ends_with('k') || s.ends_with('M')) {
    unit = s.back() == 'k' ? 1 : 1000;
    s.remove_suffix(1);
  }
  const auto value = parse_real(s);
  if (!value) return std::nullopt;
  return *value * unit;
}

std::optional<uint64_t> parse_bytes(std::string_view s) {
  int shift = 0;
  if (!s.empty()) {
    switch (s.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
    if (shift != 0) s.remove_suffix(1);
  }
  const auto value = parse_integer(s, 0, std::numeric_limits<int64_t>::max() >> shift);
  if (!value) return std::nullopt;
  return static_cast<uint64_t>(*value) << shift;
}

std::optional<std::vector<int32_t>> parse_list(std::string_view s) {
  std::vector<int32_t> values;
  for (const std::string& part : split(s, ',')) {
    const auto value = parse_integer(part, 0, kMaxInt32);
    if (!value) return std::nullopt;
    values.push_back(static_cast<int32_t>(*value));
  }
  return values;
}

std::vector<std::string> split(std::string_view s, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = s.find(separator, begin);
    parts.emplace_back(s.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "bench/table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/text.h"

namespace ctv::tools {
namespace {

/// Code points, near enough to columns for the words we print.
size_t columns(const std::string& s) {
  return static_cast<size_t>(std::count_if(
      s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string Table::text() const {
  std::vector<size_t> widths(rows_.front().size(), 3);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], columns(row[i]));
  std::string out;
  for (size_t r = 0; r < rows_.size(); ++r) {
    out += "|";
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = i < rows_[r].size() ? rows_[r][i] : "";
      const std::string gap(widths[i] - columns(cell), ' ');
      out += " " + (i == 0 ? cell + gap : gap + cell) + " |";
    }
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (size_t i = 0; i < widths.size(); ++i)
      out += i == 0 ? std::string(widths[i] + 2, '-') + "|" : std::string(widths[i] + 1, '-') + ":|";
    out += "\n";
  }
  return out;
}

std::string table_of(const Json& rows, const std::vector<Column>& columns) {
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.head);
  Table table(cells);
  for (const Json& row : rows) {
    cells.clear();
    for (const Column& column : columns) cells.push_back(column.cell(row));
    table.add(cells);
  }
  return table.text();
}

std::string fixed(const Json& value, int decimals) {
  return value.is_number() ? ctv::tools::text("%.*f", decimals, value.get<double>()) : std::string("-");
}

std::string words_of(const Json& row, std::initializer_list<const char*> members) {
  std::string words;
  for (const char* member : members) words += (words.empty() ? "" : " ") + row[member].get<std::string>();
  return words;
}

std::vector<std::string> unique(const Json& rows, const std::function<std::string(const Json& row)>& of) {
  std::vector<std::string> values;
  for (const Json& row : rows)
    if (std::find(values.begin(), values.end(), of(row)) == values.end()) values.push_back(of(row));
  return values;
}

std::string percent(double value) {
  return std::isfinite(value) ? ctv::tools::text("%+.1f %%", value) : std::string("-");
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Reads docs/bitstream.md. A table is found by the comment <!-- table: NAME --> above it. Sources that
// include this have CTV_DOCUMENTS, the path of the documents.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace ctv::test {

using Row = std::vector<std::string>;

inline std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(' ');
  return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
}

/// The rows of a table without its head.
inline std::vector<Row> table(const std::string& name) {
  std::ifstream file(CTV_DOCUMENTS "/bitstream.md");
  std::vector<Row> rows;
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "<!-- table: " + name + " -->") {
      found = true;
    } else if (found && line.starts_with("|")) {
      Row row;
      for (size_t at = 1, bar = 0; at < line.size(); at = bar + 1) {
        bar = line.find('|', at);
        while (line[bar - 1] == '\\') bar = line.find('|', bar + 1);
        row.push_back(trimmed(line.substr(at, bar - at)));
      }
      rows.push_back(row);
    } else if (found) {
      break;
    }
  }
  if (rows.size() < 3) {
    ADD_FAILURE() << "docs/bitstream.md has no table " << name;
    return {};
  }
  return {rows.begin() + 2, rows.end()};
}

inline std::vector<int> numbers(const std::string& cell) {
  static const std::regex number("-?[0-9]+");
  std::vector<int> all;
  for (std::sregex_iterator i(cell.begin(), cell.end(), number), end; i != end; ++i)
    all.push_back(std::stoi(i->str()));
  return all;
}

}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Tables that a person reads on a terminal and a Markdown page shows as well: the same text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/machine.h"

namespace ctv::tools {

class Table {
 public:
  explicit Table(std::vector<std::string> head) { rows_.push_back(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// First column to the left, numbers to the right, columns as wide as they need.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// One column of a table of JSON rows.
struct Column {
  std::string head;
  std::function<std::string(const Json& row)> cell;
};
std::string table_of(const Json& rows, const std::vector<Column>& columns);
/// A number with so many decimals, "-" for null.
std::string fixed(const Json& value, int decimals);
/// The words of these members of a row, with blanks between them.
std::string words_of(const Json& row, std::initializer_list<const char*> members);
/// Each value of `of(row)` once, in the order of the rows.
std::vector<std::string> unique(const Json& rows, const std::function<std::string(const Json& row)>& of);

/// "-12.3 %", or "-" for nothing.
std::string percent(double value);

/// Middle value; mean of the two middle ones. 0 for none.
double median(std::vector<double> values);
/// The value that `share` (0..1) of the values do not exceed, by linear interpolation. 0 for none.
double quantile(std::vector<double> values, double share);
double mean(const std::vector<double>& values);

}  // namespace ctv::tools

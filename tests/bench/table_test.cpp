// SPDX-License-Identifier: BSD-3-Clause
// Tables and the few statistics in them.
#include "bench/table.h"

#include <gtest/gtest.h>

#include <limits>

namespace ctv::tools {
namespace {

TEST(Table, IsMarkdown) {
  Table table({"codec", "a", "long head"});
  table.add({"x", "1", "22"});
  table.add({"yy"});
  EXPECT_EQ(table.text(),
            "| codec |   a | long head |\n"
            "|-------|----:|----------:|\n"
            "| x     |   1 |        22 |\n"
            "| yy    |     |           |\n");
}

TEST(Table, PercentAndItsAbsence) {
  EXPECT_EQ(percent(-12.34), "-12.3 %");
  EXPECT_EQ(percent(100), "+100.0 %");
  EXPECT_EQ(percent(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Statistics, MedianMeanQuantile) {
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(median({5}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median({1, 2, 3, 100}), 2.5);
  EXPECT_DOUBLE_EQ(mean({1, 2, 6}), 3);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 1), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 0), 1);
}

}  // namespace
}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// What ctbench makes of ctstages' lines.
#include "bench/stages.h"

#include <gtest/gtest.h>

namespace ctv::tools {
namespace {

constexpr const char* kLines =
    "{\"kind\":\"runner\",\"backend\":\"cpu\",\"description\":\"cpu\",\"copy\":1e10,\"upload\":null,"
    "\"download\":null}\n"
    "{\"kind\":\"runner\",\"backend\":\"cuda\",\"description\":\"gpu\",\"copy\":1e12,\"upload\":5e10,"
    "\"download\":4e10}\n"
    "{\"kind\":\"left_out\",\"why\":\"no third backend\"}\n"
    "{\"kind\":\"stage\",\"stage\":\"colour\",\"about\":\"of a\",\"backend\":\"cuda\",\"engine\":\"\","
    "\"microseconds\":100,\"quartiles\":[90,110],\"memory_bytes\":1000000,\"upload_bytes\":500000,"
    "\"download_bytes\":0,\"operations\":3e6,\"verified\":true,\"same\":true}\n"
    "{\"kind\":\"stage\",\"stage\":\"symbols\",\"about\":\"of b\",\"backend\":\"host\",\"engine\":\"\","
    "\"microseconds\":50,\"quartiles\":[50,50],\"memory_bytes\":100000,\"upload_bytes\":0,\"download_bytes\":"
    "0,"
    "\"operations\":0,\"verified\":true,\"same\":true}\n"
    "{\"kind\":\"stage\",\"stage\":\"cut by an inter";

TEST(Stages, TheSlowestWayOfTheBytesIsTheLeastTime) {
  const StagesResult result = read_stages(kLines);
  ASSERT_EQ(result.runners.size(), 2u);
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(result.rows[0]["least_microseconds"].get<double>(), 10);  // 500 kB up at 50 GB/s
  EXPECT_DOUBLE_EQ(result.rows[1]["least_microseconds"].get<double>(),
                   10);  // the host copies as the CPU does
  EXPECT_EQ(result.missing, (std::vector<std::string>{"no third backend"}));
  const std::string text = stages_text(StagesOptions(), result);
  EXPECT_NE(text.find("| colour (of a)  | 100 ± 10 % |      10 % |  30.0 |"), std::string::npos) << text;
}

TEST(Stages, WhatIsWrongIsNamed) {
  StagesResult result = read_stages(kLines);
  EXPECT_TRUE(wrong_stages(result).empty());
  result.rows[0]["verified"] = false;
  result.rows[1]["same"] = false;
  EXPECT_EQ(wrong_stages(result).size(), 2u);
  EXPECT_NE(stages_text(StagesOptions(), result).find("WRONG: colour on cuda"), std::string::npos);
}

TEST(Csv, ColumnsAreTheUnionOfAllRows) {
  const Json rows = Json::parse(R"([{"a": 1, "b": {"c": "x,y", "d": [1, 2.5]}},
                                    {"a": null, "stages": [{"name": "s", "ms": 3}], "e": true}])");
  EXPECT_EQ(csv_of(rows), "a,b.c,b.d,stages.s.ms,e\n1,\"x,y\",1 2.5,,\n,,,3,true\n");
}

}  // namespace
}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// ctenc's --set: what it does to a configuration, and what it says of a wrong one.
#include "ctenc/settings.h"

#include <gtest/gtest.h>

#include "cli/exit.h"

namespace ctv::tools {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_setting(text);
  } catch (const Failure& e) {
    EXPECT_EQ(e.code(), Exit::kUsage);
    return e.what();
  }
  return "";
}

TEST(Settings, EditTheirField) {
  ctv_config c{};
  for (const char* text : {"subpel=2", "pyramid=5/3", "chroma_qp_offset=-3", "directions=8,4"}) {
    const Setting setting = parse_setting(text);
    EXPECT_TRUE(std::string(text).starts_with(setting.name + "="));
    setting.edit(c);
  }
  EXPECT_EQ(c.subpel, 2);
  EXPECT_EQ(c.pyramid, CTV_PYRAMID_WAVELET_5_3);
  EXPECT_EQ(c.chroma_qp_offset, -3);
  EXPECT_EQ(c.directions[0], 8);
  EXPECT_EQ(c.directions[1], 4);
}

TEST(Settings, RefusalsNameFieldAndRange) {
  EXPECT_NE(refusal("subpel=4").find("subpel: '4' is out of range (0 to 3)"), std::string::npos)
      << refusal("subpel=4");
  EXPECT_NE(refusal("pyramid=13/7").find("laplacian, 5/3, 9/7"), std::string::npos)
      << refusal("pyramid=13/7");
  for (const char* text : {"", "=", "=3", "qp=3", "subpel", "subpel=", "subpel=2x", "directions=4,,2"})
    EXPECT_NE(refusal(text), "") << text;
}

TEST(Settings, AreListed) {
  const std::string list = list_settings();
  for (const char* word : {"scales ", "search_range ", "0 to 64", "default: 9/7"})
    EXPECT_NE(list.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace ctv::tools

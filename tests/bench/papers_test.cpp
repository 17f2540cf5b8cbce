// SPDX-License-Identifier: BSD-3-Clause
// ctbench papers: what its options mean, its document after the schema, the papers' figures in its tables.
#include "bench/papers.h"

#include <gtest/gtest.h>

#include "cli/exit.h"
#include "schema.hpp"

namespace ctv::tools {
namespace {

TEST(Papers, ModesAreNamesAndShares) {
  const lab::IdctMode mode = parse_mode("low:0.25,0,1");
  EXPECT_EQ(mode.name, "low");
  for (const lab::Densities& densities : mode.densities) {
    EXPECT_EQ(densities.blocks4, 0.25);
    EXPECT_EQ(densities.blocks8, 0);
    EXPECT_EQ(densities.macroblocks8, 1);
  }
  for (const char* bad :
       {"", "low", "low:", ":0,0,0", "low:0,0", "low:0,0,0,0", "low:0,0,1.5", "low:0,-1,0", "low:a,0,0"})
    EXPECT_THROW(parse_mode(bad), Failure) << bad;
}

TEST(Papers, EveryTableHasThePapersFiguresAndOurs) {
  PapersOptions options;
  options.quick = options.quiet = true;
  options.runs = 1;
  options.threads = 2;
  const PapersResult result = measure_papers(options);
  expect_valid(papers_json(options, result));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.report.tables.size(), 8U);
  for (const lab::Check& check : result.report.checks) EXPECT_TRUE(check.passed) << check.what;
  EXPECT_GE(result.report.checks.size(), 25U);
  const std::string page = papers_text(options, result);
  // Table 1 of Obukhov and Kharlamov, 3 of Wang et al., 1 of Husemann et al.
  for (const char* figure : {"32.777092", "12.820", "40.990"})
    EXPECT_NE(page.find(figure), std::string::npos) << figure;
  if (result.gpu.empty()) {
    EXPECT_NE(page.find(result.no_gpu), std::string::npos);
    EXPECT_EQ(page.find("here, CUDA"), std::string::npos);
  } else {
    EXPECT_NE(page.find("here, CUDA 2"), std::string::npos);
  }
}

TEST(Papers, OneExperimentAlone) {
  PapersOptions options;
  options.quick = options.quiet = true;
  options.runs = 1;
  options.only = {"h264_tq"};
  const PapersResult result = measure_papers(options);
  ASSERT_EQ(result.report.tables.size(), 1U);
  EXPECT_EQ(result.report.tables[0].id, "h264_tq.704x576");
}

}  // namespace
}  // namespace ctv::tools

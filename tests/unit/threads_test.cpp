// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/threads.hpp"

#include <gtest/gtest.h>

#if defined(__linux__)  // which has control groups and sets of processors
#include <sched.h>

#include <filesystem>
#include <fstream>

namespace ctv {
namespace {

class Processors : public testing::Test {
 protected:
  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = root_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string root_ = testing::TempDir() + "ctv_cgroup_" + std::to_string(getpid());
};

TEST_F(Processors, TheSmallestQuotaOfTheGroupsAboveCounts) {
  put("cpu.max", "max 100000\n");
  put("a/cpu.max", "250000 100000\n");
  put("a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(processor_quota("0::/a/b\n", root_), 3);
  EXPECT_EQ(processor_quota("0::/\n", root_), 0);
  EXPECT_EQ(processor_quota("0::/a\n", root_), 3);
}

TEST_F(Processors, AContainerSeesItsQuotaAtTheRoot) {
  put("cpu.max", "50000 100000\n");
  EXPECT_EQ(processor_quota("0::/docker/4711\n", root_), 1);
  EXPECT_EQ(processor_quota("0::/../other\n", root_), 1);
}

TEST_F(Processors, QuotasOfTheFirstVersionCount) {
  put("cpu,cpuacct/docker/cpu.cfs_quota_us", "400000\n");
  put("cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  put("cpu/free/cpu.cfs_quota_us", "-1\n");
  put("cpu/free/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processor_quota("4:memory:/docker\n3:cpu,cpuacct:/docker\n0::/\n", root_), 4);
  EXPECT_EQ(processor_quota("3:cpu:/free\n", root_), 0);
}

TEST_F(Processors, WithoutGroupsOrWithOthersThereIsNoQuota) {
  put("cpu.max", "nonsense");
  for (const char* groups : {"", "\n", "0::", "0::/", "no colon", "1:cpuset:/", ":::/x\n0::/y"})
    EXPECT_EQ(processor_quota(groups, root_), 0) << groups;
}

TEST_F(Processors, AreThoseOfTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_processors(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace ctv
#endif

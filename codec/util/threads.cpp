// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/threads.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#if defined(__linux__)
#include <sched.h>
#endif

namespace ctv {
namespace {

/// The first bytes of a small file; "" without it.
std::string text_of(const std::string& path) {
  struct Close {
    void operator()(FILE* file) const { (void)std::fclose(file); }
  };
  const std::unique_ptr<FILE, Close> file(std::fopen(path.c_str(), "re"));
  std::string text(4096, '\0');
  text.resize(file == nullptr ? 0 : std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

/// Processors of a quota and a period in microseconds; 0: no quota.
int processors(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::clamp((quota + period - 1) / period, 1LL, 1LL << 20));
}

/// The quota of one folder, of version 2 or 1 of control groups.
int quota_of(const std::string& folder) {
  long long quota = 0;
  long long period = 0;
  if (std::sscanf(text_of(folder + "/cpu.max").c_str(), "%lld %lld", &quota, &period) == 2)
    return processors(quota, period);
  if (std::sscanf(text_of(folder + "/cpu.cfs_quota_us").c_str(), "%lld", &quota) == 1 &&
      std::sscanf(text_of(folder + "/cpu.cfs_period_us").c_str(), "%lld", &period) == 1)
    return processors(quota, period);
  return 0;
}

}  // namespace

int processor_quota(const std::string& groups, const std::string& root) {
  int least = 0;
  // A container sees its own group as the root, or its path in the host's tree without the folders of that.
  const auto look = [&least](const std::string& hierarchy, std::string path) {
    for (;;) {
      const int quota = quota_of(hierarchy + path);
      if (quota > 0) least = least == 0 ? quota : std::min(least, quota);
      if (path.empty()) return;
      path.resize(path.rfind('/'));
    }
  };
  for (size_t at = 0; at < groups.size();) {  // NUMBER:CONTROLLERS:/PATH
    const size_t end = std::min(groups.find('\n', at), groups.size());
    const std::string line = groups.substr(at, end - at);
    at = end + 1;
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers == ",,") {
      look(root, path);
      look(root + "/unified", path);  // next to version 1
    }
    if (controllers.find(",cpu,") != std::string::npos) {
      look(root + "/cpu", path);
      look(root + "/" + controllers.substr(1, controllers.size() - 2), path);
    }
  }
  return least;
}

int available_processors() {
  int count = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;  // of 1024 processors; the call fails where the kernel has more
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  const int quota = processor_quota(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
  if (quota > 0) count = std::min(count, quota);
#endif
  return std::max(count, 1);
}

}  // namespace ctv

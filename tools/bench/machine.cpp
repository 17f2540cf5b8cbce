// SPDX-License-Identifier: BSD-3-Clause
#include "bench/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>
#include <vector>

#include <ctv/ctv.h>

#include "bench/process.h"
#include "cli/exit.h"
#include "cli/text.h"
#include "ctbench_commit.h"

namespace ctv::tools {
namespace {

/// The rest of the first line of a file that begins with `key`.
std::string line_of(const char* path, const std::string& key) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string compiler() {
#if defined(__clang__)
  return __VERSION__;  // "Clang 14.0.6"
#else
  return std::string("gcc ") + __VERSION__;
#endif
}

Json devices() {
  Json list = Json::array();
  for (int i = 0; i < ctv_device_count(); ++i) {
    ctv_device_info info{};
    info.struct_size = sizeof info;
    if (ctv_device_get_info(i, &info) != CTV_OK) continue;
    list.push_back({{"name", info.name},
                    {"memory", info.memory},
                    {"compute_capability", text("%d.%d", info.compute_major, info.compute_minor)}});
  }
  return list;
}

/// The output of nvidia-smi; "" if there is none.
std::string device_clocks() {
  const ProcessResult asked =
      run_process({"nvidia-smi", "--query-gpu=clocks.sm,clocks.max.sm,clocks.mem", "--format=csv,noheader"});
  return asked.code == 0 ? asked.last_line() : "";
}

}  // namespace

Json machine_json() {
  Json m;
  m["cpu"] = line_of("/proc/cpuinfo", "model name");
  m["cpu_mhz"] = line_of("/proc/cpuinfo", "cpu MHz");
  m["cores"] = std::thread::hardware_concurrency();
  m["memory_bytes"] =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  m["load"] = load;  // runnable tasks in the last minute: other programs disturb times
  utsname system{};
  if (uname(&system) == 0)
    m["system"] = std::string(system.sysname) + " " + system.release + " " + system.machine;
  m["devices"] = devices();
  m["driver"] = line_of("/proc/driver/nvidia/version", "NVRM version");
  m["device_clocks"] = device_clocks();  // of the streaming multiprocessors, now and at most, and of memory
  m["compiler"] = compiler();
  m["commit"] = kCommit;
  m["version"] = ctv_version();
  char when[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  if (gmtime_r(&now, &utc) != nullptr) std::strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
  m["time"] = when;
  return m;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string dump(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// ctv_density STREAM.ctv...: for each, the shares of 4x4 and 8x8 blocks of levels that are not zero, as
// ctbench papers --mode takes them.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "bench/lab/density/density.hpp"

int main(int argc, char** argv) {
  using ctv::lab::StreamDensity;
  constexpr const char* kTransforms[] = {"contourlet", "dct8x8", "h264-4x4", "h264-8x8"};
  if (argc < 2) {
    std::fputs("usage: ctv_density STREAM.ctv...\n", stderr);
    return 1;
  }
  std::printf("%-30s %-10s %6s  %9s %9s  %9s %9s\n", "stream", "transform", "frames", "4x4 luma", "all",
              "8x8 luma", "all");
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) {
      std::fprintf(stderr, "ctv_density: cannot read %s\n", argv[i]);
      return 2;
    }
    const ctv::Result<StreamDensity> density = ctv::lab::measure_density(bytes);
    if (!density.ok()) {
      std::fprintf(stderr, "ctv_density: %s: %s\n", argv[i], density.status().message().c_str());
      return 3;
    }
    std::printf("%-30s %-10s %6llu  %9.4f %9.4f  %9.4f %9.4f\n", argv[i],
                kTransforms[static_cast<int>(density->transform)],
                static_cast<unsigned long long>(density->frames), density->luma[0].share(),
                density->all[0].share(), density->luma[1].share(), density->all[1].share());
  }
  return 0;
}

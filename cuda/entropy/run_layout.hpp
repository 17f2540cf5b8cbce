// SPDX-License-Identifier: BSD-3-Clause
// Components of runs as kernels read them: chunks of all components in one array.
#pragma once

#include <span>
#include <vector>

#include "codec/model/deflate_block.hpp"
#include "codec/model/run_index.hpp"
#include "codec/model/run_ranges.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// A C struct, since kernels read it. Range r has levels [ends[r - 1], ends[r]) of the component; level i of
/// the component is in planes[r] at offsets[r] + i modulo 2^64.
struct DeviceRunComponent {
  uint64_t ends[3];
  uint64_t offsets[3];
  uint32_t planes[3];
  uint32_t lowpass;
  uint32_t first, chunks;  // in the chunks of all components
  uint64_t bytes;          // offset of the component's coded bytes, a multiple of 16
};

/// Most bytes of a DEFLATE stream of `chunks` chunks, rounded up: chunks, headers and ends of two blocks.
constexpr size_t most_run_bytes(size_t chunks) {
  return (chunks * ((kMostHeadBits + kMostTailBits) / 8) + 2 * 4 * kBlockHeaderWords + 15) / 16 * 16 + 16;
}

struct RunLayout {
  std::vector<DeviceRunComponent> components;
  std::vector<uint32_t> component_of;  // [chunks]
  size_t bytes = 0;                    // upper bound of coded bytes of all components

  explicit RunLayout(std::span<const RunComponent> plan);
};

}  // namespace ctv::cuda

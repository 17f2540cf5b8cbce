// SPDX-License-Identifier: BSD-3-Clause
// Components of runs as kernels see them: chunks of all components in one array, component after component.
#pragma once

#include <span>
#include <vector>

#include "codec/model/deflate_block.hpp"
#include "codec/model/run_index.hpp"
#include "codec/model/run_ranges.hpp"
#include "cuda/runtime/device.hpp"

namespace ctv::cuda {

/// An array of C, since kernels read it. Range r has the levels [ends[r - 1], ends[r]) of the component,
/// level i of the component in planes[r] at offsets[r] + i modulo 2^64.
struct DeviceRunComponent {
  uint64_t ends[3];
  uint64_t offsets[3];
  uint32_t planes[3];
  uint32_t lowpass;
  uint32_t first, chunks;  // among those of all components
  uint64_t bytes;          // where the component's coded bytes begin; a multiple of 16
};

/// Bytes of a DEFLATE stream of so many chunks at most, rounded up: chunks, headers and ends of two blocks.
constexpr size_t most_run_bytes(size_t chunks) {
  return (chunks * ((kMostHeadBits + kMostTailBits) / 8) + 2 * 4 * kBlockHeaderWords + 15) / 16 * 16 + 16;
}

struct RunLayout {
  std::vector<DeviceRunComponent> components;
  std::vector<uint32_t> component_of;  // [chunks]
  size_t bytes = 0;                    // coded, of all components at most

  explicit RunLayout(std::span<const RunComponent> plan);
};

}  // namespace ctv::cuda

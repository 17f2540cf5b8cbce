// SPDX-License-Identifier: BSD-3-Clause
// Encodes levels on the device to components of runs in host memory (docs/bitstream.md, 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/model/deflate_block.hpp"
#include "cuda/entropy/run_layout.hpp"

namespace ctv::cuda {

/// Codes of a component's bytes, and positions of its blocks in its DEFLATE stream; in device memory.
struct DeviceRunCodes {
  uint32_t codes[2][256];  // as from make_codes()
  uint64_t begin[2];       // bits before the first chunk's heads, tails
};

/// Histogram of a chunk's bytes, of heads and of tails.
struct RunChunkCounts {
  uint16_t of[2][256];
};

/// Codes components to the bytes of ctv::RunEncoder. Allocates nothing per frame; kernels of all frames have
/// the same shape.
class RunEncoder {
 public:
  /// Allocates for the longest code of any levels: per level 4.5 bytes on the device and 4.5 page-locked
  /// bytes.
  Status initialise(Device& device, std::span<const RunComponent> plan);
  /// Starts on `stream`, without waiting. levels: per plane, on the device; must not change until the work is
  /// done. One frame at a time: use the same stream, or one that has waited for the previous frame.
  Status encode(Device& device, const std::array<const Level*, 3>& levels, bool key, cudaStream_t stream);
  /// A component of the plan, in page-locked memory; valid once the stream has finished encode(), until the
  /// next encode().
  CodedRuns coded(size_t component) const;

 private:
  RunLayout layout_{std::span<const RunComponent>{}};
  unsigned copy_blocks_ = 0;
  DeviceArray<DeviceRunComponent> components_;
  DeviceArray<uint32_t> component_of_;
  DeviceArray<unsigned long long> counts_;  // [components][2][256], 0 between frames
  DeviceArray<RunChunkCounts> chunk_counts_;
  DeviceArray<DeviceRunCodes> codes_;
  DeviceArray<RunChunkBits> bits_;  // by chunk
  DeviceArray<uint64_t> sizes_;     // by component
  DeviceArray<uint4> streams_;      // from DeviceRunComponent::bytes on for each; 0 between frames
  PinnedArray<RunChunkBits> host_bits_;
  PinnedArray<uint64_t> host_sizes_;
  PinnedArray<uint4> host_streams_;
};

}  // namespace ctv::cuda

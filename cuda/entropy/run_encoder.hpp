// SPDX-License-Identifier: BSD-3-Clause
// Levels on the device to components of runs in host memory (docs/bitstream.md, 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/model/deflate_block.hpp"
#include "cuda/entropy/run_layout.hpp"

namespace ctv::cuda {

/// Codes of a component's bytes, and where its blocks are in its DEFLATE stream; in device memory.
struct DeviceRunCodes {
  uint32_t codes[2][256];  // of make_codes()
  uint64_t begin[2];       // bits before the first chunk's heads, its tails
};

/// How often each byte occurs in a chunk, of heads and of tails.
struct RunChunkCounts {
  uint16_t of[2][256];
};

/// Codes components with the bytes of ctv::RunEncoder. Made once; allocates nothing per frame, and the
/// kernels of all frames have the same shape.
class RunEncoder {
 public:
  /// Allocates for the longest code of any levels, 4.5 bytes a level on the device and as many page-locked.
  Status initialise(Device& device, std::span<const RunComponent> plan);
  /// Starts on `stream`, without waiting. levels: per plane, on the device, unchanged until the work is done.
  /// One frame at a time: the stream has come to the end of the one before, or is the same.
  Status encode(Device& device, const std::array<const Level*, 3>& levels, bool key, cudaStream_t stream);
  /// One component of the plan, in page-locked memory, valid when the stream has come so far and until the
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
  DeviceArray<RunChunkBits> bits_;  // of chunks
  DeviceArray<uint64_t> sizes_;     // of components
  DeviceArray<uint4> streams_;      // of each component, from DeviceRunComponent::bytes on; 0 between frames
  PinnedArray<RunChunkBits> host_bits_;
  PinnedArray<uint64_t> host_sizes_;
  PinnedArray<uint4> host_streams_;
};

}  // namespace ctv::cuda

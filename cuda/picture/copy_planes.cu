// SPDX-License-Identifier: BSD-3-Clause
// Planes that keep their shape between a picture's bytes and samples: they are only widened or narrowed.
// Several planes in one launch, a thread four samples of a row, one word of the bytes where they lie so;
// blocks without samples are not launched.
#include <array>

#include "cuda/picture/colour.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kRun = 4;  // samples of a thread

/// Blocks of three planes one after the other: where each begins.
struct PlaneBlocks {
  unsigned begin[4];
  unsigned across[3];
};
/// extents: of each plane, as its kernel writes it; {0, 0}: no such plane.
PlaneBlocks plane_blocks(const std::array<Extent, 3>& extents) {
  PlaneBlocks blocks{};
  for (size_t p = 0; p < 3; ++p) {
    blocks.across[p] = max_of(1U, blocks_for(extents[p].cols, kBlock * kRun));
    blocks.begin[p + 1] = blocks.begin[p] + blocks.across[p] * blocks_for(extents[p].rows, kBlock);
  }
  return blocks;
}

struct Place {
  int plane, row, col;
};
__device__ __forceinline__ Place place_of(const PlaneBlocks& blocks) {
  const int plane = blockIdx.x < blocks.begin[1] ? 0 : (blockIdx.x < blocks.begin[2] ? 1 : 2);
  const unsigned block = blockIdx.x - blocks.begin[plane];
  return {plane, static_cast<int>(block / blocks.across[plane] * kBlock + threadIdx.y),
          static_cast<int>((block % blocks.across[plane] * kBlock + threadIdx.x) * kRun)};
}

// Whether four samples and four bytes of a plane lie in one piece each.
__device__ __forceinline__ bool in_words(const uint8_t* bytes, int step, const Sample* samples) {
  return step == 1 && reinterpret_cast<uintptr_t>(bytes) % 4 == 0 &&
         reinterpret_cast<uintptr_t>(samples) % 8 == 0;
}

struct Imports {
  BytePlane from[3];
  Extent extent[3];  // the planes' true ones
  PlaneView<Sample> to[3];
};

__global__ void __launch_bounds__(kBlock* kBlock)
    import_same_kernel(const __grid_constant__ Imports imports, const __grid_constant__ PlaneBlocks blocks) {
  follow();
  const Place at = place_of(blocks);
  const BytePlane& source = imports.from[at.plane];
  const PlaneView<Sample>& plane = imports.to[at.plane];
  const Extent extent = imports.extent[at.plane];
  if (at.row >= plane.rows) return;
  const int row = min_of(at.row, extent.rows - 1);
  const uint8_t* from = source.data + row * source.stride + at.col;
  Sample* const to = plane.row(at.row) + at.col;
  if (at.col + kRun <= extent.cols && in_words(from, source.step, to)) {
    const uint32_t four = *reinterpret_cast<const uint32_t*>(from);
    *reinterpret_cast<uint2*>(to) = {__byte_perm(four, 0, 0x4140), __byte_perm(four, 0, 0x4342)};
    return;
  }
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
    if (at.col + i < plane.cols)
      to[i] = static_cast<Sample>(source.at(row, min_of(at.col + i, extent.cols - 1)));
  }
}

struct Exports {
  PlaneView<const Sample> from[3];
  BytePlane to[3];
};

__global__ void __launch_bounds__(kBlock* kBlock)
    export_same_kernel(const __grid_constant__ Exports exports, const __grid_constant__ PlaneBlocks blocks) {
  follow();
  const Place at = place_of(blocks);
  const BytePlane& target = exports.to[at.plane];
  if (at.row >= target.rows) return;
  const Sample* from = exports.from[at.plane].row(at.row) + at.col;
  uint8_t* const to = target.data + at.row * target.stride + at.col;
  if (at.col + kRun <= target.cols && in_words(to, target.step, from)) {
    const uint2 four = *reinterpret_cast<const uint2*>(from);
    const uint32_t pairs[2] = {four.x, four.y};
    uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      const int sample = static_cast<int16_t>(pairs[i / 2] >> (16 * (i % 2)));
      bytes |= static_cast<uint32_t>(clamp_to(sample, 0, 255)) << (8 * i);
    }
    *reinterpret_cast<uint32_t*>(to) = bytes;
    return;
  }
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
    if (at.col + i < target.cols) target.put(at.row, at.col + i, from[i]);
  }
}

}  // namespace

Status import_same(Device& device, const BytePicture& picture, const PictureLayout& layout,
                   const Planes& planes, size_t first, size_t end) {
  Imports imports{};
  std::array<Extent, 3> extents{};
  for (size_t p = first; p < end; ++p) {
    imports.from[p] = picture.planes[p];
    imports.extent[p] = layout.extent(static_cast<int>(p));
    imports.to[p] = planes[p];
    extents[p] = {planes[p].rows, planes[p].cols};
  }
  const PlaneBlocks blocks = plane_blocks(extents);
  launch_kernel(device, import_same_kernel, blocks.begin[3], dim3(kBlock, kBlock), 0, imports, blocks);
  return device.launched("import_same_kernel");
}

Status export_same(Device& device, const ConstPlanes& planes, size_t first, size_t end,
                   const BytePicture& picture) {
  Exports exports{};
  std::array<Extent, 3> extents{};
  for (size_t p = first; p < end; ++p) {
    exports.from[p] = planes[p];
    exports.to[p] = picture.planes[p];
    extents[p] = {picture.planes[p].rows, picture.planes[p].cols};
  }
  const PlaneBlocks blocks = plane_blocks(extents);
  launch_kernel(device, export_same_kernel, blocks.begin[3], dim3(kBlock, kBlock), 0, exports, blocks);
  return device.launched("export_same_kernel");
}

}  // namespace ctv::cuda

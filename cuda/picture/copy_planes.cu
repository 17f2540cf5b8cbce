// SPDX-License-Identifier: BSD-3-Clause
// Planes whose samples are only widened or narrowed between a picture's bytes, or words, and 16 bits. Several
// planes share a launch; blocks without samples are not launched. Reads: a word of four bytes per thread.
// Writes: a warp takes a piece of a row, sixteen bytes per thread where aligned. Writes to host memory are
// limited by the bus, so few threads should wait for it.
#include <array>

#include "cuda/picture/colour.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kRun = 4;  // samples per thread
constexpr int kPieceRun = 16;
constexpr int kPiece = kBlock * kPieceRun;  // samples per warp
constexpr int kPieceRows = 8;               // per block

/// Numbers of the first blocks of up to three planes that share a launch.
struct PlaneBlocks {
  unsigned begin[4];
  unsigned across[3];
};
/// extents: of each plane as its kernel writes it; {0, 0}: no such plane. each: extent of a block.
PlaneBlocks plane_blocks(const std::array<Extent, 3>& extents, Extent each) {
  PlaneBlocks blocks{};
  for (size_t p = 0; p < 3; ++p) {
    blocks.across[p] = max_of(1U, blocks_for(extents[p].cols, each.cols));
    blocks.begin[p + 1] = blocks.begin[p] + blocks.across[p] * blocks_for(extents[p].rows, each.rows);
  }
  return blocks;
}

/// First row and column of a block.
struct Place {
  int plane, row, col;
};
__device__ __forceinline__ Place place_of(const PlaneBlocks& blocks, int rows, int cols) {
  const int plane = blockIdx.x < blocks.begin[1] ? 0 : (blockIdx.x < blocks.begin[2] ? 1 : 2);
  const unsigned block = blockIdx.x - blocks.begin[plane];
  return {plane, static_cast<int>(block / blocks.across[plane]) * rows,
          static_cast<int>(block % blocks.across[plane]) * cols};
}

// Whether `count` bytes, and samples up to eight at a time, can be accessed as words.
__device__ __forceinline__ bool in_words(const uint8_t* bytes, int step, const Sample* samples,
                                         unsigned count) {
  return step == 1 && reinterpret_cast<uintptr_t>(bytes) % count == 0 &&
         reinterpret_cast<uintptr_t>(samples) % (min_of(count, 8U) * sizeof(Sample)) == 0;
}

// Whether kRun words of a plane, and samples, can be accessed at once, from multiples of kRun on.
__device__ __forceinline__ bool planar_words(const BytePlane& plane, const Sample* samples) {
  return plane.step == 2 && plane.bits > 8 && plane.unused == 0 &&
         (reinterpret_cast<uintptr_t>(plane.data) | static_cast<uintptr_t>(plane.stride) |
          reinterpret_cast<uintptr_t>(samples)) %
                 sizeof(uint2) ==
             0;
}

__device__ __forceinline__ uint32_t narrowed(uint32_t low, uint32_t high) {
  const uint32_t pairs[2] = {low, high};
  uint32_t bytes = 0;
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
    const int sample = static_cast<int16_t>(pairs[i / 2] >> (16 * (i % 2)));
    bytes |= static_cast<uint32_t>(clamp_to(sample, 0, 255)) << (8 * i);
  }
  return bytes;
}
__device__ __forceinline__ uint2 narrowed(const uint4& eight) {
  return {narrowed(eight.x, eight.y), narrowed(eight.z, eight.w)};
}

struct Imports {
  BytePlane from[3];
  Extent extent[3];  // true extents of the planes
  PlaneView<Sample> to[3];
};

__global__ void __launch_bounds__(kBlock* kBlock)
    import_same_kernel(const __grid_constant__ Imports imports, const __grid_constant__ PlaneBlocks blocks) {
  pdl_begin();
  Place at = place_of(blocks, kBlock, kBlock * kRun);
  at.row += thread_y();
  at.col += thread_x() * kRun;
  const BytePlane& source = imports.from[at.plane];
  const PlaneView<Sample>& plane = imports.to[at.plane];
  const Extent extent = imports.extent[at.plane];
  if (at.row >= plane.rows) return;
  const int row = min_of(at.row, extent.rows - 1);
  const uint8_t* from = source.data + row * source.stride + at.col;
  Sample* const to = plane.row(at.row) + at.col;
  if (at.col + kRun <= extent.cols && in_words(from, source.step, to, kRun)) {
    const uint32_t four = *reinterpret_cast<const uint32_t*>(from);
    *reinterpret_cast<uint2*>(to) = {__byte_perm(four, 0, 0x4140), __byte_perm(four, 0, 0x4342)};
    return;
  }
  if (at.col + kRun <= extent.cols && planar_words(source, to)) {
    const auto* from_words =
        reinterpret_cast<const uint2*>(source.data + row * source.stride) + at.col / kRun;
    const uint32_t most = static_cast<uint32_t>(source.most()) * 0x00010001U;
    *reinterpret_cast<uint2*>(to) = {__vminu2(from_words->x, most), __vminu2(from_words->y, most)};
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
  int bits;  // of the samples
};

__global__ void __launch_bounds__(kBlock* kPieceRows)
    export_same_kernel(const __grid_constant__ Exports exports, const __grid_constant__ PlaneBlocks blocks) {
  pdl_begin();
  const Place at = place_of(blocks, kPieceRows, kPiece);
  const BytePlane& target = exports.to[at.plane];
  const int row = at.row + thread_y();
  if (row >= target.rows) return;
  const Sample* const from = exports.from[at.plane].row(row) + at.col;
  uint8_t* const to = target.data + row * target.stride + at.col;
  const int count = min_of(target.cols - at.col, kPiece);
  const int lane = thread_x();
  if (exports.bits > 8) {  // samples are in the range already
    const bool words = target.bits == exports.bits && planar_words(target, from);
    auto* const to_words = reinterpret_cast<uint2*>(target.data + row * target.stride) + at.col / kRun;
    for (int c = lane * kRun; c < count; c += kBlock * kRun) {
      if (words && c + kRun <= count) {
        to_words[c / kRun] = *reinterpret_cast<const uint2*>(from + c);
        continue;
      }
      for (int i = c; i < min_of(c + kRun, count); ++i)
        target.put(row, at.col + i, from[i], exports.bits - target.bits);
    }
    return;
  }
  if (count == kPiece && in_words(to, target.step, from, kPieceRun)) {
    const uint4* const samples = reinterpret_cast<const uint4*>(from) + 2 * lane;
    const uint2 first = narrowed(samples[0]);
    const uint2 second = narrowed(samples[1]);
    reinterpret_cast<uint4*>(to)[lane] = {first.x, first.y, second.x, second.y};
    return;
  }
  const bool words = in_words(to, target.step, from, kRun);
  for (int c = lane * kRun; c < count; c += kBlock * kRun) {
    if (words && c + kRun <= count) {
      const uint2 four = *reinterpret_cast<const uint2*>(from + c);
      *reinterpret_cast<uint32_t*>(to + c) = narrowed(four.x, four.y);
      continue;
    }
    for (int i = c; i < min_of(c + kRun, count); ++i) target.put(row, at.col + i, from[i], 0);
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
  const PlaneBlocks blocks = plane_blocks(extents, {kBlock, kBlock * kRun});
  launch_kernel(device, import_same_kernel, blocks.begin[3], dim3(kBlock, kBlock), 0, imports, blocks);
  return device.launched("import_same_kernel");
}

Status export_same(Device& device, const ConstPlanes& planes, int bits, size_t first, size_t end,
                   const BytePicture& picture) {
  Exports exports{};
  exports.bits = bits;
  std::array<Extent, 3> extents{};
  for (size_t p = first; p < end; ++p) {
    exports.from[p] = planes[p];
    exports.to[p] = picture.planes[p];
    extents[p] = {picture.planes[p].rows, picture.planes[p].cols};
  }
  const PlaneBlocks blocks = plane_blocks(extents, {kPieceRows, kPiece});
  launch_kernel(device, export_same_kernel, blocks.begin[3], dim3(kBlock, kPieceRows), 0, exports, blocks);
  return device.launched("export_same_kernel");
}

}  // namespace ctv::cuda

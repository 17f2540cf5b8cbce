// SPDX-License-Identifier: BSD-3-Clause
// Colour and chroma resampling between a picture's bytes and planes of samples: YCoCg-R (Malvar and
// Sullivan), mean of 2x2 down, bilinear up (Katsigiannis et al., section II).
//
// Step by step it is a pass for the colours, one for each chroma plane and one for padding. Here every output
// sample is one thread's (blocks of 32x32), or four pixels of RGB, and fetches what it needs through the
// caches, so each direction is one launch; the padding is the clamped position. Planes that keep their shape:
// copy_planes.cu.
#include "codec/dsp/ycbcr.hpp"
#include "codec/dsp/ycocg.hpp"
#include "cuda/picture/chroma.cuh"
#include "cuda/picture/colour.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/thread.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;

__device__ __forceinline__ int thread_row() { return static_cast<int>(blockIdx.y * kBlock + threadIdx.y); }
__device__ __forceinline__ int thread_col() { return static_cast<int>(blockIdx.x * kBlock + threadIdx.x); }

struct PlaneImport {
  BytePlane source;
  ChromaShift from, to;
  Extent extent;  // the true extent of the plane
  PlaneView<Sample> plane;
};
struct PlaneImports {
  PlaneImport of[2];
};

// One layer of the grid per plane.
__global__ void __launch_bounds__(kBlock* kBlock)
    import_chroma_kernel(const __grid_constant__ PlaneImports imports) {
  const PlaneImport& import = imports.of[blockIdx.z];
  const PlaneView<Sample>& plane = import.plane;
  const int r = thread_row();
  const int c = thread_col();
  pdl_begin();
  if (r >= plane.rows || c >= plane.cols) return;
  plane.row(r)[c] =
      static_cast<Sample>(resampled(import.source, import.from, import.to, min_of(r, import.extent.rows - 1),
                                    min_of(c, import.extent.cols - 1)));
}

__device__ __forceinline__ Ycocg ycocg_at(const BytePlane& p, int r, int c) {
  const uint8_t* pixel =
      p.data + min_of(r, p.rows - 1) * p.stride + static_cast<ptrdiff_t>(min_of(c, p.cols - 1)) * p.step;
  return rgb_to_ycocg(pixel[0], pixel[1], pixel[2]);
}

struct SamplePlanes {
  PlaneView<Sample> of[3];
};

__device__ __forceinline__ void put(const PlaneView<Sample>& plane, int r, int c, int v) {
  if (r < plane.rows && c < plane.cols) plane.row(r)[c] = static_cast<Sample>(v);
}

// One thread per sample, or per 2x2 samples with 4:2:0 chroma.
template <bool kQuarter>
__global__ void __launch_bounds__(kBlock* kBlock)
    import_rgb_kernel(const __grid_constant__ BytePlane source, const __grid_constant__ SamplePlanes planes) {
  const int r = thread_row();
  const int c = thread_col();
  pdl_begin();
  if constexpr (!kQuarter) {
    const Ycocg v = ycocg_at(source, r, c);
    put(planes.of[0], r, c, v.y);
    put(planes.of[1], r, c, v.co);
    put(planes.of[2], r, c, v.cg);
  } else {
    // Padding repeats the last chroma sample, which differs from the mean of repeated pixels if the extent is
    // even. So the last 2x2 pixels are repeated for chroma, and the last row and column for luma.
    const int last_r = 2 * min_of(r, (source.rows - 1) / 2);
    const int last_c = 2 * min_of(c, (source.cols - 1) / 2);
    Ycocg v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = ycocg_at(source, last_r + (i >> 1), last_c + (i & 1));
    put(planes.of[1], r, c, subsample_2x2(v[0].co, v[1].co, v[2].co, v[3].co));
    put(planes.of[2], r, c, subsample_2x2(v[0].cg, v[1].cg, v[2].cg, v[3].cg));
    if (last_r != 2 * r) v[0].y = v[2].y, v[1].y = v[3].y;
    if (last_c != 2 * c) v[0].y = v[1].y, v[2].y = v[3].y;
#pragma unroll
    for (int i = 0; i < 4; ++i) put(planes.of[0], 2 * r + (i >> 1), 2 * c + (i & 1), v[i].y);
  }
}

struct PlaneExport {
  SamplePlane source;  // data null: grey
  ChromaShift from, to;
  BytePlane target;
};
struct PlaneExports {
  PlaneExport of[3];
  int bits;  // of the samples
};

__global__ void __launch_bounds__(kBlock* kBlock)
    export_planes_kernel(const __grid_constant__ PlaneExports exports) {
  const PlaneExport& e = exports.of[blockIdx.z];
  const BytePlane& target = e.target;
  const int r = thread_row();
  const int c = thread_col();
  pdl_begin();
  if (r >= target.rows || c >= target.cols) return;
  const int grey = 1 << (exports.bits - 1);
  target.put(r, c, e.source.data == nullptr ? grey : resampled(e.source, e.from, e.to, r, c),
             exports.bits - target.bits);
}

struct Colours {
  SamplePlane of[3];
  ChromaShift chroma;
  int planes;
  int ycocg;  // also for mono, as YCoCg without chroma
  int shift;  // bits of a sample beyond 8
  YcbcrMatrix ycbcr;
};

// A warp joins a piece of a row in shared memory, and each thread then writes sixteen bytes: writes to host
// memory are limited by the bus (copy_planes.cu).
constexpr int kPiece = 512;    // pixels
constexpr int kRun = 4;        // pixels per thread
constexpr int kPieceRows = 8;  // per block

// The two rows of a chroma plane around a row of pixels; without subsampling both are the same.
struct ChromaRows {
  int near, other;  // index of their first elements
};
__device__ __forceinline__ ChromaRows chroma_rows(const SamplePlane& p, ChromaShift from, int r) {
  const int near = r >> from.y;
  const int other = from.y != 0 ? clamp_to(near + ((r & 1) != 0 ? 1 : -1), 0, p.rows - 1) : near;
  const auto stride = static_cast<int>(p.stride);
  return {near * stride, other * stride};
}

// resampled() of a run of pixels, from four samples of each surrounding row. Bilinear interpolation is
// separable before rounding, so the pixels share sums of columns. For 4:2:2, with one row twice, it equals
// upsample_linear().
__device__ __forceinline__ void upsample_run(const Sample* samples, const ChromaRows& rows,
                                             const int (&cols)[kRun], int (&out)[kRun]) {
  int sums[kRun];
#pragma unroll
  for (int k = 0; k < kRun; ++k) sums[k] = 3 * samples[rows.near + cols[k]] + samples[rows.other + cols[k]];
#pragma unroll
  for (int k = 0; k < kRun; ++k) {
    const int near = 1 + k / 2;
    out[k] = (3 * sums[near] + 8 + sums[k % 2 != 0 ? near + 1 : near - 1]) >> 4;
  }
}

// Red, green and blue, clamped to bytes, then 255.
__device__ __forceinline__ uint32_t pixel_of(const Rgb& v) {
  uint32_t high, pixel;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(255), "r"(v.b), "r"(0));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(pixel) : "r"(v.g), "r"(v.r), "r"(high));
  return pixel;
}

// kHalf: chroma has half the columns. With four blocks per multiprocessor, a thread has enough registers to
// load all samples of a run before it uses the first.
template <bool kHalf>
__global__ void __launch_bounds__(kBlock* kPieceRows, 4)
    export_rgb_kernel(const __grid_constant__ Colours source, const __grid_constant__ BytePlane target) {
  __shared__ uint4 joined[kPieceRows][kPiece * sizeof(uint32_t) / sizeof(uint4)];
  const int row = static_cast<int>(blockIdx.y) * kPieceRows + thread_y();
  const int col = static_cast<int>(blockIdx.x) * kPiece;
  const int lane = thread_x();
  pdl_begin();
  if (row >= target.rows) return;
  const int count = min_of(target.cols - col, kPiece);
  const int luma = row * static_cast<int>(source.of[0].stride);
  const ChromaRows rows[2] = {chroma_rows(source.of[1], source.chroma, row),
                              chroma_rows(source.of[2], source.chroma, row)};
  auto* const words = reinterpret_cast<uint32_t*>(joined[threadIdx.y]);
  for (int c = lane * kRun; c < count; c += kBlock * kRun) {
    const int first = kHalf ? (col + c) / 2 - 1 : col + c;
    int y[kRun], cols[kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      y[i] = source.of[0].data[luma + min_of(col + c + i, target.cols - 1)];
      cols[i] = min_of(i == 0 ? max_of(first, 0) : first + i, source.of[1].cols - 1);
    }
    int u[kRun]{}, v[kRun]{};
    if constexpr (kHalf) {
      upsample_run(source.of[1].data, rows[0], cols, u);
      upsample_run(source.of[2].data, rows[1], cols, v);
    } else if (source.planes == 3) {
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        u[i] = source.of[1].data[rows[0].near + cols[i]];
        v[i] = source.of[2].data[rows[1].near + cols[i]];
      }
    }
    if (source.shift > 0) {
      const auto rounded = [&](int x) {
        return clamp_to((x + (1 << source.shift >> 1)) >> source.shift, 0, 255);
      };
#pragma unroll
      for (int i = 0; i < kRun; ++i) {
        y[i] = rounded(y[i]);
        u[i] = rounded(u[i]);
        v[i] = rounded(v[i]);
      }
    }
    uint32_t pixels[kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      pixels[i] = pixel_of(source.ycocg != 0 ? ycocg_to_rgb(y[i], u[i], v[i])
                                             : ycbcr_to_rgb(source.ycbcr, y[i], u[i], v[i]));
    }
    if (target.step == 4) {
#pragma unroll
      for (int i = 0; i < kRun; ++i) words[c + i] = pixels[i];
    } else {
      uint32_t* const three = words + c / kRun * 3;
      three[0] = __byte_perm(pixels[0], pixels[1], 0x4210);
      three[1] = __byte_perm(pixels[1], pixels[2], 0x5421);
      three[2] = __byte_perm(pixels[2], pixels[3], 0x6542);
    }
  }
  __syncwarp();
  uint8_t* const to = target.data + row * target.stride + static_cast<ptrdiff_t>(col) * target.step;
  const int bytes = count * static_cast<int>(target.step);
  const int runs =
      reinterpret_cast<uintptr_t>(to) % sizeof(uint4) == 0 ? bytes / static_cast<int>(sizeof(uint4)) : 0;
  for (int i = lane; i < runs; i += kBlock) reinterpret_cast<uint4*>(to)[i] = joined[threadIdx.y][i];
  for (int i = runs * static_cast<int>(sizeof(uint4)) + lane; i < bytes; i += kBlock)
    to[i] = reinterpret_cast<const uint8_t*>(words)[i];
}

struct BytePlanes {
  BytePlane of[3];
};

// Converts YCoCg planes to YCbCr with any subsampling, by way of 4:4:4; one thread per chroma sample and its
// luma samples.
__global__ void __launch_bounds__(kBlock* kBlock)
    export_converted_kernel(const __grid_constant__ Colours source, ChromaShift to,
                            const __grid_constant__ BytePlanes target) {
  const int r = thread_row();
  const int c = thread_col();
  pdl_begin();
  if (r >= target.of[1].rows || c >= target.of[1].cols) return;
  Ycbcr v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = min_of((r << to.y) + ((i >> 1) & to.y), target.of[0].rows - 1);
    const int col = min_of((c << to.x) + (i & 1 & to.x), target.of[0].cols - 1);
    const Rgb p =
        ycocg_to_rgb(source.of[0].at(row, col), resampled(source.of[1], source.chroma, {}, row, col),
                     resampled(source.of[2], source.chroma, {}, row, col));
    v[i] = rgb_to_ycbcr(source.ycbcr, clamp_to(p.r, 0, 255), clamp_to(p.g, 0, 255), clamp_to(p.b, 0, 255));
    target.of[0].put(row, col, v[i].y, 0);
  }
  int cb = v[0].cb;
  int cr = v[0].cr;
  if (to.y != 0) {
    cb = subsample_2x2(v[0].cb, v[1].cb, v[2].cb, v[3].cb);
    cr = subsample_2x2(v[0].cr, v[1].cr, v[2].cr, v[3].cr);
  } else if (to.x != 0) {
    cb = subsample_pair(v[0].cb, v[1].cb);
    cr = subsample_pair(v[0].cr, v[1].cr);
  }
  target.of[1].put(r, c, cb, 0);
  target.of[2].put(r, c, cr, 0);
}

bool same(ChromaShift a, ChromaShift b) { return a.y == b.y && a.x == b.x; }

dim3 blocks(int rows, int cols) { return {blocks_for(cols, kBlock), blocks_for(rows, kBlock)}; }
SamplePlane sample_plane(const PlaneView<const Sample>& v) { return {v.data, v.stride, v.rows, v.cols}; }

}  // namespace

Status import_planes(Device& device, const BytePicture& picture, const PictureLayout& layout,
                     const Planes& planes) {
  const dim3 threads(kBlock, kBlock);
  if (is_rgb(picture.format)) {
    const SamplePlanes out{{planes[0], planes[1], planes[2]}};
    const int rows = max_of(planes[1].rows, planes[0].rows >> layout.chroma.y);
    const int cols = max_of(planes[1].cols, planes[0].cols >> layout.chroma.x);
    if (layout.chroma.y == 0) {
      launch_single_frame(device, device.stream(), import_rgb_kernel<false>, blocks(rows, cols), threads,
                          picture.planes[0], out);
    } else {
      launch_single_frame(device, device.stream(), import_rgb_kernel<true>, blocks(rows, cols), threads,
                          picture.planes[0], out);
    }
    return device.launched("import_rgb_kernel");
  }
  const ChromaShift from = chroma_shift(picture.format);
  if (layout.planes == 3 && same(from, layout.chroma))
    return import_same(device, picture, layout, planes, 0, 3);
  CTV_RETURN_IF_ERROR(import_same(device, picture, layout, planes, 0, 1));
  if (layout.planes == 1) return {};
  const PlaneImports imports{{{picture.planes[1], from, layout.chroma, layout.extent(1), planes[1]},
                              {picture.planes[2], from, layout.chroma, layout.extent(2), planes[2]}}};
  dim3 grid = blocks(planes[1].rows, planes[1].cols);
  grid.z = 2;
  launch_single_frame(device, device.stream(), import_chroma_kernel, grid, dim3(kBlock, kBlock), imports);
  return device.launched("import_chroma_kernel");
}

Status export_planes(Device& device, const ConstPlanes& planes, const PictureLayout& layout,
                     const BytePicture& picture) {
  const dim3 threads(kBlock, kBlock);
  const bool ycocg = layout.colour == ColourModel::kYcocgR;
  const BytePlane& luma = picture.planes[0];
  const Colours colours{{sample_plane(planes[0]), sample_plane(planes[1]), sample_plane(planes[2])},
                        layout.chroma,
                        layout.planes,
                        ycocg || layout.planes == 1 ? 1 : 0,
                        layout.shift(),
                        layout.ycbcr};
  if (is_rgb(picture.format)) {
    const dim3 pieces(blocks_for(luma.cols, kPiece), blocks_for(luma.rows, kPieceRows));
    const bool half = layout.planes == 3 && layout.chroma.x != 0;
    auto* const kernel = half ? export_rgb_kernel<true> : export_rgb_kernel<false>;
    launch_single_frame(device, device.stream(), kernel, pieces, dim3(kBlock, kPieceRows), colours, luma);
    return device.launched("export_rgb_kernel");
  }
  const ChromaShift to = chroma_shift(picture.format);
  if (ycocg && !is_gray(picture.format)) {
    const BytePlanes out{{picture.planes[0], picture.planes[1], picture.planes[2]}};
    launch_single_frame(device, device.stream(), export_converted_kernel,
                        blocks(out.of[1].rows, out.of[1].cols), threads, colours, to, out);
    return device.launched("export_converted_kernel");
  }
  if (is_gray(picture.format)) return export_same(device, planes, layout.bits, 0, 1, picture);
  if (layout.planes == 3 && same(layout.chroma, to))
    return export_same(device, planes, layout.bits, 0, 3, picture);
  PlaneExports exports{};
  exports.bits = layout.bits;
  dim3 grid = blocks(luma.rows, luma.cols);  // no plane is larger
  grid.z = 3;
  for (int p = 0; p < static_cast<int>(grid.z); ++p) {
    exports.of[p] = {p < layout.planes ? colours.of[p] : SamplePlane{},
                     p == 0 ? ChromaShift{} : layout.chroma, p == 0 ? ChromaShift{} : to, picture.planes[p]};
  }
  launch_single_frame(device, device.stream(), export_planes_kernel, grid, threads, exports);
  return device.launched("export_planes_kernel");
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The paper's prediction (Katsigiannis et al., section II): a level is predicted by the previous frame's
// level at the position to which its block's vector points, scaled to the subband's grid. That is a lookup
// and an addition per level, with two dependent loads. A thread loads eight levels of a column at once: those
// that share a vector share its scaling. Blocks of 32x32 levels, one layer of the grid per subband, so a
// plane takes one launch. In a decoder the sums are dequantised in the same kernel, one scale per launch.
#include "cuda/transform/subband_prediction.hpp"

#include <array>

#include "codec/dsp/motion_vectors.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kBlock = 32;
constexpr int kRows = 8;  // per thread

struct MovedSubband {
  int rows, cols;
  int offset;
  uint8_t row_shift, col_shift;
};

struct Prediction {
  const uint32_t* vectors;  // [grid_rows][grid_cols], MotionVector
  int log2_block, grid_rows, grid_cols;
  int sign;
  const Level* in;
  const Level* previous;
  Level* out;
};

__device__ __forceinline__ int first_row() {
  return static_cast<int>(blockIdx.y * kBlock + threadIdx.y * kRows);
}
__device__ __forceinline__ int own_col() { return static_cast<int>(blockIdx.x * kBlock + threadIdx.x); }

__device__ __forceinline__ int moved_within(int at, int step, int last) {
  return __viaddmin_s32_relu(at, step, last);
}

// Predicts the levels of a thread. kShared consecutive, aligned rows have the same vector. put(k, level,
// held) receives the level of the thread's row k; held: the subband has this row.
template <int kShared, typename Put>
__device__ __forceinline__ void predict_rows(const MovedSubband& s, const Prediction& p, const Put& put) {
  const int first = first_row();
  const int c = own_col();
  const int rows = s.rows - first;  // from the thread's first row on
  if (rows <= 0 || c >= s.cols) return;
  pdl_begin();
  const uint32_t* const column = p.vectors + block_of(c, s.col_shift, p.log2_block, p.grid_cols);
  uint32_t v[kRows / kShared];
#pragma unroll
  for (int i = 0; i < kRows / kShared; ++i)
    v[i] = column[block_of(first + i * kShared, s.row_shift, p.log2_block, p.grid_rows) * p.grid_cols];
  const int own = s.offset + first * s.cols + c;
  int levels[kRows];
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    const uint32_t vector = v[k / kShared];
    const int down = scale_vector(static_cast<int16_t>(vector), kVectorFractionBits + s.row_shift);
    const int right = scale_vector(static_cast<int16_t>(vector >> 16), kVectorFractionBits + s.col_shift);
    const int moved =
        s.offset + moved_within(first + k, down, s.rows - 1) * s.cols + moved_within(c, right, s.cols - 1);
    levels[k] = (k < rows ? p.in[own + k * s.cols] : 0) + p.sign * p.previous[moved];
  }
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    if (k < rows) p.out[own + k * s.cols] = static_cast<Level>(levels[k]);
    put(k, static_cast<Level>(levels[k]), k < rows);
  }
}

struct MovedSubbands {
  MovedSubband of[kMaxSubbandsPerPlane];
};

template <int kShared>
__global__ void __launch_bounds__(kBlock* kBlock / kRows, 8)
    predict_kernel(const __grid_constant__ MovedSubbands subbands, const __grid_constant__ Prediction p) {
  predict_rows<kShared>(subbands.of[blockIdx.z], p, [](int, Level, bool) {});
}

struct PlacedSubband {
  Coefficient* first;
  int row_on, col_on;  // elements to the next coefficient below, and to the right
  int odd_row_on;      // quincunx: additional offset of odd rows
  uint32_t step, reconstruction_offset;
};
struct PlacedSubbands {
  MovedSubband of[1 + kMaxGatheredSubbands];
  PlacedSubband placed[1 + kMaxGatheredSubbands];
};
static_assert(kRows % 2 == 0);  // row k of a thread is odd where k is

template <int kShared>
__global__ void __launch_bounds__(kBlock* kBlock / kRows, 8)
    dequantise_predicted_kernel(const __grid_constant__ PlacedSubbands subbands,
                                const __grid_constant__ Prediction p) {
  const PlacedSubband to = subbands.placed[blockIdx.z];
  Coefficient* const first = to.first + first_row() * to.row_on + own_col() * to.col_on;
  predict_rows<kShared>(subbands.of[blockIdx.z], p, [&](int k, Level level, bool held) {
    const Coefficient x = dequantise(level, to.step, to.reconstruction_offset);
    if (held) first[k * to.row_on + k % 2 * to.odd_row_on] = x;
  });
}

MovedSubband moved_subband(const Subband& s, ChromaShift chroma) {
  return {s.rows, s.cols, static_cast<int>(s.offset), static_cast<uint8_t>(s.row_shift + chroma.y),
          static_cast<uint8_t>(s.col_shift + chroma.x)};
}

// kernels[i] uses one vector for 2^i rows. Launches the last one that is valid for all subbands.
template <typename Kernel, size_t kKernels, typename Subbands>
void launch(Device& device, const std::array<Kernel, kKernels>& kernels, const Subbands& subbands, int count,
            const Prediction& p) {
  int rows = 0;
  int cols = 0;
  int log2_shared = static_cast<int>(kKernels) - 1;
  for (const MovedSubband& s : std::span(subbands.of).first(static_cast<size_t>(count))) {
    rows = max_of(rows, s.rows);
    cols = max_of(cols, s.cols);
    log2_shared = clamp_to(p.log2_block - s.row_shift, 0, log2_shared);
  }
  const dim3 blocks(blocks_for(cols, kBlock), blocks_for(rows, kBlock), static_cast<unsigned>(count));
  launch_single_frame(device, device.stream(), kernels[static_cast<size_t>(log2_shared)], blocks,
                      dim3(kBlock, kBlock / kRows), subbands, p);
}

Prediction prediction(const MotionGrid& grid, const MotionVector* vectors, int sign, const Level* in,
                      const Level* previous, Level* out) {
  return {reinterpret_cast<const uint32_t*>(vectors),
          grid.log2_block,
          grid.rows,
          grid.cols,
          sign,
          in,
          previous,
          out};
}

}  // namespace

Status predict_subbands(Device& device, int sign, const SubbandLayout& layout, ChromaShift chroma,
                        const MotionGrid& grid, const MotionVector* vectors, const Level* in,
                        const Level* previous, int layers, Level* out) {
  MovedSubbands subbands;
  int count = 0;
  for (const Subband& s : layout.subbands) {
    if (s.layer < layers) subbands.of[count++] = moved_subband(s, chroma);
  }
  launch(device, std::array{predict_kernel<1>, predict_kernel<2>, predict_kernel<4>}, subbands, count,
         prediction(grid, vectors, sign, in, previous, out));
  return device.launched("predict_kernel");
}

Status dequantise_predicted(Device& device, const PredictedLevels& predicted,
                            std::span<const SubbandQuantiser> quantisers, std::span<const ScaleBands> to) {
  PlacedSubbands subbands;
  int count = 0;
  for (const ScaleBands& bands : to) {
    const int band_cols = bands.scale.band_cols;
    for (size_t i = 0; i < static_cast<size_t>(bands.scale.count); ++i) {
      const GatheredSubband& g = bands.scale.subbands[i];
      const SubbandQuantiser& q = quantisers[bands.first + i];
      subbands.of[count] = moved_subband(predicted.layout.subbands[bands.first + i], predicted.chroma);
      subbands.placed[count++] = {bands.bands + (g.base + g.row * band_cols + g.col),
                                  g.row_stride * band_cols,
                                  g.quincunx != 0 ? 2 : g.col_stride,
                                  g.quincunx != 0 ? 1 - 2 * g.col : 0,
                                  q.step,
                                  q.reconstruction_offset};
    }
  }
  launch(device,
         std::array{dequantise_predicted_kernel<1>, dequantise_predicted_kernel<2>,
                    dequantise_predicted_kernel<4>},
         subbands, count,
         prediction(predicted.grid, predicted.vectors, 1, predicted.residual, predicted.previous,
                    predicted.levels));
  return device.launched("dequantise_predicted_kernel");
}

}  // namespace ctv::cuda

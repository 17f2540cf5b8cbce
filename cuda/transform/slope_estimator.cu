// SPDX-License-Identifier: BSD-3-Clause
// For each scale, one launch lifts every tile with each slope and stores the costs of its blocks, another
// decides (slope_decisions.hpp), and two compute the lowpass with the chosen slopes for the next scale; one
// of these two finds on the device that it has nothing to do. For the finest scale they also compute HL and
// LH, whose directions are then chosen. The host waits for nothing.
#include "cuda/transform/slope_estimator.hpp"

#include "codec/control/slope_decisions.hpp"
#include "cuda/runtime/thread.cuh"
#include "cuda/transform/directed_bands.hpp"
#include "cuda/transform/slope_lifting.hpp"
#include "cuda/transform/slope_tile.cuh"

namespace ctv::cuda {
namespace {

CTV_CONST_TABLE LaplacianCost kCost = kLaplacianCost;

constexpr int kDecideThreads = 1024;
constexpr int kCellSide = 1 << kLog2SlopeCell;
constexpr int kCellCols = kSlopeTileCols / kCellSide;
constexpr int kCells = kSlopeTileRows / kCellSide * kCellCols;
constexpr int kBlockSide = 1 << kLog2SlopeBlock;
constexpr int kTileBlockCols = kSlopeTileCols / kBlockSide;
constexpr int kTileBlocks = kSlopeTileRows / kBlockSide * kTileBlockCols;

struct SlopeCosts {
  int rows, cols;     // of the scale's input
  uint32_t steps[3];  // of HL, LH, HH
  int block_rows, block_cols;
  uint32_t* costs;  // [slopes][blocks]
  __device__ int blocks() const { return block_rows * block_cols; }
};

// Block (x, y, z) of threads: one tile, lifted with slope z.
__global__ void __launch_bounds__(kSlopeThreads)
    slope_costs_kernel(const __grid_constant__ SlopeCosts of, const __grid_constant__ PlaneSource source) {
  __shared__ SlopeTile tile;
  __shared__ uint32_t cells[kCells][3];
  const SlopeTileWork work(tile, of.rows, of.cols);
  const int slope = static_cast<int>(blockIdx.z);
  work.load_slopes([&](int, int) { return slope; });
  work.for_samples<SlopeTile::kRowBorder, SlopeTile::kColBorder>(
      [&](int row, int col) { work.at(row, col) = source.at(row, col); });
  work.forward();
  __syncthreads();
  const int thread = thread_x();
  if (thread < 3 * kCells) {
    const int cell = thread / 3;
    const int band = thread % 3 + 1;
    const int row0 = work.row0() + cell / kCellCols * kCellSide;
    const int col0 = work.col0() + cell % kCellCols * kCellSide;
    uint32_t sum = 0;
    uint32_t n = 0;
    for (int row = row0 + (band >> 1); row < min_of(row0 + kCellSide, of.rows); row += 2) {
      for (int col = col0 + (band & 1); col < min_of(col0 + kCellSide, of.cols); col += 2, ++n)
        sum += static_cast<uint32_t>(abs_of(work.at(row, col)));
    }
    cells[cell][band - 1] = n == 0 ? 0 : slope_cell_cost(kCost, sum, n, slope_scale(n, of.steps[band - 1]));
  }
  __syncthreads();
  if (thread >= kTileBlocks) return;
  const int row = thread / kTileBlockCols;
  const int col = thread % kTileBlockCols;
  const int block_row = work.row0() / kBlockSide + row;
  const int block_col = work.col0() / kBlockSide + col;
  if (block_row >= of.block_rows || block_col >= of.block_cols) return;
  uint32_t cost = 0;
  for (int k = 0; k < 4; ++k) {
    const int cell = (2 * row + (k >> 1)) * kCellCols + 2 * col + (k & 1);
    cost += cells[cell][0] + cells[cell][1] + cells[cell][2];
  }
  of.costs[slope * of.blocks() + block_row * of.block_cols + block_col] = cost;
}

// Launched with one block of threads. before, found: [blocks]; used: whether the scale has slopes.
__global__ void __launch_bounds__(kDecideThreads)
    decide_slopes_kernel(const __grid_constant__ SlopeCosts of, int8_t* before, int8_t* found, int8_t* used) {
  using Sum = unsigned long long;  // type of atomicAdd()
  __shared__ Sum without, with;
  const int blocks = of.blocks();
  const auto for_blocks = [&](auto body) {
    for (int i = thread_x(); i < blocks; i += kDecideThreads) body(i);
  };
  if (threadIdx.x == 0) without = with = 0;
  for (int pass = 0; pass <= kSlopePasses; ++pass) {
    for_blocks([&](int i) { before[i] = pass == 0 ? int8_t{0} : found[i]; });
    __syncthreads();
    for_blocks([&](int i) {
      const int row = i / of.block_cols;
      const int col = i % of.block_cols;
      const SlopeNeighbours neighbours{
          {col > 0 ? before[i - 1] : 0, col + 1 < of.block_cols ? before[i + 1] : 0,
           row > 0 ? before[i - of.block_cols] : 0, row + 1 < of.block_rows ? before[i + of.block_cols] : 0}};
      const auto cost_of = [&](int slope) { return of.costs[slope * blocks + i]; };
      found[i] = static_cast<int8_t>(decide_slope(pass, cost_of, neighbours));
    });
    __syncthreads();
  }
  Sum own_without = 0;
  Sum own_with = 0;
  for_blocks([&](int i) {
    own_without += of.costs[i];
    own_with += of.costs[found[i] * blocks + i];
  });
  atomicAdd(&without, own_without);
  atomicAdd(&with, own_with);
  __syncthreads();
  const bool pays = slopes_pay(without, with);
  if (threadIdx.x == 0) *used = pays ? 1 : 0;
  if (pays) return;
  for_blocks([&](int i) { found[i] = 0; });
}

class CudaSlopeEstimator final : public SlopeEstimator {
 public:
  CudaSlopeEstimator(std::shared_ptr<Device> device, const SubbandLayout& luma)
      : device_(std::move(device)), layout_(luma), grid_(make_slope_grid(luma)) {}

  Status initialise() {
    Device& d = *device_;
    const size_t blocks = grid_.extent(1).area();
    CTV_RETURN_IF_ERROR(costs_.allocate(d, kSlopeCount * blocks));
    CTV_RETURN_IF_ERROR(before_.allocate(d, blocks));
    CTV_RETURN_IF_ERROR(directed_costs_.allocate(d, kDirectedBands * (kDirectedDepth + 1)));
    for (int scale = 1; scale < grid_.scales; ++scale) {
      CTV_RETURN_IF_ERROR(lowpass_[static_cast<size_t>(scale)].allocate(d, layout_.band(scale).area()));
    }
    return details_.allocate(d, grid_.scales > 1 ? 3 * layout_.band(1).area() : 0);
  }

  Status search(PlaneView<const Sample> samples, int dc_offset, std::span<const SubbandQuantiser> quantisers,
                int8_t* slopes) override {
    Device& d = *device_;
    CTV_RETURN_IF_ERROR(d.enter());
    const StageMark mark(d, Stage::kSlopes);
    CTV_CUDA_TRY(d, cudaMemsetAsync(slopes, 0, SlopeGrid::kHead, d.stream()));
    PlaneSource source{samples.data, static_cast<int>(samples.stride), nullptr, 0,
                       dc_offset,    layout_.transform.fraction_bits};
    for (int scale = 1; scale <= grid_.scales; ++scale) {
      const SlopeCosts of = costs_of(scale, quantisers);
      const SlopeView view{slopes + grid_.offset(scale), of.block_cols};
      const dim3 tiles(blocks_for(of.cols, kSlopeTileCols), blocks_for(of.rows, kSlopeTileRows), kSlopeCount);
      slope_costs_kernel<<<tiles, kSlopeThreads, 0, d.stream()>>>(of, source);
      CTV_RETURN_IF_ERROR(d.launched("slope_costs_kernel"));
      decide_slopes_kernel<<<1, kDecideThreads, 0, d.stream()>>>(
          of, before_.data(), slopes + grid_.offset(scale), slopes + scale - 1);
      CTV_RETURN_IF_ERROR(d.launched("decide_slopes_kernel"));
      if (scale == grid_.scales) break;
      CTV_RETURN_IF_ERROR(make_lowpass(scale, view, slopes + scale - 1, source));
      if (scale == 1 && grid_.directed) {
        const Extent band = layout_.band(1);
        const Bands bands{details_.data(), band.rows, band.cols, kDirectedBands};
        CTV_RETURN_IF_ERROR(
            find_directions(d, bands, of.steps, directed_costs_.data(), slopes + kSlopedScales));
      }
      source = coefficient_source(lowpass_[static_cast<size_t>(scale)].data(), of.cols / 2);
    }
    return {};
  }

 private:
  SlopeCosts costs_of(int scale, std::span<const SubbandQuantiser> quantisers) const {
    const Extent blocks = grid_.extent(scale);
    SlopeCosts of{layout_.padded.rows >> (scale - 1),
                  layout_.padded.cols >> (scale - 1),
                  {},
                  blocks.rows,
                  blocks.cols,
                  costs_.data()};
    for (size_t i = 0; i < layout_.subbands.size(); ++i) {
      const Subband& s = layout_.subbands[i];
      if (s.scale == scale && s.direction == 0) of.steps[s.orientation - 1] = quantisers[i].step;
    }
    return of;
  }
  Status make_lowpass(int scale, SlopeView view, const int8_t* along, const PlaneSource& source) {
    WaveletScale<int16_t> w{
        layout_.padded.rows >> (scale - 1), layout_.padded.cols >> (scale - 1), {}, along};
    w.bands[0].data = lowpass_[static_cast<size_t>(scale)].data();
    for (size_t b = 1; b < 4; ++b) w.bands[b].data = details_.data() + (b - 1) * layout_.band(scale).area();
    CTV_RETURN_IF_ERROR(wavelet_forward(*device_, Pyramid::kWavelet9_7, std::span(&w, 1), source));
    return slope_forward(*device_, view, w, source);
  }

  std::shared_ptr<Device> device_;
  SubbandLayout layout_;
  SlopeGrid grid_;
  DeviceArray<uint32_t> costs_;                                  // [slopes][blocks]
  DeviceArray<int8_t> before_;                                   // [blocks], before a pass
  std::array<DeviceArray<Coefficient>, kSlopedScales> lowpass_;  // [scale]
  DeviceArray<Coefficient> details_;                // of one scale; only those of the finest scale are read
  DeviceArray<unsigned long long> directed_costs_;  // see find_directions()
};

}  // namespace

Result<std::unique_ptr<SlopeEstimator>> make_slope_estimator(std::shared_ptr<Device> device,
                                                             const SubbandLayout& luma) {
  auto estimator = std::make_unique<CudaSlopeEstimator>(std::move(device), luma);
  CTV_RETURN_IF_ERROR(estimator->initialise());
  return std::unique_ptr<SlopeEstimator>(std::move(estimator));
}

}  // namespace ctv::cuda

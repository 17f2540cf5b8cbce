// SPDX-License-Identifier: BSD-3-Clause
// The far search: the full search's kernel on planes of quarter samples, and a window of 5x5 candidates
// around the vector of each block's square. There a thread takes one candidate. Where the full search has
// tried that window, there is nothing to do. A full search that is not wider than a window is done beside it.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/block_match.cuh"
#include "cuda/motion/far_search.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWindow = 2 * kFarWindow + 1;
constexpr int kCandidates = kWindow * kWindow;
constexpr int kThreads = 2 * kWarp;
static_assert(kWarp >= kCandidates);

struct Around {
  SearchPlanes planes;
  StillCells still;
  const MotionVector* squares;  // [..][square_cols]
  int square_cols;
  int log2_blocks;  // of a square, to each side
  int near;
  uint32_t lambda;
  MotionVector* vectors;  // [gridDim.y][gridDim.x]
  uint32_t* costs;
};

// The best candidate of a window, whose cost is known to all threads after they have met: cost, then rank.
using Best = unsigned long long;

template <int kSize>
struct Window {
  static constexpr int kRows = kSize + kWindow - 1;
  static constexpr int kPitch = (kRows + 3) / 4 + 1;  // words; the window begins within the first
  uint32_t samples[kRows * kPitch];
  Best best;
};

// Matches the block at (y0, x0) with candidates up to `range` around a vector of whole samples. All lanes of
// a warp; block: its samples. A lane takes a candidate.
template <int kSize>
__device__ __forceinline__ void match_window(const Around& a, const uint32_t* block, int y0, int x0, int y,
                                             int x, int range, int lane, Window<kSize>& window) {
  using Own = Window<kSize>;
  constexpr int kWords = kSize / 4;
  const int left = x0 + x - kFarWindow;
  const int skew = left & 3;
  const uint8_t* reference = a.planes.reference +
                             static_cast<ptrdiff_t>(y0 + y - kFarWindow) * a.planes.reference_stride + left -
                             skew;
  for (int i = lane; i < Own::kRows * Own::kPitch; i += kWarp) {
    window.samples[i] = *reinterpret_cast<const uint32_t*>(
        reference + static_cast<ptrdiff_t>(i / Own::kPitch) * a.planes.reference_stride +
        i % Own::kPitch * 4);
  }
  __syncwarp();
  const int dy = lane / kWindow - kFarWindow;
  const int dx = lane % kWindow - kFarWindow;
  if (lane >= kCandidates || max_of(abs_of(dy), abs_of(dx)) > range) return;
  const uint32_t* line = window.samples + (dy + kFarWindow) * Own::kPitch + (dx + kFarWindow + skew) / 4;
  const uint32_t shift = static_cast<uint32_t>(dx + kFarWindow + skew) % 4 * 8;
  uint32_t sad = 0;
#pragma unroll
  for (int r = 0; r < kSize; ++r) {
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      sad = add_differences(block[r * kWords + w],
                            __funnelshift_r(line[r * Own::kPitch + w], line[r * Own::kPitch + w + 1], shift),
                            sad);
    }
  }
  const MotionVector v{static_cast<int16_t>(kVectorUnit * (y + dy)),
                       static_cast<int16_t>(kVectorUnit * (x + dx))};
  atomicMin(&window.best,
            static_cast<Best>(motion_cost(sad, a.lambda, v)) << 32 | candidate_rank(dy, dx, range));
}

// The first warp takes the window around zero, if it holds all of the full search, the second the one around
// the vector of the block's square.
template <int kSize>
__global__ void __launch_bounds__(kThreads) around_kernel(const __grid_constant__ Around a) {
  follow();
  constexpr int kWords = kSize / 4;
  __shared__ uint32_t block[kSize * kWords];
  __shared__ Window<kSize> windows[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int col = static_cast<int>(blockIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const int at = row * static_cast<int>(gridDim.x) + col;
  if (is_still(a.still, row, col)) {
    if (thread != 0) return;
    a.vectors[at] = {};
    a.costs[at] = 0;
    return;
  }
  const MotionVector square = a.squares[(row >> a.log2_blocks) * a.square_cols + (col >> a.log2_blocks)];
  const int centre_y = square.y / kVectorUnit;
  const int centre_x = square.x / kVectorUnit;
  const bool zero = has_near(a.near);
  const bool far = !is_near(centre_y, centre_x, a.near);
  if (!zero && !far) return;

  const uint8_t* current =
      a.planes.current + static_cast<ptrdiff_t>(row * kSize) * a.planes.current_stride + col * kSize;
  for (int i = thread; i < kSize * kWords; i += kThreads) {
    block[i] = *reinterpret_cast<const uint32_t*>(
        current + static_cast<ptrdiff_t>(i / kWords) * a.planes.current_stride + i % kWords * 4);
  }
  if (thread < 2) windows[thread].best = ~Best{0};
  __syncthreads();
  const int lane = thread % kWarp;
  if (thread < kWarp) {
    if (zero) match_window(a, block, row * kSize, col * kSize, 0, 0, a.near, lane, windows[0]);
  } else if (far) {
    match_window(a, block, row * kSize, col * kSize, centre_y, centre_x, kFarWindow, lane, windows[1]);
  }
  __syncthreads();
  if (thread != 0) return;
  // The vector of a window's best candidate, whose cost includes its own.
  const auto take = [&](Best best, int y, int x, int range) {
    const int side = 2 * range + 1;
    const int index = static_cast<int>(static_cast<uint32_t>(best) % static_cast<uint32_t>(side * side));
    const MotionVector v{static_cast<int16_t>(kVectorUnit * (y + index / side - range)),
                         static_cast<int16_t>(kVectorUnit * (x + index % side - range))};
    a.vectors[at] = v;
    a.costs[at] = static_cast<uint32_t>(best >> 32) - motion_cost(0, a.lambda, v);
  };
  const auto far_cost = static_cast<uint32_t>(windows[1].best >> 32);
  const uint32_t near_cost = zero ? static_cast<uint32_t>(windows[0].best >> 32)
                                  : a.costs[at] + motion_cost(0, a.lambda, a.vectors[at]);
  if (far && far_cost < near_cost) {
    take(windows[1].best, centre_y, centre_x, kFarWindow);
  } else if (zero) {
    take(windows[0].best, 0, 0, a.near);
  }
}

}  // namespace

Status FarSearch::initialise(Device& device, const MotionGrid& blocks, int range) {
  blocks_ = blocks;
  squares_ = {kLog2QuarterSquare, ceil_div(blocks.rows << blocks.log2_block, 1 << kLog2Square),
              ceil_div(blocks.cols << blocks.log2_block, 1 << kLog2Square)};
  range_ = range / kFarStep;
  SearchPlanes& q = quarters_;
  q.rows = squares_.rows << kLog2QuarterSquare;
  q.cols = squares_.cols << kLog2QuarterSquare;
  q.border = round_up(range_ + kSearchReach, 16);
  q.current_stride = round_up(q.cols, 16);
  q.reference_stride = round_up(q.cols + 2 * q.border, 16);
  const auto size = [](int rows, int stride) {
    return static_cast<size_t>(rows) * static_cast<size_t>(stride);
  };
  CTV_RETURN_IF_ERROR(current_.allocate(device, size(q.rows, q.current_stride)));
  CTV_RETURN_IF_ERROR(reference_.allocate(device, size(q.rows + 2 * q.border, q.reference_stride)));
  CTV_RETURN_IF_ERROR(vectors_.allocate(device, squares_.size()));
  CTV_RETURN_IF_ERROR(costs_.allocate(device, squares_.size()));
  q.current = current_.data();
  q.reference = reference_.data() + size(q.border, q.reference_stride) + q.border;
  return {};
}

Status FarSearch::search(Device& device, uint32_t lambda) {
  return search_blocks(device, quarters_, squares_, {}, range_, kFarStep * kVectorUnit,
                       quarter_lambda(lambda), vectors_.data(), costs_.data());
}

Status FarSearch::improve(Device& device, const SearchPlanes& planes, const StillCells& still, int near,
                          uint32_t lambda, MotionVector* vectors, uint32_t* costs) {
  const Around around{planes, still,  vectors_.data(), squares_.cols, kLog2Square - blocks_.log2_block,
                      near,   lambda, vectors,         costs};
  const dim3 all(static_cast<unsigned>(blocks_.cols), static_cast<unsigned>(blocks_.rows));
  switch (blocks_.log2_block) {
    case 3:
      launch_kernel(device, around_kernel<8>, all, kThreads, 0, around);
      break;
    case 4:
      launch_kernel(device, around_kernel<16>, all, kThreads, 0, around);
      break;
    default:
      launch_kernel(device, around_kernel<32>, all, kThreads, 0, around);
  }
  return device.launched("around_kernel");
}

}  // namespace ctv::cuda

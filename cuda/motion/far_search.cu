// SPDX-License-Identifier: BSD-3-Clause
// Far search: the kernel of the full search on planes of quarter samples, then a window of 5x5 candidates
// around the vector of each block's square. A warp processes a block, and a lane a candidate. Windows that
// the full search has covered are skipped. A full search of range 0 is done here, too.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/block_match.cuh"
#include "cuda/motion/far_search.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/runtime/warp.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWindow = 2 * kFarWindow + 1;
constexpr int kCandidates = kWindow * kWindow;
constexpr int kWarps = 4;  // per block of threads
static_assert(kWarp >= kCandidates);

struct Around {
  SearchPlanes planes;
  const MotionVector* squares;  // [..][square_cols]
  int square_cols;
  int log2_blocks;  // log2 of a square's side in blocks
  int near;
  uint32_t lambda;
  int rows, cols;  // of the grid of blocks
  MotionVector* vectors;
  uint32_t* costs;
};

// Shared memory of a warp.
template <int kSize>
struct Window {
  static constexpr int kRows = kSize + kWindow - 1;
  static constexpr int kPitch = (kRows + 3) / 4 + 1;  // words; the window begins in the first
  uint32_t samples[kRows * kPitch];
  uint32_t block[kSize * kSize / 4];
};

// SAD of the lane's candidate, if any, in the window centred at (y, x).
template <int kSize>
__device__ __forceinline__ uint32_t match_window(const SearchPlanes& planes, int y, int x, int lane,
                                                 Window<kSize>& window) {
  using Own = Window<kSize>;
  constexpr int kWords = kSize / 4;
  const int left = x - kFarWindow;
  const int skew = left & 3;
  const uint8_t* reference =
      planes.reference + static_cast<ptrdiff_t>(y - kFarWindow) * planes.reference_stride + left - skew;
#pragma unroll
  for (int i = lane; i < Own::kRows * Own::kPitch; i += kWarp) {
    window.samples[i] = *reinterpret_cast<const uint32_t*>(
        reference + static_cast<ptrdiff_t>(i / Own::kPitch) * planes.reference_stride + i % Own::kPitch * 4);
  }
  __syncwarp();
  const int candidate = min_of(lane, kCandidates - 1);
  const int column = candidate % kWindow + skew;
  const uint32_t* line = window.samples + candidate / kWindow * Own::kPitch + column / 4;
  const uint32_t shift = static_cast<uint32_t>(column) % 4 * 8;
  uint32_t sad = 0;
#pragma unroll
  for (int r = 0; r < kSize; ++r) {
    uint32_t words[kWords + 1];
#pragma unroll
    for (int w = 0; w <= kWords; ++w) words[w] = line[r * Own::kPitch + w];
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      sad =
          add_differences(window.block[r * kWords + w], __funnelshift_r(words[w], words[w + 1], shift), sad);
    }
  }
  return sad;
}

template <int kSize>
__global__ void __launch_bounds__(kWarp* kWarps) around_kernel(const __grid_constant__ Around a) {
  pdl_begin();
  constexpr int kWords = kSize / 4;
  __shared__ Window<kSize> windows[kWarps];
  const int warp = thread_x() / kWarp;
  const int lane = thread_x() % kWarp;
  const int at = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (at >= a.rows * a.cols) return;  // the same for a whole warp
  const int row = at / a.cols;
  const int col = at % a.cols;
  const MotionVector square = a.squares[(row >> a.log2_blocks) * a.square_cols + (col >> a.log2_blocks)];
  const int centre_y = square.y / kVectorUnit;
  const int centre_x = square.x / kVectorUnit;
  const bool far = !is_near(centre_y, centre_x, a.near);
  if (a.near > 0 && !far) return;

  // Loads the lane's words of the block, and compares them with the reference at the same position.
  Window<kSize>& window = windows[warp];
  uint32_t zero = 0;
#pragma unroll
  for (int i = lane; i < kSize * kWords; i += kWarp) {
    const ptrdiff_t y = row * kSize + i / kWords;
    const int x = col * kSize + i % kWords * 4;
    window.block[i] = *reinterpret_cast<const uint32_t*>(a.planes.current + y * a.planes.current_stride + x);
    zero = add_differences(
        window.block[i],
        *reinterpret_cast<const uint32_t*>(a.planes.reference + y * a.planes.reference_stride + x), zero);
  }
  MotionVector best;
  uint32_t least = 0;  // cost including vector bits
  if (a.near == 0) {
    least = motion_cost(warp_sum(zero), a.lambda, best);
  } else {
    best = a.vectors[at];
    least = a.costs[at] + motion_cost(0, a.lambda, best);
  }
  if (far) {
    const int dy = lane / kWindow - kFarWindow;
    const int dx = lane % kWindow - kFarWindow;
    const uint32_t sad = match_window(a.planes, row * kSize + centre_y, col * kSize + centre_x, lane, window);
    const MotionVector v{static_cast<int16_t>(kVectorUnit * (centre_y + dy)),
                         static_cast<int16_t>(kVectorUnit * (centre_x + dx))};
    const uint32_t cost = lane < kCandidates ? motion_cost(sad, a.lambda, v) : ~0U;
    const uint32_t least_far = warp_min(cost);
    if (least_far < least) {
      const uint32_t rank = cost == least_far ? candidate_rank(dy, dx, kFarWindow) : ~0U;
      const uint32_t winner = __ballot_sync(kAllLanes, rank == warp_min(rank));  // a single lane
      best = to_vector(__shfl_sync(kAllLanes, to_word(v), __ffs(static_cast<int>(winner)) - 1));
      least = least_far;
    }
  }
  if (lane != 0) return;
  a.vectors[at] = best;
  a.costs[at] = least - motion_cost(0, a.lambda, best);
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
  return search_blocks(device, quarters_, squares_, range_, kFarStep * kVectorUnit, quarter_lambda(lambda),
                       vectors_.data(), costs_.data());
}

Status FarSearch::improve(Device& device, const SearchPlanes& planes, int near, uint32_t lambda,
                          MotionVector* vectors, uint32_t* costs) {
  const Around around{planes,        vectors_.data(),
                      squares_.cols, kLog2Square - blocks_.log2_block,
                      near,          lambda,
                      blocks_.rows,  blocks_.cols,
                      vectors,       costs};
  const auto launch = [&](auto* kernel) {
    launch_kernel(device, kernel, blocks_for(static_cast<int>(blocks_.size()), kWarps), kWarp * kWarps, 0,
                  around);
  };
  switch (blocks_.log2_block) {
    case 3:
      launch(around_kernel<8>);
      break;
    case 4:
      launch(around_kernel<16>);
      break;
    default:
      launch(around_kernel<32>);
  }
  return device.launched("around_kernel");
}

}  // namespace ctv::cuda

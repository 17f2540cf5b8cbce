// SPDX-License-Identifier: BSD-3-Clause
// The far search: planes of quarter samples, the full search's kernel on them, and a window of 5x5 candidates
// around the vector of each block's square. There a thread takes one candidate. Most blocks of most pictures
// move little, so that the full search has tried their window: they end at once.
#include "codec/control/motion_decisions.hpp"
#include "cuda/motion/block_match.cuh"
#include "cuda/motion/far_search.hpp"
#include "cuda/runtime/launch.cuh"

namespace ctv::cuda {
namespace {

constexpr int kWindow = 2 * kFarWindow + 1;
constexpr int kCandidates = kWindow * kWindow;
constexpr int kThreads = 32;
static_assert(kThreads >= kCandidates);

// A plane on its way to quarter samples. Both begin at sample (0, 0).
struct Quarter {
  const uint8_t* from;
  int from_stride;
  int rows, cols;  // of quarter samples of the picture; the last ones are repeated
  uint8_t* to;
  int stride, border;
};

__global__ void __launch_bounds__(256) quarter_kernel(const __grid_constant__ Quarter current,
                                                      const __grid_constant__ Quarter reference, int rows) {
  follow();
  const Quarter& q = blockIdx.z == 0 ? current : reference;
  const int r = static_cast<int>(blockIdx.y * 8 + threadIdx.y) - q.border;
  const int c = static_cast<int>(blockIdx.x * 32 + threadIdx.x) - q.border;
  if (r >= rows + q.border || c >= q.stride - q.border) return;
  const uint8_t* in = q.from + static_cast<ptrdiff_t>(kFarStep * clamp_to(r, 0, q.rows - 1)) * q.from_stride +
                      kFarStep * clamp_to(c, 0, q.cols - 1);
  uint32_t sum = 0;
#pragma unroll
  for (int y = 0; y < kFarStep; ++y) {
    sum = __dp4a(*reinterpret_cast<const uint32_t*>(in + y * q.from_stride), 0x01010101U, sum);
  }
  q.to[static_cast<ptrdiff_t>(r) * q.stride + c] = quarter_sample(static_cast<int>(sum));
}

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

template <int kSize>
__global__ void __launch_bounds__(kThreads) around_kernel(const __grid_constant__ Around a) {
  follow();
  constexpr int kWords = kSize / 4;
  constexpr int kRows = kSize + kWindow - 1;
  constexpr int kPitch = (kRows + 3) / 4 + 1;  // words; the window begins within the first
  __shared__ uint32_t block[kSize * kWords];
  __shared__ uint32_t window[kRows * kPitch];
  __shared__ unsigned long long best;  // cost, then rank
  const int col = static_cast<int>(blockIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const MotionVector square = a.squares[(row >> a.log2_blocks) * a.square_cols + (col >> a.log2_blocks)];
  const int centre_y = square.y / kVectorUnit;
  const int centre_x = square.x / kVectorUnit;
  const int thread = static_cast<int>(threadIdx.x);
  const int at = row * static_cast<int>(gridDim.x) + col;
  if (is_still(a.still, row, col)) {
    if (thread != 0) return;
    a.vectors[at] = {};
    a.costs[at] = 0;
    return;
  }
  if (is_near(centre_y, centre_x, a.near)) return;

  const uint8_t* current =
      a.planes.current + static_cast<ptrdiff_t>(row * kSize) * a.planes.current_stride + col * kSize;
  for (int i = thread; i < kSize * kWords; i += kThreads) {
    block[i] = *reinterpret_cast<const uint32_t*>(
        current + static_cast<ptrdiff_t>(i / kWords) * a.planes.current_stride + i % kWords * 4);
  }
  const int left = col * kSize + centre_x - kFarWindow;
  const int skew = left & 3;
  const uint8_t* reference =
      a.planes.reference +
      static_cast<ptrdiff_t>(row * kSize + centre_y - kFarWindow) * a.planes.reference_stride + left - skew;
  for (int i = thread; i < kRows * kPitch; i += kThreads) {
    window[i] = *reinterpret_cast<const uint32_t*>(
        reference + static_cast<ptrdiff_t>(i / kPitch) * a.planes.reference_stride + i % kPitch * 4);
  }
  if (thread == 0) best = ~0ULL;
  __syncthreads();
  if (thread < kCandidates) {
    const int y = thread / kWindow;
    const int x = thread % kWindow;
    const uint32_t* line = window + y * kPitch + (x + skew) / 4;
    const uint32_t shift = static_cast<uint32_t>(x + skew) % 4 * 8;
    uint32_t sad = 0;
#pragma unroll
    for (int r = 0; r < kSize; ++r) {
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        sad = add_differences(block[r * kWords + w],
                              __funnelshift_r(line[r * kPitch + w], line[r * kPitch + w + 1], shift), sad);
      }
    }
    const int dy = y - kFarWindow;
    const int dx = x - kFarWindow;
    const MotionVector v{static_cast<int16_t>(kVectorUnit * (centre_y + dy)),
                         static_cast<int16_t>(kVectorUnit * (centre_x + dx))};
    atomicMin(&best, static_cast<unsigned long long>(motion_cost(sad, a.lambda, v)) << 32 |
                         candidate_rank(dy, dx, kFarWindow));
  }
  __syncthreads();
  if (thread != 0) return;
  const auto cost = static_cast<uint32_t>(best >> 32);
  if (cost >= a.costs[at] + motion_cost(0, a.lambda, a.vectors[at])) return;
  const int index = static_cast<int>(static_cast<uint32_t>(best) % kCandidates);
  const MotionVector v{static_cast<int16_t>(kVectorUnit * (centre_y + index / kWindow - kFarWindow)),
                       static_cast<int16_t>(kVectorUnit * (centre_x + index % kWindow - kFarWindow))};
  a.vectors[at] = v;
  a.costs[at] = cost - motion_cost(0, a.lambda, v);
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

Status FarSearch::fill_planes(Device& device, const SearchPlanes& planes, Extent current, Extent reference) {
  const auto quarter = [](const uint8_t* from, int from_stride, Extent extent, uint8_t* to, int stride,
                          int border) {
    return Quarter{from,   from_stride, ceil_div(extent.rows, kFarStep), ceil_div(extent.cols, kFarStep), to,
                   stride, border};
  };
  const SearchPlanes& q = quarters_;
  const dim3 threads(32, 8);
  const dim3 grid(blocks_for(q.reference_stride, 32), blocks_for(q.rows + 2 * q.border, 8), 2);
  launch_kernel(device, quarter_kernel, grid, threads, 0,
                quarter(planes.current, planes.current_stride, current, q.current, q.current_stride, 0),
                quarter(planes.reference, planes.reference_stride, reference, q.reference, q.reference_stride,
                        q.border),
                q.rows);
  return device.launched("quarter_kernel");
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

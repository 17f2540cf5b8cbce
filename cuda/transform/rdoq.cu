// SPDX-License-Identifier: BSD-3-Clause
// quantise_rdo() of codec/control/rdo_quantise.hpp over the subbands of a plane. Coefficients that plain
// rounding quantises to 0 stay 0, which are most. So a block of threads scans a piece of a
// subband in memory order, clears its levels and lists the other coefficients; then each thread takes one of
// the list with its surroundings. A plane takes one launch: the pieces of all subbands are numbered, and a
// block finds its subband by its number.
#include "codec/control/rdo_quantise.hpp"
#include "codec/util/host_device.hpp"
#include "cuda/runtime/launch.cuh"
#include "cuda/transform/rdoq.hpp"
#include "cuda/transform/sample_pairs.cuh"

namespace ctv::cuda {
namespace {

constexpr int kThreads = 128;
constexpr int kOctet = 8;  // coefficients read at once
constexpr int kWords = kOctet / 2;
constexpr int kOctets = 2;  // per thread
constexpr int kPiece = kThreads * kOctets * kOctet;

struct RdoSubband {
  uint32_t first_piece;  // number in the plane
  uint32_t offset;       // index of its first coefficient in the plane's array
  int size, cols;
  uint32_t reciprocal;  // 2^32 / cols, rounded down
  uint32_t multiplier, rounding;
  uint16_t dead;    // largest magnitude that plain rounding quantises to 0
  uint8_t by_rate;  // 0: plain quantiser
};

struct RdoSubbands {
  int count = 0;
  RdoSubband of[kMaxSubbandsPerPlane];
};

// Whether eight coefficients from element `first` on, which may be negative, lie in the subband and are
// aligned to sixteen bytes.
__device__ __forceinline__ bool is_octet(const int16_t* at, int first, int size) {
  return first >= 0 && first + kOctet <= size && (reinterpret_cast<uintptr_t>(at) & 15U) == 0;
}

// Coefficients outside the subband are 0.
__device__ __forceinline__ void load_octet(const Coefficient* in, int first, int size,
                                           uint32_t (&words)[kWords]) {
  if (is_octet(in + first, first, size)) {
    const uint4 all = *reinterpret_cast<const uint4*>(in + first);
    words[0] = all.x;
    words[1] = all.y;
    words[2] = all.z;
    words[3] = all.w;
  } else {
    const auto at = [&](int i) { return i >= 0 && i < size ? in[i] : Coefficient{0}; };
#pragma unroll
    for (int w = 0; w < kWords; ++w) words[w] = pair_of(at(first + 2 * w), at(first + 2 * w + 1));
  }
}
__device__ __forceinline__ void store_octet(Level* out, int first, int size,
                                            const uint32_t (&words)[kWords]) {
  if (is_octet(out + first, first, size)) {
    *reinterpret_cast<uint4*>(out + first) = {words[0], words[1], words[2], words[3]};
  } else {
#pragma unroll
    for (int k = 0; k < kOctet; ++k) {
      const int i = first + k;
      const uint32_t word = words[k / 2];
      if (i >= 0 && i < size) out[i] = static_cast<Level>(k % 2 == 0 ? first_of(word) : second_of(word));
    }
  }
}

// Bits w and 16 + w: whether the coefficients of word w exceed `dead` in magnitude. `dead` is added first, so
// that smaller ones become unsigned values up to 2 dead.
__device__ __forceinline__ uint32_t alive_of(const uint32_t (&words)[kWords], uint32_t dead) {
  const uint32_t moved = dead * 0x10001U;
  const uint32_t most = 2 * moved;  // dead < 2^15, so there is no carry
  const uint32_t least = __vneg2(most);
  uint32_t alive = 0;
#pragma unroll
  for (int w = 0; w < kWords; ++w)
    alive |= __viaddmin_u16x2(__viaddmax_u16x2(words[w], moved, most), least, 0x10001U) << w;
  return alive;
}

__device__ __forceinline__ Level decide(const RdoSubband& s, const Coefficient* coefficients, int i) {
  const int cols = s.cols;
  const uint32_t multiplier = s.multiplier;
  int col = i - static_cast<int>(__umulhi(static_cast<uint32_t>(i), s.reciprocal)) * cols;
  if (col >= cols) col -= cols;
  const bool inside[3] = {col > 0, true, col + 1 < cols};
  const bool above = i >= cols;
  const bool below = i < s.size - cols;
  const Coefficient* const here = coefficients + s.offset + i;
  const Coefficient* const up = here - cols;
  const Coefficient* const down = here + cols;
  const int own = *here;
  int near[3][3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    near[0][k] = above && inside[k] ? up[k - 1] : 0;
    near[1][k] = inside[k] ? here[k - 1] : 0;
    near[2][k] = below && inside[k] ? down[k - 1] : 0;
  }
  uint32_t beside = 0, diagonal = 0;
#pragma unroll
  for (int k = 0; k < 3; k += 2) {
    beside += activity_of(near[k][1], multiplier) + activity_of(near[1][k], multiplier);
    diagonal += activity_of(near[k][0], multiplier) + activity_of(near[k][2], multiplier);
  }
  const uint32_t sum = kBesideWeight * beside + kDiagonalWeight * diagonal;
  return quantise_rdo(own, multiplier, s.rounding, sum);
}

__global__ void __launch_bounds__(kThreads)
    quantise_rdo_kernel(const __grid_constant__ RdoSubbands subbands, const Coefficient* coefficients,
                        Level* levels) {
  pdl_begin();
  __shared__ uint32_t listed;
  __shared__ uint16_t list[kPiece];  // 32 x thread + bit of its `alive`
  int n = subbands.count - 1;
  while (subbands.of[n].first_piece > blockIdx.x) --n;
  const RdoSubband& s = subbands.of[n];
  const Coefficient* const in = coefficients + s.offset;
  Level* const out = levels + s.offset;
  // First element of the piece, aligned to sixteen bytes.
  const int begin = static_cast<int>(blockIdx.x - s.first_piece) * kPiece -
                    static_cast<int>(reinterpret_cast<uintptr_t>(in) / sizeof(Coefficient) % kOctet);
  const auto first_of_octet = [&](int thread, int octet) {
    return begin + (octet * kThreads + thread) * kOctet;
  };
  const int own = thread_x();
  if (own == 0) listed = 0;
  uint32_t words[kOctets][kWords];
#pragma unroll
  for (int k = 0; k < kOctets; ++k) load_octet(in, first_of_octet(own, k), s.size, words[k]);
  uint32_t alive = 0;
#pragma unroll
  for (int k = 0; k < kOctets; ++k) {
    if (s.by_rate != 0) {
      alive |= alive_of(words[k], s.dead) << (k * kWords);
#pragma unroll
      for (int w = 0; w < kWords; ++w) words[k][w] = 0;
    } else {
      const auto level = [&](int c) {
        return quantise(static_cast<Coefficient>(c), s.multiplier, s.rounding);
      };
#pragma unroll
      for (int w = 0; w < kWords; ++w)
        words[k][w] = pair_of(level(first_of(words[k][w])), level(second_of(words[k][w])));
    }
    store_octet(out, first_of_octet(own, k), s.size, words[k]);
  }
  if (__syncthreads_or(static_cast<int>(alive)) == 0) return;
  if (alive != 0) {
    uint32_t at = atomicAdd(&listed, static_cast<uint32_t>(__popc(alive)));
    for (; alive != 0; ++at) {
      const int bit = 31 - __clz(static_cast<int>(alive));
      alive ^= 1U << bit;
      list[at] = static_cast<uint16_t>(own * 32 + bit);
    }
  }
  __syncthreads();
  for (int k = own; k < static_cast<int>(listed); k += kThreads) {
    const int thread = list[k] / 32;
    const int word = list[k] % 16;
    const int second = list[k] / 16 % 2;
    const int i = first_of_octet(thread, word / kWords) + word % kWords * 2 + second;
    out[i] = decide(s, coefficients, i);
  }
}

}  // namespace

Status quantise_rdo_plane(Device& device, const SubbandLayout& layout,
                          std::span<const SubbandQuantiser> quantisers, const Coefficient* coefficients,
                          Level* levels) {
  RdoSubbands subbands;
  uint32_t pieces = 0;
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Subband& s = layout.subbands[i];
    const SubbandQuantiser& q = quantisers[i];
    const int size = static_cast<int>(s.size());
    subbands.of[subbands.count++] = {
        pieces,
        static_cast<uint32_t>(s.offset),
        size,
        s.cols,
        s.cols < 2 ? UINT32_MAX : static_cast<uint32_t>((uint64_t{1} << 32) / static_cast<uint64_t>(s.cols)),
        q.multiplier,
        q.rounding_offset,
        static_cast<uint16_t>(min_of((UINT16_MAX - q.rounding_offset) / q.multiplier, uint32_t{INT16_MAX})),
        static_cast<uint8_t>(decides_by_rate(s.layer, q) ? 1 : 0)};
    // The first aligned word of sixteen bytes may hold a single coefficient.
    pieces += blocks_for(size + kOctet - 1, kPiece);
  }
  // Not placed early by launch_kernel(): its blocks would keep those of the loop filter's decision waiting.
  quantise_rdo_kernel<<<pieces, kThreads, 0, device.stream()>>>(subbands, coefficients, levels);
  return device.launched("quantise_rdo_kernel");
}

}  // namespace ctv::cuda

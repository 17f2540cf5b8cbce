// SPDX-License-Identifier: BSD-3-Clause
// Full search (Katsigiannis et al., section II): (2 range + 1)^2 SADs per block, 170 million differences at
// 1080p and range 4. The 8-bit copies have borders, so positions need no tests. One instruction (psadbw) sums
// 8 differences in each 64-bit lane, and a SIMD vector spans several blocks. A block's rows stay in
// registers; each row of the reference is compared with all of them that need it for candidates in the same
// column. Cost and rank form one key per lane, so the running minimum also breaks ties.
#include "cpu/motion/search.hpp"

#include <algorithm>
#include <utility>

#include "codec/dsp/motion_vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/search.cpp"
#include "cpu/runtime/simd_foreach.hpp"

#include "cpu/runtime/byte_pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

struct RowOfBlocks {
  const uint8_t* current;
  ptrdiff_t current_stride;
  const uint8_t* reference;
  ptrdiff_t reference_stride;
  SearchWindow window;
  int cols;  // in samples
  const uint8_t* still;
};

#if CTV_VECTORS
namespace hn = hwy::HWY_NAMESPACE;

// Calls f with constants 0..kCount-1, so that arrays they index stay in registers.
template <int kCount, class F>
HWY_INLINE void Unroll(F f) {
  [&]<int... k>(std::integer_sequence<int, k...>) { (f(std::integral_constant<int, k>()), ...); }
  (std::make_integer_sequence<int, kCount>());
}

// Adjacent blocks in a SIMD vector, or one block in several. With vectors of twice the length, the lower half
// of the blocks' rows is stacked on the upper half.
template <int kBlock>
class Group {
  using Bytes = hn::CappedTag<uint8_t, 32>;  // longer vectors would cross more cache lines
  using Sums = hn::Repartition<uint64_t, Bytes>;
  using Keys = hn::Repartition<int64_t, Bytes>;
  using ByteVector = hn::Vec<Bytes>;
  using SumVector = hn::Vec<Sums>;
  using KeyVector = hn::Vec<Keys>;
  static constexpr Bytes kBytesTag{};
  static constexpr Sums kSumsTag{};
  static constexpr Keys kKeysTag{};
  static constexpr int kLanes = static_cast<int>(hn::MaxLanes(kBytesTag));
  using Stack = hn::CappedTag<uint8_t, 64>;
  using StackSums = hn::Repartition<uint64_t, Stack>;
  using StackVector = hn::Vec<Stack>;
  using StackSumVector = hn::Vec<StackSums>;
  static constexpr Stack kStackTag{};
  static constexpr bool kStacked = HWY_TARGET <= HWY_AVX3;
  static constexpr int kHeight = kStacked ? kBlock / 2 : kBlock;   // in vectors
  static constexpr int kRows = kStacked ? min_of(kHeight, 8) : 2;  // at once

 public:
  static constexpr int kStep = kLanes > kBlock ? kLanes : kBlock;
  static constexpr int kBlocks = kStep / kBlock;

  // kRun: candidates that are matched together, kSearchRun or 1.
  template <int kRun>
  static void search(const RowOfBlocks& row, int x, int64_t* keys) {
    // No key is below 0, so blocks that are not searched take no candidate.
    constexpr int kKeys = static_cast<int>(hn::MaxLanes(kKeysTag));
    constexpr int kKeysOfBlock = kKeys / kBlocks;
    alignas(64) int64_t found[kKeys];
    for (int lane = 0; lane < kKeys; ++lane) {
      const int b = lane / kKeysOfBlock;
      found[lane] = row.still[x / kBlock + b] != 0 ? 0 : keys[x / kBlock + b];
    }
    KeyVector best = hn::Load(kKeysTag, found);
    const int range = row.window.range;
    const int rows = kRun == 1 ? 1 : window_rows(range);
    const int64_t* prices = row.window.keys + (kRun == 1 ? window_rows(0) / 2 : 0);
    const uint8_t* column = row.reference + x - range - rows / 2 * row.reference_stride;
    for (int i = 0; i < 2 * range + 1; ++i, ++column, prices += rows) {
      for (int first = 0, next; first < rows; first = next) {
        next = first + kRun;
        first = min_of(first, rows - kRun);  // repeats some candidates
        DifferenceSums<Stack> sums[kRun];
        for (int y = 0; y < kHeight; y += kRows) {
          for (int part = 0; part < kStep; part += kLanes) {
            add(row.current + x + part + y * row.current_stride, row.current_stride,
                column + part + (first + y) * row.reference_stride, row.reference_stride, sums);
          }
        }
        Unroll<kRun>([&](auto k) {
          best = hn::Min(best, hn::Add(in_keys(sums[k].total()), hn::Set(kKeysTag, prices[first + k])));
        });
      }
    }
    hn::Store(best, kKeysTag, found);
    for (int b = 0; b < kBlocks; ++b) keys[x / kBlock + b] = found[b * kKeysOfBlock];
  }

 private:
  static HWY_INLINE StackVector load(const uint8_t* row, ptrdiff_t stride) {
#if HWY_TARGET <= HWY_AVX3
    return hn::Combine(kStackTag, hn::LoadU(kBytesTag, row + kHeight * stride), hn::LoadU(kBytesTag, row));
#else
    (void)stride;
    return hn::LoadU(kStackTag, row);
#endif
  }

  // Adds SADs of kRows rows to those of the reference at kRun vertically adjacent positions.
  template <int kRun>
  static HWY_INLINE void add(const uint8_t* current, ptrdiff_t current_stride, const uint8_t* reference,
                             ptrdiff_t reference_stride, DifferenceSums<Stack> (&sums)[kRun]) {
    StackVector rows[kRows];
    Unroll<kRows>([&](auto r) { rows[r] = load(current + r * current_stride, current_stride); });
    Unroll<kRows + kRun - 1>([&](auto i) {
      const StackVector below = load(reference + i * reference_stride, reference_stride);
      Unroll<kRows>([&](auto r) {
        if constexpr (i >= r && i - r < kRun) sums[i - r].add(rows[r], below);
      });
    });
  }

  // Broadcasts the sum over a block's lanes to each of them, scaled to keys.
  static HWY_INLINE KeyVector in_keys(StackSumVector stacked) {
#if HWY_TARGET <= HWY_AVX3
    SumVector sums = hn::Add(hn::LowerHalf(kSumsTag, stacked), hn::UpperHalf(kSumsTag, stacked));
#else
    SumVector sums = stacked;
#endif
    if constexpr (kBlock >= 16) sums = hn::Add(sums, hn::Reverse2(kSumsTag, sums));
    if constexpr (kBlock >= 32 && kLanes >= 32) sums = hn::Add(sums, hn::Reverse4(kSumsTag, sums));
    return hn::BitCast(kKeysTag, hn::ShiftLeft<kKeyIndexBits + 4>(sums));
  }
};

template <int kBlock>
void Search(const RowOfBlocks& row, int64_t* keys) {
  using Blocks = Group<kBlock>;
  for (int x = 0; x < row.cols; x += Blocks::kStep) {
    const uint8_t* still = row.still + x / kBlock;
    if (std::all_of(still, still + Blocks::kBlocks, [](uint8_t s) { return s != 0; })) continue;
    if (row.window.range == 0) {
      Blocks::template search<1>(row, x, keys);
    } else {
      Blocks::template search<kSearchRun>(row, x, keys);
    }
  }
}
#else
template <int kBlock>
void Search(const RowOfBlocks& row, int64_t* keys) {
  for (int x = 0; x < row.cols; x += kBlock) {
    if (row.still[x / kBlock] != 0) {
      ++keys;
      continue;
    }
    int64_t best = *keys;
    const int range = row.window.range;
    for (int dx = -range; dx <= range; ++dx) {
      for (int dy = -range; dy <= range; ++dy) {
        const uint8_t* current = row.current + x;
        const uint8_t* reference = row.reference + x + dy * row.reference_stride + dx;
        int sad = 0;
        for (int r = 0; r < kBlock; ++r) {
          for (int j = 0; j < kBlock; ++j) sad += abs_of(current[j] - reference[j]);
          current += row.current_stride;
          reference += row.reference_stride;
        }
        best = min_of(best, (static_cast<int64_t>(sad) << (kKeyIndexBits + 4)) +
                                row.window.keys[window_place(dy, dx, range)]);
      }
    }
    *keys++ = best;
  }
}
#endif

void SearchBlockRow(const SearchPlanes& planes, const SearchWindow& window, int log2_block, int block_row,
                    int block_cols, const uint8_t* still, int64_t* keys) {
  const ptrdiff_t y = static_cast<ptrdiff_t>(block_row) << log2_block;
  const RowOfBlocks row{planes.current + y * planes.current_stride,
                        planes.current_stride,
                        planes.reference + y * planes.reference_stride,
                        planes.reference_stride,
                        window,
                        block_cols << log2_block,
                        still};
  switch (log2_block) {
    case 3:
      return Search<8>(row, keys);
    case 4:
      return Search<16>(row, keys);
    default:
      return Search<32>(row, keys);
  }
}

}  // namespace ctv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ctv {

HWY_EXPORT(SearchBlockRow);

void search_block_row(const SearchPlanes& planes, const SearchWindow& window, int log2_block, int block_row,
                      int block_cols, const uint8_t* still, int64_t* keys) {
  HWY_DYNAMIC_DISPATCH(SearchBlockRow)(planes, window, log2_block, block_row, block_cols, still, keys);
}

}  // namespace ctv
#endif  // HWY_ONCE

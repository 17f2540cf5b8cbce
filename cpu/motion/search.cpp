// SPDX-License-Identifier: BSD-3-Clause
// Full search (Katsigiannis et al., section II): (2 range + 1)^2 sums of absolute differences per block, 600
// million differences at 1080p and range 8. Here 8-bit copies have borders, so positions are not tested. One
// instruction (psadbw) sums 8 differences in each 64-bit lane, and a SIMD vector spans several blocks. Cost
// and rank form one key per lane, so the running minimum also breaks ties. Candidates start at the centre.
// The search leaves a candidate after half of the rows if no block of the vector can improve; partial sums
// only grow, so this never changes the result.
#include "cpu/motion/search.hpp"

#include <algorithm>

#include "codec/dsp/motion_vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/motion/search.cpp"
#include "cpu/runtime/simd_foreach.hpp"

HWY_BEFORE_NAMESPACE();
namespace ctv::HWY_NAMESPACE {

struct RowOfBlocks {
  const uint8_t* current;
  ptrdiff_t current_stride;
  const uint8_t* reference;
  ptrdiff_t reference_stride;
  const SearchCandidate* candidates;
  size_t count;
  int cols;  // samples
  const uint8_t* still;
};

#if defined(CTV_HAVE_HIGHWAY) && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<uint8_t, 64>;
using Sums = hn::Repartition<uint64_t, Bytes>;
using Keys = hn::Repartition<int64_t, Bytes>;
using ByteVector = hn::Vec<Bytes>;
using SumVector = hn::Vec<Sums>;
using KeyVector = hn::Vec<Keys>;

HWY_INLINE SumVector Sad(ByteVector a, ByteVector b) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return SumVector{_mm512_sad_epu8(a.raw, b.raw)};
#elif HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  return SumVector{_mm256_sad_epu8(a.raw, b.raw)};
#elif HWY_ARCH_X86
  return SumVector{_mm_sad_epu8(a.raw, b.raw)};
#else
  return hn::SumsOf8(hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a)));
#endif
}

// Broadcasts the sum over a block's lanes to each of them, as a key.
template <int kBlock>
HWY_INLINE KeyVector ToKeys(SumVector sums, KeyVector reconstruction_offset) {
  if constexpr (kBlock >= 16) sums = hn::Add(sums, hn::Reverse2(Sums(), sums));
#if HWY_MAX_BYTES >= 32
  if constexpr (kBlock >= 32) sums = hn::Add(sums, hn::Reverse4(Sums(), sums));
#endif
  return hn::Add(hn::BitCast(Keys(), hn::ShiftLeft<kKeyIndexBits + 4>(sums)), reconstruction_offset);
}

template <int kBlock>
void Search(const RowOfBlocks& row, int64_t* keys) {
  const Bytes bytes;
  const Keys key_tag;
  const int lanes = static_cast<int>(hn::Lanes(bytes));
  const int step = max_of(lanes, kBlock);
  for (int x = 0; x < row.cols; x += step) {
    const uint8_t* still = row.still + x / kBlock;
    if (std::all_of(still, still + step / kBlock, [](uint8_t s) { return s != 0; })) {
      keys += step / kBlock;
      continue;
    }
    // No candidate is better than 0, so a block that is not searched holds no candidate.
    constexpr int kMostLanes = static_cast<int>(hn::MaxLanes(Keys()));
    const int lanes_of_block = step > lanes ? kMostLanes : kBlock / 8;
    alignas(64) int64_t found[kMostLanes];
    for (int lane = 0; lane < kMostLanes; ++lane) {
      const int b = lane / lanes_of_block;
      found[lane] = still[b] != 0 ? 0 : keys[b];
    }
    KeyVector best = hn::Load(key_tag, found);
    for (size_t i = 0; i < row.count; ++i) {
      const uint8_t* current = row.current + x;
      const uint8_t* reference = row.reference + x + row.candidates[i].offset;
      const KeyVector reconstruction_offset = hn::Set(key_tag, row.candidates[i].key);
      SumVector even = hn::Zero(Sums());
      SumVector odd = even;
      bool lost = false;
      for (int half = 0; half < 2 && !lost; ++half) {
        for (int r = 0; r < kBlock / 2; r += 2) {
          for (int part = 0; part < step; part += lanes) {
            const uint8_t* c = current + part;
            const uint8_t* p = reference + part;
            even = hn::Add(even, Sad(hn::LoadU(bytes, c), hn::LoadU(bytes, p)));
            odd = hn::Add(odd, Sad(hn::LoadU(bytes, c + row.current_stride),
                                   hn::LoadU(bytes, p + row.reference_stride)));
          }
          current += 2 * row.current_stride;
          reference += 2 * row.reference_stride;
        }
        const KeyVector now = ToKeys<kBlock>(hn::Add(even, odd), reconstruction_offset);
        lost = hn::AllFalse(key_tag, hn::Lt(now, best));
        if (half == 1) best = hn::Min(best, now);
      }
    }
    hn::Store(best, key_tag, found);
    for (int b = 0; b < step / kBlock; ++b) *keys++ = found[b * lanes_of_block];
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
    for (size_t i = 0; i < row.count; ++i) {
      const uint8_t* current = row.current + x;
      const uint8_t* reference = row.reference + x + row.candidates[i].offset;
      int sad = 0;
      for (int r = 0; r < kBlock; ++r) {
        for (int j = 0; j < kBlock; ++j) sad += abs_of(current[j] - reference[j]);
        current += row.current_stride;
        reference += row.reference_stride;
      }
      best = min_of(best, (static_cast<int64_t>(sad) << (kKeyIndexBits + 4)) + row.candidates[i].key);
    }
    *keys++ = best;
  }
}
#endif

void SearchBlockRow(const SearchPlanes& planes, std::span<const SearchCandidate> candidates, int log2_block,
                    int block_row, int block_cols, const uint8_t* still, int64_t* keys) {
  const ptrdiff_t y = static_cast<ptrdiff_t>(block_row) << log2_block;
  const RowOfBlocks row{planes.current + y * planes.current_stride,
                        planes.current_stride,
                        planes.reference + y * planes.reference_stride,
                        planes.reference_stride,
                        candidates.data(),
                        candidates.size(),
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

void search_block_row(const SearchPlanes& planes, std::span<const SearchCandidate> candidates, int log2_block,
                      int block_row, int block_cols, const uint8_t* still, int64_t* keys) {
  HWY_DYNAMIC_DISPATCH(SearchBlockRow)(planes, candidates, log2_block, block_row, block_cols, still, keys);
}

}  // namespace ctv
#endif  // HWY_ONCE

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/slope_map.hpp"

#include <algorithm>

#include "codec/entropy/range_coder.hpp"

namespace ctv {
namespace {

// Codes slopes with a RangeEncoder or a RangeDecoder, by the same steps.
template <typename Coder>
class Walk {
 public:
  /// slopes: read by the encoder, written by the decoder.
  using Slopes = std::conditional_t<Coder::kDecodes, int8_t, const int8_t>;

  Walk(Coder& coder, const SlopeGrid& grid) : coder_(coder), grid_(grid) {}

  void run(Slopes* slopes) {
    bool used[kSlopedScales] = {};
    for (int i = 0; i < kSlopedScales; ++i) {
      if (i < grid_.scales) used[i] = coder_.bit(used_[i], !kDecodes && slopes[i] != 0);
      if constexpr (kDecodes) slopes[i] = used[i] ? 1 : 0;
    }
    for (int i = kSlopedScales; i < kSlopedScales + kDirectedBands; ++i) {
      const int n = grid_.directed ? directions(kDecodes ? 0 : slopes[i]) : 0;
      if constexpr (kDecodes) slopes[i] = static_cast<int8_t>(n);
    }
    for (int scale = 1; scale <= grid_.scales; ++scale) {
      Slopes* const blocks = slopes + grid_.offset(scale);
      if (used[scale - 1]) {
        map(grid_.extent(scale), blocks);
      } else if constexpr (kDecodes) {
        std::fill_n(blocks, grid_.extent(scale).area(), int8_t{0});
      }
    }
  }

 private:
  static constexpr bool kDecodes = Coder::kDecodes;

  int directions(int own) {
    if (!coder_.bit(directed_[0], own > 0)) return 0;
    return coder_.bit(directed_[1], own > 1) ? 2 : 1;
  }

  void map(Extent blocks, Slopes* slopes) {
    for (int row = 0; row < blocks.rows; ++row) {
      for (int col = 0; col < blocks.cols; ++col, ++slopes) {
        const int left = col > 0 ? slopes[-1] : 0;
        const int above = row > 0 ? slopes[-blocks.cols] : 0;
        const int slope = block(left, above, kDecodes ? 0 : *slopes);
        if constexpr (kDecodes) *slopes = static_cast<int8_t>(slope);
      }
    }
  }

  int block(int left, int above, int own) {
    int list[kSlopeCount];
    int count = 0;
    const auto add = [&](int slope) {
      if (std::find(list, list + count, slope) == list + count) list[count++] = slope;
    };
    add(left);
    add(above);
    for (int slope = 0; slope < kSlopeCount; ++slope) add(slope);
    const int found = static_cast<int>(std::find(list, list + kSlopeCount, own) - list);
    const int zeros = (left == 0 ? 1 : 0) + (above == 0 ? 1 : 0);
    AdaptiveBit* const later = later_[left == above ? 1 : 0][zeros];
    int i = 0;
    while (i < kSlopeCount - 1 && coder_.bit(later[i], i < found)) ++i;
    return list[i];
  }

  Coder& coder_;
  const SlopeGrid& grid_;
  AdaptiveBit used_[kSlopedScales];
  AdaptiveBit directed_[2];                   // whether there are slopes; whether more than two
  AdaptiveBit later_[2][3][kSlopeCount - 1];  // neighbours are equal; neighbours that are 0; places passed
};

}  // namespace

size_t SlopeMap::encode(const int8_t* slopes, Growing<uint8_t>& out) const {
  if (grid_.size() == 0) return 0;
  RangeEncoder coder(out);
  Walk(coder, grid_).run(slopes);
  return coder.finish();
}

bool SlopeMap::decode(std::span<const uint8_t> bytes, int8_t* slopes) const {
  if (grid_.size() == 0) return bytes.empty();
  RangeDecoder coder(bytes);
  Walk(coder, grid_).run(slopes);
  return coder.sound();
}

}  // namespace ctv

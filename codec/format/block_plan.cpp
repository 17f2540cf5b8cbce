// SPDX-License-Identifier: BSD-3-Clause
#include "codec/format/block_plan.hpp"

namespace ctv {
namespace {

BlockQuantiser quantiser_of(TransformKind kind, int row, int col, const SubbandQuantiser& q) {
  const int rest = q.qp % 6;
  switch (kind) {
    case TransformKind::kH264_4x4: {
      const int norm = h264_class_4(row, col);
      return {
          h264_factor_4(rest, norm), q.rounding_offset, h264_bits_4(q.qp), h264_scale_4(rest, norm), 0, q.qp};
    }
    case TransformKind::kH264_8x8: {
      const int norm = h264_class_8(row, col);
      return {
          h264_factor_8(rest, norm), q.rounding_offset, h264_bits_8(q.qp), h264_scale_8(rest, norm), 0, q.qp};
    }
    default:
      return {static_cast<int32_t>(q.multiplier),
              q.rounding_offset,
              16,
              static_cast<int32_t>(q.step),
              static_cast<int32_t>(q.reconstruction_offset),
              0};
  }
}

}  // namespace

BlockPlan make_block_plan(const SubbandLayout& layout) {
  BlockPlan plan;
  plan.log2 = layout.transform.scales;
  plan.dc_row_log2 = layout.dc_row_log2;
  plan.dc_col_log2 = layout.dc_col_log2;
  for (size_t i = 0; i < layout.subbands.size(); ++i) {
    const Frequency f = frequency_of(layout, layout.subbands[i]);
    if (f.dc) {
      plan.dc_subbands[static_cast<size_t>(4 * f.row + f.col)] = i;
    } else {
      plan.subbands[static_cast<size_t>((f.row << plan.log2) + f.col)] = i;
    }
  }
  return plan;
}

BlockQuantisers make_block_quantisers(const SubbandLayout& layout, const BlockPlan& plan,
                                      std::span<const SubbandQuantiser> quantisers) {
  BlockQuantisers out;
  const int side = 1 << plan.log2;
  for (int row = 0; row < side; ++row) {
    for (int col = 0; col < side; ++col) {
      const auto i = static_cast<size_t>(row * side + col);
      out.of[i] = quantiser_of(layout.transform.kind, row, col, quantisers[plan.subbands[i]]);
    }
  }
  if (!plan.transforms_dc()) return out;
  for (size_t i = 0; i < kMaxDcArea; ++i) {
    SubbandQuantiser q = quantisers[plan.dc_subbands[i]];
    q.qp = hadamard_qp(q.qp, plan.dc_row_log2, plan.dc_col_log2);
    out.dc[i] = quantiser_of(TransformKind::kH264_4x4, 0, 0, q);
    out.dc[i].bits += 1;  // 8.5.10: the transform's gain
  }
  return out;
}

}  // namespace ctv

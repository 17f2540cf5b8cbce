// SPDX-License-Identifier: BSD-3-Clause
// The contourlet transform of a plane (Do and Vetterli 2005; Eslami and Radha 2004 for the wavelet pyramid):
// a pyramid, directional filter banks on the bands of each scale, and a quantiser per subband. The pyramids
// read and write rows through an interface. This file connects the rows with samples, the next scale's
// lowpass, a directional bank, or the quantiser.
#include "cpu/transform/transform_coder.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "codec/format/gains.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/picture/sample_rows.hpp"
#include "cpu/picture/skipped_runs.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/directed_bands.hpp"
#include "cpu/transform/directional.hpp"
#include "cpu/transform/laplacian.hpp"
#include "cpu/transform/quantise.hpp"
#include "cpu/transform/wanted_blocks.hpp"
#include "cpu/transform/wavelet.hpp"

namespace ctv {
namespace {

constexpr size_t kGrain = 1 << 14;  // fewest levels worth a thread

// Index of the first level of row r of a subband in the plane's array.
size_t row_offset(const Subband& s, int r) {
  return s.offset + static_cast<size_t>(r) * static_cast<size_t>(s.cols);
}

// The samples: input of the forward transform, output of the inverse.
struct Picture {
  PlaneView<const Sample> samples;  // forward
  PlaneView<const Sample> prediction;
  const SkippedRuns& skipped;
  int dc_offset;
  // Used by the inverse.
  ToSamples to_samples;
  PlaneView<Sample> result;
  const Sample* prediction_row(int r) const {
    return prediction.data == nullptr ? nullptr : prediction.row(r);
  }
};

class ContourletCoder final : public TransformCoder {
 public:
  ContourletCoder(const SubbandLayout& layout, int threads);
  Status forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction, int dc_offset,
                 std::span<const SubbandQuantiser> quantisers, Level* levels, const int8_t* slopes,
                 const SkippedCells& skipped) override;
  Status inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                 PlaneView<const Sample> prediction, int dc_offset, SampleRange range, int reduction,
                 PlaneView<Sample> samples, const int8_t* slopes, const SkippedCells& skipped) override;

 private:
  // A band of a scale: its first subband, and its bank if it has directions.
  struct Band {
    size_t subband = 0;
    std::unique_ptr<DirectionalBank> bank;
  };
  class Rows;

  bool laplacian() const { return layout_.transform.pyramid == Pyramid::kLaplacian; }
  Extent picture_extent(int scale) const {
    return {layout_.padded.rows >> (scale - 1), layout_.padded.cols >> (scale - 1)};
  }
  Band& band(int scale, int orientation) {
    return bands_[static_cast<size_t>(laplacian() ? scale : 3 * (scale - 1) + orientation)];
  }
  PlaneView<Coefficient> lowpass(int scale) const { return lowpass_views_[static_cast<size_t>(scale)]; }
  /// Used by wavelets.
  BlockMask& lowpass_mask(int scale, int row) {
    return lowpass_masks_[static_cast<size_t>(scale)][static_cast<size_t>(row)];
  }
  std::span<DirectionalBank* const> banks(int scale) const { return banks_[static_cast<size_t>(scale)]; }
  void pyramid(int scale, bool inverse, const int8_t* slopes, Rows& rows);
  SlopeView slopes_of(int scale, const int8_t* slopes) const {
    if (slopes == nullptr || scale > grid_.scales || slopes[scale - 1] == 0) return {};
    return {slopes + grid_.offset(scale), grid_.extent(scale).cols};
  }
  void rotate_banks(int scale, bool inverse) { DirectionalBank::transform(banks(scale), inverse); }
  /// Calls body(subband, index of the level, coefficients, count) for each row of a scale's directional
  /// subbands.
  template <typename Body>
  void for_directional_rows(int scale, Body&& body);

  SubbandLayout layout_;
  SlopeGrid grid_;
  int threads_;
  std::vector<Band> bands_;
  std::vector<std::vector<DirectionalBank*>> banks_;  // [scale]
  DirectedBands directed_;
  SkippedRuns skipped_;
  std::vector<AlignedBuffer<Coefficient>> lowpass_;
  std::vector<PlaneView<Coefficient>> lowpass_views_;    // [scale]
  std::vector<CountedVector<BlockMask>> lowpass_masks_;  // [scale][row]
  WantedBlocks wanted_;
  std::optional<Wavelet> wavelet_;
  std::optional<Laplacian> laplacian_;
};

// The rows of one scale, for both pyramids.
class ContourletCoder::Rows final : public WaveletRows, public LaplacianRows {
 public:
  Rows(ContourletCoder& coder, int scale, bool first, const Picture& picture,
       std::span<const SubbandQuantiser> quantisers, Level* out, const Level* in)
      : coder_(coder),
        level_(scale),
        samples_(first),
        picture_(picture),
        quantisers_(quantisers),
        out_(out),
        in_(in),
        half_(coder.picture_extent(scale).cols / 2),
        shift_(coder.layout_.transform.fraction_bits) {}

  BlockMask read_picture(int row, Coefficient* even, Coefficient* odd) override {
    if (samples_) {
      const BlockMask mask = picture_.skipped.coded_blocks(row);
      const Sample* const prediction = picture_.prediction_row(row);
      for_blocks(mask, half_, [&](int i, int n) {
        split_difference(picture_.samples.row(row) + 2 * i,
                         prediction == nullptr ? nullptr : prediction + 2 * i, picture_.dc_offset, shift_,
                         even + i, odd + i, n, picture_.samples.stride);
      });
      picture_.skipped.clear(row, 0, half_, even, odd);
      return picture_.skipped.reached_blocks(row);
    }
    const BlockMask mask = split_blocks(coder_.lowpass_mask(level_ - 1, row));
    for_blocks(mask, half_, [&](int i, int n) {
      split_row(coder_.lowpass(level_ - 1).row(row) + 2 * i, even + i, odd + i, n);
    });
    clear_blocks(~mask, half_, even);
    clear_blocks(~mask, half_, odd);
    return with_neighbours(mask);
  }
  void write_picture(int row, Coefficient* even, Coefficient* odd, BlockMask mask) override {
    if (!samples_) {
      coder_.lowpass_mask(level_ - 1, row) = joined_blocks(mask);
      for_blocks(mask, half_, [&](int i, int n) {
        join_row(even + i, odd + i, coder_.lowpass(level_ - 1).row(row) + 2 * i, n);
      });
      return;
    }
    const Sample* const prediction = picture_.prediction_row(row);
    Sample* const to = picture_.result.row(row);
    mask &= picture_.skipped.coded_blocks(row);
    for_blocks(mask, half_, [&](int i, int n) {
      picture_.skipped.clear(row, i, n, even, odd);
      join_samples(even + i, odd + i, prediction == nullptr ? nullptr : prediction + 2 * i,
                   picture_.to_samples, to + 2 * i, n, picture_.result.stride);
    });
    for_blocks(~mask, half_, [&](int i, int n) {
      clamp_samples(prediction + 2 * i, picture_.to_samples.range, to + 2 * i, 2 * n);
    });
  }

  // Wavelets: bands have half the picture's width. Only residuals are searched for zero blocks.
  BlockMask read_band(int orientation, int row, Coefficient* band, BlockMask wanted) override {
    const bool residual = picture_.prediction.data != nullptr;
    if (orientation == 0) {
      const BlockMask mask = residual ? coder_.lowpass_mask(level_, row) & wanted : kAllBlocks;
      const Coefficient* const from = coder_.lowpass(level_).row(row);
      for_blocks(mask, half_, [&](int i, int n) { std::copy_n(from + i, n, band + i); });
      clear_blocks(wanted & ~mask, half_, band);
      return mask;
    }
    const Band& b = coder_.band(level_, orientation);
    if (const DirectionalBank* const bank = bank_of(b, orientation)) {
      join_row(bank->even_row(row), bank->odd_row(row), band, half_ / 2);
      return kAllBlocks;
    }
    const Level* const levels = in_ + level_row(b, row);
    if (residual) return dequantise_blocks(levels, quantisers_[b.subband], band, half_, wanted);
    dequantise_row(levels, quantisers_[b.subband], band, half_);
    return kAllBlocks;
  }
  void write_band(int orientation, int row, const Coefficient* band, BlockMask mask) override {
    if (orientation == 0) {
      coder_.lowpass_mask(level_, row) = mask;
      std::copy_n(band, half_, coder_.lowpass(level_).row(row));
      return;
    }
    const Band& b = coder_.band(level_, orientation);
    if (const DirectionalBank* const bank = bank_of(b, orientation)) {
      split_row(band, bank->even_row(row), bank->odd_row(row), half_ / 2);
      return;
    }
    Level* const levels = out_ + level_row(b, row);
    for_blocks(mask, half_,
               [&](int i, int n) { quantise_row(band + i, quantisers_[b.subband], levels + i, n); });
    clear_blocks(~mask, half_, levels);
  }

  // Laplacian: bands have the picture's extent.
  void write_picture(int row, Coefficient* even, Coefficient* odd) override {
    write_picture(row, even, odd, kAllBlocks);
  }
  void read_band(int row, Coefficient* even, Coefficient* odd) override {
    const Band& b = coder_.band(level_, 0);
    if (b.bank) {
      std::copy_n(b.bank->even_row(row), half_, even);
      std::copy_n(b.bank->odd_row(row), half_, odd);
    } else {
      split_row(in_ + level_row(b, row), even, odd, half_);
      dequantise_row(even, quantisers_[b.subband], even, half_);
      dequantise_row(odd, quantisers_[b.subband], odd, half_);
    }
  }
  void write_band(int row, const Coefficient* even, const Coefficient* odd) override {
    const Band& b = coder_.band(level_, 0);
    if (b.bank) {
      std::copy_n(even, half_, b.bank->even_row(row));
      std::copy_n(odd, half_, b.bank->odd_row(row));
    } else {
      Level* levels = out_ + level_row(b, row);
      join_row(even, odd, levels, half_);
      quantise_row(levels, quantisers_[b.subband], levels, 2 * half_);
    }
  }

 private:
  const DirectionalBank* bank_of(const Band& b, int orientation) const {
    return b.bank ? b.bank.get() : coder_.directed_.bank(level_, orientation);
  }
  size_t level_row(const Band& b, int row) const {
    return row_offset(coder_.layout_.subbands[b.subband], row);
  }

  ContourletCoder& coder_;
  int level_;
  bool samples_;  // this scale's picture is the samples, not a lowpass
  const Picture& picture_;
  std::span<const SubbandQuantiser> quantisers_;
  Level* out_;
  const Level* in_;
  int half_;
  int shift_;
};

ContourletCoder::ContourletCoder(const SubbandLayout& layout, int threads)
    : layout_(layout),
      grid_(make_slope_grid(layout)),
      threads_(std::max(1, threads)),
      directed_(layout_, threads_),
      skipped_(layout_.padded),
      wanted_(layout_.transform.scales) {
  const TransformParameters& t = layout_.transform;
  bands_.resize(static_cast<size_t>((laplacian() ? 1 : 3) * t.scales + 1));
  banks_.resize(static_cast<size_t>(t.scales + 1));
  for (size_t i = 1; i < layout_.subbands.size(); ++i) {
    const Subband& s = layout_.subbands[i];
    if (s.direction != 0) continue;
    Band& b = band(s.scale, s.orientation);
    const int n = t.directions_log2[static_cast<size_t>(s.scale - 1)];
    b.subband = i;
    if (n > 0) {
      b.bank = std::make_unique<DirectionalBank>(layout_.band(s.scale), n, t.pyramid_traits().taps, threads_);
      banks_[static_cast<size_t>(s.scale)].push_back(b.bank.get());
    }
  }
  lowpass_views_.resize(static_cast<size_t>(t.scales + 1));
  lowpass_masks_.resize(static_cast<size_t>(t.scales + 1));
  for (int scale = 1; scale <= t.scales; ++scale) {
    const Extent e = picture_extent(scale + 1);
    const int stride = round_up(e.cols, kBlock);
    lowpass_.emplace_back(static_cast<size_t>(e.rows) * static_cast<size_t>(stride));
    lowpass_views_[static_cast<size_t>(scale)] = {lowpass_.back().data(), e.rows, e.cols, stride};
    lowpass_masks_[static_cast<size_t>(scale)].resize(static_cast<size_t>(e.rows), kAllBlocks);
  }
  if (laplacian()) {
    laplacian_.emplace(layout_.padded, t.projection, threads_);
  } else {
    wavelet_.emplace(t.pyramid, layout_.padded, threads_);
  }
}

// Runs one scale of the pyramid.
void ContourletCoder::pyramid(int scale, bool inverse, const int8_t* slopes, Rows& rows) {
  const Extent e = picture_extent(scale);
  if (wavelet_) {
    const SlopeView view = slopes_of(scale, slopes);
    return inverse ? wavelet_->inverse(e, rows, view, wanted_[scale]) : wavelet_->forward(e, rows, view);
  }
  return inverse ? laplacian_->inverse(e, rows, lowpass(scale))
                 : laplacian_->forward(e, rows, lowpass(scale));
}

template <typename Body>
void ContourletCoder::for_directional_rows(int scale, Body&& body) {
  const size_t first = band(scale, laplacian() ? 0 : 1).subband;
  const size_t directions = size_t{1} << layout_.transform.directions_log2[static_cast<size_t>(scale - 1)];
  const size_t count = directions * banks(scale).size();
  const int threads = count * layout_.subbands[first].size() < kGrain ? 1 : threads_;
  parallel_for(threads, static_cast<int>(count), [&](int i) {
    const size_t index = first + static_cast<size_t>(i);
    const Subband& s = layout_.subbands[index];
    DirectionalBank& bank = *banks(scale)[static_cast<size_t>(i) / directions];
    for (int r = 0; r < s.rows; ++r) body(index, row_offset(s, r), bank.subband_row(s.direction, r), s.cols);
  });
}

Status ContourletCoder::forward(PlaneView<const Sample> samples, PlaneView<const Sample> prediction,
                                int dc_offset, std::span<const SubbandQuantiser> quantisers, Level* levels,
                                const int8_t* slopes, const SkippedCells& skipped) {
  directed_.begin(slopes);
  skipped_.begin(skipped, layout_.padded);
  const Picture picture{samples, prediction, skipped_, dc_offset, {}, {}};
  const int count = layout_.transform.scales;
  for (int scale = 1; scale <= count; ++scale) {
    Rows rows(*this, scale, scale == 1, picture, quantisers, levels, nullptr);
    pyramid(scale, false, slopes, rows);
    directed_.forward(scale, quantisers, levels);
    if (banks(scale).empty()) continue;
    rotate_banks(scale, false);
    for_directional_rows(scale, [&](size_t subband, size_t at, const Coefficient* row, int n) {
      quantise_row(row, quantisers[subband], levels + at, n);
    });
  }
  const Subband& s = layout_.subbands[0];
  for (int r = 0; r < s.rows; ++r) {
    quantise_row(lowpass(count).row(r), quantisers[0], levels + row_offset(s, r), s.cols);
  }
  return {};
}

Status ContourletCoder::inverse(const Level* levels, std::span<const SubbandQuantiser> quantisers,
                                PlaneView<const Sample> prediction, int dc_offset, SampleRange range,
                                int reduction, PlaneView<Sample> samples, const int8_t* slopes,
                                const SkippedCells& skipped) {
  directed_.begin(slopes);
  skipped_.begin(skipped, samples.extent());
  const TransformParameters& t = layout_.transform;
  const ToSamples to_samples{dc_offset, lowpass_scale(t, reduction), t.fraction_bits, range};
  const Picture picture{{}, prediction, skipped_, dc_offset, to_samples, samples};
  const int count = layout_.transform.scales;
  const Subband& s = layout_.subbands[0];
  for (int r = 0; r < s.rows; ++r) {
    lowpass_mask(count, r) =
        dequantise_blocks(levels + row_offset(s, r), quantisers[0], lowpass(count).row(r), s.cols);
  }
  for (int scale = reduction + 1; wavelet_ && scale <= count; ++scale) {
    const bool all = t.pyramid == Pyramid::kWavelet5_3 || slopes_of(scale, slopes).data != nullptr;
    wanted_.find(scale, reduction + 1, picture_extent(scale).rows, all, skipped_);
  }
  for (int scale = count; scale > reduction; --scale) {
    if (!banks(scale).empty()) {
      for_directional_rows(scale, [&](size_t subband, size_t at, Coefficient* row, int n) {
        dequantise_row(levels + at, quantisers[subband], row, n);
      });
      rotate_banks(scale, true);
    }
    directed_.inverse(scale, quantisers, levels);
    Rows rows(*this, scale, scale == reduction + 1, picture, quantisers, nullptr, levels);
    pyramid(scale, true, slopes, rows);
  }
  if (reduction == count) {
    for (int r = 0; r < s.rows; ++r) {
      Coefficient* const row = lowpass(count).row(r);
      skipped_.clear(r, 0, s.cols, row);
      round_samples(row, picture.prediction_row(r), to_samples, samples.row(r), s.cols);
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TransformCoder>> make_cpu_transform(const SubbandLayout& layout, int threads) {
  return {std::unique_ptr<TransformCoder>(std::make_unique<ContourletCoder>(layout, threads))};
}

}  // namespace ctv

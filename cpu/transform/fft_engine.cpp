// SPDX-License-Identifier: BSD-3-Clause
// Two-dimensional convolutions by FFT: extend, transform, multiply by the kernel's spectrum, transform back,
// round to integers. The cost does not depend on the number of taps. In double precision the error is a
// millionth of the rounding margin, so the sums equal the integers of the direct engine. Borders need no
// extra work: directional banks are periodic, and whole-sample symmetric extension is periodic with period 2
// (n - 1).
#include "cpu/transform/fft_engine.hpp"

#if defined(CTV_HAVE_FFTW)

#include <vector>

#include "codec/dsp/directional.hpp"
#include "codec/dsp/laplacian.hpp"
#include "codec/dsp/mirror.hpp"
#include "codec/format/directional_plan.hpp"
#include "cpu/transform/fft_convolver.hpp"

namespace ctv {
namespace {

/// Positions (row + i row_step, col + j col_step) of a band, or one colour of the checkerboard.
struct Coset {
  int row, row_step, col, col_step;
  bool chessboard;
  template <typename Body>
  void for_each(Extent band, Body&& body) const {
    for (int r = row; r < band.rows; r += row_step) {
      for (int c = chessboard ? (r + col) & 1 : col; c < band.cols; c += col_step) body(r, c);
    }
  }
};

struct Split {
  Coset coset[2];
  std::vector<double> kernel;
};

/// The banks of one scale; they share extent and kernels.
struct Directions {
  Directions(Extent band, int directions_log2, int taps) : convolver(band), values(band.area()) {
    const auto kernel = [&](int y1, int x1, int y2, int x2) {  // along (y1, x1) and (y2, x2)
      std::vector<Tap> list;
      for (int i = 1 - taps; i < taps; i += 2) {
        for (int j = 1 - taps; j < taps; j += 2) {
          const int product =
              directional_tap(taps, (abs_of(i) + 1) / 2) * directional_tap(taps, (abs_of(j) + 1) / 2);
          list.push_back({(i * y1 + j * y2) / 2, (i * x1 + j * x2) / 2, i * j > 0 ? product : -product});
        }
      }
      return convolver.spectrum_of(list);
    };
    splits.push_back({{{0, 1, 0, 2, true}, {0, 1, 1, 2, true}}, kernel(1, 1, -1, 1)});
    if (directions_log2 < 2) return;
    splits.push_back({{{0, 2, 0, 2, false}, {1, 2, 1, 2, false}}, kernel(2, 0, 0, 2)});
    splits.push_back({{{0, 2, 1, 2, false}, {1, 2, 0, 2, false}}, kernel(2, 0, 0, 2)});
    for (const PhaseSplit& s : make_directional_plan(directions_log2).splits) {
      const int row = s.phase >> 1;
      const int col = s.phase & 1;
      const int step = 2 * s.row_stride;
      if (is_transposed(s.phase)) {
        splits.push_back({{{row, 2, col + 2 * s.row0, step, false}, {row, 2, col + 2 * s.row1, step, false}},
                          kernel(2 * s.shear, step, 2, 0)});
      } else {
        splits.push_back({{{row + 2 * s.row0, step, col, 2, false}, {row + 2 * s.row1, step, col, 2, false}},
                          kernel(step, 2 * s.shear, 0, 2)});
      }
    }
  }

  Coefficient& at(int r, int c) {
    return values[static_cast<size_t>(r) * static_cast<size_t>(convolver.extent().cols) +
                  static_cast<size_t>(c)];
  }
  /// Shears the target coset by the other one.
  void shear(const Split& split, int target, bool sine, bool subtract) {
    const Extent band = convolver.extent();
    for (int r = 0; r < band.rows; ++r) {
      for (int c = 0; c < band.cols; ++c) convolver.at(r, c) = 0;
    }
    split.coset[1 - target].for_each(band, [&](int r, int c) { convolver.at(r, c) = at(r, c); });
    convolver.convolve(split.kernel);
    split.coset[target].for_each(band, [&](int r, int c) {
      const int32_t sum = static_cast<int32_t>(convolver.sum(r, c));
      const int step = sine ? shear_sin(sum) : shear_tan(sum);
      at(r, c) = static_cast<Coefficient>(subtract ? at(r, c) - step : at(r, c) + step);
    });
  }
  void rotate(const Split& split, bool inverse) {
    shear(split, 0, false, !inverse);
    shear(split, 1, true, inverse);
    shear(split, 0, false, !inverse);
  }

  Convolver convolver;
  std::vector<Coefficient> values;
  std::vector<Split> splits;
};

/// The Laplacian filters on the symmetric extension of one scale's extent.
struct Filters {
  explicit Filters(Extent extent)
      : picture(extent),
        convolver({2 * (extent.rows - 1), 2 * (extent.cols - 1)}),
        lowpass(convolver.spectrum_of(taps(kLowpassReach, lowpass_tap))),
        interpolation(convolver.spectrum_of(taps(kInterpolationReach, interpolation_tap))) {}

  static std::vector<Tap> taps(int reach, int (*tap)(int)) {
    std::vector<Tap> list;
    for (int y = -reach; y <= reach; ++y) {
      for (int x = -reach; x <= reach; ++x) list.push_back({y, x, tap(abs_of(y)) * tap(abs_of(x))});
    }
    return list;
  }
  /// value(r, c): the extended picture, input of the next convolution.
  template <typename Value>
  void extend(Value&& value) const {
    for (int r = 0; r < convolver.extent().rows; ++r) {
      for (int c = 0; c < convolver.extent().cols; ++c) {
        convolver.at(r, c) = value(mirror(r, picture.rows), mirror(c, picture.cols));
      }
    }
  }
  int rounded(int r, int c) const {
    return round_laplacian(static_cast<int32_t>(static_cast<uint32_t>(convolver.sum(r, c))));
  }

  Extent picture;
  Convolver convolver;
  std::vector<double> lowpass, interpolation;
};

class FftwEngine final : public FftEngine {
 public:
  explicit FftwEngine(const SubbandLayout& layout) {
    const TransformParameters& t = layout.transform;
    for (int scale = 1; scale <= t.scales; ++scale) {
      const int n = t.directions_log2[static_cast<size_t>(scale - 1)];
      directions_.push_back(n > 0 ? std::make_unique<Directions>(layout.band(scale), n, t.taps) : nullptr);
      if (t.pyramid == Pyramid::kLaplacian) filters_.push_back(std::make_unique<Filters>(layout.band(scale)));
    }
    projection_ = t.projection;
    if (t.pyramid == Pyramid::kLaplacian) values_.resize(layout.padded.area());
  }

  void directional(int scale, std::span<DirectionalBank* const> banks, bool inverse) override {
    Directions& d = *directions_[static_cast<size_t>(scale - 1)];
    const Extent band = d.convolver.extent();
    for (DirectionalBank* bank : banks) {
      // Bands are stored by rows of the bank, subbands by rows of theirs: gather one and scatter the other.
      const auto bands_and_back = [&](bool subbands, bool read) {
        for (int r = 0; r < band.rows; ++r) {
          for (int c = 0; c < band.cols; ++c) {
            Coefficient& place = subbands ? bank->subband_sample(r, c)
                                          : (c % 2 == 0 ? bank->even_row(r) : bank->odd_row(r))[c / 2];
            read ? d.at(r, c) = place : place = d.at(r, c);
          }
        }
      };
      bands_and_back(inverse, true);
      for (size_t i = 0; i < d.splits.size(); ++i)
        d.rotate(d.splits[inverse ? d.splits.size() - 1 - i : i], inverse);
      bands_and_back(!inverse, false);
    }
  }

  void laplacian_forward(int scale, LaplacianRows& rows, PlaneView<Coefficient> lowpass) override {
    const Filters& f = filters(scale);
    read(f.picture, [&](int r, Coefficient* even, Coefficient* odd) { rows.read_picture(r, even, odd); });
    filter_lowpass(f, [&](int r, int c, int v) { lowpass.row(r)[c] = static_cast<Coefficient>(v); });
    interpolate(f, lowpass, -1);
    write(f.picture,
          [&](int r, const Coefficient* even, const Coefficient* odd) { rows.write_band(r, even, odd); });
  }

  void laplacian_inverse(int scale, LaplacianRows& rows, PlaneView<Coefficient> lowpass) override {
    const Filters& f = filters(scale);
    read(f.picture, [&](int r, Coefficient* even, Coefficient* odd) { rows.read_band(r, even, odd); });
    if (projection_) {
      filter_lowpass(f, [&](int r, int c, int v) {
        lowpass.row(r)[c] = static_cast<Coefficient>(lowpass.row(r)[c] - v);
      });
    }
    interpolate(f, lowpass, 1);
    write(f.picture, [&](int r, Coefficient* even, Coefficient* odd) { rows.write_picture(r, even, odd); });
  }

 private:
  const Filters& filters(int scale) const { return *filters_[static_cast<size_t>(scale - 1)]; }
  // Rows of values_: even columns, then odd columns.
  Coefficient* half(Extent picture, int r, int parity) {
    return values_.data() + static_cast<ptrdiff_t>(r) * picture.cols + parity * (picture.cols / 2);
  }
  Coefficient& value(Extent picture, int r, int c) { return half(picture, r, c & 1)[c >> 1]; }

  template <typename Read>
  void read(Extent picture, Read&& row) {
    for (int r = 0; r < picture.rows; ++r) row(r, half(picture, r, 0), half(picture, r, 1));
  }
  template <typename Write>
  void write(Extent picture, Write&& row) {
    for (int r = 0; r < picture.rows; ++r) row(r, half(picture, r, 0), half(picture, r, 1));
  }
  template <typename Store>
  void filter_lowpass(const Filters& f, Store&& store) {
    f.extend([&](int r, int c) { return value(f.picture, r, c); });
    f.convolver.convolve(f.lowpass);
    for (int r = 0; r < f.picture.rows / 2; ++r) {
      for (int c = 0; c < f.picture.cols / 2; ++c) store(r, c, f.rounded(2 * r, 2 * c));
    }
  }
  void interpolate(const Filters& f, PlaneView<Coefficient> lowpass, int sign) {
    f.extend([&](int r, int c) { return (r | c) & 1 ? 0 : lowpass.row(r / 2)[c / 2]; });
    f.convolver.convolve(f.interpolation);
    for (int r = 0; r < f.picture.rows; ++r) {
      for (int c = 0; c < f.picture.cols; ++c) {
        Coefficient& v = value(f.picture, r, c);
        v = static_cast<Coefficient>(v + sign * f.rounded(r, c));
      }
    }
  }

  std::vector<std::unique_ptr<Directions>> directions_;  // [scale - 1]
  std::vector<std::unique_ptr<Filters>> filters_;        // [scale - 1], Laplacian only
  bool projection_ = false;
  std::vector<Coefficient> values_;  // [rows][even columns, odd columns] of the current scale
};

}  // namespace

Status FftEngine::check() { return {}; }

Result<std::unique_ptr<FftEngine>> FftEngine::make(const SubbandLayout& layout) {
  return {std::unique_ptr<FftEngine>(std::make_unique<FftwEngine>(layout))};
}

}  // namespace ctv

#else

namespace ctv {

Status FftEngine::check() {
  return {CTV_ERROR_UNSUPPORTED, "engine: the CPU backend of this build has no FFT engine (CTV_FFTW is off)"};
}

Result<std::unique_ptr<FftEngine>> FftEngine::make(const SubbandLayout&) { return {check()}; }

}  // namespace ctv

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Periodic two-dimensional convolution of integers by FFTW in double precision. Exact for sums below about
// 2^40. Included only in builds with CTV_FFTW.
#pragma once

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <vector>

#include "codec/dsp/mirror.hpp"
#include "codec/util/types.hpp"

namespace ctv {

struct Tap {
  int dy, dx;
  int weight;
};

/// Periodic convolutions of one extent.
class Convolver {
 public:
  explicit Convolver(Extent extent)
      : extent_(extent),
        spectrum_cols_(extent.cols / 2 + 1),
        grid_(fftw_alloc_real(extent.area())),
        spectrum_(fftw_alloc_complex(spectrum_size())) {
    const std::lock_guard lock(planner_mutex());  // FFTW's planner is not thread-safe
    forward_ = fftw_plan_dft_r2c_2d(extent.rows, extent.cols, grid_, spectrum_, FFTW_ESTIMATE);
    inverse_ = fftw_plan_dft_c2r_2d(extent.rows, extent.cols, spectrum_, grid_, FFTW_ESTIMATE);
  }
  ~Convolver() {
    const std::lock_guard lock(planner_mutex());
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(inverse_);
    fftw_free(grid_);
    fftw_free(spectrum_);
  }
  Convolver(const Convolver&) = delete;
  Convolver& operator=(const Convolver&) = delete;

  Extent extent() const { return extent_; }
  double& at(int r, int c) const {
    return grid_[static_cast<size_t>(r) * static_cast<size_t>(extent_.cols) + static_cast<size_t>(c)];
  }
  /// The integer at a position of the result.
  int64_t sum(int r, int c) const { return std::llround(at(r, c)); }

  /// The spectrum is real, because all kernels are symmetric about their centre. It contains the scaling of
  /// the inverse.
  std::vector<double> spectrum_of(const std::vector<Tap>& taps) const {
    std::fill_n(grid_, extent_.area(), 0.0);
    for (const Tap& t : taps) at(wrap(t.dy, extent_.rows), wrap(t.dx, extent_.cols)) += t.weight;
    fftw_execute(forward_);
    std::vector<double> real(spectrum_size());
    for (size_t i = 0; i < real.size(); ++i) real[i] = spectrum_[i][0] / static_cast<double>(extent_.area());
    return real;
  }
  /// Replaces the grid by its convolution with the kernel.
  void convolve(const std::vector<double>& kernel) const {
    fftw_execute(forward_);
    for (size_t i = 0; i < kernel.size(); ++i) {
      spectrum_[i][0] *= kernel[i];
      spectrum_[i][1] *= kernel[i];
    }
    fftw_execute(inverse_);
  }

 private:
  static std::mutex& planner_mutex() {
    static std::mutex mutex;
    return mutex;
  }
  size_t spectrum_size() const {
    return static_cast<size_t>(extent_.rows) * static_cast<size_t>(spectrum_cols_);
  }

  Extent extent_;
  int spectrum_cols_;
  double* grid_;
  fftw_complex* spectrum_;
  fftw_plan forward_, inverse_;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// A circular convolution of real pictures of one extent by cuFFT in double precision.
#pragma once

#include <vector>

#include "cuda/runtime/device.hpp"
#include "cuda/transform/cufft_library.hpp"

namespace ctv::cuda {

/// Buffers that all plans of a transform share: they run one after the other.
struct FftWorkspace {
  DeviceArray<cufftDoubleReal> real;        // [batch][rows][cols]
  DeviceArray<cufftDoubleComplex> complex;  // [batch][rows][cols / 2 + 1]
};

/// One product: weight at offset (y, x), so that output p gets weight * input[p + offset].
struct FftTap {
  int y, x;
  double weight;
};

class FftPlan {
 public:
  ~FftPlan();
  FftPlan() = default;
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;

  Status make(Device& device, int rows, int cols, int batch);
  size_t real_size() const {
    return static_cast<size_t>(batch_) * static_cast<size_t>(rows_) * static_cast<size_t>(cols_);
  }
  size_t complex_size() const { return static_cast<size_t>(batch_) * spectrum_size(); }
  /// After the workspace has been allocated: `kernels`, each for batch / kernels.size() ... pictures in turn.
  Status make_spectra(Device& device, const FftWorkspace& work,
                      const std::vector<std::vector<FftTap>>& kernels);
  /// real -> real; picture b of the batch by kernel first + b % count.
  Status convolve(Device& device, const FftWorkspace& work, int first, int count) const;
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int batch() const { return batch_; }

 private:
  Status follow_stream(Device& device) const;
  size_t spectrum_size() const { return static_cast<size_t>(rows_) * static_cast<size_t>(cols_ / 2 + 1); }

  const CufftLibrary* cufft_ = nullptr;
  int rows_ = 0, cols_ = 0, batch_ = 0;
  cufftHandle forward_ = 0, inverse_ = 0;
  bool has_forward_ = false, has_inverse_ = false;
  DeviceArray<cufftDoubleComplex> spectra_;  // [kernels][rows][cols / 2 + 1], with 1 / (rows cols)
};

}  // namespace ctv::cuda

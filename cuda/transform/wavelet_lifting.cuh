// SPDX-License-Identifier: BSD-3-Clause
// The lifting steps of a wavelet on a run of samples in a thread's registers.
#pragma once

#include "codec/dsp/lifting.hpp"

namespace ctv::cuda {

// A wavelet: how many lifting steps, and what each step (1, 2, ...) adds at x. Odd steps change odd samples.
// A step needs one sample to either side.
struct Wavelet5_3 {
  static constexpr int kSteps = 2;
  template <int kStep>
  static __device__ __forceinline__ int added(const int* x) {
    return kStep == 1 ? -predict_5_3(x[-1], x[1]) : update_5_3(x[-1], x[1]);
  }
};
struct Wavelet9_7 {
  static constexpr int kSteps = 4;
  template <int kStep>
  static __device__ __forceinline__ int added(const int* x) {
    if constexpr (kStep == 1) return predict_9_7_first(x[-1], x[1]);
    if constexpr (kStep == 2) return update_9_7_first(x[-1], x[1]);
    if constexpr (kStep == 3) return predict_9_7_second(x[-1], x[1]);
    return update_9_7_second(x[-1], x[1]);
  }
};

/// Border that all steps of one dimension need on each side; even, like the tiles' origins.
template <class Wavelet>
constexpr int kLiftingBorder = Wavelet::kSteps;

// Lifting steps kStep, ... of a run of kLength samples with its border on both sides. Each step covers only
// what later ones need.
template <class Wavelet, int kLength, int kStep = 1>
__device__ __forceinline__ void lift(int (&x)[kLength + 2 * kLiftingBorder<Wavelet>]) {
  constexpr int kMargin = Wavelet::kSteps - kStep;
  constexpr int kFirst = kLiftingBorder<Wavelet> - kMargin;
#pragma unroll
  for (int i = kFirst; i < kFirst + kLength + 2 * kMargin; i += 2)
    x[i] = static_cast<int16_t>(x[i] + Wavelet::template added<kStep>(x + i));
  if constexpr (kStep < Wavelet::kSteps) lift<Wavelet, kLength, kStep + 1>(x);
}

// Inverse, from the last step down.
template <class Wavelet, int kLength, int kStep = Wavelet::kSteps>
__device__ __forceinline__ void unlift(int (&x)[kLength + 2 * kLiftingBorder<Wavelet>]) {
  constexpr int kMargin = kStep - 1;
#pragma unroll
  for (int i = kLiftingBorder<Wavelet> + 1 - kMargin; i < kLiftingBorder<Wavelet> + kLength + kMargin; i += 2)
    x[i] = static_cast<int16_t>(x[i] - Wavelet::template added<kStep>(x + i));
  if constexpr (kStep > 1) unlift<Wavelet, kLength, kStep - 1>(x);
}

}  // namespace ctv::cuda

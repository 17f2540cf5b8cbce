// SPDX-License-Identifier: BSD-3-Clause
// The lifting steps of a wavelet on a run of samples in a thread's registers.
#pragma once

#include "codec/dsp/lifting.hpp"

namespace ctv::cuda {

// A wavelet: the number of lifting steps, the samples of other parity that a step needs on each side, in full
// positions, and the value that each step (1, 2, ...) adds at x. Odd steps change odd samples.
struct Wavelet5_3 {
  static constexpr int kSteps = 2, kReach = 1;
  template <int kStep>
  static __device__ __forceinline__ int added(const int* x) {
    return kStep == 1 ? -predict_5_3(x[-1], x[1]) : update_5_3(x[-1], x[1]);
  }
};
struct Wavelet13_7 {
  static constexpr int kSteps = 2, kReach = 3;
  template <int kStep>
  static __device__ __forceinline__ int added(const int* x) {
    return kStep == 1 ? -predict_13_7(x[-3], x[-1], x[1], x[3]) : update_13_7(x[-3], x[-1], x[1], x[3]);
  }
};
struct Wavelet9_7 {
  static constexpr int kSteps = 4, kReach = 1;
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
constexpr int kLiftingBorder = Wavelet::kSteps* Wavelet::kReach;

// Lifting steps kStep, ... of a run of kLength samples with its border on both sides. Each step covers only
// what later ones need.
template <class Wavelet, int kLength, int kStep = 1>
__device__ __forceinline__ void lift(int (&x)[kLength + 2 * kLiftingBorder<Wavelet>]) {
  constexpr int kMargin = (Wavelet::kSteps - kStep) * Wavelet::kReach;
  constexpr int kFirst = kLiftingBorder<Wavelet> - kMargin;
#pragma unroll
  for (int i = kFirst; i < kFirst + kLength + 2 * kMargin; i += 2)
    x[i] = static_cast<int16_t>(x[i] + Wavelet::template added<kStep>(x + i));
  if constexpr (kStep < Wavelet::kSteps) lift<Wavelet, kLength, kStep + 1>(x);
}

// Inverse, from the last step down.
template <class Wavelet, int kLength, int kStep = Wavelet::kSteps>
__device__ __forceinline__ void unlift(int (&x)[kLength + 2 * kLiftingBorder<Wavelet>]) {
  constexpr int kMargin = (kStep - 1) * Wavelet::kReach;
#pragma unroll
  for (int i = kLiftingBorder<Wavelet> + 1 - kMargin; i < kLiftingBorder<Wavelet> + kLength + kMargin; i += 2)
    x[i] = static_cast<int16_t>(x[i] - Wavelet::template added<kStep>(x + i));
  if constexpr (kStep > 1) unlift<Wavelet, kLength, kStep - 1>(x);
}

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// How the lab measures on a device: kernels and copies between two events on one stream.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/statistics.h"
#include "cuda/runtime/device.hpp"

namespace ctv::lab {

using cuda::Device;
using cuda::DeviceArray;
using cuda::PinnedArray;
using tools::median, tools::time_ms;

/// Median of `runs`, after one to warm up, of the time that work() takes on the stream, in milliseconds,
/// divided by `repeats`: how often work() does it.
template <typename Work>
Status time_on_device(Device& device, int runs, int repeats, double& ms, Work&& work) {
  cuda::Event begin, end;
  CTV_RETURN_IF_ERROR(begin.create(device, cudaEventDefault));
  CTV_RETURN_IF_ERROR(end.create(device, cudaEventDefault));
  std::vector<double> times;
  for (int i = -1; i < runs; ++i) {
    CTV_CUDA_TRY(device, cudaEventRecord(begin.get(), device.stream()));
    CTV_RETURN_IF_ERROR(work());
    CTV_CUDA_TRY(device, cudaEventRecord(end.get(), device.stream()));
    CTV_CUDA_TRY(device, cudaEventSynchronize(end.get()));
    float taken = 0;
    CTV_CUDA_TRY(device, cudaEventElapsedTime(&taken, begin.get(), end.get()));
    if (i >= 0) times.push_back(taken / repeats);
  }
  ms = median(std::move(times));
  return {};
}

/// A kernel is shorter than the clock is exact, so it is launched this often in a row; what is left of the
/// launch itself (about two microseconds) counts.
inline constexpr int kLaunches = 20;

/// launch(): one or more launches on device.stream().
template <typename Launch>
Status time_kernel(Device& device, int runs, double& ms, Launch&& launch) {
  return time_on_device(device, runs, kLaunches, ms, [&]() -> Status {
    for (int i = 0; i < kLaunches; ++i) launch();
    return device.launched("kernel of the lab");
  });
}

template <typename T>
Status time_copy(Device& device, int runs, T* to, const T* from, size_t count, cudaMemcpyKind kind,
                 double& ms) {
  return time_on_device(device, runs, 1, ms, [&]() -> Status {
    CTV_CUDA_TRY(device, cudaMemcpyAsync(to, from, count * sizeof(T), kind, device.stream()));
    return {};
  });
}

/// Memory of one array on both sides; the host's is pinned.
template <typename T>
struct TwinArray {
  PinnedArray<T> host;
  DeviceArray<T> device;

  Status allocate(Device& d, size_t count) {
    CTV_RETURN_IF_ERROR(host.allocate(d, count));
    return device.allocate(d, count);
  }
  /// With what `values` holds; zeros fill up to `count`.
  Status allocate(Device& d, const std::vector<T>& values, size_t count) {
    CTV_RETURN_IF_ERROR(allocate(d, count));
    std::copy(values.begin(), values.end(), host.data());
    std::fill(host.data() + values.size(), host.data() + count, T{});
    return {};
  }
  Status upload(Device& d, int runs, double& ms) {
    return time_copy(d, runs, device.data(), host.data(), device.size(), cudaMemcpyHostToDevice, ms);
  }
  Status download(Device& d, int runs, double& ms) {
    return time_copy(d, runs, host.data(), device.data(), device.size(), cudaMemcpyDeviceToHost, ms);
  }
};

}  // namespace ctv::lab

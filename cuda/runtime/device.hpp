// SPDX-License-Identifier: BSD-3-Clause
// One GPU as the backend sees it: streams, memory, and what happens when a call fails. Every CUDA call passes
// through CTV_CUDA_TRY. Out of memory is an error like any other; every other error may be sticky (the
// process's CUDA context is lost), so it marks the device dead, and each later call returns CTV_ERROR_DEVICE
// without touching CUDA.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/backend/frame_calls.hpp"
#include "codec/util/stage_times.hpp"
#include "codec/util/status.hpp"
#include "cuda/runtime/frame_graphs.hpp"
#include "cuda/runtime/tuning.hpp"

namespace ctv::cuda {

/// The error itself. Builds with CTV_FAULT_INJECTION can fail a call of choice (CudaTuning::fail_at).
cudaError_t checked(cudaError_t error);

#define CTV_CUDA_TRY(device, call)                                                      \
  do {                                                                                  \
    if (const cudaError_t error_ = ::ctv::cuda::checked(call); error_ != cudaSuccess) { \
      return (device).fail(error_, #call);                                              \
    }                                                                                   \
  } while (false)

/// A CUDA event that is destroyed with its owner.
class Event {
 public:
  Event() = default;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaError_t create(unsigned flags) { return cudaEventCreateWithFlags(&event_, flags); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A CUDA stream that is destroyed with its owner.
class Stream {
 public:
  Stream() = default;
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaError_t create() { return cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Used by one thread at a time, but for enter() and fail(): ports may be waited for in any thread.
class Device {
 public:
  static constexpr int kMarks = 256;  // stages between two harvests, a power of two

  static Result<std::shared_ptr<Device>> open(int id);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// First thing in every call of the backend: makes the device current, or says that it is dead.
  Status enter();
  /// Turns an error into a Status and remembers what cannot be undone. `call`: text up to the first
  /// parenthesis.
  Status fail(cudaError_t error, const char* call);
  /// After every launch.
  Status launched(const char* kernel);

  /// All kernels, in the order of the backend's calls; between two calls of on_plane(), the plane's own.
  cudaStream_t stream() const { return current_; }
  /// Work of plane 0, 1 or 2 alone follows, beside that of the other planes; -1: work that waits for all of
  /// it (CudaTuning::lanes).
  Status on_plane(int plane);
  /// Copies from and to pinned memory, beside the kernels.
  cudaStream_t up() const { return up_; }
  cudaStream_t down() const { return down_; }
  int id() const { return id_; }
  const cudaDeviceProp& properties() const { return properties_; }

  /// stream() reaches the event, and waits for it; inside a recorded frame as nodes of the graph.
  Status record(const Event& event);
  Status wait(const Event& event);
  /// Work on other streams that must be issued after what was issued to stream(): at once, or after the
  /// graph's launch.
  Status afterwards(std::function<Status()> work);

  /// Before the objects of a stream are made; see Backend.
  void set_frames_in_flight(int frames) {
    frames_in_flight_ = frames;
    one_spins_ = false;
  }
  /// Flags of an event that a thread waits for. With one frame in flight the thread spins, which is fastest.
  /// With more, only waits for the stream's first object spin; the others sleep, since entropy coding needs
  /// the cores.
  unsigned waiting_flags() {
    const bool spins = frames_in_flight_ == 1 || !std::exchange(one_spins_, true);
    return cudaEventDisableTiming | (spins ? 0U : cudaEventBlockingSync);
  }

  /// Times of the stages as the GPU sees them: off until a StageTimes is given (see
  /// CudaTuning::stage_times).
  void keep_times(StageTimes* times);
  void mark_begin(Stage stage);
  void mark_end();
  /// Adds up what has passed by now; `all` waits for the rest.
  void harvest(bool all);

  /// Records the calls of a frame as a graph and launches it at the end, where frames are in flight
  /// (see CudaTuning::graphs); otherwise nothing. True: the graph of an equal frame is kept, and
  /// end_frame() launches it. Stages of such frames have no times.
  Result<bool> begin_frame(const FrameCalls& calls);
  Status end_frame();

 private:
  explicit Device(int id) : id_(id) {}
  /// Gives up a recording that an error has cut short.
  void discard_recording();
  Status join_lanes();

  int id_;
  std::atomic<bool> dead_ = false;
  std::mutex first_failure_mutex_;
  std::string first_failure_;       // of the first failure
  cudaStream_t stream_ = nullptr;   // also the first plane's lane: the others leave from it and come back
  cudaStream_t current_ = nullptr;  // stream_ or a lane
  struct Lane {
    cudaStream_t stream = nullptr;
    Event end;
    bool used = false;
  };
  std::array<Lane, 2> lanes_;  // planes 1 and 2
  Event fork_;
  bool forked_ = false;
  cudaStream_t up_ = nullptr;
  cudaStream_t down_ = nullptr;
  cudaDeviceProp properties_{};

  int frames_in_flight_ = 1;
  bool one_spins_ = false;
  struct Mark {
    Stage stage = Stage::kColour;
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  std::vector<Mark> marks_;
  size_t first_mark_ = 0, next_mark_ = 0;
  StageTimes* times_ = nullptr;

  bool recording_ = false, repeating_ = false;
  FrameCalls calls_;  // of the frame that is recorded or repeated
  FrameGraphs frames_;
  FrameGraphs::Work deferred_;
};

/// Puts the GPU's clock around what stream() is given in a scope.
class StageMark {
 public:
  StageMark(Device& device, Stage stage) : device_(device) { device_.mark_begin(stage); }
  ~StageMark() { device_.mark_end(); }
  StageMark(const StageMark&) = delete;
  StageMark& operator=(const StageMark&) = delete;

 private:
  Device& device_;
};

/// Device memory of the backend's own.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() {
    if (data_ != nullptr) cudaFree(data_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  Status allocate(Device& device, size_t count) {
    CTV_CUDA_TRY(device, cudaMalloc(reinterpret_cast<void**>(&data_), (count == 0 ? 1 : count) * sizeof(T)));
    size_ = count;
    return {};
  }
  /// At least so many; CUDA waits for work on the old ones.
  Status reserve(Device& device, size_t count) {
    if (data_ != nullptr && count <= size_) return {};
    if (data_ != nullptr) CTV_CUDA_TRY(device, cudaFree(std::exchange(data_, nullptr)));
    return allocate(device, count);
  }
  T* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

/// Host memory that the device copies to and from by itself.
template <typename T>
class PinnedArray {
 public:
  PinnedArray() = default;
  ~PinnedArray() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  Status allocate(Device& device, size_t count) {
    CTV_CUDA_TRY(device,
                 cudaMallocHost(reinterpret_cast<void**>(&data_), (count == 0 ? 1 : count) * sizeof(T)));
    size_ = count;
    return {};
  }
  /// At least so many; CUDA waits for copies from and to the old ones.
  Status reserve(Device& device, size_t count) {
    if (data_ != nullptr && count <= size_) return {};
    if (data_ != nullptr) CTV_CUDA_TRY(device, cudaFreeHost(std::exchange(data_, nullptr)));
    return allocate(device, count);
  }
  T* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

/// Blocks that cover n elements.
inline unsigned blocks_for(int n, int each) { return static_cast<unsigned>((n + each - 1) / each); }

}  // namespace ctv::cuda

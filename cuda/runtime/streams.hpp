// SPDX-License-Identifier: BSD-3-Clause
// CUDA's events and streams as objects, and the streams of a device.
#pragma once

#include <array>

#include "cuda/runtime/context.hpp"

namespace ctv::cuda {

/// A CUDA event that is destroyed with its owner.
class Event {
 public:
  Event() = default;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Status create(Context& context, unsigned flags) {
    CTV_CUDA_TRY(context, cudaEventCreateWithFlags(&event_, flags));
    return {};
  }
  cudaEvent_t get() const { return event_; }
  /// Waits, whatever comes of it, also for one that was not made. For destructors: an error that stays behind
  /// would be taken for that of the thread's next launch, whichever stream's it is.
  void settle() const {
    if (event_ != nullptr && cudaEventSynchronize(event_) != cudaSuccess) cudaGetLastError();
  }

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
  Status create(Context& context, int priority) {
    CTV_CUDA_TRY(context, cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
    return {};
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// One stream takes the kernels in the order of the backend's calls. Lanes leave from it for work of planes
/// 1 and 2 alone, or beside all planes, and come back (CudaTuning::lanes); plane 0 stays. One more has the
/// events of a recorded frame. Two streams copy beside the kernels.
class Streams {
 public:
  explicit Streams(Context& context) : context_(context) {}
  ~Streams();  // waits for all work
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  Status open();

  /// That of the calls, or the plane's lane.
  cudaStream_t current() const { return current_; }
  cudaStream_t kernels() const { return kernels_.get(); }
  cudaStream_t up() const { return up_.get(); }
  cudaStream_t down() const { return down_.get(); }

  /// See Device.
  Status on_plane(int plane);
  Status beside_planes(bool after_planes);
  Status fork();
  /// Work that follows waits for the lanes of planes; what current() is given for the one beside them.
  Status join();
  Status wait_beside();
  /// A stream that waits for what current() was given, for an event of a recorded frame. In the order of the
  /// kernels the next one would wait for the event's node.
  Result<cudaStream_t> mark();
  /// Both, and waits for marks.
  Status finish();
  /// Leaves the lanes without waiting: their work was recorded, and the recording is given up.
  void abandon_lanes();

 private:
  struct Lane {
    Stream stream;
    Event end;
    bool used = false;
  };

  Status come_back(Lane& lane);

  Context& context_;
  Stream kernels_, up_, down_;
  cudaStream_t current_ = nullptr;  // kernels_ or a lane
  std::array<Lane, 3> lanes_;       // planes 1 and 2, and beside all planes
  Lane marks_;                      // events of a recorded frame
  Event fork_;
  bool forked_ = false;
};

}  // namespace ctv::cuda

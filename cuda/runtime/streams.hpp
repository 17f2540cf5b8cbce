// SPDX-License-Identifier: BSD-3-Clause
// CUDA events and streams as objects, and the streams of a device.
#pragma once

#include <array>

#include "cuda/runtime/context.hpp"

namespace ctv::cuda {

/// A CUDA event, destroyed with its owner.
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
  /// Waits and ignores errors, also for an event that was not created. For destructors: a remaining error
  /// would be attributed to the thread's next launch, in any stream.
  void settle() const {
    if (event_ != nullptr && cudaEventSynchronize(event_) != cudaSuccess) cudaGetLastError();
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A CUDA stream, destroyed with its owner.
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

/// The main stream runs kernels in the order of the backend's calls. Lanes fork from it for work on plane 1
/// or 2, or parallel to all planes, and join it again (CudaTuning::lanes); plane 0 stays in it. Another
/// stream has the events of a recorded frame, and two streams copy in parallel to the kernels.
class Streams {
 public:
  explicit Streams(Context& context) : context_(context) {}
  ~Streams();  // waits for all work
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  Status open();

  /// The main stream, or the plane's lane.
  cudaStream_t current() const { return current_; }
  cudaStream_t kernels() const { return kernels_.get(); }
  cudaStream_t up() const { return up_.get(); }
  cudaStream_t down() const { return down_.get(); }

  /// See Device.
  Status on_plane(int plane);
  Status beside_planes();
  Status fork();
  /// join(): later work waits for the lanes of planes. wait_beside(): later work in current() waits for the
  /// lane parallel to them.
  Status join();
  Status wait_beside();
  /// Returns a stream that waits for the work queued in current(), for an event of a recorded frame. In the
  /// main stream, the next kernel would wait for the event's node.
  Result<cudaStream_t> mark();
  /// Joins all lanes, and waits for marks.
  Status finish();
  /// Leaves the lanes without waiting, when their recorded work is dropped.
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
  cudaStream_t current_ = nullptr;  // main stream or a lane
  std::array<Lane, 3> lanes_;       // planes 1 and 2, and parallel to all planes
  Lane marks_;                      // events of a recorded frame
  Event fork_;
  bool forked_ = false;
};

}  // namespace ctv::cuda

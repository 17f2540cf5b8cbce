// SPDX-License-Identifier: BSD-3-Clause
// One GPU as used by the backend: its context, streams, clock and recorder of frames.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "codec/backend/frame_calls.hpp"
#include "cuda/runtime/frame_recorder.hpp"
#include "cuda/runtime/memory.hpp"
#include "cuda/runtime/stage_clock.hpp"
#include "cuda/runtime/streams.hpp"
#include "cuda/runtime/tuning.hpp"

namespace ctv::cuda {

/// Used by one thread at a time, except for Context's functions for any thread.
class Device : public Context {
 public:
  static Result<std::shared_ptr<Device>> open(int id);

  /// The stream of all kernels, in the order of the backend's calls. Between two calls of on_plane(), the
  /// plane's stream.
  cudaStream_t stream() const { return streams_.current(); }
  /// The stream of copies from pinned memory, parallel to the kernels; down(): to pinned memory.
  cudaStream_t up() const { return streams_.up(); }
  cudaStream_t down() const { return streams_.down(); }
  /// Begins work on plane 0, 1 or 2 only. -1: begins work that waits for that of all planes, and after
  /// wait_beside() also for that of beside_planes().
  Status on_plane(int plane) { return streams_.on_plane(plane); }
  /// Begins work parallel to that of the planes. It waits for the last fork() and, if `after_planes`, for
  /// earlier work on planes 1 and 2.
  Status beside_planes() { return streams_.beside_planes(); }
  /// Lanes used for the first time after this wait for the work queued in stream() of plane 0.
  Status fork() { return streams_.fork(); }
  Status wait_beside() { return streams_.wait_beside(); }
  /// Waits for all work of the three streams.
  Status synchronize();

  StageClock& clock() { return clock_; }

  void begin_stream(int frames_in_flight) {
    recorder_.forget();
    frames_in_flight_ = frames_in_flight;
    one_spins_ = false;
  }
  /// Flags of an event that a thread waits for. With one frame in flight the thread spins, which is fastest.
  /// With more, only waits for the stream's first object spin; the others sleep, because entropy coding needs
  /// the cores.
  unsigned waiting_flags() {
    const bool spins = single_frame() || !std::exchange(one_spins_, true);
    return cudaEventDisableTiming | (spins ? 0U : cudaEventBlockingSync);
  }

  /// Priority of entropy coding kernels. With one frame in flight the packet waits for them; with more,
  /// frames wait for each other's stages.
  int coding_priority() const { return single_frame() ? first_priority() : last_priority(); }
  bool single_frame() const { return frames_in_flight_ == 1; }

  /// Whether kernels may be placed while the previous one still runs (launch.cuh). This requires code for
  /// compute capability 9.0 or later; `kernel` may be any kernel.
  bool overlaps(const void* kernel);

  /// Records the calls of a frame as a graph that end_frame() launches, unless stages are timed (see
  /// CudaTuning). True: the graph of an equal frame is cached, and end_frame() launches it.
  Result<bool> begin_frame(const FrameCalls& calls);
  Status end_frame() { return recorder_.end(); }
  bool records_frame() const { return recorder_.recording(); }
  Status record(const Event& event) { return recorder_.record(event); }
  Status record(const Event& event, cudaStream_t stream) { return recorder_.record(event, stream); }
  Status wait(const Event& event) { return recorder_.wait(event); }
  /// Makes later work of `after` wait for that of `before`, also while a frame is recorded, of which both are
  /// then streams.
  Status order(const Event& event, cudaStream_t before, cudaStream_t after);
  Status afterwards(std::function<Status()> work) { return recorder_.afterwards(std::move(work)); }

 private:
  explicit Device(int id) : Context(id) {}

  Streams streams_{*this};
  StageClock clock_{*this};
  FrameRecorder recorder_{*this, streams_};
  int frames_in_flight_ = 1;
  bool one_spins_ = false;
  std::optional<bool> overlaps_;
};

/// Measures the GPU time of the work queued in stream() in a scope; not while a frame is recorded.
class StageMark {
 public:
  StageMark(Device& device, Stage stage) : device_(device) {
    if (!device_.records_frame()) device_.clock().begin(stage, device_.stream());
  }
  ~StageMark() {
    if (!device_.records_frame()) device_.clock().end(device_.stream());
  }
  StageMark(const StageMark&) = delete;
  StageMark& operator=(const StageMark&) = delete;

 private:
  Device& device_;
};

/// Number of blocks that cover n elements.
inline unsigned blocks_for(int n, int each) { return static_cast<unsigned>((n + each - 1) / each); }

}  // namespace ctv::cuda

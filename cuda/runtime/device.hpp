// SPDX-License-Identifier: BSD-3-Clause
// One GPU as the backend sees it: its context, streams, clock and recorder of frames.
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

/// Used by one thread at a time, but for what its context allows.
class Device : public Context {
 public:
  static Result<std::shared_ptr<Device>> open(int id);

  /// All kernels, in the order of the backend's calls; between two calls of on_plane(), the plane's own.
  cudaStream_t stream() const { return streams_.current(); }
  /// Copies from and to pinned memory, beside the kernels.
  cudaStream_t up() const { return streams_.up(); }
  cudaStream_t down() const { return streams_.down(); }
  /// Work of plane 0, 1 or 2 alone follows; -1: work that waits for that of planes, and after wait_beside()
  /// also for the other.
  Status on_plane(int plane) { return streams_.on_plane(plane); }
  /// Work beside that of the planes follows. It waits for the last fork(), and for what planes 1 and 2 were
  /// given if `after_planes`.
  Status beside_planes(bool after_planes) { return streams_.beside_planes(after_planes); }
  /// Lanes that are first used from now on wait for what stream() of plane 0 was given.
  Status fork() { return streams_.fork(); }
  Status wait_beside() { return streams_.wait_beside(); }
  /// Waits for all work of the three streams.
  Status synchronize();

  StageClock& clock() { return clock_; }

  /// See Backend.
  void begin_stream(int frames_in_flight) {
    recorder_.forget();
    frames_in_flight_ = frames_in_flight;
    one_spins_ = false;
  }
  /// Flags of an event that a thread waits for. With one frame in flight the thread spins, which is fastest.
  /// With more, only waits for the stream's first object spin; the others sleep, since entropy coding needs
  /// the cores.
  unsigned waiting_flags() {
    const bool spins = alone() || !std::exchange(one_spins_, true);
    return cudaEventDisableTiming | (spins ? 0U : cudaEventBlockingSync);
  }

  /// Of the entropy coding's kernels. With one frame in flight its packet waits for them; with more, frames
  /// wait for each other's stages.
  int coding_priority() const { return alone() ? first_priority() : last_priority(); }
  /// Whether one frame is in flight.
  bool alone() const { return frames_in_flight_ == 1; }

  /// Whether kernels may be placed while the one before still runs (launch.cuh), as `kernel`, any of them,
  /// tells: the code that runs must be of compute capability 9.0 or later.
  bool overlaps(const void* kernel);

  /// Records the calls of a frame as a graph and launches it at the end, unless stages are timed (see
  /// CudaTuning). True: the graph of an equal frame is kept, and end_frame() launches it.
  Result<bool> begin_frame(const FrameCalls& calls);
  Status end_frame() { return recorder_.end(); }
  bool records_frame() const { return recorder_.recording(); }
  /// See FrameRecorder.
  Status record(const Event& event) { return recorder_.record(event); }
  Status wait(const Event& event) { return recorder_.wait(event); }
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

/// Puts the GPU's clock around what stream() is given in a scope; not while a frame is recorded.
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

/// Blocks that cover n elements.
inline unsigned blocks_for(int n, int each) { return static_cast<unsigned>((n + each - 1) / each); }

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// The calls of a frame as a graph: recorded from the work queued in the streams, and launched at the end.
#pragma once

#include <functional>

#include "cuda/runtime/frame_graphs.hpp"
#include "cuda/runtime/streams.hpp"

namespace ctv::cuda {

class FrameRecorder {
 public:
  FrameRecorder(Context& context, Streams& streams) : context_(context), streams_(streams) {}
  ~FrameRecorder() { discard(); }
  FrameRecorder(const FrameRecorder&) = delete;
  FrameRecorder& operator=(const FrameRecorder&) = delete;

  /// Records the calls that follow if `graphs`; otherwise they reach the streams at once. True: the graph of
  /// an equal frame is cached, and end() launches it. at_once: a frame without an equal predecessor is not
  /// recorded, because the device would wait for the whole recording.
  Result<bool> begin(const FrameCalls& calls, bool graphs, bool at_once);
  Status end();
  bool recording() const { return recording_; }
  /// Drops a recording that an error has interrupted.
  void discard();
  /// discard(), and drops all cached graphs.
  void forget() {
    discard();
    graphs_.forget();
  }

  /// Record an event in the current stream, or make it wait for one; while a frame is recorded, as nodes of
  /// its graph. But with several frames in flight the whole graph waits: the event has usually happened, and
  /// a node that waits takes time.
  Status record(const Event& event);
  /// The same in another stream of the frame.
  Status record(const Event& event, cudaStream_t stream);
  Status wait(const Event& event);
  /// Work on other streams that must be queued after the current stream's work: at once, or after the launch
  /// of the graph.
  Status afterwards(std::function<Status()> work);

 private:
  Context& context_;
  Streams& streams_;
  bool recording_ = false, repeating_ = false;
  bool at_once_ = false;
  FrameCalls calls_;  // of the recorded or repeated frame
  FrameGraphs graphs_;
  FrameGraphs::Around around_;  // calls around the recorded graph
};

}  // namespace ctv::cuda

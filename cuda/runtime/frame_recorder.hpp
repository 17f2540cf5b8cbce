// SPDX-License-Identifier: BSD-3-Clause
// The calls of a frame as a graph: recorded from what the streams are given, and launched at the end.
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

  /// Records what follows, if `graphs`; otherwise the streams get it at once. True: the graph of an equal
  /// frame is kept, and end() launches it. at_once: what comes for the first time is not recorded, because
  /// the device would wait for the whole recording.
  Result<bool> begin(const FrameCalls& calls, bool graphs, bool at_once);
  Status end();
  bool recording() const { return recording_; }
  /// Gives up a recording that an error has cut short.
  void discard();
  /// The same, and equal frames are new ones from now on.
  void forget() {
    discard();
    graphs_.forget();
  }

  /// The current stream reaches the event, and waits for it; while a frame is recorded, as nodes of its
  /// graph. But with more frames in flight all of the graph waits: what is waited for is there as a rule, and
  /// a node that waits takes time.
  Status record(const Event& event);
  Status wait(const Event& event);
  /// Work on other streams that must be issued after what the current one was given: at once, or after the
  /// graph's launch.
  Status afterwards(std::function<Status()> work);

 private:
  Context& context_;
  Streams& streams_;
  bool recording_ = false, repeating_ = false;
  bool at_once_ = false;
  FrameCalls calls_;  // of the frame that is recorded or repeated
  FrameGraphs graphs_;
  FrameGraphs::Around around_;  // the graph that is recorded
};

}  // namespace ctv::cuda

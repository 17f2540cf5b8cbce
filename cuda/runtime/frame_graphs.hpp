// SPDX-License-Identifier: BSD-3-Clause
// Frames as executable graphs. A frame whose calls came before is launched again as it was, without being
// recorded; for that it gets an executable of its own when it comes for the second time, so that frames that
// never come again cost none. The others share one executable of their type, whose arguments are updated. So
// do those for which there is no room, since to make an executable takes longer than to update one.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <functional>
#include <vector>

#include "codec/backend/frame_calls.hpp"
#include "codec/util/status.hpp"

namespace ctv::cuda {

class Context;

class FrameGraphs {
 public:
  /// Host calls around a launch: the stream waits for events before it, and work follows it.
  struct Around {
    std::vector<cudaEvent_t> waits;
    std::vector<std::function<Status()>> work;
  };

  FrameGraphs() = default;
  ~FrameGraphs() { forget(); }
  FrameGraphs(const FrameGraphs&) = delete;
  FrameGraphs& operator=(const FrameGraphs&) = delete;

  /// Drops everything that was kept, with the addresses in it.
  void forget();
  /// Whether repeat() can be called for the frame.
  bool has(const FrameCalls& calls) const;
  /// Whether the frame has come before; it has, from now on.
  bool came_before(const FrameCalls& calls) { return calls.repeatable && seen(calls) != nullptr; }
  /// Launches the frame on `stream` as it was kept, with what is around.
  Status repeat(Context& context, const FrameCalls& calls, cudaStream_t stream);
  /// Launches a recorded frame, with what is around; may keep both.
  Status run(Context& context, const FrameCalls& calls, cudaGraph_t graph, Around& around,
             cudaStream_t stream);

 private:
  // As many executables as 16 frames in flight of two types need with both references. One that has not been
  // used for kSeen frames makes room.
  static constexpr size_t kKept = 64;
  static constexpr size_t kSeen = 256;
  struct Kept {
    FrameCalls calls;
    uint64_t used = 0;                     // number of the last such frame
    cudaGraphExec_t executable = nullptr;  // once it has come twice
    Around around;
  };
  const Kept* find(const FrameCalls& calls) const;
  /// The entry of the frame if it has come before; otherwise makes one and returns null.
  Kept* seen(const FrameCalls& calls);
  bool make_room();
  Status update(Context& context, cudaGraphExec_t& executable, cudaGraph_t graph);

  std::vector<Kept> kept_;
  uint64_t frames_ = 0;
  std::array<cudaGraphExec_t, 2> shared_{};  // of key frames and of predicted ones
};

}  // namespace ctv::cuda

// SPDX-License-Identifier: BSD-3-Clause
// Frames as executable graphs. A frame equal to an earlier one is launched again without being recorded. It
// gets its own executable when it comes for the second time, so that unique frames cost none. All other
// frames share one executable per type, whose arguments are updated; so do frames beyond the limit of
// executables, because making an executable takes longer than updating one.
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
  /// Host calls around a launch: events for the stream to wait for, and work that follows.
  struct Around {
    std::vector<cudaEvent_t> waits;
    std::vector<std::function<Status()>> work;
  };

  FrameGraphs() = default;
  ~FrameGraphs() { forget(); }
  FrameGraphs(const FrameGraphs&) = delete;
  FrameGraphs& operator=(const FrameGraphs&) = delete;

  /// Drops all cached graphs, with the addresses in them.
  void forget();
  /// Whether the frame is cached, so that repeat() may be called.
  bool has(const FrameCalls& calls) const;
  /// Whether an equal frame has come before. Records this one.
  bool came_before(const FrameCalls& calls) { return calls.repeatable && seen(calls) != nullptr; }
  /// Launches the cached frame on `stream`, with the calls around it.
  Status repeat(Context& context, const FrameCalls& calls, cudaStream_t stream);
  /// Launches a recorded frame, with the calls around it; may cache both.
  Status run(Context& context, const FrameCalls& calls, cudaGraph_t graph, Around& around,
             cudaStream_t stream);

 private:
  // Two executables, for both references, of two types of 16 frames in flight. An executable that has not
  // been used for kSeen frames is evicted.
  static constexpr size_t kKept = 64;
  static constexpr size_t kSeen = 256;
  struct Kept {
    FrameCalls calls;
    uint64_t used = 0;                     // number of the last frame that used it
    cudaGraphExec_t executable = nullptr;  // exists after the second equal frame
    Around around;
  };
  const Kept* find(const FrameCalls& calls) const;
  /// Returns the entry of the frame if an equal one has come before; otherwise makes one and returns null.
  Kept* seen(const FrameCalls& calls);
  bool make_room();
  Status update(Context& context, cudaGraphExec_t& executable, cudaGraph_t graph);

  std::vector<Kept> kept_;
  uint64_t frames_ = 0;
  std::array<cudaGraphExec_t, 2> shared_{};  // for key frames and for predicted frames
};

}  // namespace ctv::cuda

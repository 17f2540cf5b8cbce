// SPDX-License-Identifier: BSD-3-Clause
// A coded frame in host memory: the interface between a backend's arithmetic and the entropy coder.
#pragma once

#include <array>
#include <span>

#include "codec/format/frame_parameters.hpp"
#include "codec/format/side_info.hpp"
#include "codec/model/run_ranges.hpp"
#include "codec/model/tile_sets.hpp"
#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

inline constexpr size_t kMostPlanes = 3;

/// Decodes components where their levels are wanted, on a device. One frame: start(), room() for each
/// component, put() for those that are sound, by any threads, then send(), run() when skips are known,
/// wait(). What needs no skips begins with send(). wait() may follow it at once: the frame is given up.
class ComponentReceiver {
 public:
  virtual ~ComponentReceiver() = default;
  /// bytes: of all that put() will get together, at most.
  virtual Status start(bool key, size_t bytes) = 0;
  /// Where the `bytes` of a component must be before put(). Null: put() copies what it needs.
  virtual uint8_t* room(size_t component, size_t bytes) {
    (void)component, (void)bytes;
    return nullptr;
  }
  /// component: number in the packet. pieces: with offsets in `bytes`; none with entropy coding by runs.
  /// Neither need stay. predicted: lowpass levels are errors of their prediction. False: damaged.
  virtual bool put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
                   bool predicted) = 0;
  virtual Status send() = 0;
  /// skips: those in the frame's buffers are contexts. Components that were not put are 0.
  virtual Status run(bool skips) = 0;
  virtual Status wait() = 0;
  /// After wait().
  virtual bool sound(size_t component) const = 0;
};

/// A frame that an entropy encoder reads.
struct CodedFrame {
  FrameParameters parameters;
  ConstSideInfo side;
  std::array<const Level*, 3> levels{};  // per plane, in the order of its SubbandLayout
  // By component, or empty: what is coded already. A component of tiles without pieces is not.
  std::span<const CodedTiles> tiles;
  std::span<const CodedRuns> runs;
  /// Whether a component is, by its number.
  bool is_coded(size_t component) const {
    return component < runs.size() || (component < tiles.size() && !tiles[component].pieces.empty());
  }
};

/// Buffers that an entropy decoder fills. Also readable as a frame.
struct CodedFrameBuffers {
  FrameParameters parameters;
  SideInfo side;
  std::array<Level*, 3> levels{};
  ComponentReceiver* receiver = nullptr;  // takes all components; then levels are not written
  operator CodedFrame() const {           // NOLINT(*-explicit-*)
    CodedFrame frame;
    frame.parameters = parameters;
    frame.side = side;
    for (size_t p = 0; p < levels.size(); ++p) frame.levels[p] = levels[p];
    return frame;
  }
};

}  // namespace ctv

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

/// Decodes components directly into a device's memory. Call per frame: start(); room() and put() for each
/// sound component, from any threads; send(); run() once skips are known; wait(). send() starts the work that
/// needs no skips. To give up a frame, call wait() right after send().
class ComponentReceiver {
 public:
  virtual ~ComponentReceiver() = default;
  /// bytes: upper bound of the bytes of all components together.
  virtual Status start(bool key, size_t bytes) = 0;
  /// Returns where the `bytes` of a component must be stored before put(). Null: put() copies them.
  virtual uint8_t* room(size_t component, size_t bytes) {
    (void)component, (void)bytes;
    return nullptr;
  }
  /// component: its number in the packet. pieces: with offsets into `bytes`; none with entropy coding by
  /// runs. put() keeps neither span. In a predicted frame of macroblocks, components are regions and pieces
  /// count macroblocks instead of tiles. predicted: lowpass levels are prediction errors. Returns false if
  /// damaged.
  virtual bool put(size_t component, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces,
                   bool predicted) = 0;
  virtual Status send() = 0;
  /// skips: use the skips in the frame's buffers as contexts. Components without put() decode as 0.
  virtual Status run(bool skips) = 0;
  virtual Status wait() = 0;
  /// Valid after wait().
  virtual bool sound(size_t component) const = 0;
};

/// A frame that an entropy encoder reads.
struct CodedFrame {
  FrameParameters parameters;
  ConstSideInfo side;
  std::array<const Level*, 3> levels{};  // per plane, in the order of its SubbandLayout
  // Components that are already coded, by number; may be empty. A component of tiles without pieces is not
  // coded yet. In a frame of macroblocks, tiles[0] is the residual.
  std::span<const CodedTiles> tiles;
  std::span<const CodedRuns> runs;
  /// Whether the component with this number is already coded.
  bool is_coded(size_t component) const {
    return component < runs.size() || (component < tiles.size() && !tiles[component].pieces.empty());
  }
};

/// Buffers that an entropy decoder fills. Converts to CodedFrame for reading.
struct CodedFrameBuffers {
  FrameParameters parameters;
  SideInfo side;
  std::array<Level*, 3> levels{};
  ComponentReceiver* receiver = nullptr;  // gets all components instead of `levels`
  operator CodedFrame() const {           // NOLINT(*-explicit-*)
    CodedFrame frame;
    frame.parameters = parameters;
    frame.side = side;
    for (size_t p = 0; p < levels.size(); ++p) frame.levels[p] = levels[p];
    return frame;
  }
};

}  // namespace ctv

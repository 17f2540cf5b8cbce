// SPDX-License-Identifier: BSD-3-Clause
// Codes a frame's levels and vectors into the bytes of a packet and back: tasks of components, those of the
// largest first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/slope_map.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/picture_layout.hpp"

namespace ctv {

/// Owns all scratch memory; nothing is allocated per frame once packets have reached their usual size.
class SymbolCoder {
 public:
  SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid,
              int threads);

  int threads() const { return threads_; }
  /// Gives up what was encoded ahead, but for the motion if the next frame has the same.
  void begin(bool same_motion);
  /// Encode parts of a frame ahead of encode(), which leaves them as they are: slices of a predicted frame's
  /// motion that need its vectors and skips alone; then the others, and the components that are chosen.
  void encode_motion(const CodedFrame& frame);
  void encode_components(const CodedFrame& frame, const std::function<bool(size_t)>& chosen);
  /// Writes the packet unit of a frame. Under subband prediction its levels are residuals.
  void encode(const CodedFrame& frame, std::vector<uint8_t>& packet);

  /// Reads the packet header. The unit may be truncated behind the vectors.
  Status read_header(std::span<const uint8_t> unit);
  /// Decodes vectors and the first `layers` layers of the unit whose header was read last into the frame's
  /// memory.
  Status decode(std::span<const uint8_t> unit, int layers, const CodedFrameBuffers& frame,
                const PartLoss& loss = {});
  /// Components that the last decode() did without.
  int missing() const { return payloads_.missing; }
  const PacketHeader& header() const { return header_; }
  const std::vector<Component>& components() const { return components_; }

 private:
  struct Part {
    std::unique_ptr<ComponentCoder> coder;
    Growing<uint8_t> bytes;  // encoded
    size_t size = 0;         // bytes; an estimate before the first frame
    size_t tasks = 0;
    bool coded = false;  // ahead of encode()
    bool sound = false;  // decoded without error
  };
  struct Task {
    size_t part, task;  // of the part
  };
  size_t parts_of(const CodedFrame& frame) const;
  void join_slices();
  /// Appends the slices of the side payload. False if their sizes exceed it.
  bool find_slices(std::vector<std::span<const uint8_t>>& payloads);
  /// The first `count` components that the frame's receiver takes, if it has one.
  Status send_components(size_t count, const CodedFrameBuffers& frame);
  Status decode_components(size_t count, const CodedFrameBuffers& frame, bool skips);
  /// How many are worth waking to copy so much.
  int threads_for(size_t bytes) const;
  template <typename Work>
  void for_all(int threads, size_t count, Work work);
  template <typename Choose, typename Start, typename Finish>
  void for_parts(size_t first, size_t end, Choose choose, Start start, Finish finish);
  template <typename Choose>
  void encode_parts(const CodedFrame& frame, size_t first, size_t end, Choose choose);

  PictureLayout picture_;
  int threads_;
  std::vector<Component> components_;
  int stream_slots_;
  bool skips_;       // predicted frames have skips
  SlopeMap slopes_;  // of key frames
  Growing<uint8_t> slope_bytes_;
  size_t slices_;                 // of the motion
  size_t filter_slices_;          // the first of them, which say where the loop filter is on
  std::vector<Part> parts_;       // one per component, then one per slice
  std::vector<size_t> selected_;  // parts that a frame needs, the largest first
  std::vector<Task> tasks_;       // of these
  Payloads payloads_;
  std::vector<uint8_t> side_;  // payload of the slices, or of the slopes
  std::vector<uint32_t> slice_sizes_;
  PacketHeader header_;
};

}  // namespace ctv

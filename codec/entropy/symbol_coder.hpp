// SPDX-License-Identifier: BSD-3-Clause
// Codes a frame's levels and vectors into the bytes of a packet and back: tasks of components, those of the
// largest first.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/motion_slices.hpp"
#include "codec/entropy/motion_walk.hpp"
#include "codec/entropy/slope_map.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

/// Owns all scratch memory; nothing is allocated per frame once packets have reached their usual size.
class SymbolCoder {
 public:
  SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid,
              int threads);

  int threads() const { return threads_; }
  /// Gives up what was encoded ahead, but for the motion if the next frame has the same.
  void begin(bool same_motion);
  /// Encode parts of a frame ahead of encode(), which leaves them as they are: a predicted frame's motion,
  /// but for what needs more than its vectors and skips; then that, and the components that are chosen.
  void encode_motion(const CodedFrame& frame);
  void encode_components(const CodedFrame& frame, const std::function<bool(size_t)>& chosen);
  /// Writes the packet unit of a frame. Under subband prediction its levels are residuals.
  void encode(const CodedFrame& frame, std::vector<uint8_t>& packet);

  /// Reads the packet header. The unit may be truncated behind the vectors.
  Status read_header(std::span<const uint8_t> unit);
  /// Decodes vectors and the first `layers` layers of the unit whose header was read last into the frame's
  /// memory. With a receiver components may be on their way after that, until finish_decoding().
  Status decode(std::span<const uint8_t> unit, int layers, const CodedFrameBuffers& frame,
                const PartLoss& loss = {});
  /// Waits for the receiver of the last decode(), if any. Error: what it took is damaged.
  Status finish_decoding();
  /// Components that the last decode() did without.
  int missing() const { return payloads_.missing; }
  const PacketHeader& header() const { return header_; }
  const std::vector<Component>& components() const { return components_; }

 private:
  struct Part {
    std::unique_ptr<ComponentCoder> coder;
    Growing<uint8_t> bytes;  // encoded
    size_t size = 0;         // bytes
    size_t work = 0;         // estimate, to begin with the longest; of slices not in bytes
    size_t tasks = 0;
    bool begun = false;          // ahead of encode(): all but what finish_encoding() adds
    bool coded = false;          // the same, with that
    bool sound = false;          // decoded without error
    std::atomic<int> start = 0;  // of a slice that is decoded beside a receiver: SliceStart::State
    uint8_t* room = nullptr;     // of a component: ComponentReceiver::room()
  };
  struct Task {
    size_t part, task;  // of the part
  };
  /// Components, and with a predicted frame its slices, which are chosen once.
  size_t parts_of(const CodedFrame& frame);
  void take_slices();
  void join_slices();
  /// Appends the slices of the side payload. False if their sizes exceed it.
  bool find_slices(std::vector<std::span<const uint8_t>>& payloads);
  /// The parts first .. end - 1 that are chosen to selected_, the longest first.
  template <typename Choose>
  void select(size_t first, size_t end, Choose choose);
  /// Starts the receiver with the components, the longest first, in shares.
  Status start_components(bool key);
  /// Copies and checks it; the last share of a component gives that to the receiver.
  void give_share(size_t share);
  /// Decodes splits and skips of slices; where there is a receiver, gives it the components and decodes
  /// vectors too.
  Status start_slices(const CodedFrameBuffers& frame);
  Status damaged(const std::string& what, std::span<const uint8_t> bytes) const;
  /// Error: one of the parts first .. end - 1 is damaged.
  Status check_parts(size_t first, size_t end) const;
  /// How many are worth waking to copy so much.
  int threads_for(size_t bytes) const;
  template <typename Choose, typename Takes, typename Start, typename Finish>
  void for_parts(size_t first, size_t end, Choose choose, Takes takes_time, Start start, Finish finish);
  template <typename Choose>
  void encode_parts(const CodedFrame& frame, size_t first, size_t end, Choose choose);

  PictureLayout picture_;
  int threads_;
  std::vector<Component> components_;
  int stream_slots_;
  bool skips_;       // predicted frames have skips
  SlopeMap slopes_;  // of key frames
  Growing<uint8_t> slope_bytes_;
  MotionSlices slices_;
  bool sliced_ = false;               // for the frame that is encoded
  CountedVector<MotionLeaf> leaves_;  // of all slices
  CountedVector<Part> parts_;         // one per component, then one per slice that there may be
  std::vector<size_t> selected_;      // parts that a frame needs, the largest first
  CountedVector<Task> tasks_;         // of these
  Payloads payloads_;
  std::vector<PacketPart> payload_parts_;  // encoded
  const uint8_t* unit_ = nullptr;          // that is decoded
  size_t decoded_ = 0;                     // components of it
  ComponentReceiver* receiver_ = nullptr;  // of its frame
  std::vector<uint8_t> side_;              // payload of the slices, or of the slopes
  std::vector<uint32_t> slice_sizes_;
  PacketHeader header_;
};

}  // namespace ctv

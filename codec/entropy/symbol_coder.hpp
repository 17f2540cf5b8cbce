// SPDX-License-Identifier: BSD-3-Clause
// Codes a frame's levels and vectors to the bytes of a packet and back, in tasks of components, largest
// first.
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
#include "codec/entropy/residual_decoder.hpp"
#include "codec/entropy/residual_encoder.hpp"
#include "codec/entropy/slope_map.hpp"
#include "codec/format/components.hpp"
#include "codec/format/headers.hpp"
#include "codec/format/motion_grid.hpp"
#include "codec/format/packet.hpp"
#include "codec/format/picture_layout.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {

/// Owns all scratch memory. Allocates nothing per frame once packets have reached their usual size.
class SymbolCoder {
 public:
  /// resilient: the encoder divides predicted frames into several regions (ResidualEncoder).
  SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid, int threads,
              bool resilient = false);

  int threads() const { return threads_; }
  /// Discards what was encoded ahead, except the motion if the next frame has the same.
  void begin(bool same_motion);
  /// Optional early encoding of a predicted frame; encode() keeps the results. encode_motion(): all of the
  /// motion that follows from vectors and skips. encode_components(): the rest of the motion, and the chosen
  /// components.
  void encode_motion(const CodedFrame& frame);
  void encode_components(const CodedFrame& frame, const std::function<bool(size_t)>& chosen);
  /// Writes the packet unit of a frame. With subband prediction, its levels are residuals.
  void encode(const CodedFrame& frame, std::vector<uint8_t>& packet);

  /// Reads the packet header. The unit may be truncated after the vectors.
  Status read_header(std::span<const uint8_t> unit);
  /// Decodes vectors and the first `layers` layers of the unit whose header was read last to the frame's
  /// memory. With a receiver, decoding may continue until finish_decoding().
  Status decode(std::span<const uint8_t> unit, int layers, const CodedFrameBuffers& frame,
                const PartLoss& loss = {});
  /// Waits for the receiver of the last decode(), if any. Error: its components are damaged.
  Status finish_decoding();
  /// Number of components that the last decode() lacked.
  int missing() const { return payloads_.missing; }
  const PacketHeader& header() const { return header_; }
  const std::vector<Component>& components() const { return components_; }

 private:
  struct Part {
    std::unique_ptr<ComponentCoder> coder;
    Growing<uint8_t> bytes;  // encoded
    size_t size = 0;         // bytes
    size_t work = 0;         // estimate, to start the longest first; for slices not in bytes
    size_t tasks = 0;
    bool begun = false;          // encoded ahead, except for finish_encoding()
    bool coded = false;          // encoded ahead completely
    bool sound = false;          // decoded without error
    std::atomic<int> start = 0;  // SliceStart::State of a slice that is decoded in parallel to a receiver
    uint8_t* room = nullptr;     // ComponentReceiver::room() of a component
  };
  struct Task {
    size_t part, task;  // task: number in the part
  };
  /// Number of parts: components, and slices of a predicted frame. Chooses slices once per frame.
  size_t parts_of(const CodedFrame& frame);
  /// Components of a frame to be encoded: one part if it has macroblocks.
  size_t encoded_components(const CodedFrame& frame) const {
    return has_regions(frame.parameters.type) ? 1 : components_.size();
  }
  bool has_regions(FrameType type) const { return layout_.regions && type == FrameType::kPredicted; }
  /// Coder of a component or slice of the current frame.
  ComponentCoder& coder(size_t part) {
    if (!regions_used_ || part >= first_slice_) return *parts_[part].coder;
    if (encodes_) return *residual_;
    return *region_coders_[part];
  }
  void take_slices();
  void join_slices();
  void write_regions(FieldWriter& writer);
  void read_regions(FieldReader& reader);
  /// Reads the side payload of a predicted frame and appends its slices. Returns false if their sizes exceed
  /// it.
  bool find_slices(std::vector<std::span<const uint8_t>>& payloads);
  /// Lists the chosen parts among first .. end - 1 in selected_, longest first.
  template <typename Choose>
  void select(size_t first, size_t end, Choose choose);
  /// Starts the receiver with the components, longest first, in shares.
  Status start_components(bool key);
  /// Copies and checks a share. The last share of a component passes it to the receiver.
  void give_share(size_t share);
  /// Decodes splits and skips of slices. With a receiver, also passes it the components and decodes vectors.
  Status start_slices(const CodedFrameBuffers& frame);
  Status damaged(const std::string& what, std::span<const uint8_t> bytes) const;
  /// Returns an error if one of the parts first .. end - 1 is damaged.
  Status check_parts(size_t first, size_t end) const;
  /// Number of threads that are worth waking to copy `bytes` bytes.
  int threads_for(size_t bytes) const;
  template <typename Choose, typename Takes, typename Start, typename Finish>
  void for_parts(size_t first, size_t end, Choose choose, Takes takes_time, Start start, Finish finish);
  template <typename Choose>
  void encode_parts(const CodedFrame& frame, Choose choose);

  PictureLayout picture_;
  int threads_;
  std::vector<Component> components_;
  PacketLayout layout_;
  bool resilient_;
  size_t first_slice_;  // number of the part
  MacroblockGrid macroblocks_;
  MotionGrid grid_;
  bool skips_;       // predicted frames have skips
  SlopeMap slopes_;  // of key frames
  Growing<uint8_t> slope_bytes_;
  MotionSlices slices_;
  bool sliced_ = false;                        // chosen for the frame to be encoded
  CountedVector<MotionLeaf> leaves_;           // of all slices
  CountedVector<Part> parts_;                  // components or regions, then slices from first_slice_ on
  std::unique_ptr<ResidualEncoder> residual_;  // created at first use, like region_coders_
  CountedVector<std::unique_ptr<RegionDecoder>> region_coders_;
  bool regions_used_ = false;  // the frame has regions
  bool encodes_ = false;
  std::vector<size_t> selected_;  // parts of the current step, largest first
  CountedVector<Task> tasks_;     // of the selected parts
  Payloads payloads_;
  std::vector<PacketPart> payload_parts_;  // of the encoded packet
  const uint8_t* unit_ = nullptr;          // to be decoded
  size_t decoded_ = 0;                     // number of its components that are decoded
  ComponentReceiver* receiver_ = nullptr;  // of the decoded frame
  std::vector<uint8_t> side_;              // side payload: slices, or slopes
  std::vector<uint32_t> slice_sizes_;
  PacketHeader header_;
};

}  // namespace ctv

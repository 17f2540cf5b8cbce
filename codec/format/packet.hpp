// SPDX-License-Identifier: BSD-3-Clause
// The packet of a frame: a header, the side payload and the components' payloads. Header and vectors share a
// checksum, and each component that is not empty has its own, so that each part can be verified without the
// others (docs/bitstream.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/format/components.hpp"
#include "codec/format/frame_parameters.hpp"
#include "codec/format/part_shares.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// A predicted frame of macroblocks has this many regions at most, which are its components.
inline constexpr size_t kMostRegions = 64;

/// What a packet's form follows from.
struct PacketLayout {
  size_t components = 0;  // of frames that have layers
  bool regions = false;   // predicted frames have regions instead
  int slots = 1;          // of the sequence header
};

struct PacketHeader {
  FrameParameters frame;
  bool checked = true;  // each component has a check; else the packet's checksum covers all bytes
  uint32_t side_size = 0;
  std::vector<uint32_t> component_sizes;
  std::vector<uint16_t> component_checks;  // 0 where a component is empty
  size_t size = 0;                         // bytes from the start of the unit to the side payload
  size_t unit_size = 0;                    // announced size of the whole packet
};

/// Missing parts of a packet, and how the decoder treats them.
struct PartLoss {
  bool conceal = false;  // take missing or damaged components as empty
  std::span<const uint8_t>
      missing;  // element i: not 0 if part i is missing; parts beyond the end are present
  bool misses(size_t part) const { return part < missing.size() && missing[part] != 0; }
};

uint16_t part_check(std::span<const uint8_t> bytes);

/// Writes unit prefix and packet header for the given sizes and checks of components. seal_packet() follows,
/// once the payload does. regions: of the layout.
void write_packet_header(PacketHeader& header, bool regions, std::vector<uint8_t>& bytes);
/// Writes the checksum of header and vectors, and the check of the frame that a predicted packet refers to.
/// Returns the packet's own check. A packet may be sealed again.
uint16_t seal_packet(std::span<uint8_t> packet, const PacketHeader& header, uint16_t reference_check);
/// `unit` may be shorter than announced, but holds the packet header and the vectors and, if its components
/// have no checks, all bytes. A packet header object is filled in place so that nothing is allocated per
/// frame.
Status read_packet_header(std::span<const uint8_t> unit, const PacketLayout& layout, PacketHeader& header);

/// A component's payload, in two spans.
struct PacketPart {
  PacketPart(std::span<const uint8_t> h = {}, std::span<const uint8_t> r = {})  // NOLINT(*-explicit-*)
      : head(h), rest(r) {}
  size_t size() const { return head.size() + rest.size(); }
  /// Copies its bytes from `begin` on into `to`.
  void copy(size_t begin, std::span<uint8_t> to) const;
  std::span<const uint8_t> head, rest;
};
/// Writes the whole packet. header.frame is given; sizes and checks are filled in. side: empty or slopes in a
/// key frame. parts: one per component. threads: for copies and checks.
void write_packet(std::span<const uint8_t> side, std::span<const PacketPart> parts, bool regions,
                  PacketHeader& header, std::vector<uint8_t>& packet, int threads = 1);

struct Payloads {
  std::span<const uint8_t> side;                     // motion, or slopes of a key frame
  std::vector<std::span<const uint8_t>> components;  // of the requested layers
  std::vector<uint8_t> sound;                        // per component: result of check_payload()
  PartShares shares;  // of these components: the caller calls begin() and add() in their order
  int missing = 0;    // components that were concealed
};
/// Finds the payloads of the first `components` components of a unit whose header was read. Each must be
/// added to `shares`; check_payload() of all shares and settle_payloads() follow.
void find_payloads(std::span<const uint8_t> unit, const PacketHeader& header, size_t components,
                   const PartLoss& loss, Payloads& payloads);
/// Once for each share, by any threads; bytes: of the share, or a copy of them. With the last one of a
/// component it notes whether that is there and its check is right. True if this was the last one and it is.
bool check_payload(const PacketHeader& header, size_t share, std::span<const uint8_t> bytes,
                   Payloads& payloads);
/// Empties components that are not sound if losses are concealed. Otherwise an error: a component is missing
/// or truncated, or its check is wrong.
Status settle_payloads(std::span<const uint8_t> unit, const PacketHeader& header, const PartLoss& loss,
                       Payloads& payloads);

}  // namespace ctv

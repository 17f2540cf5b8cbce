// SPDX-License-Identifier: BSD-3-Clause
// The packet of a frame: a header, the side payload and the components' payloads. Header and vectors share
// a checksum, and each component that is not empty has one, so that a part is known to be sound without the
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

struct PacketHeader {
  FrameParameters frame;
  uint32_t side_size = 0;
  std::vector<uint32_t> component_sizes;
  std::vector<uint16_t> component_checks;  // 0 where a component is empty
  size_t size = 0;                         // bytes from the start of the unit to the side payload
  size_t unit_size = 0;                    // of the whole packet, as announced
};

/// What a decoder does without some parts of a packet.
struct PartLoss {
  bool conceal = false;              // components that are missing or damaged are taken for empty
  std::span<const uint8_t> missing;  // of part i: not 0 if it is missing; those beyond the end are there
  bool misses(size_t part) const { return part < missing.size() && missing[part] != 0; }
};

/// The check of a component's bytes.
uint16_t part_check(std::span<const uint8_t> bytes);

/// Writes unit prefix and packet header for the given sizes and checks of components. seal_packet() follows,
/// once the vectors do.
void write_packet_header(PacketHeader& header, std::vector<uint8_t>& bytes);
/// Writes the checksum of header and vectors, and the check of the frame that a predicted packet refers to.
/// Returns the packet's own check. A packet may be sealed again.
uint16_t seal_packet(std::span<uint8_t> packet, const PacketHeader& header, uint16_t reference_check);
/// slots: of the sequence header. `unit` may be shorter than announced, but holds the packet header and the
/// vectors. A packet header object is filled in place so that nothing is allocated per frame.
Status read_packet_header(std::span<const uint8_t> unit, size_t components, int slots, PacketHeader& header);

/// A component's payload, in two pieces.
struct PacketPart {
  PacketPart(std::span<const uint8_t> h = {}, std::span<const uint8_t> r = {})  // NOLINT(*-explicit-*)
      : head(h), rest(r) {}
  size_t size() const { return head.size() + rest.size(); }
  /// Its bytes from `begin` on; `to` is filled.
  void copy(size_t begin, std::span<uint8_t> to) const;
  std::span<const uint8_t> head, rest;
};
/// Writes the whole packet. header.frame is given; sizes and checks are filled in. side: empty or slopes in a
/// key frame. parts: one per component. threads: for copies and checks.
void write_packet(std::span<const uint8_t> side, std::span<const PacketPart> parts, PacketHeader& header,
                  std::vector<uint8_t>& packet, int threads = 1);

/// The payloads of a packet.
struct Payloads {
  std::span<const uint8_t> side;                     // motion, or slopes of a key frame
  std::vector<std::span<const uint8_t>> components;  // of the layers that were asked for
  std::vector<uint8_t> sound;                        // of these: what check_payload() found
  PartShares shares;  // of these: the caller begins, and adds each in its order
  int missing = 0;    // components that were concealed
};
/// Finds the payloads of the first `layers` layers of a unit whose header was read. Each must be added to
/// `shares`; check_payload() of all shares and settle_payloads() follow.
void find_payloads(std::span<const uint8_t> unit, const PacketHeader& header,
                   std::span<const Component> components, int layers, const PartLoss& loss,
                   Payloads& payloads);
/// Once for each share, by any threads; bytes: of the share, or a copy of them. With the last one of a
/// component it notes whether that is there and its check is right. True if this was the last one and it is.
bool check_payload(const PacketHeader& header, size_t share, std::span<const uint8_t> bytes,
                   Payloads& payloads);
/// Components that are not sound become empty if losses are concealed. Otherwise error: a component is
/// missing, the unit ends before it, or its check is wrong.
Status settle_payloads(std::span<const uint8_t> unit, const PacketHeader& header, const PartLoss& loss,
                       Payloads& payloads);

}  // namespace ctv

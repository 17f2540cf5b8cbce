// SPDX-License-Identifier: BSD-3-Clause
// The packet of a frame: a header, the motion payload and the components' payloads. The header and layer 0
// have a checksum, and so has each further layer with bytes (docs/bitstream.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/format/components.hpp"
#include "codec/format/frame_parameters.hpp"
#include "codec/util/status.hpp"

namespace ctv {

struct PacketHeader {
  FrameParameters frame;
  uint32_t motion_size = 0;
  std::vector<uint32_t> component_sizes;
  std::vector<uint32_t> layer_crcs;  // of layers above 0
  size_t size = 0;                   // bytes from the start of the unit to the motion payload
  size_t base_size = 0;              // bytes of layer 0, the motion payload included
  size_t unit_size = 0;              // of the whole packet, as announced
};

/// Appends unit prefix and packet header for the given sizes and checksums of layers. seal_packet() follows,
/// once the payload does.
void write_packet_header(std::span<const Component> components, PacketHeader& header,
                         std::vector<uint8_t>& bytes);
/// Writes the checksum of header and layer 0. Returns the packet's check.
uint16_t seal_packet(std::span<uint8_t> packet, const PacketHeader& header);
/// Writes the check of the frame that a predicted packet refers to into a packet of write_packet(). Key
/// frames stay as they are. Returns the packet's own check.
uint16_t bind_to_reference(std::span<uint8_t> packet, const PacketHeader& header, uint16_t reference_check);
/// `unit` may be shorter than announced, but holds the packet header and layer 0, which share a checksum. A
/// packet header object is filled in place so that nothing is allocated per frame.
Status read_packet_header(std::span<const uint8_t> unit, std::span<const Component> components, int layers,
                          PacketHeader& header);

/// Writes the whole packet. header.frame is given; sizes and checksums are filled in. motion: empty in a key
/// frame. payloads: one per component.
void write_packet(std::span<const Component> components, int layers, std::span<const uint8_t> motion,
                  std::span<const std::span<const uint8_t>> payloads, PacketHeader& header,
                  std::vector<uint8_t>& packet);

/// The payloads of the first `layers` layers of a unit whose header was read: payloads gets one span per
/// component. Error: the unit ends before them, or a layer's checksum is wrong.
Status find_payloads(std::span<const uint8_t> unit, const PacketHeader& header,
                     std::span<const Component> components, int layers, std::span<const uint8_t>& motion,
                     std::vector<std::span<const uint8_t>>& payloads);

}  // namespace ctv

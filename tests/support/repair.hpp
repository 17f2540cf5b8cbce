// SPDX-License-Identifier: BSD-3-Clause
// Damaged units with correct checksums. Bit flips alone cannot reach code that runs after a checksum, so
// tests and fuzzers repair the checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/format/packet.hpp"

namespace ctv::test {

/// Byte offsets of the parts of a packet, read without checking ranges.
struct PacketParts {
  size_t prefix = 0;
  size_t motion_begin = 0;
  std::vector<size_t> component_begins;  // of components or regions, and the end of the last
  std::vector<size_t> checks;            // of each: offset of its check, or 0 if it has none
  size_t packet_checksum = 0;
  bool checked = true;  // each component has a check; else the packet's checksum covers all
  bool sound = false;   // all fields are inside the unit
};
PacketParts packet_parts(const std::vector<uint8_t>& packet, const PacketLayout& layout);

/// Corrects unit size and checksums of a packet, as far as its fields can be found. reference_check: of the
/// reference of a predicted packet. Returns the packet's own check.
uint16_t repair_packet(std::vector<uint8_t>& packet, const PacketLayout& layout,
                       uint16_t reference_check = 0);
/// The same for a sequence header or an index.
void repair_header(std::vector<uint8_t>& unit);
/// Returns an intact header of the same stream with another extent.
std::vector<uint8_t> resized(std::vector<uint8_t> header, int width, int height);

/// Corrects checksums, so that decoders read the fields after them: of headers, and of packets of the last
/// header. Also corrects the checks of references.
void repair_checksums(std::vector<std::vector<uint8_t>>& units);

/// The layout of a stream's packets, from its header unit; without components if it is damaged.
PacketLayout layout_of(const std::vector<uint8_t>& header);

}  // namespace ctv::test

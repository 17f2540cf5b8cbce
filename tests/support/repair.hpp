// SPDX-License-Identifier: BSD-3-Clause
// Damaged units with correct checksums. Bit flips alone cannot reach code that runs after a checksum, so
// tests and fuzzers repair the checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ctv::test {

/// Byte offsets of the parts of a packet, read without checking ranges.
struct PacketParts {
  size_t prefix = 0;
  size_t motion_begin = 0;
  std::vector<size_t> component_begins;  // and the end of the last
  std::vector<size_t> checks;            // per component: offset of its check, or 0 if it is empty
  size_t packet_checksum = 0;
  bool sound = false;  // all fields are inside the unit
};
/// components: of the stream.
PacketParts packet_parts(const std::vector<uint8_t>& packet, size_t components);

/// Corrects unit size and checksums of a packet, as far as its fields can be found. reference_check: of the
/// reference of a predicted packet. Returns the packet's own check.
uint16_t repair_packet(std::vector<uint8_t>& packet, size_t components, uint16_t reference_check = 0);
/// The same for a sequence header or an index.
void repair_header(std::vector<uint8_t>& unit);
/// Returns an intact header of the same stream with another extent.
std::vector<uint8_t> resized(std::vector<uint8_t> header, int width, int height);

/// Corrects checksums, so that decoders read the fields after them: of headers, and of packets of the last
/// header. Also corrects the checks of references.
void repair_checksums(std::vector<std::vector<uint8_t>>& units);

/// Returns the components of a stream, from its header unit; 0 if it is damaged.
size_t component_count(const std::vector<uint8_t>& header);

}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Damaged units with sound checksums: what stands behind a checksum is out of reach of plain bit flips, so
// tests and fuzzers repair the sums after the damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ctv::test {

/// Where the parts of a packet lie, read without judging them. Byte offsets into the unit.
struct PacketParts {
  size_t motion_begin = 0;
  std::vector<size_t> component_begins;  // and the end of the last one
  size_t layer_crcs = 0;                 // four bytes each
  size_t header_crc = 0;
  bool sound = false;  // all fields lie inside the unit
};
/// components, layers: of the stream.
PacketParts packet_parts(const std::vector<uint8_t>& packet, size_t components, size_t layers);

/// Makes unit size and checksums of a packet right for what it holds, as far as its fields can be found.
/// component_layers: the layer of each component.
void repair_packet(std::vector<uint8_t>& packet, const std::vector<int>& component_layers, size_t layers);
/// The same for a sequence header or an index.
void repair_header(std::vector<uint8_t>& unit);

/// The layers of the components of a stream, from its header unit; empty if that is unsound.
std::vector<int> layers_of_components(const std::vector<uint8_t>& header);

}  // namespace ctv::test

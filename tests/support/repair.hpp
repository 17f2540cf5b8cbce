// SPDX-License-Identifier: BSD-3-Clause
// Damaged units with correct checksums. Bit flips alone cannot reach code behind a checksum, so tests and
// fuzzers repair the checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ctv::test {

/// Byte offsets of the parts of a packet, read without checking ranges.
struct PacketParts {
  size_t motion_begin = 0;
  std::vector<size_t> component_begins;  // and the end of the last
  std::vector<size_t> layer_crcs;  // per component: of its layer's checksum, if it is the first there; or 0
  size_t packet_crc = 0;
  bool sound = false;  // all fields are inside the unit
};
/// component_layers: the layer of each component.
PacketParts packet_parts(const std::vector<uint8_t>& packet, const std::vector<int>& component_layers);

/// Corrects unit size and checksums of a packet, as far as its fields can be found. reference_check: written
/// to a predicted packet. Returns the packet's own check.
uint16_t repair_packet(std::vector<uint8_t>& packet, const std::vector<int>& component_layers,
                       std::optional<uint16_t> reference_check = std::nullopt);
/// The same for a sequence header or an index.
void repair_header(std::vector<uint8_t>& unit);

/// Makes checksums right, so that what stands behind them is reached: of headers, and of packets of the last
/// header. Checks of references follow.
void repair_checksums(std::vector<std::vector<uint8_t>>& units);

/// Returns the layers of the components of a stream, from its header unit; empty if it is damaged.
std::vector<int> layers_of_components(const std::vector<uint8_t>& header);

}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Divides a packet into parts for ctv_net, for the tools and the GStreamer elements. docs/calls.md has the
// same in C.
#pragma once

#include <ctv/net.h>

#include <span>
#include <vector>

namespace ctv::tools {

/// Header and vectors get priority 0, levels 1. All parts of a key frame get priority 0, after the sequence
/// header. The parts are views of the given bytes. Error: a damaged packet; CTV_ERROR_LIMIT: more parts than
/// a frame may have.
inline ctv_status packet_parts(std::span<const uint8_t> header, std::span<const uint8_t> packet,
                               bool key_frame, std::vector<ctv_net_part>& parts) {
  std::vector<ctv_part> list(CTV_NET_MAX_PARTS);
  size_t count = 0;
  const ctv_status status = ctv_packet_parts(header.data(), header.size(), packet.data(), packet.size(),
                                             list.data(), list.size(), &count);
  if (status != CTV_OK) return status;
  if (count + (key_frame ? 1 : 0) > list.size()) return CTV_ERROR_LIMIT;
  list.resize(count);
  parts.clear();
  if (key_frame) parts.push_back({header.data(), header.size(), 0, 0});
  for (const ctv_part& part : list) {
    if (part.offset + part.size > packet.size()) return CTV_ERROR_STREAM;
    parts.push_back({packet.data() + part.offset, part.size, key_frame || part.layer < 0 ? 0 : 1, 0});
  }
  return CTV_OK;
}

}  // namespace ctv::tools

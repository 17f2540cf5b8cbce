// SPDX-License-Identifier: BSD-3-Clause
// Information about a stream that needs no decoding: its header, each packet's sizes, the distribution of
// bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ctv/ctv.h>

#include "io/unit_reader.h"

namespace ctv::tools {

struct PacketSurvey {
  uint64_t offset = 0;
  uint64_t size = 0;
  ctv_packet_info info{};
  uint64_t payload = 0;  // bytes of all components
};

struct ComponentSurvey {
  ctv_component_info info{};  // of the first packet, except size
  uint64_t bytes = 0;         // over all packets
};

struct Survey {
  ctv_stream_info stream{};
  bool has_header = false;
  std::optional<size_t> index_entries;
  uint64_t bytes = 0;         // of the stream
  uint64_t header_bytes = 0;  // of stream headers and index
  std::vector<PacketSurvey> packets;
  int64_t frames = 0, key_frames = 0;
  int64_t duration = 0;  // of all frames, in units of 1 / fps_num seconds
  uint64_t key_bytes = 0, packet_header_bytes = 0, side_bytes = 0;
  uint64_t slope_blocks = 0, slanted_blocks = 0;  // of key frames
  uint64_t directed_frames = 0;                   // key frames with a band that has directions
  std::vector<ComponentSurvey> components;
  uint64_t region_bytes = 0;  // of predicted frames in macroblocks, which have regions
  std::string damage;         // why the survey ends early; "" if it is complete

  double seconds() const;
  double bits_per_pixel() const;
};

/// Reads the stream to its end, or to the first damage. keep_packets: also fills `packets`.
Survey survey(UnitReader& units, bool keep_packets);

std::string survey_text(const std::string& name, const Survey& survey, bool frames);
std::string survey_json(const std::string& name, const Survey& survey, bool frames);

}  // namespace ctv::tools

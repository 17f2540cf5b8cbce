// SPDX-License-Identifier: BSD-3-Clause
#include "ctinfo/survey.h"

#include <algorithm>

#include "cli/exit.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

// No combination of extent, scales and directions has more; a header that says so is damaged.
constexpr int32_t kMaxComponents = 1 << 17;
constexpr int32_t kMostRegions = 64;

class Surveyor {
 public:
  explicit Surveyor(bool keep_packets) : keep_packets_(keep_packets) {}

  void take(const StreamUnit& unit) {
    switch (unit.kind) {
      case CTV_UNIT_HEADER:
        take_header(unit);
        break;
      case CTV_UNIT_PACKET:
        take_packet(unit);
        break;
      default:
        take_index(unit);
        break;
    }
  }
  Survey& result() { return result_; }

 private:
  [[noreturn]] static void fail(const StreamUnit& unit, const char* what) {
    throw Failure(Exit::kStream, text("offset %llu: %s: %s", static_cast<unsigned long long>(unit.offset),
                                      what, ctv_last_error()));
  }

  void take_header(const StreamUnit& unit) {
    ctv_stream_info info{};
    info.struct_size = sizeof info;
    if (ctv_stream_info_parse(unit.bytes.data(), unit.bytes.size(), &info) != CTV_OK)
      fail(unit, "stream header");
    header_.assign(unit.bytes.begin(), unit.bytes.end());
    if (!result_.has_header) result_.stream = info;  // repeated headers are equal
    result_.has_header = true;
    result_.header_bytes += unit.bytes.size();
  }

  void take_packet(const StreamUnit& unit) {
    PacketSurvey packet;
    packet.offset = unit.offset;
    packet.size = unit.bytes.size();
    packet.info.struct_size = sizeof packet.info;
    parts_.resize(static_cast<size_t>(std::clamp(result_.stream.components, kMostRegions, kMaxComponents)));
    if (ctv_packet_info_parse(header_.data(), header_.size(), unit.bytes.data(), unit.bytes.size(),
                              &packet.info, parts_.data(), parts_.size()) != CTV_OK)
      fail(unit, "packet");
    const ctv_stream_info& stream = result_.stream;
    const bool regions =
        packet.info.key_frame == 0 && stream.prediction == CTV_PREDICTION_PICTURE && stream.lossless == 0;
    const auto count = std::min(parts_.size(), static_cast<size_t>(packet.info.components));
    for (size_t i = 0; i < count; ++i) {
      packet.payload += parts_[i].size;
      if (regions) continue;
      if (i == result_.components.size()) result_.components.push_back({parts_[i], 0});
      result_.components[i].bytes += parts_[i].size;
    }
    if (regions) result_.region_bytes += packet.payload;
    ++result_.frames;
    result_.duration += packet.info.duration;
    if (packet.info.key_frame != 0) {
      ++result_.key_frames;
      result_.key_bytes += packet.size;
    }
    result_.packet_header_bytes += packet.info.header_size;
    result_.side_bytes += packet.info.side_size;
    result_.slope_blocks += static_cast<uint64_t>(packet.info.slope_blocks);
    result_.slanted_blocks += static_cast<uint64_t>(packet.info.slanted_blocks);
    const int32_t* const directions = packet.info.band_directions;
    result_.directed_frames += directions[0] + directions[1] > 0 ? 1 : 0;
    if (keep_packets_) result_.packets.push_back(packet);
  }

  void take_index(const StreamUnit& unit) {
    size_t count = 0;
    if (ctv_index_parse(unit.bytes.data(), unit.bytes.size(), nullptr, 0, &count) != CTV_OK)
      fail(unit, "index");
    result_.index_entries = count;
    result_.header_bytes += unit.bytes.size();
  }

  bool keep_packets_;
  std::vector<uint8_t> header_;
  std::vector<ctv_component_info> parts_;
  Survey result_;
};

}  // namespace

double Survey::seconds() const { return static_cast<double>(duration) / std::max(1, stream.fps_num); }

double Survey::bits_per_pixel() const {
  const double pixels = static_cast<double>(stream.width) * stream.height * static_cast<double>(frames);
  return pixels > 0 ? static_cast<double>(bytes) * 8 / pixels : 0;
}

Survey survey(UnitReader& units, bool keep_packets) {
  Surveyor surveyor(keep_packets);
  try {
    while (const auto unit = units.next()) {
      surveyor.take(*unit);
      surveyor.result().bytes = unit->offset + unit->bytes.size();
    }
  } catch (const Failure& e) {
    if (e.code() != Exit::kStream || !surveyor.result().has_header) throw;
    surveyor.result().damage = e.what();
  }
  return std::move(surveyor.result());
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/libav/container_source.h"

#include <ctv/ctv.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bindings/libav/demuxer.h"
#include "cli/exit.h"
#include "io/container.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

class ContainerSource : public ByteSource {
 public:
  explicit ContainerSource(const std::string& path) : demuxer_(path, false), packet_(own(av_packet_alloc())) {
    const AVCodecParameters& track = *demuxer_.track().codecpar;
    if (track.codec_tag != MKTAG(kCodecTag[0], kCodecTag[1], kCodecTag[2], kCodecTag[3])) {
      const std::string codec = avcodec_get_name(track.codec_id);
      throw Failure(Exit::kFile, name() + ": its video is no ctv stream (" + codec + ")",
                    "ctenc encodes other videos");
    }
    // Some containers pad the private data to an even size.
    ctv_unit_kind kind = CTV_UNIT_PACKET;
    uint64_t size = 0;
    if (track.extradata == nullptr ||
        ctv_unit_parse(track.extradata, static_cast<size_t>(track.extradata_size), &kind, &size) != CTV_OK ||
        kind != CTV_UNIT_HEADER || size > static_cast<uint64_t>(track.extradata_size))
      throw Failure(Exit::kStream, name() + ": the track has no stream header");
    header_.assign(track.extradata, track.extradata + size);
    left_ = header_;
  }

  size_t read(std::span<uint8_t> into) override {
    while (left_.empty()) {
      if (into.empty() || ended_) return 0;
      ended_ = !next_packet();
    }
    const size_t n = std::min(into.size(), left_.size());
    if (n > 0) std::memcpy(into.data(), left_.data(), n);
    left_ = left_.subspan(n);
    return n;
  }
  std::optional<uint64_t> size() const override { return std::nullopt; }
  bool seek(uint64_t) override { return false; }
  const std::string& name() const override { return demuxer_.name(); }

 private:
  bool next_packet() {
    try {
      if (!demuxer_.read(*packet_)) return false;
    } catch (const Failure& e) {
      ended_ = true;
      throw CutUnit(e.what());  // earlier units are whole
    }
    left_ = {packet_->data, static_cast<size_t>(packet_->size)};
    drop_repeated_header();
    return true;
  }

  /// The muxer puts the header in front of each key frame, where the stream has it once.
  void drop_repeated_header() {
    ctv_unit_kind kind = CTV_UNIT_PACKET;
    uint64_t size = 0;
    if (ctv_unit_parse(left_.data(), left_.size(), &kind, &size) != CTV_OK || kind != CTV_UNIT_HEADER ||
        size > left_.size())
      return;
    const auto header = left_.first(static_cast<size_t>(size));
    if (std::equal(header.begin(), header.end(), header_.begin(), header_.end())) {
      left_ = left_.subspan(header.size());
    } else {
      header_.assign(header.begin(), header.end());
    }
  }

  Demuxer demuxer_;
  Libav<AVPacket> packet_;
  std::vector<uint8_t> header_;    // in force
  std::span<const uint8_t> left_;  // of the header or the packet
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_container_source(const std::string& path) {
  return std::make_unique<ContainerSource>(path);
}

}  // namespace ctv::tools

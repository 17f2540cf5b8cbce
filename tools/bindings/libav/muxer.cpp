// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/libav/muxer.h"

#include <ctv/ctv.h>

#include <cstring>
#include <vector>

#include "bindings/libav/libav.h"
#include "cli/exit.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/container.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

class Muxer {
 public:
  Muxer(OutputFile& output, const std::string& name, const std::string& format) : name_(name), file_(output) {
    take_demuxer_error();  // silences libav
    check(avformat_alloc_output_context2(&format_, nullptr, format.c_str(), nullptr));
    format_->pb = file_.context();
    format_->flags |= AVFMT_FLAG_BITEXACT;  // no random numbers: equal streams give equal files
    format_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  }
  ~Muxer() { avformat_free_context(format_); }
  Muxer(const Muxer&) = delete;
  Muxer& operator=(const Muxer&) = delete;

  void header(std::span<const uint8_t> unit, const ctv_stream_info& info) {
    track_ = avformat_new_stream(format_, nullptr);
    if (track_ == nullptr) throw std::bad_alloc();
    unit_ = {1, info.fps_num};
    track_->time_base = unit_;
    track_->avg_frame_rate = {info.fps_num, info.fps_den};
    track_->sample_aspect_ratio = {info.aspect_width, info.aspect_height};
    AVCodecParameters& p = *track_->codecpar;
    p.codec_type = AVMEDIA_TYPE_VIDEO;
    p.codec_tag = MKTAG(kCodecTag[0], kCodecTag[1], kCodecTag[2], kCodecTag[3]);
    p.width = info.width;
    p.height = info.height;
    p.sample_aspect_ratio = track_->sample_aspect_ratio;
    p.extradata = static_cast<uint8_t*>(av_mallocz(unit.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (p.extradata == nullptr) throw std::bad_alloc();
    std::memcpy(p.extradata, unit.data(), unit.size());
    p.extradata_size = static_cast<int>(unit.size());
    check(avformat_write_header(format_, nullptr));
  }

  void packet(std::vector<uint8_t>& bytes, const ctv_packet_info& info) {
    const auto packet = own(av_packet_alloc());
    packet->data = bytes.data();  // without an owner: libav copies what it keeps
    packet->size = static_cast<int>(bytes.size());
    packet->pts = packet->dts = info.timestamp;
    packet->duration = info.duration;
    packet->stream_index = track_->index;
    if (info.key_frame != 0) packet->flags |= AV_PKT_FLAG_KEY;
    av_packet_rescale_ts(packet.get(), unit_, track_->time_base);
    // Frames closer than the container's unit of time keep their order; the stream has the exact times.
    if (last_ && packet->dts <= *last_) packet->pts = packet->dts = *last_ + 1;
    last_ = packet->dts;
    check(av_write_frame(format_, packet.get()));
  }

  void finish() {
    check(av_write_trailer(format_));
    avio_flush(file_.context());
    file_.rethrow();
  }

 private:
  void check(int error) {
    file_.rethrow();
    if (error < 0) throw Failure(Exit::kFile, "cannot write " + name_ + ": " + libav_text(error));
  }

  std::string name_;
  LibavFile file_;
  AVFormatContext* format_ = nullptr;
  AVStream* track_ = nullptr;
  AVRational unit_{};  // seconds per timestamp unit
  std::optional<int64_t> last_;
};

}  // namespace

int64_t mux_stream(const std::string& stream, const std::string& container, const std::string& format) {
  UnitReader units(open_source(stream));
  const auto bad = [&](const StreamUnit& unit, const std::string& what) {
    return Failure(Exit::kStream,
                   units.source().name() +
                       text(": unit at offset %llu: ", static_cast<unsigned long long>(unit.offset)) + what);
  };
  OutputFile output(container);
  Muxer muxer(output, container, format);
  std::vector<uint8_t> header, bytes;
  int64_t frames = 0;
  while (const std::optional<StreamUnit> unit = units.next()) {
    check_interrupted();
    if (unit->kind == CTV_UNIT_HEADER) {
      const bool first = header.empty();
      header.assign(unit->bytes.begin(), unit->bytes.end());
      if (!first) {
        bytes.insert(bytes.end(), header.begin(), header.end());
        continue;
      }
      ctv_stream_info info;
      ctv_stream_info_init(&info);
      if (ctv_stream_info_parse(header.data(), header.size(), &info) != CTV_OK)
        throw bad(*unit, ctv_last_error());
      muxer.header(header, info);
    } else if (unit->kind == CTV_UNIT_PACKET) {
      if (header.empty()) throw bad(*unit, "a packet before any header");
      ctv_packet_info info{};
      info.struct_size = sizeof info;
      if (ctv_packet_info_parse(header.data(), header.size(), unit->bytes.data(), unit->bytes.size(), &info,
                                nullptr, 0) != CTV_OK)
        throw bad(*unit, ctv_last_error());
      // Key frames have the header, since GStreamer's demuxers keep the track's private data to themselves.
      if (info.key_frame != 0 && bytes.empty()) bytes = header;
      bytes.insert(bytes.end(), unit->bytes.begin(), unit->bytes.end());
      muxer.packet(bytes, info);
      bytes.clear();
      ++frames;
    }
  }
  if (frames == 0) throw Failure(Exit::kFile, units.source().name() + " holds no frame");
  muxer.finish();
  output.commit();
  return frames;
}

}  // namespace ctv::tools

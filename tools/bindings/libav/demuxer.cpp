// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/libav/demuxer.h"

#include <algorithm>

#include "cli/exit.h"
#include "cli/signals.h"

namespace ctv::tools {
namespace {

constexpr char kFileFormats[] =
    "matroska,webm,mov,mp4,avi,nut,mpegts,mpeg,mpegvideo,m4v,h264,hevc,av1,obu,ivf,flv,ogg,asf,mxf,gif,dv,rm";

}  // namespace

Demuxer::Demuxer(const std::string& path, bool probe) : source_(open_source(path)), file_(*source_) {
  take_demuxer_error();
  format_ = avformat_alloc_context();
  if (format_ == nullptr) throw std::bad_alloc();
  format_->pb = file_.context();
  format_->format_whitelist = av_strdup(kFileFormats);
  format_->io_open = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
    return AVERROR(EPERM);  // only one file was requested
  };
  int error = avformat_open_input(&format_, nullptr, nullptr, nullptr);  // frees the context if it fails
  file_.rethrow();
  std::string said = error < 0 ? take_demuxer_error() : "";
  if ((error == AVERROR_INVALIDDATA && said.empty()) || said.starts_with("Format not on whitelist"))
    throw Failure(
        Exit::kFile, name() + " is neither y4m nor a video file that is read here",
        "ffmpeg -i FILE -f yuv4mpegpipe - | ctenc - reads other videos; raw video needs --size WxH");
  take_demuxer_error();  // a codec tag unknown to the header's reader is no error
  if (error >= 0 && probe) {
    error = avformat_find_stream_info(format_, nullptr);
    file_.rethrow();
    if (error < 0) said = take_demuxer_error();
  }
  if (error < 0) {
    avformat_close_input(&format_);
    fail(error, said);
  }
  const int track = av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (track < 0) {
    avformat_close_input(&format_);
    throw Failure(Exit::kFile, name() + " has no video track");
  }
  for (unsigned i = 0; i < format_->nb_streams; ++i)
    if (static_cast<int>(i) != track) format_->streams[i]->discard = AVDISCARD_ALL;
  track_ = format_->streams[track];  // errors while probing are reported at the end
}

void Demuxer::fail(int error, const std::string& said) {
  file_.rethrow();
  throw Failure(Exit::kFile, name() + ": " + (said.empty() ? libav_text(error) : said));
}

bool Demuxer::has_sound() const {
  return std::any_of(format_->streams, format_->streams + format_->nb_streams,
                     [](const AVStream* s) { return s->codecpar->codec_type == AVMEDIA_TYPE_AUDIO; });
}

bool Demuxer::read(AVPacket& packet) {
  for (;;) {
    check_interrupted();
    av_packet_unref(&packet);
    const int error = av_read_frame(format_, &packet);
    file_.rethrow();
    if (error == AVERROR_EOF) {
      // To a demuxer, a truncated file ends normally; only its log message reports the error.
      if (const std::string said = take_demuxer_error(); !said.empty())
        throw Failure(Exit::kFile, name() + ": " + said);
      return false;
    }
    if (error < 0) fail(error, take_demuxer_error());
    if (packet.stream_index != track_->index) continue;
    if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0)
      throw Failure(Exit::kFile, name() + ": a packet is cut or damaged");
    return true;
  }
}

}  // namespace ctv::tools

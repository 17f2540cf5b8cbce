// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/libav/video_reader.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <cstring>
#include <optional>

#include "bindings/libav/demuxer.h"
#include "bindings/libav/frame_times.h"
#include "cli/exit.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

struct PixelFormat {
  AVPixelFormat theirs;
  ctv_format ours;
};
constexpr PixelFormat kPixelFormats[] = {
    {AV_PIX_FMT_YUV420P, CTV_FORMAT_I420},        {AV_PIX_FMT_YUVJ420P, CTV_FORMAT_I420},
    {AV_PIX_FMT_YUV422P, CTV_FORMAT_I422},        {AV_PIX_FMT_YUVJ422P, CTV_FORMAT_I422},
    {AV_PIX_FMT_YUV444P, CTV_FORMAT_I444},        {AV_PIX_FMT_YUVJ444P, CTV_FORMAT_I444},
    {AV_PIX_FMT_GRAY8, CTV_FORMAT_GRAY8},         {AV_PIX_FMT_NV12, CTV_FORMAT_NV12},
    {AV_PIX_FMT_RGB24, CTV_FORMAT_RGB8},          {AV_PIX_FMT_GRAY10LE, CTV_FORMAT_GRAY10},
    {AV_PIX_FMT_YUV420P10LE, CTV_FORMAT_I420_10}, {AV_PIX_FMT_YUV422P10LE, CTV_FORMAT_I422_10},
    {AV_PIX_FMT_YUV444P10LE, CTV_FORMAT_I444_10}, {AV_PIX_FMT_P010LE, CTV_FORMAT_P010},
    {AV_PIX_FMT_GRAY12LE, CTV_FORMAT_GRAY12},     {AV_PIX_FMT_YUV420P12LE, CTV_FORMAT_I420_12},
    {AV_PIX_FMT_YUV422P12LE, CTV_FORMAT_I422_12}, {AV_PIX_FMT_YUV444P12LE, CTV_FORMAT_I444_12}};
// Target formats of conversions.
constexpr AVPixelFormat kTargets[] = {AV_PIX_FMT_YUV420P,     AV_PIX_FMT_YUV422P,     AV_PIX_FMT_YUV444P,
                                      AV_PIX_FMT_GRAY8,       AV_PIX_FMT_RGB24,       AV_PIX_FMT_YUV420P10LE,
                                      AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV420P12LE,
                                      AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV444P12LE, AV_PIX_FMT_NONE};

ctv_format format_of(AVPixelFormat theirs) {
  for (const PixelFormat& f : kPixelFormats)
    if (f.theirs == theirs) return f.ours;
  return CTV_FORMAT_NONE;
}

Description describe(const AVStream& track) {
  const AVCodecParameters& p = *track.codecpar;
  Description d;
  const AVRational aspect =
      track.sample_aspect_ratio.num > 0 ? track.sample_aspect_ratio : p.sample_aspect_ratio;
  if (aspect.num > 0 && aspect.den > 0 && aspect.num <= 65535 && aspect.den <= 65535)
    d.aspect = {aspect.num, aspect.den};
  const bool full = p.color_range == AVCOL_RANGE_JPEG;
  d.range = full                                ? CTV_RANGE_FULL
            : p.color_range == AVCOL_RANGE_MPEG ? CTV_RANGE_LIMITED
                                                : CTV_RANGE_UNSPECIFIED;
  d.siting = p.chroma_location == AVCHROMA_LOC_LEFT      ? CTV_SITING_LEFT
             : p.chroma_location == AVCHROMA_LOC_CENTER  ? CTV_SITING_CENTRE
             : p.chroma_location == AVCHROMA_LOC_TOPLEFT ? CTV_SITING_TOP_LEFT
                                                         : CTV_SITING_UNSPECIFIED;
  if (p.field_order == AV_FIELD_TT || p.field_order == AV_FIELD_TB) d.interlace = CTV_INTERLACE_TOP_FIRST;
  if (p.field_order == AV_FIELD_BB || p.field_order == AV_FIELD_BT) d.interlace = CTV_INTERLACE_BOTTOM_FIRST;
  // libavutil's numbers are those of H.273. 0 is reserved there except for the matrix, where it means RGB.
  if (p.color_primaries > 0 && p.color_primaries <= 255) d.primaries = p.color_primaries;
  if (p.color_trc > 0 && p.color_trc <= 255) d.transfer = p.color_trc;
  if (p.color_space > 0 && p.color_space <= 255) d.matrix = p.color_space;
  return d;
}

/// The times of all packets. Cheaper than decoding, and all are needed to know whether the rate is constant.
FrameTimes frame_times(const std::string& path) {
  Demuxer demuxer(path, true);
  std::vector<int64_t> shown;
  const auto packet = own(av_packet_alloc());
  try {
    while (demuxer.read(*packet))
      if (packet->pts != AV_NOPTS_VALUE && (packet->flags & AV_PKT_FLAG_DISCARD) == 0)
        shown.push_back(packet->pts);
  } catch (const Failure&) {
    // Damage further on: reading the pictures reports it, too.
  }
  return {std::move(shown), demuxer.track().time_base, demuxer.track().avg_frame_rate};
}

class VideoReader : public FrameReader {
 public:
  explicit VideoReader(const InputOptions& options)
      : times_(frame_times(options.path)),
        demuxer_(options.path, true),
        timed_(!options.rate),
        max_pixels_(options.max_pixels),
        packet_(own(av_packet_alloc())),
        frame_(own(av_frame_alloc())) {
    const AVCodecParameters& track = *demuxer_.track().codecpar;
    check_extent(demuxer_.name(), track.width, track.height, options.max_pixels);
    const AVCodec* codec = avcodec_find_decoder(track.codec_id);
    if (codec == nullptr) {
      const bool ours = track.codec_tag == MKTAG('C', 'T', 'V', '1');
      throw Failure(Exit::kFile, demuxer_.name() + ": libavcodec has no decoder for its video",
                    ours ? "it is a ctv stream: ctdec decodes it" : avcodec_get_name(track.codec_id));
    }
    decoder_ = own(avcodec_alloc_context3(codec));
    check(avcodec_parameters_to_context(decoder_.get(), &track));
    decoder_->thread_count = 0;
    decoder_->pkt_timebase = demuxer_.track().time_base;
    decoder_->max_pixels = static_cast<int64_t>(options.max_pixels);
    check(avcodec_open2(decoder_.get(), codec, nullptr));
    describe_video(track, static_cast<AVPixelFormat>(track.format));
    if (options.rate) video_.fps_num = options.rate->first, video_.fps_den = options.rate->second;
  }
  ~VideoReader() override { sws_freeContext(scaler_); }

  bool read(Frame& frame) override {
    if (!decode()) return false;
    const AVFrame& f = *frame_;
    if (f.width != video_.width || f.height != video_.height) {
      check_extent(at_frame(), f.width, f.height, max_pixels_);
      video_.width = f.width, video_.height = f.height;
    }
    if (f.decode_error_flags != 0 || (f.flags & AV_FRAME_FLAG_CORRUPT) != 0)
      throw failure_ ? *failure_ : Failure(Exit::kFile, at_frame() + " is damaged");
    frame.reset(video_);
    copy(f, frame);
    if (timed_) frame.set_time(times_.next(f.best_effort_timestamp), times_.duration(f.pkt_duration));
    ++number_;
    return true;
  }
  void skip(int64_t n) override {
    for (; n > 0 && decode(); --n, ++number_)
      if (timed_) times_.next(frame_->best_effort_timestamp);
  }

 private:
  std::string at_frame() const {
    return demuxer_.name() + text(": frame %lld", static_cast<long long>(number_));
  }
  void check(int error) const {
    if (error < 0) throw Failure(Exit::kFile, at_frame() + ": " + libav_text(error));
  }
  void drop(const std::string& what) { video_.dropped += (video_.dropped.empty() ? "" : ", ") + what; }

  void describe_video(const AVCodecParameters& track, AVPixelFormat theirs) {
    const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(theirs);
    if (format == nullptr) throw Failure(Exit::kFile, demuxer_.name() + ": its video cannot be decoded");
    video_.width = track.width;
    video_.height = track.height;
    video_.fps_num = times_.rate().num;
    video_.fps_den = times_.rate().den;
    video_.description = describe(demuxer_.track());
    if (theirs == AV_PIX_FMT_YUVJ420P || theirs == AV_PIX_FMT_YUVJ422P || theirs == AV_PIX_FMT_YUVJ444P)
      video_.description.range = CTV_RANGE_FULL;
    target_ = theirs;
    if (format_of(theirs) == CTV_FORMAT_NONE)
      target_ = avcodec_find_best_pix_fmt_of_list(kTargets, theirs, 0, nullptr);
    video_.format = format_of(target_);
    if (format->comp[0].depth > ctv_format_bits(video_.format))
      drop(text("its %d bits a sample", format->comp[0].depth));
    if (format->nb_components == 2 || format->nb_components == 4) drop("its transparency");
    if (demuxer_.has_sound()) drop("its sound");
    const uint8_t* matrix = av_stream_get_side_data(&demuxer_.track(), AV_PKT_DATA_DISPLAYMATRIX, nullptr);
    if (matrix != nullptr && av_display_rotation_get(reinterpret_cast<const int32_t*>(matrix)) != 0)
      drop("its rotation");
  }

  /// Decodes the next picture into frame_; false at the end. After a failure the decoder still has pictures.
  bool decode() {
    for (;;) {
      const int error = avcodec_receive_frame(decoder_.get(), frame_.get());
      if (error >= 0) return true;
      if (error == AVERROR_EOF || (error != AVERROR(EAGAIN) && failure_)) {
        if (failure_) throw *failure_;
        return false;
      }
      try {
        if (error != AVERROR(EAGAIN)) check(error);
        check(avcodec_send_packet(decoder_.get(), demuxer_.read(*packet_) ? packet_.get() : nullptr));
      } catch (const Failure& e) {
        if (failure_) throw *failure_;
        failure_ = e;
        avcodec_send_packet(decoder_.get(), nullptr);
      }
    }
  }

  void copy(const AVFrame& from, Frame& to) {
    if (from.format == target_) {
      for (int i = 0; i < 4 && to.stride(i) > 0; ++i)
        for (size_t y = 0; y < to.rows(i); ++y)
          std::memcpy(to.plane(i) + y * to.stride(i),
                      from.data[i] + static_cast<ptrdiff_t>(y) * from.linesize[i], to.stride(i));
      return;
    }
    // Bit-exact: the same samples on every machine.
    scaler_ = sws_getCachedContext(scaler_, from.width, from.height, static_cast<AVPixelFormat>(from.format),
                                   from.width, from.height, target_,
                                   SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT,
                                   nullptr, nullptr, nullptr);
    if (scaler_ == nullptr) throw Failure(Exit::kFile, at_frame() + ": its format cannot be converted");
    // The header keeps the source's range, so the samples keep it.
    int *inverse = nullptr, *table = nullptr;
    int from_range = 0, to_range = 0, brightness = 0, contrast = 0, saturation = 0;
    if (sws_getColorspaceDetails(scaler_, &inverse, &from_range, &table, &to_range, &brightness, &contrast,
                                 &saturation) >= 0 &&
        from_range != to_range && target_ != AV_PIX_FMT_RGB24 && target_ != AV_PIX_FMT_GRAY8)
      sws_setColorspaceDetails(scaler_, inverse, from_range, table, from_range, brightness, contrast,
                               saturation);
    uint8_t* planes[4] = {};
    int strides[4] = {};
    for (int i = 0; i < 4 && to.stride(i) > 0; ++i)
      planes[i] = to.plane(i), strides[i] = static_cast<int>(to.stride(i));
    check(sws_scale(scaler_, from.data, from.linesize, 0, from.height, planes, strides));
  }

  FrameTimes times_;
  Demuxer demuxer_;
  bool timed_;
  uint64_t max_pixels_;
  std::optional<Failure> failure_;  // no packet can be read any more; the decoder's pictures come first
  Libav<AVPacket> packet_;
  Libav<AVFrame> frame_;
  Libav<AVCodecContext> decoder_;
  SwsContext* scaler_ = nullptr;
  AVPixelFormat target_ = AV_PIX_FMT_NONE;
  int64_t number_ = 0;
};

}  // namespace

std::unique_ptr<FrameReader> open_video_reader(const InputOptions& options) {
  return std::make_unique<VideoReader>(options);
}

}  // namespace ctv::tools

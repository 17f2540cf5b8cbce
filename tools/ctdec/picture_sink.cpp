// SPDX-License-Identifier: BSD-3-Clause
#include "ctdec/picture_sink.h"

#include <algorithm>

#include "cli/messages.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

// A damaged or hostile stream may claim any number; longer gaps are skipped with a message.
constexpr int64_t kMaxRepeated = 3600;

}  // namespace

void PictureSink::take(const ctv_picture& picture) {
  // A key frame with an earlier number begins a stream behind another one; --keep-going also meets packets
  // that came twice.
  if (picture.key_frame != 0 && picture.frame_number < following_ && (!options_.keep_going || header_came_)) {
    before_ += following_;
    next_.reset();
  }
  header_came_ = false;
  following_ = picture.frame_number + 1;
  if (before_ + picture.frame_number < options_.seek || full()) return;
  check_time(picture);
  if (options_.keep_going) {
    if (next_ && picture.frame_number < *next_) return;  // a packet that came twice
    fill(picture.frame_number, picture);
  }
  write(picture);
  next_ = picture.frame_number + 1;
  if (options_.keep_going) copy_picture(picture, last_);
}

/// Whether the output's constant rate gives the picture's time; says once if not.
void PictureSink::check_time(const ctv_picture& picture) {
  const auto regular =  // modulo 2^64, as timestamps are
      static_cast<uint64_t>(picture.timestamp) -
      static_cast<uint64_t>(picture.frame_number) * static_cast<uint64_t>(result_.stream.fps_den);
  if (!origin_ || picture.frame_number == 0) origin_ = regular;
  if (uneven_ || regular == *origin_) return;
  uneven_ = true;
  if (!options_.output.path.empty() && options_.output.path != "null" && options_.output.path != "/dev/null")
    warn(options_.output.path +
         " does not keep the times of the pictures, which have no constant rate; --mux does");
}

void PictureSink::fill(int64_t number, const ctv_picture& picture) {
  // A stream may begin at any number, unless its beginning is known to be damaged.
  if (!next_ && result_.damaged == 0) return;
  const int64_t missing = number - next_.value_or(options_.seek);
  // Bound over the whole stream, so that a few packets cannot fill a disk.
  if (missing > kMaxRepeated + result_.frames - 2 * result_.repeated) {
    warn(text("%lld pictures before frame %lld are missing and left out", static_cast<long long>(missing),
              static_cast<long long>(number)));
    return;
  }
  for (int64_t i = 0; i < missing && !full(); ++i) {
    check_interrupted();
    write(next_ ? last_.picture() : picture);
    ++result_.repeated;
  }
}

void PictureSink::write(const ctv_picture& picture) {
  if (full()) return;
  if (!writer_) begin(picture);
  writer_->write(picture);
  if (options_.md5 || !options_.expected_md5.empty()) md5_.add(picture);
  ++result_.frames;
  progress_->update(result_.frames, result_.bytes);
}

void PictureSink::begin(const ctv_picture& picture) {
  OutputOptions output = options_.output;
  output.fps_num = std::max(1, result_.stream.fps_num);
  output.fps_den = std::max(1, result_.stream.fps_den);
  const ctv_stream_info& stream = result_.stream;
  output.description = {
      {stream.aspect_width, stream.aspect_height}, stream.range, stream.siting, stream.interlace};
  writer_ = open_output(output);
  std::optional<int64_t> total;
  if (total_) total = std::max<int64_t>(0, *total_ - options_.seek);
  if (options_.frames >= 0) total = std::min(options_.frames, total.value_or(options_.frames));
  progress_.emplace(options_.run.progress && !options_.run.quiet, total,
                    static_cast<double>(output.fps_num) / output.fps_den);
  result_.width = picture.width;
  result_.height = picture.height;
  result_.format = picture.format;
}

void PictureSink::finish(int64_t pictures) {
  if (options_.keep_going && next_) fill(pictures, last_.picture());
  if (!writer_) return;
  if (options_.md5 || !options_.expected_md5.empty()) result_.md5 = md5_.finish();
  if (!options_.expected_md5.empty() && options_.expected_md5 != result_.md5)
    throw Failure(Exit::kStream, "the pictures' MD5 is " + result_.md5 + ", not " + options_.expected_md5);
  writer_->finish();
  result_.written = writer_->size();
}

std::string PictureSink::keep() {
  const std::string name = writer_ ? writer_->keep() : "";
  if (name.empty()) return "";
  const auto count = static_cast<long long>(result_.frames);
  return name +
         (count == 1 ? " holds the picture before it" : text(" holds the %lld pictures before it", count));
}

}  // namespace ctv::tools

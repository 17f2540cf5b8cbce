// SPDX-License-Identifier: BSD-3-Clause
// The destination of decoded pictures: the output and the digest, from --seek on, at most --frames of them.
// With --keep-going a missing picture is replaced by the previous one (or the next one at the start), so that
// later pictures keep their time.
#pragma once

#include <memory>
#include <optional>

#include "cli/progress.h"
#include "ctdec/decode.h"

namespace ctv::tools {

class PictureSink {
 public:
  /// `total`: pictures to come, if known. Both references must outlive the sink.
  PictureSink(const DecodeOptions& options, DecodeResult& result) : options_(options), result_(result) {}

  /// Sets the stream's number of pictures, if known.
  void expect(std::optional<int64_t> pictures) { total_ = pictures; }
  bool full() const { return options_.frames >= 0 && result_.frames >= options_.frames; }
  void take(const ctv_picture& picture);
  /// Another header is in force: numbers may restart, and gaps before them are not filled.
  void restart() { next_.reset(), origin_.reset(); }
  /// A header came, another one or the same again.
  void header() { header_came_ = true; }
  /// Begins at a stream with this number of frames of others in front of it.
  void begin_behind(int64_t frames) { before_ = frames; }
  /// Ends the stream. `pictures`: number of pictures that the stream should have.
  void finish(int64_t pictures);
  /// After a failure: keeps the whole pictures and says where; "" if there is nothing to keep.
  std::string keep();

 private:
  void fill(int64_t number, const ctv_picture& picture);
  void write(const ctv_picture& picture);
  void check_time(const ctv_picture& picture);
  void begin(const ctv_picture& picture);

  const DecodeOptions& options_;
  DecodeResult& result_;
  std::optional<int64_t> total_;
  std::optional<int64_t> next_;     // number of the next picture, after the first
  Frame last_;                      // with --keep-going: the previous picture
  int64_t before_ = 0;              // frames of streams in front of the current one
  int64_t following_ = 0;           // the number after the last picture's
  std::optional<uint64_t> origin_;  // time of frame 0 at a constant rate
  bool header_came_ = false;        // since the last picture
  bool uneven_ = false;             // a picture has another time
  std::unique_ptr<FrameWriter> writer_;
  std::optional<Progress> progress_;
  PictureMd5 md5_;
};

}  // namespace ctv::tools

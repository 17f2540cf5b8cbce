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
  /// Begins a new stream: numbers restart.
  void restart() { next_.reset(); }
  /// Ends the stream. `pictures`: number of pictures that the stream should have.
  void finish(int64_t pictures);
  /// After a failure: keeps the whole pictures and says where; "" if there is nothing to keep.
  std::string keep();

 private:
  void fill(int64_t number, const ctv_picture& picture);
  void write(const ctv_picture& picture);
  void begin(const ctv_picture& picture);

  const DecodeOptions& options_;
  DecodeResult& result_;
  std::optional<int64_t> total_;
  std::optional<int64_t> next_;  // number of the next picture, after the first
  Frame last_;                   // with --keep-going: the previous picture
  std::unique_ptr<FrameWriter> writer_;
  std::optional<Progress> progress_;
  PictureMd5 md5_;
};

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Transfer of levels and side information between a backend's memory and the host.
#pragma once

#include <array>

#include "codec/model/coded_frame.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// One per frame in flight. Owns host memory: an array per plane, and the side information.
class LevelTransfer {
 public:
  virtual ~LevelTransfer() = default;
  /// Starts the download of a frame's vectors and skips. Slopes of a key frame follow with its levels, and
  /// changes of a predicted frame after these. The backend's arrays must not change before the next download;
  /// so downloaded() may point to them if they are host memory.
  virtual Status download_side(const ConstSideInfo& side) = 0;
  /// The same for its levels and macroblocks.
  virtual Status download(const std::array<const Level*, 3>& levels) = 0;
  /// The same for side.changes unless null. Call it after each download of levels.
  virtual Status download_changes() { return {}; }
  /// The frame of the last download, without its parameters; complete after finish().
  virtual CodedFrame downloaded() const = 0;
  /// Whether parts of a download are complete before the rest: side information after finish_side(), levels
  /// for the host's entropy coder after finish_levels(), components that the backend codes after finish().
  virtual bool staged() const { return false; }
  virtual bool codes(size_t component) const {
    (void)component;
    return false;
  }
  virtual Status finish_side() { return {}; }
  virtual Status finish_levels() { return {}; }
  /// Host memory that the next upload copies.
  virtual CodedFrameBuffers upload_buffers() = 0;
  /// Starts the upload of upload_buffers(). The side information is that of the frame's type, and may be
  /// uploaded by await_side() only. The buffers must not change before finish().
  virtual Status upload(FrameType type) = 0;
  /// Uploaded side information and levels of a plane, valid for the stages until release().
  virtual ConstSideInfo uploaded_side() const = 0;
  virtual const Level* uploaded(size_t plane) const = 0;
  /// Later stages need the side information, or the levels. Earlier stages need not wait for them.
  virtual Status await_side() { return {}; }
  virtual Status await_levels() { return {}; }
  /// Later stages no longer need the uploaded data.
  virtual Status release() { return {}; }
  /// Waits for the last download or upload.
  virtual Status finish() = 0;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Levels and side information between a backend's memory and the host.
#pragma once

#include <array>

#include "codec/model/coded_frame.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// One per frame in flight; owns host memory, one array per plane, and room for the side information.
class LevelTransfer {
 public:
  virtual ~LevelTransfer() = default;
  /// Starts the copy of a frame's vectors and skips to the host. Slopes of a key frame are not yet known and
  /// go with its levels, and changes of a predicted one follow them. The backend's arrays must not change
  /// before the next download, so a backend whose memory is the host's may let downloaded() point to them.
  virtual Status download_side(const ConstSideInfo& side) = 0;
  /// The same for its levels.
  virtual Status download(const std::array<const Level*, 3>& levels) = 0;
  /// The same for side.changes, if they are not null, after each download of levels.
  virtual Status download_changes() { return {}; }
  /// The frame of the last download, complete after finish(). Its parameters are not filled.
  virtual CodedFrame downloaded() const = 0;
  /// Whether parts of a download arrive while the backend still works on others: the side information after
  /// finish_side(), levels that the host codes after finish_levels(), and what the backend codes, if it does,
  /// after finish().
  virtual bool staged() const { return false; }
  virtual bool codes(size_t component) const {
    (void)component;
    return false;
  }
  virtual Status finish_side() { return {}; }
  virtual Status finish_levels() { return {}; }
  /// Host memory that the next upload copies from.
  virtual CodedFrameBuffers upload_buffers() = 0;
  /// Starts the copy of upload_buffers() to the backend, with the side information of the frame's type, which
  /// it may leave to await_side(). The buffers must not change before finish().
  virtual Status upload(FrameType type) = 0;
  /// Where uploaded side information and the levels of a plane stay until release(), for the stages to read.
  virtual ConstSideInfo uploaded_side() const = 0;
  virtual const Level* uploaded(size_t plane) const = 0;
  /// What follows needs the side information, or the levels. What comes before need not wait for them.
  virtual Status await_side() { return {}; }
  virtual Status await_levels() { return {}; }
  /// Nothing that follows needs what was uploaded.
  virtual Status release() { return {}; }
  /// Waits for the last download or upload.
  virtual Status finish() = 0;
};

}  // namespace ctv

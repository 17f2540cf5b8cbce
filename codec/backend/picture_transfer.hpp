// SPDX-License-Identifier: BSD-3-Clause
// Pictures between the caller and planes: copies, colour conversion, chroma resampling.
#pragma once

#include <array>

#include "codec/util/status.hpp"
#include "codec/util/types.hpp"

namespace ctv {

using Planes = std::array<PlaneView<Sample>, 3>;  // padded extents of the SubbandLayouts
using ConstPlanes = std::array<PlaneView<const Sample>, 3>;

/// One per frame in flight; owns staging memory.
class PictureTransfer {
 public:
  virtual ~PictureTransfer() = default;
  /// Starts the copy of the caller's picture, which was validated against the layout, to the backend. The
  /// caller may change its memory when the call returns. A borrowed picture (ctv_picture::borrowed) may be
  /// read until its packet is complete.
  virtual Status upload(const ctv_picture& picture) = 0;
  /// The uploaded picture's luma in true extent, if place() only widens its samples; else empty. Calls that
  /// read it must come before place(); they wait for luma only. The address is the same for equal FrameCalls.
  virtual Result<PlaneView<const uint8_t>> luma() { return PlaneView<const uint8_t>{}; }
  /// Converts the uploaded picture to planes. Padding repeats the last row and column.
  virtual Status place(const Planes& planes) = 0;
  Status import_picture(const ctv_picture& picture, const Planes& planes) {
    CTV_RETURN_IF_ERROR(upload(picture));
    return place(planes);
  }
  /// The last uploaded picture in host memory, even after the device has failed: the transfer's copy, or the
  /// borrowed picture. Null if there is none. Valid until the next upload.
  virtual const ctv_picture* host_copy() const { return nullptr; }
  /// Begins the conversion of planes (extents at `reduction`, unpadded) to a picture that the transfer owns.
  /// Then export all planes together or, if the format keeps_planes(), each separately, and call
  /// end_export().
  virtual Status begin_export(int reduction, ctv_format format, ctv_memory memory) = 0;
  virtual Status export_plane(int p, PlaneView<const Sample> plane) = 0;
  virtual Status export_planes(const ConstPlanes& planes) = 0;
  virtual Status end_export() { return {}; }
  /// The three calls above.
  Status export_picture(const ConstPlanes& planes, int reduction, ctv_format format, ctv_memory memory) {
    CTV_RETURN_IF_ERROR(begin_export(reduction, format, memory));
    CTV_RETURN_IF_ERROR(export_planes(planes));
    return end_export();
  }
  /// Waits for the export and sets format, extent, memory, data and stride. Valid until the next export.
  virtual Status finish(ctv_picture& picture) = 0;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// One scale of the wavelet pyramid, rows in and rows out.
#pragma once

#include <span>
#include <vector>

#include "codec/format/slope_grid.hpp"
#include "codec/util/types.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

/// Input and output of a wavelet scale. Called from several threads for different rows; a row may be read
/// twice. Rows of the picture are deinterleaved into even and odd columns, and a mask applies to both. Blocks
/// outside its mask are 0 when read, and may have any value when written. Masks of the picture include the
/// blocks that horizontal steps reach.
class WaveletRows {
 public:
  virtual ~WaveletRows() = default;
  virtual BlockMask read_picture(int row, Coefficient* even, Coefficient* odd) = 0;
  virtual void write_picture(int row, Coefficient* even, Coefficient* odd, BlockMask mask) = 0;
  /// orientation 0: lowpass, 1 HL, 2 LH, 3 HH. Only the wanted blocks need be read.
  virtual BlockMask read_band(int orientation, int row, Coefficient* band, BlockMask wanted) = 0;
  virtual void write_band(int orientation, int row, const Coefficient* band, BlockMask mask) = 0;
};

class Wavelet {
 public:
  /// picture: the largest extent of later calls; both extents are even.
  Wavelet(Pyramid kind, Extent picture, int threads);
  /// slopes: with the 9/7 only. wanted: per row pair, the needed blocks including those that horizontal steps
  /// reach; empty: all, as with slopes.
  void forward(Extent picture, WaveletRows& rows, SlopeView slopes = {});
  void inverse(Extent picture, WaveletRows& rows, SlopeView slopes = {},
               std::span<const BlockMask> wanted = {});

 private:
  struct Ring;
  Ring ring(int piece, Extent picture, BlockMask* masks) const;
  static void forward_piece_5_3(const Ring& ring, int begin, int end, WaveletRows& rows);
  static void inverse_piece_5_3(const Ring& ring, int begin, int end, WaveletRows& rows);
  void forward_piece_9_7(const Ring& ring, int begin, int end, WaveletRows& rows) const;
  void inverse_piece_9_7(const Ring& ring, int begin, int end, WaveletRows& rows) const;
  static void lift_rows_5_3(const Ring& ring, bool inverse, int r, bool first, bool second);
  static void lift_rows_9_7(const Ring& ring, bool inverse, int r, BlockMask wanted = kAllBlocks);
  static void lift_row_9_7(const Ring& ring, int step, bool inverse, int pair, int first,
                           BlockMask wanted = kAllBlocks);
  static void read_bands(const Ring& ring, int k, WaveletRows& rows, BlockMask wanted);
  static void write_bands(const Ring& ring, int k, WaveletRows& rows);
  void forward_piece_along(const Ring& ring, int begin, int end, SlopeView slopes, WaveletRows& rows) const;
  void inverse_piece_along(const Ring& ring, int begin, int end, SlopeView slopes, WaveletRows& rows) const;
  template <typename Body>
  void for_pieces(Extent picture, Body&& body) const;

  Pyramid kind_;
  int threads_;
  size_t piece_size_;  // elements in a piece's ring
  AlignedBuffer<Coefficient> buffer_;
};

}  // namespace ctv

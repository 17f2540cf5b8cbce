// SPDX-License-Identifier: BSD-3-Clause
// One scale of the Laplacian pyramid, rows in and rows out.
#pragma once

#include <cstdint>

#include "codec/util/types.hpp"
#include "cpu/runtime/aligned_buffer.hpp"
#include "cpu/transform/zero_blocks.hpp"

namespace ctv {

/// Input and output of a Laplacian scale. Called from several threads for different rows; a row may be read
/// more than once. Rows of the picture and of the band are deinterleaved into even and odd columns.
class LaplacianRows {
 public:
  virtual ~LaplacianRows() = default;
  virtual BlockMask read_picture(int row, Coefficient* even, Coefficient* odd) = 0;
  virtual void write_picture(int row, Coefficient* even, Coefficient* odd) = 0;
  virtual void read_band(int row, Coefficient* even, Coefficient* odd) = 0;
  virtual void write_band(int row, const Coefficient* even, const Coefficient* odd) = 0;
};

class Laplacian {
 public:
  /// picture: the largest extent of later calls; both extents are even.
  Laplacian(Extent picture, bool projection, int threads);
  /// Writes the lowpass, with half the picture's extent, and the band.
  void forward(Extent picture, LaplacianRows& rows, PlaneView<Coefficient> lowpass);
  /// Writes the picture. With projection, modifies the lowpass.
  void inverse(Extent picture, LaplacianRows& rows, PlaneView<Coefficient> lowpass);

 private:
  struct Rings;
  Rings rings(int piece, Extent picture) const;
  template <typename Read>
  void lowpass_piece(const Rings& rings, int begin, int end, bool subtract, PlaneView<Coefficient> lowpass,
                     Read&& read) const;
  template <typename Emit>
  void interpolate_piece(const Rings& rings, int begin, int end, PlaneView<Coefficient> lowpass,
                         Emit&& emit) const;
  template <typename Body>
  void for_pieces(Extent picture, Body&& body) const;

  bool projection_;
  int threads_;
  size_t wide_size_;   // elements in a piece's ring of sums
  size_t short_size_;  // elements in a piece's spare row
  AlignedBuffer<uint32_t> wide_;
  AlignedBuffer<Coefficient> short_;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the caller to padded planes, and planes to pictures in any format. Each row is read and written
// once: colour, chroma resampling and conversion to 16 bits are chained on pieces of a row that stay in the
// first-level cache.
#include <algorithm>
#include <new>

#include "codec/util/host_device.hpp"
#include "codec/util/memory_budget.hpp"
#include "codec/util/parallel.hpp"
#include "cpu/cpu_backend.hpp"
#include "cpu/picture/chroma.hpp"
#include "cpu/picture/colour.hpp"
#include "cpu/runtime/huge_pages.hpp"

namespace ctv {
namespace {

constexpr int kGrain = 16;  // rows of luma per task

/// Calls body(first, n) for the pieces of a row.
template <typename Body>
void for_pieces(int cols, Body&& body) {
  for (int first = 0; first < cols; first += kRowPiece) body(first, std::min(kRowPiece, cols - first));
}

/// Repeats the last column of rows [begin, end), and the last row if it is among them.
void pad(const PlaneView<Sample>& plane, Extent extent, int begin, int end) {
  for (int r = begin; r < end; ++r) {
    Sample* row = plane.row(r);
    std::fill(row + extent.cols, row + plane.cols, row[extent.cols - 1]);
  }
  if (end == extent.rows) {
    for (int r = end; r < plane.rows; ++r) std::copy_n(plane.row(end - 1), plane.cols, plane.row(r));
  }
}

struct Rows {
  const uint8_t* data;
  ptrdiff_t stride;
  const uint8_t* row(int r) const { return data + r * stride; }
};

class CpuPictureTransfer final : public PictureTransfer {
 public:
  CpuPictureTransfer(const PictureLayout& layout, int threads, StageTimes& times,
                     std::unique_ptr<uint8_t[]> bytes, Held held)
      : layout_(layout), threads_(threads), times_(times), held_(std::move(held)), bytes_(std::move(bytes)) {}

  Status upload(const ctv_picture& picture) override {
    if (picture.memory != CTV_MEMORY_HOST) {
      return {CTV_ERROR_UNSUPPORTED, "upload: the CPU backend reads host memory only"};
    }
    in_ = picture;
    return {};
  }

  Status place(const Planes& planes) override {
    StageTimer timer(times_, Stage::kColour);
    const ctv_picture& picture = in_;
    // RGB gives three planes together; the tasks of plane 0 are pairs of rows of the picture.
    parallel_nested(threads_, is_rgb(picture.format) ? 1 : layout_.planes, [&](int p) {
      const Extent extent = layout_.extent(p);
      const size_t i = static_cast<size_t>(p);
      parallel_ranges(threads_, extent.rows, kGrain, [&](int begin, int end) {
        if (is_rgb(picture.format)) {
          import_rgb(picture, planes, begin, end);
        } else {
          import_plane(picture, p, planes[i], begin, end);
          pad(planes[i], extent, begin, end);
        }
      });
    });
    return {};
  }

  Status begin_export(int reduction, ctv_format format, ctv_memory memory) override {
    if (memory != CTV_MEMORY_HOST) {
      return {CTV_ERROR_UNSUPPORTED, "begin_export: the CPU backend writes host memory only"};
    }
    if (format_planes(format) == 0) {
      return {CTV_ERROR_ARGUMENT, "begin_export: unknown format"};
    }
    lay_out(reduction, format);
    return {};
  }

  Status export_plane(int p, PlaneView<const Sample> plane) override {
    StageTimer timer(times_, Stage::kColour);
    parallel_ranges(threads_, plane.rows, kGrain, [&](int begin, int end) {
      for (int r = begin; r < end; ++r) put_row(p, r, 0, plane.cols, plane.row(r));
    });
    return {};
  }

  Status export_planes(const ConstPlanes& planes) override {
    StageTimer timer(times_, Stage::kColour);
    const ctv_format format = out_.format;
    // Subsampled chroma is computed from pairs of rows.
    parallel_ranges(threads_, out_.height, kGrain, [&](int begin, int end) {
      if (is_rgb(format)) {
        export_rgb(planes, begin, end);
      } else if (layout_.colour == ColourModel::kYcocgR && !is_gray(format)) {
        export_converted(planes, begin, end);
      } else {
        export_planar(planes, begin, end);
      }
    });
    return {};
  }

  Status finish(ctv_picture& picture) override {
    picture.format = out_.format;
    picture.width = out_.width;
    picture.height = out_.height;
    picture.memory = CTV_MEMORY_HOST;
    std::copy(std::begin(out_.data), std::end(out_.data), std::begin(picture.data));
    std::copy(std::begin(out_.stride), std::end(out_.stride), std::begin(picture.stride));
    picture.cuda_stream = nullptr;
    return {};
  }

 private:
  static Rows rows_of(const ctv_picture& picture, int plane) {
    return {static_cast<const uint8_t*>(picture.data[plane]), picture.stride[plane]};
  }

  void import_rgb(const ctv_picture& picture, const Planes& planes, int begin, int end) const {
    const Rows source = rows_of(picture, 0);
    const int channels = picture_format(picture.format).step;
    const int cols = layout_.width;
    const ChromaShift shift = layout_.chroma;
    if (shift.y == 0) {
      for (int r = begin; r < end; ++r) {
        rgb_to_ycocg_row(source.row(r), channels, cols, planes[0].row(r), planes[1].row(r), planes[2].row(r));
      }
    } else {
      Sample co[2][kRowPiece];
      Sample cg[2][kRowPiece];
      for (int r = begin; r < end; r += 2) {
        const int second = r + 1 < end ? 1 : 0;
        for_pieces(cols, [&](int first, int n) {
          for (int i = 0; i <= second; ++i) {
            rgb_to_ycocg_row(source.row(r + i) + first * channels, channels, n, planes[0].row(r + i) + first,
                             co[i], cg[i]);
          }
          subsample_2x2_row(co[0], co[second], n, planes[1].row(r / 2) + first / 2);
          subsample_2x2_row(cg[0], cg[second], n, planes[2].row(r / 2) + first / 2);
        });
      }
    }
    pad(planes[0], layout_.extent(0), begin, end);
    for (size_t p = 1; p < 3; ++p) {
      pad(planes[p], layout_.extent(1), begin >> shift.y, (end + shift.y) >> shift.y);
    }
  }

  void import_plane(const ctv_picture& picture, int p, const PlaneView<Sample>& plane, int begin,
                    int end) const {
    const PictureFormat format = picture_format(picture.format);
    const bool pairs = p > 0 && format.planes == 2;
    const Rows source = rows_of(picture, pairs ? 1 : p);
    const WordFormat words{format.bits, format.unused, pairs ? 2 : 1};
    const auto read = [&](int row, int first, int n, Sample* out) {
      if (format.bits == 8) return widen_row(source.row(row) + first, n, out);
      const int at = words.step * first + (pairs && p == 2 ? 1 : 0);
      read_words_row(source.row(row) + 2 * at, n, words, out);
    };
    const ChromaShift from = p == 0 ? ChromaShift{} : chroma_shift(picture.format);
    const ChromaShift to = p == 0 ? ChromaShift{} : layout_.chroma;
    const int source_cols = (layout_.width + from.x) >> from.x;
    const int source_rows = (layout_.height + from.y) >> from.y;
    const int cols = layout_.extent(p).cols;
    const bool fewer_cols = to.x > from.x;
    const bool fewer_rows = to.y > from.y;
    Sample rows[2][kRowPiece];
    for (int r = begin; r < end; ++r) {
      if (pairs && format.bits == 8) {
        for_pieces(cols, [&](int first, int n) {
          Sample* u = p == 1 ? plane.row(r) + first : rows[0];
          Sample* v = p == 2 ? plane.row(r) + first : rows[0];
          split_row(source.row(r) + 2 * first, n, u, v);
        });
      } else if (!fewer_rows && !fewer_cols) {
        read(r, 0, cols, plane.row(r));
      } else {
        const int upper = fewer_rows ? 2 * r : r;
        const int lower = fewer_rows ? std::min(2 * r + 1, source_rows - 1) : r;
        for_pieces(source_cols, [&](int first, int n) {
          Sample* out = plane.row(r) + (fewer_cols ? first / 2 : first);
          read(upper, first, n, rows[0]);
          if (fewer_rows) read(lower, first, n, rows[1]);
          if (!fewer_rows) {
            subsample_columns_row(rows[0], n, out);
          } else if (fewer_cols) {
            subsample_2x2_row(rows[0], rows[1], n, out);
          } else {
            subsample_rows_row(rows[0], rows[1], n, out);
          }
        });
      }
    }
  }

  /// Sets format, extent and addresses of the returned picture. Planes are contiguous.
  void lay_out(int reduction, ctv_format format) {
    out_ = {};
    out_.format = format;
    out_.width = (layout_.width + (1 << reduction) - 1) >> reduction;
    out_.height = (layout_.height + (1 << reduction) - 1) >> reduction;
    uint8_t* data = bytes_.get();
    for (int p = 0; p < format_planes(format); ++p) {
      out_.data[p] = data;
      out_.stride[p] = static_cast<ptrdiff_t>(plane_row_bytes(format, out_.width, p));
      data += out_.stride[p] * plane_rows(format, out_.height, p);
    }
  }

  uint8_t* out_row(int p, int r) const { return static_cast<uint8_t*>(out_.data[p]) + r * out_.stride[p]; }

  /// Writes n samples of plane p. second: whether they are the second ones of pairs.
  void put_row(int p, int r, int first, int n, const Sample* samples, bool second = false) const {
    const PictureFormat f = picture_format(out_.format);
    uint8_t* const to = out_row(p, r) + first * (p == 0 ? f.step : f.chroma_step);
    const WordFormat words{f.bits, f.unused, p > 0 && f.planes == 2 ? 2 : 1};
    if (f.bits == 8) return narrow_row(samples, n, layout_.shift(), to);
    const int offset = second ? 2 : 0;
    if (f.bits == layout_.bits) return write_words_row(samples, n, words, to + offset);
    Sample reduced[kRowPiece];
    for_pieces(n, [&](int begin, int count) {
      reduce_depth_row(samples + begin, count, f.bits, layout_.bits - f.bits, reduced);
      write_words_row(reduced, count, words, to + 2 * words.step * begin + offset);
    });
  }

  void put_chroma(int r, int first, int n, const Sample* u, const Sample* v) const {
    const PictureFormat f = picture_format(out_.format);
    if (f.planes == 3 || f.bits > 8) {
      put_row(1, r, first, n, u);
      put_row(f.planes == 3 ? 2 : 1, r, first, n, v, f.planes == 2);
    } else {
      merge_row(u, v, n, layout_.shift(), out_row(1, r) + 2 * first);
    }
  }

  /// Without colour conversion: luma rows [begin, end), and the chroma rows that begin there.
  void export_planar(const ConstPlanes& planes, int begin, int end) const {
    for (int r = begin; r < end; ++r) put_row(0, r, 0, out_.width, planes[0].row(r));
    if (is_gray(out_.format)) return;
    const ChromaShift to = chroma_shift(out_.format);
    const int cols = (out_.width + to.x) >> to.x;
    Sample u[kRowPiece];
    Sample v[kRowPiece];
    if (layout_.planes == 1) {
      const auto grey = static_cast<Sample>(128 << layout_.shift());
      std::fill(std::begin(u), std::end(u), grey);
      std::fill(std::begin(v), std::end(v), grey);
    }
    for (int r = begin >> to.y; r < (end + to.y) >> to.y; ++r) {
      if (layout_.planes > 1 && layout_.chroma.y == to.y && layout_.chroma.x == to.x) {
        put_chroma(r, 0, cols, planes[1].row(r), planes[2].row(r));
        continue;
      }
      for_pieces(cols, [&](int first, int n) {
        if (layout_.planes > 1) {
          resample_chroma(planes[1], layout_.chroma, to, r, first, n, u);
          resample_chroma(planes[2], layout_.chroma, to, r, first, n, v);
        }
        put_chroma(r, first, n, u, v);
      });
    }
  }

  void export_rgb(const ConstPlanes& planes, int begin, int end) const {
    const int channels = picture_format(out_.format).step;
    Sample y[kRowPiece];
    Sample u[kRowPiece];
    Sample v[kRowPiece];
    for (int r = begin; r < end; ++r) {
      for_pieces(out_.width, [&](int first, int n) {
        const Sample* luma = planes[0].row(r) + first;
        if (layout_.bits > 8) {
          reduce_depth_row(luma, n, 8, layout_.shift(), y);
          luma = y;
        }
        uint8_t* pixels = out_row(0, r) + first * channels;
        if (layout_.planes == 1) return gray_to_rgb_row(luma, n, channels, pixels);
        resample_chroma(planes[1], layout_.chroma, {0, 0}, r, first, n, u);
        resample_chroma(planes[2], layout_.chroma, {0, 0}, r, first, n, v);
        if (layout_.bits > 8) {
          reduce_depth_row(u, n, 8, layout_.shift(), u);
          reduce_depth_row(v, n, 8, layout_.shift(), v);
        }
        if (layout_.colour == ColourModel::kYcocgR) {
          ycocg_to_rgb_row(luma, u, v, n, channels, pixels);
        } else {
          ycbcr_to_rgb_row(layout_.ycbcr, luma, u, v, n, channels, pixels);
        }
      });
    }
  }

  /// YCoCg to YCbCr with any subsampling, by way of 4:4:4.
  void export_converted(const ConstPlanes& planes, int begin, int end) const {
    const ChromaShift to = chroma_shift(out_.format);
    Sample y[kRowPiece];
    Sample u[2][kRowPiece];
    Sample v[2][kRowPiece];
    for (int r = begin; r < end; r += 1 + to.y) {
      const int last = std::min(to.y, end - 1 - r);
      for_pieces(out_.width, [&](int first, int n) {
        for (int i = 0; i <= last; ++i) {
          resample_chroma(planes[1], layout_.chroma, {0, 0}, r + i, first, n, u[i]);
          resample_chroma(planes[2], layout_.chroma, {0, 0}, r + i, first, n, v[i]);
          ycocg_to_ycbcr_row(layout_.ycbcr, planes[0].row(r + i) + first, u[i], v[i], n, y, u[i], v[i]);
          put_row(0, r + i, first, n, y);
        }
        for (auto* c : {u, v}) {
          if (to.y > 0) {
            subsample_2x2_row(c[0], c[last], n, y);
            std::copy_n(y, (n + 1) / 2, c[0]);
          } else if (to.x > 0) {
            subsample_columns_row(c[0], n, y);
            std::copy_n(y, (n + 1) / 2, c[0]);
          }
        }
        put_chroma(r >> to.y, first >> to.x, (n + to.x) >> to.x, u[0], v[0]);
      });
    }
  }

  const PictureLayout layout_;
  const int threads_;
  StageTimes& times_;
  Held held_;
  std::unique_ptr<uint8_t[]> bytes_;  // enough for any format of the layout's bits
  ctv_picture in_{}, out_{};
};

}  // namespace

Result<std::unique_ptr<PictureTransfer>> make_cpu_picture_transfer(const PictureLayout& layout, int threads,
                                                                   StageTimes& times) {
  const size_t size =
      (layout.bits > 8 ? 6 : 4) * static_cast<size_t>(layout.width) * static_cast<size_t>(layout.height) + 4;
  Held held;
  CTV_RETURN_IF_ERROR(held.resize(size));
  std::unique_ptr<uint8_t[]> bytes(new (std::nothrow) uint8_t[size]);
  if (!bytes) return Status(CTV_ERROR_MEMORY, "make_picture_transfer: out of memory");
  prefer_huge_pages(bytes.get(), size);
  return std::unique_ptr<PictureTransfer>(
      std::make_unique<CpuPictureTransfer>(layout, threads, times, std::move(bytes), std::move(held)));
}

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// Pictures to planes and planes to pictures, sample by sample, from the documents and public headers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "codec/format/picture_layout.hpp"
#include "codec/util/types.hpp"

namespace ctv::reference {

/// rows x cols integers.
struct Table {
  int rows = 0, cols = 0;
  std::vector<int> v;
  Table() = default;
  Table(int r, int c) : rows(r), cols(c), v(static_cast<size_t>(r) * static_cast<size_t>(c)) {}
  int& at(int r, int c) {
    return v[static_cast<size_t>(std::clamp(r, 0, rows - 1)) * static_cast<size_t>(cols) +
             static_cast<size_t>(std::clamp(c, 0, cols - 1))];
  }
  int at(int r, int c) const { return const_cast<Table*>(this)->at(r, c); }
};
using Tables = std::array<Table, 3>;

inline int bits_of(ctv_format f) {
  if (f >= CTV_FORMAT_GRAY12) return 12;
  return f >= CTV_FORMAT_GRAY10 ? 10 : 8;
}
inline bool has_pairs(ctv_format f) { return f == CTV_FORMAT_NV12 || f == CTV_FORMAT_P010; }
/// Bytes from sample to sample of a plane in memory.
inline int channel_step(ctv_format f, int plane) {
  if (f == CTV_FORMAT_RGB8) return 3;
  if (f == CTV_FORMAT_RGBA8) return 4;
  return (bits_of(f) > 8 ? 2 : 1) * (has_pairs(f) && plane > 0 ? 2 : 1);
}
/// Address of sample (row, col) of a component of a picture.
inline const uint8_t* sample_at(const ctv_picture& p, int component, int row, int col) {
  int plane = component;
  int first = 0;
  if (is_rgb(p.format)) {
    plane = 0;
    first = component;
  } else if (has_pairs(p.format) && component > 0) {
    plane = 1;
    first = (component - 1) * channel_step(p.format, 1) / 2;
  }
  return static_cast<const uint8_t*>(p.data[plane]) + row * p.stride[plane] +
         col * channel_step(p.format, plane) + first;
}

/// Its value, at most the largest of the format.
inline int value_at(const ctv_picture& p, int component, int row, int col) {
  const uint8_t* const at = sample_at(p, component, row, col);
  const int bits = bits_of(p.format);
  if (bits == 8) return *at;
  const int word = at[0] + 256 * at[1];
  return std::min(p.format == CTV_FORMAT_P010 ? word / 64 : word, (1 << bits) - 1);
}

inline bool is_mono(ctv_format f) {
  return f == CTV_FORMAT_GRAY8 || f == CTV_FORMAT_GRAY10 || f == CTV_FORMAT_GRAY12;
}
inline int components(ctv_format f) { return is_mono(f) ? 1 : 3; }

/// The components of a picture, unconverted.
inline Tables read_picture(const ctv_picture& p) {
  Tables t;
  for (int i = 0; i < components(p.format); ++i) {
    const ChromaShift s = i == 0 ? ChromaShift{} : chroma_shift(p.format);
    t[static_cast<size_t>(i)] = Table((p.height + (1 << s.y) - 1) >> s.y, (p.width + (1 << s.x) - 1) >> s.x);
    Table& out = t[static_cast<size_t>(i)];
    for (int r = 0; r < out.rows; ++r) {
      for (int c = 0; c < out.cols; ++c) out.at(r, c) = value_at(p, i, r, c);
    }
  }
  return t;
}

inline int shift_down(int v, int bits) {
  return (v - (((v % (1 << bits)) + (1 << bits)) % (1 << bits))) / (1 << bits);
}

/// A chroma plane with another subsampling.
inline Table resample(const Table& in, ChromaShift from, ChromaShift to, int rows, int cols) {
  Table out(rows, cols);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      // The nearest chroma sample, and its neighbour on the other side of the pixel; Table::at clamps
      // positions.
      const int near_r = r >> 1, near_c = c >> 1;
      const int side_r = near_r + (r % 2 == 0 ? -1 : 1), side_c = near_c + (c % 2 == 0 ? -1 : 1);
      int v = 0;
      if (from.y == to.y && from.x == to.x) {
        v = in.at(r, c);
      } else if (from.y > to.y && from.x > to.x) {
        v = shift_down(9 * in.at(near_r, near_c) + 3 * in.at(near_r, side_c) + 3 * in.at(side_r, near_c) +
                           in.at(side_r, side_c) + 8,
                       4);
      } else if (from.y > to.y) {
        v = shift_down(3 * in.at(near_r, c) + in.at(side_r, c) + 2, 2);
      } else if (from.x > to.x) {
        v = shift_down(3 * in.at(r, near_c) + in.at(r, side_c) + 2, 2);
      } else if (from.y < to.y && from.x < to.x) {
        v = shift_down(in.at(2 * r, 2 * c) + in.at(2 * r, 2 * c + 1) + in.at(2 * r + 1, 2 * c) +
                           in.at(2 * r + 1, 2 * c + 1) + 2,
                       2);
      } else if (from.y < to.y) {
        v = shift_down(in.at(2 * r, c) + in.at(2 * r + 1, c) + 1, 1);
      } else {
        v = shift_down(in.at(r, 2 * c) + in.at(r, 2 * c + 1) + 1, 1);
      }
      out.at(r, c) = v;
    }
  }
  return out;
}

/// The planes of a picture, in true extents.
inline Tables import_picture(const ctv_picture& picture, const PictureLayout& layout) {
  Tables t = read_picture(picture);
  if (is_rgb(picture.format)) {
    Tables rgb = t;
    for (int r = 0; r < picture.height; ++r) {
      for (int c = 0; c < picture.width; ++c) {
        const int red = rgb[0].at(r, c), green = rgb[1].at(r, c), blue = rgb[2].at(r, c);
        const int co = red - blue;
        const int half = blue + shift_down(co, 1);
        const int cg = green - half;
        t[0].at(r, c) = half + shift_down(cg, 1);
        t[1].at(r, c) = co;
        t[2].at(r, c) = cg;
      }
    }
  }
  for (size_t i = 1; i < static_cast<size_t>(layout.planes); ++i) {
    const Extent e = layout.extent(1);
    t[i] = resample(t[i], chroma_shift(picture.format), layout.chroma, e.rows, e.cols);
  }
  return t;
}

/// A sample of bits + down bits with `bits` bits.
inline int reduced(int v, int bits, int down) {
  return std::clamp(shift_down(v + (down == 0 ? 0 : 1 << (down - 1)), down), 0, (1 << bits) - 1);
}
inline int byte(int v) { return reduced(v, 8, 0); }

/// The components of the picture that planes give.
inline Tables export_picture(const Tables& planes, const PictureLayout& layout, ctv_format format) {
  const int rows = planes[0].rows, cols = planes[0].cols;
  Tables full = planes;  // 4:4:4
  for (size_t i = 1; i < 3; ++i) {
    full[i] = layout.planes == 1 ? Table(rows, cols) : resample(planes[i], layout.chroma, {0, 0}, rows, cols);
  }
  Tables out = full;
  const bool to_rgb = is_rgb(format);
  const int deeper = layout.bits - 8;
  const bool from_rgb = layout.colour == ColourModel::kYcocgR;
  const YcbcrMatrix& m = layout.ycbcr;
  const ChromaShift to = chroma_shift(format);
  const int chroma_rows = (rows + to.y) >> to.y, chroma_cols = (cols + to.x) >> to.x;
  if (to_rgb || (from_rgb && !is_mono(format))) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        const auto value = [&](size_t i) {
          return deeper == 0 ? full[i].at(r, c) : reduced(full[i].at(r, c), 8, deeper);
        };
        const int a = value(0), b = value(1), d = value(2);
        int red = a, green = a, blue = a;
        if (from_rgb) {
          const int half = a - shift_down(d, 1);
          green = d + half;
          blue = half - shift_down(b, 1);
          red = blue + b;
        } else if (layout.planes == 3) {
          const int luma = m.luma * (a - m.black) + 128;
          red = shift_down(luma + m.r_cr * (d - 128), 8);
          green = shift_down(luma - m.g_cb * (b - 128) - m.g_cr * (d - 128), 8);
          blue = shift_down(luma + m.b_cb * (b - 128), 8);
        }
        red = byte(red);
        green = byte(green);
        blue = byte(blue);
        const auto of = [&](int kr, int kg, int kb) {
          return shift_down(kr * red + kg * green + kb * blue + 128, 8);
        };
        out[0].at(r, c) = to_rgb ? red : m.black + of(m.y_r, m.y_g, m.y_b);
        out[1].at(r, c) = to_rgb ? green : byte(128 + of(m.cb_r, m.cb_g, m.cb_b));
        out[2].at(r, c) = to_rgb ? blue : byte(128 + of(m.cr_r, m.cr_g, m.cr_b));
      }
    }
    if (!to_rgb) {
      for (size_t i = 1; i < 3; ++i) out[i] = resample(out[i], {0, 0}, to, chroma_rows, chroma_cols);
    }
    return out;
  }
  for (size_t i = 1; i < 3; ++i) {
    out[i] = Table(chroma_rows, chroma_cols);
    if (layout.planes == 1) {
      std::fill(out[i].v.begin(), out[i].v.end(), 128 << deeper);
    } else {
      out[i] = resample(planes[i], layout.chroma, to, chroma_rows, chroma_cols);
    }
  }
  for (Table& t : out) {
    for (int& v : t.v) v = reduced(v, bits_of(format), layout.bits - bits_of(format));
  }
  return out;
}

}  // namespace ctv::reference

// SPDX-License-Identifier: BSD-3-Clause
// Pictures in and out: every format, every coded shape, odd extents, strides of either sign.
#include <gtest/gtest.h>

#include "tests/reference/picture.hpp"
#include "tests/support/backend_plane.hpp"
#include "tests/support/guarded_plane.hpp"

namespace {

using namespace ctv;
using test::BackendPlane;
using test::ok;

constexpr ctv_format kFormats[] = {CTV_FORMAT_GRAY8, CTV_FORMAT_I420,  CTV_FORMAT_I422, CTV_FORMAT_I444,
                                   CTV_FORMAT_RGB8,  CTV_FORMAT_RGBA8, CTV_FORMAT_NV12};
constexpr ctv_format kDeepFormats[] = {CTV_FORMAT_GRAY10,  CTV_FORMAT_I420_10, CTV_FORMAT_I422_10,
                                       CTV_FORMAT_I444_10, CTV_FORMAT_P010,    CTV_FORMAT_GRAY12,
                                       CTV_FORMAT_I420_12, CTV_FORMAT_I422_12, CTV_FORMAT_I444_12};

/// A picture with its bytes; stride wider than the rows, and upside down in memory if asked.
struct Source {
  ctv_picture picture{};
  std::array<std::vector<uint8_t>, 3> bytes;
};

Source make_source(ctv_format format, Extent extent, bool upside_down, uint64_t seed) {
  Source s;
  s.picture.struct_size = sizeof s.picture;
  s.picture.format = format;
  s.picture.width = extent.cols;
  s.picture.height = extent.rows;
  test::Random random(seed);
  const ChromaShift shift = chroma_shift(format);
  const int planes =
      reference::is_mono(format) || is_rgb(format) ? 1 : (reference::has_pairs(format) ? 2 : 3);
  for (int p = 0; p < planes; ++p) {
    const size_t i = static_cast<size_t>(p);
    const int cols = p == 0 ? extent.cols : (extent.cols + shift.x) >> shift.x;
    const int rows = p == 0 ? extent.rows : (extent.rows + shift.y) >> shift.y;
    const int stride = cols * reference::channel_step(format, p) + 3 * p;
    s.bytes[i].resize(static_cast<size_t>(stride * rows));
    // Extremes are as likely as everything between.
    for (uint8_t& b : s.bytes[i]) {
      const int kind = random.between(0, 3);
      b = kind == 0 ? uint8_t{0} : (kind == 1 ? uint8_t{255} : random.byte());
    }
    s.picture.data[i] = s.bytes[i].data() + (upside_down ? stride * (rows - 1) : 0);
    s.picture.stride[i] = upside_down ? -stride : stride;
  }
  return s;
}

PictureLayout make_picture_layout(ctv_format format, Extent extent, bool quarter_chroma) {
  PictureLayout layout;
  layout.source = source_format(format);
  layout.bits = reference::bits_of(format);
  layout.width = extent.cols;
  layout.height = extent.rows;
  layout.colour = is_rgb(format) ? ColourModel::kYcocgR : ColourModel::kAsIs;
  layout.planes = reference::components(format);
  layout.chroma = quarter_chroma && layout.planes == 3 ? ChromaShift{1, 1} : chroma_shift(format);
  TransformParameters t;
  t.scales = 3;
  for (int p = 0; p < layout.planes; ++p)
    layout.subbands[static_cast<size_t>(p)] = make_layout(t, layout.extent(p));
  return layout;
}

class Colour : public test::BackendTest {
 protected:
  void check_import(ctv_format format, Extent extent, bool quarter_chroma, bool upside_down) {
    const PictureLayout layout = make_picture_layout(format, extent, quarter_chroma);
    const Source source = make_source(format, extent, upside_down, 1);
    auto transfer = backend().make_picture_transfer(layout);
    ASSERT_TRUE(ok(transfer));
    std::vector<BackendPlane> planes;
    Planes views;
    for (int p = 0; p < layout.planes; ++p) {
      const size_t i = static_cast<size_t>(p);
      planes.emplace_back(backend(), layout.subbands[i].padded);
      views[i] = planes[i].view();
    }
    ASSERT_TRUE(ok((*transfer)->import_picture(source.picture, views)));
    ASSERT_TRUE(ok(backend().synchronize()));
    const reference::Tables expected = reference::import_picture(source.picture, layout);
    for (size_t i = 0; i < planes.size(); ++i) {
      planes[i].download();
      EXPECT_TRUE(planes[i].intact());
      for (int r = 0; r < planes[i].rows(); ++r) {
        for (int c = 0; c < planes[i].cols(); ++c) {
          ASSERT_EQ(planes[i].at(r, c), expected[i].at(r, c)) << "plane " << i << " at " << r << ", " << c;
        }
      }
    }
  }

  void check_export(ctv_format coded, Extent extent, bool quarter_chroma, int reduction, ctv_format format,
                    const YcbcrMatrix& matrix = kBt601) {
    PictureLayout layout = make_picture_layout(coded, extent, quarter_chroma);
    layout.ycbcr = matrix;
    auto transfer = backend().make_picture_transfer(layout);
    ASSERT_TRUE(ok(transfer));
    std::vector<BackendPlane> planes;
    ConstPlanes views;
    reference::Tables tables;
    for (int p = 0; p < layout.planes; ++p) {
      const size_t i = static_cast<size_t>(p);
      const Extent reduced = layout.subbands[i].reduced(reduction);
      planes.emplace_back(backend(), reduced, layout.range(p).lo, layout.range(p).hi, 7 + i);
      views[i] = planes[i].const_view();
      tables[i] = reference::Table(reduced.rows, reduced.cols);
      for (int r = 0; r < reduced.rows; ++r) {
        for (int c = 0; c < reduced.cols; ++c) tables[i].at(r, c) = planes[i].at(r, c);
      }
    }
    ASSERT_TRUE(ok((*transfer)->export_picture(views, reduction, format, CTV_MEMORY_HOST)));
    ctv_picture picture{};
    picture.struct_size = sizeof picture;
    ASSERT_TRUE(ok((*transfer)->finish(picture)));
    ASSERT_EQ(picture.format, format);
    ASSERT_EQ(picture.width, tables[0].cols);
    ASSERT_EQ(picture.height, tables[0].rows);
    ASSERT_EQ(picture.memory, CTV_MEMORY_HOST);
    const reference::Tables expected = reference::export_picture(tables, layout, format);
    const reference::Tables got = reference::read_picture(picture);
    for (int i = 0; i < reference::components(format); ++i) {
      const size_t k = static_cast<size_t>(i);
      ASSERT_EQ(got[k].rows, expected[k].rows);
      ASSERT_EQ(got[k].cols, expected[k].cols);
      ASSERT_EQ(got[k].v, expected[k].v) << "component " << i;
    }
    if (format == CTV_FORMAT_RGBA8) {
      for (int r = 0; r < picture.height; ++r) {
        for (int c = 0; c < picture.width; ++c) ASSERT_EQ(reference::sample_at(picture, 0, r, c)[3], 255);
      }
    }
  }
};

TEST_P(Colour, ImportsEveryFormat) {
  for (const Extent extent : test::odd_extents()) {
    for (const ctv_format format : kFormats) {
      for (const bool quarter : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << extent.rows << "x" << extent.cols << " format " << format << " quarter " << quarter);
        check_import(format, extent, quarter, false);
        check_import(format, extent, quarter, true);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Colour, ExportsEveryFormat) {
  for (const Extent extent : test::odd_extents()) {
    for (const ctv_format coded :
         {CTV_FORMAT_GRAY8, CTV_FORMAT_I420, CTV_FORMAT_I422, CTV_FORMAT_I444, CTV_FORMAT_RGB8}) {
      for (const ctv_format format : kFormats) {
        for (const int reduction : {0, 1, 3}) {
          SCOPED_TRACE(testing::Message() << extent.rows << "x" << extent.cols << " coded as " << coded
                                          << " wanted " << format << " reduction " << reduction);
          check_export(coded, extent, false, reduction, format);
          check_export(coded, extent, true, reduction, format);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(Colour, ImportsDeepFormats) {
  for (const Extent extent : test::odd_extents()) {
    for (const ctv_format format : kDeepFormats) {
      for (const bool quarter : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << extent.rows << "x" << extent.cols << " format " << format << " quarter " << quarter);
        check_import(format, extent, quarter, quarter);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (const ctv_format format : kDeepFormats) check_import(format, {6, 1536}, true, false);
}

// As they are, with fewer bits, and converted.
TEST_P(Colour, ExportsDeepFormats) {
  for (const ctv_format coded : kDeepFormats) {
    if (coded == CTV_FORMAT_P010) continue;
    std::vector<ctv_format> wanted(std::begin(kFormats), std::end(kFormats));
    wanted.insert(wanted.end(), std::begin(kDeepFormats), std::end(kDeepFormats));
    for (const ctv_format format : wanted) {
      if (reference::bits_of(format) > reference::bits_of(coded)) continue;
      SCOPED_TRACE(testing::Message() << "coded as " << coded << " wanted " << format);
      check_export(coded, {17, 33}, false, 0, format);
      check_export(coded, {9, 35}, true, 1, format);
      check_export(coded, {3, 1536}, false, 0, format);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Colour, ConvertsByAnyMatrix) {
  for (const bool full : {false, true}) {
    for (const double kr : {0.2126, 0.2627}) {
      const YcbcrMatrix matrix = make_ycbcr_matrix(kr, kr - 0.15, full);
      for (const ctv_format format : kFormats) {
        check_export(CTV_FORMAT_I420, {13, 35}, true, 0, format, matrix);
        check_export(CTV_FORMAT_RGB8, {13, 35}, false, 0, format, matrix);
      }
    }
  }
}

TEST_P(Colour, TakesRowsLongerThanAPiece) {
  for (const ctv_format format : kFormats) {
    check_import(format, {6, 1537}, true, false);
    check_export(format == CTV_FORMAT_RGBA8 ? CTV_FORMAT_RGB8 : CTV_FORMAT_I420, {6, 1537}, true, 0, format);
    check_export(CTV_FORMAT_RGB8, {35, 1100}, true, 0, format);
    check_export(CTV_FORMAT_RGB8, {9, 1088}, true, 0, format);  // rows of whole words
  }
}

TEST_P(Colour, RgbComesBack) {
  const Extent extent{33, 70};
  const PictureLayout layout = make_picture_layout(CTV_FORMAT_RGB8, extent, false);
  const Source source = make_source(CTV_FORMAT_RGB8, extent, false, 3);
  auto transfer = backend().make_picture_transfer(layout);
  ASSERT_TRUE(ok(transfer));
  std::vector<BackendPlane> planes;
  Planes views;
  ConstPlanes cropped;
  for (size_t i = 0; i < 3; ++i) {
    planes.emplace_back(backend(), layout.subbands[i].padded);
    views[i] = planes[i].view();
    cropped[i] = views[i].crop(extent.rows, extent.cols);
  }
  ASSERT_TRUE(ok((*transfer)->import_picture(source.picture, views)));
  ASSERT_TRUE(ok((*transfer)->export_picture(cropped, 0, CTV_FORMAT_RGB8, CTV_MEMORY_HOST)));
  ctv_picture picture{};
  ASSERT_TRUE(ok((*transfer)->finish(picture)));
  const reference::Tables a = reference::read_picture(source.picture);
  const reference::Tables b = reference::read_picture(picture);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(a[i].v, b[i].v);
}

CTV_FOR_EACH_BACKEND(Colour);

}  // namespace

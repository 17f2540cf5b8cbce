// SPDX-License-Identifier: BSD-3-Clause
// Pictures in and out of the CUDA backend are those of the CPU backend: every format, chroma kept or at a
// quarter, every reduction.
#include <gtest/gtest.h>

#include <ctv/ctv.h>

#include <algorithm>
#include <memory>

#include "tests/cuda/equality.hpp"
#include "tests/support/transform_cases.hpp"

namespace ctv::test {
namespace {

using CudaPictures = CudaEquality;

PictureLayout picture_layout(ctv_format source, bool quarter_chroma, Extent extent, int levels) {
  PictureLayout layout;
  layout.source = source;
  layout.width = extent.cols;
  layout.height = extent.rows;
  layout.colour = is_rgb(source) ? ColourModel::kYcocgR : ColourModel::kAsIs;
  layout.planes = source == CTV_FORMAT_GRAY8 ? 1 : 3;
  layout.chroma = quarter_chroma && layout.planes == 3 ? ChromaShift{1, 1} : chroma_shift(source);
  for (int p = 0; p < layout.planes; ++p) {
    layout.subbands[static_cast<size_t>(p)] =
        make_layout(transform_of(Pyramid::kWavelet5_3, levels, {0}), layout.extent(p));
  }
  return layout;
}

struct HostPicture {
  ctv_picture picture{};
  std::vector<uint8_t> bytes;

  HostPicture(ctv_format format, Extent extent, uint64_t seed) {
    picture.struct_size = sizeof picture;
    picture.format = format;
    picture.width = extent.cols;
    picture.height = extent.rows;
    size_t offsets[3] = {};
    for (int p = 0; p < 3; ++p) {
      const size_t row = ctv_plane_row_bytes(format, extent.cols, p);
      if (row == 0) continue;
      picture.stride[p] = static_cast<ptrdiff_t>(row) + 3;
      offsets[p] = bytes.size();
      bytes.resize(bytes.size() +
                   static_cast<size_t>(picture.stride[p]) * ctv_plane_rows(format, extent.rows, p));
    }
    Random random(seed);
    for (uint8_t& b : bytes) b = random.byte();
    for (int p = 0; p < 3; ++p) {
      if (picture.stride[p] != 0) picture.data[p] = bytes.data() + offsets[p];
    }
    // Bottom up, as some programs have it.
    picture.data[0] = bytes.data() + picture.stride[0] * (extent.rows - 1);
    picture.stride[0] = -picture.stride[0];
  }
};

std::vector<uint8_t> packed(const ctv_picture& picture) {
  std::vector<uint8_t> out;
  for (int p = 0; p < 3; ++p) {
    const size_t row = ctv_plane_row_bytes(picture.format, picture.width, p);
    for (size_t r = 0; row != 0 && r < ctv_plane_rows(picture.format, picture.height, p); ++r) {
      const auto* from =
          static_cast<const uint8_t*>(picture.data[p]) + static_cast<ptrdiff_t>(r) * picture.stride[p];
      out.insert(out.end(), from, from + row);
    }
  }
  return out;
}

TEST_F(CudaPictures, In) {
  for (const Extent extent : all_extents()) {
    for (int f = CTV_FORMAT_GRAY8; f <= CTV_FORMAT_NV12; ++f) {
      const auto format = static_cast<ctv_format>(f);
      for (const bool quarter : {false, true}) {
        const uint64_t seed = next_seed();
        SCOPED_TRACE(text(extent) + " format " + std::to_string(f) + (quarter ? " quarter" : "") + " seed " +
                     std::to_string(seed));
        const PictureLayout layout = picture_layout(format, quarter, extent, between(1, 4));
        std::vector<std::vector<int16_t>> results[2];
        for (size_t b = 0; b < 2; ++b) {
          Backend& backend = *both()[b];
          auto transfer = backend.make_picture_transfer(layout);
          ASSERT_TRUE(ok(transfer));
          std::vector<std::unique_ptr<BackendPlane>> planes;
          Planes views;
          for (int p = 0; p < layout.planes; ++p) {
            const auto i = static_cast<size_t>(p);
            planes.push_back(std::make_unique<BackendPlane>(backend, layout.subbands[i].padded));
            views[i] = planes[i]->view();
          }
          for (int repeat = 0; repeat < 2; ++repeat) {
            HostPicture picture(format, extent, seed + static_cast<uint64_t>(repeat));
            ASSERT_TRUE(ok((*transfer)->import_picture(picture.picture, views)));
            std::fill(picture.bytes.begin(), picture.bytes.end(),
                      uint8_t{77});  // ours again when the call returns
          }
          for (auto& plane : planes) {
            plane->download();
            EXPECT_TRUE(plane->intact());
            results[b].push_back(row_of(*plane));
          }
        }
        ASSERT_EQ(results[0], results[1]);
      }
    }
  }
}

TEST_F(CudaPictures, Out) {
  for (const Extent extent : all_extents()) {
    for (int source = CTV_FORMAT_GRAY8; source <= CTV_FORMAT_RGB8; ++source) {
      for (const bool quarter : {false, true}) {
        const PictureLayout layout = picture_layout(static_cast<ctv_format>(source), quarter, extent, 3);
        const uint64_t seed = next_seed();
        for (int reduction = 0; reduction <= (extent.area() > 1000000 ? 0 : 3); ++reduction) {
          std::vector<std::vector<uint8_t>> results[2];
          for (size_t b = 0; b < 2; ++b) {
            Backend& backend = *both()[b];
            auto transfer = backend.make_picture_transfer(layout);
            ASSERT_TRUE(ok(transfer));
            std::vector<std::unique_ptr<BackendPlane>> planes;
            ConstPlanes views;
            for (int p = 0; p < layout.planes; ++p) {
              const auto i = static_cast<size_t>(p);
              const SampleRange range = layout.range(p);
              const Extent reduced = layout.subbands[i].reduced(reduction);
              planes.push_back(
                  std::make_unique<BackendPlane>(backend, reduced, range.lo, range.hi, seed + i));
              views[i] = planes[i]->const_view();
            }
            for (int format = CTV_FORMAT_GRAY8; format <= CTV_FORMAT_NV12; ++format) {
              ASSERT_TRUE(ok((*transfer)->export_picture(views, reduction, static_cast<ctv_format>(format),
                                                         CTV_MEMORY_HOST)));
              ctv_picture picture{};
              ASSERT_TRUE(ok((*transfer)->finish(picture)));
              results[b].push_back(packed(picture));
            }
          }
          for (size_t i = 0; i < results[0].size(); ++i) {
            ASSERT_EQ(results[0][i], results[1][i])
                << text(extent) << " source " << source << (quarter ? " quarter" : "") << " reduction "
                << reduction << " format " << i + 1 << " seed " << seed;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ctv::test

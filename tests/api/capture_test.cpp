// SPDX-License-Identifier: BSD-3-Clause
// Formats of cameras and screens: the bytes are those of the same samples in another arrangement.
#include <ctv/simulcast.h>
#include <gtest/gtest.h>

#include <ctv/ctv.hpp>
#include <vector>

#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

/// A picture with rows further apart than they are long.
struct Samples {
  Samples(ctv_format format, int width, int height) {
    picture.struct_size = sizeof picture;
    picture.format = format, picture.width = width, picture.height = height;
    for (int p = 0; p < 3 && ctv_plane_rows(format, height, p) > 0; ++p) {
      stride[p] = ctv_plane_row_bytes(format, width, p) + 5;
      bytes[p].resize(stride[p] * ctv_plane_rows(format, height, p));
      picture.data[p] = bytes[p].data();
      picture.stride[p] = static_cast<ptrdiff_t>(stride[p]);
    }
  }
  uint8_t& at(int plane, int row, int byte) {
    return bytes[plane][static_cast<size_t>(row) * stride[plane] + static_cast<size_t>(byte)];
  }
  ctv_picture picture{};
  size_t stride[3] = {};
  std::vector<uint8_t> bytes[3];
};

constexpr ctv_format kCaptured[] = {CTV_FORMAT_BGR8, CTV_FORMAT_BGRA8, CTV_FORMAT_NV21, CTV_FORMAT_YUY2,
                                    CTV_FORMAT_UYVY};

ctv_format plain_of(ctv_format captured) {
  if (captured == CTV_FORMAT_NV21) return CTV_FORMAT_I420;
  return captured == CTV_FORMAT_YUY2 || captured == CTV_FORMAT_UYVY ? CTV_FORMAT_I422 : CTV_FORMAT_RGB8;
}

/// The samples of a plain picture, arranged as the header of the library says.
Samples captured_as(ctv_format format, Samples& plain) {
  const int width = plain.picture.width, height = plain.picture.height;
  Samples s(format, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      switch (format) {
        case CTV_FORMAT_BGR8:
        case CTV_FORMAT_BGRA8:
          for (int c = 0; c < 3; ++c)
            s.at(0, y, (format == CTV_FORMAT_BGR8 ? 3 : 4) * x + 2 - c) = plain.at(0, y, 3 * x + c);
          break;
        case CTV_FORMAT_NV21:
          s.at(0, y, x) = plain.at(0, y, x);
          s.at(1, y / 2, x / 2 * 2) = plain.at(2, y / 2, x / 2);
          s.at(1, y / 2, x / 2 * 2 + 1) = plain.at(1, y / 2, x / 2);
          break;
        case CTV_FORMAT_YUY2:
          s.at(0, y, 2 * x) = plain.at(0, y, x);
          s.at(0, y, x / 2 * 4 + 1) = plain.at(1, y, x / 2);
          s.at(0, y, x / 2 * 4 + 3) = plain.at(2, y, x / 2);
          break;
        default:
          s.at(0, y, 2 * x + 1) = plain.at(0, y, x);
          s.at(0, y, x / 2 * 4) = plain.at(1, y, x / 2);
          s.at(0, y, x / 2 * 4 + 2) = plain.at(2, y, x / 2);
      }
    }
  }
  return s;
}

Config config_of(const ctv_picture& picture, int frames_in_flight = 1) {
  Config config("fastest");
  config.width = picture.width, config.height = picture.height, config.format = picture.format;
  config.backend = CTV_BACKEND_CPU;
  config.frames_in_flight = frames_in_flight;
  return config;
}

std::vector<uint8_t> encoded(const std::vector<Samples>& clip, int frames_in_flight) {
  Encoder encoder(config_of(clip[0].picture, frames_in_flight));
  const auto header = encoder.header().bytes();
  std::vector<uint8_t> stream(header.begin(), header.end());
  const auto receive = [&] {
    while (const auto packet = encoder.receive())
      stream.insert(stream.end(), packet->bytes().begin(), packet->bytes().end());
  };
  for (const Samples& s : clip) {
    ctv_picture picture = s.picture;
    while (!encoder.send(picture)) receive();
  }
  encoder.flush();
  receive();
  return stream;
}

TEST(Capture, PicturesGiveTheBytesOfTheirSamples) {
  for (const ctv_format format : kCaptured) {
    for (const auto& [width, height] : {std::pair{33, 17}, {64, 48}, {1, 1}}) {
      Random random(width);
      std::vector<Samples> plain, captured;
      for (int n = 0; n < 3; ++n) {
        plain.emplace_back(plain_of(format), width, height);
        for (auto& plane : plain.back().bytes)
          for (uint8_t& byte : plane) byte = random.byte();
        captured.push_back(captured_as(format, plain.back()));
      }
      for (const int in_flight : {1, 3})
        EXPECT_EQ(encoded(captured, in_flight), encoded(plain, in_flight))
            << format << " " << width << "x" << height;
      // Bottom up.
      for (Samples& s : captured) {
        for (int p = 0; p < 3 && s.stride[p] > 0; ++p) {
          const auto rows = static_cast<ptrdiff_t>(ctv_plane_rows(format, height, p));
          std::vector<uint8_t> turned(s.bytes[p].size());
          for (ptrdiff_t r = 0; r < rows; ++r)
            std::copy_n(s.bytes[p].begin() + r * s.picture.stride[p], s.stride[p],
                        turned.begin() + (rows - 1 - r) * s.picture.stride[p]);
          s.bytes[p] = turned;
          s.picture.data[p] = s.bytes[p].data() + (rows - 1) * s.picture.stride[p];
          s.picture.stride[p] = -s.picture.stride[p];
        }
      }
      EXPECT_EQ(encoded(captured, 1), encoded(plain, 1)) << format << " bottom up";
    }
  }
}

TEST(Capture, WhatCannotBeIsRefused) {
  EXPECT_EQ(ctv_plane_row_bytes(CTV_FORMAT_YUY2, 33, 0), 68U);
  EXPECT_EQ(ctv_plane_row_bytes(CTV_FORMAT_UYVY, 64, 0), 128U);
  for (const ctv_format format : kCaptured) {
    ctv_decoder_config decoder_config;
    ctv_decoder_config_init(&decoder_config);
    decoder_config.format = format;
    ctv_decoder* decoder = nullptr;
    EXPECT_EQ(ctv_decoder_open(&decoder_config, &decoder), CTV_ERROR_ARGUMENT);
    Samples s(format, 32, 32);
    Encoder encoder(config_of(s.picture));
    ctv_picture picture = s.picture;
    picture.memory = CTV_MEMORY_CUDA;
    EXPECT_THROW((void)encoder.send(picture), Error);
    picture = s.picture;
    picture.stride[0] = static_cast<ptrdiff_t>(ctv_plane_row_bytes(format, 32, 0)) - 1;
    EXPECT_THROW((void)encoder.send(picture), Error);
  }
  for (const ctv_format format : {CTV_FORMAT_YUY2, CTV_FORMAT_BGRA8}) {
    Samples s(format, 32, 32);
    const Config config = config_of(s.picture);
    ctv_simulcast* sizes = nullptr;
    ASSERT_EQ(ctv_simulcast_open(&config, nullptr, 2, &sizes), CTV_OK) << ctv_last_error();
    EXPECT_EQ(ctv_simulcast_send(sizes, &s.picture),
              format == CTV_FORMAT_YUY2 ? CTV_ERROR_UNSUPPORTED : CTV_OK);
    ctv_simulcast_close(sizes);
  }
  Config other("fastest");
  other.width = other.height = 32, other.format = CTV_FORMAT_I420, other.backend = CTV_BACKEND_CPU;
  Encoder encoder(other);
  EXPECT_THROW((void)encoder.send(Samples(CTV_FORMAT_BGRA8, 32, 32).picture), Error);
}

}  // namespace
}  // namespace ctv::test

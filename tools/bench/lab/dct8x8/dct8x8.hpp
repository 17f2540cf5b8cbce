// SPDX-License-Identifier: BSD-3-Clause
// DCT 8x8 of a grey image, quantisation and inverse DCT, as in Obukhov and Kharlamov, "Discrete Cosine
// Transform for 8x8 Blocks with CUDA" (NVIDIA 2008): its two float variants. The paper does not print its
// quantisation table; here it is that of JPEG (ITU-T T.81, Table K.1).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ctv::lab {

struct GrayImage {
  int width = 0, height = 0;
  std::vector<uint8_t> samples;  // [height][width]
};

enum class DctVariant {
  kDefinition,  // two products of 8x8 matrices (equation 7), float
  kSeparable    // eight-point transforms of rows and columns (equation 10), float
};

/// Steps of the coefficients, rows of rising vertical frequency (ITU-T T.81, Table K.1).
inline constexpr std::array<int, 64> kQuantiserSteps = {16, 11, 10, 16, 24,  40,  51,  61,   //
                                                        12, 12, 14, 19, 26,  58,  60,  55,   //
                                                        14, 13, 16, 24, 40,  57,  69,  56,   //
                                                        14, 17, 22, 29, 51,  87,  80,  62,   //
                                                        18, 22, 37, 56, 68,  109, 103, 77,   //
                                                        24, 35, 55, 64, 81,  104, 113, 92,   //
                                                        49, 64, 78, 87, 103, 121, 120, 101,  //
                                                        72, 92, 95, 98, 112, 100, 103, 99};

/// The paper's "gold": block after block on one core, plain loops. Extents must be multiples of 8.
GrayImage dct8x8_on_cpu(DctVariant variant, const GrayImage& image);

/// 20 log10(255 / sqrt(MSE)), equations 11 and 12; infinite for equal images, which must be of one extent.
double psnr(const GrayImage& a, const GrayImage& b);

}  // namespace ctv::lab

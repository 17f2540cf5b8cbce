// SPDX-License-Identifier: BSD-3-Clause
#include "dev/label.h"

#include <cctype>
#include <string_view>

namespace ctv::tools {
namespace {

// Letters of 5 columns by 7 rows, the top row first, bit 4 the left column. Others are shown in lower case,
// or as a blank.
constexpr std::string_view kLetters = " .,:-+/()%=0123456789abcdefghijklmnopqrstuvwxyzBHM";
constexpr uint8_t kDots[][7] = {
    {0, 0, 0, 0, 0, 0, 0},        {0, 0, 0, 0, 0, 12, 12},      {0, 0, 0, 0, 12, 4, 8},
    {0, 12, 12, 0, 12, 12, 0},    {0, 0, 0, 31, 0, 0, 0},       {0, 4, 4, 31, 4, 4, 0},
    {0, 1, 2, 4, 8, 16, 0},       {2, 4, 8, 8, 8, 4, 2},        {8, 4, 2, 2, 2, 4, 8},
    {24, 25, 2, 4, 8, 19, 3},     {0, 0, 31, 0, 31, 0, 0},      {14, 17, 19, 21, 25, 17, 14},
    {4, 12, 4, 4, 4, 4, 14},      {14, 17, 1, 2, 4, 8, 31},     {31, 2, 4, 2, 1, 17, 14},
    {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},   {6, 8, 16, 30, 17, 17, 14},
    {31, 1, 2, 4, 8, 8, 8},       {14, 17, 17, 14, 17, 17, 14}, {14, 17, 17, 15, 1, 2, 12},
    {0, 0, 14, 1, 15, 17, 15},    {16, 16, 22, 25, 17, 17, 30}, {0, 0, 14, 16, 16, 17, 14},
    {1, 1, 13, 19, 17, 17, 15},   {0, 0, 14, 17, 31, 16, 14},   {6, 9, 8, 28, 8, 8, 8},
    {0, 15, 17, 17, 15, 1, 14},   {16, 16, 22, 25, 17, 17, 17}, {4, 0, 12, 4, 4, 4, 14},
    {2, 0, 6, 2, 2, 18, 12},      {16, 16, 18, 20, 24, 20, 18}, {12, 4, 4, 4, 4, 4, 14},
    {0, 0, 26, 21, 21, 17, 17},   {0, 0, 22, 25, 17, 17, 17},   {0, 0, 14, 17, 17, 17, 14},
    {0, 0, 30, 17, 30, 16, 16},   {0, 0, 13, 19, 15, 1, 1},     {0, 0, 22, 25, 16, 16, 16},
    {0, 0, 14, 16, 14, 1, 30},    {8, 8, 28, 8, 8, 9, 6},       {0, 0, 17, 17, 17, 19, 13},
    {0, 0, 17, 17, 17, 10, 4},    {0, 0, 17, 17, 21, 21, 10},   {0, 0, 17, 10, 4, 10, 17},
    {0, 0, 17, 17, 15, 1, 14},    {0, 0, 31, 2, 4, 8, 31},      {30, 17, 17, 30, 17, 17, 30},
    {17, 17, 17, 31, 17, 17, 17}, {17, 27, 21, 21, 17, 17, 17}};

const uint8_t* dots_of(char letter) {
  size_t i = kLetters.find(letter);
  if (i == std::string_view::npos)
    i = kLetters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  return kDots[i == std::string_view::npos ? 0 : i];
}

}  // namespace

void draw_label(Frame& frame, const std::string& words, int32_t x, int32_t y, int32_t scale) {
  const VideoFormat& video = frame.video();
  const auto columns = static_cast<int32_t>(6 * words.size() + 3) * scale;
  for (int32_t dy = 0; dy < label_height(scale) && y + dy < video.height; ++dy) {
    for (int32_t dx = 0; dx < columns && x + dx < video.width; ++dx) {
      const int32_t column = dx / scale - 2, row = dy / scale - 2;
      bool lit = false;
      if (column >= 0 && column % 6 < 5 && row >= 0 && row < 7 &&
          static_cast<size_t>(column / 6) < words.size())
        lit = (dots_of(words[static_cast<size_t>(column / 6)])[row] >> (4 - column % 6) & 1) != 0;
      uint8_t* pixel =
          frame.plane(0) + static_cast<size_t>(y + dy) * frame.stride(0) + static_cast<size_t>(x + dx) * 3;
      pixel[0] = pixel[1] = pixel[2] = lit ? 255 : 0;
    }
  }
}

}  // namespace ctv::tools

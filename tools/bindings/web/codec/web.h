/* SPDX-License-Identifier: BSD-3-Clause */
// Functions for the pages, in addition to the C interface. Structures become rows of numbers, which
// JavaScript reads as a Float64Array. page/codec.js defines the order of the numbers, too.
#pragma once

#include <ctv/ctv.h>

#define CTV_WEB_API extern "C" __attribute__((used, visibility("default")))

// A decoder's picture: format, width, height, key frame, timestamp, duration, then address and stride of
// three planes.
inline constexpr int kPictureNumbers = 12;
// A header: width, height, format, fps_num, fps_den, range, matrix, scales, aspect_width, aspect_height.
inline constexpr int kHeaderNumbers = 10;
// A packet: key frame, timestamp, duration, frame number, step, bytes of the side payload.
inline constexpr int kPacketNumbers = 6;
// A unit of an encoder: address, size, key frame, timestamp, step.
inline constexpr int kUnitNumbers = 5;

inline double number_of(const void* address) {
  return static_cast<double>(reinterpret_cast<uintptr_t>(address));
}

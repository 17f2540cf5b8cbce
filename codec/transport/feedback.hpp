// SPDX-License-Identifier: BSD-3-Clause
// The message of a receiver to the sender.
//   0  as in a datagram, with the bits feedback and key frame    1  0    2  number of the message
//   4  highest sequence received    6  newest frame reported    8  loss, permille
//   10  lost datagrams in a row, mean, in thousandths    12  the receiver's time in microseconds, 32 bits
//   16  number of reports n    17  number of requests m    18  number of arrivals k    19  0
//   20  reports, two bits each, newest frame first, then 5 bytes for each request: frame, priority, block,
//   index, then 2 bytes for each of the last k datagrams, highest sequence first: its age in units of 64
//   microseconds; 65535: it has not arrived
#pragma once

#include <array>

#include "codec/transport/datagram.hpp"

namespace ctv::net {

constexpr size_t kFeedbackHeader = 20;
constexpr size_t kMaxReports = 64;
constexpr size_t kMaxRequests = 255;
constexpr size_t kMaxArrivals = 255;
constexpr size_t kRequestSize = 5;
constexpr size_t kArrivalSize = 2;
constexpr int64_t kAgeUnit = 64;  // microseconds
constexpr uint16_t kNotArrived = 65535;
constexpr uint16_t kOldest = 65534;  // this age or more
constexpr uint8_t kAll = 255;

/// A request to send a datagram again. Priority kAll: the whole frame; block kAll: the whole priority; index
/// kAll: the whole block.
struct Request {
  uint16_t frame = 0;
  uint8_t priority = kAll, block = kAll, index = kAll;
};

struct Message {
  bool key_frame = false;
  uint32_t number = 0;
  uint32_t sequence = 0;
  uint32_t newest = 0;
  uint32_t loss_permille = 0, burst_permille = 1000;
  uint32_t time_us = 0;
  size_t report_count = 0, request_count = 0, arrival_count = 0;
  std::array<ctv_net_state, kMaxReports> reports{};  // newest frame first
  std::array<Request, kMaxRequests> requests{};
  std::array<uint16_t, kMaxArrivals> ages{};  // highest sequence first
};

size_t message_size(size_t reports, size_t requests, size_t arrivals);
/// Writes message_size() bytes.
void write_message(const Message& message, uint8_t* out);
ctv_status read_message(std::span<const uint8_t> bytes, Message& message);

}  // namespace ctv::net

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/transport/feedback.hpp"

#include <algorithm>

#include "codec/transport/erasure_code.hpp"

namespace ctv::net {

size_t message_size(size_t reports, size_t requests, size_t arrivals) {
  return kFeedbackHeader + (reports + 3) / 4 + kRequestSize * requests + kArrivalSize * arrivals;
}

void write_message(const Message& m, uint8_t* out) {
  std::fill_n(out, message_size(m.report_count, m.request_count, m.arrival_count), uint8_t{0});
  out[0] = static_cast<uint8_t>(kVersionBits | kFeedbackBit | (m.key_frame ? 1U << 3 : 0U));
  put_16(out + 2, m.number);
  put_16(out + 4, m.sequence);
  put_16(out + 6, m.newest);
  put_16(out + 8, m.loss_permille);
  put_16(out + 10, m.burst_permille);
  put_16(out + 12, m.time_us);
  put_16(out + 14, m.time_us >> 16);
  out[16] = static_cast<uint8_t>(m.report_count);
  out[17] = static_cast<uint8_t>(m.request_count);
  out[18] = static_cast<uint8_t>(m.arrival_count);
  uint8_t* at = out + kFeedbackHeader;
  for (size_t i = 0; i < m.report_count; ++i) {
    at[i / 4] = static_cast<uint8_t>(at[i / 4] | static_cast<unsigned>(m.reports[i]) << i % 4 * 2);
  }
  at += (m.report_count + 3) / 4;
  for (size_t i = 0; i < m.request_count; ++i, at += kRequestSize) {
    const Request& request = m.requests[i];
    put_16(at, request.frame);
    at[2] = request.priority;
    at[3] = request.block;
    at[4] = request.index;
  }
  for (size_t i = 0; i < m.arrival_count; ++i, at += kArrivalSize) put_16(at, m.ages[i]);
}

ctv_status read_message(std::span<const uint8_t> bytes, Message& message) {
  const auto refuse = [](const char* what) { return fail(CTV_ERROR_STREAM, "feedback: %s", what); };
  if (bytes.size() < kFeedbackHeader) return refuse("cut in the header");
  if (bytes[0] >> 6 != kVersionBits >> 6) return refuse("unknown version");
  if ((bytes[0] & kFeedbackBit) == 0) return refuse("is a datagram of the sender");
  if ((bytes[0] & 0x17) != 0 || bytes[1] != 0 || bytes[19] != 0) return refuse("reserved bit");
  Message m;
  m.key_frame = (bytes[0] >> 3 & 1) != 0;
  m.number = get_16(&bytes[2]);
  m.sequence = get_16(&bytes[4]);
  m.newest = get_16(&bytes[6]);
  m.loss_permille = get_16(&bytes[8]);
  m.burst_permille = get_16(&bytes[10]);
  m.time_us = get_16(&bytes[12]) | get_16(&bytes[14]) << 16;
  m.report_count = bytes[16];
  m.request_count = bytes[17];
  m.arrival_count = bytes[18];
  if (m.loss_permille > 1000) return refuse("loss");
  if (m.burst_permille < 1000) return refuse("burst");
  if (m.report_count > kMaxReports) return refuse("number of reports");
  if (bytes.size() != message_size(m.report_count, m.request_count, m.arrival_count)) return refuse("size");
  const uint8_t* at = bytes.data() + kFeedbackHeader;
  for (size_t i = 0; i < m.report_count; ++i) {
    m.reports[i] = static_cast<ctv_net_state>(at[i / 4] >> i % 4 * 2 & 3);
  }
  at += (m.report_count + 3) / 4;
  for (size_t i = 0; i < m.request_count; ++i, at += kRequestSize) {
    const Request r{static_cast<uint16_t>(get_16(at)), at[2], at[3], at[4]};
    if (r.priority >= kPriorities && (r.priority != kAll || r.block != kAll))
      return refuse("priority of a request");
    if (r.block == kAll && r.index != kAll) return refuse("block of a request");
    if (r.index >= kMaxData && r.index != kAll) return refuse("index of a request");
    m.requests[i] = r;
  }
  for (size_t i = 0; i < m.arrival_count; ++i, at += kArrivalSize)
    m.ages[i] = static_cast<uint16_t>(get_16(at));
  if (m.arrival_count > 0 && m.ages[0] == kNotArrived) return refuse("age of the highest sequence");
  message = m;
  return CTV_OK;
}

}  // namespace ctv::net

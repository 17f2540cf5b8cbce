// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/wire.md are what the library writes and reads.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "codec/transport/feedback.hpp"
#include "tests/support/net_pair.hpp"

namespace ctv::test {
namespace {

std::string hex(std::span<const uint8_t> bytes) {
  std::string out;
  char digits[4];
  for (const uint8_t b : bytes) {
    std::snprintf(digits, sizeof digits, "%02x ", b);
    out += digits;
  }
  if (!out.empty()) out.pop_back();
  return out;
}

/// The lines of ```hex NAME, without what follows a #.
std::vector<std::string> example(const std::string& name) {
  std::ifstream file(CTV_DOCUMENTS "/wire.md");
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```hex " + name) {
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      line = line.substr(0, line.find('#'));
      lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    }
  }
  return lines;
}

Datagram bytes_of(const std::vector<std::string>& lines) {
  Datagram bytes;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    for (std::string word; words >> word;)
      bytes.push_back(static_cast<uint8_t>(std::stoi(word, nullptr, 16)));
  }
  return bytes;
}

TEST(Wire, DatagramsAreThoseOfTheDocument) {
  NetSender sender, earlier;
  ctv_net_settings settings;
  ctv_net_settings_init(&settings);
  settings.protection = fixed_parity(1);
  settings.deadline_us = 100000;
  settings.repeats = 2;
  ASSERT_EQ(ctv_net_sender_apply(sender.handle, &settings), CTV_OK);
  const uint8_t vectors[] = {1, 2, 3}, levels[] = {10, 11, 12, 13};
  const ctv_net_part parts[] = {{vectors, 3, 0, 0}, {levels, 4, 1, 0}};
  ctv_net_frame frame;
  ctv_net_frame_init(&frame);
  frame.frame_number = 5;
  frame.reference = 4;
  frame.parts = parts;
  frame.part_count = 2;
  ASSERT_EQ(ctv_net_sender_push(sender.handle, &frame), CTV_OK);
  std::vector<std::string> written;
  for (const Datagram& d : sender.take()) written.push_back(hex(d));
  // The sender assumes a round trip of 100 ms at first.
  const std::vector<std::string> printed = example("datagrams");
  EXPECT_EQ(written, printed);

  // Any datagram of group 0 and that of group 1 give the frame.
  for (size_t lost = 0; lost < printed.size(); ++lost) {
    if (bytes_of({printed[lost]})[1] >> 1 == 1) continue;
    NetReceiver receiver;
    for (size_t i = 0; i < printed.size(); ++i) {
      if (i == lost) continue;
      ASSERT_EQ(receiver.push(bytes_of({printed[i]})), CTV_OK) << ctv_net_last_error();
    }
    const auto frames = receiver.take();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].state, CTV_NET_WHOLE);
    EXPECT_EQ(frames[0].parts[0], (Datagram{1, 2, 3}));
    EXPECT_EQ(frames[0].parts[1], (Datagram{10, 11, 12, 13}));
  }
}

TEST(Wire, MessageIsThatOfTheDocument) {
  net::Message m;
  m.key_frame = true;
  m.number = 258;
  m.sequence = 1000;
  m.newest = 41;
  m.loss_permille = 52;
  m.burst_permille = 1250;
  m.time_us = 0x01020304;
  m.report_count = 5;
  m.reports[0] = CTV_NET_WHOLE, m.reports[1] = CTV_NET_LOST, m.reports[2] = CTV_NET_INCOMPLETE;
  m.reports[3] = CTV_NET_WHOLE, m.reports[4] = CTV_NET_WHOLE;
  m.request_count = 1;
  m.requests[0] = {42, 1, 0, 7};
  m.arrival_count = 3;
  m.ages[0] = 16, m.ages[1] = net::kNotArrived, m.ages[2] = 500;
  Datagram bytes(net::message_size(m.report_count, m.request_count, m.arrival_count));
  net::write_message(m, bytes.data());
  const Datagram printed = bytes_of(example("message"));
  EXPECT_EQ(hex(bytes), hex(printed));
  net::Message back;
  ASSERT_EQ(net::read_message(printed, back), CTV_OK) << ctv_net_last_error();
  EXPECT_EQ(back.requests[0].index, 7);
  EXPECT_EQ(back.ages[2], 500);
  EXPECT_EQ(back.reports[1], CTV_NET_LOST);
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/fallback.hpp"

#include <algorithm>

namespace ctv::test {

int for_each_failure(long step, const std::function<void(long)>& code, Failure failure) {
  int whole = 0;
  for (long n = 1;; n += step * kCallStep) {
    SCOPED_TRACE("failure at call " + std::to_string(n));
    const DeviceThatFails device(n, failure);
    try {
      code(n);
      ++whole;
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), CTV_ERROR_DEVICE) << e.what();
    }
    if (DeviceThatFails::calls() < n || testing::Test::HasFailure()) return whole;
  }
}

size_t expect_key_frame_at_switch(const Stream& stream, const Stream& expected) {
  const auto other = std::ranges::mismatch(stream.packets, expected.packets);
  const auto first = static_cast<size_t>(other.in1 - stream.packets.begin());
  EXPECT_EQ(stream.header, expected.header);
  EXPECT_EQ(stream.packets.size(), expected.packets.size());
  int64_t number = 0;
  for (size_t i = 0; i < stream.packets.size(); ++i) {
    const ctv_packet_info info = parse_packet(stream.header, stream.packets[i]);
    if (i == 0) number = info.frame_number;
    EXPECT_EQ(info.frame_number, number++);
    EXPECT_TRUE(i != first || info.key_frame != 0) << "packet " << i;
  }
  EXPECT_EQ(decode(stream).size(), expected.packets.size());
  return first;
}

Decoded decode_all(const Stream& stream, const ctv_decoder_config& config) {
  const Decoder decoder(config);
  Decoded decoded;
  ctv_picture picture;
  const auto receive = [&] {
    ctv_picture_init(&picture);
    const ctv_status status = ctv_decoder_receive(decoder.get(), &picture);
    if (status < 0) decoded.errors.push_back(status);
    if (status == CTV_OK) decoded.pictures.push_back(copy_of(picture));
    return status == CTV_OK || status < 0;
  };
  const auto send = [&](const Bytes& unit) {
    ctv_status status;
    while ((status = ctv_decoder_send(decoder.get(), unit.data(), unit.size())) == CTV_AGAIN) receive();
    if (status < 0) decoded.errors.push_back(status);
    while (config.frames_in_flight == 1 && receive()) {
    }
  };
  check(ctv_decoder_send(decoder.get(), stream.header.data(), stream.header.size()));
  for (const Bytes& packet : stream.packets) send(packet);
  check(ctv_decoder_flush(decoder.get()));
  while (receive()) {
  }
  return decoded;
}

void expect_gap_up_to_key_frame(const Decoded& decoded, const std::vector<Frame>& expected) {
  size_t next = 0;
  int gaps = 0;
  for (const Frame& picture : decoded.pictures) {
    const auto number = static_cast<size_t>(picture.number);
    ASSERT_TRUE(number >= next && number < expected.size()) << number;
    if (number != next) {
      EXPECT_TRUE(picture.key_frame) << number;
      ++gaps;
    }
    EXPECT_EQ(picture, expected[number]) << number;
    next = number + 1;
  }
  EXPECT_LE(gaps + (next < expected.size() ? 1 : 0), 1);
  EXPECT_EQ(decoded.pictures.size() + decoded.errors.size(), expected.size());
  for (const ctv_status error : decoded.errors) EXPECT_EQ(error, CTV_ERROR_REFERENCE);
}

}  // namespace ctv::test

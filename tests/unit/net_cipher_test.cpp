// SPDX-License-Identifier: BSD-3-Clause
// Datagrams and messages with a cipher: nothing changes without the key, and each is taken once.
#include <algorithm>
#include <set>

#include "tests/support/net_pair.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

// Not secure: a stream of numbers, and a checksum of all that is authenticated as the tag.
struct Toy {
  uint64_t key = 7;
  bool refuses = false;
  std::set<uint64_t> numbers;  // sealed
};
constexpr size_t kTag = 8;

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7FB5D329728EA185U;
  return (x ^ (x >> 27)) * 0x81DADEF4BC2DD44DU;
}

uint64_t tag(uint64_t key, uint64_t number, std::span<const uint8_t> header, std::span<const uint8_t> data) {
  uint64_t sum = mix(key) ^ mix(number + 1);
  for (const uint8_t b : header) sum = mix(sum ^ b);
  for (const uint8_t b : data) sum = mix(sum + b + 1);
  return sum;
}

void code(uint64_t key, uint64_t number, const uint8_t* from, size_t size, uint8_t* to) {
  for (size_t i = 0; i < size; ++i)
    to[i] = static_cast<uint8_t>(from[i] ^ mix(key * 31 + number * 1009 + i) >> 9);
}

int32_t seal(void* context, uint64_t number, const uint8_t* header, size_t header_size, const uint8_t* data,
             size_t size, uint8_t* out) {
  auto& toy = *static_cast<Toy*>(context);
  if (toy.refuses) return 1;
  EXPECT_TRUE(toy.numbers.insert(number).second) << "a nonce that was used";
  code(toy.key, number, data, size, out);
  const uint64_t sum = tag(toy.key, number, {header, header_size}, {out, size});
  for (size_t i = 0; i < kTag; ++i) out[size + i] = static_cast<uint8_t>(sum >> 8 * i);
  return 0;
}

int32_t open(void* context, uint64_t number, const uint8_t* header, size_t header_size, const uint8_t* data,
             size_t size, uint8_t* out) {
  const auto& toy = *static_cast<Toy*>(context);
  const size_t rest = size - kTag;
  const uint64_t sum = tag(toy.key, number, {header, header_size}, {data, rest});
  for (size_t i = 0; i < kTag; ++i) {
    if (data[rest + i] != static_cast<uint8_t>(sum >> 8 * i)) return 1;
  }
  code(toy.key, number, data, rest, out);
  return 0;
}

ctv_net_cipher cipher(Toy& toy) {
  ctv_net_cipher c;
  ctv_net_cipher_init(&c);
  c.context = &toy;
  c.overhead = kTag;
  c.seal = seal;
  c.open = open;
  return c;
}

class Cipher : public testing::Test {
 protected:
  Cipher() {
    const ctv_net_cipher a = cipher(at_sender_), b = cipher(at_receiver_);
    EXPECT_EQ(ctv_net_sender_encrypt(sender_.handle, &a), CTV_OK) << ctv_net_last_error();
    EXPECT_EQ(ctv_net_receiver_encrypt(receiver_.handle, &b), CTV_OK) << ctv_net_last_error();
  }
  ctv_status give(const Datagram& message) {
    ctv_net_feedback f;
    ctv_net_feedback_init(&f);
    return ctv_net_sender_feedback(sender_.handle, 0, message.data(), message.size(), &f);
  }
  Toy at_sender_, at_receiver_;
  NetSender sender_;
  NetReceiver receiver_;
};

TEST_F(Cipher, FramesArriveAndMessagesReturn) {
  const std::vector<PartSpec> specs = {{500, 0}, {5000, 1}};
  for (int64_t n = 0; n < 100; ++n) {
    const auto datagrams = sender_.cut(n, n - 1, specs);
    for (const Datagram& d : datagrams) {
      ASSERT_LE(d.size(), 1200U);
      ASSERT_EQ(receiver_.push(d, n), CTV_OK) << ctv_net_last_error();
    }
    for (const Received& r : receiver_.take(n)) {
      if (r.state == CTV_NET_WHOLE) expect_parts(r, specs);
      (void)ctv_net_receiver_report(receiver_.handle, r.number, r.state);
    }
    const Datagram message = receiver_.feedback(n);
    ASSERT_FALSE(message.empty());
    ASSERT_EQ(give(message), CTV_OK) << ctv_net_last_error();
  }
  EXPECT_EQ(receiver_.statistics().whole, 100U);
}

TEST_F(Cipher, NumbersGoOnAfterSixteenBits) {
  for (int64_t n = 0; n < 14000; ++n) {
    for (const Datagram& d : sender_.cut(n, n - 1, {{5000, 0}})) ASSERT_EQ(receiver_.push(d, n), CTV_OK) << n;
    ASSERT_EQ(receiver_.take(n).size(), 1U);
  }
  EXPECT_GT(at_sender_.numbers.size(), 65536U);
}

TEST_F(Cipher, NothingChangesWithoutTheKey) {
  const auto datagrams = sender_.cut(0, -1, {{300, 0}});
  ASSERT_EQ(datagrams.size(), 1U);
  Random random(3);
  for (size_t at = 0; at < datagrams[0].size(); ++at) {
    Datagram d = datagrams[0];
    d[at] = static_cast<uint8_t>(d[at] ^ (1 + random.between(0, 254)));
    EXPECT_EQ(receiver_.push(d, 0), CTV_ERROR_STREAM) << at;
    d.resize(at);
    EXPECT_EQ(receiver_.push(d, 0), CTV_ERROR_STREAM) << at;
  }
  EXPECT_TRUE(receiver_.take(0).empty());
  EXPECT_TRUE(receiver_.feedback(1000000).empty()) << "an answer to a stranger";
  ASSERT_EQ(receiver_.push(datagrams[0], 0), CTV_OK);
  ASSERT_EQ(receiver_.take(0).size(), 1U);
  const Datagram message = receiver_.feedback(0);
  for (size_t at = 0; at < message.size(); ++at) {
    Datagram m = message;
    m[at] = static_cast<uint8_t>(m[at] ^ 1);
    EXPECT_EQ(give(m), CTV_ERROR_STREAM) << at;
  }
  EXPECT_EQ(give(datagrams[0]), CTV_ERROR_STREAM) << "a datagram is no message";
  EXPECT_TRUE(sender_.take(0).empty()) << "bytes for a stranger";
  EXPECT_EQ(give(message), CTV_OK);
}

TEST_F(Cipher, EachIsTakenOnce) {
  std::vector<Datagram> all;
  for (int64_t n = 0; n < 300; ++n) {
    for (Datagram& d : sender_.cut(n, n - 1, {{5000, 0}})) all.push_back(std::move(d));
  }
  for (size_t i = 1; i < all.size(); i += 2) ASSERT_EQ(receiver_.push(all[i], 0), CTV_OK);
  for (size_t i = 1; i < all.size(); i += 2)
    EXPECT_EQ(receiver_.push(all[i], 0), CTV_ERROR_STREAM) << "replayed";
  EXPECT_EQ(receiver_.push(all[all.size() - 1026], 0), CTV_ERROR_STREAM) << "too old";
  EXPECT_EQ(receiver_.push(all[all.size() - 3], 0), CTV_ERROR_STREAM);
  EXPECT_EQ(receiver_.push(all[all.size() - 2], 0), CTV_OK) << "late, but new";
}

TEST(CipherUse, IsChecked) {
  Toy toy;
  NetSender sender(64);
  const ctv_net_cipher c = cipher(toy);
  EXPECT_EQ(ctv_net_sender_encrypt(sender.handle, &c), CTV_ERROR_ARGUMENT) << "mtu";
  NetSender other;
  ctv_net_cipher bad = c;
  bad.seal = nullptr;
  EXPECT_EQ(ctv_net_sender_encrypt(other.handle, &bad), CTV_ERROR_ARGUMENT);
  bad = c, bad.overhead = 65;
  EXPECT_EQ(ctv_net_sender_encrypt(other.handle, &bad), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_net_sender_encrypt(other.handle, nullptr), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_net_sender_encrypt(nullptr, &c), CTV_ERROR_ARGUMENT);
  EXPECT_EQ(ctv_net_sender_encrypt(other.handle, &c), CTV_OK);
  EXPECT_EQ(ctv_net_sender_encrypt(other.handle, &c), CTV_ERROR_ARGUMENT) << "twice";
  toy.refuses = true;
  const TestFrame frame(0, -1, {{10, 0}});
  ASSERT_EQ(ctv_net_sender_push(other.handle, &frame.frame), CTV_OK);
  const uint8_t* data = nullptr;
  size_t size = 0;
  EXPECT_EQ(ctv_net_sender_next(other.handle, 0, &data, &size), CTV_ERROR_INTERNAL);
  EXPECT_EQ(size, 0U);
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// A call of ctv_net in which the network does whatever the input says: datagrams are lost, repeated,
// reordered, changed, cut, invented, and so is feedback. Memory stays bounded, frames rise, and what no
// changed or invented datagram has touched is right.
#include <ctv/net.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Bytes = std::vector<uint8_t>;

void expect(bool condition) {
  if (!condition) std::abort();
}

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  uint8_t byte() { return at_ < size_ ? data_[at_++] : uint8_t{0}; }
  Bytes bytes(size_t n) {
    Bytes out;
    while (n-- > 0 && !empty()) out.push_back(byte());
    return out;
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

// A cipher that no input can forge: a checksum of 64 bits with a key.
constexpr size_t kTag = 8;

uint64_t checksum(uint64_t number, const uint8_t* header, size_t header_size, const uint8_t* data,
                  size_t size) {
  uint64_t sum = number * 0x9E3779B97F4A7C15U + 0x1234567;
  for (size_t i = 0; i < header_size + size; ++i) {
    sum = (sum ^ (i < header_size ? header[i] : data[i - header_size])) * 0xBF58476D1CE4E5B9U;
    sum ^= sum >> 29;
  }
  return sum;
}

int32_t seal(void*, uint64_t number, const uint8_t* header, size_t header_size, const uint8_t* data,
             size_t size, uint8_t* out) {
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<uint8_t>(data[i] ^ 0x5A);
  const uint64_t sum = checksum(number, header, header_size, out, size);
  std::memcpy(out + size, &sum, kTag);
  return 0;
}

int32_t open(void*, uint64_t number, const uint8_t* header, size_t header_size, const uint8_t* data,
             size_t size, uint8_t* out) {
  const size_t rest = size - kTag;
  const uint64_t sum = checksum(number, header, header_size, data, rest);
  if (std::memcmp(data + rest, &sum, kTag) != 0) return 1;
  for (size_t i = 0; i < rest; ++i) out[i] = static_cast<uint8_t>(data[i] ^ 0x5A);
  return 0;
}

uint8_t sample(int64_t frame, size_t part, size_t i) {
  return static_cast<uint8_t>(static_cast<size_t>(frame) * 31 + part * 7 + i);
}

class Call {
 public:
  explicit Call(Input& input) : input_(input) {
    ctv_net_sender_config sending;
    ctv_net_sender_config_init(&sending);
    sending.mtu = 64 + input_.byte();
    sending.max_memory = 65536;
    sending.bitrate = input_.byte() % 4 * 100000;
    ctv_net_receiver_config receiving;
    ctv_net_receiver_config_init(&receiving);
    receiving.max_memory = 65536;
    receiving.max_frames = 1 + input_.byte() % 32;
    receiving.deadline_us = input_.byte() * 1000;
    receiving.round_trip_us = input_.byte() * 500;
    receiving.mtu = 64 + 2 * input_.byte();
    max_frames_ = receiving.max_frames;
    expect(ctv_net_sender_open(&sending, &sender_) == CTV_OK);
    expect(ctv_net_receiver_open(&receiving, &receiver_) == CTV_OK);
    if (input_.byte() % 2 == 0) return;
    ctv_net_cipher cipher;
    ctv_net_cipher_init(&cipher);
    cipher.overhead = kTag;
    cipher.seal = seal;
    cipher.open = open;
    const bool fits = sending.mtu >= 64 + 12 && receiving.mtu >= 64 + 12;
    if (!fits) return;
    expect(ctv_net_sender_encrypt(sender_, &cipher) == CTV_OK);
    expect(ctv_net_receiver_encrypt(receiver_, &cipher) == CTV_OK);
    encrypted_ = true;
  }
  ~Call() {
    ctv_net_sender_close(sender_);
    ctv_net_receiver_close(receiver_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void step() {
    switch (const uint8_t what = input_.byte(); what % 10) {
      case 0:
        return push(input_.bytes(input_.byte()), true);
      case 1:
        return code();
      case 2:
      case 3:
        return deliver(what % 10 == 3);
      case 4:
        now_us_ += input_.byte() * 700;
        return;
      case 5:
        return take();
      case 6:
        return answer(what >= 128);
      case 7:
        return give_feedback(input_.bytes(input_.byte()));
      case 8:
        return collect();
      default:
        (void)ctv_net_receiver_request_key_frame(receiver_);
    }
  }
  void finish() {
    now_us_ += 100000000;
    take();
    take();
  }

 private:
  void push(const Bytes& bytes, bool forged) {
    forged_ = forged_ || (forged && !encrypted_);
    if (ctv_net_receiver_push(receiver_, now_us_, bytes.data(), bytes.size()) == CTV_ERROR_LIMIT) {
      take();
      expect(ctv_net_receiver_push(receiver_, now_us_, bytes.data(), bytes.size()) != CTV_ERROR_MEMORY);
    }
  }

  void code() {
    ctv_net_settings settings;
    ctv_net_settings_init(&settings);
    settings.protection.loss_permille = 1000;
    settings.protection.most[0] = input_.byte() % 4;
    settings.protection.most[1] = input_.byte() % 4;
    settings.key_protection = settings.protection;
    settings.deadline_us = input_.byte() * 1000 - 1000;
    settings.repeats = input_.byte() % 9;
    if (settings.deadline_us < 0) settings.deadline_us = -1;
    expect(ctv_net_sender_apply(sender_, &settings) == CTV_OK);
    std::vector<Bytes> parts(1 + input_.byte() % 6U);
    std::vector<ctv_net_part> views;
    for (size_t p = 0; p < parts.size(); ++p) {
      const uint8_t size = input_.byte();
      parts[p].resize(size < 200 ? size : size * 20U);
      for (size_t i = 0; i < parts[p].size(); ++i) parts[p][i] = sample(number_, p, i);
      views.push_back({parts[p].data(), parts[p].size(), input_.byte() % CTV_NET_PRIORITIES, 0});
    }
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    frame.frame_number = number_;
    frame.reference = number_ == 0 ? -1 : number_ - 1;
    frame.parts = views.data();
    frame.part_count = views.size();
    if (ctv_net_sender_push(sender_, &frame) == CTV_OK) ++number_;
    collect();
  }

  void collect() {
    const uint8_t* data = nullptr;
    size_t size = 0;
    while (ctv_net_sender_next(sender_, now_us_, &data, &size) == CTV_OK) {
      if (way_.size() < 4000) way_.emplace_back(data, data + size);
    }
    ctv_net_sender_statistics s;
    ctv_net_sender_statistics_init(&s);
    expect(ctv_net_sender_get_statistics(sender_, &s) == CTV_OK && s.held_bytes <= 65536);
    ctv_net_measurement m;
    ctv_net_measurement_init(&m);
    m.bitrate = 1;
    ctv_net_settings settings;
    ctv_net_settings_init(&settings);
    expect(ctv_net_sender_measure(sender_, now_us_, &m) == CTV_OK &&
           ctv_net_settings_choose(&m, &settings) == CTV_OK);
  }

  void deliver(bool change) {
    if (way_.empty()) return;
    const size_t which = (input_.byte() * 256U + input_.byte()) % way_.size();
    Bytes datagram = way_[which];
    if (change) {
      const size_t at = input_.byte() % datagram.size();
      datagram[at] = static_cast<uint8_t>(datagram[at] ^ input_.byte());
      if (input_.byte() % 4 == 0) datagram.resize(at);
    }
    push(datagram, change);
  }

  void check(const ctv_net_frame& f) {
    expect(f.frame_number > given_);
    given_ = f.frame_number + (f.state == CTV_NET_LOST ? f.lost_frames - 1 : 0);
    expect((f.state == CTV_NET_LOST) == (f.part_count == 0) &&
           (f.state == CTV_NET_LOST) == (f.lost_frames > 0));
    int missing = 0;
    for (size_t p = 0; p < f.part_count; ++p) {
      missing += f.parts[p].missing;
      for (size_t i = 0; i < f.parts[p].size; ++i) {
        if (f.parts[p].missing != 0) expect(f.parts[p].data[i] == 0);
        if (f.parts[p].missing == 0 && !forged_) expect(f.parts[p].data[i] == sample(f.frame_number, p, i));
      }
    }
    expect(f.state == CTV_NET_LOST || (f.state == CTV_NET_WHOLE) == (missing == 0));
    if (f.state != CTV_NET_LOST) {
      expect(ctv_net_receiver_report(receiver_, f.frame_number, f.state) == CTV_OK);
    }
  }

  void take() {
    ctv_net_frame frame;
    ctv_net_frame_init(&frame);
    while (ctv_net_receiver_next(receiver_, now_us_, &frame) == CTV_OK) check(frame);
    ctv_net_receiver_statistics s;
    ctv_net_receiver_statistics_init(&s);
    expect(ctv_net_receiver_get_statistics(receiver_, &s) == CTV_OK);
    expect(s.held_bytes <= 65536 + 8192 && s.held_frames <= static_cast<uint64_t>(max_frames_));
  }

  void answer(bool change) {
    int64_t due = 0;
    expect(ctv_net_receiver_due(receiver_, &due) == CTV_OK);
    const uint8_t* data = nullptr;
    size_t size = 0;
    if (ctv_net_receiver_feedback(receiver_, now_us_, &data, &size) != CTV_OK) return;
    Bytes message(data, data + size);
    if (change) message[input_.byte() % size] ^= input_.byte();
    give_feedback(message);
  }

  void give_feedback(const Bytes& message) {
    ctv_net_feedback feedback;
    ctv_net_feedback_init(&feedback);
    if (ctv_net_sender_feedback(sender_, now_us_, message.data(), message.size(), &feedback) != CTV_OK)
      return;
    expect(feedback.report_count <= 128);
    for (size_t i = 0; i < feedback.report_count; ++i) {
      expect(feedback.reports[i].frame_number >= 0 && feedback.reports[i].frame_number < number_);
    }
  }

  Input& input_;
  ctv_net_sender* sender_ = nullptr;
  ctv_net_receiver* receiver_ = nullptr;
  int64_t now_us_ = 0, number_ = 0, given_ = -1;
  int max_frames_ = 0;
  bool forged_ = false, encrypted_ = false;
  std::vector<Bytes> way_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ctv_net_header header;
  ctv_net_header_init(&header);
  (void)ctv_net_header_parse(data, size, &header);
  Input input(data, size);
  Call call(input);
  while (!input.empty()) call.step();
  call.finish();
  return 0;
}

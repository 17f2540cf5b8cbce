// SPDX-License-Identifier: BSD-3-Clause
// The C entry points of ctv_net.
#include <algorithm>
#include <cstring>
#include <memory>

#include "codec/transport/cipher.hpp"
#include "codec/transport/receiver.hpp"
#include "codec/transport/sender.hpp"
#include "codec/transport/settings.hpp"

struct ctv_net_sender {
  ctv::net::Sender impl;
  int mtu = 0;
  ctv::net::Cipher cipher = {};
};
struct ctv_net_receiver {
  ctv::net::Receiver impl;
  int mtu = 0;
  ctv::net::Cipher cipher = {};
};

namespace ctv::net {
namespace {

constexpr int64_t kLatest = int64_t{1} << 60;  // microseconds
constexpr int64_t kLeastMemory = 65536;
constexpr int64_t kMostRate = 1000000000000;  // bits per second
constexpr int64_t kMostMemory = int64_t{1} << 40;

ctv_status need(const void* pointer, const char* name) {
  return pointer != nullptr ? CTV_OK : fail(CTV_ERROR_ARGUMENT, "%s: is null", name);
}

ctv_status check_time(int64_t now_us) { return check_range("now_us", now_us, -kLatest, kLatest); }

/// Whether `size` is that of the structure in one of this library's versions.
template <typename T>
ctv_status check_size(const T* given, const char* name) {
  CTV_NET_RETURN_IF_ERROR(need(given, name));
  if (given->struct_size >= sizeof(size_t) && given->struct_size <= sizeof(T)) return CTV_OK;
  return fail(CTV_ERROR_ARGUMENT, "%s.struct_size: is not set by the init function", name);
}

/// Copies a caller's structure. Members that an older header lacks keep their values in `out`.
template <typename T>
ctv_status read_struct(const T* given, const char* name, T& out) {
  CTV_NET_RETURN_IF_ERROR(check_size(given, name));
  std::memcpy(&out, given, given->struct_size);
  out.struct_size = sizeof(T);
  return CTV_OK;
}

/// Writes the members that the caller's structure has; its size was checked.
template <typename T>
void write_struct(const T& value, T* out) {
  const size_t size = out->struct_size;
  std::memcpy(out, &value, size);
  out->struct_size = size;
}

ctv_status check_config(const ctv_net_sender_config& c) {
  CTV_NET_RETURN_IF_ERROR(check_range("config.mtu", c.mtu, 64, 65000));
  CTV_NET_RETURN_IF_ERROR(check_range("config.repeats", c.repeats, 0, 8));
  CTV_NET_RETURN_IF_ERROR(check_range("config.bitrate", c.bitrate, 0, kMostRate));
  CTV_NET_RETURN_IF_ERROR(check_range("config.max_bitrate", c.max_bitrate, 1, kMostRate));
  return check_range("config.max_memory", c.max_memory, kLeastMemory, kMostMemory);
}

ctv_status check_config(const ctv_net_receiver_config& c) {
  CTV_NET_RETURN_IF_ERROR(check_range("config.mtu", c.mtu, 64, 65000));
  CTV_NET_RETURN_IF_ERROR(check_range("config.max_frames", c.max_frames, 1, 1024));
  CTV_NET_RETURN_IF_ERROR(check_range("config.max_memory", c.max_memory, kLeastMemory, kMostMemory));
  CTV_NET_RETURN_IF_ERROR(check_range("config.reorder_us", c.reorder_us, 0, kLongestDelay));
  CTV_NET_RETURN_IF_ERROR(check_range("config.frame_interval_us", c.frame_interval_us, 0, kLongestDelay));
  CTV_NET_RETURN_IF_ERROR(check_range("config.deadline_us", c.deadline_us, 0, kLongestDelay));
  CTV_NET_RETURN_IF_ERROR(check_range("config.round_trip_us", c.round_trip_us, 0, kLongestDelay));
  return check_range("config.repeats", c.repeats, 0, 8);
}

// Both ends: the sender seals datagrams and opens messages, the receiver the other way round.
template <typename End>
ctv_status encrypt(End* end, const char* name, const ctv_net_cipher* cipher) {
  CTV_NET_RETURN_IF_ERROR(need(end, name));
  ctv_net_cipher c;
  ctv_net_cipher_init(&c);
  CTV_NET_RETURN_IF_ERROR(read_struct(cipher, "cipher", c));
  CTV_NET_RETURN_IF_ERROR(check_range("cipher.overhead", c.overhead, 0, 64));
  if (c.seal == nullptr || c.open == nullptr) return fail(CTV_ERROR_ARGUMENT, "cipher: a function is null");
  if (end->cipher.on()) return fail(CTV_ERROR_ARGUMENT, "cipher: there is one already");
  if (end->mtu < 64 + Cipher::overhead(c))
    return fail(CTV_ERROR_ARGUMENT, "config.mtu: is too small for a cipher");
  end->cipher.start(c, static_cast<size_t>(end->mtu));
  end->impl.reserve(Cipher::overhead(c));
  return CTV_OK;
}

ctv_status check_bytes(const uint8_t* data, size_t size) { return size == 0 ? CTV_OK : need(data, "data"); }

}  // namespace
}  // namespace ctv::net

using namespace ctv::net;  // NOLINT(*-using-namespace)

extern "C" {

const char* ctv_net_last_error(void) { return last_error(); }

ctv_status ctv_net_header_parse(const uint8_t* data, size_t size, ctv_net_header* header) {
  CTV_NET_RETURN_IF_ERROR(check_bytes(data, size));
  CTV_NET_RETURN_IF_ERROR(check_size(header, "header"));
  ctv_net_header h{};
  CTV_NET_RETURN_IF_ERROR(read_header({data, size}, h));
  write_struct(h, header);
  return CTV_OK;
}

ctv_status ctv_net_protection_choose(int32_t loss_permille, int32_t burst_permille,
                                     ctv_net_protection* protection) {
  CTV_NET_RETURN_IF_ERROR(check_range("loss_permille", loss_permille, 0, 1000));
  CTV_NET_RETURN_IF_ERROR(check_range("burst_permille", burst_permille, 1000, 100000));
  CTV_NET_RETURN_IF_ERROR(check_size(protection, "protection"));
  write_struct(choose_protection(loss_permille, burst_permille), protection);
  return CTV_OK;
}

ctv_status ctv_net_settings_choose(const ctv_net_measurement* measurement, ctv_net_settings* settings) {
  ctv_net_measurement m;
  ctv_net_measurement_init(&m);
  CTV_NET_RETURN_IF_ERROR(read_struct(measurement, "measurement", m));
  CTV_NET_RETURN_IF_ERROR(check_measurement(m));
  CTV_NET_RETURN_IF_ERROR(check_size(settings, "settings"));
  write_struct(choose_settings(m), settings);
  return CTV_OK;
}

int32_t ctv_net_parity_count(const ctv_net_protection* protection, int32_t priority, int32_t count,
                             int32_t others) {
  ctv_net_protection p;
  ctv_net_protection_init(&p);
  const bool fine = read_struct(protection, "protection", p) == CTV_OK && check_protection(p) == CTV_OK &&
                    check_range("priority", priority, 0, CTV_NET_PRIORITIES - 1) == CTV_OK &&
                    check_range("count", count, 1, kMaxData) == CTV_OK &&
                    check_range("others", others, 0, INT16_MAX) == CTV_OK;
  return fine ? parity_count(p, priority, count, others) : 0;
}

ctv_status ctv_net_sender_open(const ctv_net_sender_config* config, ctv_net_sender** sender) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
    *sender = nullptr;
    ctv_net_sender_config c;
    ctv_net_sender_config_init(&c);
    CTV_NET_RETURN_IF_ERROR(read_struct(config, "config", c));
    CTV_NET_RETURN_IF_ERROR(check_config(c));
    *sender = new ctv_net_sender{Sender(c), c.mtu};
    return CTV_OK;
  });
}

void ctv_net_sender_close(ctv_net_sender* sender) { delete sender; }

ctv_status ctv_net_sender_encrypt(ctv_net_sender* sender, const ctv_net_cipher* cipher) {
  return guarded([&] { return encrypt(sender, "sender", cipher); });
}

ctv_status ctv_net_receiver_encrypt(ctv_net_receiver* receiver, const ctv_net_cipher* cipher) {
  return guarded([&] { return encrypt(receiver, "receiver", cipher); });
}

ctv_status ctv_net_sender_apply(ctv_net_sender* sender, const ctv_net_settings* settings) {
  CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
  ctv_net_settings s;
  ctv_net_settings_init(&s);
  CTV_NET_RETURN_IF_ERROR(read_struct(settings, "settings", s));
  CTV_NET_RETURN_IF_ERROR(check_protection(s.protection));
  CTV_NET_RETURN_IF_ERROR(check_protection(s.key_protection));
  CTV_NET_RETURN_IF_ERROR(check_range("settings.deadline_us", s.deadline_us, -1, kLongestDelay));
  CTV_NET_RETURN_IF_ERROR(check_range("settings.repeats", s.repeats, 0, 8));
  sender->impl.apply(s);
  return CTV_OK;
}

ctv_status ctv_net_sender_push(ctv_net_sender* sender, const ctv_net_frame* frame) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
    ctv_net_frame f;
    ctv_net_frame_init(&f);
    CTV_NET_RETURN_IF_ERROR(read_struct(frame, "frame", f));
    return sender->impl.push(f);
  });
}

ctv_status ctv_net_sender_next(ctv_net_sender* sender, int64_t now_us, const uint8_t** data, size_t* size) {
  CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
  CTV_NET_RETURN_IF_ERROR(need(data, "data"));
  CTV_NET_RETURN_IF_ERROR(need(size, "size"));
  CTV_NET_RETURN_IF_ERROR(check_time(now_us));
  std::span<const uint8_t> datagram;
  ctv_status status = sender->impl.next(now_us, datagram);
  if (status == CTV_OK && sender->cipher.on()) status = sender->cipher.seal(datagram, false);
  if (status != CTV_OK) datagram = {};
  *data = datagram.data();
  *size = datagram.size();
  return status;
}

ctv_status ctv_net_sender_due(const ctv_net_sender* sender, int64_t* time_us) {
  CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
  CTV_NET_RETURN_IF_ERROR(need(time_us, "time_us"));
  *time_us = sender->impl.due_us();
  return CTV_OK;
}

ctv_status ctv_net_sender_feedback(ctv_net_sender* sender, int64_t now_us, const uint8_t* data, size_t size,
                                   ctv_net_feedback* feedback) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
    CTV_NET_RETURN_IF_ERROR(check_bytes(data, size));
    CTV_NET_RETURN_IF_ERROR(check_size(feedback, "feedback"));
    CTV_NET_RETURN_IF_ERROR(check_time(now_us));
    ctv_net_feedback f;
    ctv_net_feedback_init(&f);
    std::span message(data, size);
    if (sender->cipher.on()) CTV_NET_RETURN_IF_ERROR(sender->cipher.open(message, true));
    CTV_NET_RETURN_IF_ERROR(sender->impl.feedback(now_us, message, f));
    write_struct(f, feedback);
    return CTV_OK;
  });
}

ctv_status ctv_net_sender_measure(const ctv_net_sender* sender, int64_t now_us,
                                  ctv_net_measurement* measurement) {
  CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
  CTV_NET_RETURN_IF_ERROR(check_time(now_us));
  ctv_net_measurement m;
  ctv_net_measurement_init(&m);
  CTV_NET_RETURN_IF_ERROR(read_struct(measurement, "measurement", m));
  sender->impl.measure(now_us, m);
  write_struct(m, measurement);
  return CTV_OK;
}

ctv_status ctv_net_sender_get_statistics(const ctv_net_sender* sender,
                                         ctv_net_sender_statistics* statistics) {
  CTV_NET_RETURN_IF_ERROR(need(sender, "sender"));
  CTV_NET_RETURN_IF_ERROR(check_size(statistics, "statistics"));
  write_struct(sender->impl.statistics(), statistics);
  return CTV_OK;
}

ctv_status ctv_net_receiver_open(const ctv_net_receiver_config* config, ctv_net_receiver** receiver) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
    *receiver = nullptr;
    ctv_net_receiver_config c;
    ctv_net_receiver_config_init(&c);
    CTV_NET_RETURN_IF_ERROR(read_struct(config, "config", c));
    CTV_NET_RETURN_IF_ERROR(check_config(c));
    *receiver = new ctv_net_receiver{Receiver(c), c.mtu};
    return CTV_OK;
  });
}

void ctv_net_receiver_close(ctv_net_receiver* receiver) { delete receiver; }

ctv_status ctv_net_receiver_push(ctv_net_receiver* receiver, int64_t now_us, const uint8_t* data,
                                 size_t size) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
    CTV_NET_RETURN_IF_ERROR(check_bytes(data, size));
    CTV_NET_RETURN_IF_ERROR(check_time(now_us));
    std::span datagram(data, size);
    if (receiver->cipher.on()) CTV_NET_RETURN_IF_ERROR(receiver->cipher.open(datagram, false));
    return receiver->impl.push(now_us, datagram);
  });
}

ctv_status ctv_net_receiver_next(ctv_net_receiver* receiver, int64_t now_us, ctv_net_frame* frame) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
    CTV_NET_RETURN_IF_ERROR(check_size(frame, "frame"));
    CTV_NET_RETURN_IF_ERROR(check_time(now_us));
    ctv_net_frame f;
    ctv_net_frame_init(&f);
    f.reference = -1;
    const ctv_status status = receiver->impl.next(now_us, f);
    if (status == CTV_OK) write_struct(f, frame);
    return status;
  });
}

ctv_status ctv_net_receiver_report(ctv_net_receiver* receiver, int64_t frame_number, ctv_net_state state) {
  CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
  CTV_NET_RETURN_IF_ERROR(check_range("state", state, CTV_NET_WHOLE, CTV_NET_LOST));
  receiver->impl.report(frame_number, state);
  return CTV_OK;
}

ctv_status ctv_net_receiver_request_key_frame(ctv_net_receiver* receiver) {
  CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
  receiver->impl.request_key_frame();
  return CTV_OK;
}

ctv_status ctv_net_receiver_feedback(ctv_net_receiver* receiver, int64_t now_us, const uint8_t** data,
                                     size_t* size) {
  return guarded([&]() -> ctv_status {
    CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
    CTV_NET_RETURN_IF_ERROR(need(data, "data"));
    CTV_NET_RETURN_IF_ERROR(need(size, "size"));
    CTV_NET_RETURN_IF_ERROR(check_time(now_us));
    std::span<const uint8_t> message;
    ctv_status status = receiver->impl.feedback(now_us, message);
    if (status == CTV_OK && receiver->cipher.on()) status = receiver->cipher.seal(message, true);
    if (status != CTV_OK) message = {};
    *data = message.data();
    *size = message.size();
    return status;
  });
}

ctv_status ctv_net_receiver_due(ctv_net_receiver* receiver, int64_t* time_us) {
  CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
  CTV_NET_RETURN_IF_ERROR(need(time_us, "time_us"));
  *time_us = receiver->impl.due_us();
  return CTV_OK;
}

ctv_status ctv_net_receiver_get_statistics(const ctv_net_receiver* receiver,
                                           ctv_net_receiver_statistics* statistics) {
  CTV_NET_RETURN_IF_ERROR(need(receiver, "receiver"));
  CTV_NET_RETURN_IF_ERROR(check_size(statistics, "statistics"));
  write_struct(receiver->impl.statistics(), statistics);
  return CTV_OK;
}

}  // extern "C"

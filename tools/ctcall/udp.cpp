// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/udp.h"

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "cli/exit.h"
#include "cli/latency.h"
#include "cli/signals.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr int64_t kSilence = 1000000;    // microseconds without datagrams that end a call
constexpr int64_t kPatience = 60000000;  // microseconds to wait for the first datagram

int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

#if defined(_WIN32)
using Handle = SOCKET;
constexpr int kSocketType = SOCK_DGRAM;

void start_sockets() {
  static WSADATA data;
  static const int started = WSAStartup(MAKEWORD(2, 2), &data);
  (void)started;
}
void close_socket(Handle handle) { closesocket(handle); }
int wait_for(pollfd& waiting, int milliseconds) { return WSAPoll(&waiting, 1, milliseconds); }
std::string last_error() { return "error " + std::to_string(WSAGetLastError()) + " of Windows"; }
#else
using Handle = int;
constexpr int kSocketType = SOCK_DGRAM | SOCK_CLOEXEC;

void start_sockets() {}
void close_socket(Handle handle) { close(handle); }
int wait_for(pollfd& waiting, int milliseconds) { return poll(&waiting, 1, milliseconds); }
std::string last_error() { return std::strerror(errno); }
#endif

// The bytes of a datagram as the calls of both systems take them.
const char* chars(std::span<const uint8_t> bytes) { return reinterpret_cast<const char*>(bytes.data()); }
#if defined(_WIN32)
int length_of(std::span<const uint8_t> bytes) { return static_cast<int>(bytes.size()); }
#else
size_t length_of(std::span<const uint8_t> bytes) { return bytes.size(); }
#endif

class Socket {
 public:
  Socket() {
    start_sockets();
    fd_ = socket(AF_INET, kSocketType, 0);
    if (fd_ == static_cast<Handle>(-1)) fail("cannot make a socket");
  }
  ~Socket() { close_socket(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void bind_to(int64_t port) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    here.sin_port = htons(static_cast<uint16_t>(port));
    if (bind(fd_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) fail("cannot listen");
  }
  void connect_to(const std::string& address) {
    const size_t colon = address.rfind(':');
    const auto port =
        colon == std::string::npos ? std::nullopt : parse_integer(address.substr(colon + 1), 1, 65535);
    if (!port) throw Failure(Exit::kUsage, "--connect: '" + address + "' is not HOST:PORT");
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &hints, &found) !=
        0) {
      throw Failure(Exit::kFile, "there is no host " + address.substr(0, colon));
    }
    const int result = connect(fd_, found->ai_addr, static_cast<socklen_t>(found->ai_addrlen));
    freeaddrinfo(found);
    if (result != 0) fail("cannot connect");
  }
  /// Datagrams that the system refuses are lost.
  void send_bytes(std::span<const uint8_t> bytes) {
    if (peer_.sin_port != 0) {
      (void)sendto(fd_, chars(bytes), length_of(bytes), 0, reinterpret_cast<const sockaddr*>(&peer_),
                   sizeof peer_);
    } else {
      (void)send(fd_, chars(bytes), length_of(bytes), 0);
    }
  }
  /// Waits until `until_us` at most; empty if nothing arrived.
  std::span<const uint8_t> receive_bytes(int64_t until_us) {
    const int64_t left = std::clamp<int64_t>(until_us - now_us(), 0, 100000);
    pollfd waiting{fd_, POLLIN, 0};
    if (wait_for(waiting, static_cast<int>((left + 999) / 1000)) <= 0) return {};
    sockaddr_in from{};
    socklen_t length = sizeof from;
    const auto size = recvfrom(fd_, reinterpret_cast<char*>(buffer_.data()), length_of(buffer_), 0,
                               reinterpret_cast<sockaddr*>(&from), &length);
    if (size <= 0) return {};
    peer_ = from;
    return {buffer_.data(), static_cast<size_t>(size)};
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw Failure(Exit::kFile, std::string(what) + ": " + last_error());
  }
  Handle fd_{};
  sockaddr_in peer_{};
  std::array<uint8_t, 65536> buffer_{};
};

}  // namespace

CallResult send_call(const CallOptions& options, const std::string& address, Source& source) {
  Socket socket;
  socket.connect_to(address);
  SendingEnd end(options, source);
  Channel channel(options.network, 1);
  const int64_t start = now_us();
  int64_t n = 0;
  const auto send_all = [&] {
    for (std::span<const uint8_t> d; !(d = end.next(now_us())).empty();) {
      if (channel.send(now_us(), d.size(), nullptr)) socket.send_bytes(d);
    }
  };
  // Repetition continues for a while after the last picture.
  for (int64_t due = start; n <= options.frames;) {
    check_interrupted();
    if (now_us() >= due) {
      if (n == options.frames || !end.capture(now_us())) break;
      due = start + static_cast<int64_t>(static_cast<double>(++n) * 1e6 / options.fps);
    }
    send_all();
    if (const auto message = socket.receive_bytes(std::min(due, end.due_us())); !message.empty())
      end.feedback(now_us(), message);
  }
  for (const int64_t end_us = now_us() + kSilence / 2; now_us() < end_us; send_all()) {
    check_interrupted();
    if (const auto message = socket.receive_bytes(std::min(end_us, end.due_us())); !message.empty())
      end.feedback(now_us(), message);
  }
  CallResult result;
  end.count(result);
  result.receives = false;
  result.frames = n;
  result.skipped = std::ranges::count(end.coded(), -1);
  result.lost_datagrams = channel.lost();
  result.seconds = static_cast<double>(n) / options.fps;
  return result;
}

CallResult receive_call(const CallOptions& options, int64_t port, Sink& sink) {
  Socket socket;
  socket.bind_to(port);
  ReceivingEnd end(options, sink);
  Channel channel(options.network, 2);
  int64_t first = 0, last = 0, shown = 0;
  const int64_t start = now_us();
  while (last == 0 ? now_us() < start + kPatience : now_us() < last + kSilence) {
    check_interrupted();
    const int64_t due = last == 0 ? start + kPatience : std::min(end.due_us(), last + kSilence);
    if (const auto bytes = socket.receive_bytes(due); !bytes.empty()) {
      last = now_us();
      if (first == 0) first = last;
      end.push(last, bytes);
    }
    end.decode(now_us());
    for (std::span<const uint8_t> m; last != 0 && !(m = end.feedback(now_us())).empty();) {
      if (channel.send(now_us(), m.size(), nullptr)) socket.send_bytes(m);
    }
    const auto interval = 1e6 / options.fps;
    while (first != 0 && shown < static_cast<int64_t>(end.decoded_us().size()) &&
           now_us() >= first + deadline_us(options) +
                           static_cast<int64_t>(static_cast<double>(shown + 1) * interval)) {
      end.show(shown, shown), ++shown;
    }
  }
  if (last == 0) throw Failure(Exit::kFile, "nothing came within a minute");
  while (shown < static_cast<int64_t>(end.decoded_us().size())) end.show(shown, shown), ++shown;
  CallResult result;
  end.count(result);
  result.sends = false;
  result.seconds = static_cast<double>(shown) / options.fps;
  return result;
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// The call of docs/calls.md as it is printed there.
// call.hpp: begin
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <ctv/call.hpp>

namespace {

constexpr int kWidth = 320, kHeight = 240, kFps = 30;

int64_t now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::printf("usage: call PORT PORT-OF-THE-OTHER SECONDS\n"), 1;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in here{}, peer{};
  here.sin_family = peer.sin_family = AF_INET;
  here.sin_port = htons(static_cast<uint16_t>(std::atoi(argv[1])));
  peer.sin_port = htons(static_cast<uint16_t>(std::atoi(argv[2])));
  here.sin_addr.s_addr = peer.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0) return std::perror("bind"), 1;
  ctv::Config config("fast");
  config.width = kWidth, config.height = kHeight, config.format = CTV_FORMAT_GRAY8, config.fps_num = kFps;
  ctv::CallSender sender(config);
  ctv::CallReceiver receiver;
  std::vector<uint8_t> camera(kWidth * kHeight), datagram(65536);
  const auto transmit = [&](auto& end) {
    while (const auto d = end.next(now_us()))
      (void)sendto(fd, d->data(), d->size(), 0, reinterpret_cast<sockaddr*>(&peer), sizeof peer);
  };
  int64_t captured = 0, shown = 0;
  const int64_t start = now_us(), end = start + 1000000 * std::atoll(argv[3]);
  while (now_us() < end) {
    const int64_t next_picture = start + captured * 1000000 / kFps;
    if (now_us() >= next_picture) {
      for (int i = 0; i < kWidth * kHeight; ++i)
        camera[static_cast<size_t>(i)] = static_cast<uint8_t>((i % kWidth + 2 * captured) ^ i / kWidth);
      ctv_picture picture = ctv::make_picture(CTV_FORMAT_GRAY8, kWidth, kHeight);
      picture.data[0] = camera.data(), picture.stride[0] = kWidth;
      sender.send(picture, now_us()), ++captured;
    }
    for (ssize_t n = 0; (n = recv(fd, datagram.data(), datagram.size(), MSG_DONTWAIT)) > 0;) {
      const std::span bytes(datagram.data(), static_cast<size_t>(n));
      ctv::is_feedback(bytes) ? sender.receive(bytes, now_us()) : receiver.receive(bytes, now_us());
    }
    while (const auto picture = receiver.picture(now_us())) shown += picture->width == kWidth;  // your screen
    transmit(sender), transmit(receiver);
    const int64_t due = std::min({next_picture + 1000000 / kFps, sender.due_us(), receiver.due_us()});
    pollfd waiting{fd, POLLIN, 0};
    poll(&waiting, 1, static_cast<int>(std::clamp<int64_t>((due - now_us() + 999) / 1000, 0, 100)));
  }
  std::printf("%s\n%s\n", sender.statistics().c_str(), receiver.statistics().c_str());
  return shown > 0 ? 0 : 1;
}
// call.hpp: end

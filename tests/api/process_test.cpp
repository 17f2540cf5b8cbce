// SPDX-License-Identifier: BSD-3-Clause
// The library as a guest of a process: fork(), signals, small stacks.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

constexpr int kWidth = 160;
constexpr int kHeight = 120;

Config settings(int in_flight) {
  Config c;
  c.width = kWidth, c.height = kHeight;
  c.format = CTV_FORMAT_I420;
  c.backend = CTV_BACKEND_CPU;
  c.frames_in_flight = in_flight;
  c.threads = 3;
  return c;
}

/// Encodes noise and decodes it. Uses no assertions, since children of fork() must not end the tests.
bool codes(int frames, int in_flight) {
  const Config config = settings(in_flight);
  ctv_encoder* encoder = nullptr;
  ctv_decoder* decoder = nullptr;
  if (ctv_encoder_open(&config, &encoder) != CTV_OK) return false;
  DecoderConfig decoder_config;
  decoder_config.backend = CTV_BACKEND_CPU;
  decoder_config.frames_in_flight = in_flight;
  if (ctv_decoder_open(&decoder_config, &decoder) != CTV_OK) return false;
  std::vector<uint8_t> samples(size_t{kWidth} * kHeight * 3 / 2);
  ctv_picture in = make_picture(CTV_FORMAT_I420, kWidth, kHeight);
  for (int p = 0; p < 3; ++p) {
    in.data[p] = samples.data() + (p == 0 ? 0 : kWidth * kHeight * (3 + p) / 4);
    in.stride[p] = p == 0 ? kWidth : kWidth / 2;
  }
  ctv_unit unit{};
  unit.struct_size = sizeof unit;
  ctv_picture out{};
  out.struct_size = sizeof out;
  int shown = 0;
  const auto show = [&] {
    while (ctv_decoder_receive(decoder, &out) == CTV_OK) ++shown;
  };
  const auto pass = [&] {
    while (ctv_decoder_send(decoder, unit.data, unit.size) == CTV_AGAIN) show();
  };
  ctv_encoder_header(encoder, &unit);
  pass();
  uint32_t state = 1;
  for (int i = 0; i < frames; ++i) {
    for (uint8_t& s : samples) s = static_cast<uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
    while (ctv_encoder_send(encoder, &in) == CTV_AGAIN) {
      if (ctv_encoder_receive(encoder, &unit) == CTV_OK) pass();
    }
  }
  ctv_encoder_flush(encoder);
  while (ctv_encoder_receive(encoder, &unit) == CTV_OK) pass();
  ctv_decoder_flush(decoder);
  show();
  ctv_encoder_close(encoder);
  ctv_decoder_close(decoder);
  return shown == frames;
}

/// The exit code of a child that runs body() -> int; -1 if it crashed, or hung for half a minute.
template <typename Body>
int child(Body body) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(30);
    _exit(body());
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Calls visit(path of the status file) for each thread of the process but the calling one.
template <typename Visit>
int other_threads(Visit visit) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(gettid())) continue;
    visit(task.path() / "status");
    ++count;
  }
  return count;
}

// ThreadSanitizer ends children that make threads.
#if !defined(CTV_TEST_SANITIZED)
TEST(Fork, AChildWorksThoughOtherThreadsWereInCalls) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i) {
    busy.emplace_back([&stop, i] {
      while (!stop) codes(3, 1 + 2 * i);
    });
  }
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(child([] { return codes(4, 4) ? 0 : 1; }), 0) << i;
    usleep(static_cast<useconds_t>(i * 37 % 1000));
  }
  stop = true;
  for (std::thread& t : busy) t.join();
}

TEST(Fork, AChildHasThreadsOfItsOwn) {
  ASSERT_TRUE(codes(2, 1));
  EXPECT_GT(child([] { return codes(2, 1) ? other_threads([](const auto&) {}) : 0; }), 0);
}

TEST(Fork, AnEncoderOfTheParentSaysSoAndCloses) {
  const Config config = settings(4);
  ctv_encoder* encoder = nullptr;
  ASSERT_EQ(ctv_encoder_open(&config, &encoder), CTV_OK);
  std::vector<uint8_t> samples(size_t{kWidth} * kHeight * 2);
  ctv_picture in = make_picture(CTV_FORMAT_I420, kWidth, kHeight);
  for (int p = 0; p < 3; ++p) in.data[p] = samples.data(), in.stride[p] = kWidth;
  ASSERT_EQ(ctv_encoder_send(encoder, &in), CTV_OK);
  EXPECT_EQ(child([&] {
              ctv_unit unit{};
              unit.struct_size = sizeof unit;
              ctv_encoder_send(encoder, &in);
              ctv_encoder_flush(encoder);
              if (ctv_encoder_receive(encoder, &unit) != CTV_ERROR_STATE) return 1;
              ctv_encoder_close(encoder);
              return codes(2, 2) ? 0 : 2;
            }),
            0);
  ctv_encoder_close(encoder);
}
#endif

uint64_t blocked_signals(const std::filesystem::path& status) {
  std::ifstream file(status);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("SigBlk:", 0) == 0) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

TEST(Signals, ThreadsOfTheLibraryTakeNone) {
  ASSERT_TRUE(codes(4, 4));
  const Encoder open(settings(4));  // its workers
  const auto blocks = [](uint64_t mask, int signal) { return (mask >> (signal - 1) & 1) != 0; };
  EXPECT_GT(other_threads([&](const std::filesystem::path& path) {
              uint64_t mask = blocked_signals(path);
              for (int i = 0; i < 2000 && blocks(mask, SIGSEGV); ++i) {  // as long as a thread is starting
                usleep(1000);
                mask = blocked_signals(path);
              }
              for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGALRM})
                EXPECT_TRUE(blocks(mask, signal)) << path << " " << signal;
              EXPECT_FALSE(blocks(mask, SIGSEGV));
            }),
            2);
}

// Threads of musl have 128 KiB.
#if !defined(CTV_TEST_SANITIZED)
TEST(Stack, Of128KibIsEnough) {
  EXPECT_EQ(child([] {
              pthread_attr_t attributes;
              pthread_attr_init(&attributes);
              pthread_attr_setstacksize(&attributes, size_t{128} << 10);
              pthread_t thread{};
              bool good = false;
              const auto body = [](void* result) -> void* {
                *static_cast<bool*>(result) = codes(4, 1);
                return nullptr;
              };
              if (pthread_create(&thread, &attributes, body, &good) != 0) return 2;
              pthread_join(thread, nullptr);
              return good ? 0 : 1;
            }),
            0);
}
#endif

}  // namespace
}  // namespace ctv::test

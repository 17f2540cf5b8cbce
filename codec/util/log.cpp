// SPDX-License-Identifier: BSD-3-Clause
#include "codec/util/log.hpp"

#include <mutex>

namespace ctv {
namespace {

struct Log {
  std::mutex mutex;
  ctv_log_callback callback = nullptr;
  void* opaque = nullptr;
};
Log& process_log() {
  static Log log;
  return log;
}

}  // namespace

void set_log_callback(ctv_log_callback callback, void* opaque) {
  Log& log = process_log();
  const std::lock_guard lock(log.mutex);
  log.callback = callback;
  log.opaque = opaque;
}

// The callback runs without the lock, so that it may call the library.
void log_message(ctv_log_level level, const char* message) {
  Log& log = process_log();
  std::unique_lock lock(log.mutex);
  const ctv_log_callback callback = log.callback;
  void* const opaque = log.opaque;
  lock.unlock();
  if (callback != nullptr) callback(opaque, level, message);
}

void lock_log() { process_log().mutex.lock(); }
void unlock_log() { process_log().mutex.unlock(); }

}  // namespace ctv

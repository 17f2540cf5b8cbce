// SPDX-License-Identifier: BSD-3-Clause
// Threads that code the symbols of some frames while the backend works on others.
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "codec/util/status.hpp"
#include "codec/util/threads.hpp"

namespace ctv {

class WorkerPool {
 public:
  /// Starts as many threads as the system allows. Without any, submit() runs the tasks.
  explicit WorkerPool(int threads) {
    threads_.reserve(static_cast<size_t>(threads));
    try {
      for (int i = 0; i < threads; ++i) threads_.push_back(start_thread([this] { work(); }));
    } catch (const std::exception&) {  // no thread, or no memory for one
    }
  }
  ~WorkerPool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs the task on a worker. The future returns its status; exceptions become statuses.
  template <typename Task>
  std::future<Status> submit(Task task) {
    std::packaged_task<Status()> packaged([task = std::move(task)] { return guarded(task); });
    std::future<Status> future = packaged.get_future();
    if (threads_.empty()) {
      packaged();
      return future;
    }
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(packaged));
    }
    wake_.notify_one();
    return future;
  }

 private:
  void work() {
    for (;;) {
      std::packaged_task<Status()> task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<Status()>> tasks_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ctv

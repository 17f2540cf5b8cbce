// SPDX-License-Identifier: BSD-3-Clause
// Threads that code the symbols of some frames while the backend works on others.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv {

class WorkerPool {
 public:
  explicit WorkerPool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
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

  std::future<Status> submit(std::function<Status()> task) {
    std::packaged_task<Status()> packaged(std::move(task));
    std::future<Status> future = packaged.get_future();
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

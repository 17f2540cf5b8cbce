// SPDX-License-Identifier: BSD-3-Clause
// The backend of a stream. If a device fails, the CPU replaces it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "codec/backend/backend.hpp"
#include "codec/format/headers.hpp"
#include "codec/util/status.hpp"

namespace ctv {

struct BackendChoice {
  ctv_backend backend = CTV_BACKEND_AUTO;
  int device = 0;
  int threads = 1;
  ctv_engine engine = CTV_ENGINE_AUTO;
  bool fall_back = true;  // false: the caller uses device memory
};

class FallbackBackend {
 public:
  using Work = std::function<Status()>;

  /// Has no backend until another object is moved here.
  FallbackBackend() = default;
  static Result<FallbackBackend> open(const BackendChoice& choice);
  Backend& operator*() const { return *backend_; }
  Backend* operator->() const { return backend_.get(); }
  int threads() const { return choice_.threads; }
  /// One line that says which backend and engine run, and why.
  const std::string& description() const { return description_; }

  Result<Engine> engine();
  /// Runs `make`, which frees what it made before and then makes everything that a stream needs on the
  /// backend. If the device lacks memory, runs it again. If it still fails and was not requested, runs it on
  /// the CPU.
  Status start(const Work& make);
  /// Runs `work`, and again if the device lacks memory. If the device still fails, calls go_on(failure),
  /// which must call replace(), and then runs `work` again.
  Status run(const Work& work, const std::function<Status(const Status&)>& go_on);
  /// Replaces the device by the CPU, runs `make`, and closes the device.
  Status replace(const Status& failure, const Work& make);

 private:
  explicit FallbackBackend(const BackendChoice& choice) : choice_(choice) {}
  bool is_device() const { return backend_->kind() != CTV_BACKEND_CPU; }
  /// Whether the CPU can continue after this failure.
  bool failed(const Status& status) const;
  /// Other programs use the device, too, so memory may be free at the second try.
  bool lacks_memory(const Status& status) const;

  BackendChoice choice_;
  std::unique_ptr<Backend> backend_;
  std::string why_;
  std::string description_;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
// The backend of a stream. If a device fails, the CPU takes its place.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "codec/backend/backend.hpp"
#include "codec/format/headers.hpp"
#include "codec/util/status.hpp"

namespace ctv {

/// Which backend to open, and how.
struct BackendChoice {
  ctv_backend backend = CTV_BACKEND_AUTO;
  int device = 0;
  int threads = 1;
  ctv_engine engine = CTV_ENGINE_AUTO;
  bool fall_back = true;  // false: the caller needs the device's memory
};

class FallbackBackend {
 public:
  using Work = std::function<Status()>;

  /// Without a backend, until another is moved here.
  FallbackBackend() = default;
  static Result<FallbackBackend> open(const BackendChoice& choice);
  Backend& operator*() const { return *backend_; }
  Backend* operator->() const { return backend_.get(); }
  int threads() const { return choice_.threads; }
  /// One line: which backend and engine run, and why.
  const std::string& description() const { return description_; }

  /// The engine for a stream's transform.
  Result<Engine> engine(const SequenceHeader& header);
  /// Runs `make`, which first drops what it made before, then makes all that a stream needs on the backend.
  /// If the device lacks memory, runs it again; if it still fails and was not asked for, on the CPU.
  Status start(const Work& make);
  /// Runs `work`; again if the device lacks memory. If the device still fails, runs go_on(failure), which is
  /// to call replace(), and then `work` again.
  Status run(const Work& work, const std::function<Status(const Status&)>& go_on);
  /// Puts the CPU in the place of the device, runs `make`, and drops the device.
  Status replace(const Status& failure, const Work& make);

 private:
  explicit FallbackBackend(const BackendChoice& choice) : choice_(choice) {}
  bool is_device() const { return backend_->kind() != CTV_BACKEND_CPU; }
  /// Whether the CPU could go on.
  bool failed(const Status& status) const;
  /// Others use the device too, so that memory may be there at the second try.
  bool lacks_memory(const Status& status) const;

  BackendChoice choice_;
  std::unique_ptr<Backend> backend_;
  std::string why_;
  std::string description_;
};

}  // namespace ctv

// SPDX-License-Identifier: BSD-3-Clause
#include "codec/pipeline/fallback_backend.hpp"

#include <utility>

#include "codec/backends.hpp"
#include "codec/config/run_options.hpp"
#include "codec/util/log.hpp"

namespace ctv {

Result<FallbackBackend> FallbackBackend::open(const BackendChoice& choice) {
  FallbackBackend device(choice);
  CTV_ASSIGN_OR_RETURN(device.backend_,
                       make_backend(choice.backend, choice.device, choice.threads, device.why_));
  device.description_ =
      describe(*device, choice.engine == CTV_ENGINE_FFT ? Engine::kFft : Engine::kDirect, device.why_);
  return device;
}

Result<Engine> FallbackBackend::engine() {
  const Engine engine = choose_engine(choice_.engine);
  CTV_RETURN_IF_ERROR(backend_->check_engine(engine));
  description_ = describe(*backend_, engine, why_);
  return engine;
}

bool FallbackBackend::failed(const Status& status) const {
  return is_device() && (status.code() == CTV_ERROR_DEVICE || status.code() == CTV_ERROR_MEMORY);
}

bool FallbackBackend::lacks_memory(const Status& status) const {
  return is_device() && status.code() == CTV_ERROR_MEMORY;
}

Status FallbackBackend::start(const Work& make) {
  Status status = make();
  if (lacks_memory(status)) status = make();
  if (failed(status) && choice_.backend == CTV_BACKEND_AUTO && choice_.fall_back) {
    return replace(status, make);
  }
  return status;
}

Status FallbackBackend::run(const Work& work, const std::function<Status(const Status&)>& go_on) {
  Status status = work();
  if (lacks_memory(status)) status = work();
  if (!failed(status) || !choice_.fall_back) return status;
  log_message(CTV_LOG_WARNING, (status.message() + ": the CPU takes over").c_str());
  CTV_RETURN_IF_ERROR(go_on(status));
  return work();
}

Status FallbackBackend::replace(const Status& failure, const Work& make) {
  std::string why;
  CTV_ASSIGN_OR_RETURN(auto cpu, make_backend(CTV_BACKEND_CPU, 0, choice_.threads, why));
  why = failure.message();  // must not throw between the exchange and make()
  const std::unique_ptr<Backend> device =
      std::exchange(backend_, std::move(cpu));  // kept until make() has freed its objects
  choice_.engine = CTV_ENGINE_AUTO;
  why_ = std::move(why);
  return make();
}

}  // namespace ctv

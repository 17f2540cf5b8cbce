// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/devices.hpp"

#include <algorithm>
#include <atomic>

#include "tests/support/stand_in.hpp"

namespace ctv::test {
namespace {

std::atomic<long> repeated_frames{0};
std::atomic<long> call_count{0};
std::atomic<long> fail_at_call{0};
std::atomic<Failure> how{Failure::kForGood};

class FailingDevice final : public StandIn {
 public:
  using StandIn::StandIn;
  Status before_call() override {
    const long call = ++call_count;
    const long fatal = fail_at_call;
    if (fatal == 0 || call < fatal) return {};
    if (how == Failure::kForGood)
      return {CTV_ERROR_DEVICE, "stand-in device: call " + std::to_string(fatal) + " failed"};
    return call == fatal ? Status(CTV_ERROR_MEMORY, "stand-in device: out of memory") : Status();
  }
};

// Repeats the calls of an equal frame.
class RepeatingDevice final : public StandIn {
 public:
  using StandIn::StandIn;
  bool keeps_calls() const override { return recording_ != nullptr; }
  void keep(Call call) override { recording_->second.push_back(std::move(call)); }
  void begin_stream(int frames_in_flight) override {
    frames_.clear();
    StandIn::begin_stream(frames_in_flight);
  }
  Result<bool> begin_frame(const FrameCalls& calls) override {
    recording_ = repeated_ = nullptr;
    if (!calls.repeatable) return false;
    const auto equal = std::ranges::find(frames_, calls, &KeptFrame::first);
    if (equal != frames_.end()) {
      repeated_ = &*equal;
      return true;
    }
    recording_ = &frames_.emplace_back(calls, std::vector<Call>());
    return false;
  }
  Status end_frame() override {
    recording_ = nullptr;
    if (repeated_ == nullptr) return {};
    ++repeated_frames;
    for (const Call& call : std::exchange(repeated_, nullptr)->second) CTV_RETURN_IF_ERROR(call());
    return {};
  }

 private:
  using KeptFrame = std::pair<FrameCalls, std::vector<Call>>;
  std::vector<KeptFrame> frames_;
  KeptFrame *recording_ = nullptr, *repeated_ = nullptr;
};

template <typename Device>
void replace_cuda() {
  replace_cuda_for_tests([](int, int threads) -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<Device>(threads));
  });
}

}  // namespace

CudaStandIn::~CudaStandIn() { replace_cuda_for_tests(nullptr); }

DeviceThatFails::DeviceThatFails(long fail_at, Failure failure) {
  call_count = 0;
  how = failure;
  fail_at_call = fail_at;
  replace_cuda<FailingDevice>();
}

long DeviceThatFails::calls() { return call_count; }

DeviceThatRepeats::DeviceThatRepeats() {
  repeated_frames = 0;
  replace_cuda<RepeatingDevice>();
}

long DeviceThatRepeats::repeated() { return repeated_frames; }

}  // namespace ctv::test

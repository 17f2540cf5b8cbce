// SPDX-License-Identifier: BSD-3-Clause
// The virtual clock: runs the next event in the order of time.
#include "ctcall/call.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "cli/latency.h"
#include "cli/signals.h"

namespace ctv::tools {
namespace {

// Interval between datagrams: 1200 bytes at 96 Mb/s.
constexpr int64_t kSpacing = 100;
// A picture that is decoded later than this after its deadline counts as frozen.
constexpr int64_t kLatest = 250000;

class Events {
 public:
  using Action = std::function<void()>;
  void at(int64_t time_us, Action action) { events_.emplace(std::max(time_us, now_us_), std::move(action)); }
  int64_t now_us() const { return now_us_; }
  /// Runs the next event; false if there is none.
  bool step() {
    if (events_.empty()) return false;
    const auto event = events_.begin();
    now_us_ = event->first;
    const auto action = std::move(event->second);
    events_.erase(event);
    action();
    return true;
  }

 private:
  std::multimap<int64_t, Action> events_;
  int64_t now_us_ = 0;
};

class VirtualCall {
 public:
  VirtualCall(const Caller& caller, Events& events, Bottleneck& link, uint64_t salt)
      : options_(caller.options),
        start_us_(caller.start_us),
        events_(events),
        sending_(options_, *caller.source),
        receiving_(options_, *caller.sink),
        forth_(options_.network, 2 * salt + 1),
        back_(options_.network, 2 * salt + 2),
        link_(link) {
    events_.at(start_us_, [this] { capture(); });
  }
  bool ended() const { return waiting_ == 0; }

  CallResult result() const {
    CallResult result;
    receiving_.count(result);
    sending_.count(result);
    result.lost_datagrams = forth_.lost();
    result.seconds = static_cast<double>(captured_) / options_.fps;
    Latency delays, waits;
    for (int64_t n = 0; n < captured_; ++n) {
      const int64_t frame = sending_.coded()[static_cast<size_t>(n)];
      const auto& decoded = receiving_.decoded_us();
      if (frame < 0 || frame >= static_cast<int64_t>(decoded.size())) continue;
      const int64_t time = decoded[static_cast<size_t>(frame)];
      if (time >= 0) delays.add(static_cast<double>(time - captured_us(n)) / 1000);
    }
    for (const int64_t wait : link_.waits_us()) waits.add(static_cast<double>(wait) / 1000);
    result.queue_p95_ms = waits.percentile(0.95);
    const double bits = link_.bits(start_us_, captured_us(captured_));
    if (bits > 0) result.utilisation = static_cast<double>(8 * delivered_) / bits;
    result.delay_p50_ms = delays.percentile(0.5);
    result.delay_p95_ms = delays.percentile(0.95);
    result.delay_p99_ms = delays.percentile(0.99);
    result.deliveries = deliveries_;
    return result;
  }

 private:
  int64_t captured_us(int64_t n) const {
    return start_us_ + static_cast<int64_t>(static_cast<double>(n) * 1e6 / options_.fps);
  }

  void capture() {
    check_interrupted();
    if (captured_ == options_.frames || !sending_.capture(events_.now_us())) {
      --waiting_;
      return;
    }
    const int64_t n = captured_++;
    const int64_t frame = sending_.coded().back();
    ++waiting_;
    events_.at(captured_us(captured_), [this] { capture(); });
    const int64_t shown_us =
        options_.network.delay_us + options_.network.jitter_us + deadline_us(options_) + kLatest;
    events_.at(events_.now_us() + shown_us, [this, n, frame] {
      receive();
      receiving_.show(n, frame);
      --waiting_;
    });
    send();
  }

  void send() {
    const int64_t now_us = events_.now_us();
    for (std::span<const uint8_t> d; now_us >= free_us_ && !(d = sending_.next(now_us)).empty();) {
      free_us_ = now_us + kSpacing;
      const auto arrival = forth_.send(now_us, d.size(), &link_);
      if (!arrival) continue;
      events_.at(*arrival, [this, bytes = std::vector<uint8_t>(d.begin(), d.end())] {
        delivered_ += bytes.size();
        deliveries_.push_back({events_.now_us(), bytes.size()});
        receiving_.push(events_.now_us(), bytes);
        receive();
      });
    }
    wake(send_us_, std::max(free_us_, sending_.due_us()), [this] { send(); });
  }

  // Runs the receiver after a datagram, or when it is due.
  void receive() {
    receiving_.decode(events_.now_us());
    for (std::span<const uint8_t> m; !(m = receiving_.feedback(events_.now_us())).empty();) {
      const auto arrival = back_.send(events_.now_us(), m.size(), nullptr);
      if (!arrival) continue;
      events_.at(*arrival, [this, bytes = std::vector<uint8_t>(m.begin(), m.end())] {
        sending_.feedback(events_.now_us(), bytes);
        send();
      });
    }
    wake(receive_us_, receiving_.due_us(), [this] { receive(); });
  }

  // Calls `action` at `due_us` unless it will be called before. `set_us`: when it will be.
  void wake(int64_t& set_us, int64_t due_us, Events::Action action) {
    if (due_us == INT64_MAX || (due_us >= set_us && set_us > events_.now_us())) return;
    set_us = std::max(due_us, events_.now_us() + 1);
    events_.at(set_us, std::move(action));
  }

  const CallOptions options_;
  const int64_t start_us_;
  Events& events_;
  SendingEnd sending_;
  ReceivingEnd receiving_;
  Channel forth_, back_;
  Bottleneck& link_;
  uint64_t delivered_ = 0;  // bytes
  std::vector<Delivery> deliveries_;
  int64_t free_us_ = 0, send_us_ = -1, receive_us_ = -1, captured_ = 0;
  int64_t waiting_ = 1;  // pictures not yet shown, and one for the camera
};

}  // namespace

std::vector<CallResult> run_calls(std::span<const Caller> callers, Bottleneck& link,
                                  std::span<const Traffic> traffic) {
  Events events;
  for (const Traffic& other : traffic) {
    constexpr size_t kBytes = 1200;
    const int64_t interval_us = std::max<int64_t>(1, 8000000 * int64_t{kBytes} / other.bitrate);
    for (int64_t t = other.from_us; t < other.to_us; t += interval_us)
      events.at(t, [&link, t] { (void)link.send(t, kBytes); });
  }
  std::vector<std::unique_ptr<VirtualCall>> calls;
  for (const Caller& caller : callers)
    calls.push_back(std::make_unique<VirtualCall>(caller, events, link, calls.size()));
  const auto all_ended = [&] {
    return std::ranges::all_of(calls, [](const auto& call) { return call->ended(); });
  };
  while (!all_ended() && events.step()) {
  }
  std::vector<CallResult> results;
  for (const auto& call : calls) results.push_back(call->result());
  return results;
}

CallResult run_call(const CallOptions& options, Source& source, Sink& sink) {
  Bottleneck link(options.network.steps, options.network.queue_us);
  const Caller caller{options, &source, &sink};
  return run_calls({&caller, 1}, link)[0];
}

}  // namespace ctv::tools

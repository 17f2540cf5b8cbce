// SPDX-License-Identifier: BSD-3-Clause
// The virtual clock: runs the next event in the order of time.
#include "ctcall/call.h"

#include <algorithm>
#include <functional>
#include <map>

#include "cli/latency.h"
#include "cli/signals.h"

namespace ctv::tools {
namespace {

// Interval between datagrams: 1200 bytes at 96 Mb/s.
constexpr int64_t kSpacing = 100;
// A picture that is decoded later than this after its deadline counts as frozen.
constexpr int64_t kLatest = 250000;

class VirtualCall {
 public:
  VirtualCall(const CallOptions& options, Source& source, Sink& sink)
      : options_(options),
        sending_(options_, source),
        receiving_(options_, sink),
        forth_(options.network, 1),
        back_(options.network, 2),
        link_(options.network.steps, options.network.queue_us) {}

  CallResult run() {
    waiting_ = 1;
    at(0, [this] { capture(); });
    while (!events_.empty() && waiting_ > 0) {
      const auto event = events_.begin();
      now_us_ = event->first;
      const auto action = std::move(event->second);
      events_.erase(event);
      action();
    }
    CallResult result;
    receiving_.count(result);
    sending_.count(result);
    result.lost_datagrams = forth_.lost();
    result.seconds = static_cast<double>(captured_) / options_.fps;
    Latency delays, waits;
    for (size_t i = 0; i < receiving_.decoded_us().size(); ++i) {
      if (receiving_.decoded_us()[i] >= 0) {
        delays.add(static_cast<double>(receiving_.decoded_us()[i] - captured_us(static_cast<int64_t>(i))) /
                   1000);
      }
    }
    for (const int64_t wait : link_.waits_us()) waits.add(static_cast<double>(wait) / 1000);
    result.queue_p95_ms = waits.percentile(0.95);
    const double bits = link_.bits(0, captured_us(captured_));
    if (bits > 0) result.utilisation = static_cast<double>(8 * delivered_) / bits;
    result.delay_p50_ms = delays.percentile(0.5);
    result.delay_p95_ms = delays.percentile(0.95);
    result.delay_p99_ms = delays.percentile(0.99);
    return result;
  }

 private:
  using Action = std::function<void()>;
  void at(int64_t time_us, Action action) { events_.emplace(time_us, std::move(action)); }
  int64_t captured_us(int64_t n) const {
    return static_cast<int64_t>(static_cast<double>(n) * 1e6 / options_.fps);
  }

  void capture() {
    check_interrupted();
    if (captured_ == options_.frames || !sending_.capture()) {
      --waiting_;
      return;
    }
    const int64_t n = captured_++;
    ++waiting_;
    at(captured_us(captured_), [this] { capture(); });
    at(now_us_ + options_.network.delay_us + options_.network.jitter_us + deadline_us(options_) + kLatest,
       [this, n] {
         receive();
         receiving_.show(n);
         --waiting_;
       });
    send();
  }

  void send() {
    while (true) {
      const int64_t leaves = std::max(free_us_, now_us_);
      const std::span<const uint8_t> datagram = sending_.next(leaves);
      if (datagram.empty()) return;
      free_us_ = leaves + kSpacing;
      const auto arrival = forth_.send(leaves, datagram.size(), &link_);
      if (!arrival) continue;
      delivered_ += datagram.size();
      at(*arrival, [this, bytes = std::vector<uint8_t>(datagram.begin(), datagram.end())] {
        receiving_.push(now_us_, bytes);
        receive();
      });
    }
  }

  // Runs the receiver after a datagram, or when it is due.
  void receive() {
    receiving_.decode(now_us_);
    for (std::span<const uint8_t> m; !(m = receiving_.feedback(now_us_)).empty();) {
      const auto arrival = back_.send(now_us_, m.size(), nullptr);
      if (!arrival) continue;
      at(*arrival, [this, bytes = std::vector<uint8_t>(m.begin(), m.end())] {
        sending_.feedback(now_us_, bytes);
        send();
      });
    }
    const int64_t due = receiving_.due_us();
    if (due == INT64_MAX || (due >= wake_us_ && wake_us_ > now_us_)) return;
    wake_us_ = std::max(due, now_us_ + 1);
    at(wake_us_, [this] { receive(); });
  }

  const CallOptions options_;
  SendingEnd sending_;
  ReceivingEnd receiving_;
  Channel forth_, back_;
  Bottleneck link_;
  uint64_t delivered_ = 0;  // bytes
  std::multimap<int64_t, Action> events_;
  int64_t now_us_ = 0, free_us_ = 0, wake_us_ = -1, captured_ = 0;
  int64_t waiting_ = 0;  // pictures not yet shown, and one for the camera
};

}  // namespace

CallResult run_call(const CallOptions& options, Source& source, Sink& sink) {
  return VirtualCall(options, source, sink).run();
}

}  // namespace ctv::tools

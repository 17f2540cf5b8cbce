// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/replay_ends.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "cli/exit.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr size_t kRemembered = 256;  // frames
constexpr size_t kLargest = size_t{1} << 22;

}  // namespace

double Trace::price(int64_t distance) const {
  if (distance <= 1 || prices.empty()) return 1;
  const auto above = prices.lower_bound(distance);
  if (above == prices.end()) return prices.rbegin()->second;
  const bool first = above == prices.begin();
  const int64_t near = first ? 1 : std::prev(above)->first;
  const double near_price = first ? 1 : std::prev(above)->second;
  const auto share = static_cast<double>(distance - near) / static_cast<double>(above->first - near);
  return near_price + (above->second - near_price) * share;
}

Trace read_trace(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Failure(Exit::kFile, path + ": cannot be read");
  Trace trace;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto refuse = [&] {
      throw Failure(Exit::kFile, text("%s: line %d is not of a trace", path.c_str(), number));
    };
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "fps") {
      if (!(words >> trace.fps) || trace.fps <= 0) refuse();
    } else if (word == "price") {
      int64_t distance = 0;
      double price = 0;
      if (!(words >> distance >> price) || distance < 2 || price <= 0 || price > 100) refuse();
      trace.prices[distance] = price;
    } else if (word == "frame") {
      std::vector<TracePart> parts;
      while (words >> word) {
        const auto fields = split(word, ':');
        const auto size = fields.size() == 2 ? parse_integer(fields[0], 0, kLargest) : std::nullopt;
        const auto priority = fields.size() == 2 ? parse_integer(fields[1], 0, 3) : std::nullopt;
        if (!size || !priority || parts.size() == CTV_NET_MAX_PARTS) refuse();
        parts.push_back({static_cast<size_t>(*size), static_cast<int32_t>(*priority)});
      }
      if (parts.empty()) refuse();
      trace.frames.push_back(parts);
    } else {
      refuse();
    }
  }
  if (trace.frames.size() < 2) throw Failure(Exit::kFile, path + ": has fewer than two frames");
  return trace;
}

std::string trace_text(const Trace& trace) {
  std::string out = text("fps %g\n", trace.fps);
  for (const auto& [distance, price] : trace.prices) {
    out += text("price %lld %.3f\n", static_cast<long long>(distance), price);
  }
  for (const auto& frame : trace.frames) {
    out += "frame";
    for (const TracePart& part : frame) out += text(" %zu:%d", part.size, part.priority);
    out += "\n";
  }
  return out;
}

// Whether neither it nor its references back to an acknowledged frame are known to be lost.
bool ReplaySource::clean(int64_t number) const {
  for (auto it = sent_.find(number); it != sent_.end(); it = sent_.find(it->second.reference)) {
    if (it->second.fate == CTV_NET_WHOLE) return true;
    if (it->second.fate != CTV_NET_UNKNOWN) return false;
    if (it->second.reference < 0) return true;
  }
  return false;  // too long ago
}

bool ReplaySource::code(CodedFrame& out) {
  const int64_t n = next_++;
  const size_t count = trace_.frames.size() - 1;
  const std::vector<TracePart>* parts = &trace_.frames[n == 0 ? 0 : 1 + static_cast<size_t>(n - 1) % count];
  for (const TracePart& part : *parts) plain_bytes_ += part.size;
  int64_t reference = n - 1;
  if (references_ && n > 0 && !clean(reference)) reference = acknowledged_;
  if (n == 0 || key_wanted_ || reference < 0 || n - reference > 255) {
    reference = -1;
    parts = &trace_.frames[0];
    last_key_ = n;
    key_wanted_ = false;
  }
  const double price = reference < 0 ? 1 : trace_.price(n - reference);
  out.number = n;
  out.reference = reference;
  out.parts.clear();
  for (const TracePart& part : *parts) {
    const auto size = static_cast<size_t>(std::ceil(static_cast<double>(part.size) * price));
    out.parts.push_back({std::vector<uint8_t>(size, static_cast<uint8_t>(n)), part.priority});
  }
  sent_[n] = {reference, CTV_NET_UNKNOWN};
  if (sent_.size() > kRemembered) sent_.erase(sent_.begin());
  return true;
}

void ReplaySource::acknowledge(int64_t number) {
  const auto it = sent_.find(number);
  if (it == sent_.end() || it->second.fate != CTV_NET_UNKNOWN) return;
  it->second.fate = CTV_NET_WHOLE;
  acknowledged_ = std::max(acknowledged_, number);
}

void ReplaySource::lose(int64_t number) {
  const auto it = sent_.find(number);
  if (it != sent_.end()) it->second.fate = CTV_NET_LOST;
  if (!references_ && number >= last_key_) key_wanted_ = true;
}

ctv_net_state ReplaySink::decode(const ctv_net_frame& frame) {
  if (frame.state == CTV_NET_LOST) return CTV_NET_LOST;
  ctv_net_state state = frame.state;
  if (frame.reference >= 0) {
    const auto reference = held_.find(frame.reference);
    if (reference == held_.end()) return CTV_NET_LOST;
    if (reference->second != CTV_NET_WHOLE) state = CTV_NET_INCOMPLETE;
  }
  wanted_ = false;
  held_[frame.frame_number] = state;
  if (held_.size() > kRemembered) held_.erase(held_.begin());
  return state;
}

}  // namespace ctv::tools

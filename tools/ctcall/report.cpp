// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/report.h"

#include <string>
#include <vector>

#include "cli/text.h"

namespace ctv::tools {
namespace {

using Json = nlohmann::ordered_json;

double percent(int64_t part, int64_t all) {
  return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

struct ByteKind {
  const char* name;
  uint64_t bytes;
  bool known;
};

std::vector<ByteKind> kinds(const CallResult& r) {
  const CallBytes& b = r.bytes;
  return {{"headers", b.headers, r.sends},   {"vectors", b.vectors, r.sends},
          {"levels", b.levels, r.sends},     {"parity", b.parity, r.sends},
          {"repeated", b.repeated, r.sends}, {"feedback", b.feedback, r.receives}};
}

/// Values that were not measured are null.
template <class T>
Json measured(bool known, T value) {
  return known ? Json(value) : Json(nullptr);
}

double kilobits(uint64_t bytes, const CallResult& r) {
  return r.seconds > 0 ? static_cast<double>(bytes) * 8 / 1000 / r.seconds : 0;
}

double overhead(const CallResult& r, uint64_t plain_bytes) {
  return 100 * (static_cast<double>(r.bytes.all()) / static_cast<double>(plain_bytes) - 1);
}

std::string datagrams_text(const CallResult& r) {
  std::string out = "datagrams ";
  if (r.sends)
    out += text(" %7llu     %llu lost", static_cast<unsigned long long>(r.datagrams),
                static_cast<unsigned long long>(r.lost_datagrams));
  if (r.receives)
    out += text("%s%llu rebuilt from parity, %llu came again", r.sends ? ", " : " ",
                static_cast<unsigned long long>(r.repaired), static_cast<unsigned long long>(r.repeated));
  return out + "\n";
}

}  // namespace

std::string call_text(const CallCommand& c, const CallResult& r, std::optional<double> psnr,
                      uint64_t plain_bytes) {
  const NetworkOptions& n = c.call.network;
  std::string out =
      text("%lld frames, %.1f s; loss %g %%, bursts of %g, round trip %g ms, jitter %g ms, playout %g ms\n",
           static_cast<long long>(r.frames), r.seconds, 100 * n.loss, n.burst,
           2 * static_cast<double>(n.delay_us) / 1000, static_cast<double>(n.jitter_us) / 1000,
           static_cast<double>(c.call.playout_us) / 1000);
  if (r.receives) {
    out += text("frozen     %7.2f %%  longest %.2f s\n", percent(r.frozen, r.frames),
                static_cast<double>(r.longest_freeze) / c.call.fps);
    out += text("damaged    %7.2f %%\n", percent(r.damaged, r.frames));
    if (r.sends)
      out += text("not coded  %7.2f %%  because the network was too slow\n", percent(r.skipped, r.frames));
  }
  if (psnr) out += text("PSNR       %7.2f dB  luma, mean of the pictures on the screen\n", *psnr);
  if (r.sends && r.receives) {
    out += text("delay      %7.1f ms  median, %.1f ms of 95 %%, %.1f ms of 99 %%, from camera to decoder\n",
                r.delay_p50_ms, r.delay_p95_ms, r.delay_p99_ms);
  }
  if (!n.steps.empty() && r.sends && r.receives) {
    out += text("queue      %7.1f ms  of 95 %%; the link carries %.0f %% of what it could\n", r.queue_p95_ms,
                100 * r.utilisation);
  }
  out += datagrams_text(r);
  if (r.sends) {
    out += text("key frames %7lld\n", static_cast<long long>(r.key_frames));
    out += text("sent       %7.1f kb/s", kilobits(r.bytes.all(), r));
    if (plain_bytes > 0) out += text("  %+.1f %% over the packets without loss", overhead(r, plain_bytes));
    out += "\n";
  }
  for (const ByteKind& kind : kinds(r)) {
    if (!kind.known) continue;
    out += text("  %-8s %7.1f kb/s", kind.name, kilobits(kind.bytes, r));
    // A receiver does not know the total bytes that its feedback is a share of.
    if (r.sends)
      out +=
          text("  %5.1f %%", percent(static_cast<int64_t>(kind.bytes), static_cast<int64_t>(r.bytes.all())));
    out += "\n";
  }
  return out;
}

Json call_json(const CallCommand& c, const CallResult& r, std::optional<double> psnr, uint64_t plain_bytes) {
  const NetworkOptions& n = c.call.network;
  Json j;
  j["tool"] = "ctcall";
  j["version"] = ctv_version();
  j["loss"] = n.loss;
  j["burst"] = n.burst;
  j["round_trip_ms"] = 2 * static_cast<double>(n.delay_us) / 1000;
  j["jitter_ms"] = static_cast<double>(n.jitter_us) / 1000;
  j["bandwidth"] = Json::array();
  for (const NetworkOptions::Step& step : n.steps) {
    j["bandwidth"].push_back(
        {static_cast<double>(step.time_us) / 1e6, static_cast<double>(step.bandwidth) / 1000});
  }
  j["queue_ms"] = static_cast<double>(n.queue_us) / 1000;
  j["playout_ms"] = static_cast<double>(c.call.playout_us) / 1000;
  j["seed"] = n.seed;
  j["frames"] = r.frames;
  j["seconds"] = r.seconds;
  j["skipped"] = measured(r.sends, r.skipped);
  j["frozen"] = measured(r.receives, r.frozen);
  j["frozen_percent"] = measured(r.receives, percent(r.frozen, r.frames));
  j["longest_freeze_frames"] = measured(r.receives, r.longest_freeze);
  j["damaged"] = measured(r.receives, r.damaged);
  j["damaged_percent"] = measured(r.receives, percent(r.damaged, r.frames));
  j["psnr"] = psnr ? Json(*psnr) : Json(nullptr);
  const bool both = r.sends && r.receives;
  j["delay_ms"] = {{"p50", measured(both, r.delay_p50_ms)},
                   {"p95", measured(both, r.delay_p95_ms)},
                   {"p99", measured(both, r.delay_p99_ms)}};
  j["queue_p95_ms"] = measured(both && !n.steps.empty(), r.queue_p95_ms);
  j["utilisation"] = measured(both && !n.steps.empty(), r.utilisation);
  j["datagrams"] = measured(r.sends, r.datagrams);
  j["lost_datagrams"] = measured(r.sends, r.lost_datagrams);
  j["repaired_datagrams"] = measured(r.receives, r.repaired);
  j["repeated_datagrams"] = measured(r.receives, r.repeated);
  j["key_frames"] = measured(r.sends, r.key_frames);
  for (const ByteKind& kind : kinds(r)) j["bytes"][kind.name] = measured(kind.known, kind.bytes);
  if (plain_bytes > 0) j["overhead_percent"] = overhead(r, plain_bytes);
  return j;
}

}  // namespace ctv::tools

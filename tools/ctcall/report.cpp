// SPDX-License-Identifier: BSD-3-Clause
#include "ctcall/report.h"

#include <algorithm>
#include <utility>

#include "cli/text.h"

namespace ctv::tools {
namespace {

using Json = nlohmann::ordered_json;

double percent(int64_t part, int64_t all) {
  return all > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

std::vector<std::pair<const char*, uint64_t>> kinds(const CallBytes& b) {
  return {{"headers", b.headers}, {"vectors", b.vectors},   {"levels", b.levels},
          {"parity", b.parity},   {"repeated", b.repeated}, {"feedback", b.feedback}};
}

double kilobits(uint64_t bytes, const CallResult& r) {
  return r.seconds > 0 ? static_cast<double>(bytes) * 8 / 1000 / r.seconds : 0;
}

double overhead(const CallResult& r, uint64_t plain_bytes) {
  return 100 * (static_cast<double>(r.bytes.all()) / static_cast<double>(plain_bytes) - 1);
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
  out += text("frozen     %7.2f %%  longest %.2f s\n", percent(r.frozen, r.frames),
              static_cast<double>(r.longest_freeze) / c.call.fps);
  out += text("damaged    %7.2f %%\n", percent(r.damaged, r.frames));
  if (psnr) out += text("PSNR       %7.2f dB  luma, mean of the pictures on the screen\n", *psnr);
  out += text("delay      %7.1f ms  median, %.1f ms of 99 %%, from camera to decoder\n", r.delay_p50_ms,
              r.delay_p99_ms);
  out += text("datagrams  %7llu     %llu lost, %llu rebuilt from parity, %llu came again\n",
              static_cast<unsigned long long>(r.datagrams), static_cast<unsigned long long>(r.lost_datagrams),
              static_cast<unsigned long long>(r.repaired), static_cast<unsigned long long>(r.repeated));
  out += text("key frames %7lld\n", static_cast<long long>(r.key_frames));
  out += text("sent       %7.1f kb/s", kilobits(r.bytes.all(), r));
  if (plain_bytes > 0) out += text("  %+.1f %% over the packets without loss", overhead(r, plain_bytes));
  out += "\n";
  for (const auto& [name, bytes] : kinds(r.bytes)) {
    out += text(
        "  %-8s %7.1f kb/s  %5.1f %%\n", name, kilobits(bytes, r),
        percent(static_cast<int64_t>(bytes), static_cast<int64_t>(std::max<uint64_t>(1, r.bytes.all()))));
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
  j["playout_ms"] = static_cast<double>(c.call.playout_us) / 1000;
  j["seed"] = n.seed;
  j["frames"] = r.frames;
  j["seconds"] = r.seconds;
  j["frozen"] = r.frozen;
  j["frozen_percent"] = percent(r.frozen, r.frames);
  j["longest_freeze_frames"] = r.longest_freeze;
  j["damaged"] = r.damaged;
  j["damaged_percent"] = percent(r.damaged, r.frames);
  j["psnr"] = psnr ? Json(*psnr) : Json(nullptr);
  j["delay_ms"] = {{"p50", r.delay_p50_ms}, {"p99", r.delay_p99_ms}};
  j["datagrams"] = r.datagrams;
  j["lost_datagrams"] = r.lost_datagrams;
  j["repaired_datagrams"] = r.repaired;
  j["repeated_datagrams"] = r.repeated;
  j["key_frames"] = r.key_frames;
  for (const auto& [name, bytes] : kinds(r.bytes)) j["bytes"][name] = bytes;
  if (plain_bytes > 0) j["overhead_percent"] = overhead(r, plain_bytes);
  return j;
}

}  // namespace ctv::tools

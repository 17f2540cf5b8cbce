// SPDX-License-Identifier: BSD-3-Clause
#include "bench/loss_peer.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "bench/peers.h"
#include "cli/exit.h"
#include "cli/latency.h"
#include "cli/quality.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/frame_reader.h"

namespace ctv::tools {
namespace {

constexpr int kDelimiter = 9;  // types of network abstraction layer units
constexpr int kSlice = 1, kKeySlice = 5;
constexpr size_t kDatagramHeader = 12;  // RTP
constexpr int64_t kSpacingUs = 100;

void put(std::ofstream& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.put(static_cast<char>(value >> 8 * i));
}

}  // namespace

X264Peer::X264Peer(const Clip& clip, const std::string& preset, const CallOptions& call)
    : clip_(clip),
      preset_(preset),
      rate_(text("%.0f", static_cast<double>(call.bitrate) / 1000)),
      mtu_(call.mtu),
      frames_(call.frames) {
  write_clip(clip, scratch_.file("clip.y4m"), true, static_cast<size_t>(call.frames));
}

void X264Peer::encode(const std::vector<size_t>* keys) {
  const std::string output = scratch_.file("stream"), list = scratch_.file("keys");
  std::vector<std::string> command = tools::split(
      text("x264 --preset %s --tune zerolatency --no-scenecut --bitrate %s --vbv-maxrate %s --vbv-bufsize %s "
           "--slice-max-size %d --aud --threads 1 --quiet -o",
           preset_.c_str(), rate_.c_str(), rate_.c_str(), rate_.c_str(),
           mtu_ - static_cast<int>(kDatagramHeader)),
      ' ');
  command.insert(command.end(), {output, scratch_.file("clip.y4m")});
  if (keys == nullptr) {
    command.insert(command.end(), {"--keyint", "60", "--intra-refresh"});
  } else {
    std::ofstream out(list);
    for (const size_t key : *keys) out << key << " I -1\n";
    command.insert(command.end(), {"--keyint", "infinite", "--qpfile", list});
  }
  run_checked(command);
  std::ifstream in(output, std::ios::binary);
  pictures_.clear();
  split({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  if (static_cast<int64_t>(pictures_.size()) != frames_)
    throw Failure(Exit::kFile, "x264 coded another number of pictures");
}

void X264Peer::split(const std::vector<uint8_t>& stream) {
  each_nal(stream, [&](int type, std::span<const uint8_t> unit) {
    if (type == kDelimiter) pictures_.emplace_back();
    if (pictures_.empty()) return;
    const bool slice = type == kSlice || type == kKeySlice;
    (slice ? pictures_.back().slices : pictures_.back().units).emplace_back(unit.begin(), unit.end());
  });
}

// IVF, because it stores times: a player repeats the last picture where one is missing.
std::string X264Peer::decode(const std::vector<std::vector<bool>>& arrived) const {
  const std::string input = scratch_.file("arrived.ivf"), output = scratch_.file("decoded.yuv");
  const VideoFormat& video = clip_.video;
  {
    std::ofstream out(input, std::ios::binary);
    out << "DKIF";
    put(out, 0, 2), put(out, 32, 2);
    out << "H264";
    put(out, static_cast<uint64_t>(video.width), 2), put(out, static_cast<uint64_t>(video.height), 2);
    put(out, static_cast<uint64_t>(video.fps_num), 4), put(out, static_cast<uint64_t>(video.fps_den), 4);
    put(out, pictures_.size(), 4), put(out, 0, 4);
    for (size_t n = 0; n < pictures_.size(); ++n) {
      std::vector<const Nal*> nals;
      for (const Nal& unit : pictures_[n].units) nals.push_back(&unit);
      const size_t units = nals.size();
      for (size_t i = 0; i < pictures_[n].slices.size(); ++i) {
        if (arrived[n][i]) nals.push_back(&pictures_[n].slices[i]);
      }
      if (nals.size() == units) continue;
      size_t size = 0;
      for (const Nal* nal : nals) size += nal->size();
      put(out, size, 4), put(out, n, 8);
      for (const Nal* nal : nals)
        out.write(reinterpret_cast<const char*>(nal->data()), static_cast<std::streamsize>(nal->size()));
    }
    if (!out.flush()) throw Failure(Exit::kFile, "cannot write " + input);
  }
  run_checked({"ffmpeg", "-v", "fatal", "-nostdin", "-y", "-threads", "1", "-i", input, "-fps_mode", "cfr",
               "-r", text("%d/%d", video.fps_num, video.fps_den), "-f", "rawvideo", "-pix_fmt", "yuv420p",
               output});
  return output;
}

std::vector<std::string> X264Peer::digests_of(const std::string& path, Outcome* outcome) const {
  InputOptions input;
  input.path = path;
  input.size = {clip_.video.width, clip_.video.height};
  const std::unique_ptr<FrameReader> reader = open_input(input);
  Frame frame;
  std::vector<std::string> digests;
  for (size_t n = 0; n < pictures_.size(); ++n) {
    check_interrupted();
    if (!reader->read(frame) &&
        digests.empty())  // the last pictures may be missing: then the previous one is repeated
      throw Failure(Exit::kFile, "ffmpeg decodes no picture");
    digests.push_back(digest_of({&frame, 1}));
    if (outcome == nullptr) continue;
    const Frame& source = clip_.frames[n % clip_.frames.size()];
    outcome->psnr += luma_psnr(source.picture(), frame.picture()) / static_cast<double>(pictures_.size());
  }
  return digests;
}

X264Peer::Outcome X264Peer::call_with_refresh(const CallOptions& options) {
  if (intact_.empty()) {
    encode(nullptr);
    std::vector<std::vector<bool>> all;
    for (const Picture& picture : pictures_) all.emplace_back(picture.slices.size(), true);
    intact_ = digests_of(decode(all), nullptr);
  }
  Outcome outcome;
  CallResult& r = outcome.call;
  Channel channel(options.network, 1);
  Latency delays;
  std::vector<std::vector<bool>> arrived;
  int64_t run = 0;
  for (size_t n = 0; n < pictures_.size(); ++n) {
    const auto captured = static_cast<int64_t>(static_cast<double>(n) * 1e6 / options.fps);
    int64_t last = -1;
    auto& of_picture = arrived.emplace_back();
    for (const Nal& slice : pictures_[n].slices) {
      r.bytes.headers += kDatagramHeader;
      r.bytes.levels += slice.size();
      const int64_t leaves = captured + static_cast<int64_t>(of_picture.size()) * kSpacingUs;
      const auto arrival = channel.send(leaves, slice.size(), nullptr);
      of_picture.push_back(arrival || n == 0);
      if (arrival) last = std::max(last, *arrival - captured);
    }
    for (const Nal& unit : pictures_[n].units) r.bytes.headers += unit.size();
    if (last >= 0) delays.add(static_cast<double>(last) / 1000);
    run = last < 0 && n > 0 ? run + 1 : 0;
    r.frozen += run > 0 ? 1 : 0;
    r.longest_freeze = std::max(r.longest_freeze, run);
  }
  const std::vector<std::string> shown = digests_of(decode(arrived), &outcome);
  for (size_t n = 0; n < shown.size(); ++n) r.damaged += shown[n] != intact_[n] ? 1 : 0;
  r.damaged -= std::min(r.frozen, r.damaged);
  r.frames = static_cast<int64_t>(pictures_.size());
  r.key_frames = 1;
  r.seconds = static_cast<double>(r.frames) / options.fps;
  r.datagrams = channel.sent();
  r.lost_datagrams = channel.lost();
  r.delay_p50_ms = delays.percentile(0.5);
  r.delay_p99_ms = delays.percentile(0.99);
  return outcome;
}

// A key frame changes the coded pictures, and thus the losses, but only from there on: so coding again with
// the requested key frames converges. Losses are drawn per picture, so few others change.
X264Peer::Outcome X264Peer::call_with_key_frames(const CallOptions& options) {
  constexpr size_t kMostSlices = 512;
  const auto wait = static_cast<size_t>(
      std::max(1.0, std::ceil(2e-6 * static_cast<double>(options.network.delay_us) * options.fps)));
  std::vector<size_t> keys, asked;
  std::vector<std::vector<bool>> arrived;
  Outcome outcome;
  CallResult& r = outcome.call;
  do {
    check_interrupted();
    keys = asked;
    encode(&keys);
    asked.clear(), arrived.clear();
    r = {};
    Channel channel(options.network, 1);
    size_t due = 0;
    int64_t run = 0;
    for (size_t n = 0; n < pictures_.size(); ++n) {
      size_t lost = 0;
      for (size_t i = 0; i < kMostSlices; ++i)
        lost += !channel.send(0, 0, nullptr) && i < pictures_[n].slices.size() && n > 0 ? 1 : 0;
      const bool key = n == 0 || std::ranges::binary_search(keys, n);
      if (n > 0 && n == due) asked.push_back(n);
      if (lost > 0 && due <= n) due = n + wait;
      run = lost > 0 || (run > 0 && !key) ? run + 1 : 0;
      arrived.emplace_back(pictures_[n].slices.size(), run == 0);
      r.frozen += run > 0 ? 1 : 0;
      r.longest_freeze = std::max(r.longest_freeze, run);
      for (const Nal& unit : pictures_[n].units) r.bytes.headers += unit.size();
      for (const Nal& slice : pictures_[n].slices) r.bytes.levels += slice.size();
      r.bytes.headers += kDatagramHeader * pictures_[n].slices.size();
      r.datagrams += pictures_[n].slices.size();
      r.lost_datagrams += lost;
    }
  } while (asked != keys);
  (void)digests_of(decode(arrived), &outcome);
  r.frames = frames_;
  r.key_frames = static_cast<int64_t>(keys.size()) + 1;
  r.seconds = static_cast<double>(frames_) / options.fps;
  r.delay_p50_ms = r.delay_p99_ms = static_cast<double>(options.network.delay_us) / 1000;
  return outcome;
}

}  // namespace ctv::tools

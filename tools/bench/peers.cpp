// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "cli/exit.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "io/frame_reader.h"

namespace ctv::tools {
namespace {

using Command = std::vector<std::string>;
constexpr size_t kUsualPeers = 4;

// x264 with one thread unless more are requested: with more, zerolatency divides pictures into slices, which
// costs bits.
constexpr const char* kX264 =
    " --tune zerolatency --keyint {keyint} --no-scenecut --qp {setting} --threads {threads} --quiet "
    "-o {stream} {y4m}";

Peer x264(const std::string& preset) {
  return {
      "x264-" + preset, "qp", {16, 20, 24, 28, 32, 36, 40}, 51, "yuv420p", "x264 --preset " + preset + kX264};
}

// Samples are passed as raw video in the peer's format, so that none are converted.
const std::vector<Peer>& all_peers() {
  static const std::vector<Peer> peers = {
      x264("ultrafast"),
      x264("veryfast"),
      {"mjpeg",
       "q:v",
       {2, 3, 5, 8, 13, 20, 31},
       31,
       "yuvj420p",
       "ffmpeg -v error -nostdin -y -f rawvideo -pix_fmt {format} -s {size} -r {rate} -i {raw} "
       "-c:v mjpeg -q:v {setting} -qmin 1 -threads {threads} -f mjpeg {stream}"},
      x264("medium"),
      {"x265-medium",
       "qp",
       {16, 20, 24, 28, 32, 36, 40},
       51,
       "yuv420p",
       "x265 --preset medium --tune zerolatency --no-info --keyint {x265-keyint} --no-scenecut --qp "
       "{setting} "
       "--pools {threads} --frame-threads 1 --log-level error -o {stream} {y4m}"},
      {"svt-av1-p10",
       "qp",
       {12, 20, 28, 36, 44, 52, 60},
       63,
       "yuv420p",
       "SvtAv1EncApp -i {y4m} -b {stream} --preset 10 --pred-struct 1 --rc 0 -q {setting} "
       "--keyint {keyint-1} --scd 0 --aq-mode 0 --lp {threads}"}};
  return peers;
}

}  // namespace

std::vector<Peer> choose_peers(const std::string& names) {
  const std::vector<Peer>& all = all_peers();
  if (names == "none") return {};
  if (names == "all") return all;
  if (names.empty()) return {all.begin(), all.begin() + kUsualPeers};
  std::vector<Peer> chosen;
  for (const std::string& name : split(names, ',')) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Peer& p) { return p.name == name; });
    if (found == all.end()) {
      std::string known;
      for (const Peer& p : all) known += p.name + ", ";
      throw Failure(Exit::kUsage, "--peers: '" + name + "' is not known", known + "all, none");
    }
    chosen.push_back(*found);
  }
  return chosen;
}

Peer parse_peer(const std::string& words) {
  const size_t equals = words.find('='), colon = words.find(':', equals);
  if (equals == 0 || equals == std::string::npos || colon == std::string::npos)
    throw Failure(Exit::kUsage, "--peer: '" + words + "' is not NAME=SETTINGS:COMMAND",
                  "--peer 'slow=20,28,36:x264 --preset slow --qp {setting} -o {stream} {y4m}'");
  Peer peer = {words.substr(0, equals),
               "setting",
               numbers("--peer", words.substr(equals + 1, colon - equals - 1)),
               0,
               "yuv420p",
               words.substr(colon + 1)};
  peer.worst = static_cast<int>(std::lround(*std::ranges::max_element(peer.settings)));
  const auto has = [&](const char* name) { return peer.command.find(name) != std::string::npos; };
  if (!has("{setting}") || !has("{stream}") || !(has("{y4m}") || has("{raw}")))
    throw Failure(Exit::kUsage,
                  "--peer " + peer.name + ": the command lacks {setting}, {stream}, {y4m} or {raw}",
                  "{size}, {rate}, {keyint} and {threads} may be there, too");
  return peer;
}

Peer at_bitrates(Peer peer) {
  const std::string quantiser = "--qp {setting}";
  const size_t at = peer.command.find(quantiser);
  if (!peer.name.starts_with("x264") || at == std::string::npos)
    throw Failure(Exit::kUsage, "--peers: " + peer.name + " is not run at bitrates", "x264-veryfast");
  peer.setting = "kb/s";
  peer.command.replace(at, quantiser.size(),
                       "--bitrate {setting} --vbv-maxrate {setting} --vbv-bufsize {setting}");
  return peer;
}

std::string hindrance(const std::string& program, const Clip& clip) {
  if (clip.video.format != CTV_FORMAT_I420) return "is run on 4:2:0 only";
  for (const std::string& needed : {program, std::string("ffmpeg")})
    if (!find_program(needed)) return needed + " is not installed";
  return "";
}

std::vector<Peer> usable_peers(Measurement& m, const std::vector<Peer>& peers, const Clip& clip) {
  std::vector<Peer> usable;
  for (const Peer& peer : peers) {
    const std::string why = hindrance(split(peer.command, ' ')[0], clip);
    if (why.empty()) {
      usable.push_back(peer);
    } else {
      m.leave_out(peer.name + ": " + why);
    }
  }
  return usable;
}

ProcessResult run_checked(const Command& command) {
  const ProcessResult result = run_process(command);
  if (result.code != 0)
    throw Failure(Exit::kFile,
                  text("%s failed with code %d: ", command[0].c_str(), result.code) + result.last_line());
  return result;
}

PeerClip::PeerClip(const Clip& clip, int64_t key_interval) : clip_(clip), key_interval_(key_interval) {
  write_clip(clip, scratch_.file("clip.y4m"), true);
  write_clip(clip, scratch_.file("clip.yuv"), false);
  write_clip(clip, scratch_.file("first.y4m"), true, 1);
  write_clip(clip, scratch_.file("first.yuv"), false, 1);
}

Command PeerClip::command(const Peer& peer, double setting, int threads, const std::string& input) const {
  const VideoFormat& video = clip_.video;
  const std::map<std::string, std::string> values = {
      {"{y4m}", scratch_.file(input + ".y4m")},
      {"{raw}", scratch_.file(input + ".yuv")},
      {"{stream}", scratch_.file("stream")},
      {"{setting}", std::to_string(std::lround(setting))},
      {"{threads}", std::to_string(threads)},
      {"{format}", peer.format},
      {"{size}", text("%dx%d", video.width, video.height)},
      {"{rate}", text("%d/%d", video.fps_num, video.fps_den)},
      {"{x265-keyint}", std::to_string(key_interval_ > 0 ? key_interval_ : -1)},
      {"{keyint}", key_interval_ > 0 ? std::to_string(key_interval_) : "infinite"},
      {"{keyint-1}", std::to_string(key_interval_ - 1)}};
  Command words = split(peer.command, ' ');
  for (std::string& word : words)
    if (const auto value = values.find(word); value != values.end()) word = value->second;
  return words;
}

PeerClip::Coded PeerClip::run(const Command& encode, const Command& decode) const {
  Coded coded;
  coded.command = shown_command(encode);
  coded.encode_seconds = run_checked(encode).seconds;
  Command words = {"ffmpeg", "-v", "error", "-nostdin", "-y"};
  words.insert(words.end(), decode.begin(), decode.end());
  coded.decode_seconds = run_checked(words).seconds;
  return coded;
}

PeerClip::Coded PeerClip::code(const Peer& peer, double setting, int threads, const Viewer& viewer) const {
  // Decodes every picture once, whatever times the stream has.
  InputOptions decoded;
  decoded.path = scratch_.file("decoded.yuv");
  decoded.size = {clip_.video.width, clip_.video.height};
  Coded coded =
      run(command(peer, setting, threads), {"-i", scratch_.file("stream"), "-fps_mode", "passthrough", "-f",
                                            "rawvideo", "-pix_fmt", peer.format, decoded.path});
  std::ifstream in(scratch_.file("stream"), std::ios::binary);
  const std::vector<uint8_t> stream{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const bool x264 = peer.name.starts_with("x264");
  coded.bytes = stream.size() - (x264 ? sei_bytes(stream) : 0);
  if (x264 && threads == 1) coded.frame_bytes = picture_bytes(stream);
  if (coded.bytes == 0) throw Failure(Exit::kFile, peer.name + " wrote nothing");
  std::error_code error;
  if (std::filesystem::file_size(decoded.path, error) != clip_.video.frame_bytes() * clip_.frames.size())
    throw Failure(Exit::kFile, "ffmpeg decodes " + peer.name + " to another number of pictures");
  const std::unique_ptr<FrameReader> reader = open_input(decoded);
  Meter& meter = coded.meter;
  Frame frame;
  while (meter.frames() < clip_.frames.size() && reader->read(frame)) {
    check_interrupted();
    if (viewer) viewer(meter.frames(), frame.picture());
    meter.add(clip_.frames[meter.frames()].picture(), frame.picture());
  }
  return coded;
}

PeerClip::Times PeerClip::time(const Peer& peer, double setting, int threads, int64_t runs) const {
  const Command decode = {"-threads", std::to_string(threads), "-i", scratch_.file("stream"), "-f", "null",
                          "-"};
  const auto frames = static_cast<double>(clip_.frames.size() - 1);
  Times times;
  for (int64_t i = 0; i < runs; ++i) {
    const Coded all = run(command(peer, setting, threads), decode);
    const Coded first = run(command(peer, setting, threads, "first"), decode);
    times.encode_ms.push_back(1000 * (all.encode_seconds - first.encode_seconds) / frames);
    times.decode_ms.push_back(1000 * (all.decode_seconds - first.decode_seconds) / frames);
    times.command = all.command;
  }
  return times;
}

double Match::bytes_at(double decibels) const {
  return static_cast<double>(yield.bytes) * std::exp(bytes_per_decibel * (decibels - yield.decibels));
}

Match match_quality(int worst, double decibels, const std::function<Yield(double)>& measure) {
  std::map<int, Yield> known;
  const auto at = [&](int setting) {
    const auto found = known.find(setting);
    return found != known.end() ? found->second : known[setting] = measure(setting);
  };
  int below = worst, above = 1;  // by quality
  while (below - above > 1) {
    const int middle = (below + above) / 2;
    (at(middle).decibels < decibels ? below : above) = middle;
  }
  const Yield low = at(below), high = at(above);
  const bool upper = std::abs(high.decibels - decibels) < std::abs(low.decibels - decibels);
  Match match{static_cast<double>(upper ? above : below), upper ? high : low};
  if (low.decibels < decibels && high.decibels > decibels && std::isfinite(high.decibels) && low.bytes > 0)
    match.bytes_per_decibel =
        (std::log(static_cast<double>(high.bytes)) - std::log(static_cast<double>(low.bytes))) /
        (high.decibels - low.decibels);
  return match;
}

Yield loudness(uint64_t bytes) {
  return {10 * std::log10(static_cast<double>(std::max<uint64_t>(bytes, 1))), bytes};
}

double match_bitrate(double guess, uint64_t bytes, const std::function<uint64_t(double)>& bytes_at) {
  constexpr int kWorst = 65;
  const auto bitrate = [&](double setting) { return std::round(guess * std::exp2((33 - setting) / 16)); };
  const auto measure = [&](double setting) { return loudness(bytes_at(bitrate(setting))); };
  return bitrate(match_quality(kWorst, loudness(bytes).decibels, measure).setting);
}

void each_nal(const std::vector<uint8_t>& stream,
              const std::function<void(int, std::span<const uint8_t>)>& each) {
  constexpr uint8_t kStart[] = {0, 0, 1};
  const auto next = [&](auto from) {
    return std::search(from, stream.end(), std::begin(kStart), std::end(kStart));
  };
  for (auto begin = next(stream.begin()); stream.end() - begin > 3;) {
    const auto end = next(begin + 3);
    const bool longer = begin != stream.begin() && begin[-1] == 0;  // a start code of four bytes
    const bool next_longer = end != stream.end() && end[-1] == 0;
    each(begin[3] & 31, {begin - longer, end - next_longer});
    begin = end;
  }
}

std::vector<uint64_t> picture_bytes(const std::vector<uint8_t>& stream) {
  constexpr int kSlice = 1, kKeySlice = 5;
  std::vector<uint64_t> bytes;
  uint64_t sum = 0;
  each_nal(stream, [&](int type, std::span<const uint8_t> unit) {
    sum += unit.size();
    if (type == kSlice || type == kKeySlice) bytes.push_back(std::exchange(sum, 0));
  });
  return bytes;
}

uint64_t sei_bytes(const std::vector<uint8_t>& stream) {
  constexpr int kSei = 6;
  uint64_t bytes = 0;
  each_nal(stream, [&](int type, std::span<const uint8_t> unit) { bytes += type == kSei ? unit.size() : 0; });
  return bytes;
}

}  // namespace ctv::tools

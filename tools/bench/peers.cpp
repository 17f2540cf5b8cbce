// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/exit.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using Command = std::vector<std::string>;
constexpr size_t kUsualPeers = 3;

std::string whole(double value) { return std::to_string(std::lround(value)); }

/// One thread: with more, x264's zerolatency cuts pictures into slices, which costs it bits.
Peer x264(const std::string& preset) {
  Peer peer;
  peer.name = "x264-" + preset;
  peer.setting = "qp";
  peer.settings = {16, 20, 24, 28, 32, 36, 40};
  peer.scale = {1, 51, 1, false};
  peer.programs = {"x264", "ffmpeg"};
  peer.encode = [preset](const PeerJob& job) -> Command {
    const std::string interval =
        job.key_interval > 0 ? std::to_string(job.key_interval) : std::string("infinite");
    Command command = {"x264",      "--preset",         preset,          "--tune", "zerolatency",
                       "--keyint",  interval,           "--no-scenecut", "--qp",   whole(job.setting),
                       "--threads", whole(job.threads), "--quiet"};
    if (job.key_interval > 0) command.insert(command.end(), {"--min-keyint", interval});
    command.insert(command.end(), {"-o", job.stream, job.y4m});
    return command;
  };
  return peer;
}

/// ffmpeg's encoders. The samples are given as raw video in the format that the codec uses, so that none are
/// converted on the way.
Peer ffmpeg(const std::string& name, const std::string& format, const std::string& setting,
            std::vector<double> settings, const Scale& scale,
            std::function<Command(const PeerJob&)> options) {
  Peer peer;
  peer.name = name;
  peer.setting = setting;
  peer.settings = std::move(settings);
  peer.scale = scale;
  peer.programs = {"ffmpeg"};
  peer.decoded_format = format;
  peer.encode = [format, options](const PeerJob& job) {
    const VideoFormat& video = job.clip.video;
    Command command = {"ffmpeg",
                       "-v",
                       "error",
                       "-nostdin",
                       "-y",
                       "-f",
                       "rawvideo",
                       "-pix_fmt",
                       format,
                       "-s",
                       text("%dx%d", video.width, video.height),
                       "-r",
                       text("%d/%d", video.fps_num, video.fps_den),
                       "-i",
                       job.raw};
    const Command more = options(job);
    command.insert(command.end(), more.begin(), more.end());
    command.push_back(job.stream);
    return command;
  };
  return peer;
}

Peer svt_av1() {
  Peer peer;
  peer.name = "svt-av1-p10";
  peer.setting = "qp";
  peer.settings = {12, 20, 28, 36, 44, 52, 60};
  peer.scale = {1, 63, 1, false};
  peer.programs = {"SvtAv1EncApp", "ffmpeg"};
  peer.encode = [](const PeerJob& job) -> Command {
    const int64_t interval = job.key_interval > 0 ? job.key_interval - 1 : -1;
    return {"SvtAv1EncApp",
            "-i",
            job.y4m,
            "-b",
            job.stream,
            "--preset",
            "10",
            "--pred-struct",
            "1",
            "--rc",
            "0",
            "-q",
            whole(job.setting),
            "--keyint",
            std::to_string(interval),
            "--scd",
            "0",
            "--aq-mode",
            "0",
            "--lp",
            whole(job.threads)};
  };
  return peer;
}

std::vector<uint8_t> read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

ProcessResult run_checked(const Command& command) {
  const ProcessResult result = run_process(command);
  if (result.code != 0)
    throw Failure(Exit::kFile, text("%s failed with code %d: %s", command[0].c_str(), result.code,
                                    result.last_line().c_str()));
  return result;
}

}  // namespace

const std::vector<Peer>& all_peers() {
  static const std::vector<Peer> peers = [] {
    std::vector<Peer> list;
    list.push_back(x264("ultrafast"));
    list.push_back(x264("veryfast"));
    list.push_back(ffmpeg("mjpeg", "yuvj420p", "q:v", {2, 3, 5, 8, 13, 20, 31}, {1, 31, 1, false},
                          [](const PeerJob& job) {
                            return Command{"-c:v",  "mjpeg", "-q:v",     whole(job.setting),
                                           "-qmin", "1",     "-threads", whole(job.threads),
                                           "-f",    "mjpeg"};
                          }));
    list.push_back(svt_av1());
    list.push_back(ffmpeg(
        "vc2", "yuv420p", "bits per pixel", {2, 2.5, 3, 3.5, 4, 5, 6}, {0.5, 12, 0.25, true},
        [](const PeerJob& job) {
          const VideoFormat& v = job.clip.video;
          const double rate = job.setting * v.width * v.height * v.rate();
          return Command{"-c:v", "vc2", "-b:v", text("%.0f", rate), "-threads", whole(job.threads), "-strict",
                         "-1",   "-f",  "dirac"};
        }));
    return list;
  }();
  return peers;
}

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
      for (const Peer& p : all) known += (known.empty() ? "" : ", ") + p.name;
      throw Failure(Exit::kUsage, "--peers: '" + name + "' is not known", known + ", all, none");
    }
    chosen.push_back(*found);
  }
  return chosen;
}

std::string missing_program(const Peer& peer) {
  for (const std::string& program : peer.programs)
    if (!find_program(program)) return program;
  return "";
}

uint64_t sei_bytes(const std::vector<uint8_t>& stream) {
  constexpr int kSei = 6;
  uint64_t bytes = 0;
  size_t unit_begin = 0;  // of the start code
  int type = -1;
  for (size_t i = 0; i + 3 < stream.size(); ++i) {
    if (stream[i] != 0 || stream[i + 1] != 0 || stream[i + 2] != 1) continue;
    const size_t begin = i > 0 && stream[i - 1] == 0 ? i - 1 : i;
    if (type == kSei) bytes += begin - unit_begin;
    unit_begin = begin;
    type = stream[i + 3] & 31;
    i += 3;
  }
  if (type == kSei) bytes += stream.size() - unit_begin;
  return bytes;
}

PeerStream time_peer(const Peer& peer, const PeerJob& job) {
  PeerStream result;
  const Command encode = peer.encode(job);
  result.command = shown_command(encode);
  result.encode_seconds = run_checked(encode).seconds;
  result.decode_seconds = run_checked({"ffmpeg", "-v", "error", "-nostdin", "-threads", whole(job.threads),
                                       "-i", job.stream, "-f", "null", "-"})
                              .seconds;
  return result;
}

PeerStream run_peer(const Peer& peer, const PeerJob& job, const std::string& decoded) {
  PeerStream result;
  const Command encode = peer.encode(job);
  result.command = shown_command(encode);
  result.encode_seconds = run_checked(encode).seconds;
  const std::vector<uint8_t> stream = read_all(job.stream);
  result.bytes = stream.size();
  if (peer.name.starts_with("x264")) result.bytes -= sei_bytes(stream);
  if (result.bytes == 0) throw Failure(Exit::kFile, peer.name + " wrote nothing");
  // Every picture once, whatever the stream says about time.
  const auto decode = [&](const char* option, const char* value) {
    return run_process({"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", job.stream, option, value, "-f",
                        "rawvideo", "-pix_fmt", peer.decoded_format, decoded});
  };
  ProcessResult run = decode("-fps_mode", "passthrough");
  if (run.code != 0) run = decode("-vsync", "0");  // before ffmpeg 5.1
  if (run.code != 0)
    throw Failure(Exit::kFile, "ffmpeg does not decode " + peer.name + ": " + run.last_line());
  result.decode_seconds = run.seconds;
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(decoded, error);
  if (error || bytes != job.clip.video.frame_bytes() * job.clip.frames.size())
    throw Failure(Exit::kFile, "ffmpeg decodes " + peer.name + " to another number of pictures");
  return result;
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// ctcall: a video call over a network that loses datagrams, and the viewer's results.
#include <cstdio>

#include "cli/exit.h"
#include "cli/signals.h"
#include "cli/text.h"
#include "ctcall/codec_ends.h"
#include "ctcall/options.h"
#include "ctcall/replay_ends.h"
#include "ctcall/report.h"
#include "ctcall/udp.h"
#include "io/output_file.h"

namespace ctv::tools {
namespace {

/// A clip that is repeated endlessly.
class Loop : public FrameReader {
 public:
  explicit Loop(const InputOptions& input) : input_(input), reader_(open_input(input)) {
    video_ = reader_->video();
  }
  bool read(Frame& frame) override {
    if (reader_->read(frame)) return true;
    reader_ = open_input(input_);
    return reader_->read(frame);
  }

 private:
  InputOptions input_;
  std::unique_ptr<FrameReader> reader_;
};

void write_trace(const CallCommand& c) {
  const std::unique_ptr<FrameReader> reader = open_input(c.input);
  OutputFile file(c.trace);
  CodecSource source(encoder_config(c, reader->video()), *reader, nullptr, true);
  Trace trace;
  trace.fps = reader->video().rate();
  CodedFrame frame;
  while (static_cast<int64_t>(trace.frames.size()) < c.call.frames && source.code(frame)) {
    check_interrupted();
    auto& parts = trace.frames.emplace_back();
    for (const CodedPart& part : frame.parts) parts.push_back({part.bytes.size(), part.priority});
  }
  file.write(trace_text(trace));
  file.commit();
}

void report(const CallCommand& c, const CallResult& result, std::optional<double> psnr,
            uint64_t plain_bytes) {
  if (c.run.json != "-" && !c.run.quiet) std::fputs(call_text(c, result, psnr, plain_bytes).c_str(), stdout);
  if (c.run.json.empty()) return;
  OutputFile json(c.run.json);
  json.write(call_json(c, result, psnr, plain_bytes).dump(2) + "\n");
  json.commit();
}

void replay(CallCommand& c) {
  const Trace trace = read_trace(c.replay);
  c.call.fps = trace.fps;
  ReplaySource source(trace, c.call.strategy.references);
  ReplaySink sink;
  const CallResult result = run_call(c.call, source, sink);
  report(c, result, std::nullopt, source.plain_bytes());
}

void call(CallCommand& c) {
  Loop reader(c.input);
  c.call.fps = reader.video().rate();
  const bool remote = !c.connect.empty();
  Originals originals;
  CodecSource source(encoder_config(c, reader.video()), reader, remote ? nullptr : &originals,
                     c.call.strategy.references);
  if (remote) return report(c, send_call(c.call, c.connect, source), std::nullopt, 0);
  CodecSink sink(decoder_config(c), &originals);
  const CallResult result = run_call(c.call, source, sink);
  report(c, result, sink.psnr(), 0);
}

}  // namespace
}  // namespace ctv::tools

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctcall", [&] {
    CallCommand command;
    Options options(ctcall_text());
    add_call_options(options, command);
    if (!options.parse(argc, argv)) return Exit::kOk;
    if (command.run.list_devices) {
      print_devices();
      return Exit::kOk;
    }
    command.given = options.given();
    check_call_options(command);
    show_library_log(command.run.quiet);
    if (!command.trace.empty()) {
      write_trace(command);
    } else if (!command.replay.empty()) {
      replay(command);
    } else if (command.listen >= 0) {
      CodecSink sink(decoder_config(command), nullptr);
      report(command, receive_call(command.call, command.listen, sink), std::nullopt, 0);
    } else {
      call(command);
    }
    return Exit::kOk;
  });
}

// SPDX-License-Identifier: BSD-3-Clause
// ctenc: pictures in, a ctv stream out.
#include <cstdio>
#include <memory>

#include "cli/exit.h"
#include "cli/messages.h"
#include "cli/signals.h"
#include "ctenc/check_options.h"
#include "ctenc/encode.h"
#include "ctenc/options.h"
#include "ctenc/report.h"
#include "ctenc/settings.h"
#include "io/output_file.h"

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctenc", [&] {
    EncodeOptions encode_options;
    Options options(ctenc_text());
    add_encode_options(options, encode_options);
    if (!options.parse(argc, argv)) return Exit::kOk;
    if (encode_options.run.list_devices) {
      print_devices();
      return Exit::kOk;
    }
    if (encode_options.list_settings) {
      std::fputs(list_settings().c_str(), stdout);
      return Exit::kOk;
    }
    encode_options.given = options.given();
    check_encode_options(encode_options);
    show_library_log(encode_options.run.quiet);
    const std::unique_ptr<FrameReader> reader = open_input(encode_options.input);
    warn_about_input(encode_options, reader->video());
    // Opened before encoding, so that an unwritable path is reported first.
    const std::string& report = encode_options.run.json;
    const auto json = report.empty() ? nullptr : std::make_unique<OutputFile>(report);
    const EncodeResult result = encode(encode_options, *reader);
    if (const std::string missed = missed_bitrate(result); !missed.empty()) warn(missed);
    if (!encode_options.run.quiet) std::fputs(encode_summary(encode_options, result).c_str(), stderr);
    if (json) {
      json->write(encode_json(encode_options, result));
      json->commit();
    }
    if (result.interrupted)
      throw Interrupted{kept_frames(encode_options.output, result.frames, "until then")};
    if (result.input_ended)
      throw Failure(result.input_ended->code(),
                    std::string(result.input_ended->what()) + "; " +
                        kept_frames(encode_options.output, result.frames, "before it"));
    return Exit::kOk;
  });
}

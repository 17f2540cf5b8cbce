// SPDX-License-Identifier: BSD-3-Clause
// ctdec: a ctv stream in, pictures out.
#include <cstdio>
#include <memory>

#include "cli/exit.h"
#include "cli/text.h"
#include "ctdec/decode.h"
#include "ctdec/options.h"
#include "io/container.h"
#include "io/output_file.h"

int main(int argc, char** argv) {
  using namespace ctv::tools;
  return run_tool("ctdec", [&] {
    DecodeOptions decode_options;
    Options options(ctdec_text());
    add_decode_options(options, decode_options);
    if (!options.parse(argc, argv)) return Exit::kOk;
    if (decode_options.run.list_devices) {
      print_devices();
      return Exit::kOk;
    }
    decode_options.given = options.given();
    complete_decode_options(decode_options);
    show_library_log(decode_options.run.quiet);
    if (!decode_options.mux.empty()) {
      const int64_t frames = write_container(decode_options.input, decode_options.mux);
      if (!decode_options.run.quiet)
        std::fprintf(stderr, "muxed     %lld frames\n", static_cast<long long>(frames));
      return Exit::kOk;
    }
    // Opened before decoding, so that an unwritable path is reported first.
    const std::string& report = decode_options.run.json;
    const auto json = report.empty() ? nullptr : std::make_unique<OutputFile>(report);
    const DecodeResult result = decode(decode_options);
    if (decode_options.md5) std::printf("%s\n", result.md5.c_str());
    if (!decode_options.run.quiet) std::fputs(decode_summary(decode_options, result).c_str(), stderr);
    if (json) {
      json->write(decode_json(decode_options, result));
      json->commit();
    }
    if (result.cut)
      throw Failure(Exit::kStream, text("%s; the %lld pictures before are decoded", result.cut->what(),
                                        static_cast<long long>(result.frames)));
    if (!result.complete()) throw Failure(Exit::kStream, decode_options.input + ": " + decode_damage(result));
    return Exit::kOk;
  });
}

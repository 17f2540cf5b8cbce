// SPDX-License-Identifier: BSD-3-Clause
// Command lines of ctenc and ctdec, one word a line: accepted, or refused by a Failure(kUsage) of one line.
// What is accepted gives a configuration within its own ranges or an error of the library, never anything
// else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/text.h"
#include "ctdec/options.h"
#include "ctenc/check_options.h"

namespace {

using namespace ctv::tools;

void encode(const std::vector<const char*>& words) {
  EncodeOptions encode;
  Options options(ctenc_text());
  add_encode_options(options, encode);
  if (!options.parse(static_cast<int>(words.size()), words.data())) return;
  encode.given = options.given();
  check_encode_options(encode);
  (void)make_config(encode, {CTV_FORMAT_I420, 16, 16});
}

void decode(const std::vector<const char*>& words) {
  DecodeOptions decode;
  Options options(ctdec_text());
  add_decode_options(options, decode);
  if (!options.parse(static_cast<int>(words.size()), words.data())) return;
  decode.given = options.given();
  complete_decode_options(decode);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  if (text.find('\0') != std::string::npos) return 0;
  std::vector<std::string> lines = split(text, '\n');
  std::vector<const char*> words = {"tool"};
  for (const std::string& line : lines) {
    // These print, and have tests.
    for (const char* printing : {"-h", "--help", "--version", "--completion"})
      if (line.starts_with(printing)) return 0;
    words.push_back(line.c_str());
  }
  for (const auto parse : {encode, decode}) {
    try {
      parse(words);
    } catch (const Failure& e) {
      if (e.code() != Exit::kUsage || *e.what() == 0) std::abort();
    }
  }
  return 0;
}

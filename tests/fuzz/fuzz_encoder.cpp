// SPDX-License-Identifier: BSD-3-Clause
// Any settings and any pictures: the library refuses the settings, or every packet decodes. After each frame
// the decoder's reference equals the encoder's, and lossless pictures equal the source. Between frames come
// other settings, rates and reports. In one input of eight a second encoder, with threads and frames in
// flight, must give the same bytes; in another one a second one, whose device fails, the same up to a key
// frame.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "codec/pipeline/decoder.hpp"
#include "codec/pipeline/encoder.hpp"
#include "tests/fuzz/session.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/devices.hpp"

namespace {

using namespace ctv;  // NOLINT(*-using-namespace)

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "does not hold: %s; %s\n", what, ctv_last_error());
  std::abort();
}

// The references of both sides are the same.
void compare(const ReferenceBuffer& encoder, const ReferenceBuffer& decoder, const Stream& stream) {
  const Reference* a = encoder.latest();
  const Reference* b = decoder.latest();
  require(a != nullptr && b != nullptr && a->number == b->number, "both have the same frame");
  for (int p = 0; p < stream.picture.planes; ++p) {
    if (stream.header.prediction == Prediction::kSubband) {
      const auto i = static_cast<size_t>(p);
      require(
          std::equal(a->levels[i], a->levels[i] + stream.picture.subbands[i].num_coefficients, b->levels[i]),
          "levels of the references are equal");
      continue;
    }
    const auto x = a->picture.cropped(p);
    const auto y = b->picture.cropped(p);
    require(x.rows == y.rows && x.cols == y.cols, "extents of the references are equal");
    for (int r = 0; r < x.rows; ++r)
      require(std::equal(x.row(r), x.row(r) + x.cols, y.row(r)), "samples of the references are equal");
  }
}

// Pictures of one configuration and their packets.
struct Part {
  ctv_config config;
  std::vector<test::Frame> clip;
  std::vector<std::vector<uint8_t>> packets;
};

// Goes on with settings of the input: the next part, or the reason why not.
void reconfigure(fuzz::Choices& in, std::unique_ptr<StreamEncoder>& encoder, std::vector<Part>& parts) {
  const ctv_config config = fuzz::read_config(in);
  const std::vector<uint8_t> header = encoder->header();
  const Status status = StreamEncoder::reconfigure(encoder, config);
  if (status.ok()) return parts.push_back({config, {}, {}});
  require(status.code() == CTV_ERROR_ARGUMENT && !status.message().empty(), "refused settings are named");
  require(encoder->header() == header, "and change nothing");
}

// Between frames: nothing, another rate, a report, other settings, or pictures that are left out.
void change(fuzz::Choices& in, std::unique_ptr<StreamEncoder>& encoder, std::vector<Part>& parts) {
  switch (in.byte() % 16) {
    case 1:
      return encoder->request_key_frame();
    case 2:
      return (void)encoder->set_quantiser(in.byte() % 52, 0).ok();
    case 3:
      return (void)encoder->set_bitrate(int64_t{8000} << in.byte() % 8, in.byte() * 16).ok();
    case 4:
      return (void)encoder->set_crf(in.byte() % 52).ok();
    case 5:
      return (void)encoder->acknowledge(in.byte() % 8).ok();
    case 6:
      return (void)encoder->lost(in.byte() % 8).ok();
    case 7:
      return (void)encoder->set_temporal_layers(in.byte() % 5).ok();
    case 8:
    case 9:
      return reconfigure(in, encoder, parts);
    case 10:
      return require(StreamEncoder::go_to(encoder, encoder->next_number() + in.byte()).ok(), "numbers rise");
    default:
      return;
  }
}

// Another encoder must make the same of all parts; one that fails, the same up to a key frame, and what can
// be decoded.
void code_again(const std::vector<Part>& parts, bool fails) {
  std::unique_ptr<StreamEncoder> encoder;
  for (const Part& part : parts) {
    ctv_config config = part.config;
    config.backend = fails ? CTV_BACKEND_AUTO : CTV_BACKEND_CPU;
    config.threads = fails ? 1 : 2;
    config.frames_in_flight = fails ? 1 : 3;
    if (encoder == nullptr) {
      encoder = std::move(*StreamEncoder::open(config));
    } else {
      require(StreamEncoder::reconfigure(encoder, config).ok(), "settings are taken again");
    }
    std::vector<std::vector<uint8_t>> packets;
    bool same = true, too_large = false;
    const auto receive = [&] {
      ctv_unit unit{};
      ctv_status outcome = CTV_OK;
      const Status received = encoder->receive(unit, outcome);
      too_large = fails && received.code() == CTV_ERROR_LIMIT;  // a key frame
      require(received.ok() || too_large, "there is a packet again");
      if (outcome != CTV_OK || too_large) return;
      const size_t n = packets.size();
      packets.emplace_back(unit.data, unit.data + unit.size);
      const bool differs = packets[n] != part.packets[n];
      require(!differs || (fails && (!same || unit.key_frame != 0)),
              "threads and devices do not change bytes");
      same = same && !differs;
    };
    ctv_frame_options options;
    ctv_frame_options_init(&options);
    for (const test::Frame& frame : part.clip) {
      for (bool again = true; again;) {
        require(encoder->send(test::picture_of(frame), options, again).ok(), "the picture is taken again");
        if (again || fails) receive();
        if (too_large) return;
      }
    }
    while (packets.size() < part.packets.size()) receive();
    const test::Stream stream{encoder->header(), packets, {}};
    require(test::decode(stream).size() == packets.size(), "all packets are decoded again");
  }
}

// Sends a picture with options, which may be impossible, and then without.
void send(fuzz::Choices& in, StreamEncoder& encoder, const ctv_picture& picture, bool choose) {
  ctv_frame_options options;
  ctv_frame_options_init(&options);
  ctv_frame_options wishes = options;
  const int bits = choose ? in.byte() : 0;
  if ((bits & 1) != 0) wishes.refer_to = in.byte() % 4;
  if ((bits & 2) != 0) wishes.keep_in = in.byte() % 9 + CTV_KEEP_NOWHERE;
  if ((bits & 4) != 0) wishes.temporal_id = in.byte() % 9;
  if ((bits & 56) == 56) wishes.key_frame = 1;
  bool again = false;
  const Status status = encoder.send(picture, wishes, again);
  require(status.ok() || status.code() == CTV_ERROR_ARGUMENT, "options are had or refused");
  if (!status.ok()) require(encoder.send(picture, options, again).ok(), "the picture is taken");
  require(!again, "there is room");
}

ctv_unit unit_of(const std::vector<uint8_t>& bytes) {
  ctv_unit unit{};
  unit.struct_size = sizeof unit;
  unit.data = bytes.data();
  unit.size = bytes.size();
  return unit;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices in(data, size);
  const int mode = in.byte();
  const bool threads = mode % 8 == 7;
  const bool fails = mode % 8 == 6;
  std::vector<Part> parts{{fuzz::read_config(in), {}, {}}};
  auto opened = StreamEncoder::open(parts[0].config);
  if (!opened.ok()) {
    require(opened.status().code() == CTV_ERROR_ARGUMENT && !opened.status().message().empty(),
            "refused settings are named");
    return 0;
  }
  std::unique_ptr<StreamEncoder> encoder = std::move(*opened);
  std::unique_ptr<StreamDecoder> decoder;
  ctv_format shown_as = CTV_FORMAT_NONE;
  size_t decoded = 0;  // parts of which the decoder has the header
  const int frames = 1 + in.byte() % 8;
  for (int i = 0; i < frames; ++i) {
    if (i > 0 && (threads || fails) && in.byte() % 4 == 3) reconfigure(in, encoder, parts);
    if (i > 0 && !threads && !fails) change(in, encoder, parts);
    Part& part = parts.back();
    bool again = false;
    if (decoded != parts.size()) {
      if (decoder == nullptr || part.config.format != shown_as)
        decoder = std::move(*StreamDecoder::open(test::decoder_config(1, 0, part.config.format)));
      shown_as = part.config.format;
      require(decoder->send(unit_of(encoder->header()), {}, again).ok(), "the header is taken");
      decoded = parts.size();
    }
    part.clip.push_back(fuzz::read_picture(in, part.config, i));
    send(in, *encoder, test::picture_of(part.clip.back()), !threads && !fails);
    ctv_unit unit{};
    unit.struct_size = sizeof unit;
    ctv_status outcome = CTV_OK;
    const Status received = encoder->receive(unit, outcome);
    if (!received.ok()) {  // no step keeps the frame below the largest packet
      require(received.code() == CTV_ERROR_LIMIT, "only the largest packet prevents one");
      return 0;
    }
    require(outcome == CTV_OK && unit.size > 0, "there is a packet");
    part.packets.emplace_back(unit.data, unit.data + unit.size);
    require(decoder->send(unit_of(part.packets.back()), {}, again).ok() && !again, "the packet is taken");
    ctv_picture picture{};
    picture.struct_size = sizeof picture;
    require(decoder->receive(picture, outcome).ok() && outcome == CTV_OK, "there is a picture");
    compare(encoder->references(), decoder->references(),
            make_stream(*read_sequence_header(encoder->header())));
    const ctv_config& c = part.config;
    if (c.lossless != 0 && c.format != CTV_FORMAT_RGBA8 && c.chroma != CTV_CHROMA_420)
      require(test::copy_of(picture) == part.clip.back(), "lossless pictures are the source");
  }
  if (threads) code_again(parts, false);
  if (fails) {
    const test::DeviceThatFails device(1 + mode / 8 * 16);
    code_again(parts, true);
  }
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Any settings and any pictures: the library refuses the settings, or every packet decodes. After each frame
// the decoder's reference equals the encoder's, and lossless pictures equal the source. In one input of
// eight a second encoder with threads and frames in flight must give the same bytes.
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

// Between frames: nothing, another rate, or a report.
void change(fuzz::Choices& in, StreamEncoder& encoder) {
  switch (in.byte() % 16) {
    case 1:
      return encoder.request_key_frame();
    case 2:
      return (void)encoder.set_quantiser(in.byte() % 52, 0).ok();
    case 3:
      return (void)encoder.set_bitrate(int64_t{8000} << in.byte() % 8, in.byte() * 16).ok();
    case 4:
      return (void)encoder.set_crf(in.byte() % 52).ok();
    case 5:
      return (void)encoder.acknowledge(in.byte() % 5).ok();
    case 6:
      return (void)encoder.lost(in.byte() % 5).ok();
    case 7:
      return (void)encoder.set_temporal_layers(in.byte() % 5).ok();
    default:
      return;
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
  const bool threads = in.byte() % 8 == 7;
  const ctv_config config = fuzz::read_config(in);
  auto opened = StreamEncoder::open(config);
  if (!opened.ok()) {
    require(opened.status().code() == CTV_ERROR_ARGUMENT && !opened.status().message().empty(),
            "refused settings are named");
    return 0;
  }
  StreamEncoder& encoder = **opened;
  const auto decoder = std::move(*StreamDecoder::open(test::decoder_config(1, 0, config.format)));
  const Stream stream = make_stream(*read_sequence_header(encoder.header()));
  bool again = false;
  require(decoder->send(unit_of(encoder.header()), {}, again).ok(), "the header is taken");
  std::vector<test::Frame> clip;
  test::Stream coded{encoder.header(), {}, {}};
  const int frames = 1 + in.byte() % 4;
  for (int i = 0; i < frames; ++i) {
    clip.push_back(fuzz::read_picture(in, config, i));
    if (i > 0 && !threads) change(in, encoder);
    send(in, encoder, test::picture_of(clip.back()), !threads);
    ctv_unit unit{};
    unit.struct_size = sizeof unit;
    ctv_status outcome = CTV_OK;
    const Status received = encoder.receive(unit, outcome);
    if (!received.ok()) {  // no step keeps the frame below the largest packet
      require(received.code() == CTV_ERROR_LIMIT, "only the largest packet prevents one");
      return 0;
    }
    require(outcome == CTV_OK && unit.size > 0, "there is a packet");
    coded.packets.emplace_back(unit.data, unit.data + unit.size);
    require(decoder->send(unit_of(coded.packets.back()), {}, again).ok() && !again, "the packet is taken");
    ctv_picture picture{};
    picture.struct_size = sizeof picture;
    require(decoder->receive(picture, outcome).ok() && outcome == CTV_OK, "there is a picture");
    compare(encoder.references(), decoder->references(), stream);
    if (config.lossless != 0 && config.format != CTV_FORMAT_RGBA8 && config.chroma != CTV_CHROMA_420)
      require(test::copy_of(picture) == clip.back(), "lossless pictures are the source");
  }
  if (threads) {
    ctv_config other = config;
    other.threads = 2;
    other.frames_in_flight = 3;
    require(test::encode(clip, other).packets == coded.packets, "threads do not change bytes");
  }
  return 0;
}

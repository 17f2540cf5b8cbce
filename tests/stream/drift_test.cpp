// SPDX-License-Identifier: BSD-3-Clause
// Hundreds of predicted frames behind one key frame: what the decoder has is what the encoder predicts from,
// sample by sample.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/config/presets.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/frame_encoder.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"

namespace ctv::test {
namespace {

class Drift : public BackendTest {};

std::vector<Sample> samples_of(Backend& backend, const PlaneSet& planes) {
  std::vector<Sample> samples(planes.memory().size() / sizeof(Sample));
  EXPECT_TRUE(ok(backend.download(samples.data(), planes.memory().data(), planes.memory().size())));
  return samples;
}

TEST_P(Drift, FourHundredPredictedFramesAreWhatTheEncoderReconstructed) {
  // There and back, again and again. Rows of this extent fill their strides, so that all memory is samples.
  const auto clip = moving_clip(CTV_FORMAT_I420, 64, 48, 20);
  const Config config = config_for(clip[0], "default");
  const auto header = make_sequence_header(config);
  ASSERT_TRUE(ok(header));
  const ctv::Stream stream = make_stream(*header);
  auto encoder = FrameEncoder::make(backend(), stream, {.rdoq = true});
  auto decoder = FrameDecoder::make(backend(), stream, {});
  ASSERT_TRUE(ok(encoder) && ok(decoder));
  SymbolCoder symbols(stream.picture, *header, stream.grid, 1);
  std::vector<uint8_t> packet;
  for (uint32_t i = 0; i <= 400; ++i) {
    const uint32_t turn = i % 38;
    ctv_picture picture = picture_of(clip[std::min(turn, 38 - turn)]);
    const FrameParameters parameters{
        .number = i, .type = i == 0 ? FrameType::kKey : FrameType::kPredicted, .base_step = 16 * 16};
    ASSERT_TRUE(ok((*encoder)->analyse(picture, parameters, true, 0)));
    ASSERT_TRUE(ok((*encoder)->code(parameters, 0)));
    (*encoder)->update_reference();
    LevelTransfer& port = (*encoder)->slot(0).levels();
    ASSERT_TRUE(ok(port.finish()));
    CodedFrame coded = port.downloaded();
    coded.parameters = parameters;
    symbols.encode(coded, packet);
    ASSERT_TRUE(ok(symbols.read_header(packet)));
    CodedFrameBuffers target = (*decoder)->coded(0);
    target.parameters = parameters;
    ASSERT_TRUE(ok(symbols.decode(packet, stream.picture.subbands[0].layers, target)));
    ASSERT_TRUE(ok((*decoder)->decode(parameters, 0)));
    if (i % 20 == 0 || i == 399) {
      ASSERT_EQ(samples_of(backend(), (*decoder)->references().latest()->picture),
                samples_of(backend(), (*encoder)->references().latest()->picture))
          << "frame " << i;
    }
  }
}

CTV_FOR_EACH_BACKEND(Drift);

}  // namespace
}  // namespace ctv::test

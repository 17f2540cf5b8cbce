// SPDX-License-Identifier: BSD-3-Clause
// Hundreds of predicted frames behind one key frame: what the decoder has is what the encoder predicts from,
// sample by sample.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/config/presets.hpp"
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
  FramePipeline encoding(stream, Direction::kEncode, 1, 1);
  FramePipeline decoding(stream, Direction::kDecode, 1, 1);
  ASSERT_TRUE(ok(encoding.attach(backend())) && ok(decoding.attach(backend())));
  FrameSlot& out = encoding.slot(0);
  FrameSlot& in = decoding.slot(0);
  SlotTable slots;
  for (uint32_t i = 0; i <= 400; ++i) {
    const uint32_t turn = i % 38;
    ctv_picture picture = picture_of(clip[std::min(turn, 38 - turn)]);
    out.parameters = {
        .number = i, .type = i == 0 ? FrameType::kKey : FrameType::kPredicted, .base_step = 16 * 16};
    ASSERT_TRUE(ok((*encoder)->analyse(picture, out.parameters, true, out)));
    ASSERT_TRUE(ok((*encoder)->code(out.parameters, out)));
    (*encoder)->update_references();
    ASSERT_TRUE(ok(FramePipeline::encode(out)));
    FramePipeline::bind(out, slots);
    ASSERT_TRUE(ok(FramePipeline::read_header(in, out.packet)));
    ASSERT_TRUE(ok(FramePipeline::decode(in, out.packet, (*decoder)->layers())));
    ASSERT_TRUE(ok((*decoder)->decode(in)));
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

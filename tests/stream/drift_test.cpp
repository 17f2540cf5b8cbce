// SPDX-License-Identifier: BSD-3-Clause
// Hundreds of predicted frames behind one key frame, and any choice of references: what the decoder has is
// what the encoder predicts from, sample by sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "codec/config/presets.hpp"
#include "codec/pipeline/frame_decoder.hpp"
#include "codec/pipeline/frame_encoder.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/codec.hpp"
#include "tests/support/random.hpp"

namespace ctv::test {
namespace {

class Drift : public BackendTest {};

std::vector<Sample> samples_of(Backend& backend, const PlaneSet& planes) {
  std::vector<Sample> samples(planes.memory().size() / sizeof(Sample));
  EXPECT_TRUE(ok(backend.download(samples.data(), planes.memory().data(), planes.memory().size())));
  return samples;
}

/// An encoder and a decoder side by side, without what chooses references.
class Pair {
 public:
  Pair(Backend& backend, const ctv_config& config)
      : backend_(backend),
        stream_(make_stream(*make_sequence_header(config))),
        encoding_(stream_, Direction::kEncode, 1, 1),
        decoding_(stream_, Direction::kDecode, 1, 1) {
    auto encoder = FrameEncoder::make(backend, stream_, {.rdoq = true});
    auto decoder = FrameDecoder::make(backend, stream_, {});
    EXPECT_TRUE(ok(encoder) && ok(decoder));
    encoder_ = std::move(*encoder);
    decoder_ = std::move(*decoder);
    EXPECT_TRUE(ok(encoding_.attach(backend)) && ok(decoding_.attach(backend)));
  }
  void code(const Frame& frame, const FrameParameters& parameters) {
    FrameSlot& out = encoding_.slot(0);
    FrameSlot& in = decoding_.slot(0);
    const ctv_picture picture = picture_of(frame);
    out.parameters = parameters;
    ASSERT_TRUE(ok(out.picture->upload(picture)));
    ASSERT_TRUE(ok(encoder_->analyse(picture, out.parameters, true, out)));
    ASSERT_TRUE(ok(encoder_->code(out.parameters, out)));
    encoder_->update_references();
    ASSERT_TRUE(ok(FramePipeline::encode(out)));
    FramePipeline::bind(out, slots_);
    ASSERT_TRUE(ok(FramePipeline::read_header(in, out.packet)));
    ASSERT_TRUE(ok(FramePipeline::decode(in, out.packet, decoder_->layers())));
    ASSERT_TRUE(ok(decoder_->decode(in)));
  }
  /// The last frame is the same at both sides, and so are those in the slots.
  void compare() {
    const ReferenceBuffer& a = encoder_->references();
    const ReferenceBuffer& b = decoder_->references();
    ASSERT_EQ(samples_of(backend_, a.latest()->picture), samples_of(backend_, b.latest()->picture));
    for (int slot = 0; slot < a.slots(); ++slot) {
      const Reference* x = a.in_slot(slot);
      const Reference* y = b.in_slot(slot);
      ASSERT_EQ(x == nullptr, y == nullptr) << "slot " << slot;
      if (x == nullptr) continue;
      ASSERT_EQ(x->number, y->number) << "slot " << slot;
      ASSERT_EQ(samples_of(backend_, x->picture), samples_of(backend_, y->picture)) << "slot " << slot;
    }
  }
  const ReferenceBuffer& references() const { return encoder_->references(); }

 private:
  Backend& backend_;
  ctv::Stream stream_;
  std::unique_ptr<FrameEncoder> encoder_;
  std::unique_ptr<FrameDecoder> decoder_;
  FramePipeline encoding_, decoding_;
  SlotTable slots_;
};

// There and back, again and again. This extent needs no padding, so that all memory is samples.
std::vector<Frame> there_and_back(ctv_format format) { return moving_clip(format, 64, 64, 20); }
const Frame& frame_at(const std::vector<Frame>& clip, uint32_t i) {
  return clip[std::min(i % 38, 38 - i % 38)];
}

TEST_P(Drift, FourHundredPredictedFramesAreWhatTheEncoderReconstructed) {
  const auto clip = there_and_back(CTV_FORMAT_I420);
  Pair pair(backend(), config_for(clip[0], "default"));
  for (uint32_t i = 0; i <= 400; ++i) {
    pair.code(frame_at(clip, i),
              {.number = i, .type = i == 0 ? FrameType::kKey : FrameType::kPredicted, .base_step = 16 * 16});
    if (HasFatalFailure()) return;
    if (i % 20 == 0 || i == 399) {
      SCOPED_TRACE("frame " + std::to_string(i));
      pair.compare();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Drift, AnyChoiceOfReferencesAndSlotsLeavesBothSidesTheSame) {
  constexpr ctv_format kFormats[] = {CTV_FORMAT_I420, CTV_FORMAT_I420_10, CTV_FORMAT_I420_12};
  for (const int slots : {1, 2, 5, 8}) {
    const auto clip = there_and_back(kFormats[slots % 3]);
    Config config = config_for(clip[0], "default");
    config.slots = slots;
    Pair pair(backend(), config);
    Random random(static_cast<uint64_t>(slots));
    uint32_t number = 0;
    for (int i = 0; i < 60; ++i, number += static_cast<uint32_t>(random.between(1, 3))) {  // with gaps
      const Reference* reference = pair.references().in_slot(random.between(0, slots - 1));
      const bool key = reference == nullptr || random.between(0, 19) == 0;
      const bool kept = random.between(0, 3) > 0;
      pair.code(frame_at(clip, number),
                {.number = number,
                 .type = key ? FrameType::kKey : FrameType::kPredicted,
                 .reference = static_cast<uint8_t>(key ? 1 : number - reference->number),
                 .slot = static_cast<uint8_t>(kept ? random.between(0, slots - 1) : 0),
                 .kept = kept,
                 .temporal_id = static_cast<uint8_t>(random.between(0, 7)),
                 .base_step = static_cast<uint16_t>(16 * random.between(12, 20))});
      SCOPED_TRACE(std::to_string(slots) + " slots, frame " + std::to_string(number));
      if (!HasFatalFailure()) pair.compare();
      if (HasFatalFailure()) return;
    }
  }
}

CTV_FOR_EACH_BACKEND(Drift);

}  // namespace
}  // namespace ctv::test

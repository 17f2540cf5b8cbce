// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/component_coder.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "codec/entropy/run_decoder.hpp"
#include "codec/entropy/run_encoder.hpp"
#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"

namespace ctv {
namespace {

/// Entropy coding by runs. Creates an encoder or a decoder at first use; an object serves one direction only.
class RunCoder final : public ComponentCoder {
 public:
  RunCoder(const PictureLayout& picture, const Component& c)
      : lowpass_(c.layer == 0), ranges_(run_ranges(picture, c)) {}

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    if (!encoder_) encoder_ = std::make_unique<RunEncoder>(ranges_);
    return encoder_->encode(frame.levels, runs(frame.parameters), out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    if (!decoder_) decoder_ = std::make_unique<RunDecoder>(ranges_);
    return decoder_->decode(bytes, runs(frame.parameters), frame.levels);
  }

 private:
  // The lowpass of key frames has no runs (Katsigiannis et al., section II), but differences.
  bool runs(const FrameParameters& frame) const { return !lowpass_ || frame.type != FrameType::kKey; }

  bool lowpass_;
  std::vector<RunRange> ranges_;
  std::unique_ptr<RunEncoder> encoder_;
  std::unique_ptr<RunDecoder> decoder_;
};

/// Entropy coding by tiles. Creates an encoder or a decoder at first use; an object serves one direction
/// only.
class TileCoder final : public ComponentCoder {
 public:
  TileCoder(const PictureLayout& picture, const Component& c) : sets_(make_tile_sets(picture, c)) {}

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    if (!encoder_) encoder_.emplace(sets_);
    return encoder_->encode(frame.levels, out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    if (!decoder_) decoder_.emplace(sets_);
    return decoder_->decode(bytes, frame.levels);
  }

 private:
  std::vector<TileSet> sets_;
  std::optional<TileEncoder> encoder_;
  std::optional<TileDecoder> decoder_;
};

constexpr size_t kBlockBytes = 64;  // of a block on the heap, beside its contents

}  // namespace

size_t component_decoder_bytes(EntropyCoding entropy_coding, const PictureLayout& picture,
                               const Component& component) {
  if (entropy_coding == EntropyCoding::kRle) {
    constexpr size_t kMostRanges = 2 * 4;  // of three planes, in two lists that may have room for four
    return sizeof(RunCoder) + sizeof(RunDecoder) + 8 * kBlockBytes + kMostRanges * sizeof(RunRange) +
           run_chunks(component.levels) * (sizeof(RunChunkBits) + sizeof(RunChunkPlace));
  }
  // Sets in two lists that may have room for twice as many; a piece holds a tile at least.
  size_t bytes = sizeof(TileCoder) + 8 * kBlockBytes;
  for (const TileSet& s : make_tile_sets(picture, component)) {
    bytes += 4 * sizeof s + s.tiles() * sizeof(TilePiece);
  }
  return bytes;
}

std::unique_ptr<ComponentCoder> make_component_coder(EntropyCoding entropy_coding,
                                                     const PictureLayout& picture,
                                                     const Component& component) {
  if (entropy_coding == EntropyCoding::kTiles) return std::make_unique<TileCoder>(picture, component);
  return std::make_unique<RunCoder>(picture, component);
}

}  // namespace ctv

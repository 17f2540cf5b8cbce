// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/component_coder.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "codec/entropy/deflate.hpp"
#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"
#include "codec/entropy/zero_run.hpp"

namespace ctv {
namespace {

/// Compresses the symbols of zero_run.hpp with DEFLATE.
class Deflated {
 public:
  explicit Deflated(size_t levels) : symbols_(zero_run_bound(levels)) {}

  uint8_t* symbols() { return symbols_.data(); }
  size_t deflate(size_t size, Growing<uint8_t>& out) {
    out.reserve(Deflater::bound(size));
    return deflater_.deflate({symbols_.data(), size}, {out.data(), out.capacity()});
  }
  bool inflate(std::span<const uint8_t> bytes, std::span<const uint8_t>& symbols) {
    size_t size = 0;
    if (!deflater_.inflate(bytes, symbols_, size)) return false;
    symbols = {symbols_.data(), size};
    return true;
  }

 private:
  std::vector<uint8_t> symbols_;
  Deflater deflater_;
};

/// Entropy coding by runs. Runs end with their plane.
class RunCoder final : public ComponentCoder {
 public:
  RunCoder(const PictureLayout& picture, const Component& c) : lowpass_(c.layer == 0), deflated_(c.levels) {
    for (int p = c.first_plane; p <= c.last_plane; ++p) {
      parts_.push_back({static_cast<size_t>(p), c.offset(picture, p), c.count(picture, p)});
    }
  }

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    size_t size = 0;
    for (const Part& part : parts_) {
      size += encode_zero_runs(part.of(frame), runs(frame.parameters), deflated_.symbols() + size);
    }
    return deflated_.deflate(size, out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    std::span<const uint8_t> symbols;
    if (!deflated_.inflate(bytes, symbols)) return false;
    size_t used = 0;
    for (const Part& part : parts_) {
      if (!decode_zero_runs(symbols, used, runs(frame.parameters), part.of(frame))) return false;
    }
    return used == symbols.size();
  }

 private:
  struct Part {
    size_t plane, offset, count;
    std::span<const Level> of(const CodedFrame& frame) const { return {frame.levels[plane] + offset, count}; }
    std::span<Level> of(const CodedFrameBuffers& frame) const {
      return {frame.levels[plane] + offset, count};
    }
  };
  // The lowpass of key frames has no runs (Katsigiannis et al., section II).
  bool runs(const FrameParameters& frame) const { return !lowpass_ || frame.type != FrameType::kKey; }

  bool lowpass_;
  std::vector<Part> parts_;
  Deflated deflated_;
};

/// Entropy coding by tiles. Creates an encoder or a decoder at first use.
class TileCoder final : public ComponentCoder {
 public:
  TileCoder(const PictureLayout& picture, const Component& c, const MotionGrid* grid)
      : sets_(make_tile_sets(picture, c)) {
    if (grid != nullptr) grid_ = *grid;
  }

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    return encoder().encode(frame.levels, side_of(frame), out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    return decoder().decode(bytes, frame.levels, side_of(frame));
  }
  size_t start_encoding(const CodedFrame& frame, Growing<uint8_t>&) override {
    encodes_ = true;
    return encoder().start(frame.levels, side_of(frame));
  }
  size_t finish_encoding(Growing<uint8_t>& out) override { return encoder_->finish(out); }
  size_t start_decoding(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    encodes_ = false;
    return decoder().start(bytes, frame.levels, side_of(frame));
  }
  bool finish_decoding() override { return decoder_->finish(); }
  void run(size_t task) override {
    if (encodes_) {
      encoder_->code(task);
    } else {
      decoder_->run(task);
    }
  }

 private:
  TileEncoder& encoder() { return encoder_ ? *encoder_ : encoder_.emplace(sets_); }
  TileDecoder& decoder() { return decoder_ ? *decoder_ : decoder_.emplace(sets_); }
  TileSide side_of(const CodedFrame& frame) const {
    if (frame.parameters.type == FrameType::kKey || grid_.size() == 0) return {};
    return {{frame.side.skips, grid_.rows, grid_.cols}};
  }
  std::vector<TileSet> sets_;
  MotionGrid grid_;
  std::optional<TileEncoder> encoder_;
  std::optional<TileDecoder> decoder_;
  bool encodes_ = false;  // the tasks are those of the encoder
};

constexpr size_t kInflateBytes = 64 << 10;  // of a decompressor, with its window
constexpr size_t kBlockBytes = 64;          // of a block on the heap, beside its contents

}  // namespace

size_t component_decoder_bytes(EntropyCoding entropy_coding, const PictureLayout& picture,
                               const Component& component) {
  if (entropy_coding == EntropyCoding::kRle) {
    return sizeof(RunCoder) + 8 * kBlockBytes + kInflateBytes + zero_run_bound(component.levels);
  }
  // Sets in two lists that may have room for twice as many; a piece holds a tile at least.
  size_t bytes = sizeof(TileCoder) + 8 * kBlockBytes;
  size_t tiles = 0;
  for (const TileSet& s : make_tile_sets(picture, component)) {
    bytes += 4 * sizeof s + s.tiles() * sizeof(TilePiece);
    tiles += s.tiles();
  }
  constexpr size_t kTaskBytes = 64;  // in the frame's list, which may have room for twice as many
  return bytes + tile_tasks(tiles) * (TileDecoder::kWorkerBytes + kTaskBytes);
}

std::unique_ptr<ComponentCoder> make_component_coder(EntropyCoding entropy_coding,
                                                     const PictureLayout& picture, const Component& component,
                                                     const MotionGrid* grid) {
  if (entropy_coding == EntropyCoding::kTiles) return std::make_unique<TileCoder>(picture, component, grid);
  return std::make_unique<RunCoder>(picture, component);
}

}  // namespace ctv

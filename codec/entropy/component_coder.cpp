// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/component_coder.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "codec/entropy/run_decoder.hpp"
#include "codec/entropy/run_encoder.hpp"
#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"
#include "codec/entropy/tile_index.hpp"
#include "codec/util/memory_budget.hpp"

namespace ctv {
namespace {

/// Entropy coding by runs. Creates an encoder or a decoder at first use. An object serves one direction only.
class RunCoder final : public ComponentCoder {
 public:
  RunCoder(const PictureLayout& picture, const Component& c, size_t index)
      : lowpass_(c.layer == 0), index_(index), ranges_(run_ranges(picture, c)) {}

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    coded_ = index_ < frame.runs.size() ? frame.runs[index_] : CodedRuns{};
    if (index_ < frame.runs.size()) return write_index(out);
    if (!encoder_) encoder_ = std::make_unique<RunEncoder>(ranges_);
    return encoder_->encode(frame.levels, runs(frame.parameters), out);
  }
  std::span<const uint8_t> rest() const override { return coded_.stream; }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    if (!decoder_) {
      const BudgetScope scope(budget_);
      decoder_ = std::make_unique<RunDecoder>(ranges_);
    }
    return decoder_->decode(bytes, runs(frame.parameters), frame.levels);
  }
  bool send(std::span<const uint8_t> bytes, size_t component, ComponentReceiver& receiver) override {
    return bytes.empty() || receiver.put(component, bytes, {}, false);
  }

 private:
  size_t write_index(Growing<uint8_t>& out) const {
    if (coded_.stream.empty()) return 0;
    return RunIndexWriter::write(coded_.chunks,
                                 out.reserve(RunIndexWriter::most_bytes(coded_.chunks.size())));
  }
  // The lowpass of key frames has differences instead of runs (Katsigiannis et al., section II).
  bool runs(const FrameParameters& frame) const { return !lowpass_ || frame.type != FrameType::kKey; }

  MemoryBudget* const budget_ = MemoryBudget::current();
  Held held_{sizeof(RunCoder)};
  bool lowpass_;
  size_t index_;
  std::vector<RunRange> ranges_;
  std::unique_ptr<RunEncoder> encoder_;
  std::unique_ptr<RunDecoder> decoder_;
  CodedRuns coded_;  // coded by a device
};

/// Entropy coding by tiles. Creates an encoder or a decoder at first use.
class TileCoder final : public ComponentCoder {
 public:
  TileCoder(const PictureLayout& picture, const Component& c, size_t index, const MotionGrid* grid,
            int threads)
      : sets_(make_tile_sets(picture, c)), index_(index), threads_(threads) {
    if (grid != nullptr) grid_ = *grid;
    for (const TileSet& s : sets_) tiles_ += s.tiles();
  }

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    const size_t tasks = start_encoding(frame, out);
    for (size_t i = 0; i < tasks; ++i) run(i);
    return finish_encoding(out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    return decoder().decode(bytes, frame.levels, side_of(frame));
  }
  size_t start_encoding(const CodedFrame& frame, Growing<uint8_t>&) override {
    encodes_ = true;
    coded_ = index_ < frame.tiles.size() ? frame.tiles[index_] : CodedTiles{};
    return coded_.pieces.empty() ? encoder().start(frame.levels, side_of(frame)) : 0;
  }
  size_t finish_encoding(Growing<uint8_t>& out) override {
    return coded_.pieces.empty() ? encoder_->finish(out) : write_index(out);
  }
  std::span<const uint8_t> rest() const override { return coded_.bytes; }
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
  bool send(std::span<const uint8_t> bytes, size_t component, ComponentReceiver& receiver) override {
    bool predicted = false;
    return bytes.empty() || (read_tile_index(bytes, tiles_, pieces_, predicted) &&
                             receiver.put(component, bytes, pieces_, predicted));
  }

 private:
  size_t write_index(Growing<uint8_t>& out) const {
    if (coded_.bytes.empty()) return 0;
    TileIndexWriter index(out, coded_.pieces.size(), coded_.predicted, 0);
    for (const CodedPiece& p : coded_.pieces.first(coded_.pieces.size() - 1)) index.put(p.tiles, p.bytes);
    return index.size();
  }
  TileEncoder& encoder() { return encoder_ ? *encoder_ : encoder_.emplace(sets_, tile_tables(), threads_); }
  TileDecoder& decoder() {
    const BudgetScope scope(budget_);
    return decoder_ ? *decoder_ : decoder_.emplace(sets_, tile_tables(), threads_);
  }
  TileSide side_of(const CodedFrame& frame) const {
    if (frame.parameters.type == FrameType::kKey || grid_.size() == 0) return {};
    return {{frame.side.skips, grid_.rows, grid_.cols}};
  }
  MemoryBudget* const budget_ = MemoryBudget::current();
  Held held_{sizeof(TileCoder)};
  std::vector<TileSet> sets_;
  size_t tiles_ = 0;
  size_t index_;
  int threads_;
  MotionGrid grid_;
  CountedVector<TilePiece> pieces_;  // of a receiver
  std::optional<TileEncoder> encoder_;
  std::optional<TileDecoder> decoder_;
  bool encodes_ = false;  // the tasks are the encoder's
  CodedTiles coded_;      // coded by a device
};

}  // namespace

std::unique_ptr<ComponentCoder> make_component_coder(EntropyCoding entropy_coding,
                                                     const PictureLayout& picture, const Component& component,
                                                     size_t index, const MotionGrid* grid, int threads) {
  if (entropy_coding == EntropyCoding::kTiles) {
    return std::make_unique<TileCoder>(picture, component, index, grid, threads);
  }
  return std::make_unique<RunCoder>(picture, component, index);
}

}  // namespace ctv

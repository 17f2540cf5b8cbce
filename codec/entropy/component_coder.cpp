// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/component_coder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "codec/entropy/context_decoder.hpp"
#include "codec/entropy/context_encoder.hpp"
#include "codec/entropy/deflate.hpp"
#include "codec/entropy/split_runs.hpp"
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

/// Entropy coding by contexts. Creates an encoder or a decoder at first use; an object serves one direction
/// only.
class ContextCoder final : public ComponentCoder {
 public:
  ContextCoder(const PictureLayout& picture, const Component& c, size_t index)
      : bands_(make_context_bands(picture, c)), index_(index) {}

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    if (!encoder_) encoder_.emplace(bands_);
    if (index_ < frame.quads.size() && frame.quads[index_].rows != nullptr)
      return encoder_->encode(frame.levels, frame.quads[index_], out);
    return encoder_->encode(frame.levels, out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    if (!decoder_) decoder_.emplace(bands_);
    if (index_ < frame.lists.size() && frame.lists[index_].entries != nullptr)
      return decoder_->decode(bytes, frame.lists[index_]);
    return decoder_->decode(bytes, frame.levels);
  }

 private:
  std::vector<ContextBand> bands_;
  size_t index_;  // of the component
  std::optional<ContextEncoder> encoder_;
  std::optional<ContextDecoder> decoder_;
};

class SplitRunCoder final : public ComponentCoder {
 public:
  SplitRunCoder(const PictureLayout& picture, const Component& c) {
    for (int p = c.first_plane; p <= c.last_plane; ++p) {
      planes_.push_back(static_cast<size_t>(p));
      offsets_.push_back(c.offset(picture, p));
      counts_.push_back(c.count(picture, p));
    }
  }

  size_t encode(const CodedFrame& frame, Growing<uint8_t>& out) override {
    return runs_.encode(parts_of(frame.levels, sources_), out);
  }
  bool decode(std::span<const uint8_t> bytes, const CodedFrameBuffers& frame) override {
    return runs_.decode(bytes, parts_of(frame.levels, targets_));
  }

 private:
  template <typename L>
  std::span<const std::span<L>> parts_of(const std::array<L*, 3>& levels, std::vector<std::span<L>>& parts) {
    parts.resize(planes_.size());
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = {levels[planes_[i]] + offsets_[i], counts_[i]};
    return parts;
  }
  std::vector<size_t> planes_;
  std::vector<size_t> offsets_;
  std::vector<size_t> counts_;
  std::vector<std::span<const Level>> sources_;
  std::vector<std::span<Level>> targets_;
  SplitRuns runs_;
};

constexpr size_t kInflateBytes = 64 << 10;  // of a decompressor, with its window
constexpr size_t kBlockBytes = 64;          // of a block on the heap, beside its contents

// Of SymbolTables for so many symbols, while the places grow from one array to the next.
constexpr size_t table_bytes(size_t symbols, bool runs) {
  return symbols * (runs ? 2 + 1 + 8 : 1) + kMaxClasses * 16;
}

}  // namespace

size_t component_decoder_bytes(EntropyCoding entropy_coding, const PictureLayout& picture,
                               const Component& component) {
  if (entropy_coding == EntropyCoding::kRleSplit) {
    return sizeof(SplitRunCoder) + 8 * kBlockBytes + 2 * component.levels;
  }
  if (entropy_coding == EntropyCoding::kRle) {
    return sizeof(RunCoder) + 8 * kBlockBytes + kInflateBytes + zero_run_bound(component.levels);
  }
  size_t bytes = sizeof(ContextCoder) + 16 * kBlockBytes;
  size_t quads = 0;
  size_t longest = 0;
  for (const ContextBand& b : make_context_bands(picture, component)) {
    const auto cols = static_cast<size_t>(b.quad_cols());
    quads += b.quads();
    longest = std::max(longest, cols);
    // The band, in two lists that may have room for twice as many; its sums with their margins.
    bytes += 4 * sizeof b + 2 * kBlockBytes + (cols + 4) * (static_cast<size_t>(b.quad_rows()) + 2);
  }
  return bytes + 16 * (longest + 16) + table_bytes(quads, true) + table_bytes(4 * quads, false);
}

std::unique_ptr<ComponentCoder> make_component_coder(EntropyCoding entropy_coding,
                                                     const PictureLayout& picture, const Component& component,
                                                     size_t index) {
  switch (entropy_coding) {
    case EntropyCoding::kContext:
      return std::make_unique<ContextCoder>(picture, component, index);
    case EntropyCoding::kRleSplit:
      return std::make_unique<SplitRunCoder>(picture, component);
    default:
      return std::make_unique<RunCoder>(picture, component);
  }
}

}  // namespace ctv

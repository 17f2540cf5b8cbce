// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_coder.hpp"

#include <string>

#include "codec/base/parallel.hpp"
#include "codec/bitstream/bytes.hpp"
#include "codec/entropy/motion_symbols.hpp"
#include "codec/entropy/zero_run.hpp"

namespace ctv {

SymbolCoder::SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid,
                         int threads)
    : picture_(picture),
      grid_(grid),
      subpel_(header.subpel),
      threads_(threads),
      components_(make_components(picture, header.grouping)),
      scratch_(components_.size() + 1),
      vector_levels_(2 * grid.size()),
      decoded_(components_.size() + 1) {
  for (size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i].symbols.resize(zero_run_bound(i < components_.size() ? components_[i].levels : 2 * grid.size()));
  }
}

size_t symbol_coder_memory(const PictureLayout& picture, const MotionGrid& grid) {
  size_t levels = 2 * grid.size();
  for (int p = 0; p < picture.planes; ++p) levels += picture.subbands[static_cast<size_t>(p)].levels;
  return zero_run_bound(levels);
}

// Zeros come in runs everywhere but in the lowpass of key frames (seed paper, section II).
bool SymbolCoder::runs(const CodedFrame& frame, const Component& c) const {
  return c.layer > 0 || frame.parameters.type != FrameType::kKey;
}

void SymbolCoder::encode_component(const CodedFrame& frame, size_t i) {
  Scratch& s = scratch_[i];
  size_t bytes = 0;
  if (i == components_.size()) {
    if (frame.parameters.type == FrameType::kKey) {
      s.size = 0;
      return;
    }
    bytes = encode_vectors(grid_, subpel_, frame.vectors, vector_levels_, s.symbols.data());
  } else {
    const Component& c = components_[i];
    for (int p = c.first_plane; p <= c.last_plane; ++p) {
      const Level* levels = frame.levels[static_cast<size_t>(p)] + c.offset(picture_, p);
      bytes += encode_zero_runs({levels, c.count(picture_, p)}, runs(frame, c), s.symbols.data() + bytes);
    }
  }
  if (s.deflated.size() < Deflater::bound(bytes)) s.deflated.resize(Deflater::bound(bytes));
  s.size = s.deflater.deflate({s.symbols.data(), bytes}, s.deflated);
}

void SymbolCoder::encode(const CodedFrame& frame, std::vector<uint8_t>& packet) {
  const int tasks = static_cast<int>(scratch_.size());
  parallel_for(threads_, tasks, [&](int i) { encode_component(frame, static_cast<size_t>(tasks - 1 - i)); });

  header_.frame = frame.parameters;
  if (frame.parameters.type == FrameType::kKey) header_.frame.reference = 0;
  header_.motion_size = static_cast<uint32_t>(scratch_.back().size);
  header_.component_sizes.clear();
  size_t payload_size = header_.motion_size;
  for (size_t i = 0; i < components_.size(); ++i) {
    header_.component_sizes.push_back(static_cast<uint32_t>(scratch_[i].size));
    payload_size += scratch_[i].size;
  }
  // The checksums stand before what they cover: write the header once for its size, then the payload, then again.
  header_.layer_crcs.assign(static_cast<size_t>(picture_.subbands[0].layers), 0);
  write_packet_header(header_, packet);
  header_.size = packet.size();
  packet.reserve(header_.size + payload_size);
  const auto append = [&](const Scratch& s) {
    packet.insert(packet.end(), s.deflated.begin(), s.deflated.begin() + static_cast<std::ptrdiff_t>(s.size));
  };
  append(scratch_.back());
  for (size_t i = 0; i < components_.size(); ++i) append(scratch_[i]);
  for (size_t layer = 0; layer < header_.layer_crcs.size(); ++layer) {
    const size_t begin = layer_begin(static_cast<int>(layer));
    const size_t end = layer_begin(static_cast<int>(layer) + 1);
    header_.layer_crcs[layer] = crc32_of({packet.data() + begin, end - begin});
  }
  write_packet_header(header_, head_);
  std::copy(head_.begin(), head_.end(), packet.begin());
}

size_t SymbolCoder::layer_begin(int layer) const {
  size_t at = header_.size;
  if (layer > 0) at += header_.motion_size;
  for (size_t i = 0; i < components_.size() && components_[i].layer < layer; ++i) at += header_.component_sizes[i];
  return at;
}

Status SymbolCoder::read_header(std::span<const uint8_t> unit) {
  return read_packet_header(unit, components_.size(), static_cast<size_t>(picture_.subbands[0].layers), header_);
}

bool SymbolCoder::decode_component(std::span<const uint8_t> bytes, const CodedFrame& frame, size_t i) {
  Scratch& s = scratch_[i];
  size_t size = 0;
  if (!s.deflater.inflate(bytes, s.symbols, size)) return false;
  const std::span<const uint8_t> symbols(s.symbols.data(), size);
  if (i == components_.size()) return decode_vectors(grid_, subpel_, symbols, vector_levels_, frame.vectors);
  const Component& c = components_[i];
  // Planes of one component follow each other in one sequence of symbols; a run may not cross from plane to plane.
  size_t used = 0;
  for (int p = c.first_plane; p <= c.last_plane; ++p) {
    Level* levels = frame.levels[static_cast<size_t>(p)] + c.offset(picture_, p);
    if (!decode_zero_runs(symbols, used, runs(frame, c), {levels, c.count(picture_, p)})) return false;
  }
  return used == size;
}

Status SymbolCoder::decode(std::span<const uint8_t> unit, int layers, const CodedFrame& frame) {
  const bool key = header_.frame.type == FrameType::kKey;
  if (key && header_.motion_size != 0) {
    return {CTV_ERROR_STREAM, "motion size: a key frame has no vectors"};
  }
  size_t end = header_.size;
  for (int layer = 0; layer < layers; ++layer) {
    const size_t begin = layer_begin(layer);
    end = layer_begin(layer + 1);
    const std::string name = "layer " + std::to_string(layer) + " at byte " + std::to_string(begin);
    if (end > unit.size()) {
      return {CTV_ERROR_STREAM, name + ": needs " + std::to_string(end - begin) + " bytes, the data end at byte " +
                                    std::to_string(unit.size())};
    }
    if (crc32_of(unit.subspan(begin, end - begin)) != header_.layer_crcs[static_cast<size_t>(layer)]) {
      return {CTV_ERROR_STREAM, name + ": wrong checksum"};
    }
  }
  size_t count = 0;
  while (count < components_.size() && components_[count].layer < layers) ++count;
  std::vector<size_t>& at = begins_;
  at.assign(components_.size() + 1, 0);
  size_t begin = header_.size + header_.motion_size;
  for (size_t i = 0; i < count; ++i) {
    at[i] = begin;
    begin += header_.component_sizes[i];
  }
  const int tasks = static_cast<int>(count) + (key ? 0 : 1);
  parallel_for(threads_, tasks, [&](int task) {
    const auto i = static_cast<size_t>(tasks - 1 - task);
    if (i == count) {
      decoded_[components_.size()] =
          decode_component(unit.subspan(header_.size, header_.motion_size), frame, components_.size()) ? 1 : 0;
    } else {
      decoded_[i] = decode_component(unit.subspan(at[i], header_.component_sizes[i]), frame, i) ? 1 : 0;
    }
  });
  if (!key && decoded_[components_.size()] == 0) {
    return {CTV_ERROR_STREAM, "motion payload at byte " + std::to_string(header_.size) + ": damaged"};
  }
  for (size_t i = 0; i < count; ++i) {
    if (decoded_[i] == 0) {
      return {CTV_ERROR_STREAM,
              "component " + std::to_string(i) + " at byte " + std::to_string(at[i]) + ": damaged"};
    }
  }
  return {};
}

}  // namespace ctv

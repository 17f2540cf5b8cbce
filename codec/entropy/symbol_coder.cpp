// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_coder.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <string>

#include "codec/format/bytes.hpp"
#include "codec/util/parallel.hpp"

namespace ctv {

SymbolCoder::SymbolCoder(const PictureLayout& picture, const SequenceHeader& header, const MotionGrid& grid,
                         int threads)
    : picture_(picture),
      threads_(threads),
      components_(make_components(picture, header.grouping, header.entropy_coding)),
      parts_(components_.size() + 1) {
  for (size_t i = 0; i < components_.size(); ++i) {
    parts_[i].coder = make_component_coder(header.entropy_coding, picture, components_[i], i);
    parts_[i].size = components_[i].levels;
  }
  parts_.back().coder = make_motion_coder(header.entropy_coding, grid, header.subpel);
  parts_.back().size = 2 * grid.size();
}

// Runs work(i) for the first `components` parts and, if wanted, the vectors. Parts with most bytes come
// first, because time grows with bytes more than with levels. Exceptions must not leave a thread of the team.
template <typename Work>
void SymbolCoder::for_parts(size_t components, bool motion, Work work) {
  selected_.resize(components);
  std::iota(selected_.begin(), selected_.end(), size_t{0});
  if (motion) selected_.push_back(components_.size());
  std::sort(selected_.begin(), selected_.end(),
            [&](size_t a, size_t b) { return parts_[a].size > parts_[b].size; });
  std::atomic<bool> out_of_memory = false;
  parallel_for(threads_, static_cast<int>(selected_.size()), [&](int task) {
    try {
      work(selected_[static_cast<size_t>(task)]);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) throw std::bad_alloc();
}

void SymbolCoder::encode(const CodedFrame& frame, std::vector<uint8_t>& packet) {
  const bool key = frame.parameters.type == FrameType::kKey;
  for_parts(components_.size(), !key,
            [&](size_t i) { parts_[i].size = parts_[i].coder->encode(frame, parts_[i].bytes); });

  header_.frame = frame.parameters;
  if (key) header_.frame.reference = 0;
  header_.motion_size = key ? 0 : static_cast<uint32_t>(parts_.back().size);
  header_.component_sizes.clear();
  size_t payload_size = header_.motion_size;
  for (size_t i = 0; i < components_.size(); ++i) {
    header_.component_sizes.push_back(static_cast<uint32_t>(parts_[i].size));
    payload_size += parts_[i].size;
  }
  // Checksums precede the bytes that they cover: write the header for its size, then the payload, then the
  // header again.
  header_.layer_crcs.assign(static_cast<size_t>(picture_.subbands[0].layers), 0);
  write_packet_header(header_, packet);
  header_.size = packet.size();
  packet.reserve(header_.size + payload_size);
  const auto append = [&](const Part& part, size_t size) {
    packet.insert(packet.end(), part.bytes.data(), part.bytes.data() + size);
  };
  append(parts_.back(), header_.motion_size);
  for (size_t i = 0; i < components_.size(); ++i) append(parts_[i], parts_[i].size);
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
  for (size_t i = 0; i < components_.size() && components_[i].layer < layer; ++i)
    at += header_.component_sizes[i];
  return at;
}

Status SymbolCoder::read_header(std::span<const uint8_t> unit) {
  return read_packet_header(unit, components_.size(), static_cast<size_t>(picture_.subbands[0].layers),
                            header_);
}

Status SymbolCoder::decode(std::span<const uint8_t> unit, int layers, const CodedFrameBuffers& frame) {
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
      return {CTV_ERROR_STREAM, name + ": needs " + std::to_string(end - begin) +
                                    " bytes, the data end at byte " + std::to_string(unit.size())};
    }
    if (crc32_of(unit.subspan(begin, end - begin)) != header_.layer_crcs[static_cast<size_t>(layer)]) {
      return {CTV_ERROR_STREAM, name + ": wrong checksum"};
    }
  }
  size_t count = 0;
  while (count < components_.size() && components_[count].layer < layers) ++count;
  begins_.resize(count);
  size_t begin = header_.size + header_.motion_size;
  for (size_t i = 0; i < count; ++i) {
    begins_[i] = begin;
    parts_[i].size = header_.component_sizes[i];
    begin += parts_[i].size;
  }
  parts_.back().size = header_.motion_size;
  CodedFrameBuffers coded = frame;
  coded.parameters = header_.frame;
  for_parts(count, !key, [&](size_t i) {
    const size_t first = i < components_.size() ? begins_[i] : header_.size;
    parts_[i].sound = parts_[i].coder->decode(unit.subspan(first, parts_[i].size), coded);
  });
  if (!key && !parts_.back().sound) {
    return {CTV_ERROR_STREAM, "motion payload at byte " + std::to_string(header_.size) + ": damaged"};
  }
  for (size_t i = 0; i < count; ++i) {
    if (parts_[i].sound) continue;
    return {CTV_ERROR_STREAM,
            "component " + std::to_string(i) + " at byte " + std::to_string(begins_[i]) + ": damaged"};
  }
  return {};
}

}  // namespace ctv

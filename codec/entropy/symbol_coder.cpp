// SPDX-License-Identifier: BSD-3-Clause
#include "codec/entropy/symbol_coder.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <string>

#include "codec/entropy/motion_tree.hpp"
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
  parts_.back().coder =
      std::make_unique<MotionTree>(grid, header.subpel, header.prediction == Prediction::kPicture);
  parts_.back().size = grid.size();
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

  payloads_.clear();
  for (size_t i = 0; i < components_.size(); ++i) {
    payloads_.emplace_back(parts_[i].bytes.data(), parts_[i].size);
  }
  std::span<const uint8_t> motion;
  if (!key) motion = {parts_.back().bytes.data(), parts_.back().size};
  header_.frame = frame.parameters;
  write_packet(components_, picture_.subbands[0].layers, motion, payloads_, header_, scratch_, packet);
}

Status SymbolCoder::read_header(std::span<const uint8_t> unit) {
  return read_packet_header(unit, components_.size(), static_cast<size_t>(picture_.subbands[0].layers),
                            header_);
}

Status SymbolCoder::decode(std::span<const uint8_t> unit, int layers, const CodedFrameBuffers& frame) {
  const bool key = header_.frame.type == FrameType::kKey;
  std::span<const uint8_t> motion;
  CTV_RETURN_IF_ERROR(find_payloads(unit, header_, components_, layers, motion, payloads_));
  const size_t count = payloads_.size();
  for (size_t i = 0; i < count; ++i) parts_[i].size = payloads_[i].size();
  parts_.back().size = motion.size();
  CodedFrameBuffers coded = frame;
  coded.parameters = header_.frame;
  for_parts(count, !key, [&](size_t i) {
    parts_[i].sound = parts_[i].coder->decode(i < count ? payloads_[i] : motion, coded);
  });
  const auto damaged = [&](const std::string& what, std::span<const uint8_t> payload) {
    return Status(CTV_ERROR_STREAM,
                  what + " at byte " + std::to_string(payload.data() - unit.data()) + ": damaged");
  };
  if (!key && !parts_.back().sound) return damaged("motion payload", motion);
  for (size_t i = 0; i < count; ++i) {
    if (!parts_[i].sound) return damaged("component " + std::to_string(i), payloads_[i]);
  }
  return {};
}

}  // namespace ctv

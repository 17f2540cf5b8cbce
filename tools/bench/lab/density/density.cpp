// SPDX-License-Identifier: BSD-3-Clause
#include "bench/lab/density/density.hpp"

#include <vector>

#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/stream.hpp"
#include "codec/util/host_device.hpp"

namespace ctv::lab {
namespace {

constexpr uint64_t kMaxMemory = uint64_t{1} << 32;

int block_side(TransformKind kind) {
  switch (kind) {
    case TransformKind::kContourlet:
      return 0;
    case TransformKind::kH264_4x4:
      return 4;
    case TransformKind::kDct8x8:
    case TransformKind::kH264_8x8:
      break;
  }
  return 8;
}

// A mark for each block, [rows][cols], whose level in the subband is not zero.
void mark(const Subband& subband, const int16_t* levels, int rows, int cols, std::vector<bool>& marks) {
  if (subband.size() == 0) return;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const int row = r * subband.rows / rows, col = c * subband.cols / cols;
      if (levels[subband.offset + static_cast<size_t>(row) * static_cast<size_t>(subband.cols) +
                 static_cast<size_t>(col)] != 0)
        marks[static_cast<size_t>(r) * static_cast<size_t>(cols) + static_cast<size_t>(c)] = true;
    }
}

BlockCount count_marks(const std::vector<bool>& marks) {
  BlockCount count;
  count.blocks = marks.size();
  for (const bool marked : marks) count.occupied += marked ? 1 : 0;
  return count;
}

BlockCount count_squares(const Subband& subband, const int16_t* levels, int size) {
  const int cols = ceil_div(subband.cols, size);
  std::vector<bool> marks(static_cast<size_t>(ceil_div(subband.rows, size)) * static_cast<size_t>(cols));
  const int16_t* next = levels + subband.offset;
  for (int r = 0; r < subband.rows; ++r)
    for (int c = 0; c < subband.cols; ++c)
      if (*next++ != 0) marks[static_cast<size_t>(r / size * cols + c / size)] = true;
  return count_marks(marks);
}

class Counter {
 public:
  Status take(std::span<const uint8_t> unit) {
    CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(unit));
    if (prefix.kind == UnitKind::kIndex) return {};
    return prefix.kind == UnitKind::kPacket ? take_packet(unit) : take_header(unit);
  }
  const StreamDensity& result() const { return result_; }

 private:
  Status take_header(std::span<const uint8_t> unit) {
    CTV_ASSIGN_OR_RETURN(const SequenceHeader header, read_sequence_header(unit));
    if (decoder_memory(header, 1) > kMaxMemory) return {CTV_ERROR_LIMIT, "memory: more than 4 GiB needed"};
    stream_ = make_stream(header);
    result_.transform = header.transform.kind;
    vectors_.assign(stream_.grid.size(), {});
    frame_ = {};
    frame_.vectors = vectors_.data();
    for (size_t i = 0; i < static_cast<size_t>(stream_.picture.planes); ++i) {
      levels_[i].assign(stream_.picture.subbands[i].num_coefficients, 0);
      frame_.levels[i] = levels_[i].data();
    }
    symbols_ = std::make_unique<SymbolCoder>(stream_.picture, header, stream_.grid, 1);
    return {};
  }

  Status take_packet(std::span<const uint8_t> unit) {
    if (symbols_ == nullptr) return {CTV_ERROR_STREAM, "packet: no sequence header came before it"};
    CTV_RETURN_IF_ERROR(symbols_->read_header(unit));
    frame_.parameters = symbols_->header().frame;
    CTV_RETURN_IF_ERROR(symbols_->decode(unit, stream_.picture.subbands[0].layers, frame_));
    ++result_.frames;
    for (size_t i = 0; i < static_cast<size_t>(stream_.picture.planes); ++i)
      for (int s = 0; s < 2; ++s) {
        const BlockCount count = count_blocks(stream_.picture.subbands[i], frame_.levels[i], s == 0 ? 4 : 8);
        result_.all[s].add(count);
        if (i == 0) result_.luma[s].add(count);
      }
    return {};
  }

  Stream stream_;
  std::unique_ptr<SymbolCoder> symbols_;
  std::vector<MotionVector> vectors_;
  std::array<std::vector<Level>, 3> levels_;
  CodedFrame frame_;
  StreamDensity result_;
};

}  // namespace

BlockCount count_blocks(const SubbandLayout& layout, const int16_t* levels, int size) {
  BlockCount count;
  const int side = block_side(layout.transform.kind);
  if (side == 0) {
    for (const Subband& subband : layout.subbands) count.add(count_squares(subband, levels, size));
  } else if (side == size) {
    const int rows = layout.padded.rows / size, cols = layout.padded.cols / size;
    std::vector<bool> marks(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    for (const Subband& subband : layout.subbands) mark(subband, levels, rows, cols, marks);
    count = count_marks(marks);
  }
  return count;
}

Result<StreamDensity> measure_density(std::span<const uint8_t> stream) {
  Counter counter;
  for (size_t begin = 0; begin < stream.size();) {
    CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(stream.subspan(begin)));
    if (prefix.size > stream.size() - begin) return {CTV_ERROR_STREAM, "unit: the stream ends within it"};
    CTV_RETURN_IF_ERROR(counter.take(stream.subspan(begin, static_cast<size_t>(prefix.size))));
    begin += static_cast<size_t>(prefix.size);
  }
  return counter.result();
}

}  // namespace ctv::lab

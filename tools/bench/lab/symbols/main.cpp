// SPDX-License-Identifier: BSD-3-Clause
// ctv_entropy_coding STREAM.ctv ROUNDS FRAMES: CPU time of a stream's symbols on one thread, both ways that a
// backend may take: levels, or events down and lists up (codec/entropy/model/quad_events.hpp). The ways take
// turns; each is checked first: encoding returns the packet's bytes, decoding the levels.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <vector>

#include "codec/entropy/component_coder.hpp"
#include "codec/entropy/context_bands.hpp"
#include "codec/entropy/symbol_coder.hpp"
#include "codec/pipeline/stream.hpp"
#include "tests/reference/quads.hpp"

namespace ctv::lab {
namespace {

/// A frame's levels and vectors in all forms. A coder's parts are the components, then the vectors.
struct Frame {
  std::vector<std::vector<uint8_t>> parts;
  std::array<std::vector<Level>, 3> levels;
  std::vector<MotionVector> vectors;
  std::vector<reference::FoundQuads> found;
  std::vector<QuadEvents> events;

  CodedFrame coded(FrameType type) {
    CodedFrame frame;
    frame.parameters.type = type;
    frame.vectors = vectors.data();
    for (size_t p = 0; p < levels.size(); ++p) frame.levels[p] = levels[p].data();
    return frame;
  }
};

enum Way { kEncodeLevels, kEncodeEvents, kDecodeLevels, kDecodeLists, kWays };
constexpr const char* kNames[kWays] = {"encode levels", "encode events", "decode levels", "decode lists"};

class Bench {
 public:
  explicit Bench(const Stream& stream)
      : stream_(stream),
        components_(make_components(stream.picture, stream.header.grouping, stream.header.entropy_coding)),
        down_(make_quad_plan(stream.picture, stream.header, false)),
        up_(make_quad_plan(stream.picture, stream.header, true)),
        entries_(components_.size()),
        lists_(components_.size()) {
    for (auto& coders : coders_) {
      for (size_t i = 0; i < components_.size(); ++i)
        coders.push_back(
            make_component_coder(stream.header.entropy_coding, stream.picture, components_[i], i));
      coders.push_back(make_motion_coder(stream.header.entropy_coding, stream.grid, stream.header.subpel));
    }
    for (auto& times : times_) times.resize(components_.size() + 1);
    for (size_t i = 0; i < up_.components.size(); ++i) {
      size_t quads = 0;
      for (const ContextBand& b : up_.components[i]) quads += b.quads();
      entries_[i].resize(quads);
      if (quads != 0) lists_[i].entries = entries_[i].data();
    }
  }

  /// `coder` has just decoded the packet into the frame.
  void add(Frame frame, std::span<const uint8_t> packet, const PacketHeader& header) {
    const uint8_t* at = packet.data() + header.size;
    const std::vector<uint8_t> motion(at, at + header.motion_size);
    at += header.motion_size;
    for (const uint32_t size : header.component_sizes) {
      frame.parts.emplace_back(at, at + size);
      at += size;
    }
    if (header.frame.type != FrameType::kKey) frame.parts.push_back(motion);
    const std::array<const Level*, 3> planes = {frame.levels[0].data(), frame.levels[1].data(),
                                                frame.levels[2].data()};
    for (const auto& bands : down_.components)
      frame.found.push_back(reference::QuadsByDefinition(bands, planes).find());
    for (const auto& f : frame.found) frame.events.push_back(f.view());
    frames_.push_back(std::move(frame));
  }

  bool sound() {
    for (Frame& frame : frames_) {
      Frame decoded = frame;
      const size_t motion = components_.size();
      for (size_t i = 0; i < frame.parts.size(); ++i) {
        for (const Way way : {kEncodeLevels, kEncodeEvents}) {
          const size_t size = run(way, frame, i);
          if (!std::equal(out_.data(), out_.data() + size, frame.parts[i].begin(), frame.parts[i].end()))
            return false;
        }
        for (auto& plane : decoded.levels) std::fill(plane.begin(), plane.end(), Level{77});
        if (run(kDecodeLevels, decoded, i) == 0) return false;
        if (i == motion) continue;
        const Component& c = components_[i];
        for (int p = c.first_plane; p <= c.last_plane; ++p) {
          const auto begin = static_cast<std::ptrdiff_t>(c.offset(stream_.picture, p));
          const auto plane = static_cast<size_t>(p);
          if (!std::equal(decoded.levels[plane].begin() + begin,
                          decoded.levels[plane].begin() + begin +
                              static_cast<std::ptrdiff_t>(c.count(stream_.picture, p)),
                          frame.levels[plane].begin() + begin))
            return false;
        }
        if (run(kDecodeLists, decoded, i) == 0 || !holds(lists_[i], i, frame)) return false;
      }
    }
    return true;
  }

  void measure(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (int way = 0; way < kWays; ++way) {
        std::vector<double> sums(components_.size() + 1);
        for (Frame& frame : frames_) {
          for (size_t i = 0; i < frame.parts.size(); ++i) {
            const std::clock_t start = std::clock();
            (void)run(static_cast<Way>(way), frame, i);
            sums[i] += static_cast<double>(std::clock() - start);
          }
        }
        for (size_t i = 0; i < sums.size(); ++i)
          times_[way][i].push_back(sums[i] * 1e3 / CLOCKS_PER_SEC / static_cast<double>(frames_.size()));
      }
    }
  }

  void print() const {
    size_t bytes = 0;
    for (const Frame& frame : frames_)
      for (const auto& part : frame.parts) bytes += part.size();
    std::printf("%zu frames of %zu bytes; ms of CPU a frame: all, components, vectors\n", frames_.size(),
                bytes / frames_.size());
    for (size_t way = 0; way < kWays; ++way) {
      double all = 0;
      std::vector<double> medians;
      for (std::vector<double> t : times_[way]) {
        std::nth_element(t.begin(), t.begin() + std::ssize(t) / 2, t.end());
        medians.push_back(t[t.size() / 2]);
        all += medians.back();
      }
      std::printf("%s  %6.3f ", kNames[way], all);
      for (const double m : medians) std::printf(" %6.3f", m);
      std::printf("\n");
    }
  }

 private:
  size_t run(Way way, Frame& frame, size_t i) {
    CodedFrame coded =
        frame.coded(i < components_.size() || frame.parts.size() > components_.size() ? FrameType::kPredicted
                                                                                      : FrameType::kKey);
    if (way == kEncodeEvents) coded.quads = frame.events;
    if (way == kDecodeLists) coded.lists = lists_;
    ComponentCoder& coder = *coders_[way][i];
    if (way <= kEncodeEvents) return coder.encode(coded, out_);
    return coder.decode(frame.parts[i], coded) ? 1 : 0;
  }

  /// The list's quads are those of the frame that are not 0.
  bool holds(const QuadList& list, size_t component, const Frame& frame) const {
    if (list.entries == nullptr) return true;
    const QuadEntry* entry = list.entries;
    const QuadEntry* const end = list.entries + list.count;
    uint32_t place = 0;
    for (const ContextBand& b : up_.components[component]) {
      const Level* const levels = frame.levels[static_cast<size_t>(b.plane)].data() + b.offset;
      for (int y = 0; y < 2 * b.quad_rows(); y += 2) {
        for (int x = 0; x < 2 * b.quad_cols(); x += 2, ++place) {
          std::array<Level, 4> quad{};
          for (int k = 0; k < 4; ++k) {
            const int row = y + k / 2, col = x + k % 2;
            if (row < b.rows && col < b.cols)
              quad[static_cast<size_t>(k)] =
                  levels[static_cast<size_t>(row) * static_cast<size_t>(b.cols) + static_cast<size_t>(col)];
          }
          if (quad == std::array<Level, 4>{}) continue;
          if (entry == end || entry->place != place || !std::equal(quad.begin(), quad.end(), entry->levels))
            return false;
          ++entry;
        }
      }
    }
    return entry == end;
  }

  const Stream& stream_;
  std::vector<Component> components_;
  QuadPlan down_, up_;
  std::vector<std::vector<QuadEntry>> entries_;
  std::vector<QuadList> lists_;
  std::array<std::vector<std::unique_ptr<ComponentCoder>>, kWays> coders_;
  std::array<std::vector<std::vector<double>>, kWays> times_;  // [way][part][round]
  std::vector<Frame> frames_;
  Growing<uint8_t> out_;
};

Status measure(std::span<const uint8_t> bytes, int rounds, int frames) {
  Stream stream;
  std::unique_ptr<SymbolCoder> coder;
  std::unique_ptr<Bench> bench;
  for (int n = 0; n < frames && !bytes.empty();) {
    CTV_ASSIGN_OR_RETURN(const UnitPrefix prefix, read_prefix(bytes));
    if (prefix.size > bytes.size()) return {CTV_ERROR_STREAM, "unit: the stream ends within it"};
    const auto unit = bytes.first(static_cast<size_t>(prefix.size));
    bytes = bytes.subspan(unit.size());
    if (prefix.kind == UnitKind::kHeader && coder == nullptr) {
      CTV_ASSIGN_OR_RETURN(const SequenceHeader header, read_sequence_header(unit));
      stream = make_stream(header);
      coder = std::make_unique<SymbolCoder>(stream.picture, header, stream.grid, 1);
      bench = std::make_unique<Bench>(stream);
    } else if (prefix.kind == UnitKind::kPacket && coder != nullptr) {
      Frame frame;
      frame.vectors.resize(stream.grid.size());
      for (size_t p = 0; p < static_cast<size_t>(stream.picture.planes); ++p)
        frame.levels[p].resize(stream.picture.subbands[p].num_coefficients);
      CTV_RETURN_IF_ERROR(coder->read_header(unit));
      const CodedFrame coded = frame.coded(coder->header().frame.type);
      CTV_RETURN_IF_ERROR(coder->decode(unit, stream.picture.subbands[0].layers, coded));
      bench->add(std::move(frame), unit, coder->header());
      ++n;
    }
  }
  if (bench == nullptr) return {CTV_ERROR_STREAM, "no sequence header"};
  if (!bench->sound()) return {CTV_ERROR_STREAM, "a way of coding differs from the packets"};
  bench->measure(rounds);
  bench->print();
  return {};
}

}  // namespace
}  // namespace ctv::lab

int main(int argc, char** argv) {
  const int rounds = argc == 4 ? std::atoi(argv[2]) : 0;
  const int frames = argc == 4 ? std::atoi(argv[3]) : 0;
  if (rounds < 1 || frames < 1) {
    std::fputs("usage: ctv_entropy_coding STREAM.ctv ROUNDS FRAMES\n", stderr);
    return 1;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const ctv::Status status = ctv::lab::measure(bytes, rounds, frames);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ctv_entropy_coding: %s: %s\n", argv[1], status.message().c_str());
  return 3;
}

// SPDX-License-Identifier: BSD-3-Clause
// ctv_train_symbols train STREAM.ctv...     prints data/tile_tables.inc for the levels of these
// ctv_train_symbols residual STREAM.ctv...  prints data/residual_tables.inc for the macroblocks of these
// ctv_train_symbols motion STREAM.ctv...    prints data/motion_priors.inc for the motion of these
// ctv_train_symbols measure STREAM.ctv...   bytes and times of these
// Streams of any entropy coding will do. Streams are not readable when tables or priors have changed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>

#include "codec/entropy/motion_tree.hpp"
#include "codec/entropy/residual_encoder.hpp"
#include "codec/entropy/tile_decoder.hpp"
#include "codec/entropy/tile_encoder.hpp"
#include "symbol_clip.h"

namespace {

using namespace ctv;  // NOLINT(*-using-namespace)
using dev::SymbolClip;
using dev::SymbolFrame;

using Weights = std::array<std::array<double, kTableSymbols>, kTables>;
constexpr int kRepeats = 9;  // of each timing; the shortest counts

// Whether a symbol of a table can occur.
bool occurs(size_t table, size_t symbol) {
  if (table < kBandTables) return symbol < kModels;
  if (table < kEighthTables) return symbol < size_t{2} << (table - kBandTables) / kBandContexts;
  if (table < kLargeTables) return symbol != 0;
  const size_t of_model = (table - kLargeTables) % kTablesOfModel;
  return of_model >= 4 * kLargeContexts || symbol < size_t{2} << of_model / kLargeContexts;
}

// Tables that are seldom used share what is known of these symbols as a whole: the first table of such ones.
size_t kind_of(size_t table) {
  if (table < kBandTables) return table;
  if (table < kEighthTables) return table - (table - kBandTables) % kBandContexts;
  if (table < kMaskTables) return kEighthTables;
  if (table < kQuadTables) return kMaskTables;
  if (table < kLargeTables) return kQuadTables + (table - kQuadTables) % (2 * kPlaneClasses);
  const size_t of_model = (table - kLargeTables) % kTablesOfModel;
  if (of_model >= 4 * kLargeContexts) return kNumberTables + (of_model - 4 * kLargeContexts) / kNumberClasses;
  return kLargeTables + of_model - of_model % kSiblingClasses;
}

TableSizes fit(const Weights& counts) {
  constexpr double kUnseen = 0.4;
  constexpr double kShared = 4;
  auto kinds = std::make_unique<Weights>();
  for (size_t t = 0; t < kTables; ++t) {
    for (size_t s = 0; s < kTableSymbols; ++s) (*kinds)[kind_of(t)][s] += counts[t][s];
  }
  TableSizes sizes{};
  for (size_t t = 0; t < kTables; ++t) {
    const auto& kind = (*kinds)[kind_of(t)];
    const double all = std::accumulate(kind.begin(), kind.end(), 1e-9);
    const auto weight = [&](size_t s) { return counts[t][s] + kShared * kind[s] / all + kUnseen / 4; };
    double sum = 0;
    for (size_t s = 0; s < kTableSymbols; ++s) sum += occurs(t, s) ? weight(s) : 0;
    int left = kWhole;
    for (size_t s = 0; s < kTableSymbols; ++s) {
      if (!occurs(t, s)) continue;
      sizes[t][s] =
          static_cast<uint16_t>(std::clamp(std::lround(weight(s) / sum * kWhole), 1L, long{kWhole} - 1));
      left -= sizes[t][s];
    }
    uint16_t& most = *std::max_element(sizes[t].begin(), sizes[t].end());
    most = static_cast<uint16_t>(most + left);
  }
  return sizes;
}

TileSide side_of(const SymbolClip& clip, const SymbolFrame& f) {
  const bool skips =
      clip.stream.header.prediction == Prediction::kPicture && f.parameters.type != FrameType::kKey;
  return {{skips ? f.skips.data() : nullptr, clip.stream.grid.rows, clip.stream.grid.cols}};
}

void count_clip(const SymbolClip& clip, TileCounts& counts) {
  Growing<uint8_t> out;
  for (const Component& c : clip.components) {
    TileEncoder encoder(make_tile_sets(clip.stream.picture, c));
    encoder.count(&counts);
    for (const SymbolFrame& f : clip.frames) {
      if (!clip.has_macroblocks(f)) encoder.encode(f.view().levels, side_of(clip, f), out);
    }
  }
}

// A clip of four times as many symbols weighs twice as much.
void add_weighted(const TileCounts& clip, Weights& sum) {
  double total = 1;
  for (const auto& table : clip) {
    for (const uint64_t n : table) total += static_cast<double>(n);
  }
  const double weight = 1000 / std::sqrt(total);
  for (size_t t = 0; t < kTables; ++t) {
    for (size_t s = 0; s < kTableSymbols; ++s) {
      sum[t][s] += static_cast<double>(clip[t][s]) * weight;
    }
  }
}

template <size_t kCount>
void print_tables(const IntervalSizes<kCount>& sizes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr size_t kPerLine = 11;
  std::printf("// SPDX-License-Identifier: BSD-3-Clause\n");
  for (size_t t = 0; t < kCount; ++t) {
    if (t % kPerLine == 0) std::printf("\"");
    for (const uint16_t size : sizes[t]) std::printf("%c%c", kDigits[size >> 6], kDigits[size & 63]);
    if (t % kPerLine == kPerLine - 1 || t + 1 == kCount) std::printf("\"\n");
  }
}

void train(const std::vector<SymbolClip>& clips) {
  auto sum = std::make_unique<Weights>();
  for (const SymbolClip& clip : clips) {
    auto counts = std::make_unique<TileCounts>();
    count_clip(clip, *counts);
    add_weighted(*counts, *sum);
  }
  print_tables(fit(*sum));
}

void train_residual(const std::vector<SymbolClip>& clips) {
  std::array<std::array<double, kTableSymbols>, kResidualTables> sum{};
  for (const SymbolClip& clip : clips) {
    const auto counts = std::make_unique<ResidualCounts>();
    ResidualEncoder encoder(clip.stream.macroblocks, clip.stream.grid, false);
    encoder.count_in(counts.get());
    Growing<uint8_t> out;
    for (const SymbolFrame& f : clip.frames) {
      if (clip.has_macroblocks(f)) encoder.encode(f.view(), out);
    }
    double total = 1;
    for (const auto& table : *counts)
      total += static_cast<double>(std::accumulate(table.begin(), table.end(), uint64_t{0}));
    for (size_t t = 0; t < sum.size(); ++t) {
      for (size_t s = 0; s < kTableSymbols; ++s)
        sum[t][s] += static_cast<double>((*counts)[t][s]) * 1000 / std::sqrt(total);
    }
  }
  IntervalSizes<kResidualTables> sizes{};
  for (size_t t = 0; t < sizes.size(); ++t) {
    double all = 0;
    for (size_t s = 0; s < kTableSymbols; ++s) all += residual_symbol_occurs(t, s) ? sum[t][s] + 0.2 : 0;
    int left = kWhole;
    for (size_t s = 0; s < kTableSymbols; ++s) {
      if (!residual_symbol_occurs(t, s)) continue;
      sizes[t][s] = static_cast<uint16_t>(
          std::clamp(std::lround((sum[t][s] + 0.2) / all * kWhole), 1L, long{kWhole} - 16));
      left -= sizes[t][s];
    }
    uint16_t& most = *std::max_element(sizes[t].begin(), sizes[t].end());
    most = static_cast<uint16_t>(most + left);
  }
  print_tables(sizes);
}

/// Counts zeros and ones of each context.
struct MotionCounter {
  static constexpr bool kDecodes = false;
  std::array<std::array<double, 2>, MotionContexts::kCount> counts{};
  bool bit(size_t context, bool one) {
    counts[context][one ? 1 : 0] += 1;
    return one;
  }
  static bool even(bool one) { return one; }
};

// A clip of four times as many symbols weighs twice as much.
void train_motion(const std::vector<SymbolClip>& clips) {
  MotionCounter sum;
  for (const SymbolClip& clip : clips) {
    const Stream& stream = clip.stream;
    const MotionSkips skips = motion_skips(stream.header);
    MotionCounter counter;
    std::vector<MotionLeaf> leaves(stream.grid.size());
    MotionScratch scratch(stream.grid, leaves.data());
    for (const SymbolFrame& f : clip.frames) {
      if (f.parameters.type == FrameType::kKey) continue;
      MotionWalk walk(counter, stream.grid, stream.grid.cols, kVectorFractionBits - stream.header.subpel,
                      skips, f.view().side, {}, scratch);
      walk.trees();
      walk.vectors();
    }
    double total = 1;
    for (const auto& c : counter.counts) total += c[0] + c[1];
    for (size_t i = 0; i < sum.counts.size(); ++i) {
      for (size_t b = 0; b < 2; ++b) sum.counts[i][b] += counter.counts[i][b] * 1000 / std::sqrt(total);
    }
  }
  std::printf("// SPDX-License-Identifier: BSD-3-Clause\n");
  constexpr size_t kPerLine = 16;
  for (size_t i = 0; i < sum.counts.size(); ++i) {
    const auto& [zeros, ones] = sum.counts[i];
    const long prior = std::lround((zeros + 1) / (zeros + ones + 2) * 65536);
    std::printf("%ld,%s", std::clamp(prior, 256L, 65280L), i % kPerLine == kPerLine - 1 ? "\n" : " ");
  }
  std::printf("\n");
}

template <typename Work>
double shortest(Work work) {
  double best = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best * 1e3;
}

// Milliseconds of coding and decoding the motion of all frames, one slice after the other.
std::array<double, 2> measure_motion(const SymbolClip& clip) {
  const Stream& stream = clip.stream;
  std::array<double, 2> times{};
  std::vector<MotionVector> vectors(stream.grid.size());
  std::vector<uint8_t> skipped(stream.grid.size());
  Growing<uint8_t> out;
  std::vector<MotionLeaf> leaves(stream.grid.size());
  MotionTree tree(stream.grid, stream.header.subpel, motion_skips(stream.header));
  MotionSlices slices(stream.grid);
  for (const SymbolFrame& f : clip.frames) {
    if (f.parameters.type == FrameType::kKey) continue;
    slices.choose(f.view().side);
    for (size_t i = 0; i < slices.size(); ++i) {
      tree.take(slices[i], leaves.data());
      size_t size = 0;
      times[0] += shortest([&] { size = tree.encode(f.view(), out); });
      CodedFrameBuffers buffers;
      buffers.side = {vectors.data(), skipped.data()};
      times[1] += shortest([&] { (void)tree.decode({out.data(), size}, buffers); });
    }
  }
  return times;
}

bool measure(const SymbolClip& clip) {
  const auto& picture = clip.stream.picture;
  double encode = 0;
  double decode = 0;
  size_t bytes = 0;
  size_t predicted = 0;  // of predicted frames
  std::array<std::vector<Level>, 3> levels;
  std::array<Level*, 3> planes{};
  for (size_t p = 0; p < levels.size(); ++p) {
    levels[p].resize(picture.subbands[p].num_coefficients);
    planes[p] = levels[p].data();
  }
  for (const Component& c : clip.components) {
    TileEncoder encoder(make_tile_sets(picture, c));
    TileDecoder decoder(make_tile_sets(picture, c));
    Growing<uint8_t> out;
    for (const SymbolFrame& f : clip.frames) {
      if (clip.has_macroblocks(f)) continue;
      const CodedFrame frame = f.view();
      const TileSide side = side_of(clip, f);
      size_t size = 0;
      bool good = true;
      encode += shortest([&] { size = encoder.encode(frame.levels, side, out); });
      decode += shortest([&] { good = decoder.decode({out.data(), size}, planes, side) && good; });
      for (int p = c.first_plane; p <= c.last_plane; ++p) {
        const auto r = c.range(picture, p);
        const auto plane = static_cast<size_t>(p);
        good = good && std::equal(levels[plane].data() + r.offset, levels[plane].data() + r.offset + r.count,
                                  f.levels[plane].data() + r.offset);
      }
      if (!good) return false;
      bytes += size;
      if (f.parameters.type != FrameType::kKey) predicted += size;
    }
  }
  const auto n = static_cast<double>(clip.frames.size());
  const auto motion = measure_motion(clip);
  std::printf(
      "%-36s motion %7zu bytes, encoding %.2f ms, decoding %.2f ms; levels %8zu, of predicted frames %8zu; "
      "encoding levels of a frame %.2f ms, "
      "decoding %.2f ms\n",
      clip.name.c_str(), clip.motion_bytes, motion[0] / n, motion[1] / n, bytes, predicted, encode / n,
      decode / n);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 2 ? argv[1] : "";
  if (verb != "train" && verb != "residual" && verb != "motion" && verb != "measure") {
    std::fprintf(stderr, "usage: ctv_train_symbols train|residual|motion|measure STREAM.ctv...\n");
    return 2;
  }
  std::vector<SymbolClip> clips;
  for (int i = 2; i < argc; ++i) {
    if (!dev::read_symbol_clip(argv[i], clips.emplace_back())) {
      std::fprintf(stderr, "%s: not a sound stream\n", argv[i]);
      return 1;
    }
  }
  if (verb != "measure") {
    if (verb == "train") train(clips);
    if (verb == "residual") train_residual(clips);
    if (verb == "motion") train_motion(clips);
    return 0;
  }
  for (const SymbolClip& clip : clips) {
    if (!measure(clip)) {
      std::fprintf(stderr, "%s: does not come back\n", clip.name.c_str());
      return 1;
    }
  }
  return 0;
}

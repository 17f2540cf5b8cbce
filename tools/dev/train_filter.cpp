// SPDX-License-Identifier: BSD-3-Clause
// ctv_train_filter: prints data/filter_weights.inc for what these streams lose of their sources.
//   ctv_train_filter SOURCE.y4m STREAM.ctv [SOURCE STREAM]...
// Sources are 4:2:0. Streams have no loop filter, so that pictures are what a filter would get. A stream may
// be shorter than its source. The weights of a class make the squared errors of its samples least.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <ctv/ctv.hpp>

#include "cli/exit.h"
#include "cli/text.h"
#include "codec/dsp/loop_filter.hpp"
#include "dev/packet_map.h"
#include "io/frame_reader.h"
#include "io/unit_reader.h"

namespace ctv::tools {
namespace {

constexpr size_t kPairs = kFilterPairs;
constexpr size_t kClasses = kFilterClasses;
constexpr int64_t kFewestSamples = 500;  // of a plane; the errors of fewer say little
constexpr double kRidge = 1e-3;          // of the mean over the classes: weights of rare classes lean to 0
constexpr long kMostSum = 500;           // of a class's magnitudes: 2 kMostFilterBound of these fit 16 bits

// Products of the pulls with each other and, in the last column, with the error.
template <typename T>
using Products = std::array<std::array<T, kPairs + 1>, kPairs>;
template <typename T>
using ClassProducts = std::array<Products<T>, kClasses>;
using Sums = std::array<ClassProducts<double>, kFilterTables>;

// A plane's samples, repeated as far as the filter and the classes reach.
class Surrounded {
 public:
  Surrounded(const uint8_t* data, ptrdiff_t stride, int rows, int cols)
      : pitch_(cols + 2 * kFilterReach), samples_(static_cast<size_t>(pitch_ * (rows + 2 * kFilterReach))) {
    auto out = samples_.begin();
    for (int y = -kFilterReach; y < rows + kFilterReach; ++y)
      for (int x = -kFilterReach; x < cols + kFilterReach; ++x)
        *out++ = data[std::clamp(y, 0, rows - 1) * stride + std::clamp(x, 0, cols - 1)];
  }
  const int16_t* at(int row, int col) const {
    return samples_.data() + (row + kFilterReach) * pitch_ + col + kFilterReach;
  }
  ptrdiff_t pitch() const { return pitch_; }

 private:
  ptrdiff_t pitch_;
  std::vector<int16_t> samples_;
};

size_t class_of(const LoopFilter& filter, const int16_t* at, ptrdiff_t pitch) {
  const auto sum = [&](ptrdiff_t to) {
    int total = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int16_t* const place = at + y * pitch + x;
        total += filter_difference(place[-to], place[to]);
      }
    return static_cast<int16_t>(total);
  };
  return static_cast<size_t>(filter_class(filter, sum(1), sum(pitch), sum(pitch + 1), sum(pitch - 1)));
}

// The samples of a plane of a frame. Its weight is so that errors count as parts of the plane's, and a plane
// of four times as many samples twice as much.
void add_plane(const ctv_picture& source, const ctv_picture& decoded, int plane, uint32_t base_step,
               const PacketMap& map, Sums& sums) {
  const int shift = plane > 0 ? 1 : 0;
  const int rows = (decoded.height + shift) >> shift, cols = (decoded.width + shift) >> shift;
  const auto* const original = static_cast<const uint8_t*>(source.data[plane]);
  const Surrounded samples(static_cast<const uint8_t*>(decoded.data[plane]), decoded.stride[plane], rows,
                           cols);
  const LoopFilter filter = loop_filter(base_step, map.key, plane > 0, 0);
  const auto found = std::make_unique<ClassProducts<int64_t>>();
  int64_t count = 0, squares = 0;
  for (int y = 0; y < rows; ++y) {
    const size_t cells = static_cast<size_t>(std::min((y << shift) / map.side, map.rows - 1) * map.cols);
    for (int x = 0; x < cols; ++x) {
      const auto cell = cells + static_cast<size_t>(std::min((x << shift) / map.side, map.cols - 1));
      if (map.skips[cell] != 0) continue;
      const int16_t* const at = samples.at(y, x);
      std::array<int64_t, kPairs + 1> pulls{};
      for (size_t k = 0; k < kPairs; ++k) {
        const ptrdiff_t to = kFilterNeighbours[k].y * samples.pitch() + kFilterNeighbours[k].x;
        pulls[k] = filter_pull(at[to], at[-to], *at, filter.bound);
      }
      const int64_t error = original[y * source.stride[plane] + x] - *at;
      pulls[kPairs] = error;
      auto& products = (*found)[class_of(filter, at, samples.pitch())];
      for (size_t i = 0; i < kPairs; ++i)
        for (size_t j = i; j <= kPairs; ++j) products[i][j] += pulls[i] * pulls[j];
      ++count;
      squares += error * error;
    }
  }
  if (count < kFewestSamples || squares == 0) return;
  const double weight = std::sqrt(static_cast<double>(count)) / static_cast<double>(squares);
  auto& table = sums[static_cast<size_t>(filter.table)];
  for (size_t c = 0; c < kClasses; ++c)
    for (size_t i = 0; i < kPairs; ++i)
      for (size_t j = i; j <= kPairs; ++j) table[c][i][j] += weight * static_cast<double>((*found)[c][i][j]);
}

void check_unfiltered(const std::vector<uint8_t>& header, const char* stream_name) {
  ctv_stream_info info;
  ctv_stream_info_init(&info);
  check(ctv_stream_info_parse(header.data(), header.size(), &info));
  if (info.loop_filter != 0)
    throw Failure(Exit::kUsage, std::string(stream_name) + " has a loop filter",
                  "encode with --set loop_filter=0");
}

void add_clip(const char* source_name, const char* stream_name, Sums& sums) {
  InputOptions input;
  input.path = source_name;
  const auto sources = open_input(input);
  if (sources->video().format != CTV_FORMAT_I420)
    throw Failure(Exit::kUsage, std::string(source_name) + " is not 4:2:0");
  Frame source;
  UnitReader units(open_source(stream_name));
  DecoderConfig config;
  config.format = CTV_FORMAT_I420;
  config.frames_in_flight = 1;
  Decoder decoder(config);
  std::vector<uint8_t> header;
  while (const auto unit = units.next()) {
    if (unit->kind == CTV_UNIT_INDEX) continue;
    if (!decoder.send(unit->bytes)) throw Failure(Exit::kDefect, "the decoder takes no unit");
    if (unit->kind == CTV_UNIT_HEADER) {
      header.assign(unit->bytes.begin(), unit->bytes.end());
      check_unfiltered(header, stream_name);
      continue;
    }
    const auto decoded = decoder.receive();
    if (!decoded) throw Failure(Exit::kDefect, "no picture of a packet");
    if (!sources->read(source) || source.video().width != decoded->width ||
        source.video().height != decoded->height)
      throw Failure(Exit::kUsage, std::string(source_name) + " is not the source of " + stream_name);
    ctv_packet_info info;
    ctv_packet_info_init(&info);
    check(ctv_packet_info_parse(header.data(), header.size(), unit->bytes.data(), unit->bytes.size(), &info,
                                nullptr, 0));
    const PacketMap map = read_packet_map(header, unit->bytes);
    for (int plane = 0; plane < 3; ++plane)
      add_plane(source.picture(), *decoded, plane, static_cast<uint32_t>(std::lround(16 * info.step)), map,
                sums);
  }
}

// Weights that make the squared errors least. Only the upper half of the products is read.
std::array<double, kPairs> solve(Products<double> m) {
  std::array<double, kPairs> weights{};
  for (size_t i = 0; i < kPairs; ++i) m[i][i] += 1e-12;  // a class that never occurs has weights of 0
  for (size_t i = 0; i < kPairs; ++i)
    for (size_t r = i + 1; r < kPairs; ++r) {
      const double part = m[i][r] / m[i][i];
      for (size_t j = r; j <= kPairs; ++j) m[r][j] -= part * m[i][j];
    }
  for (size_t i = kPairs; i-- > 0;) {
    double left = m[i][kPairs];
    for (size_t j = i + 1; j < kPairs; ++j) left -= m[i][j] * weights[j];
    weights[i] = left / m[i][i];
  }
  return weights;
}

void print_table(const ClassProducts<double>& classes) {
  Products<double> mean{};
  for (const auto& products : classes)
    for (size_t i = 0; i < kPairs; ++i)
      for (size_t j = i; j < kPairs; ++j) mean[i][j] += products[i][j] / kClasses;
  std::array<std::array<long, kClasses>, kPairs> weights{};
  for (size_t c = 0; c < kClasses; ++c) {
    Products<double> products = classes[c];
    for (size_t i = 0; i < kPairs; ++i)
      for (size_t j = i; j < kPairs; ++j) products[i][j] += kRidge * mean[i][j];
    const auto solved = solve(products);
    long sum = 0;
    for (size_t k = 0; k < kPairs; ++k) {
      weights[k][c] = std::clamp(std::lround(solved[k] * (1 << kFilterBits)), -127L, 127L);
      sum += std::labs(weights[k][c]);
    }
    if (sum > kMostSum)
      throw Failure(Exit::kDefect, text("weights of class %zu are too large for sums in 16 bits", c));
  }
  for (const auto& pair : weights)
    for (size_t c = 0; c < kClasses; ++c) std::printf("%ld,%s", pair[c], c % 16 == 15 ? "\n" : " ");
}

Exit run(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0)
    throw Failure(Exit::kUsage, "usage: ctv_train_filter SOURCE.y4m STREAM.ctv [SOURCE STREAM]...");
  const auto sums = std::make_unique<Sums>();
  for (int i = 1; i < argc; i += 2) add_clip(argv[i], argv[i + 1], *sums);
  std::printf("// SPDX-License-Identifier: BSD-3-Clause\n");
  for (const auto& table : *sums) print_table(table);
  return Exit::kOk;
}

}  // namespace
}  // namespace ctv::tools

int main(int argc, char** argv) {
  return ctv::tools::run_tool("ctv_train_filter", [&] { return ctv::tools::run(argc, argv); });
}

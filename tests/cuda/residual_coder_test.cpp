// SPDX-License-Identifier: BSD-3-Clause
// The residual of predicted frames on the device against the CPU's: equal records, levels and pictures, equal
// bytes, equal verdicts on damaged bytes.
#include <cmath>
#include <cstring>

#include "codec/dsp/residual_quantise.hpp"
#include "codec/entropy/residual_decoder.hpp"
#include "codec/entropy/residual_encoder.hpp"
#include "codec/entropy/residual_tables.hpp"
#include "cuda/entropy/residual_decoder.hpp"
#include "cuda/entropy/residual_encoder.hpp"
#include "tests/cuda/equality.hpp"

namespace ctv::test {
namespace {

constexpr int kRowMultiple = 32;  // as PlaneSet has it

// An array in host memory and a backend's.
template <typename T>
struct Mirrored {
  Backend& backend;
  std::vector<T> host;
  Memory memory;

  Mirrored(Backend& b, std::vector<T> values) : backend(b), host(std::move(values)) {
    Result<Memory> made = backend.allocate(host.size() * sizeof(T));
    EXPECT_TRUE(ok(made));
    memory = std::move(*made);
    upload();
  }
  void upload() { EXPECT_TRUE(ok(backend.upload(memory.data(), host.data(), host.size() * sizeof(T)))); }
  T* data() const { return static_cast<T*>(memory.data()); }
  void download() { EXPECT_TRUE(ok(backend.download(host.data(), memory.data(), host.size() * sizeof(T)))); }
};

struct Content {
  MacroblockGrid grid;
  MotionGrid cells;
  std::vector<uint8_t> skips;
  std::array<std::vector<Sample>, 3> source, prediction;
  ResidualFrame frame;

  int rows(size_t p) const { return grid.rows * kMacroblock >> (p == 0 ? 0 : grid.chroma.y); }
  int cols(size_t p) const { return grid.cols * kMacroblock >> (p == 0 ? 0 : grid.chroma.x); }
  int stride(size_t p) const { return round_up(cols(p), kRowMultiple); }
  size_t planes() const { return static_cast<size_t>(grid.planes); }
};

// A frame's records and levels, and its picture, in a backend's memory.
struct Coded {
  Mirrored<Macroblock> macroblocks;
  std::vector<Mirrored<Level>> levels;
  std::vector<Mirrored<Sample>> picture;

  Coded(Backend& backend, const Content& c) : macroblocks(backend, std::vector<Macroblock>(c.grid.size())) {
    for (size_t p = 0; p < 3; ++p) {
      const size_t count = c.grid.size() * (p < c.planes() ? c.grid.levels(static_cast<int>(p)) : 0);
      levels.emplace_back(backend, std::vector<Level>(count, Level{77}));
    }
    for (size_t p = 0; p < c.planes(); ++p) picture.emplace_back(backend, c.prediction[p]);
  }
  ResidualArrays arrays() const {
    return {macroblocks.data(), {levels[0].data(), levels[1].data(), levels[2].data()}};
  }
  Planes planes(const Content& c) const {
    Planes planes{};
    for (size_t p = 0; p < c.planes(); ++p)
      planes[p] = {picture[p].data(), c.rows(p), c.cols(p), c.stride(p)};
    return planes;
  }
  void download() {
    macroblocks.download();
    for (auto& l : levels) l.download();
    for (auto& p : picture) p.download();
  }
  // Levels of blocks that are not coded, and costs, which a decoder has not, become 0.
  void keep_coded(const Content& c, bool costs) {
    for (size_t i = 0; i < c.grid.size(); ++i) {
      Macroblock& m = macroblocks.host[i];
      if (!costs) m.cost = 0;
      for (size_t k = 0; k < kLumaLevels / 16; ++k) {
        const QuarterKind kind = m.quarter(static_cast<int>(k) / 4);
        const bool coded = m.kind == static_cast<uint8_t>(MacroblockKind::k16x16) ||
                           (m.kind != 0 && (kind == QuarterKind::k8x8 ||
                                            (kind == QuarterKind::k4x4 && (m.blocks >> k & 1) != 0)));
        if (!coded) std::fill_n(levels[0].host.data() + i * kLumaLevels + 16 * k, 16, Level{0});
      }
      for (size_t p = 0; p + 1 < c.planes(); ++p) {
        for (int b = 0; b < c.grid.chroma_blocks(); ++b) {
          Level* const block =
              levels[p + 1].host.data() + i * c.grid.levels(1) + kChromaBlockLevels * static_cast<size_t>(b);
          if ((m.chroma[p] >> b & 1) == 0) std::fill_n(block, kChromaBlockLevels, Level{0});
        }
      }
    }
  }
};

void expect_equal(const Coded& a, const Coded& b) {
  for (size_t i = 0; i < a.macroblocks.host.size(); ++i) {
    ASSERT_EQ(std::memcmp(&a.macroblocks.host[i], &b.macroblocks.host[i], sizeof(Macroblock)), 0)
        << "macroblock " << i;
  }
  for (size_t p = 0; p < 3; ++p) ASSERT_EQ(a.levels[p].host, b.levels[p].host) << "plane " << p;
}

class CudaResidual : public CudaEquality {
 protected:
  // What changes from quarter to quarter: nothing, noise, ramps and edges; or waves over whole macroblocks.
  int residual(int style, uint64_t seed, int r, int c) {
    const int side = style == 1 ? kMacroblock : kQuarterSide;
    Random local(seed + static_cast<uint64_t>(r / side * 1000 + c / side));
    const int kind = local.between(0, 4);
    const int strength = local.between(0, 60);
    if (style == 1)
      return static_cast<int>(strength * std::cos(0.1 * kind * (c % side)) * std::cos(0.08 * (r % side)));
    constexpr int kAmplitudes[] = {0, 3, 0, 80, 300};
    const int noise = kAmplitudes[kind] == 0 ? 0 : between(-kAmplitudes[kind], kAmplitudes[kind]);
    if (kind == 2) return (c % side - 4) * (strength % 9) + (r % side - 3) * (strength % 5);
    if (kind == 3 && strength % 2 != 0) return (r / 4 + c / 4) % 2 != 0 ? 40 : -30;
    return style == 2 ? noise / 8 : noise;
  }
  Content some_content(int most_rows, int most_cols, int skipped) {
    Content c;
    constexpr ChromaShift kShifts[] = {{1, 1}, {1, 1}, {0, 1}, {0, 0}};
    c.grid = {between(1, most_rows), between(1, most_cols), between(0, 4) == 0 ? 1 : 3, {}};
    if (c.grid.planes > 1) c.grid.chroma = kShifts[between(0, 3)];
    c.cells = {kLog2Cell, 2 * c.grid.rows - between(0, 1), 2 * c.grid.cols - between(0, 1)};
    const bool whole = skipped > 8 || between(0, 2) == 0;
    c.skips.resize(c.cells.size());
    for (int r = 0; r < c.cells.rows; ++r) {
      for (int k = 0; k < c.cells.cols; ++k) {
        const auto at = static_cast<size_t>(r * c.cells.cols + k);
        c.skips[at] = between(0, 9) < skipped ? 1 : 0;
        if (whole) c.skips[at] = c.skips[static_cast<size_t>((r & ~1) * c.cells.cols + (k & ~1))];
      }
    }
    const bool wide = between(0, 3) == 0;
    const int style = between(0, 2);
    const uint64_t seed = next_seed();
    for (size_t p = 0; p < c.planes(); ++p) {
      const int lo = p > 0 && wide ? -255 : 0;
      c.frame.ranges[p] = {lo, 255};
      const auto size = static_cast<size_t>(c.rows(p)) * static_cast<size_t>(c.stride(p));
      c.source[p].assign(size, 0);
      c.prediction[p].assign(size, 0);
      for (int r = 0; r < c.rows(p); ++r) {
        for (int k = 0; k < c.cols(p); ++k) {
          const auto at = static_cast<size_t>(r * c.stride(p) + k);
          c.prediction[p][at] = static_cast<Sample>(between(lo / 2, 255));
          c.source[p][at] =
              static_cast<Sample>(std::clamp(c.prediction[p][at] + residual(style, seed + p, r, k), lo, 255));
        }
      }
    }
    constexpr uint32_t kSteps[] = {2, 3, 8, 33, 64, 100, 177, 256, 700, 3000, kMostCoefficient};
    c.frame.steps[0] = kSteps[between(0, 10)];
    c.frame.steps[1] = c.frame.steps[2] = kSteps[between(0, 10)];
    c.frame.masking = static_cast<uint32_t>(between(0, 1) * between(1, 15));
    c.frame.grid = c.grid;
    c.frame.cells = c.cells;
    return c;
  }
  // Encodes, and decodes what was encoded.
  void code(Backend& backend, const Content& c, Coded& coded) {
    Mirrored<uint8_t> skips(backend, c.skips);
    ResidualFrame frame = c.frame;
    frame.skips = skips.data();
    std::vector<Mirrored<Sample>> source;
    ConstPlanes from{};
    for (size_t p = 0; p < c.planes(); ++p) {
      source.emplace_back(backend, c.source[p]);
      from[p] = PlaneView<Sample>{source[p].data(), c.rows(p), c.cols(p), c.stride(p)};
    }
    const auto coder = backend.make_residual(c.grid);
    ASSERT_TRUE(ok(coder));
    ASSERT_TRUE(ok((*coder)->encode(frame, from, coded.planes(c), coded.arrays())));
    Coded decoded(backend, c);
    ASSERT_TRUE(ok((*coder)->decode(frame, coded.arrays(), decoded.planes(c))));
    coded.download();
    decoded.download();
    for (size_t p = 0; p < c.planes(); ++p) ASSERT_EQ(decoded.picture[p].host, coded.picture[p].host);
    coded.keep_coded(c, true);
  }
  static CodedFrame frame_of(const Content& c, Coded& coded) {
    CodedFrame frame;
    frame.parameters.type = FrameType::kPredicted;
    frame.side.skips = c.skips.data();
    frame.side.macroblocks = coded.macroblocks.host.data();
    for (size_t p = 0; p < 3; ++p) frame.levels[p] = coded.levels[p].host.data();
    return frame;
  }
};

struct DeviceReceiver final : ComponentReceiver {
  explicit DeviceReceiver(cuda::ResidualDecoder& d) : decoder(d) {}
  Status start(bool, size_t) override { return {}; }
  bool put(size_t c, std::span<const uint8_t> bytes, std::span<const TilePiece> pieces, bool) override {
    return decoder.put(c, bytes, pieces);
  }
  Status send() override { return {}; }
  Status run(bool) override { return {}; }
  Status wait() override { return {}; }
  bool sound(size_t c) const override { return decoder.damaged()[c] == 0; }
  cuda::ResidualDecoder& decoder;
};

TEST_F(CudaResidual, RecordsLevelsPicturesAndBytesAreThoseOfTheCpu) {
  const auto opened = cuda::Device::open(0);
  ASSERT_TRUE(opened.ok());
  cuda::Device& device = **opened;
  Backend& cpu = *both()[0];
  Backend& gpu = *both()[1];
  const int trials = only_small() ? 4 : 80;
  for (int trial = 0; trial < trials && !HasFailure(); ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial));
    const bool large = trial % 10 == 9 && !only_small();
    const Content c = some_content(large ? 40 : 9, large ? 60 : 14, large ? 9 : between(0, 10));
    Coded expected(cpu, c);
    Coded coded(gpu, c);
    code(cpu, c, expected);
    code(gpu, c, coded);
    if (HasFatalFailure()) return;
    expect_equal(coded, expected);
    for (size_t p = 0; p < c.planes(); ++p) ASSERT_EQ(coded.picture[p].host, expected.picture[p].host);

    if (trial % 3 == 2) {  // a single piece, larger than the memory for its bytes on the device
      for (Mirrored<Macroblock>* all : {&expected.macroblocks, &coded.macroblocks}) {
        for (Macroblock& m : all->host) m.cost = 0;
        all->upload();
      }
    }
    CodingPlan plan;
    plan.residual_tables = residual_tables();
    plan.macroblocks = c.grid;
    Mirrored<uint8_t> skips(gpu, c.skips);
    CodedFrame frame = frame_of(c, expected);
    ctv::ResidualEncoder host(c.grid, c.cells, false);
    Growing<uint8_t> heads;
    host.encode(frame, heads);
    cuda::ResidualEncoder encoder;
    ASSERT_TRUE(ok(encoder.initialise(device, plan, c.cells)));
    ConstSideInfo side;
    side.skips = skips.data();
    side.macroblocks = coded.macroblocks.data();
    ASSERT_TRUE(
        ok(encoder.encode(device, {coded.levels[0].data(), coded.levels[1].data(), coded.levels[2].data()},
                          side, device.stream())));
    ASSERT_EQ(cudaStreamSynchronize(device.stream()), cudaSuccess);
    const CodedTiles tiles = encoder.coded();
    ASSERT_EQ(std::vector<uint8_t>(tiles.bytes.begin(), tiles.bytes.end()),
              host.regions().empty()
                  ? std::vector<uint8_t>()
                  : std::vector<uint8_t>(host.regions()[0].bytes.begin(), host.regions()[0].bytes.end()));
    frame.tiles = {&tiles, 1};
    ctv::ResidualEncoder regions(c.grid, c.cells, between(0, 1) != 0);
    Growing<uint8_t> of_regions;
    regions.encode(frame, of_regions);
    size_t all = 0;
    for (const WrittenRegion& r : regions.regions()) all += r.head_size + r.bytes.size();

    cuda::ResidualDecoder decoder;
    ASSERT_TRUE(ok(decoder.initialise(device, plan, c.cells)));
    for (int damage = 0; damage < 4; ++damage) {
      SCOPED_TRACE("damage " + std::to_string(damage));
      Coded by_host(cpu, c);
      Coded by_device(gpu, c);
      CodedFrameBuffers buffers;
      buffers.side.skips = const_cast<uint8_t*>(c.skips.data());  // only read
      buffers.side.macroblocks = by_host.macroblocks.data();
      for (size_t p = 0; p < 3; ++p) buffers.levels[p] = by_host.levels[p].data();
      ASSERT_TRUE(ok(decoder.start(device, all)));
      DeviceReceiver receiver(decoder);
      std::vector<bool> sound;
      std::vector<bool> sound_on_device;
      size_t first = 0;
      for (const WrittenRegion& r : regions.regions()) {
        std::vector<uint8_t> bytes(of_regions.data() + r.head_begin,
                                   of_regions.data() + r.head_begin + r.head_size);
        bytes.insert(bytes.end(), r.bytes.begin(), r.bytes.end());
        for (int i = 0; !r.bytes.empty() && i < damage; ++i)
          bytes[static_cast<size_t>(
              between(static_cast<int>(r.head_size), static_cast<int>(bytes.size()) - 1))] ^=
              static_cast<uint8_t>(1U << between(0, 7));
        ctv::RegionDecoder region(c.grid, c.cells);
        region.set_range(first, r.macroblocks);
        sound.push_back(region.decode(bytes, buffers));
        sound_on_device.push_back(region.send(bytes, sound_on_device.size(), receiver));
        first += r.macroblocks;
      }
      ASSERT_TRUE(ok(decoder.upload(device, device.stream())));
      ASSERT_TRUE(ok(decoder.decode(device, by_device.arrays().levels, by_device.macroblocks.data(),
                                    skips.data(), device.stream())));
      ASSERT_EQ(cudaStreamSynchronize(device.stream()), cudaSuccess);
      for (size_t i = 0; i < sound.size(); ++i)
        sound_on_device[i] = sound_on_device[i] && decoder.damaged()[i] == 0;
      ASSERT_EQ(sound_on_device, sound);
      if (damage == 0) {
        EXPECT_EQ(sound, std::vector<bool>(sound.size(), true));
      }
      by_host.download();
      by_device.download();
      by_host.keep_coded(c, false);
      by_device.keep_coded(c, false);
      expect_equal(by_device, by_host);
    }
  }
}

}  // namespace
}  // namespace ctv::test

// SPDX-License-Identifier: BSD-3-Clause
// Measures each frame on the CPU and the GPU and checks that all agree; the tables are made in tables.cpp.
#include "bench/lab/experiments.hpp"
#include "bench/lab/gpu.hpp"
#include "bench/lab/h264_idct/measured.hpp"
#include "bench/lab/measure.hpp"

namespace ctv::lab {
namespace {

struct Resolution {
  const char* name;
  int columns, rows;  // macroblocks
};
constexpr Resolution kResolutions[] = {{"1080p", 120, 68}, {"2160p", 240, 135}};
constexpr int kPaperModes = 3;

class Measurement {
 public:
  Measurement(const LabSettings& settings, LabReport& report) : settings_(settings), report_(report) {}

  IdctCase run(size_t index, const IdctMode& mode) {
    const Resolution& resolution = kResolutions[index];
    IdctCase c;
    c.name = std::string(resolution.name) + " " + mode.name;
    if (mode.paper_mode >= 0) c.paper_row = static_cast<int>(index) * kPaperModes + mode.paper_mode;
    settings_.progress("h264_idct " + c.name);
    const MacroblockFrame frame =
        make_macroblocks(resolution.columns, resolution.rows, mode.densities[index], 1);
    const CompactedFrame blocks = compact(frame);
    c.share = static_cast<double>(blocks.blocks4.size() + blocks.blocks8.size()) /
              static_cast<double>(frame.coefficients.size());
    CompactedFrame reference;
    measure_cpu(c, 0, 4, blocks.blocks4, reference.blocks4);
    measure_cpu(c, 1, 8, blocks.blocks8, reference.blocks8);
    if (!settings_.gpu) return c;
    measure_steps(c, 0, 4, blocks.blocks4, reference.blocks4);
    measure_steps(c, 1, 8, blocks.blocks8, reference.blocks8);
    measure_frames(c, frame, blocks, reference);
    return c;
  }

 private:
  void check(const std::string& what, bool equal) {
    report_.checks.push_back({"h264_idct " + what + " equal to scalar", equal, ""});
  }

  void measure_cpu(IdctCase& c, size_t index, int size, const std::vector<int16_t>& blocks,
                   std::vector<int16_t>& reference) {
    const int count = static_cast<int>(blocks.size()) / (size * size);
    const std::string what = c.name + ", " + std::to_string(size) + "x" + std::to_string(size) + ": ";
    std::vector<int16_t> out(blocks.size());
    reference.resize(blocks.size());
    c.scalar[index] =
        median_ms(settings_.runs, [&] { idct_scalar(size, blocks.data(), count, reference.data()); });
    c.simd[index] = median_ms(settings_.runs, [&] { idct_simd(size, blocks.data(), count, out.data()); });
    check(what + "SIMD", out == reference);
    out.assign(out.size(), 0);
    c.parallel[index] = median_ms(
        settings_.runs, [&] { idct_parallel(size, blocks.data(), count, out.data(), settings_.threads); });
    check(what + "SIMD on all cores", out == reference);
  }

  void measure_steps(IdctCase& c, size_t index, int size, const std::vector<int16_t>& blocks,
                     const std::vector<int16_t>& reference) {
    for (size_t s = 0; s < std::size(kIdctSteps); ++s) {
      const std::string what = c.name + ", " + std::to_string(size) + "x" + std::to_string(size) + ", step " +
                               std::to_string(s) + ": CUDA";
      std::vector<int16_t> out;
      if (report_.came_back(
              what, idct_compacted(kIdctSteps[s], size, blocks, settings_.runs, out, c.steps[s][index])))
        check(what, out == reference);
    }
  }

  void measure_frames(IdctCase& c, const MacroblockFrame& frame, const CompactedFrame& blocks,
                      const CompactedFrame& reference) {
    std::vector<int16_t> residuals;
    if (report_.came_back(c.name + ": baseline", idct_baseline(frame, settings_.runs, residuals, c.baseline)))
      check(c.name + ": CUDA baseline", residuals == expand(reference, frame.flags));
    for (const bool overlapped : {false, true}) {
      CompactedFrame out;
      const std::string what = c.name + ": CUDA complete" + (overlapped ? ", overlapped" : "");
      if (report_.came_back(what, idct_complete(blocks, overlapped, settings_.runs, out,
                                                overlapped ? c.overlapped : c.sequential)))
        check(what, out.blocks4 == reference.blocks4 && out.blocks8 == reference.blocks8);
    }
  }

  const LabSettings& settings_;
  LabReport& report_;
};

}  // namespace

std::vector<IdctMode> idct_modes() {
  const auto paper = [](const char* name, double small, double large, int index) {
    return IdctMode{name, {{{small, small, 0.5}, {large, large, 0.5}}}, index};
  };
  const auto stream = [](const char* name, double blocks4, double blocks8) {
    const Densities densities = {blocks4, blocks8, 0.5};
    return IdctMode{name, {densities, densities}};
  };
  return {paper("as CRF37", 1 / 15.75, 1 / 31.07, 0),
          paper("as CRF22", 1 / 5.13, 1 / 6.83, 1),
          paper("as Intra", 1 / 2.46, 1 / 2.12, 2),
          stream("qp 37", 0.27, 0.24),
          stream("qp 30", 0.36, 0.35),
          stream("qp 22", 0.64, 0.61)};
}

void measure_h264_idct(const LabSettings& settings, std::span<const IdctMode> modes, LabReport& report) {
  Measurement measurement(settings, report);
  std::vector<IdctCase> cases;
  for (size_t i = 0; i < (settings.quick ? 1 : std::size(kResolutions)); ++i)
    for (const IdctMode& mode : modes) cases.push_back(measurement.run(i, mode));
  add_idct_tables(settings, cases, report);
}

}  // namespace ctv::lab

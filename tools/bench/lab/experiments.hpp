// SPDX-License-Identifier: BSD-3-Clause
// The experiments of the papers, each measured as in its paper, with the paper's figures.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/lab/dct8x8/dct8x8.hpp"
#include "bench/lab/h264_idct/h264_idct.hpp"
#include "bench/lab/h264_tq/h264_tq.hpp"
#include "codec/util/status.hpp"

namespace ctv::lab {

// ---- What an experiment yields: tables in the shape of a paper, with its figures and ours, and checks that
// all variants of a kernel computed the same.

struct PaperTable {
  struct Row {
    std::string label;
    bool here = false;  // measured in this run; otherwise the paper's figures
    std::vector<std::optional<double>> values;
  };
  std::string id;     // "dct8x8.psnr"
  std::string paper;  // authors, year
  std::string title;  // which table or figure of the paper, what, which unit
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;
  int decimals = 3;
};

struct Check {
  std::string what;
  bool passed = false;
  std::string detail;  // what was found
};

/// How every experiment is run.
struct LabSettings {
  int runs = 5;        // of which the median counts
  int threads = 1;     // of the CPU, where all cores are measured
  bool quick = false;  // the smallest size of each table only
  bool gpu = false;    // false: CPU rows only
  std::string no_gpu;  // why there is none
  /// Told what is measured next; may throw to end the run.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

struct LabReport {
  std::vector<PaperTable> tables;
  std::vector<Check> checks;

  /// With a note where there is no GPU.
  void add(PaperTable table, const LabSettings& settings) {
    if (!settings.gpu) table.notes.push_back("No CUDA figures: " + settings.no_gpu);
    tables.push_back(std::move(table));
  }
  /// Whether a call to the GPU came back; a failure is a check that did not pass.
  bool came_back(const std::string& what, const Status& status) {
    if (!status.ok()) checks.push_back({what, false, status.message()});
    return status.ok();
  }
};

// ---- The experiments

/// Obukhov and Kharlamov 2008, tables 1 and 2, and times, of one picture in up to four sizes; extents must be
/// multiples of 8.
void measure_dct8x8(const LabSettings& settings, std::span<const GrayImage> images, LabReport& report);

/// What a stream's frames are like.
struct IdctMode {
  std::string name;
  std::array<Densities, 2> densities;  // of 1080p and of 2160p
  int paper_mode = -1;                 // 0, 1, 2: stands for the paper's CRF37, CRF22 or Intra
};
/// The paper's three modes: its densities are what its Table 3 has copied, compacted over all, D2H; the same
/// for both block sizes, since it does not tell these apart. And those of this codec's streams at three
/// quantisers (docs/reproduce.md). In all, half of the macroblocks have 8x8 blocks.
std::vector<IdctMode> idct_modes();
/// Wang et al. 2013, tables 3 and 4, figure 4, for 1080p and 2160p.
void measure_h264_idct(const LabSettings& settings, std::span<const IdctMode> modes, LabReport& report);

/// Husemann et al. 2011, tables 1 and 2: frames of 704x576 and 1920x1088.
void measure_h264_tq(const LabSettings& settings, std::span<const YuvFrame> frames, int qp,
                     LabReport& report);

}  // namespace ctv::lab

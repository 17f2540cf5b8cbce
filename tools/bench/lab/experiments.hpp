// SPDX-License-Identifier: BSD-3-Clause
// The experiments of the papers, each measured as in its paper, with the paper's figures.
#pragma once

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

using Values = std::vector<std::optional<double>>;

/// A table in the shape of a paper's, with its figures and ours.
struct PaperTable {
  struct Row {
    std::string label;  // "here, ...": measured in this run; "paper, ...": the paper's figures
    Values values;
  };
  std::string id;     // "dct8x8.psnr"
  std::string paper;  // authors, year
  std::string title;  // which table or figure of the paper, what, which unit
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;
  int decimals = 3;
};

/// Whether variants of a kernel computed the same.
struct Check {
  std::string what;
  bool passed = false;
  std::string detail;  // what was found
};

/// How experiments are run, and what they yield.
struct Lab {
  int runs = 5;        // of which the median counts
  int threads = 1;     // of the CPU, where all cores are measured
  bool quick = false;  // the smallest size of each table only
  bool gpu = false;    // false: CPU rows only
  /// Told what is measured next; may throw to end the run.
  std::function<void(const std::string&)> progress = [](const std::string&) {};

  std::vector<PaperTable> tables;
  std::vector<Check> checks;

  /// Whether a call to the GPU came back; a failure is a check that did not pass.
  bool came_back(const std::string& what, const Status& status) {
    if (!status.ok()) checks.push_back({what, false, status.message()});
    return status.ok();
  }
};

// ---- The experiments

/// Obukhov and Kharlamov 2008, tables 1 and 2, and times, of one picture in up to four sizes; extents must be
/// multiples of 8.
void measure_dct8x8(Lab& lab, std::span<const GrayImage> images);

/// Wang et al. 2013, tables 3 and 4, figure 4, for 1080p and 2160p.
void measure_h264_idct(Lab& lab);

/// Husemann et al. 2011, tables 1 and 2: frames of 704x576 and 1920x1088.
void measure_h264_tq(Lab& lab, std::span<const YuvFrame> frames, int qp);

}  // namespace ctv::lab

// SPDX-License-Identifier: BSD-3-Clause
// What an experiment of the lab yields: tables in the shape of a paper, with the paper's figures and
// ours, and checks that all variants of a kernel computed the same.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codec/util/status.hpp"

namespace ctv::lab {

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

}  // namespace ctv::lab

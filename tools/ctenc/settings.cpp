// SPDX-License-Identifier: BSD-3-Clause
#include "ctenc/settings.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/exit.h"
#include "cli/names.h"
#include "cli/parameters.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

using Edit = std::function<void(ctv_config&)>;

struct Row {
  const char* name;
  std::string values;                             // that it takes, for messages
  std::function<Edit(const std::string&)> parse;  // null: no such value
  std::function<std::string(const ctv_config&)> show;
  const char* help;
};

Row number(const char* name, int32_t ctv_config::*member, int64_t minimum, int64_t maximum,
           const char* help) {
  const auto parse = [=](const std::string& s) -> Edit {
    const auto n = parse_integer(s, minimum, maximum);
    if (!n) return nullptr;
    return [=](ctv_config& c) { c.*member = static_cast<int32_t>(*n); };
  };
  const std::string range =
      text("%lld to %lld", static_cast<long long>(minimum), static_cast<long long>(maximum));
  return {name, range, parse, [=](const ctv_config& c) { return std::to_string(c.*member); }, help};
}

/// A stream parameter, whose range the library tells.
Row parameter(const char* name, int32_t ctv_config::*member, const char* help) {
  const ctv_parameter_info info = parameter_named(name);
  return number(name, member, info.minimum, info.maximum, help);
}

template <class Table, class E>
Row named(const char* name, E ctv_config::*member, const Table& table, const char* help) {
  std::string names;
  for (const auto& row : table) names += (names.empty() ? "" : ", ") + std::string(row.name);
  const auto parse = [=, &table](const std::string& s) -> Edit {
    for (const auto& row : table)
      if (s == row.name) return [=](ctv_config& c) { c.*member = row.value; };
    return nullptr;
  };
  const auto show = [=, &table](const ctv_config& c) { return std::string(name_of(table, c.*member)); };
  return {name, names, parse, show, help};
}

Row directions() {
  const auto parse = [](const std::string& s) -> Edit {
    const auto list = parse_list(s);
    if (!list || list->size() > CTV_MAX_SCALES) return nullptr;
    return [=](ctv_config& c) {
      std::fill(std::begin(c.directions), std::end(c.directions), 0);
      std::copy(list->begin(), list->end(), c.directions);
    };
  };
  const auto show = [](const ctv_config& c) { return directions_of(c.directions, c.scales); };
  return {"directions", "0, 2, 4, 8 or 16, such as 8,4,0", parse, show,
          "Fixed directions per scale, finest first; 0: none"};
}

const std::vector<Row>& rows() {
  using C = ctv_config;
  static const std::vector<Row> table = {
      named("pyramid", &C::pyramid, kPyramids, "Pyramid of the transform"),
      parameter("scales", &C::scales, "Scales of the pyramid"),
      directions(),
      parameter("directional_lifting", &C::directional_lifting,
                "1: luma of key frames is lifted along contours (9/7)"),
      named("entropy_coding", &C::entropy_coding, kEntropyCodings, "How levels become symbols"),
      named("prediction", &C::prediction, kPredictions, "What is predicted: subbands, or the picture"),
      parameter("block_size", &C::block_size, "Motion blocks: 8, 16 or 32 luma samples"),
      number("search_range", &C::search_range, 0, 64,
             "Range of the full search; above 2 vectors of split take more passes"),
      number("far_range", &C::far_range, 0, 60, "Range of the search at a quarter of the resolution"),
      parameter("subpel", &C::subpel, "Vectors in 1 / 2^subpel samples"),
      parameter("overlap", &C::overlap, "1: overlapped block motion compensation"),
      parameter("loop_filter", &C::loop_filter, "1: decoded pictures are filtered where this helps"),
      number("split", &C::split, 0, 1, "1: vectors of cells of 8x8 where it pays"),
      number("error_resilient", &C::error_resilient, 0, 1,
             "1: what is lost of a predicted frame costs an area of it"),
      number("rdoq", &C::rdoq, 0, 1, "1: the quantiser weighs bits against error"),
      number("chroma_qp_offset", &C::chroma_qp_offset, -12, 12, "Chroma's qp minus luma's"),
  };
  return table;
}

const Row* find(const std::string& name) {
  const auto at = std::ranges::find(rows(), name, &Row::name);
  return at == rows().end() ? nullptr : &*at;
}

}  // namespace

bool is_setting(const std::string& name) { return find(name) != nullptr; }

std::string option_of(const std::string& field) {
  if (is_setting(field)) return "--set " + field;
  for (const auto& [name, option] : {std::pair{"key_interval", "--keyint"},
                                     {"max_frame_bytes", "--max-frame"},
                                     {"buffer_ms", "--buffer"},
                                     {"frames_in_flight", "--in-flight"},
                                     {"scene_cut", "--scenecut"}})
    if (field == name) return option;
  std::string option = "--" + field;
  std::ranges::replace(option, '_', '-');
  return option;
}

Setting parse_setting(const std::string& words) {
  const size_t equals = words.find('=');
  const std::string name = words.substr(0, equals);
  const Row* const row = find(name);
  if (row == nullptr)
    throw Failure(Exit::kUsage, "--set: there is no '" + name + "'", "see ctenc --set help");
  if (equals == std::string::npos)
    throw Failure(Exit::kUsage, "--set " + name + ": '=' and a value are missing", row->values);
  const std::string value = words.substr(equals + 1);
  const Edit edit = row->parse(value);
  if (!edit) throw Failure(Exit::kUsage, "--set " + name + ": '" + value + "' is out of range", row->values);
  return {name, edit};
}

std::string list_settings() {
  const Config preset;
  std::string out;
  for (const Row& row : rows())
    out += text("%-20s %s [%s; default: %s]\n", row.name, row.help, row.values.c_str(),
                row.show(preset).c_str());
  return out;
}

}  // namespace ctv::tools

// SPDX-License-Identifier: BSD-3-Clause
// Every verb writes what tools/bench/schema.json says, and so did those of the recorded documents.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bench/papers.h"
#include "bench/pictures.h"
#include "bench/runner.h"
#include "bench/verbs.h"

namespace ctv::tools {
namespace {

Json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  return Json::parse(in);
}

const Json& schema() {
  static const Json all = read_json(std::string(CTV_SOURCE_DIR) + "/tools/bench/schema.json");
  return all;
}

bool is_of_type(const std::string& type, const Json& value) {
  return (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
         (type == "integer" && value.is_number_integer()) || (type == "boolean" && value.is_boolean());
}

/// "" or what is wrong.
std::string violation(const Json& shape, const Json& value, const std::string& at) {
  if (shape.is_string()) {
    std::string type = shape;
    if (type.ends_with('?')) {
      if (value.is_null()) return "";
      type.pop_back();
    }
    if (type[0] == '@') return violation(schema()["names"][type.substr(1)], value, at);
    return is_of_type(type, value) ? "" : at + " is no " + type;
  }
  if (value.is_array() != shape.is_array() || value.is_object() != shape.is_object())
    return at + " is of another kind";
  std::string wrong;
  for (size_t i = 0; shape.is_array() && i < value.size() && wrong.empty(); ++i)
    wrong = violation(shape[0], value[i], at + "[]");
  if (!shape.is_object()) return wrong;
  for (const auto& [name, member] : value.items()) {
    const std::string key = shape.contains(name) ? name : name + "?";
    if (!shape.contains(key)) return at + "." + name + " is not in the schema";
    if (wrong.empty()) wrong = violation(shape[key], member, at + "." + name);
  }
  for (const auto& [name, member] : shape.items())
    if (!name.ends_with('?') && !value.contains(name)) return at + " has no " + name;
  return wrong;
}

void expect_valid(const Json& document) {
  const std::string kind = document["kind"];
  Json shape = schema()["names"]["common"];
  shape.update(schema()[kind]);
  EXPECT_EQ(violation(shape, document, kind), "");
}

/// What a verb writes; valid.
Json document_of(Exit (*run)(int, const char* const*), std::vector<std::string> words) {
  const std::string file = testing::TempDir() + "ctbench_" + words[0] + ".json";
  words.insert(words.end(), {"--quiet", "--json", file});
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  EXPECT_EQ(run(static_cast<int>(argv.size()), argv.data()), Exit::kOk);
  const Json document = read_json(file);
  std::filesystem::remove(file);
  expect_valid(document);
  EXPECT_TRUE(document["complete"].get<bool>());
  return document;
}

TEST(Documents, Recorded) {
  size_t seen = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(std::string(CTV_SOURCE_DIR) + "/docs/measured"))
    if (file.path().extension() == ".json") expect_valid(read_json(file.path())), ++seen;
  EXPECT_GT(seen, 10U);
}

TEST(Documents, OfOneClip) {
  const std::vector<std::string> common = {"--size", "64x48", "--frames",  "2",
                                           "--runs", "1",     "--backend", "cpu"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, common.begin(), common.end());
    return words;
  };
  const Json scale = document_of(&run_scale, with({"scale"}));
  EXPECT_EQ(scale["series"].size(), 5U);
  EXPECT_EQ(scale["series"][1]["cases"][3]["label"], "1920x1080");
  EXPECT_EQ(document_of(&run_latency,
                        with({"latency", "--fps", "100", "--seconds", "0.1"}))["results"][0]["frames"],
            10);
  EXPECT_EQ(document_of(&run_streams, with({"streams", "--most", "2"}))["results"][1]["streams"], 2);
  const Json peers = document_of(&run_peers, with({"peers", "--peers", "none"}));
  EXPECT_EQ(peers["results"][0]["codec"], "default");
  for (const Json& row : peers["results"])  // 16 in flight would need more frames than the clip has
    EXPECT_EQ(row["how"].get<std::string>().find("16 in flight"), std::string::npos);
  EXPECT_NE(peers["left_out"].dump().find("16 frames in flight"), std::string::npos);
  const Json pictures = document_of(&run_pictures, with({"pictures", "--peers", "none"}));
  EXPECT_EQ(pictures["results"][2]["codec"], "paper");
  const Json rd = document_of(&run_rd, {"rd", "generate:64x48@25:2", "--peers", "none", "--qp", "20,30,40",
                                        "--ours", "paper", "--ours", "default", "--anchor", "default"});
  EXPECT_EQ(rd["clips"][0]["codecs"][1]["points"].size(), 3U);
}

TEST(Documents, PapersTablesHaveTheirFiguresAndOurs) {
  const Json j = document_of(&run_papers, {"papers", "--quick", "--runs", "1", "--threads", "2"});
  EXPECT_EQ(j["tables"].size(), 8U);
  EXPECT_GE(j["checks"].size(), 25U);
  // Table 1 of Obukhov and Kharlamov, 3 of Wang et al., 1 of Husemann et al.
  for (const char* figure : {"32.777092", "12.820", "40.990"})
    EXPECT_NE(j["tables"].dump().find(figure), std::string::npos) << figure;
  EXPECT_EQ(j["tables"].dump().find("here, CUDA") == std::string::npos, j["gpu"] == "");
  const Json one = document_of(&run_papers, {"papers", "--quick", "--runs", "1", "--only", "h264_tq"});
  ASSERT_EQ(one["tables"].size(), 1U);
  EXPECT_EQ(one["tables"][0]["id"], "h264_tq.704x576");
}

TEST(Papers, ModesAreNamesAndShares) {
  const lab::IdctMode mode = parse_mode("low:0.25,0,1");
  EXPECT_EQ(mode.name, "low");
  EXPECT_EQ(mode.densities[1].blocks4, 0.25);
  EXPECT_EQ(mode.densities[1].macroblocks8, 1);
  for (const char* bad :
       {"", "low", "low:", ":0,0,0", "low:0,0", "low:0,0,0,0", "low:0,0,1.5", "low:0,-1,0", "low:a,0,0"})
    EXPECT_THROW(parse_mode(bad), Failure) << bad;
}

TEST(Speedup, MeasuresAndCompares) {
  const Json j = document_of(&run_speedup, {"speedup", "--sizes", "64x48", "--frames", "3", "--runs", "2"});
  EXPECT_TRUE(j["differences"].empty());
  EXPECT_EQ(j["results"][0]["encode"]["runs"].size(), 2u);
  EXPECT_EQ(j["results"][0]["decode"]["runs"].size(), 2u);
  EXPECT_FALSE(j["results"][0]["encode"]["stages"].empty());
}

TEST(Runners, EnginesAreToldApartOnlyWhereTheTransformConvolves) {
  const auto told = [](const char* preset) {
    ctv_config config = Config(preset);
    config.width = config.height = 64;
    const Runners runners = available_runners(config);
    return runners.list.size() + runners.missing.size();
  };
  EXPECT_GT(told("paper"), told("default"));
}

TEST(Pictures, Base64) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({'f'}), "Zg==");
  EXPECT_EQ(base64({'f', 'o'}), "Zm8=");
  EXPECT_EQ(base64({'f', 'o', 'o'}), "Zm9v");
  EXPECT_EQ(base64({0xff, 0xfe, 0xfd, 0x00}), "//79AA==");
}

TEST(Pictures, TheMiddleIsTheMiddle) {
  Frame rgb;
  rgb.reset({CTV_FORMAT_RGB8, 5, 3, 25, 1});
  for (size_t i = 0; i < rgb.bytes().size(); ++i) rgb.bytes()[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(middle_of(rgb, 1, 1).bytes(), (Samples{21, 22, 23}));
  EXPECT_EQ(middle_of(rgb, 99, 99).bytes(), rgb.bytes());
}

}  // namespace
}  // namespace ctv::tools

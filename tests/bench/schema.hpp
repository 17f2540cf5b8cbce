// SPDX-License-Identifier: BSD-3-Clause
// Documents after their schemas.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "bench/machine.h"

namespace ctv::tools {

/// The part of JSON Schema that ours use. "" or what is wrong.
inline std::string violation(const Json& schema, const Json& value, const std::string& at) {
  if (schema.contains("const") && schema["const"] != value) return at + " is not " + schema["const"].dump();
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return at + " is none of " + schema["enum"].dump();
  if (schema.contains("type")) {
    const auto is = [&](const std::string& type) {
      return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
             (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
             (type == "integer" && value.is_number_integer()) || (type == "boolean" && value.is_boolean()) ||
             (type == "null" && value.is_null());
    };
    const Json& type = schema["type"];
    const bool right = type.is_array() ? std::any_of(type.begin(), type.end(), is) : is(type);
    if (!right) return at + " is not of type " + type.dump();
  }
  if (value.is_object() && schema.contains("required"))
    for (const Json& name : schema["required"])
      if (!value.contains(name.get<std::string>())) return at + " has no " + name.dump();
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, member] : value.items()) {
      if (!schema["properties"].contains(name)) return at + "." + name + " is not in the schema";
      const std::string inner = violation(schema["properties"][name], member, at + "." + name);
      if (!inner.empty()) return inner;
    }
  }
  if (value.is_array() && schema.contains("items"))
    for (const Json& item : value) {
      const std::string inner = violation(schema["items"], item, at + "[]");
      if (!inner.empty()) return inner;
    }
  return "";
}

/// A document after the schema of its kind.
inline void expect_valid(const Json& document) {
  const std::string kind = document["kind"];
  std::ifstream in(std::string(CTV_BENCH_SCHEMAS) + "/" + kind + ".schema.json");
  ASSERT_TRUE(in) << kind;
  EXPECT_EQ(violation(Json::parse(in), Json::parse(dump(document)), kind), "");
}

}  // namespace ctv::tools

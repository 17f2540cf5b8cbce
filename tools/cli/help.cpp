// SPDX-License-Identifier: BSD-3-Clause
// --help: options in their sections, names on the left, words wrapped on the right.
#include <sstream>

#include "cli/options.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

constexpr size_t kWidth = 98;
constexpr size_t kIndent = 30;

/// Wraps `words` at spaces and indents every line except the first.
std::string wrapped(const std::string& words, size_t indent) {
  std::string out, word;
  size_t column = indent;
  std::istringstream in(words);
  while (in >> word) {
    if (column > indent && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    out += word;
    column += word.size();
  }
  return out + "\n";
}

}  // namespace

std::string help_text(const ToolText& tool, const std::vector<OptionText>& options) {
  std::string out = tool.name + ": " + tool.summary + "\n\nUsage: " + tool.name;
  for (const OptionText& o : options)
    if (o.positional) out += " " + o.names;
  if (!tool.operands.empty()) out += " " + tool.operands;
  out += " [OPTIONS]\n\n" + wrapped(tool.description, 0);
  std::string section;
  for (const OptionText& o : options) {
    if (o.positional) continue;
    if (o.section != section) out += "\n" + o.section + ":\n";
    section = o.section;
    std::string left = "  ";
    for (const std::string& name : split(o.names, ',')) left += (left.size() > 2 ? ", " : "") + name;
    if (!o.metavar.empty()) left += " " + o.metavar;
    if (left.size() + 2 > kIndent) {
      out += left + "\n" + std::string(kIndent, ' ');
    } else {
      out += left + std::string(kIndent - left.size(), ' ');
    }
    out += wrapped(described(o), kIndent);
  }
  out += "\nExit codes: 0 ok, 1 usage, 2 input or output, 3 damaged stream, 4 limit, 5 device, 70 defect\n";
  if (!tool.examples.empty()) out += "\nExamples:\n";
  for (const auto& [command, what] : tool.examples) out += "  " + command + "\n      " + what + "\n";
  return out;
}

}  // namespace ctv::tools

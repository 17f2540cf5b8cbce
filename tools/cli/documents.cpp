// SPDX-License-Identifier: BSD-3-Clause
// Documents generated from a tool's options: man page and shell completions. They cannot get out of date when
// an option is added.
#include <algorithm>
#include <map>

#include "cli/options.h"
#include "cli/text.h"

namespace ctv::tools {
namespace {

/// roff: a backslash, a leading point or quote, and a hyphen that must stay a hyphen.
std::string roff(const std::string& s) {
  std::string out;
  for (const char c : s) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string s) {
  for (char& c : s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return s;
}

/// Inside single quotes of a shell.
std::string shell_quoted(const std::string& s) {
  std::string out;
  for (const char c : s) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

/// zsh's _arguments: brackets and colons are its own.
std::string zsh_text(const std::string& s) {
  std::string out;
  for (const char c : s) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return shell_quoted(out);
}

std::string joined(const std::vector<std::string>& list, const char* between) {
  std::string out;
  for (const std::string& s : list) out += (out.empty() ? "" : between) + s;
  return out;
}

/// The shell function that completes a tool, or a verb: "_ctbench_rd".
std::string function_of(const ToolText& tool) {
  std::string name = "_" + tool.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

bool is_verb(const ToolText& tool) { return tool.name.find(' ') != std::string::npos; }

std::string bash(const ToolText& tool, const std::vector<OptionText>& options) {
  std::string words, cases;
  for (const OptionText& o : options) {
    if (o.positional) continue;
    const std::vector<std::string> names = split(o.names, ',');
    words += (words.empty() ? "" : " ") + joined(names, " ");
    if (o.metavar.empty()) continue;
    cases += "    " + joined(names, "|") + ")\n";
    if (o.kind == ValueKind::kChoice)
      cases += "      COMPREPLY=($(compgen -W '" + joined(o.choices, " ") + "' -- \"$cur\"))\n";
    else if (o.kind == ValueKind::kFile)
      cases += "      mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n";
    cases += "      return ;;\n";
  }
  std::string verbs;
  if (!tool.verbs.empty())
    verbs = "  if [ \"$COMP_CWORD\" -gt 1 ]; then\n    ! declare -F \"_" + tool.name +
            "_${COMP_WORDS[1]}\" >/dev/null || \"_" + tool.name +
            "_${COMP_WORDS[1]}\"\n    return\n"
            "  elif [[ $cur != -* ]]; then\n    COMPREPLY=($(compgen -W '" +
            joined(tool.verbs, " ") + "' -- \"$cur\"))\n    return\n  fi\n";
  return "# bash completion for " + tool.name + "\n" + function_of(tool) +
         "() {\n"
         "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  COMPREPLY=()\n" +
         verbs + "  case \"$prev\" in\n" + cases +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         words +
         "' -- \"$cur\"))\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "  fi\n"
         "}\n" +
         (is_verb(tool) ? "" : "complete -o filenames -F _" + tool.name + " " + tool.name + "\n");
}

std::string zsh(const ToolText& tool, const std::vector<OptionText>& options) {
  std::string out = is_verb(tool) || !tool.verbs.empty() ? "" : "#compdef " + tool.name + "\n";
  if (is_verb(tool)) out += function_of(tool) + "() {\n";
  if (!tool.verbs.empty())
    out +=
        "if (( CURRENT > 2 )); then\n  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  (( "
        "$+functions[_" +
        tool.name + "_$verb] )) && _" + tool.name + "_$verb\n  return\nfi\n";
  out += "_arguments -s";
  for (const OptionText& o : options) {
    if (o.positional) {
      const std::string values = tool.verbs.empty() ? "_files" : "(" + joined(tool.verbs, " ") + ")";
      out += " \\\n  '*:" + zsh_text(o.help) + ":" + values + "'";
      continue;
    }
    for (const std::string& name : split(o.names, ',')) {
      out += " \\\n  '" + name + (!o.metavar.empty() && name.starts_with("--") ? "=" : "") + "[" +
             zsh_text(o.help) + "]";
      if (o.kind == ValueKind::kChoice) {
        out += ":value:(" + joined(o.choices, " ") + ")";
      } else if (o.kind == ValueKind::kFile) {
        out += ":file:_files";
      } else if (!o.metavar.empty()) {
        out += ":" + zsh_text(o.metavar) + ":";
      }
      out += "'";
    }
  }
  if (!tool.operands.empty()) out += " \\\n  '*:file:_files'";
  return out + "\n" + (is_verb(tool) ? "}\n" : "");
}

std::string fish(const ToolText& tool, const std::vector<OptionText>& options) {
  const size_t blank = tool.name.find(' ');
  std::string out, condition;
  if (is_verb(tool)) condition = " -n '__fish_seen_subcommand_from " + tool.name.substr(blank + 1) + "'";
  if (!tool.verbs.empty()) {
    condition = " -n __fish_use_subcommand";
    out += "complete -c " + tool.name + condition + " -f -a '" + joined(tool.verbs, " ") + "'\n";
  }
  for (const OptionText& o : options) {
    if (o.positional) continue;
    out += "complete -c " + tool.name.substr(0, blank) + condition;
    for (const std::string& name : split(o.names, ','))
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (o.kind == ValueKind::kChoice) {
      out += " -x -a '" + joined(o.choices, " ") + "'";
    } else if (o.kind == ValueKind::kFile) {
      out += " -r -F";
    } else if (!o.metavar.empty()) {
      out += " -x";
    }
    out += " -d '" + shell_quoted(o.help) + "'\n";
  }
  return out;
}

}  // namespace

std::string man_page(const ToolText& tool, const std::vector<OptionText>& options) {
  std::string page = tool.name;  // "ctbench rd" is ctbench-rd
  std::replace(page.begin(), page.end(), ' ', '-');
  std::string out = ".TH " + upper(page) + " 1 \"\" \"ctv " + ctv_version() + "\" \"User Commands\"\n";
  out += ".SH NAME\n" + roff(page) + " \\- " + roff(tool.summary) + "\n.SH SYNOPSIS\n.B " + roff(tool.name) +
         "\n";
  for (const OptionText& o : options)
    if (o.positional) out += "\\fI" + roff(o.names) + "\\fR\n";
  if (!tool.operands.empty()) out += "\\fI" + roff(tool.operands) + "\\fR\n";
  out += "[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" + roff(tool.description) + "\n.SH OPTIONS\n";
  // Sections in the order of their first option.
  std::vector<std::string> sections;
  std::map<std::string, std::string> bodies;
  for (const OptionText& o : options) {
    if (o.positional) continue;
    if (bodies.find(o.section) == bodies.end()) sections.push_back(o.section);
    std::string head;
    for (const std::string& name : split(o.names, ','))
      head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
    if (!o.metavar.empty()) head += " \\fI" + roff(o.metavar) + "\\fR";
    bodies[o.section] += ".TP\n" + head + "\n" + roff(described(o)) + "\n";
  }
  for (const std::string& section : sections) out += ".SS " + roff(section) + "\n" + bodies[section];
  out +=
      ".SH EXIT STATUS\n0 all is well; 1 wrong usage; 2 input or output failed; 3 damaged stream; 4 a limit "
      "would be\n"
      "exceeded; 5 device error; 70 a defect of ctv.\n";
  if (!tool.examples.empty()) out += ".SH EXAMPLES\n";
  for (const auto& [command, what] : tool.examples)
    out += ".TP\n\\fB" + roff(command) + "\\fR\n" + roff(what) + "\n";
  out +=
      ".SH FILES\n.TP\n\\&.ctv\\-*.part\nBeside an output while it is written; a tool that was killed leaves "
      "it.\n";
  out += ".SH SEE ALSO\n";
  std::string also;
  for (const char* other : {"ctenc", "ctdec", "ctinfo", "ctcat", "ctgen", "ctcall", "ctbench"})
    if (tool.name != other) also += (also.empty() ? "" : ",\n") + (".BR " + std::string(other) + " (1)");
  out += also + "\n";
  return out;
}

std::string completion(const std::string& shell, const ToolText& tool,
                       const std::vector<OptionText>& options) {
  if (shell == "bash") return bash(tool, options);
  if (shell == "zsh") return zsh(tool, options);
  if (shell == "fish") return fish(tool, options);
  throw Failure(Exit::kUsage, "--completion: '" + shell + "' is not known", "bash, zsh, fish");
}

}  // namespace ctv::tools

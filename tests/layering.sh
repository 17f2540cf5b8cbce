#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks what a compiler does not: which folder may include which, one licence line per source, file
# sizes, clean text, and that every path which a document names exists. Prints each violation; exit status 1 if any.
#   usage: layering.sh ROOT
set -euo pipefail
cd "${1:?usage: layering.sh ROOT}"

violations=0
complain() {
  echo "$1"
  violations=$((violations + 1))
}

# Tracked files and new ones that git does not ignore; without git everything but build folders.
files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard
  else
    find . -type f -not -path './build*' -not -path './out*' -not -path './.*/*' | sed 's|^\./||'
  fi | sort | while IFS= read -r f; do if [ -f "$f" ]; then echo "$f"; fi; done
}
files=$(files)
matching() { grep -E "$1" <<<"$files" || true; }

# ---- Include rules. Folder, and the folders it may include (its own always; ctv/ctv.h everywhere). ----
declare -A allowed=(
  [codec/include]=""
  [codec/util]="codec/include"
  [codec/dsp]="codec/util"
  [codec/entropy/model]="codec/util"
  [codec/format]="codec/util codec/dsp codec/entropy/model"
  [codec/control]="codec/util codec/dsp codec/format"
  [codec/backend]="codec/util codec/dsp codec/entropy/model codec/format"
  [codec/entropy]="codec/util codec/dsp codec/entropy/model codec/format"
  [codec/config]="codec/util codec/dsp codec/format codec/control codec/backend"
  [codec/pipeline]="codec/util codec/dsp codec/entropy/model codec/entropy codec/format codec/control codec/backend codec/config codec/backends.hpp"
  [codec/api]="codec"
  [codec/backends.hpp]="codec/backend"
  [codec/backends.cpp]="codec/backends.hpp cpu cuda"
  [cpu]="codec/util codec/dsp codec/entropy/model codec/format codec/control codec/backend"
  [cuda]="codec/util codec/dsp codec/entropy/model codec/format codec/control codec/backend"
  [tools]="codec/include"
  [tests]="codec cpu cuda"
)
# Walls that are crossed on purpose: file pattern, target pattern (awk regular expressions).
exceptions='
^tools/(bench/lab|dev)/ ^(codec|cpu|cuda)/
^tools/bench/lab/ ^tests/reference/
^tests/(tools|bench|fuzz)/ ^tools/
'
sources_with_includes=$(matching '\.(c|h|cpp|hpp|cu|cuh|inc)$')
rules=$(for room in "${!allowed[@]}"; do echo "$room ${allowed[$room]}"; done)
while IFS= read -r hit; do
  [ -n "$hit" ] && complain "$hit"
done < <(
  xargs -r -d '\n' grep -nHE '^[[:space:]]*#[[:space:]]*include' <<<"$sources_with_includes" |
    RULES="$rules" EXCEPTIONS="$exceptions" awk -F: '
      function room_of(path,   parts) {
        if (path ~ /^codec\/entropy\/model\//) return "codec/entropy/model"
        split(path, parts, "/")
        return parts[1] == "codec" ? parts[1] "/" parts[2] : parts[1]
      }
      BEGIN {
        n = split(ENVIRON["RULES"], lines, "\n")
        for (i = 1; i <= n; ++i) {
          m = split(lines[i], words, " ")
          for (j = 2; j <= m; ++j) may[words[1] "|" words[j]] = 1
        }
        exceptions = split(ENVIRON["EXCEPTIONS"], lines, "\n")
        for (i = 1; i <= exceptions; ++i) {
          split(lines[i], words, " ")
          from[i] = words[1]
          to[i] = words[2]
        }
      }
      {
        target = $0
        if (!match(target, /["<][^">]+[">]/)) next
        target = substr(target, RSTART + 1, RLENGTH - 2)
        if (target ~ /^ctv\//) next
        if (target !~ /^(codec|cpu|cuda|tools|tests)\//) next  # the system, or a neighbour in the same folder
        room = room_of($1)
        goal = room_of(target)
        if (room == goal || goal == "codec/include") next
        if (may[room "|" goal] || (may[room "|codec"] && goal ~ /^codec\//)) next
        for (i = 1; i <= exceptions; ++i) if (from[i] != "" && $1 ~ from[i] && target ~ to[i]) next
        print $1 ":" $2 ": " room " must not include " target
      }' || true
)

# ---- One licence line in the first three lines of every source. ----
sources=$(matching '(\.(c|h|cpp|hpp|cu|cuh|inc|sh|cmake)|CMakeLists\.txt|\.ci/run|\.py)$')
while IFS= read -r file; do
  [ -n "$file" ] && complain "$file: no SPDX line at the top"
done < <(xargs -r -d '\n' awk '
  FNR == 1 { if (file != "" && !found) print file; file = FILENAME; found = 0 }
  FNR <= 3 && /SPDX-License-Identifier: BSD-3-Clause/ { found = 1 }
  END { if (file != "" && !found) print file }' <<<"$sources")

# ---- No class of the library bears a name of ctv.hpp: a program that links both would get one of the two. ----
if [ -f codec/include/ctv/ctv.hpp ]; then
  names=$(sed -nE 's/^(class|struct) ([A-Za-z0-9_]+).*/\2/p' codec/include/ctv/ctv.hpp | paste -sd '|' -)
  while IFS= read -r hit; do
    [ -n "$hit" ] && complain "$hit: codec/include/ctv/ctv.hpp has a class of this name"
  done < <(matching '^(codec/[^i]|cpu/|cuda/).*\.(hpp|cpp|cu|cuh)$' |
    xargs -r -d '\n' grep -nHE "^(class|struct) ($names)( |;|\$)" | cut -d: -f1,2,3 || true)
fi

# ---- The top level holds known folders and files only. ----
while IFS= read -r file; do
  [ -n "$file" ] && complain "$file: does not belong on the top level"
done < <(sed 's|/.*||' <<<"$files" | sort -u |
  grep -vxE '\..*|CMakeLists\.txt|CMakePresets\.json|LICENSE|README\.md|codec|cuda|cpu|tools|tests|data|docs' || true)

# ---- No source longer than 400 lines (except the public header). ----
while read -r lines file; do
  [ -n "${file-}" ] && [ "$file" != total ] || continue
  case "$file" in codec/include/ctv/ctv.h) continue ;; esac
  [ "$lines" -le 400 ] || complain "$file: $lines lines, at most 400"
done < <(xargs -r -d '\n' wc -l <<<"$sources")

# ---- Clean text: newline at the end, no tabs, no blanks at line ends. ----
text=$(matching '(\.(c|h|cpp|hpp|cu|cuh|inc|sh|cmake|md|txt|json|in|yml|py|svg)|\.ci/run|\.clang-format|\.clang-tidy|\.gitignore|LICENSE)$')
while IFS= read -r file; do
  [ -n "$file" ] && [ -s "$file" ] || continue
  case "$(tail -c 2 "$file" | od -An -tx1)" in
    *' 0a 0a') complain "$file: blank line at the end" ;;
    *' 0a') ;;
    *) complain "$file: no newline at the end" ;;
  esac
done <<<"$text"
while IFS= read -r hit; do
  [ -n "$hit" ] && complain "$hit: tab, carriage return or blank at a line's end"
done < <(xargs -r -d '\n' grep -nHE "$(printf '\t|\r| $')" <<<"$text" | cut -d: -f1,2 || true)

# ---- Words that the glossary replaces (its last table says by what). ----
while IFS= read -r hit; do
  [ -n "$hit" ] && complain "$hit: a word that docs/glossary.md replaces"
done < <(grep -vE '^(docs/(glossary|CHANGELOG)\.md|tests/layering.*\.sh)$' <<<"$text" |
  xargs -r -d '\n' grep -noHwiE 'lent|takeover|whoever' || true)

# ---- Every path that a document names exists. A path is a word between ` ` or ( ) that begins with a folder's name. ----
while IFS= read -r document; do
  [ -n "$document" ] || continue
  while IFS= read -r path; do
    path=${path%%#*}
    path=${path%/}
    case "$path" in
      '' | *'*'* | *'{'* | *'<'* | *'$'*) continue ;;
    esac
    [ -e "$path" ] || [ -e "$(dirname "$document")/$path" ] || complain "$document: names $path, which does not exist"
  done < <(
    {
      grep -oE '`[^` ]+`' "$document" | tr -d '`' |
        grep -E '^(\./)?(codec|cpu|cuda|tools|tests|data|docs|\.ci)/[A-Za-z0-9_./-]*$' || true
      grep -oE '\]\([^) ]+\)' "$document" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^(https?:|#|mailto:)' || true
      grep -oE '(^|[^A-Za-z0-9_/.-])tools/dev/[a-z0-9_]+\.sh' "$document" | grep -oE 'tools/dev/[a-z0-9_]+\.sh' || true
    } | sort -u
  )
done <<<"$(matching '(^README\.md|^docs/.*\.md|^data/.*\.md|^tests/.*\.md)$')"

# ---- The README's program is the one that is tested. ----
if [ -f README.md ] && [ -f tests/api/hpp_test.cpp ]; then
  shown=$(sed -n '/^```cpp$/,/^```$/p' README.md | sed '1d;$d; s#//.*##' | tr -d ' \n')
  tested=$(sed -n '/README: begin/,/README: end/p' tests/api/hpp_test.cpp | sed '1d;$d; s#//.*##' | tr -d ' \n')
  [ "$shown" = "$tested" ] || complain "README.md: its program differs from the one in tests/api/hpp_test.cpp"
fi

if [ "$violations" -ne 0 ]; then
  echo "$violations violations of the repository's rules"
  exit 1
fi
echo "repository rules hold for $(grep -c . <<<"$files") files"

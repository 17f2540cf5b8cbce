#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the rules of the house that a compiler does not: who may include whom, one licence line per source, file
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
  [codec/base]="codec/include"
  [codec/math]="codec/base"
  [codec/subband]="codec/base codec/math codec/transform"
  [codec/transform]="codec/base codec/math codec/subband"
  [codec/frame]="codec/base codec/math codec/subband codec/transform"
  [codec/entropy]="codec/base codec/math codec/subband codec/transform codec/frame codec/bitstream"
  [codec/bitstream]="codec/base codec/math codec/subband codec/transform codec/frame"
  [codec/backend]="codec/base codec/math codec/subband codec/transform codec/frame"
  [codec/pipeline]="codec"
  [cpu]="codec/base codec/math codec/subband codec/transform codec/frame codec/backend"
  [cuda]="codec/base codec/math codec/subband codec/transform codec/frame codec/backend"
  [tools]="codec/include"
  [tests]="codec cpu cuda"
)
# The one file that names both backends, and what else crosses a wall on purpose.
exception() {
  case "$1>$2" in
    codec/backend/available.cpp\>cpu/* | codec/backend/available.cpp\>cuda/*) return 0 ;;
    tools/lab/*\>codec/* | tools/lab/*\>cpu/* | tools/lab/*\>cuda/*) return 0 ;; # kernel ladders look inside
    tools/dev/*\>codec/* | tools/dev/*\>cpu/*) return 0 ;;                       # instruments of the developers
    tests/tools/*\>tools/* | tests/fuzz/*\>tools/*) return 0 ;;
  esac
  return 1
}
room_of() {
  case "$1" in
    codec/*/*) cut -d/ -f1-2 <<<"$1" ;;
    *) cut -d/ -f1 <<<"$1" ;;
  esac
}
while IFS=: read -r file line include; do
  [ -n "$file" ] || continue
  target=$(sed -E 's/.*#[[:space:]]*include[[:space:]]*["<]([^">]+)[">].*/\1/' <<<"$include")
  case "$target" in
    ctv/*) target="codec/include/$target" ;;
    codec/* | cpu/* | cuda/* | tools/* | tests/*) ;;
    *) continue ;; # the language's, the system's, or a neighbour in the same folder
  esac
  room=$(room_of "$file")
  goal=$(room_of "$target")
  [ "$room" = "$goal" ] && continue
  [ "$goal" = codec/include ] && continue
  exception "$file" "$target" && continue
  permitted=no
  for a in ${allowed[$room]-}; do
    if [ "$goal" = "$a" ] || { [ "$a" = codec ] && [[ "$goal" = codec/* ]]; }; then permitted=yes; fi
  done
  [ "$permitted" = yes ] || complain "$file:$line: $room must not include $target"
done < <(matching '\.(c|h|cpp|hpp|cu|cuh|inc)$' | xargs -r -d '\n' grep -nHE '^[[:space:]]*#[[:space:]]*include' || true)

# ---- One licence line in the first three lines of every source. ----
sources=$(matching '(\.(c|h|cpp|hpp|cu|cuh|inc|sh|cmake)|CMakeLists\.txt|\.ci/run|\.py)$')
while IFS= read -r file; do
  [ -n "$file" ] || continue
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || complain "$file: no SPDX line at the top"
done <<<"$sources"

# ---- No source longer than 400 lines (the public header is a book to read). ----
while read -r lines file; do
  [ -n "${file-}" ] && [ "$file" != total ] || continue
  case "$file" in codec/include/ctv/ctv.h) continue ;; esac
  [ "$lines" -le 400 ] || complain "$file: $lines lines, at most 400"
done < <(xargs -r -d '\n' wc -l <<<"$sources")

# ---- Clean text: newline at the end, no tabs, no blanks at line ends. ----
text=$(matching '(\.(c|h|cpp|hpp|cu|cuh|inc|sh|cmake|md|txt|json|in|yml|py|svg)|\.ci/run|\.clang-format|\.clang-tidy|\.gitignore|LICENSE)$')
while IFS= read -r file; do
  [ -n "$file" ] && [ -s "$file" ] || continue
  [ -z "$(tail -c 1 "$file")" ] || complain "$file: no newline at the end"
  [ "$(tail -c 2 "$file" | od -An -tx1 | tr -d ' \n')" != 0a0a ] || complain "$file: blank line at the end"
done <<<"$text"
while IFS= read -r hit; do
  [ -n "$hit" ] && complain "$hit: tab, carriage return or blank at a line's end"
done < <(xargs -r -d '\n' grep -nHE "$(printf '\t|\r| $')" <<<"$text" | cut -d: -f1,2 || true)

# ---- Every path that a document names exists. A path is a word between ` ` or ( ) that begins with a room's name. ----
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

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Highway is optional: the CPU backend's sources compile without it. Builds of the tests have it.
#   usage: without_highway.sh SOURCE COMPILER
set -euo pipefail
cd "$1"
find cpu -name '*.cpp' -print0 | sort -z |
  xargs -0 -n 8 -P 2 "$2" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-missing-braces \
    -I. -Icodec/include

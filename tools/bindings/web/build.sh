#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library for browsers and puts it next to the pages, into build/web/site. Needs emscripten 3.1.6 or later.
#   usage: build.sh [ARGS]   ARGS: more arguments for CMake
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
if ! command -v emcmake >/dev/null; then
  echo "build.sh: emscripten is missing; tools/dev/ctv.sh setup web installs what is needed" >&2
  exit 1
fi
emcmake cmake -S tools/bindings/web -B build/web -G Ninja "$@"
cmake --build build/web
echo "The pages are in build/web/site. To see them: python3 -m http.server --directory build/web/site 8000"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the reference of the public headers; each undocumented or wrongly documented name is an error.
#   usage: doxygen.sh ROOT
set -euo pipefail
cd "${1:?usage: doxygen.sh ROOT}"
mkdir -p build
exec doxygen docs/Doxyfile

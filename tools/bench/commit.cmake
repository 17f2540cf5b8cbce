# SPDX-License-Identifier: BSD-3-Clause
# Writes the commit that is being built into a header; run at every build, touches the file only if it changed.
#   cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake
# CTV_COMMIT in the environment names it for a copy of a tree without its history.
execute_process(
  COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT "$ENV{CTV_COMMIT}" STREQUAL "")
  set(commit "$ENV{CTV_COMMIT}")
elseif(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#pragma once\ninline constexpr char kCommit[] = \"${commit}\";\n")

# SPDX-License-Identifier: BSD-3-Clause
# Compresses what Debian wants compressed; CPack runs it once the files of all packages lie in its folder.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*")
list(FILTER files INCLUDE REGEX "/man1/[^/]*\\.1$|/changelog$")
foreach(file IN LISTS files)
  execute_process(COMMAND gzip -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

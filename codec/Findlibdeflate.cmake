# SPDX-License-Identifier: BSD-3-Clause
# libdeflate::libdeflate. Debian 12's libdeflate has no CMake package; installed with a static libctv, which needs it.
find_path(libdeflate_INCLUDE_DIR libdeflate.h)
find_library(libdeflate_LIBRARY deflate)
mark_as_advanced(libdeflate_INCLUDE_DIR libdeflate_LIBRARY)
if(libdeflate_INCLUDE_DIR)
  file(STRINGS "${libdeflate_INCLUDE_DIR}/libdeflate.h" libdeflate_VERSION REGEX "define LIBDEFLATE_VERSION_STRING")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" libdeflate_VERSION "${libdeflate_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  libdeflate REQUIRED_VARS libdeflate_LIBRARY libdeflate_INCLUDE_DIR VERSION_VAR libdeflate_VERSION)
if(libdeflate_FOUND AND NOT TARGET libdeflate::libdeflate)
  add_library(libdeflate::libdeflate UNKNOWN IMPORTED)
  set_target_properties(
    libdeflate::libdeflate PROPERTIES IMPORTED_LOCATION "${libdeflate_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                               "${libdeflate_INCLUDE_DIR}")
endif()

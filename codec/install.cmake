# SPDX-License-Identifier: BSD-3-Clause
# Library, headers, find_package(ctv) and pkg-config. Components: lib, dev, tools, cuda, bench, python, gstreamer.
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ctv")
install(
  TARGETS ctv ctv_net
  EXPORT ctvTargets
  LIBRARY COMPONENT lib NAMELINK_COMPONENT dev
  RUNTIME COMPONENT lib
  ARCHIVE COMPONENT dev)
install(FILES LICENSE THIRD-PARTY.txt DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT lib)
if(BUILD_SHARED_LIBS AND PROJECT_IS_TOP_LEVEL)
  # The static libraries next to the shared ones, for pkg-config --static.
  add_library(ctv_archive STATIC $<TARGET_OBJECTS:ctv_codec> $<TARGET_OBJECTS:ctv_cpu>)
  add_library(ctv_net_archive STATIC $<TARGET_OBJECTS:ctv_net_objects>)
  set_target_properties(ctv_archive PROPERTIES OUTPUT_NAME ctv)
  set_target_properties(ctv_net_archive PROPERTIES OUTPUT_NAME ctv_net)
  install(TARGETS ctv_archive ctv_net_archive ARCHIVE COMPONENT dev)
endif()
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev
        FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.svg PATTERN python EXCLUDE)
install(FILES tests/api/c_example.c tests/api/live_call.c tests/api/live_call.cpp tests/api/net_call.c tests/api/simulcast_call.c
        DESTINATION "${CMAKE_INSTALL_DOCDIR}/examples" COMPONENT dev)
install(DIRECTORY codec/include/ctv DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
install(EXPORT ctvTargets NAMESPACE ctv:: DESTINATION "${package_dir}" COMPONENT dev)

if(BUILD_SHARED_LIBS)
  set(CTV_FIND_DEPENDENCIES "")  # they are the library's own business
else()
  set(CTV_STATIC_LIBS "${CTV_PRIVATE_LIBS}")
  set(CTV_STATIC_CFLAGS " -DCTV_STATIC")
  # A project in C alone has no linker that knows C++'s library.
  set(CTV_FOR_C "get_property(ctv_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT ctv_languages MATCHES CXX)
  set_property(TARGET ctv::ctv ctv::ctv_net APPEND PROPERTY INTERFACE_LINK_LIBRARIES stdc++ m)
endif()
")
endif()
configure_package_config_file(codec/ctvConfig.cmake.in ctvConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(ctvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ctvConfig.cmake" "${PROJECT_BINARY_DIR}/ctvConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT dev)
# The way from ctv.pc to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH CTV_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
set(CTV_PC_LIBDIR "\${prefix}")  # both may be absolute
cmake_path(APPEND CTV_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
set(CTV_PC_INCLUDEDIR "\${prefix}")
cmake_path(APPEND CTV_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(codec/ctv.pc.in ctv.pc @ONLY)
configure_file(codec/transport/ctv_net.pc.in ctv_net.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ctv.pc" "${PROJECT_BINARY_DIR}/ctv_net.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

if(PROJECT_IS_TOP_LEVEL)  # CPack's settings are those of a whole build
  include(codec/packages.cmake)
endif()

# SPDX-License-Identifier: BSD-3-Clause
# Library, headers, find_package(ctv) and pkg-config. Components: lib, dev, tools, cuda, bench.
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ctv")
install(
  TARGETS ctv
  EXPORT ctvTargets
  LIBRARY COMPONENT lib NAMELINK_COMPONENT dev
  ARCHIVE COMPONENT dev)
install(FILES LICENSE THIRD-PARTY.txt DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT lib)
install(DIRECTORY codec/include/ctv DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
install(EXPORT ctvTargets NAMESPACE ctv:: DESTINATION "${package_dir}" COMPONENT dev)

if(BUILD_SHARED_LIBS)
  set(CTV_FIND_DEPENDENCIES "")  # they are the library's own business
else()
  set(CTV_STATIC_LIBS "${CTV_PRIVATE_LIBS}")
  set(CTV_STATIC_CFLAGS " -DCTV_STATIC")
endif()
configure_package_config_file(codec/ctvConfig.cmake.in ctvConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(ctvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ctvConfig.cmake" "${PROJECT_BINARY_DIR}/ctvConfigVersion.cmake"
        DESTINATION "${package_dir}" COMPONENT dev)
# The way from ctv.pc to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH CTV_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
configure_file(codec/ctv.pc.in ctv.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ctv.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# Debian packages: tools/dev/ctv.sh package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The ctv developers")
set(CPACK_PACKAGE_CONTACT "The ctv developers")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_COMPONENTS_ALL lib dev)
set(library_package "libctv${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(same_library "${library_package} (= ${PROJECT_VERSION})")
# Each Debian package has its own file of licences.
file(READ LICENSE copyright)
file(READ THIRD-PARTY.txt third_party)
file(WRITE "${PROJECT_BINARY_DIR}/copyright" "${copyright}\n${third_party}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS LICENSE THIRD-PARTY.txt)
# ctv_package(COMPONENT PACKAGE SECTION DEPENDS)
macro(ctv_package component package section depends)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME "${package}")
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION "${section}")
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    install(FILES "${PROJECT_BINARY_DIR}/copyright" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}"
            COMPONENT ${component})
  endif()
endmacro()
ctv_package(lib "${library_package}" libs "")
ctv_package(dev libctv-dev libdevel "${same_library}")
if(CTV_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  ctv_package(tools ctv-tools video "${same_library}")
endif()
if(CTV_CUDA_ENABLED)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
  ctv_package(cuda libctv-cuda libs "${same_library}")
endif()
if(CTV_BENCH)
  list(APPEND CPACK_COMPONENTS_ALL bench)
  ctv_package(bench ctv-bench video "ctv-tools (= ${PROJECT_VERSION})")
endif()
include(CPack)

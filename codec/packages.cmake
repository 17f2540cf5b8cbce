# SPDX-License-Identifier: BSD-3-Clause
# Debian packages: tools/dev/ctv.sh package. Who builds them is their maintainer, as DEBFULLNAME and DEBEMAIL say.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The ctv developers")
set(CPACK_PACKAGE_CONTACT "The ctv developers <ctv@ctv.invalid>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/codec/package_files.cmake")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL "")
set(library_package "libctv${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(same_library "${library_package} (= ${PROJECT_VERSION})")

# Files of each package besides its contents: licences, a changelog, and what lintian should know. Debian has the Apache
# License elsewhere.
set(debian "${PROJECT_BINARY_DIR}/debian")
file(READ LICENSE copyright)
file(READ THIRD-PARTY.txt third_party)
string(REGEX REPLACE "\n *Apache License\n.*END OF TERMS AND CONDITIONS\n" "
Apache License, version 2.0: /usr/share/common-licenses/Apache-2.0
" third_party "${third_party}")
file(WRITE "${debian}/copyright" "${copyright}\n${third_party}
The GPL is in /usr/share/common-licenses.
")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS LICENSE THIRD-PARTY.txt)
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${debian}/changelog" "ctv (${PROJECT_VERSION}) unstable; urgency=medium

  * Built from the source tree; its CHANGELOG.md says what changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${today}
")
file(WRITE "${debian}/triggers" "activate-noawait ldconfig\n")

# ctv_package(COMPONENT PACKAGE SECTION DEPENDS SUMMARY DESCRIPTION)
macro(ctv_package component package section depends summary description)
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME "${package}")
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION "${section}")
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\nThe ctv codec codes video with contourlets.\n${description}")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    install(FILES "${debian}/copyright" "${debian}/changelog" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}"
            COMPONENT ${component})
  endif()
endmacro()
ctv_package(lib "${library_package}" libs "" "contourlet video codec, libraries"
            "This package holds its library, and that for calls over lossy networks.")
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA "${debian}/triggers")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # CPack always writes these scripts for a library
  file(WRITE "${debian}/${library_package}" "${library_package}: maintscript-calls-ldconfig\n")
  install(FILES "${debian}/${library_package}" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides"
          COMPONENT lib)
endif()
ctv_package(dev libctv-dev libdevel "${same_library}" "contourlet video codec, for developers"
            "This package holds headers, static libraries, documents, examples, and what CMake and pkg-config need.")
if(CTV_TOOLS)
  ctv_package(tools ctv-tools video "${same_library}" "contourlet video codec, programs"
              "This package holds ctenc, ctdec, ctinfo, ctcat, ctgen and ctcall.")
endif()
if(CTV_CUDA_ENABLED)
  ctv_package(cuda libctv-cuda libs "${same_library}" "contourlet video codec on NVIDIA GPUs"
              "This package holds the backend that the library loads where there is a GPU.")
endif()
if(CTV_BENCH)
  ctv_package(bench ctv-bench video "ctv-tools (= ${PROJECT_VERSION})" "contourlet video codec, measurements"
              "This package holds ctbench, which compares speed and quality with other codecs.")
endif()
if(CTV_PYTHON)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")  # the module is built for one version
  ctv_package(python python3-ctv python
              "python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next_python}), python3-numpy, ${same_library}"
              "contourlet video codec for Python" "This package holds the module ctv.")
  # What Python compiles at the first import goes with the package.
  file(WRITE "${debian}/prerm" "#!/bin/sh\nset -e\npy3clean -p python3-ctv\n")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${debian}/prerm")
endif()
if(CTV_GSTREAMER_ENABLED)
  ctv_package(gstreamer gstreamer1.0-ctv libs "${same_library}" "contourlet video codec for GStreamer"
              "This package holds ctvenc, ctvdec, ctvparse, rtpctvpay and rtpctvdepay.")
endif()
include(CPack)

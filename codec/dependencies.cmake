# SPDX-License-Identifier: BSD-3-Clause
# What the library stands on: zlib, for checksums; Highway (SIMD chosen at run time), if it is there. Makes
# ctv_dependencies for our own targets, CTV_LIBRARIES for the product and what a static library asks of its users.
add_library(ctv_dependencies INTERFACE)
set(CTV_LIBRARIES "")
set(CTV_FIND_DEPENDENCIES "")  # lines of ctvConfig.cmake
set(CTV_PRIVATE_LIBS "")       # words of ctv.pc
# ctv_depend(TARGET "PACKAGE ARGS" WORDS): one library, for CMake and for pkg-config.
macro(ctv_depend target package words)
  target_link_libraries(ctv_dependencies INTERFACE ${target})
  list(APPEND CTV_LIBRARIES ${target})
  string(APPEND CTV_FIND_DEPENDENCIES "find_dependency(${package})\n")
  string(APPEND CTV_PRIVATE_LIBS " ${words}")
endmacro()

find_package(ZLIB REQUIRED)
ctv_depend(ZLIB::ZLIB "ZLIB" -lz)

if(NOT CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")  # kernels see vectors of words as bytes, the lowest first
  find_package(hwy 1.0.3 CONFIG QUIET)
endif()
if(hwy_FOUND)
  message(STATUS "ctv: Highway ${hwy_VERSION}, SIMD by ${CTV_SIMD}")
  ctv_depend(hwy::hwy "hwy CONFIG" -lhwy)
  target_compile_definitions(ctv_dependencies INTERFACE CTV_HAVE_HIGHWAY=1)
  if(CTV_SIMD STREQUAL "NATIVE")
    target_compile_options(ctv_dependencies INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-march=native>)
    target_compile_definitions(ctv_dependencies INTERFACE HWY_COMPILE_ONLY_STATIC=1)
  elseif(CTV_SIMD STREQUAL "DISPATCH" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64|i[3-6]86")
    # Bits of Highway's targets: SSSE3 (12) and, which Debian 12's lacks, SSE2 (14) without products of bytes; and all
    # that is newer than the first AVX-512 (0 to 7).
    target_compile_definitions(ctv_dependencies INTERFACE HWY_DISABLED_TARGETS=0x50FF)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    # NEON alone, which every such machine has. Bits 15 to 27: SVE, whose vectors have no size that the compiler knows.
    # The third keeps Highway from target attributes, which gcc does not give to constructors that it makes itself.
    target_compile_definitions(ctv_dependencies INTERFACE HWY_DISABLED_TARGETS=0xFFF8000 HWY_COMPILE_ONLY_STATIC=1
                                                          TOOLCHAIN_MISS_SYS_AUXV_H=1)
  endif()
else()
  message(STATUS "ctv: no Highway, baseline SIMD only (install libhwy-dev for speed)")
endif()

set(THREADS_PREFER_PTHREAD_FLAG OFF)
find_package(Threads REQUIRED)
ctv_depend(Threads::Threads "Threads" -lpthread)
if(CTV_OPENMP_THREADS)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  ctv_depend(OpenMP::OpenMP_CXX "OpenMP COMPONENTS CXX" "${OpenMP_CXX_FLAGS}")
  target_compile_definitions(ctv_dependencies INTERFACE CTV_OPENMP_THREADS=1)
endif()

if(WIN32)
  ctv_depend(synchronization "Threads" -lsynchronization)  # codec/util/wait.cpp
endif()
target_link_libraries(ctv_dependencies INTERFACE ${CMAKE_DL_LIBS})
list(APPEND CTV_LIBRARIES ${CMAKE_DL_LIBS})
foreach(library IN LISTS CMAKE_DL_LIBS)
  string(APPEND CTV_PRIVATE_LIBS " -l${library}")
endforeach()
if(APPLE)
  string(APPEND CTV_PRIVATE_LIBS " -lc++")
else()
  string(APPEND CTV_PRIVATE_LIBS " -lstdc++ -lm")
endif()

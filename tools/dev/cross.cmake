# SPDX-License-Identifier: BSD-3-Clause
# Toolchain file of tools/dev/cross.sh: Debian's compilers for other machines, and qemu-user or wine to run what they
# make. CTV_CROSS is the compiler's prefix, CTV_CROSS_ROOT a folder with unpacked packages of that machine.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CTV_CROSS CTV_CROSS_ROOT)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${CTV_CROSS}")
if(CTV_CROSS MATCHES "mingw32")
  set(CMAKE_SYSTEM_NAME Windows)
  set(CMAKE_C_COMPILER "${CTV_CROSS}-gcc-posix")
  set(CMAKE_CXX_COMPILER "${CTV_CROSS}-g++-posix")
  set(CMAKE_RC_COMPILER "${CTV_CROSS}-windres")
  set(CMAKE_CROSSCOMPILING_EMULATOR wine)
  # SSE4: gcc does not align the stack for longer vectors there (its PR 54412). Programs need no library of gcc's.
  set(CMAKE_CXX_FLAGS_INIT "-march=x86-64-v2 -DHWY_DISABLE_PCLMUL_AES")
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
else()
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_C_COMPILER "${CTV_CROSS}-gcc")
  set(CMAKE_CXX_COMPILER "${CTV_CROSS}-g++")
  set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${CMAKE_SYSTEM_PROCESSOR};-L;/usr/${CTV_CROSS}")
endif()
list(APPEND CMAKE_PREFIX_PATH /usr)  # of the root; CMake knows it for Linux only
set(CMAKE_FIND_ROOT_PATH "${CTV_CROSS_ROOT}" "/usr/${CTV_CROSS}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

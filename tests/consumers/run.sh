#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Four ways to use the library, each from a prefix that was moved after installation: find_package with a shared and a
# static library, pkg-config with both, also with absolute folders, add_subdirectory; by CMake also from projects in C
# alone. The last builds the static library, so the order matters.
#   usage: run.sh BUILD WORK   BUILD: a build folder with the shared library; WORK: a folder for this test alone
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$(realpath "$1")
rm -rf "$2" && mkdir -p "$2" && cd "$2"
quietly() { "$@" >log 2>&1 || { echo "FAILED: $*"; cat log; exit 1; }; }
install_moved() { # install_moved BUILD NAME: to NAME, by way of another folder
  local component
  for component in lib dev; do quietly cmake --install "$1" --prefix "$PWD/first" --component $component; done
  mv first "$2"
}
by_package() { # by_package NAME: plain projects in C++ and in C that find ctv in NAME
  quietly cmake -S "$here" -B "package-$1" -G Ninja -DCMAKE_PREFIX_PATH="$PWD/$1"
  quietly cmake --build "package-$1"
  "package-$1/call"
  quietly cmake -S "$here" -B "package-c-$1" -G Ninja -DCMAKE_PREFIX_PATH="$PWD/$1" \
    -DCTV_C_PROGRAM="$source/tests/api/c_example.c"
  quietly cmake --build "package-c-$1"
  "package-c-$1/call"
}
by_pkg_config() { # by_pkg_config NAME ARGS: a C program
  local name=$1 pc flags
  shift
  pc=$(find "$PWD/$name" -name ctv.pc)
  read -r -a flags <<<"$(PKG_CONFIG_PATH=${pc%/*} pkg-config "$@" --cflags --libs ctv)"
  quietly cc "$source/tests/api/c_example.c" "${flags[@]}" "-Wl,-rpath,$(dirname "${pc%/*}")" -o "c-$name"
  "./c-$name"
}

install_moved "$build" shared
for file in LICENSE THIRD-PARTY.txt calls.md net_call.c libctv.a libctv_net.a; do
  find shared -name $file | grep -q . || { echo "FAILED: $file is not installed"; exit 1; }
done
exported=$(nm -D --defined-only "$(find shared -name 'libctv.so' | head -1)" | awk '{ print $3 }' | grep -vE '^(ctv_|CTV_)' || true)
[ -z "$exported" ] || { echo "FAILED: exported, but not ctv_*: $exported"; exit 1; }
# Installed tools find the library wherever both are.
if [ -x "$build/bin/ctinfo" ]; then
  quietly cmake --install "$build" --prefix "$PWD/first" --component lib
  quietly cmake --install "$build" --prefix "$PWD/first" --component tools
  mv first moved
  quietly env -u LD_LIBRARY_PATH moved/bin/ctinfo --version
fi
by_package shared
by_pkg_config shared
# The static library of the same installation.
read -r -a flags <<<"$(PKG_CONFIG_PATH=$(dirname "$(find "$PWD/shared" -name ctv.pc)") pkg-config --static --cflags --libs ctv)"
quietly cc -DCTV_STATIC "$source/tests/api/c_example.c" "${flags[@]/#-lctv/-l:libctv.a}" -o c-archive
! ldd c-archive | grep libctv || { echo "FAILED: the static library was not taken"; exit 1; }
./c-archive
quietly cmake -S "$here" -B subproject -G Ninja -DCTV_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug -DCTV_INSTALL=ON \
  -DCTV_SIMD=NATIVE
quietly cmake --build subproject
subproject/call
! grep -q libctv subproject/CPackConfig.cmake || { echo "FAILED: CPack of the project that adds ctv"; exit 1; }
# The same folder as a project in C alone, which finds ctv built.
quietly cmake subproject -DCTV_C_PROGRAM="$source/tests/api/c_example.c"
quietly cmake --build subproject
subproject/call
install_moved subproject/ctv static
by_package static
by_pkg_config static --static
# Folders of an installation may be absolute.
quietly cmake subproject -DCMAKE_INSTALL_LIBDIR="$PWD/absolute/lib" -DCMAKE_INSTALL_INCLUDEDIR="$PWD/absolute/include"
for folder in lib include; do
  grep -q "^${folder}dir=$PWD/absolute/$folder\$" subproject/ctv/ctv.pc || { echo "FAILED: ${folder}dir of ctv.pc"; exit 1; }
done

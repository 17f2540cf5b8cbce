#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library and its tests for another machine with Debian's cross compiler, and runs the tests there: under
# qemu-user, Windows programs under wine. What the machine needs of others is unpacked into build/cross.
#   usage: cross.sh MACHINE [PROGRAMS]   MACHINE: arm64, armhf, riscv64, s390x or windows; PROGRAMS: of digest (default),
#                                        unit, stage, stream, api, tools; all; or none, which only compiles the library
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
machine=${1:-arm64}
shift || true
programs=("${@:-digest}")
[ "${programs[*]}" != all ] || programs=(digest unit stage stream api)
jobs=${CTV_JOBS:-$(nproc)}
folder=build/cross/$machine
root=$PWD/$folder/root
suffix=''

case $machine in
  arm64) triple=aarch64-linux-gnu ;;
  armhf) triple=arm-linux-gnueabihf ;;
  riscv64 | s390x) triple=$machine-linux-gnu ;;
  windows) triple=x86_64-w64-mingw32 suffix=.exe ;;
  *) sed -n '3,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 1 ;;
esac
if [ "$machine" = windows ]; then
  runner=(wine) packages="g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine64"
else
  runner=("qemu-${triple%%-*}" -L "/usr/$triple") packages="g++-$triple qemu-user"
fi
for program in "$triple-g++" "${runner[0]}"; do
  command -v "$program" >/dev/null && continue
  [ "${programs[*]}" != none ] || [ "$program" != "${runner[0]}" ] || continue
  echo "SKIPPED: no tests on $machine, for there is no $program (apt-get install $packages googletest)"
  exit 0
done

# unpack SUITE PACKAGES...: packages of the machine, of Debian whatever runs here, by an apt that knows of nothing else
unpack() {
  local state=$root/apt options package
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  : >"$state/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $1 main" >"$state/sources"
  shift
  options=(-o APT::Architecture="$machine" -o APT::Architectures="$machine" -o APT::Sandbox::User="$(id -un)"
    -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::State::Lists="$state/lists"
    -o Dir::Cache="$state/cache" -o Dir::Etc::sourcelist="$state/sources" -o Dir::Etc::sourceparts=-)
  apt-get "${options[@]}" -qq update
  (cd "$state" && apt-get "${options[@]}" -qq download "$@")
  for package in "$state"/*.deb; do dpkg-deb -x "$package" "$root"; done
  rm -rf "$state"
}
settings=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$PWD/tools/dev/cross.cmake"
  -DCTV_CROSS="$triple" -DCTV_CROSS_ROOT="$root" -DBUILD_SHARED_LIBS=OFF)
# provide PACKAGE TARGET FOLDER VERSION [DEFINITION]: headers that are those of any machine
provide() {
  local config=$root/usr/lib/cmake/$1
  mkdir -p "$config"
  ln -sfn "/usr/include/$3" "$root/usr/include/$3"
  cat >"$config/${1,,}-config.cmake" <<END
add_library($2 INTERFACE IMPORTED)
set_target_properties($2 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$root/usr/include"
                                    INTERFACE_COMPILE_DEFINITIONS "${5-}")
END
  printf 'set(PACKAGE_VERSION %s)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' "$4" >"$config/${1,,}-config-version.cmake"
}
make_root() {
  mkdir -p "$root/usr/include"
  case $machine in
    windows) ;;
    riscv64) unpack trixie zlib1g-dev ;;  # Debian 12 has none for it
    *) unpack bookworm zlib1g-dev ;;
  esac
  # One instruction set needs Highway's headers alone.
  provide hwy hwy::hwy hwy 1.0.3 HWY_COMPILE_ONLY_STATIC=1
  provide CLI11 CLI11::CLI11 CLI 2.1
  provide nlohmann_json nlohmann_json::nlohmann_json nlohmann 3.11
  ln -sfn /usr/include/stb "$root/usr/include/stb"
  cmake -S /usr/src/googletest -B "$folder/googletest" "${settings[@]}" -DBUILD_GMOCK=OFF -DCMAKE_CXX_STANDARD=17 \
    -DCMAKE_INSTALL_PREFIX="$root/usr"
  ninja -C "$folder/googletest" -j "$jobs" install
  touch "$root/made"
}
mkdir -p "$folder"
[ -e "$root/made" ] || make_root >"$folder/root.log" 2>&1 || { tail -n 20 "$folder/root.log"; exit 1; }

tools=OFF
targets=(ctv)
for program in "${programs[@]}"; do
  case $program in
    none) ;;
    tools) tools=ON targets+=(ctv_tools_test ctenc ctdec ctinfo ctgen ctcat ctcall) ;;
    *) targets+=("ctv_${program}_tests") ;;
  esac
done
cmake -S . -B "$folder" "${settings[@]}" -DCTV_CUDA=OFF -DCTV_GSTREAMER=OFF -DCTV_LIBAV=OFF -DCTV_TESTS=ON \
  -DCTV_TOOLS=$tools >"$folder/configure.log" 2>&1 || { tail -n 20 "$folder/configure.log"; exit 1; }
ninja -C "$folder" -j "$jobs" "${targets[@]}" >"$folder/build.log" 2>&1 ||
  { grep -m 1 -A 20 '^FAILED' "$folder/build.log"; exit 1; }
for program in "${programs[@]}"; do
  case $program in
    none) continue ;;
    tools) file=ctv_tools_test ;;
    *) file=ctv_${program}_tests ;;
  esac
  "${runner[@]}" "$folder/bin/$file$suffix" --gtest_brief=1
done
echo "$machine: ${targets[*]} built; tests run: ${programs[*]}"

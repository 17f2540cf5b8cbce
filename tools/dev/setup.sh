#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what building, testing and checking ctv need on Debian 12 or Ubuntu 24.04. Asks nothing but
# what sudo asks; does nothing where everything is there already.
#   usage: setup.sh [build|python|web|compare|check|cross|all]   build: library and tools only; python, web: what the Python
#                                         package or the pages for browsers need, too; compare: what ctbench compares
#                                         with and draws by, too; check: what ctv.sh check needs; cross: compilers for
#                                         other machines; all (default): what ctv.sh nightly needs, without emscripten
#                                         and Chromium
set -euo pipefail

build=(g++ cmake ninja-build libhwy-dev libcli11-dev nlohmann-json3-dev libstb-dev zlib1g-dev)
peers=(python3-scipy x264 x265 ffmpeg svt-av1)
python=(python3-dev python3-numpy python3-pybind11 python3-pytest pybind11-dev)
web=(emscripten chromium python3)
gstreamer=(pkg-config libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev gstreamer1.0-tools gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad)
containers=(pkg-config libavformat-dev libavcodec-dev libavutil-dev libswscale-dev)
machines=() # for tests on other machines
if [ "$HOSTTYPE" = x86_64 ]; then machines=(g++-aarch64-linux-gnu qemu-user googletest debian-archive-keyring); fi
others=(g++-s390x-linux-gnu g++-riscv64-linux-gnu g++-arm-linux-gnueabihf g++-mingw-w64-x86-64-posix libz-mingw-w64-dev
  wine wine64)
checks=(git python3 python3-yaml shellcheck pkg-config dpkg-dev libgtest-dev clang clang-tidy clang-format-14 llvm doxygen)

wanted=("${build[@]}")
case "${1:-all}" in
  build) ;;
  python) wanted+=("${python[@]}" python3-pip python3-setuptools python3-venv python3-wheel) ;;
  web) wanted+=("${web[@]}") ;;
  compare) wanted+=("${peers[@]}") ;;
  check) wanted+=("${checks[@]}" "${gstreamer[@]}" "${machines[@]}") ;;
  cross) wanted+=("${machines[@]}" "${others[@]}") ;;
  *) wanted+=("${checks[@]}" "${machines[@]}" "${others[@]}" "${python[@]}" "${gstreamer[@]}" "${containers[@]}"
    python3-matplotlib python3-scipy valgrind debootstrap lintian) ;;
esac

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
updated=no
install_missing() { # install_missing PACKAGE...
  local missing=() p
  for p in "$@"; do installed "$p" || missing+=("$p"); done
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "setup: this is no Debian or Ubuntu; please install what these packages hold: ${missing[*]}" >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "setup: neither root nor sudo; please let somebody run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "setup: installing ${missing[*]}"
  if [ "$updated" = no ]; then
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    updated=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_missing "${wanted[@]}"

# Some releases keep clang's sanitizer and fuzzer run-times in a package named after its version.
if [[ ${1:-all} = @(check|all) ]]; then
  probe=$(mktemp -d)
  trap 'rm -rf "$probe"' EXIT
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$probe/a.cpp"
  if ! clang++ -fsanitize=fuzzer,address,undefined "$probe/a.cpp" -o "$probe/a" 2>/dev/null; then
    major=$(clang++ -dumpversion | cut -d. -f1)
    install_missing "libclang-rt-$major-dev"
  fi
fi
echo "setup: everything needed is installed"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages in a bare Debian 12: lintian finds nothing, apt installs all of them, a C program is built against
# libctv-dev, the tools, the GStreamer plugin and the Python package run, and after a purge nothing is left. Needs root,
# debootstrap, lintian and a mirror (CTV_DEBIAN_MIRROR). What the host's apt is told of proxies (99*) holds there as well.
#   usage: run.sh PACKAGES WORK   PACKAGES: a folder with .deb files; WORK: a folder for this test alone
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
packages=$(realpath "$1")
mkdir -p "$2"
root=$(realpath "$2")/debian
mirror=${CTV_DEBIAN_MIRROR:-http://deb.debian.org/debian}
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
say() { printf -- '-- %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
quietly() { "$@" >"$root.log" 2>&1 || { tail -n 30 "$root.log"; fail "$*"; }; }
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=/root chroot "$root" "$@"; }
clean() { # what lies below a mount is not ours to remove
  local mounted
  awk -v root="$root" 'index($2, root "/") == 1 { print $2 }' /proc/mounts | sort -r |
    while read -r mounted; do umount "$mounted"; done
  rm -rf --one-file-system "$root"
}
[ "$(id -u)" -eq 0 ] || fail "debootstrap and chroot need root"
ls "$packages"/*.deb >/dev/null || fail "no packages in $packages"

say "lintian"
quietly lintian --allow-root --fail-on error,warning "$packages"/*.deb

say "a bare Debian 12"
clean
trap clean EXIT
quietly debootstrap --variant=minbase bookworm "$root" "$mirror"
for file in /etc/apt/apt.conf.d/99*; do if [ -f "$file" ]; then cp "$file" "$root/etc/apt/apt.conf.d/"; fi; done
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/packages"
cp "$packages"/*.deb "$source/tests/api/c_example.c" "$root/packages/"

say "installation"
quietly inside apt-get update
inside dpkg-query -f '${Package}\n' -W | sort >"$root.before"
quietly inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'
for name in $(inside sh -c 'for deb in /packages/*.deb; do dpkg-deb -f $deb Package; done'); do
  inside dpkg-query -s "$name" | grep -q '^Status: install ok installed' || fail "$name is not installed"
  inside dpkg -L "$name" | while read -r path; do
    if [ -f "$root$path" ] && inside ldd "$path" 2>/dev/null | grep 'not found'; then fail "$path"; fi
  done
done
quietly inside apt-get install -y --no-install-recommends gcc libc6-dev pkg-config gstreamer1.0-tools

say "a C program by pkg-config"
quietly inside sh -c 'cc /packages/c_example.c $(pkg-config --cflags --libs ctv) -o /packages/example && /packages/example'
say "ctgen, ctenc, ctdec"
quietly inside sh -c 'cd /packages && ctgen in.y4m --size 64x48 --frames 5 && ctenc in.y4m -o out.ctv --lossless &&
  ctdec out.ctv -o back.y4m && cmp in.y4m back.y4m'
if inside dpkg-query -s libctv-cuda >/dev/null 2>&1; then
  say "CUDA backend: found, though there may be no driver"
  inside ctenc /packages/in.y4m -o /packages/cuda.ctv --backend cuda >"$root.log" 2>&1 || true
  ! grep 'no GPU: libctv_cuda' "$root.log" || fail "libctv-cuda"
fi
if inside dpkg-query -s gstreamer1.0-ctv >/dev/null 2>&1; then
  say "GStreamer"
  for element in ctvenc ctvdec ctvparse; do quietly inside gst-inspect-1.0 $element; done
fi
if inside dpkg-query -s python3-ctv >/dev/null 2>&1; then
  say "Python"
  quietly inside python3 -c 'import ctv'
fi

say "removal"
quietly inside sh -c 'apt-get purge -y $(for deb in /packages/*.deb; do dpkg-deb -f $deb Package; done)'
left=$(inside find /usr /etc /var/lib \( -path /var/lib/apt -o -path /usr/lib/gcc \) -prune -o \( -name '*ctv*' -o -name 'ct[edgic]*.1*' \) -print)
[ -z "$left" ] || fail "left behind: $left"
echo "all packages passed"

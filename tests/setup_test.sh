#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An unknown verb of tools/dev/ctv.sh. tools/dev/setup.sh as an ordinary user, with packages missing: sudo is asked,
# not expected to answer without a password, and where there is none the packages are named.
#   usage: setup_test.sh ROOT
set -u
root=$1
fake=$(mktemp -d)
trap 'rm -rf "$fake"' EXIT
tool() { printf '#!/bin/sh\n%s\n' "$2" >"$fake/$1" && chmod +x "$fake/$1"; }
for name in env bash dirname cat; do ln -s "$(command -v $name)" "$fake/$name"; done
tool id 'echo 1000'
tool grep 'exit 1' # no package is installed
tool dpkg-query 'exit 1'
tool apt-get 'exit 9'
said=$(PATH=$fake bash "$root/tools/dev/setup.sh" build 2>&1) && { echo "without sudo: succeeded"; exit 1; }
[[ $said == *"apt-get install"*zlib1g-dev* ]] || { echo "without sudo: $said"; exit 1; }
tool sudo "echo \"\$@\" >>$fake/calls"
PATH=$fake bash "$root/tools/dev/setup.sh" build >"$fake/log" 2>&1 || { cat "$fake/log"; exit 1; }
grep -q '^env .*apt-get install -y .*g++ cmake' "$fake/calls" || { echo "sudo was called with:"; cat "$fake/calls"; exit 1; }
! grep -q -- '^-n' "$fake/calls" || { echo "sudo -n does not ask"; exit 1; }
said=$(bash "$root/tools/dev/ctv.sh" frobnicate 2>&1 >/dev/null) && { echo "an unknown verb: succeeded"; exit 1; }
[[ $said == *"no verb 'frobnicate'"* ]] || { echo "an unknown verb: $said"; exit 1; }

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# sysroot.sh ARCHITECTURE DIR: the libraries of Debian 12 that perf and its tests are built with, for another architecture, and
# busybox; unless they are there: DIR/complete names them.
set -eu
arch=$1
mkdir -p "$2"
dir=$(readlink -f "$2")
cd "$(dirname "$0")"
# What is probed by compiling is a library; that of clang is the host's.
libraries=$(awk '$3 ~ /\.c$/ && $3 !~ /\.clang\.c$/ { print $2 }' ../../check-deps/packages)
[ "$(cat "$dir/complete" 2>/dev/null)" != "$libraries" ] || exit 0
. ./apt.sh
set_up_apt "$dir/apt" "$arch" debian:bookworm
# shellcheck disable=SC2086 # several words
apt-get "${apt[@]}" -y --download-only --no-install-recommends install $libraries busybox-static >/dev/null
for package in "$dir"/apt/cache/archives/*.deb; do
	dpkg -x "$package" "$dir"
done
echo "$libraries" >"$dir/complete"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# deb.sh DIR: build the Debian package into DIR, and let lintian look at it.
set -eu
SOURCE=$(readlink -f "$(dirname "$(readlink -f "$0")")/..")
export SOURCE
work=$1/perf-bpf
rm -rf "$1"
mkdir -p "$work"
cp -r "$SOURCE/install/debian" "$work/"
mkdir "$work/debian/source"
echo '3.0 (native)' >"$work/debian/source/format"

cd "$SOURCE"
version=$(sed -n 's/^VERSION := //p' Makefile.perf)
# Each commit is a version of its own, and later ones are newer.
commits=$(git rev-list --count HEAD 2>/dev/null || echo 0)
date=$(git log -1 --format=%cD 2>/dev/null || date -R)
cat >"$work/debian/changelog" <<CHANGELOG
perf-bpf ($version.$commits) unstable; urgency=medium

  * Built from ${commits} commits of its repository.

 -- The perf-bpf maintainers <maintainers@perf-bpf.invalid>  $date
CHANGELOG

cd "$work"
dpkg-buildpackage -b -us -uc -d --jobs >"$1/log" 2>&1 || {
	tail -n 40 "$1/log" >&2
	exit 1
}
lintian --fail-on error "$1"/*.changes
ls "$1"/perf-bpf_*.deb

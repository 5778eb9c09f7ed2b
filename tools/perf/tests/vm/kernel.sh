#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel.sh ARCHITECTURE SERIES DIR: download the newest kernel of a series into DIR, unless it is there, and print its path: Debian's
# one for clouds, or Ubuntu's for x86-64, which has those between 5.10 and 6.1 that Debian no longer has.
set -eu
arch=$1 series=$2
mkdir -p "$3"
dir=$(readlink -f "$3")
. "${BASH_SOURCE[0]%/*}/apt.sh"

# newest PREFIX PATTERN: the newest version, the rest of a package's name that begins so
newest() {
	apt-cache "${apt[@]}" pkgnames "$1" | sed -nE "s/^$1(${series//./\\.}[.-][0-9].*-$2)\$/\1/p" | sort -V | tail -n 1
}

set_up_apt "$dir/apt-$arch" "$arch" debian-security:bullseye-security debian-security:bookworm-security \
	debian:trixie-backports debian:sid
version=$(newest linux-image- "cloud-$arch")
# From 6.19 on the package linux-image is empty and the kernel is in linux-binary.
packages="linux-binary-$version linux-image-$version"
if [ -z "$version" ] && [ "$arch" = amd64 ]; then
	set_up_apt "$dir/apt-ubuntu" "$arch" ubuntu:focal-updates ubuntu:jammy-updates
	version=$(newest linux-image-unsigned- '(generic|oem)')
	packages=linux-image-unsigned-$version
fi
[ -n "$version" ] || {
	echo "there is no kernel $series for $arch" >&2
	exit 1
}
if [ ! -e "$dir/vmlinuz-$version" ]; then
	scratch=$(mktemp -d "$dir/download.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	cd "$scratch"
	for package in $packages; do
		apt-get "${apt[@]}" download "$package" >/dev/null 2>error && break
	done
	cat error >&2
	dpkg -x ./*.deb .
	mv "$(find . -name 'vmlinuz*' -type f | head -n 1)" "$dir/vmlinuz-$version"
fi
echo "$dir/vmlinuz-$version"

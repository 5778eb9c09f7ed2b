#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel.sh ARCHITECTURE SERIES DIR: download the newest cloud kernel of a series that Debian has into DIR, unless it is there, and
# print its path.
set -eu
arch=$1 series=$2
mkdir -p "$3"
dir=$(readlink -f "$3")
. "${BASH_SOURCE[0]%/*}/apt.sh"
set_up_apt "$dir/apt-$arch" "$arch" debian-security:bullseye-security debian-security:bookworm-security \
	debian:trixie-backports debian:sid

version=$(apt-cache "${apt[@]}" pkgnames linux-image- |
	sed -nE "s/^linux-image-(${series//./\\.}[.-][0-9].*-cloud-$arch)\$/\1/p" | sort -V | tail -n 1)
[ -n "$version" ] || {
	echo "Debian has no kernel $series for $arch" >&2
	exit 1
}
if [ ! -e "$dir/vmlinuz-$version" ]; then
	scratch=$(mktemp -d "$dir/download.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	cd "$scratch"
	# From 6.19 on the package linux-image is empty and the kernel is in linux-binary.
	apt-get "${apt[@]}" download "linux-binary-$version" >/dev/null 2>&1 ||
		apt-get "${apt[@]}" download "linux-image-$version" >/dev/null
	dpkg -x ./*.deb .
	mv "$(find . -name 'vmlinuz*' -type f | head -n 1)" "$dir/vmlinuz-$version"
fi
echo "$dir/vmlinuz-$version"

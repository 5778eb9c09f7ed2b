#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel.sh SERIES DIR: download the newest cloud kernel of a series that Debian has into DIR, unless it is there, and print its
# path. Neither the host's sources of packages nor its packages are changed.
set -eu
series=$1
mkdir -p "$2/apt/lists/partial"
dir=$(readlink -f "$2")
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}

for suite in debian-security:bullseye-security debian-security:bookworm-security debian:trixie-backports debian:sid; do
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror/${suite%:*} ${suite#*:} main"
done >"$dir/apt/sources.list"
apt=(-q -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::Lists="$dir/apt/lists"
	-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
# Versions leave the archive: lists of yesterday may name packages that are gone.
[ -n "$(find "$dir/apt/lists" -name '*Packages*' -mmin -600)" ] || apt-get "${apt[@]}" update >/dev/null

version=$(apt-cache "${apt[@]}" pkgnames linux-image- |
	sed -nE "s/^linux-image-(${series//./\\.}[.-][0-9].*-cloud-amd64)\$/\1/p" | sort -V | tail -n 1)
[ -n "$version" ] || {
	echo "Debian has no kernel $series" >&2
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

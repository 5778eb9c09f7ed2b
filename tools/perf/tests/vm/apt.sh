# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # what sources this uses apt
# To be sourced: a configuration of apt of its own in a directory, so that neither the host's sources of packages nor its packages
# are changed. An empty list of installed packages makes all that a package depends on be downloaded with it.

# set_up_apt DIR ARCHITECTURE SUITE...: sets apt, the options for apt-get and apt-cache. A suite is archive:name; the archive is
# Debian's debian or debian-security, or ubuntu. Ubuntu's keys come from Debian, whose are on the host.
set_up_apt() {
	local dir=$1 arch=$2 mirror=${DEBIAN_MIRROR:-http://deb.debian.org} suite keys=/usr/share/keyrings/debian-archive-keyring.gpg
	shift 2
	if [[ $1 = ubuntu:* ]]; then
		set_up_apt "$dir/keys" "$arch" debian:trixie
		keys=$dir/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
		[ -e "$keys" ] || (
			cd "$dir/keys" || exit
			apt-get "${apt[@]}" download ubuntu-keyring >/dev/null
			dpkg -x ubuntu-keyring_*.deb .
		)
		mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com}
	fi
	mkdir -p "$dir"/{lists,cache/archives}/partial
	for suite; do
		echo "deb [signed-by=$keys] $mirror/${suite%:*} ${suite#*:} main"
	done >"$dir/sources.list"
	: >"$dir/status"
	apt=(-q -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::Lists="$dir/lists"
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir/cache" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
		-o APT::Sandbox::User=root -o APT::Architecture="$arch" -o APT::Architectures="$arch")
	# Versions leave the archive: lists of yesterday may name packages that are gone.
	[ -n "$(find "$dir/lists" -name '*Packages*' -mmin -600)" ] || apt-get "${apt[@]}" update >/dev/null
}

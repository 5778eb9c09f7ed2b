#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Probes what the build (check.sh build), unit tests (unit), the manual pages (man), other tests (test), tests in guests (vm, vm-arm64) and on other
# releases (distros), programs that open profiles (viewers), the Debian package (deb) or make format (dev) needs, as the list in "packages" says,
# and names all that is missing with its package. The build also names what perf will lack without optional packages.
# check.sh --install KIND... installs what is missing of these when run as root, else, or with DEPS=no, it prints the line to run. It fails if
# anything but the optional is still missing.
set -eu
cd "$(dirname "$0")"
# bpftool is where only root's PATH goes.
PATH=$PATH:/usr/sbin:/sbin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The first line of a C probe holds the flags that it is linked with.
compiles() {
	local cc=${CC:-gcc} libs
	if ! command -v "${cc%% *}" >/dev/null; then
		[[ $cc = @(gcc|clang) ]] || echo "there is no $cc" >&2 # these two are in the list themselves
		return 1
	fi
	libs=$(sed -n '1s|^/\* libs: *\(.*\) \*/$|\1|p' "$1")
	# shellcheck disable=SC2086 # several words
	$cc -D_GNU_SOURCE -o "$scratch/probe" "$1" $libs >"$scratch/log" 2>&1 && return
	unexpected "$1" >&2
	return 1
}

# unexpected PROBE: why it failed, if not for what a missing package lacks: a header that the probe includes, or a library that it is linked with
unexpected() {
	local header
	header=$(sed -nE "s/.*fatal error: '?([^ :']+)'?(: No such file| file not found).*/\\1/p" "$scratch/log" | head -n 1)
	if [ -n "$header" ] && grep -qF "<$header>" "$1"; then
		return
	fi
	grep -v 'cannot find' "$scratch/log" | grep -m 1 -E 'error:|undefined|not found' | sed "s|^|check-deps/$1: |"
}

present() {
	case $1 in
	*.clang.c) CC=${CLANG:-clang} compiles "$1" ;;
	*.c) compiles "$1" ;;
	/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# Lines "kind<TAB>package<TAB>what" for everything that is missing of these kinds.
missing() {
	local kind package probe what
	while read -r kind package probe what; do
		[[ " $* " != *" $kind "* ]] || present "$probe" || printf '%s\t%s\t%s\n' "$kind" "$package" "$what"
	done < <(sed '/^#/d; /^$/d' packages)
}

packages_of() {
	cut -f2 | sort -u | tr '\n' ' '
}

# Names what the lines say; fails if something is needed.
name_missing() {
	local kind package what rc=0
	while IFS=$'\t' read -r kind package what; do
		if [ "$kind" = optional ]; then
			echo "perf will lack $what (install $package)"
		else
			echo "missing: $what (install $package)"
			rc=1
		fi
	done
	return $rc
}

check() {
	local list
	list=$(missing "$@")
	[ -n "$list" ] || return 0
	name_missing <<<"$list" >&2 && return
	if [[ $1 = @(vm|vm-arm64|distros|dev) ]]; then
		echo "Run as root: apt-get install --no-install-recommends $(packages_of <<<"$list")" >&2
	else
		echo "'make deps' installs what is missing (as root)." >&2
	fi
	return 1
}

install_missing() {
	local list packages rc=0
	list=$(missing "$@")
	[ -n "$list" ] || return 0
	packages=$(packages_of <<<"$list")
	if [ "${DEPS-}" = no ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		name_missing <<<"$list" >&2 || rc=1
		echo "Run as root: apt-get install --no-install-recommends $packages" >&2
		return $rc
	fi
	echo "Installing with apt-get: $packages(make DEPS=no only names them)" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update
	# shellcheck disable=SC2086 # several words
	apt-get -q -y --no-install-recommends install $packages
	check "$@"
}

case ${1-} in
build) check build optional ;;
unit | man | test | viewers | vm | vm-arm64 | distros | deb | dev) check "$1" ;;
--install) install_missing "${@:2}" ;;
*)
	echo "usage: check.sh [--install] build|unit|man|test|viewers|vm|vm-arm64|distros|deb|dev" >&2
	exit 2
	;;
esac

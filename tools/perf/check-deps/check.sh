#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Probes what the build (check.sh build), unit tests (unit), the manual pages (man), other tests (test), tests in guests (vm, vm-arm64), the
# Debian package (deb) or make format (dev) needs, as the list in "packages" says, and names all that is missing with its package.
# check.sh --install KIND... installs what is missing of these when run as root, else, or with DEPS=no, it prints the line to run.
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
	# Why: a probe that fails for another reason than a missing package must not look like one.
	grep -m 1 -E 'error|cannot find|undefined|not found' "$scratch/log" >&2
	return 1
}

present() {
	case $1 in
	*.clang.c) CC=${CLANG:-clang} compiles "$1" ;;
	*.c) compiles "$1" ;;
	/*) [ -e "$1" ] ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# Lines "package<TAB>what" for everything that is missing of these kinds.
missing() {
	local kind package probe what
	while read -r kind package probe what; do
		[[ " $* " != *" $kind "* ]] || present "$probe" || printf '%s\t%s\n' "$package" "$what"
	done < <(sed '/^#/d; /^$/d' packages)
}

name_missing() {
	local package what
	while IFS=$'\t' read -r package what; do
		echo "missing: $what (install $package)"
	done
}

check() {
	local list
	list=$(missing "$@")
	[ -n "$list" ] || return 0
	name_missing <<<"$list" >&2
	if [[ $1 = @(vm|vm-arm64|dev) ]]; then
		echo "Run as root: apt-get install --no-install-recommends $(cut -f1 <<<"$list" | sort -u | tr '\n' ' ')" >&2
	else
		echo "'make deps' installs what is missing (as root)." >&2
	fi
	return 1
}

install_missing() {
	local list packages
	list=$(missing "$@")
	[ -n "$list" ] || return 0
	packages=$(cut -f1 <<<"$list" | sort -u | tr '\n' ' ')
	name_missing <<<"$list" >&2
	if [ "${DEPS-}" = no ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "Run as root: apt-get install --no-install-recommends $packages" >&2
		return 1
	fi
	echo "Installing with apt-get: $packages(make DEPS=no only names them)" >&2
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update
	# shellcheck disable=SC2086 # several words
	apt-get -q -y --no-install-recommends install $packages
	check "$@"
}

case ${1-} in
build | unit | man | test | vm | vm-arm64 | deb | dev) check "$1" ;;
--install) install_missing "${@:2}" ;;
*)
	echo "usage: check.sh [--install] build|unit|man|test|vm|vm-arm64|deb|dev" >&2
	exit 2
	;;
esac

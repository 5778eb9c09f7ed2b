#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-distros: on releases of Debian, each in a chroot that is made for it: what README shows first, the tests, and the Debian package, which is
# installed in another chroot that has nothing else.
#	tests/distros/run.sh
# Variables:
#	DISTROS="bookworm trixie sid"	the releases
#	PARTS="demo test deb"		what is done there; "quick" instead of test: the unit tests and commands of quick.sh, and only their packages
#	TESTS=WORDS, JOBS=N		as in make test
#	DISTROS_DIR=/var/tmp/perf-distros	where the chroots are, 4 GB each. They are kept: remove it to begin anew
#	DEBIAN_MIRROR=http://deb.debian.org
# What runs is the last commit, not what has changed since. All mounts are in a namespace of their own, and end with it.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}/debian
work=${DISTROS_DIR:-/var/tmp/perf-distros}
read -ra releases <<<"${DISTROS:-bookworm trixie sid}"
read -ra parts <<<"${PARTS:-demo test deb}"

if [ "$(id -u)" != 0 ]; then
	echo "make test-distros makes chroots: run it as root" >&2
	exit 1
fi
mkdir -p "$work"
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "Changes that are not committed are left out."

# step RELEASE NAME COMMAND...: one line for a step: how long it took, or the end of what it printed. In what it calls "set -e" has no effect.
step() {
	local release=$1 name=$2 log=$work/$1-$2.log begin=$SECONDS
	shift 2
	if "$@" >"$log" 2>&1; then
		printf '%-10s%-8sok      %d s\n' "$release" "$name" $((SECONDS - begin))
		return
	fi
	printf '%-10s%-8sFAILED  %d s, see %s:\n' "$release" "$name" $((SECONDS - begin)) "$log"
	tail -n 40 "$log"
	return 1
}

# make_base RELEASE: $work/RELEASE-base, the smallest system that has apt
make_base() {
	local base=$work/$1-base
	[ ! -e "$base" ] || return 0
	rm -rf "$base.new"
	if ! unshare --mount --propagation private -- debootstrap --variant=minbase "$1" "$base.new" "$mirror"; then
		echo "debootstrap cannot make a system of $1 from $mirror: DEBIAN_MIRROR=URL names another mirror"
		return 1
	fi
	# A mirror may be a snapshot of the past.
	echo 'Acquire::Check-Valid-Until "false";' >"$base.new/etc/apt/apt.conf.d/snapshot"
	mv "$base.new" "$base"
}

# make_root RELEASE: $work/RELEASE, with what README takes for granted: git and make
make_root() {
	local root=$work/$1
	[ ! -e "$root" ] || return 0
	rm -rf "$root.new"
	cp -a --reflink=auto "$work/$1-base" "$root.new" &&
		./enter.sh "$root.new" sh -c 'apt-get -q update && apt-get -q -y --no-install-recommends install git make' &&
		mv "$root.new" "$root"
}

copy_tree() {
	rm -rf "$work/$1/src" && (
		set -o pipefail
		git -C ../../../.. archive --prefix=src/ HEAD | tar -x -C "$work/$1"
	)
}

# make must not build again what make demo has built: if it does, the list of what demo builds lacks something.
demo() {
	./enter.sh "$work/$1" sh -c 'cd /src && make demo && make DEPS=no all >again && cat again && ! grep -q . again'
}

package() {
	local root=$work/$1-empty rc=0
	./enter.sh "$work/$1" sh -c 'cd /src && make deb' || return
	rm -rf "$root"
	cp -a --reflink=auto "$work/$1-base" "$root" && cp "$work/$1"/src/tools/perf/build/deb/perf-bpf_*.deb "$root/perf-bpf.deb" &&
		cp try-deb.sh "$root/" &&
		./enter.sh "$root" sh -c 'apt-get -q update && apt-get -q -y --no-install-recommends install /perf-bpf.deb && sh /try-deb.sh' || rc=1
	rm -rf "$root"
	return $rc
}

run_part() {
	case $2 in
	demo) step "$1" demo demo "$1" ;;
	quick) step "$1" quick ./enter.sh "$work/$1" sh /src/tools/perf/tests/distros/quick.sh ;;
	test) step "$1" test ./enter.sh "$work/$1" env ${CI+"CI=$CI"} sh -c 'cd /src && make test TESTS="$0" JOBS="$1"' "${TESTS-}" "${JOBS:-1}" ;;
	deb) step "$1" deb package "$1" ;;
	*)
		echo "there is no part \"$2\": demo, quick, test, deb" >&2
		return 1
		;;
	esac
}

run_release() {
	local part rc=0
	step "$1" chroot make_base "$1" && step "$1" git make_root "$1" && step "$1" copy copy_tree "$1" || return
	for part in "${parts[@]}"; do
		run_part "$1" "$part" || rc=1
	done
	return $rc
}

failed=()
for release in "${releases[@]}"; do
	run_release "$release" || failed+=("$release")
done
[ ${#failed[@]} = 0 ] || echo "Failed: ${failed[*]}"
[ ${#failed[@]} = 0 ]

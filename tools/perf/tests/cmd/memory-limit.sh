#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A recording in a memory cgroup at its limit, whose command takes ever more until the kernel kills something: what was recorded can be read.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

LIMIT=$((96 << 20)) # perf alone needs less, the command more
mkdir tree
if mount -t cgroup -o memory none tree 2>mount.err; then # version 1
	limit=memory.limit_in_bytes
elif mount -t cgroup2 none tree 2>mount.err && { echo +memory >tree/cgroup.subtree_control; } 2>mount.err; then
	limit=memory.max
else
	skip_all "no memory cgroup: $(head -1 mount.err)"
fi
group=$PWD/tree/perf-test-$$
mkdir "$group" || exit 1
leave() {
	local tries
	for ((tries = 0; tries < 50; tries++)); do
		rmdir "$group" 2>/dev/null && break
		sleep 0.1
	done
	umount tree
}
trap 'leave; cleanup' EXIT
{ echo $LIMIT >"$group/$limit"; } 2>limit.err || skip_all "the limit cannot be set: $(head -1 limit.err)"

for options in "" -g --wall; do
	rm -f perf.data
	# When something is recorded, the command doubles a text until it is killed, or perf is.
	# shellcheck disable=SC2016 # for the inner shells
	timeout 100 bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
		"$PERF" record -a $options -e cpu-clock -F 999 -o perf.data -- sh -c 'until [ "$(stat -c %s perf.data)" -gt 200000 ]; do :; done; x=a; while :; do x=$x$x; done' >out 2>err
	rc=$?
	ok "${options:-samples}: it ends, with $rc" test $rc = 137 -o $rc = 255
	[ $rc = 137 ] || like "$(<err)" 'memory' "${options:-samples}: perf says that there was no memory"
	run "$PERF" report -i perf.data --stdio
	is "$rc" 0 "${options:-samples}: what was recorded can be read"
	run "$PERF" script -i perf.data -F event
	ok "${options:-samples}: there are samples" grep -q . <<<"$out"
done
done_testing

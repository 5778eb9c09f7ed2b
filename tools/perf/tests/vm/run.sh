#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-kernels: the tests of filters on other kernels, booted in qemu without KVM, one line of results for each.
#	PERF=build/perf tests/vm/run.sh [SERIES...]
# A series is the beginning of a version (6.1, 7); the newest one that Debian has is taken. What the guests printed is in
# vm/<series>.log beside perf, and so are the kernels.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"
PERF=$(readlink -f "${PERF:?names the perf to test}")
build=$(dirname "$PERF")
work=$build/vm
[ $# -gt 0 ] || set -- 5.10 6.1 6.12 6.18 7
# A guest runs 20 times slower than its host, and tests load hundreds of programs.
limit=${TIME_LIMIT:-600}

[ "$(uname -m)" = x86_64 ] || {
	echo "the guests are x86-64, this perf is for $(uname -m)" >&2
	exit 2
}
mkdir -p "$work"
./initrd.sh "$work/initrd" guest.sh "$PERF" "$build"/tests/unit/sampler/{bpf-filter,bpf-filter-terms,bpf-filter-code,bpf-filter-load,count-table,counter,rings,sampler}

# result SERIES KERNEL: from the log, as a line of the table; fails if anything did
result() {
	local log=$work/$1.log passed failed skipped planned verdict=ok
	# cmocka writes "not ok 1 # SKIP" for what it skipped.
	skipped=$(grep -cE '^(not )?ok .*# SKIP' "$log" || true)
	passed=$(grep -E '^ok ' "$log" | grep -vc '# SKIP' || true)
	failed=$(grep -E '^not ok ' "$log" | grep -vc '# SKIP' || true)
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
	if ! grep -q '^guest: the end' "$log"; then
		verdict="no end after $limit s"
	elif [ "$failed" != 0 ] || [ "$planned" != $((passed + failed + skipped)) ] || [ "$passed" = 0 ]; then
		verdict=FAILED
	fi
	printf '%-8s %-32s %6s %6s %7s  %s\n' "$1" "$2" "$passed" "$failed" "$skipped" "$verdict"
	[ "$verdict" = ok ]
}

printf '%-8s %-32s %6s %6s %7s  %s\n' series kernel passed failed skipped ''
status=0
for series; do
	kernel=$(./kernel.sh "$series" "$work") || {
		printf '%-8s %-32s\n' "$series" "not in Debian's archive"
		status=1
		continue
	}
	./boot.sh "$kernel" "$work/initrd" "$limit" >"$work/$series.log" 2>&1 || true
	name=$(basename "$kernel")
	result "$series" "${name#vmlinuz-}" || status=1
done
[ $status = 0 ] || echo "What the guests said: $work/*.log" >&2
exit $status

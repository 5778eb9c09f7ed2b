#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What filtering in the kernel saves: the same profile, once by the distribution's perf, which records all samples and looks for some of them
# later, and once by this perf with a filter. Prints the table of README.md: bytes of the file, CPU time of perf itself, samples that were lost.
# The two take turns, ROUNDS times; medians. In a mount namespace of its own, as stock perf wants tracefs.
set -eu
export LC_ALL=C
PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
ROUNDS=${ROUNDS:-3}
[ -x "$STOCK" ] || { echo "saves: needs the distribution's perf: make deps" >&2; exit 1; }
if [ -z "${BENCH_NAMESPACE-}" ]; then
	BENCH_NAMESPACE=1 exec unshare --mount --propagation private -- "$0"
fi
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
export WORKLOAD=${PERF%/*}/tests/workload
work=$(mktemp -d /tmp/perf-bench-saves.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

# On the standard error: user and system time of what is run
export TIMEFORMAT='%U %S'

# measure PERF COMMAND [OPTIONS...]: "BYTES MS LOST": of the file, of perf's own CPU time, and how many samples were lost, by the file
measure() {
	local perf=$1 command=$2 lost
	shift 2
	rm -f out.data
	# shellcheck disable=SC2016 # for the inner shell
	{ time "$perf" record -q -B -o out.data "$@" -- bash -c '{ time eval "$0" >/dev/null 2>&1; } 2>inner.txt' "$command" >out.txt 2>&1; } 2>outer.txt ||
		{ cat out.txt >&2; exit 1; }
	lost=$("$PERF" script --show-lost-events -F comm -i out.data 2>/dev/null |
		awk '/PERF_RECORD_LOST_SAMPLES/ && !/BPF/ { sub(/.*lost samples :/, ""); n += $1 } END { print n + 0 }')
	awk -v bytes="$(stat -c %s out.data)" -v lost="$lost" 'NR == 1 { inner = $1 + $2 } NR == 2 { outer = $1 + $2 }
		END { ms = (outer - inner) * 1000; printf "%d %.0f %d\n", bytes, (ms > 0 ? ms : 0), lost }' inner.txt outer.txt
}

# median FILE COLUMN
median() {
	cut -d' ' -f"$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

size() {
	awk -v n="$1" 'BEGIN { if (n >= 1e6) printf "%.1f MB", n / 1e6; else printf "%.0f kB", n / 1e3 }'
}

# row WHAT COMMAND FILTER OPTIONS...
row() {
	local what=$1 command=$2 filter=$3 i
	shift 3
	: >stock.txt
	: >ours.txt
	for ((i = 0; i < ROUNDS; i++)); do
		measure "$STOCK" "$command" "$@" >>stock.txt
		measure "$PERF" "$command" "$@" --filter "$filter" >>ours.txt
	done
	printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$what" "$(size "$(median stock.txt 1)")" "$(size "$(median ours.txt 1)")" \
		"$(median stock.txt 2) ms" "$(median ours.txt 2) ms" "$(median stock.txt 3)" "$(median ours.txt 3)"
}

cat <<'END'
| what you look for | file: stock | this perf | CPU time: stock | this perf | lost: stock | this perf |
|---|---|---|---|---|---|---|
END
# Work that is the same each time, however long it takes
pipeline='seq 10000000 | gzip -9 | sha256sum'
row 'one program of a pipeline, 10,000 stacks a second' "$pipeline" 'comm == seq' -e cpu-clock -F 10000 -g
row 'the same, of all that runs on the machine (-a)' "$pipeline" 'comm == seq' -a -e cpu-clock -F 10000 -g
# shellcheck disable=SC2016 # for the inner shell
row 'each page fault of one thread of 20, with its stack' '"$WORKLOAD" faults 20000 threads 20' 'comm == fault-7' -e page-faults -c 1 -g

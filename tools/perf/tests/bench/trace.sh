#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What it costs to trace a loop of writes: CPU time of the loop and perf together, over that of the loop alone. A cgroup counts it, as not each
# perf waits for its command, whose time would be missing then. Each way runs with WRITES writes and with a
# hundredth of them; the difference is what the writes cost, without the start. ROUNDS rounds, in which all ways take turns, so that a machine that changes
# its speed changes all. Medians, ns a write, also a line or a record that was written, as some ways lose many. PEER: another perf, with BPF programs.
# WAYS: the numbers of those to run (all). KEEP: a directory that collects the rounds of several runs.
set -eu
export LC_ALL=C
PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
PEER=${PEER:-}
WRITES=${WRITES:-1000000}
FEW=$((WRITES / 100))
ROUNDS=${ROUNDS:-5}
if [ -z "${BENCH_NAMESPACE-}" ]; then
	BENCH_NAMESPACE=1 exec unshare --mount --propagation private -- "$0"
fi
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
keep=$(readlink -f "${KEEP:-$work}")
mkdir -p "$keep"
cd "$work"
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)/perf-bench-$$
mkdir "$group"
trap 'rm -rf "$work"; rmdir "$group"' EXIT

ways=("alone" "lines" "-s" "--filter, at the begin" "--filter, at the end" "-e of another call" "raw_syscalls recorded by stock perf" "strace -c" "strace"
      "stock perf trace" "stock perf trace -s" "peer: lines" "peer: -s" "peer: --bpf-summary" "an empty program")

run_way() {
	local loop=(dd if=/dev/zero of=/dev/null bs=1 "count=$2" status=none)

	case $1 in
	0) "${loop[@]}" ;;
	1) "$PERF" trace -e write -o out.txt -- "${loop[@]}" ;;
	2) "$PERF" trace -s -o out.txt -- "${loop[@]}" ;;
	3) "$PERF" trace -e write --filter 'count == 1234' -o out.txt -- "${loop[@]}" ;;
	4) "$PERF" trace -e write --filter 'ret == 1234' -o out.txt -- "${loop[@]}" ;;
	5) "$PERF" trace -e openat2 -o out.txt -- "${loop[@]}" ;;
	6) "$STOCK" record -q -B -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -m 1024 -c 1 -o out.data -- "${loop[@]}" ;;
	7) strace -c -o out.txt "${loop[@]}" ;;
	8) strace -e trace=write -o out.txt "${loop[@]}" ;;
	9) "$STOCK" trace -e write -o out.txt -- "${loop[@]}" ;;
	10) "$STOCK" trace -s -o out.txt -- "${loop[@]}" ;;
	11) [ -z "$PEER" ] || "$PEER" trace -e write -o out.txt -- "${loop[@]}" ;;
	12) [ -z "$PEER" ] || "$PEER" trace -s -o out.txt -- "${loop[@]}" ;;
	13) [ -z "$PEER" ] || "$PEER" trace -a -s --bpf-summary -o out.txt -- "${loop[@]}" ;;
	14) "$(dirname "$PERF")/tests/bench/empty-calls" "${loop[@]}" ;;
	esac
}

used() { # us
	awk '$1 == "usage_usec" { print $2 }' "$group/cpu.stat"
}

# cpu WAY WRITES: ns of CPU time
cpu() {
	local before
	before=$(used)
	rm -f out.txt out.data
	(
		echo $BASHPID >"$group/cgroup.procs"
		run_way "$1" "$2"
	) >out.log 2>err.log || true
	while grep -q 'populated 1' "$group/cgroup.events"; do
		sleep 0.05
	done
	echo $((($(used) - before) * 1000))
}

# written WAY: the lines or hits that the last run has written
written() {
	case $1 in
	1 | 8 | 9 | 11) grep -c 'write(' out.txt || true ;;
	6) "$STOCK" script -i out.data -F event 2>/dev/null | grep -c sys_exit || true ;;
	*) echo "$WRITES" ;;
	esac
}

for ((round = 0; round < ROUNDS; round++)); do
	for way in ${WAYS:-${!ways[@]}}; do
		few=$(cpu "$way" $FEW)
		many=$(cpu "$way" "$WRITES")
		echo $(((many - few) / (WRITES - FEW))) "$(written "$way")" $((few / 1000)) >>"$keep/way$way"
	done
done
# median WAY COLUMN
median() {
	sort -n -k "$2,$2" "$keep/way$1" | awk -v column="$2" '{ v[NR] = $column } END { print v[int((NR + 1) / 2)] }'
}
alone=$(median 0 1)
printf '%-40s %8s %10s %9s %9s\n' "" "ns/write" "written" "ns/line" "start ms"
for way in "${!ways[@]}"; do
	[ -e "$keep/way$way" ] || continue
	awk -v way="${ways[way]}" -v ns="$(median "$way" 1)" -v nr="$(median "$way" 2)" -v start="$(median "$way" 3)" -v alone="$alone" -v writes="$WRITES" 'BEGIN {
		if (way != "alone")
			ns -= alone
		printf "%-40s %8.0f %10d %9.0f %9.1f\n", way, ns, nr, nr ? ns * writes / nr : 0, start / 1000 }'
done

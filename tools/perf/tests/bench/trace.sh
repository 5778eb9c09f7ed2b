#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What it costs to trace a loop of writes, in CPU time of all over that of the loop alone: WRITES writes of dd, ROUNDS rounds in which all
# ways take turns, so that a machine that changes its speed changes all. Medians, ns a write. PEER: another perf with BPF programs.
set -eu
export LC_ALL=C
PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
PEER=${PEER:-}
WRITES=${WRITES:-1000000}
ROUNDS=${ROUNDS:-3}
if [ -z "${BENCH_NAMESPACE-}" ]; then
	BENCH_NAMESPACE=1 exec unshare --mount --propagation private -- "$0"
fi
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'
loop=(dd if=/dev/zero of=/dev/null bs=1 "count=$WRITES" status=none)

ways=("alone" "lines" "-s" "--filter, at the begin" "--filter, at the end" "-e of another call" "raw_syscalls recorded by stock perf" "strace -c" "strace"
      "stock perf trace" "stock perf trace -s" "peer: lines" "peer: -s" "peer: --bpf-summary")

run_way() {
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
	esac
}

for ((round = 0; round < ROUNDS; round++)); do
	for way in "${!ways[@]}"; do
		{ time run_way "$way" >out.log 2>err.log; } 2>time.txt || true
		tail -n 1 time.txt | awk -v n="$WRITES" '{ print ($1 + $2) * 1e9 / n }' >>"way$way"
		rm -f out.txt out.data
	done
done
median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
alone=$(median way0)
for way in "${!ways[@]}"; do
	awk -v way="${ways[way]}" -v ns="$(median "way$way")" -v alone="$alone" 'BEGIN { printf "%-40s %8.0f ns a write\n", way, way == "alone" ? ns : ns - alone }'
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a system call costs that perf trace does not want, over one with empty programs on its tracepoints. Each way runs a program that times short
# series of writes and prints the tenth percentile, so a machine with other work gives much the same numbers. The ways take turns for ROUNDS rounds; printed is
# the median of the differences within a round.
set -eu
export LC_ALL=C
PERF=$(readlink -f "${PERF:?names the perf to measure}")
ROUNDS=${ROUNDS:-11}
bench=$(dirname "$PERF")/tests/bench
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

ways=("no programs" "empty programs" "--filter 'count == 1234', at the begin" "--filter 'ret == 1234', at the end" "-e of another call"
      "another process is traced")
run_way() {
	local loop=$bench/cost-of-calls

	case $1 in
	0) "$loop" ;;
	1) "$bench/empty-calls" "$loop" ;;
	2) "$PERF" trace -e write --filter 'count == 1234' -o out.txt -- "$loop" ;;
	3) "$PERF" trace -e write --filter 'ret == 1234' -o out.txt -- "$loop" ;;
	4) "$PERF" trace -e openat2 -o out.txt -- "$loop" ;;
	5)
		sleep 100 &
		"$PERF" trace -e write -p $! -o out.txt -- "$loop"
		kill $!
		wait $! 2>killed.err || true
		;;
	esac
}

for ((round = 0; round < ROUNDS; round++)); do
	for way in "${!ways[@]}"; do
		run_way "$way" >"$way"
	done
	for way in "${!ways[@]}"; do
		echo "$(cat "$way") $(awk -v empty="$(cat 1)" '{ print $1 - empty }' "$way")" >>"rounds$way"
	done
done
printf '%-42s %10s %12s\n' "" "ns a call" "over empty"
for way in "${!ways[@]}"; do
	for column in 1 2; do
		sort -n -k $column,$column "rounds$way" | awk -v column=$column '{ v[NR] = $column } END { print v[int((NR + 1) / 2)] }'
	done | paste -sd' ' | while read -r ns over; do
		printf '%-42s %10.0f %12.0f\n' "${ways[way]}" "$ns" "$over"
	done
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf stat costs beside another perf: its start, and what each switch between tasks of two cgroups costs more while 1, 10 and 200 cgroups are
# counted, by programs (--bpf-counters) and by events of each cgroup. Runs alternate; figures are medians.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
BENCH=$(dirname "$PERF")/tests/bench
ROUNDS=${ROUNDS:-9}
SWITCHES=${SWITCHES:-100000}
EVENTS=${EVENTS:-cpu-clock,context-switches,cpu-migrations,page-faults}
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mount" ] || { echo "bench: cgroup2 is not mounted" >&2; exit 1; }
group=perf-bench.$$
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
clean_up() {
	rm -rf "$work"
	find "$mount/$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
}
trap clean_up EXIT
cd "$work"
mkdir "$mount/$group"
for ((i = 0; i < 200; i++)); do
	mkdir "$mount/$group/$i"
done
alone=()
chrt -f 5 true 2>/dev/null && alone=(chrt -f 5)

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row TITLE UNIT GOAL: medians of ours.txt and stock.txt
row() {
	local a b
	a=$(median <ours.txt)
	b=$(median <stock.txt)
	printf '%-44s ours %7d %s  stock %7d %s  ratio %s  (%s)\n' "$1" "$a" "$2" "$b" "$2" \
		"$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%5.3f", (b > 0) ? a / b : 0 }')" "$3"
}

for ((i = 0; i < ROUNDS * 3; i++)); do
	"$BENCH/run-measured" "$PERF" stat -o /dev/null -- true >>ours.txt
	"$BENCH/run-measured" "$STOCK" stat -o /dev/null -- true >>stock.txt
done
row "perf stat true" us "at most 30000"

# list N: names of N cgroups, of which the two of the load are the first ones
list() {
	seq -s , -f "$group/%g" 0 $(($1 - 1))
}
switches() {
	"${alone[@]}" "$@" "$BENCH/switch-load" "$SWITCHES" "$mount/$group/0" "$mount/$group/1"
}
for nr in 1 10 200; do
	: >ours.txt
	: >stock.txt
	for ((i = 0; i < ROUNDS; i++)); do
		bare=$(switches)
		ours=$(switches "$PERF" stat -q -o /dev/null -a --bpf-counters -e "$EVENTS" --for-each-cgroup "$(list "$nr")" --)
		stock=$(switches "$STOCK" stat -o /dev/null -a -e "$EVENTS" --for-each-cgroup "$(list "$nr")" --)
		echo $((ours - bare)) >>ours.txt
		echo $((stock - bare)) >>stock.txt
	done
	row "a switch, $nr cgroups" ns "at most 0.2"
done

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf sched, perf kwork and perf record --wall cost beside another perf: the CPU time that two tasks which wake each other, and perf itself, take more for each
# switch, and the CPU time of a run that has nothing to do. Runs alternate; figures are medians.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
WORKLOAD=$(dirname "$PERF")/tests/workload
ROUNDS=${ROUNDS:-5}
LOOPS=${LOOPS:-60000} # of two switches each
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# load COMMAND...: CPU time in ns of the command and all below it
load() {
	local TIMEFORMAT='%U %S'

	{ time "$@" >/dev/null 2>messages.txt; } 2>&1 | awk '{ printf "%.0f\n", ($1 + $2) * 1e9 }'
}

# row WHAT OURS STOCK BAR
row() {
	printf '%-44s ours %7d ns  stock %7d ns  ratio %s  (%s)\n' "$1" "$2" "$3" "$(awk -v a="$2" -v b="$3" 'BEGIN { printf "%5.3f", a / b }')" "$4"
}

switches=("$WORKLOAD" context_switch_loop "$LOOPS")
declare -A runs=(
	[record]="$PERF sched record -o ours.data --" [stock-record]="$STOCK sched record -o stock.data --"
	[latency]="$PERF sched latency -a --" [kwork]="$PERF kwork report -k irq,softirq,workqueue,sched --"
	[wall]="$PERF record --wall -o wall.data --" [off-cpu]="$PERF record -e off-cpu -o off-cpu.data --"
	[stock-switch]="$STOCK record -e sched:sched_switch -c 1 -g -o stock.data --"
)
for ((i = 0; i < ROUNDS; i++)); do
	bare=$(load "${switches[@]}")
	for name in "${!runs[@]}"; do
		# shellcheck disable=SC2086 # words
		all=$(load ${runs[$name]} "${switches[@]}")
		echo $(((all - bare) / LOOPS / 2)) >>"$name.txt"
	done
	load "$PERF" sched latency -- true >>start-latency.txt
	load "$PERF" kwork report -- true >>start-kwork.txt
	load "$PERF" record --wall -o wall.data -- true >>start-wall.txt
	load "$PERF" record -e off-cpu -o off-cpu.data -- true >>start-off-cpu.txt
done
row "sched record, a switch" "$(median <record.txt)" "$(median <stock-record.txt)" "at most 1"
row "sched latency, a switch; stock records" "$(median <latency.txt)" "$(median <stock-record.txt)" ""
row "kwork with sched, a switch; stock records" "$(median <kwork.txt)" "$(median <stock-record.txt)" ""
row "record --wall; stock sched_switch -g" "$(median <wall.txt)" "$(median <stock-switch.txt)" "at most 1"
row "record -e off-cpu; stock sched_switch -g" "$(median <off-cpu.txt)" "$(median <stock-switch.txt)" "at most 1"
printf '%-44s ours %7.1f ms\n' "record --wall -- true" "$(median <start-wall.txt | awk '{ print $1 / 1e6 }')"
printf '%-44s ours %7.1f ms\n' "record -e off-cpu -- true" "$(median <start-off-cpu.txt | awk '{ print $1 / 1e6 }')"
printf '%-44s ours %7.1f ms  (%s)\n' "sched latency -- true" "$(median <start-latency.txt | awk '{ print $1 / 1e6 }')" "at most 40"
printf '%-44s ours %7.1f ms  (%s)\n' "kwork report -- true" "$(median <start-kwork.txt | awk '{ print $1 / 1e6 }')" "at most 40"

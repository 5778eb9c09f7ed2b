#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What watching waits for a lock costs: the CPU time that threads which contend for a pipe's mutex, and perf itself, take more for each
# contention, with perf lock contention and with another perf that records the two tracepoints. Runs alternate; figures are medians. The three
# differ in how often threads meet at the lock, too, as whoever is slowed down while it waits meets others more often: that is a part of the cost.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
LOAD=$(dirname "$PERF")/tests/bench/lock-load
ROUNDS=${ROUNDS:-9}
THREADS=${THREADS:-4}
LOOPS=${LOOPS:-200000}
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Other tasks of the machine would decide who meets whom at the lock.
alone=()
chrt -f 5 true 2>/dev/null && alone=(chrt -f 5)

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# load COMMAND...: CPU time in ns of the threads below this command, and of the command
load() {
	local TIMEFORMAT='%U %S'

	{ time "${alone[@]}" "$@" "$LOAD" "$THREADS" "$LOOPS" >/dev/null 2>messages.txt; } 2>&1 | awk '{ printf "%.0f\n", ($1 + $2) * 1e9 }'
}

# Waits that were seen, from JSON; fails if the rows and what was lost do not add up to them.
seen() {
	python3 - "$1" <<-'END'
		import json, sys
		all = json.load(open(sys.argv[1]))
		w = all["waits"]
		rows = sum(row["contended"] for r in all["rounds"] for row in r["rows"])
		if w["seen"] != w["ended"] + w["lost"] + w["unended"] + w["open"] or rows + w["full"] != w["ended"] + w["open"]:
		    sys.exit("bench: waits do not add up: %s, rows %d" % (w, rows))
		print(w["seen"])
	END
}

# Hits of one of the two tracepoints, with those that were lost, and how many per cent were lost. The first two lines are about all events.
hits() {
	"$PERF" report --stats -i "$1" 2>/dev/null | awk '
		$1 == "SAMPLE" && ++samples > 1 { all += $3 }
		$1 == "LOST_SAMPLES" && ++losses > 1 { all += $3; lost += $3 }
		END { printf "%d %d\n", all / 2, all ? 100 * lost / all : 0 }'
}

: >ours.txt
: >stocks.txt
: >lost.txt
most=0
for ((i = 0; i < ROUNDS; i++)); do
	bare=$(load)
	ours=$(load "$PERF" lock contention -Y mutex --json --output waits.json --)
	nr=$(seen waits.json)
	[ "$nr" -le "$most" ] || most=$nr
	echo $(((ours - bare) / nr)) >>ours.txt
	stocks=$(load "$STOCK" record -q -o stock.data -m 1024 -g -e lock:contention_begin -e lock:contention_end --)
	read -r nr lost < <(hits stock.data)
	echo $(((stocks - bare) / nr)) >>stocks.txt
	echo "$lost" >>lost.txt
done
a=$(median <ours.txt)
b=$(median <stocks.txt)
printf '%-44s ours %7d ns  stock %7d ns  ratio %s  (%s)\n' "a contention of $THREADS threads" "$a" "$b" \
	"$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%5.3f", a / b }')" "at most 0.5"
printf '%-44s stock %3d %%\n' "of which a recording lost" "$(median <lost.txt)"
printf '%-44s ours %7d    (%s)\n' "waits in one run, all in rows or told as lost" "$most" "with 1,000,000 as well: LOOPS=400000"

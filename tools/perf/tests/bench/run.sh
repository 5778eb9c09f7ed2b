#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make bench: what this perf costs beside the distribution's, as ratios taken in one run. Runs of the two alternate, so that a
# machine that changes its speed changes both; each figure is the median. Nothing here fails on a slow machine.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
BENCH_DIR=$(dirname "$PERF")/tests/bench
HERE=$(dirname "$(readlink -f "$0")")
ROUNDS=${ROUNDS:-9}
[ -x "$STOCK" ] || { echo "bench: needs the distribution's perf: make deps" >&2; exit 1; }
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

# wall COMMAND...: its wall time in microseconds, on standard output; a command that fails ends the bench
wall() {
	local start=$EPOCHREALTIME end
	"$@" >out.txt 2>&1 || { cat out.txt >&2; echo "bench: failed: $*" >&2; exit 1; }
	end=$EPOCHREALTIME
	echo $((${end/./} - ${start/./}))
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

ms() {
	awk -v us="$1" 'BEGIN { printf "%.1f ms", us / 1000 }'
}

# row TITLE BAR OURS [STOCKS]: two command lines, run in turn; without the second only ours
row() {
	local title=$1 bar=$2 ours=$3 stocks=${4-} i a b
	: >a.txt
	: >b.txt
	for ((i = 0; i < ROUNDS; i++)); do
		# shellcheck disable=SC2086 # command lines
		wall $ours >>a.txt
		# shellcheck disable=SC2086
		[ -z "$stocks" ] || wall $stocks >>b.txt
	done
	a=$(median <a.txt)
	if [ -z "$stocks" ]; then
		printf '%-44s ours %10s %28s  (%s)\n' "$title" "$(ms "$a")" "" "$bar"
		return
	fi
	b=$(median <b.txt)
	printf '%-44s ours %10s  stock %10s  ratio %s  (%s)\n' "$title" "$(ms "$a")" "$(ms "$b")" \
		"$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%5.3f", a / b }')" "$bar"
}

echo "# wall time, median of $ROUNDS; stock is $("$STOCK" --version)"
row "record -e cpu-clock -- true" "40 ms or less" \
	"$PERF record -o ours.data -e cpu-clock -- true" "$STOCK record -o stock.data -e cpu-clock -- true"
row "record --filter 'pid == 1' -- true" "60 ms or less; upstream 13,400 ms" \
	"$PERF record -o ours.data -e cpu-clock --filter pid==1 -- true"
row "record -a -e cpu-clock -- true" "" \
	"$PERF record -o ours.data -a -e cpu-clock -- true" "$STOCK record -o stock.data -a -e cpu-clock -- true"

echo
PERF=$PERF STOCK=$STOCK "$HERE/read.sh"

echo
echo "# kernel time of a filter per sample"
"$BENCH_DIR/filter-cost"

echo
echo "# kernel time of a filter by the kernel's data, for a hit of a tracepoint that it drops"
PERF=$PERF "$HERE/walk-cost.py"

echo
echo "# unwinding tables: at most 4.5 bytes and 60 ns a row, and 10 MB for 200 programs"
"$BENCH_DIR/unwind-tables"

echo
echo "# recording a loop of writes (WRITES=300000 for a quick run)"
PERF=$PERF STOCK=$STOCK "$(dirname "$(readlink -f "$0")")/tracepoints.sh"

echo
echo "# CPU time of a sample that is counted, or written"
"$BENCH_DIR/tally-cost"
# timeout, as it ends all of the pipeline with itself
timeout 120 sh -c 'while :; do tar -c /usr/lib 2>/dev/null | gzip -1 >/dev/null; done' &
load=$!
trap 'kill $load; rm -rf "$work"' EXIT
"$BENCH_DIR/tally-cost" 999
"$BENCH_DIR/tally-cost" 20000
kill $load
trap 'rm -rf "$work"' EXIT

echo
PERF=$PERF STOCK=$STOCK "$HERE/sample-bpf.sh"

echo
echo "# watching waits for locks (LOOPS=20000 for a quick run)"
PERF=$PERF STOCK=$STOCK "$(dirname "$(readlink -f "$0")")/lock.sh"

echo
echo "# perf stat: its start, and cgroups that are counted (SWITCHES=10000 for a quick run)"
PERF=$PERF STOCK=$STOCK "$(dirname "$(readlink -f "$0")")/stat.sh"

echo
echo "# perf sched and kwork (LOOPS=10000 for a quick run)"
PERF=$PERF STOCK=$STOCK "$(dirname "$(readlink -f "$0")")/sched.sh"

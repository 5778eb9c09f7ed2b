#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make bench-compare BASE=PERF: this perf beside another build of it and of its benches, as ratios taken in one run. The two take turns; each
# figure is the median of ROUNDS. A ratio above 1 says that this perf is slower. Nothing here fails on a slow machine.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
BASE=$(readlink -f "${BASE:?names the perf to compare with}")
ROUNDS=${ROUNDS:-15}
SAMPLES=${SAMPLES:-800000}
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

benches() {
	echo "$(dirname "$1")/tests/bench"
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# ratios TITLE UNIT: the medians of ours.txt and base.txt
ratios() {
	local a b
	a=$(median <ours.txt)
	b=$(median <base.txt)
	printf '%-34s ours %10s %s  base %10s %s  ratio %s\n' "$1" "$a" "$2" "$b" "$2" "$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%5.3f", a / b }')"
}

# row TITLE ARGS...: the wall time of `perf ARGS`
row() {
	local title=$1 i
	shift
	: >ours.txt
	: >base.txt
	for ((i = 0; i < ROUNDS; i++)); do
		"$(benches "$PERF")/run-measured" "$PERF" "$@" >>ours.txt
		"$(benches "$PERF")/run-measured" "$BASE" "$@" >>base.txt
	done
	ratios "$title" us
}

echo "# wall time, median of $ROUNDS"
row "record" record -o out.data -e cpu-clock -- true
row "record --filter" record -o out.data -e cpu-clock --filter pid==1 -- true
row "record -a" record -o out.data -a -e cpu-clock -- true
"$(benches "$PERF")/make-perfdata" in.data "$SAMPLES"
row "report --no-children" report --no-children -i in.data
row "report" report -i in.data
row "script" script -i in.data

echo "# filters in the kernel, median of $ROUNDS"
: >ours.all
: >base.all
for ((i = 0; i < ROUNDS; i++)); do
	"$(benches "$PERF")/filter-cost" >>ours.all
	"$(benches "$BASE")/filter-cost" >>base.all
done
# each line: a title, spaces, the figure
titles=$(sed -n 's/ *+\?[0-9.]* \(ns\/sample\|ms\).*//p' ours.all | awk '!seen[$0]++')
while read -r title; do
	for side in ours base; do
		awk -v title="$title" 'index($0, title " ") == 1 { rest = substr($0, length(title) + 1); sub(/^ *\+?/, "", rest); print rest + 0 }' \
			$side.all >$side.txt
	done
	ratios "$title" "$([ "${title#load}" = "$title" ] && echo ns || echo ms)"
done <<<"$titles"

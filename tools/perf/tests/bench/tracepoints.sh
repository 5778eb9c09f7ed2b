#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What it costs to record a loop of writes, by overhead over the loop alone: WRITES writes of dd, ROUNDS rounds in which all ways take
# turns, so that a machine that changes its speed changes all. Medians. In a mount namespace of its own, as stock perf wants tracefs.
set -eu
export LC_ALL=C
PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
WRITES=${WRITES:-3000000}
ROUNDS=${ROUNDS:-5}
EVENT=syscalls:sys_enter_write
if [ -z "${BENCH_NAMESPACE-}" ]; then
	BENCH_NAMESPACE=1 exec unshare --mount --propagation private -- "$0"
fi
mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
work=$(mktemp -d /tmp/perf-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

# On the standard error: wall, user and system time of what is run
TIMEFORMAT='%R %U %S'
export WRITES TIMEFORMAT
# shellcheck disable=SC2016 # for the inner shell
loop='{ time dd if=/dev/zero of=/dev/null count="$WRITES" 2>dd.txt; } 2>inner.txt'

ways=("alone" "this perf" "this perf, BPF filter" "this perf, kernel's filter" "stock perf" "stock perf, filter" "this perf, counted")

# run_way WAY: the command line that records the loop. Stock perf without build ids (-B), over which 6.1 may abort.
run_way() {
	local fields=(--filter 'count == 1234')
	case $1 in
	0) bash -c "$loop" ;;
	1) "$PERF" record -q -e $EVENT -o out.data -- bash -c "$loop" ;;
	2) "$PERF" record -q -e $EVENT "${fields[@]}" -o out.data -- bash -c "$loop" ;;
	# who may not load programs has the kernel's
	3) setpriv --inh-caps=-all "--bounding-set=-bpf,-sys_admin" -- "$PERF" record -q -e $EVENT "${fields[@]}" -o out.data -- bash -c "$loop" ;;
	4) "$STOCK" record -q -B -e $EVENT -o out.data -- bash -c "$loop" ;;
	5) "$STOCK" record -q -B -e $EVENT "${fields[@]}" -o out.data -- bash -c "$loop" ;;
	6) "$PERF" sample-bpf -q -e $EVENT --key comm,pid -o out.data -- bash -c "$loop" ;;
	esac
}

# What was measured of one run: dd's wall and CPU time, perf's CPU time, in ms; MB of the file; samples in it
measure() {
	local wall user sys samples=0 size=0
	rm -f out.data
	{ time run_way "$1" >out.txt 2>&1; } 2>outer.txt || { cat out.txt >&2; exit 1; }
	if [ -e out.data ]; then
		size=$(stat -c %s out.data)
		case $1 in
		[45]) samples=$("$STOCK" report --stats -i out.data 2>/dev/null | awk '/ SAMPLE events:/ { print $3; exit }') ;;
		*) samples=$("$PERF" report --stdio -s comm -i out.data 2>/dev/null | sed -n 's/^# Event count (approx.): //p') ;;
		esac
	fi
	read -r wall user sys <inner.txt
	awk -v wall="$wall" -v user="$user" -v sys="$sys" -v size="$size" -v samples="${samples:-0}" \
		'{ printf "%.0f %.0f %.0f %.1f %d\n", wall * 1e3, (user + sys) * 1e3, ($2 + $3 - user - sys) * 1e3, size / 1e6, samples }' outer.txt
}

median() {
	cut -d' ' -f"$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

for ((round = 0; round < ROUNDS; round++)); do
	for way in "${!ways[@]}"; do
		measure "$way" >>"$way.txt"
	done
done
raw=$(median 0.txt 1) raw_cpu=$(median 0.txt 2)
writes=$((WRITES + 3)) # dd's text
printf '%-28s %12s %12s %12s %9s %10s\n' "$WRITES writes, ms" "dd, over raw" "CPU of dd" "CPU of perf" "file, MB" "lost, %"
for way in "${!ways[@]}"; do
	# a file with a filter has none of the samples, which is no loss
	lost=$(awk -v n="$writes" '$5 > 0 && n > $5 { sum += n - $5 } END { printf "%.2f", 100 * sum / NR / n }' "$way.txt")
	printf '%-28s %+12d %+12d %12s %9s %10s\n' "${ways[way]}" $(($(median "$way.txt" 1) - raw)) $(($(median "$way.txt" 2) - raw_cpu)) \
		"$(median "$way.txt" 3)" "$(median "$way.txt" 4)" "$lost"
done
ratio() {
	awk -v a="$(($(median "$1.txt" "$3") - $4))" -v b="$(($(median "$2.txt" "$3") - $4))" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "?" }'
}
echo "all writes: $(ratio 1 4 1 "$raw") of stock perf's overhead in dd's time, $(ratio 1 4 2 "$raw_cpu") in its CPU time (one half or less)"
echo "filter:     $(ratio 2 5 1 "$raw") of stock perf's overhead in dd's time, $(ratio 2 5 2 "$raw_cpu") in its CPU time (two thirds or less)"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Time namespaces: events and BPF programs have the kernel's clocks, perf and what it watches may see others, in namespaces of their own or of both.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
unshare -T --monotonic 100000 true 2>err.txt || skip_all "no time namespaces here: $(<err.txt)"

inside() { # OFFSET COMMAND...: run in a new time namespace
	local offset=$1
	shift
	run unshare -T --monotonic "$offset" --boottime "$offset" "$@"
}
# seconds RECORDING: the times of its samples, in whole seconds; those of sums have none
seconds() {
	"$PERF" script -F time -i "$1" 2>/dev/null | tr -d ': ' | cut -d . -f 1 | grep '^[0-9]' | grep -v ^18446744
}
now() {
	python3 -c 'import time; print(int(time.clock_gettime(time.CLOCK_MONOTONIC)))'
}
# near_now RECORDING: all samples have times of the last minutes, by the clock outside
near_now() {
	seconds "$1" | awk -v now="$(now)" '{ n++ } $1 > now || $1 < now - 600 { bad++ } END { exit !(n && !bad) }'
}
states() { # RECORDING: names of code made at run time, one after the other
	"$PERF" script -F ip,sym,dso -i "$1" 2>/dev/null | sed -nE 's/^ *[0-9a-f]+ (.*) \(.*\/jit-[0-9]+\.dump\)$/\1/p' | uniq | paste -sd' '
}

for offset in 100000 -20; do
	inside $offset "$PERF" record -e off-cpu --off-cpu-thresh 100 -o s.data -- "$WORKLOAD" sleepy
	is "$rc" 0 "$offset s: --off-cpu"
	like "$err" 'offcpu-time: [3-9][0-9] sleeps' "$offset s: sleeps are seen"
	ok "$offset s: and have their times" near_now s.data
	inside $offset "$PERF" record --wall -o w.data -- "$WORKLOAD" sleepy
	like "$err" 'wall-clock: [0-9]{2,} spans' "$offset s: --wall has spans"
	inside $offset "$PERF" sched latency -a -- sleep 0.5
	like "$out" 'TOTAL: +\| +([0-9]{1,3}\.[0-9]{3} ms|[1-9]\.[0-9]{3} s)' "$offset s: sched latency has no more time than there was"
	inside $offset "$PERF" kwork top -- sleep 0.5
	like "$out" 'Total *: *[0-9]{3,4}\.[0-9]{3} ms' "$offset s: nor has kwork top"
	inside $offset "$PERF" lock contention -a -b -- sleep 0.2
	unlike "$out" '[0-9]{5}\.[0-9]+ s' "$offset s: waits for locks take no days"
	inside $offset "$PERF" record -q -N -k mono -e cpu-clock:u -F 2000 -o j.data -- "$WORKLOAD" jitdump 0.3
	is "$(states j.data)" "jit_workload jit_replaced" "$offset s: code made at run time has its names, in its time"
	if [ -n "$STOCK" ]; then
		reference=$("$STOCK" report --header-only -i j.data | sed -nE 's/.*reference time: .* = ([0-9]+)\.[0-9]+ \(monotonic\).*/\1/p')
		ok "$offset s: the time of day belongs to the samples' clock" test "${reference:-0}" -gt 0 -a "${reference:-0}" -le "$(now)" -a "${reference:-0}" -gt $(($(now) - 600))
	fi

	# The command only
	run "$PERF" record -q -N -k mono -e cpu-clock:u -F 2000 -o j.data -- unshare -T --monotonic $offset "$WORKLOAD" jitdump 0.3
	is "$(states j.data)" "jit_workload jit_replaced" "$offset s: so it has if only the command is in the namespace"
	run "$PERF" record -e off-cpu --off-cpu-thresh 100 -o s.data -- unshare -T --monotonic $offset "$WORKLOAD" sleepy
	like "$err" 'offcpu-time: [3-9][0-9] sleeps' "$offset s: and its sleeps are seen"
	ok "$offset s: by the clock of events" near_now s.data
	rm -f jit-*.dump
done

# A process that ran already: nothing tells the difference.
spawn unshare -T --monotonic 100000 "$WORKLOAD" jitdump 600
running=$spawned_pid
has_code() {
	[ "$(stat -c %s "jit-$running.dump" 2>/dev/null || echo 0)" -gt 100 ]
}
ok "a compiler runs" wait_for 60 has_code
run "$PERF" record -q -N -k mono -e cpu-clock:u -F 2000 -o p.data -p "$running" -- sleep 0.3
is "$(states p.data)" "jit_workload" "code of a process that ran already has names"
run "$PERF" report --stdio -s sym -i p.data
like "$err" "jit-$running.dump: its times cannot be related to the recording's: .* another time namespace" "and perf says why they may be late"
kill -KILL "$running"
done_testing

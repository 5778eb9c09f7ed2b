#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: user stacks whose functions are known, unwound by BPF (tests/cmd/stacks.c).
mkdir -p /tmp/stacks && cd /tmp/stacks || exit
: >err

# until-run PID NS: end when its tasks have run for so long
cat >until-run <<'TEXT'
used() {
	cat "/proc/$1/task"/*/schedstat | awk '{ n += $1 } END { printf "%.0f\n", n }'
}
end=$(($(used "$1") + $2))
while [ "$(used "$1")" -lt "$end" ]; do
	:
done
TEXT

# The callers of each sample in leaf(), or where a clock is read, outermost first, from main or the thread's function on
chains() {
	perf script -i perf.data -F ip,sym 2>>err | awk '
		function flush() { if (chain ~ / (leaf|[^ ]*clock_gettime[^ ]*)$/) print chain; chain = "" }
		NF == 0 { flush(); next }
		{ sub(/\+.*/, "", $2); chain = " " $2 chain }
		END { flush() }' | sed -E 's/.* (main|in_thread) /\1 /' | sort | uniq -c | sort -rn
}

# has_chain PROGRAM EVENT CHAIN ARGS...: record the program while it runs: all its stacks are whole, and have this chain.
has_chain() {
	local program=$1 event=$2 want=$3 target all
	shift 3
	rm -f ready perf.data
	"$program" "$@" &
	target=$!
	while [ ! -e ready ] && kill -0 $target; do
		:
	done
	perf record -e "$event" -F 499 --call-graph bpf -p $target -o perf.data -- sh until-run $target 1000000000 >/dev/null 2>err
	rc=$?
	kill $target
	wait $target 2>/dev/null
	all=$(chains)
	printf '%s\n' "$all" >>err
	[ $rc = 0 ] && grep -qE "user stacks, 100\.0 % of them whole" err && printf '%s\n' "$all" | grep -qE "^ *[0-9]+ $want\$" &&
		! printf '%s\n' "$all" | grep -qvE "^ *[0-9]+ $want\$"
}

refuses_stacks() {
	rm -f ran
	! perf record -e cpu-clock --call-graph bpf -o perf.data -- touch ran 2>err && [ ! -e ran ] &&
		grep -q 'needs maple tree of mappings, which Linux 6.1 .*: take --call-graph fp or dwarf' err
}

refuses_tracepoint() {
	rm -f ran
	! perf record -e sched:sched_switch --call-graph bpf -o perf.data -- touch ran 2>err && [ ! -e ran ] &&
		grep -qE 'needs .*which Linux (6.[12]|5.14) .* Take --call-graph fp or dwarf|: take --call-graph fp or dwarf' err
}

# The programs are loaded, and have walked stacks.
takes_stacks() {
	perf "$@" --call-graph bpf -- sleep 0.2 >out 2>err && grep -q ' user stacks, ' err
}

takes_all_ways() { # EVENT
	ok "$1: recorded" takes_stacks record -e "$1" -o perf.data
	ok "$1: counted" takes_stacks sample-bpf -e "$1" -o perf.data
	ok "$1: counted for all processes" takes_stacks sample-bpf -e "$1" --key ustack -o perf.data
}

# A sleep of 0.5 s is most of a program's time.
sleeps() { # COMMAND [OPTIONS]
	perf "$@" --wall -o wall.data -- sleep 0.5 >out 2>err && perf report --stdio --no-children -g none -i wall.data -s comm,state >out 2>>err
	cat out >>err
	grep -qE '^ +[5-9][0-9]\.[0-9]+% +sleep +sleeping' out
}

for unit in walk cfi-oracle; do
	unit $unit
done
if feature 'user stacks by BPF' 6.1; then
	unit unwind
	events=cpu-clock:u
	# Of the machines that are emulated, arm64's has a PMU.
	[ ! -e /sys/bus/event_source/devices/armv8_pmuv3 ] && [ ! -e /sys/bus/event_source/devices/armv8_pmuv3_0 ] || events='cpu-clock:u cycles:u'
	for program in stacks stacks-signed; do
		command -v $program >/dev/null || continue
		for event in $events; do
			ok "$program, $event: deep calls" has_chain $program "$event" "main$(printf ' step%.0s' $(seq 41)) leaf" deep 40
			ok "$program, $event: callbacks of libc" has_chain $program "$event" \
				'main sort( [_a-zA-Z0-9.]*(qsort|msort)[_a-zA-Z0-9.]*| \[unknown\])+ compare leaf' sort
			ok "$program, $event: a signal handler" has_chain $program "$event" \
				'main interrupted( [_a-zA-Z0-9.@]*(raise|pthread_kill)[_a-zA-Z0-9.@]*| \[unknown\])+ ([_a-z]*(restore_rt|rt_sigreturn)|\[unknown\]) on_signal leaf' signal
			ok "$program, $event: threads" has_chain $program "$event" '(main threads|in_thread) leaf' thread
			ok "$program, $event: the vdso" has_chain $program "$event" 'main clocks( [^ ]*clock_gettime[^ ]*)+' clock
			ok "$program, $event: a frame of unknown size" has_chain $program "$event" 'main aligned leaf' aligned
		done
	done
	ok "samples in the kernel" has_chain stacks cpu-clock "main$(printf ' step%.0s' $(seq 41)) leaf" deep 40
	takes_all_ways off-cpu
	ok "samples: counted" takes_stacks sample-bpf -e page-faults:u -c 1 -o perf.data
	ok "samples: counted for all processes" takes_stacks sample-bpf -e page-faults:u -c 1 --key ustack -o perf.data
else
	ok "refused" refuses_stacks
fi
if feature 'user stacks by BPF: tracepoints' 6.2; then
	for event in sched:sched_switch syscalls:sys_enter_clock_nanosleep syscalls:sys_exit_clock_nanosleep; do
		takes_all_ways $event
	done
else
	ok "refused" refuses_tracepoint
fi
if feature 'wall-clock time' 5.19; then
	ok "recorded" sleeps record
	ok "counted" sleeps sample-bpf --key comm
fi

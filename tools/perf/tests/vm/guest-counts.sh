#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2016,SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: perf stat with events of tasks, and with counters of CPUs that BPF programs read, on the same run.
mkdir -p /tmp/counts && cd /tmp/counts || exit
: >err

# start NAME OPTIONS...: a perf that counts the target from now on
start() {
	local name=$1
	shift
	mkfifo "$name.ctl" "$name.ack"
	perf stat "$@" -D -1 --control "fifo:$name.ctl,$name.ack" -x , -o "$name.csv" -p "$target" 2>>err &
	pids="$pids $!"
	echo enable >"$name.ctl"
	head -n 1 "$name.ack" >/dev/null
}

# count FIELD NAME EVENT: of the first event with that name
count() {
	awk -F , -v field="$1" -v event="$3" '$3 == event { print $field; exit }' "$2.csv"
}

# run_target OPTIONS...: the target works once all have begun to count it: one by its own events, three with shared counters.
run_target() {
	rm -f go ./*.ctl ./*.ack ./*.csv
	mkfifo go
	sh -c 'read -r _ <go; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' &
	target=$! pids=
	start own "$@"
	for name in first second third; do
		start $name --bpf-counters "$@"
	done
	echo >go
	# shellcheck disable=SC2086 # several words
	wait $target $pids
	cat ./*.csv >>err
}

near() { # PERCENT A B
	awk -v p="$1" -v a="$2" -v b="$3" 'BEGIN { d = a > b ? a - b : b - a; exit !(a > 0 && d * 100 <= a * p) }'
}

# shared EVENT: each of three has what the task's own event has.
shared() {
	run_target -e "$1"
	for name in first second third; do
		near 1 "$(count 1 own "$1")" "$(count 1 $name "$1")" || return
	done
}

# They take turns, and each is scaled to the whole time.
takes_turns() {
	run_target -e "$1"
	[ "$(awk -F , '$5 < 99 { n++ } END { print n + 0 }' first.csv)" -gt 3 ] && near 25 "$(count 1 first "$2")" "$(count 1 own "$2")"
}

# The clock of a loop in the shell, and of nothing
judges_names() {
	for name in sh nobody; do
		perf stat -x , -o $name.csv -e task-clock --filter "comm == $name" -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' 2>err || return
	done
	[ "$(count 1 nobody task-clock)" = 0.00 ] && [ "$(count 1 sh task-clock)" != 0.00 ]
}

# Five runs of the same work: a mean with noise, in BPF and without
repeats() {
	local how
	for how in --bpf-counters --big-num; do
		perf stat $how -r 5 -x , -o runs.csv -e "$1" -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' 2>err || return
		cp runs.csv err
		[ "$(count 1 runs "$1")" -gt 1000 ] && [ "$(count 4 runs "$1" | tr -d '%' | cut -d . -f 1)" -lt 20 ] || return
	done
}

# Does the PMU count it? That of qemu knows few events.
counts() {
	perf stat -x , -o has.csv -e "$1" -- true 2>err && [ "$(count 1 has "$1")" != "<not supported>" ]
}

refuses_counts() {
	rm -f ran
	! perf stat --bpf-counters -e task-clock -- touch ran 2>err && [ ! -e ran ]
}

if feature 'perf stat --bpf-counters' 6.1; then
	ok "task-clock of three at once" shared task-clock
	ok "page faults of three at once" shared page-faults
	ok "a filter of the name" judges_names
	if [ -e /sys/bus/event_source/devices/armv8_pmuv3 ] || [ -e /sys/bus/event_source/devices/armv8_pmuv3_0 ]; then
		ok "cycles:u of three at once" shared cycles:u
		ok "cycles of three at once" shared cycles
		for event in instructions:u L1-dcache-loads:u branches:u; do
			if counts $event; then
				ok "$event of three at once" shared $event
			fi
		done
		ok "five runs" repeats cycles:u
		ok "more events than counters" takes_turns r11,r11:u,r11:k,r1d,r1d:u,r1d:k,r13,r13:u,r13:k,r60,r60:u,r60:k r11:u
	fi
else
	ok "counting in BPF is refused" refuses_counts
fi

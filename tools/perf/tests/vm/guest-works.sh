#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2016,SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: perf kwork of works whose number is known, of softirqs that the kernel counts, and times that add up.
mkdir -p /tmp/works && cd /tmp/works || exit
: >err

# runs NAME COLUMN: the sum of the column of rows of that name
runs() {
	awk -F'|' -v name="$1" -v column="$2" '{ n = $1; gsub(/ /, "", n); sub(/:.*/, "", n) } n == name { sum += $column } END { print sum + 0 }' out
}

counts_works() { # VIEW COLUMN
	perf kwork "$1" -k workqueue -- sh -c 'workload make_maps 300; sleep 3' >out 2>err
	cat out >>err
	[ "$(runs '(w)bpf_map_free_deferred' "$2")" -ge 300 ] && ! grep -qE 'missing|missed' err
}

# All softirqs of /proc/softirqs that there are at least, and at most
softirqs() { # NAME
	awk -v name="$1:" '$1 == name { for (i = 2; i <= NF; i++) sum += $i } END { print sum + 0 }' /proc/softirqs
}

counts_softirqs() {
	local first last
	first=$(softirqs TIMER)
	perf kwork report -k softirq -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done' >out 2>err
	last=$(softirqs TIMER)
	cat out >>err
	echo "TIMER: $(runs '(s)TIMER' 4) of $first to $last" >>err
	[ "$(runs '(s)TIMER' 4)" -ge 5 ] && [ "$(runs '(s)TIMER' 4)" -le $((last - first)) ]
}

adds_up() {
	perf kwork top -- sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done' >out 2>err
	cat out >>err
	awk '
		$1 == "Total" { all = $3 }
		$1 == "%Cpu(s):" { rest = all * ($4 + $6) / 100 }
		$5 == "ms" && $1 ~ /^[0-9]+$/ { sum += $4 }
		END { off = sum + rest - all; exit !(all > 0 && off < all * 0.002 && off > all * -0.002) }' out
}

# Each sleep ends by a timer, which the interrupt of a CPU's own timer runs, unless another one does.
counts_timers() {
	local first last
	first=$(awk '$1 == "LOC:" { print $2 + $3 }' /proc/interrupts)
	perf kwork report -k hrtimer,timer,ipi -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done' >out 2>err
	last=$(awk '$1 == "LOC:" { print $2 + $3 }' /proc/interrupts)
	cat out >>err
	echo "local_timer: $(runs '(ipi)local_timer' 4) of $first to $last" >>err
	[ "$(runs '(hrtimer)hrtimer_wakeup' 4)" -ge 8 ] && [ "$(runs '(ipi)local_timer' 4)" -ge 8 ] && [ "$(runs '(ipi)local_timer' 4)" -le $((last - first)) ]
}

# Kernels before 6.4 do not show them.
knows_tasklets() {
	perf kwork report -k tasklet -- sleep 1 >out 2>err
	case $?:$(ls -d /sys/kernel/tracing/events/irq/tasklet_exit 2>/dev/null) in
	0:/*) ;;
	255:) grep -q 'no tracepoint irq:tasklet_exit' err ;;
	*) false ;;
	esac
}

same_timers_in_a_file() {
	perf kwork -k hrtimer,ipi record -o timers.data -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done' >out 2>err
	perf kwork report -i timers.data -k hrtimer,ipi >out 2>>err
	cat out >>err
	[ "$(runs '(hrtimer)hrtimer_wakeup' 4)" -ge 8 ] && [ "$(runs '(ipi)local_timer' 4)" -ge 8 ]
}

same_in_a_file() {
	perf kwork record -o works.data -- sh -c 'workload make_maps 300; sleep 3' >out 2>err
	perf kwork report -i works.data -k workqueue >out 2>>err
	cat out >>err
	[ "$(runs '(w)bpf_map_free_deferred' 4)" -ge 300 ]
}

if feature 'perf kwork' 5.18; then
	ok "each work has a run" counts_works report 4
	ok "each work has a wait" counts_works latency 4
	ok "softirqs are those that the kernel counts" counts_softirqs
	ok "times add up to all CPUs" adds_up
	ok "the same from a file" same_in_a_file
	ok "timers and IPIs have runs" counts_timers
	ok "and the same from a file" same_timers_in_a_file
	ok "tasklets are watched, or perf says that the kernel does not show them" knows_tasklets
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2016,SC2154,SC2034,SC2086,SC2319 # what guest.sh defines
# A part of guest.sh's script: functions of the kernel by kprobes, called by known programs for a known number of times.
mkdir -p /tmp/functions && cd /tmp/functions || exit
: >err
mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null

# counted EVENT FILTER: perf stat has 1000 reads of five bytes.
counted() {
	perf stat -x , -e "$1" --filter "$2" dd if=/dev/zero of=/dev/null bs=5 count=1000 2>err
	grep -q "^1000,,$1," err
}

recorded() {
	perf record -g -e kprobe:vfs_read --filter 'count == 5 && comm == "dd"' -o k.data dd if=/dev/zero of=/dev/null bs=5 count=1000 2>err &&
		[ "$(perf script -i k.data -F event,trace 2>>err | grep -c ' count=5 ')" = 1000 ] &&
		[ "$(perf script -i k.data -F ip,sym 2>>err | grep -c ' vfs_read$')" = 1000 ]
}

by_argument() {
	perf sample-bpf -e kprobe:vfs_read --hist count:linear,1 --filter 'count <= 5' dd if=/dev/zero of=/dev/null bs=5 count=1000 >out 2>err
	grep -qE '^ +5 +1000 ' out
}

# Made by perf probe: parameters by BTF, recorded with a filter, and deleted
probed() {
	perf probe -q -a 'guest:reads=vfs_read count' -a 'guest:reads=vfs_read%return $retval:s64' 2>err &&
		perf record -e guest:reads --filter 'count == 5 && common_pid > 0' -o p.data dd if=/dev/zero of=/dev/null bs=5 count=1000 2>err &&
		[ "$(perf script -i p.data -F event,trace 2>>err | grep -c 'guest:reads: .* count=0x5$')" = 1000 ] &&
		perf stat -x , -e guest:reads__return --filter 'arg1 == 5' dd if=/dev/zero of=/dev/null bs=5 count=1000 2>err &&
		grep -q '^1000,,guest:reads__return,' err &&
		perf probe -l 'guest:*' 2>err | grep -q 'guest:reads .*(on vfs_read with count)' &&
		perf probe -q -d 'guest:*' 2>err && ! grep guest /sys/kernel/tracing/kprobe_events >err
}

# measured COUNT MS OPTIONS...: all calls are there, and none is shorter.
measured() {
	local count=$1 ms=$2
	shift 2
	perf ftrace latency "$@" >out 2>err
	awk -F': +' -v count="$count" -v us="${ms}000" '/min time/ { min = $2 } / count:/ { n = $2 } END { exit !(n == count && min >= us) }' out
}

# slow COUNT OPTIONS...: so many sleeps, and all are in the buckets from 16 ms on, where sleeps of 20 ms belong.
slow() {
	local count=$1
	shift
	measured "$count" 20 "$@" || return
	cat out >>err
	[ "$(awk -F'|' '/^ .*(ms|s ) / { split($1, w, " "); low = w[1]; if ($1 ~ /s  *$/ && $1 !~ /ms/) low *= 1024; if (low >= 16) n += $2 } END { print n + 0 }' out)" = "$count" ]
}

sleeps='i=0; while [ $i -lt 10 ]; do sleep 0.02; i=$((i + 1)); done'

# The kernel's own function tracer: as many calls as BPF programs see
# The tracer's buffer may be full before perf, which a busy host holds up, has read it. Then perf says so.
same_by_tracer() {
	perf ftrace latency -T vfs_read dd if=/dev/zero of=/dev/null bs=5 count=1000 >out.bpf 2>err
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		perf ftrace latency --no-use-bpf -T vfs_read dd if=/dev/zero of=/dev/null bs=5 count=1000 >out 2>err.tracer
		grep -q 'were lost' err.tracer || break
	done
	cat err.tracer >>err
	cat out.bpf out >>err
	[ "$(grep ' count:' out)" = "$(grep ' count:' out.bpf)" ] && [ "$(awk '$1 == "count:" { print $2 }' out)" -ge 1000 ]
}

# "7 (expanded: 1408)" before perf is the first user of the buffer, which then stays as large as its first user makes it.
leaves_the_size() {
	local file=/sys/kernel/tracing/buffer_size_kb before after
	before=$(cat $file)
	perf ftrace latency --no-use-bpf -T vfs_read true >out 2>err
	after=$(cat $file)
	echo "# $before, then $after" >>err
	case $before in
	*expanded*) [ "$after" = "$(echo "$before" | sed 's/.*: \([0-9]*\))/\1/')" ] || [ "$after" = "$before" ] ;;
	*) [ "$after" = "$before" ] ;;
	esac
}

# More calls than there is room for: those that are missing are told, with up to two records each.
loses_no_call_silently() {
	local seen lost
	perf ftrace latency --no-use-bpf -T vfs_read dd if=/dev/zero of=/dev/null bs=5 count=300000 >out 2>err
	seen=$(awk '$1 == "count:" { print $2 }' out)
	lost=$(sed -n 's/^ *\([0-9]*\) records of calls were lost.*/\1/p' err)
	echo "# $seen seen, $lost lost" >>err
	[ $((seen + ${lost:-0})) -ge 300000 ] && [ $((2 * seen + ${lost:-0})) -lt 601000 ]
}

settings() {
	(cd /sys/kernel/tracing && grep . current_tracer tracing_on buffer_size_kb tracing_cpumask set_ftrace_filter set_ftrace_pid events/sched/sched_process_exec/enable options/func* options/*-time; ls instances)
}

# From Linux 6.11 on perf has the tracer in an instance of its own.
traces() {
	cd /sys/kernel/tracing || return
	! linux 6.11 || cd instances/perf-ftrace-* 2>/dev/null || return
	[ "$(cat current_tracer)$(cat tracing_on)" = function_graph1 ]
}

set_back() {
	settings >before
	perf ftrace latency --no-use-bpf -T hrtimer_nanosleep -C 0 sleep 0.1 >out 2>err
	settings >after
	diff before after >>err
}

killed() {
	local i=0 pid
	settings >before
	perf ftrace latency --no-use-bpf -T hrtimer_nanosleep -a >out 2>err &
	pid=$!
	while ! (traces) && [ $i -lt 100 ]; do
		sleep 0.2
		i=$((i + 1))
	done
	kill -9 $pid
	wait $pid 2>/dev/null
	[ $i -lt 100 ] || return
	i=0
	while settings >after && ! cmp -s before after && [ $i -lt 100 ]; do
		sleep 0.2
		i=$((i + 1))
	done
	diff before after >>err
}

# As soon as the instance is there, while the kernel still fills it
killed_early() {
	local i=0 pid t=/sys/kernel/tracing/instances
	perf ftrace latency --no-use-bpf -T hrtimer_nanosleep -a >out 2>err &
	pid=$!
	until set -- $t/perf-ftrace-* && [ -d "$1" ] || ! kill -0 $pid; do :; done 2>/dev/null
	kill -9 $pid
	wait $pid 2>/dev/null
	echo "killed while $1 was made" >>err
	[ -d "$t" ] && [ "${1%\*}" = "$1" ] || return
	while [ -d "$1" ] && [ $i -lt 100 ]; do
		sleep 0.2
		i=$((i + 1))
	done
	[ ! -d "$1" ]
}

# tracer_refused TEXT: the tracer cannot be had
tracer_refused() {
	! perf ftrace latency --no-use-bpf -T vfs_read true >out 2>err && grep -q "$1" err
}

in_use() {
	local t=/sys/kernel/tracing status
	echo function_graph >$t/current_tracer
	tracer_refused 'has another user: current_tracer' && [ "$(cat $t/current_tracer)" = function_graph ]
	status=$?
	echo nop >$t/current_tracer
	if linux 6.11; then
		mkdir $t/instances/other && echo function_graph >$t/instances/other/current_tracer
		tracer_refused 'has another user: instances/other' && [ "$(cat $t/instances/other/current_tracer)" = function_graph ] || status=1
		rmdir $t/instances/other
	fi
	return $status
}

# Somebody watches an event and writes marks: both stay.
bystander() {
	local t=/sys/kernel/tracing status
	echo 1 >$t/events/sched/sched_process_fork/enable
	echo a_mark >$t/trace_marker
	if linux 6.11; then
		measured 1 100 --no-use-bpf -T hrtimer_nanosleep sleep 0.1
	else
		tracer_refused 'events are enabled'
	fi
	status=$?
	cat out >>err
	echo 0 >$t/events/sched/sched_process_fork/enable
	linux 6.11 || tracer_refused 'buffer, trace in tracefs, is not empty' || status=1
	grep -q a_mark $t/trace && grep -q sched_process_fork $t/trace || status=1
	echo >$t/trace
	return $status
}

# A kernel that offers no kprobes to perf
chosen() {
	mount -t tmpfs none /sys/bus/event_source/devices || return
	slow 10 -v -T hrtimer_nanosleep sh -c "$sleeps" && ! grep -q 'were lost' err
	set -- $?
	umount /sys/bus/event_source/devices
	return $1
}

# The tracer compares ids of the first namespace.
in_a_namespace() {
	! unshare --pid --fork perf ftrace latency --no-use-bpf -T vfs_read true >out 2>err &&
		grep -q 'does not know the process ids of this namespace' err && settings | grep -q 'current_tracer:nop'
}

unknown() {
	! perf ftrace latency --no-use-bpf -T no_such_function true >out 2>err && grep -q "knows no function 'no_such_function'" err &&
		settings | grep -q 'current_tracer:nop'
}

# Without kprobes the message says so.
refused() {
	! perf stat -e kprobe:vfs_read true 2>err && grep -q 'has no kprobes' err
}

if [ -d /sys/bus/event_source/devices/kprobe ] && feature "functions of the kernel" 6.1; then
	ok "calls are counted by an argument" counted kprobe:vfs_read 'count == 5'
	ok "by the number of the argument" counted kprobe:vfs_read 'arg3 == 5 && comm == "dd"'
	ok "returns are counted by their value" counted kretprobe:vfs_read 'retval == 5'
	ok "calls are recorded with arguments and stacks" recorded
	ok "a histogram has an argument" by_argument
	ok "perf probe makes events of functions and parameters" probed
	ok "each call is measured" measured 1000 0 -T vfs_read --filter 'count == 5' dd if=/dev/zero of=/dev/null bs=5 count=1000
	ok "none sleeps shorter than it was to, and all are in their buckets" slow 10 -T hrtimer_nanosleep sh -c "$sleeps"
	if grep -q function_graph /sys/kernel/tracing/available_tracers && feature "perf ftrace latency --no-use-bpf" 6.1; then
		ok "the kernel's function tracer leaves the buffer as it is after its first use" leaves_the_size
		ok "it measures the same calls" same_by_tracer
		ok "and tells what it loses" loses_no_call_silently
		ok "and sleeps of children" slow 10 --no-use-bpf -T hrtimer_nanosleep sh -c "$sleeps"
		ok "its settings are set back" set_back
		ok "also if perf is killed" killed
		! linux 6.11 || ok "as soon as it has an instance, too" killed_early
		ok "another user is left alone" in_use
		ok "and who watches events without the tracer" bystander
		ok "a function that it does not know" unknown
		! unshare --pid --fork true 2>/dev/null || ok "ids of a namespace that it does not know" in_a_namespace
		ok "it is chosen where there are no kprobes" chosen
	fi
elif [ ! -d /sys/bus/event_source/devices/kprobe ]; then
	ok "a kernel without kprobes says so" refused
fi

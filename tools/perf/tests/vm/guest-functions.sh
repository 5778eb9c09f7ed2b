#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # what guest.sh defines
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
	ok "none sleeps shorter than it was to" measured 10 20 -T hrtimer_nanosleep \
		sh -c 'i=0; while [ $i -lt 10 ]; do sleep 0.02; i=$((i + 1)); done'
elif [ ! -d /sys/bus/event_source/devices/kprobe ]; then
	ok "a kernel without kprobes says so" refused
fi

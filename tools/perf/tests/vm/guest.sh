#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# Runs in the guest under busybox: the unit tests of filters, then recordings whose counts must agree. What a kernel must be
# able to do is told by its version, not by perf's own probes.
checks=0

ok() { # WHAT COMMAND...
	local what=$1
	shift
	checks=$((checks + 1))
	if "$@"; then
		echo "ok $checks - $what"
	else
		echo "not ok $checks - $what"
		sed 's/^/# /' err
	fi
}

# Linux is at least version $1
linux() {
	[ "$(printf '%s\n%s\n' "$1" "$(uname -r | cut -d- -f1)" | sort -V | head -n 1)" = "$1" ]
}

# Records the page faults of a command, or $event, of a user without privilege if $user is set; summary and messages are in err.
user=
event=
record() {
	rm -f perf.data ran
	# shellcheck disable=SC2016 # the filter is for the inner shell
	FILTER=$1 su -s /bin/sh "${user:-root}" -c "perf record ${event:--e page-faults${user:+:u} -c 1} -o perf.data "'--filter "$FILTER" -- \
		sh -c "touch ran; ls -lR /bin"' >/dev/null 2>err
	rc=$?
}

count() { # kept, seen, dropped
	sed -nE "s/^filter: (.*, )?([0-9]+) (samples )?$1.*/\2/p" err
}

in_file() {
	perf script -i perf.data -F tid 2>/dev/null | grep -c .
}

agrees() {
	record "$1"
	[ $rc = 0 ] && [ "$(count seen)" -gt 0 ] && [ "$(($(count kept) + $(count dropped)))" = "$(count seen)" ] &&
		[ "$(in_file)" = "$(count kept)" ]
}

keeps_all() {
	agrees "$1" && [ "$(count dropped)" = 0 ]
}

drops_all() {
	agrees "$1" && [ "$(count kept)" = 0 ]
}

splits() {
	agrees "$1" && [ "$(count kept)" -gt 0 ] && [ "$(count dropped)" -gt 0 ]
}

# Refused, by a message that has a version in it; and nothing was run or recorded.
refuses() {
	record "$1"
	[ $rc = 255 ] && grep -q "Linux $2 and newer" err && [ ! -e ran ] && [ ! -e perf.data ]
}

perf test --kernel | sed 's/^/# /'
: >err
# However slow the guest is, the kernel is not to lower the highest frequency.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
if ! linux 5.15; then
	ok "filters are refused" refuses 'tid != 1' 5.14
	echo "1..$checks"
	echo "guest: the end"
	exit
fi

export CMOCKA_MESSAGE_OUTPUT=TAP
for program in rings sampler bpf-filter-load bpf-filter bpf-filter-terms bpf-filter-code counter count-table; do
	echo "# $program"
	$program 2>&1
done

for filter in 'tid > 1' 'pid > 1' 'cpu < 2' 'period == 1' 'uid == 0' 'gid == 0' 'ppid > 0' 'nice == 0' 'prio == 120' '!idle' \
	'mode in {user, kernel}' 'comm != init' 'cgroup == /' 'ip > 0' 'comm ~ "*[a-z]*"' 'rand < 100%'; do
	ok "keeps all: $filter" keeps_all "$filter"
done
for filter in 'tid == 1' 'cpu > 5' 'period > 1' 'uid == 7' 'comm == nothing' 'nice > 3' 'idle' 'ip == 0' 'cgroup != /'; do
	ok "drops all: $filter" drops_all "$filter"
done
for filter in 'mode == user' 'comm == ls' 'every 3' 'dso == busybox' 'addr < 0x7f0000000000' \
	'comm == ls && every 5 || mode == kernel'; do
	ok "splits: $filter" splits "$filter"
done
for filter in 'time > 1ns' 'id != 0' 'phys_addr == 0' 'txn == 0' 'weight == 0' 'mem_op != load' 'data_pgsz == 0'; do
	if linux 6.3; then
		ok "has data of the sample: $filter" agrees "$filter"
	else
		ok "names what is missing: $filter" refuses "comm != init && $filter" 6.3
		ok "names the test: $filter" grep -q "'$filter'" err
	fi
done

# Samples of hardware, where the machine has a PMU (of those emulated, arm64's)
if perf record -e cycles:u -c 1000000 -o perf.data -- true 2>err && ! grep -q 'using cpu-clock' err; then
	for event in '-e cycles:u -c 10000' '-e cycles -c 20000' '-e cycles:u -F 500 -g'; do
		ok "$event keeps all: cpu < 2" keeps_all 'cpu < 2'
		ok "$event drops all: tid == 1" drops_all 'tid == 1'
		ok "$event splits: comm == ls" splits 'comm == ls'
	done
	# No test that cycles:u is never in the kernel: the interrupt may come late.
	for event in '-e cycles:u -c 10000' '-e cycles:u -F 500'; do
		ok "$event splits: ip & 4" splits 'ip & 4'
	done
	event='-e cycles -c 20000'
	ok "$event splits: mode == kernel" splits 'mode == kernel'
	event=
elif [ -e /sys/bus/event_source/devices/armv8_pmuv3 ] || [ -e /sys/bus/event_source/devices/armv8_pmuv3_0 ]; then
	ok "cycles can be sampled" false
fi

# Callchains whose user part comes when the task leaves the kernel
record_deferred() {
	rm -f perf.data ran
	perf record -e cpu-clock -F 500 --call-graph fp,defer --filter 'mode == kernel' -o perf.data -- \
		sh -c 'touch ran; dd if=/dev/zero of=/dev/null bs=64k count=5000' >/dev/null 2>err
	rc=$?
}
# Samples that hit in the kernel and have user frames behind it; with "cookie": that have the number of what is to come
samples_with() { # busybox|cookie OPTION...
	local what=$1
	shift
	perf script -i perf.data -F ip,sym,dso "$@" 2>/dev/null | awk -v RS= "/kernel.kallsyms.*$what/ { n++ } END { print n + 0 }"
}
is_deferred() {
	local samples
	record_deferred
	samples=$(count kept)
	# What a task was hit in while it called exec or exit has no user part.
	[ $rc = 0 ] && [ "$samples" -gt 5 ] && [ "$(samples_with cookie --no-merge-callchains)" = "$samples" ] &&
		[ "$(samples_with busybox --no-merge-callchains)" = 0 ] && [ "$(samples_with busybox)" -ge $((samples - 4)) ]
}
refuses_to_defer() {
	record_deferred
	[ $rc = 255 ] && grep -q 'Linux 6.19 and newer' err && [ ! -e ran ] && [ ! -e perf.data ]
}
# Where the kernel's own unwinder of user stacks is missing, it takes the option but no time.
is_at_once() {
	record_deferred
	[ $rc = 0 ] && [ "$(samples_with cookie --no-merge-callchains)" = 0 ] &&
		[ "$(samples_with busybox --no-merge-callchains)" -ge $(($(count kept) / 2)) ]
}
if linux 6.19 && [ "$(uname -m)" = aarch64 ]; then
	ok "user callchains come at once" is_at_once
elif linux 6.19; then
	ok "user callchains come later" is_deferred
else
	ok "user callchains cannot come later" refuses_to_defer
fi

# Sleeps, and histograms: of the workload sleepy 33 are known
counts_33() {
	perf sample-bpf --json "$@" -- perf test -w sleepy >out 2>err && grep -q '"count":33,' out
}
needs() { # VERSION ARGS...
	rm -f ran
	local version=$1
	shift
	! perf sample-bpf "$@" -- touch ran >out 2>err && grep -q "Linux $version " err && [ ! -e ran ]
}
sums_sleeps() {
	perf record -e off-cpu --filter 'period >= 19ms' -o perf.data -- perf test -w sleepy 2>err && grep -q '^offcpu-time: 33 sleeps' err
}
for key in cpu period nice; do
	ok "a histogram of $key" perf sample-bpf -e page-faults -c 1 --hist $key --key comm -- ls 2>err
done
if linux 5.18; then
	ok "off-CPU time" sums_sleeps
	ok "a histogram of sleeps" counts_33 -e off-cpu --hist period
else
	ok "no off-CPU time" needs 5.18 -e off-cpu --key comm
fi
if linux 6.2; then
	ok "a histogram of a system call's argument" counts_33 -e syscalls:sys_enter_clock_nanosleep --hist flags
	ok "times of system calls" counts_33 --latency syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep
	ok "times between others" counts_33 --latency sched:sched_switch,sched:sched_switch:prev_pid=next_pid --filter 'prev_state == 1'
else
	ok "no histograms of tracepoints" needs 6.2 -e syscalls:sys_enter_write --hist count
fi

# The shared engine: a user's filters in objects that root has pinned
pinned() {
	perf record --setup-filter pin=user 2>err
}
unpinned() {
	perf record --setup-filter unpin=user 2>err && [ ! -e /run/perf-filter ]
}
echo 2 >/proc/sys/kernel/perf_event_paranoid
mkdir -m 777 theirs && cd theirs || exit
ok "root pins objects for a user" pinned
user=user
for filter in 'tid > 1' 'uid == 1000' 'mode == user && comm != init' 'comm ~ "*[a-z]*"' '!(idle || nice > 3)'; do
	ok "of a user, keeps all: $filter" keeps_all "$filter"
done
ok "of a user, drops all: uid == 0" drops_all 'uid == 0'
for filter in 'comm == ls' 'every 3' 'dso == busybox' 'comm == ls && every 5 || addr < 0x7f0000000000'; do
	ok "of a user, splits: $filter" splits "$filter"
done
if linux 6.3; then
	ok "of a user, has data of the sample" agrees 'time > 1ns'
else
	ok "of a user, names what is missing" refuses 'comm != init && time > 1ns' 6.3
fi
ok "root removes them" unpinned
echo "1..$checks"
echo "guest: the end"

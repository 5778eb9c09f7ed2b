#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: the unit tests of filters, then recordings whose counts must agree.
# Records the page faults of a command, or $event, of a user without privilege if $user is set; summary and messages are in err.
# An empty filter is none.
user=
event=
record() {
	rm -f perf.data ran
	# shellcheck disable=SC2016 # the filter is for the inner shell
	FILTER=$1 su -s /bin/sh "${user:-root}" -c "perf record ${event:--e page-faults${user:+:u} -c 1} -o perf.data "'${FILTER:+--filter "$FILTER"} -- \
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

# Without a filter nothing is counted in the kernel.
records() {
	record ''
	[ $rc = 0 ] && [ "$(in_file)" -gt 0 ] && ! grep -q '^filter:' err
}

# As many samples are in the file as were kept
sees() { # N OPTIONS...
	local want=$1
	shift
	perf record -o perf.data "$@" >/dev/null 2>err && [ "$(in_file)" = "$want" ]
}

# Refused while the options are read
needs_to_record() { # VERSION OPTIONS...
	rm -f perf.data ran
	local version=$1
	shift
	! perf record "$@" -o perf.data -- touch ran 2>err && grep -q "Linux $version and newer" err && [ ! -e ran ] && [ ! -e perf.data ]
}

# Each of the four tasks of the workload makes a known number of faults. Linux hands one sample on to all of these events.
sees_own() {
	sees $((500 + 501 + 502 + 503 + 502)) -e page-faults -c 1 --filter 'comm == fault-0' \
		-e page-faults/name=second/ -c 1 --filter 'comm in {fault-1, fault-2, fault-3}' \
		-e minor-faults -c 1 --filter 'comm == fault-2' -- perf test -w faults 500 threads 4 &&
		[ "$(perf script -i perf.data -F comm,event | tr -d ' ' | sort | uniq -c | awk '{ print $2 $1 }' | xargs)" = \
			'fault-0page-faults:500 fault-1second:501 fault-2minor-faults:502 fault-2second:502 fault-3second:503' ]
}

# A user's own recording of the same faults, in a PID namespace and by another clock, is not what root's filter judges.
unforged() { # FILTER
	cat >attack <<'TEXT'
su -s /bin/sh user -c 'unshare -U -r -p -f perf record -q -e page-faults:u -c 1 -k realtime -o - -- perf test -w faults 500 threads 1' >/dev/null
TEXT
	perf record -a -e page-faults -c 1 --filter "comm == fault-0 && $1" -o perf.data -- sh attack >/dev/null 2>err || return
	perf script -i perf.data -F pid,tid,time 2>/dev/null | awk '{ split($1, id, "/") } id[1] > 30 && id[2] > 30 && $2 + 0 < 100000 { n++ }
		END { print "# " n + 0 " of " NR " samples are true"; exit n != 500 || NR != 500 }' >>err
}

feature 'recording without filter'
unit rings
ok "page faults" records
event='-e cpu-clock -F 500 -g'
ok "a clock, with callchains" records
event=

if feature 'filters: tasks, CPUs, addresses' 5.14; then
	for program in sampler bpf-filter-load bpf-filter bpf-filter-terms bpf-filter-code; do
		unit $program
	done
	for filter in 'tid > 1' 'pid > 1' 'cpu < 2' 'period == 1' 'uid == 0' 'gid == 0' 'ppid > 0' 'nice == 0' 'prio == 120' '!idle' \
		'mode in {user, kernel}' 'comm != init' 'cgroup == /' 'ip > 0' 'comm ~ "*[a-z]*"' 'rand < 100%'; do
		ok "keeps all: $filter" keeps_all "$filter"
	done
	for filter in 'tid == 1' 'cpu > 5' 'period > 1' 'uid == 7' 'comm == nothing' 'nice > 3' 'idle' 'ip == 0' 'cgroup != /'; do
		ok "drops all: $filter" drops_all "$filter"
	done
	for filter in 'mode == user' 'comm == ls' 'every 3' 'addr < 0x7f0000000000' 'comm == ls && every 5 || mode == kernel'; do
		ok "splits: $filter" splits "$filter"
	done
else
	ok "refused" refuses 'tid != 1' 5.14
fi
if feature 'filters of several events at once' 5.14; then
	ok "each event has its own samples" sees_own
else
	event='-e page-faults -e page-faults'
	ok "refused" refuses 'tid != 1' 5.14
	event=
fi
echo 2 >/proc/sys/kernel/perf_event_paranoid
if feature "filters: samples that another recording shares" 5.14; then
	ok "all of a user's faults" unforged 'uid == 1000'
	ok "with their ids" unforged 'pid > 30 && tid > 30'
	if linux 6.3; then
		ok "and their time" unforged 'time > 1ns && time < 100000s'
	fi
fi
# Processes that start others all the time are recorded with a filter that accepts nothing. Linux 6.6 can tell who inherits an event without
# its program, and so can the older ones here, whose distributions have taken over the change.
starts_others() {
	while :; do
		ls /bin >/dev/null &
		ls /sbin >/dev/null
	done
}
records_starters() { # -p|-t
	local how=$1
	starts_others &
	perf record -e page-faults -c 1 --filter 'tid == 1' "$how" $! -o perf.data -- sleep 1 >/dev/null 2>err
	rc=$?
	kill $!
	[ $rc = 0 ] && [ "$(count seen)" -gt 0 ] && [ "$(count kept)" = 0 ] && [ "$(in_file)" = 0 ]
}
if feature 'filters: what processes start' 5.14; then
	for times in 1 2 3; do
		ok "-p, $times" records_starters -p
		ok "-t, $times" records_starters -t
	done
fi
if feature 'filters: files (dso)' 5.17; then
	ok "splits: dso == busybox" splits 'dso == busybox'
elif linux 5.14; then
	ok "refused" refuses 'comm != init && dso == busybox' 5.17
	ok "names the test" grep -q "'dso == busybox'" err
else
	ok "refused" refuses 'dso == busybox' 5.17
fi
if feature 'filters: data of the sample' 6.3; then
	for filter in 'time > 1ns' 'id != 0' 'phys_addr == 0' 'txn == 0' 'weight == 0' 'mem_op != load' 'data_pgsz == 0'; do
		ok "has data of the sample: $filter" agrees "$filter"
	done
elif linux 5.14; then
	for filter in 'time > 1ns' 'id != 0' 'phys_addr == 0' 'txn == 0' 'weight == 0' 'mem_op != load' 'data_pgsz == 0'; do
		ok "names what is missing: $filter" refuses "comm != init && $filter" 6.3
		ok "names the test: $filter" grep -q "'$filter'" err
	done
else
	ok "refused" refuses 'time > 1ns' 6.3
fi

# Since Linux 6.19 records of system calls have what pointers point to: those that BPF makes, for the sake of a term, are the kernel's.
calls() {
	# shellcheck disable=SC2016 # for the inner shell
	perf record -e syscalls:sys_enter_mount -e syscalls:sys_enter_mount --filter 'uid == 0' \
		-e syscalls:sys_enter_sethostname -e syscalls:sys_enter_sethostname --filter 'uid == 0' \
		-e syscalls:sys_enter_write --filter 'count >= 48' -e syscalls:sys_enter_write --filter 'count >= 48 && uid == 0' -o perf.data "$@" -- sh -c '
		t() { mount -t nothing "$1" /none; }
		for len in 0 1 2 3 4 5 6 7 61 62 63 64 65 66 99 200; do
			t "$(printf "%0${len}d" 0 | tail -c $len)"
		done
		t "$(printf "\001\002\007\010\t\n\r\037 !az~\177\200\201\236\237\240\241\376\377.")"
		t "$(printf "\303\244\342\202\254")"
		hostname 7; hostname guest
		for count in 48 62 63 64 65 300; do
			dd if=/bin/busybox of=/dev/null bs=$count count=3
		done' >/dev/null 2>err
}
same_records() { # AT-LEAST OPTION...
	local want=$1
	shift
	calls "$@"
	perf script -i perf.data -F trace 2>/dev/null >records
	# each twice, in any order
	sort records | uniq -c | awk -v want="$want" '{ n += $1; bad += $1 % 2 } END { print "# " n " records, " bad " alone"; exit bad || n < want }' >>err
}

# Of the workload sleepy 33 sleeps are known.
feature "tracepoints: filters of fields"
ok "an event's field" sees 2 -e sched:sched_process_exec --filter 'filename == /bin/ls' -- sh -c '/bin/ls; /bin/ls; :'
ok "a system call's argument" sees 33 -e syscalls:sys_enter_clock_nanosleep --filter 'flags == 0' -- perf test -w sleepy
if feature 'tracepoints: filters with terms' 6.2; then
	unit tracepoint-source
	ok "an event's" sees 2 -e sched:sched_process_exec --filter 'filename == /bin/ls && uid == 0' -- sh -c '/bin/ls; /bin/ls; :'
	ok "a system call's" sees 33 -e syscalls:sys_enter_clock_nanosleep --filter 'flags == 0 && uid == 0' -- perf test -w sleepy
	ok "a system call's with a text" sees 1 -e syscalls:sys_enter_write --filter 'count == 6 && uid == 0' -- /bin/echo hello
	ok "a system call's, of the text" sees 2 -e syscalls:sys_enter_openat --filter 'filename ~ "/etc/*" && filename != /etc/none && uid == 0' -- \
		sh -c 'cat /etc/passwd; cat /etc/none; cat /etc/passwd'
	ok "a system call's: the same records as without" same_records 70
	ok "a system call's: and with stacks" same_records 70 -g
else
	ok "refused" needs_to_record 6.2 -e sched:sched_process_exec --filter 'filename == /bin/ls && uid == 0'
fi

# The kernel's own data: types are those of each kernel, and the answers are known.
feature_walks() {
	if feature 'filters of the kernel'"'"'s data' 6.3; then
		for filter in 'task->pid > 1' 'task->real_parent->pid > 0' 'task->mm->total_vm > 0 && task->cred->uid == 0' 'task->comm ~ "*[a-z]*"' \
			'task->static_prio == 120' 'task->fs->root.dentry->d_name.name == /'; do
			ok "keeps all: $filter" keeps_all "$filter"
		done
		for filter in 'task->pid == 1' 'task->comm == nothing' 'task->signal->tty->index != -5' '((struct task_struct *)task->start_time)->pid != 1'; do
			ok "drops all: $filter" drops_all "$filter"
		done
		ok "splits: task->comm == ls" splits 'task->comm == ls'
	else
		ok "refused" refuses 'comm != init && task->pid > 1' 6.3
	fi
	if feature 'tracepoints: filters of arguments' 6.2; then
		ok "a text behind a pointer" sees 2 -e sched:sched_process_exec --filter 'bprm->filename == "/bin/ls"' -- sh -c '/bin/ls; /bin/ls; :'
		ok "a text behind four" sees 2 -e sched:sched_process_exec --filter 'bprm->file->f_path.dentry->d_name.name == "busybox" && bprm->filename ~ "*/ls"' -- \
			sh -c '/bin/ls; /bin/ls; :'
		ok "beside a field" sees 2 -e sched:sched_process_exec --filter 'filename == /bin/ls && p->real_parent->pid > 1' -- sh -c '/bin/ls; /bin/ls; :'
	else
		ok "refused" needs_to_record 6.2 -e sched:sched_process_exec --filter 'bprm->filename == "/bin/ls"'
	fi
}
feature_walks

feature 'hardware: cycles, cycles:u'
result='no PMU'
# Of the machines that are emulated, arm64's has a PMU.
if perf record -e cycles:u -c 1000000 -o perf.data -- true 2>err && ! grep -q 'using cpu-clock' err; then
	result=yes
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
# Samples of which there is the record with their user part: mostly behind them, but a task that is hit once more on its way out of the
# kernel, when that record has been written, has the same cookie. A task that ends or executes a file may have no user part then.
samples_answered() {
	perf script -i perf.data -F comm,ip,sym,dso --no-merge-callchains 2>/dev/null | awk -v RS= '
		match($0, /DEFERRED CALLCHAIN \[cookie: [0-9a-f]+/) && /busybox/ { answered[substr($0, RSTART + 28, RLENGTH - 28)] = 1; next }
		match($0, /[0-9a-f]+ \(cookie\)/) { nr[substr($0, RSTART, RLENGTH - 9)]++ }
		END {
			for (cookie in nr)
				n += answered[cookie] ? nr[cookie] : 0
			print n + 0
		}'
}
is_deferred() {
	local samples answered
	record_deferred
	samples=$(count kept) answered=$(samples_answered)
	echo "# $samples samples, $answered answered, $(samples_with busybox) with a user part" >>err
	[ $rc = 0 ] && [ "$samples" -gt 5 ] && [ "$(samples_with cookie --no-merge-callchains)" = "$samples" ] &&
		[ "$(samples_with busybox --no-merge-callchains)" = 0 ] && [ "$answered" -gt $((samples / 2)) ] && [ "$(samples_with busybox)" = "$answered" ]
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
if ! feature 'callchains that come later' 6.19; then
	ok "refused" refuses_to_defer
elif [ "$(uname -m)" = aarch64 ]; then
	result='at once'
	ok "user callchains come at once" is_at_once
else
	ok "user callchains come later" is_deferred
fi

counts_33() {
	perf sample-bpf --json "$@" -- perf test -w sleepy >out 2>err && grep -q '"count":33,' out
}
needs() { # VERSION ARGS...
	rm -f ran
	local version=$1
	shift
	! perf sample-bpf "$@" -- touch ran >out 2>err && grep -q "Linux $version " err && [ ! -e ran ]
}
# Where a slow guest is late to go to sleep a nap is shorter, or there is none: sleepy says how many sleeps there were. It may also wait for
# something else, as for a lock of the kernel: such sleeps have stacks of their own.
sums_sleeps() {
	local slept sums others
	perf record -e off-cpu --filter 'period >= 10ms' -o perf.data -- perf test -w sleepy >out 2>err || return
	slept=$(sed -n 's/^nap: \([0-9]*\) sleeps, slumber: \([0-9]*\) sleeps$/\1 + \2/p' out)
	slept=$((${slept:-1000}))
	sums=$(sed -n 's/^offcpu-time: \([0-9]*\) sleeps.*/\1/p' err)
	perf script -i perf.data -F period,ip,sym >stacks.txt
	others=$(awk 'NF == 1 { nr++; naps = 0 } /nanosleep/ && !naps++ { slept++ } END { print nr - slept }' stacks.txt)
	echo "# $sums sleeps of $slept, and $others others" >>err
	[ "$others" = 0 ] || sed 's/^/# /' stacks.txt >>err
	[ "${sums:-0}" -ge $((slept - 2)) ] && [ "$others" -le 3 ] && [ "$sums" -le $((slept + others)) ]
}
if feature 'histograms' 5.14; then
	for program in tally tally-table; do
		unit $program
	done
	for key in cpu period nice; do
		ok "a histogram of $key" perf sample-bpf -e page-faults -c 1 --hist $key --key comm -- ls 2>err
	done
else
	ok "refused" needs 5.14 -e page-faults --key comm
fi
if feature 'histograms of tracepoints, latencies' 6.2; then
	ok "of a system call's argument" counts_33 -e syscalls:sys_enter_clock_nanosleep --hist flags
	ok "times of system calls" counts_33 --latency syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep
	ok "times between others" counts_33 --latency sched:sched_switch,sched:sched_switch:prev_pid=next_pid --filter 'prev_state == 1'
else
	ok "refused" needs 6.2 -e syscalls:sys_enter_write --hist count
fi
if feature 'off-CPU time' 5.18; then
	unit offcpu
	ok "of a recording" sums_sleeps
	ok "a histogram of sleeps" counts_33 -e off-cpu --hist period
else
	ok "refused" needs 5.18 -e off-cpu --key comm
fi

# The shared engine: a user's filters in objects that root has pinned
pinned() {
	perf record --setup-filter pin=user 2>err
}
unpinned() {
	perf record --setup-filter unpin=user 2>err && [ ! -e /run/perf-filter ]
}
refuses_to_pin() {
	! pinned && grep -q 'Linux 5.17 ' err && [ ! -e /run/perf-filter ]
}
mkdir -m 777 theirs && cd theirs || exit
if feature 'filters of users without privilege' 5.17; then
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
else
	ok "refused" refuses_to_pin
fi

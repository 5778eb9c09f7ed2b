#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2016,SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: perf trace of programs whose system calls are known.
mkdir -p /tmp/calls && cd /tmp/calls || exit
: >err

traced() { # COUNT PATTERN OPTIONS...: so many lines match, and nothing is lost
	local count=$1 pattern=$2
	shift 2
	perf trace -o lines.txt "$@" >out 2>err # the guest reads its own output for results
	cat lines.txt >>err
	[ "$(grep -cE "$pattern" lines.txt)" = "$count" ] && ! grep -qE 'missing|missed' err
}

copy() { # COUNT: one byte each
	dd if=/dev/zero of=/dev/null bs=1 "count=$1" 2>/dev/null
}

# Writers take turns on one CPU: each is preempted wherever it is.
loses_none() {
	traced 60000 'write\(fd: 1</dev/null>, buf: .*count: 1\) += 1$' -m 16M -e write --filter 'count == 1' \
		taskset 1 sh -c 'for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null & done; wait'
}

sums_up() { # MODE
	perf trace -s --summary-mode "$1" -e write,read --filter 'count == 1' -o sums.txt \
		taskset 1 sh -c 'for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=5000 2>/dev/null & done; wait' 2>err
	cat sums.txt >>err
	[ "$(awk '$1 == "write" || $1 == "read" { n += $2 } END { print n + 0 }' sums.txt)" = 30000 ]
}

records_and_reads() {
	perf trace record -o calls.data cat /nosuch >out 2>err
	perf trace -i calls.data -o lines.txt 2>>err
	cat lines.txt >>err
	grep -q 'cat/[0-9]* open.* ENOENT (No such file or directory)' lines.txt && tail -n 1 lines.txt | grep -q 'exit_group(error_code: 1)'
}

leaves_nothing() {
	sleep 1000 &
	target=$!
	perf trace -e write -p $target -o killed.txt 2>err &
	tracer=$!
	until [ "$(cat /proc/$tracer/fdinfo/* 2>/dev/null | grep -cE '^link_type|^prog_id')" -ge 2 ] || ! kill -0 $tracer 2>/dev/null; do
		sleep 0.1
	done
	kill -KILL $tracer || return
	wait $tracer 2>/dev/null
	kill -0 $target && kill $target
}

shows_faults() {
	perf trace -F min -o lines.txt true 2>err
	cat lines.txt >>err
	grep -qE 'minfault \[' lines.txt
}

# The program has no symbols, but callers.
shows_callers() { # MODE
	perf trace --call-graph "$1" -e nanosleep,clock_nanosleep -o lines.txt sleep 0.01 2>err
	cat lines.txt >>err
	[ "$(grep -c 'nanosleep(' lines.txt)" = 1 ] && [ "$(grep -cE '^ {20,}[^ ].* \(/.*\)$' lines.txt)" -ge 2 ]
}

shows_denied() {
	perf trace -o lines.txt workload denied_calls 2>err
	[ $? = 7 ] || return
	cat lines.txt >>err
	[ "$(grep -c 'continued\]: unshare(unshare_flags: NEWUTS) .*EPERM.*denied by seccomp' lines.txt)" = 3 ] &&
		grep -q 'continued\]: getpgid() *= 4711, answered by seccomp' lines.txt &&
		grep -q 'continued\]: sethostname(name: "nobody", len: 6) *= ? SIGSYS, denied' lines.txt && grep -q 'syscall_999() .*ENOSYS' lines.txt
}

# A call that goes on all the time
shows_before() {
	sleep 1000 &
	target=$!
	until grep -qE '^(115|101|230|35) ' /proc/$target/syscall; do :; done
	perf trace -e nanosleep,clock_nanosleep -p $target -o lines.txt sleep 0.1 2>err
	perf trace -s -p $target -o sums.txt sleep 0.1 2>>err
	kill $target
	cat lines.txt sums.txt >>err
	[ "$(grep -cE 'sleep/.* \.\.\. \[continued\]: (clock_)?nanosleep\(.*tv_sec: 1000.* = \?$' lines.txt)" = 1 ] && grep -qE '^ +(clock_)?nanosleep +1 ' sums.txt
}

says_why() {
	! perf trace -o lines.txt true 2>err && grep -q '^cannot trace system calls: that needs Linux 5.17 or newer$' err
}

linux 5.17 || ok "what an old kernel lacks is said" says_why
if feature 'perf trace' 5.17; then
	ok "calls that seccomp answers" shows_denied
	ok "a call that began before and ends after" shows_before
	ok "a path, and an error" traced 1 'openat\(dfd: CWD, filename: "/nosuch", flags: RDONLY.*\) += -1 ENOENT' cat /nosuch
	ok "arguments of programs, and no return" traced 2 'execve\(filename: ".*/cat", argv: \["cat", "/script"\]|exit_group\(.*\) += \?$' -e execve,exit_group cat /script
	ok "a struct" traced 1 'clock_nanosleep\(.*rqtp: \{ .tv_sec: 0, .tv_nsec: 10000000 \}|nanosleep\(.*rqtp: \{ .tv_sec: 0, .tv_nsec: 10000000 \}' -e nanosleep,clock_nanosleep \
		sleep 0.01
	ok "a filter on the result" traced 1 '.' -e openat --filter 'ret == -2 && filename == "/nosuch"' cat /nosuch
	ok "none of many calls on one CPU is lost" loses_none
	for mode in thread total cgroup; do
		ok "sums by $mode" sums_up $mode
	done
	ok "a recording, and its lines" records_and_reads
	ok "page faults" shows_faults
	ok "the target of a killed perf lives on" leaves_nothing
fi
if feature 'perf trace: callers by BPF' 6.2; then
	ok "callers of a call" shows_callers bpf
fi

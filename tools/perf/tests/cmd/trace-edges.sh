#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace: calls of which only one end can be seen. Those that seccomp answers, and those that go on when tracing begins or ends.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

run "$PERF" trace -o denied.txt -- "$WORKLOAD" denied_calls
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc" 7 "a program whose calls are denied runs as without perf"
denied='... [continued]: unshare(unshare_flags: NEWUTS) = -1 EPERM (Operation not permitted), denied by seccomp'
squeezed() { tr -s ' ' <"$1"; }
is "$(squeezed denied.txt | grep -cF "$denied")" 3 "each call that is denied has a line, its arguments and the reason"
like "$(squeezed denied.txt)" 'continued\]: clone3\(uargs: \{ .flags: .*\}, size: [0-9]+\) = -1 ENOSYS \(Function not implemented\), denied by seccomp' \
	"and what they point to"
like "$(squeezed denied.txt)" 'continued\]: getpgid\(\) = 4711, answered by seccomp' "a supervisor's answer"
like "$(squeezed denied.txt)" 'continued\]: sethostname\(name: "nobody", len: 6\) = \? SIGSYS, denied by seccomp' "a signal in place of a result"
like "$(squeezed denied.txt)" 'continued\]: setdomainname\(.*len: 7\) = \? SIGSYS, denied by seccomp' "one that kills the process"
is "$(squeezed denied.txt | grep -c 'continued\]: personality(.*) = ? SIGSYS, denied by seccomp')" 1 "one that kills the thread alone"
like "$(squeezed denied.txt)" ' rt_sigreturn\(mask: \[\]\) = ' "a return from a signal tells which signals are blocked again"
is "$(grep -c 'SIGSYS' denied.txt)" 3 "each of them once"
run "$PERF" trace -e personality --filter 'personality == 1' -o denied-thread.txt -- "$WORKLOAD" denied_calls
is "$(wc -l <denied-thread.txt)" 0 "a filter judges that one, too"
is "$(grep -c 'getppid()  *= [0-9]*$' denied.txt)" 3 "the calls between them are as ever"
is "$(grep -cE 'clone.*continued|continued.*= 0(,|$)' denied.txt)" 0 "a child has no line for the call that made it"
for name in syscall_999 syscall_-1 syscall_0x40000027; do
	is "$(squeezed denied.txt | grep -cF -- " $name() = -1 ENOSYS")" 1 "a number that no call has: $name"
done
# The end of syscall(-1) has no other number than that of a return from a signal.
forgotten='... [continued]: syscall_-1() = -1 EACCES (Permission denied), denied by seccomp'
is "$(squeezed denied.txt | grep -cF "$forgotten")" 1 "syscall(-1) is denied like others"
for filter in 'nr != 15' 'nr != 15 and every 1' 'nr == -1' 'ret == -13'; do
	run "$PERF" trace --filter "$filter" -o denied.txt -- "$WORKLOAD" denied_calls
	is "$(squeezed denied.txt | grep -cF "$forgotten"):$(grep -c 'continued.*syscall_-1' denied.txt)" 1:1 "and filtered: $filter"
done
run "$PERF" trace -e '!rt_sigreturn' -o denied.txt -- "$WORKLOAD" denied_calls
is "$(grep -c 'continued.*syscall_-1' denied.txt)" 0 "without returns from signals nobody knows"
run "$PERF" trace -e unshare -o denied.txt -- "$WORKLOAD" denied_calls
is "$(squeezed denied.txt | grep -cF "$denied"):$(wc -l <denied.txt)" 3:3 "-e with its name, and no others"
run "$PERF" trace -e '!unshare' -o denied.txt -- "$WORKLOAD" denied_calls
is "$(grep -c unshare denied.txt):$(grep -c syscall_999 denied.txt)" 0:1 "all others"
run "$PERF" trace --failure -e unshare,sethostname,getpgid,getppid -o denied.txt -- "$WORKLOAD" denied_calls
is "$(grep -o 'continued\]: [a-z]*' denied.txt | sort | uniq -c | xargs)" "1 continued]: sethostname 3 continued]: unshare" "--failure"
is "$(wc -l <denied.txt)" 4 "and no others"
for filter in 'ret == -1' 'unshare_flags == 0x4000000'; do
	run "$PERF" trace --filter "$filter" -e unshare,getppid -o denied.txt -- "$WORKLOAD" denied_calls
	is "$(squeezed denied.txt | grep -cF "$denied")" 3 "a filter judges them: $filter"
done
run "$PERF" trace --filter 'unshare_flags == 1' -e unshare -o denied.txt -- "$WORKLOAD" denied_calls
is "$(wc -l <denied.txt)" 0 "or drops them"
run "$PERF" trace -e unshare,clone3 --call-graph bpf -o denied.txt -- "$WORKLOAD" denied_calls
is "$(grep -c 'continued.*seccomp' denied.txt):$(grep -c ' unshare (' denied.txt)" 5:3 "they have callers"
for mode in thread total cgroup; do
	run "$PERF" trace -s --errno-summary --summary-mode $mode -e unshare,sethostname,getpgid -o sums.txt -- "$WORKLOAD" denied_calls
	is "$(awk '$1 ~ /^(unshare|sethostname|getpgid)$/ { print $1, $2, $3, $4 }' sums.txt | sort | xargs)" \
		"getpgid 1 0 0.000 sethostname 1 1 0.000 unshare 3 3 0.000" "-s counts them, without a time, by $mode"
	is "$(grep -c 'EPERM: 3$' sums.txt):$(grep -o '[0-9]\+ events' sums.txt)" "1:5 events" "and their errors, by $mode"
done
run "$PERF" trace record -q -o denied.data -- "$WORKLOAD" denied_calls
run "$PERF" trace -i denied.data -e unshare,syscall_999,sethostname -o replay.txt
is "$rc" 129 "a number is no name"
run "$PERF" trace -i denied.data -o replay.txt
is "$(squeezed replay.txt | grep -cF 'continued]: unshare() = -1 EPERM (Operation not permitted)')" 3 "a recording has no arguments of them"
is "$(squeezed replay.txt | grep -cE 'syscall_(999|-1|0x40000027)\(\) = -1 ENOSYS')" 3 "and numbers that no call has"
is "$(grep -c 'clone.*= 0$' replay.txt)" 0 "and no call of a child that made it"
run "$PERF" trace -i denied.data -s -e unshare -o sums.txt
is "$(awk '$1 == "unshare" { print $2, $3, $4 }' sums.txt)" "3 3 0.000" "in sums, too"

# A process that sleeps in a call when tracing begins, in another one later, and in a third one when it ends
cat >sleeper.c <<'C'
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	struct pollfd fd = { .fd = 0, .events = POLLIN };
	char buf[8];

	if (read(0, buf, 1) != 1)
		return 1;
	if (read(0, buf, 2) != 2)
		return 1;
	poll(&fd, 1, -1);
	return 7;
}
C
cc -O1 -o sleeper sleeper.c || skip_all "no compiler"
sleeps_in() { # PID NUMBER of the call
	local nr
	read -r nr _ <"/proc/$1/syscall" && [ "$nr" = "$2" ]
}
sleeps_with() { # PID NUMBER SIZE
	local nr size
	read -r nr _ _ size _ <"/proc/$1/syscall" && [ "$nr:$((size))" = "$2:$3" ]
}
if [ "$(uname -m)" = x86_64 ]; then read_nr=0 poll_nr=7; else read_nr=63 poll_nr=73; fi
# sleeper_under PERF-ARGS...: trace it from its first read to its poll
sleeper_under() {
	local to target tracer
	rm -f pipe
	mkfifo pipe
	exec {to}<>pipe
	spawn sh -c 'exec ./sleeper <pipe'
	target=$spawned_pid
	wait_for 60 sleeps_with "$target" $read_nr 1
	spawn "$PERF" trace "$@" -p "$target" -o edges.txt
	tracer=$spawned_pid
	wait_for 60 watching "$tracer"
	sleep 0.3 # its first call takes at least that long
	printf a >&"$to"
	wait_for 60 sleeps_with "$target" $read_nr 2
	printf bc >&"$to"
	wait_for 60 sleeps_in "$target" $poll_nr
	sleep 0.3
	kill -INT "$tracer"
	wait "$tracer"
	rc=$?
	printf d >&"$to"
	wait "$target"
	target_rc=$?
	exec {to}>&-
}
# Both hooks are there, and the iterator over tasks has ended.
watching() {
	[ "$(cat /proc/"$1"/fdinfo/* 2>/dev/null | grep -c '^link_type')" -ge 2 ] && ! grep -q bpf_iter <(readlink /proc/"$1"/fd/* 2>/dev/null)
}
sleeper_under
is "$rc:$target_rc" 130:7 "a process that sleeps is traced, and undisturbed"
like "$(squeezed edges.txt | head -1)" '^ 0\.000 \([0-9.]+ ms\): sleeper/[0-9]+ \.\.\. \[continued\]: read\(fd: 0<.*/pipe>, buf: "a", count: 1\) = 1$' \
	"the call that it was in has its end, its file and what it read"
is "$(grep -c continued edges.txt)" 1 "it is the only one"
like "$(squeezed edges.txt)" ' read\(fd: 0<.*/pipe>, buf: "bc", count: 2\) = 2' "the next one is as ever"
like "$(squeezed edges.txt | tail -1)" ' \( \): sleeper/[0-9]+ (poll|ppoll)\(ufds: \[\{ .fd: 0, .events: IN }\], .* = \?$' "the last one goes on, with what it waits for"
sleeper_under -s
is "$(awk '$1 == "read" { print $2, $3 }' edges.txt):$(awk '$1 ~ /^p?poll$/ { print $2, $3 }' edges.txt)" "2 0:1 0" "-s counts all three"
ok "and the time of those that began before, or go on" awk '$1 ~ /^(read|p?poll)$/ && $4 < 290 { bad = 1 } END { exit bad }' edges.txt
like "$(<edges.txt)" 'sleeper \([0-9]+\), 4 events' "events are the ends that were seen"
sleeper_under -s --summary-mode total -e poll,ppoll
is "$(awk '$1 ~ /^p?poll$/ { print $2 }' edges.txt)" 1 "a summary that one call fills"
sleeper_under -s --summary-mode cgroup -e poll,ppoll
is "$(awk '$1 ~ /^p?poll$/ { print $2 }' edges.txt)" 1 "by cgroup, too"
sleeper_under --duration 250
is "$(grep -c 'continued\]: read' edges.txt):$(grep -c 'poll(.*= ?$' edges.txt)" 1:1 "--duration: the time under perf counts"
sleeper_under --duration 1000000
is "$(wc -l <edges.txt)" 0 "and calls that took less are left out, also those that go on"
sleeper_under -e read --filter 'count == 1'
is "$(grep -c 'continued\]: read' edges.txt):$(wc -l <edges.txt)" 1:1 "a filter keeps it"
sleeper_under -e read --filter 'count == 2'
is "$(grep -c ' read(' edges.txt):$(wc -l <edges.txt)" 1:1 "or drops it"
sleeper_under --failure
is "$(wc -l <edges.txt)" 0 "--failure: no call has failed"
sleeper_under -e read --call-graph bpf
is "$(sed '/"bc"/,$d' edges.txt | grep -c '^ *main (')" 1 "it has callers"

# System-wide: what sleeps all the time is left out, what ends meanwhile is not, and the threads of the kernel are in no call.
spawn sleep 1000
sleeper=$spawned_pid
wait_for 60 sleeps_in "$sleeper" "$([ "$(uname -m)" = x86_64 ] && echo 230 || echo 115)"
run "$PERF" trace -a -e clock_nanosleep,read -o all.txt -- true
is "$(grep -c "sleep/$sleeper " all.txt)" 0 "-a: a call that begins before and ends after is left out"
is "$(grep -c 'kworker\|kthreadd\|ksoftirqd' all.txt)" 0 "no thread of the kernel"
run "$PERF" trace -a -s -e clock_nanosleep -o all.txt -- true
is "$(grep -c "($sleeper)" all.txt)" 0 "nor is it in sums"
rm -f pipe
mkfifo pipe
exec {to}<>pipe
spawn sh -c 'exec ./sleeper <pipe'
wait_for 60 sleeps_with "$spawned_pid" $read_nr 1
run "$PERF" trace -a -e read -o all.txt -- sh -c 'printf a >pipe; until read -r _ _ _ size _ </proc/'"$spawned_pid"'/syscall && [ "$((size))" = 2 ]; do :; done'
is "$(grep -c "sleeper/$spawned_pid \.\.\. \[continued\]: read(.*= 1\$" all.txt)" 1 "a call that began before and ended meanwhile"
exec {to}>&-
kill "$spawned_pid"
run "$PERF" trace -e clock_nanosleep -t "$sleeper" -- true
like "$err" 'continued\]: clock_nanosleep\(.* = \?$' "-t"
kill "$sleeper"
# --- a call that goes on because its argument is in memory that nobody fills ---
cat >absent.c <<'END'
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register all = { .range = { (uintptr_t)at, 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING };

	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &all))
		return 77;
	return syscall(SYS_chdir, at);
}
END
if ${CC:-cc} -o absent absent.c 2>cc.txt; then
	run timeout -k 5 20 "$PERF" trace -a -e chdir -o absent.txt -- \
		sh -c './absent & echo $! >pid; while [ -d /proc/$! ] && ! grep -qs "^handle_userfault$" /proc/$!/wchan; do :; done'
	if [ "$(grep -s '' "/proc/$(<pid)/comm")" = absent ]; then
		is "$rc" 0 "perf does not wait for memory that nobody fills"
		like "$(cat absent.txt)" 'absent.*chdir\(filename: 0x[0-9a-f]+\) += \?$' "and shows the call"
		kill -KILL "$(<pid)"
	else
		skip 2 "no userfaultfd here"
	fi
else
	skip 2 "needs a C compiler: $(head -1 cc.txt)"
fi
done_testing

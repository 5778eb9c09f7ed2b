#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf ftrace latency: counts and buckets of functions that sleep for known times, nested calls, pairs of events, children, what cannot be measured,
# and the exit status.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -d /sys/bus/event_source/devices/uprobe ] || skip_all "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)"

cat >f.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline, noclone)) void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (ms && nanosleep(&t, &t))
		;
	__asm__ volatile("");
}
__attribute__((noinline, noclone)) long nest(long n)
{
	long r = n ? nest(n - 1) : 0;

	if (!n)
		nap(10);
	__asm__ volatile("" : "+r"(r));
	return r + 1;
}
int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "naps")) {
		for (int i = 0; i < 30; i++)
			nap(i % 3 ? 5 : 40);
	} else if (!strcmp(argv[1], "forever")) {
		for (;;)
			nap(1);
	} else if (!strcmp(argv[1], "nest")) {
		nest(4);
	} else if (!strcmp(argv[1], "forks") || !strcmp(argv[1], "forks-later")) {
		sigset_t usr1;
		int sig;

		sigemptyset(&usr1);
		sigaddset(&usr1, SIGUSR1);
		sigprocmask(SIG_BLOCK, &usr1, NULL);
		if (argv[1][5])
			sigwait(&usr1, &sig);
		for (int i = 0; i < 4; i++) {
			if (!fork()) {
				nap(1);
				_exit(0);
			}
			wait(NULL);
		}
	}
	return argc > 2 ? atoi(argv[2]) : 0;
}
C
${CC:-cc} -O2 -g -o f f.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

latency() { run timeout 100 "$PERF" ftrace latency "$@"; }
# of a bucket's row, "4 - 8 ms": its count
bucket() { awk -F'|' -v row="$1" '{ gsub(/ +/, " ", $1); gsub(/^ | $/, "", $1) } $1 == row { print $2 + 0 }' <<<"$out"; }
# the sum of the rows whose lower end is at least this many ms
at_least() { awk -F'|' -v ms="$1" '/^ / { split($1, w, " "); low = w[1]; unit = w[4] ~ /[a-z]/ ? w[4] : w[5]
	if (unit == "us") low /= 1000; if (unit == "s") low *= 1000; if (low >= ms) n += $2 } END { print n + 0 }' <<<"$out"; }
statistic() { awk -v name="$1" -F': +' '$1 ~ name { print $2 }' <<<"$out"; }

latency -T ./f:nap ./f naps
is "$rc:$(statistic count)" 0:30 "each call of a function is measured"
is "$(grep -c '^ .*|.*|.*|$' <<<"$out")" 22 "in 22 buckets"
is "$(head -1 <<<"$out")" "#   DURATION     |      COUNT | GRAPH                                          |" "below the usual head"
is "$(at_least 4):$(bucket '2 - 4 ms')" 30:0 "none is shorter than it slept"
ok "ten of them slept long" test "$(at_least 32)" -ge 10
ok "the sum is that of the sleeps, or more" awk -v t="$(statistic 'total time')" 'BEGIN { exit !(t >= 500000) }'
ok "the least is the short sleep, or more" awk -v t="$(statistic 'min time')" 'BEGIN { exit !(t >= 5000) }'

latency -n -b --hide-empty -T uprobe:./f:nap ./f naps
is "$rc:$(statistic count)" 0:30 "-n and -b"
unlike "$out" '\| +0 \|' "no empty buckets"
like "$out" '^# statistics  \(in nsec\)$' "in nanoseconds"
latency -T ./f:nap --bucket-range 10000 --min-latency 20000 --max-latency 60000 ./f naps
is "$(grep -c '^ .*|.*|.*|$' <<<"$out"):$(statistic count)" 6:30 "buckets of a width"
ok "the long sleeps are in the upper buckets" test "$(at_least 40)" -ge 10

latency -T ./f:nest --hide-empty ./f nest
is "$(statistic count):$(at_least 8)" 5:5 "nested calls: all last as long as the innermost one"
latency -T ./f:nap ./f forks
is "$(statistic count)" 4 "children"
latency -T ./f:nap --filter 'ms == 40' ./f naps
is "$(statistic count)" 10 "what the filter drops is not measured"
latency -T ./f:nap ./f naps 7
is "$rc" 7 "the command's exit status"

latency -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep ./f naps
is "$(statistic count):$(at_least 4)" 30:30 "a pair of events"
latency -e sys_enter,sys_exit ./f naps
is "$rc" 0 "events without their system, as other perfs have them"
like "$out" 'min time: +[0-9]+[.][0-9]{3}$' "statistics in microseconds are not cut"
latency -a -e sched_wakeup,sched_switch ./f naps
like "$err" 'pid=next_pid' "a wake-up ends with the switch to the task that is woken up"
ok "with a count" test "$(statistic count)" -gt 10
latency -I 100 -T ./f:nap ./f naps
ok "a histogram for each interval" test "$(grep -c '^#   DURATION' <<<"$out")" -ge 3
is "$(statistic count)" 30 "and all at the end"
latency -T ./f:nap --max-starts 1 ./f nest
is "$(statistic count)" 1 "room for one start"
latency -T ./f:nest --max-starts 1 ./f nest
like "$err" '^4 starts were not measured' "starts without room are counted"

latency --stack-over 20000 -T ./f:nap ./f naps
is "$rc:$(statistic count)" 0:30 "all are measured where the stacks of slow ones are shown"
like "$out" '^f;.*main ([12][0-9]|30)$' "ten of them or more, from main"
latency --stack-over 500000000 -T ./f:nap ./f naps
unlike "$out" '^f;' "no stacks if none is that slow"

run sh -c '"$@" >/dev/full' sh "$PERF" ftrace latency -T ./f:nap ./f naps
is "$rc:$err" "255:perf: cannot write to the standard output: No space left on device" "a full disk"
run timeout 60 sh -c '"$@" >/dev/full' sh "$PERF" ftrace latency -I 50 -a -e sched_wakeup,sched_switch
is "$rc" 255 "intervals end with the first that cannot be written"
ok "and if the reader is gone" timeout 60 sh -c '"$@" 2>/dev/null | head -n 1 >/dev/null' sh "$PERF" ftrace latency -I 50 -a -e sched_wakeup,sched_switch

# --- signals, rights, namespaces, and a perf that is killed ---

spawn ./f forever
forever=$spawned_pid
spawn "$PERF" ftrace latency -T ./f:nap -p "$forever" >killed.out 2>killed.err
pid=$spawned_pid
ok "a running program is measured" wait_for 30 in_loop "$pid"
# Some calls, each of which sleeps
slept() {
	[ "$(awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$forever/status")" -ge "$1" ]
}
from=$(awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$forever/status")
wait_for 60 slept $((from + 10))
kill -INT "$pid"
wait "$pid"
is "$?" 0 "a signal is the way to end without a command"
ok "and the histogram is printed" grep -q '^ *count: *[1-9]' killed.out

spawn "$PERF" ftrace latency -T ./f:nap -p "$forever" >killed.out 2>killed.err
leaves_nothing "$spawned_pid" watches "$spawned_pid" 2
ok "and the program goes on" kill -0 "$forever"
kill "$forever"

spawn ./f forks-later
parent=$spawned_pid
spawn "$PERF" ftrace latency -T ./f:nap -p "$parent" >later.out 2>later.err
pid=$spawned_pid
wait_for 30 in_loop "$pid"
kill -USR1 "$parent"
wait "$pid"
is "$?:$(awk '$1 == "count:" { print $2 }' later.out)" 0:4 "children of a process that runs already are measured, and its end ends perf"
run as_user "$PERF" ftrace latency -e sched:sched_wakeup,sched:sched_switch -- touch ran
ok "without rights it cannot be set up: $rc" test "$rc" = 255 -o "$rc" = 129
ok "nothing is started, and a message says why" test ! -e ran -a -n "$err"
run unshare --pid --fork --mount-proc "$PERF" ftrace latency -e sched:sched_wakeup,sched:sched_switch -- touch ran
is "$rc:$(ls ran 2>/dev/null)" "255:" "nor in a PID namespace"
like "$err" 'process ids of this namespace' "and says why"

# wrong STATUS TEXT OPTIONS...
wrong() {
	latency "${@:3}"
	is "$rc" "$1" "${*:3}"
	like "$err" "$2" "says what is wrong"
}
wrong 129 'name a function' ./f naps
wrong 129 'exclude each other' -T ./f:nap -e a:b,c:d ./f naps
wrong 129 'takes one function' -T a,b ./f naps
wrong 129 'need --bucket-range' -T ./f:nap --min-latency 3 ./f naps
wrong 129 'above --min-latency' -T ./f:nap --bucket-range 3 --min-latency 3 --max-latency 2 ./f naps
wrong 255 "has no function 'nop'" -T ./f:nop ./f naps
wrong 255 "unknown event 'nosuch'" -e nosuch,sched_switch ./f naps
wrong 255 'from one' -e sched_switch ./f naps
wrong 129 'functions of the kernel only' --no-use-bpf -T ./f:nap ./f naps
wrong 129 'functions of the kernel only' --no-use-bpf -e sched_wakeup,sched_switch ./f naps
wrong 129 '--filter needs BPF programs' --no-use-bpf -T vfs_read --filter 'pid == 1' ./f naps
wrong 129 '--stack-over needs BPF programs' --no-use-bpf -T vfs_read --stack-over 3 ./f naps
wrong 129 'takes one function and no pattern' -T 'vfs_*' ./f naps
wrong 129 'takes at most 4294967295' -T ./f:nap --stack-over 18446744073709552 ./f naps
wrong 129 'max-starts takes 1 to' -T ./f:nap --max-starts 0 ./f naps
wrong 129 'max-starts takes 1 to' -T ./f:nap --max-starts 4294967295 ./f naps
wrong 129 'max-starts makes room for BPF' --no-use-bpf -T vfs_read --max-starts 3 ./f naps
wrong 255 "unknown event 'sched_switc[*]'" -e 'sched_switc*,sched_switch' ./f naps
tracers=$(with_tracefs cat /sys/kernel/tracing/available_tracers 2>/dev/null)
if [[ " $tracers " != *" function_graph "* ]]; then
	[ -d /sys/bus/event_source/devices/kprobe ] || wrong 255 'no kprobes' -T vfs_read ./f naps
	wrong 255 'no function_graph tracer' --no-use-bpf -T vfs_read ./f naps
fi
done_testing

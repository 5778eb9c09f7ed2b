#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --filter: the file holds what the filter accepts, all of it and nothing else, and the counts say so.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# lost: samples that the kernel lost, of the summary in $err
lost() {
	local n
	n=$(sed -nE 's/^([0-9]+) samples? w[a-z]* lost.*/\1/p' <<<"$err")
	echo "${n:-0}"
}

# --- one thread of a running program ---

spawn "$WORKLOAD" thloop 1000
target=$spawned_pid
two_threads() {
	[ "$(ls "/proc/$target/task" | wc -l)" = 2 ]
}
wait_for 20 two_threads
other=$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 ! -name "$target" -printf '%f\n')

run "$PERF" record -e cycles:u -F 999 -p "$target" --filter "tid == $other" -o t.data -- "${until_run[@]}" 100 "$target" "$other"
is "$rc" 0 "one thread of a process"
counts ""
is "$(samples t.data tid | sort -u)" "$other" "every sample is of that thread"
ok "the other one was seen and dropped" test "$dropped" -gt 0
is $((kept + dropped)) "$seen" "kept + dropped = seen"
is $(($(samples t.data tid | wc -l) + $(lost))) "$kept" "what was kept is in the file"
like "$("$PERF" report --stats -i t.data)" "LOST_SAMPLES \(BPF\) events: +$dropped\$" "the file tells what was dropped"

run "$PERF" record -e cpu-clock -F 999 -a --filter "pid == $target" --filter "tid != $other" -o a.data -- "${until_run[@]}" 100 "$target"
counts ""
is "$rc:$(samples a.data tid | sort -u)" "0:$target" "system-wide, two filters are ANDed"
is $((kept + dropped)) "$seen" "kept + dropped = seen"
is $(($(samples a.data tid | wc -l) + $(lost))) "$kept" "what was kept is in the file"

# --- a command and its children ---

run "$PERF" record -e cpu-clock -F 999 --filter 'pid != 1' -o c.data -- sh -c "$WORKLOAD noploop 1 & wait"
counts ""
is "$rc:$dropped" "0:0" "children of a filtered command"
ok "are kept" test "$(samples c.data comm | grep -c '^workload$')" -gt 0
run "$PERF" record -e cpu-clock -F 999 --filter 'pid == 1' -o c.data -- "$WORKLOAD" noploop 1
counts ""
is "$rc:$kept:$(samples c.data tid | wc -l)" "0:0:0" "a filter that accepts nothing"
is "$dropped" "$seen" "dropped everything"
like "$("$PERF" report --stats -i c.data)" 'MMAP2 events: +[1-9]' "but maps are not filtered"
like "$("$PERF" report --stats -i c.data)" 'EXIT events: +[1-9]' "nor are tasks"

# --- two events with filters of their own, one without ---

run "$PERF" record -F 999 -e cpu-clock --filter "tid == $other" -e task-clock --filter "tid == $target" -e page-faults \
	-p "$target" -o two.data -- "${until_run[@]}" 100 "$target" "$other"
is "$rc" 0 "events with filters of their own"
is "$(samples two.data tid,event | grep -c .)" "$(($(samples two.data tid | wc -l)))" "all samples have an event"
is "$(samples two.data tid,event | grep cpu-clock: | sort -u)" "${other}cpu-clock:" "the first one's"
is "$(samples two.data tid,event | grep task-clock: | sort -u)" "${target}task-clock:" "the second one's"
for event in cpu-clock task-clock; do
	counts $event
	ok "$event has its counts" test "$seen" -gt 0 -a "$dropped" -gt 0 -a $((kept + dropped)) = "$seen"
done
counts page-faults
is "$seen" -1 "what has no filter has no counts"
run "$PERF" record -F 999 -e cpu-clock,task-clock --filter "tid == $other" -p "$target" -o both.data -- "${until_run[@]}" 50 "$other"
is "$rc:$(samples both.data tid | sort -u)" "0:$other" "a filter is for all events of the -e before it"
run "$PERF" record -F 999 --filter "tid == $other" -p "$target" -o default.data -- "${until_run[@]}" 50 "$other"
is "$rc:$(samples default.data tid | sort -u)" "0:$other" "without -e it is for the default event"

# --- tracepoints: the kernel's own filter, exact counts ---

# dd makes as many writes of the size as it is told, and its last words are not of that size
dd_writes=(dd if=/dev/zero of=/dev/null bs=512 count=1000 status=none)
run "$PERF" record -e syscalls:sys_enter_write --filter 'count == 512' -o w.data -- "${dd_writes[@]}"
is "$rc:$(samples w.data tid | wc -l)" "0:1000" "a field of a tracepoint: all of its hits"
run "$PERF" record -e syscalls:sys_enter_write --filter 'count != 512' -o w.data -- "${dd_writes[@]}"
is "$rc:$(samples w.data tid | wc -l)" "0:0" "and no other"
run "$PERF" record -e syscalls:sys_enter_write --filter '!(count < 512 || count > 600)' -o w.data -- "${dd_writes[@]}"
is "$rc:$(samples w.data tid | wc -l)" "0:1000" "in our language"
run "$PERF" record -e syscalls:sys_enter_write --filter '((count == 512) && (common_pid != 1))' -o w.data -- "${dd_writes[@]}"
is "$rc:$(samples w.data tid | wc -l)" "0:1000" "and in the kernel's"

# --- wrong filters: 129, nothing run, nothing written ---

rm -f -- *.data *.data.old
wrong "a filter that ends early" 'tid ==' -e cpu-clock --filter 'tid =='
wrong "an unknown term" "'foo'" -e cpu-clock --filter 'foo == 1'
wrong "an unknown user" 'no-such-user' -e cpu-clock --filter 'uid == no-such-user'
wrong "a cgroup that does not exist" '/no/such/group' -e cpu-clock --filter 'cgroup == /no/such/group'
wrong "a filter before -e" 'before -e cpu-clock' --filter 'tid == 1' -e cpu-clock
wrong "a wrong filter of the second event" "'bar'" -e cpu-clock --filter 'tid == 1' -e task-clock --filter 'bar == 1'
wrong "a term of samples on a tracepoint" 'period' -e sched:sched_switch --filter 'period > 1'
wrong "what neither language understands" 'prev_pid ==' -e sched:sched_switch --filter 'prev_pid == )'

# --- filters of several options: each is one by itself, and the caret points into what was written ---

# points_at OPTION TEXT COLUMN ARG...: the message begins with the option's name; below it stand TEXT and a caret
points_at() {
	local option=$1 text=$2 column=$3
	shift 3
	run "$PERF" record --dry-run "$@" -- true
	is "$rc" 129 "$option, $text: is refused"
	like "$(head -1 <<<"$err")" "^$option: " "$option, $text: names the option"
	is "$(tail -2 <<<"$err")" "  $text
$(printf "%$((column + 3))s" ^)" "$option, $text: points at the place"
}
points_at filter 'cpu = 2' 4 -e cpu-clock --filter 'tid == 1' --filter 'cpu = 2'
points_at filter 'cpu = 2' 4 -e cpu-clock --filter 'cpu = 2' --filter 'tid == 1'
points_at filter 'foo == 1' 0 -u 0 -e cpu-clock --filter '(tid == 1)' --filter 'foo == 1'
points_at filter 'prev_pi == 3' 0 -e sched:sched_switch --exclude-perf --filter 'next_pid == 1' --filter 'prev_pi == 3'
points_at -G 'cgroup in "/no/such/group"' 10 -a -e off-cpu -G no/such/group --filter 'tid > 1'
# Together they would be a filter that neither of them is.
points_at filter 'tid == 1) || (tid > 1' 8 -e cpu-clock --filter 'cpu == 2' --filter 'tid == 1) || (tid > 1'
points_at filter 'prev_pid == 1) || (prev_pid > 1' 13 -e sched:sched_switch --filter 'next_pid == 1' \
	--filter 'prev_pid == 1) || (prev_pid > 1'
points_at filter '(tid == 1' 9 -e cpu-clock --filter '(tid == 1' --filter 'cpu == 2)'
points_at filter 'comm == "a' 8 -e cpu-clock --filter 'comm == "a' --filter 'comm == b"'
run "$PERF" record --dry-run -v -e cpu-clock --filter 'tid == 1 || tid == 2' --filter 'cpu == 0, uid == 0' -- true
is "$rc:$(sed -nE 's/^ *[0-9]+: ([a-z]+) .*/\1/p' <<<"$out" | tr '\n' ' ')" "0:tid tid cpu uid " "an OR beside an AND: both hold"

# --- a program that is not in force somewhere: nobody has to wait for the end to know ---

cat >without.c <<'EOC'
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	return request == PERF_EVENT_IOC_SET_BPF ? 0 : syscall(SYS_ioctl, fd, request, arg);
}
EOC
if ${CC:-cc} -shared -fPIC -o without.so without.c 2>cc.txt; then
	unfiltered() {
		run preloaded "$PWD/without.so" timeout 200 "$PERF" record -e cpu-clock -F 99 -a --filter 'pid == 1' "$@" -- sleep 1000
		is "$rc" 255 "samples that the filter has not kept end the recording, ${*: -1}"
		like "$err" 'filter did not keep: do not use the file' "with the reason"
	}
	unfiltered -o w.data
	unfiltered -o -
	ok "a file can be read, for what it is" test "$(samples w.data tid | wc -l)" -gt 0
else
	skip 5 "needs a C compiler: $(head -1 cc.txt)"
fi

# --- no filter, no recording ---

cp "$PERF" perf
chmod 755 "$WORK" perf
mkdir -m 777 users
cd users || exit 1
run as_user ../perf record -e cpu-clock:u --filter 'tid != 1' -- touch ran
is "$rc" 255 "a user who may not load BPF programs"
like "$err" 'CAP_BPF' "is told what is missing"
ok "and nothing ran unfiltered, or was written" test ! -e ran -a ! -e perf.data
is "$(grep -c . <<<"$err" | sed 's/^[1-4]$/few/')" few "in one message"
cd ..

# --- --dry-run -v shows each stage ---

run "$PERF" record --dry-run -v -e cpu-clock --filter 'tid == 5 || comm ~ "ab*"' -- touch ran
is "$rc" 0 "--dry-run -v"
like "$out" 'tid == 5' "shows the tree"
like "$out" '^ *0: tid == 0x5 \?' "the table"
like "$out" '^engine: ' "and the engine"
ok "and runs nothing" test ! -e ran

done_testing

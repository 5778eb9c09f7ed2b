#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace of programs that run under a seccomp filter, as in every container: only what seccomp has answered is said to be. And which calls
# filters, CPUs and recordings show of those that only one end is known of.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >limited.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All calls are allowed but this one with this first argument, which fails with EPERM. */
static void limit(int nr, int arg)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arg, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		perror("seccomp");
}

static char room[64 << 20];

int main(int argc, char **argv)
{
	struct pollfd out = { .fd = 1, .events = POLLOUT };

	limit(SYS_close, 77);
	if (!strcmp(argv[1], "naps")) {
		for (int i = 0; i < 20; i++)
			usleep(1000);
	} else if (!strcmp(argv[1], "moves")) {
		cpu_set_t all, one;

		sched_getaffinity(0, sizeof(all), &all);
		for (int i = 0, cpu = 0; i < 6; i++) {
			do
				cpu = (cpu + 1) % CPU_SETSIZE;
			while (!CPU_ISSET(cpu, &all));
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			syscall(SYS_sched_setaffinity, 0, sizeof(one), &one);
		}
	} else if (!strcmp(argv[1], "renames")) {
		for (int i = 0; i < 5; i++) {
			prctl(PR_SET_NAME, "first");
			prctl(PR_SET_NAME, "second");
		}
	} else if (!strcmp(argv[1], "busy")) {
		int fd = open("/dev/zero", O_RDONLY);

		puts("ready");
		fflush(stdout);
		while (read(fd, room, sizeof(room)) > 0)
			;
	} else if (!strcmp(argv[1], "close")) {
		open("/etc/passwd", O_RDONLY); /* 3 */
		dup2(3, 77);
		close(3);
		close(77);
	} else if (!strcmp(argv[1], "poll")) {
		poll(&out, 1, -1);
		poll(&out, 1, 5);
		openat(AT_FDCWD, "/nosuch", 0);
		lseek(1, -7, SEEK_CUR);
	} else if (!strcmp(argv[1], "late")) {
		puts("ready");
		fflush(stdout);
		getchar();
		close(77);
	}
	return 0;
}
C
"${CC:-cc}" -O1 -w -o limited limited.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
case $("$PERF" trace -e getppid -- ./limited naps 2>&1) in
*"outside of the container"*) skip_all "it needs the first PID namespace" ;;
esac

# What a filter drops when it begins is not judged again at its end.
# Each CPU counts for itself.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
run "$PERF" trace -e 'clock_nanosleep' --filter 'every 2' -o naps.txt -- taskset -c "$cpu" ./limited naps
is "$(wc -l <naps.txt):$(grep -c seccomp naps.txt)" 10:0 "every second call"
run "$PERF" trace -e 'clock_nanosleep' --filter 'rand < 50%' -o naps.txt -- ./limited naps
is "$rc:$(grep -c 'seccomp\|continued' naps.txt)" 0:0 "or half of them: each is judged once"
like "$(wc -l <naps.txt)" '^([1-9]|1[0-9])$' "some, and not all"
# calls FILTER WORD CALL: how many of the call are counted, and shown
calls() {
	run "$PERF" trace -e "$3" --filter "$1" -S -o sums.txt -- ./limited "$2"
	echo "$rc:$(awk -v call="$3" '$1 == call && $2 ~ /^[0-9]+$/ { print $2 }' sums.txt):$(grep -c "$3(" sums.txt):$(grep -c 'continued' sums.txt)"
}
# What differs at the end: the CPU, the name
is "$(calls 'comm == "first"' renames prctl)" 0:5:5:0 "calls that change the name, with the old one"
is "$(calls 'comm == "second"' renames prctl)" 0:4:4:0 "with the other one"
if [[ $(nproc) == 2 ]]; then
	moved=$(calls 'cpu == 0' moves sched_setaffinity),$(calls 'cpu == 1' moves sched_setaffinity)
	like "$moved" '^0:(2:2|3:3):0,0:(3:3|4:4):0$' "calls that move the task to the other CPU, from the one where each run begins"
fi

# A call that goes on, on a CPU, when tracing begins
./limited busy >ready &
busy=$!
wait_for 60 test -s ready
for i in 1 2 3; do
	run "$PERF" trace -e read --max-events 3 -p $busy -o busy.txt
	is "$(wc -l <busy.txt):$(grep -c seccomp busy.txt)" 3:0 "what a running task is in is not denied, $i"
	note "$err" "$(cat busy.txt)"
done
kill $busy
wait $busy 2>killed.err

# The file of a call that no program has seen begin
for wanted in '--failure' '--filter=ret<0'; do
	run "$PERF" trace -e close "$wanted" -o close.txt -- ./limited close
	like "$(tr -s ' ' <close.txt)" 'continued\]: close\(fd: 77\) = -1 EPERM .*, denied by seccomp$' "no file of an earlier call: $wanted"
done

# Arguments with a sign
# shown CALLS FILTER
shown() {
	run "$PERF" trace -e "$1" --filter "$2" -o calls.txt -- ./limited poll
	[[ $rc == 0 ]] || echo "$err"
	grep -oE ' (poll|lseek)\(.*(timeout_msecs: -?[0-9]+|offset: -?[0-9]+)|/nosuch' calls.txt | grep -oE '[-a-z/0-9]+$' | xargs
}
is "$(shown poll 'timeout_msecs < 0')" "-1" "an int below 0"
is "$(shown poll 'timeout_msecs >= 0')" "5" "and above"
is "$(shown poll 'timeout_msecs in {-2..4}')" "-1" "in a range"
is "$(shown poll 'timeout_msecs != -1')" "5" "or not equal"
is "$(shown lseek 'offset < -6')" "-7" "a long"
is "$(shown openat 'dfd < -1 && filename == "/nosuch"')" "/nosuch" "a directory, which is AT_FDCWD"
is "$(shown openat 'dfd > 0 && filename == "/nosuch"')" "" "and not above 0"
run "$PERF" record -e syscalls:sys_enter_poll --filter 'timeout_msecs < 0' -o none.data -- true
like "$err" 'timeout_msecs has no sign in the format of the tracepoint' "a tracepoint's have none: refused"

# A call that lasts for all of the tracing is judged, too.
spawn sleep 1000
asleep() { [[ $(cut -d' ' -f1 "/proc/$spawned_pid/syscall") == "$([ "$(uname -m)" = x86_64 ] && echo 230 || echo 115)" ]]; }
wait_for 60 asleep
for filter in 'which_clock == 0' 'pid > 1 && comm == "sleep"' 'uid == 0 && gid == 0' 'ppid > 0' 'nice < 19 && prio > 0'; do
	run "$PERF" trace --filter "$filter" -p "$spawned_pid" -o span.txt -- true
	is "$(grep -c 'continued\]: clock_nanosleep' span.txt)" 1 "one that goes on is kept: $filter"
done
run "$PERF" trace --filter-pids 1 -s -p "$spawned_pid" -o span.txt -- true
is "$(awk '$1 == "clock_nanosleep" { print $2 }' span.txt)" 1 "in sums, too"
for filter in 'which_clock == 1' 'comm == "other"' 'flags == 77' 'uid == 1' 'gid == 1' 'ppid == 1' 'nice == 19'; do
	run "$PERF" trace --filter "$filter" -p "$spawned_pid" -o span.txt -- true
	is "$(wc -l <span.txt)" 0 "or dropped: $filter"
done
for filter in 'duration > 1us' 'duration < 1us' 'ret >= 0'; do
	run "$PERF" trace --filter "$filter" -p "$spawned_pid" -o span.txt -- sleep 0.01
	is "$(wc -l <span.txt):$err" "$([[ $filter == *'> 1us' ]] && echo 1 || echo 0):" "its time under perf counts, and it has no result: $filter"
done
run "$PERF" trace --filter 'cpu >= 0' -p "$spawned_pid" -o span.txt -- true
like "$err" '1 system call that began before tracing is left out: the filter can test pid,' "what is not known of them is told"

# An option of a socket has the name that it has at its level.
run "$PERF" trace -e setsockopt -o options.txt -- python3 -c 'import socket
s = socket.socket()
for level, name in (6, 1), (0, 2), (6, 4), (1, 2), (17, 3):
	try: s.setsockopt(level, name, 1)
	except OSError: pass'
is "$(grep -oE 'level: [^,]*, optname: [^,]*' options.txt | sed 's/level: //; s/, optname: /:/' | xargs)" \
	"TCP:NODELAY IP:TTL TCP:KEEPIDLE SOCKET:REUSEADDR UDP:3" "names of options of sockets"

# A recording does not tell whether a call began before it.
mkfifo go
exec {to}<>go # for both sides, so that neither waits
: "$to"
./limited late <go >ready &
late=$!
wait_for 60 test -s ready
in_read() { [[ $(cut -d' ' -f1 /proc/$late/syscall) == "$([ "$(uname -m)" = x86_64 ] && echo 0 || echo 63)" ]]; }
wait_for 60 in_read
"$PERF" trace record -q -p $late -o late.data 2>late.err &
recorder=$!
ok "recording" wait_for 60 in_loop $recorder
sleep 0.2 # which would be the time of the calls
echo >go
wait $late $recorder
run "$PERF" trace -i late.data -o replay.txt
like "$(tr -s ' ' <replay.txt)" '\( \): limited/[0-9]+ \.\.\. \[continued\]: read\(\) = 1$' "one that went on has no time"
like "$(tr -s ' ' <replay.txt)" '\( \): limited/[0-9]+ \.\.\. \[continued\]: close\(\) = -1 EPERM' "nor has one that was denied"
run "$PERF" trace -i late.data -e 'raw_syscalls:sys_e*'
is "$rc:$err" "255:-e raw_syscalls:sys_e*: raw_syscalls:sys_enter and sys_exit are the calls themselves, which -i shows without it" "they are no other events"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record -p and -t of what starts tasks while events are opened: none of them is recorded without the filter, and none is forgotten.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# Perf, with a library that lets the target start a task at the moments that matter, and goes on when it runs. $START_AT says before
# which system calls on the target's events: "open" before one is opened, "attach" before it gets its program; $START_NR how often.
cat >start.c <<'EOC'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void start(const char *at)
{
	static int nr = -1;
	const char *wanted = getenv("START_AT");
	char byte = 0;
	int ask, answer;

	if (!wanted || strcmp(wanted, at))
		return;
	if (nr < 0)
		nr = atoi(getenv("START_NR"));
	if (!nr)
		return;
	nr--;
	ask = open("ask", O_WRONLY | O_CLOEXEC);
	answer = open("answer", O_RDONLY | O_CLOEXEC);
	if (write(ask, &byte, 1) != 1 || read(answer, &byte, 1) != 1)
		err(1, "the target starts nothing");
	close(ask);
	close(answer);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	if (request == PERF_EVENT_IOC_SET_BPF)
		start("attach");
	return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(SYS_ioctl, fd, request, arg);
}

long syscall(long nr, ...)
{
	long arg[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open && (int)arg[1] > 0)
		start("open");
	return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
EOC
${CC:-cc} -shared -fPIC -o start.so start.c -ldl 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

mkfifo ask answer
exec 8<>ask 9<>answer # so that nobody waits for the other end, or sees the end of it

# target KIND: a new one, which starts threads, children or siblings; its id in $target. All run on the CPU whose events are opened first.
target() {
	# shellcheck disable=SC2016 # for the inner shell
	spawn taskset -c 0 sh -c 'exec "$WORKLOAD" starter "$1" <ask >answer' sh "$1"
	target=$spawned_pid
}

# recording AT NR KIND COMMAND OPTIONS...: of a new target, which starts a task NR times
recording() {
	local at=$1 nr=$2
	rm -f r.data
	target "$3"
	shift 3
	START_AT=$at START_NR=$nr run preloaded "$PWD/start.so" "$PERF" "$@" "$target" -o r.data -- sleep 0.3
	kill "$target"
	wait "$target" 2>/dev/null
}

# --- a task that inherits the event before its program is attached ---

while read -r kind options; do
	# shellcheck disable=SC2086 # words
	recording attach 3 "$kind" record -e cs -c 1 --filter 'tid == 1' $options
	counts ""
	is "$rc:$kept:$(samples r.data tid | wc -l)" "0:0:0" "three $kind, ${options% *}: none is recorded unfiltered"
	[ "$kind $options" != "threads -p" ] || ok "they are recorded" test "$seen" -gt 0
done <<EOF2
threads -t
threads -p
children -t
children -p
siblings -t
siblings -p
threads -m 1 -t
EOF2

recording attach 1 children record -e '{cs,page-faults}' -c 1 --filter 'tid == 1' -p
is "$rc:$(samples r.data tid | wc -l)" "0:0" "a group: the leader's program"
recording attach 3 siblings record -e '{cs,page-faults}' -c 1 --filter 'tid == 1' -p
is "$rc:$(samples r.data tid | wc -l)" "0:0" "a group: the programs of leader and member"
recording attach 3 siblings sample-bpf -e cs -c 1 -p
is "$rc" 0 "sample-bpf: no sample is written that is to be counted" # it compares

# --- always one that is too early ---

for options in "-e cs -c 1 --filter tid==1" "-e {cs,page-faults} -c 1 --filter tid==1"; do
	# shellcheck disable=SC2086 # words
	recording attach -1 siblings record $options -p
	ok "$options: a task starts each time: nothing is recorded" test "$rc" = 255 -a ! -e r.data
	like "$err" 'start others faster than BPF programs' "and it is said why"
done
recording attach -1 siblings record -e cs -c 1 --filter tid==1 --no-inherit -p
is "$rc" 0 "what is not inherited can be recorded"

# --- a thread that was not there when threads were listed, of one that had no events yet ---

recording open 1 threads record -e cs -c 1 -p
is "$rc" 0 "a thread starts before the first event is opened"
ok "it is recorded" test "$(samples r.data tid | grep -vcx "$target")" -gt 0
recording open 1 threads record -e cs -c 1 --filter "tid != $target" -p
ok "and with a filter" test "$rc:$(samples r.data tid | sort -u | wc -l)" = 0:1

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Groups of events on a target that starts tasks all the time: the kernel lets parent and child exchange their events, and then refuses the
# members of a group whose leader has gone. Perf opens the group anew.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# A leader goes: the group of the first member that is opened takes no event any more, with the error $MOVED. $MOVED_NR groups do so.
cat >moved.c <<'EOC'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

static int moved = -1, nr = -1;

static int refuses(int group)
{
	if (nr < 0)
		nr = atoi(getenv("MOVED_NR"));
	if (group != moved && nr > 0) {
		nr--;
		moved = group;
	}
	return group == moved;
}

int close(int fd)
{
	if (fd == moved)
		moved = -1;
	return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(SYS_close, fd);
}

long syscall(long nr, ...)
{
	long arg[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open && (int)arg[3] >= 0 && refuses(arg[3])) {
		errno = atoi(getenv("MOVED"));
		return -1;
	}
	return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
EOC
${CC:-cc} -shared -fPIC -o moved.so moved.c -ldl 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

spawn "$WORKLOAD" noploop 1000
target=$spawned_pid

# moved NR ERROR OPTIONS...
moved() {
	rm -f m.data
	MOVED_NR=$1 MOVED=$2 run preloaded "$PWD/moved.so" "$PERF" record -e '{cs,page-faults,cpu-migrations}' -c 1 "${@:3}" "$target" -o m.data -- true
}

for error in 22 19; do # EINVAL, ENODEV
	for options in "-p" "-t" "--filter tid==1 -p"; do
		# shellcheck disable=SC2086 # words
		moved 3 $error $options
		is "$rc:$err" "0:$(grep -E '^\[ perf record|filter: |samples|^The filter kept nothing' <<<"$err")" "three leaders go (error $error), $options: the group is opened anew"
	done
	moved 1000 $error -p
	ok "always (error $error): nothing is recorded" test "$rc" = 255 -a ! -e m.data
	like "$err" 'start others faster than a group of events can be opened' "and perf says why"
done
# Here nothing moves: of all tasks, and of a program that waits.
MOVED_NR=1 MOVED=22 run preloaded "$PWD/moved.so" "$PERF" record -a -e '{cs,page-faults}' -c 1 -o m.data -- true
like "$rc:$err" '^255:.*cannot be in the group of cs ' "other refusals have their own reason"

# As it happens.
# shellcheck disable=SC2016 # for the inner shell
spawn sh -c 'while :; do /bin/true; (:); done'
target=$spawned_pid
failed=
for ((i = 0; i < 20; i++)); do
	run "$PERF" record -e '{cs,page-faults,cpu-migrations}' -c 1 --filter 'tid == 1' -p "$target" -o m.data -- true
	[ "$rc" = 0 ] || failed+="$rc: $err"$'\n'
done
is "$(grep -v 'start others faster\|--filter' <<<"$failed")" "" "a shell that starts programs: no other reason is given"
done_testing

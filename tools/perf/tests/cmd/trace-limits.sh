#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace where something has an end: rooms that are full, namespaces, missing rights, and tracers that are killed.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >calls.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static const int harmless[] = {
	SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_gettid, SYS_sched_yield, SYS_getpgid, SYS_getsid,
	SYS_fsync, SYS_fdatasync, SYS_fchdir, SYS_dup, SYS_fchmod, SYS_fstat, SYS_fcntl, SYS_flock, SYS_ftruncate, SYS_lseek,
	SYS_fchown, SYS_fstatfs, SYS_getpeername, SYS_getsockname, SYS_listen, SYS_shutdown, SYS_syncfs, SYS_timer_delete, SYS_timer_getoverrun,
	SYS_tee,
};
#define NR_CALLS ((long)(sizeof(harmless) / sizeof(*harmless)))
static void *all(void *unused)
{
	for (long i = 0; i < NR_CALLS; i++)
		syscall(harmless[i], -1, -1, -1, -1, -1, -1);
	return NULL;
}
static int null;
static void *writes(void *nr)
{
	for (long i = 0; i < (long)nr; i++)
		syscall(SYS_write, null, "", 1);
	return NULL;
}
int main(int argc, char **argv) /* "all" or "writes", and a number: of threads, or of writes of two threads each */
{
	const long nr = atol(argv[2]);
	pthread_t thread[2];

	null = open("/dev/null", O_WRONLY);
	for (long i = 0; *argv[1] == 'a' && i < nr; i++) {
		if (pthread_create(thread, NULL, all, NULL) || pthread_join(*thread, NULL))
			return 1;
	}
	if (*argv[1] == 'w' && (pthread_create(&thread[0], NULL, writes, (void *)nr) || pthread_create(&thread[1], NULL, writes, (void *)nr) ||
				pthread_join(thread[0], NULL) || pthread_join(thread[1], NULL)))
		return 1;
	return 0;
}
C
${CC:-cc} -O2 -pthread -o calls calls.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

# --- rooms that are full ---

# Each thread has 30 rows, of which there are 131,072, and as many as slots of those that are found without a search.
names=getpid,getppid,getuid,geteuid,getgid,getegid,gettid,sched_yield,getpgid,getsid,fsync,fdatasync,fchdir,dup,fchmod,fstat,fcntl,flock
names+=,ftruncate,lseek,fchown,fstatfs,getpeername,getsockname,listen,shutdown,syncfs,timer_delete,timer_getoverrun,tee
threads=4600
run "$PERF" trace -s -e "$names" -o sums.txt -- ./calls all $threads
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc" 0 "more rows than there is room for"
missing=$(grep -o '^[0-9]* system calls* [a-z]* missing in the sums' <<<"$err" | cut -d' ' -f1)
ok "some calls are missing in the sums, which is told" [ "${missing:-0}" -gt 5000 ]
shown=$(awk '/^   [a-z_]+ +[0-9]+ +[0-9]+ / { n += $2 } END { print n }' sums.txt)
others=$(("$("$PERF" trace -s -e "$names" --summary-mode total -o total.txt -- ./calls all 0 2>&1; awk '/^   [a-z_]+ +[0-9]+ +[0-9]+ / { n += $2 } END { print n + 0 }' total.txt)"))
is "$((shown + missing))" "$((30 * threads + others))" "all calls are in the sums or missing there"
run "$PERF" trace -s -e "$names" --summary-mode total -o sums.txt -- ./calls all $threads
is "$err:$(awk '/^   [a-z_]+ +[0-9]+ +[0-9]+ / { n += $2 } END { print n }' sums.txt)" ":$((30 * threads + others))" "a total has room for all of them"

# Two threads that do nothing else: lines are printed, or counted as missing
writes=500000
run "$PERF" trace -e write -o lines.txt -- ./calls writes $writes
missing=$(grep -o '^[0-9]* system calls* [a-z]* missing' <<<"$err" | cut -d' ' -f1)
is "$rc:$(($(grep -c 'write(fd: 3</dev/null>, buf: "\\x00", count: 1) *= 1$' lines.txt) + ${missing:-0}))" "0:$((2 * writes))" \
	"of two threads that write as fast as they can each call has a line or is counted as missing"
rm lines.txt
run "$PERF" trace -s -e write --summary-mode total -o sums.txt -- ./calls writes $writes
is "$rc:$err:$(awk '$1 == "write" { print $2, $3 }' sums.txt)" "0::$((2 * writes)) 0" "and none is missing in the sums"

# --- namespaces and rights ---

if unshare --pid --fork true 2>unshare.err; then
	run unshare --pid --fork --mount-proc "$PERF" trace -- true
	like "$rc:$err" '^255:.*outside of this pid namespace' "in a pid namespace of its own"
	# shellcheck disable=SC2016 # for the inner shell
	run unshare --pid --fork --mount-proc sh -c 'sleep 100 & exec "$PERF" trace -p $!'
	like "$rc:$err" '^255:.*outside of this pid namespace' "and with -p"
	# shellcheck disable=SC2016 # for the inner shell
	run "$PERF" trace -e getppid,exit_group -o inner.txt -- unshare --pid --fork sh -c 'exit 7'
	is "$rc" 7 "a command that makes a pid namespace is traced from outside"
	like "$(cat inner.txt)" 'sh/[0-9]+ exit_group\(error_code: 7\)' "with its children"
fi
run setpriv --reuid=65534 --clear-groups --inh-caps=-all "$PERF" trace -- true
like "$rc:$err" '^255:.*CAP_' "without rights: one message names them"
is "$(wc -l <<<"$err")" 2 "with what to do"
for target in "-p 99999999" "-t 99999999" "-C 4000" "-u nosuchuser" "-G /no/such/group"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace $target -- true
	ok "no such target: $target" [ "$rc" -ne 0 ]
done

# --- what cannot be written or loaded ---

for options in "" -s "-e sched:sched_process_exit"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace $options -o /dev/full -- true
	is "$rc:$err" "255:cannot write /dev/full: No space left on device" "a full disk: $options"
	# shellcheck disable=SC2086 # words
	run sh -c '"$PERF" trace "$@" 2>&- || echo $?' sh $options -- true
	is "$out" 255 "a closed standard error: $options"
done
build_injector
run "$INJECT" -o fault -c 'bpf PROG_TEST_RUN' -e EINVAL -n 1+ "$PERF" trace -- true
like "$rc:$err" '^255:cannot trace system calls: The kernel refuses the BPF program: Invalid argument' "a program that is refused is no filter"

# --- a tracer that is killed ---

# shellcheck disable=SC2016 # for the inner shell
spawn "$PERF" trace -o killed.txt -- sh -c 'echo $$ >pid; until [ -e go ]; do sleep 0.05; done; echo whole >result'
tracer=$spawned_pid
wait_for 20 test -s pid
programs=$(cat /proc/"$tracer"/fdinfo/* 2>/dev/null | awk '/^prog_id:/ { print $2 }' | sort -u)
ok "its programs are known" [ -n "$programs" ]
kill -KILL "$tracer"
wait "$tracer" 2>killed.err
is "$(cat "/proc/$(cat pid)/comm" 2>/dev/null)" sh "the command of a killed perf lives on"
touch go
wait_for 20 test -s result
is "$(cat result)" whole "and does its work"
if command -v bpftool >bpftool.path; then
	left() {
		for id in $programs; do
			bpftool prog show id "$id" 2>/dev/null
		done
	}
	nothing_left() { [ -z "$(left)" ]; }
	wait_for 20 nothing_left
	is "$(left)" "" "none of its programs is left"
fi
done_testing

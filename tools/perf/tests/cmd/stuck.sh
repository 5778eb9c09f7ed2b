#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A program that is stuck, as at a mutex that nobody releases: perf says what it cannot see of it, and what to do.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
command -v gcc >/dev/null || skip_all "needs gcc"

cat >stuck.c <<'C'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *wait(void *arg) { pthread_mutex_lock(&mutex); return arg; }
int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	pthread_create(&thread, 0, wait, 0);
	pthread_join(thread, 0);
}
C
gcc -o stuck stuck.c -lpthread || exit 1
spawn ./stuck
both_wait() { [ "$(cat /proc/"$spawned_pid"/task/*/wchan 2>/dev/null | grep -o futex | wc -l)" = 2 ]; }
wait_for 10 both_wait

run "$PERF" record --off-cpu -e dummy -p "$spawned_pid" -o off.data -- true
like "$err" '^Threads that slept before the recording are not in offcpu-time: --wall has them\. .gdb -p PID' "off-CPU time says that it has nothing of it"
run "$PERF" report -i off.data --stdio
like "$err" 'has no samples!' "there are no samples"
like "$err" "^Off-CPU time begins when a thread goes to sleep, and none did\." "and report says why"
like "$err" "^'perf record --wall -p PID' shows where in the kernel they wait" "and what to do"

run "$PERF" record --wall -p "$spawned_pid" -o wall.data -- true
like "$err" "^All threads slept from the start: their stacks have the kernel's part only" "wall-clock time says what it lacks"
run "$PERF" report -i wall.data --stdio
like "$out" 'futex' "and has the rest"

run "$PERF" lock contention --futex -p "$spawned_pid" -- true
like "$err" '^No wait began while perf watched\. Threads that waited before are not in the table' "waits for locks: there is no row, and the reason"
run "$PERF" lock contention --futex -- true
unlike "$err" 'No wait began' "nothing of that without -p"

run "$PERF" sched latency -p 27210
is "$rc" 129 "sched latency -p takes no process"
like "$err" "'27210' is no command\. -p shows each task in a row .*: to watch process 27210, give --pid 27210" "and says what does"

done_testing

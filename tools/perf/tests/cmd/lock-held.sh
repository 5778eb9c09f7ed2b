#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf lock contention on locks of the kernel that a thread holds for known times: the waits, who waits, and who holds.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_locks
if ! "$PERF" test -w heldlocks pipe >/dev/null 2>err.txt; then
	grep -q 'no userfaultfd' err.txt && skip_all "needs userfaultfd"
	cat err.txt >&2
fi

in_bounds() { # PATTERN: the rows have ten waits, whose sum is what the workload knows
	awk -F', ' -v pattern="$1" -v least="$least" -v most="$most" '
		/^[0-9]/ && $0 ~ pattern { nr += $1; sum += $2 }
		END { exit !(nr == 10 && sum >= least && sum <= most) }' rows.txt
}
learn() { # what the workload has printed
	read -r least most holder waiter <<<"$out"
}
watch() { # KIND OPTION...: rows.txt, and what the workload knows
	local kind=$1

	shift
	run "$PERF" lock contention -x, --output rows.txt --filter 'comm == "lock-waiter"' "$@" -- "$PERF" test -w heldlocks "$kind"
	learn
}
recorded() { # KIND OPTION...: as watch, from a file
	local kind=$1

	shift
	run "$PERF" lock record -o locks.data -- "$PERF" test -w heldlocks "$kind"
	learn
	run "$PERF" lock contention -i locks.data -x, --output rows.txt "$@"
}

# Kernels differ in which functions they have there, and stacks of some leave out the first one after those of locks.
while read -r kind type caller; do
	watch "$kind" -Y "$type"
	is "$rc" 0 "$kind: a thread waits for another one"
	ok "$kind: the sum of waits is true, and the caller is known" in_bounds ", $type, $caller\\\\+0x"
	watch "$kind" -Y "$type" -t
	ok "$kind: -t names the thread that waited" in_bounds ", $waiter, lock-waiter$"
	watch "$kind" -Y "$type" -t -o
	ok "$kind: -t -o names the thread that held the lock" in_bounds ", $holder, lock-holder$"
	watch "$kind" -Y "$type" --user-callers -S "wait_for_$kind"
	ok "$kind: --user-callers knows where the thread waited" in_bounds ", $type, "
	recorded "$kind" -Y "$type"
	ok "$kind: a recording has the same" in_bounds ", $type, $caller\\\\+0x"
done <<'LIST'
inode rwsem:W [a-z_]*write_iter
pipe mutex [a-z_]*pipe_[a-z_.0-9]*
epoll mutex [a-z_0-9]*ep(oll)?_[a-z_.0-9]*
LIST

# --- on which CPU waits begin ---

cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
on_cpu() { # LIST: rows.txt, of waits that all begin on $cpu
	run "$PERF" lock contention -C "$1" -x, --output rows.txt --filter 'comm == "lock-waiter"' -Y mutex -- taskset -c "$cpu" "$PERF" test -w heldlocks pipe
	learn
}
on_cpu "$cpu"
ok "-C: waits that begin on this CPU are counted" in_bounds ', mutex, '
if [ "$cpu" -gt 0 ]; then
	on_cpu "0-$((cpu - 1))"
	is "$rc:$(grep -c '^[0-9]' rows.txt)" 0:0 "and those on others are not"
else
	skip 1 "there is one CPU only"
fi

# --- a rwsem that is held for reading ---

watch directory -Y rwsem -t -o
is "$rc" 0 "directory: a thread waits for a reader"
ok "-t -o says that readers held the lock" in_bounds ', \\(readers\\)$'
watch directory -Y rwsem -o
ok "so does -o" in_bounds ', rwsem:W, \\(readers\\)$'

# --- who got a lock last ---

# A mutex is mostly free again when a wait for it begins. Then its owner is the task that got it last after a wait.
cat >pipelocker.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2];
static void *work(void *rounds)
{
	char byte = 0;

	printf("%d\n", gettid());
	for (int i = 0; i < *(int *)rounds; i++) {
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			return NULL;
	}
	return NULL;
}
int main(void)
{
	int rounds = 20000;
	pthread_t thread[3];

	if (pipe(ends))
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, work, &rounds);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
END
cc -O1 -pthread -o pipelocker pipelocker.c || exit 1
if [ "$(nproc)" -ge 2 ] && chrt -f 1 true 2>/dev/null; then
	for _ in $(seq 10); do
		# Then other tasks keep none of the threads from running.
		run "$PERF" lock contention -t -o -Y mutex --filter 'comm == "pipelocker"' --json --output owners.json -- chrt -f 1 ./pipelocker
		tids=$out
		python3 -c 'import json, sys; sys.exit(not json.load(open("owners.json"))["waits"]["late_owners"])' && break
	done
	# shellcheck disable=SC2086 # the tids are words
	owners() { # EXPRESSION: of rows r, waits w, and the rows of the threads, mine
		python3 -c 'import json, sys
report = json.load(open("owners.json"))
r, w = report["rounds"][0]["rows"], report["waits"]
mine = [row for row in r if str(row.get("pid")) in sys.argv[2:]]
sys.exit(not eval(sys.argv[1]))' "$1" $tids
	}
	ok "owners are known of mutexes that were free again" owners 'w["late_owners"] > 0'
	ok "they are threads that fought for them, or nobody is named" owners 'all(row in mine or row["comm"] == "Unknown" for row in r)'
	ok "each such wait is in a row of a thread" owners 'sum(row["contended"] for row in mine) >= w["late_owners"]'
else
	skip 3 "needs real-time scheduling, and two CPUs on which threads meet"
fi

# Who gave up waiting did not get it. Readers of a terminal wait for each other's mutex, until a signal comes. The first one, from which no other task
# takes its CPU, then leaves the mutex to one that waits, and comes back before that one can take it: nobody has the mutex just then.
cat >terminal.c <<'END'
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
struct reader {
	const char *name;
	pthread_t thread;
	int priority, lines;
	atomic_int tid, has_failed;
};
static int terminal;
static void *work(void *data)
{
	struct reader *r = data;
	const struct sched_param param = { .sched_priority = r->priority };
	char line[16];

	prctl(PR_SET_NAME, r->name);
	if (r->priority && sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "no real-time scheduling");
	r->tid = gettid();
	for (int i = 0; i < r->lines; i++)
		r->has_failed |= read(terminal, line, sizeof(line)) < 0;
	return NULL;
}
static void read_file(const struct reader *r, const char *name, char *text, size_t size)
{
	char path[64];
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", r->tid, name);
	fp = fopen(path, "r");
	if (!fp || !fgets(text, size, fp))
		err(1, "cannot read %s", path);
	fclose(fp);
}
/* In read(2) and off its CPU: it waits for a line, or for who waits for one. */
static int sleeps_in_read(const struct reader *r)
{
	char call[256], stat[512];

	if (!r->tid)
		return 0;
	read_file(r, "syscall", call, sizeof(call));
	read_file(r, "stat", stat, sizeof(stat));
	return call[0] != 'r' && atoi(call) == SYS_read && strchr("SD", strrchr(stat, ')')[2]);
}
static void start(struct reader *r)
{
	pthread_create(&r->thread, NULL, work, r);
	while (!sleeps_in_read(r))
		usleep(1000);
}
static void ignore(int sig)
{
}
int main(void)
{
	struct reader first = { "first-reader", .priority = 1, .lines = 2 }, failed = { "failed-reader", .lines = 1 }, last = { "last-reader", .lines = 1 };
	const struct sigaction action = { .sa_handler = ignore };
	const int keyboard = posix_openpt(O_RDWR | O_NOCTTY);

	sigaction(SIGUSR1, &action, NULL);
	if (keyboard < 0 || grantpt(keyboard) || unlockpt(keyboard) || (terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY)) < 0)
		err(1, "no terminal");
	start(&first);
	start(&failed);
	pthread_kill(failed.thread, SIGUSR1);
	pthread_join(failed.thread, NULL);
	start(&last);
	if (!failed.has_failed || write(keyboard, "1\n2\n3\n", 6) != 6)
		err(1, "no line");
	pthread_join(first.thread, NULL);
	pthread_join(last.thread, NULL);
	return 0;
}
END
cc -O1 -pthread -o terminal terminal.c || exit 1
if chrt -f 1 true 2>/dev/null && [ -r /proc/self/syscall ]; then
	run "$PERF" lock contention -t -o -Y mutex --filter 'comm ~ "*-reader"' -x, --output rows.txt -- taskset -c "$cpu" ./terminal
	is "$rc" 0 "a thread comes back to a mutex that nobody has"
	like "$(<rows.txt)" ', Unknown$' "so its owner is unknown"
	unlike "$(<rows.txt)" ', failed-reader$' "and not a thread that gave up waiting for it"
else
	skip 3 "needs real-time scheduling"
fi

# --- names ---

if "$PERF" test --kernel | grep -q 'bpf_get_kmem_cache.*yes'; then
	watch inode -l
	ok "-l names the cache of the object and the member that the lock is" in_bounds ', &shmem_inode_cache->vfs_inode\\.i_rwsem, rwsem:W$'
	watch inode -l -L '&shmem_inode_cache->vfs_inode.i_rwsem'
	ok "-L takes this name" in_bounds ''
	watch inode -l -L '&shmem_inode_cache'
	ok "and that of the cache" in_bounds ', rwsem:W$'
	watch inode -l -L '&shmem_inode_cache->vfs_inode.i_lock'
	unlike "$(<rows.txt)" '^[0-9]' "but not another member's"
else
	skip 4 "needs bpf_get_kmem_cache"
fi

# --- the lock of a memory map ---

# Waits of lock-waiter besides those that it measures there are none. What it touched without sleep may have waited, too.
# With an ALSO, some rows may be of these: nobody is known to hold a lock that its owner gives back, or has just taken, at that moment.
in_map_bounds() { # PATTERN [ALSO]
	awk -F', ' -v pattern="$1" -v also="${2-^$}" -v least="$least" -v most="$most" -v sleeps="$sleeps" '
		/^[0-9]/ && $0 ~ pattern { known += $1 }
		/^[0-9]/ && ($0 ~ pattern || $0 ~ also) { nr += $1; sum += $2 }
		END { exit !(nr >= sleeps && known >= 0.8 * nr && sum >= least && sum <= most) }' rows.txt
}
watch_map() { # OPTION...
	run "$PERF" lock contention -x, --output rows.txt --filter 'comm == "lock-waiter"' -L mmap_lock "$@" -- "$PERF" test -w mapwaits
	read -r least most holder waiter sleeps off_cpu <<<"$out"
}
# A thread that is woken waits until it runs again. Some other task may take the CPU before or behind the wait. How long the thread runs for a page
# says nothing of the wait: below a hypervisor that keeps page tables of its own this takes longer.
until_it_runs() {
	for _ in 1 2 3 4 5 6 7 8; do
		watch_map
		awk -F', ' -v off="$off_cpu" -v most="$most" '/^[0-9]/ { sum += $2 } END { exit !(sum >= 0.98 * off && sum <= most) }' rows.txt && return
	done
	return 1
}
watch_map
is "$rc" 0 "page faults wait for mprotect()"
ok "the sum of waits is true, and the caller is a page fault's" in_map_bounds ', rwsem:R, [a-z_0-9]*(fault|find_vma)[a-z_0-9.]*\\+0x'
ok "it has all the time, within 2 %, until the thread runs again" until_it_runs
watch_map --filter 'period > 0'
ok "so it is with a filter that judges when waits end" in_map_bounds ', rwsem:R, [a-z_0-9]*(fault|find_vma)[a-z_0-9.]*\\+0x'
watch_map --filter 'period > 0' --user-callers
ok "and with callers in user space" in_map_bounds ', rwsem:R, touch_page\\+0x'
watch_map -t
ok "-t names the thread that waited" in_map_bounds ", $waiter, lock-waiter$"
watch_map -t -o
ok "-t -o names the thread that held the lock" in_map_bounds ", $holder, lock-holder$" ', Unknown$'
watch_map -l
ok "-l names the process" in_map_bounds ', mmap_lock of PID [0-9]+ \\(perf-mapwaits\\), rwsem:R$' ', rwsem:R$'
watch_map --user-callers
ok "--user-callers names the function that touched the memory" in_map_bounds ', rwsem:R, touch_page\\+0x'

done_testing

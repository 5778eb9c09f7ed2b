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
if chrt -f 1 true 2>/dev/null; then
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
in_map_bounds() { # PATTERN
	awk -F', ' -v pattern="$1" -v least="$least" -v most="$most" -v sleeps="$sleeps" '
		/^[0-9]/ && $0 ~ pattern { nr += $1; sum += $2 }
		END { exit !(nr >= sleeps && sum >= least && sum <= most) }' rows.txt
}
watch_map() { # OPTION...
	run "$PERF" lock contention -x, --output rows.txt --filter 'comm == "lock-waiter"' -L mmap_lock "$@" -- "$PERF" test -w mapwaits
	read -r least most holder waiter sleeps <<<"$out"
}
# The time before and behind the wait is longer if another task takes the CPU just then.
near_the_clock() {
	for _ in 1 2 3 4 5 6 7 8; do
		watch_map
		awk -F', ' -v most="$most" '/^[0-9]/ { sum += $2 } END { exit !(sum >= 0.98 * most && sum <= most) }' rows.txt && return
	done
	return 1
}
watch_map
is "$rc" 0 "page faults wait for mprotect()"
ok "the sum of waits is true, and the caller is a page fault's" in_map_bounds ', rwsem:R, [a-z_0-9]*(fault|find_vma)[a-z_0-9.]*\\+0x'
ok "it is within 2 % of what the thread measured" near_the_clock
watch_map --filter 'period > 0'
ok "so it is with a filter that judges when waits end" in_map_bounds ', rwsem:R, [a-z_0-9]*(fault|find_vma)[a-z_0-9.]*\\+0x'
watch_map --filter 'period > 0' --user-callers
ok "and with callers in user space" in_map_bounds ', rwsem:R, touch_page\\+0x'
watch_map -t
ok "-t names the thread that waited" in_map_bounds ", $waiter, lock-waiter$"
watch_map -t -o
ok "-t -o names the thread that held the lock" in_map_bounds ", $holder, lock-holder$"
watch_map -l
ok "-l names the process" in_map_bounds ', mmap_lock of PID [0-9]+ \\(perf-mapwaits\\), rwsem:R$'
watch_map --user-callers
ok "--user-callers names the function that touched the memory" in_map_bounds ', rwsem:R, touch_page\\+0x'

done_testing

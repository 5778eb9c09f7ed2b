#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: perf lock contention beside locks that are held for known times (the workload heldlocks).
mkdir -p /tmp/locks && cd /tmp/locks || exit
: >err

# watch KIND OPTIONS...: rows.txt, and what the workload knows of its ten waits: $least and $most (ns), the tids of $holder and $waiter
watch() {
	local kind=$1
	shift
	perf lock contention -x , --output rows.txt --filter 'comm == "lock-waiter"' "$@" -- workload heldlocks "$kind" >out 2>err || return
	read -r least most holder waiter <out
	cat out rows.txt >>err
}

# knows PATTERN: the rows with it have these waits, and their time
knows() {
	awk -F ', ' -v pattern="$1" -v least="$least" -v most="$most" '
		/^[0-9]/ && $0 ~ pattern { nr += $1; sum += $2 }
		END { exit !(nr == 10 && sum >= least && sum <= most) }' rows.txt
}

finds_callers() { # KIND TYPE FUNCTION
	watch "$1" -Y "$2" && knows ", $2, $3[+]0x"
}

finds_holders() { # KIND TYPE
	watch "$1" -Y "$2" -t -o && knows ", $holder, lock-holder\$"
}

finds_stacks() {
	watch inode -Y rwsem:W -o && knows ', rwsem:W, [a-z_]'
}

finds_names() { # KIND TYPE NAME
	watch "$1" -Y "$2" -l && knows ", $3.*, $2\$"
}

# A filter by length: stacks are taken when waits end.
finds_late_callers() {
	watch pipe -Y mutex --filter 'period > 1ms' && knows ', mutex, [a-z_]*pipe_[a-z_.0-9]*[+]0x'
}

same_in_a_file() {
	perf lock record -q -o locks.data -- workload heldlocks pipe >out 2>err || return
	read -r least most holder waiter <out
	perf lock contention -i locks.data -Y mutex -x , --filter 'comm == "lock-waiter"' --output rows.txt 2>>err
	cat out rows.txt >>err
	knows ', mutex, [a-z_]*pipe_[a-z_.0-9]*[+]0x'
}

knows_futexes() {
	perf lock contention --futex -l -x , --output rows.txt -- workload userlocks mutex >out 2>err || return
	read -r least <out
	cat out rows.txt >>err
	awk -F ', ' -v known="$least" '/^[0-9]/ && /user_locks/ { sum += $2 } END { exit !(sum >= 0.98 * known && sum <= 1.02 * known) }' rows.txt
}

# The C library has no frame pointers, so without tables the caller may be one further out.
finds_user_callers() {
	perf lock contention --futex -x , --output rows.txt -- workload userlocks mutex >out 2>err || return
	cat rows.txt >>err
	grep -qE ', futex, (take_mutex|[^,]*)[+]0x' rows.txt || return
	watch pipe -Y mutex --user-callers && knows ', mutex, '
}

# All that began is in a row or in a count; nested is what no row can have.
adds_up() {
	perf lock contention -a --json --output all.json -- sh -c '
		for i in 1 2 3 4; do
			dd if=/dev/zero bs=64 count=5000 2>/dev/null | cat >/dev/null &
		done
		workload heldlocks pipe
		wait' >out 2>err
	tr ',{}[]' '\n\n\n\n\n' <all.json | awk -F : '
		/"contended"/ { rows += $2 }
		/"(seen|ended|lost|unended|open|full)"/ { gsub(/"/, "", $1); n[$1] = $2 }
		END {
			printf "# %d waits: %d ended, %d lost, %d unended, %d open, %d full, %d in rows\n", n["seen"], n["ended"], n["lost"], n["unended"], n["open"], n["full"], rows
			if (n["seen"] != n["ended"] + n["lost"] + n["unended"] + n["open"] || rows + n["full"] != n["ended"] + n["open"])
				print "they do not add up"
		}' >>err
	sed -n "/^#/p" err
	! grep -qE '^# 0 waits|do not add up' err
}

refuses_locks() {
	rm -f ran
	! perf lock contention -- touch ran 2>err && [ ! -e ran ] && [ "$(wc -l <err)" = 1 ] && grep -q 'lock tracepoints, which Linux 5.19 and newer can have' err
}

if feature 'perf lock contention' 5.19; then
	ok "callers that wait for an inode" finds_callers inode rwsem:W '[a-z_0-9]*write_iter'
	ok "callers that wait for a pipe" finds_callers pipe mutex '[a-z_]*pipe_[a-z_.0-9]*'
	ok "callers that wait for an epoll instance" finds_callers epoll mutex '[a-z_0-9]*ep(oll)?_[a-z_.0-9]*'
	ok "who holds an inode" finds_holders inode rwsem:W
	ok "who holds a pipe" finds_holders pipe mutex
	unit kernel-places
	ok "all waits are in rows or told" adds_up
	feature 'perf lock contention -i' 5.19 && ok "the same from a file" same_in_a_file
	feature 'perf lock contention --futex' 5.19 && ok "locks of user space" knows_futexes
	ok "callers in user space" finds_user_callers
	feature 'perf lock contention -o: stacks' 6.2 && ok "where holders are" finds_stacks
	ok "callers of waits that a filter judges by their length" finds_late_callers
	if feature 'perf lock contention -l: slab caches' 6.13; then
		ok "names of slab caches" finds_names pipe mutex '&kmalloc-cg-'
		ok "members of their objects" finds_names inode rwsem:W '&shmem_inode_cache->vfs_inode.i_rwsem'
	fi
else
	ok "it is refused, and nothing is started" refuses_locks
fi

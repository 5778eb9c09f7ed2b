#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf lock contention --futex and --user-callers: locks of user space, beside what their users have measured themselves.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_locks --futex
is "$rc" 0 "a command that waits for nobody"
like "$err" 'contended +total wait +max wait +avg wait +type +caller' "has a table"

total() { # PATTERN: sum of the waits of its rows, ns
	awk -F', ' -v pattern="$1" '/^[0-9]/ && $0 ~ pattern { sum += $2 } END { printf "%.0f\n", sum }' rows.txt
}
near() { # NS NS: within 2 %
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a >= 0.98 * b && a <= 1.02 * b) }'
}
watch() { # KIND OPTION...: rows.txt, and $out: what the workload has measured
	local kind=$1

	shift
	run "$PERF" lock contention --futex -x, --output rows.txt "$@" -- "$PERF" test -w userlocks "$kind"
}
# watch_for PATTERN KIND OPTION...: the same. The threads measure more than the wait if another task, or the host, takes the CPU between the clock and the
# system call: then again.
watch_for() {
	local pattern=$1

	shift
	for _ in 1 2 3 4 5 6 7 8; do
		watch "$@"
		! near "$(total "$pattern")" "$out" || break
	done
}

# --- known truth ---

for kind in mutex rwlock condition; do
	watch_for 'user_locks' "$kind" -l
	is "$rc" 0 "$kind: two threads wait for each other"
	ok "$kind: the sum of waits is what the threads measured, within 2 %" near "$(total 'user_locks')" "$out"
	like "$(<rows.txt)" ', user_locks(\+0x[0-9a-f]+)? of PID [0-9]+ \(perf-userlocks\), futex$' "$kind: the variable and its process have names"
done
for kind in mutex:take_mutex rwlock:take_rwlock condition:take_turn; do
	watch_for ", futex, ${kind#*:}\\\\+0x" "${kind%:*}"
	ok "${kind%:*}: the caller is the program's function" near "$(total ", futex, ${kind#*:}\\\\+0x")" "$out"
done

watch_for ', memfd:locks' shared -l
ok "processes that share a lock measure the same" near "$(total ', memfd:locks')" "$out"
is "$(grep -c 'memfd:locks.*, futex:S$' rows.txt)" 1 "and it is one lock"

# --- who waits, and who wakes ---

watch_for ', lock-[ab]$' mutex -t
waits=$(total ', lock-[ab]$')
ok "-t: both threads waited" near "$waits" "$out"
is "$(grep -c ', lock-[ab]$' rows.txt)" 2 "in a row of each"
watch_for ', lock-[ab]$' mutex -t -o -L user_locks
ok "-t -o: the threads woke each other" near "$(total ', lock-[ab]$')" "$out"
watch_for ', take_mutex\\+0x' mutex -o -L user_locks
ok "-o: where they did" near "$(total ', take_mutex\\+0x')" "$out"
# What the waker of one wait notes must not get into the next one.
watch ball -t -o --filter 'comm == "lock-a" || comm == "lock-b"'
ok "waits that follow each other at once are no longer than they were" test "$(total ', lock-[ab]$')" -gt 0 -a "$(total '')" -le "$out"
watch_for '' mutex -L user_locks -t
ok "-L takes the name of a variable" near "$(total '')" "$out"
watch mutex -L 10 -t -q
is "$(grep -c . rows.txt)" 0 "and addresses"
watch mutex --filter 'comm == "lock-a"' -t -q
is "$(awk '{ print $NF }' rows.txt)" lock-a "a filter chooses who waits"
watch_for ', take_mutex' mutex -S take_mutex
ok "-S chooses functions on the stack" near "$(total ', take_mutex')" "$out"

run "$PERF" lock contention --futex -v -- "$PERF" test -w userlocks mutex
like "$err" '0x[0-9a-f]+  take_mutex\+0x[0-9a-f]+' "-v shows stacks"
run "$PERF" lock contention --futex --call-graph fp -- "$PERF" test -w userlocks mutex
is "$rc" 0 "--call-graph fp takes stacks by frame pointers"

# --- other forms ---

writes_waits() {
	run "$PERF" lock contention --futex -q --folded -w waits.data -- "$PERF" test -w userlocks mutex
	"$PERF" script -i waits.data -F comm,period -G >periods.txt 2>&1
	near "$(awk '$1 ~ /^lock-/ { sum += $2 } END { printf "%.0f\n", sum }' periods.txt)" "$(grep -xE '[0-9]+' <<<"$out")"
}
for _ in 1 2 3 4 5 6 7 8; do
	writes_waits
	status=$?
	[ $status != 0 ] || break
done
is $status 0 "-w writes the waits"
like "$out" 'lock-[ab];.*work;take_mutex;.* [0-9]+' "--folded has whole stacks"

# --- time-outs are waits, too ---

run "$PERF" lock contention --futex -t -x, --output rows.txt -- python3 -c '
import threading
lock = threading.Lock()
lock.acquire()
for i in range(5):
    lock.acquire(timeout=0.01)'
like "$(<rows.txt)" '# 5 waits timed out' "waits with a time-out are told apart"
ok "and counted" test "$(awk -F', ' '/python/ { print $1 }' rows.txt)" -ge 5
run "$PERF" lock contention --futex -t -o -x, --output rows.txt -- python3 -c '
import threading
lock = threading.Lock()
lock.acquire()
lock.acquire(timeout=0.01)'
like "$(<rows.txt)" ', -1, Unknown' "nobody has woken such a task"

# --- a variable whose name could be a number ---

cat >bad.c <<'END'
#include <pthread.h>
#include <unistd.h>
pthread_mutex_t bad = PTHREAD_MUTEX_INITIALIZER;
static void *wait_for_it(void *arg) { pthread_mutex_lock(&bad); return arg; }
int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&bad);
	pthread_create(&thread, NULL, wait_for_it, NULL);
	usleep(300000);
	pthread_mutex_unlock(&bad);
	return pthread_join(thread, NULL);
}
END
"${CC:-cc}" -pthread -o bad bad.c || exit 1
run "$PERF" lock contention --futex -l -q -L bad -- ./bad
like "$err" ' bad of PID [0-9]+ \(bad\) ' "-L finds it by name"

# --- waits for the kernel's locks by callers in user space ---

build_maplocker
run "$PERF" lock contention --user-callers -Y rwsem -x, -- ./maplocker 3
like "$err" ', rwsem:W, work\+0x[0-9a-f]+' "--user-callers names the program's function"

refused() { # message, options
	local message=$1

	shift
	run "$PERF" lock contention "$@" -- true
	is "$rc" 129 "$*: refused"
	like "$err" "$message" "$*: says why"
}
refused 'types are those of locks of the kernel' --futex -Y mutex
refused 'leave out --user-callers' --futex --user-callers
refused 'exclude each other: -o' --user-callers -o
refused 'too late for -w' --futex -S x --folded
refused 'too late for -w' --futex -l -L word --folded
refused 'take it with --futex or --user-callers' --call-graph fp
refused 'takes bpf or fp' --futex --call-graph dwarf
run "$PERF" lock contention --futex -i perf.data
is "$rc" 129 "--futex and a file"
like "$err" 'a recording of perf lock record has neither' "is refused by name"

done_testing

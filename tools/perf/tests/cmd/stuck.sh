#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A program that is stuck, as at a mutex that nobody releases: where it hangs, though it went to sleep before perf came.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
command -v gcc >/dev/null || skip_all "needs gcc"

cat >stuck.c <<'C'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void take_lock(void) { pthread_mutex_lock(&mutex); __asm__ volatile(""); }
static void *wait(void *arg) { take_lock(); return arg; }
int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	pthread_create(&thread, 0, wait, 0);
	pthread_join(thread, 0);
}
C
gcc -O1 -o stuck stuck.c -lpthread || exit 1
spawn ./stuck
both_wait() { [ "$(cat /proc/"$spawned_pid"/task/*/wchan 2>/dev/null | grep -o futex | wc -l)" = 2 ]; }
wait_for 10 both_wait

# Innermost first. The stacks of gdb, without the scheduler's functions
stack_of() { "$PERF" script -i "$1" --tid "$2" -F ip,sym 2>/dev/null | awk 'NF { printf "%s ", $2 } /^$/ && NR > 1 { exit }'; }
thread=$(ls /proc/"$spawned_pid"/task | tail -1)
for event in off-cpu wall; do
	run "$PERF" record "--$event" -e dummy -p "$spawned_pid" -o "$event.data" -- sleep 0.3
	is "$rc" 0 "--$event"
	like "$(stack_of "$event.data" "$thread")" "futex.* pthread_mutex_lock[^ ]* take_lock wait start_thread" "--$event: where the thread waits"
	like "$(stack_of "$event.data" "$spawned_pid")" "futex.* main __libc_start_call_main" "--$event: and the one that waits for it"
	like "$("$PERF" script -i "$event.data" --tid "$thread" -F period,event 2>/dev/null | head -1)" "^ *(2[5-9]|[3-9][0-9])[0-9]{7}|[0-9]{10} " \
		"--$event: for as long as the recording takes"
	run "$PERF" record "--$event" -e dummy -t "$thread" -o "$event.data" -- sleep 0.1
	is "$("$PERF" script -i "$event.data" -F tid 2>/dev/null | sort -u | xargs)" "$thread" "--$event -t: that thread alone"
done
run "$PERF" record -e off-cpu -p "$spawned_pid" --filter 'comm == "other"' -o off.data -- sleep 0.1
like "$err" "filter: 2 samples seen, 0 kept, 2 dropped" "a filter judges them"
run "$PERF" record --off-cpu -e dummy -a -o off.data -- sleep 0.1
is "$("$PERF" script -i off.data --pid "$spawned_pid" -F tid 2>/dev/null)" "" "--off-cpu -a has those that went to sleep only"
run "$PERF" record --wall -e dummy -a -o wall.data -- sleep 0.1
like "$(stack_of wall.data "$thread")" "futex.* pthread_mutex_lock[^ ]* take_lock wait start_thread" "--wall -a has all"
run "$PERF" sample-bpf -e off-cpu -p "$spawned_pid" --key tid,ustack -o off.data -- sleep 0.1
like "$("$PERF" report -i off.data --stdio -g caller 2>/dev/null)" "take_lock" "sample-bpf --off-cpu"

# locks OPTIONS: waits for locks of the stuck program
locks() { run "$PERF" lock contention --futex -p "$spawned_pid" "$@" -- sleep 0.3; }
began=${EPOCHREALTIME/[.,]/}
locks
took=$((${EPOCHREALTIME/[.,]/} - began))
waited=$(sed -nE 's/^ +1 +([0-9]+)\.([0-9]{2}) ms .* take_lock.*/\1\20/p' <<<"$err")
ok "lock contention --futex: where the thread waits, for as long as perf watches ($waited of $took us)" test "${waited:-0}" -ge 200000 -a "${waited:-0}" -le "$took"
like "$err" "^Thread $spawned_pid \(stuck\) holds a mutex for which 1 thread waits: 'perf stacks -p $spawned_pid'" "and who holds the mutex"
like "$err" "2 waits had begun before perf watched: their time counts from then" "a note tells that they began before"
locks -v
like "$err" "take_lock\+0x" "-v: and the stack"
locks -l
like "$err" "^ +1 .* mutex" "-l: the lock"
locks -t
like "$err" "^ +1 .* $thread +stuck" "-t: the thread"
locks -t -o
like "$err" "^ +1 .* $spawned_pid +stuck" "-t -o: who holds it, though nobody has woken the thread"
locks -o
like "$err" "^ +1 .* main" "-o: and where the holder is"
locks --json
like "$out" '"seen": ?2' "--json counts them as waits"
run "$PERF" lock contention --futex --tid "$thread" -- sleep 0.1
like "$err" "take_lock" "--tid: that thread"
unlike "$err" " main" "alone"
locks --filter "tid == $spawned_pid"
unlike "$err" "take_lock" "a filter judges them"
locks -L mutex
like "$err" "take_lock" "-L chooses them by their lock"
run "$PERF" lock contention -p "$spawned_pid" -- true
like "$err" "^No wait began while perf watched\. Threads that waited before are not in the table: 'perf stacks -p PID'" "without --futex there is no row, and the reason"
run "$PERF" lock contention --futex -- true
unlike "$err" 'time counts from then' "not without -p, as nearly all threads of a system wait"

# samples_of FILE: for each sample its tid, its period, and the names of its user's frames, innermost first
samples_of() {
	"$PERF" script -i "$1" -F tid,period,ip,sym --no-inline 2>/dev/null | awk '
		function finish() { if (line != "") print line; line = "" }
		/^$/ { finish(); next }
		/^\t/ { if ($1 !~ /^ffff/) line = line " " $2; next }
		{ finish(); line = $1 " " $2 }
		END { finish() }'
}

# Each thread at a place of its own, below as many calls of go_deeper() as it has printed
: >places.new
"$WORKLOAD" blocked threads 500 >places.new &
blocked=$!
spawned+=("$blocked")
all_block() { [ "$(wc -l <places.new)" -ge 500 ] && ! grep -hLs '^[0-9]* ([^)]*) S ' "/proc/$blocked/task/"*/stat | grep -q .; }
wait_for 60 all_block
for event in off-cpu wall; do
	run "$PERF" record "--$event" -e dummy -p "$blocked" -o "$event.data" -- sleep 0.1
	samples_of "$event.data" >samples
	awk '
		NR == FNR { place[$1] = $2; depth[$1] = $3; next }
		!($1 in place) { next }
		{
			found = deeper = 0
			for (i = 3; i <= NF; i++) {
				found += $i == place[$1]
				deeper += $i == "go_deeper"
			}
			if (found == 1 && deeper == depth[$1] + 1 && $NF ~ /clone/)
				right[$1] = 1
			else
				print "wrong:", $0
		}
		END { for (tid in right) nr++; print nr + 0 }' places.new samples >judged
	is "$(tail -1 judged):$(grep -c wrong judged)" 500:0 "--$event: each of 500 threads hangs where it does"
	note "$(grep -m 3 wrong judged)"
done
kill -KILL $blocked

# Threads that wake all the time: a stack of another moment would be a wrong one.
: >places.new
"$WORKLOAD" blocked restless 40 >places.new &
restless=$!
spawned+=("$restless")
all_nap() { [ "$(find "/proc/$restless/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" = 41 ]; }
wait_for 60 all_nap
for ((i = 0; i < 10; i++)); do
	run "$PERF" record --off-cpu -e dummy --off-cpu-thresh 0 -p "$restless" -o off.data -- sleep 0.02
	samples_of off.data >>naps
done
is "$(awk '/ nap / && !/ left_inner left_outer be_restless| right_inner right_outer be_restless/ { n++ } / left_.* right_| right_.* left_/ { n++ } END { print n + 0 }' naps)" 0 \
	"no stack is a mixture of two"
ok "although there were many: $(grep -c ' nap ' naps)" test "$(grep -c ' nap ' naps)" -gt 400
kill -KILL $restless
run "$PERF" stacks -p "$spawned_pid"
like "$out" "^    waits for mutex 0x[0-9a-f]+ \\(mutex\\), held by thread $spawned_pid \\(stuck\\)$" "perf stacks shows who waits for whom"
like "$out" '^	 +[0-9a-f]+ wait\+0x[0-9a-f]+ \(.*/stuck\)$' "and where"
like "$out" '^    waits for the end of thread [0-9]+ \(stuck\)$' "and that the first thread waits, too"
run "$PERF" stacks --deadlocks -p "$spawned_pid"
like "$out" "^deadlock of 2 threads of stuck \\($spawned_pid\\):$" "so nobody can go on"

done_testing

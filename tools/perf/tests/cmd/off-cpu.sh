#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Off-CPU time: the workload sleepy sleeps 30 x 20 ms in nap() and 3 x 400 ms in slumber(). A sleep can take longer than it was asked to, on a
# busy machine much longer. Where the host takes the CPU away between the start of the clock and the switch it is shorter by that, or there
# is none: so sleepy says how many there were, and sums may lack two naps, or a slumber a quarter.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cp "$PERF" "$WORKLOAD" .
chmod 755 "$WORK" perf workload

# sleeps FILE FUNCTION [PID/TID]: $nr samples whose chain has the function, their $ms in all and the $least of one
sleeps() {
	read -r nr ms least <<<"$("$PERF" script -i "$1" -F pid,tid,period,event,ip,sym 2>/dev/null | awk -v f="$2" -v who="${3:-/}" '
		/offcpu-time:/ { period = $2; wanted = index($1, who); next }
		$2 == f && wanted { n++; sum += period; if (!least || period < least) least = period; wanted = 0 }
		END { printf "%d %d %d\n", n, sum / 1e6, least / 1e6 }')"
}

# the number of sleeps that the samples stand for, as the summary in $err has it
summary() {
	sed -nE "s/^offcpu-time: ([0-9]+) sleeps: ([0-9]+) long, ([0-9]+) not over, ([0-9]+) short ones in ([0-9]+) sums.*/\\$1/p" <<<"$err"
}

# told: $naps and $slumbers, how many sleeps the workload says in $out that there were, and how many in all
told() {
	read -r naps slumbers <<<"$(sed -nE 's/^nap: ([0-9]+) sleeps, slumber: ([0-9]+) sleeps$/\1 \2/p' <<<"$out")"
	slept=$((${naps:-1000} + ${slumbers:-1000}))
}

# long_ones FILE FUNCTION MS: how many of its sleeps took that long or longer, and these together, in ms
long_ones() {
	"$PERF" script -i "$1" -F comm,period,event,ip,sym 2>/dev/null | awk -v f="$2" -v ms="$3" '
		/offcpu-time:/ { period = $(NF - 1); next }
		$2 == f && period { if (period >= ms * 1e6) { n++; sum += period }; period = 0 }
		END { printf "%d %d\n", n, sum / 1e6 }'
}

# between LOW HIGH NUMBER
between() {
	[ "$3" -ge "$1" ] && [ "$3" -le "$2" ]
}

# attached PID: its program on the tracepoint, by number in $prog
attached() {
	prog=$(awk '/^prog_id:/ { id = $2 } /^tp_name:/ && $2 == "sched_switch" { print id }' "/proc/$1"/fdinfo/* 2>/dev/null)
	[ -n "$prog" ]
}

unloaded() {
	! bpftool prog show id "$1" >/dev/null 2>&1
}

# --- what is known of the workload ---

run "$PERF" record -e off-cpu -o s.data -- "$WORKLOAD" sleepy
is "$rc" 0 "record -e off-cpu"
told
sleeps s.data nap
# But for naps that took half a second, and those before there were tables for their stack, which user space finished
ok "short sleeps of one stack are one sample" between 1 $(($(summary 2) + 2)) "$nr"
ok "nap() slept 30 x 20 ms" between 560 "$elapsed" "$ms"
sleeps s.data slumber
ok "slumber() slept 3 x 400 ms" between 1100 "$elapsed" "$ms"
total=$(summary 1)
ok "at least as many sleeps as sleepy says" test "$total" -ge "$slept"
ok "which are nearly all that it was to have" between 30 33 "$slept"
like "$("$PERF" script -i s.data -F ip,sym | awk '{ print $2 }' | xargs)" ' schedule do_nanosleep ' "as it asks for them"
is $((total - $(summary 2) - $(summary 3))) "$(summary 4)" "the kinds add up"
is "$("$PERF" report --stdio -n -g none --no-children -s comm -i s.data 2>/dev/null | awk '$NF == "workload" { print $2 }')" "$total" \
	"samples stand for as many as there were sleeps"
unlike "$("$PERF" script -i s.data -F ip,sym)" 'bpf|traceiter' "no frames of BPF or of the tracepoint"
is "$("$PERF" script -i s.data -F event,ip,sym 2>/dev/null | grep -A1 offcpu-time | awk 'NF == 2 { print $2 }' | sort -u)" "__schedule" \
	"stacks begin where the kernel switches tasks"

# --- long ones at once, short ones summed ---

run "$PERF" record -e off-cpu --off-cpu-thresh 300 -o t.data -- "$WORKLOAD" sleepy
sleeps t.data slumber
told
is "$nr" "$slumbers" "--off-cpu-thresh: a sample for each long sleep"
ok "with its own time" between 300 "$elapsed" "$least"
sleeps t.data nap
ok "short ones are still summed" test "$nr" -ge 1 -a "$nr" -le 10 -a "$ms" -ge 560
# samples_in RANGE: of --time
samples_in() { "$PERF" script -i t.data -F time --time "$1" | wc -l; }
is "$(samples_in 0,18446744069)" $(($(summary 2) + $(summary 3))) "samples of one sleep have its time"
is "$(samples_in 18446744069.414584,)" "$(summary 5)" "sums a time behind all others"
unlike "$("$PERF" report --header-only -i t.data)" 'sample : 18446744069' "which the header does not have"
run "$PERF" record -e off-cpu --off-cpu-thresh 0 -o t.data -- "$WORKLOAD" sleepy
sleeps t.data nap
told
is "$nr" "$naps" "--off-cpu-thresh 0: a sample for each sleep"
ok "next to none is shorter than it was asked to be" test "$("$PERF" script -i t.data -F comm,period,event,ip,sym | awk '
	/offcpu-time:/ { period = $(NF - 1); next } $2 == "nap" { n += period < 19900000 } END { print n + 0 }')" -le 2
is "$(summary 4)" 0 "nothing is summed"
times=$("$PERF" script -i t.data -F time | sed 's/[: ]//g')
is "$times" "$(sort -n <<<"$times")" "they are in order"

# --- threads ---

run "$PERF" record -e off-cpu -o th.data -- sh -c 'echo $$ >child; exec "$WORKLOAD" sleepy threads'
pid=$(cat child)
tids=$("$PERF" script -i th.data -F pid,tid | sed 's/ //g' | sort -u)
is "$(grep -vc "^$pid/" <<<"$tids")" 0 "threads: samples have the process as pid"
ok "and three threads as tid" test "$(wc -l <<<"$tids")" = 3
sleeps th.data nap
ok "one thread naps" between 560 "$elapsed" "$ms"
sleeps th.data nap "$pid/$pid"
is "$nr" 0 "it is not the first one"
sleeps th.data slumber
ok "another one slumbers" between 1100 "$elapsed" "$ms"

# --- who woke it ---

run "$PERF" record -e off-cpu --off-cpu-waker -o w.data -- "$WORKLOAD" sleepy read
sleeps w.data wait_in_read
ok "a read that waits 400 ms" between 400 "$elapsed" "$ms"
chain=$("$PERF" script -i w.data -F event,ip,sym | awk '/^ *offcpu-time/ { chain = "" } { chain = chain " " $2 } / wait_in_read$/ { found = 1 }
	/^$/ { if (found) print chain; found = 0 } END { if (found) print chain }')
like "$chain" 'wait_in_read .*try_to_wake_up .*wake_reader' "--off-cpu-waker: behind its stack that of the thread that wrote"
# A task that sleeps, is woken, and then has to wait for its CPU: nobody wakes it from that.
cat >preempted.sh <<'END_SH'
perl -e '1 while 1' & rival=$!
perl -e '$0 = "sleeper"; for (1 .. 20) { select(undef, undef, undef, 0.005); my $n = 0; $n++ while $n < 500000 }'
kill $rival
END_SH
run taskset -c 0 "$PERF" record -e off-cpu --off-cpu-waker --off-cpu-states S,R --off-cpu-thresh 0 -o w.data -- bash preempted.sh
"$PERF" script -i w.data --comm sleeper -F comm,ip,sym | awk -v RS= '/select/ { slept += /try_to_wake_up/; next } { waited++; woken += /try_to_wake_up/ }
	END { print (slept > 0) (waited > 0), woken + 0 }' >wakers.txt
is "$(<wakers.txt)" "11 0" "sleeps of a task have a waker, and its waits for a CPU between them have none"

# A stack is sent once, and counted as often as it is met. Once in a while the kernel hides that a sleep is over.
for ((i = 0; i < 5; i++)); do
	run "$PERF" record -e off-cpu --call-graph bpf --off-cpu-thresh 0 -o met.data -- perl -e 'select(undef, undef, undef, 0.002) for 1 .. 50'
	read -r slept stacks < <(sed -nE 's/^offcpu-time: ([0-9]+) (sleeps|user stacks).*/\1/p' <<<"$err" | xargs)
	[ "$slept" != "$stacks" ] || break
done
ok "50 sleeps, or more" test "$slept" -ge 50
is "$stacks" "$slept" "the summary counts a user stack for each sleep"
run "$PERF" record -e off-cpu -o w.data -- "$WORKLOAD" sleepy read
unlike "$("$PERF" script -i w.data -F ip,sym)" wake_reader "not without that option"

# --- what is not over at the end ---

spawn "$WORKLOAD" sleepy ever
ever=$spawned_pid
# in_state STATE: that process
in_state() {
	grep -q "^State:.$1" "/proc/$ever/status"
}
ok "a process that sleeps for ever" wait_for 20 in_state S
"$PERF" record -e off-cpu -p "$ever" -o e.data 2>e.err &
recorder=$!
ok "recording it" wait_for 20 attached $recorder
ok "its program is there" eval '! unloaded "$prog"'
from=${EPOCHREALTIME/./}
kill -STOP "$ever" # wakes it; then it sleeps again: a sleep is seen if its beginning is
ok "stopped" wait_for 20 in_state T
kill -CONT "$ever"
ok "and asleep again" wait_for 20 in_state S
sleep 0.1
kill -INT $recorder
wait $recorder
err=$(cat e.err)
sleeps e.data for_ever
is "$nr:$(summary 3)" 2:1 "what sleeps from the start, and what still sleeps at the end"
ok "with the time so far" between 50 $(((${EPOCHREALTIME/./} - from) / 1000)) "$ms"
ok "programs are gone with perf" wait_for 20 unloaded "$prog"

"$PERF" record -e off-cpu -a -o k.data 2>/dev/null &
recorder=$!
ok "system-wide" wait_for 20 attached $recorder
kill -KILL $recorder
wait $recorder 2>/dev/null
ok "and with a perf that is killed" wait_for 20 unloaded "$prog"

# --- filters see the sleeper ---

uid=$((4000000 + $$)) # of nobody else's test

# A busy machine may make any of them long enough: which are is seen from outside. The two look at the clock one after the other, and what comes
# in between, an interrupt or the host, makes one sleep longer than the other: by less than 50 ms.
run "$PERF" record -q -e off-cpu --off-cpu-thresh 0 -o all.data -- \
	"$PERF" record -e off-cpu --off-cpu-thresh 100000 --filter 'period >= 0.2s' -o f.data -- "$WORKLOAD" sleepy
is "$rc" 0 "--filter: the period is the sleep"
told
counts ""
ok "all sleeps are judged" test "$seen" -ge "$slept" -a "$((seen - dropped))" = "$kept"
ok "slumber() has long ones" test "$("$PERF" script -i f.data -F ip,sym | grep -c ' slumber$')" -gt 0
for function in nap slumber; do
	read -r n least < <(long_ones all.data $function 250)
	read -r most greatest < <(long_ones all.data $function 150)
	sleeps f.data $function
	ok "of $function() those that were long enough are kept: $n" between $((least - 50 * n)) $((greatest + 50 * most)) "$ms"
done
# sleeps_from MS: of any function
sleeps_from() {
	"$PERF" script -i all.data -F comm,period | awk -v ms="$1" '$1 == "workload" && $2 >= ms * 1e6 { n++ } END { print n + 0 }'
}
ok "and no others" between "$(sleeps_from 250)" "$(sleeps_from 150)" "$kept"
run "$PERF" record -e cs --filter 'period >= 0.3s' -o f.data -- true
is "$rc" 129 "which is no time of another event"
like "$err" "period takes a number .*, not '0.3s'" "and that is said"
run "$PERF" record --off-cpu --off-cpu-thresh 0 --filter 'comm == sleep' -o f.data -- sh -c 'sleep 0.05; "$WORKLOAD" sleepy'
is "$rc:$("$PERF" script -i f.data -F comm 2>/dev/null | sort -u | xargs)" "0:sleep" "--filter without -e is for --off-cpu, too"
like "$err" '^offcpu-time: filter: [1-9][0-9]* samples? seen' "which tells what it judged"
run "$PERF" record -e task-clock --filter 'comm == nobody' --off-cpu -o f.data -- sleep 0.05
is "$rc:$("$PERF" script -i f.data -F event 2>/dev/null | sort -u | xargs)" "0:offcpu-time:" "one behind an -e is not"
like "$err" 'so offcpu-time is not filtered' "which is said"
run "$PERF" record --off-cpu --filter 'mode == user' -o f.data -- true
is "$rc" 129 "one that only the other event can have"
like "$err" "'mode == user'.*behind its -e" "should stand behind its -e"
run "$PERF" record --dry-run -v -e off-cpu --filter 'period > 10ms' --off-cpu-thresh 0 -- true
like "$out" '^engine: BPF programs on sched_switch, .*a sample for each sleep; 1 entry of the filter, tested when it comes back$' "-v: who judges"
is "$(grep -c '^engine:' <<<"$out")" 1 "and nothing else does"
run "$PERF" record -e off-cpu --off-cpu-thresh 0 --filter 'tid == pid' -o f.data -- true
is "$rc" 129 "a filter compares with values"
run "$PERF" record -a -e off-cpu --filter "comm == workload && uid == $uid" -o f.data -- \
	setpriv --reuid="$uid" --clear-groups ./workload sleepy threads
is "$rc:$("$PERF" script -i f.data -F comm 2>/dev/null | sort -u | xargs)" "0:workload" "comm and uid are the sleeper's"
sleeps f.data nap
ok "who is found among all tasks" between 560 "$elapsed" "$ms"
sleeps f.data slumber
ok "with all its sleeps" between 1100 "$elapsed" "$ms"
run "$PERF" record -a -e off-cpu --filter 'comm ~ "work*" && comm != workload' -o f.data -- "$WORKLOAD" sleepy
sleeps f.data nap
is "$rc:$nr" "0:0" "another name is not"
spawn sh -c 'while :; do sleep 0.01; done'
run "$PERF" record -a -e off-cpu --filter "pid == $spawned_pid && prio > 100 && nice == $(nice) && ppid == $$ && idle" -o f.data -- true
is "$rc" 129 "what a sleeping task does not have is refused"
like "$err" "'idle'" "by its name"
run "$PERF" record -a -e off-cpu --filter "pid == $spawned_pid && prio > 100 && nice == $(nice) && ppid == $$" -o f.data -- sleep 1
is "$rc:$("$PERF" script -i f.data -F pid 2>/dev/null | sort -u | xargs)" "0:$spawned_pid" "pid, prio, nice and ppid"
kill -KILL "$spawned_pid"
run "$PERF" record -a -e off-cpu --filter 'dso == libc.so.6' -o f.data -- true
is "$rc" 129 "neither has it a place in code"
like "$err" "'dso == libc.so.6'" "and that is said"

# --- targets ---

run "$PERF" record --off-cpu -e task-clock -F 999 -o b.data -- "$WORKLOAD" sleepy
is "$rc:$("$PERF" evlist -i b.data | xargs)" "0:task-clock offcpu-time" "--off-cpu beside another event"
sleeps b.data slumber
ok "has the same sleeps" between 1100 "$elapsed" "$ms"
times=$("$PERF" script -i b.data -F time | sed 's/[: ]//g')
is "$times" "$(sort -n <<<"$times")" "both events have one clock"
run "$PERF" record -e off-cpu -o c.data -- sh -c '"$WORKLOAD" sleepy & wait'
sleeps c.data slumber
ok "children are followed" between 1100 "$elapsed" "$ms"
run "$PERF" record -e off-cpu -i -o c.data -- sh -c '"$WORKLOAD" sleepy & wait'
sleeps c.data slumber
is "$rc:$nr" "0:0" "but not with -i"
spawn python3 -c 'import threading, time
def nap():
	while True: time.sleep(0.01)
for _ in range(2): threading.Thread(target=nap, daemon=True).start()
nap()'
has_three_threads() {
	[ "$(ls "/proc/$spawned_pid/task" | wc -l)" = 3 ]
}
ok "its threads run" wait_for 20 has_three_threads # those that it starts later are followed
run "$PERF" record -e off-cpu -t "$spawned_pid" -o c.data -- sleep 0.5
is "$rc:$("$PERF" script -i c.data -F pid,tid 2>/dev/null | sed 's/ //g' | sort -u)" "0:$spawned_pid/$spawned_pid" "-t: no other thread"
kill -KILL "$spawned_pid"
run "$PERF" record -C 0 -e off-cpu -o c.data -- taskset -c 0 sh -c 'echo $$ >child; exec "$WORKLOAD" sleepy'
sleeps c.data slumber "$(<child)/"
ok "-C: what left this CPU" between 1100 "$elapsed" "$ms"
is "$("$PERF" script -i c.data -F cpu | sort -u | xargs)" "[000]" "and nothing else"
run "$PERF" record -e off-cpu --off-cpu-states preempted -o c.data -- taskset -c 0 "$WORKLOAD" sleepy
is "$rc" 0 "--off-cpu-states"
unlike "$("$PERF" script -i c.data -F ip,sym 2>/dev/null | awk '{ print $2 }' | xargs)" ' schedule do_nanosleep ' "only in those"
run "$PERF" record -e off-cpu --off-cpu-states R -o c.data -- taskset -c 0 "$WORKLOAD" thloop 1
sleeps c.data test_loop
ok "R: two threads on one CPU wait for each other" between 300 $((2 * elapsed)) "$ms"

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
if mkdir "$cgroups/perf-test.$$" 2>/dev/null && [ -w "$cgroups/perf-test.$$/cgroup.procs" ]; then
	run "$PERF" record -a -e off-cpu -G "perf-test.$$" -o g.data -- \
		sh -c "echo \$\$ >$cgroups/perf-test.$$/cgroup.procs; exec $WORKLOAD sleepy"
	sleeps g.data slumber
	ok "-G: what sleeps in the cgroup" between 1100 "$elapsed" "$ms"
	run "$PERF" record -a -e off-cpu -G "perf-test.$$" -o g.data -- "$WORKLOAD" sleepy
	is "$rc:$("$PERF" script -i g.data -F tid 2>/dev/null | wc -l)" "0:0" "and nothing else"
	rmdir "$cgroups/perf-test.$$"
else
	skip 2 "no cgroup v2 file system to write to"
fi

# --- nobody is left out in the crowd ---

run "$PERF" record -e off-cpu -m 4M -o many.data -- bash -c 'for ((i = 0; i < 400; i++)); do sleep 0.3 & done; wait'
is "$rc:$("$PERF" script -i many.data -F comm,tid 2>/dev/null | grep sleep | sort -u | wc -l)" "0:400" "400 processes that sleep"
like "$err" '^offcpu-time: ' "have a summary"
unlike "$err" 'lost|no stack|followed' "nothing is lost"

# What does not fit while perf cannot read is counted, with its time.
cat >pingpong.sh <<-'END'
	echo $PPID >recorder
	while [ ! -e go ]; do sleep 0.01; done
	for ((i = 0; i < 500; i++)); do (sleep 0); done # waits for each
	echo done >gone
END
"$PERF" record -e off-cpu -g -m 4K --off-cpu-thresh 0 -o l.data -- bash pingpong.sh 2>l.err &
recorder=$!
ok "perf that is stopped" wait_for 20 test -s recorder
kill -STOP $recorder
touch go
ok "while much goes on" wait_for 200 test -e gone
kill -CONT $recorder
wait $recorder
is $? 0 "and goes on"
err=$(cat l.err)
lost=$(sed -nE 's/^([0-9]+) samples? w[a-z]* lost because the ring buffers were full: take larger ones \(-m\).*/\1/p' l.err)
ok "says how many samples are lost" test "${lost:-0}" -gt 100
like "$err" '^[0-9]+\.[0-9]+ ms of off-cpu time are lost with their samples$' "and their time"
# Each process has its code elsewhere, and so a stack that is new.
like "$err" '^[1-9][0-9]* (sleep has|sleeps have) no stack: the ring buffer was full' "and how many stacks"
is "$(summary 1)" "$("$PERF" script -i l.data -F tid | wc -l)" "the others are in the file"
like "$("$PERF" report --stats -i l.data 2>/dev/null)" "LOST_SAMPLES.* $lost( |\$)" "which tells of the loss"

# --- counted in the kernel ---

run "$PERF" sample-bpf -e off-cpu -I 50 -o n.data -- "$WORKLOAD" sleepy
told
counted=$(sed -nE 's/.*Counted ([0-9]+) samples in .*/\1/p' <<<"$err")
is "$rc" 0 "sample-bpf -e off-cpu"
ok "counts all sleeps" test "${counted:-0}" -ge "$slept"
is "$("$PERF" report --stdio -n -g none --no-children -s comm -i n.data 2>/dev/null | awk '/%/ { n += $2 } END { print n }')" "$counted" \
	"and they are in the file"
sleeps n.data nap
ok "nap() in several of them" between 2 30 "$nr"
ok "30 x 20 ms" between 560 "$elapsed" "$ms"
sleeps n.data slumber
ok "3 x 400 ms" between 1100 "$elapsed" "$ms"
run "$PERF" sample-bpf -e off-cpu --both -o n.data -- touch ran
is "$rc" 129 "not both ways at once"
ok "and nothing runs" test ! -e ran

# --- what cannot be ---

wrong "--off-cpu-states of no such name" 'there is no state "X"' --off-cpu --off-cpu-states S,X
wrong "--off-cpu-thresh without number" 'takes a number of milliseconds' --off-cpu --off-cpu-thresh soon
wrong "--off-cpu-waker alone" 'need --off-cpu' --off-cpu-waker -e task-clock
wrong "a group" 'is in no group' -e '{cs,off-cpu}'
wrong "--group" 'does not go with' --group -e cs,off-cpu
wrong "--off-cpu and -G" 'say -e off-cpu' -a -e cs -G / --off-cpu
run as_user ./perf record -e off-cpu -o /dev/null -- touch ran
is "$rc" 255 "without privilege"
like "$err" 'lacks CAP_BPF and CAP_PERFMON' "which it names"
ok "nothing runs" test ! -e ran

# --- others read it ---

if [ -n "$STOCK" ]; then
	is "$("$STOCK" script -i t.data -F comm,pid,tid,time,period,event 2>/dev/null | xargs -n 5)" \
		"$("$PERF" script -i t.data -F comm,pid,tid,time,period,event | xargs -n 5)" "stock perf script shows the same"
	like "$("$STOCK" report --stdio --no-children -g caller -i s.data 2>/dev/null)" 'slumber' "stock perf report has the stacks"
else
	skip 2 "no stock perf"
fi

# --- counted beside another event ---

run "$PERF" sample-bpf -e cpu-clock --off-cpu --off-cpu-states S -o counted.data -- sleep 0.05
is "$rc" 0 "sample-bpf --off-cpu"
is "$("$PERF" evlist -i counted.data | xargs)" "cpu-clock offcpu-time" "both events are there"
ok "the sleep is as long as it was" test "$("$PERF" report -i counted.data --stdio --no-children -g none --sort comm --show-total-period |
	awk '/event .offcpu-time/ { on = 1 } on && $NF == "sleep" { print $2 }')" -ge 40000000

# --- spans: what is disabled is not measured, and no sleep reaches from one span into the next ---

monotonic() {
	python3 -c 'import time; print(time.monotonic_ns())'
}
spawn sh -c 'while :; do sleep 0.01; done'
sleepers=$spawned_pid
spawn sleep 1000
mkfifo control answer
spawn "$PERF" record -q -D -1 --control fifo:control,answer -e off-cpu --off-cpu-thresh 0 -o spans.data -p "$sleepers,$spawned_pid" -- sleep 1000
recording=$spawned_pid
exec 8<>control 9<>answer
# slept_since NUMBER: ten times
slept_since() {
	[ "$(nr_sleeps)" -ge $(($1 + 10)) ]
}
nr_sleeps() {
	awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$sleepers/status"
}
tell() {
	local told
	echo "$1" >&8
	read -r -t 60 -u 9 told && [ "$told" = ack ]
}
spans=()
for span in 1 2; do
	spans+=("$(monotonic)")
	ok "span $span: enabled" tell enable
	ok "span $span: enabled once more" tell enable
	ok "span $span: sleeps" wait_for 60 slept_since "$(nr_sleeps)"
	ok "span $span: disabled" tell disable
	spans+=("$(monotonic)")
	ok "span $span: and after it" wait_for 60 slept_since "$(nr_sleeps)"
done
tell stop
wait "$recording"
is "$?" 0 "the recording ends"
spawn "$PERF" record -q -D -1 --control fifo:control,answer -e off-cpu -o sums.data -p "$sleepers" -- sleep 1000
recording=$spawned_pid
for span in 1 2; do
	tell enable
	ok "sums of span $span" wait_for 60 slept_since "$(nr_sleeps)"
	tell disable
done
tell stop
wait "$recording"
kill "$sleepers"
ok "go on from span to span" test "$("$PERF" report -q --stdio -i sums.data -F sample -s pid -g none --no-children | awk '{ n += $1 } END { print n }')" -ge 15
times=$("$PERF" script -i sums.data -F time | sed 's/[: ]//g')
is "$times" "$(sort -n <<<"$times")" "and come last"
"$PERF" script -i spans.data --ns -F time,period | tr -d : | sed 's/\.//' >spans
is "$(awk -v a="${spans[0]}" -v b="${spans[1]}" -v c="${spans[2]}" -v d="${spans[3]}" \
	'{ begin = $1 - $2 } !(begin >= a && $1 <= b) && !(begin >= c && $1 <= d)' spans)" "" "each sleep is in one span"
for span in 0 2; do
	ok "there are some in each" test "$(awk -v a="${spans[span]}" -v b="${spans[span + 1]}" '$1 >= a && $1 <= b' spans | wc -l)" -gt 5
done

done_testing

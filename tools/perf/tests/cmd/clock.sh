#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Clocks of a target, opened on each CPU: tasks that live for less than a period are sampled like others, and no other task is.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# A period is 2 ms; /bin/true takes less. The kernel loses a period of a clock that comes while interrupts are off for longer than it: on a busy
# machine, many of short ones.
FREQ=457 # no multiple of the rate of ticks: tasks begin and end with these, and samples would keep step with them
cat >short.sh <<'END'
i=0
while [ $i -lt 400 ]; do
	/bin/true
	i=$((i + 1))
done
times >times
END

# cpu_ms LINE: user and system time of a line of times(1), "0m0.010000s 0m0.040000s", in ms
cpu_ms() {
	sed -n "$1p" times | awk '{ for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += t[1] * 60 + t[2] } printf "%d", sum * 1000 }'
}

# late: periods that have no samples, as the host had the CPU when their timer was due; they are in the CPU time
late() {
	sed -nE 's/.*: the timer was late by ([0-9]+) periods?: .*/\1/p' <<<"$err" | awk '{ n += $1 } END { print n + 0 }'
}

# steal_ms: what the host has taken so far; the clocks go on meanwhile, and it is in no task's CPU time: proc_stat(5)
steal_ms() {
	awk '$1 == "cpu" { print $9 * 10 }' /proc/stat
}

# near SAMPLES MS PERCENT: does this number of samples stand for this time? Plus three standard deviations, and what the host took since $stolen.
near() {
	awk -v n="$(($1 + $(late)))" -v due="$(($2 * FREQ / 1000))" -v percent="$3" -v more="$((($(steal_ms) - stolen) * FREQ / 1000))" 'BEGIN {
		limit = due * percent / 100 + 3 * sqrt(due) + 2
		exit !(n > due - limit && n < due + limit + more)
	}'
}

samples() { "$PERF" script -i "$1" -F comm,pid 2>/dev/null | grep -c "${2:-.}"; }

# The shell's times have a resolution of 10 ms on some kernels, hence some percent.
try() {
	local what=$1 all

	shift
	stolen=$(steal_ms)
	run "$PERF" record -v -F $FREQ -e cpu-clock -o "$what.data" "$@" -- sh short.sh
	all=$(samples "$what.data")
	ok "$what: recorded" test "$rc" = 0
	like "$err" 'cpu-clock: opened on each CPU' "$what: by a clock on each CPU"
	ok "$what: samples stand for the CPU time of short runs ($all samples, $(($(cpu_ms 1) + $(cpu_ms 2))) ms)" \
		near "$all" $(($(cpu_ms 1) + $(cpu_ms 2))) 15
	unlike "$err" 'were missed' "$what: nothing is missing"
}
try plain
try "asked for" --clock cpu
try chains -g
try fp --call-graph fp
try filtered --filter 'tid > 0'

# The shell itself runs for less than a period at a time, between its children.
run "$PERF" record -F $FREQ -e cpu-clock --clock cpu --filter 'comm == "sh"' -o sh.data -- sh short.sh
ok "the shell has its samples, too ($(samples sh.data) samples, at least $(cpu_ms 1) ms)" test "$(samples sh.data)" -ge $(($(cpu_ms 1) * FREQ / 1000 / 2))
like "$err" 'samples seen, [0-9]* kept' "a filter counts"

stolen=$(steal_ms)
run "$PERF" sample-bpf -v -F $FREQ -e cpu-clock --clock cpu --key comm -o counted.data -- sh short.sh
all=$(sed -n 's/.*Counted \([0-9]*\) samples.*/\1/p' <<<"$err")
ok "counted samples, too ($all)" near "$all" $(($(cpu_ms 1) + $(cpu_ms 2))) 15

stolen=$(steal_ms)
run "$PERF" record -v -F $FREQ -e '{cpu-clock,page-faults}' --clock cpu -o group.data -- sh short.sh
all=$("$PERF" script -i group.data -F event | grep -c cpu-clock)
ok "and in a group ($all)" near "$all" $(($(cpu_ms 1) + $(cpu_ms 2))) 15

# Software events with a period: one in 25 faults, beside all of them. Of the tasks, which have some 90, none has its first 25 left out.
run "$PERF" record -v -e page-faults/period=1,name=each/ -e page-faults/period=25,name=some/ -o faults.data -- sh short.sh
like "$err" 'some: opened on each CPU' "page faults with a period, too"
unlike "$err" 'each: opened on each CPU' "of each of them none is missed"
of_event() { "$PERF" script -i faults.data -F comm,event | awk -v event="$1:" -v comm="$2" '$NF == event && $1 ~ comm { n++ } END { print n + 0 }'; }
for comm in . true; do
	each=$(of_event each "$comm") some=$(of_event some "$comm")
	ok "they stand for all of comm $comm ($some x 25, $each)" awk -v due="$((each / 25))" -v n="$some" 'BEGIN { d = n - due; if (d < 0) d = -d; exit !(due > 50 && d <= 4 + 3 * sqrt(due)) }'
done
unlike "$err" 'were missed' "nothing is missing"
# A client and its server on one CPU: half of the switches there are the server's, always the same ones of two.
mkfifo ask answer
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" sh -c 'while read -r line; do echo "$line"; done <ask >answer' &
cat >client.sh <<'END'
exec 3>ask 4<answer
i=0
while [ $((i += 1)) -le 2000 ]; do
	echo $i >&3
	read -r _ <&4
done
END
run "$PERF" record -v -e context-switches/period=1,name=each/ -e context-switches/period=2,name=some/ -o switches.data -- taskset -c "$cpu" sh client.sh
wait $!
unlike "$err" 'some: opened on each CPU' "switches stay on the tasks"
switches() { "$PERF" script -i switches.data -F event | grep -c "$1:"; }
each=$(switches each) some=$(switches some)
ok "of the client's switches every second ($each, $some)" test "$each" -gt 1500 -a $((each - 2 * some)) -ge 0 -a $((each - 2 * some)) -le 5
run "$PERF" record -e page-faults -c 250 --clock task -o faults.data -- sh short.sh
like "$err" 'page-faults: [0-9]* counted, but samples for [0-9]*: tasks that ended before their first period was over were missed. Record with -c 1, or -a' \
	"on tasks they say what they miss"
# With a frequency the kernel guesses periods. perf says how wrong they are, whether a program sees the samples or not.
# guesses EVENT OPTION...
guesses() {
	local event=$1
	run "$PERF" record -e "$@" -F 200 -o faults.data -- sh short.sh
	sampled=$("$PERF" script -i faults.data -F event,period | awk -v event="$event:" '$2 == event { n += $1 } END { print n + 0 }')
	told=$(sed -nE "s/^$event: ([0-9]+) counted, but samples for ([0-9]+): .*(were missed|with a frequency the kernel guesses how much each sample of a task stands for)\. Record with a period \(-c\).*/\1 \2/p" <<<"$err")
	if [[ $told ]]; then
		is "${told#* }" "$sampled" "$*: what the samples stand for is not what was counted"
		ok "the count is right ($told, $faults)" test "${told% *}" -gt $((faults * 98 / 100)) -a "${told% *}" -lt $((faults * 102 / 100))
	else
		ok "$*: samples stand for what was counted ($sampled of $faults)" test "$sampled" -gt $((faults * 79 / 100)) -a "$sampled" -lt $((faults * 121 / 100))
	fi
}
run "$PERF" stat -x, -e page-faults -- sh short.sh
faults=$(awk -F, '/page-faults/ { print $1 }' <<<"$err")
guesses page-faults
guesses page-faults -g
guesses page-faults --filter 'tid > 0'
guesses page-faults -e cpu-clock
# A clock of the user's part has the time of both, but samples of one.
run "$PERF" record -e cpu-clock:u,cpu-clock:k --clock task -F 100 -o parts.data -- sh short.sh
unlike "$err" 'CPU time|counted' "what a part of the time has in samples is not told"

# A running process and what it starts
mkfifo go
sh -c 'read -r _ <go; . ./short.sh' &
pid=$!
"$PERF" record -F $FREQ -e cpu-clock --clock cpu -o pid.data -p $pid 2>pid.err &
recorder=$!
ok "-p: recording" wait_for 60 in_loop $recorder
echo >go
wait $pid $recorder
ok "with -p new tasks are followed" test "$(samples pid.data true)" -ge 50

# No other task: two others run all the time, one of the same name.
"$WORKLOAD" noploop 60 &
others=$!
"$WORKLOAD" noploop 60 &
others="$others $!"
for i in 1 2 3 4 5; do
	run "$PERF" record -g -F 9999 -e cpu-clock --clock cpu -o own.data -- "$WORKLOAD" noploop 0.05
	own=$("$PERF" script -i own.data -F pid | sort -u | grep -c .)
	ok "only the command's samples, $i" test "$own" = 1
done
run "$PERF" record -F 4000 -e cpu-clock --clock cpu -o counts.data --filter 'tid > 0' -- true
seen=$(sed -n 's/.*filter: \([0-9]*\) samples\{0,1\} seen.*/\1/p' <<<"$err")
ok "and a filter counts only these" test "$seen" -lt 100
spawn sh -c 'while :; do /bin/true; done'
run "$PERF" record -e page-faults -c 10 -o own.data -- "$WORKLOAD" noploop 0.05
is "$("$PERF" script -i own.data -F comm | sort -u | tr -d ' \n')" "workload" "only the command's page faults"
kill "$spawned_pid"
# shellcheck disable=SC2086 # pids
kill $others
# shellcheck disable=SC2086
wait $others

# On tasks
run "$PERF" record -v -F 100 -e cpu-clock --clock task -o task.data -- sh -c 'for i in 1 2 3; do sh short.sh; done'
unlike "$err" 'opened on each CPU' "--clock task"
like "$err" 'cpu-clock: [0-9]* ms of CPU time, but samples for [0-9]* ms: tasks that ran for less than a period were missed' \
	"says what it misses"
run "$PERF" record -F $FREQ -e cpu-clock --clock task -o task.data -- true
is "$("$PERF" evlist -v -i task.data)" "$("$PERF" evlist -v -i plain.data)" "both files describe the event alike"
run "$PERF" record -v -i -e cpu-clock -o inherit.data -- true
like "$err" 'cpu-clock: opened on tasks: it does not follow new tasks' "without children the clock is on the task"
# no_effect REASON OPTION...: --clock cpu is refused, as it would change nothing
no_effect() {
	run with_tracefs "$PERF" record --clock cpu -o inherit.data "${@:2}" -- true
	is "$rc" 129 "--clock cpu has no effect with ${*:2}"
	like "$err" "^--clock cpu: .* is opened on tasks: $1\$" "with the reason"
}
no_effect 'it does not follow new tasks' -i -e cpu-clock
no_effect 'it does not follow new tasks' --per-thread
no_effect 'it does not follow new tasks' -e cpu-clock/no-inherit/
no_effect 'with a frequency, what other tasks do would set its period \(take -c\)' -e page-faults -F 100
no_effect 'with a period of 1 it misses nothing' -e page-faults -c 1
no_effect 'of two tasks that take turns, an even period would always hit the same one' -e context-switches -c 2
no_effect 'it is neither a clock nor a software event with a period' -e dummy
no_effect 'it is neither a clock nor a software event with a period' -e sched:sched_switch
run "$PERF" record -v --clock cpu -e context-switches,cpu-clock -o inherit.data -- true
is "$rc:$(grep -c 'cpu-clock: opened on each CPU' <<<"$err")" 0:1 "it is taken if one event can be"
run "$PERF" record --clock cpu -a -e cpu-clock -o inherit.data -- true
is "$rc:$(grep -c clock <<<"$err")" 0:0 "with -a each event is on each CPU"
run "$PERF" record --clock task -a -e cpu-clock -o inherit.data -- true
is "$rc:$err" "129:--clock task: events that record all tasks are opened on each CPU. Leave out --clock" "so --clock task is refused"
run "$PERF" record -e '{cpu-clock,page-faults}:S' --clock cpu -o read.data -- true
is "$rc" 129 "samples that hold counts exclude --clock cpu"
like "$err" 'cannot be opened on each CPU: samples hold the counts of a group' "with the reason"
run "$PERF" record -v -e '{cpu-clock,page-faults}:S' -o read.data -- true
is "$rc" 0 "samples that hold counts"
like "$err" 'opened on tasks, which misses short runs: samples hold the counts of a group' "come from clocks on tasks"
run "$PERF" record --clock both -- true
is "$rc" 129 "an unknown place is refused"
like "$err" '^--clock takes task or cpu: not "both"' "with those that there are"
run setpriv --reuid=65534 --regid=65534 --clear-groups "$PERF" record --clock cpu -e cpu-clock:u --dry-run -- true
like "$err" 'it takes CAP_BPF and CAP_PERFMON' "users without rights cannot"
run setpriv --reuid=65534 --regid=65534 --clear-groups "$PERF" record -v -e cpu-clock:u --dry-run -- true
is "$rc" 0 "so they have clocks on tasks"
like "$err" 'opened on tasks, which misses short runs: it takes CAP_BPF and CAP_PERFMON' "and -v says why"

# Two CPUs that are always busy: their samples are at least half of a CPU's turn apart. perf may be interrupted while it enables clocks, hence
# some tries.
phases() {
	"$PERF" script -i turns.data -F cpu,time --ns | awk -v freq=1000 '{
		gsub(/\[|\]|:/, "")
		at[$1 + 0] = $2
		if (0 in at && 1 in at) { phase = (at[1] - at[0]) * freq; phase -= int(phase); print phase < 0 ? phase + 1 : phase; delete at }
	}' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
in_turns() {
	for try in 1 2 3 4 5; do
		"$PERF" record -q -F 1000 -e cpu-clock --sample-cpu -o turns.data "$@" -- sh spin.sh && phase=$(phases) &&
			awk -v phase="$phase" -v cpus="$(getconf _NPROCESSORS_ONLN)" 'BEGIN { exit !(phase * cpus > 0.5 && (1 - phase) * cpus > 0.5) }' && return 0
	done
	return 1
}
cat >spin.sh <<'END'
for cpu in 0 1; do
	taskset -c $cpu sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' &
done
wait
END
if taskset -c 0 true 2>/dev/null && taskset -c 1 true 2>/dev/null; then
	ok "the clocks of two CPUs fire one after the other" in_turns
	ok "-a: so they do, too" in_turns -a
else
	skip 2 "there is one CPU"
fi

# Delays, and switching on and off
run "$PERF" record -F $FREQ -e cpu-clock --clock cpu -D 100000 -o late.data -- true
is "$(samples late.data)" 0 "no samples before a delay is over"
done_testing

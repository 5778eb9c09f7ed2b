#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record: targets, exit statuses, summary lines, the file.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

nr_samples() {
	samples "$1" tid | wc -l
}

# --- a command ---

run "$PERF" record -e cpu-clock -o a.data -- "$WORKLOAD" noploop 1
is "$rc" 0 "a command that succeeds"
is "$out" "" "nothing of ours on the standard output"
like "$err" '^\[ perf record: Woken up [0-9]+ times to write data \]$' "first line of the summary"
like "$err" '^\[ perf record: Captured and wrote [0-9]+\.[0-9]{3} MB a\.data \([0-9]+ samples\) \]$' "second line of the summary"
is "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' <<<"$err")" "$(nr_samples a.data)" "the summary counts the samples of the file"
is "$(stat -c %a a.data)" 600 "the file is its owner's only"
is "$(samples a.data comm | sort -u)" "workload" "every sample is the command's own"
# In its exec the command has samples before the kernel names it anew: one of 20 us nearly always.
ln -s /bin/true a-command-named-at-length
for i in {1..20}; do
	"$PERF" record -q -e cpu-clock -c 20000 -o exec.data -- ./a-command-named-at-length
	samples exec.data comm
done | sort -u >names.txt
is "$(<names.txt)" "a-command-named" "samples of its exec have its name, too"

run "$PERF" record -q -e cpu-clock -o a.data -- sh -c 'echo out; echo err >&2; exit 3'
is "$rc:$out:$err" "3:out:err" "its exit status and its output, and with -q nothing else"
ok "the file that was there has become a.data.old" test "$(nr_samples a.data.old)" -gt "$(nr_samples a.data)"
run "$PERF" record -q -e cpu-clock -o a.data -- sh -c 'kill -KILL $$'
is "$rc" 137 "killed by a signal: 128 + its number"

run "$PERF" record -q -e cpu-clock -o a.data no-such-command-of-ours
is "$rc" 255 "a command that does not exist"
is "$err" "Failed to run 'no-such-command-of-ours': No such file or directory" "is named"
run "$PERF" script -i a.data
is "$rc" 0 "and the file is readable"

run "$PERF" record -e cpu-clock -o a.data -- sh -c "$WORKLOAD noploop 1 & wait"
is "$(samples a.data comm | grep -c '^workload$' | sed 's/^[1-9].*/some/')" some "children are recorded"
run "$PERF" record -i -e cpu-clock -o a.data -- sh -c "$WORKLOAD noploop 1 & wait"
is "$(samples a.data tid | sort -u | wc -l)" 1 "not with -i"

# --- running tasks ---

spawn "$WORKLOAD" thloop 1000
target=$spawned_pid
two_threads() {
	[ "$(ls "/proc/$target/task" | wc -l)" = 2 ]
}
wait_for 20 two_threads
other=$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 ! -name "$target" -printf '%f\n')

run "$PERF" record -e cpu-clock -F 999 -p "$target" -o p.data -- "${until_run[@]}" 100 "$target" "$other"
is "$rc" 0 "-p, until a command ends"
is "$(samples p.data tid | sort -un | xargs)" "$(printf '%s\n' "$target" "$other" | sort -n | xargs)" "-p means all threads of the process"
ok "code that was mapped before has its symbols" grep -q test_loop <<<"$(samples p.data ip,sym | sort -u)"
run "$PERF" record -i -e cpu-clock -F 999 -t "$other" -o t.data -- "${until_run[@]}" 50 "$other"
is "$rc:$(samples t.data tid | sort -u)" "0:$other" "-t means that thread"
run "$PERF" record -e cpu-clock -C 0 -F 999 -o c.data -- taskset -c 0 "$WORKLOAD" noploop 0.1
is "$rc:$(samples c.data cpu | sort -u)" "0:[000]" "-C means all tasks on that CPU"
run "$PERF" record -e cpu-clock -a -p "$target" -C 0 -o a.data -- true
is "$rc" 0 "-a and -p"
is "$(grep overriding <<<"$err")" "PID/TID switch overriding CPU
PID/TID switch overriding SYSTEM" "-p wins, and that is said"

"$PERF" record -e cpu-clock -p "$target" -o end.data 2>end.err &
recorder=$!
grows() {
	[ -s end.data ] && [ "$(nr_samples end.data)" -gt 0 ]
}
ok "samples reach the file while it is recorded" wait_for 20 grows
kill -TERM "$target"
wait $recorder
is $? 0 "the recording ends with its target"
like "$(cat end.err)" 'Captured and wrote' "with a summary"

# --- what each event gets ---

run "$PERF" record -e cpu-clock,page-faults -c 1000 -e context-switches -d -g -o e.data -- true
is "$rc" 0 "several events"
like "$("$PERF" evlist -v -i e.data)" '^cpu-clock:.*sample_freq \}: 1000, sample_type: IP\|TID\|TIME\|ADDR\|CALLCHAIN.*DATA_SRC.*mmap_data: 1' "have their options"
is "$("$PERF" evlist -i e.data | xargs)" "cpu-clock page-faults context-switches" "and their names"
run "$PERF" record -F 1000000000 -e cpu-clock -o f.data -- true
is "$rc" 0 "a rate above the kernel's limit"
like "$err" '^warning: Maximum frequency rate \([0-9]+ Hz\) exceeded, throttling from 1000000000 Hz to [0-9]+ Hz\.$' "is lowered, which is said"
like "$err" '--strict-freq refuses' "with the option against that"
max_before=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
run "$PERF" record -F max -e cpu-clock -o f.data -- true
is "$rc" 0 "-F max"
like "$err" "^info: Using a maximum frequency rate of ($max_before|$(cat /proc/sys/kernel/perf_event_max_sample_rate)) Hz\$" "says what that is"
run "$PERF" record -m 16K -e cpu-clock -o m.data -- true
is "$rc" 0 "-m with a size"

# --- wrong command lines: 129, one line that says it, nothing run, nothing written ---

rm -f -- *.data *.data.old
wrong "an unknown event" "nosuchevent" -e nosuchevent
wrong "a period of 0" 'takes a number of at least 1' -c 0
wrong "an unknown option" "bogus" --bogus
wrong "-F and -c" 'cannot set frequency and period' -F 99 -c 99
wrong "a wrong -F" '-F takes a number' -F 99x
wrong "a wrong -m" '-m takes a number' -m 0
wrong "a wrong -p" 'wrong list of process ids' -p 12,x
wrong "a wrong -C" 'wrong CPU list' -C 0-
wrong "--call-graph of another kind" 'frame pointers' --call-graph nonsense
wrong "--call-graph dwarf with too much" 'at most 65528' --call-graph dwarf,65536
wrong "--call-graph dwarf with nothing" 'number of bytes' --call-graph dwarf,0
wrong "--call-graph dwarf with no number" 'number of bytes' --call-graph dwarf,8k

# --- what cannot be set up: 255, one message, nothing run ---

failing() {
	local what=$1 text=$2
	shift 2
	run "$PERF" record "$@" -- touch ran
	is "$rc" 255 "$what"
	like "$err" "$text" "$what: says why"
	ok "$what: runs nothing" test ! -e ran
}
failing "a process that does not exist" 'there is no process with id 4194304' -p 4194304
failing "a thread that does not exist" 'there is no thread with id 4194304' -t 4194304
failing "a CPU that does not exist" 'CPU 60000 is not online' -C 60000
failing "an event that this machine lacks" 'not supported by this machine' -e r1234567
failing "an output that cannot be written" '/no/such/dir/x' -e cpu-clock -o /no/such/dir/x
ok "and no file is left" test ! -e perf.data

run "$PERF" record --dry-run -e cpu-clock -- touch ran
is "$rc:$out$err" "0:" "--dry-run says nothing"
ok "--dry-run does nothing" test ! -e ran -a ! -e perf.data

done_testing

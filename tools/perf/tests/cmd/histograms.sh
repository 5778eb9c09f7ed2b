#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf sample-bpf --hist and --latency: histograms of workloads whose numbers are known.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

ENTER=syscalls:sys_enter_write
EXIT=syscalls:sys_exit_write
SLEEP=syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep
WRITES="512 -> 1023:1000 4096 -> 8191:300 65536 -> 131071:50 524288 -> 1048575:7"

cp "$(command -v dd)" hist-dd
cat >writes.sh <<-END
	$WORK/hist-dd if=/dev/zero of=/dev/null status=none bs=512 count=1000
	$WORK/hist-dd if=/dev/zero of=/dev/null status=none bs=4096 count=300
	$WORK/hist-dd if=/dev/zero of=/dev/null status=none bs=65536 count=50
	$WORK/hist-dd if=/dev/zero of=/dev/null status=none bs=1000000 count=7
END

# For what looks at all tasks: of a user that nobody else has, as this test may run twice
uid=$((7000000 + $$))
chmod 755 "$WORK"
as_nobody_else=(setpriv --reuid="$uid" --clear-groups)

hist() {
	run "$PERF" sample-bpf "$@"
}

# bars [TEXT]: what is not empty of all bars in $out, as "RANGE:COUNT RANGE:COUNT..."
bars() {
	sed -nE 's/^ +(.*[0-9])  +([0-9]+)  \|[ *]*\|$/\1:\2/p' <<<"${1-$out}" | grep -v ':0$' | xargs -d '\n'
}

# sums: over all histograms in $out, how many values there are, and their total
sums() {
	sed -nE 's/.*  ([0-9]+) values?, total (-?[0-9]+).*/\1 \2/p' <<<"$out" | awk '{ n += $1; sum += $2 } END { printf "%d %.0f\n", n, sum }'
}

# member NAME: of the one event in $out, which is JSON
member() {
	sed -nE "s/.*\"events\":.*\"$1\":([0-9]+).*/\1/p" <<<"$out"
}

# --- values of a field ---

hist -e $ENTER --hist count --filter 'comm == hist-dd && count >= 512' -- sh writes.sh
is "$rc:$(bars)" "0:$WRITES" "--hist of a syscall's argument: sizes of writes"
is "$(sums)" "1357 12017600" "number and total"
like "$out" '^syscalls:sys_enter_write  1357 values, .*, min 512, max 1000000, mean 8856.0$' "extremes and mean"
counts ""
is "$kept:$((seen - kept))" "1357:$dropped" "the filter tells what it dropped"
hist -e $EXIT --hist ret --filter 'comm == hist-dd' -- sh writes.sh
is "$rc:$(bars)" "0:$WRITES" "of what it returns"
hist -e $ENTER --hist count:linear,100000 --filter 'comm == hist-dd' -- sh writes.sh
is "$rc:$(bars)" "0:0 -> 99999:1350 1000000 -> 1099999:7" "linear"
like "$out" '^ +\.\.\.$' "empty buckets are not all shown"
hist -e $ENTER --hist count:linear,0.1us --filter 'comm == hist-dd' -- sh writes.sh
is "$rc:$(bars)" "0:500 -> 599:1000 4000 -> 4099:300 65500 -> 65599:50 >= 102400:7" "the last bucket has all that is beyond"
hist -e $ENTER --hist count --key comm,pid --filter 'comm == hist-dd' -- sh writes.sh
is "$rc:$(grep -oE 'comm hist-dd  pid [0-9]+  [0-9]+ values?' <<<"$out" | awk '{ print $5 }' | xargs)" "0:1000 300 50 7" \
	"--key: one for each process, most counted first"
hist -e $ENTER --hist count --key uid,cgroup,cpu --filter 'comm == hist-dd' -- taskset -c 0 sh writes.sh
like "$out" '^syscalls:sys_enter_write  cpu 0  uid 0  cgroup [^ ]+  1357 values' "CPU, user and cgroup"
hist -a -e $ENTER --hist count --filter "uid == $uid && comm == hist-dd && (count >= 5000 || count < 1000)" -- "${as_nobody_else[@]}" sh writes.sh
is "$rc:$(bars)" "0:512 -> 1023:1000 65536 -> 131071:50 524288 -> 1048575:7" "all tasks, and a filter of fields and terms"
hist -e $ENTER --hist nice:linear -- nice -n 7 sh writes.sh
is "$rc:$(bars | sed 's/:.*//')" "0:$(nice -n 7 nice)" "of a term of filters"

# What others see is the same.
filter="uid == $uid && comm == hist-dd"
run "$PERF" record -q -a -e $ENTER --filter "$filter" -o w.data -- \
	"$PERF" sample-bpf -a -e $ENTER --hist count:linear,512 --filter "$filter" -- "${as_nobody_else[@]}" sh writes.sh
is "$rc:$(bars "$out" | tr ' ' '\n' | sed -n 's/.*://p' | xargs)" \
	"0:$("$PERF" script -i w.data -F trace | sed -nE 's/.*count: (0x[0-9a-f]+).*/\1/p' |
	     while read -r n; do echo $((n / 512 > 1024 ? 1024 : n / 512)); done | sort -n | uniq -c | awk '{ print $1 }' | xargs)" \
	"perf record of the same run has as many of each size"

# --- signs ---

hist -e $EXIT --hist ret --filter 'comm == hist-dd && ret != 5' -- sh -c './hist-dd if=/dev/zero of=/dev/full bs=5 count=1 status=none 2>msg
	./hist-dd if=/dev/zero of=/dev/null bs=5 count=3 status=none; ./hist-dd if=/dev/zero of=/dev/full bs=9 count=1 status=none 2>msg; :'
is "$rc:$(bars | sed 's/ 1.*//')" "0:-31 -> -16:2" "values below 0"
hist -e $EXIT --hist ret:linear,10 --filter 'comm == hist-dd && (ret < 0 || ret == 5)' -- sh -c './hist-dd if=/dev/zero of=/dev/full bs=5 count=1 status=none 2>msg
	./hist-dd if=/dev/zero of=/dev/null bs=5 count=3 status=none'
is "$rc:$(bars):$(sums)" "0:-30 -> -21:1 0 -> 9:3:4 -13" "and linear"
hist -e cpu-clock:u -c 1000000 --hist nice:linear -- nice -n -5 "$WORKLOAD" noploop 0.2
is "$rc:$(bars | sed 's/:.*//')" "0:$(nice -n -5 nice)" "of a perf event's sample"

# --- perf events ---

hist -e cpu-clock -c 1000000 --hist period --filter 'cpu == 0' -- taskset -c 0 "$WORKLOAD" noploop 0.3
is "$rc:$(bars | sed 's/[0-9]*$//')" "0:524288 -> 1048575:" "periods"
read -r number total <<<"$(sums)"
is "$total" $((number * 1000000)) "each is what -c says"
hist -e page-faults,cpu-clock -c 1 --hist addr:linear,1G -- true 2>/dev/null
like "$out" '^page-faults  [1-9]' "one for each event"
hist -e cpu-clock,$ENTER -c 1000000 --hist cpu -- true
is "$rc" 129 "-c is for no tracepoint"
hist -e $ENTER,page-faults --hist cpu:linear --key comm -- taskset -c 0 sh writes.sh
like "$out" '^syscalls:sys_enter_write  comm hist-dd  ' "tracepoints and perf events together"
like "$out" '^page-faults  comm [a-z-]+  [1-9]' "have a histogram each"

# --- who, and how long ---

mkfifo gate
spawn sh -c 'read -r go <gate; exec ./hist-dd if=/dev/zero of=/dev/null bs=777 count=5000 status=none'
"$PERF" sample-bpf -p "$spawned_pid" -e $ENTER --hist count:linear,777 --filter 'count >= 512' >p.out 2>p.err &
recorder=$!
ok "-p: a process that runs already" wait_for 20 on_calls $recorder 1
sh writes.sh
echo go >gate
wait $recorder
is "$?:$(bars "$(cat p.out)")" "0:777 -> 1553:5000" "and no other is looked at; perf ends with it"
spawn ./hist-dd if=/dev/zero of=/dev/null bs=333 status=none
"$PERF" sample-bpf -t "$spawned_pid" -e $ENTER --hist count --key tid -I 50 >i.out 2>i.err &
recorder=$!
has_two() {
	[ "$(grep -c "tid $spawned_pid " i.out)" -ge 2 ]
}
ok "-I" wait_for 60 has_two
kill -INT $recorder
wait $recorder
is $? 130 "until Ctrl-C"
ok "each round has a time" test "$(grep -cE '^# [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}$' i.out)" -ge 2
hist -e $ENTER --hist count --filter 'comm == hist-dd' -I 10 -- sh -c 'for i in 1 2 3 4 5; do sh writes.sh; sleep 0.02; done'
is "$rc:$(sums)" "0:6785 60088000" "no value is in no round, and none in two"
hist -i -e $ENTER --hist count --filter 'comm == hist-dd' -- sh writes.sh
is "$rc:$out" "0:nothing was counted" "-i: no children"

# --- JSON ---

hist -e $ENTER --hist count:linear,100000 --json --key comm --filter 'comm == hist-dd' -- sh writes.sh
like "$out" '^\{"number":"count","rounds":\[\{"time":[0-9]+\.[0-9]{3},"histograms":\[\{"event":"syscalls:sys_enter_write","comm":"hist-dd","count":1357,"sum":12017600,"min":512,"max":1000000,"buckets":\[\{"low":0,"high":99999,"count":1350\},\{"low":1000000,"high":1099999,"count":7\}\]\}\]\}\],"events":\[\{"event":"syscalls:sys_enter_write","seen":[0-9]+,"dropped":[0-9]+,"missed":[0-9]+,"lost":0\}\]\}$' \
	"--json"
is $(($(member seen) - $(member dropped))) 1357 "what was seen is counted or dropped"
hist -e $ENTER --hist count --json -I 10 --filter 'comm == hist-dd' -- sh -c 'for i in 1 2 3 4 5; do sh writes.sh; sleep 0.02; done'
is "$rc:$(grep -oE '"count":[0-9]+,"sum"' <<<"$out" | tr -dc '0-9\n' | awk '{ n += $1 } END { print n }')" 0:6785 "--json: and in rounds"

# --- no room ---

cat >crowd.sh <<-'END'
	echo $PPID >recorder
	while [ ! -e gone ]; do sleep 0.01; done
	for ((i = 0; i < 300; i++)); do (echo) >/dev/null; done
	echo >through
END
rm -f gone
"$PERF" sample-bpf -v -e $ENTER --hist count --key pid --json --max-keys 1 --max-stacks 1 -- bash crowd.sh >l.out 2>l.err &
recorder=$!
ok "perf that is stopped" wait_for 20 test -s recorder
kill -STOP $recorder
touch gone
ok "while much goes on" wait_for 60 test -e through
kill -CONT $recorder
wait $recorder
is $? 0 "and goes on"
out=$(cat l.out) err=$(cat l.err)
like "$err" '^[1-9][0-9]* samples? w[a-z]* not counted: there was no room for more (keys|new stacks)' "says what it lost"
is $(($(member lost) + $(sed -nE 's/.* ([0-9]+) counted, .*/\1/p' <<<"$err"))) "$(member seen)" "nothing else is missing"
is "$(grep -oE '"count":[0-9]+,"sum"' <<<"$out" | tr -dc '0-9\n' | awk '{ n += $1 } END { print n }')" \
	"$(sed -nE 's/.* ([0-9]+) counted, .*/\1/p' <<<"$err")" "and what was counted is told"

# --- times ---

# What is held between the start of the clock and the switch is part of the system call, not of the sleep: see off-cpu.sh.
hist --latency $SLEEP --unit ms --key comm -- "$WORKLOAD" sleepy
read -r number total <<<"$(sums)"
is "$rc:$number" 0:33 "--latency: a system call from begin to end"
ok "30 x 20 ms and 3 x 400 ms" test "$total" -ge 1800000000 -a "$total" -le $((elapsed * 1000000))
like "$out" '^syscalls:sys_enter_clock_nanosleep -> syscalls:sys_exit_clock_nanosleep  comm workload  33 values, .*, min [2-9][0-9]{7} ns, ' \
	"none is shorter than it was asked to be"
like "$out" '^ +time \(ms\)  count  distribution$' "--unit is what buckets are of"
# slept: how many sleeps the workload says in $out that there were
slept() {
	sed -nE 's/^nap: ([0-9]+) sleeps, slumber: ([0-9]+) sleeps$/\1 \2/p' <<<"$out" | awk '{ n = $1 + $2 } END { print n }'
}
# A sandbox may hide hits of its own tasks, and so the switch from one of them to the workload: that start has no end, which is told.
hist --latency sched:sched_switch,sched:sched_switch:prev_pid=next_pid --filter 'prev_state == 1' -- "$WORKLOAD" sleepy
read -r number total <<<"$(sums)"
open=$(sed -nE 's/^([0-9]+) starts? had no end.*/\1/p' <<<"$err")
ok "between hits of one tracepoint, by keys of different names ($number, $open without end)" test \
	"$rc" = 0 -a $((number + ${open:-0})) -ge "$(slept)" -a "${open:-0}" -lt 20 -a "$total" -ge $((number * 15000000))
hist --latency $ENTER,$EXIT:tid+pid --filter 'comm == hist-dd && count == 512' --json -- sh writes.sh
unlike "$err" '^An end belongs' "keys that are given are not named again"
is "$rc:$(member seen):$(member dropped)" "0:$((1000 + $(member dropped))):$(member lone_ends)" "a filter is of the beginnings"
cat >sleeper.sh <<-'END'
	sleep 1000 &
	echo $! >sleeper
	until grep -q '(sleep) S' "/proc/$!/stat"; do :; done
	sleep 0.01
END
hist --latency $SLEEP -- bash sleeper.sh
kill "$(cat sleeper)"
is "$rc:$(sums | sed 's/ .*//'):$(tail -n 1 <<<"$err")" "0:1:1 start had no end" "starts without an end are counted in a message"
like "$err" '^An end belongs to the last start with the same tid, as no other key was named' "the default key is named"
hist --latency $SLEEP:tid+pid --max-starts 1 -- bash sleeper.sh
kill "$(cat sleeper)"
like "$err" '^1 start was not counted: there was no room for more. Make room \(--max-starts, now 1\)$' "and what has no room"
is "$rc:$out" "0:nothing was counted" "so there is nothing else"
# Starts of two descriptors, and one that another one replaces
cat >starts.py <<'END'
import os, time
def open_null():
    return os.open("/dev/null", os.O_WRONLY)
one, two = open_null(), open_null()
begin = time.monotonic_ns()
os.write(one, b"x" * 77)
os.write(two, b"x" * 77)
os.close(one)
os.close(two)
before = time.monotonic_ns() - begin
three = open_null()
os.write(three, b"x" * 77)
time.sleep(0.1)
begin = time.monotonic_ns()
os.write(three, b"x" * 77)
os.close(three)
print("at most", max(before, time.monotonic_ns() - begin))
END
for keys in tid:2 tid+fd:3; do
	hist --latency $ENTER,syscalls:sys_enter_close:${keys%:*} --filter 'count == 77' -- python3 starts.py
	is "$rc:$(sums | sed 's/ .*//')" "0:${keys#*:}" "an end has the start with its ${keys%:*}"
	ok "the last one that there was" test "$(sed -n 's/.* max \([0-9]*\) ns, .*/\1/p' <<<"$out")" -le "$(awk '$1 == "at" { print $3 }' <<<"$out")"
done
hist --latency $ENTER,$EXIT -I 20 -- sh -c 'for i in 1 2 3 4 5; do sh writes.sh; sleep 0.02; done'
like "$out" '^ +ns  [0-9:]{8}.*\(20 ms a column\)$' "-I: a heat map"
like "$out" '^shades: \. 1 .* @ [0-9]+$' "with its shades"
is "$(awk '/values/ { seen = 1 } seen' <<<"$out" | grep -c '\*')" "$(awk '/values/ { seen = 1 } seen' <<<"$out" | grep -c '|\*')" "and bars of all"
read -r number total <<<"$(sums)"
ok "of all rounds" test "$number" -ge 6785
spawn ./hist-dd if=/dev/zero of=/dev/null bs=333 status=none
"$PERF" sample-bpf --latency $ENTER,$EXIT -p "$spawned_pid" -I 50 >h.out 2>h.err &
recorder=$!
ok "recording" wait_for 20 on_calls $recorder 2
"${until_run[@]}" 20 "$spawned_pid"
kill -INT $recorder
wait $recorder
is $? 130 "Ctrl-C"
like "$(cat h.out)" '^shades: ' "shows the map so far"

# --- block devices ---

truncate -s 16M disk
if loop=$(losetup -f --show "$WORK/disk" 2>/dev/null); then
	dev=$((0x$(stat -c %t "$loop") << 20 | 0x$(stat -c %T "$loop")))
	hist -a -e block:block_rq_issue --hist bytes --filter "dev == $dev && rwbs == WS" -- \
		dd if=/dev/zero of="$loop" bs=4096 count=200 oflag=direct status=none
	is "$rc:$(bars)" "0:4096 -> 8191:200" "block requests by size"
	hist -a --latency block:block_rq_issue,block:block_rq_complete --unit us --filter "dev == $dev && rwbs == WS" -- \
		dd if=/dev/zero of="$loop" bs=4096 count=200 oflag=direct status=none
	read -r number total <<<"$(sums)"
	is "$rc:$number" 0:200 "from issue to completion, by device and sector"
	losetup -d "$loop"
else
	skip 2 "no loop device"
fi

# --- sleeps ---

# Other waits of a busy machine, such as for a lock of the kernel, are in another state.
hist -e off-cpu --off-cpu-states S --hist period:linear,10ms --key comm --filter 'period >= 10ms' -- "$WORKLOAD" sleepy
read -r number total <<<"$(sums)"
ok "off-cpu: sleeps by their length ($number)" test "$rc" = 0 -a "$number" -ge $(($(slept) - 2)) -a "$number" -le "$(slept)"
ok "30 x 20 ms and 3 x 400 ms" test "$total" -ge 1660000000 -a "$total" -le $((elapsed * 1000000))
like "$out" '^offcpu-time  comm workload  [0-9]+ values?, .*, min [1-9][0-9]{7}, max [3-9][0-9]{8}|max [0-9]{10}, ' "each with its own time"
hist -e off-cpu --hist period:linear,10ms --key pid -- bash sleeper.sh
# It may have waited for its program before.
like "$out" "^offcpu-time  pid $(cat sleeper)  [1-9][0-9]* values?, .*, max [0-9]{8,}," "one that is not over, too"
kill "$(cat sleeper)"
hist -e off-cpu --hist nice:linear --filter 'period >= 0.3s' -I 100 -- nice -n 3 "$WORKLOAD" sleepy
is "$rc:$(bars | tr ' ' '\n' | sed 's/:.*//' | sort -u | xargs)" "0:$(nice -n 3 nice)" "another number of the sleeper, of long sleeps, in rounds"

# --- what cannot be ---

# refused WHAT TEXT ARGS...: with that text, before anything runs
refused() {
	local what=$1 text=$2
	shift 2
	hist "$@" -- touch ran
	is "$rc" 129 "$what"
	like "$err" "$text" "$what: says so"
	ok "$what: nothing runs" test ! -e ran
}
refused "no number" "^cpu-clock: --hist: 'comm' is no number here: it is a text" -e cpu-clock --hist comm
refused "no field" "^syscalls:sys_enter_write: --hist: 'size' is neither a field .* fields are: __syscall_nr fd buf count" -e $ENTER --hist size
refused "a text" "'filename' is no number" -e sched:sched_process_exec --hist filename
refused "a test" "without a comparison" -e $ENTER --hist 'count > 5'
refused "no name" 'as in --hist period or .*: not ""' -e $ENTER --hist ''
refused "two names" 'a histogram is of one number.* as in .*: not "count,fd"' -e $ENTER --hist count,fd
refused "a text, with what to do" "'filename' is no number .* it is a text. Take a term or field that is a number" -e sched:sched_process_exec --hist filename
refused "no kind" 'log2 or linear,STEP, as in count:linear,100: not "log10"' -e $ENTER --hist count:log10
refused "no step" '1 or more.*: not "0"' -e $ENTER --hist count:linear,0
refused "two" 'exclude each other' -e $ENTER --hist count --hist fd
refused "a rate" 'looks at each hit: leave -c and -F out' -e $ENTER -F 99 --hist count
refused "a modifier" 'takes no modifier' -e $ENTER:u --hist count
refused "a group" 'leave the braces out' -e "{$ENTER,$EXIT}" --hist cpu
refused "what sleepers do not have" "no 'ip' of off-cpu time" -e off-cpu --hist ip
refused "a file" 'let the shell do that' -e $ENTER --hist count -o out
refused "stacks" 'let the shell do that' -e $ENTER --hist count -g
refused "code as key" 'not places in code: leave those out' -e $ENTER --hist count --key sym
refused "--top" 'neither with --folded nor with --top' -e $ENTER --hist count --top
refused "--json alone" '--json needs' -e $ENTER --json
refused "--unit alone" '--unit and --max-starts need' -e $ENTER --hist count --unit us
refused "--max-starts alone" '--unit and --max-starts need' -e $ENTER --hist count --max-starts 7
refused "one tracepoint" 'from one tracepoint to another' --latency $ENTER
refused "no tracepoint" 'between two tracepoints' --latency $ENTER,cpu-clock
refused "no such tracepoint" "no tracepoint 'sys_exit_wrote'" --latency $ENTER,syscalls:sys_exit_wrote
refused "several at one end" 'from one tracepoint to one other' --latency "$ENTER,syscalls:sys_exit_wri*"
refused "a key that the end has not" "^$EXIT: --latency: 'fd' is neither a field" --latency $ENTER,$EXIT:fd
refused "no key" "behind the second ':'" --latency $ENTER,$EXIT:
refused "five keys" 'at most 4 keys' --latency $ENTER,$EXIT:tid+pid+cpu+uid+gid
refused "another event" 'no other event' -e cpu-clock --latency $ENTER,$EXIT
refused "no unit" 'ns, us or ms' --latency $ENTER,$EXIT --unit s
refused "no start" '1 to 16777216' --latency $ENTER,$EXIT --max-starts 0

hist --dry-run -v --latency $ENTER,$EXIT --filter 'count > 4' -- touch ran
like "$out" '^engine: BPF programs on this tracepoint and syscalls:sys_exit_write, 1 entry$' "-v: who judges"
ok "--dry-run runs nothing" test ! -e ran
cp "$PERF" perf
chmod 755 "$WORK" perf
run as_user ./perf sample-bpf -e cpu-clock:u --hist cpu -- true
is "$rc" 255 "without privilege"
like "$err" 'CAP_BPF' "which it names"

done_testing

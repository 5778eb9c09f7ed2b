#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf sample-bpf: what the kernel counts is what happened, is in the file and on the terminal, and what is lost is told.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# --- truth: two functions at 70:30 ---

# cpu_ms COMMAND...: runs it and sets $ms, how long it had a CPU
cpu_ms() {
	local before after
	read -r -a before </proc/$$/stat
	run "$@"
	read -r -a after </proc/$$/stat
	ms=$(((after[15] + after[16] - before[15] - before[16]) * 1000 / $(getconf CLK_TCK)))
}

# seven_of_ten PERF FILE [EVENT]: percent of the samples of both functions that seven_parts() has; 0 if they are not most of all samples.
# The others are interrupts and the system call by which the functions look at the clock: on a busy machine there are more of them.
seven_of_ten() {
	rows "$1" "$2" sym "${3-}" | awk '/ seven_parts/ { seven = $1 } / three_parts/ { three = $1 }
		END { both = seven + three; print (both > 50 ? seven * 100 / both : 0) }'
}

cpu_ms "$PERF" sample-bpf -e cpu-clock -F 999 -g -o s.data -- true
own=$ms
cpu_ms "$PERF" sample-bpf -e cpu-clock -F 999 -g -o s.data -- "$WORKLOAD" shareloop 2
is "$rc" 0 "counting a command"
read -r samples keys <<<"$(counted)"
# Where the host takes the CPU away time goes on without samples, which perf tells.
ok "it is counted in at least every other millisecond that it runs" test $(((ms - own) / 2)) -lt $((${samples:-0} + $(untaken)))
ok "in fewer keys" test "${keys:-0}" -gt 1 -a $((keys * 2)) -lt "$samples"
ok "seven parts of ten" near "$(seven_of_ten "$PERF" s.data)" 70 3
ok "with what they call they have nearly all" test "$("$PERF" report --stdio --children -g none -s sym -i s.data 2>/dev/null |
	awk '/ (seven|three)_parts/ { n += $1 } END { print int(n) }')" -ge 90
is "$(total "$PERF" s.data)" "$samples" "report -n shows all samples"
is "$(samples s.data time | wc -l)" "$keys" "the file has a record for each key"
ok "stock perf reports the same shares" near "$(share "$STOCK" s.data sym seven_parts)" "$(share "$PERF" s.data sym seven_parts)" 0.02
is "$("$STOCK" script -i s.data -F weight 2>/dev/null | awk '{ n += $1 } END { print n }')" "$samples" "and can show the counts"
like "$("$PERF" evlist -i s.data)" '^cpu-clock$' "the event has its name"
like "$("$PERF" report -q --no-children -g caller -s comm -i s.data)" '^[ |]*(-*|--[0-9.]+%--)main$' "callchains lead to main()"

run "$PERF" record -e cpu-clock -F 999 -g -o r.data -- "$WORKLOAD" shareloop 2
ok "perf record sees the same shares" near "$(seven_of_ten "$PERF" r.data)" 70 3
ok "and needs several times the bytes" test $((4 * $(stat -c %s s.data))) -lt "$(stat -c %s r.data)"

# --- the same samples, counted and written ---

# --- compressed or not: the same for all readers ---

for level in z0 z22; do
	run "$PERF" sample-bpf -$level -e cpu-clock -F 999 -g -o $level.data -- "$WORKLOAD" shareloop 1
	is "$rc" 0 "-$level"
	for reader in "$PERF" ${STOCK:+"$STOCK"}; do
		ok "read by $(basename "$reader"), -$level" near "$(seven_of_ten "$reader" $level.data)" 70 4
	done
done
ok "and smaller" test "$(stat -c %s z22.data)" -lt "$(stat -c %s z0.data)"
run "$PERF" sample-bpf -z23 -- true
is "$rc" 129 "there are 22 levels"

run "$PERF" sample-bpf --both -e cpu-clock -F 999 -g -o b.data -- "$WORKLOAD" shareloop 1
is "$rc" 0 "--both"
read -r samples keys <<<"$(counted)"
is "$(total "$PERF" b.data "cpu-clock (counted)")" "$samples" "what was counted is one event"
is "$(total "$PERF" b.data cpu-clock)" "$samples" "what was written is another, of as many samples"
for function in seven_parts three_parts; do
	ok "$function has the same share in both" near "$(share "$PERF" b.data sym $function "cpu-clock (counted)")" \
		"$(share "$PERF" b.data sym $function cpu-clock)" 0.5
done
ok "stock perf reads both" near "$(seven_of_ten "$STOCK" b.data "cpu-clock (counted)")" 70 4

# --- names: threads, exec, processes that are gone ---

run "$PERF" sample-bpf -e cpu-clock -F 999 -o d.data -- "$WORKLOAD" demoloop 2
ok "threads that named themselves: render" near "$(share "$PERF" d.data comm render)" 60 4
ok "parse" near "$(share "$PERF" d.data comm parse)" 30 4
ok "log" near "$(share "$PERF" d.data comm 'log *$')" 10 4
is "$(rows "$PERF" d.data comm,sym | awk '/render_frame/ && !/render /' | wc -l)" 0 "each function under its thread's name"
ok "stock perf has the same names" near "$(share "$STOCK" d.data comm render)" "$(share "$PERF" d.data comm render)" 0.02

cat >two.sh <<-'END'
	x=0; while [ $x -lt 300000 ]; do x=$((x + 1)); done
	exec "$WORKLOAD" shareloop 0.5
END
run "$PERF" sample-bpf -e cpu-clock -F 999 -o e.data -- bash two.sh
ok "a process before exec" test "$(rows "$PERF" e.data comm,dso | awk '/bash +bash/ { n += $2 } END { print n + 0 }')" -gt 20
ok "and after it" test "$(rows "$PERF" e.data comm,sym | awk '/workload .*(seven|three)_parts/ { n += $2 } END { print n + 0 }')" -gt 50
is "$(rows "$PERF" e.data comm,sym | awk '/bash .*_parts/' | wc -l)" 0 "have names of their own"

run "$PERF" sample-bpf -e cpu-clock -F 999 -o f.data -- sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do '$WORKLOAD' sqrtloop 0.1; done"
is "$rc" 0 "children of children"
ok "functions of processes that are gone" near "$(share "$PERF" f.data sym 'sqrtloop')" 95 10
is "$(rows "$PERF" f.data pid,sym | grep -c ' sqrtloop')" 10 "of each of them"
read -r samples keys <<<"$(counted)"
is "$(total "$PERF" f.data)" "$samples" "nothing is left out"

# --- rounds ---

run "$PERF" sample-bpf -e cpu-clock -F 999 -I 200 -o i.data -- "$WORKLOAD" shareloop 1.5
is "$rc" 0 "-I"
read -r samples keys <<<"$(counted)"
is "$(total "$PERF" i.data)" "$samples" "the rounds sum up to the whole"
rounds=$("$PERF" report --stats -i i.data | awk '/FINISHED_ROUND/ { print $3 }')
ok "there are several" test "${rounds:-0}" -ge 4
ok "shares stay" near "$(seven_of_ten "$PERF" i.data)" 70 4
# shellcheck disable=SC2016 # for awk
ok "times lie in their rounds" awk '{ if (NR == 1 || $1 < min) min = $1; if ($1 > max) max = $1 } END { exit max - min < 0.8 }' \
	<(samples i.data time | tr -d :)
unlike "$("$STOCK" report --stdio -i i.data 2>&1)" 'out of order' "stock perf finds them in order"

# --- filters ---

run "$PERF" sample-bpf -e cpu-clock -F 999 --filter 'comm == "render" || comm == "log"' -o k.data -- "$WORKLOAD" demoloop 1
is "$rc" 0 "--filter"
counts ""
read -r samples keys <<<"$(counted)"
is "$kept:$((kept + dropped))" "$samples:$seen" "what it keeps is counted"
ok "the rest is dropped" test "$dropped" -gt 50
is "$(rows "$PERF" k.data comm | awk '{ print $NF }' | sort | xargs)" "log render" "and is not in the file"
like "$("$PERF" report --stats -i k.data)" "LOST_SAMPLES \(BPF\) events: +$dropped\$" "the file tells how many"

run "$PERF" sample-bpf -F 999 -e cpu-clock --filter 'comm == "render"' -e task-clock --filter 'comm == "log"' -o g.data -- \
	"$WORKLOAD" demoloop 0.5
is "$(rows "$PERF" g.data comm cpu-clock | awk '{ print $NF }')" render "two events: the first one's filter"
is "$(rows "$PERF" g.data comm task-clock | awk '{ print $NF }')" log "and the second one's"

# --- keys ---

# by_key KEY OPTIONS...: a system-wide count, folded
by_key() {
	local key=$1
	shift
	run "$PERF" sample-bpf -q -a -e cpu-clock -F 999 --key "$key" --folded=samples "$@" -- "$WORKLOAD" demoloop 0.3
}
by_key comm
like "$out" '^render [0-9]+$' "--key comm"
unlike "$out" ';' "has no stacks"
by_key cpu
is "$(grep -cvE '^cpu [0-9]+ [0-9]+$' <<<"$out")" 0 "--key cpu"
by_key uid,comm
like "$out" '^uid 0;render [0-9]+$' "--key uid"
by_key cgroup,comm
like "$out" '^cgroup [/0-9].*;render [0-9]+$' "--key cgroup"
# In its exec a command has samples before the kernel names it: one of 20 us nearly always.
ln -s /bin/true a-command-named-at-length
for i in {1..20}; do
	"$PERF" sample-bpf -e cpu-clock -c 20000 --key comm -o exec.data -- ./a-command-named-at-length
	"$PERF" report -q -i exec.data --stdio -s comm | awk 'NF { print $2 }'
done 2>err.txt | sort -u >names.txt
is "$(<names.txt)" "a-command-named" "--key comm: samples of a command's exec have its name, too"
by_key comm,sym
like "$out" '^render;render_frame [0-9]+$' "--key sym"
by_key pid,tid,comm
like "$out" '^render-[0-9]+/[0-9]+ [0-9]+$' "--key tid"
by_key comm,ustack
like "$out" '^render;.*;play;render_frame [0-9]+$' "--key ustack"
run "$PERF" sample-bpf -e cpu-clock -F 999 --key comm -o c.data -- "$WORKLOAD" demoloop 1
ok "commands without threads in the file" near "$(share "$PERF" c.data comm render)" 60 5
ok "and for stock perf" near "$(share "$STOCK" c.data comm render)" "$(share "$PERF" c.data comm render)" 0.02

# --- lines for flame graphs ---

run "$PERF" sample-bpf -e cpu-clock -F 999 --folded=samples -- "$WORKLOAD" shareloop 0.3
is "$rc" 0 "--folded"
read -r samples keys <<<"$(counted)"
is "$(awk '{ n += $NF } END { print n }' <<<"$out")" "$samples" "the lines sum up to the samples"
like "$out" '^workload;(.*;)?main;.*workload_shareloop;seven_parts [0-9]+$' "command, outer to inner function, count"
run "$PERF" sample-bpf -e cpu-clock -F 999 --folded=samples -- dd if=/dev/zero of=/dev/null count=1000000
like "$out" '^dd;.*;vfs_(read|write)(;.*)? [0-9]+$' "the kernel's functions behind the user's"
ok "no file is written" test ! -e perf.data
# A process that begins while perf counts, and is counted without its threads, has its maps all the same.
run "$PERF" sample-bpf -q -a -e cpu-clock:u -F 999 --key comm,pid,ustack --folded=samples -- sh -c "'$WORKLOAD' noploop 0.3; :"
like "$out" '^workload-[0-9]+;.*;noploop [0-9]{2}' "a later process has names of functions"
run "$PERF" sample-bpf -q -e cpu-clock -F 999 --folded=samples -o o.data -- "$WORKLOAD" shareloop 0.5
ok "unless -o asks for it" test "$(total "$PERF" o.data)" = "$(awk '{ n += $NF } END { print n }' <<<"$out")"

# --- the table that renews itself ---

spawn "$PERF" sample-bpf --top -I 300 -e cpu-clock -F 999 -- "$WORKLOAD" shareloop 1000 >top.out
counting=$spawned_pid
has_three() {
	[ "$(grep -c '^# [0-9:]* *[0-9]* samples of cpu-clock' top.out)" -ge 3 ]
}
ok "--top prints a table each interval" wait_for 60 has_three
# of_tables: the samples of both functions in all tables, and percent of them that seven_parts() has
of_tables() {
	awk '/^ +[0-9.]+% +[0-9]+ +workload +workload +\[\.\] (seven|three)_parts/ { n[$NF] += $2 }
		END { both = n["seven_parts"] + n["three_parts"]; print both, (both ? n["seven_parts"] * 100 / both : 0) }' top.out
}
has_many() {
	read -r both seven < <(of_tables)
	[ "$both" -ge 800 ]
}
ok "in the end of many samples" wait_for 60 has_many
kill -INT "$counting"
wait "$counting"
is "$?" 130 "until it is interrupted"
out=$(<top.out)
ok "of the interval's shares" near "$seven" 70 4
unlike "$out" $'\033' "without a terminal it is plain"

mkfifo keys
exec 5<>keys
script -qefc "stty cols 80; '$PERF' sample-bpf --top -I 200 -a -e cpu-clock -F 99; echo status \$?" screen <&5 >/dev/null &
spawned+=($!) # spawn would take the terminal's keys away
has_tables() {
	[ -e screen ] && [ "$(grep -ac '(q ends)' screen)" -ge 2 ]
}
ok "on a terminal it goes on" wait_for 60 has_tables
echo -n q >&5
ok "until q is pressed" wait_for 60 grep -aq 'status 0' screen
exec 5>&-
like "$(tr -d '\r' <screen | awk 'length($0) <= 80')" '^ +[0-9.]+% +[0-9]+  .{12,}  \[[.k]\] [a-z_]{6}' "80 columns have room for functions"
ok "and each table takes the place of the one before" grep -qaF $'\033[H\033[J# ' screen

# --- all CPUs, running processes, exit codes ---

spawn taskset -c 0 "$WORKLOAD" shareloop 1000
target=$spawned_pid
run "$PERF" sample-bpf -a -e cpu-clock -F 999 -o a.data -- "${until_run[@]}" 50 "$target"
ok "-a" test "$(samples a.data pid | grep -cx "$target")" -gt 0
run "$PERF" sample-bpf -p "$target" -e cpu-clock -F 999 -o p.data -- "${until_run[@]}" 50 "$target"
is "$rc:$(samples p.data pid | sort -u)" "0:$target" "-p"
run "$PERF" sample-bpf -u root -C 0 -e cpu-clock -F 999 --key cpu --folded=samples -- "${until_run[@]}" 50 "$target"
is "$rc:$(awk '{ print $2 }' <<<"$out")" "0:0" "-u and -C"
run "$PERF" sample-bpf -q -e cpu-clock -o x.data -- sh -c 'exit 7'
is "$rc" 7 "the exit status is the command's"
rm x.data
spawn "$PERF" sample-bpf -q -a -e cpu-clock -F 99 -I 100 -o x.data
has_samples() {
	[ -e x.data ] && [ -n "$(samples x.data time)" ]
}
ok "without a command it goes on" wait_for 60 has_samples
kill -INT "$spawned_pid"
wait "$spawned_pid"
is $? 130 "or that of the signal"
ok "the file is complete then, too" test "$(total "$PERF" x.data)" -gt 0
ln -s "$PERF" perf-sample-bpf
run ./perf-sample-bpf -q -e cpu-clock -o l.data -- true
is "$rc" 0 "as a program of its own"

# --- nothing is lost without a word ---

# lost_in FILE: samples that it tells as lost
lost_in() {
	"$PERF" report --stats -i "$1" 2>/dev/null | awk '/^ +LOST_SAMPLES events:/ { n = $3 } END { print n + 0 }'
}

# Nobody fetches what comes through the ring while perf is stopped, and what is in the way is told.
# Copying byte by byte is all over the kernel: there are more addresses than room.
spawn dd if=/dev/zero of=/dev/null bs=1 status=none
"$PERF" sample-bpf -v -p "$spawned_pid" -e cpu-clock -F 4000 -I 100 --max-keys 1 --max-stacks 1 --key ip -o m.data 2>stopped.err &
stopped=$!
spawned+=("$stopped")
has_round() {
	[ -e m.data ] && [ -n "$(samples m.data time)" ]
}
wait_for 20 has_round
kill -STOP $stopped
"${until_run[@]}" 500 "$spawned_pid" # time for samples to be taken
kill -CONT $stopped
kill -INT $stopped
wait $stopped
is $? 130 "no room for keys, and none in the ring"
err=$(<stopped.err)
read -r samples keys <<<"$(counted)"
lost=$(sed -nE 's/^([0-9]+) samples? w[a-z]* not counted: there was no room.*\(--max-(keys|stacks).*/\1/p' <<<"$err" |
	awk '{ n += $1 } END { print n + 0 }')
ok "samples are lost" test "$lost" -gt 0
like "$err" ": $((samples + lost)) seen, 0 dropped, $samples counted" "their number is told"
is "$(lost_in m.data)" $((lost + $(untaken))) "and is in the file, with those that the kernel has not taken"
# The kernel takes none while the CPU is in bpf(2), for which it takes no heavy load.
# A slow machine throttles the clock. Then perf does not know what was skipped: try again.
for _ in {1..10}; do
	"$PERF" sample-bpf -v -e cpu-clock -F 4000 --max-keys 1 --max-stacks 1 --key ip -o m.data -- "$WORKLOAD" maploop 0.5 2>m.err
	err=$(<m.err)
	[ "$(untaken)" = 0 ] || break
done
like "$err" 'at least [1-9][0-9]* samples? .*not taken' "where there are many of these, too"
is "$(lost_in m.data)" $(($(sed -nE 's/^([0-9]+) samples? w[a-z]* not counted.*/\1/p' <<<"$err" | awk '{ n += $1 } END { print n + 0 }') + $(untaken))) \
	"all are in the file"
run "$PERF" sample-bpf -v -e cpu-clock -F 4000 --max-keys 1 --key pid,tid,ip -o m.data -- "$WORKLOAD" shareloop 0.3
read -r samples keys <<<"$(counted)"
unlike "$err" 'not counted' "with room in the ring nothing is lost"
is "$(total "$PERF" m.data)" "$samples" "as it goes there one by one"
# Of users only: an interrupt would put functions of the kernel behind the one that was interrupted.
run "$PERF" sample-bpf -e cpu-clock:u -F 999 --max-stack 1 --folded=samples -- "$WORKLOAD" shareloop 0.5
like "$out" '^workload;seven_parts [0-9]+$' "--max-stack"
# An address alone may be in functions that are inlined, in one another.
is "$(grep -E '^workload;(.*;)?(_start|__libc_start_[a-z_]*|main|_dl_start[a-z_]*);' <<<"$out")" "" "leaves callers out"

# So it is with records of maps and tasks, of which a ring of a page holds few.
cat >crowd.sh <<-'END'
	echo $PPID >recorder
	while [ ! -e gone ]; do sleep 0.01; done
	for ((i = 0; i < 200; i++)); do (echo) >/dev/null; done
	echo >through
	while [ ! -e enough ]; do (echo) >/dev/null; done
END
# crowded MORE COMMAND...: runs crowd.sh by COMMAND, which is stopped while 200 tasks begin and end, and fetches what more of them tell if
# MORE is yes; leaves $lost, the records that it tells as lost, and $err
crowded() {
	local more=$1 size
	shift
	rm -f lost.data gone through recorder enough
	[ "$more" = yes ] || touch enough
	"$@" -m 1 -o lost.data -- bash crowd.sh 2>stopped.err &
	stopped=$!
	spawned+=("$stopped")
	wait_for 20 test -s recorder || fail "the recording begins"
	kill -STOP "$(<recorder)"
	size=$(stat -c %s lost.data)
	touch gone
	wait_for 60 test -e through || fail "200 tasks begin and end"
	kill -CONT "$(<recorder)"
	wait_for 60 fetched "$size" || fail "the rest is fetched"
	touch enough
	wait $stopped
	err=$(<stopped.err)
	lost=$(sed -nE 's/^([0-9]+) records? of maps and tasks w[a-z]* lost because the ring buffers were full.*/\1/p' <<<"$err")
}
fetched() {
	[ -e enough ] || [ "$(stat -c %s lost.data)" -gt "$1" ]
}
# how many began and ended, by the file
in_lost() {
	"$PERF" report --stats -i lost.data 2>/dev/null | awk '$1 ~ /^(FORK|EXIT)$/ { n += $3 } END { print n + 0 }'
}
# The kernel's own record of a loss would come with the next that has room: of these there is none.
crowded no "$PERF" sample-bpf -e cpu-clock
ok "perf tells of all losses" test "${lost:-0}" -gt 0 -a $((${lost:-0} + $(in_lost))) -ge 400
crowded no "$PERF" record -e cpu-clock --filter 'pid != 1'
ok "by record, too, beside samples" test "${lost:-0}" -gt 0 -a $((${lost:-0} + $(in_lost))) -ge 400
counts ""
is $(($(samples lost.data tid | wc -l) + $(sed -nE 's/^([0-9]+) samples? w[a-z]* lost because.*/\1/p' <<<"$err"))) "$kept" "which are told by themselves"
crowded no "$PERF" record -e cpu-clock
unlike "$err" 'samples may lack names' "without a filter samples and records are one number"
# Before Linux 6.0 that record is all there is.
${CC:-cc} -shared -fPIC -O1 -o no-lost-count.so "$SOURCE/tests/cmd/no-lost-count.c" -ldl || exit 1
crowded yes preloaded "$PWD/no-lost-count.so" "$PERF" sample-bpf -e cpu-clock -I 100
ok "on an old kernel perf tells what the kernel says" test "${lost:-0}" -gt 0
is "$lost" "$("$PERF" script -i lost.data --show-lost-events -F comm 2>/dev/null | awk '/PERF_RECORD_LOST lost/ { n += $NF } END { print n + 0 }')" \
	"as many as in the file"

# --- what is refused ---

# refused WHAT TEXT OPTIONS...
refused() {
	local what=$1 text=$2
	shift 2
	rm -f perf.data
	run "$PERF" sample-bpf "$@" -- touch ran
	is "$rc" 129 "$what"
	like "$err" "$text" "$what: says so"
	ok "$what: runs and writes nothing" test ! -e ran -a ! -e perf.data
}
refused "a wrong key" "--key: 'nonsense' is not a term" --key pid,nonsense
like "$err" '--key also takes comm, pid, .*, sym' "all keys are named"
refused "an empty key" '--key takes a list of' --key pid,
run timeout 60 sh -c '"$@" | head -n 1' sh "$PERF" sample-bpf --top -I 50 -a -e cpu-clock
is "$rc" 0 "intervals of --top end with their reader"
ok "with one message at most" test "$(grep -c 'cannot write' <<<"$err")" -le 1
unlike "$err" 'Success' "and its cause"
refused "an interval of nothing" '-I takes' -I 0
refused "an interval that is no number" '-I takes' -I 1s
refused "too deep stacks" '--max-stack takes 1 to' --max-stack 128
refused "no keys" '--max-keys' --max-keys 0
refused "two outputs on the terminal" '--folded and --top' --folded --top
refused "a wrong filter" 'nonsense' -e cpu-clock --filter 'nonsense == 1'
"$PERF" sample-bpf -q -e cpu-clock -g -o - -- "$WORKLOAD" shareloop 0.5 2>/dev/null >pipe.data
ok "through a pipe" near "$(seven_of_ten "$PERF" - <pipe.data)" 70 4
refused "a table of what it cannot show" '--top has no column' --top --key uid
run "$PERF" sample-bpf --dry-run -- touch ran
ok "--dry-run does nothing" test "$rc" = 0 -a ! -e ran -a ! -e perf.data

chmod 777 .
run as_user "$PERF" sample-bpf -e cpu-clock -o u.data -- touch ran
is "$rc" 255 "without privilege nothing is counted"
ok "nor run" test ! -e ran

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tracepoints that BPF programs record: the same samples as the kernel's, of the same tasks, by any filter, and nothing for others.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

WRITE=syscalls:sys_enter_write
EXEC=sched:sched_process_exec

# writes COUNT SIZE: a dd that makes so many writes of that size, and 3 others of text. (Exported: bash -c knows it, but not behind sh.)
writes() {
	dd if=/dev/zero of=/dev/null count="$1" bs="$2" 2>/dev/null
}
export -f writes

# stock_lines FILE FIELDS: what the distribution's perf says of its samples. Where somebody else watches the same tracepoint, chains have the kernel's
# function that calls all of them.
stock_lines() {
	with_tracefs "$STOCK" script -i "$1" -F "$2" 2>/dev/null | sed '/ __traceiter_/d'
}

# by_stock ARGS...: record into stock.data with the distribution's perf. What 6.1 writes of maps may be damaged: then once more.
by_stock() {
	local try
	for try in 1 2 3 4 5; do
		stock_record -q -B -o stock.data "$@"
		if [ "$rc" = 0 ] && ! "$PERF" script -i stock.data 2>&1 >/dev/null | grep -q damaged; then
			return
		fi
		note "attempt $try of stock perf: status $rc"
	done
}

in_file() {
	samples "$1" event | wc -l
}

# --- the same as the kernel's own ---

fixed=(setarch -R dd if=/dev/zero of=/dev/null count=50 bs=1234 status=none)
run "$PERF" record -e "$WRITE" -e syscalls:sys_exit_write -e syscalls:sys_exit_close -o ours.data -- "${fixed[@]}"
is "$rc" 0 "three syscalls"
by_stock -e "$WRITE" -e syscalls:sys_exit_write -e syscalls:sys_exit_close -- "${fixed[@]}"
is "$(stock_lines ours.data comm,event,trace)" "$(stock_lines stock.data comm,event,trace)" "stock perf shows the fields that it has recorded itself"
is "$("$PERF" script -i ours.data -F comm,event,trace)" "$("$PERF" script -i stock.data -F comm,event,trace)" "this one, too"

# type, flags and preempt_count of the raw header
header() {
	with_tracefs "$STOCK" script -D -i "$1" 2>/dev/null | sed -nE 's/^\. +0030: +2c 00 00 00 (.. .. .. ..) .*/\1/p' | sort | uniq -c | sort -n | tail -n1
}
run "$PERF" record -e "$WRITE" -o ours.data -- "${fixed[@]}"
by_stock -e "$WRITE" -- "${fixed[@]}"
like "$(header stock.data)" '50 ' "the header that records mostly have"
is "$(header ours.data)" "$(header stock.data)" "is the same"

run "$PERF" record --call-graph fp -e "$WRITE" -o ours.data -- "${fixed[@]}"
by_stock -g -e "$WRITE" -- "${fixed[@]}"
ok "--call-graph fp: there are chains" test "$(stock_lines stock.data ip,sym | grep -c write)" -ge 50
is "$(stock_lines ours.data comm,ip,sym)" "$(stock_lines stock.data comm,ip,sym)" "--call-graph fp: chains are the same"
run "$PERF" record -g -e "$WRITE" -o ours.data -- "${fixed[@]}"
is "$(stock_lines ours.data comm,event)" "$(stock_lines stock.data comm,event)" "-g: the same hits"
ok "-g: with whole user stacks" test "$("$PERF" script -i ours.data -F ip,sym | grep -c __libc_start_main)" -ge 50

# --- the same tasks ---

# A command from its exec on, its children and what they exec; by counts and names of each syscall.
# shellcheck disable=SC2016 # for the inner shell
family=(sh -c '/bin/true; /bin/echo a | cat >/dev/null; (:)')
events=()
for name in execve openat read mmap close brk munmap exit_group clone wait4; do
	events+=(-e "syscalls:sys_enter_$name")
done
events+=(-e syscalls:sys_exit_execve -e syscalls:sys_exit_clone)
run "$PERF" record "${events[@]}" -o ours.data -- "${family[@]}"
is "$rc" 0 "twelve syscalls"
by_stock "${events[@]}" -- "${family[@]}"
sums() {
	stock_lines "$1" comm,event | sort | uniq -c
}
like "$(sums stock.data)" 'true +syscalls:sys_exit_execve' "a family of commands"
is "$(sums ours.data)" "$(sums stock.data)" "as many of each syscall, by the same names"

run "$PERF" record -e "$WRITE" --filter 'count == 100' -o f.data -- bash -c 'writes 10 100; writes 20 100 & writes 30 100; wait'
is "$rc:$(in_file f.data)" "0:60" "children of a command"
run "$PERF" record -i -e "$WRITE" --filter 'count == 100' -o f.data -- bash -c 'writes 10 100; printf "%0100d" 1 >/dev/null'
is "$rc:$(in_file f.data)" "0:1" "--no-inherit"

# A size of writes that nobody else's have
size=$((100000 + $$))
# Until each of the processes has written so often that one in a hundred is certain
# shellcheck disable=SC2016 # for the inner shell
written=(bash -c 'written() { sed -n "s/^syscw: //p" /proc/$1/io; }
	for pid; do from=$(written $pid); until [ $(($(written $pid) - from)) -gt 5000 ]; do :; done; done' bash)
spawn dd if=/dev/zero of=/dev/null bs=$size
mine=$spawned_pid
spawn dd if=/dev/zero of=/dev/null bs=$size
for target in "-p $mine" "-t $mine"; do
	# shellcheck disable=SC2086 # two words
	run "$PERF" record $target -e "$WRITE" --filter "count == $size && rand < 1%" -o p.data -- "${written[@]}" "$mine" "$spawned_pid"
	is "$rc:$(samples p.data pid,tid | sort -u)" "0:$mine/$mine" "$target: that one only"
done
taskset -cp 0 "$mine" >/dev/null
taskset -cp 0 "$spawned_pid" >/dev/null
run "$PERF" record -a -e "$WRITE" --filter "count == $size && rand < 1%" -o a.data -- "${written[@]}" "$mine" "$spawned_pid"
is "$rc:$(samples a.data pid | sort -n | uniq | xargs)" "0:$(printf '%s\n' "$mine" "$spawned_pid" | sort -n | xargs)" "-a: both"
is "$(samples a.data cpu | sort -u)" "[000]" "on the CPU where they are"
if [ "$(nproc)" -gt 1 ]; then
	run "$PERF" record -C 1 -e "$WRITE" --filter "count == $size" -o c.data -- sleep 0.2
	is "$rc:$(in_file c.data)" "0:0" "-C: not on another one"
	counts ""
	is "$kept" 0 "and not counted either"
else
	skip 2 "one CPU only"
fi
kill -KILL "$mine" "$spawned_pid"
wait "$mine" "$spawned_pid" 2>/dev/null

# --- filters ---

run "$PERF" record -e "$WRITE" --filter 'count == 1234 && comm == "dd"' -o f.data -- bash -c 'writes 500 1234; writes 200 1235; printf "%01234d" 1 >/dev/null'
is "$rc" 0 "fields and terms in one filter"
counts ""
is "$kept" 500 "what is kept"
is "$(samples f.data comm,event,trace | sort | uniq -c | sed 's/buf:0x[0-9a-f]*/buf/;s/  *//')" "$(printf '500 dd%s:fd:0x00000001,buf,count:0x000004d2' "$WRITE")" \
	"is in the file"
like "$("$PERF" report --stats -i f.data)" "LOST_SAMPLES \\(BPF\\) events: +$dropped\$" "and what is dropped is told there, too"
for test in '== "/etc/passwd"' '~ "/etc/pass*"' '~ "*tc/p?ss[a-z]d"' 'in {"/none","/etc/passwd"}'; do
	run "$PERF" record -e syscalls:sys_enter_openat --filter "filename $test && uid == 0" -o o.data -- cat /etc/passwd
	is "$rc:$(in_file o.data)" "0:1" "a text that a system call is given, and a term: $test"
done
run "$PERF" record -e syscalls:sys_enter_openat --filter 'filename != "/etc/passwd" && uid == 0' -o o.data -- cat /etc/passwd
counts ""
is "$dropped:$kept" "1:$(in_file o.data)" "any other text"
run "$PERF" record -e "$EXEC" --filter 'filename ~ "*/true" && uid == 0' -o e.data -- sh -c '/bin/true; /bin/echo; setpriv --reuid=65534 /bin/true'
is "$rc:$(samples e.data comm,event)" "0:true$EXEC:" "terms beside the fields of any tracepoint"
by_stock -g -e "$EXEC" --filter 'filename ~ "*/true"' -- sh -c '/bin/true; /bin/echo'
run "$PERF" record -g -e "$EXEC" --filter 'filename ~ "*/true" && uid == 0' -o e.data -- sh -c '/bin/true; /bin/echo'
chain() {
	stock_lines "$1" ip,sym | awk 'NF { print $2 }'
}
like "$(chain stock.data)" execve "-g: its chain in the kernel"
is "$(chain e.data)" "$(chain stock.data)" "-g: has no frames of BPF"

# --- nothing for others ---

# Each of the three follows the next one and what that runs. Stock perf is the last: what it writes about our program may be damaged.
run with_tracefs "$PERF" record -q -e "$WRITE" --filter 'count == 100 && comm == "dd"' -e "$EXEC" --filter 'pid == 1 && uid == 1' -o one.data -- \
	"$PERF" record -q -a -e "$WRITE" --filter "count == $size && comm == dd" -o two.data -- \
	"$STOCK" record -q -B -m 4M -e "$WRITE" -e "$EXEC" -o by.data -- \
	bash -c "$(declare -f writes); writes 300 100; writes 400 $size"
is "$rc" 0 "three recordings"
is "$(in_file one.data):$(in_file two.data)" "300:400" "two recordings, each with what it asked for"
# the writes, 3 more of each dd, and the exec of each program; script would stop where 6.1 has damaged the file
is "$("$STOCK" report --stats -i by.data 2>/dev/null | awk '/ SAMPLE events:/ { print $3; exit }')" $((700 + 6 + 3)) "stock perf beside them misses nothing"

# --- losses ---

run "$PERF" record -m 1 -e "$WRITE" -o l.data -- dd if=/dev/zero of=/dev/null count=100000 bs=1 status=none
is "$rc" 0 "a ring that is much too small"
lost=$(sed -nE 's/^.*(^|[^0-9])([0-9]+) samples? w[a-z]* lost.*/\2/p' <<<"$err")
ok "loses samples" test "${lost:-0}" -gt 0
is "$(($(in_file l.data) + ${lost:-0}))" 100000 "each of which is counted"
# Two turns of the writer find room in it; each waits until something of the last one has come to the file.
rm l.data
# shellcheck disable=SC2016 # for the inner shell
run "$PERF" record -e "$WRITE" -o l.data -- bash -c 'size() { stat -c %s l.data; }
	for i in 1 2 3 4 5 6 7 8; do from=$(size); dd if=/dev/zero of=/dev/null count=60000 bs=1 status=none; until [ "$(size)" -gt "$from" ]; do sleep 0.01; done; done'
is "$rc:$(samples l.data comm | grep -cx dd)" "0:480000" "the default one loses none, which is emptied in time"
unlike "$err" "lost" "and says nothing of it"

# --- who records ---

choice() {
	"$PERF" record --dry-run -v "$@" -- true 2>/dev/null
}
like "$(choice -e "$WRITE")" "engine: a BPF program on sys_enter, for syscall [0-9]+" "a syscall is recorded by BPF"
like "$(choice -e "$EXEC" --filter 'pid == 1')" "engine: the kernel's event filter: pid == 1" "the kernel's own filter, where it will do"
like "$(choice -e "$EXEC" --filter 'pid == 1 && uid == 1')" "engine: a BPF program on the tracepoint, 2 entries" "a program, where it will not"
like "$(choice -c 2 -e "$WRITE")" "not recorded by a BPF program: it is not asked for each hit" "what BPF does not do"
like "$(choice -e "$WRITE:u")" "not recorded by a BPF program: it has a modifier" "modifiers"
run "$PERF" record -v -e "$WRITE" -e cpu-clock -o v.data -- true
is "$("$PERF" evlist --trace-fields -i v.data)" "$WRITE: trace_fields: __syscall_nr,fd,buf,count
cpu-clock: (not a tracepoint)" "evlist --trace-fields names them"
is "$("$PERF" evlist --trace-fields -F -i v.data | head -1)" "$WRITE: sample_period=1, trace_fields: __syscall_nr,fd,buf,count" "after -F"
run "$PERF" record -v -e "$WRITE" -o v.data -- true
like "$err" "$WRITE: recorded by a BPF program" "-v tells of it"
no_bpf=(setpriv --inh-caps=-all "--bounding-set=-bpf,-sys_admin" --)
run with_tracefs "${no_bpf[@]}" "$PERF" record -v -e "$WRITE" --filter 'count == 99' -o v.data -- dd if=/dev/zero of=/dev/null count=9 bs=99
is "$rc:$(in_file v.data)" "0:9" "without the right to load programs the kernel records"
like "$err" "$WRITE: recorded by the kernel: BPF programs need CAP_BPF, which this process lacks" "-v says why"
like "$err" "^filter: 9 samples kept; the kernel's own filter judged, and it does not count what it drops$" "how many its filter kept"
run "$PERF" record -e "$WRITE" --filter 'count == 98 && uid >= 0' -e "$EXEC" --filter 'pid > 0' -o v.data -- dd if=/dev/zero of=/dev/null count=9 bs=98
like "$err" "^$WRITE: filter: [0-9]+ samples? seen, 9 kept, [0-9]+ dropped$" "beside an event that a program filters"
like "$err" "^$EXEC: filter: 1 sample kept; the kernel's own filter judged" "each with its name"
run with_tracefs "${no_bpf[@]}" "$PERF" record -e "$WRITE" --filter 'count == 99 && uid == 0' -o n.data -- touch ran
is "$rc" 129 "a filter that nobody can judge"
ok "nothing was run or written" test ! -e ran -a ! -e n.data

# --- negative numbers: of arguments, which have no sign in formats, and of fields that have one; --dry-run says what a recording says ---

LSEEK=syscalls:sys_enter_lseek OPENAT=syscalls:sys_enter_openat
# With an offset of -1 twice, of 2^32 - 1 once
seeks() {
	python3 -c 'import os
fd = os.open("/etc/passwd", os.O_RDONLY)
for offset in (-1, -1, -7, 5, 0xffffffff):
	try: os.lseek(fd, offset, os.SEEK_SET)
	except OSError: pass'
}
export -f seeks
# The offsets of those that are 5 or more, and negative ones, which is what no other lseek of python's has
offsets() {
	samples "$1" trace | sed -n 's/.*offset:0x0*\([5-9a-f]\|[0-9a-f]\{8,\}\),.*/\1/p' | sort | uniq -c | xargs
}
for judge in "" " && uid == 0"; do # the kernel's own filter, and a BPF program
	run "$PERF" record -e "$LSEEK" --filter "offset == -1$judge" -o n.data -- bash -c seeks
	is "$rc:$(offsets n.data)" "0:2 ffffffffffffffff" "offset == -1$judge"
	run "$PERF" record -e "$LSEEK" --filter "offset in {-7,5}$judge" -o n.data -- bash -c seeks
	is "$rc:$(offsets n.data)" "0:1 5 1 fffffffffffffff9" "offset in {-7,5}$judge"
	run "$PERF" record -e "$LSEEK" --filter "offset != -1 && offset in {-1,-7,5}$judge" -o n.data -- bash -c seeks
	is "$rc:$(offsets n.data)" "0:1 5 1 fffffffffffffff9" "offset != -1$judge"
	run "$PERF" record -e "$OPENAT" --filter "dfd == -100 && filename == /etc/passwd$judge" -o n.data -- cat /etc/passwd
	is "$rc:$(samples n.data event | wc -l)" "0:1" "dfd == -100$judge, which the register has without a sign"
	run "$PERF" record -e "$OPENAT" --filter "dfd != -100 && filename == /etc/passwd$judge" -o n.data -- cat /etc/passwd
	is "$rc:$(samples n.data event | wc -l)" "0:0" "dfd != -100$judge"
done
rm -f n.data
# says_the_same TEXT EVENT FILTER: refused as a wrong filter, in the same words, by --dry-run and by a recording
says_the_same() {
	run "$PERF" record -e "$2" --filter "$3" --dry-run
	local words=$err
	is "$rc" 129 "--dry-run refuses '$3'"
	like "$words" "$1" "says so"
	run "$PERF" record -e "$2" --filter "$3" -o n.data -- touch ran
	is "$rc:$err" "129:$words" "and a recording says the same"
}
says_the_same "'-1' has no place in the order of offset" "$LSEEK" 'offset > -1'
says_the_same "'-1' has no place in the order of offset" "$LSEEK" 'offset > -1 && uid == 0'
says_the_same "'-1' has no place in the order of offset" "$LSEEK" 'offset in -1..5'
says_the_same "which is from 0 to 18446744073709551615" "$LSEEK" 'offset == 18446744073709551616'
# The kernel would look at the lower bytes alone, and find 120.
says_the_same "which is from -2147483648 to 2147483647" sched:sched_switch 'prev_prio == 4294967416'
# What only the kernel knows it is asked for.
run "$PERF" record -e raw_syscalls:sys_enter --filter 'args == "x"' -o n.data -- touch ran
words=$err
is "$rc" 255 "what the kernel's filter refuses"
run "$PERF" record -e raw_syscalls:sys_enter --filter 'args == "x"' --dry-run
is "$rc:$err" "255:$words" "--dry-run asks it"
ok "nothing was run or written" test ! -e ran -a ! -e n.data

# --- what only the kernel does ---

for test in '== "/etc/passwd"' '~ "/etc/pass*"' 'in {"/none","/etc/passwd"}'; do
	run "$PERF" record -e "$OPENAT" --filter "filename $test" -o u.data -- cat /etc/passwd
	is "$rc:$(in_file u.data)" "0:1" "a text that a system call is given: $test"
done
run "$PERF" record -e "$OPENAT" --filter '__filename_val == "/etc/passwd" && uid == 0' -o u.data -- touch ran
is "$rc" 129 "what a record shows of it, beside terms"
run "$PERF" record -e sched:sched_stat_runtime --filter 'runtime > 0 && uid == 0' -o u.data -- touch ran
is "$rc" 129 "hits that weigh times, and a term"
like "$err" "BPF cannot record this event, as its hits weigh times" "and why"
run "$PERF" sample-bpf -e sched:sched_stat_runtime -o u.data -- touch ran
is "$rc" 129 "nor are they counted"
ok "nothing was run" test ! -e ran
run "$PERF" record -a -e sched:sched_stat_runtime --filter 'runtime > 0' -o u.data -- sleep 0.1
is "$(samples u.data period,trace | sed -n 's/^\([0-9]*\)comm=.*runtime=\([0-9]*\).*/\1 \2/p' | awk '$1 != $2 || !$1 { bad++ } END { print (NR > 0) + 0, bad + 0 }')" "1 0" \
	"the kernel weighs them by their times"

# --- killed ---

# programs: of that recording, by number; others have some, too
programs() {
	sed -n 's/^prog_id:\t//p' "/proc/$spawned_pid"/fdinfo/* 2>/dev/null | sort -u
}
attached() {
	programs=$(programs)
	[ "$(for program in $programs; do bpftool prog show id "$program"; done 2>/dev/null | grep -c 'name tp_record')" = 2 ]
}
no_program() {
	local program
	for program in $programs; do
		! bpftool prog show id "$program" >/dev/null 2>&1 || return 1
	done
}
spawn "$PERF" record -q -a -e "$WRITE" -e "$EXEC" --filter 'uid == 0' -o k.data
ok "programs are there while it is recorded" wait_for 10 attached
kill -KILL "$spawned_pid"
wait "$spawned_pid" 2>/dev/null
ok "perf was killed: nothing stays attached" wait_for 10 no_program
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf sample-bpf -e sys:name: each hit is counted, with the key and the stack that a recording of the same has.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

WRITE=syscalls:sys_enter_write
SWITCH=sched:sched_switch
EXEC=sched:sched_process_exec

# Each dd writes 3 times more than it is told to: what it says at the end.
run "$PERF" sample-bpf -e "$WRITE" -o s.data -- dd if=/dev/zero of=/dev/null count=100000 bs=64
is "$rc" 0 "counting a syscall"
is "$(counted)" "100003 $(samples s.data time | wc -l)" "every hit, and a record for each key"
is "$(total "$PERF" s.data)" 100003 "report shows them"
is "$("$STOCK" report --stdio -i s.data 2>/dev/null | sed -n 's/^# Event count (approx.): //p')" 100003 "stock perf, too"
is "$("$PERF" evlist -i s.data)" "$WRITE" "the event has its name"
unlike "$err" 'could not|lost|not looked at' "nothing is lost"

run "$PERF" sample-bpf -e "$WRITE" --filter 'count == 64' -o f.data -- dd if=/dev/zero of=/dev/null count=5000 bs=64
counts ""
is "$(counted | cut -d' ' -f1):$seen:$kept:$dropped" "5000:5003:5000:3" "a filter by a field"
run "$PERF" sample-bpf -e syscalls:sys_enter_openat --filter 'filename ~ "/etc/pass*"' --key comm -o f.data -- cat /etc/passwd /etc/passwd
is "$(counted)" "2 1" "by the text that a field points to"
size=$((100000 + $$)) # of nobody else's writes
run "$PERF" sample-bpf -e "$WRITE" --filter "count == $size && comm == 'dd' || comm == 'nobody'" -a --key comm -o f.data -- \
	sh -c "dd if=/dev/zero of=/dev/null count=300 bs=$size; dd if=/dev/zero of=/dev/null count=400 bs=200"
is "$(counted)" "300 1" "of all tasks, by a field and a term"
is "$(rows "$PERF" f.data comm | xargs)" "100.00 300 dd" "by the key that was asked for"

run "$PERF" sample-bpf -e "$WRITE" -e syscalls:sys_exit_write --key comm --both -o b.data -- dd if=/dev/zero of=/dev/null count=2000 bs=64
is "$rc" 0 "--both"
for event in "$WRITE" syscalls:sys_exit_write; do
	is "$(total "$PERF" b.data "$event (counted)")" 2003 "$event is counted"
	is "$(total "$PERF" b.data "$event")" 2003 "and written"
done
is "$(with_tracefs "$STOCK" script -i b.data -F event,trace 2>/dev/null | grep -c "$WRITE: fd: .*count: 0x00000040")" 2000 \
	"stock perf shows the fields of what was written"

# --- stacks ---

# chains PERF FILE [EVENT]: each function of each sample, callee first, a line for each sample
chains() {
	"$1" script -i "$2" -F event,ip,sym 2>/dev/null | awk -v event="${3-:}" '
		/:[^ ]*:? *$/ { on = index($0, event); line = ""; next }
		NF && on { line = line " " $2 }
		!NF && line { print line; line = "" }'
}
run "$PERF" sample-bpf -g -e "$WRITE" -e "$EXEC" -o g.data -- sh -c 'dd if=/dev/zero of=/dev/null count=50 status=none; /bin/true; exit 0'
run "$PERF" record -g -e "$WRITE" -e "$EXEC" -o r.data -- sh -c 'dd if=/dev/zero of=/dev/null count=50 status=none; /bin/true; exit 0'
# Where others use the tracepoint, too, recordings begin with what calls all of them.
is "$(chains "$PERF" g.data "$EXEC" | sort -u)" "$(chains "$PERF" r.data "$EXEC" | sed 's/^ __traceiter_[a-z_]*//' | sort -u)" \
	"stacks of the kernel are those of a recording"
is "$(chains "$PERF" g.data "$WRITE" | sort -u)" "$(chains "$PERF" r.data "$WRITE" | sort -u)" "stacks of users, too"
is "$(total "$PERF" g.data "$EXEC"):$(total "$PERF" r.data "$EXEC")" "3:3" "each exec"
run "$PERF" sample-bpf -a -e "$SWITCH" -o w.data -- "$WORKLOAD" sleepy
unlike "$err" 'stacks could not be read' "threads of the kernel lack no user stack"
unlike "$(chains "$PERF" w.data)" '^ (perf_trace|trace_|__traceiter|bpf_)' "no stack begins with BPF or the tracepoint"

# --- whom ---

run "$PERF" sample-bpf -e "$WRITE" --key cpu -C 0 -o c.data -- taskset -c 0 dd if=/dev/zero of=/dev/null count=700 bs=9 status=none
ok "one CPU" test "$(total "$PERF" c.data)" -ge 700
# shellcheck disable=SC2016 # for the inner shell
spawn sh -c 'until [ -e go ]; do sleep 0.05; done; for i in $(seq 500); do echo; done >/dev/null'
target=$spawned_pid
spawn "$PERF" sample-bpf -q -e "$WRITE" --filter 'count == 1' -p "$target" -o p.data
watcher=$spawned_pid
ok "a process that runs" wait_for 10 on_calls "$watcher" 1
touch go
wait "$watcher"
is "$?:$(total "$PERF" p.data)" 0:500 "is counted until its end, when the counting ends"

# --- outputs ---

run "$PERF" sample-bpf -e "$WRITE" --key comm --folded -- dd if=/dev/zero of=/dev/null count=900 bs=64
is "$out" "dd 903" "--folded"
run "$PERF" sample-bpf -e "$WRITE" --key comm -I 50 -o i.data -- sh -c 'for i in 1 2 3 4 5; do dd if=/dev/zero of=/dev/null count=400000 bs=1; done'
is "$(total "$PERF" i.data)" "$((5 * 400003))" "rounds add up"
ok "there are several" test "$(samples i.data time | wc -l)" -ge 3

# --- what cannot be ---

run "$PERF" sample-bpf -e "$WRITE" -c 10 -o n.data -- touch ran
is "$rc" 129 "not each hit"
like "$err" "$WRITE cannot be counted in the kernel: .*perf record" "says so, and what to do"
ok "nothing ran" test ! -e ran -a ! -e n.data

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# record --fields: data of the kernel in samples of tracepoints. The values are known by construction, the tracepoint's own fields stay what the
# kernel writes, and stock perf shows the same.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no type information"

# record EVENT FIELDS [OPTIONS...] -- COMMAND...: sets $rc, $err
record() {
	local event=$1 fields=$2
	shift 2
	run with_tracefs "$PERF" record -a -e "$event" --fields "$fields" -o r.data "$@"
}

# lines [FILE]: the samples' traces, without blanks before them
lines() {
	"$PERF" script -i "${1:-r.data}" -F trace 2>/dev/null | sed 's/^ *//'
}

# same_by_stock WHAT: stock perf shows the traces of r.data as this one
same_by_stock() {
	is "$("$STOCK" script -i r.data -F trace 2>/dev/null | sed 's/^ *//')" "$(lines)" "stock perf shows the same: $1"
}

make_datagrams

# --- packets: 28 bytes longer than what is sent ---

record net:netif_receive_skb 'skb->dev->name, skb->len,skb->protocol,skb->pkt_type' -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$rc" 0 "packets"
is "$(lines | grep -c ' dev_name=lo skb_len=1365 protocol=2048 pkt_type=0$')" 20 "a text, a number, one in the order of the network, bits"
is "$(lines | grep -c ' dev_name=lo skb_len=1366 protocol=2048 pkt_type=0$')" 10 "others have theirs"
# The tracepoint's own fields tell the device and the length, too.
is "$(lines | sed -nE 's/^dev=(\S+) .* len=([0-9]+) dev_name=(\S+) skb_len=([0-9]+) .*/\1 \2 \3 \4/p' | awk '$1 == $3 && $2 == $4' | wc -l)" "$(lines | wc -l)" \
	"they are those of the hit"
unlike "$(lines)" 'no value' "a number that is 0 is a value"
same_by_stock packets
out=$("$PERF" report -i r.data -s dev_name,skb_len -F sample,dev_name,skb_len --stdio 2>/dev/null)
like "$out" '^ +20 +lo +1365' "report by these fields"
out=$("$STOCK" report -i r.data -s dev_name,skb_len -n --stdio 2>/dev/null)
like "$out" '^ +[0-9.]+% +20 +lo +1365' "also of stock perf"
like "$("$PERF" report -i r.data -s trace --stdio 2>/dev/null)" 'dev_name=lo skb_len=1366 ' "and by the trace"

record net:netif_receive_skb 'skb->len,skb->mark' --filter 'skb->len == 1365 && skb->dev->name == "lo"' -g -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$rc:$(lines | sed 's/.* len=/len=/' | sort | uniq -c | sed 's/^ *//')" "0:20 len=1365 skb_len=1365 mark=0" "beside a filter"
like "$("$PERF" script -i r.data 2>/dev/null)" 'udp_sendmsg' "with stacks"
same_by_stock "with stacks"
record net:netif_receive_skb 'skb->len' --filter 'len == 1365 && comm == datagrams' -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$rc:$(lines | sed 's/.* len=/len=/' | sort | uniq -c | sed 's/^ *//')" "0:20 len=1365 skb_len=1365" "beside a filter of fields"
with_tracefs "$PERF" record -q -a -e net:netif_receive_skb --fields 'skb->len' -o - -- ./datagrams 20 1337 2>/dev/null >pipe.data
is "$(lines pipe.data | grep -c ' skb_len=1365$')" 20 "in a pipe"

# --- who comes first to the tracepoint decides which program sees the arguments first ---

cat >switches <<'EOF'
for ((i = 0; i < 50; i++)); do ./a-name-of-its-o; done
EOF
cp /bin/true ./a-name-of-its-o
# traces EVENT: of one of two events of r.data
traces() {
	"$PERF" script -i r.data -F event,trace 2>/dev/null | sed -nE "s/^ *$1: +//p"
}
name=prev_comm=a-name-of-its-o
run with_tracefs "$PERF" record -a -e sched:sched_switch/name=one/ --filter 'prev->comm == a-name-of-its-o' --fields 'prev->pid,prev->comm' \
	-e sched:sched_switch/name=two/ --filter 'prev->comm == a-name-of-its-o && prev_pid > 0' --fields 'prev->pid,prev->comm' -o r.data -- bash switches
is "$rc" 0 "two events of a tracepoint"
for event in one two; do
	ok "event $event has its samples" test "$(traces $event | wc -l)" -ge 50
	is "$(traces $event | sed -nE 's/^prev_comm=(\S+) prev_pid=([0-9]+) .* prev_pid_2=([0-9]+) prev_comm_2=(\S+)$/\1:\2 \4:\3/p' | awk '$1 == $2' | wc -l)" \
		"$(traces $event | wc -l)" "event $event: the values are those of the hit"
	is "$(traces $event | grep -vc "^$name ")" 0 "event $event: as filtered"
done
spawn "$PERF" record -q -a -e sched:sched_switch -o other.data -- sleep 1000
other=$spawned_pid
wait_for 10 test -s other.data
record sched:sched_switch 'prev->pid,next->comm' -- bash switches
out=$(lines)
ok "beside another perf" test "$rc" = 0 -a "$(grep -c "$name" <<<"$out")" -ge 50
is "$(sed -nE 's/.* prev_pid=([0-9]+) .* next_comm=(.*) next_pid=.* prev_pid_2=([0-9]+) next_comm_2=(.*)$/\1:\2=\3:\4/p' <<<"$out" |
	awk '{ half = (length($0) - 1) / 2; if (substr($0, 1, half) == substr($0, half + 2)) same++ } END { print same + 0 }')" "$(wc -l <<<"$out")" "of the same hit"
kill $other
wait $other 2>/dev/null

# --- what the kernel writes behind the fields, and the kernel's own event beside ours ---

cp /bin/true ./a-name-of-its-own
fields='bprm->file->f_path.dentry->d_name.name,bprm->argc,p->real_parent->comm'
# shellcheck disable=SC2016 # for the inner shell
run with_tracefs "$PERF" record -q -a -e sched:sched_process_exec -o kernel.data -- "$PERF" record -a -e sched:sched_process_exec --fields "$fields" -o r.data -- \
	bash -c 'printf known-parent >/proc/$BASHPID/comm; ./a-name-of-its-own one two; /bin/true; exit 0'
is "$rc" 0 "programs that are executed"
like "$(lines)" '^filename=\./a-name-of-its-own .* file_f_path_dentry_d_name_name=a-name-of-its-own argc=3 real_parent_comm=known-parent$' \
	"the file, its arguments, and the parent"
is "$(lines | sed 's/ file_f_path_.*//' | grep a-name)" "$(lines kernel.data | grep a-name)" "the tracepoint's own fields are those of the kernel's event"
same_by_stock programs

# --- no value, and values with a sign ---

record sched:sched_switch 'prev->mm->total_vm,next->mm->exe_file->f_path.dentry->d_name.name' -- bash switches
out=$(lines)
is "$(grep "$name" <<<"$out" | grep -Ec ' prev_state=[XZ] .* mm_total_vm=0 \(no value\) mm_exe')" 50 "tasks that end have no memory"
is "$(grep ' prev_pid=0 ' <<<"$out" | grep -vc ' mm_total_vm=0 (no value) ')" 0 "idle tasks have none"
like "$out" ' mm_total_vm=[1-9][0-9]* mm_exe_file_f_path_dentry_d_name_name=\(no value\)$' "a text without a value beside a number with one"
like "$out" " next_comm=a-name-of-its-o .*name=(a-name-of-its-o|bash)$" "and one with its text"
like "$err" '^[0-9]+ samples had no prev->mm->total_vm: NULL or a bad pointer was on the way$' "the summary has their number"
same_by_stock "without values"
missing=$("$PERF" report -i r.data -s no_value -F sample,no_value --stdio 2>/dev/null | awk '$2 == 1 || $2 == 3 { n += $1 } END { print n }')
is "$missing" "$(grep -c 'mm_total_vm=0 (no value)' <<<"$out")" "report by no_value"

record sched:sched_switch 'prev->tgid,prev->exit_signal,prev->flags' -- "$WORKLOAD" thloop 0.3
out=$(lines | sed -nE 's/.* prev_pid=([1-9][0-9]*) .* tgid=([0-9]+) exit_signal=(-?[0-9]+) .*/\1 \2 \3/p')
ok "threads: $(sort <<<"$out" | uniq -c | wc -l)" test "$(awk '$1 != $2' <<<"$out" | wc -l)" -gt 0
is "$(awk '$1 != $2 && $3 != -1' <<<"$out")" "" "a number below 0"
same_by_stock "a number with a sign"
# shellcheck disable=SC2016 # for the inner shell
run with_tracefs "$PERF" record -e syscalls:sys_enter_write --fields 'task->signal->oom_score_adj,current->real_parent->comm' -o r.data -- \
	bash -c 'echo 77 >/proc/self/oom_score_adj; printf known-parent >/proc/$BASHPID/comm; dd if=/dev/zero of=/dev/null bs=1234 count=50 2>/dev/null; exit 0'
is "$rc:$(lines | grep -c 'count: 0x000004d2 signal_oom_score_adj=77 real_parent_comm=known-parent$')" 0:50 "system calls"
same_by_stock "system calls"
run with_tracefs "$PERF" record -g -e syscalls:sys_enter_write --filter 'count == 1234' --fields 'task->comm' -o r.data -- dd if=/dev/zero of=/dev/null bs=1234 count=50
is "$rc:$(lines | grep -c 'count: 0x000004d2 task_comm=dd$')" 0:50 "with stacks"
run with_tracefs "$PERF" record -e syscalls:sys_exit_write --fields 'task->comm' -o r.data -- dd if=/dev/zero of=/dev/null bs=1234 count=50
is "$rc:$(lines | grep -c '^0x4d2 task_comm=dd$')" 0:50 "their returns"
run "$PERF" record -e "uprobe:$WORKLOAD:main" --fields 'task->comm,task->prio' -o r.data -- "$WORKLOAD" noploop 0.01
like "$rc:$(lines)" '^0:\(.*\).* task_comm=workload task_prio=120$' "functions"

# --- mistakes: one message ---

# mistake MESSAGE EVENT OPTIONS...
mistake() {
	local message=$1
	shift
	run with_tracefs "$PERF" record -o r.data -e "$@" -- true
	is "$rc" 129 "refused: $*"
	like "$err" "$message" "says why: $*"
}
rx=net:netif_receive_skb
mistake "^$rx: --fields: 'lenn' is no member of struct sk_buff; did you mean 'len'\?" $rx --fields 'skb->dev->name,skb->lenn'
is "$(sed -n 2,3p <<<"$err")" $'  skb->lenn\n       ^' "shows the place"
mistake "'sbk' is nothing to begin with here; there are: skb, task, current" $rx --fields 'sbk->len'
mistake "without a comparison" $rx --fields 'skb->len == 1'
mistake "'len' is a field of the tracepoint, which its samples have anyway: leave it out" $rx --fields len
mistake "'comm' is a term of filters" $rx --fields comm
mistake "One of its words is empty" $rx --fields 'skb->len,'
mistake "take a tracepoint" cpu-clock --fields 'task->pid'
mistake "recorded twice, and a file has one format for both: give both the same --fields" $rx --fields 'skb->len' -e $rx
mistake "cannot be recorded with --fields, as only BPF programs can: only the latest samples are to be kept" $rx --overwrite --fields 'skb->len'
mistake "adds at most 8 values" $rx --fields 'skb->len,skb->len,skb->len,skb->len,skb->len,skb->len,skb->len,skb->len,skb->len'
mistake "take more than 256 bytes" $rx --fields 'task->nsproxy->uts_ns->name.nodename,task->nsproxy->uts_ns->name.release,task->nsproxy->uts_ns->name.version,task->nsproxy->uts_ns->name.machine,skb->len'
run "$PERF" record --fields 'skb->len' -e $rx -- true
like "$rc:$err" '^129:--fields stands before -e: put it behind the -e of its tracepoint' "before its event"
run with_tracefs setpriv --bounding-set=-all --inh-caps=-all "$PERF" record -o r.data -e $rx --fields 'skb->len' -- true
ok "without the right to read the kernel's memory" test "$rc" != 0
like "$err" 'cannot be recorded with --fields, as only BPF programs can: BPF programs need CAP_BPF' "says which right is missing"
done_testing

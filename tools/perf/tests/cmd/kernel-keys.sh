#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf sample-bpf counts by fields, terms and the kernel's own data, and sums them up: each count is known by construction.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no type information"

# folded OPTION... : sets $out to the lines, sorted, without those of other tasks
folded() {
	run with_tracefs "$PERF" sample-bpf -a "$@"
	out=$(sort <<<"$out")
}

make_datagrams
ours='comm == datagrams && skb->len > 1000'

# --- numbers and texts, fields and walks ---

folded -e net:net_dev_queue --filter "$ours" --key 'skb->len' --folded=samples -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$rc:$out" $'0:1379 20\n1380 10' "a number"
folded -e net:net_dev_queue --filter "$ours" --key 'skb->dev->name,len,comm' --folded=samples -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$out" $'lo;1379;datagrams 20\nlo;1380;datagrams 10' "a text, a field, and the command"
folded -e net:net_dev_queue --filter "$ours" --key name --folded=samples -- ./datagrams 20 1337
is "$out" 'lo 20' "a text of the record"
folded -e net:net_dev_queue --filter "$ours" --key 'skb->protocol,((struct net_device *)skb->dev)->ifindex,uid' --folded=samples -- ./datagrams 5 1337
is "$out" '0;2048;1 5' "in the order of the host, by a cast, and the user"
folded -e net:net_dev_queue --filter "$ours" --key 'skb->dev->name,kstack' --folded=samples -- ./datagrams 5 1337
like "$out" '^lo;.*udp_sendmsg.*;__dev_queue_xmit[^;]* 5$' "with stacks"

# The kernel's own copy of the hit must be the one that is counted, whoever came first to the tracepoint.
spawn "$PERF" record -q -a -e net:net_dev_queue -o other.data -- sleep 1000
other=$spawned_pid
wait_for 10 test -s other.data
folded -e net:net_dev_queue --filter "$ours" --key 'skb->len,len' --folded=samples -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$out" $'1379;1379 20\n1380;1380 10' "beside another perf"
kill $other
wait $other 2>/dev/null

# --- functions, names of values ---

if grep -q 'enum skb_drop_reason reason' <(with_tracefs cat /sys/kernel/tracing/events/skb/kfree_skb/format); then
	folded -e skb:kfree_skb --filter 'comm == datagrams && skb->dev->ifindex == 1' --key 'location,reason,skb->dev->name' --folded=samples -- ./datagrams 20 1337
	like "$out" '^__udp4_lib_rcv\+0x[0-9a-f]+;SKB_DROP_REASON_NO_SOCKET;lo 20$' "drops by place, reason and device"
else
	skip 1 "this kernel tells no reasons"
fi

# --- sums and histograms ---

folded -e net:net_dev_queue --filter "$ours" --key 'skb->dev->name' --sum 'skb->len' --folded -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$rc:$out" "0:lo $((20 * 1379 + 10 * 1380))" "--sum"
folded -e net:net_dev_queue --filter "$ours" --key 'comm' --sum len --folded -- ./datagrams 3 1337
is "$out" "datagrams $((3 * 1379))" "--sum of a field"
run with_tracefs "$PERF" sample-bpf -a -e net:net_dev_queue --filter "$ours" --hist 'skb->len' --key 'skb->dev->name' -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
like "$out" "skb->dev->name lo *30 values, total $((20 * 1379 + 10 * 1380)), min 1379, max 1380" "--hist, with a key"
run with_tracefs "$PERF" sample-bpf -a -e net:net_dev_queue --filter "$ours" --hist 'skb->len:linear,4' --json -- ./datagrams 7 1337
like "$out" '"low":1376,"high":1379,"count":7' "--hist in JSON, linear"

# --- all kinds of events ---

# shellcheck disable=SC2016 # for the inner shell
run "$PERF" sample-bpf -e cpu-clock -F 999 --key 'task->comm,task->signal->oom_score_adj' --folded=samples -- bash -c 'echo 77 >/proc/self/oom_score_adj; exec -a noploop "$WORKLOAD" noploop 0.2'
like "$out" ';77 [0-9]{2,}' "a clock"
# shellcheck disable=SC2016 # for the inner shell
run with_tracefs "$PERF" sample-bpf -e syscalls:sys_enter_openat --key 'filename,task->real_parent->comm' --folded=samples -- \
	bash -c 'printf known-parent >/proc/$BASHPID/comm; cat /dev/null /dev/null; cat /dev/null; exit 0'
is "$(grep -c '^/dev/null;known-parent 3$' <<<"$out")" 1 "system calls: a text in the memory of the task"

# --- no value: a key of its own, and counted ---

run with_tracefs "$PERF" sample-bpf -a -e sched:sched_switch --key 'next->mm->owner->comm' --folded=samples -- sleep 0.1
like "$out" '\(no value\) [0-9]' "threads without memory have a row"
nr=$(sed -n 's/^(no value) //p' <<<"$out")
like "$err" "$nr samples had no next->mm->owner->comm" "and are told"

run with_tracefs "$PERF" sample-bpf -a -e sched:sched_switch --hist 'next->mm->total_vm' --json -- sleep 0.1
like "$out" '"no_value":\[\{"walk":"next->mm->total_vm","hits":[1-9][0-9]*\}\]' "and are in JSON"

# --- a file: every perf shows the keys ---

run with_tracefs "$PERF" sample-bpf -a -e net:net_dev_queue --filter "$ours" --key 'skb->dev->name,skb->len,comm' -o k.data -- sh -c './datagrams 20 1337; ./datagrams 10 1338'
for perf in "$PERF" ${STOCK:+"$STOCK"}; do
	run "$perf" script -i k.data
	like "$out" 'net:net_dev_queue: dev_name=lo len=1379' "script of $perf"
	run "$perf" report -i k.data --stdio --no-children -s len,dev_name
	like "$out" '66.6[67]% *1379 *lo' "report -s of $perf"
	like "$out" '33.3[34]% *1380 *lo' "all rows of it"
done

run "$PERF" report -i k.data --stdio
like "$out" '66.6[67]% *datagrams *dev_name=lo len=1379' "report sorts by the keys by itself"
like "$out" '33.3[34]% *datagrams *dev_name=lo len=1380' "all rows of it"

# A text with blanks is one value, and others that begin alike are others.
cat >blanks <<'EOS'
#!/bin/bash
for name in "two words" "two words" "two words" "two worlds"; do
	printf "%s" "$name" >/proc/$BASHPID/comm
	: </nosuch/blanks
done 2>/dev/null
true
EOS
chmod +x blanks
run with_tracefs "$PERF" sample-bpf -e syscalls:sys_enter_openat --filter 'filename == "/nosuch/blanks"' --key 'task->comm,filename' -o b.data -- ./blanks
run "$PERF" script -i b.data -F trace
field=$(sed -n 's/^ *\([a-z_]*\)=two words .*/\1/p' <<<"$out" | head -n 1)
run "$PERF" report -i b.data --stdio -s "$field"
like "$out" '75.00% *two words *$' "a text with a blank"
like "$out" '25.00% *two worlds *$' "and another one that begins alike"

run "$PERF" sample-bpf -a -e cpu-clock --key 'task->comm,ustack' --call-graph bpf -o m.data -- touch started
is "$rc" 255 "a walk beside whole stacks is refused"
like "$err" "--key: 'task->comm' cannot be counted here" "and why"
ok "nothing was started" test ! -e started

# A number below 0 is no address; a pointer to characters is a text; and two values have two names in the file.
folded -e syscalls:sys_exit_openat --filter 'ret < 0' --key ret --folded=samples -- cat /nosuch/file
like "$out" '^-2 [0-9]+$' "a result below 0"
folded -e sched:sched_switch --filter 'prev->mm->exe_file->f_path.dentry->d_name.name ~ "*"' --key 'prev->mm->exe_file->f_path.dentry->d_name.name' \
	--folded=samples -- bash -c 'for i in 1 2 3; do /bin/sleep 0.01; done'
like "$out" '^sleep [0-9]+$' "the name of a file"
run with_tracefs "$PERF" sample-bpf -a -e sched:sched_switch --key 'prev->tgid,next->tgid,prev->comm' -o two.data -- sleep 0.1
run "$PERF" script -i two.data -F trace
like "$out" '^ *tgid=[0-9]+ next_tgid=[0-9]+ prev_comm=' "values that end in the same member"

folded -e net:net_dev_queue --filter "$ours" --key 'len, comm' --folded=samples -- ./datagrams 5 1337
is "$rc:$out" "0:1379;datagrams 5" "blanks behind a comma"

run "$PERF" sample-bpf -a -e sched:sched_switch --hist 'prev->comm' -- true
like "$err" "'prev->comm' is no number here: it is a text" "a text has no buckets"

# --- mistakes: one message, before anything runs ---

# mistake EVENT MESSAGE OPTION...
mistake() {
	local event=$1 message=$2
	shift 2
	run with_tracefs "$PERF" sample-bpf -a -e "$event" "$@" -o m.data -- touch started
	is "$rc" 129 "$*: is refused"
	like "$err" "$message" "$*: says why"
	ok "nothing was started" test ! -e started -a ! -e m.data
}
mistake net:net_dev_queue "'lenn' is no member of struct sk_buff; did you mean 'len'\?" --key 'skb->lenn'
mistake net:net_dev_queue "'lenn' is neither a field of this tracepoint nor a term; did you mean 'len'\?" --key lenn
mistake cpu-clock "'skb' is nothing to begin with here" --key 'skb->len'
mistake net:net_dev_queue "is no number here: it is a text" --sum 'skb->dev->name'
mistake net:net_dev_queue "without a comparison" --key 'skb->len > 5'
mistake net:net_dev_queue "one of its words is empty" --key 'len,,name'
mistake net:net_dev_queue "at most 8" --key len,len,len,len,len,len,len,len,len
mistake net:net_dev_queue "more than 256 bytes" --key 'skb->dev->ifalias->ifalias,name,name,name,name'
mistake net:net_dev_queue "room for 8 walks" --key 'skb->len,skb->mark,skb->hash' --filter 'skb->dev->ifindex > 0 && skb->dev->mtu > 0 && skb->data_len > 0 && skb->truesize > 0 && task->pid > 0 && task->tgid > 0'
mistake off-cpu "are for tracepoints and for events of the kernel" --key 'task->comm'
mistake net:net_dev_queue "--top and --push do not show" --key len --top
mistake net:net_dev_queue "--sum goes neither" --sum len --hist len
done_testing

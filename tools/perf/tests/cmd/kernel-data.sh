#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Filters of the kernel's own data (skb->dev->name): what they keep is what is known by construction, whoever came first to the tracepoint.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no type information"

# record EVENT FILTER COMMAND...: sets $rc, $err, $seen, $kept, $dropped
record() {
	local event=$1 filter=$2
	shift 2
	run with_tracefs "$PERF" record -a -e "$event" --filter "$filter" -o r.data -- "$@"
	counts ""
}

# lines: the samples of r.data
lines() {
	with_tracefs "$PERF" script -i r.data 2>/dev/null
}

# --- packets: each of a length that no others have ---

make_datagrams
record net:netif_receive_skb 'skb->dev->name == "lo" && skb->len == 1365' sh -c './datagrams 20 1337; ./datagrams 10 1338'
is "$rc:$kept" 0:20 "the device and the length of packets"
is "$(lines | grep -c 'len=1365$')" 20 "these are the samples"
record net:netif_receive_skb 'skb->len in {1365..1366} && skb->dev->name != "lo"' ./datagrams 20 1337
is "$rc:$kept" 0:0 "none of another device"
record net:netif_receive_skb 'skb->len == 1365 && skb->protocol == 0x800 && skb->pkt_type == 0' ./datagrams 20 1337
is "$rc:$kept" 0:20 "a number in the order of the network, and a bit field"
record net:netif_receive_skb 'skb->len == 1365 && (skb->protocol != 0x800 || skb->pkt_type > 0)' ./datagrams 20 1337
is "$rc:$kept" 0:0 "their negation"
record net:netif_receive_skb 'len == 1365 && ((struct net_device *)skb->dev)->ifindex == 1' ./datagrams 20 1337
is "$rc:$kept" 0:20 "beside a field, and by a cast"

# --- programs and their files ---

cp /bin/true ./a-name-of-its-own
record sched:sched_process_exec 'bprm->filename == "./a-name-of-its-own"' bash -c './a-name-of-its-own; /bin/true; ./a-name-of-its-own'
is "$rc:$kept" 0:2 "a pointer to a text"
record sched:sched_process_exec 'bprm->file->f_path.dentry->d_name.name ~ "a-name-*-own"' bash -c './a-name-of-its-own; /bin/true; ./a-name-of-its-own'
is "$rc:$kept" 0:2 "a text behind four pointers, by a pattern"
# shellcheck disable=SC2016 # for the inner shell
record sched:sched_process_exec 'p->real_parent->comm == known-parent && task->pid > 0' bash -c 'printf known-parent >/proc/$BASHPID/comm; /bin/true; /bin/true; exit 0'
is "$rc:$kept" 0:2 "the parent's name, and the current task"

# --- numbers that the tracepoint shows, too: two events of one recording, of which the second has come later ---

spawn "$WORKLOAD" noploop 1000
busy=$spawned_pid
# twice FILTER OTHER: the recording's two counts of samples, while both events are on
twice() {
	# shellcheck disable=SC2016 # for the inner shell
	run with_tracefs "$PERF" record -a -e sched:sched_switch --filter "$1" -e sched:sched_switch --filter "$2" -o r.data -- \
		bash -c 'for ((i = 0; i < 50; i++)); do ./a-name-of-its-o; done'
	sed -nE 's/.*filter: ([0-9]+) samples.* ([0-9]+) kept.*/\2/p' <<<"$err" | tr '\n' ' '
}
cp /bin/true ./a-name-of-its-o
by_field='prev_comm == a-name-of-its-o && prev_pid > 0 && rand <= 100%' # the kernel's own filter has no chance
by_walk='prev->comm == a-name-of-its-o'
both=$(twice "$by_walk" "$by_field")
ok "prev->comm is prev_comm, raw first: $both" test "${both%% *}" -ge 50 -a "${both% }" = "${both%% *} ${both%% *}"
both=$(twice "$by_field" "$by_walk && prev->pid > 0")
ok "prev->comm is prev_comm, raw last: $both" test "${both%% *}" -ge 50 -a "${both% }" = "${both%% *} ${both%% *}"
both=$(twice "$by_walk" "$by_walk && prev->prio >= 0")
ok "two filters of arguments: $both" test "${both%% *}" -ge 50 -a "${both% }" = "${both%% *} ${both%% *}"

# another perf has the tracepoint open, and the hits' samples are those that are asked for
spawn "$PERF" record -q -a -e sched:sched_switch -o other.data -- sleep 1000
other=$spawned_pid
wait_for 10 test -s other.data
record sched:sched_switch "prev->pid == $busy" sleep 0.3
is "$(lines | grep -vc "prev_pid=$busy ")" 0 "beside another perf: none of another hit"
ok "it has samples" test "$rc" = 0 -a "$kept" -gt 0
unlike "$err" 'could not be judged' "each hit is judged"
run with_tracefs "$PERF" record -g -a -e sched:sched_switch --filter "prev->pid == $busy" -o r.data -- sleep 0.2
like "$(lines)" '__schedule' "with stacks"
run with_tracefs "$PERF" sample-bpf -a -e sched:sched_switch --filter "prev->pid == $busy" --key pid --folded -o - -- sleep 0.2
kill $other
wait $other 2>/dev/null

# --- the current task, with every event ---

# shellcheck disable=SC2016 # for the inner shell
run "$PERF" record -e cpu-clock -F 999 --filter 'task->comm == noploop && task->mm->total_vm > 0 && task->signal->oom_score_adj == 77' -o r.data -- \
	bash -c 'echo 77 >/proc/self/oom_score_adj; exec -a noploop "$WORKLOAD" noploop 0.3'
counts ""
is "$rc" 0 "a clock"
run "$PERF" record -e page-faults -c 1 --filter 'task->signal->oom_score_adj == 77' -o r.data -- bash -c '/bin/true; echo 77 >/proc/self/oom_score_adj; /bin/true; exit 0'
counts ""
ok "page faults after the change only" test "$rc" = 0 -a "$kept" -gt 0 -a "$dropped" -gt 0
run with_tracefs "$PERF" record -e syscalls:sys_enter_write --filter 'task->real_parent->pid > 0 && count == 1234' -o r.data -- dd if=/dev/zero of=/dev/null bs=1234 count=50
counts ""
is "$rc:$kept" 0:50 "system calls"

# --- no value ---

record sched:sched_switch 'prev->mm->total_vm != 0' sleep 0.2
like "$err" '[0-9]+ samples had no prev->mm->total_vm: NULL or a bad pointer was on the way' "tasks without memory are told"
record sched:sched_switch '((struct task_struct *)prev->start_time)->pid != 0 || ((struct task_struct *)prev->start_time)->comm !~ "*"' sleep 0.2
is "$rc:$kept" 0:0 "a number that is no address: there is no value, and each test is false"
like "$err" "samples had no \(\(struct task_struct \*\)prev->start_time\)->pid" "perf reports that, too"

# --- mistakes: one message with the place ---

# mistake EVENT FILTER PART MESSAGE: PART is what the caret stands under
mistake() {
	local before=${2%%"$3"*}
	run with_tracefs "$PERF" record --dry-run -e "$1" --filter "$2"
	is "$rc" 129 "$2: is refused"
	like "$err" "$4" "$2: says why"
	is "$(sed -n '3s/\^.*//p' <<<"$err" | wc -c)" "$((${#before} + 3))" "$2: shows the place"
}
mistake net:netif_receive_skb 'skb->lenn == 1' 'lenn' "'lenn' is no member of struct sk_buff; did you mean 'len'\?"
mistake net:netif_receive_skb 'cpu == 0 && skb->dev.name == lo' '.name' "'\.' follows struct net_device \*, which is a pointer: write '->'"
mistake net:netif_receive_skb 'skb->dev == lo' 'lo' "skb->dev takes a number"
mistake net:netif_receive_skb 'skb->len == 1 && sbk->len == 1' 'sbk' "'sbk' is nothing to begin with here; there are: skb, task, current"
mistake net:netif_receive_skb 'skb->cb < 1' '< 1' "'<' cannot be used with skb->cb"
mistake sched:sched_switch 'prev->se == 1' 'prev->se' "is struct sched_entity, which is no number: name a member of it"
mistake cpu-clock 'task->pidd == 1' 'pidd' "did you mean 'pid'\?"
mistake cpu-clock 'prev->pid == 1' 'prev' "there are: task, current"
mistake cpu-clock 'task->pid == lo' 'lo' "task->pid takes a number"
mistake cpu-clock 'task->comm == "a-name-of-17-bytes"' '"a-name' "can never match"
run with_tracefs "$PERF" stat -a -e sched:sched_switch --filter 'prev->pid == 1' -- true
is "$rc" 129 "perf stat refuses it"

# --- perf list ---

run with_tracefs "$PERF" list -d net:netif_receive_skb
like "$out" $'\n *\\[arguments: struct sk_buff \\*skb\\]' "perf list -d shows the arguments of a tracepoint"
run "$PERF" list -d 'struct sk_buff'
like "$out" $'dev  *\\[Member of struct sk_buff\\]\n *\\[struct net_device \\* at \\+[0-9]+\\]' "and the members of a structure"
like "$out" $'pkt_type .*\n *\\[u8|__u8, 3 bits at' "also in unnamed ones, and bit fields"
run "$PERF" list 'struct sk_buf'
is "$rc" 255 "a structure that does not exist"
like "$err" "'struct sk_buf' is no type of this kernel; did you mean 'sk_buff'\?" "is named, with one that does"

# Who may not read the kernel's memory does not get it by a filter.
run as_user "$PERF" record -e cpu-clock:u --filter 'task->pid == 1' -o /dev/null -- true
like "$err" "'task->pid' is data of the kernel, which programs that are pinned for users do not read" "users are refused"
done_testing

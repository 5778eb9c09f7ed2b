#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every term of util/bpf_skel/filter-terms.h, true and false, wherever a filter is taken: it is judged right, or refused. A term that a program cannot
# read is 0 there, so values that are true here are not 0 where the term has another one.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# The target: a task with a user, group, nice value, parent and CPU of its own. It does something for each event once "go" has a line.
chmod 755 "$WORK"
mkfifo -m 666 go
echo text >text && chmod 644 text
cat >target <<'EOF2'
read -r _ <go
exec {never}<>go
for i in {1..10}; do
	read -r x <text
	printf -v x '%100000s' ''
	read -rt 0.001 -u "$never"
done
EOF2
cpu=$(($(nproc) - 1))
start_target() {
	spawn nice -n 5 setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all taskset -c $cpu bash target
	target=$spawned_pid
	wait_for 60 grep -qx bash "/proc/$target/comm"
}
# shellcheck disable=SC2016 # for the inner shell
goes=(sh -c 'echo >go; until grep -qs "^State:.[ZX]" "/proc/$0/status" || ! [ -e "/proc/$0/status" ]; do sleep 0.01; done')

start_target
cgroup=$(sed -n 's/^0:://p' "/proc/$target/cgroup")
declare -A right wrong
while IFS=';' read -r term yes no; do
	right[$term]=$yes wrong[$term]=$no
done <<EOF2
ip;ip > 4096;ip < 4096
id;id > 0;id == 0
tid;tid > 1;tid < 2
pid;pid > 1;pid < 2
ppid;ppid == $$;ppid != $$
cpu;cpu == $cpu;cpu != $cpu
time;time > 1;time < 1
addr;addr != 1;addr == 1
period;period > 0;period == 0
uid;uid == 65534;uid != 65534
gid;gid == 65534;gid != 65534
comm;comm == bash;comm != bash
cgroup;cgroup == "$cgroup";cgroup != "$cgroup"
mode;(mode == user || mode == kernel);(mode != user && mode != kernel)
prio;prio == 125;prio != 125
nice;nice == 5;nice != 5
idle;!idle;idle
sym;sym != schedule;sym == schedule
dso;dso ~ "*s*";dso !~ "*s*"
rand;rand < 100%;rand < 0%
every;every 1;!every 1
phys_addr;phys_addr != 1;phys_addr == 1
txn;txn == 0;txn != 0
weight;weight == 0;weight != 0
weight2;weight2 == 0;weight2 != 0
weight3;weight3 == 0;weight3 != 0
code_pgsz;code_pgsz != 1;code_pgsz == 1
data_pgsz;data_pgsz != 1;data_pgsz == 1
mem_op;mem_op == na;mem_op != na
mem_lvl;mem_lvl != l1;mem_lvl == l1
mem_snoop;mem_snoop == na;mem_snoop != na
mem_remote;mem_remote != remote;mem_remote == remote
mem_lock;mem_lock == na;mem_lock != na
mem_dtlb;mem_dtlb == na;mem_dtlb != na
mem_blk;mem_blk != by_addr;mem_blk == by_addr
mem_hops;mem_hops != hops0;mem_hops == hops0
EOF2
# terms_where CONDITION: those whose field meets it, by awk's $2 to $5: group, before 6.3, tracepoint, off-CPU time
expand() {
	printf '#define SB(bit) bit\n#include "util/bpf_skel/filter-terms.h"\n#define ROW%s\n%s(ROW)\n' "$2" "$1" |
		(cd "$SOURCE" && ${CC:-gcc} -E -P -I. -x c -) | sed 's/;;/\n/g' | tr -d '" ,' | grep .
}
fields=$(for list in FIELDS TESTS; do expand FILTER_$list '(n, s, b, g, group, old, tp, off) n:group:old:tp:off;;'; done)
terms=$(expand FILTER_TERMS '(n, k, o, f, ...) n:f;;')
terms_where() {
	awk -F : "NR == FNR { has[\$1] = $1; next } has[\$2] { print \$1 }" <(printf '%s\n' "$fields") <(printf '%s\n' "$terms")
}
for term in $(terms_where 1); do
	ok "$term has values here" test -n "${right[$term]-}"
done

# judge FILTER: run "${command[@]}" with the filter in place of @, and the target in place of @T. Sets kept (-1: no number) and dropped (0: no number)
judge() {
	local filter=$1 args=("${command[@]}")
	args=("${args[@]//@T/$target}")
	run "${args[@]//@/"$filter"}"
	[ "$rc" = 0 ] || return
	dropped=$(grep -oE '[0-9]+ dropped' <<<"$err$out" | awk '{ n += $1 } END { print n + 0 }')
	kept=$(take_kept)
}
# take_kept: the number that $err, $out or a file tells; engines replace it
take_filter() { sed -nE 's/^(.*: )?filter: [0-9]+ samples? seen, ([0-9]+) kept,.*/\2/p' <<<"$err" | awk '{ n += $1 } END { print NR ? n : -1 }'; }
take_file() { "$PERF" script -i file.data -F event 2>/dev/null | grep -c .; }
take_stat() { awk -F , '/page-faults|task-clock/ { n += $1; rows++ } END { print rows == 2 ? int(n) : -1 }' stat.csv; }
take_rows() { sed -nE "$1" <<<"$out"$'\n'"$err" | awk '{ n += $1 } END { print n + 0 }'; }

# tries TERMS: of these, all true (right) or one of them true (wrong): accepted ones in $accepted, refused ones in $refused
tries() {
	local which=$1 filter word join
	shift
	accepted=$* refused=
	while [ -n "$accepted" ]; do
		filter='' join=' || '
		[ "$which" = wrong ] || join=' && '
		for word in $accepted; do
			if [ "$which" = right ]; then filter+=${filter:+$join}${right[$word]}; else filter+=${filter:+$join}${wrong[$word]}; fi
		done
		kept=-1 dropped=0
		[ -e "/proc/$target" ] && ! grep -qs '^State:.[ZX]' "/proc/$target/status" || start_target
		judge "$filter"
		[ "$rc" != 0 ] || return 0
		case $err in
		*"symbols cannot be looked up here"*) err="'sym'" ;;
		*"files cannot be looked up here"*) err="'dso'" ;;
		esac
		word=$(grep -oE "'!?\(?[a-z_0-9]+" <<<"$err" | tr -d "'!(" | grep -wm 1 "$(tr -s ' ' '\n' <<<"$accepted" | grep .)") || return 1
		accepted=$(tr ' ' '\n' <<<"$accepted" | grep -vx "$word" | tr '\n' ' ') refused+=" $word"
	done
}

sorted() { tr ' ' '\n' <<<"$*" | grep . | sort | tr '\n' ' '; }

# engine NAME WANTED EXACT COMMAND...: WANTED are the terms of $tried that it must take; exact: a true filter drops nothing
engine() {
	local name=$1 wanted=$2 exact=$3 which
	shift 3
	command=("$@")
	for which in right wrong; do
		# shellcheck disable=SC2086 # several words
		tries $which $tried || {
			fail "$name: every term is judged or refused" "$err"
			continue
		}
		if [ $which = wrong ]; then
			is "$kept" 0 "$name: false: nothing is kept"
		elif [ "$exact" = exact ]; then
			is "$((kept > 0)):$dropped" "1:0" "$name: true: all is kept"
		else
			ok "$name: true: it is kept" test "$kept" -gt 0
		fi
		is "$(sorted "$accepted")" "$(sorted "$wanted")" "$name: the terms of the table are taken, the others are refused ($which)"
	done
}

# without LIST TERM...: the list without these
without() {
	tr ' ' '\n' <<<"$1" | grep -vxF "$(printf '%s\n' "${@:2}")"
}

all=$(terms_where 1)
of_tracepoints=$(terms_where '$4 == "YES"')
of_tasks=$(terms_where '$5 != "NO"')
of_counts=$(terms_where '$5 != "NO" && $5 != "SPAN"')
tried=$all

take_kept() { take_filter; }
engine "page faults" "$all" exact "$PERF" record -o file.data -e page-faults:u -c 1 -p @T --filter @ -- "${goes[@]}" @T
engine "counted samples" "$all" exact "$PERF" sample-bpf -o file.data -e page-faults:u -c 1 -p @T --filter @ -- "${goes[@]}" @T
right[dso]='dso != /bin/true' wrong[dso]='dso == /bin/true' # a clock's sample may be in the vDSO
engine "a clock" "$all" exact "$PERF" record -o file.data -e cpu-clock:u -c 100000 -p @T --filter @ -- "${goes[@]}" @T
mapfile -t others < <(terms_where '$2 == "RARE"')
tried=$(without "$all" id addr "${others[@]}") # its samples have no more
engine "unwound samples" "$tried" exact "$PERF" record --call-graph bpf -o file.data -e cpu-clock:u -c 100000 -p @T --filter @ -- "${goes[@]}" @T
tried=$all
engine "off-CPU time" "$of_tasks" exact "$PERF" record -o file.data -e off-cpu -p @T --filter @ -- "${goes[@]}" @T
engine "wall-clock time" "$of_tasks" exact "$PERF" record -o file.data --wall -p @T --filter @ -- "${goes[@]}" @T
engine "a tracepoint" "$of_tracepoints" exact "$PERF" record -o file.data -e sched:sched_switch -p @T --filter @ -- "${goes[@]}" @T
engine "a system call" "$of_tracepoints" exact "$PERF" record -o file.data -e syscalls:sys_enter_read -p @T --filter @ -- "${goes[@]}" @T
engine "a uprobe" "$of_tracepoints" exact "$PERF" record -o file.data -e uprobe:libc:read -p @T --filter @ -- "${goes[@]}" @T
take_kept() { take_stat; }
engine stat "$of_counts" - "$PERF" stat -x , -o stat.csv -e page-faults,task-clock -p @T --filter @ -- "${goes[@]}" @T
take_kept() { take_rows 's/^ *count: +([0-9]+)$/\1/p'; }
engine "ftrace latency" "$of_tracepoints" - "$PERF" ftrace latency -e syscalls:sys_enter_read,syscalls:sys_exit_read -p @T --filter @ -- "${goes[@]}" @T
take_kept() { take_rows 's/^ *TOTAL: +\| +[0-9.]+ ms \| +([0-9]+) \|.*/\1/p'; }
engine "sched latency" "$of_tasks" - "$PERF" sched latency --pid @T --filter @ -- "${goes[@]}" @T
take_kept() { take_rows 's/^ +[^|]+\|[^|]*\|[^|]*ms \| +([0-9]+) \|.*/\1/p'; }
engine kwork "$of_tasks" - "$PERF" kwork report -k sched --filter "pid == @T && (@)" -- "${goes[@]}" @T
take_kept() { take_rows 's/^ +[a-z_0-9]+ +([0-9]+) +[0-9]+ +[0-9.]+ .*/\1/p'; }
tried=$(without "$all" id addr) # arguments of system calls have these names, and tracepoints no such terms
engine trace "$of_tracepoints" - "$PERF" trace -s -p @T --filter @ -- "${goes[@]}" @T

# It is seen as it waits.
tried=$all
take_kept() { take_rows 's/^# snapshot 1: ([0-9]+) threads?, .*/\1/p'; }
engine stacks "$of_tasks" - "$PERF" stacks -p @T --filter @

# The waits are those of a command that does nothing else.
tried=$all
right[uid]='uid == 0' wrong[uid]='uid != 0' right[gid]='gid == 0' wrong[gid]='gid != 0' right[comm]='comm ~ "[lw]o*"' wrong[comm]='comm !~ "[lw]o*"'
right[ppid]='ppid > 1' wrong[ppid]='ppid < 2'
take_kept() { take_rows 's/^ +([0-9]+) +[0-9.]+ [mun]?s .*/\1/p'; }
engine "lock contention" "$of_tasks" - "$PERF" lock contention --futex --filter @ -- nice -n 5 taskset -c $cpu "$WORKLOAD" userlocks mutex
done_testing

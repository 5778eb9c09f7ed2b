#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf stat, counted by BPF programs: for tasks, cgroups and filters, with counters that several perfs share.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

run "$PERF" stat --bpf-counters -e task-clock -- true
case $err in
*"lacks"*|*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc" 0 "counts a command in BPF"
like "$err" '[0-9.]+ msec task-clock' "and shows its count as otherwise"
run "$PERF" stat --bpf-counters -e task-clock -- sh -c 'exit 7'
is "$rc" 7 "ends with the command's status"

# seen COMMAND...: run it until the kernel has shown all switches: what else runs on this machine may hide some, which perf says.
seen() {
	for _ in $(seq 30); do
		run "$@"
		[[ $err = *"BPF programs did not see"* ]] || return 0
	done
	note "$err"
}

# value EVENT [CGROUP]: from CSV
value() {
	awk -F, -v event="$1" -v cgroup="${2-}" '$3 == event && (cgroup == "" || $4 == cgroup) { print $1 }' <<<"$err"
}

writes=syscalls:sys_enter_write
# write NR: that many calls of write(2)
write_out() {
	dd if=/dev/zero of=/dev/null bs=1 count="$1" status=none
}
export -f write_out
seen "$PERF" stat --bpf-counters -x, -e "$writes" -- bash -c 'write_out 100000'
is "$(value "$writes")" 100000 "100,000 calls of write(2) are 100,000"
seen "$PERF" stat --bpf-counters -x, -e "$writes" -- bash -c 'for i in 1 2 3 4 5; do write_out 1000 & done; wait'
is "$(value "$writes")" 5000 "those of children are counted"
seen "$PERF" stat --bpf-counters -i -x, -e "$writes" -- bash -c 'write_out 1000'
is "$(value "$writes")" 0 "but not with -i"

# --- cgroups ---
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -z "$root" ] || ! mkdir -p "$root/perf-$$/a/b" "$root/perf-$$/c"; then
	skip 8 "no cgroup can be made"
else
	trap 'rmdir "$root/perf-$$/a/b" "$root/perf-$$/a" "$root/perf-$$/c" "$root/perf-$$"; cleanup' EXIT
	cat >in-cgroups <<-'END'
		for where in a:1000 a/b:2000 c:4000; do
			bash -c 'echo 0 >"$0/cgroup.procs" && write_out "$1"' "$1/${where%:*}" "${where#*:}" &
		done
		wait
	END
	list=perf-$$/a,perf-$$/a/b,perf-$$/c
	seen "$PERF" stat --bpf-counters -a --for-each-cgroup "$list" -x, -e "$writes,page-faults" -- bash in-cgroups "$root/perf-$$"
	is "$rc" 0 "counts cgroups in BPF"
	# One write is the shell's own, to cgroup.procs: before it is there.
	is "$(value "$writes" "perf-$$/a")" 3000 "a cgroup has what those below it have"
	is "$(value "$writes" "perf-$$/a/b")" 2000 "which have that alone"
	is "$(value "$writes" "perf-$$/c")" 4000 "another one has nothing of these"
	# Beside the cgroup that it comes from: who moves itself counts for the other one at once, without being switched.
	seen "$PERF" stat --bpf-counters -a --for-each-cgroup "/,perf-$$/c" -x, -e "$writes" -- \
		bash -c 'echo 0 >"$0/c/cgroup.procs"; for ((i = 0; i < 500; i++)); do echo; done >/dev/null' "$root/perf-$$"
	is "$(value "$writes" "perf-$$/c")" 500 "a task that moves itself counts for its new cgroup at once"
	ok "the root has all of them" test "$(value "$writes" /)" -ge 501
	run "$PERF" stat --bpf-counters -a --for-each-cgroup "perf-$$/a,perf-$$/none" -e "$writes" -- true
	ok "a cgroup that is not there is an error" test "$rc" != 0
	like "$err" "perf-$$/none" "which names it"
	rmdir "$root/perf-$$/c" && mkdir "$root/perf-$$/c"
	run "$PERF" stat --bpf-counters -a --for-each-cgroup "perf-$$/c" -x, -e "$writes" -- true
	is "$(value "$writes")" 0 "a cgroup without tasks has 0"
fi

# --- filters ---
cp "$(command -v dd)" other-dd
cat >both <<'END'
dd if=/dev/zero of=/dev/null bs=1 count=3000 status=none &
./other-dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none &
wait
END
seen "$PERF" stat -x, -e "$writes" --filter 'comm == dd' -- bash both
is "$(value "$writes")" 3000 "--filter counts tasks with that name"
seen "$PERF" stat -x, -e "$writes" --filter 'comm != dd' -- bash both
is "$(value "$writes")" 5000 "its opposite counts the others"
seen "$PERF" stat -x, -e "$writes" --filter 'comm == dd' -e page-faults -- bash both
is "$(value "$writes")" 3000 "it belongs to the event before it"
ok "others are counted as a whole" test "$(value page-faults)" -gt 100
seen "$PERF" stat -x, -e "$writes" --filter 'uid == 0 && (comm == dd || comm == other-dd)' -- bash both
is "$(value "$writes")" 8000 "parentheses and more terms"
run "$PERF" stat -x, -e "$writes" --filter 'count == 1 && fd == 1' -- bash both
is "$(value "$writes")" 8000 "fields of a tracepoint are judged by the kernel"
seen "$PERF" stat -x, -e "$writes" --filter 'comm == dd || uid == 1234567' -- bash both
is "$(value "$writes")" 3000 "other terms in BPF"
run "$PERF" stat -x, --filter 'comm == nosuch' --filter 'pid >= 0' -- bash both
is "$(value task-clock)" 0.00 "all filters before the events are for the default ones"
run "$PERF" stat -e task-clock --filter 'period > 5' -- true
is "$rc" 129 "a term that counts do not have is refused"
like "$err" 'period' "by its name"
run "$PERF" stat -e task-clock --filter 'comm = = x' -- true
is "$rc" 129 "a wrong filter is refused"

# --- shared counters ---
declare -A perf_pid
# counter NAME: a perf in the background that counts the target, once it does
counter() {
	mkfifo "$1.ctl" "$1.ack"
	"$PERF" stat --bpf-counters -v -D -1 --control "fifo:$1.ctl,$1.ack" -x, -o "$1.csv" -e "$writes" -p "$target" 2>"$1.err" &
	perf_pid[$1]=$!
	spawned+=($!)
	echo enable >"$1.ctl"
	head -n 1 "$1.ack" >/dev/null
}

# Three perfs that count one process; one of them, VICTIM, is killed, and another one comes later.
count_together() {
	local target victim=$1
	rm -f go half ./*.ctl ./*.ack
	mkfifo go
	bash -c 'read -r _ <go; write_out 20000; : >half; read -r _ <go; write_out 30000' &
	target=$!
	spawned+=("$target")
	exec 9<>go
	counter first
	counter second
	counter third
	echo >&9
	wait_for 60 test -e half
	kill -KILL "${perf_pid[$victim]}"
	wait "${perf_pid[$victim]}" 2>/dev/null
	counter fourth
	echo >&9
	wait "$target" "${perf_pid[first]}" "${perf_pid[second]}" "${perf_pid[third]}" "${perf_pid[fourth]}" 2>/dev/null
	exec 9>&-
}
for victim in first second third; do
	for _ in $(seq 30); do
		count_together $victim
		grep -q "BPF programs did not see" ./*.err || break
	done
	like "$(cat second.err third.err)" "counters of process ${perf_pid[first]} are shared" "others share the counters of the first one"
	like "$(<fourth.err)" "counters of process [0-9]+ are shared" "a later one shares those that are left"
	unlike "$(<fourth.err)" "counters of process ${perf_pid[$victim]} " "after the $victim one was killed"
	for name in first second third; do
		[ $name = $victim ] && continue
		err=$(<$name.csv)
		is "$(value "$writes")" 50000 "the $name one has counted all"
	done
	err=$(<fourth.csv)
	is "$(value "$writes")" 30000 "the fourth has what came after its start"
done

# Another user, who may do the same: counters are those of one user.
mkfifo shared.ctl shared.ack
"$PERF" stat --bpf-counters -D -1 --control fifo:shared.ctl,shared.ack -a -e page-faults -o shared.txt -- sleep 1000 2>/dev/null &
spawned+=($!)
echo enable >shared.ctl
head -n 1 shared.ack >/dev/null
run "$PERF" stat --bpf-counters -v -x, -e page-faults -- true
like "$err" 'are shared' "counters of this user are found"
caps=+bpf,+perfmon,+sys_admin,+sys_ptrace
run setpriv --reuid 65534 --inh-caps "$caps" --ambient-caps "$caps" "$PERF" stat --bpf-counters -v -x, -e page-faults -- true
is "$rc" 0 "another user counts, too"
unlike "$err" 'are shared' "with own counters"
ok "and gets a count" test "$(value page-faults)" -gt 10
kill "${spawned[-1]}"
done_testing

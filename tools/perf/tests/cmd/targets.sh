#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record: every target and every set of events with filters; nothing is recorded where a filter cannot be.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cp "$PERF" "$WORKLOAD" .
chmod 755 "$WORK" perf workload

# --- groups: a filter is its event's, leader or member ---

run "$PERF" record -F 999 --group -e cpu-clock --filter 'mode == kernel' -e task-clock --filter 'mode == user' -e page-faults -o g.data \
	-- "$WORKLOAD" noploop 1
is "$rc" 0 "a group whose members have filters"
is "$("$PERF" evlist -g -i g.data)" "{cpu-clock,task-clock,page-faults}" "the file has the group"
counts cpu-clock
ok "the leader's filter drops" test "$dropped" -gt 0
counts task-clock
ok "and that of a member keeps" test "$kept" -gt 0
is "$(samples g.data event | grep -c task-clock)" "$kept" "what is in the file"
ok "a member without filter has samples" test "$(samples g.data event | grep -c page-faults)" -gt 0
run "$PERF" record -e '{cpu-clock,task-clock}:u,mine{page-faults,cs}' -o g.data -- "$WORKLOAD" noploop 1
is "$rc:$("$PERF" evlist -g -i g.data | xargs)" "0:{cpu-clock,task-clock} mine{page-faults,cs}" "groups in -e"

# --- many events, each with a filter ---

many=()
for ((i = 0; i < 20; i++)); do
	many+=(-e "cpu-clock/name=e$i/" --filter "cpu == $((i % 2)) && ip > $i")
done
run "$PERF" record -F 499 "${many[@]}" -o m.data -- "$WORKLOAD" thloop 1
is "$rc" 0 "20 events with filters"
is "$(grep -c 'filter: .* seen' <<<"$err")" 20 "have 20 counts"
for i in 0 7 19; do
	counts "e$i"
	is "$(samples m.data event | grep -cx "e$i:")" "$kept" "e$i: what was kept is in the file"
done

# --- users ---

uid=$((5000000 + 2 * $$)) # and the next one: of nobody else's test
spawn setpriv --reuid="$uid" --clear-groups ./workload noploop 1000
mine=$spawned_pid
spawn setpriv --reuid="$((uid + 1))" --clear-groups ./workload noploop 1000
others=$spawned_pid
run "$PERF" record -F 499 -u "$uid" -e cpu-clock --filter 'pid > 0' -e task-clock -o u.data -- "${until_run[@]}" 100 "$mine"
is "$rc:$(samples u.data pid,event | sort -u | xargs)" "0:${mine}cpu-clock: ${mine}task-clock:" "-u: of all tasks those of one user, each event"
run "$PERF" record -F 499 -u "$uid" -p "$others" -e cpu-clock -o u.data -- "${until_run[@]}" 50 "$others"
counts ""
ok "-u and -p: both must hold" test "$rc:$kept:$dropped" = "0:0:$seen" -a "$seen" -gt 0
run "$PERF" record -u no-such-user-of-ours -e cpu-clock -o n.data -- touch ran
is "$rc" 129 "-u with a wrong user"
ok "and nothing was run or written" test ! -e ran -a ! -e n.data
# A switch that comes after the events were enabled
# shellcheck disable=SC2016 # for the inner shell
until_switched=(bash -c 'switches() { sed -n "s/^nonvoluntary_ctxt_switches:.//p" "/proc/$0/status"; }
	from=$(switches); until [ "$(switches)" -gt $((from + 5)) ]; do sleep 0.01; done')
run "$PERF" record -u "$uid" -e sched:sched_switch -e syscalls:sys_enter_sched_yield -o u.data -- "${until_switched[@]}" "$mine"
is "$rc:$(samples u.data pid | sort -u | xargs)" "0:$mine" "-u with tracepoints"

# --- cgroups ---

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
mkdir "$cgroups/perf-test-a.$$" "$cgroups/perf-test-b.$$" 2>/dev/null
if [ -w "$cgroups/perf-test-b.$$/cgroup.procs" ]; then
	echo "$mine" >"$cgroups/perf-test-a.$$/cgroup.procs"
	echo "$others" >"$cgroups/perf-test-b.$$/cgroup.procs"
	run "$PERF" record -F 499 -a -e cpu-clock -e task-clock -G "perf-test-a.$$,perf-test-b.$$" -o cg.data -- "${until_run[@]}" 100 "$mine" "$others"
	is "$rc:$(samples cg.data pid,event | sort -u | xargs)" "0:$(printf '%s\n' "${mine}cpu-clock:" "${others}task-clock:" | sort | xargs)" \
		"-G: a cgroup for each event"
	run "$PERF" record -F 499 -a -e cpu-clock --filter 'cpu == 0' -G "perf-test-a.$$" -o cg.data -- sleep 1
	is "$rc:$(samples cg.data pid,cpu | grep -vx "$mine\[000\]")" "0:" "-G and a filter: both must hold"
	run "$PERF" record -a -e cpu-clock -G "no-such-cgroup.$$" -o n.data -- touch ran
	is "$rc" 129 "-G with a cgroup that does not exist"
	run "$PERF" record -e cpu-clock -G "perf-test-a.$$" -o n.data -- touch ran
	is "$rc" 129 "-G without -a"
	ok "nothing was run or written" test ! -e ran -a ! -e n.data
else
	skip 5 "no cgroup v2 file system to write to"
fi

# --- CPUs: what started elsewhere has its name ---

find /proc/[0-9]*/task -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null >before
run taskset -c 0 "$PERF" record -C 0 -F 499 -e cpu-clock --filter "pid != 0" -o c.data -- taskset -c 1 sh -c "sh -c 'echo \$\$ >child'; exec taskset -c 0 $WORKLOAD noploop 1"
if [ "$(nproc)" -gt 1 ]; then
	is "$rc:$(samples c.data cpu | sort -u)" "0:[000]" "-C and a filter"
	ok "tasks that came from other CPUs have names" test "$(samples c.data comm | grep -cx workload)" -gt 0
	# What was there before, and ended while its name was looked for, has none. The command itself was there: a child of it was not. Ids may
	# have begun again at the lowest.
	is "$(samples c.data comm | awk -F: -v first="$(<child)" '/^:[0-9]/ && $2 >= first { print $2 }' | sort -u | grep -vxFf before)" "" "all of them"
else
	skip 3 "one CPU only"
fi
kill -KILL "$mine" "$others"
wait "$mine" "$others" 2>/dev/null
wait_for 5 rmdir "$cgroups/perf-test-a.$$" "$cgroups/perf-test-b.$$" 2>/dev/null

# --- two recordings at once: each has its own ---

dd_writes=(dd if=/dev/zero of=/dev/null bs=512 count=2000 status=none)
"$PERF" record -q -a -e syscalls:sys_enter_write --filter 'count == 512' -o one.data -- sleep 1000 2>one.err &
one=$!
spawned+=("$one")
# What it writes once in a while, or when its ring is half full, has to hold something of a dd.
has_begun() {
	"${dd_writes[@]}"
	[ -s one.data ] && [ "$(samples one.data tid | wc -l)" -gt 0 ]
}
ok "a recording of all tasks has begun" wait_for 20 has_begun
run "$PERF" record -e syscalls:sys_enter_write --filter 'count == 511' -o two.data -- "${dd_writes[@]}"
is "$rc:$(samples two.data tid | wc -l)" "0:0" "another filter for the same tracepoint keeps its own hits"
run "$PERF" record -e syscalls:sys_enter_write -o all.data -- "${dd_writes[@]}"
ok "a recording without filter has all" test "$(samples all.data tid | wc -l)" -ge 2000
last=$(samples all.data tid | sort | uniq -c | sort -n | tail -n 1 | awk '{ print $2 }')
kill -INT "$one"
wait "$one"
is "$(samples one.data tid | grep -cx "$last")" 2000 "and the first one has them too"
"$PERF" record -F 999 -a -e cpu-clock --filter 'cpu == 0' -o one.data -- sleep 1 2>one.err &
one=$!
run "$PERF" record -F 999 -a -e cpu-clock --filter 'cpu == 1' -o two.data -- sleep 1
wait "$one"
is "$(samples one.data cpu | sort -u | grep -v '\[000\]')" "" "two filters for the same event: each recording keeps its own"
is "$(samples two.data cpu | sort -u | grep -v '\[001\]')" "" "the other one too"

# --- the kept share is what the samples of the same event without filter say ---

# Rings with room for all samples, which are the command's own. Both events see the same faults; two clocks would differ where the host takes
# the CPU away.
run "$PERF" record -m 4M --sample-cpu -c 1 -e page-faults/name=all/ -e page-faults/name=some/ --filter 'cpu == 0 && comm != true || comm == dd' -o t.data \
	-- sh -c 'for cpu in 0 1; do taskset -c $cpu sh -c "for i in 1 2 3 4 5 6 7 8; do /bin/true; /bin/uname; done"; done; dd if=/dev/zero of=/dev/null bs=4M count=1 status=none'
counts ""
# A time may be padded on its left, as is one of less than 10,000 s.
"$PERF" script -i t.data -F comm,cpu,time,event | sed -n 's/^ *\(.*[^ ]\)  *\([0-9.]*\): *\(all\|some\): *$/\3 \1/p' >both.txt # "EVENT COMM [CPU]"
read -r all want <<<"$(awk '$1 == "all" { n++; want += $2 == "dd" || (/ \[000\]$/ && $2 != "true") } END { print n + 0, want + 0 }' both.txt)"
ok "there is something to compare" test "$want" -gt 100 -a "$dropped" -gt 100
is "$seen" "$all" "as many samples are seen as without filter"
is "$kept:$(grep -c '^some ' both.txt)" "$want:$want" "as many are kept as its words say, and written"

# --- fail closed: whatever runs out of descriptors, nothing is recorded unfiltered ---

failed=0
for ((limit = 4; limit < 80; limit++)); do
	rm -f l.data ran
	(
		ulimit -n "$limit"
		exec "$PERF" record -e cpu-clock --filter 'pid == 1' -e task-clock --filter 'pid == 1' -o l.data -- touch ran
	) >l.out 2>&1
	rc=$?
	[ "$rc" != 0 ] || break
	failed=$((failed + 1))
	if [ -e ran ] || { [ -e l.data ] && [ "$(samples l.data tid | wc -l)" != 0 ]; } || [ ! -s l.out ]; then
		fail "limit of $limit descriptors" "status $rc, ran: $(ls ran 2>&1)" "$(cat l.out)"
	fi
done
ok "each limit of descriptors that is too low ends the recording" test "$failed" -gt 5
is "$rc:$(samples l.data tid | wc -l)" "0:0" "the first that suffices filters"

# --- events that take no program, and no right to have one ---

mkdir -m 777 users
cd users || exit 1
for caps in -bpf -perfmon; do
	run setpriv --bounding-set="$caps,-sys_admin" --inh-caps="$caps,-sys_admin" -- ../perf record -e cpu-clock --filter 'pid != 1' -o n.data -- touch ran
	is "$rc" 255 "root without CAP_SYS_ADMIN and ${caps#-}"
	ok "records nothing" test ! -e ran -a ! -e n.data
done
cd ..

# --- a process that starts others all the time: BPF programs find those that started while they were loaded ---

spawn sh -c 'while :; do /bin/true; done'
restless=$spawned_pid
for how in "record -e off-cpu" "record -e syscalls:sys_enter_exit_group" "record -e sched:sched_switch --filter nice>=-20" \
	"sample-bpf -e off-cpu" "sample-bpf -e syscalls:sys_enter_exit_group"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" $how -o r.data -p "$restless" -- "${until_run[@]}" 30 "$restless"
	is "$rc" 0 "perf $how of it"
	[[ $how = *off-cpu* ]] || like "$("$PERF" script -i r.data -F comm)" true "its children are in there"
done
run "$PERF" record -e syscalls:sys_enter_exit_group -e sched:sched_process_exec -o r.data -p "$restless" -- "${until_run[@]}" 50 "$restless"
# Those that executed and exited while both events were on, but for two at its ends.
read -r execs missing <<<"$("$PERF" script -i r.data -F tid,time,event | tr -d : | awk '
	{ if (!first[$3]) first[$3] = $2; last[$3] = $2; seen[$3, $1] = $2; tid[$1] }
	END {
		for (e in first) { if (first[e] > from) from = first[e]; if (!to || last[e] < to) to = last[e] }
		exec = "sched_process_exec"; exit_group = "sys_enter_exit_group"
		for (t in tid) {
			x = seen["sched" exec, t]; y = seen["syscalls" exit_group, t]
			if (x > from && x < to) { n++; missing += !y } else if (y > from && y < to) missing += !x
		}
		print n + 0, missing + 0
	}')"
ok "the kernel's event has seen as many of them" test "$execs" -gt 0 -a "$missing" -le 2

# Events that are switched on while the process forks: no child of it, and not itself, stays switched off. The event is switched off
# before that which tells of tasks: at the end of a recording some are missing, on a busy machine more of them.
execs=0 missing=0
for _ in {1..10}; do
	"$PERF" record -q -e sched:sched_process_exec -D 10 -o r.data -p "$restless" -- "${until_run[@]}" 20 "$restless"
	read -r n m <<<"$("$PERF" script -i r.data --show-task-events -F tid,time,event | tr -d : | awk '
		/process_exec/ { if (!first) first = $2; last = $2; seen[$1] }
		/COMM exec/ { executed[$1] = $2 }
		END {
			for (t in executed)
				if (first && executed[t] > first) {
					n++
					if (!(t in seen)) { if (executed[t] < last) missing++; else at_end++ }
				}
			print n + 0, missing + (at_end > 2 + n / 4 ? at_end : 0)
		}')"
	execs=$((execs + n)) missing=$((missing + m))
done
ok "all children are recorded from the moment that events are switched on" test "$execs" -gt 0 -a "$missing" = 0
kill "$restless"

done_testing

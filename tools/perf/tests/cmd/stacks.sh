#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf stacks: threads that are blocked at known places, or wake all the time, or run.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# start NR WHAT [THREADS]: the workload, in $spawned_pid; ready when NR threads have printed a line, and all sleep
start() {
	local nr=$1
	shift
	: >places
	"$WORKLOAD" blocked "$@" >places &
	spawned_pid=$!
	spawned+=("$spawned_pid")
	printed() { [ "$(wc -l <places)" -ge "$nr" ]; }
	wait_for 60 printed
	asleep() { ! grep -hLs '^[0-9]* ([^)]*) S ' "/proc/$spawned_pid/task/"*/stat | grep -q .; }
	wait_for 60 asleep && wait_for 60 asleep
}

stop() {
	kill -KILL "$spawned_pid"
	wait "$spawned_pid" 2>/dev/null
}

# each_thread: of stacks on standard input, a line for each thread: its tid, and the names of its user's frames, innermost first
each_thread() {
	awk '
		/^[0-9]+ (kernel )?thread/ { nr = 0; frames = "" }
		/^    / && !/^    (waits|uses) / {
			for (i = 1; i <= NF; i++) {
				if ($i !~ /^[0-9]+(-[0-9]+)?,?$/)
					continue
				split($i, range, /[-,]/)
				last = $i ~ /-/ ? range[2] : range[1]
				for (tid = range[1]; tid + 0 <= last + 0; tid++)
					tids[nr++] = tid
			}
		}
		/^\t/ && $1 !~ /^ffff/ { sub(/\+0x.*/, "", $2); frames = frames " " $2 }
		/^$/ { finish() }
		END { finish() }
		function finish() { for (i = 0; i < nr; i++) print tids[i] frames; nr = 0 }'
}

# --- threads at known places ---

start 2000 threads 2000
run "$PERF" stacks -v -p "$spawned_pid"
is "$rc" 0 "the stacks of a process are shown"
like "$out" '^# snapshot 1: 2001 threads, [0-9]+ different stacks, read in [0-9.]+ ms$' "of all its threads"
each_thread <<<"$out" >shown
is "$(wc -l <shown)" 2001 "each of them once"
awk '
	NR == FNR { place[$1] = $2; depth[$1] = $3; next }
	!($1 in place) { next }
	{
		found = 0; deeper = 0; at = 0
		for (i = 2; i <= NF; i++) {
			if ($i == place[$1]) { found++; at = i }
			deeper += $i == "go_deeper"
		}
		if (found == 1 && deeper == depth[$1] + 1 && $(at + deeper + 1) == "be_blocked")
			right++
		else
			print "wrong:", $0
	}
	END { print right + 0 }' places shown >judged
is "$(tail -1 judged)" 2000 "and each stack is that of its thread, from where it blocks to its first function"
note "$(grep wrong judged | head -5)"
like "$out" '^[0-9]+ threads of .*, sleeping [0-9.]+ [mu]?s( to [0-9.]+ [mu]?s)? in futex:$' "with its state, since when, and the system call"
is "$(grep -cE '^[0-9]+ threads? of ' <<<"$out")" "$(sed -E 's/.*, ([0-9]+) different.*/\1/; q' <<<"$out")" "equal stacks are one group"
is "$(grep -oE '^[0-9]+ thread' <<<"$out" | sort -rnc 2>&1)" "" "the largest group comes first"
like "$out" '^	ffff[0-9a-f]+ .*futex_wait' "the kernel's part is there, too"

like "$out" "^    waits for mutex 0x[0-9a-f]+ \(mutex\), held by thread $spawned_pid \(workload\)$" "and who holds the mutex"
like "$out" '^    uses file [0-9]+ <pipe:\[[0-9]+\]>$' "or which file the call is for"

tid=$(awk '$2 == "block_poll" { print $1; exit }' places)
run "$PERF" stacks -t "$tid"
is "$(each_thread <<<"$out" | cut -d' ' -f1)" "$tid" "-t shows one thread"
like "$out" ' in poll:$' "and its system call"
run "$PERF" stacks -q -p "$spawned_pid" --max-stack 3
is "$(grep -c 'and more callers' <<<"$out")" "$(grep -cE '^[0-9]+ threads? of ' <<<"$out")" "--max-stack cuts the user's part, and says so"
run "$PERF" stacks -p "$spawned_pid" --filter "tid == $tid || tid == $spawned_pid"
is "$(grep -cE '^1 thread of ' <<<"$out")" 2 "--filter chooses threads"
run "$PERF" stacks -p "$spawned_pid" --filter 'period > 3600s'
like "$out" '^# snapshot 1: 0 threads' "also by their time off CPU"
# A thread may get a CPU for a moment. So look again: a wrong time stays wrong. Say which thread was missing.
all_off() {
	run "$PERF" stacks --json -p "$spawned_pid" --filter 'period > 1us'
	tids=$(python3 -c 'import json, sys; print(*(t["tid"] for s in json.load(sys.stdin)["snapshots"] for g in s["groups"] for t in g["threads"]))' <<<"$out")
	for missing in $(comm -23 <(ls "/proc/$spawned_pid/task" | sort) <(tr ' ' '\n' <<<"$tids" | sort)); do
		note "not there: $(cut -d' ' -f1-3,14,15 "/proc/$spawned_pid/task/$missing/stat"), $(cat "/proc/$spawned_pid/task/$missing/schedstat")" \
			"$(grep ctxt "/proc/$spawned_pid/task/$missing/status" | xargs), $(grep "^$missing " places)"
	done
	[[ $(wc -w <<<"$tids") == 2001 ]]
}
ok "which is that of each" eval "all_off || all_off || all_off"
run "$PERF" stacks -p "$spawned_pid" --filter 'every 2'
like "$out" '^# snapshot 1: 100[01] threads' "a filter that counts judges each thread once"
run "$PERF" stacks -p "$spawned_pid" --filter 'rand < 50%'
ok "and so does one that throws dice" test "$(sed -nE 's/^# snapshot 1: ([0-9]+) threads.*/\1/p' <<<"$out")" -gt 800
run "$PERF" stacks -a --filter "pid == $spawned_pid"
like "$out" '^# snapshot 1: 2001 threads' "-a has them, too"
run "$PERF" stacks -u nobody --filter "pid == $spawned_pid"
like "$out" '^# snapshot 1: 0 threads' "-u only those of the user"
setpriv --reuid=65534 --regid=12345 --clear-groups sleep 1000 &
users=$!
spawned+=("$users")
is_nobodys() { grep -qs "^Uid:.65534" "/proc/$users/status"; }
wait_for 60 is_nobodys
run "$PERF" stacks -u 65534 --filter "pid == $users"
like "$out" '^# snapshot 1: 1 thread' "and all of them, whatever their group"
run "$PERF" stacks -u 12345 --filter "pid == $users"
like "$out" '^# snapshot 1: 0 threads' "a group is no user"
kill "$users"
run "$PERF" stacks -t "$tid" --srcline
like "$out" '^  blocked\.c:[0-9]+$' "--srcline adds lines of the source"
run "$PERF" stacks -p "$spawned_pid" --folded
is "$(awk '{ n += $NF } END { print n + 0 }' <<<"$out")" 2001 "--folded counts threads"
ok "each in the line of its stack" awk -F'[; ]' '
	NR == FNR { want[$2]++; next }
	{ for (i = 1; i <= NF; i++) if ($i ~ /^block_/) got[$i] += $NF }
	END { for (name in want) if (got[name] != want[name]) exit 1 }' places - <<<"$out"
run "$PERF" stacks -p "$spawned_pid" --folded -n 3 -i 10
is "$(awk '{ n += $NF } END { print n + 0 }' <<<"$out")" 6003 "of all snapshots"
run "$PERF" stacks -q -t "$tid" --flamegraph page.html
is "$rc" 0 "--flamegraph writes a page, too"
ok "with the functions" grep -q block_poll page.html
like "$out" ' in poll:$' "beside the text"
run "$PERF" stacks -p "$spawned_pid" --json -n 2 -i 1000
printf '%s' "$out" >file.json
run python3 -c '
import json, sys
pid, places = int(sys.argv[1]), dict(line.split()[:2] for line in open("places"))
snapshots = json.load(open("file.json"))["snapshots"]
right = [0, 0]
for i, snapshot in enumerate(snapshots):
	for group in snapshot["groups"]:
		names = [frame.get("symbol") for frame in group["frames"]]
		assert group["count"] == len(group["threads"]) and group["stack"] == "whole"
		for thread in group["threads"]:
			place = places.get(str(thread["tid"]))
			if place is None:
				continue
			assert thread["pid"] == pid and group["state"] == "sleeping" and group["syscall"]
			assert (place == "block_mutex") == (thread.get("waits_for_tid") == pid)
			right[i] += place in names
off = [{thread["tid"]: thread["off_cpu_ns"] for group in s["groups"] for thread in group["threads"]} for s in snapshots]
between = snapshots[1]["at_ns"] - snapshots[0]["at_ns"]
print(right, max(abs(off[1][tid] - off[0][tid] - between) for tid in off[0]) < 300e6, min(off[0].values()) > 0)' "$spawned_pid"
is "$out" "[2000, 2000] True True" "--json has each thread, its stack, whom it waits for, and how long"
age=$(awk -v hz="$(getconf CLK_TCK)" 'NR == FNR { up = $1; next } { sub(/.*\) /, ""); print int((up - $20 / hz) * 1000) }' /proc/uptime "/proc/$spawned_pid/stat")
longest=$(python3 -c 'import json; print(max(t["off_cpu_ns"] for s in json.load(open("file.json"))["snapshots"][:1] for g in s["groups"] for t in g["threads"]) // 1000000)')
ok "which is no longer than there are threads: $longest ms of $age" test "$longest" -le "$age"
run "$PERF" stacks -n 130 -i 1 -t "$tid"
is "$(grep -cE '^	 +[0-9a-f]+ block_poll\+' <<<"$out")" 130 "many snapshots have names, although perf forgets what it read now and then"
run "$PERF" stacks -n 3 -i 10 -t "$tid"
is "$(grep -cE '^# snapshot [123](, [0-9.]+ s later)?: 1 thread' <<<"$out")" 3 "-n takes several snapshots"
stop

# --- the first thread has ended: the process has no maps, but its threads have ---

: >places
"$WORKLOAD" blocked headless 10 >places &
spawned_pid=$!
spawned+=("$spawned_pid")
headless() { grep -qs '^State:.Z' "/proc/$spawned_pid/task/$spawned_pid/status" && [ "$(wc -l <places)" = 10 ]; }
wait_for 60 headless
whole() { "$PERF" stacks -v -p "$spawned_pid" | each_thread >shown; [ "$(grep -c ' be_blocked start_thread ' shown)" = 10 ]; }
ok "threads whose first one has ended have stacks" wait_for 60 whole
stop

# --- code that was made at run time, and keeps frame pointers ---

if [ "$(uname -m)" = x86_64 ]; then
	start 0 generated 3
	in_poll() { "$PERF" stacks -v -p "$spawned_pid" 2>/dev/null | each_thread >shown; [ "$(grep -c ' block_poll ' shown)" = 3 ]; }
	wait_for 60 in_poll
	is "$(grep -c ' block_poll block_last \[unknown\] \[unknown\] \[unknown\] be_generated start_thread' shown)" 3 "stacks go on behind code that a JIT compiler made"
	note "$(head -2 shown)"
	stop
else
	skip 1 "the generated code is for x86-64"
fi

# --- threads that wake all the time ---

start 0 restless 40
mixed=0 seen=0
for ((i = 0; i < 20; i++)); do
	run "$PERF" stacks -v -p "$spawned_pid"
	each_thread <<<"$out" >shown
	mixed=$((mixed + $(grep -c 'left_.*right_\|right_.*left_' shown)))
	mixed=$((mixed + $(awk '/ nap / && !/ left_inner left_outer be_restless| right_inner right_outer be_restless/ { n++ } END { print n + 0 }' shown)))
	seen=$((seen + $(grep -c ' nap ' shown)))
done
is "$mixed" 0 "no stack is a mixture of two"
ok "although there were many: $seen" test "$seen" -gt 200
stop

# The four innermost steps are the digits of the way, from which all others follow.
cat >ways.awk <<'EOF'
/ nap / {
	nr = at = 0
	for (i = 2; i <= NF; i++) {
		if ($i == "nap")
			at = i
		else if (at && $i ~ /^step_[0-3]$/)
			kind[nr++] = substr($i, 6)
	}
	way = kind[0] + 4 * kind[1] + 16 * kind[2] + 64 * kind[3]
	right = nr == 6 + way % 13
	for (i = 4; i < nr && right; i++) {
		level = nr - 1 - i
		right = kind[i] == (way * 7 + level * 5 + int(way * level / 8)) % 4
	}
	seen++
	ways[way] = 1
	if (!right)
		print "wrong:", $0
}
END { n = 0; for (way in ways) n++; print seen + 0, n }
EOF
start 0 wandering 40
: >ways
for ((i = 0; i < 20; i++)); do
	run "$PERF" stacks -v -p "$spawned_pid"
	each_thread <<<"$out" >>ways
done
awk -f ways.awk ways >judged
is "$(grep -c wrong judged)" 0 "no stack is a mixture of ways of different lengths"
note "$(grep wrong judged | head -3)"
read -r seen different < <(tail -1 judged)
ok "although there were many: $seen, of $different ways" test "$seen" -gt 200 -a "$different" -gt 50
stop

# --- threads that run ---

spawn "$WORKLOAD" blocked running 3
compute_all() { [ "$(grep -hs '^[0-9]* ([^)]*) R ' "/proc/$spawned_pid/task/"*/stat | wc -l)" = 3 ]; }
wait_for 60 compute_all
running=0 waiting=0 rest=0
for ((i = 0; i < 20 || (!running && i < 300); i++)); do # perf itself has a CPU; the others may have another program
	run "$PERF" stacks -v -p "$spawned_pid"
	each_thread <<<"$out" >shown
	rest=$((rest + 3 - $(awk '$2 == "compute" && $3 == "start_thread" { n++ } END { print n + 0 }' shown)))
	running=$((running + $(grep -cE 'threads? of workload \([0-9]+\), running on CPU' <<<"$out")))
	waiting=$((waiting + $(grep -cE 'threads? of workload \([0-9]+\), waiting for a CPU' <<<"$out")))
done
ok "threads that run have stacks: $rest of $((3 * i)) had none" test "$rest" -le $((i * 3 / 10))
ok "as they run: $running" test "$running" -gt 0
ok "or as they wait for a CPU: $waiting" test "$waiting" -gt 0
stop

# --- threads that wait for one another ---

start 0 deadlock
wait_waits() { [ "$("$PERF" stacks -p "$spawned_pid" 2>/dev/null | grep -c '^    waits for mutex')" -ge 3 ]; }
wait_for 60 wait_waits
run "$PERF" stacks -p "$spawned_pid" --deadlocks
like "$out" '^# snapshot 1: 4 threads, 1 deadlock; 3 wait for a futex or a lock of the kernel, 3 of which for a thread that is known' "a deadlock is found"
like "$out" "^deadlock of 2 threads of workload \($spawned_pid\):$" "with its threads"
cycle=$(sed -nE 's/^  thread ([0-9]+) \(workload\) waits for mutex 0x[0-9a-f]+ \(([a-z_]+)\), held by thread ([0-9]+) \(workload\):$/\1 \2 \3/p' <<<"$out")
ok "each waits for what the other one holds" awk '{ who[NR] = $1; lock[NR] = $2; owner[NR] = $3 }
	END { exit !(NR == 2 && who[1] == owner[2] && who[2] == owner[1] && lock[1] == "other_mutex" && lock[2] == "mutex") }' <<<"$cycle"
is "$(grep -cE '^	 +[0-9a-f]+ take_lock\+' <<<"$out")" 2 "with the stacks of both"
like "$out" '^  1 more thread waits for them$' "and who waits behind them"
stop
start 0 processes
child=$(pgrep -P "$spawned_pid")
both_wait() { [ "$("$PERF" stacks -p "$spawned_pid,$child" 2>/dev/null | grep -c '^    waits for mutex')" = 2 ]; }
wait_for 60 both_wait
run "$PERF" stacks -p "$spawned_pid,$child" --deadlocks
like "$out" '^# snapshot 1: 2 threads, 1 deadlock; 2 wait for a futex or a lock of the kernel, 2 of which for a thread that is known' "two processes with shared mutexes"
like "$out" '^deadlock of 2 threads of several processes:$' "are a deadlock"
is "$(sed -nE 's/^  thread ([0-9]+) \(workload\) waits for mutex .*, held by thread ([0-9]+) \(workload\):$/\1 \2/p' <<<"$out" | sort -n)" \
	"$(printf '%s\n' "$spawned_pid $child" "$child $spawned_pid" | sort -n)" "each waits for the other one"
run "$PERF" stacks -p "$child"
like "$out" "held by thread $spawned_pid$" "an owner in a process that is not shown"
stop
start 0 held
wait_waits() { [ "$("$PERF" stacks -p "$spawned_pid" 2>/dev/null | grep -c '^    waits for mutex')" -ge 1 ]; }
wait_for 60 wait_waits
run "$PERF" stacks -p "$spawned_pid" --deadlocks
like "$out" '^# snapshot 1: 2 threads, 0 deadlocks; 1 waits for a futex or a lock of the kernel, 1 of which for a thread that is known' "a lock that is held for long is no deadlock"
run "$PERF" stacks -p "$spawned_pid"
like "$out" '^	 +[0-9a-f]+ take_lock\+' "its waiter is where it takes the lock"
like "$out" "held by thread $spawned_pid \(workload\)$" "and the holder is named"
stop

# --- locks of the kernel ---

keeps_waits() { { zcat -f /proc/config.gz "/boot/config-$(uname -r)" 2>/dev/null; true; } | grep -q "^CONFIG_DETECT_HUNG_TASK_BLOCKER=y"; }
: >kernel.err
: >places
if keeps_waits && printf '6.17\n%s\n' "$(uname -r)" | sort -VC; then
	spawn "$WORKLOAD" blocked kernel >places 2>kernel.err
	all_wait() {
		[ "$(wc -l <places)" = 6 ] || { ! kill -0 "$spawned_pid" 2>/dev/null && return 0; }
		[ "$(awk '$2 == "wants" { print $1 }' places | while read -r tid; do grep -hsc '^[0-9]* ([^)]*) D ' "/proc/$spawned_pid/task/$tid/stat"; done | grep -c 1)" = 3 ]
	}
	wait_for 60 all_wait
else
	echo "this kernel does not keep what tasks wait for" >kernel.err
fi
if [ "$(wc -l <places)" = 6 ]; then
	tid_of() { awk -v what="$1" -v name="$2" '$2 == what && $3 == name { print $1 }' places; }
	run "$PERF" stacks -p "$spawned_pid"
	like "$out" "^    waits for the kernel's mutex 0xffff[0-9a-f]+( \(.*\))?, held by thread $(tid_of holds mutex) \(workload\); uses file [0-9]+ <pipe:.*>$" \
		"a mutex of the kernel, who holds it, and the file of the call"
	like "$out" "^    waits for the kernel's rwsem 0xffff[0-9a-f]+( \(.*i_rwsem\))?, held by thread $(tid_of holds rwsem) \(workload\); uses file" "a semaphore that one task writes under"
	like "$out" "^    waits for the kernel's rwsem 0xffff[0-9a-f]+( \(.*i_rwsem\))?, held by readers$" "and one that tasks read under, which have no names"
	run "$PERF" stacks --json -p "$spawned_pid"
	is "$(python3 -c 'import json, sys
for group in json.load(sys.stdin)["snapshots"][0]["groups"]:
	for thread in group["threads"]:
		if "kernel_lock" in thread:
			print(thread["tid"], thread.get("waits_for_tid", 0))' <<<"$out" | sort -n)" \
		"$(for name in mutex rwsem readers; do echo "$(tid_of wants $name) $([ $name = readers ] && echo 0 || tid_of holds $name)"; done | sort -n)" "--json has the three, too"
	run "$PERF" stacks --deadlocks -p "$spawned_pid"
	like "$out" '^# snapshot 1: 7 threads, 0 deadlocks; 3 wait for a futex or a lock of the kernel, 2 of which for a thread that is known' "holders that wait for no lock are no deadlock"
	stop
else
	skip 5 "no locks of the kernel: $(tail -n 1 kernel.err)"
fi

# --- sockets ---

spawn python3 -c '
import socket, threading, time
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
other = listener.accept()
threading.Thread(target=listener.accept, daemon=True).start()
threading.Thread(target=client.recv, args=(1,), daemon=True).start()
open("port", "w").write(str(listener.getsockname()[1]))
time.sleep(1000)'
in_calls() { [ -s port ] && [ "$("$PERF" stacks -p "$spawned_pid" 2>/dev/null | grep -cE ' in (accept4|recvfrom):$')" = 2 ]; }
wait_for 60 in_calls
run "$PERF" stacks -p "$spawned_pid"
is "$(grep -cE "^    uses file [0-9]+ <127\.0\.0\.1:$(<port)>$" <<<"$out")" 2 "the peer of a socket, or its own address while it has none"
stop

# --- what is wrong ---

run "$PERF" stacks -p 4194305
is "$rc" 255 "a process that does not exist is refused"
run "$PERF" stacks --filter 'color == 1'
is "$rc" 129 "and so is a wrong filter"
run "$PERF" stacks --filter 'ip == 1'
is "$rc" 129 "a term that tasks lack"
like "$err" 'a task cannot be tested for' "is named"
run "$PERF" stacks true
is "$rc" 129 "perf stacks starts no command"
for options in "--folded --json" "--deadlocks --json" "--deadlocks --folded" "--deadlocks --flamegraph page.html"; do
	# shellcheck disable=SC2086 # two words
	run "$PERF" stacks $options
	is "$rc" 129 "$options exclude each other"
done
for options in "-n 0" "-i 0" "--max-stack 0" "-u nosuchuser"; do
	# shellcheck disable=SC2086 # two words
	run "$PERF" stacks $options
	is "$rc" 129 "$options is refused"
done
start 5 threads 5
run setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon -- "$PERF" stacks -p "$spawned_pid"
is "$rc" 0 "with CAP_BPF and CAP_PERFMON alone there are stacks"
is "$(grep -c 'its memory may not be read: the kernel.s frames only:$' <<<"$out")" "$(grep -cE '^[0-9]+ threads? of ' <<<"$out")" "of the kernel alone, for processes of others, and that is said"
unlike "$out" '^	 *[0-7][0-9a-f]{,11} ' "without frames in user space"
stop

# --- without rights: one's own processes, in user space ---

run as_user "$PERF" stacks -p "$$"
is "$rc" 255 "without rights others' processes are refused"
like "$err" 'lacks CAP_BPF.*' "with the reason"
run as_user "$PERF" stacks --filter 'pid > 1'
is "$rc" 255 "and so are filters, which are judged in BPF"
chmod 755 . && cp "$WORKLOAD" workload # where nobody may read it
spawn setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all -- ./workload blocked threads 100 >places
printed() { [ "$(wc -l <places)" -ge 100 ]; }
wait_for 60 printed
wait_for 60 asleep
run as_user "$PERF" stacks -v -p "$spawned_pid"
is "$rc" 0 "the user's own are shown"
like "$err" 'in user space only' "with a note"
each_thread <<<"$out" >shown
is "$(awk 'NR == FNR { place[$1] = $2; next } $1 in place { for (i = 2; i <= NF; i++) n += $i == place[$1] } END { print n + 0 }' places shown)" 100 \
	"each thread is where it blocks"
unlike "$out" '^	ffff' "without the kernel's part"
run as_user "$PERF" stacks -q
like "$out" '^# snapshot 1: [0-9]{3,} threads' "all of the user's, without -p"
stop
done_testing

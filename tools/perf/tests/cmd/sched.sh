#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf sched: waits and runtimes against the kernel's own account of tasks, and files against what BPF counted at the same time.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# truth.py DIRECTORY: two tasks that spin for 0.5 s of CPU time each and one that sleeps 20 times, on one CPU. The file DIRECTORY/NAME has the tid of each, and
# what the kernel says when it has ended: how long it ran, and waited for a CPU, in ns, and how often it got one.
cat >truth.py <<'END'
import ctypes, os, sys, time
libc = ctypes.CDLL(None)

def be(name, work):
    pid = os.fork()
    if pid:
        return pid
    libc.prctl(15, name.encode())
    work()
    os._exit(0)

def spin():
    while time.thread_time() < 0.5:
        pass

def sleep():
    for i in range(20):
        time.sleep(0.02)

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
pids = {name: be(name, work) for name, work in (("spin-a", spin), ("spin-b", spin), ("sleeper", sleep))}
for pid in pids.values():
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
# Each has to get the CPU once more, to leave it: then it has no stack any more, and so is in no system call, not even in that in which it ended.
for pid in pids.values():
    while not open("/proc/%d/syscall" % pid).read().startswith("-1 "):
        time.sleep(0.005)
for name, pid in pids.items():
    with open(sys.argv[1] + "/" + name, "w") as out:
        out.write("%d %s" % (pid, open("/proc/%d/schedstat" % pid).read()))
    os.waitpid(pid, 0)
END

# of ROW COLUMN, of a table on standard input: in ns if it is a time
of() {
	awk -F'|' -v name="$1" -v column="$2" '
		{ row = $1; gsub(/ /, "", row) }
		row == name { split($column, part, " "); f = part[2] == "us" ? 1e3 : part[2] == "ms" ? 1e6 : part[2] == "s" ? 1e9 : 1; printf "%.0f\n", part[1] * f }'
}
# near A B PART ABSOLUTE: do they differ by PART of B and ABSOLUTE at most?
near() {
	awk -v a="$1" -v b="$2" -v part="$3" -v absolute="$4" 'BEGIN { d = a > b ? a - b : b - a; exit !(a != "" && d <= part * b + absolute) }'
}
# check_truth TABLE DIRECTORY WHOSE: rows against the files in DIRECTORY
check_truth() {
	local name tid ran waited turns count avg
	for name in spin-a spin-b sleeper; do
		read -r tid ran waited turns <"$2/$name"
		count=$(of "$name:$tid" 3 <"$1")
		avg=$(of "$name:$tid" 4 <"$1")
		ok "$3: runtime of $name: $(of "$name:$tid" 2 <"$1") of $ran ns" near "$(of "$name:$tid" 2 <"$1")" "$ran" 0 2000000
		ok "$3: waits of $name: $((${avg:-0} * ${count:-0})) of $waited ns" near "$((${avg:-0} * ${count:-0}))" "$waited" 0.01 1000000
		is "${count:-0}" "$turns" "$3: number of waits of $name"
	done
}

# check_all: both tables against the truth, and against each other
check_all() {
	local name tid
	check_truth live.txt one "in BPF"
	check_truth file.txt one "in the file"
	for name in spin-a spin-b sleeper; do
		read -r tid _ <"one/$name"
		is "$(of "$name:$tid" 3 <live.txt)" "$(of "$name:$tid" 3 <file.txt)" "as many waits of $name in the file as in BPF"
		ok "and the same runtime" near "$(of "$name:$tid" 2 <live.txt)" "$(of "$name:$tid" 2 <file.txt)" 0.005 500000
		ok "and the longest one is the same" near "$(of "$name:$tid" 5 <live.txt)" "$(of "$name:$tid" 5 <file.txt)" 0.01 20000
	done
}

# --- the kernel's own account, in BPF and in a file that is recorded at the same time ---

# A busy machine loses records, and then the truth is another one. So it is where the kernel hid a waking, as some kernels of virtual machines do while
# their agent runs; then perf tells a turn whose waking was not seen. And an interrupt, or the host, may come between two looks at the clock, which
# makes times differ, but not numbers.
busy_cpus
for attempt in {1..30}; do
	rm -rf one
	mkdir one
	run "$PERF" sched record -o sched.data -- "$PERF" sched latency -v -p -- python3 truth.py one
	printf '%s\n' "$out" >live.txt
	[ "$rc" = 0 ] || break
	"$PERF" sched latency -v -i sched.data -p >file.txt 2>file.err
	! grep -qE 'w[a-z]* missed|[^0-9][1-9][0-9]* turns whose waking was not seen' <<<"$err" && ! grep -qi 'lost' file.err || continue
	wrong=$(check_all | grep '^not ok')
	[ "$wrong" ] && ! grep -qE 'number of waits|as many waits' <<<"$wrong" || break
	note "$wrong"
done
idle_cpus
note "attempts: $attempt"
is "$rc" 0 "record and latency end with the command"
like "$out" 'Task +\| +Runtime +\| +Count +\| +Avg delay +\| +Max delay +\| +Max delay start +\| +Max delay end +\|' "the header is that of other perfs"
check_all
unlike "$out" 'swapper' "the idle task has no row"
unlike "$(cat live.txt)" 'kworker|ksoftirqd' "with a command, only its tasks have rows"

# --- views of the file ---

total() { # of a table on standard input: number of waits
	awk -F'|' '/^  TOTAL:/ { print $3 + 0 }'
}
all=$(total <file.txt)
long=$("$PERF" sched latency -i sched.data --filter 'period > 1ms' 2>filter.err | total)
short=$("$PERF" sched latency -i sched.data --filter '!(period > 1ms)' 2>filter.err | total)
ok "a filter and its opposite have all waits: ${long:-0} + ${short:-0} of $all" test "$((${long:-0} + ${short:-0}))" = "$all"
ok "and each has some" test "${long:-0}" -gt 0 -a "${short:-0}" -gt 0
is "$("$PERF" sched latency -i sched.data --filter 'comm == "spin-a"' 2>&1 | grep -c '^  [^T].*| ')" 1 "a filter by name leaves one row"
first=$("$PERF" sched latency -i sched.data --time 0%-50% 2>/dev/null | total)
ok "--time takes a part: $first of $all" test "$first" -gt 0 -a "$first" -lt "$all"
hist=$("$PERF" sched latency -i sched.data -H 2>/dev/null | sed -n '/Latency Range/,$p' | awk -F'|' '$2 ~ /^ *[0-9]+ *$/ { n += $2 } END { print n }')
is "$hist" "$all" "the histogram has all waits"
cpus=0
for cpu in $(seq 0 $(($(nproc --all) - 1))); do
	n=$("$PERF" sched latency -i sched.data -C "$cpu" 2>/dev/null | total)
	cpus=$((cpus + ${n:-0}))
done
is "$cpus" "$all" "the waits of all CPUs are those that end on each"

"$PERF" sched timehist -i sched.data >timehist.txt 2>timehist.err
is $? 0 "timehist reads the file"
read -r tid ran _ <one/spin-a
sum=$(awk -v who="spin-a[$tid]" 'index($0, who) { ms += $NF } END { printf "%.0f", ms * 1e6 }' timehist.txt)
ok "turns of a task add up to its runtime: $sum of $ran ns" near "$sum" "$ran" 0.03 5000000
"$PERF" sched timehist -i sched.data -s >summary.txt 2>timehist.err
# All that tasks ran, and all that CPUs were idle, is the time of all CPUs, but for the first and the last turn of each.
near_all=$(awk '/Total run time/ { run = $NF } / idle for / { idle += $5 } /Total scheduling time/ { gsub(/[()]/, ""); all = $5 * $7 }
	END { printf "%.3f %.3f", run + idle, all }' summary.txt)
ok "runtimes and idle times are the time of all CPUs: $near_all ms" near "${near_all% *}" "${near_all#* }" 0.05 50
is "$(awk '/Total number of unique/ { print $NF }' summary.txt)" "$(awk '/^ +[^ ].*\[[0-9\/]+\] +-?[0-9]+ +[0-9]+ / { n++ } END { print n }' summary.txt)" "the summary counts its tasks"
"$PERF" sched timehist -i sched.data --state >states.txt 2>timehist.err
"$PERF" sched timehist -i sched.data -s --state >waits.txt 2>timehist.err
"$PERF" script -i sched.data -F event,trace 2>script.err | grep sched_migrate_task >moves.txt
is "$(python3 "$SOURCE/tests/cmd/sched-sums.py" states.txt summary.txt waits.txt moves.txt 2>&1)" "" "its sums, means and deviations are those of the turns"
read -r from to < <(awk '$2 ~ /^\[/ { last = $1; if (!first) first = $1 } END { printf "%.6f %.6f\n", first * 0.75 + last * 0.25, first * 0.25 + last * 0.75 }' timehist.txt)
is "$("$PERF" sched timehist -i sched.data --time "$from,$to" 2>timehist.err | awk -v from="$from" -v to="$to" '
	$2 ~ /^\[/ { n++; begin = $1 - $NF / 1000; if ($1 < from - 2e-6 || $1 > to + 2e-6 || begin < from - 3e-6) print }
	END { if (!n) print "no turns" }')" "" "--time cuts turns at its ends"
like "$("$PERF" sched timehist -i sched.data --state -n 2>/dev/null)" 'sleeper\['"$(cut -d' ' -f1 one/sleeper)"'\] +[0-9.]+ +[0-9.]+ +[0-9.]+ +S +next: ' "a task that sleeps leaves in state S"
like "$("$PERF" sched timehist -i sched.data -w 2>/dev/null)" 'awakened: sleeper\[' "wakings are shown"
is "$("$PERF" sched timehist -i sched.data --tid "$tid" 2>/dev/null | tail -n +4 | grep -vc "spin-a\|python3\|perf")" 0 "a list of threads leaves out others"
run "$PERF" sched map -i sched.data
like "$out" '^ .*\*[A-Z][0-9] .* secs [A-Z][0-9] => spin-a:'"$tid" "map shows who gets the CPU"
n=$("$PERF" sched map -i sched.data --task-name spin-a 2>/dev/null | grep -c '\*[A-Z]')
ok "and how often, for a name: $n of $(of "spin-a:$tid" 3 <file.txt)" near "$n" "$(of "spin-a:$tid" 3 <file.txt)" 0.05 1 # some switches are hidden
run "$PERF" sched -i sched.data script
like "$out" 'sched:sched_switch' "script is perf script, and takes -i from before the subcommand"

if [ -n "$STOCK" ]; then
	"$STOCK" sched timehist -i sched.data >stock.txt 2>/dev/null
	for name in spin-a sleeper; do
		read -r tid _ <"one/$name"
		# Without the delay, which older perfs do not show of a task that lost its CPU. They mistake the turn in which a task ends, too.
		grep -F "${name}[$tid]" timehist.txt | head -n -1 | awk '{ $5 = ""; print }' >one.turns
		grep -F "${name}[$tid]" stock.txt | awk '{ $5 = ""; print }' | head -n "$(wc -l <one.turns)" >stock.turns
		ok "stock perf's timehist shows the same turns of $name" cmp one.turns stock.turns
	done
	is "$("$STOCK" sched map -i sched.data 2>/dev/null | grep -c secs)" "$("$PERF" sched map -i sched.data 2>/dev/null | grep -c secs)" "and its map has as many lines"
	"$STOCK" sched record -o stock.data -- sleep 0.2 >/dev/null 2>&1
	like "$("$PERF" sched latency -i stock.data 2>&1)" "TOTAL:" "we read what it records"
else
	skip 1 "stock perf's timehist shows the same: there is no stock perf"
fi

# --- watching ---

python3 -c '
import ctypes, os, time
ctypes.CDLL(None).prctl(15, b"many-sleeps")
end = time.monotonic() + 30
print(os.getpid(), flush=True)
while time.monotonic() < end:
    time.sleep(0.001)' >pid.txt &
sleeper=$!
spawned+=("$sleeper")
wait_for 10 test -s pid.txt
run "$PERF" sched latency -v --pid "$sleeper" -- sleep 0.5
ok "a running process is watched, and nothing else" test "$(grep -c '^  many-sleeps:' <<<"$out")" = 1 -a "$(grep -c '|' <<<"$out")" = 3
like "$err" '[0-9]+ switches, [0-9]+ waits counted' "-v tells what was counted"
run timeout 100 "$PERF" sched timehist -p "$sleeper" -- sleep 0.5
is "$rc" 0 "timehist runs a command"
ok "and shows what a process does meanwhile: $(grep -c "many-sleeps\[$sleeper\]" <<<"$out") turns" \
	test "$(grep -c "many-sleeps\[$sleeper\]" <<<"$out")" -ge 100
run timeout 100 "$PERF" sched timehist -a -s -- sh -c 'sleep 0.2; exit 3'
is "$rc:$(grep -c "many-sleeps\[$sleeper\]" <<<"$out")" 3:1 "-a is accepted, and the command's status is its own"
run "$PERF" sched timehist -i sched.data -a
like "$rc $err" '-i reads a file and watches nothing' "but not with a file"
run "$PERF" sched latency -p "$sleeper" -- sleep 0.3
is "$rc:$(grep -c "^  many-sleeps:$sleeper " <<<"$out"):$(grep -c '|' <<<"$out")" 0:1:3 "-p takes a process, too"
run "$PERF" sched latency --pid 1 -p "$sleeper" -- sleep 0.3
like "$rc $err" '-p [0-9]+ and --pid 1 both name processes' "but not twice"
run "$PERF" sched latency -p "$sleeper" -s max
is "$rc:$err" "129:  Error: give -s before -p $sleeper" "options behind it are refused"
run "$PERF" sched latency -a -g -p --filter 'comm == many-sleeps' -- sleep 0.5
like "$out" 'longest: until .*' "-g tells who had the CPU"
like "$out" '^ {10}[a-z_]' "and where the task was"
is "$(grep '^  [^T].*| ' <<<"$out" | grep -v '^  Task\|many-sleeps' | wc -l)" 0 "--filter leaves tasks of that name"
run "$PERF" sched latency -a -M 1 -- sh -c 'ls >/dev/null; ls >/dev/null'
like "$err" 'are in no row: there was no room for more tasks' "perf says what had no room"
kill "$sleeper" 2>/dev/null
spawn "$PERF" sched latency -b >ended.txt 2>&1
wait_for 60 in_loop "$spawned_pid"
kill -INT "$spawned_pid"
wait "$spawned_pid"
is "$?" 0 "without a command, a signal ends it well"
like "$(<ended.txt)" 'TOTAL:' "and the table is printed"
run "$PERF" sched latency -- sh -c 'exit 7'
is "$rc" 7 "the command's status is perf's"

# --- CPUs, and who had them, while perf watches ---

cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
# on_cpu LIST OPTIONS...: of two tasks that hand a byte to and fro, all on $cpu
on_cpu() {
	run taskset -c "$cpu" "$PERF" sched latency -C "$1" --filter 'comm == "proc1" || comm == "proc2"' "${@:2}" -- "$WORKLOAD" context_switch_loop 300
}
on_cpu "$cpu" -g
ok "-C: waits that end on this CPU are counted" test "$(total <<<"$out")" -ge 500
is "$(awk '/^  proc[12]:/ { task = $1 } / longest: until / { print task, $3 }' <<<"$out" | awk '{ n++; bad += ($1 == $2) } END { print n, bad + 0 }')" "2 0" \
	"-g tells which other task had the CPU"
if [ "$cpu" -gt 0 ]; then
	on_cpu "0-$((cpu - 1))"
	is "$rc:$(grep -c "^  proc[12]:" <<<"$out")" 0:0 "and those that end on others are not"
else
	skip 1 "there is one CPU only"
fi

# --- rights, namespaces, and a perf that is killed ---

run as_user "$PERF" sched latency -b -- touch ran
is "$rc:$(ls ran 2>/dev/null)" "255:" "without rights nothing is started"
like "$err" 'waits for CPUs are watched by BPF programs, for which this process lacks' "and one message says why"
is "$(wc -l <<<"$err")" 2 "with what to do"
run as_user "$PERF" sched record -o user.data -- touch ran
is "$rc:$(ls ran 2>/dev/null)" "$([ "$rc" = 129 ] && echo 129 || echo 255):" "nor is anything recorded"
run unshare --pid --fork --mount-proc "$PERF" sched latency -b -- touch ran
is "$rc:$(ls ran 2>/dev/null)" "255:" "in a PID namespace nothing is started either"
like "$err" 'which see the ids that tasks have outside of this pid namespace' "and a message says why"

"$PERF" sched record -q -g -o stacks.data -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' >/dev/null 2>&1
run "$PERF" sched latency -g -i stacks.data
like "$out" 'longest: until (.* left the CPU|the idle CPU took it), after' "-g tells it of a file, too"
unlike "$out" '__traceiter_' "without what calls the tracepoint"

watching() {
	watches "$1" 5 && grep -q Watching killed.err
}
spawn sleep 60
sleeper=$spawned_pid
spawn "$PERF" sched latency -b --pid "$sleeper" 2>killed.err
leaves_nothing "$spawned_pid" watching "$spawned_pid"
ok "and the task goes on" kill -0 "$sleeper"
kill "$sleeper"

# --- refusals ---

run "$PERF" sched latency -i sched.data -b
is "$rc" 129 "-i and -b exclude each other"
run "$PERF" sched latency -i sched.data ls
is "$rc" 129 "-i runs no command"
run "$PERF" sched latency -s speed -a true
is "$rc" 129 "an unknown key is refused"
run "$PERF" sched latency --hist-mode cubic -a true
is "$rc" 129 "an unknown mode is refused"
run "$PERF" sched timehist -i sched.data -s -w
is "$rc" 129 "-s and -w exclude each other"
run "$PERF" sched timehist -i sched.data --prio 140
is "$rc" 129 "no priority is 140"
run "$PERF" sched map -i sched.data true
is "$rc" 129 "map runs no command"
like "$err" 'perf sched map reads a recording and runs no command: leave out "true"' "and says so"
run "$PERF" sched timehist -i sched.data true
like "$rc $err" '-i reads a file and watches nothing: leave out true, or -i' "timehist runs none with -i"
run "$PERF" sched map -i sched.data --task-name ''
is "$rc:$err" "129:--task-name needs the names of tasks" "no name is not all names"
run "$PERF" sched -i sched.data record -- touch ran
is "$rc:$(ls ran 2>/dev/null)" 129: "-i before record is refused"
run "$PERF" sched map -i sched.data --fuzzy-name
is "$rc" 129 "--fuzzy-name without names"
for option in --vmlinux=none --symfs=none --kallsyms=none; do
	run "$PERF" sched latency $option -- true
	is "$rc" 129 "what does nothing while perf watches is refused: $option"
done
is "$("$PERF" sched -v map -i sched.data 2>/dev/null | grep -c ' => ')" "$("$PERF" sched map -v -i sched.data 2>/dev/null | grep -c ' => ')" "-v may come before map"
ok "where it names the task of each line" test "$("$PERF" sched -v map -i sched.data 2>/dev/null | grep -c ' => ')" -gt \
	"$("$PERF" sched map -i sched.data 2>/dev/null | grep -c ' => ')"
python3 - sched.data <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
table = at + size
for bit in range(256):
    if not data[72 + bit // 8] >> bit % 8 & 1:
        continue
    if bit == 7: # the numbers of CPUs, available and online
        struct.pack_into("<I", data, struct.unpack_from("<Q", data, table)[0] + 4, 0xffffffff)
    table += 16
open("cpus.data", "wb").write(data)
END
for options in "-s" "-V"; do
	run timeout 60 "$PERF" sched timehist $options -i cpus.data
	is "$rc" 0 "a number of CPUs that no machine has does not count: $options"
done
run "$PERF" sched timehits
is "$rc" 129 "an unknown subcommand is refused"
run "$PERF" sched latency --filter 'retval == 1' -- true
is "$rc" 129 "a filter on what a wait does not have is refused"
run "$PERF" sched latency -i none.data
is "$rc" 255 "no file"
"$PERF" record -o other.data -e cpu-clock -- true >/dev/null 2>&1
for view in latency timehist map; do
	run "$PERF" sched "$view" -i other.data
	is "$rc" 255 "$view: a file without switches is refused"
	like "$err" "other.data has no .*'perf sched record'" "with what to do"
	head -c $(($(stat -c %s sched.data) / 2)) sched.data >half.data
	run "$PERF" sched "$view" -i half.data
	ok "$view: half a file is shown up to there, or refused: $rc" test "$rc" = 1 -o "$rc" = 0 -o "$rc" = 255
	ok "$view: with a message" test -n "$err"
done

mkdir bin
printf '#!/bin/sh\n[ "$1" = --list-cmds ] && echo sched || echo "passed $*"\n' >bin/perf
chmod +x bin/perf
is "$(PATH=$PWD/bin:$PATH "$PERF" sched replay -r 3)" "passed sched replay -r 3" "replay goes to the next perf"
is "$(PATH=$PWD/bin:$PATH "$PERF" sched stats record)" "passed sched stats record" "as does stats"

done_testing

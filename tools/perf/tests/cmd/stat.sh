#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf stat: whom it counts, and when. The counts are known: system calls, page faults, switches.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# count EVENT: its count in $err, as -x ; prints it
count() {
	awk -F';' -v event="$1" '$3 == event { print $1 }' <<<"$err"
}

# stat ARGS...
stat() {
	run "$PERF" stat -x ';' "$@"
}

cat >calls.c <<'END'
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
int main(int argc, char **argv)
{
	int fd = open("/dev/null", O_WRONLY);

	for (int i = atoi(argv[1]); i > 0; i--)
		if (write(fd, "", 1) != 1)
			return 1;
	return 7;
}
END
cc -O1 -o calls calls.c || exit 1

# --- a command ---

writes=syscalls:sys_enter_write
stat -e $writes ./calls 100000
is "$rc" 7 "the exit status is that of the command"
is "$(count $writes)" 100000 "100000 writes are 100000 events"
stat -e $writes -- sh -c './calls 1000 & ./calls 500; wait'
is "$(count $writes)" 1500 "children are counted"
stat -i -e $writes -- sh -c './calls 1000; true'
is "$(count $writes)" 0 "and not with -i"
stat -e "{$writes,syscalls:sys_exit_write}" ./calls 1234
is "$(count $writes) $(count syscalls:sys_exit_write)" "1234 1234" "a group counts together"
run "$PERF" stat -e duration_time,user_time,system_time ./calls 100000
for pair in duration_time:'time elapsed' user_time:user system_time:sys; do
	ok "${pair%:*} is in the last lines, too" awk -v event="${pair%:*}" -v line="seconds ${pair#*:}" '
		$3 == event { ns = $1; gsub(",", "", ns) } index($0, line) { s = int($1 * 1e9 + 0.5) }
		END { exit !(ns != "" && s != "" && ns <= s && s - ns < (event == "duration_time" ? 1e9 : 1e3)) }' <<<"$err"
done
stat -a -e user_time,system_time,task-clock -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'
ok "times of CPUs" test "$(count user_time)" -gt 0
# --- levels ---

kernel=raw_syscalls:sys_enter # unlike those of one call it happens in the kernel
stat --all-kernel -e $kernel ./calls 700
ok "--all-kernel counts what happens in the kernel" test "$(count $kernel)" -ge 700
stat --all-user -e $kernel ./calls 700
is "$(count $kernel)" 0 "--all-user does not"
stat --all-user -a --for-each-cgroup /,/ -e $kernel ./calls 700
is "$(count $kernel)" $'0\n0' "nor in any cgroup"

refused() { # what, message, arguments..., message, arguments...
	run "$PERF" "${@:3}"
	is "$rc" 129 "$1"
	like "$err" "$2" "is refused"
}
refused "both levels" "--all-user and --all-kernel exclude each other" stat --all-user --all-kernel true
refused "a time in a group" 'user_time takes no terms .* in no group' stat -e '{cs,user_time}' true
refused "a time with a filter" 'user_time does not go with a filter' stat -e user_time --filter 'pid > 1' true
refused "CPU time of cgroups" 'user_time does not go with cgroups' stat -a -e user_time --for-each-cgroup / true
refused "a map of other perfs" 'without a pinned map .*leave it out' stat --bpf-attr-map /sys/fs/bpf/perf_attr_map true
for option in --affinity --no-affinity; do
	run "$PERF" stat $option -e cs true
	is "$rc" 0 "$option is accepted"
done
run "$PERF" record -o times.data -e duration_time true
like "$err" 'duration_time has a count, and no samples' "times cannot be sampled"
stat -r 3 -e $writes ./calls 200
like "$err" "^200;;$writes;0.00%;" "three runs with the same count have no noise"
run "$PERF" stat -e cs sh -c 'kill -KILL $$'
is "$rc" 137 "a command that is killed by a signal"
like "$err" ' cs ' "has counts, too"
run "$PERF" stat -e cs ./nosuch
is "$rc" 255 "a command that does not exist"
like "$err" "Failed to run './nosuch': No such file" "is named"
stat -e $writes -D 100000 --timeout 200000 -- ./calls 100
is "$(count $writes)" "<not counted>" "a command that ends before -D is not counted"
stat -n ./calls 1
is "$rc:$err" "7:" "-n counts nothing"
run "$PERF" stat --timeout 20 -e cs -- sleep 1000
is "$rc" 0 "--timeout ends a command"
run "$PERF" stat --pre 'echo before >>hooks' --post 'echo after >>hooks' -r 2 -e cs true
is "$(paste -sd ' ' hooks)" "before after before after" "--pre and --post surround each run"
run "$PERF" stat --pre false -e cs touch never
is "$rc" 255 "a --pre that fails ends perf stat"
ok "and nothing is run" test ! -e never

# A task that sleeps was counted: it did nothing.
stat -I 50 --interval-count 4 -e cs,task-clock -- sleep 1000
is "$rc" 0 "-I with --interval-count ends"
unlike "$err" 'not counted' "an interval in which the task slept has a count"
is "$(grep -c ';cs;' <<<"$err")" 4 "there are four intervals"

# --- tasks ---

# A process that waits for a line, then writes.
mkfifo go
spawn sh -c 'read -r n <go; ./calls "$n"; read -r n <go'
target=$spawned_pid
exec 8<>go
spawn "$PERF" stat -x ';' -o counted -e $writes -p "$target"
counting=$spawned_pid
# The events are open once perf has that many descriptors for them.
is_open() {
	find "/proc/$counting/fd" -lname '*perf_event*' 2>/dev/null | grep -q .
}
ok "events on a process are open" wait_for 60 is_open
echo 321 >&8
echo end >&8
wait "$counting"
is "$?" 0 "-p ends with its process"
err=$(<counted)
is "$(count $writes)" 321 "-p counts it and its children"
run "$PERF" stat -e cs -p 2147483647
is "$rc" 255 "there is no such process"
like "$err" 'there is no process with id 2147483647' "with a message"
# Nobody waits for the child, which ends once its parent is another program: its id stays.
mkfifo may-end
bash -c 'cat may-end & echo $! >ended; exec sleep 1000' &
parent=$!
spawned+=("$parent")
until [ "$(</proc/$parent/comm)" = sleep ]; do sleep 0.01; done
: >may-end
until grep -q '^State:.Z' "/proc/$(<ended)/status"; do sleep 0.01; done
for command in "" "true"; do
	run "$PERF" stat -e cs -p "$(<ended)" $command
	is "$rc" 255 "a process that has ended cannot be counted${command:+ beside a command}"
	like "$err" 'have ended' "as perf says"
done
run "$PERF" stat -I 0 -e cs true
is "$rc" 129 "-I 0 is refused"
like "$err" '-I takes at least 1 ms' "with a message"
sleep 1000 &
sleeper=$!
spawned+=("$sleeper")
ok "a process sleeps" wait_for 60 grep -q nanosleep "/proc/$sleeper/wchan"
stat -e cs,task-clock -p $sleeper --timeout 20
is "$(count cs) $(count task-clock)" "0 0.00" "a process that sleeps has the count 0"
stat -e cs --per-thread -t $sleeper --timeout 20
like "$err" "^sleep-$sleeper;0;;cs;0;100.00;;\$" "--per-thread names it"
kill "$sleeper"
run "$PERF" stat -e cs -u nobody-of-that-name
is "$rc" 129 "an unknown user is refused"

# --- CPUs ---

stat -a -A -e cpu-clock -- sleep 0.05
is "$(grep -c '^CPU[0-9]*;' <<<"$err")" "$(getconf _NPROCESSORS_ONLN)" "-A has a line for each CPU"
stat -C 0 -e $writes -- taskset -c 0 ./calls 5000
ok "-C counts all tasks of a CPU" test "$(count $writes)" -ge 5000
for by in core socket die node cluster; do
	stat -a --per-$by -e cpu-clock -- true
	is "$(awk -F';' '{ n += $2 } END { print n }' <<<"$err")" "$(getconf _NPROCESSORS_ONLN)" "--per-$by adds up all CPUs"
done
run "$PERF" stat --per-core -e cs true
is "$rc" 129 "--per-core is for all tasks"
run "$PERF" stat -C 4095 -e cs true
is "$rc" 255 "a CPU that is not there"

# --- cgroups ---

cgroup=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$cgroup" ] && mkdir "$cgroup/stat-test-$$" "$cgroup/stat-test-$$/below" 2>/dev/null; then
	name=stat-test-$$
	trap 'rmdir "$cgroup/$name/below" "$cgroup/$name"; cleanup' EXIT
	stat -a --for-each-cgroup "$name,$name/below" -e $writes -- sh -c 'echo 0 >"$0/cgroup.procs"; ./calls 300; exit 0' "$cgroup/$name/below"
	is "$rc" 0 "--for-each-cgroup"
	# The shell's own writes, to join: it is in the cgroup only when they are over.
	is "$(awk -F';' '{ print $1 }' <<<"$err" | paste -sd ' ')" "300 300" "a cgroup has what those below it have"
	is "$(awk -F';' '{ print $4 }' <<<"$err" | paste -sd ' ')" "$name $name/below" "and is named in its line"
	stat -a -e $writes -G "$name" -- ./calls 10
	is "$(count $writes)" 0 "-G counts no others"
	stat -a --for-each-cgroup "^$name/be.*w$" -e cs -- true
	is "$(awk -F';' '{ print $4 }' <<<"$err")" "$name/below" "a regular expression finds cgroups"
	# Anyone who may make one may name it so that it controls a terminal, or ends a text.
	hostile=$name/a$'\e[31m"\xc2\x9b31m'x
	mkdir "$cgroup/$hostile" || exit
	for form in "" "-x ," "-x , --per-thread" "-j" "-j --metric-only" "--metric-only" "-I 50" "-x , --metric-only"; do
		# shellcheck disable=SC2086 # options
		run "$PERF" stat $form -a -e task-clock -G "$hostile" -o hostile.txt -- sleep 0.1
		is "$(tr -d '\n\t -~' <hostile.txt | wc -c)" 0 "no control characters of a cgroup's name: $form"
	done
	run "$PERF" stat -j --metric-only -a -e task-clock -G "$hostile" -- true
	echo "$err" >hostile.json
	ok "a JSON object has it" python3 -c 'import json; json.load(open("hostile.json"))'
	rmdir "$cgroup/$hostile"
else
	skip 14 "no cgroup can be made here"
fi
run "$PERF" stat -a --for-each-cgroup no/such/cgroup -e cs -- true
is "$rc" 255 "a cgroup that does not exist is an error"
like "$err" 'there is no cgroup "no/such/cgroup"' "with a message"
run "$PERF" stat --for-each-cgroup / -e cs -- true
is "$rc" 129 "cgroups are for all tasks"

# --- commands from outside ---

mkfifo ctl ack
exec 6<>ctl 7<>ack
spawn "$PERF" stat -x ';' -o controlled -D -1 --control fifo:ctl,ack -e "$writes,syscalls:sys_exit_write" -t $$ -- sleep 1000
counting=$spawned_pid
command() {
	local answer
	echo "$1" >&6
	read -r -t 120 answer <&7
	is "$answer" ack "$1 is carried out"
}
command ping
echo lost >/dev/null
command "enable $writes"
for ((i = 0; i < 50; i++)); do
	echo x
done >/dev/null
command disable
command stop
wait "$counting"
err=$(<controlled)
# 50, and the command "disable" and what the check above printed
ok "events count while they are enabled" test "$(count $writes)" -ge 50 -a "$(count $writes)" -le 60
is "$(count syscalls:sys_exit_write)" "<not counted>" "and those that never were enabled are not counted"

# --- several runs ---

# The third run sends its perf a signal.
rm -f runs
run "$PERF" stat -I 1000 --summary --table -r 40 -e task-clock -- sh -c 'echo >>runs; [ "$(wc -l <runs)" -lt 3 ] || kill -INT $PPID'
like "$err" '\(3 runs\):' "the title has the runs that were made"
is "$(grep -cE '^ +[0-9.]+ \([-+][0-9.]+\)' <<<"$err")" 3 "and so has the table"
run "$PERF" stat -v -r 3 -e task-clock -- true
is "$(awk '$1 == "task-clock:" { print ($2 == $3 && $3 == $4) }' <<<"$err")" 1 "the raw counts are those of all runs"
# Each run leaves one more task to the user.
run "$PERF" stat -u root -r 3 -e task-clock -- sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! >>left'
is "$rc" 0 "the user's tasks may change between runs"
while read -r pid; do
	kill "$pid"
done <left

# --- writing ---

for format in '' -j '-x,'; do
	run "$PERF" stat -o /dev/full ${format:+"$format"} -e task-clock -- true
	is "$rc" 255 "a full disk ends perf stat $format"
	like "$err" 'cannot write /dev/full: ' "with a message"
done
for output in '-o /dev/stdout' ''; do
	run timeout 60 sh -c '"$@" 2>&1 | head -n 1' sh "$PERF" stat -I 50 -a -e context-switches $output
	is "$rc:$(wc -l <<<"$out")" 0:1 "intervals end with their reader: ${output:-stderr}"
done
done_testing

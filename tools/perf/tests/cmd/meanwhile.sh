#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tasks that start and end while a recording begins: with -p and -t none is recorded without the filter, and none is forgotten; with -a each that has
# samples has a name.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# Perf runs with a library that lets the target start tasks at the moments that matter.
${CC:-cc} -shared -fPIC -o start.so "$SOURCE/tests/cmd/start.c" -ldl 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

mkfifo ask answer
exec 8<>ask 9<>answer # so that nobody waits for the other end, or sees the end of it

# target KIND: a new one, which starts threads, children or siblings; its id in $target. All run on the CPU whose events are opened first.
target() {
	# shellcheck disable=SC2016 # for the inner shell
	spawn taskset -c 0 sh -c 'exec "$WORKLOAD" starter "$1" <ask >answer' sh "$1"
	target=$spawned_pid
}

# "${napped[@]}" PID: a command that ends when each thread and child of the process has left the CPU a few times, and some time has gone by
# shellcheck disable=SC2016 # for the inner shell
napped=(bash -c 'naps() { sed -n "s/^voluntary_ctxt_switches:.//p" "$1/status" 2>/dev/null; }
	sleep 0.3
	for task in $(find "/proc/$1/task" -mindepth 1 -maxdepth 1 ! -name "$1") $(pgrep -P "$1" | sed "s,^,/proc/,"); do
		from=$(naps "$task")
		while now=$(naps "$task"); [ -n "$now" ] && [ "$now" -lt $((from + 3)) ]; do sleep 0.01; done
	done' bash)

# recording AT NR KIND COMMAND OPTIONS...: of a new target, which starts a task NR times
recording() {
	local at=$1 nr=$2
	rm -f r.data
	target "$3"
	shift 3
	START_AT=$at START_NR=$nr run preloaded "$PWD/start.so" "$PERF" "$@" "$target" -o r.data -- "${napped[@]}" "$target"
	kill "$target"
	wait "$target" 2>/dev/null
}

# --- a task that inherits the event before its program is attached ---

while read -r kind options; do
	# shellcheck disable=SC2086 # words
	recording attach 3 "$kind" record -e cs -c 1 --filter 'tid == 1' $options
	counts ""
	is "$rc:$kept:$(samples r.data tid | wc -l)" "0:0:0" "three $kind, ${options% *}: none is recorded unfiltered"
	[ "$kind $options" != "threads -p" ] || ok "they are recorded" test "$seen" -gt 0
done <<EOF2
threads -t
threads -p
children -t
children -p
siblings -t
siblings -p
threads -m 1 -t
EOF2

recording attach 1 children record -e '{cs,page-faults}' -c 1 --filter 'tid == 1' -p
is "$rc:$(samples r.data tid | wc -l)" "0:0" "a group: the leader's program"
recording attach 3 siblings record -e '{cs,page-faults}' -c 1 --filter 'tid == 1' -p
is "$rc:$(samples r.data tid | wc -l)" "0:0" "a group: the programs of leader and member"
recording attach 3 siblings sample-bpf -e cs -c 1 -p
is "$rc" 0 "sample-bpf: no sample is written that is to be counted" # it compares

# --- always one that is too early ---

for options in "-e cs -c 1 --filter tid==1" "-e {cs,page-faults} -c 1 --filter tid==1"; do
	# shellcheck disable=SC2086 # words
	recording attach -1 siblings record $options -p
	ok "$options: a task starts each time: nothing is recorded" test "$rc" = 255 -a ! -e r.data
	like "$err" 'start others faster than BPF programs' "and it is said why"
done
recording attach -1 siblings record -e cs -c 1 --filter tid==1 --no-inherit -p
is "$rc" 0 "what is not inherited can be recorded"

# --- a thread that was not there when threads were listed, of one that had no events yet ---

recording open 1 threads record -e cs -c 1 -p
is "$rc" 0 "a thread starts before the first event is opened"
ok "it is recorded" test "$(samples r.data tid | grep -vcx "$target")" -gt 0
recording open 1 threads record -e cs -c 1 --filter "tid != $target" -p
ok "and with a filter" test "$rc:$(samples r.data tid | sort -u | wc -l)" = 0:1

# --- all tasks: those that end before they are listed, and those that start afterwards ---

# Starts a program and prints its id; when that ends it is gone at once, without having been waited for.
cat >parent.c <<'EOC'
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t child;

	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[1], argv + 1);
		return 1;
	}
	printf("%d\n", child);
	fflush(stdout);
	for (;;)
		pause();
}
EOC
${CC:-cc} -o parent parent.c || skip_all "needs a C compiler"

# meanwhile COMMAND OPTIONS...: while it begins to record all tasks, $ended ends, and a child of $target starts
meanwhile() {
	rm -f a.data
	: >pid
	spawn ./parent "$WORKLOAD" noploop 1000 >pid
	parent=$spawned_pid
	wait_for 20 test -s pid
	ended=$(<pid)
	target children
	START_AT=listed START_NR=1 END_PID=$ended run preloaded "$PWD/start.so" "$PERF" "$@" -a -o a.data -- "${napped[@]}" "$target"
	kill "$target" "$parent"
	wait "$target" "$parent" 2>/dev/null
	"$PERF" script -i a.data -F comm,tid 2>/dev/null >a.txt
}
# Rings with room for all: a lost record would be a task without a name.
events="-m 8M -e cpu-clock/freq=999/ -e cs/period=1/"
for how in "record $events" "record $events -C 0-$(($(nproc) - 1))" "sample-bpf $events"; do
	# shellcheck disable=SC2086 # words
	meanwhile $how
	is "$rc:$(awk -v name=":$ended" '$1 == name' a.txt | wc -l)" "0:0" "perf $how -a: who has ended before has no samples without a name"
	ok "who has started since has a name" test "$(grep -c '^ *workload ' a.txt)" -gt 0
	is "$(awk '$1 ~ /^:[0-9]/ { print $1 }' a.txt | sort | uniq -c)" "" "as all have"
done

done_testing

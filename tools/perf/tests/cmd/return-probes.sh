#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Stacks of programs whose functions have return probes: the kernel has put the address of its trampoline in place of their return
# addresses, in the middle of each stack.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >f.c <<'C'
#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>
static jmp_buf back;
static int sleeps;
#define FUNCTION(x) __attribute__((noinline, noclone)) x
FUNCTION(void leaf(void))
{
	for (volatile int i = 0; i < 1000; i++)
		;
	if (sleeps)
		usleep(sleeps * 1000);
}
FUNCTION(int outer(int n));
FUNCTION(int probed(int n))
{
	if (n > 0)
		n += outer(n - 1);
	else
		leaf();
	__asm__ volatile("" ::: "memory");
	return n;
}
FUNCTION(int outer(int n))
{
	int ret = probed(n);
	__asm__ volatile("" ::: "memory");
	return ret;
}
#ifdef __x86_64__ /* no rule of BPF expresses how its caller is found */
void hard(int n);
asm(".text\n.type hard, @function\nhard: .cfi_startproc\n"
    "sub $8, %rsp\n .cfi_escape 0x0f, 4, 0x77, 8, 0x38, 0x22\n"
    "call outer\n"
    "add $8, %rsp\n .cfi_def_cfa rsp, 8\n"
    "ret\n .cfi_endproc\n .size hard, . - hard\n");
#else
#define hard outer
#endif
FUNCTION(void left(void)) { longjmp(back, 1); }
int main(int argc, char **argv)
{
	sleeps = argc > 1 && !strcmp(argv[1], "sleeps");
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	while (argc > 1 && !strcmp(argv[1], "short") && access("go", F_OK))
		usleep(1000);
	for (int i = 0; i < (argc > 1 && !strcmp(argv[1], "short") ? 50000 : 1 << 30); i++) {
		if (!setjmp(back))
			left();
		if (argc > 1 && !strcmp(argv[1], "hard"))
			hard(2);
		else
			outer(2);
	}
	return 0;
}
C
"${CC:-cc}" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o f f.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
address() {
	nm f | awk -v name="$1" '$3 == name { print $1 }'
}
group=perf_return_$$

# shellcheck disable=SC2016 # for the inner shell
set_uprobes() {
	with_tracefs sh -c 'for line; do echo "$line" >>/sys/kernel/tracing/uprobe_events || exit; done' sh "$@" 2>/dev/null
}
remove() {
	set_uprobes "-:$group/probed"
	set_uprobes "-:$group/left"
	set_uprobes "-:$group/leaf"
}
trap 'remove; cleanup' EXIT
set_uprobes "r:$group/probed $PWD/f:0x$(address probed)" "r:$group/left $PWD/f:0x$(address left)" "p:$group/leaf $PWD/f:0x$(address leaf)" ||
	skip_all "this kernel has no uprobes, or tracefs may not be written"

# start ARGS...: the program, and a recording that keeps the return probes active
start() {
	rm -f ready
	spawn ./f "$@"
	program=$spawned_pid
	wait_for 10 test -e ready
	spawn "$PERF" record -q -e "$group:probed,$group:left" -p "$program" -o probes.data
	probes=$spawned_pid
	wait_for 10 test -s probes.data
}
stop() {
	{ kill -INT "$probes" && wait "$probes"; } 2>/dev/null
	{ kill -KILL "$program" && wait "$program"; } 2>/dev/null
	return 0
}
want='main;outer;probed;outer;probed;outer;probed;leaf'

# whole WHAT DATA: all stacks that go through leaf are the known one
whole() {
	local stacks
	stacks=$("$PERF" report -i "$2" --folded=samples 2>/dev/null | grep -o '[^ ]*;leaf' | sed 's/.*;main;/main;/' | sort | uniq -c)
	like "$stacks" "^ *[0-9]+ $want\$" "$1: the known stack is there"
	is "$(grep -v " $want\$" <<<"$stacks")" "" "$1: and no other"
}

start
run timeout 100 "$PERF" record -e cpu-clock:u -F 999 -g -p "$program" -o g.data -- sleep 0.5
is "$rc" 0 "samples: recorded"
whole "samples" g.data
run timeout 100 "$PERF" sample-bpf -e cpu-clock:u -F 999 -g -p "$program" -o tally.data -- sleep 0.5
is "$rc" 0 "sample-bpf: recorded"
whole "sample-bpf" tally.data
run timeout 100 "$PERF" record -e "$group:leaf" -g -p "$program" -o uprobe.data -- sleep 0.2
is "$rc" 0 "a uprobe: recorded"
whole "a uprobe" uprobe.data
stop

start short
run timeout 100 "$PERF" record -e cpu-clock:u -F 4999 -g -p "$program" -o short.data -- sh -c ': >go; sleep 1'
is "$rc" 0 "functions that return often: recorded"
whole "functions that return often" short.data
ends=$("$PERF" report -i short.data --folded=samples | grep -E '^[^;]*;(\[uprobes\]|probed|outer)')
is "$ends" "" "functions that return often: no stack ends in the middle"
stop

if [ "$(uname -m)" = x86_64 ]; then
	start hard
	run timeout 100 "$PERF" record -v -e cpu-clock:u -F 999 -g -p "$program" -o hard.data -- sleep 0.5
	is "$rc" 0 "stacks that user space finishes: recorded"
	like "$err" 'stacks for user space: .* [1-9][0-9]* that need DWARF' "stacks that user space finishes: there are some"
	want=${want/main;/main;hard;} whole "stacks that user space finishes" hard.data
	stop
else
	skip 4 "stacks that user space finishes: nobody knows where functions of this machine store return addresses"
fi

start sleeps
run timeout 100 "$PERF" record --off-cpu --off-cpu-thresh 0 -g -p "$program" -o off.data -- sleep 0.5
is "$rc" 0 "off-CPU: recorded"
whole "off-CPU" off.data '(usleep;.*|usleep)'
run timeout 100 "$PERF" record --wall -g -p "$program" -o wall.data -- sleep 0.5
is "$rc" 0 "wall: recorded"
whole "wall" wall.data
run timeout 100 "$PERF" record -e syscalls:sys_enter_clock_nanosleep -g -p "$program" -o call.data -- sleep 0.5
is "$rc" 0 "a system call: recorded"
whole "a system call" call.data
run timeout 100 "$PERF" stacks --folded -p "$program"
like "$out" "$want(;[^ ]*)? 1\$" "perf stacks: the known stack"
stop

done_testing

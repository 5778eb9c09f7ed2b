#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# --call-graph bpf for all that BPF programs record and count besides samples of perf events: whole user stacks of a program without
# frame pointers, whose chain is known.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all "perf unwinds programs of x86-64 and arm64 only" ;;
esac
place=$(mktemp -d /tmp/unwind-test.XXXXXX) || exit 1
group=perf_test_$$
# shellcheck disable=SC2016 # for the inner shell
set_uprobe() {
	with_tracefs sh -c 'echo "$1" >>/sys/kernel/tracing/uprobe_events' sh "$1" 2>/dev/null
}
trap 'set_uprobe "-:$group/nap"; rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1

# It says that it runs, and waits at one pipe; then it naps, and waits at the other one for its end. With a number it naps once.
# HARD: the chain has a frame whose caller is found by a DWARF expression, which no rule of BPF expresses; and it works after naps.
cat >prog.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sink;
#define FUNCTION __attribute__((noinline, noclone)) void
FUNCTION nap(void)
{
	struct timespec ts = { .tv_nsec = 100000 };
	nanosleep(&ts, NULL);
#ifdef HARD
	for (int i = 0; i < 200000; i++)
		sink++;
#endif
	sink++;
}
#ifdef HARD
void by_expression(void);
asm(".text\n"
    ".type by_expression, @function\n"
    "by_expression: .cfi_startproc\n"
    "sub $8, %rsp\n .cfi_escape 0x0f, 4, 0x77, 8, 0x38, 0x22\n"
    "call nap\n"
    "add $8, %rsp\n .cfi_def_cfa rsp, 8\n"
    "ret\n .cfi_endproc\n .size by_expression, . - by_expression\n");
#else
#define by_expression nap
#endif
FUNCTION step(int depth)
{
	volatile char frame[200];
	frame[depth % 200] = 1;
	if (depth)
		step(depth - 1);
	else
		by_expression();
	sink += frame[depth % 200];
}
int main(int argc, char **argv)
{
	if (argc > 1) {
		step(atoi(argv[1]));
		return 0;
	}
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	close(open("begin", O_RDONLY));
	for (int i = 0; i < 200; i++)
		step(20);
	close(open("end", O_WRONLY));
	return 0;
}
END
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
mkfifo begin end
run "$PERF" record -e cpu-clock:u --call-graph bpf -- true
[[ $err != *"--call-graph bpf needs "*" Linux "* ]] || skip_all "$err"
steps=$(printf ' step%.0s' {0..20})
chain="main$steps nap"

prog=prog
# napping COMMAND...: run perf on the program, which runs already, so that its tables are there from the start
napping() {
	rm -f ready
	spawn "./$prog"
	wait_for 10 test -e ready
	run timeout 100 "$PERF" "$@" -p "$spawned_pid" -- sh -c ': >begin; : <end'
	wait "$spawned_pid"
}

# naps PERF EVENT: different chains of the event's samples in nap(), outermost first, from main to nap
naps() {
	with_tracefs "$1" script -i perf.data -F event,ip,sym 2>/dev/null | awk -v event="$2" '
		function flush() { if (wanted && chain ~ / nap( |$)/) print chain; chain = "" }
		NF == 0 { flush(); next }
		/^ *[^ \t].*: *$/ && !/^\t/ { wanted = index($0, event ":"); next }
		{ sub(/\+.*/, "", $2); chain = " " $2 chain }
		END { flush() }' | sed -E 's/.* (main .* nap)( .*)?$/\1/'
}

# whole WHAT EVENT: all samples of naps are whole. Each nap has one, but a task may be woken before it sleeps.
whole() {
	local found
	found=$(naps "$PERF" "$2")
	is "$(sort -u <<<"$found")" "$chain" "$1: the only chain of naps is the known one"
	case $2 in
	sched:* | off*) ;;
	*) is "$(wc -l <<<"$found")" 200 "$1: each nap has a sample" ;;
	esac
	[ -n "$STOCK" ] || return
	is "$(naps "$STOCK" "$2")" "$found" "$1: stock perf reads the same"
}

napping record -e off-cpu --off-cpu-thresh 0 --call-graph bpf
is "$rc" 0 "off-CPU time: recorded"
like "$err" '^offcpu-time: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "off-CPU time: every stack is whole"
whole "off-CPU time" offcpu-time

napping record -e off-cpu --off-cpu-thresh 600000 --call-graph bpf
is "$(naps "$PERF" offcpu-time)" "main$steps nap" "sums of sleeps: one for the stack of all naps"

# The first naps are finished in user space, as the program has no table yet, and have the same stack.
mkdir fresh
cp prog fresh/prog
touch fresh/begin fresh/end
(cd fresh && exec timeout 100 "$PERF" record -q -e off-cpu --off-cpu-thresh 600000 --call-graph bpf -o ../perf.data -- ./prog) 2>/dev/null
is "$(naps "$PERF" offcpu-time)" "main$steps nap" "sums of sleeps: one for the stack of all naps, whoever finished it"

napping record -v -e cpu-clock -e sched:sched_switch -e syscalls:sys_enter_clock_nanosleep -e syscalls:sys_exit_clock_nanosleep --off-cpu \
	--off-cpu-thresh 0 --call-graph bpf
is "$rc" 0 "all in one file: recorded"
for event in sched:sched_switch syscalls:sys_enter_clock_nanosleep syscalls:sys_exit_clock_nanosleep offcpu-time; do
	whole "$event in one file" "$event"
done
is "$(grep -c ' tables of ' <<<"$err")" 1 "all in one file: they share the tables"

napping record -e sched:sched_switch --filter 'uid == 0 && prev_pid > 0' --call-graph bpf
is "$rc" 0 "a tracepoint with a filter: recorded"
whole "a tracepoint with a filter" sched:sched_switch

# folded: different chains of counted samples in nap()
folded() {
	tr ';' ' ' <<<"$out" | sed -nE 's/^(.* )?(prog|hard) (.* )?(main .* nap)( .*)? ([0-9]+)$/\4/p' | sort -u
}
for event in off-cpu sched:sched_switch syscalls:sys_enter_clock_nanosleep; do
	napping sample-bpf -e "$event" --call-graph bpf --folded
	is "$rc" 0 "counted $event: counted"
	is "$(folded)" "main$steps nap" "counted $event: the only chain of naps is the known one"
	is "$(grep -c ';nap;' <<<"$out")" "$(grep -c ';main;.*;nap;' <<<"$out")" "counted $event: no chain is cut"
	like "$err" 'user stacks, 100\.0 % of them whole' "counted $event: every stack is whole"
done

rm -f ready
spawn ./prog
wait_for 10 test -e ready
run "$PERF" sample-bpf -e cpu-clock -F 999 --call-graph bpf --folded -a -- "$WORKLOAD" noploop 0.2
: >begin
: <end
is "$rc" 0 "counted samples: counted"
like "$out" ';main;.*noploop' "counted samples: their stacks go down to main"

# Without a process in the key, frames are places in files: equal stacks of many processes, each with addresses of its own, are one row.
many=many$$
cp prog "$many"
rm -f ready
spawn "./$many" # so that the tables are there
wait_for 10 test -e ready
# shellcheck disable=SC2016 # for the inner shell
processes=(sh -c 'i=0; while [ $((i += 1)) -le 50 ]; do "$0" 20; "$0" 20; "$0" 3; "$0" 20; done' "./$many")
naps_of_many=(-a -e syscalls:sys_enter_clock_nanosleep --filter "comm == $many" --call-graph bpf)
run "$PERF" sample-bpf "${naps_of_many[@]}" --key comm,ustack -- "${processes[@]}"
is "$rc" 0 "many processes: counted"
like "$err" 'Counted 200 samples in 2 keys' "many processes: a row for each stack"
rows=$("$PERF" report -i perf.data --folded=samples 2>/dev/null)
is "$(sed -nE 's/.*;(main;.*;nap);.* ([0-9]+)$/\1 \2/p' <<<"$rows")" "$(printf 'main%s;nap 50\nmain%s;nap 150' "$(printf ';step%.0s' {0..3})" "${steps// /;}")" \
	"many processes: they have names and numbers"
run "$PERF" sample-bpf "${naps_of_many[@]}" --key ustack --folded -- "${processes[@]}"
is "$(sed -nE 's/.*;(main;.*;nap);.* ([0-9]+)$/\1 \2/p' <<<"$out" | awk '{ print $2 }' | sort -n | xargs)" "50 150" "many processes: also without a command"
if [ -n "$STOCK" ]; then
	is "$(with_tracefs "$STOCK" report -i perf.data --stdio -g caller --no-children 2>/dev/null | grep -cE '( |-)nap$')" 2 \
		"many processes: stock perf names the functions"
	is "$(with_tracefs "$STOCK" report -i perf.data --stdio -g none --no-children -F overhead,comm,sym 2>/dev/null | grep -v '^#' | grep -c '100.00%')" 1 \
		"many processes: and sums them up"
fi
run "$PERF" record "${naps_of_many[@]}" -- "${processes[@]}"
is "$("$PERF" report -i perf.data --folded=samples 2>/dev/null)" "$rows" "many processes: perf record has the same stacks and numbers"
: >begin
: <end

if set_uprobe "p:$group/nap $PWD/prog:0x$(nm prog | awk '$3 == "nap" { print $1 }')"; then
	napping record -e "$group:nap" --call-graph bpf
	is "$rc" 0 "a uprobe: recorded"
	whole "a uprobe" "$group:nap"
	like "$err" "^$group:nap: 200 user stacks, 100\.0 % of them whole\$" "a uprobe: every stack is whole"
fi

# Stacks that BPF cannot finish are finished in user space, whoever takes them.
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -DHARD -o hard prog.c 2>>cc.txt; then
	prog=hard chain="main$steps by_expression nap"
	finished='^  [1-9][0-9]* were finished outside BPF$'
	for event in off-cpu sched:sched_switch syscalls:sys_enter_clock_nanosleep; do
		name=${event/off-cpu/offcpu-time} each=()
		[ "$event" != off-cpu ] || each=(--off-cpu-thresh 0)
		napping record -e "$event" "${each[@]}" --call-graph bpf
		is "$rc" 0 "unfinished $event: recorded"
		whole "unfinished $event" "$name"
		like "$err" "^$name: [1-9][0-9]+ user stacks, 100\.0 % of them whole\$" "unfinished $event: every stack is whole"
		like "$err" "$finished" "unfinished $event: some were finished in user space"
	done
	napping record -e off-cpu --off-cpu-thresh 600000 --call-graph bpf
	is "$(naps "$PERF" offcpu-time)" "$chain" "unfinished sums of sleeps: one for the stack of all naps"
	like "$err" '^offcpu-time: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "unfinished sums of sleeps: every stack is whole"
	for event in off-cpu sched:sched_switch syscalls:sys_enter_clock_nanosleep cpu-clock:u; do
		napping sample-bpf -e "$event" --call-graph bpf --folded
		is "$rc" 0 "unfinished counted $event: counted"
		is "$(folded | grep -v ' nap .* nap')" "$chain" "unfinished counted $event: the only chain of naps is the known one"
		is "$(grep -c ';nap[; ]' <<<"$out")" "$(grep -cE ';main;.*;by_expression;nap[; ]' <<<"$out")" "unfinished counted $event: no chain is cut"
		like "$err" 'user stacks, 100\.0 % of them whole' "unfinished counted $event: every stack is whole"
		like "$err" "$finished" "unfinished counted $event: some were finished in user space"
	done
	rm -f ready
	spawn ./hard # so that the tables are there
	wait_for 10 test -e ready
	# shellcheck disable=SC2016 # for the inner shell
	run "$PERF" sample-bpf -a -e syscalls:sys_enter_clock_nanosleep --filter 'comm == hard' --call-graph bpf --key comm,ustack -- \
		sh -c 'i=0; while [ $((i += 1)) -le 20 ]; do ./hard 20; ./hard 3; done'
	like "$err" 'Counted 40 samples in 2 keys' "unfinished stacks of many processes: a row for each stack"
	is "$("$PERF" report -i perf.data --folded=samples 2>/dev/null | sed -nE 's/.*;(main;.*;nap);.* ([0-9]+)$/\1 \2/p' | awk '{ print $2 }' | xargs)" "20 20" \
		"unfinished stacks of many processes: they have names and numbers"
	: >begin
	: <end
	prog=prog chain="main$steps nap"
fi

# What cannot be done is refused, with a remedy.
refused() {
	local what=$1 text=$2
	shift 2
	run "$PERF" "$@" -- touch ran
	ok "$what: is refused" test "$rc" != 0 -a ! -e ran
	like "$err" "$text" "$what: with the cause and a remedy"
}
refused "a tracepoint with a modifier" 'cannot be recorded with --call-graph bpf: it has a modifier. Take --call-graph fp or dwarf' \
	record -e sched:sched_switch:u --call-graph bpf
refused "samples that are counted and written" '--both and --call-graph bpf exclude each other' sample-bpf -e cpu-clock --both --call-graph bpf
refused "a key without stacks" '--call-graph bpf needs ustack in --key' sample-bpf -e cpu-clock --key comm --call-graph bpf
refused "counting with copies of stacks" 'takes stacks by fp or bpf' sample-bpf -e cpu-clock --call-graph dwarf

done_testing

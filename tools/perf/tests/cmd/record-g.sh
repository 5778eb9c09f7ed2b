#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record -g: user stacks come from BPF programs wherever these can do what is asked for, and otherwise from copies of stacks or by frame pointers;
# what else is in the file is the same.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# Stock perf names no functions of files below /tmp/perf-*.
place=$(mktemp -d /tmp/g-test.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
chmod 755 .
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o prog "$SOURCE/tests/cmd/stacks.c" 2>cc.txt ||
	skip_all "needs a C compiler: $(head -1 cc.txt)"
cat >touch.c <<'C'
#include <sys/mman.h>
#define PAGES 1000
static volatile char *at;
__attribute__((noinline, noclone)) static void touch(long page) { at[page * 4096] = 1; }
__attribute__((noinline, noclone)) static void pages(void) { for (long i = 0; i < PAGES; i++) touch(i); at++; }
int main(void)
{
	at = mmap(0, PAGES * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)at, PAGES * 4096L, MADV_NOHUGEPAGE);
	pages();
	return 0;
}
C
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o touch touch.c || exit 1

old=$("$PERF" test --kernel | sed -n 's/^\(maple tree of mappings\)  *no .*/\1/p')
# by_bpf EVENT: what -v says of it
by_bpf() {
	echo "^callchains: $1: user stacks unwound by BPF programs\$"
}
if [ -n "$old" ]; then
	run "$PERF" record -v -g -e cpu-clock -o o.data -- ./touch
	is "$rc" 0 "an older kernel: recorded"
	like "$err" "^callchains: cpu-clock: by frame pointers: .*$old" "by frame pointers, and why"
	done_testing
fi

run "$PERF" record -v -g -o default.data -- ./touch
like "$err" "$(by_bpf '(cycles.*|cpu-clock.*)')" "the default event: its stacks are unwound by BPF programs"

# chains [OPTIONS...]: of samples in leaf() or touch(), outermost frame first, from main on
chains() {
	"$PERF" script -F ip,sym "$@" 2>/dev/null | awk '
		function flush() { if (chain ~ / (leaf|touch)$/) print chain; chain = "" }
		NF == 0 { flush(); next }
		{ sub(/\+.*/, "", $2); chain = " " $2 chain }
		END { flush() }' | sed -E 's/.* main /main /'
}

spawn ./prog deep 10
busy=$spawned_pid
wait_for 10 test -e ready
deep="main$(printf ' step%.0s' {0..10}) leaf"

# --- by BPF ---

# whole WHAT PERF-RECORD-OPTIONS...: the process's chains are whole, and nothing but -v says how
whole() {
	local what=$1 chains
	shift
	run "$PERF" record -o w.data "$@"
	is "$rc" 0 "$what: recorded"
	unlike "$err" 'user stacks|callchains' "$what: the summary says no more than with frame pointers"
	chains=$(chains -i w.data | sort | uniq -c)
	ok "$what: chains are whole: $(tr -s '\n ' ' ' <<<"$chains")" test "$(awk '{ print ($1 > 5) }' <<<"$chains")" = 1
	like "$chains" "^ *[0-9]+ $deep\$" "$what: and the known ones"
}
during=("${until_run[@]}" 100 "$busy")
whole "-p" -g -e cpu-clock:u -F 999 -p "$busy" -- "${during[@]}"
[ -z "$STOCK" ] || is "$("$STOCK" script -i w.data -F ip,sym 2>/dev/null | grep -cw leaf)" "$("$PERF" script -i w.data -F ip,sym | grep -cw leaf)" \
	"stock perf reads them"
like "$("$PERF" report --header-only -i w.data)" '^# .*[0-9]+ user stacks, [0-9]+ whole' "the header says how many are"
whole "-t" -g -e cpu-clock:u -c 1000000 -t "$busy" -- "${during[@]}"
whole "--per-thread" -g --per-thread -e cpu-clock:u -F 999 -t "$busy" -- "${during[@]}"
whole "-a" -g -a -e cpu-clock:u -F 999 --filter "pid == $busy" -- "${during[@]}"
whole "-C" -g -C "$(</sys/devices/system/cpu/online)" -e cpu-clock:u -F 999 --filter "tid == $busy" -- "${during[@]}"
whole "-u" -g -u root -e cpu-clock:u --filter "pid == $busy" -F 999 -- "${during[@]}"
whole "a group" -g -e '{cpu-clock:u,task-clock:u}' -F 999 -p "$busy" -- "${during[@]}"
whole "--no-inherit, and another clock" -g -i -k boottime -e cpu-clock:u -F 999 -p "$busy" -- "${during[@]}"
# The command begins when the delay does.
# shellcheck disable=SC2016 # for the inner shell
whole "a delay" -g -D 20 -e cpu-clock:u -F 999 -p "$busy" -- bash -c 'until grep -q "Events enabled$" "$0"; do sleep 0.01; done; exec "$@"' "$WORK/.err" "${during[@]}"
whole "packed" -g -z -e cpu-clock:u -F 999 -p "$busy" -- "${during[@]}"
whole "--user-callchains" -g --user-callchains -e cpu-clock -F 999 -p "$busy" -- "${during[@]}"
"$PERF" record -q -g -e cpu-clock:u -F 999 -p "$busy" -o - -- "${during[@]}" 2>/dev/null >p.data
like "$(chains -i - <p.data | sort -u)" "^$deep\$" "a pipe"
"$PERF" record -q -g -e cpu-clock:u -F 999 -p "$busy" --switch-output=8K -o s.data -- "${during[@]}" 2>/dev/null
for file in s.data.2*; do
	chains -i "$file"
done >switched.txt
is "$(sort -u switched.txt)" "$deep" "--switch-output: in $(find . -name 's.data.2*' | wc -l) files"

# Clocks stay what they are without it: scripts compare times with those of other tools.
run "$PERF" record -v -g -e cpu-clock -F 999 -o g.data -- ./touch
like "$err" "$(by_bpf cpu-clock)" "-v says so"
"$PERF" record -q --call-graph fp -e cpu-clock -F 999 -o f.data -- ./touch
is "$("$PERF" evlist -v -i g.data)" "$("$PERF" evlist -v -i f.data)" "the event is as with --call-graph fp"

# --- the same samples ---

# faults FILE: those of the loop, and by how much the sum of all periods differs from the number of samples
faults() {
	"$PERF" script -i "$1" -F period,ip,sym --max-stack 1 2>/dev/null |
		awk 'NF == 1 { n++; sum += $1 } $2 ~ /^touch/ { ours++ } END { print ours, (n > 0 ? n - sum : "none") }'
}
"$PERF" record -q -g -e page-faults -c 1 -o g.data -- ./touch
"$PERF" record -q --call-graph fp -e page-faults -c 1 -o f.data -- ./touch
is "$(faults g.data)" "1000 0" "each fault is a sample"
is "$(faults f.data)" "1000 0" "as with frame pointers"
is "$(chains -i g.data | sort | uniq -c | awk '{ print $1; $1 = ""; print }')" $'1000\n main pages touch' "all of them have the whole chain"
# both_at_once: how many samples of each are of the time that is in both, in $g and $f: each may begin and end late
both_at_once() {
	local from to
	spawn "$PERF" record -q --call-graph fp -e cpu-clock -c 1000000 -p "$busy" -o f.data -- "${until_run[@]}" 400 "$busy"
	run "$PERF" record -q -g -e cpu-clock -c 1000000 -p "$busy" -o g.data -- "${until_run[@]}" 400 "$busy"
	wait $spawned_pid
	samples g.data time | tr -d : >g.times
	samples f.data time | tr -d : >f.times
	from=$(sort -n <(head -n 1 g.times) <(head -n 1 f.times) | tail -n 1)
	to=$(sort -n <(tail -n 1 g.times) <(tail -n 1 f.times) | head -n 1)
	read -r g f < <(awk -v from="$from" -v to="$to" '$1 >= from && $1 <= to { n[FILENAME]++ } END { print n["g.times"] + 0, n["f.times"] + 0 }' g.times f.times)
	[ "$f" -gt 20 ] && [ $((10 * (g > f ? g - f : f - g))) -le "$f" ]
}
# A busy machine fills the rings of one of them, or is late with its timer.
for _ in 1 2 3 4 5; do
	! both_at_once || break
done
ok "as many samples of a time: $g, $f" test "$f" -gt 20 -a $((10 * (g > f ? g - f : f - g))) -le "$f"

# --- tracepoints and off-CPU time ---

run with_tracefs "$PERF" record -v -g -e syscalls:sys_enter_madvise,sched:sched_process_exit -o t.data -- ./touch
like "$err" "$(by_bpf sched:sched_process_exit)" "a tracepoint"
like "$err" "$(by_bpf syscalls:sys_enter_madvise)" "a system call"
like "$("$PERF" script -i t.data -F event,ip,sym | tr -s '\n\t ' ' ')" 'sys_enter_madvise.* main .*_start' "its stack is whole"
run with_tracefs "$PERF" record -v -g -e sched:sched_wakeup -o t.data -- true
is "$rc" 0 "a tracepoint that counts for others, too: recorded"
like "$err" '^callchains: sched:sched_wakeup: by frame pointers: it also counts' "by the kernel"
run "$PERF" record --off-cpu -v -e cpu-clock -o t.data -- sleep 0.01
like "$err" "$(by_bpf offcpu-time)" "off-CPU time, without -g"
like "$("$PERF" script -i t.data -F event,ip,sym | awk '/offcpu-time/ { on = 1 } on' | tr -s '\n\t ' ' ')" 'nanosleep.*_start' "its stacks are whole"

# --- by frame pointers ---

# kept_to FP-REASON OPTIONS...
kept_to() {
	local reason=$1
	shift
	run with_tracefs "$PERF" record -v -g -o k.data "$@" -- ./touch
	is "$rc" 0 "$*: recorded"
	like "$err" "^callchains: [^ ]*: by frame pointers: $reason" "$*: by frame pointers"
	unlike "$err" 'unwound by BPF' "$*: and nothing else"
}
kept_to "only the latest samples" --overwrite -m 16 -e cpu-clock
kept_to "samples are to hold more" -d -e cpu-clock -c 100000
kept_to "samples are to hold more" --user-regs=ip -e cpu-clock
kept_to "samples are to hold more" -e '{page-faults,cpu-clock}:S' -c 1
kept_to "there are no user stacks" --kernel-callchains -e cpu-clock
kept_to "--threads" -a --threads -e cpu-clock
kept_to "it is not asked for each hit" -c 2 -e sched:sched_process_exit
kept_to "its callchains are not the usual ones" --max-stack 5 -e sched:sched_process_exit

# --- by perf, from copies ---

# copied_for REASON OPTIONS...
copied_for() {
	local reason=$1
	shift
	run with_tracefs "$PERF" record -v -g -F 999 -o k.data "$@" -- ./touch
	is "$rc" 0 "$*: recorded"
	like "$err" "^callchains: [^ ]*: the kernel copies up to [0-9]* bytes of user stacks, and perf unwinds them: $reason" "$*: copies of stacks"
	unlike "$("$PERF" evlist -v -i k.data)" 'STACK_USER|REGS_USER' "$*: the file has none"
}
copied_for "samples are to hold more" -d -e cpu-clock
copied_for "samples are to hold more" -R -e cpu-clock
copied_for "it is not asked for each hit" -e sched:sched_process_exit

run "$PERF" record -v --call-graph fp -e cpu-clock -o k.data -- true
unlike "$err" '^callchains:' "--call-graph fp leaves no choice"
run "$PERF" record -v -e cpu-clock -o k.data -- true
unlike "$err" '^callchains:' "nor do recordings without callchains"

# config MODE: record with it as call-graph.record-mode
config() {
	PERF_CONFIG=$place/config run "$PERF" config call-graph.record-mode="$1"
	PERF_CONFIG=$place/config run "$PERF" record -v -g -e cpu-clock -F 999 -o c.data -- ./touch
}
config fp
unlike "$err" 'callchains:|user stacks' "call-graph.record-mode=fp"
config dwarf
like "$("$PERF" evlist -v -i c.data)" 'STACK_USER' "call-graph.record-mode=dwarf"
config bpf
like "$err" '^cpu-clock: [0-9]+ user stacks' "call-graph.record-mode=bpf: the summary counts stacks"

# --- where it does not work ---

cp "$PERF" perf
mkdir user && chown 65534 user
unprivileged() {
	(cd user && exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all -- ../perf "$@")
}
run unprivileged record -v -g -e cpu-clock:u -F 999 -o u.data -- ../touch
is "$rc" 0 "without privilege: recorded"
is "$(grep -c '^callchains:' <<<"$err")" 1 "in one line"
like "$err" '^callchains: cpu-clock:u: the kernel copies .*: --call-graph bpf needs CAP_BPF' "it says why"
run unprivileged record -g -e cpu-clock:u -F 999 -o u.data -- ../touch
unlike "$err" 'CAP_' "and only with -v"

# A kernel, or a policy, that refuses the programs of the event, or the maps of the tables
${CC:-cc} -O2 -o inject "$SOURCE/tests/cmd/inject.c" 2>/dev/null || exit 1
for call in 'bpf PROG_LOAD' 'bpf MAP_CREATE'; do
	run ./inject -c "$call" -e EPERM -n 1+ "$PERF" record -v -g -e cpu-clock -F 999 -o i.data -- ./touch
	is "$rc" 0 "$call fails: recorded"
	like "$err" '^callchains: cpu-clock: the kernel copies .+' "$call fails: copies of stacks"
	ok "$call fails: with samples" test -s i.data
	run ./inject -c "$call" -e EPERM -n 1+ "$PERF" record --call-graph bpf -e cpu-clock -F 999 -o i.data -- ./touch
	is "$rc" 255 "$call fails: who asks for bpf gets nothing else"
done
run ./inject -c 'bpf *' -e EPERM -n 1+ "$PERF" record -v -g -k boottime -e cpu-clock -F 999 -o i.data -- ./touch
like "$("$PERF" evlist -v -i i.data)" 'use_clockid: 1.*clockid: 7' "the clock is the one that was asked for"

# --- 32-bit programs ---

cat >narrow.c <<'C'
static volatile unsigned long n;
static void leaf(void) { for (unsigned long i = 0; i < 30000; i++) n += i; }
static void step(void) { leaf(); n++; }
void _start(void)
{
	for (int i = 0; i < 10000; i++)
		step();
	__asm__ volatile("movl $1, %eax; xorl %ebx, %ebx; int $0x80");
}
C
if ${CC:-cc} -m32 -O0 -fno-omit-frame-pointer -fno-stack-protector -fcf-protection=none -nostdlib -static -fno-pic -no-pie -o narrow narrow.c 2>/dev/null &&
	./narrow; then
	run "$PERF" record -g -e cpu-clock:u -F 999 -o n.data -- ./narrow
	like "$("$PERF" script -i n.data -F ip,sym | awk 'NF == 2 { printf "%s ", $2 } NF == 0 { print "" }' | grep . | sort | uniq -c | sort -rn | head -1)" \
		' leaf step _start' "32-bit programs: frame pointers"
	unlike "$err" 'user stacks' "and no complaint"
else
	skip 2 "no 32-bit programs"
fi
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Options that say what samples hold, what else is recorded and when events count: the events are opened as the distribution's perf
# opens them, and what is in the file is what was asked for.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# settings FILE: of all events, a line each, without what depends on the version of perf
settings() {
	"$PERF" evlist -v -i "$1" | sed -E 's/(: | \}), /\1/; s/, /\n/g' |
		grep -vE '^(ksymbol|bpf_event|exclude_guest|build_id|disabled|inherit|size):|sample_freq'
}

for options in -W -R --phys-data --data-page-size --code-page-size --transaction --sample-identifier --all-user --all-kernel \
	"-g --user-callchains" "-g --kernel-callchains" --user-regs --user-regs=ax,bx -I -Iip,sp -s --running-time --switch-events --namespaces \
	--all-cgroups "-k monotonic" "-k CLOCK_REALTIME" "-k boot" "-T -P --sample-cpu"; do
	# shellcheck disable=SC2086 # several words
	same_events -e cpu-clock $options
done

# --- what is in the file ---

work=("$WORKLOAD" noploop 0.3)
run "$PERF" record -q -e cpu-clock --user-regs=ip,sp -I --data-page-size --code-page-size -d -o c.data -- "${work[@]}"
is "$rc" 0 "registers and page sizes"
is "$("$STOCK" script -i c.data -F uregs 2>/dev/null | grep -c 'SP:0x[0-9a-f]* *IP:0x')" "$(samples c.data time | wc -l)" "stock perf shows them"
is "$("$STOCK" script -i c.data -F code_page_size 2>/dev/null | sort -u | xargs)" "$("$STOCK" script -i c.data -F code_page_size 2>/dev/null | sort -u | xargs)" \
	"sizes of pages"

run "$PERF" record -q -a -e cpu-clock --namespaces --all-cgroups --switch-events -o n.data -- sleep 0.1
is "$rc" 0 "namespaces, cgroups, switches"
stats=$("$STOCK" report --stats -i n.data 2>/dev/null)
for kind in NAMESPACES CGROUP SWITCH_CPU_WIDE; do
	like "$stats" " $kind events: +[1-9]" "there are records of $kind"
done
tasks=$(find /proc/[0-9]*/task -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
ok "of nearly all tasks" test "$(awk '/NAMESPACES/ { print $3 }' <<<"$stats")" -ge $((tasks / 2))
own=$("$STOCK" script -i n.data --show-namespace-events 2>/dev/null | grep -A2 -m1 "PERF_RECORD_NAMESPACES $$/$$ ")
like "$own" "3/pid: [0-9]+/0x$(stat -Lc %i /proc/self/ns/pid | xargs printf %x)[],]" "the namespaces are those of /proc"

run "$PERF" record -n -s -e cpu-clock -o n.data -- "$WORKLOAD" thloop 0.1
is "$rc:$(samples n.data time | wc -l)" "0:0" "-n: no samples"
like "$("$STOCK" report --stats -i n.data)" 'READ events: +[1-9]' "the counts are there"
run "$PERF" record --no-buffering -c 1 -e context-switches --switch-events -o b.data -- sh -c 'sleep 0.01; sleep 0.01; sleep 0.01'
is "$rc" 0 "--no-buffering"
like "$("$STOCK" evlist -v -i b.data)" 'wakeup_watermark }: 1' "each sample wakes perf"
run "$PERF" record -q -s -e cpu-clock -o s.data -- "$WORKLOAD" thloop 0.2
like "$("$STOCK" report --stats -i s.data 2>/dev/null)" ' READ events: +[1-9]' "-s: the counts of threads that ended"

run "$PERF" record -q -k realtime -e cpu-clock -o k.data -- "${work[@]}"
now=$(date +%s)
at=$(samples k.data time | head -n1 | cut -d. -f1)
ok "-k realtime: times of day" test "$at" -le "$now" -a $((at + 60)) -gt "$now"
run "$PERF" record -k realtime -e off-cpu -o x.data -- true
is "$rc" 129 "not with events that know one clock only"

# --- user stacks that are cut ---
cat >cut.c <<'C'
static volatile unsigned long sum;
static __attribute__((noinline)) void step(unsigned long i) { sum += i; }
int main(void)
{
	for (unsigned long i = 0; i < 600000000UL; i++)
		step(i);
	return 0;
}
C
for how in -fomit-frame-pointer -fno-omit-frame-pointer; do
	gcc -O1 $how -o cut cut.c || exit 1
	run "$PERF" record --call-graph fp -e cpu-clock:u -F 999 -o u.data -- ./cut
	if [ $how = -fomit-frame-pointer ]; then
		like "$err" '^About [0-9]+ % of the user stacks are cut, .*--call-graph bpf or dwarf$' "without frame pointers: a hint"
	else
		unlike "$err" 'stacks are cut' "with frame pointers: none"
	fi
done

# Of copied stacks it is the size: 30 KiB of frames, some bytes of them below a large environment, or in a thread below other memory.
cat >deep.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned long sum;
static __attribute__((noinline)) void spin(void)
{
	for (unsigned long i = 0; i < 600000000UL; i++)
		sum += i;
}
static __attribute__((noinline)) void descend(int n)
{
	volatile char frame[1024];
	memset((char *)frame, n, sizeof(frame));
	if (n)
		descend(n - 1);
	else
		spin();
	sum += frame[n];
}
static void *thread(void *arg) { spin(); return arg; }
int main(int argc, char **argv)
{
	pthread_t id;
	if (strcmp(argv[1], "thread"))
		return descend(atoi(argv[1])), 0;
	pthread_create(&id, NULL, thread, NULL);
	return pthread_join(id, NULL);
}
C
gcc -O1 -pthread -o deep deep.c || exit 1
run "$PERF" record --call-graph dwarf -e cpu-clock:u -F 1999 -o u.data -- ./deep 30
like "$err" '^About (9[0-9]|100) % of the copied stacks are cut at 8192 bytes: copy more with --call-graph dwarf,16384 \(at most 65528\)$' "copies that are too small: a hint"
run "$PERF" record --call-graph dwarf,40000 -e cpu-clock:u -F 1999 -o u.data -- ./deep 30
unlike "$err" 'stacks are cut' "large enough: none"
run "$PERF" record --call-graph dwarf,40000 -e cpu-clock:u -F 1999 -o u.data -- ./deep 60
like "$err" 'cut at 40000 bytes: .*dwarf,65528 \(at most 65528\)$' "the hint goes no further than there are copies"
run env LARGE="$(printf %20000s x)" "$PERF" record --call-graph dwarf -e cpu-clock:u -F 1999 -o u.data -- ./deep 0
unlike "$err" 'stacks are cut' "a large environment is no stack"
run "$PERF" record --call-graph dwarf -e cpu-clock:u -F 1999 -o u.data -- ./deep thread
if [ "$(uname -m)" = x86_64 ]; then
	unlike "$err" 'stacks are cut' "nor is what lies above that of a thread"
else
	skip 1 "what lies above the stack of a thread is known on x86-64 only"
fi

run "$PERF" record -q -g --user-callchains -e cpu-clock -o u.data -- dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none
unlike "$("$PERF" script -i u.data -F ip,sym)" 'do_syscall_64' "--user-callchains"
run "$PERF" record -q -g --kernel-callchains -e cpu-clock -o u.data -- dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none
is "$("$PERF" script -i u.data -F ip | awk 'NF && length($1) < 16' | wc -l)" 0 "--kernel-callchains"
like "$("$PERF" script -i u.data -F ip,sym)" 'do_syscall_64' "the kernel's part is there"
run "$PERF" record -q --all-kernel -e cpu-clock -o u.data -- dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none
is "$("$PERF" script -i u.data -F ip | awk '$1 < "8000000000000000" && length($1) < 16' | wc -l)" 0 "--all-kernel"

# --- whom ---

cp "$(command -v dd)" dd-of-mine # others may have one, too
# shellcheck disable=SC2016 # for the inner shell
run sh -c 'echo $$ >recorder; exec "$0" record -q -e syscalls:sys_enter_write --exclude-perf -a -o e.data -- ./dd-of-mine if=/dev/zero of=/dev/null count=50 status=none' "$PERF"
is "$(samples e.data comm | grep -c '^dd-of-mine$')" 50 "--exclude-perf: what others do"
is "$(samples e.data pid | grep -c "^$(<recorder)\$")" 0 "--exclude-perf: nothing of perf"
# perf reads the names of Python's long functions from the process, by a child.
python3 - >long.py 2>/dev/null <<'PY'
print("import os\nopen('long.pid', 'w').write(hex(os.getpid())[2:])")
print("def long(n):\n" + "    n += 1\n" * 20000 + "    return n\nn = 0\nfor i in range(300):\n    n = long(n)")
PY
readers() { run "$PERF" record -q "$@" -e cpu-clock:u -F 999 -g -e syscalls:sys_enter_process_vm_readv -a -o p.data -- python3 long.py; "$PERF" script -i p.data -F event,trace | grep -c "process_vm_readv: pid: 0x0*$(<long.pid),"; }
if [ "$(readers)" != 0 ]; then
	is "$(readers --exclude-perf)" 0 "--exclude-perf: nor of its child"
else
	skip 1 "perf reads nothing of this Python"
fi
# The thread that is recorded is the first; its children have no events.
run "$PERF" record -q --per-thread -e cpu-clock -F 999 -o p.data -- sh -c "'$WORKLOAD' noploop 0.1; x=0; while [ \$x -lt 100000 ]; do x=\$((x + 1)); done"
is "$rc:$(samples p.data comm | sort -u)" "0:sh" "--per-thread"
run "$PERF" record --per-thread -a -o p.data -- true
is "$rc" 129 "--per-thread is for threads"

# --- when ---

# Events are never on before their time, by a clock from before perf's own start, nor between the word that they are off and their next
# time. That word may come late.
begin=$EPOCHREALTIME
# shellcheck disable=SC2016 # for the inner shell
run bash -o pipefail -c '"$0" "$@" 2>&1 >/dev/null | while read -r line; do echo "$(date +%s.%N) $line"; done' \
	"$PERF" record -D 200-500,1100-1400 -k realtime -e cpu-clock -F 999 -o d.data -- "$WORKLOAD" noploop 1000
is "$rc:$(grep -cE ' Events (en|dis)abled$' <<<"$out")" "0:5" "-D with two spans: it ends with the second"
off=$(awk '/ Events enabled$/ { on = 1 } / Events disabled$/ && on { print $1; exit }' <<<"$out")
ok "has samples" test "$(samples d.data time | wc -l)" -gt 0
is "$(samples d.data time | tr -d : | awk -v begin="$begin" -v off="$off" \
	'{ ms = ($1 - begin) * 1000 } ms < 200 || ms > (off - begin) * 1000 && ms < 1100 { print ms }')" "" "but only in them"
run "$PERF" record -D 100000 -e cpu-clock -o d.data -- true
is "$rc:$(samples d.data time | wc -l)" "0:0" "-D that is longer than the command"
for wrong in x 5-3 10-20,15-30 1- -2 '10-20,'; do
	run "$PERF" record -D "$wrong" -e cpu-clock -o x.data -- touch ran
	is "$rc" 129 "-D $wrong"
done

mkfifo control answer
spawn "$PERF" record -D -1 --control fifo:control,answer -e cpu-clock,task-clock -F 999 -o r.data -- "$WORKLOAD" noploop 100 2>control.err
recording=$spawned_pid
exec 8<>control 9<>answer
# tell COMMAND: and wait for its answer
tell() {
	local word
	echo "$1" >&8
	read -r -t 60 word <&9 && [ "$word" = ack ]
}
recorded() {
	[ "$(stat -c %s r.data 2>/dev/null || echo 0)" -gt "$1" ]
}
ok "--control: ping" tell ping
ok "enable" tell enable
of_both() {
	[ "$(samples r.data event | sort -u | wc -l)" = 2 ]
}
ok "then there are samples of both events" wait_for 20 of_both
ok "one event is disabled" tell "disable task-clock"
size=$(stat -c %s r.data)
ok "the other one goes on" wait_for 10 recorded "$((size + 20000))"
ok "two commands at a time" eval 'echo "evlist
nonsense
ping" >&8; read -r -t 60 a <&9 && read -r -t 60 b <&9 && [ "$a$b" = ackack ]'
ok "stop" tell stop
wait "$recording"
is "$?" 0 "ends the recording"
like "$(<control.err)" '^Event task-clock disabled$' "it is told what was switched"
exec 8<&- 9<&-
ok "the one that was disabled has fewer" test "$(samples r.data event | grep -c task)" -lt "$(samples r.data event | grep -c cpu)"
is "$("$PERF" script -i r.data -F comm | sort -u | xargs)" workload "the command has its name, though it began before"
for wrong in fd:99 fifo:no-such fifo:r.data x fd:x; do
	run "$PERF" record --control "$wrong" -e cpu-clock -o x.data -- touch ran
	is "$rc" 129 "--control $wrong"
done
# shellcheck disable=SC2016 # for the inner shell
run bash -c '(echo ping; echo stop) | "$0" record -q -e cpu-clock -D -1 --control fd:0,1 -o f.data -- "$WORKLOAD" noploop 100' "$PERF"
is "$rc:$(xargs <<<"$out")" "0:ack ack" "--control fd:0,1: the standard streams"
run bash -c 'exec 7< <(echo ping; echo stop); "$0" record -q -e cpu-clock --control fd:7 -o f.data -- "$WORKLOAD" noploop 100' "$PERF"
is "$rc" 0 "commands by a descriptor"

# --- refused ---

for wrong in "--user-regs=?" "-I?" "--user-regs=nothing" "-j nothing" "-k nothing" "--all-user --all-kernel"; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" record -e cpu-clock $wrong -o x.data -- touch ran
	is "$rc" 129 "$wrong"
done
# What other perfs have: why not here, and what to do
for option in --affinity=node --aio=2 --mmap-flush=64K --num-thread-synthesize=2 --proc-map-timeout=500 --kcore --vmlinux=x \
	--debuginfod -S --aux-sample=64; do
	run "$PERF" record -e cpu-clock $option -o x.data -- touch ran
	is "$rc" 129 "$option is refused"
	like "$err" '^  Error: --[a-z-]+: [^:]{20,}' "$option: says why"
done
run "$PERF" record -e cpu-clock "--user-regs=?" -o x.data -- true
like "$err" '^available registers: .*[A-Za-z0-9]+ ' "--user-regs=? lists them"
run "$PERF" record -e cpu-clock -b -o x.data -- touch ran
is "$rc" 255 "-b: software knows no branches"
like "$err" 'branches' "says so"
ok "nothing ran" test ! -e ran -a ! -e x.data
# Periods beyond what the kernel counts to
for how in "-e page-faults -c 9223372036854775808" "-e page-faults/period=18446744073709551615/"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" record $how -o x.data -- touch ran
	is "$rc" 255 "$how"
	like "$err" 'the kernel counts up to 9223372036854775807' "$how: what is possible"
done
run "$PERF" record -e page-faults -c 9223372036854775807 -o x.data -- true
is "$rc" 0 "the longest period"

done_testing

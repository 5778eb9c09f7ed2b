#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace: page faults, callers, and other events than system calls, live and from files.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# 1000 pages, each touched once, in touch() called by pages() called by main(); the calls of leaf() below 10 times step()
place=$(mktemp -d /tmp/t-test.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
cat >touch.c <<'C'
#include <sys/mman.h>
#include <unistd.h>
static volatile char *at;
char zeros[8];
__attribute__((noinline, noclone)) static void touch(long page) { at[page * 4096] = 1; }
__attribute__((noinline, noclone)) static void pages(void) { for (long i = 0; i < 1000; i++) touch(i); at++; }
__attribute__((noinline, noclone)) static void leaf(void) { for (int i = 0; i < 50; i++) if (pwrite(-1, zeros, 1, 0) == 0) at++; at++; }
__attribute__((noinline, noclone)) static void step(int n) { if (n) step(n - 1); else leaf(); at++; }
int main(void)
{
	at = mmap(0, 1000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)at, 1000 * 4096L, MADV_NOHUGEPAGE);
	pages();
	step(10);
	return 0;
}
C
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o touch touch.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

# --- page faults ---

run "$PERF" trace -F min -m 16M -o faults.txt -- ./touch
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc:$err" "0:" "page faults are traced"
line='^ +[0-9]+\.[0-9]{3} \( 0\.000 ms\): touch/[0-9]+ minfault \[touch\+0x[0-9a-f]+\] => (//anon@)?0x[0-9a-f]+ \([d?]\.\)$'
is "$(grep -cE "$line" faults.txt)" 1000 "each fault has its code and its address"
is "$(grep -E "$line" faults.txt | grep -o '=> .*@\?0x[0-9a-f]*' | sort -u | wc -l)" 1000 "and they differ"
is "$(grep -cv minfault faults.txt)" 0 "without system calls"
like "$(cat faults.txt)" "minfault \[[^]]+\] => $place/touch@0x[0-9a-f]+ \(d\.\)$" "a file's page has its offset"
run "$PERF" trace -F all -e pwrite64 -o both.txt -- ./touch
is "$(grep -c ' minfault \[touch' both.txt):$(grep -c 'pwrite64(fd: -1, .* EBADF' both.txt)" 1000:50 "beside system calls"
is "$(awk '{ end = $1 + ($2 == "(" ? $3 : substr($2, 2)); if (end + 0.0021 < last) bad++; last = end } END { print bad + 0 }' both.txt)" 0 \
	"in the order in which they end"
run "$PERF" trace -F all --syscalls -s -o sums.txt -- ./touch
like "$(cat sums.txt)" ' touch \([0-9]+\), [0-9]+ events, 100\.0%, (1 majfaults, )?1[0-9]{3} minfaults$' "sums count them"
is "$(awk '$1 == "pwrite64" { print $2, $3 }' sums.txt)" "50 50" "and the calls"
run "$PERF" trace -F all -s -o sums.txt -- ./touch
like "$(cat sums.txt)" ', (1 majfaults, )?1[0-9]{3} minfaults$' "also without calls"
unlike "$(cat sums.txt)" pwrite64 "which are not there"
run "$PERF" trace -F min --max-events 7 -o seven.txt -- ./touch
is "$(grep -c minfault seven.txt)" 7 "--max-events counts faults"
for options in "-F some" "-F all --filter ret<0" "--no-syscalls" "-F min -s --summary-mode cgroup" "--no-syscalls -e openat"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace $options -- true
	is "$rc" 129 "refused: $options"
done

# --- callers ---

steps=$(printf 'step %.0s' {0..10})
# callers FILE WHAT: of each line that matches, on a line: functions, innermost first, up to main
callers() {
	awk -v what="$2" '
		/^ *[0-9?.]+ / { if (n) print chain; n = $0 ~ what; chain = ""; ended = 0; next }
		n && !ended { chain = chain $1 " "; ended = $1 == "main" }
		END { if (n) print chain }' "$1" | sort | uniq -c | sed 's/^ *//; s/ $//'
}
for mode in bpf dwarf; do
	run "$PERF" trace --call-graph $mode -e pwrite64 -o callers.txt -- ./touch
	is "$rc:$err" "0:" "--call-graph $mode"
	is "$(callers callers.txt 'pwrite64[(]' | sed 's/ [^ ]*pwrite[^ ]* / pwrite /')" "50 pwrite leaf ${steps}main" "each call has all its callers: $mode"
	like "$(grep -m 1 leaf callers.txt)" "^ {39}leaf \($place/touch\)$" "in the layout of other perfs"
	run "$PERF" trace --call-graph $mode -F min -m 32M -o callers.txt -- ./touch
	is "$rc:$err" "0:" "page faults with --call-graph $mode"
	is "$(callers callers.txt 'minfault .touch[+]')" "1000 touch pages main" "so has each page fault: $mode"
done
run "$PERF" trace --call-graph fp -e pwrite64 -o callers.txt -- ./touch
is "$rc:$(grep -c 'pwrite64(' callers.txt)" 0:50 "--call-graph fp"
like "$(grep -A 1 -m 1 'pwrite64(' callers.txt | tail -1)" '^ {39}[^ ]*pwrite[^ ]* \(/.*libc' "has at least the function that calls"
run "$PERF" trace --call-graph bpf -e pwrite64,sched:sched_process_exit -o callers.txt -- ./touch
is "$(grep -c 'pwrite64(' callers.txt):$(grep -c 'sched:sched_process_exit(' callers.txt)" 50:1 "calls and other events"
like "$(grep -A 1 sched_process_exit callers.txt)" '^ {39}do_exit \(\[kernel' "which have callers, too"
run "$PERF" trace --max-stack 3 -e pwrite64 -o callers.txt -- ./touch
is "$(callers callers.txt 'pwrite64[(]' | sed 's/ [^ ]*pwrite[^ ]* / pwrite /')" "50 pwrite leaf step" "--max-stack"
run "$PERF" trace --min-stack 12 -e pwrite64,exit_group -o callers.txt -- ./touch
is "$(grep -c 'pwrite64(' callers.txt):$(grep -c 'exit_group(' callers.txt)" 50:0 "--min-stack"
run "$PERF" trace --call-graph bpf -S -e pwrite64 --filter 'count == 1' -o callers.txt -- ./touch
is "$(grep -c 'pwrite64(' callers.txt):$(awk '$1 == "pwrite64" { print $2, $3 }' callers.txt)" "50:50 50" "with a filter and sums"
for options in "--call-graph lbr" "--call-graph bpf -s" "--max-stack 128"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace $options -- true
	is "$rc" 129 "refused: $options"
done

# --- events that are no tracepoints ---

spin=(dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none)
run "$PERF" trace -e cpu-clock -o clock.txt -- "${spin[@]}"
ok "samples of a clock: $(wc -l <clock.txt)" test "$(grep -cE '^ +[0-9.]+ dd/[0-9]+ cpu-clock\(\)$' clock.txt)" -ge 5
run "$PERF" trace -m 64M -e cpu-clock/period=1000000/,write -o clock.txt -- "${spin[@]}" # has room for all calls: perf may get no CPU meanwhile
ok "beside system calls, with terms" test "$(grep -cE '^ +[0-9.]+ \(         \): dd/[0-9]+ cpu-clock/period=1000000/\(\)$' clock.txt)" -ge 5
is "$(grep -c 'write(fd: 1' clock.txt)" 200000 "all of which are there"
run "$PERF" trace -e clock_nanosleep,context-switches -o switches.txt -- sleep 0.05
like "$(grep -m 1 context switches.txt)" '^ +[0-9.]+ \(         \): sleep/[0-9]+ context-switches\(\)$' "each hit of another software event"
run "$PERF" trace -e minor-faults -m 16M -o faults.txt -- ./touch
is "$(grep -cE "$line" faults.txt)" 1000 "page faults by their name are those of -F"
run "$PERF" trace -e cycles -o cycles.txt -- "${spin[@]}"
if [ "$rc" = 0 ]; then
	ok "cycles, or what stands in for them" test "$(grep -cE '(cycles|cpu-clock)[a-zA-Z:]*\(\)$' cycles.txt)" -ge 5
else
	like "$rc:$err" '^255:event cycles is not supported' "a machine without cycles"
fi
run "$PERF" trace -e cpu-clock record -q -o clock.data -- "${spin[@]}"
run "$PERF" trace -i clock.data -o clock.txt
ok "a recording of a clock" test "$(grep -cE '^ +[0-9.]+ dd/[0-9]+ cpu-clock\(\)$' clock.txt)" -ge 5
run "$PERF" trace -e context-switches record -q -o switches.data -- sleep 0.05
run "$PERF" trace -i switches.data -o switches.txt
like "$(cat switches.txt)" 'sleep/[0-9]+ context-switches\(\)' "and of another one"
for options in "-e !cycles" "-e cpu-clock/nosuch=1/" "-e nosuch" "-e write,minor-faults -s --summary-mode cgroup" "-e cpu-clock,minor-faults record" \
	"-e cpu-clock -F min record" "-e minor-faults -F min" "-e write,major-faults:u -F all" "-e minor-faults -F min record"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace $options -- true
	is "$rc" 129 "refused: $options"
done

# --- recordings ---

run "$PERF" trace -F all --syscalls -e sched:sched_process_exec,sched:sched_process_exit record -q -m 32M -o all.data -- ./touch
is "$rc" 0 "calls, faults and other events are recorded"
run "$PERF" trace -i all.data -o all.txt
is "$rc:$err" "0:" "and read"
is "$(grep -c 'minfault \[touch+.*(d\.)$' all.txt):$(grep -c 'pwrite64(fd: -1, .* EBADF' all.txt):$(grep -c 'sched:sched_process_exit(' all.txt)" 1000:50:1 \
	"all of them"
run "$PERF" trace -i all.data -e 'sched:*exec' -o some.txt
is "$(grep -c ' touch/[0-9]* sched:sched_process_exec(filename: "./touch"' some.txt):$(grep -cE 'fault|pwrite|_exit' some.txt)" 1:0 "some events of the file"
run "$PERF" trace -i all.data -F min -s -o sums.txt
is "$(grep -c 'events, .*, 1[0-9][0-9][0-9] minfaults$' sums.txt):$(grep -cE 'pwrite|majfaults' sums.txt)" 1:0 "sums of its faults"
run "$PERF" trace -i all.data -e pwrite64 -o some.txt
is "$(grep -c 'pwrite64(' some.txt):$(grep -cE 'fault \[|sched:' some.txt)" 50:0 "some calls of the file"
run "$PERF" trace -i all.data --max-events 3 -o some.txt
is "$(grep -cE '^ +[0-9.?]+ ' some.txt)" 3 "--max-events, of all kinds"
run "$PERF" trace --libtraceevent_print -i all.data -e sched:sched_process_exec -o some.txt
like "$(cat some.txt)" ' touch/[0-9]+ sched:sched_process_exec\(filename=\./touch pid=[0-9]+ old_pid=[0-9]+\)$' "--libtraceevent_print: the words of the format"
run "$PERF" trace -i all.data -e sched:nosuch
like "$rc:$err" '^255:.*has no such events' "events that the file lacks"
run "$PERF" trace -F min record -q -o faults.data -- ./touch
run "$PERF" trace -i faults.data -o faults.txt
is "$rc:$(grep -c 'minfault \[touch+' faults.txt)" 0:1000 "a recording of faults alone"
run "$PERF" trace -F min --call-graph fp record -q -o faults.data -- ./touch
run "$PERF" trace -i faults.data -o faults.txt
like "$(grep -A 1 -m 1 'minfault .touch' faults.txt | tail -1)" "^ {39}touch \($place/touch\)$" "with callers"
run "$PERF" trace --call-graph dwarf record -q -m 32M -o calls.data -- ./touch
run "$PERF" trace -i calls.data -e pwrite64 -o calls.txt
is "$(callers calls.txt 'pwrite64[(]' | sed 's/ [^ ]*pwrite[^ ]* / pwrite /; s/ .* pwrite / pwrite /')" "50 pwrite leaf ${steps}main" "a recording of calls with callers"
run "$PERF" trace -i faults.data -e openat
like "$rc:$err" '^255:.*has no system calls' "which has no calls"
if [ -n "${STOCK-}" ] && "$STOCK" record -q -e minor-faults -d -c 1 -o theirs.data ./touch 2>theirs.err; then
	run "$PERF" trace -i theirs.data -o theirs.txt
	is "$rc:$(grep -c 'minfault \[touch+.*=> .*0x[0-9a-f]* (d\.)$' theirs.txt)" 0:1000 "stock perf's recording of faults"
fi
run "$PERF" record -q -e sched:sched_process_exit -o exits.data -- ./touch
run "$PERF" trace -i exits.data -s
like "$rc:$err" '^255:.*exits.data has no system calls' "sums of a file that has no calls"
python3 - exits.data <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
formats = struct.unpack_from("<Q", data, at + size)[0] # the first section
assert data[formats + 3:formats + 10] == b"tracing"
data[formats:formats + 3] = bytes(3)
open(sys.argv[1], "wb").write(data)
END
run "$PERF" trace -i exits.data
ok "a file whose formats of events are damaged: $rc" test "$rc" = 1 -o "$rc" = 0 -o "$rc" = 255
like "$err" 'exits.data' "has a message"
run as_user "$PERF" trace -F min -- true
if [ "$rc" = 0 ]; then
	like "$err" 'minfault .* => .*\(d\.\)$' "users have faults in their programs"
	unlike "$err" '\(dk\)$' "users who may not see the kernel's addresses have none in the kernel"
else
	skip 2 "users may not trace page faults here"
fi
for options in "--filter ret<0 record" "-e openat record" "-p 1 record" "-s record" "-F min --call-graph dwarf record"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace $options -- true
	is "$rc" 129 "refused before record: $options"
done
# Events of perfconfig
printf '[trace]\n\tadd_events = sched:sched_switch\n' >config
PERF_CONFIG=$PWD/config run "$PERF" trace -e clock_nanosleep -o added.txt -- sleep 0.01
is "$(grep -c clock_nanosleep added.txt):$(grep -c 'sched:sched_switch(.*next_comm' added.txt | sed 's/[1-9][0-9]*/some/')" 1:some "trace.add_events adds to the calls"
PERF_CONFIG=$PWD/config run "$PERF" trace -o added.txt -- sleep 0.01
is "$(grep -c clock_nanosleep added.txt):$(grep -c execve added.txt)" 1:1 "which are all without -e"
printf '[trace]\n\tadd_events = nosuch:ev\n' >config
PERF_CONFIG=$PWD/config run "$PERF" trace -- true
is "$rc" 129 "an event that does not exist there"
like "$err" 'nosuch:ev' "is named"
done_testing

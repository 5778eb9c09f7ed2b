#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf: whole user stacks of a program without frame pointers, whose chains are known.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

place=$(mktemp -d /tmp/unwind-test.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1

${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o prog "$SOURCE/tests/cmd/stacks.c" 2>cc.txt ||
	skip_all "needs a C compiler: $(head -1 cc.txt)"

# What cannot be done is refused, with a remedy.
refused() {
	local what=$1 text=$2
	shift 2
	run "$PERF" record "$@" -- touch ran
	ok "$what: is refused" test "$rc" != 0 -a ! -e ran
	like "$err" "$text" "$what: with the cause and a remedy"
}

if "$PERF" test --kernel | grep -q '^maple tree of mappings  *no '; then
	refused "an old kernel" 'needs maple tree of mappings, which Linux 6\.1 and newer can have; .*: take --call-graph fp or dwarf' -e cpu-clock --call-graph bpf
	done_testing
fi

# chains PERF END: the callers of each sample that END, a pattern, matches (a program has few samples elsewhere, whose callers are others),
# outermost first, from main or the thread's function on
chains() {
	with_tracefs "$1" script -i perf.data --no-inline -F ip,sym 2>/dev/null | awk -v end=" ($2)\$" '
		function flush() { if (chain ~ end) print chain; chain = "" }
		NF == 0 { flush(); next }
		{ sub(/\+.*/, "", $2); chain = " " $2 chain }
		END { flush() }' | sed -E 's/.* (main|in_thread) /\1 /'
}

# way WHAT CHAIN END ARGS...: record a program that runs already: its tables are there from the start, so that every stack is whole
way() {
	local what=$1 want=$2 end=$3 chains tids
	shift 3
	rm -f ready
	spawn ./prog "$@"
	wait_for 10 test -e ready
	tids=$(ls "/proc/$spawned_pid/task")
	# shellcheck disable=SC2086 # numbers
	run "$PERF" record -e cpu-clock:u -F 999 --call-graph bpf -p "$spawned_pid" -- "${until_run[@]}" 300 $tids
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
	is "$rc" 0 "$what: recorded"
	like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "$what: every stack is whole"
	unlike "$err" ' end ' "$what: and none is said to end early"
	chains=$(chains "$PERF" "$end" | sort | uniq -c | sort -rn)
	like "$chains" "^ *[0-9]+ $want\$" "$what: the chain is the known one"
	is "$(grep -vE "^ *[0-9]+ $want\$" <<<"$chains")" "" "$what: and there is no other"
	[ -n "$STOCK" ] || return
	is "$(chains "$STOCK" "$end" | sort | uniq -c | sort -rn)" "$chains" "$what: stock perf reads the same"
}

# at_bytes WHAT CHAIN END ADDRESS BYTES...: the chain of breakpoints on these bytes of the program of $spawned_pid, which then ends. A clock may
# hit only one of several instructions, on some processors.
at_bytes() {
	local what=$1 want=$2 end=$3 address=$4 byte
	shift 4
	for byte in "$@"; do
		run "$PERF" record -e "$(printf 'mem:%#x:x:u' $((address + byte)))" -c 100 --call-graph bpf -p "$spawned_pid" -- "${until_run[@]}" 50 "$spawned_pid"
		is "$(chains "$PERF" "$end" | sort -u)" "$want" "a breakpoint on byte $byte of $what"
	done
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
}

way "deep calls" "main$(printf ' step%.0s' {0..40}) leaf" leaf deep 40
# libc has no names for its own functions without its debug information.
way "callbacks of libc" 'main sort( [_a-zA-Z0-9.]*(qsort|msort)[_a-zA-Z0-9.]*| \[unknown\])+ compare leaf' leaf sort
way "a signal handler on a stack of its own" 'main interrupted( [_a-zA-Z0-9.@]*(raise|pthread_kill)[_a-zA-Z0-9.@]*| \[unknown\])+ (__restore_rt|\[unknown\]) on_signal leaf' leaf signal
way "threads" '(main threads|in_thread) leaf' leaf thread
way "the vdso" 'main clocks( [^ ]*clock_gettime[^ ]*)+' '[^ ]*clock_gettime[^ ]*' clock
way "a frame of unknown size" 'main aligned leaf' leaf aligned
if [ "$(uname -m)" = x86_64 ]; then
	way "Python's trampoline" 'main trampoline jump \[unknown\] called leaf' leaf trampoline
	way "a sample on Python's trampoline" 'main trampoline jump( \[unknown\])?( nothing)?' 'jump( [[]unknown[]])?( nothing)?' empty
	spawn ./prog empty
	wait_for 10 grep -q rwxp "/proc/$spawned_pid/maps"
	at_bytes "Python's trampoline" 'main trampoline jump [unknown]' '[[]unknown[]]' "0x$(sed -n 's/-[^ ]* rwxp .*//p' "/proc/$spawned_pid/maps")" 0 4 6 10
else
	skip 14 "Python's trampoline: that of arm64 has a frame pointer"
fi

# Code of a program with tables that says nothing of itself: much of it is taken to have frame pointers, as node's, a function is not.
cat >silent.c <<'END'
#include <fcntl.h>
#include <unistd.h>
volatile unsigned long sink;
#define FUNCTION __attribute__((noinline, noclone, used)) void
FUNCTION leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}
void silent(void);
asm(".text\n .type silent, @function\n"
    "silent: push %rbp\n mov %rsp, %rbp\n call leaf\n pop %rbp\n ret\n .skip " SIZE ", 0x90\n .size silent, . - silent\n");
FUNCTION step(void)
{
	volatile char frame[200];
	frame[sink % 200] = 1;
	silent();
	sink += frame[sink % 200];
}
int main(void)
{
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	for (;;)
		step();
}
END
if [ "$(uname -m)" = x86_64 ]; then
	cp prog prog.saved
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -DSIZE='"65536"' -o prog silent.c 2>>cc.txt
	way "much code without rules" 'main step silent leaf' leaf
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -DSIZE='"1"' -o prog silent.c 2>>cc.txt
	rm -f ready
	spawn ./prog
	wait_for 10 test -e ready
	run "$PERF" record -e cpu-clock:u -F 999 --call-graph bpf -p "$spawned_pid" -- "${until_run[@]}" 100 "$spawned_pid"
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
	like "$err" '^  [1-9][0-9]* end in code that its file has no rule for$' "a function without rules: stacks end there"
	# At all instructions of edges() but pop the frame pointer is its caller's.
	cat >edges.c <<'END'
#include <fcntl.h>
#include <unistd.h>
void around(void);
asm(".text\n .type edges, @function\n"
    "edges: endbr64\n push %rbp\n " MOV "\n pop %rbp\n ret\n .size edges, . - edges\n"
    ".type around, @function\n"
    "around: push %rbp\n mov %rsp, %rbp\n mov $1000000, %ecx\n 1: call edges\n dec %ecx\n jnz 1b\n pop %rbp\n ret\n"
    ".skip 65536, 0x90\n .size around, . - around\n");
__attribute__((noinline)) void step(void)
{
	around();
	asm volatile("");
}
int main(void)
{
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	for (;;)
		step();
}
END
	for mov in 'mov %rsp, %rbp' '.byte 0x48, 0x8b, 0xec'; do
		${CC:-cc} -O2 -no-pie -fomit-frame-pointer -fno-optimize-sibling-calls -DMOV="\"$mov\"" -o prog edges.c 2>>cc.txt
		way "the edges of a function with a frame pointer ($mov)" 'main step around edges' edges
		rm -f ready
		spawn ./prog
		wait_for 10 test -e ready
		at_bytes "edges ($mov)" "main step around edges" edges "0x$(nm prog | awk '$3 == "edges" { print $1 }')" 0 4 5 8 9
	done
	# A file of Go has .gopclntab, and .debug_frame does not say that its functions keep frame pointers; a leaf has no frame.
	cat >go.c <<'END'
#include <fcntl.h>
#include <unistd.h>
volatile unsigned long sink;
#define FUNCTION __attribute__((noinline)) void
asm(".section .gopclntab, \"a\"\n .long 0\n .text\n");
FUNCTION leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}
FUNCTION step(void)
{
	leaf();
	sink++;
}
FUNCTION around(void)
{
	step();
	sink++;
}
int main(void)
{
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	for (;;)
		around();
}
END
	go_like=(-O2 -g -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -momit-leaf-frame-pointer)
	${CC:-cc} "${go_like[@]}" -fno-optimize-sibling-calls -o prog go.c 2>>cc.txt
	way "a leaf of Go" 'main around step leaf' leaf
	mv prog.saved prog
else
	skip 23 "code without rules: it is in x86-64 assembly"
fi

# GCC's start files say nothing of __do_global_dtors_aux, which every library runs at its end.
cat >lib.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}
static void at_end(void)
{
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	for (;;) {
		leaf();
		sink++;
	}
}
__attribute__((constructor)) static void at_begin(void) { atexit(at_end); }
END
printf '#include <dlfcn.h>\nint main(void) { return dlclose(dlopen("./lib.so", RTLD_NOW)); }\n' >closes.c
if [ "$(uname -m)" = x86_64 ] && ${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -fPIC -shared -o lib.so lib.c 2>>cc.txt &&
	${CC:-cc} -O2 -fno-optimize-sibling-calls -o closes closes.c 2>>cc.txt && nm lib.so | grep -q __do_global_dtors_aux; then
	mv prog stacks
	mv closes prog
	way "the end of a library" 'main .*__do_global_dtors_aux __cxa_finalize[^ ]* at_end leaf' leaf
	mv stacks prog
else
	skip 5 "the end of a library: needs GCC's start files for x86-64"
fi

# A thread that is not its process's first one: the files of its process have tables from the start, too.
rm -f ready
spawn ./prog thread
wait_for 10 test -e ready
for task in "/proc/$spawned_pid/task/"*; do
	[ "${task##*/}" = "$spawned_pid" ] || thread=${task##*/}
done
run "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf -t "$thread" -- "${until_run[@]}" 100 "$thread"
{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
is "$rc" 0 "one thread: recorded"
like "$err" 'stacks for user space: 0 without a table, ' "one thread: its tables are there from the start"
like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "one thread: every stack is whole"

# A command that starts now: what it runs before its tables are made ends there, and all that is said.
run "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf -- "$WORKLOAD" noploop 0.3
is "$rc" 0 "a command: recorded"
is "$(sed -nE 's/^cpu-clock:u: ([0-9]+) user stacks, .*/\1/p' <<<"$err")" "$(samples perf.data tid | wc -l)" "a command: each sample has a user stack"
like "$err" '[0-9]+ tables of [0-9]+ rows in [0-9.]+ MB' "a command: -v shows the tables"

# Deep stacks: as many frames as are asked for
# depths: the different numbers of frames of samples in leaf()
depths() {
	"$@" script -i perf.data --max-stack 600 -F ip,sym 2>/dev/null | awk 'NF == 0 { if (leaf) print nr; nr = leaf = 0; next } $3 != "(inlined)" { leaf += $2 == "leaf"; nr++ }' |
		sort -u | xargs
}
deep() {
	spawn ./prog deep 400
	wait_for 10 grep -qx prog "/proc/$spawned_pid/comm"
	run "$PERF" record -e cpu-clock:u -F 999 --call-graph bpf "$@" -p "$spawned_pid" -- "${until_run[@]}" 100 "$spawned_pid"
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
}
deep
like "$err" '[1-9][0-9]* end with too many frames' "deep stacks: 127 frames are the default"
is "$(depths "$PERF")" 127 "deep stacks: and no more is in the file"
deep --max-stack 511
like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "--max-stack 511: every stack is whole"
is "$(depths "$PERF")" 406 "--max-stack 511: from _start to the leaf"
[ -z "$STOCK" ] || is "$(depths "$STOCK")" 406 "--max-stack 511: stock perf reads them"
deep --max-stack 9
is "$(depths "$PERF")" 9 "--max-stack 9: no more frames"
refused "too many frames" 'takes at most 511 frames of a stack' -e cpu-clock:u --call-graph bpf --max-stack 512
refused "no number of frames" 'max-stack takes a number of frames' -e cpu-clock:u --call-graph bpf --max-stack 1x
run "$PERF" record -e cpu-clock:u --call-graph fp --max-stack 9 -- "$WORKLOAD" noploop 0.1
is "$rc, $(("$("$PERF" script -i perf.data -F ip,sym | awk 'NF == 0 { print nr; nr = 0; next } { nr++ }' | sort -n | tail -1)" <= 9))" "0, 1" \
	"--max-stack 9 with frame pointers: no more frames"
refused "more frames than the kernel's limit" 'kernel.perf_event_max_stack=65535' -e cpu-clock:u -g --max-stack 65535

# Filters judge first: what they drop is not unwound.
cp "$WORKLOAD" other
run "$PERF" record -e page-faults:u -c 1 --call-graph bpf --filter 'comm == other' -- sh -c '/bin/true; ./other noploop 0.01'
is "$rc" 0 "a filter: recorded"
counts ""
ok "a filter: it keeps some and drops some" test "$kept" -gt 0 -a "$dropped" -gt 0
is "$(sed -nE 's/^page-faults:u: ([0-9]+) user stacks, .*/\1/p' <<<"$err")" "$kept" "a filter: only the samples that it keeps are unwound"
is "$(samples perf.data comm | sort -u)" other "a filter: its verdict holds"

# Kernel and user
run "$PERF" record -e page-faults -c 1 --call-graph bpf --user-callchains -- "$WORKLOAD" faults 4 threads 1
is "$rc" 0 "--user-callchains: recorded"
run "$PERF" record -e page-faults -c 1 --call-graph bpf --kernel-callchains -- "$WORKLOAD" faults 4 threads 1
unlike "$err" 'user stacks' "--kernel-callchains: no user stack is unwound"

refused "-d" 'asks for more: take --call-graph fp or dwarf' -e cpu-clock -d --call-graph bpf
refused "--overwrite" 'exclude each other' -e cpu-clock --overwrite --call-graph bpf
refused "too much memory for tables" 'takes at most 1024 MiB' -e cpu-clock --unwind-memory 1025 --call-graph bpf
refused "memory for tables of other callchains" 'unwind-memory needs -g or --call-graph bpf' -e cpu-clock --unwind-memory 64 --call-graph fp
refused "no memory for tables" 'unwind-memory' -e cpu-clock --unwind-memory 0 --call-graph bpf

# Go's goroutines and other runtimes' threads begin without tables, with a frame pointer of 0: there a stack is whole.
cat >begin.c <<'END'
static volatile unsigned long n;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 1000; i++) n++; }
__attribute__((noinline)) void inner(void) { leaf(); n++; } /* its own frame is all that a leaf without one has */
__attribute__((noinline)) void middle(void) { for (;;) { inner(); n++; } }
#ifdef __x86_64__
__asm__(".text; .globl begin; .type begin, @function; begin: xor %ebp, %ebp; call middle; hlt; .size begin, . - begin");
#else
__asm__(".text; .globl begin; .type begin, @function; begin: mov x29, xzr; bl middle; brk 0; .size begin, . - begin");
#endif
END
${CC:-cc} -O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -nostdlib -static -Wl,-e,begin,--build-id=sha1 -o begin begin.c || exit 1
spawn ./begin
run "$PERF" record -e cpu-clock:u -F 999 --call-graph bpf -p "$spawned_pid" -- "${until_run[@]}" 200 "$spawned_pid"
{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, (9[0-9]|100)\.[0-9] % of them whole' "a frame pointer of 0: the stacks are whole"
like "$("$PERF" script -F ip,sym | awk 'NF == 0 { if (chain) print chain; chain = ""; next } { chain = chain " " $2 }' | sort | uniq -c | sort -rn | head -n 1)" \
	' leaf middle begin$' "a frame pointer of 0: and end there"

# Each missing capability is named, with all that are needed.
# without NAMES CAPABILITIES: root lacks them
without() {
	rm -f ran
	run setpriv --bounding-set="$2" --inh-caps="$2" -- "$PERF" record -e cpu-clock:u --call-graph bpf -- touch ran
	ok "root without $1: is refused" test "$rc" != 0 -a ! -e ran
	like "$err" "needs $1, which this process lacks" "root without $1: with the cause"
	like "$err" 'setcap cap_bpf,cap_perfmon,cap_checkpoint_restore\+ep' "root without $1: and the remedy"
}
without "CAP_CHECKPOINT_RESTORE" -sys_admin,-checkpoint_restore
without "CAP_BPF" -sys_admin,-bpf
without "CAP_BPF and CAP_PERFMON and CAP_CHECKPOINT_RESTORE" -sys_admin,-bpf,-perfmon,-checkpoint_restore

# A file whose process may not be looked into: what cannot be read is told.
chmod 755 .
spawn setpriv --reuid=65534 --regid=65534 --clear-groups -- ./prog deep 3
wait_for 10 grep -qx prog "/proc/$spawned_pid/comm"
run setpriv --bounding-set=-sys_admin,-sys_ptrace --inh-caps=-sys_admin,-sys_ptrace -- "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf \
	-p "$spawned_pid" -- "${until_run[@]}" 100 "$spawned_pid"
{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
is "$rc" 0 "another user's process without CAP_SYS_PTRACE: recorded"
like "$err" '^[1-9][0-9]* files? could not be read for unwinding.*cap_sys_ptrace' "another user's process: the files that cannot be read are told"
like "$err" 'no unwinding table for inode [0-9]+ of process [0-9]+: Permission denied' "another user's process: -v shows the cause"

done_testing

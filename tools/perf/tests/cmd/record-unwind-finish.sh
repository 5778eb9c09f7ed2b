#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf: stacks that BPF cannot finish are finished in user space, before they are in the file.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

[ "$(uname -m)" = x86_64 ] || skip_all "perf unwinds x86-64 programs only"
place=$(mktemp -d /tmp/unwind-finish.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1

# by_register() is a frame whose caller is found by rbx, which between() has saved: BPF follows that. No rule of BPF expresses
# by_expression(), whose caller is found by a DWARF expression.
cat >prog.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
volatile unsigned long sink;
#define FUNCTION __attribute__((noinline, noclone, used)) void
FUNCTION leaf(void)
{
	for (int i = 0; i < 100000; i++)
		sink += i;
}
void at_page(void);
FUNCTION between(void)
{
	at_page();
	asm volatile("" ::: "rbx");
	sink++;
}
void by_register(void), by_expression(void);
asm(".text\n"
    /* leaf() has its stack pointer near the begin of a page, and the page before it has no memory: madvise(MADV_DONTNEED) */
    ".type at_page, @function\n"
    "at_page: .cfi_startproc\n"
    "push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset rbp, -16\n"
    "mov %rsp, %rbp\n .cfi_def_cfa_register rbp\n"
    "and $-4096, %rsp\n sub $4096 - 32, %rsp\n"
    "mov %rsp, %rdi\n and $-4096, %rdi\n sub $4096, %rdi\n mov $4096, %esi\n mov $4, %edx\n mov $28, %eax\n syscall\n"
    "call leaf\n"
    "mov %rbp, %rsp\n pop %rbp\n .cfi_def_cfa rsp, 8\n"
    "ret\n .cfi_endproc\n .size at_page, . - at_page\n"
    ".type by_register, @function\n"
    "by_register: .cfi_startproc\n"
    "push %rbx\n .cfi_def_cfa_offset 16\n .cfi_offset rbx, -16\n"
    "mov %rsp, %rbx\n .cfi_def_cfa_register rbx\n"
    "and $-64, %rsp\n sub $192, %rsp\n"
    "call between\n"
    "mov %rbx, %rsp\n .cfi_def_cfa_register rsp\n"
    "pop %rbx\n .cfi_def_cfa_offset 8\n"
    "ret\n .cfi_endproc\n .size by_register, . - by_register\n"
    ".type by_expression, @function\n"
    "by_expression: .cfi_startproc\n"
    "sub $8, %rsp\n .cfi_escape 0x0f, 4, 0x77, 8, 0x38, 0x22\n"
    "call by_register\n"
    "add $8, %rsp\n .cfi_def_cfa rsp, 8\n"
    "ret\n .cfi_endproc\n .size by_expression, . - by_expression\n");
void on_signal(int sig)
{
	by_expression();
	sink++;
}
FUNCTION interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}
void (*volatile innermost)(void) = by_expression;
FUNCTION step(int depth)
{
	volatile char frame[400];
	frame[depth % 400] = 1;
	if (depth)
		step(depth - 1);
	else
		innermost();
	sink += frame[depth % 400];
}
int main(int argc, char **argv)
{
	if (argc > 3) { /* a handler on a stack of its own */
		static char stack[32768];
		sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) }, NULL);
		sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_ONSTACK }, NULL);
		innermost = interrupted;
	}
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; argc < 3 || i < atoi(argv[2]); i++) {
		step(atoi(argv[1]));
		sink++;
	}
}
END
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

# chains PERF: the callers of each sample in leaf(), outermost first, from main on
chains() {
	with_tracefs "$1" script -i perf.data -F ip,sym 2>/dev/null | awk '
		function flush() { if (chain ~ / leaf$/) print chain; chain = "" }
		NF == 0 { flush(); next }
		{ sub(/\+.*/, "", $2); chain = " " $2 chain }
		END { flush() }' | sed -E 's/.* main /main /' | sort | uniq -c | sort -rn
}

in_order() {
	"$PERF" script -i perf.data -F time 2>/dev/null | sort -c -t: -k1,1n
}

# is_whole WHAT: the last recording has the known chain only, in each perf
want="main$(printf ' step%.0s' {0..20}) by_expression by_register between at_page leaf"
is_whole() {
	local chains
	chains=$(chains "$PERF")
	like "$chains" "^ *[0-9]+ $want\$" "$1: the chain is the known one"
	is "$(wc -l <<<"$chains")" 1 "$1: and there is no other"
	ok "$1: samples are in the order of their times" in_order
	[ -n "$STOCK" ] || return
	is "$(chains "$STOCK")" "$chains" "$1: stock perf reads the same"
}

start() {
	rm -f ready
	spawn "$@"
	wait_for 10 test -e ready
}
end() {
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
}

# record OPTIONS...: with room for the copied stacks of all samples, as perf may get no CPU for that long
record() {
	run "$PERF" record -v -m 16M -e cpu-clock:u -F 999 --call-graph bpf "$@"
}

# It runs already: its tables are there from the start.
start ./prog 20
record -p "$spawned_pid" -- "${until_run[@]}" 300 "$spawned_pid"
end
is "$rc" 0 "frames without a rule: recorded"
like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "frames without a rule: every stack is whole"
like "$err" '^  [1-9][0-9]* were finished outside BPF$' "frames without a rule: user space has finished some"
like "$err" 'stacks for user space: 0 without a table, 0 without room for it, [1-9][0-9]* that need DWARF' "frames without a rule: -v shows the cause"
is_whole "frames without a rule"
like "$("$PERF" report -i perf.data --header-only)" '^# user stacks: cpu-clock:u: ([0-9]+) user stacks, \1 whole \([0-9]+ finished outside BPF\)$' \
	"frames without a rule: the header has the counts"
if [ -n "$STOCK" ]; then
	run "$STOCK" report -i perf.data --header-only
	is "$rc, $err" "0, " "frames without a rule: stock perf leaves them out"
fi

# Both stacks are copied: that of the handler, which user space must begin with, and the one that the signal interrupted.
start ./prog 20 1000000000 signal
record -p "$spawned_pid" -- "${until_run[@]}" 300 "$spawned_pid"
end
like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "a handler's own stack: every stack is whole"
like "$err" '^  [1-9][0-9]* were finished outside BPF$' "a handler's own stack: user space has finished some"
like "$(chains "$PERF")" "^ *[0-9]+ main( step){21} interrupted .* on_signal by_expression by_register between at_page leaf\$" \
	"a handler's own stack: the chain goes on with what was interrupted"

# 600,000 rows need more than the 2 MiB that there are at least.
{
	printf '.text\n.globl large\n.type large, @function\nlarge: .cfi_startproc\n'
	printf '.rept 300000\n.skip 7, 0x90\n.cfi_adjust_cfa_offset 8\n.skip 7, 0x90\n.cfi_adjust_cfa_offset -8\n.endr\nret\n.cfi_endproc\n'
} >large.s
if ${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o large prog.c large.s 2>>cc.txt; then
	start ./large 20
	record --unwind-memory 1 -p "$spawned_pid" -- "${until_run[@]}" 200 "$spawned_pid"
	end
	is "$rc" 0 "no room: recorded"
	like "$err" '1 unwinding table found no room: take more memory' "no room: it is told"
	like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "no room: every stack is whole nevertheless"
	like "$err" 'stacks for user space: 0 without a table, [1-9][0-9]* without room for it' "no room: -v shows the cause"
	is_whole "no room"
else
	skip 8 "no room: needs an assembler: $(tail -1 cc.txt)"
fi

# A library that nobody has mapped yet: its first samples meet no table, as perf stands still until there are some, and are whole nevertheless.
cat >load.c <<'END'
#include <dlfcn.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
static void go_on_after_ms(pid_t perf, clockid_t cpu_time, long ms)
{
	struct timespec now, begin;

	clock_gettime(cpu_time, &begin);
	do {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	} while (!clock_gettime(cpu_time, &now) && (now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
	kill(perf, SIGCONT);
}
int main(int argc, char **argv)
{
	pid_t perf = getppid();
	clockid_t cpu_time;

	clock_getcpuclockid(getpid(), &cpu_time);
	kill(perf, SIGSTOP);
	if (!fork()) {
		go_on_after_ms(perf, cpu_time, 50);
		return 0;
	}
	((void (*)(int, char **))dlsym(dlopen("./new.so", RTLD_NOW), "begin"))(argc, argv);
	return 0;
}
END
if ${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Dmain=begin -shared -fPIC -Wl,-Bsymbolic -o new.so prog.c 2>>cc.txt &&
	${CC:-cc} -O2 -fno-optimize-sibling-calls -o load load.c 2>>cc.txt; then
	want=${want/main/main begin}
	record -- ./load 20 1000
	is "$rc" 0 "a new file: recorded"
	like "$err" 'stacks for user space: [1-9][0-9]* without a table' "a new file: user space has finished stacks without a table"
	unlike "$err" 'end in files|behind the part' "a new file: and none ends for that reason"
	is_whole "a new file"
else
	skip 6 "a new file: needs a linker for libraries: $(tail -1 cc.txt)"
fi

# tables COMMAND...: how many tables are made for a command that has no sample
tables() {
	run "$PERF" record -v -e cpu-clock:u -c 100000000000 --call-graph bpf -- "$@"
	sed -nE 's/.* ([0-9]+) tables of .*/\1/p' <<<"$err"
}
# fewest COMMAND...: the least number of tries. A program that somebody else records adds a table if it starts meanwhile.
fewest() {
	for _ in {1..8}; do tables "$@"; done | sort -n | head -1
}
# perf's own files have tables from the start.
before=$(fewest "$PERF" version)
cp prog copy
ok "a new program: its table is made when it starts, not at its first sample" test "$(fewest ./copy 0 1)" -gt "$before"

# While its own large table is made, the dynamic linker maps its library, which has one, too. Large tables are kept. The linker may be late.
makes_both() {
	for _ in {1..10}; do
		rm -rf kept
		"$PERF" --buildid-dir kept record -e cpu-clock:u -c 100000000000 --call-graph bpf -- ./depends 0 8000 >out.txt 2>err.txt || return
		[ "$(find kept/.unwind -type f -size +2000k | wc -l)" -lt 2 ] || return 0
	done
	return 1
}
if ${CC:-cc} -shared -fPIC -o large.so large.s 2>>cc.txt &&
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o depends prog.c large.s -Wl,--no-as-needed ./large.so 2>>cc.txt; then
	ok "a new program: the tables of its libraries are made, too" makes_both
else
	skip 1 "a new program's libraries: needs an assembler: $(tail -1 cc.txt)"
fi

done_testing

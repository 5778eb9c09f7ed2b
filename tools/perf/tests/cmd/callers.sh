#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A caller has the name, the inlined functions and the line of its call, and not of what follows the call.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
command -v gcc >/dev/null || skip_all "needs gcc"

cat >prog.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline, noclone))
#define INLINE static inline __attribute__((always_inline))
volatile int sink;
NOINLINE void spin(void) { for (volatile long i = 0; i < 100000000; i++) ; }
NOINLINE __attribute__((noreturn)) void leave(void) { spin(); _exit(0); }
NOINLINE __attribute__((noreturn)) void real_caller(void) { leave(); }
NOINLINE void other_function(void) { sink++; }
INLINE void first_inlined(void) { spin(); }
INLINE void second_inlined(void) { sink = 1; }
NOINLINE int outer(void)
{
	first_inlined();
	second_inlined();
	return sink;
}
static void on_signal(int signal) { spin(); _exit(0); }
__attribute__((naked)) void before_it(void) { __asm__("nop\n\tnop\n\tnop"); }
__attribute__((naked)) void traps_at_once(void) { __asm__("ud2"); }
static void coroutine(void)
{
	spin();
	sink++;
}
static void switch_stacks(void)
{
	static char stack[65536];
	static ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
}
int main(int argc, char **argv)
{
	signal(SIGILL, on_signal);
	switch (*argv[1]) {
	case 'l': real_caller();
	case 'i': return outer() - 1;
	case 's': traps_at_once();
	case 'c': switch_stacks();
	}
	return 0;
}
C
gcc -g -O2 -fno-reorder-functions -fno-omit-frame-pointer -falign-functions=1 -o prog prog.c 2>gcc.err || exit 1

for way in bpf fp dwarf; do
	for what in l i s c; do
		run "$PERF" record -q -o $way-$what.data -e cpu-clock:u -F 999 --call-graph $way -- ./prog $what
		[ "$way:$rc" != bpf:1 ] || continue 2 # this kernel or this user has none
	done
	folded=$("$PERF" report -i $way-l.data --folded=samples)
	like "$folded" ';main;real_caller;leave;spin [0-9]+$' "$way: a call that ends a function is a call of that function"
	unlike "$folded" 'other_function' "$way: and not of the next one"
	lines=$("$PERF" report -i $way-i.data --folded=samples)
	like "$lines" ';main;outer;first_inlined;spin [0-9]+$' "$way: a call is in the inlined function that it is in"
	unlike "$lines" 'second_inlined' "$way: and not in the next one"
	text=$("$PERF" script -i $way-i.data -F ip,sym,srcline)
	like "$text" 'first_inlined' "$way: script has the function"
	like "$text" 'prog\.c:12' "$way: and the line"
	[ $way = fp ] && continue # the kernel's walk needs frame pointers, also of the code that returns from signals
	if [ "$(uname -m)" = x86_64 ]; then
		like "$("$PERF" report -i $way-s.data --folded=samples)" ';main;traps_at_once;[^;]*;on_signal;spin [0-9]+$' \
			"$way: what a signal interrupted is looked up as it is"
	fi
	like "$("$PERF" report -i $way-c.data --folded=samples)" ';coroutine;spin [0-9]+$' "$way: coroutines have their function"
done

run "$PERF" report -i dwarf-l.data --flamegraph=page.html
like "$(cat page.html)" real_caller "the flame graph has the caller"
unlike "$(cat page.html)" other_function "and not the function behind it"
done_testing

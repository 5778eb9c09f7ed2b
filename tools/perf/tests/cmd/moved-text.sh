#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs that move their text to memory without a file, as node does for huge pages: names and callers stay.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >f.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline, noclone)) int
FUNCTION leaf(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
	return 0;
}
FUNCTION caller(void)
{
	int ret = leaf();
	__asm__ volatile("" ::: "memory");
	return ret;
}
int main(int argc, char **argv)
{
	char *page = (char *)((unsigned long)leaf & ~4095UL), *copy; /* all of the program's functions */

	copy = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(copy, page, 4096);
	mremap(copy, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	for (int i = 0; argc > 1 || i < 3000; i++)
		caller();
	return 0;
}
C
"${CC:-cc}" -O1 -fomit-frame-pointer -o f f.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

# whole WHAT DATA: all stacks in leaf are the known one
whole() {
	local stacks
	stacks=$("$PERF" report -i "$2" --folded=samples 2>/dev/null | grep -E '(;leaf|\[JIT\]|unknown)' | sed 's/.*;main;/main;/; s/ [0-9]*$//' | sort -u)
	is "$stacks" 'main;caller;leaf' "$1: names and callers"
}

# most WHAT DATA: the same of nearly all: user space finishes the first ones, and knows only what the kernel says of the memory
most() {
	local share
	share=$("$PERF" report -i "$2" --folded=samples 2>/dev/null | awk '/;leaf |JIT|unknown/ { all += $NF } /main;caller;leaf / { n += $NF }
		END { print all ? int(100 * n / all) : 0 }')
	ok "$1: names and callers of $share %" test "$share" -ge 90
}

for way in '-g' '--call-graph dwarf'; do
	rm -f ready
	spawn ./f forever
	wait_for 10 test -e ready
	# shellcheck disable=SC2086 # words
	run timeout 100 "$PERF" record -e cpu-clock:u -F 999 $way -p "$spawned_pid" -o running.data -- sleep 0.5
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
	is "$rc" 0 "$way, a running program: recorded"
	whole "$way, a running program" running.data
	# shellcheck disable=SC2086 # words
	run timeout 100 "$PERF" record -e cpu-clock:u -F 999 $way -o begun.data -- ./f
	is "$rc" 0 "$way, a command: recorded"
	most "$way, a command" begun.data
done
spawn ./f forever
run timeout 100 "$PERF" sample-bpf -e cpu-clock:u -F 999 -g -p "$spawned_pid" -o tally.data -- sleep 0.5
is "$rc" 0 "sample-bpf: recorded"
whole "sample-bpf" tally.data

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs in other mount and PID namespaces: while they live, their files and those of their JITs are found through /proc. Without the copies
# that perf record makes (containers-ended.sh).
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >p.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) void inside(volatile unsigned long *n)
{
	for (int i = 0; i < 1000000; i++)
		++*n;
}
int main(int argc, char **argv)
{
	unsigned long (*code)(void);
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile unsigned long n = 0;
	char name[64];
	FILE *fp;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	fp = fopen(name, "w");
	/* the loop of inside() again, in memory without a file */
	memcpy(page, (void *)inside, 256);
	fprintf(fp, "%lx 100 jitted\n", (unsigned long)page);
	fclose(fp);
	code = (void *)page;
	fp = fopen("/ready", "w");
	fclose(fp);
	for (;;) {
		inside(&n);
		((void (*)(volatile unsigned long *))code)(&n);
	}
	return argc;
}
C
"${CC:-cc}" -O1 -static -Wl,--build-id -o p p.c 2>cc.txt || skip_all "needs a C compiler and a static libc: $(head -1 cc.txt)"
mkdir -p box/bin box/tmp box/proc
cp p box/bin/contained
unshare --mount --pid --fork true 2>/dev/null || skip_all "namespaces cannot be made here"

# shellcheck disable=SC2016 # for the inner shell
spawn unshare --mount --pid --fork --kill-child sh -c 'mount -t tmpfs nodev "$1" && cp "$2" "$1/contained" && mkdir "$1/tmp" &&
	touch "$1/here" && exec chroot "$1" /contained' sh "$WORK/box" "$WORK/p"
outer=$spawned_pid
inner_of() {
	inner=$(pgrep -P "$outer" -x contained)
	[ -n "$inner" ] && [ -e "/proc/$inner/root/ready" ]
}
ok "a program runs in a container" wait_for 60 inner_of

run timeout 100 "$PERF" record -N -e cpu-clock:u -F 999 -p "$inner" -o c.data -- "${until_run[@]}" 100 "$inner"
is "$rc" 0 "it is recorded"
out=$("$PERF" report --stdio -s comm,dso,sym -i c.data 2>&1)
like "$out" '^ +[0-9.]+% +contained +contained +\[\.\] inside' "functions of its file have names"
like "$out" '^ +[0-9.]+% +contained +.*\[\.\] jitted' "so has code that its JIT made, by the id that it has in there"
like "$("$PERF" script -F ip,sym -i c.data 2>/dev/null | sort | uniq -c)" 'inside' "perf script has them, too"
run timeout 100 "$PERF" record -N -e cpu-clock:u -F 999 --call-graph fp -p "$inner" -o g.data -- "${until_run[@]}" 100 "$inner"
like "$("$PERF" report --stdio -s sym -g none -i g.data 2>&1)" '\[\.\] inside' "and so do callers"
run timeout 100 "$PERF" record -N -e cpu-clock:u -F 999 -a --filter "pid == $inner" -o a.data -- "${until_run[@]}" 100 "$inner"
like "$("$PERF" report --stdio -s sym -i a.data 2>&1)" '\[\.\] inside' "and a recording of the whole system"

rm "/proc/$inner/root/contained"
like "$("$PERF" report --stdio -s sym -i c.data 2>&1)" '\[\.\] inside' "also when the file was deleted"
# Another file of this name, seen from here, is not taken for it.
kill -KILL "$inner"
gone() {
	[ ! -e "/proc/$inner" ]
}
ok "the program ends" wait_for 60 gone
unlike "$("$PERF" report --stdio -s sym -i c.data 2>/dev/null)" '\[\.\] inside' "when it has ended its file cannot be read"
done_testing

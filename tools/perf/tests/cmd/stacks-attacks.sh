#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf stacks of processes that attack it: by their stacks, their memory, their mappings and their files. It ends in time, and says no more than there is.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

[ "$(uname -m)" = x86_64 ] || skip_all "the attacks are written for x86-64"
place=$(mktemp -d /tmp/stacks-test.XXXXXX) || exit 1
trap 'umount -l "$place/slow" 2>/dev/null; rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
cat >many-maps.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
/* As many mappings as the kernel allows, all of code */
int main(void)
{
	char *at = mmap(NULL, 4096L * 140000, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (long i = 0; i < 70000 && !mprotect(at + i * 8192, 4096, PROT_READ | PROT_EXEC); i++)
		;
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	pause();
}
END
cat >absent.c <<'END'
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
/* The stack is in memory that is filled when somebody reads it, by nobody. With an argument it is protected, and looks as if it was swapped out. */
int main(int argc, char **argv)
{
	struct uffdio_api api = { .api = UFFD_API, .features = argc > 1 ? UFFD_FEATURE_WP_UNPOPULATED : 0 };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	char *at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register all = { .range = { (uintptr_t)at, 1 << 20 }, .mode = UFFDIO_REGISTER_MODE_MISSING };

	all.mode |= argc > 1 ? UFFDIO_REGISTER_MODE_WP : 0;
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &all))
		return 1;
	if (argc > 1 && ioctl(fd, UFFDIO_WRITEPROTECT, &(struct uffdio_writeprotect){ .range = all.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP }))
		return 1;
	close(open("ready", O_CREAT | O_WRONLY, 0600));
	asm volatile("mov %0, %%rsp; mov %0, %%rbp; mov $34, %%eax; syscall" : : "r"(at + 65536) : "rax", "memory"); /* pause */
	return 0;
}
END
cp "$SOURCE/tests/cmd/hostile-stacks.c" "$SOURCE/tests/cmd/stacks.c" "$SOURCE/tests/cmd/slowfs.c" .
for program in hostile-stacks stacks slowfs many-maps absent; do
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o $program $program.c 2>cc.txt ||
		skip_all "needs a C compiler: $(head -1 cc.txt)"
done

# start COMMAND...: until it says that it is ready
start() {
	rm -f ready
	spawn "$@"
	wait_for 10 test -e ready -o ! -d "/proc/$spawned_pid"
}
end() {
	{ kill -KILL "$spawned_pid"; wait "$spawned_pid"; } 2>/dev/null
	return 0
}

# look WHAT: several snapshots of what was started
look() {
	run timeout -k 5 60 "$PERF" stacks -p "$spawned_pid" -n 5 -i 20
	is "$rc" 0 "$1: perf ends"
	is "$(grep -c '^# snapshot [0-9].*: [1-9][0-9]* thread' <<<"$out")" 5 "$1: and shows the threads"
	slowest=$(sed -nE 's/^# snapshot .* read in ([0-9]+)\..*/\1/p' <<<"$out" | sort -n | tail -1)
	note "$1: $slowest ms, at most $(awk '/^$/ { n = 0 } /^\t/ { n++; if (n > max) max = n } END { print max + 0 }' <<<"$out") frames"
	ok "$1: each thread is somewhere" awk '/^[0-9]+ thread.*:$/ { if (open) bad = 1; open = !/never while|whenever perf/ } /^\t/ { open = 0 } END { exit bad || open }' <<<"$out"
	ok "$1: in time" test "${slowest:-99999}" -lt 5000
}

for how in circle itself endless forged "at ffffffff81000000" "at 7ffffffff000" "at vvar" corrupt remap mappings spread hard; do
	# shellcheck disable=SC2086 # two words
	start ./hostile-stacks $how
	look "a stack of $how"
	unlike "$out" '^	 *fffffffffffff(00[1-9a-f]|0[1-9a-f]|[1-9a-f])' "a stack of $how: no address passes for a mark of callchains"
	end
done

start ./many-maps
ok "there are many mappings" test "$(wc -l <"/proc/$spawned_pid/maps")" -gt 60000
look "many mappings"
like "$out" '^	 +[0-9a-f]+ main\+' "many mappings: the stack is whole"
end

for how in "" protected; do
	# shellcheck disable=SC2086 # none or one
	start ./absent $how
	if kill -0 "$spawned_pid" 2>/dev/null; then
		look "memory that nobody fills${how:+, $how}"
		like "$out" '^	 +[0-9a-f]+ main\+' "memory that nobody fills${how:+, $how}: the stack ends there"
		run timeout -k 5 20 "$PERF" stacks --deadlocks
		is "$rc" 0 "memory that nobody fills${how:+, $how}: --deadlocks, too"
	else
		skip 6 "no userfaultfd here${how:+, or none with protection}"
	fi
	end
done

# Rules that take libdw long
cat >costly.s <<'END'
	.text
	.globl spin_costly
	.type spin_costly, @function
spin_costly: .cfi_startproc
	.rept 2000000
	.cfi_remember_state
	.endr
	.cfi_escape 0x0f, 4, 0x77, 0, 0x38, 0x22
	mov %rdi, %rsp
	mov $34, %eax
1:	syscall
	jmp 1b
	.cfi_endproc
	.size spin_costly, . - spin_costly
END
cat >costly.c <<'END'
#include <fcntl.h>
#include <unistd.h>
void spin_costly(void *);
int main(void) { static long stack[1000]; for (int i = 0; i < 1000; i++) stack[i] = (long)spin_costly + 4; close(open("ready", O_CREAT | O_WRONLY, 0600)); spin_costly(stack); }
END
if ${CC:-cc} -O2 -o costly costly.c costly.s 2>>cc.txt; then
	start ./costly
	look "costly call frame information"
	end
else
	skip 4 "needs an assembler: $(tail -n 1 cc.txt)"
fi

# A file system that does not answer any more: nobody opens anything there.
mkdir slow
spawn ./slowfs slow stacks
slow_pid=$spawned_pid
if wait_for 5 test -e slow/file -o ! -d "/proc/$slow_pid" && [ -e slow/file ]; then
	start ./slow/file deep 20
	touch stop
	look "files that cannot be read"
	ok "files that cannot be read: without waiting" kill -0 $slow_pid
	end
	rm stop
else
	skip 5 "no FUSE here"
fi
{ kill -KILL $slow_pid; wait $slow_pid; } 2>/dev/null
done_testing

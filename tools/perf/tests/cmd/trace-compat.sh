#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace of 32-bit programs, whose system calls have other numbers, registers and structs. strace is the oracle for names and results.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[[ $(uname -m) == x86_64 ]] || skip_all "only x86-64 has the numbers of 32-bit programs"

cat >prog32.c <<'END'
#define CALL(nr, a, b, c, d, e) \
	({ int r_; __asm__ volatile("int $0x80" : "=a"(r_) : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory"); r_; })
static long long time64[2] = { 0, 1000000 };
static int time32[2] = { 0, 1000000 }, socket[3] = { 1, 99, 0 };
static char buf[64];

void _start(void)
{
	const int fd = CALL(295, -100, "/etc/hostname", 0100000, 0, 0); /* openat */

	CALL(3, fd, buf, 2, 0, 0);	     /* read */
	CALL(180, fd, buf, 3, 1, 0);	     /* pread64 */
	CALL(140, fd, 0, 2, buf, 0);	     /* _llseek */
	CALL(4, 1, "hello\n", 6, 0, 0);	     /* write */
	CALL(192, 0, 8192, 3, 0x22, -1);     /* mmap2 */
	CALL(162, time32, 0, 0, 0, 0);	     /* nanosleep */
	CALL(407, 1, 0, time64, 0, 0);	     /* clock_nanosleep_time64 */
	CALL(5, "/nonexistent", 0, 0, 0, 0); /* open */
	CALL(221, fd, 3, 0, 0, 0);	     /* fcntl64 */
	CALL(102, 1, socket, 0, 0, 0);	     /* socketcall */
	CALL(6, fd, 0, 0, 0, 0);	     /* close */
	CALL(999, 0, 0, 0, 0, 0);
	CALL(252, 3, 0, 0, 0, 0);	     /* exit_group */
}
END
sed -e '/^void _start/,$d' prog32.c >sleep32.c
echo 'void _start(void) { time32[0] = 1000; CALL(4, 1, "ready\n", 6, 0, 0); CALL(162, time32, 0, 0, 0, 0); CALL(1, 0, 0, 0, 0, 0); }' >>sleep32.c
for name in prog32 sleep32; do
	gcc -m32 -O1 -fno-pic -no-pie -nostdlib -static -fno-stack-protector -w -o $name $name.c 2>gcc.err || skip_all "no 32-bit program can be made: $(head -1 gcc.err)"
done
./prog32 >/dev/null
(($? == 3)) || skip_all "the kernel does not run 32-bit programs"
squeezed() { tr -s ' ' <"$1"; }
names_of() { grep -oE '[a-z0-9_]+\(' "$1" | xargs; }

run "$PERF" trace -o calls.txt -- ./prog32
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc:$out:$err" "3:hello:" "a 32-bit program runs as without perf, and nothing is left out"
while read -r line; do
	is "$(squeezed calls.txt | grep -cF -- "$line")" 1 "$line"
done <<'END'
openat(dfd: CWD, filename: "/etc/hostname", flags: RDONLY|LARGEFILE) = 3
, count: 2) = 2
, count: 3, pos_low: 1) = 
_llseek(fd: 3</etc/hostname>, offset_low: 2, result: [2], whence: SET) = 0
buf: "hello\n", count: 6) = 6
mmap2(len: 8192, prot: READ|WRITE, flags: PRIVATE|ANONYMOUS, fd: -1) = 0x
clock_nanosleep_time64(which_clock: MONOTONIC, rqtp: { .tv_sec: 0, .tv_nsec: 1000000 }) = 0
 nanosleep(rqtp: 0x
open(filename: "/nonexistent", flags: RDONLY) = -1 ENOENT (No such file or directory)
fcntl64(fd: 3</etc/hostname>, cmd: GETFL) = 32768 (RDONLY|LARGEFILE)
socketcall(call: 1, args: 0x
close(fd: 3</etc/hostname>) = 0
syscall32_999() = -1 ENOSYS (Function not implemented)
exit_group(error_code: 3) = ?
END

# name = result, of each call after the exec
of_strace() { sed -n 's/^\([a-z_0-9]*\)(.* = \(-\{0,1\}[0-9x]*\).*/\1 \2/p' | sed '/^execve /d; s/^syscall_0x3e7 /syscall32_999 /; s/^socket /socketcall /; s/ 0x8000$/ 32768/; s/ 0x.*/ 0x/'; }
of_perf() { squeezed "$1" | sed -n 's/^[^:]*: [^ ]* \([a-z_0-9]*\)(.*) = \(-\{0,1\}[0-9x]*\).*/\1 \2/p' | sed '/^execve /d; s/ 0x.*/ 0x/'; }
: >strace.txt
! command -v strace >strace.path || strace -o strace.txt ./prog32 >/dev/null 2>strace.err || :
if grep -q exit_group strace.txt; then
	is "$(of_perf calls.txt)" "$(of_strace <strace.txt)" "names and results are those of strace"
else
	skip 1 "names and results are those of strace: strace cannot trace here"
fi

run "$PERF" trace -e openat,mmap2,exit_group -o calls.txt -- ./prog32
is "$(names_of calls.txt)" "openat( mmap2( exit_group(" "-e chooses by name"
run "$PERF" trace -e '!openat,mmap2' -o calls.txt -- ./prog32
is "$(grep -cE ' (openat|mmap2)\(' calls.txt):$(grep -c ' pread64(' calls.txt)" 0:1 "and leaves out by name"
run "$PERF" trace -e preadv -o calls.txt -- ./prog32 # 295 of 64-bit programs
is "$(wc -l <calls.txt)" 0 "not by numbers of 64-bit programs"
run "$PERF" trace --filter 'flags == 0x8000' -e openat -o calls.txt -- ./prog32
is "$(names_of calls.txt)" "openat(" "a filter reads its arguments"
run "$PERF" trace --failure -o calls.txt -- ./prog32
is "$(names_of calls.txt)" "open( socketcall( syscall32_999(" "--failure"
run "$PERF" trace -s -o sums.txt -- ./prog32
like "$(squeezed sums.txt)" $'\n openat/32 1 0 ' "sums tell them from the calls of 64-bit programs"
like "$(squeezed sums.txt)" $'\n execve 1 0 ' "an exec of a 32-bit program is one call"

# Whatever an exec leads to
cat >execveat.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *args[] = { "x", NULL };

	syscall(SYS_execveat, AT_FDCWD, argv[1], args, args + 1, 0);
	return 1;
}
END
gcc -o execveat execveat.c
for name in /bin/true ./prog32; do
	run "$PERF" trace -e execveat -o calls.txt -- ./execveat $name
	is "$(squeezed calls.txt | grep -cF "execveat(fd: CWD, filename: \"$name\", argv: [\"x\"]")" 1 "execveat alone: $name"
done

# One that sleeps
mkfifo ready
exec {ready}<>ready
./sleep32 >ready &
sleeper=$!
read -r -t 30 line <&$ready
is "$line" ready "a 32-bit program runs"
for ((i = 0; i < 3000; i++)); do
	[[ $(cut -d' ' -f3 /proc/$sleeper/stat) == S ]] && break
	sleep 0.01
done
run timeout -s INT 1 "$PERF" trace -p $sleeper -o calls.txt
like "$(squeezed calls.txt)" 'continued\]: nanosleep\(rqtp: 0x[0-9a-f]*\) = \?' "the call that it sleeps in"
run "$PERF" stacks -p $sleeper
like "$out" 'sleeping .* in nanosleep:' "perf stacks names the call, too"
kill $sleeper

# Files say by their mappings which numbers are meant.
run "$PERF" trace record -o calls.data -- ./prog32
run "$PERF" trace -i calls.data -o calls.txt
is "$(names_of calls.txt)" "execve( openat( read( pread64( _llseek( write( mmap2( nanosleep( clock_nanosleep_time64( open( fcntl64( socketcall( close( syscall32_999( exit_group(" \
	"calls of a recording have their names"
run "$PERF" trace record -a -o calls.data -- ./prog32
run "$PERF" trace -i calls.data -o calls.txt
is "$(grep -c 'prog32.* _llseek(' calls.txt):$(grep -c 'perf.* mmap2(' calls.txt)" 1:0 "and only those of 32-bit programs"
like "$(squeezed calls.txt)" 'prog32/[0-9]+ execve\(.*\) = 0' "their exec is one call, there too"
done_testing

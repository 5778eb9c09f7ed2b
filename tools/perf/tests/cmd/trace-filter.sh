#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace --filter: the name of an argument is that of each call, wherever the call has it, and no other call's register.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >p.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	const int fd = open("/etc/passwd", O_RDONLY);

	dup2(fd, 77);
	syscall(SYS_getppid, 77L, 0L, 1L); /* has no arguments, but registers */
	lseek(77, 5, SEEK_CUR);
	lseek(fd, 5, SEEK_SET);
	mmap(0, 4096, PROT_READ, MAP_PRIVATE, 77, 0); /* its fd is the fifth */
	syscall(SYS_faccessat, AT_FDCWD, "/etc/passwd", R_OK);
	chdir("/etc");
	close(77);
}
END
"${CC:-cc}" -O1 -w -o p p.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
calls='close,dup*,getppid,lseek,mmap,chdir,faccessat'
# shown FILTER: the names of the calls that it shows
shown() {
	run "$PERF" trace -e "$calls" --filter "$1" -o calls.txt -- ./p
	[[ $rc == 0 ]] || echo "$err"
	grep -oE ' [a-z0-9]+\(' calls.txt | tr -d ' (' | xargs
}
case $("$PERF" trace -e getppid -- ./p 2>&1) in
*"outside of the container"*) skip_all "it needs the first PID namespace" ;;
esac
is "$(shown 'fd == 77')" "lseek mmap close" "a number, at different places"
is "$(shown 'whence == 1')" "lseek" "of calls that have the argument only"
is "$(shown 'whence != 0')" "lseek" "not even != is true of others"
is "$(shown 'fd == 77 && whence == 1')" "lseek" "two arguments"
is "$(shown 'fd == 77 && whence == 0')" "" "which both have to match"
is "$(shown 'fd == 77 && !(whence == 1)')" "mmap close" "what a call lacks is not so"
is "$(shown 'filename == "/etc/passwd" || newfd == 77')" "$(uname -m | sed 's/x86_64/dup2/; s/aarch64/dup3/') faccessat" "texts, at different places"
is "$(shown 'filename ~ "/etc*"')" "faccessat chdir" "patterns"
is "$(shown 'filename !~ "*/passwd"')" "chdir" "!~ of calls without the text is false, too"
is "$(shown 'fd == 77 && ret == 5')" "lseek" "with the result"
is "$(shown 'fd == 77 && duration < 1000s')" "lseek mmap close" "times with units"
is "$(shown 'fd == 77 && duration >= 1000s')" "" "none took so long"
is "$(shown 'fd in {70..80}')" "lseek mmap close" "sets"
is "$(shown 'fd == 77 && pid > 1 && uid == 0 && mode == user')" "lseek mmap close" "terms of tasks are no arguments"
run "$PERF" trace -e "$calls" --filter 'fd == 77' -s -o calls.txt -- ./p
like "$(tr -s ' ' <calls.txt)" $'\n lseek 1 0 ' "sums are of the same calls"
run "$PERF" trace --filter 'fd == 1 || whence == 1 || filename == "x" || flags == 1 || old_len == 1 || len == 1 || count == 1' -- ./p
is "$err" "the filter names 7 different arguments, and 6 is the limit" "too many names"
run "$PERF" trace -e getppid --filter 'duration > 50min' -- ./p
like "$err" "duration takes a number of nanoseconds, or a time with ns, us, ms or s, not '50min'" "no unit of time"
run "$PERF" trace -e getppid --filter 'duration > 0.0001us' -- ./p
like "$err" "'0.0001us' is finer than a nanosecond" "a time that is too fine"
run "$PERF" trace -e getppid --filter 'whence == 1' -- ./p
like "$err" "'whence' is neither a field" "a name that none of the calls has"
done_testing

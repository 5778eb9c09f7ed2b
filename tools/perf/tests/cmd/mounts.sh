#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record beside a user with thousands of mounts, who maps many files of a file system that may be FUSE for all that their handles say.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

place=$(mktemp -d /tmp/mounts-test.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
chmod 755 "$place" && cd "$place" || exit 1
cat >mounts.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char name[32];
	if (argc < 3 || mount("none", "/mnt", "ramfs", 0, NULL) || chdir("/mnt") || mkdir("m", 0777) || mkdir("d", 0777) ||
	    mount("none", "m", "ramfs", 0, NULL))
		return 1;
	for (int i = 0; i < atoi(argv[1]); i++)
		if (mount("m", "d", NULL, MS_BIND, NULL))
			return 1;
	for (int i = 0; i < atoi(argv[2]); i++) {
		int fd;
		snprintf(name, sizeof(name), "f%d", i);
		fd = open(name, O_RDWR | O_CREAT, 0777);
		if (fd < 0 || ftruncate(fd, 4096) || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			return 1;
		close(fd);
	}
	puts("ready");
	fflush(stdout);
	pause();
}
END
${CC:-cc} -O2 -o mounts mounts.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

spawn setpriv --reuid 65534 --regid 65534 --clear-groups unshare -Urm --propagation private ./mounts 3000 300 >ready
wait_for 60 test -s ready -o ! -d "/proc/$spawned_pid"
[ -s ready ] || skip_all "users have no namespaces here"

# CPU time, as the machine may be busy: one reading of all mounts takes milliseconds, and there would be 300.
for options in "" -g; do
	# shellcheck disable=SC2086 # perhaps none
	TIMEFORMAT="%U %S"
	{ time run timeout 300 "$PERF" record -v -a -e cpu-clock -F 99 $options -o perf.data -- sleep 0.2; } 2>used
	is "$rc" 0 "300 files and 3,000 mounts${options:+, $options}: recorded"
	ms=$(tail -1 used | awk '{ printf "%d", ($1 + $2) * 1000 }')
	note "$ms ms of CPU time; $(grep 'nobody looked' <<<"$err")"
	ok "300 files and 3,000 mounts${options:+, $options}: their number does not matter" test "${ms:-99999}" -lt 3000
	like "$err" 'nobody looked at the ring buffers for at most [0-9.]+ ms' "300 files and 3,000 mounts${options:+, $options}: -v tells how long rings waited"
done
kill -KILL "$spawned_pid"

done_testing

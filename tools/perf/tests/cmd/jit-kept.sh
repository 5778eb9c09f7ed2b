#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of code made at run time outlive its process: perf record keeps /tmp/perf-PID.map and jit-PID.dump, of containers, too.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

mkdir home box
export HOME=$WORK/home
# A process with code in plain memory, in which it spends a second of CPU time, so that a recording sees it alive. It names the code in
# /tmp/perf-PID.map: at once, or only when it ends ("late"), which it never does with another argument.
cat >jit.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline, aligned(64))) static unsigned long work(unsigned long n)
{
	unsigned long sum = 0;

	for (volatile unsigned long i = 0; i < n; i++)
		sum += i;
	return sum;
}
static void name_it(void *code)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		exit(3);
	fprintf(map, "%lx 200 made_at_run_time\n", (unsigned long)code);
	fclose(map);
}
int main(int argc, char **argv)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long (*run)(unsigned long) = (void *)code;
	int late = argc > 1 && !strcmp(argv[1], "late"), for_ever = argc > 2;

	if (code == MAP_FAILED)
		return 2;
	memcpy(code, (void *)work, 512);
	__builtin___clear_cache((char *)code, (char *)code + 512);
	if (!late)
		name_it(code);
	while (for_ever || clock() < CLOCKS_PER_SEC)
		run(2000000);
	if (late)
		name_it(code);
	return 0;
}
C
"${CC:-cc}" -O1 -fcf-protection=none -static -o jit jit.c 2>cc.txt || "${CC:-cc}" -O1 -static -o jit jit.c 2>cc.txt || skip_all "needs a C compiler and a static libc: $(head -1 cc.txt)"
unshare --mount --pid --fork true 2>/dev/null </dev/null || skip_all "namespaces cannot be made here"

# In mount and PID namespaces of its own, with a /tmp that is gone with it
cat >contain <<'E2'
#!/bin/sh
exec unshare --mount --pid --fork sh -c 'mount -t tmpfs nodev box && cp jit box/jit && mkdir box/tmp && exec chroot box /jit "$@"' sh "$@"
E2
chmod +x contain
named='\[\.\] made_at_run_time'

# lose_maps: nobody else has written there, and a file left over may be of the next process with the pid
lose_maps() {
	"$PERF" buildid-list -i "$1" 2>/dev/null | sed -n 's/^[0-9a-f]* \(\/tmp\/perf-[0-9]*\.map\)$/\1/p' | while read -r map; do rm -f "$map"; done
}
record() {
	run timeout 200 "$PERF" record -q -e cpu-clock:u -F 999 -o j.data "$@"
}
report() {
	"$@" report --stdio -s sym -i j.data 2>/dev/null
}

for when in "" late; do
	what=${when:-"at once"}
	record --keep-files -- ./jit $when
	lose_maps j.data
	is "$rc" 0 "$what: a process that makes code is recorded"
	like "$(report "$PERF")" "$named" "$what: its names outlive its perf map"
	like "$("$PERF" script -F ip,sym -i j.data 2>/dev/null)" made_at_run_time "$what: in perf script, too"
	unlike "$(HOME=/nonexistent report "$PERF")" "$named" "$what: they are in the cache"
	record --keep-files -- ./contain $when
	is "$rc" 0 "$what: one in a container"
	like "$(report "$PERF")" "$named" "$what: its names outlive the container"
	rm -rf home/.debug
	record --bundle -- ./contain $when
	like "$(HOME=/nonexistent report "$PERF")" "$named" "$what: in a bundle, too"
	is "$(ls -d home/.debug j.data.kept 2>/dev/null)" "" "$what: and only there"
done
like "$(tar tf j.data)" '^files/tmp/perf-[0-9]+\.map$' "which has it by its path"
record -- ./contain
unlike "$(report "$PERF")" "$named" "nothing is kept if nobody asks for it"
is "$("$PERF" buildid-list -i j.data | grep -c 'perf-.*map')" 0 "nor has the recording ids for it"

# One that runs already, of which others may read the file, and which does not end
spawn ./contain now forever 2>/dev/null
running() {
	pgrep -P "$spawned_pid" >pid.txt
	[ -e "/proc/$(<pid.txt)/root/tmp/perf-1.map" ]
}
ok "a container runs already" wait_for 60 running
pid=$(<pid.txt)
run timeout 200 "$PERF" record -q --keep-files -e cpu-clock:u -F 999 -o j.data -p "$pid" -- "${until_run[@]}" 30 "$pid"
kill -KILL "$pid"
gone() {
	[ ! -e "/proc/$pid" ]
}
ok "it ends" wait_for 60 gone
like "$(report "$PERF")" "$named" "code that was there before has its names"

# A file that the process must not read, mounted in the place of its map
echo 'root:secret:1::::' >secret
cat >steal <<'E2'
#!/bin/sh
exec unshare --mount --pid --fork sh -c 'mount -t tmpfs nodev box && cp jit box/jit && mkdir box/tmp && : >box/tmp/perf-1.map &&
	mount --bind secret box/tmp/perf-1.map && mount -o remount,bind,ro box/tmp/perf-1.map && exec chroot box /jit late forever'
E2
chmod +x steal
spawn ./steal
stealing() {
	pgrep -P "$spawned_pid" >pid.txt && [ "$(<"/proc/$(<pid.txt)/comm")" = jit ] && grep -q 'rwxp.* 0 *$' "/proc/$(<pid.txt)/maps"
} 2>/dev/null
ok "a process has another file in the place of its map" wait_for 60 stealing
pid=$(<pid.txt)
rm -rf home/.debug
record --keep-files -p "$pid" -- "${until_run[@]}" 30 "$pid"
is "$rc:$(grep -rls secret home/.debug)" "0:" "which is not kept"
record --bundle -p "$pid" -- "${until_run[@]}" 30 "$pid"
is "$rc:$(grep -ac root:secret j.data)" "0:0" "and not bundled"
kill -KILL "$pid"

# A jitdump
rm -rf home/.debug
if "$WORKLOAD" jitdump 2>err.txt; then
	rm -f jit-*.dump
	record --keep-files -k mono -- "$WORKLOAD" jitdump 0.2
	rm -f jit-*.dump
	like "$(report "$PERF")" '\[\.\] jit_replaced' "names of a jitdump outlive it"
else
	skip 1 "$(<err.txt)"
fi
done_testing

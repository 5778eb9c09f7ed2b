#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --bundle: one file with the recording and what its names come from, read where none of these files are.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

mkdir home empty
export HOME=$WORK/home
cat >p.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int less(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
void NAME(int *numbers)
{
	for (int i = 0; i < 20000; i++)
		numbers[i] = rand();
	qsort(numbers, 20000, sizeof(*numbers), less);
}
int main(int argc, char **argv)
{
	static int numbers[20000];

	for (int i = argc > 1 ? atoi(argv[1]) : -1; i; i--)
		NAME(numbers);
	return 0;
}
C
"${CC:-cc}" -O1 -fno-omit-frame-pointer -Wl,--build-id -DNAME=with_id -o with_id p.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
"${CC:-cc}" -O1 -fno-omit-frame-pointer -Wl,--build-id=none -DNAME=without_id -o without_id p.c
unshare --mount true 2>/dev/null || skip_all "namespaces cannot be made here"

# Another machine: perf, its libraries and the bundle, no symbols of a kernel, no other home.
elsewhere() {
	local lib libs

	mapfile -t libs < <(ldd "$PERF" | grep -o '/[^ ]*' | sort -u)
	# shellcheck disable=SC2016 # for the inner shell
	PERF=$PERF unshare --mount sh -c '
		mount -t tmpfs nodev empty && mkdir -p empty/proc empty/tmp empty/work &&
		for lib in '"${libs[*]}"'; do mkdir -p "empty$(dirname "$lib")" && cp -L "$lib" "empty$lib"; done &&
		cp "$PERF" empty/perf && cp *.data empty/work && mount --rbind /proc empty/proc && mount --bind /dev/null empty/proc/kallsyms &&
		cd empty && exec chroot . /perf "$@"' sh "$@"
}
report() {
	"$@" report --stdio --no-inline -g none -s comm,dso,sym -i b.data 2>/dev/null | grep '%'
}
record() {
	run timeout 200 "$PERF" record -e cpu-clock -F 999 -o b.data "$@"
}

# What is named here is named elsewhere
record --bundle -g -- sh -c './with_id 60; ./without_id 60; dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none' # what dd does is the kernel's
is "$rc" 0 "programs are recorded into a bundle"
like "$err" 'Bundled [0-9]+ files? with it, .*: *b.data is a tar archive|Bundled [0-9]+ files? with it, .*; b.data is a tar archive' "perf says that it is one"
is "$(tar tf b.data | head -1)" perf.data "which tar lists, the recording first"
is "$(tar xOf b.data ".debug$PWD/with_id/$(readelf -n with_id | sed -n 's/.*Build ID: //p')/elf" | cmp - with_id && echo same)" same "a program is in it as it was"
is "$(tar xOf b.data "files$PWD/without_id" | cmp - without_id && echo same)" same "one without a build-id, too"
here=$(report "$PERF")
like "$here" 'with_id +with_id +\[\.\] less' "this perf reads it in place"
like "$here" '\[k\]' "the kernel's functions are among them"
rm -f with_id.gone
mv with_id with_id.gone
mv without_id without_id.gone
is "$(report "$PERF")" "$here" "and when the programs are gone"
there=$(cd empty/.. && elsewhere report --stdio --no-inline -g none -s comm,dso,sym -i /work/b.data 2>/dev/null | grep '%')
is "$(diff <(printf '%s\n' "$here") <(printf '%s\n' "$there"))" "" "where no file and no symbol of the kernel is, all functions have the same names"
is "$(elsewhere script -F ip,sym -i /work/b.data 2>/dev/null | grep -c ' less$' | sed 's/.*[1-9].*/some/')" some "in perf script, too"
is "$("$PERF" buildid-list -i b.data | grep -c /)" "$(tar xOf b.data perf.data >plain.data; "$PERF" buildid-list -i plain.data | grep -c /)" "perf buildid-list reads it"
is "$("$PERF" script -i - <b.data 2>/dev/null | sha256sum)" "$("$PERF" script -i b.data 2>/dev/null | sha256sum)" "also from the standard input"
mkdir unpacked
tar xf b.data -C unpacked
like "$("$PERF" report --stdio --no-inline -g none -s comm,dso,sym --buildid-dir unpacked/.debug -i unpacked/perf.data 2>/dev/null)" \
	'with_id +with_id +\[\.\] less' "unpacked, it is a recording and a build-id cache"
mv with_id.gone with_id
mv without_id.gone without_id
is "$(ls -d b.data.[^o]* home/.debug 2>/dev/null)" "" "nothing else is left, not in the cache either"

# A program that only a container sees
cat >contain <<'E2'
#!/bin/sh
exec unshare --mount sh -c 'mount -t tmpfs nodev empty && cp with_static empty/contained && exec chroot empty /contained "$@"' sh "$@"
E2
chmod +x contain
if "${CC:-cc}" -O1 -static -Wl,--build-id -DNAME=inside -o with_static p.c 2>cc.txt; then
	record --bundle -- ./contain 300
	like "$(report "$PERF")" 'contained +contained +\[\.\] less' "a program of a container that has ended has names"
	rm -r unpacked
	mkdir unpacked
	tar xf b.data -C unpacked
	if [ -n "$STOCK" ]; then # takes files below /tmp/perf-... for perf maps
		like "$("$STOCK" --buildid-dir unpacked/.debug/kept report --stdio -g none -s comm,dso,sym -i unpacked/perf.data 2>/dev/null)" \
			'contained +contained +\[\.\] less' "unpacked, for stock perf, too"
	else
		skip 1 "needs stock perf"
	fi
	like "$(tar tf b.data)" '^\.debug/kept/contained/[0-9a-f]*/elf$' "its file is apart from those of the host"
	is "$(ls -d b.data.[^o]* home/.debug 2>/dev/null)" "" "what was kept meanwhile is removed"
else
	skip 4 "needs a static libc"
fi

# Copied stacks are unwound by files that no sample is in
record --bundle --call-graph dwarf -- ./with_id 30
mv with_id with_id.gone
like "$(elsewhere script -F ip,sym -i /work/b.data 2>/dev/null)" ' main$' "copied stacks are unwound elsewhere"
mv with_id.gone with_id

# Code made at run time
if "$WORKLOAD" jitdump 2>err.txt; then
	rm -f jit-*.dump
	record --bundle -k mono -- "$WORKLOAD" jitdump 0.3
	rm -f jit-*.dump
	like "$(report "$PERF")" 'jit-[0-9]+\.dump +\[\.\] jit_replaced' "a jitdump is in the bundle"
else
	skip 1 "$(<err.txt)"
fi

# Limits and errors
record --bundle=1B -- ./with_id 30
is "$rc" 0 "a bundle with no room for files"
like "$err" 'not in the bundle: they have no room \(--bundle=SIZE gives more\): .*with_id' "perf names them"
like "$("$PERF" report --stdio -s comm -i b.data 2>/dev/null)" '% +with_id' "and the recording can be read"
record --bundle=1Q -- true
is "$rc" 129 "a size without a known unit is refused"
for options in "--threads" "--switch-output=1s" "--timestamp-filename" "-B"; do
	# shellcheck disable=SC2086
	record --bundle $options -- true
	is "$rc:$(grep -c -e --bundle <<<"$err")" "129:1" "so is $options with --bundle"
done
run "$PERF" record --bundle -e cpu-clock -o - -- true
is "$rc" 129 "and -o -"
mkdir -p b.data.kept/mine
record --bundle -- true
is "$rc:$(ls b.data.kept)" "255:mine" "a directory where perf keeps files is not removed with the files of others"
like "$err" 'keeps files in b.data.kept' "and perf says so"
rm -r b.data.kept
mkdir -p b.data.kept/kept/theirs
chown -R 65534 b.data.kept
record --bundle -- true
ok "a directory of another user is not removed, whatever is in it" test -d b.data.kept/kept/theirs
rm -r b.data.kept
mkdir full
# shellcheck disable=SC2016 # for the inner shell
run unshare --mount sh -c 'mount -t tmpfs -o size=3m nodev full && "$@"; echo "rc $?"; ls full; cp full/b.data full.data' sh \
	timeout 200 "$PERF" record -e cpu-clock -F 999 -o full/b.data --bundle -- ./with_id 60
is "$out" "rc 255"$'\n'b.data "a full disk: perf fails, and leaves the recording alone"
like "$err" 'cannot write the bundle of .*: No space left.*full/b.data is a recording as without --bundle|No space left' "and says why"
like "$("$PERF" report --stdio -s sym -i full.data 2>/dev/null)" 'less' "as it was without --bundle"
spawn "$PERF" record -q --bundle -e cpu-clock -F 999 -o k.data -- ./with_id
has_samples() {
	[ "$(stat -c %s k.data 2>/dev/null || echo 0)" -gt 10000 ]
}
ok "a recording goes on" wait_for 60 has_samples
workload=$(pgrep -P "$spawned_pid")
kill -KILL "$spawned_pid"
kill -KILL "$workload"
like "$("$PERF" report --stdio -s sym -i k.data 2>/dev/null)" 'less' "one that is killed is a recording"

# The time is linear in the deleted files that a process has mapped, which must be looked for in its mappings.
cat >map-deleted.py <<'PROGRAM'
import mmap, os, sys, time
code = open("with_id", "rb").read()
at = code.index(bytes.fromhex(sys.argv[1]))
maps = []
for i in range(int(sys.argv[2])):
    with open("deleted.%d" % i, "w+b") as f:
        f.write(code[:at] + i.to_bytes(4, "little") + code[at + 4:])
        f.flush()
        maps.append(mmap.mmap(f.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC))
        os.unlink(f.name)
open("mapped", "w").close()
time.sleep(600)
PROGRAM
# cpu_ms NR: sets $cpu_ms to the CPU time of a bundle of a process that has that many of them
cpu_ms() {
	rm -f mapped all-times
	spawn python3 map-deleted.py "$(readelf -n with_id | sed -n 's/.*Build ID: //p')" "$1"
	wait_for 60 test -e mapped
	note_ms
	run "$PERF" record -q -e cpu-clock -F 99 --call-graph dwarf -o many.data --bundle -p "$spawned_pid" -- true
	note_ms
	cpu_ms=$(($(tail -n 1 all-times) - $(head -n 1 all-times)))
	kill "$spawned_pid"
	is "$rc:$(tar tf many.data | grep -c '/deleted[.][^/]*/[^/]*/elf$')" "0:$1" "$1 deleted files are bundled"
}
# note_ms: append what the commands of this script took so far
note_ms() {
	times >times.txt
	sed -n '2{s/[ms]/ /g; p}' times.txt | awk '{ print int(($1 + $3) * 60000 + ($2 + $4) * 1000) }' >>all-times
}
cpu_ms 1000
few=$cpu_ms
cpu_ms 4000
ok "four times the files take less than four times the time: $few ms, $cpu_ms ms" test "$cpu_ms" -lt $((4 * few))

# Damage
record --bundle -g -- ./with_id 30
size=$(stat -c %s b.data)
head -c $((size / 2)) b.data >half.data
run "$PERF" report --stdio -s comm,sym -g none -i half.data
is "$rc" 0 "a bundle that was cut off is read"
like "$out" 'less$' "with the names that there are"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A user's ELF files, as root's report meets them: what they claim to hold costs neither memory nor time (elf-bombs.py makes them).
. "$(dirname "$(readlink -f "$0")")/lib.sh"
command -v gcc >/dev/null || skip_all "needs gcc"
[ -z "$SANITIZED" ] || skip_all "sanitizers take memory of their own"

cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void spin_here(unsigned long n) { for (volatile unsigned long i = 0; i < n; i++) ; }
int main(int argc, char **argv) { spin_here(strtoul(argv[1], NULL, 0)); return 0; }
C
gcc -O1 -fno-omit-frame-pointer -Wl,--build-id=none -o good prog.c || exit 1
mkdir dir
cp good dir/prog
"$PERF" record -q -e cpu-clock:u -g -F 1000 -o rec.data -- dir/prog 100000000 || exit 1
python3 "$SOURCE/tests/cmd/elf-bombs.py" "$PERF" good rec.data dir >bombs 2>making
is "$?:$(<making)" "0:" "the bombs are made"
while IFS=: read -r name result; do
	like "$result" '^ ok, ' "$name"
	note "$result"
	case $name in
	no_sections | nested_blocks | many_notes | sparse_frames) ;; # nothing that is asked for is missing
	*) like "$result" ' warned ' "$name: perf names what it leaves out" ;;
	esac
done <bombs
is "$(grep -c . bombs)" 18 "all of them were tried"

# What was left out is only what there was no room for.
cp good dir/prog
run "$PERF" report -i rec.data --stdio -g none -s sym
unlike "$err" 'left out' "nothing is left out of an honest file"
like "$out" 'spin_here' "which has its symbols"

# Some file systems tell of a new file's blocks seconds later: this is how it looks to perf then.
cat >late.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
int fstat(int fd, struct stat *st)
{
	int (*real)(int fd, struct stat *st) = dlsym(RTLD_NEXT, "fstat"), ret = real(fd, st);
	st->st_blocks = 1;
	return ret;
}
C
gcc -shared -fPIC -o late.so late.c -ldl || exit 1
run env LD_PRELOAD="$PWD/late.so" "$PERF" report -i rec.data --stdio -g none -s sym
unlike "$err" 'left out' "nothing is left out of a file whose blocks are not told yet"
like "$out" 'spin_here' "which has its symbols, too"

# Text files of symbols
truncate -s 8T kallsyms
run timeout 200 "$PERF" report -i rec.data --stdio --kallsyms kallsyms
is "$rc" 0 "a kallsyms file without contents takes no time"
map=/tmp/perf-$$.map
truncate -s 8T "$map"
echo "1000 10 jitted" >>"$map"
cat >map.py <<'PY'
import os, re, struct, sys
# The recording, with the map's name for the program's: as long as that, by slashes.
old, new = sys.argv[1].encode(), sys.argv[2].encode()
data = open('rec.data', 'rb').read()
assert len(new) <= len(old)
new += bytes(len(old) - len(new))
open('map.data', 'wb').write(data.replace(old, new))
PY
python3 map.py "$WORK/dir/prog" "$map"
run timeout 200 "$PERF" report -i map.data --stdio
is "$rc" 0 "neither does a map of a JIT"
like "$err" "$map tells is left out: .*not on disk" "perf warns of that"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$map"
	run timeout 200 "$PERF" report -i map.data --stdio
	is "$rc:$(grep -cF "$map" <<<"$err")" "0:1" "perf warns once of a map of another user"
	like "$err" "^Code made at run time has no names: $map: is not read: .* chown root $map, or report as its user$" "and says what to do"
else
	skip 2 "needs root"
fi
rm "$map"
mkdir "$map"
run timeout 200 "$PERF" report -i map.data --stdio
rmdir "$map"
like "$rc:$err" "^Code made at run time has no names: $map: is not read: it is no regular file$" "and of what is no file"

done_testing

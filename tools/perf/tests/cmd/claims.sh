#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory is taken by what a recording holds, not by what it claims to hold. claims.py says what is tried.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

margin=$((16 << 10)) # KiB; the recordings have less than one MiB
[ -z "$SANITIZED" ] || margin=$((512 << 10)) # freed memory is kept for a while
kinds="plain members packed pipe"
[ "$UID" = 0 ] && kinds+=" traced"
${CC:-cc} -shared -fPIC -O1 -o no-large.so "$SOURCE/tests/cmd/no-large.c" || exit 1
# Small, and without libraries: reading their symbols would be most of what there is to do.
cat >touch.c <<'END'
#include <unistd.h>
static volatile char pages[100][4096];
void _start(void)
{
	for (int i = 0; i < 100; i++)
		pages[i][0] = 1;
	_exit(0);
}
END
${CC:-cc} -O1 -static -nostartfiles -o touch touch.c || exit 1
record=("$PERF" record -q --no-bpf-event -c 10 -g)
"${record[@]}" -e page-faults:u -o plain.data -- ./touch || exit 1
"${record[@]}" -e '{page-faults:u,cpu-clock:u}:S' -d --user-regs=ip,sp --call-graph dwarf,512 -o members.data -- ./touch || exit 1
"${record[@]}" -z -e page-faults:u -o packed.data -- ./touch || exit 1
"${record[@]}" -e page-faults:u -o - -- ./touch >pipe.data || exit 1
if [[ $kinds = *traced* ]]; then
	"$PERF" record -q --no-bpf-event -c 1 -e sched:sched_process_exit -o traced.data -- ./touch || exit 1
fi
head -n 3 /proc/kallsyms >kallsyms # for all of them, for the same reason
for kind in $kinds; do
	like "$("$PERF" script -F event -i "$kind.data")" . "$kind: it has samples"
done
# shellcheck disable=SC2046,SC2086 # words
out=$("$SOURCE/tests/cmd/claims.py" "$PERF" "$margin" "$PWD/no-large.so" kallsyms $(printf '%s.data ' $kinds))
tried=$(tail -n 1 <<<"$out")
is "$(sed '$d' <<<"$out")" "" "$tried readings, none takes what a number claims"
ok "that many" test "$tried" -ge 200
like "$(LD_PRELOAD=$PWD/no-large.so python3 -c 'bytes(1 << 30)' 2>&1)" '^an allocation of 1 times [0-9]{10} bytes$' "one would be seen"
done_testing

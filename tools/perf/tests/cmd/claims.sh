#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory is taken by what a recording holds, not by what it claims to hold. claims.py says what is tried.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

margin=$((16 << 10)) # KiB; the recordings have less than one MiB
kinds="plain members packed pipe"
if [ -n "$SANITIZED" ]; then
	margin=$((512 << 10)) # freed memory is kept for a while
	kinds=members # each reading takes ten times as long
fi
record=("$PERF" record -q --no-bpf-event -F 99 -g)
"${record[@]}" -e cpu-clock:u -o plain.data -- "$WORKLOAD" noploop 0.05 || exit 1
"${record[@]}" -e '{cpu-clock:u,page-faults:u}:S' -d --user-regs=ip,sp --call-graph dwarf,512 -o members.data -- "$WORKLOAD" noploop 0.05 || exit 1
"${record[@]}" -z -e cpu-clock:u -o packed.data -- "$WORKLOAD" noploop 0.05 || exit 1
"${record[@]}" -e cpu-clock:u -o - -- "$WORKLOAD" noploop 0.05 >pipe.data || exit 1
for kind in $kinds; do
	out=$("$SOURCE/tests/cmd/claims.py" "$PERF" "$margin" "$kind.data")
	tried=$(tail -n 1 <<<"$out")
	is "$(sed '$d' <<<"$out")" "" "$kind: $tried readings, none takes what a number claims"
	ok "$kind: that many" test "$tried" -ge 100
done
done_testing

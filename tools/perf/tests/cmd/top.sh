#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf top: tables of what a workload does, how old samples fade, and what is refused.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# tables FILE: how many were printed
tables() { grep -c '^   PerfTop:.*irqs/sec' "$1"; }
has_tables() { [ "$(tables "$1")" -ge "$2" ]; }

# --- shares ---

spawn "$WORKLOAD" shareloop 1000
work=$spawned_pid
"$PERF" top --stdio -d 1 -e cpu-clock -F 999 -p "$work" >top.out 2>top.err </dev/null &
top=$!
spawned+=("$top")
ok "tables follow each other" wait_for 60 has_tables top.out 3
kill "$work"
wait "$top"
is "$?" 0 "perf top ends when the process does"
is "$(cat top.err)" "" "and says nothing more"
like "$(cat top.out)" "^   PerfTop: +[0-9]+ irqs/sec  kernel: *[0-9.]+% \[999Hz cpu-clock\],  \(target_pid: $work\)\$" "the title says rate and target"
share() { awk -v name="$1" '$NF == name { share = $1 } END { print share + 0 }' top.out; }
seven=$(share seven_parts) three=$(share three_parts)
ok "the last table has the shares of the workload ($seven, $three)" awk -v a="$seven" -v b="$three" 'BEGIN { exit !(a + b > 80 && a / (a + b) > 0.6 && a / (a + b) < 0.8) }'
like "$(cat top.out)" '^ +[0-9.]+%  [a-z]+ +\[\.\] seven_parts$' "rows are percentage, file and function"

# --- what was hit before ---

# phases OPTIONS...: noploop for a while, then leafloop until there are tables of that
phases() {
	rm -f go
	: >top.out # nothing of the last perf top, which ends the waiting at once
	# What begins after perf top is part of what it watches.
	# shellcheck disable=SC2016
	spawn bash -c 'until [ -e go ]; do sleep 0.1; done; "$WORKLOAD" noploop 2; exec "$WORKLOAD" leafloop 1000'
	work=$spawned_pid
	"$PERF" top -d 1 -e cpu-clock -F 999 -p "$work" "$@" >top.out 2>&1 </dev/null &
	top=$!
	spawned+=("$top")
	wait_for 60 grep -q PerfTop top.out
	touch go
	if [ "${1-}" = -z ]; then
		wait_for 60 has_leaf_alone
	else
		wait_for 60 has_both
	fi
	status=$?
	kill "$work"
	wait "$top"
	return "$status"
}
# The functions of each table, one in a line
by_table() { awk '/^   PerfTop/ { printf "\n" } $NF == "noploop" || $NF == "leaf" { printf "%s=%s ", $NF, $1 } END { printf "\n" }' top.out; }
has_leaf_alone() { by_table | grep -qE '^leaf=' && by_table | grep -q '^noploop=' && by_table | tail -n 1 | grep -qv noploop; }
has_both() { [ "$(by_table | grep -c 'noploop=.*leaf=\|leaf=.*noploop=')" -ge 3 ]; }
ok "-z shows only what was hit since the last table" phases -z
ok "without it older hits stay" phases
shares=$(by_table | sed -nE 's/.*noploop=([0-9.]+)%.*/\1/p')
# shellcheck disable=SC2016
ok "and fade" awk 'NR == 1 { first = $1 } { last = $1 } END { exit !(last < first) }' <<<"$shares"

# --- rows ---

# one_table OPTIONS...: the first table that has rows, of a program that makes system calls
one_table() {
	: >top.out
	spawn bash -c 'while :; do read -r _ </proc/self/stat; done'
	work=$spawned_pid
	"$PERF" top -d 1 -e cpu-clock -F 4000 -p "$work" "$@" >top.out 2>&1 </dev/null &
	top=$!
	spawned+=("$top")
	wait_for 60 has_tables top.out 2
	kill "$work"
	wait "$top"
	out=$(sed -n '/^ *[0-9.]*%/p' top.out)
}
one_table
like "$out" '\[k\]' "functions of the kernel are shown"
like "$out" '\[\.\]' "and of programs"
one_table -K
unlike "x$out" '\[k\]' "-K hides the kernel's"
one_table -U
unlike "x$out" '\[\.\]' "-U hides those of programs"
one_table -E 2 -n -s comm,symbol
is "$(awk '/^   PerfTop/ { if (n > 2) print n; n = 0 } /^ *[0-9.]+%/ { n++ }' top.out)" "" "-E limits the rows"
like "$out" '^ +[0-9.]+% +[0-9]+  bash +\[' "-n counts samples; -s chooses columns"
one_table --filter 'mode == user'
unlike "x$out" '\[k\]' "a filter is judged"
like "$(cat top.out)" 'filter: [0-9]+ samples seen, [0-9]+ kept, [1-9][0-9]* dropped' "in the kernel"

# --- what is refused ---

refused() {
	run "$PERF" top "${@:2}"
	is "$rc:$out" "129:" "${*:2}: refused"
	like "$err" "$1" "and why"
}
refused 'callers are not shown live' -g
refused 'callers are not shown live' --call-graph fp
refused 'take --stdio' --tui
refused 'the keys that are counted live are' -s srcline
refused 'together hide everything' -K -U
refused '1 to 3600 seconds' -d 0
refused 'starts no command' -- true
run "$PERF" top -p 999999999
is "$rc" 255 "a process that is not there"

done_testing

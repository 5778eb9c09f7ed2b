#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tasks, files and control groups with names that would give orders to a terminal or look like lines of their own.
# shellcheck disable=SC2016 # for inner shells
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

esc=$'\e[31mred\e[0m'
line=$'x 1 [000] 9.9: y\nz'
mkdir dir
for name in "$esc" "$line" $'\xc2\x9b2J' $'\xff\x9bJ'; do
	cp "$WORKLOAD" "dir/$name"
done

# What only a terminal would obey; newlines end lines.
controls() {
	LC_ALL=C tr -d '\n\t\40-\176' | LC_ALL=C sed 's/[\xc2-\xf4][\xa0-\xbf][\x80-\xbf]*//g' | od -An -c
}

"$PERF" record -q -e cpu-clock:u,page-faults -g -- sh -c 'for i in dir/*; do "$i" noploop 0.1; done' >out 2>&1 ||
	fail "it is recorded" "$(cat out)"
for how in "report --stdio" "report --stdio --sort pid,comm,dso,sym,srcline -g caller" "report --tasks" "report --mmaps" "report -D" \
	"report --folded" "report --header-only" "script" "script --show-task-events --show-mmap-events" "script -F +srcline" "evlist -v"; do
	# shellcheck disable=SC2086 # words
	"$PERF" $how >text 2>err
	is "$(cat text err | controls)" "" "perf $how writes no control characters"
	is "$(grep -c '^z' text)" 0 "perf $how has no line that a name began"
done
"$PERF" script -F comm,dso,ip >text
like "$(cat text)" '^[?]\[31mred[?]\[0m ' "what is no text in the name of a task is a question mark"
like "$(cat text)" '/dir/[?]\[31mred[?]\[0m\)' "and in that of a file"
like "$(cat text)" '/dir/x 1 \[000\] 9.9: y[?]z\)' "so is the newline"
like "$(cat text)" '/dir/[?][?]J\)' "and what is no UTF-8"
like "$(cat text)" '/dir/[?][?]2J\)' "and control characters of two bytes"

"$PERF" report --json >json
ok "JSON takes them" python3 -m json.tool json /dev/null

"$PERF" sample-bpf -q -e page-faults -c 1 --key comm --folded -- "dir/$esc" noploop 0.01 >text 2>err
is "$(cat text err | controls)" "" "sample-bpf --folded writes none"
"$PERF" sample-bpf -e page-faults -c 1 --key comm --hist cpu -- "dir/$esc" noploop 0.01 >text 2>err
is "$(cat text err | controls)" "" "sample-bpf --hist writes none"
"$PERF" report -i "$esc" >text 2>err
is "$(cat text err | controls)" "" "messages have none"

# --- threads whose names are empty or have a tab ---

cat >named.py <<'EOF'
import ctypes, sys, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
end = time.process_time() + 0.3
while time.process_time() < end:
	pass
for _ in range(20):
	time.sleep(0.001)
EOF
"$PERF" record -q -e cpu-clock:u -g -F 999 -- python3 named.py "" >out 2>&1 || fail "it is recorded" "$(cat out)"
like "$("$PERF" report --folded)" '^\[no_name\];' "--folded keeps the field of a thread without a name"
like "$("$PERF" report --json)" '"kind": ?"comm", ?"name": ?"\[no name\]"' "profiles name it, too"
"$PERF" sample-bpf -q -e cpu-clock:u -F 999 -g --folded -- python3 named.py "" >text 2>err
like "$(cat text)" '^\[no_name\];' "so does sample-bpf"
"$PERF" record -q -e cpu-clock:u,sched:sched_switch -g -F 999 -- python3 named.py $'a\tb' >out 2>&1 || fail "it is recorded" "$(cat out)"
for how in "report --stdio -s comm -g none" "report --stdio -s comm -t ,  -g none" "report --folded" "report --tasks" "report --json" "script -F comm,ip" \
	"script -F trace" "script --show-task-events -F comm" "report -D"; do
	# shellcheck disable=SC2086 # words
	"$PERF" $how >text 2>err
	like "$(cat text)" 'a[?]b' "perf $how: a tab in a name is a question mark"
	is "$(grep -c $'a\tb' text)" 0 "and is not printed"
done
"$PERF" sample-bpf -q -e cpu-clock:u -F 999 -g --folded -- python3 named.py $'a\tb' >text 2>err
like "$(cat text)" '^a[?]b;' "so it is in sample-bpf"

"$PERF" record -q -e sched:sched_process_exec -- sh -c 'for i in dir/*; do "$i" noploop 0.01; done' >out 2>&1
"$PERF" script >text
is "$(controls <text)" "" "strings of tracepoints have none"
is "$(grep -c '^z' text)" 0 "nor newlines"
"$PERF" report --stdio -s trace >text
is "$(controls <text)" "" "nor have they in reports"

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A filter that is right, but not what was meant: near names of terms, names that look like patterns, and what keeps nothing.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# suggests FILTER TERM: an unknown term is answered by this one
suggests() {
	run "$PERF" record -e cpu-clock --filter "$1" --dry-run true
	is "$rc" 129 "$1"
	like "$err" "did you mean '$2'\?" "$1: names $2"
}
suggests 'name == nginx' comm
suggests 'user == root' uid
suggests 'symbol == main' sym
suggests 'function == main' sym
suggests 'thread == 1' tid
suggests 'cmm == nginx' comm
suggests 'tdi == 1' tid
run "$PERF" record -e cpu-clock --filter 'foo == 1' --dry-run true
is "$rc" 129 "a term that is near to none"
unlike "$err" 'did you mean' "nothing is suggested"
run "$PERF" record -e sched:sched_switch --filter 'function == main' --dry-run true
unlike "$err" 'did you mean' "of a tracepoint nothing that it has not"

# table FILTER
table() {
	"$PERF" record -e cpu-clock --filter "$1" --dry-run -v true
}
for set in '{0,2}' '0..2'; do
	is "$(table "cpu not in $set" | grep '^ *[0-9]')" "$(table "!(cpu in $set)" | grep '^ *[0-9]')" "not in $set"
done
is "$(table 'tid == 1 || cpu !in {1} && uid == 0' | grep '^ *[0-9]')" "$(table 'tid == 1 || !(cpu in {1}) && uid == 0' | grep '^ *[0-9]')" \
	"not in, among other tests"
run "$PERF" record -e cpu-clock --filter 'cpu not == 1' --dry-run true
is "$rc" 129 "not with another operator"

# record FILTER: of a program that runs for a while, on whatever CPUs
record() {
	run timeout 100 "$PERF" record -e cpu-clock -F 1000 --filter "$1" -o x.data "$WORKLOAD" noploop 0.3
}
record 'comm == "nginx*"'
is "$rc" 0 "a name that looks like a pattern"
like "$err" '^filter: "nginx\*" is compared as it is, .*for a pattern take comm ~ "nginx\*"$' "is warned of at once"
like "$err" '^The filter kept nothing: no sample has comm nginx\*; for patterns use ~$' "and said to keep nothing"
record 'comm != "nginx*"'
like "$err" 'for a pattern take comm !~ "nginx\*"$' "the same of one that is not wanted"
unlike "$err" 'kept nothing' "nothing is said of a filter that keeps samples"
record 'comm == "nginx\*"'
unlike "$err" 'compared as it is' "a backslash says that it is meant"
record 'dso == nosuch.so'
like "$err" '^The filter kept nothing: no process maps nosuch.so at this moment$' "a file that nobody has mapped"
record 'comm == nosuch'
like "$err" '^The filter kept nothing: no process is called nosuch at this moment$' "a command that does not run"
record 'cpu > 99999'
like "$err" '^The filter kept nothing: -v shows what each of its tests did$' "what has no better hint"
run timeout 100 "$PERF" sample-bpf -e cpu-clock -F 1000 --filter 'dso ~ "nosuch*"' -o x.data "$WORKLOAD" noploop 0.3
like "$err" '^The filter kept nothing: no process maps nosuch\* at this moment$' "samples that are counted"
run timeout 100 "$PERF" record -q -e cpu-clock -F 1000 --filter 'cpu > 99999' -o x.data "$WORKLOAD" noploop 0.3
is "$err" "" "-q"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf stat prints: text, CSV and JSON.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# --- text ---

run "$PERF" stat true
is "$rc" 0 "default events"
like "$err" "^ Performance counter stats for 'true':\$" "have a title"
for event in task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses; do
	like "$err" "^ +[0-9<].* $event +" "$event is one of them"
done
like "$err" '^ +[0-9.]+ msec task-clock +# +[0-9.]+ CPUs  CPUs_utilized' "the clock has its metric"
like "$err" '^ {7}[0-9]\.[0-9]{9} seconds time elapsed$' "the elapsed time"
like "$err" '^ {7}[0-9]\.[0-9]{9} seconds user$' "user time of the command"
like "$err" '^ {7}[0-9]\.[0-9]{9} seconds sys$' "and system time"
is "$(grep -cE '.{94}' <<<"$(grep -E ' (task-clock|cycles|branches) ' <<<"$err")")" 3 "lines are padded as by other perfs"
run "$PERF" stat -a -e cs,page-faults:u --per-core -- true
like "$err" '^S[0-9]+-D[0-9]+-C[0-9]+ +1 +[0-9]+ {6}cs {30}' "columns of groups"
run "$PERF" stat -r 4 --table -e task-clock true
like "$err" "for 'true' \\(4 runs\\):" "-r is in the title"
is "$(grep -cE '^ +[0-9.]+ \([+-][0-9.]+\) #+$' <<<"$err")" 4 "--table has each run"
like "$err" '^ +[0-9.]+ \+- [0-9.]+ seconds time elapsed  \( \+- *[0-9.]+% \)$' "and the mean"
run "$PERF" stat -I 30 --interval-count 2 -a -e cs
is "$(head -1 <<<"$err")" "#           time             counts unit events" "-I has a heading"
is "$(grep -cE '^ +[0-9]+\.[0-9]{9} +[0-9,]+ {6}cs' <<<"$err")" 2 "and a line for each interval"
run "$PERF" stat -I 30 --interval-count 2 --summary -a -e cs
like "$err" "Performance counter stats for 'system wide'" "--summary follows"
run "$PERF" stat --hide-zero-events -e dummy,page-faults true
unlike "$err" dummy "--hide-zero-events"
like "$err" page-faults "leaves the others"

# A locale that groups digits changes counts for people only.
if locale -a 2>/dev/null | grep -qix 'en_US.utf-\?8'; then
	export LC_ALL=en_US.UTF-8
	run "$PERF" stat -e page-faults "$WORKLOAD" faults
	like "$err" '[0-9],[0-9]{3} +page-faults' "digits are grouped"
	run "$PERF" stat -B --no-big-num -e page-faults "$WORKLOAD" faults
	unlike "$err" '[0-9],[0-9]{3} +page-faults' "and not with --no-big-num"
	export LC_ALL=C
else
	skip 2 "there is no locale that groups digits"
fi

# One with a decimal comma: in all numbers for people, in none for programs
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
	german=(env "LOCPATH=$PWD" LC_ALL=de_DE.UTF-8)
	run "${german[@]}" "$PERF" stat -e task-clock,page-faults "$WORKLOAD" faults
	like "$err" '^ +[0-9.]+,[0-9]{2} +msec +task-clock +# +[0-9]+,[0-9]+ ' "a locale's decimal comma"
	like "$err" '^ +[0-9]+,[0-9]{9} seconds time elapsed' "in times, too"
	unlike "$err" '[0-9]\.[0-9]{1,2}( |$)' "and no decimal point"
	run "${german[@]}" "$PERF" stat --no-big-num -e task-clock "$WORKLOAD" faults
	like "$err" '^ +[0-9]+,[0-9]{2} +msec' "also with --no-big-num"
	run "${german[@]}" "$PERF" stat -x\; -e task-clock true
	like "$err" '^[0-9]+\.[0-9]+;msec;task-clock;[0-9]+;100\.00;[0-9.]+;' "-x has decimal points"
	run "${german[@]}" "$PERF" stat -j -e task-clock true
	like "$err" '"counter-value" : "[0-9]+\.[0-9]+"' "and so has -j"
else
	skip 6 "there is no locale with a decimal comma"
fi

# A name with the separator
cp "$(command -v sleep)" 'a,b"c'
spawn './a,b"c' 1000
run "$PERF" stat -x, --per-thread -p "$spawned_pid" -e cs sleep 0.1
is "$(cut -d, -f1-3 <<<"$err")" "\"a,b\"\"c-$spawned_pid\",0" "-x puts a name with the separator in quotes"
run "$PERF" stat -x\; --per-thread -p "$spawned_pid" -e cs sleep 0.1
like "$err" "^\"a,b\"\"c-$spawned_pid\";0;;" "and one with quotes"
sleep 0.01 &
wait $!
run "$PERF" stat -x\; -p "$!,$spawned_pid" -e cs sleep 0.1
is "$rc:$(grep -c ';cs;' <<<"$err")" 0:1 "of two processes the one that has ended is left out"
like "$err" "there is no process with id $!: the others are followed" "with a word"
run "$PERF" record -p "$spawned_pid,$!,4194304" -o two.data -- sleep 0.01
is "$rc" 0 "perf record, too"
like "$err" "there is no process with id 4194304, and 1 more of the list is missing" "with their number"
run "$PERF" stat -p "$!,4194304" true
is "$rc:$(grep -c 'there is no process with id 4194304$' <<<"$err")" 255:1 "if all are missing there is nothing to do"
kill "$spawned_pid"

# --- files ---

run "$PERF" stat -o file -e cs true
is "$err" "" "-o leaves the standard error alone"
like "$(<file)" '^# started on ' "and dates the file"
run "$PERF" stat -o file --append -e page-faults true
is "$(grep -c 'Performance counter stats' file)" 2 "--append keeps what is there"
run "$PERF" stat --log-fd 5 -e cs true 5>logged
like "$(<logged)" ' cs ' "--log-fd"
unlike "$(<logged)" 'started on' "without a line on when, which is for files"
run "$PERF" stat --log-fd 77 -e cs true
is "$rc" 255 "a descriptor that is not open"
run "$PERF" stat -o "$WORK" -e cs true
is "$rc" 255 "a file that cannot be written"
run "$PERF" stat -q -e cs sh -c 'exit 4'
is "$rc:$err" "4:" "-q prints nothing"

# --- CSV ---

run "$PERF" stat -x, -e task-clock,cycles -- true
like "$err" '^[0-9.]+,msec,task-clock,[0-9]+,100\.00,[0-9.]+,CPUs  CPUs_utilized$' "a line of CSV"
if grep -q '<not supported>' <<<"$err"; then
	like "$err" '^<not supported>,,cycles,0,0\.00,,$' "an unsupported event was counted for 0 percent of the time"
else
	skip 1 "this machine has cycles"
fi
run "$PERF" stat -x, -r 2 -e dummy -- true
is "$err" "$(sed -E 's/.*(,[0-9]+,100.00,,)$/0,,dummy,0.00%\1/' <<<"$err")" "-r adds the noise"
run "$PERF" stat -x, -I 20 --interval-count 1 --summary -a -e dummy
like "$err" '^[0-9.]+,0,,dummy,' "a time begins lines of intervals"
like "$err" '^summary,0,,dummy,' "and summary those of the summary"
run "$PERF" stat -x '\t' -e dummy -- true
like "$err" $'^0\t\tdummy\t' "a tabulator separates"

# --- JSON: every mode is valid, with the same keys for each line ---

cat >check.py <<'END'
import json, sys
want = set(sys.argv[1].split(","))
lines = sys.stdin.read().splitlines()
assert lines
for line in lines:
    keys = set(json.loads(line)) - {"metric-value", "metric-unit"}
    assert keys == want, (keys, want)
END
common=counter-value,unit,event,event-runtime,pcnt-running
# json KEYS OPTIONS...
json() {
	local keys=$1
	shift
	run "$PERF" stat -j "$@"
	ok "stat -j $*" python3 check.py "$keys" <<<"$err"
}
json $common -- true
json $common -d -- true
json $common -a -- true
json $common,interval -a -I 20 --interval-count 2
json $common,cpu -a -A -- true
json $common,variance -r 2 -- true
json $common,cgroup -a --for-each-cgroup / -- true
for by in core socket die node cluster; do
	json $common,$by,counters -a --per-$by -- true
done
json $common,thread --per-thread -p $$ -- true
cp "$(type -P sleep)" "$(printf 'a"b\\\303')"
json $common,thread --per-thread -e cs,dummy -- ./"$(printf 'a"b\\\303')" 0

# --- metrics ---

run "$PERF" stat -a --metric-only -M cs_per_second,CPUs_utilized -- sleep 0.02
like "$err" '^ *CPUs_utilized +cs_per_second *$' "--metric-only has a column for each metric"
run "$PERF" stat -x, --metric-only -M page_faults_per_second -- true
like "$err" '^page_faults_per_second,$' "in CSV, too"
like "$err" '^[0-9]+\.[0-9],$' "with a value"
run "$PERF" stat -M nonsense -- true
is "$rc" 129 "an unknown metric"
like "$err" 'there is no metric "nonsense"' "is refused"
run "$PERF" stat -e context-switches -- true
unlike "$err" '#' "a count without a clock has no rate"
run "$PERF" stat -e dummy,task-clock -I 20 --interval-count 1 -- sleep 1000
unlike "$err" 'nan|inf' "nothing is divided by 0"

run "$PERF" stat -j -e dummy,cycles -D -1 -- true
like "$err" '"counter-value" : "<not (counted|supported)>"' "texts in the place of counts are those of other perfs"
# A name may have any bytes; those that are half of a surrogate pair are no text.
run "$PERF" stat -j -e $'task-clock/name=x\xed\xa0\x80y/' -- true
ok "JSON is UTF-8" python3 -c 'import json, sys; [json.loads(line) for line in sys.argv[1].encode("utf-8", "surrogateescape").decode().splitlines() if line]' "$err"

# --- what is refused ---

# refused STATUS TEXT OPTIONS...
refused() {
	local status=$1 text=$2
	shift 2
	run "$PERF" stat "$@"
	is "$rc" "$status" "stat $* is refused"
	like "$err" "$text" "with a cause"
}
refused 129 "exclude each other" -x, -j -e cs true
refused 129 "exclude each other" -A --per-core -a -e cs true
refused 129 "needs -I" --interval-count 3 -e cs true
refused 129 "does not go with -I" --timeout 100 -I 100 -e cs true
refused 129 "needs -r" --table -e cs true
refused 129 "counts nothing" -n -e cs true
refused 129 "unknown event" -e nosuchevent true
refused 129 "has samples, no count" -e off-cpu true
refused 129 "needs a command" -r 3 -a -e cs
refused 129 "--topdown" --topdown true
done_testing

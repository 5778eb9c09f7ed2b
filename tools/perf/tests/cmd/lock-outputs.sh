#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Other forms of perf lock contention: a file of waits, stacks, JSON, rounds. Each holds the waits of the table.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_locks
build_maplocker

column() { # sum of column N of the fields on standard input
	awk -F', ' -v n="$1" '/^[0-9]/ { sum += $n } END { printf "%.0f\n", sum }'
}
last() { # sum of the last words of the lines on standard input
	awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}
sum_json() { # FILE MEMBER: over all rows of all rounds
	python3 -c 'import json, sys
print(sum(row[sys.argv[2]] for r in json.load(open(sys.argv[1]))["rounds"] for row in r["rows"]))' "$@"
}

# --- all at once ---

run "$PERF" lock contention -Y rwsem -x, --output table.txt -w waits.data --flamegraph page.html -- ./maplocker 3
is "$rc" 7 "-w and --flamegraph beside a table"
waits=$(column 1 <table.txt)
total=$(column 2 <table.txt)
ok "there are waits" test "$waits" -ge 5
like "$err" "^\[ perf lock: Wrote [0-9.]+ MB waits.data \($waits waits in [0-9]+ samples\) \]$" "the summary tells what -w wrote"

# --- -w: periods are waits ---

"$PERF" script -i waits.data -F comm,period,event -G >periods.txt 2>&1
is "$(awk '{ sum += $2 } END { printf "%.0f\n", sum }' periods.txt)" "$total" "the periods of its samples add up to the waited time"
is "$(awk '{ print $1 }' periods.txt | sort -u)" maplocker "and are of the tasks that waited"
run "$PERF" script -i waits.data
like "$out" 'BPF string: "rwsem:[RW]"' "the type of a lock is in its samples"
unlike "$out" ' (bpf_prog_|bpf_trace_run|__traceiter_)' "the frames of the programs are not"
run "$PERF" report -i waits.data --stdio --no-children -g none --percent-limit 0
like "$out" '100.00% +maplocker +\[kernel.kallsyms\] +\[k\] (rwsem_|down_|__down)|maplocker .*\[k\] (rwsem_|down_|__down)' "report shows where they waited"
run "$PERF" report -i waits.data --folded
is "$(last <<<"$out")" "$total" "and as folded stacks the same time"
if [ -n "$STOCK" ]; then
	run "$STOCK" script -i waits.data -F comm,period,ip,sym
	is "$(awk 'NF == 2 && $1 == "maplocker" { sum += $2 } END { printf "%.0f\n", sum }' <<<"$out")" "$total" "stock perf script reads the same periods"
	run "$STOCK" report -i waits.data --stdio --no-children -g none
	is "$rc" 0 "stock perf report reads the file"
	like "$out" "Samples: [0-9]+ +of event 'lock:contention'" "and names the event"
	like "$out" "Event count \(approx.\): $total" "with the waited time as its count"
else
	skip 4 "no stock perf"
fi
run "$PERF" lock contention -l -Y rwsem -w locks.data -q -- ./maplocker 2
"$PERF" script -i locks.data -F comm,addr,period -G >addresses.txt 2>&1
like "$(<addresses.txt)" '^ *maplocker +[0-9]+ +[0-9a-f]{16}$' "with -l samples have the address of the lock"
run "$PERF" lock contention -w /dev/full -- true
is "$rc" 255 "a full disk ends it with a message"

# --- stacks ---

like "$(<page.html)" 'lock:contention' "the flame graph names the event"
like "$(<page.html)" '"nanoseconds"' "and its unit"
like "$(<page.html)" 'do_mprotect_pkey' "and has the callers"
run "$PERF" lock contention -Y rwsem --folded -- ./maplocker 3
like "$out" '^maplocker;.*;do_mprotect_pkey[^ ]*;.*(rwsem|down_write)[^ ]* [0-9]+$' "--folded prints stacks, callers first"
unlike "$err" 'contended' "and no table"
run "$PERF" lock contention -Y rwsem -S no_such_function --folded -- ./maplocker 2
is "$out" "" "-S leaves out stacks"
"$PERF" lock record -q -o waits2.data --filter 'comm == "maplocker"' -- ./maplocker 3
total=$("$PERF" lock contention -i waits2.data -Y rwsem -x, 2>&1 | column 2)
waits=$("$PERF" lock contention -i waits2.data -Y rwsem -x, 2>&1 | column 1)
run "$PERF" lock contention -i waits2.data -Y rwsem --folded
is "$(last <<<"$out")" "$total" "--folded of a file has all its waits"
run "$PERF" lock contention -i waits2.data -Y rwsem --folded=samples
is "$(last <<<"$out")" "$waits" "and as numbers of waits"
run "$PERF" lock contention -i waits2.data -Y rwsem --flamegraph page2.html -q
like "$(<page2.html)" 'do_mprotect_pkey' "--flamegraph of a file"

# --- JSON and rounds ---

run "$PERF" lock contention -i waits2.data -Y rwsem --json
printf '%s\n' "$out" >file.json
is "$(sum_json file.json contended):$(sum_json file.json total_wait)" "$waits:$total" "--json has all waits"
for view in -t -l "-v --max-stack 2"; do
	# shellcheck disable=SC2086 # two words
	run "$PERF" lock contention -i waits2.data -Y rwsem --json $view --output view.json
	is "$(sum_json view.json contended)" "$waits" "--json $view"
done
like "$(<view.json)" '"stack":\["[a-z_0-9]+\+0x[0-9a-f]+","[a-z_0-9]+\+0x' "stacks are names"
cat >wait-twice.sh <<'END'
./maplocker 2
for i in $(seq 600); do
	[ "$(grep -c '^# [0-9:.]*$' rounds.txt)" -ge 3 ] && break
	sleep 0.1
done
./maplocker 2
END
run "$PERF" lock contention -Y rwsem -I 50 -x, --output rounds.txt -- sh ./wait-twice.sh
is "$rc" 7 "rounds go on until the command ends"
ok "-I prints several tables" test "$(grep -cE '^# [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}$' rounds.txt)" -ge 3
ok "with waits in more than one" awk '/^# [0-9][0-9]:/ { round++ } /^[0-9]/ { has[round] = 1 } END { exit length(has) < 2 }' rounds.txt
run "$PERF" lock contention -Y rwsem -I 50 --json --output rounds.json -- ./maplocker 3
is "$(python3 -c 'import json; print(json.load(open("rounds.json"))["waits"]["seen"])')" "$(sum_json rounds.json contended)" \
	"the rows of all rounds in JSON are the waits that were seen"

# Without -a only the waits of the command are counted, and all of them begin while perf watches.
run "$PERF" lock contention -M 1 --json --output lost.json -- ./maplocker 4
is "$(python3 -c 'import json; w = json.load(open("lost.json"))["waits"]; print(w["lost"] > 0, w["early"])')" "True 0" \
	"a wait without room is lost, and not one that had begun before"

run timeout 60 sh -c '"$1" lock contention -a -I 100 --output - | head -1' sh "$PERF"
is "$rc" 0 "rounds end when nobody reads them any more"
is "$err" "" "and perf says nothing of that"
run "$PERF" lock contention -l -L mmap_lock,ffff888000000000 -- true
is "$rc" 0 "-L takes names and addresses at once"

# --- refusals ---

refused() { # message, options
	local message=$1

	shift
	run "$PERF" lock contention "$@"
	is "$rc" 129 "$*: refused"
	like "$err" "$message" "$*: says why"
}
refused 'exclude each other' --json -x, -- true
refused 'empty' -L a,,b -- true
refused 'too long' -L "$(printf 'x%.0s' {1..300})" -- true
refused 'exclude each other' --json --folded -- true
refused 'takes a number of milliseconds' -I 5 -- true
refused 'takes samples or period' --folded=x -- true
refused 'has them already' -i waits2.data -w more.data
refused 'read at once' -i waits2.data -I 100
refused 'has its own' -i waits2.data --call-graph fp
refused 'has its own' -i waits2.data --unwind-memory 5
refused 'printed once' -I 100 --folded -- true
for where in --json --folded '--output -'; do
	refused 'let -w write a file' -w - $where -- true
done
for address in -1 ' 5' 0x fffffffffffffffff; do
	refused 'takes addresses of locks' -L "$address" -- true
done
run "$PERF" lock contention -w / -- true
like "$err" '^/ is a directory; name a file$' "the message on a file that cannot be written names no option of another command"

done_testing

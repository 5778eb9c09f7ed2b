#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Filters that ask for files, on a process whose memory map is locked most of the time: what BPF cannot look up is judged by perf.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# Its second thread comes when its memory is ready.
locks() { [ -d "/proc/$1/task" ] && [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" = 2 ]; }

spawn "$WORKLOAD" maplock 1000
target=$spawned_pid
wait_for 60 locks "$target"

# undecided: how many samples were kept without a verdict
undecided() {
	local n
	n=$(sed -nE 's/^([0-9]+) samples? could not be judged.*/\1/p' <<<"$err")
	echo "${n:-0}"
}

lost() {
	local n
	n=$(sed -nE 's/^([0-9]+) samples? w[a-z]* lost.*/\1/p' <<<"$err")
	echo "${n:-0}"
}

# judged FILE GREP...: the summary in $err, and the samples: grep finds no files of code that are wrong, but for what is told as undecided
judged() {
	local file=$1
	shift
	local wrong
	counts ""
	is "$rc:$((kept + dropped))" "0:$seen" "kept + dropped = seen"
	ok "some are kept, some dropped" test "$kept" -gt 0 -a "$dropped" -gt 0
	is $(($(samples "$file" tid | wc -l) + $(lost))) "$kept" "what was kept is in the file"
	wrong=$(samples "$file" ip,dso | grep -c "$@")
	ok "and nothing else ($wrong samples, $(undecided) undecided)" test "$wrong" -le "$(undecided)" -a "$(undecided)" -lt $((seen / 10))
	like "$("$PERF" report --stats -i "$file")" "LOST_SAMPLES \(BPF\) events: +$dropped\$" "the file tells what was dropped"
}

record=("$PERF" record -e cpu-clock:u -F 999 -p "$target")
run "${record[@]}" --filter 'dso == libc.so.6' -o eq.data -- "${until_run[@]}" 500 "$target"
judged eq.data -vF "libc.so.6)"
run "${record[@]}" --filter 'dso != libc.so.6' -o ne.data -- "${until_run[@]}" 500 "$target"
judged ne.data -F "libc.so.6)"
run "${record[@]}" -v --filter "sym == \"${WORKLOAD##*/}:own_code\" && comm ~ wor*" -o sym.data -- "${until_run[@]}" 500 "$target"
judged sym.data -vF "$WORKLOAD)"
is "$("$PERF" report -i sym.data -s sym 2>/dev/null | grep -v '^#' | grep . | head -1 | awk '{ print $NF }')" own_code "a function of a file"
n=$(sed -nE 's/.* ([0-9]+) of them were judged afterwards.*/\1/p' <<<"$err")
ok "most were judged by perf ($n of $seen)" test "${n:-0}" -gt $((seen / 4))

run "${record[@]}" --filter "sym != \"${WORKLOAD##*/}:own_code\"" -o other.data -- "${until_run[@]}" 500 "$target"
counts ""
ok "all but a function ($(undecided) undecided)" test "$rc" = 0 -a "$dropped" -gt 0 -a \
	"$(samples other.data sym | grep -cx own_code)" -le "$(undecided)"

# Verdicts that come later are each event's own.
run "$PERF" record -e cpu-clock:u,task-clock:u -F 999 -p "$target" --filter 'dso == libc.so.6' -o two.data -- "${until_run[@]}" 500 "$target"
for event in cpu-clock:u task-clock:u; do
	counts $event
	ok "$event: some are kept, some dropped" test "$rc" = 0 -a "$kept" -gt 0 -a "$dropped" -gt 0
	is "$(samples two.data event | grep -cx "$event:")" "$kept" "$event: what was kept is in the file"
done

# What the program has counted before it came to the file is not known to perf: the sample stays, and is told.
run "${record[@]}" --filter 'every 1, dso == libc.so.6' -o every.data -- "${until_run[@]}" 500 "$target"
counts ""
is "$rc:$(samples every.data tid | wc -l)" "0:$kept" "with every"
ok "undecided samples are kept, and counted" test "$(undecided)" -gt 0 -a "$(undecided)" -le "$kept"

kill -KILL "$target"
wait "$target" 2>/dev/null

# A file that is gone is known by the name that it had.
cp "$WORKLOAD" doomed
spawn ./doomed maplock 1000
wait_for 60 locks "$spawned_pid"
rm doomed
run "$PERF" record -v -e cpu-clock:u -F 999 -p "$spawned_pid" --filter 'dso != doomed && dso != libc.so.6' -o gone.data -- "${until_run[@]}" 1000 "$spawned_pid"
counts ""
n=$(sed -nE 's/.* ([0-9]+) of them were judged afterwards.*/\1/p' <<<"$err")
ok "a file that was deleted ($n of $seen judged by perf)" test "$rc" = 0 -a "${n:-0}" -gt $((seen / 4))
ok "is found by its name ($(undecided) undecided)" test "$(samples gone.data ip,dso | grep -c doomed)" -le "$(undecided)"
kill -KILL "$spawned_pid"
wait "$spawned_pid" 2>/dev/null

# A process that executes another program has other maps than before.
build_race
cp "$WORKLOAD" first
cp "$WORKLOAD" second
run "$PERF" record -e cpu-clock:u -F 999 --filter 'dso == first || dso == second' -o exec.data -- \
	env RACE=exit RACE_COMMAND='exec ./second maplock 2' LD_PRELOAD="$RACE_LIBRARY" ./first maplock 1
counts ""
ok "both programs are judged by their maps ($(undecided) of $seen undecided)" test "$rc" = 0 -a "$seen" -gt 20 -a "$(undecided)" -lt $((seen / 5))

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands that print while they watch, or afterwards, when nobody reads that, or a disk is full. Without a reader they end by SIGPIPE and say nothing,
# like other programs, once what they record is complete. A full disk is an error, with one message and the exit status of what could not be written.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_locks
build_maplocker

mkfifo pipe
# Each has a pipe of its own, as what wrote to another one may still hold it open. Open for reading only until it is open for writing.
# shellcheck disable=SC2016 # for the inner shells
into_nobody=(timeout 120 bash -c 'exec 4<>pipe 5>pipe 4<&-; exec "$@" >&5 5>&-' bash)
# shellcheck disable=SC2016
all_into_nobody=(timeout 120 bash -c 'exec 4<>pipe 5>pipe 4<&-; exec "$@" >&5 2>&1 5>&-' bash)
# shellcheck disable=SC2016
onto_full_disk=(timeout 120 bash -c 'exec "$@" >/dev/full' bash)
# shellcheck disable=SC2016
after_a_line=(timeout 120 bash -c '"$@" | head -n 1 >line.txt; exit "${PIPESTATUS[0]}"' bash)

# said: what $err says of writes
said() {
	grep -E 'cannot write|Broken pipe|No space left' <<<"$err"
}

# nobody PERF ARGS...: without a reader it ends by SIGPIPE, on a full disk with one message about that
nobody() {
	local what=${*:2}
	run "${into_nobody[@]}" "$@"
	is "$rc:$(said)" 141: "$what: ends by SIGPIPE if nobody reads it, and says nothing of it"
	run "${all_into_nobody[@]}" "$@"
	is "$rc" 141 "$what: ends if nobody reads its messages, either"
	run "${onto_full_disk[@]}" "$@"
	is "$rc" 255 "$what: ends if the disk is full"
	is "$(said)" "perf: cannot write to the standard output: No space left on device" "$what: says so, once"
}

# intervals PERF ARGS...: the same, and if the reader has had enough
intervals() {
	nobody "$@"
	run "${after_a_line[@]}" "$@"
	is "$rc:$(wc -l <line.txt)" 141:1 "${*:2}: ends if its reader has seen enough"
}

# Waits that the programs have no room for, and those that have begun before, make notes.
spawn sh -c 'while :; do ./maplocker 2; done'
waiting=$spawned_pid

intervals "$PERF" lock contention -a -M 1 -I 100 --output -
nobody "$PERF" lock contention -a -M 1 --json -- sleep 0.1
nobody "$PERF" lock contention -a -M 1 --folded -- sleep 0.1
intervals "$PERF" ftrace latency -a -I 50 -e sched_wakeup,sched_switch
nobody "$PERF" ftrace latency -a -e sched_wakeup,sched_switch -- sleep 0.1
intervals "$PERF" kwork timehist --kwork sched -M 16
nobody "$PERF" kwork report -- sleep 0.1
nobody "$PERF" sched latency -- sleep 0.1
intervals "$PERF" stacks -n 1000 -i 50
nobody "$PERF" stacks --folded
nobody "$PERF" stacks --json
intervals "$PERF" sample-bpf --top -I 50 -a -e cpu-clock
nobody "$PERF" sample-bpf --folded -a -e cpu-clock -- sleep 0.1
intervals "$PERF" sample-bpf -I 50 -a -e sched:sched_switch --hist prev_prio
nobody "$PERF" sample-bpf -I 50 -a -e sched:sched_switch --hist prev_prio --json # its text has no lines
intervals "$PERF" top --stdio -d 1

run "${onto_full_disk[@]}" "$PERF" list
is "$rc:$err" "255:perf: cannot write to the standard output: No space left on device" "perf list: says so, once"

# --- results for the standard error, or a file ---

# shellcheck disable=SC2016
messages_into_nobody=(timeout 120 bash -c 'exec 4<>pipe 5>pipe 4<&-; exec "$@" 2>&5 5>&-' bash)
for command in 'lock contention -a -M 1 -I 100' 'trace -a' 'trace -S -a' 'stat -a -I 50 -e context-switches' 'stat -a -I 50 -e context-switches -j' \
	'stat -a -I 50 --summary -e context-switches' 'stat -e context-switches -- true' \
	'stat -r 0 -I 50 -e context-switches -- sleep 10'; do
	# shellcheck disable=SC2086 # words
	run "${messages_into_nobody[@]}" "$PERF" $command
	is "$rc:$out:$err" 141:: "perf $command: ends without a reader of the standard error"
done
for command in 'lock contention -a -M 1 -I 100 --output /dev/full' 'trace -a -o /dev/full' 'stat -a -I 50 --summary -e context-switches -o /dev/full'; do
	# shellcheck disable=SC2086
	run timeout 120 "$PERF" $command
	is "$rc:$(said)" "255:cannot write /dev/full: No space left on device" "perf $command: says so, once"
done
run "${into_nobody[@]}" "$PERF" stat -a -I 50 --summary -e context-switches --log-fd 1
is "$rc:$err" 141: "perf stat --log-fd: ends without a reader of that descriptor"
run "${after_a_line[@]}" "$PERF" trace -a -o /dev/stdout
is "$rc:$(said)" 141: "perf trace -o: ends without a reader of the file"

# --- commands that read a recording ---

run "$PERF" sched record -o sched.data -- sleep 0.01
is "$rc" 0 "switches are recorded"
for command in script 'report --stdio' evlist buildid-list 'sched latency' 'sched timehist' 'sched map' 'kwork report --kwork sched'; do
	# shellcheck disable=SC2086
	run "${into_nobody[@]}" "$PERF" $command -i sched.data
	is "$rc:$(said)" 141: "perf $command: ends by SIGPIPE if nobody reads it"
	# As in a service of systemd.
	# shellcheck disable=SC2016,SC2086
	run "${into_nobody[@]}" bash -c 'trap "" PIPE; exec "$@"' bash "$PERF" $command -i sched.data
	is "$rc:$(said)" 141: "perf $command: even where SIGPIPE was ignored"
done
run "${into_nobody[@]}" "$PERF" --version
is "$rc:$err" 141: "so does perf --version"

# --- what perf starts afterwards ---

run "${messages_into_nobody[@]}" "$PERF" stat -I 50 --post 'exec 9>hook.txt; ls -l /proc/self/fd/2 >&9; :' -e context-switches -- sleep 10
like "$(<hook.txt)" ' -> /$' "commands of perf stat cannot write to a reader that is gone, nor open a file in its place"

cat >dies.sh <<'END_SH'
kill -PIPE $$
touch survived
END_SH
run "$PERF" stat -r 2 --pre 'sh dies.sh; :' --post 'sh dies.sh; :' -e context-switches -- sh dies.sh
is "$rc:$(ls survived 2>/dev/null)" 141: "what perf stat starts has SIGPIPE as ever, in each run"

# shellcheck disable=SC2016
run bash -c 'trap "" PIPE XFSZ; exec "$@"' bash "$PERF" stat -r 2 --post 'sh dies.sh' -e context-switches -- sh -c 'sh dies.sh; exec grep SigIgn /proc/self/status'
is "$rc:$(grep -c '[13579bdf]..[13579bdf]...$' <<<"$out"):$(ls survived)" 0:2:survived "or ignored, like SIGXFSZ, if perf was started so"
rm survived

# --- what is recorded meanwhile ---

run "${into_nobody[@]}" "$PERF" lock contention -a -M 64 -I 100 -w waits.data --flamegraph page.html --output -
is "$rc" 141 "perf lock contention -w: ends without a reader"
samples=$(sed -nE 's/^\[ perf lock: Wrote .* waits.data \([0-9]+ waits in ([0-9]+) samples\) \]$/\1/p' <<<"$err")
ok "there are waits" test "${samples:-0}" -gt 0
is "$(samples waits.data time | wc -l)" "$samples" "all are in the file"
like "$(<page.html)" 'do_mprotect_pkey' "and in the flame graph"
run "${messages_into_nobody[@]}" "$PERF" stat record -a -I 50 -o stat.data -e context-switches
is "$rc" 141 "perf stat record: ends without a reader"
run "$PERF" stat report -i stat.data
like "$err$out" '[0-9] +context-switches' "and has recorded the interval"
run "${messages_into_nobody[@]}" "$PERF" record -e cpu-clock -o record.data -- true
is "$rc" 0 "perf record has the status of its command if nobody reads its messages"
ok "and a file" test "$(samples record.data time | wc -l)" -gt 0
kill "$waiting"
wait "$waiting" 2>/dev/null
done_testing

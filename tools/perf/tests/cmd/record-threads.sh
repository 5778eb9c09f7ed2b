#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --threads: which thread reads what, where it runs, and that a recording in parts is the same as one in one piece, for this
# perf and for stock perf; also if it ends badly.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# number KIND FILE [PERF]: records of this kind, all events together
number() {
	"${3:-$PERF}" report --stats -i "$2" 2>/dev/null | awk -v kind="$1" '$1 == kind && !n { n = $3 } END { print n + 0 }'
}

# stats PERF FILE: the totals over all events. What filters dropped is counted for each event, and each perf words it differently
stats() {
	"$1" report --stats -i "$2" 2>/dev/null | awk '/ stats:$/ && ++n == 2 { exit } NF { $1 = $1; print }'
}

# has_samples FILE: even if it is being written
has_samples() {
	[ "$(number SAMPLE "$1")" -gt 0 ]
}

# told: samples in the recording, by the summary in $err
told() {
	sed -nE 's/^\[ perf record: Captured and wrote .* \(([0-9]+) samples\) \]$/\1/p' <<<"$err"
}

# same_everywhere DIR DESCRIPTION: it has the samples that the summary tells, and stock perf reads the same records
same_everywhere() {
	is "$(number SAMPLE "$1")" "$(told)" "$2: all samples are in it"
	is "$(stats "$PERF" "$1")" "$(stats "$STOCK" "$1")" "$2: stock perf reads the same records"
}

mapfile -t cpus < <(awk -F'[,-]' -v RS=',' '{ for (i = $1; i <= $NF; i++) print i }' /sys/devices/system/cpu/online | grep .)
first=${cpus[0]}
last=${cpus[-1]}
work=("$WORKLOAD" thloop 0.3)

# The kernel writes KSYMBOL and BPF_EVENT records with a wrong size if several recordings get them, which other tests may make: stock perf then
# gives up the file, of whatever form.
alone=(--no-bpf-event)

# --- parts ---

run "$PERF" record -aB --synth=no "${alone[@]}" -e cpu-clock,cs --threads=cpu -o all.data -- "${work[@]}"
is "$rc" 0 "--threads=cpu, all CPUs"
is "$(cd all.data && printf '%s\n' data* | sort -V | xargs)" "data $(seq -f data.%.0f 0 ${#cpus[@]} | xargs)" "a part for each CPU, and one for the main thread"
same_everywhere all.data "--threads=cpu"
like "$("$PERF" report --stdio -i all.data 2>/dev/null)" ' workload .* test_loop' "the workload is in it"
is "$(stat -c %a all.data all.data/data all.data/data.1 | xargs)" "700 600 600" "nobody else may read it"
like "$("$PERF" report --header-only -i all.data)" '^# cmdline : .*--threads=cpu' "it has a header"

# A part holds samples of its CPU only.
mkdir one.data
cp all.data/data one.data/data
cp "all.data/data.${#cpus[@]}" one.data/data.0
is "$(samples one.data cpu | sort -u)" "$(printf '[%03d]' "$last")" "the last part holds the last CPU's"
is "$(number SAMPLE one.data)" "$(samples all.data cpu | grep -cF "$(printf '[%03d]' "$last")")" "all of them"

for layout in "" =core =package =numa "=$first/$last" "=$first-$last/$first"; do
	run "$PERF" record -e cpu-clock "--threads$layout" -o part.data -- "${work[@]}"
	is "$rc" 0 "a workload with --threads$layout"
	same_everywhere part.data "--threads$layout"
	ok "--threads$layout: not without samples" test "$(number SAMPLE part.data)" -gt 10
done
is "$(cd part.data && echo data*)" "data data.0 data.1" "one list, one part"
ok "the former one is kept" test -e part.data.old/data.1

# --- with other options ---

for options in -z "-z5 -g" "-c 1000000" "-F 20000" --overwrite --tail-synthesize "-s -T" --off-cpu "-r 1" --no-buffering; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" record -e cpu-clock $options --threads -o with.data -- "${work[@]}"
	is "$rc" 0 "--threads $options"
	same_everywhere with.data "--threads $options"
done
run "$PERF" record -e cpu-clock --threads --timestamp-filename -o stamp.data -- true
is "$rc:$(echo stamp.data.2*/data.0)" "0:$(echo stamp.data.2*)/data.0" "--timestamp-filename: the directory has the time"
run "$PERF" record -e cpu-clock --threads --max-size 100K -F 5000 -a -o max.data -- sleep 1000
is "$rc" 0 "--max-size ends it"
ok "with that size" test "$(cat max.data/data* | wc -c)" -ge 102400
like "$out$err" 'size limit reached' "it says so"

# Soon, not when the main thread wakes by itself, which is after a second and some MB. A busy machine may delay it, so once is enough.
ends_soon() {
	for _ in {1..10}; do
		"$PERF" record -q -aB --synth=no "${alone[@]}" -e cpu-clock -c 50000 -g -m 16 --threads --max-size 100K -o soon.data -- sleep 1000 || return
		[ "$(cat soon.data/data* | wc -c)" -gt $((1000000 + ${#cpus[@]} * 65536)) ] || return 0
	done
	false
}
ok "without many more" ends_soon
run with_tracefs "$PERF" record -e sched:sched_switch --filter 'prev_pid > 0' -a "${alone[@]}" --threads -o tp.data -- "${work[@]}"
is "$rc" 0 "a tracepoint"
same_everywhere tp.data "a tracepoint"

# --- filters ---

# Each of the four threads has a known number of faults.
for filter in 'tid > 0' 'comm ~ "fault-*"' 'dso == workload'; do
	run "$PERF" record -e cpu-clock/period=1000000/,page-faults/period=1/ --filter "$filter" --threads -o filter.data -- "$WORKLOAD" faults 2000 threads 4
	is "$rc" 0 "--filter $filter"
	same_everywhere filter.data "$filter"
	counts 'page-faults[^:]*'
	is "$("$PERF" script -i filter.data -F event 2>/dev/null | grep -c page-faults)" "$kept" "$filter: all faults that it kept are there"
	for i in 0 1 2 3; do
		is "$("$PERF" script -i filter.data -F comm,event 2>/dev/null | grep -c "fault-$i .*page-faults")" $((2000 + i)) "$filter: those of task $i"
	done
done

# Each sample that the filter kept is in the recording, or counted as lost.
run "$PERF" record -m 1 -g -e page-faults -c 1 --filter 'tid > 0' --threads -o lost.data -- "$WORKLOAD" faults 20000 threads 4
counts ""
ok "tiny ring buffers: many samples" test "$kept" -ge 20000
lost=$("$PERF" report --stats -i lost.data 2>/dev/null | awk '$1 == "LOST_SAMPLES" { found = 1 } END { print found + 0 }')
told_lost=$(sed -nE 's/^([0-9]+) samples? w[a-z]* lost because.*/\1/p' <<<"$err")
is $(($(number SAMPLE lost.data) + ${told_lost:-0})) "$kept" "samples and losses are all that was kept"
is "$lost" "$((${told_lost:-0} > 0))" "losses are in the recording"

# --- who ends it ---

spawn "$WORKLOAD" noploop 1000
target=$spawned_pid
spawn "$PERF" record -q -e cpu-clock -p "$target" --threads -o pid.data
recorder=$spawned_pid
ok "-p: it records" wait_for 60 has_samples pid.data
kill "$target"
wait "$recorder"
is "$?" 0 "-p: it ends with its target"
ok "-p: samples" test "$(number SAMPLE pid.data)" -gt 0

# The threads that have a place, and where they run: the main one, and one that helps it, are wherever they like.
allowed() {
	local task anywhere
	anywhere=$(awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$1/status")
	for task in "/proc/$1"/task/*; do
		[ "${task##*/}" = "$1" ] || awk '/^Cpus_allowed_list/ { print $2 }' "$task/status"
	done 2>/dev/null | grep -vx -e "$anywhere" | sort -n | xargs
}
has_both() {
	[[ " $(samples "$1" cpu | sort -u | xargs) " = *"[$(printf %03d "$first")]"*"[$(printf %03d "$last")]"* ]]
}
runs_on() {
	[ "$(allowed "$1")" = "$2" ]
}
spawn "$PERF" record -q -e cpu-clock -a "${alone[@]}" --threads -o place.data
recorder=$spawned_pid
ok "a thread for each CPU, where it belongs" wait_for 60 runs_on "$recorder" "${cpus[*]}"
ok "samples come" wait_for 60 has_samples place.data
kill -INT "$recorder"
wait "$recorder"
is "$?" 130 "SIGINT ends it"
is "$(number SAMPLE place.data "$STOCK")" "$(number SAMPLE place.data)" "with samples for all readers"
if [ "$first" != "$last" ]; then
	spawn "$PERF" record -q -e cpu-clock -a --threads="$first/$last" -o place.data
	recorder=$spawned_pid
	ok "a thread where its list says" wait_for 60 runs_on "$recorder" "$last"
	ok "samples come from both" wait_for 60 has_both place.data
	kill -INT "$recorder"
	wait "$recorder"
	like "$(samples place.data cpu | sort -u | xargs)" "^\[0*$first\].*\[0*$last\]$" "CPUs of no list are recorded, too"
	run taskset -c "$first" "$PERF" record -q -e cpu-clock -a --threads="$first/$last" -o place.data -- true
	is "$rc" 0 "a process that was moved may move its threads"
else
	skip 4 "there is one CPU"
fi

# A killed recording: ours and stock perf read what was written.
spawn "$PERF" record -q -e cpu-clock -F 5000 -a "${alone[@]}" --threads -o killed.data
recorder=$spawned_pid
ok "it records" wait_for 60 has_samples killed.data
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null
run "$PERF" report --stats -i killed.data
is "$rc" 0 "a killed recording is read"
like "$err" 'was not finished' "perf says so"
like "$(number SAMPLE killed.data)" '^[1-9]' "it has samples"
is "$(number SAMPLE killed.data "$STOCK")" "$(number SAMPLE killed.data)" "stock perf reads the same ones"

# A full disk ends it, with what was written.
mkdir small
mount -t tmpfs -o size=1m none small
run "$PERF" record -q -e cpu-clock -F 5000 -g -a --synth=no "${alone[@]}" --threads -o small/d -- sleep 1000
is "$rc" 255 "a full disk ends the recording"
like "$err" '^Cannot write to small/d/data\.[0-9]+: No space left on device; make room' "it says which file"
is "$(wc -l <<<"$err")" 1 "once"
like "$(number SAMPLE small/d)" '^[1-9]' "the recording is readable"
is "$(number SAMPLE small/d "$STOCK")" "$(number SAMPLE small/d)" "by stock perf, too"
umount small

# --- what is in its place ---

run "$PERF" record -q -e cpu-clock -o all.data -- true
is "$rc" 0 "a file in place of a directory"
ok "that is kept" test -f all.data -a -f all.data.old/data.0
mkdir full.data full.data/sub
run "$PERF" record -q -e cpu-clock --threads -o full.data -- touch ran
is "$rc" 255 "no recording gives way"
like "$err" '^full.data is a directory' "it says so"
ok "it stays" test -d full.data/sub -a ! -e ran

# --- refused ---

wrong "--threads=bogus" 'threads takes cpu, core, package, numa, or pairs' -e cpu-clock --threads=bogus
wrong "half a pair" 'or pairs of CPU lists' -e cpu-clock "--threads=$first"
wrong "a wrong list" 'threads: wrong CPU list' -e cpu-clock "--threads=x/$first"
wrong "CPUs that are not there" '60000/.* has a list without any CPU that is recorded' -e cpu-clock "--threads=60000/$first"
wrong "a CPU twice" 'has a CPU that an earlier list of its kind has' -e cpu-clock "--threads=$first/$first:$first/$last"
wrong "--per-thread" 'threads shares out the ring buffers of CPUs' -e cpu-clock --threads --per-thread
wrong "-i" 'no-inherit' -e cpu-clock --threads -i
wrong "a pipe" 'threads writes a directory, which a pipe cannot take' -e cpu-clock --threads -o -
wrong "--switch-output" 'threads writes one directory' -e cpu-clock --threads --switch-output=1M

done_testing

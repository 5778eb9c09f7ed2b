#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The latest samples only, events that ask for the next file, and when and of what it is recorded that runs already.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# comms PERF FILE: of its samples, each once
comms() {
	"$1" script -i "$2" -F comm 2>/dev/null | awk '{ print $1 }' | sort -u | xargs
}

# --- the latest samples ---

# On one CPU, so that there is one ring: a page holds far fewer samples than the second workload has page faults. The first one's tasks, fault-1
# and fault-2, are overwritten.
faults=(-e page-faults -c 1 -m 1)
# shellcheck disable=SC2016 # for the inner shell
run taskset -c 0 "$PERF" record --overwrite "${faults[@]}" -o latest.data -- sh -c '"$WORKLOAD" faults 200 processes 3; exec "$WORKLOAD" faults 2000 threads 1'
is "$rc" 0 "--overwrite"
# Its thread has another name at last, "after", and the first one, which ends then, has that of the program.
like "$(comms "$PERF" latest.data)" '^(after )?fault-0( workload)?$' "the latest samples are there, and no others"
like "$(comms "$STOCK" latest.data)" '^(after )?fault-0( workload)?$' "for stock perf, too"
ok "as many as the ring holds" test "$(samples latest.data time | wc -l)" -gt 50
is "$(samples latest.data time)" "$(samples latest.data time | sort -n)" "in the order of time"
like "$("$STOCK" evlist -v -i latest.data)" 'page-faults:.* write_backward: 1' "their ring is one that is overwritten"
like "$("$PERF" report --stdio -i latest.data)" '^ +[0-9.]+%  fault-0 +workload +\[\.\] [a-z]' "the side-band is whole: code has names"

run taskset -c 0 "$PERF" record --overwrite "${faults[@]}" --filter 'pid > 0' -o filtered.data -- "$WORKLOAD" faults 2000 threads 1
kept=$(sed -nE 's/.* ([0-9]+) kept.*/\1/p' <<<"$err")
gone=$(sed -nE 's/^([0-9]+) earlier samples? gave way.*/\1/p' <<<"$err")
is "$(($(samples filtered.data time | wc -l) + gone))" "$kept" "with a filter it is told how many are not"
ok "which are some" test "$gone" -gt 50
unlike "$err" ' lost ' "they are not lost"

writes=(dd if=/dev/zero of=/dev/null count=20000)
for filter in "" "--filter count==512"; do
	# shellcheck disable=SC2086 # two words
	run "$PERF" record -m 16 --overwrite -e syscalls:sys_enter_write $filter -o hits.data -- taskset -c 0 "${writes[@]}"
	is "$rc" 0 "tracepoints $filter"
	nr=$(samples hits.data time | wc -l)
	ok "as many as the ring holds ($nr)" test "$nr" -gt 100 -a "$nr" -lt 10000
done
run "$PERF" record -m 1 --overwrite -e cpu-clock --call-graph dwarf -- touch ran
is "$rc" 255 "a ring that a sample may not fit into is refused"
like "$err" '^with --overwrite a ring buffer must have room for the largest sample of cpu-clock.*: take -m 16$' "and what to take is said"

run "$PERF" record --overwrite --off-cpu -- touch ran
is "$rc" 129 "samples that BPF programs make have no such ring"
like "$err" '^--overwrite and samples that a BPF program makes, .* exclude each other' "that is said"
ok "the command did not run" test ! -e ran

# --- events that ask for the next file ---

# shellcheck disable=SC2016 # for the inner shell
run "$PERF" record -e cpu-clock -F 5000 --overwrite --switch-output-event sched:sched_process_exec -o flight.data -- \
	sh -c '"$WORKLOAD" noploop 0.2; "$WORKLOAD" noploop 0.2; "$0" version' "$PERF"
is "$rc" 0 "--switch-output-event"
files=(flight.data.*)
ok "each exec ends a file" test "${#files[@]}" -ge 3
is "$(grep -c '^\[ perf record: Dump flight\.data\.[0-9]\{16\} \]$' <<<"$err")" "$((${#files[@]} - 1))" "each but the last is told"
for file in "${files[@]}"; do
	samples "$file" time
done >when
is "$(sort when | uniq -d)" "" "no sample is there twice"
ok "all of them are" test "$(wc -l <when)" -gt 100
unlike "$("$PERF" script -F event -i "${files[0]}")" sched_process_exec "the event itself is not recorded"
for args in 'nosuch:event' '{'; do
	run "$PERF" record --switch-output-event "$args" -- touch ran
	is "$rc" 129 "--switch-output-event $args"
	like "$err" '^--switch-output-event: ' "its message"
done
ok "nothing ran" test ! -e ran

# Perf reads the first ring, of CPU 0, when the command there has written more than the ring holds.
build_race
# shellcheck disable=SC2016 # for inner shells
RACE=pause RACE_COMMAND='until read -r pid <child && w=$(sed -n "s/^syscw: //p" "/proc/$pid/io") && [ "$w" -gt 1000 ]; do sleep 0.01; done 2>/dev/null' \
	run preloaded "$RACE_LIBRARY" "$PERF" record -m 1024 -e syscalls:sys_enter_write --overwrite --switch-output-event page-faults/period=1/ \
	-o busy.data -- taskset -c 0 env -u LD_PRELOAD sh -c 'echo $$ >child; exec dd if=/dev/zero of=/dev/null count=300000'
unlike "$err" 'ring buffers were full' "a ring that is overwritten is never full"
like "$err" '^[0-9]+ samples? came while perf read the ring buffers' "perf counts the samples that come while it reads"

# --- what runs already ---

pid=$$
"$PERF" record -q -a -e cpu-clock --synth no -o none.data -- true
is "$("$PERF" script --show-task-events --show-mmap-events -i none.data | grep -cE "PERF_RECORD_.*[ (]$pid/")" 0 "--synth no: nothing of this shell"
for what in task mmap all task,cgroup; do
	"$PERF" record -q -a -e cpu-clock --all-cgroups --synth $what -o synth.data -- true
	run "$PERF" script --show-task-events --show-mmap-events -i synth.data
	like "$out" "PERF_RECORD_COMM.*: $(</proc/$pid/comm):$pid/$pid" "--synth $what: this shell"
	maps=$(grep -c "PERF_RECORD_MMAP2 $pid/" <<<"$out")
	case $what in
	task*) is "$maps" 0 "without maps" ;;
	*) ok "with maps" test "$maps" -gt 0 ;;
	esac
	groups=$("$PERF" report --stats -i synth.data | awk '/CGROUP events/ { print $3; exit }')
	case $what in
	all | *cgroup) ok "with control groups" test "${groups:-0}" -gt 0 ;;
	*) is "${groups:-0}" 0 "without control groups" ;;
	esac
done
run "$PERF" record --synth tasks -- touch ran
is "$rc" 129 "an unknown word of --synth"
like "$err" '^--synth takes ' "its message"

spawn "$WORKLOAD" noploop 1000
"$PERF" record -q -a -F 999 -e cpu-clock --tail-synthesize -o tail.data -- "${until_run[@]}" 50 "$spawned_pid"
for reader in "$PERF" "$STOCK"; do
	like "$("$reader" report --stdio -i tail.data --comm workload --sort sym 2>/dev/null)" ' noploop' "--tail-synthesize: read by $(basename "$reader") of $(dirname "$reader")"
done

# --- how it is recorded ---

run "$PERF" record -q -r 3 -e cpu-clock -o rt.data -- sh -c 'chrt -p $$'
is "$rc" 0 "-r"
like "$out" SCHED_OTHER "the command is not concerned"
run setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$PERF" record -q -r 3 -e cpu-clock -o rt.data -- touch ran
is "$rc" 255 "-r without privilege"
like "$err" '^cannot record with realtime priority 3: .*CAP_SYS_NICE' "its message"
run "$PERF" record -q -r 100 -e cpu-clock -o rt.data -- touch ran
is "$rc:$err" "255:cannot record with realtime priority 100: Invalid argument. It may be 1 to 99" "a priority that there is not"
limit=$(</proc/sys/kernel/perf_event_max_sample_rate)
run "$PERF" record --strict-freq -F $((limit + 1)) -e cpu-clock -- touch ran
is "$rc" 255 "--strict-freq"
like "$err" "^Maximum frequency rate \($limit Hz\) exceeded" "its message"
ok "nothing ran" test ! -e ran

# Samples that were overwritten on purpose are not missed by the event.
run "$PERF" record --overwrite -m 1 -e page-faults -F 4000 -o faults.data -- sh -c 'i=0; while [ $((i += 1)) -lt 400 ]; do (:); done'
is "$rc" 0 "a frequency"
unlike "$err" 'counted, but samples for' "perf does not call overwritten samples missed"

done_testing

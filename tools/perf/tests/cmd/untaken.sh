#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Samples that the kernel does not take for BPF programs, as the CPU is in bpf(2): perf says how many they are.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# A sample for each 250 us of CPU time, by a clock that a busy host makes inexact.
due=4000
period=(-e cpu-clock -c 250000)
run "$PERF" record "${period[@]}" -o all.data -- "$WORKLOAD" maploop 1
all=$(samples all.data comm | wc -l)
note "$all samples without a filter"
run "$PERF" record "${period[@]}" --filter 'cpu < 4096' -o seen.data -- "$WORKLOAD" maploop 1
counts ""
untaken=$(untaken)
is "$rc:$kept:$dropped" "0:$seen:0" "record with a filter that keeps all"
ok "some are missing ($untaken of $due)" test "$untaken" -gt $((due / 20))
ok "with them, $seen samples are what is due" near $((seen + untaken)) "$due" $((due / 4))
is "$("$PERF" report --stats -i seen.data | sed -nE 's/ +LOST_SAMPLES events: +([0-9]+)$/\1/p')" "$untaken" "the file says so, too"
run "$PERF" sample-bpf "${period[@]}" -o counted.data -- "$WORKLOAD" maploop 1
read -r samples _ <<<"$(counted)"
ok "sample-bpf says so ($samples and $(untaken))" near $((samples + $(untaken))) "$due" $((due / 4))
is "$("$PERF" report --stats -i counted.data | sed -nE 's/ +LOST_SAMPLES events: +([0-9]+)$/\1/p')" "$(untaken)" "and its file"

run "$PERF" record "${period[@]}" --filter 'cpu < 4096' -o noploop.data -- "$WORKLOAD" noploop 1
ok "next to none are missing where nothing is in the way ($(untaken))" test "$(untaken)" -lt $((untaken / 4))
run "$PERF" record -e page-faults -c 1 --filter 'comm ~ "fault-*"' -o faults.data -- "$WORKLOAD" faults 1000 processes 50
counts ""
is "$rc:$kept" "0:$((50 * 1000 + 2 * 190 + 45))" "processes that come and go"
unlike "$err" "not taken" "the periods that they begin and do not end are not missing"
run "$PERF" record -e page-faults -c 7 --filter 'uid == 0' -o faults.data -- "$WORKLOAD" faults 100 processes 200
unlike "$err" "not taken" "nor are longer ones"
done_testing

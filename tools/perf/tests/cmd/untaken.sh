#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Samples that the kernel does not take for BPF programs, as the CPU is in bpf(2): perf says how many they are.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# A sample for each 250 us of CPU time, by a clock that a busy host makes inexact: while it has the CPU there are none.
due=4000
# again CONDITION COMMAND...: run it until the condition is true of $seen, $kept, $samples and how many are $missing, up to 8 times
again() {
	for _ in 1 2 3 4 5 6 7 8; do
		run "${@:2}"
		counts ""
		read -r samples _ <<<"$(counted)"
		missing=$(untaken)
		[ "$rc" = 0 ] && [ $(($1)) = 0 ] || break
		note "$missing are missing, $seen seen"
	done
}
# what is due, to a quarter
of_record='seen + missing >= due - due / 4 && seen + missing <= due + due / 4'
of_counts='samples + missing >= due - due / 4 && samples + missing <= due + due / 4'
period=(-e cpu-clock -c 250000)
# Where others take turns with it, what is missing at the end of each turn is not seen.
# shellcheck disable=SC2016 # for the inner shell
urgent=(sh -c 'chrt -f 1 true 2>/dev/null && exec chrt -f 1 "$@"; exec "$@"' sh)
run "$PERF" record "${period[@]}" -o all.data -- "${urgent[@]}" "$WORKLOAD" maploop 1
all=$(samples all.data comm | wc -l)
note "$all samples without a filter"
again "$of_record" "$PERF" record "${period[@]}" --filter 'cpu < 4096' -o seen.data -- "${urgent[@]}" "$WORKLOAD" maploop 1
untaken=$missing
is "$rc:$kept:$dropped" "0:$seen:0" "record with a filter that keeps all"
ok "some are missing ($untaken of $due)" test "$untaken" -gt $((due / 20))
ok "with them, $seen samples are what is due" near $((seen + untaken)) "$due" $((due / 4))
is "$("$PERF" report --stats -i seen.data | sed -nE 's/ +LOST_SAMPLES events: +([0-9]+)$/\1/p')" "$untaken" "the file says so, too"
again "$of_counts" "$PERF" sample-bpf "${period[@]}" -o counted.data -- "${urgent[@]}" "$WORKLOAD" maploop 1
ok "sample-bpf says so ($samples and $missing)" near $((samples + missing)) "$due" $((due / 4))
is "$("$PERF" report --stats -i counted.data | sed -nE 's/ +LOST_SAMPLES events: +([0-9]+)$/\1/p')" "$(untaken)" "and its file"

again 'missing < untaken / 4' "$PERF" record "${period[@]}" --filter 'cpu < 4096' -o noploop.data -- "${urgent[@]}" "$WORKLOAD" noploop 1
ok "next to none are missing where nothing is in the way ($(untaken))" test "$(untaken)" -lt $((untaken / 4))
run "$PERF" record -e page-faults -c 1 --filter 'comm ~ "fault-*"' -o faults.data -- "$WORKLOAD" faults 1000 processes 50
counts ""
is "$rc:$kept" "0:$((50 * 1000 + 2 * 190 + 45))" "processes that come and go"
unlike "$err" "not taken" "the periods that they begin and do not end are not missing"
run "$PERF" record -e page-faults -c 7 --filter 'uid == 0' -o faults.data -- "$WORKLOAD" faults 100 processes 200
unlike "$err" "not taken" "nor are longer ones"

# --- whole CPUs: the program finds what the kernel has made and not given to it ---

# A process by a name of its own, as another test may run the same.
own=untaken-$$
cp "$WORKLOAD" "$own"
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
mkdir "$cgroups/perf-$own" 2>/dev/null
# in_cgroup COMMAND...: what the command line of perf ends with
in_cgroup() {
	group=(sh -c "echo \$\$ >'$cgroups/perf-$own/cgroup.procs' && exec \"\$@\"" sh "$@")
}

for workload in maploop progloop; do
	with=()
	[ $workload = maploop ] || with=(with_tracefs)
	if ! "${with[@]}" ./"$own" $workload 0.01 2>err.txt; then
		skip 10 "$workload: $(<err.txt)"
		continue
	fi
	for where in "-a" "-C 0"; do
		# shellcheck disable=SC2086 # words
		again 'kept + missing > due * 3 / 4' "${with[@]}" "$PERF" record $where "${period[@]}" --filter "comm == $own" -o cpus.data -- "${urgent[@]}" taskset -c 0 ./"$own" $workload 1
		untaken=$missing
		ok "$workload, $where: some are missing ($untaken)" test "$rc" = 0 -a "$untaken" -gt 100
		ok "with them, $kept samples are what is due, or more: those of others are among them" test $((kept + untaken)) -gt $((due * 3 / 4))
		is "$("$PERF" report --stats -i cpus.data | sed -nE 's/ +LOST_SAMPLES events: +([0-9]+)$/\1/p')" "$untaken" "the file has them"
	done
	if ! [ -w "$cgroups/perf-$own/cgroup.procs" ]; then
		skip 4 "no cgroup v2 file system to write to"
		continue
	fi
	in_cgroup "${urgent[@]}" ./"$own" $workload 1
	again "$of_record" "${with[@]}" "$PERF" record -a "${period[@]}" --filter "pid != 0" -G "perf-$own" -o group.data -- "${group[@]}"
	untaken=$missing
	ok "$workload, -G: some are missing ($untaken)" test "$rc" = 0 -a "$untaken" -gt 100
	ok "with them, $seen samples are what is due" near $((seen + untaken)) "$due" $((due / 4))
	again "$of_counts" "${with[@]}" "$PERF" sample-bpf -a "${period[@]}" -G "perf-$own" -o group.data -- "${group[@]}"
	ok "$workload, -G: sample-bpf says so ($samples and $missing)" near $((samples + missing)) "$due" $((due / 4))
	ok "and more than a few" test "$(untaken)" -gt 100
done

for event in "-e cpu-clock -c 250000" "-e cpu-clock -F 99" "-e cs -c 1" "-e page-faults -c 7"; do
	# shellcheck disable=SC2086 # words
	again 'missing < seen / 20 + 100' "$PERF" record -a $event --filter 'cpu < 4096' -o idle.data -- ./"$own" noploop 0.1
	ok "-a $event: next to none where nothing is in the way ($(untaken) of $seen)" test "$rc" = 0 -a "$(untaken)" -lt $((seen / 20 + 100))
done
if [ -w "$cgroups/perf-$own/cgroup.procs" ]; then
	in_cgroup "${urgent[@]}" ./"$own" noploop 1
	again 'missing < due / 20' "$PERF" record -a "${period[@]}" --filter 'pid != 0' -G "perf-$own" -o group.data -- "${group[@]}"
	ok "-G: nor there ($(untaken) of $seen)" test "$rc" = 0 -a "$(untaken)" -lt $((due / 20))
	rmdir "$cgroups/perf-$own"
else
	skip 1 "no cgroup v2 file system to write to"
fi
done_testing

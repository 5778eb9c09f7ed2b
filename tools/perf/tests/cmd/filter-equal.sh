#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events of one recording whose filters are equal: they share one BPF program, and what it counts is each event's own.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# events NR FILTER: options for so many events with that filter; their names are clock0, clock1, ...
events() {
	local i
	options=()
	for ((i = 0; i < $1; i++)); do
		options+=(-e "cpu-clock/name=clock$i/u" --filter "$2")
	done
}

# --- how many programs there are ---

command_runs() {
	pgrep -P "$1" -x sh >/dev/null
}

# programs WANT DESCRIPTION OPTIONS...: how many a recording holds
programs() {
	local want=$1 what=$2 perf
	shift 2
	mkfifo go
	spawn "$PERF" record -o many.data "$@" -- sh -c 'read -r _ <go' 2>/dev/null
	perf=$spawned_pid
	ok "$what: records" wait_for 30 command_runs "$perf"
	is "$(grep -l '^prog_type:' "/proc/$perf/fdinfo"/* | wc -l)" "$want" "$what: BPF programs"
	echo >go
	wait "$perf"
	is "$?" 0 "$what: ends well"
	rm go
}

events 20 'tid != 1'
programs 1 "twenty events, one filter" --clock task "${options[@]}"
programs 1 "one filter for all events of one -e" --clock task -e cpu-clock,task-clock,page-faults --filter 'tid != 1'
programs 2 "two filters" --clock task "${options[@]}" -e task-clock --filter 'tid != 2' -e page-faults --filter 'tid != 2'
programs 1 "counted by test" --clock task -v -e cpu-clock,task-clock --filter 'tid != 1'
# Two more know the target: one follows forks, one takes samples where there is no filter.
programs 3 "on each CPU" --clock cpu -e cpu-clock,task-clock --filter 'tid != 1'

# --- whose counts are whose ---

# exact EVENT: what it kept is in the file, to the sample; each sample that is lost is told
exact() {
	local lost
	counts "$1"
	lost=$(sed -nE "s/^$1: ([0-9]+) samples? w[a-z]* lost.*/\1/p" <<<"$err")
	ok "$1 has samples" test "$seen" -gt 0
	is $((kept + dropped)) "$seen" "$1: kept + dropped = seen"
	is $(($(grep -cx "$1:" events.txt) + ${lost:-0})) "$kept" "$1: its own samples are in the file"
}

# The samples are those of the command's children; their parent waits.
# shellcheck disable=SC2016 # for the inner shell
children=(sh -c '"$WORKLOAD" noploop 0.3 & "$WORKLOAD" noploop 0.3 & wait')
run "$PERF" record -F 999 -e cpu-clock,page-faults/period=1,name=faults/,task-clock --filter 'mode == user' -o own.data -- "${children[@]}"
is "$rc" 0 "three events with one filter, on children"
samples own.data event >events.txt
for event in cpu-clock faults task-clock; do
	exact $event
done
is "$(samples own.data comm | sort -u | grep -cx workload)" 1 "the children are there"
unlike "$("$PERF" evlist -v -i own.data)" 'sig_data' "the file does not tell how they are told apart"

# Most faults are minor, and each of those is a sample of both: counted together, each event would keep another part of its own.
run "$PERF" record -C 0 -e page-faults/period=1,name=faults/,minor-faults/period=1,name=again/ --filter 'every 3' -o every.data \
	-- taskset -c 0 "$WORKLOAD" noploop 0.1
for event in faults again; do
	counts $event
	is "$rc:$kept" "0:$((seen / 3))" "$event: every third of its own"
done

run "$PERF" record -v -F 999 -e page-faults/period=1,name=faults/,cpu-clock --filter 'comm == nosuchcomm || mode == user' -o v.data -- "${children[@]}"
is "$rc" 0 "-v"
for event in faults cpu-clock; do
	counts $event
	# the table that follows the event's name and filter
	tests=$(sed -n "/^$event: comm == /,/mode == user\$/p" <<<"$err" | awk '/  comm == nosuchcomm$/ { print $1 } /  mode == user$/ { print $2, $3 }')
	is "$(tr '\n' ' ' <<<"$tests")" "$seen $dropped $kept " "$event: what each test did to its samples"
done

done_testing

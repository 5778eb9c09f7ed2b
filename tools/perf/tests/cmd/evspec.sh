#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Event specs: our recordings carry the attrs that stock perf's recordings of the same specs carry; wrong specs are refused.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# shellcheck disable=SC2054 # the commas are of event lists
specs=(cpu-clock cpu-clock:u cpu-clock:k cpu-clock:h cpu-clock:uk cpu-clock:H cpu-clock:G cpu-clock:GH cpu-clock:uG task-clock
	cs faults page-faults:u minor-faults major-faults migrations context-switches:k alignment-faults dummy cgroup-switches
	cpu-clock/period=1000,name=foo/ cpu-clock/freq=100/u cpu-clock/config=5/ software/config=2/u
	sched:sched_switch 'sched:sched_process_f*'
	'{cpu-clock,cs}' 'cs,{cpu-clock:u,faults:k,task-clock}:u' 'mine{cs:G,faults}:H,{cpu-clock,sched:sched_switch}:k')

# what_is FILE: name, type, config, frequency or period and exclusions of each event, as stock perf reads them
what_is() {
	"$STOCK" evlist -v -i "$1" 2>/dev/null | grep -v '^#' |
		sed -E 's/^([^ ]+): /\1, /; s/, size: [0-9]+//' | tr ',' '\n' |
		grep -E '^[^ ]*$|^ (type|config|[{] sample_period|freq|exclude_[a-z]*|precise_ip|config[12]|[{] bp_)' | tr -d '\n'
	"$STOCK" evlist -g -i "$1" 2>/dev/null | grep -v '^#'
}

if [ -z "$STOCK" ]; then
	skip ${#specs[@]} "no stock perf"
else
	for spec in "${specs[@]}"; do
		stock_record -q -B -e "$spec" -o stock.data true
		if [ "$rc" = 0 ]; then
			"$PERF" record -q -e "$spec" -o ours.data true >/dev/null 2>&1
			is "$(what_is ours.data)" "$(what_is stock.data)" "$spec is the event that stock perf records"
		else
			skip 1 "stock perf cannot record $spec here"
		fi
		rm -f stock.data ours.data
	done
fi

# refused SPEC REGEX
refused() {
	run "$PERF" record -e "$1" -o wrong.data true
	is "$rc" 129 "$1 exits 129"
	like "$err" "$2" "$1: the error says why"
	ok "$1 leaves no file" test ! -e wrong.data
}
refused cylces "unknown event 'cylces'; did you mean 'cycles'"
refused cpu-clock:ub "only perf stat"
refused 'cpu-clock:W' "weak \(W\) is for groups"
refused nopmu/config=1/ "has no PMU 'nopmu'"
if [ "$(id -u)" = 0 ]; then
	refused schd:sched_switch "no tracepoint system 'schd'; did you mean 'sched'"
	refused sched:sched_swich "did you mean 'sched_switch'"
else
	skip 6 "reading tracefs needs root"
fi

run "$PERF" list sw
is "$rc" 0 "list succeeds"
like "$out" '^  page-faults OR faults                              \[Software event\]$' "list sw has the page faults"
run "$PERF" list 'cpu-c*'
is "$out" "  cpu-clock                                          [Software event]" "a glob chooses"

run "$PERF" list -d --details task-clock
is "$out" "  task-clock                                         [Software event]
       [time on the CPU, in nanoseconds, of the task]
        type=1 config=0x1" "-d and --details show what an event counts and is"
details=$out
run "$PERF" list -v task-clock
is "$out" "$details" "and so does -v"
run "$PERF" list -j -o list.json
is "$rc:$out$err" "0:" "-o writes a file"
"$PERF" list | grep -c '' >lines.txt
run python3 -c "
import json
events = json.load(open('list.json'))
faults = [event for event in events if event['EventName'] == 'page-faults']
print(len(events), faults[0]['EventAlias'], faults[0]['EventType'], faults[0]['Unit'], faults[0]['Encoding'])"
is "$out" "$(cat lines.txt) faults Software event software type=1 config=0x2" "-j writes all of the list as JSON"
run "$PERF" list --unit software
is "$out" "$("$PERF" list sw)" "--unit chooses a PMU"
run "$PERF" list --unit nosuch
is "$rc:$out:$err" "0::no event is of the PMU 'nosuch'" "one that is not there is named"
run "$PERF" list --deprecated --cputype software
is "$out" "$("$PERF" list sw)" "so does --cputype, and --deprecated changes nothing"
run "$PERF" list --raw-dump sw 'cpu-clo*'
is "$rc:$err:$out" "0::$("$PERF" list sw | sed 's/ *\[.*//; s/ OR / /' | xargs) cpu-clock" "--raw-dump: names in one line, aliases too"
run "$PERF" list --raw-dump sdt pfm metricgroup
is "$rc:$err:$out" 0:: "words of other perfs have no names here, and no warning"
run "$PERF" list --raw-dump metric
is "$rc:$out" "0:$("$PERF" stat --list-values --metrics | xargs)" "metrics are listed for -M"
run "$PERF" list --raw-dump --unit cpu
unlike "$out" 'rNNN|modifier' "forms are no names"
run "$PERF" list --raw-dump --json
is "$rc:$err" "129:  Error: --raw-dump and --json exclude each other" "--raw-dump is no JSON"
run "$PERF" list -j nosuch-event
is "${out//[[:space:]]}" "[]" "JSON of nothing is a list, too"
run "$PERF" list -o nosuch/list
is "$rc" 255 "a file that cannot be written"
like "$err" "cannot write nosuch/list: No such file" "is named"
run "$PERF" list metric
is "$rc" 255 "metrics are refused"
like "$err" "perf stat" "with the command that has them"

# Cycles that are not there: what the period means has changed.
run "$PERF" record -e cycles:u -c 1000000 -o c.data -- true
if [[ $err = *"using cpu-clock"* ]]; then
	like "$err" 'using cpu-clock:u instead, whose period of 1000000 is nanoseconds$' "a period of cycles becomes one of time, and perf says so"
	run "$PERF" record -e cycles:u -F 999 -o c.data -- true
	unlike "$err" nanoseconds "a frequency stays one"
else
	skip 2 "this machine has hardware counters"
fi
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands of the distribution's perf that read files, on ours: each ends as it does on a file of its own, with the same complaints, and what
# perf inject makes of ours has the same samples.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock
[ -z "$CHROOT" ] || skip_all "in a chroot stock perf 6.1 dies of tasks in other mount namespaces"

ln -s "$WORKLOAD" interop-work
work=("$WORK/interop-work" thloop 0.2)
cat >count.py <<'PY'
counts = {}
def process_event(sample):
    counts[sample["ev_name"]] = counts.get(sample["ev_name"], 0) + 1
def trace_unhandled(name, *rest):
    counts[name] = counts.get(name, 0) + 1
def trace_end():
    for name in sorted(counts):
        print(name, counts[name])
PY

# ours and stock's options: where stock perf lacks them, its file has the same events
declare -A ours=(
	[plain]="-e cpu-clock -F 499"
	[callchains]="-e cpu-clock -F 499 -g"
	[dwarf]="-e cpu-clock -F 99 --call-graph dwarf,4096"
	[compressed]="-z -e cpu-clock -F 499 -g"
	[two-events]="-e cpu-clock,page-faults -c 200000 -g"
	[addresses]="-e page-faults -c 1 -d"
	[switches]="-e sched:sched_switch,sched:sched_waking -g"
	[off-cpu]="-e cpu-clock -F 499 -g --off-cpu"
	[wall]="--wall -g"
)
declare -A stocks=([filter]="-e cpu-clock -F 499 -g" [off-cpu]="-e cpu-clock -F 499 -g" [wall]="-e cpu-clock -F 499 -g --sample-cpu")
ours[filter]="-e cpu-clock -F 499 -g --filter tid>1"
commands=(
	"inject -o OUT" "inject -b -o OUT" "inject -s -o OUT" "inject -j -o OUT"
	"report --stdio --sort comm,dso,sym,pid,cpu" "report --stdio -D" "annotate --stdio -d workload" "buildid-list" "evlist -v"
	"script --show-task-events --show-mmap-events --show-lost-events" "script -s count.py" "c2c report --stdio"
	"data convert --force --to-json OUT" "kmem stat" "kwork report" "lock report" "sched latency" "sched timehist" "timechart -o OUT"
)

# complaints FILE: with neither names of files nor numbers, each once
complaints() {
	sed -E 's/(our|stock)-[a-z-]+\.data/FILE/g; s/[0-9]+(\.[0-9]+)?/N/g' "$1" | sort -u
}

# samples FILE
samples() {
	"$STOCK" script -i "$1" -F comm,tid,event 2>&1 | sort | cksum
}

# on FILE COMMAND: sets $status, $said and $kept: does what perf inject has written have the samples of FILE? Its -s leaves out switches.
on() {
	local words
	read -ra words <<<"$2"
	rm -rf OUT OUT.old
	"$STOCK" "${words[@]}" -i "$1" >out.txt 2>err.txt </dev/null
	status=$?
	said=$(complaints err.txt)
	kept=
	[[ $2 != inject* ]] || { [ "$(samples OUT)" = "$(samples "$1")" ] && kept=all || kept=some; }
}

for kind in $(printf '%s\n' "${!ours[@]}" | sort); do
	read -ra options <<<"${ours[$kind]}"
	run "$PERF" record "${options[@]}" -o "our-$kind.data" -- "${work[@]}"
	is "$rc" 0 "our perf records $kind"
	read -ra options <<<"${stocks[$kind]:-${ours[$kind]}}"
	stock_record "${options[@]}" -o "stock-$kind.data" -- "${work[@]}"
	is "$rc" 0 "stock perf records $kind"
	# stock perf's samples with copies of stacks have addresses, too, which ours take with -d only
	memory=()
	[ "$kind" = dwarf ] || memory=("report --stdio --mem-mode" "mem report --stdio")
	for command in "${commands[@]}" "${memory[@]}"; do
		on "stock-$kind.data" "$command"
		want="$status: $said" want_kept=$kept
		on "our-$kind.data" "$command"
		is "$status: $said" "$want" "$kind: perf $command ends as on its own file"
		[ -z "$kept" ] || is "$kept" "$want_kept" "$kind: perf $command keeps the samples"
		[[ -z $kept || $kind = switches ]] || is "$kept" all "$kind: all of them"
	done
done

done_testing

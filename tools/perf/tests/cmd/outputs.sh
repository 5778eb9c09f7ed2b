#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands that have several outputs: each two of them are both written, or refused by one line that names them.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

"$PERF" record -q -s -o perf.data -e cpu-clock:u -g -F 999 -- "$WORKLOAD" noploop 0.2 || exit 1


refused() { # A B COMMAND...
	local a=$1 b=$2
	shift 2
	run "$@"
	is "$rc:$(grep -c . <<<"$err")" 129:1 "perf ${*:2}: refused by one line"
	like "$err" "$a.*$b|$b.*$a" "which names both"
	is "$(ls out.* 2>/dev/null)" "" "and no file is written"
	rm -f out.*
}

files=("--flamegraph out.html" "--pprof out.pb.gz" "--speedscope out.json" "--firefox out.firefox" "--timeline out.page")
printed=(--stats --tasks --folded -D -T --header-only --json --timeline)
for ((i = 0; i < ${#printed[@]}; i++)); do
	for ((j = i + 1; j < ${#printed[@]}; j++)); do
		refused "${printed[i]}" "${printed[j]}" "$PERF" report "${printed[i]}" "${printed[j]}"
	done
	case ${printed[i]} in
	--json | --timeline) continue ;;
	esac
	for file in "${files[@]}"; do
		# shellcheck disable=SC2086 # words
		refused "${file% *}" "${printed[i]}" "$PERF" report $file "${printed[i]}"
	done
done
refused --mmaps --folded "$PERF" report --mmaps --folded
refused --tui --pprof "$PERF" report --tui --pprof out.pb.gz
refused --tui --stats "$PERF" report --tui --stats
run "$PERF" report --tasks --mmaps
is "$rc" 0 "--tasks and --mmaps are one output"

for ((i = 0; i < ${#files[@]}; i++)); do
	for ((j = i + 1; j < ${#files[@]}; j++)); do
		[ "${files[i]% *}" != "${files[j]% *}" ] || continue
		# shellcheck disable=SC2086 # words
		run "$PERF" report ${files[i]} ${files[j]}
		is "$rc:$(find . -name 'out.*' -size +0 | wc -l)" 0:2 "report ${files[i]} ${files[j]}: both are written"
		rm -f out.*
	done
	# shellcheck disable=SC2086 # words
	run "$PERF" report ${files[i]} --json
	is "$rc:$(find . -name 'out.*' -size +0 | wc -l)" 0:1 "report ${files[i]} --json: the file is written"
	like "$out" '"events"' "and JSON is printed"
	rm -f out.*
done

refused -D --header-only "$PERF" script -D --header-only
refused -D --per-event-dump "$PERF" script -D --per-event-dump
refused -D -d "$PERF" script -D -d
refused -d --per-event-dump "$PERF" script -d --per-event-dump
refused --header-only --per-event-dump "$PERF" script --header-only --per-event-dump
refused --header-only -d "$PERF" script --header-only -d
refused --folded -x "$PERF" lock contention -b --folded -x , -- true
refused --folded --output "$PERF" lock contention -b --folded --output out.txt -- true
refused --folded --top "$PERF" sample-bpf --folded --top -- true
refused --push --top "$PERF" sample-bpf --push pyroscope+http://127.0.0.1:1 --top -- true
refused --hist --folded "$PERF" sample-bpf --hist cpu --folded -- true
refused -x -j "$PERF" stat -x , -j -- true
refused --stdio --tui "$PERF" annotate --stdio --tui
refused --stdio --tui "$PERF" top --stdio --tui
refused --raw-dump --json "$PERF" list --raw-dump --json

done_testing

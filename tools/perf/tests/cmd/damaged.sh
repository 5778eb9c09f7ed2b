#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Damaged files: what can be read is shown, a warning names the place, and the exit status is 1. A recording that was killed is none.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

run "$PERF" record -q -e page-faults -c 1 -o whole.data -- "$WORKLOAD" demoloop 0.01
is "$rc" 0 "a recording"
mapfile -t places < <("$PERF" report -D -i whole.data 2>/dev/null | sed -nE 's/^([0-9]+ )+(0x[0-9a-f]+) \[0x[0-9a-f]+\]: PERF_RECORD_SAMPLE.*/\2/p')
all=$("$PERF" script -i whole.data 2>/dev/null | wc -l)
ok "it has samples" test "$all" -gt 20 -a "${#places[@]}" = "$all"
at=$(for place in "${places[@]}"; do printf '%d\n' "$place"; done | sort -n | sed -n 11p)
hex=$(printf '0x%x' "$at")

# A record's size becomes 3: nothing behind it can be found.
cp whole.data hurt.data
printf '\003\000' | dd of=hurt.data bs=1 seek=$((at + 6)) conv=notrunc status=none
for command in "report --stdio" script "report --stats" "report --folded" "report --json" "report -D"; do
	# shellcheck disable=SC2086 # words
	run "$PERF" $command -i hurt.data
	is "$rc" 1 "$command of a damaged file"
	like "$err" "hurt.data is damaged at offset $hex:" "$command names the place as report -D does"
	ok "$command shows what is there" test -n "$out"
done
is "$("$PERF" script -i hurt.data 2>/dev/null | wc -l)" 10 "the samples before it are shown"
run "$PERF" evlist -i hurt.data
is "$rc:$out" "0:page-faults" "evlist reads the header only"

# A record that is too short for its type
comm=$("$PERF" report -D -i whole.data 2>/dev/null | sed -nE 's/^([0-9]+ )*(0x[0-9a-f]+) \[0x[0-9a-f]+\]: PERF_RECORD_COMM.*/\2/p' | head -1)
cp whole.data short.data
printf '\020\000' | dd of=short.data bs=1 seek=$((comm + 6)) conv=notrunc status=none
run "$PERF" report --stdio -i short.data
is "$rc" 1 "a record is too short"
like "$err" "short.data is damaged at offset $comm: a record of type COMM \\(3\\) cannot" "its type is named"

# The sections behind the records are cut off.
cp whole.data cut.data
truncate -s -64 cut.data
for command in "report --stdio" script evlist; do
	# shellcheck disable=SC2086 # words
	run "$PERF" $command -i cut.data
	is "$rc" 1 "$command of a file that is cut off"
	like "$err" 'cut.data(:| is cut off)' "$command says so"
done
is "$("$PERF" script -i cut.data 2>/dev/null | wc -l)" "$all" "all samples are shown"

# The file ends among the records that its header tells of: between two of them, and within one.
for size in "$at" $((at + 20)); do
	head -c "$size" whole.data >half.data
	for command in "report --stdio" script evlist; do
		# shellcheck disable=SC2086 # words
		run "$PERF" $command -i half.data
		is "$rc" 1 "$command of the first $size bytes"
		like "$err" "half.data is cut off: its header says .* the file does at $(printf '0x%x' "$size")$" "$command says so"
		unlike "$err" 'killed' "and does not take it for a recording that was killed"
	done
	is "$("$PERF" script -i half.data 2>/dev/null | wc -l)" 10 "the samples before it are shown"
done
done_testing

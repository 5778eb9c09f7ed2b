#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run.sh DIR TARGET...: runs each target of DIR/tests/fuzz on the seeds in tests/data/fuzz and what earlier runs found out, until it had
# FUZZ_RUNS inputs (-1: no limit) or FUZZ_SECONDS have gone by (0: no limit). Ends with 1 if one finds something.
set -u
dir=$1
shift
# Freed memory is not kept for long: fresh pages cost more than most inputs. What libtraceevent is known to lose is told by a function that
# stands below three for each operator that a format nests, and 40 of those are taken.
export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=160${ASAN_OPTIONS:+:$ASAN_OPTIONS}
seeds=$(dirname "$(readlink -f "$0")")/../data/fuzz
failed=0
for target; do
	mkdir -p "$dir/corpus/$target" "$dir/found"
	log=$dir/$target.log
	# An input has some KiB; what it takes beside the sanitizers is far less than these limits. One allocation may be large: zstd
	# reserves the window that a frame names, 128 MiB at most (perf record -z 22 names that much), and touches what it unpacks.
	# Without -entropic=0 a third of the time goes into choosing what to change next: there are thousands of features.
	"$dir/tests/fuzz/$target" -entropic=0 -runs="${FUZZ_RUNS:--1}" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 \
		-rss_limit_mb=1024 -malloc_limit_mb=144 -max_len=16384 -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$dir/found/$target-" \
		"$dir/corpus/$target" "$seeds/$target" >"$log" 2>&1
	rc=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
	echo "$target: ${runs:-?} runs, $([ $rc = 0 ] && echo "nothing found" || echo "FOUND something, see $log")"
	[ $rc = 0 ] || failed=1
done
exit $failed

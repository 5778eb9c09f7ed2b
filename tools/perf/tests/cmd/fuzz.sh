#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each target of libFuzzer for some seconds: what is found is a bug, with its input in found/ beside the target. FUZZ_SECONDS: of each
# (8; an hour or more is for make fuzz).
. "$(dirname "$(readlink -f "$0")")/lib.sh"

dir=$(dirname "$PERF")/fuzz
[ -d "$dir/tests/fuzz" ] || skip_all "the targets are not built (make fuzz-build)"
for source in "$SOURCE"/tests/fuzz/*.c; do
	target=$(basename "$source" .c)
	FUZZ_SECONDS=${FUZZ_SECONDS:-8} "$SOURCE/tests/fuzz/run.sh" "$dir" "$target" >log 2>&1
	is "$?:$(sed 's/[0-9]* runs/runs/' log)" "0:$target: runs, nothing found" "$target"
done
done_testing

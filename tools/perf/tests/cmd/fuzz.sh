#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each target of libFuzzer for some time, four at once or as many as there are CPUs: what is found is a bug, with its input in found/ beside
# the target. FUZZ_SECONDS: for each (60; an hour or more is for make fuzz).
. "$(dirname "$(readlink -f "$0")")/lib.sh"

dir=$(dirname "$PERF")/fuzz
[ -d "$dir/tests/fuzz" ] || skip_all "the targets are not built (make fuzz-build)"
for source in "$SOURCE"/tests/fuzz/*.c; do
	basename "$source" .c
done >targets
cpus=$(nproc)
# shellcheck disable=SC2016 # for the inner shell
FUZZ_SECONDS=${FUZZ_SECONDS:-60} xargs -P $((cpus < 4 ? 4 : cpus)) -I{} sh -c '"$1/tests/fuzz/run.sh" "$2" "{}" >"{}.log" 2>&1; echo $? >"{}.rc"' \
	sh "$SOURCE" "$dir" <targets
while read -r target; do
	is "$(<"$target.rc"):$(sed 's/[0-9]* runs/runs/' "$target.log")" "0:$target: runs, nothing found" "$target"
	note "$(<"$target.log")"
done <targets
done_testing

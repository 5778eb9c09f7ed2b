#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace beside another perf's: where lines differ, ours shows more. PEER is another one than stock perf.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
PEER=${PEER:-${STOCK-}}
[ -n "$PEER" ] || skip_all "needs another perf: STOCK or PEER"
command -v python3 >python3.path || skip_all "python3 is not installed"

place=$(mktemp -d /tmp/t-test.XXXXXX) || exit 1 # where a perf in a directory tree of its own finds it, too
trap 'rm -rf "$place"; cleanup' EXIT
cp "$WORKLOAD" "$place/workload"
cd "$place" || exit 1
printf '[trace]\nshow_prefix = true\nshow_zeros = true\n' >config
export PERF_CONFIG=$place/config
# The other perf prints the calls of a CPU together. If it is late, as on a cold start, a task that moves has its calls out of order: give it one CPU.
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
with_tracefs taskset -c "$cpu" "$PEER" trace -o theirs.txt -- ./workload syscalls 2>theirs.err || skip_all "the other perf cannot trace here: $(head -1 theirs.err)"
run "$PERF" trace -o ours.txt -- ./workload syscalls
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc:$err" "0:" "all calls of a program are traced"
python3 "$SOURCE"/tests/cmd/trace-peer.py theirs.txt ours.txt -v >differences.txt
grep "^#" differences.txt
is "$(grep -v '^#' differences.txt)" "" "all differences from the lines of another perf have a known reason"
like "$(tail -1 differences.txt)" '^# [0-9]+ calls, ([6-9][0-9]|[0-9]{3,}) different ones' "of at least 60 different calls"
done_testing

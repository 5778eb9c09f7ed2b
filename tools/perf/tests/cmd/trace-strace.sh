#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace beside strace: a program's calls, their arguments and results are the same.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
command -v strace >strace.path || skip_all "strace is not installed"
command -v python3 >python3.path || skip_all "python3 is not installed"

printf '[trace]\nshow_prefix = true\nshow_zeros = true\n' >config
strace -f -y -s 4096 -o strace.txt "$WORKLOAD" syscalls 2>strace.err || skip_all "strace cannot trace here: $(head -1 strace.err)"
PERF_CONFIG=$PWD/config run "$PERF" trace --string-size 4096 -o perf.txt -- "$WORKLOAD" syscalls
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc:$err" "0:" "all calls of a program are traced"
python3 "$SOURCE"/tests/cmd/trace-strace.py strace.txt perf.txt >differences.txt
is "$(head -n -1 differences.txt)" "" "lines of perf trace are those of strace"
calls=$(awk 'END { print $3 }' differences.txt)
ok "at least 60 different calls were compared" [ "$calls" -ge 60 ]
done_testing

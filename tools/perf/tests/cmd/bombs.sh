#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Memory is bounded by the size of the file, whatever its records are. bombs.py says what is tried.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

[ -z "$SANITIZED" ] || skip_all "sanitizers take memory of their own"
head -n 3 /proc/kallsyms >kallsyms # reading all takes memory, too
"$SOURCE/tests/cmd/bombs.py" "$PERF" kallsyms >out
is "$? $(sed '$d' out)" "0 " "no reading takes more than 64 MiB and 20 times the file"
tried=$(tail -n 1 out)
ok "that many" test "$tried" -ge 100
# Labels of a profile are for no more threads than a recording of this size begins and ends.
"$SOURCE/tests/cmd/bombs.py" "" kallsyms tiny_threads >/dev/null || exit 1
run "$PERF" report --pprof p.pb.gz --kallsyms kallsyms -i tiny_threads.data
is "$rc:$err" "0:only the first 12500 threads have labels in p.pb.gz: choose some by --pid, --tid or --comm" "threads without labels are told of"
# A task's name of bytes that are no UTF-8
"$SOURCE/tests/cmd/bombs.py" "" kallsyms bad_names >/dev/null || exit 1
run "$PERF" report --json --kallsyms kallsyms -i bad_names.data
like "$(python3 -c 'import json, sys; print(json.loads(sys.stdin.buffer.read().decode("utf-8"))["events"][0]["stacks"])' <<<"$out")" \
	"'a\?b'" "JSON is UTF-8: what is none becomes a question mark"
"$PERF" report --pprof p.pb.gz --kallsyms kallsyms -i bad_names.data || exit 1
ok "a profile is UTF-8, too" python3 -c '
import gzip
data, at, texts = gzip.open("p.pb.gz").read(), 0, []
def varint():
    global at
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value
while at < len(data):
    tag, value = varint(), varint()
    if tag & 7 == 2:
        if tag >> 3 == 6:
            texts.append(data[at:at + value].decode("utf-8"))
        at += value
assert "/x?y?" in texts and texts.count("a?b") == 1, texts'
done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The first things that one does with the Debian package, on a system that has nothing else. Needs root.
set -eux
cd "$(mktemp -d)"
perf-bpf version
perf-bpf help filter | grep -q 'cpu in {0'
perf-bpf record -q -e cpu-clock -g --filter 'comm == sh && mode == user' -o sh.data -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
perf-bpf report -i sh.data --stdio -s dso 2>&1 | tee report
grep -qE '[0-9.]+%.* (dash|libc.so.6)' report
perf-bpf report -i sh.data --flamegraph sh.html
grep -q '<html' sh.html
perf-bpf record -q --off-cpu -o off.data -- sleep 0.1
perf-bpf script -i off.data -F comm,event | grep -q 'sleep .*offcpu-time'
perf-bpf sample-bpf -q -e cpu-clock -o counted.data -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
perf-bpf lock contention -a -- true
# Without these libraries, which the package only suggests, perf says what is missing.
! perf-bpf sample-bpf -q -e cpu-clock --push http://localhost:1 -- true 2>push.txt
grep -q 'libcurl' push.txt
PATH=/usr/lib/perf-bpf:$PATH perf version

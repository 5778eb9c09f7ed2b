#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The half of the tests that takes some minutes, in a chroot of run.sh: the unit tests of all folders but judge, sampler and source, which wait for BPF
# programs; the stacks of these programs; and commands that need no other package: no stock perf, Python or terminal.
set -eu
cd /src/tools/perf
check-deps/check.sh --install build optional unit
make -j"$(nproc)" all units
build/perf test 'annotate ' 'bpf ' 'callchain ' 'counter ' 'event ' 'filter ' 'hist ' 'lib ' 'machine ' 'perfdata ' 'probe ' 'record ' 'run ' \
	'session ' 'stacks ' 'synth ' 'ui ' 'unwind ' symbol/elf symbol/demangle 'source bpf-stacks' \
	'cmd deps' 'cmd filter-terms' 'cmd stat-bpf' 'cmd report-types' 'cmd ftrace'

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# No two modules of a folder need each other: a module is a .h, .c, .l or .y of one name, and needs those whose headers it includes. Circles
# say that a file was cut by its size, not by its job.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
cd "$SOURCE" || exit 1

# Pairs that are to be untangled. This list may only shrink; a pair moves to another folder with its files.
known="
event: tracefs tracepoint
filter: ast filter
hist: entry-cmp hist
hist: hist late-names
hist: hist put-chains
judge: bpf-filter filter-engine
judge: filter-engine shared-filter
judge: filter-pins pins-mount
machine: dso machine
machine: machine maps
machine: machine thread
perfdata: features section
record: record record-state
run: run run-state
sampler: sampler sampler-state
session: session session-state
source: tally tally-table
symbol: elf-file elf-unpack
symbol: symtab symtab-build
synth: private synth
"

# "FOLDER/A FOLDER/B" for each #include of B's header in A, a module of the same folder
needs() {
	find cmd ui util ./*.c builtin.h -name '*.[chly]' ! -name '*.bpf.c' ! -path 'util/bpf_skel/*' \
		-exec sed -n 's|^# *include "\([^"]*\)\.h".*|\1|;T;F;p' {} + | paste - - | sed 's|^\./||; s|\.[chly]\t|\t|' |
		awk '{ from = to = $0; sub(/\t.*/, "", from); sub(/.*\t/, "", to); a = from; b = to; sub(/[^\/]*$/, "", a); sub(/[^\/]*$/, "", b) }
			a == b && from != to { print from, to }' | sort -u
}

# "FOLDER: A B" for each two that need each other
circles() {
	needs | awk '{ seen[$1 " " $2] = 1 }
		END { for (pair in seen) { split(pair, m, " "); if (m[1] < m[2] && ((m[2] " " m[1]) in seen)) print m[1], m[2] } }' |
		sed 's|\([^ ]*\)/\([^ /]*\) [^ ]*/\([^ ]*\)|\1: \2 \3|; s|^.*/\([^/]*:\)|\1|' | sort
}

all=$(circles)
is "$(grep -vxF "$known" <<<"$all")" "" "no new circles"
is "$(sed '/^$/d' <<<"$known" | grep -vxF "$all")" "" "no circles in the list that are untangled: take them off"
# The check itself: it sees what is there.
like "$(needs)" '^ui/report/hierarchy ui/report/columns$' "a module that another one needs is found"

done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # what guest.sh defines
# A part of guest.sh's script: perf annotate of the kernel's own code, from its memory.

# Samples at instructions of the function, by perf annotate, and all that perf script has of it
placed() {
	perf annotate -i code.data --stdio -n "$hot" 2>err >code.txt || return 1
	awk '$2 == ":" { n += $1 } END { print n + 0 }' code.txt
}
recorded() {
	perf script -i code.data -F ip,sym 2>/dev/null | awk -v hot="$hot" '$2 == hot { n++ } END { print n + 0 }'
}
all_are_placed() {
	nr=$(placed) && [ "$nr" -gt 0 ] && [ "$nr" = "$(recorded)" ]
}

names_calls() {
	while read -r hot; do
		perf annotate -i code.data --stdio "$hot" 2>>err
	done <hot.txt | grep -qE 'call +[0-9a-f]+ <[a-zA-Z_]'
}

feature "code of the kernel"
if command -v objdump >/dev/null && [ -e /proc/kcore ]; then
	ok "the kernel is recorded" perf record -q -e cpu-clock:k -F 999 -o code.data -- dd if=/dev/zero of=/dev/null bs=1 count=300000
	perf script -i code.data -F ip,sym 2>/dev/null | awk '{ print $2 }' | sort | uniq -c | sort -rn | awk '$2 ~ /^[a-z_0-9]+$/ { print $2 }' |
		head -n 5 >hot.txt
	while read -r hot; do
		ok "annotate: each sample of $hot is at an instruction of it" all_are_placed
		sed 's/^/# /' code.txt | grep -E '^# +[0-9]+ :' | grep -vE '^# +0 ' | sort -k 2,2nr | head -n 4
	done <hot.txt
	ok "calls have names" names_calls
else
	checks=$((checks + 1))
	echo "ok $checks # SKIP there is no objdump or no /proc/kcore"
fi

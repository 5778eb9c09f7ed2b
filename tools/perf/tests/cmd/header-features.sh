#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the header says of the machine: every feature that stock perf writes of the same recording is there, and says the same.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# A virtual machine's memory grows and shrinks: both are to meet the same.
totals() {
	grep -h MemTotal /sys/devices/system/node/node*/meminfo 2>/dev/null
}
for _ in {1..20}; do
	memory=$(totals)
	run "$PERF" record -q -e cpu-clock -o ours.data -- true
	recorded=$rc
	stock_record -q -B -e cpu-clock -o stock.data -- true
	[ "$(totals)" != "$memory" ] || break
done
is "$recorded" 0 "our perf records"
missing() {
	"$STOCK" report --header-only -i "$1" 2>/dev/null | sed -n 's/^# missing features: //p' | tr ' ' '\n' | sed '/^$/d' | sort
}
missing ours.data >ours.txt
missing stock.data >stock.txt
ok "stock perf names what a file lacks" test -s stock.txt
# BPF programs are named by their records; of PMUs it is no use to know the abilities of none, and some virtual machines tell of no cache.
caches=(/sys/devices/system/cpu/cpu*/cache/index0)
[ -e "${caches[0]}" ] && no_caches= || no_caches='|CACHE'
is "$(comm -23 ours.txt stock.txt | grep -vxE "BPF_PROG_INFO|BPF_BTF|PMU_CAPS|CPU_PMU_CAPS|BUILD_ID$no_caches" | tr '\n' ' ')" "" "ours lacks nothing that stock's has"

# told FILE PATTERN: by stock perf, without what changes from one moment to the next
told() {
	"$STOCK" report --header-only -I -i "$1" 2>/dev/null | grep -E "$2" | sed 's/, free = .*//' | sort
}
for what in 'sibling|^# CPU [0-9]+: Core' '^# node[0-9]+ ' '^#  L[0-9]+ ' '^# memory nodes'; do
	is "$(told ours.data "$what")" "$(told stock.data "$what")" "stock perf shows the same of: $what"
done
is "$("$PERF" report --header-only -I -i ours.data 2>/dev/null | grep -cE '^#  L[0-9]+ ')" "$(told ours.data '^#  L[0-9]+ ' | grep -c .)" "ours shows the caches, too"
done_testing

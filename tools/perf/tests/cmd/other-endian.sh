#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings of machines with the other byte order, as other-endian.py makes them: they say what the original says. Whether they are
# what such a machine writes is for the distribution's perf to tell.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

turned() {
	"$SOURCE/tests/cmd/other-endian.py" "$1" "$2"
}
run "$PERF" record -q --no-bpf-event -c 1 -g -d --user-regs=ip,sp -e page-faults -e sched:sched_switch -o ours.data -- sh -c '/bin/true; sleep 0.01'
is "$rc" 0 "a recording"
stock_record -q -B --no-bpf-event -c 1 -g -d --user-regs=ip,sp -e page-faults -e sched:sched_switch -o stock.data -- sh -c '/bin/true; sleep 0.01'

# same FILE COMMAND...: what our perf says of the file is what it says of the turned one
same() {
	local file=$1 out_native
	shift
	run "$PERF" "$@" -i "$file.data"
	out_native=$rc:$out:$err
	run "$PERF" "$@" -i "$file.turned"
	is "$(diff <(sed "s/$file\.[a-z]*//" <<<"$out_native") <(sed "s/$file\.[a-z]*//" <<<"$rc:$out:$err") | head -n 10)" "" "$file: $*"
	ok "$file: says something" test "${#out_native}" -gt 20
}
for file in ours stock; do
	ok "$file: is turned" turned $file.data $file.turned
	like "$(head -c 8 $file.turned)" '^2ELIFREP$' "$file: it has the other byte order"
	same $file script -F comm,tid,time,event,ip,sym,trace
	same $file script -F comm,period,addr,uregs
	same $file report --stdio --children
	[ $file = stock ] || same $file report --stats # some of stock perf's own records were left out
	same $file evlist -v
	is "$("$STOCK" script -i $file.turned -F comm,tid,time,event,ip,sym 2>/dev/null | cksum)" \
		"$("$STOCK" script -i $file.data -F comm,tid,time,event,ip,sym 2>/dev/null | cksum)" "$file: stock perf agrees"
done
like "$("$PERF" report --header-only -i ours.turned)" "^# hostname : $(uname -n)$" "the header is read"

# Cut off anywhere, it is no crash, and what is there is read: of symbols, which take most of the time, none.
head -n 3 /proc/kallsyms >no-symbols
size=$(stat -c %s ours.turned)
crashes=0
for ((at = 0; at < size; at += 331)); do
	head -c $at ours.turned >cut.data
	"$PERF" script -i cut.data --kallsyms no-symbols --no-inline -F comm,time,event,period,ip,addr,uregs,trace >/dev/null 2>&1
	rc=$?
	[[ $rc = @(0|1|255) ]] || crashes=$((crashes + 1)) # 1: it is damaged
done
is $crashes 0 "cut off anywhere"

run "$PERF" record -q -z -e cpu-clock -o z.data -- true
{ printf '2ELIFREP' && tail -c +9 z.data; } >z.turned
run "$PERF" script -i z.turned
is "$rc" 255 "a header that is turned only half"
done_testing

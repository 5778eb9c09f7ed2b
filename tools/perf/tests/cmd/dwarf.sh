#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Callchains from copies of the stack, inlined functions and code lines, with stock perf as the judge.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# Stock perf takes all files below /tmp/perf-* for symbol maps of run-time code.
place=$(mktemp -d /tmp/dwarf-test.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
mkdir src
cat >src/mix.h <<'END'
static inline __attribute__((always_inline)) unsigned long mix(unsigned long a, unsigned long b)
{
	for (int i = 0; i < 40; i++)
		a = a * 31 + (b ^ i);
	return a;
}
END
cat >src/prog.c <<'END'
#include <stdlib.h>
#include "mix.h"
volatile unsigned long sink;
static inline __attribute__((always_inline)) unsigned long twice(unsigned long x)
{
	return mix(x, 1) + mix(x, 2);
}
__attribute__((noinline)) unsigned long leaf(unsigned long n)
{
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += twice(i);
	return sink = sum;
}
static int compare(const void *l, const void *r)
{
	leaf(20);
	return *(const int *)l - *(const int *)r;
}
static inline __attribute__((always_inline)) int sorted(int n)
{
	int numbers[32];
	for (int i = 0; i < 32; i++)
		numbers[i] = i * 7 % 32 + n;
	qsort(numbers, 32, sizeof(int), compare);
	return numbers[0];
}
__attribute__((noinline)) int sorting(int n)
{
	return sorted(n) + 1;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 1500; i++)
		sum += sorting(i);
	return sum == 42;
}
END
gcc -g -O2 -fomit-frame-pointer -o prog src/prog.c || exit 1

# chains: of the samples on the standard input those that go back to main, the program's own functions. Not libc's: where its
# debug information is installed perf 6.1 takes functions for inlined that the linker knows by another name.
chains() {
	awk 'BEGIN { RS = ""; FS = "\n" } / main/ {
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^\t/)
				own = $i ~ / (mix|twice|leaf|compare|sorted|sorting|main)\+/
			sub(/^\t +[0-9a-f]+/, "\t", $i) # perf 6.1 prints addresses of the file, later ones of the process
			if (own)
				print $i
		}
		print "" }'
}

# same_as_stock DESCRIPTION FILE OPTIONS...: perf script prints the same chains
same_as_stock() {
	local what=$1 file=$2
	shift 2
	"$STOCK" script -i "$file" "$@" 2>/dev/null | chains >theirs
	"$PERF" script -i "$file" "$@" 2>&1 | chains >ours
	ok "$what: there is something to compare" test "$(wc -l <theirs)" -gt 500
	is "$(diff theirs ours | head -20)" "" "$what: as stock perf"
}

# --- recorded by stock perf ---
# What perf 6.1 records is now and then such that it cannot read it itself, so it gets several attempts.
record_by_stock() {
	local try
	for try in 1 2 3 4 5 6; do
		stock_record -B -o stock.data -e cpu-clock:u -F 1999 --call-graph dwarf ./prog
		[ "$rc" = 0 ] && [ "$("$STOCK" script -i stock.data 2>/dev/null | chains | wc -l)" -gt 500 ] && return
	done
	return 1
}
ok "stock perf records" record_by_stock
same_as_stock "unwound frames" stock.data --no-inline
same_as_stock "inlined frames" stock.data
same_as_stock "code lines" stock.data -F +srcline
same_as_stock "code lines with directories" stock.data -F +srcline --full-source-path

# --- recorded by this perf ---
run "$PERF" record -o ours.data -e cpu-clock:u -F 1999 --call-graph dwarf ./prog
is "$rc" 0 "this perf records"
same_as_stock "unwound frames of our recording" ours.data --no-inline
run "$STOCK" evlist -v -i ours.data
like "$out" 'REGS_USER\|STACK_USER.*exclude_callchain_user: 1.*sample_regs_user: 0x.*sample_stack_user: 8192' "settings of the event"
run "$PERF" record -o small.data -e cpu-clock:u --call-graph dwarf,1001 ./prog
run "$STOCK" evlist -v -i small.data
like "$out" 'sample_stack_user: 1008' "size of the stack, rounded up"
"$PERF" record -o fp.data -e cpu-clock:u -F 1999 -g ./prog 2>/dev/null
run "$PERF" script -i fp.data
like "$out" ' mix\+0x[0-9a-f]+ \(inlined\)$' "callchains by frame pointers have inlined frames, too"
unlike "$(sed -n '/(inlined)/p' <<<"$out")" '\(/' "inlined frames name no file"

# Three frames at one address, the innermost first, each with its line
for how in fp dwarf; do
	"$PERF" record -q --call-graph "$how" -e cpu-clock:u -o inlined.data -- "$WORKLOAD" inlineloop 0.05 2>/dev/null
	"$PERF" script -i inlined.data -F ip,sym,srcline >inlined.txt 2>/dev/null
	is "$(grep -A5 -m1 ' leaf$' inlined.txt | sed -E 's/^\s+[0-9a-f]{6,} //; s/:2[01] /:20 /' | xargs)" \
		"leaf inlineloop.c:20 (inlined) middle inlineloop.c:26 (inlined) parent inlineloop.c:31" "inlined functions and their lines, by $how"
done

# --- reports ---
# Rows of the program itself. Names of libc's functions do not count, for the reason above, nor do small branches, which such names make
# of one or of two.
tree() {
	"$@" report --stdio --no-children -d prog -g "graph,5,$order" -i stock.data 2>&1 |
		sed -E '/^#/d; s/(msort_with_tmp|__libc_start_main|(__GI_)?_*qsort|_*mem(cpy|move)).*/libc/'
}

# Branches of the same share stand in no order.
any_order() {
	sed -E 's/[|]|--+/ /g; s/^ +//; s/ +$//; /^$/d' | sort
}

for order in callee caller; do
	tree "$STOCK" >theirs
	tree "$PERF" >ours
	if grep -o -e '--[0-9.]*%' theirs | sort | uniq -d | grep -q .; then
		any_order <theirs >theirs.sorted
		any_order <ours >ours.sorted
		mv theirs.sorted theirs
		mv ours.sorted ours
	fi
	ok "$order first: there is something to compare" test "$(grep -c inlined theirs)" -gt 5
	is "$(diff -bB theirs ours | head -20)" "" "report with inlined frames, $order first: as stock perf"
done
run "$PERF" report --stdio --children -g none -i stock.data
like "$out" ' [0-9.]+% +0\.00% +prog +prog +\[\.\] sorted \(inlined\)$' "an inlined function is one of its own with --children"
run "$PERF" report --stdio --children -g none --no-inline -i stock.data
like "$out" '\[\.\] sorting' "--no-inline: there is a report"
unlike "$out" 'inlined' "--no-inline: without inlined functions"

# --- debug information elsewhere ---
"$PERF" script -F +srcline -i ours.data >want
ok "something is inlined" grep -q 'mix.h:4 (inlined)' want
cp prog whole
objcopy --only-keep-debug prog prog.debug
objcopy --strip-debug --add-gnu-debuglink=prog.debug prog
"$PERF" script -F +srcline -i ours.data >got
ok "stripped, with a debug file" cmp want got
mv prog.debug elsewhere
run "$PERF" script -F +srcline -i ours.data
like "$out" '^  prog\[[0-9a-f]+\]$' "stripped, without one: the address instead of the line"
unlike "$out" ' (mix|twice|sorted)\+' "stripped, without one: no inlined frames"
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
mkdir -p "server/buildid/$id"
mv elsewhere "server/buildid/$id/debuginfo"
export DEBUGINFOD_URLS=file://$place/server DEBUGINFOD_CACHE_PATH=$place/cache
"$PERF" script -F +srcline -i ours.data >got
ok "servers are not asked for it by themselves" grep -q '^  prog\[' got
"$PERF" script -F +srcline --debuginfod -i ours.data >got
ok "--debuginfod asks them" cmp want got
mv prog gone
run "$PERF" script -i ours.data
is "$rc" 0 "without the program: reads on"
unlike "$out" ' (main|compare|sorting)\+' "without the program: no guesses"
like "$out" '^[[:space:]]+[0-9a-f]+ \[unknown\] \(.*/prog\)$' "without the program: where the sample was"
mv whole prog

run "$PERF" script -F srcline -i ours.data
is "$rc" 255 "srcline without ip"
like "$err" 'sample IP is not' "srcline without ip: says so"

# --- frames on top ---
run "$PERF" record -o switches.data -e context-switches -c 1 -g sh -c 'sleep 0.01; sleep 0.01'
run "$PERF" script -F comm,ip,sym -i switches.data
like "$out" '^[[:space:]]+[0-9a-f]+ (__)?schedule$' "the scheduler is on top"
first=$("$PERF" script -F comm,ip,sym --skip-frames bpf,sched,lock -i switches.data | grep -A1 '^[^[:space:]]' | grep '^[[:space:]]')
ok "--skip-frames: there are stacks" test "$(wc -l <<<"$first")" -ge 2
unlike "$first" ' (__schedule|schedule|schedule_timeout)$' "--skip-frames: it is not"
run "$PERF" script --skip-frames bpf,locks -i switches.data
is "$rc" 129 "--skip-frames with an unknown kind"
like "$err" "'locks' is not a kind" "--skip-frames with an unknown kind: says so"

done_testing

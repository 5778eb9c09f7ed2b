#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf diff: what the distribution's perf prints of the same files, and what perf report says of each.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cat >work.c <<'C'
#include <stdlib.h>
volatile unsigned long sum;
#ifdef ANEW
__attribute__((noinline)) void inserted(void) { sum *= 3; sum ^= 7; sum -= 5; }
#endif
__attribute__((noinline)) void first(long n) { while (n--) sum += n * n; }
__attribute__((noinline)) void second(long n) { while (n--) sum ^= n * 3; }
__attribute__((noinline)) void third(long n) { while (n--) sum |= n; }
int main(int argc, char **argv)
{
	long n = 10000;
#ifdef ANEW
	inserted();
#endif
	first(n * atoi(argv[1]));
	second(n * atoi(argv[2]));
	third(n * atoi(argv[3]));
	return 0;
}
C
# Stock perf reads no symbols of files below /tmp/perf-*.
mkdir "$HOME/old" "$HOME/new"
ln -s "$HOME/old" "$HOME/new" .
if ! cc -O1 -g -o old/work work.c 2>cc.txt || ! cc -O1 -g -DANEW -o new/work work.c; then
	fail "the programs compile" "$(cat cc.txt)"
	done_testing
fi
# User space only: BPF programs that run by chance in the kernel are called otherwise by stock perf.
record() { "$PERF" record -q -e cpu-clock:u -c 100000 -o "$@" || exit 1; }
record 1.data -- old/work 2000 1000 0
record 2.data -- old/work 1000 1000 1000
record 3.data -- old/work 0 1000 1500
record new.data -- new/work 1000 1000 1000
"$PERF" record -q -e page-faults:u,minor-faults:u -c 1 -o faults1.data -- sh -c 'ls / >/dev/null; old/work 1 1 1'
"$PERF" record -q -e minor-faults:u,page-faults:u,cpu-clock:u -c 1 -o faults2.data -- sh -c 'ls -l / /usr >/dev/null; new/work 1 1 1'

# --- the same text as stock's ---

same() {
	run "$STOCK" diff "$@"
	printf '%s\n' "$out" >stock.txt
	run "$PERF" diff "$@"
	printf '%s\n' "$out" >ours.txt
	if [ "$rc" = 0 ] && grep -q '[0-9]' stock.txt && cmp -s stock.txt ours.txt; then
		pass "as stock perf: $*"
	else
		fail "as stock perf: $*" "status $rc; $(diff stock.txt ours.txt | head -6) $err"
	fi
}

# slice RANGE FILE...: this or another part of the time in which each file has samples of the program. Stock perf prints -nan% of files without; a busy machine leaves gaps.
slice()
{
	local range file first=$1

	shift
	for range in "$first" 30%/1 30%/3 50%-100%; do
		for file; do
			"$PERF" script -i "$file" -F ip --time "$range" --dsos work | grep -q . || continue 2
		done
		echo "$range"
		return
	done
	echo 0%-100%
}

if [ -n "$STOCK" ]; then
	same -d work 1.data 2.data
	same -d work 1.data 2.data 3.data
	same -d work,no-such 1.data new.data
	for compute in delta ratio wdiff:3,2; do
		same -d work -c $compute 1.data 2.data
		same -d work -c $compute -p -F -o 2 1.data 2.data 3.data
		same -d work -c $compute -p -F -t, 1.data 3.data 2.data
	done
	same -d work -b --percentage relative 1.data 3.data
	same -d work -b -p --percentage relative 3.data 2.data 1.data
	same -d work -o 0 2.data 3.data
	same -s comm,dso 1.data 2.data
	same -s pid 1.data 2.data
	same -s comm faults1.data faults2.data
	same -s comm,dso -p faults2.data faults1.data
	same -s comm -C work,ls --percentage relative faults1.data faults2.data
	same -s srcline -S first,second,third -d work 1.data 2.data # a sample in _start, which has no line, is called otherwise by stock perf
	same -S first,second 1.data 2.data
	same -S first --percentage relative 1.data 2.data
	same -d work --time "$(slice 30%/2 1.data 2.data)" 1.data 2.data
	same -d work --time "$(slice 0%-50% 1.data 3.data)" 1.data 3.data
	same -q -d work 1.data 2.data
else
	skip 1 "no stock perf on PATH (package linux-perf)"
fi

# --- the shares are report's ---

# shares FILE: "PERCENT FUNCTION" of the program
shares() { "$PERF" report -q --stdio -i "$1" -s dso,sym -t';' | sed -nE 's/^ *([0-9.]+)%? *;work *;\[\.\] (.*)/\1 \2/p' | sed 's/ *$//' | sort -k2; }
join -1 2 -2 2 -a 1 -a 2 -e 0 -o 0,1.1,2.1 <(shares 1.data) <(shares 2.data) | sort >by-hand.txt
"$PERF" diff -q -t';' 1.data 2.data | sed -nE 's/^ *([0-9.]*) *;([+-]?[0-9.]*)%? *;work *;\[\.\] *(.*)/\3;\1;\2/p' | sort >got.txt
like "$(cat by-hand.txt)" '^third 0 [1-9]' "a function that only the second recording has"
wrong=$(join <(tr ';' ' ' <got.txt | awk '{ print $1 }') by-hand.txt | wc -l)
ok "all functions are there" test "$wrong" = "$(wc -l <by-hand.txt)" -a "$wrong" -ge 3
is "$(awk -F'[; ]' 'NR == FNR { base[$1] = $2; file[$1] = $3; next }
	{ d = file[$1] - base[$1]; if ($2 != "" && ($2 - base[$1])^2 > 1e-9 || $3 != "" && ($3 - d)^2 > 4e-4) print }' by-hand.txt got.txt)" "" \
	"baseline and delta are the shares that report shows, and their differences"

# --- files ---

run "$PERF" diff -q -d work -s sym 1.data new.data
is "$(awk '$1 ~ /%$/ && $2 ~ /%$/ { print $NF }' <<<"$out" | sort | grep -x 'first\|second' | tr '\n' ' ')" "first second " \
	"functions of a program that was built anew are found by their names"
cp 1.data perf.data.old
cp 2.data perf.data
is "$("$PERF" diff)" "$("$PERF" diff 1.data 2.data)" "without files: perf.data.old and perf.data"
is "$("$PERF" diff 3.data)" "$("$PERF" diff perf.data.old 3.data)" "a single one is compared with perf.data.old"
like "$("$PERF" diff -v 1.data 2.data)" '^#  \[0\] 1.data \(Baseline\)$' "-v lists them"
first=$("$PERF" script -i 1.data -F time | sed -n '1s/[ :]//gp')
run "$PERF" diff -d work --time "$first,:0%-100%" 1.data 2.data
is "$rc" 0 "--time with a range for each file"
run "$PERF" diff -d work -c delta -p -F --time "$first,$first:0,0.000001" 1.data 2.data
is "$rc $(grep -ci nan <<<"$out")" "0 0" "of a file without samples of that time all shares are 0"
run "$PERF" diff -d work -t';' -p -q --time "$first,$first" 1.data 2.data
is "$(awk -F';' '{ n += $2 } END { print n + 0 }' <<<"$out")" "$("$PERF" script -i 1.data -F time,period --time "$first,$first" --dsos work | awk '{ n += $2 } END { print n + 0 }')" \
	"and only samples of that time count"
like "$("$PERF" diff -D 1.data 2.data)" ' PERF_RECORD_SAMPLE' "-D dumps the records"
like "$("$PERF" diff -D 1.data 2.data)" '^# Baseline ' "before the rows"

# --- what is wrong ---

refused() {
	local status=$1 message=$2
	shift 2
	run "$PERF" diff "$@"
	is "$rc:$out" "$status:" "$*: refused"
	like "$err" "$message" "and why"
}
refused 129 'neither delta, delta-abs, ratio nor wdiff' -c nothing 1.data 2.data
refused 129 'needs the weights' -c wdiff 1.data 2.data
refused 129 'needs the weights' -c wdiff:0,1 1.data 2.data
refused 129 'only wdiff has weights' -c ratio:1,2 1.data 2.data
refused 129 'take stock perf' -c cycles 1.data 2.data
refused 129 'take stock perf' --stream 1.data 2.data
refused 129 'there is no such file: they are numbered from 0, the baseline, to 1' -o 2 1.data 2.data
refused 129 "Unknown --sort key" -s nothing 1.data 2.data
refused 255 'no-such.data' 1.data no-such.data
refused 129 'too many columns' -p -F {1,2,3}.data {1,2,3}.data {1,2,3}.data {1,2,3}.data
refused 129 'files are too many' {1..40}.data
head -c 5000 1.data >cut.data
run "$PERF" diff 1.data cut.data
is "$rc" 1 "a damaged recording is told by the status"
like "$out" '^# Baseline ' "after what could be read"
run sh -c '"$0" diff 1.data 2.data >/dev/full' "$PERF"
is "$rc:$err" "1:perf: cannot write to the standard output: No space left on device" "a full disk is told"
printf '[diff]\n\tcompute = ratio\n\torder = 0\n' >config
is "$(PERF_CONFIG=$PWD/config "$PERF" diff 1.data 2.data)" "$("$PERF" diff -c ratio -o 0 1.data 2.data)" "perfconfig sets -c and -o"

done_testing

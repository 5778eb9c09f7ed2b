#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Uprobes that BPF programs judge, count and record: the numbers of their records are made of registers and memory, at any offset; what BPF
# cannot make is refused with the reason.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >f.c <<'C'
#include <stdint.h>
struct pair { int32_t first; uint64_t second; };
__attribute__((noinline, noclone)) long f(unsigned int a, uint64_t b, const char *text, struct pair *p)
{
	__asm__ volatile("" : : "r"(text), "r"(p) : "memory");
	return b + a;
}
int main(void)
{
	for (int i = 0; i < 100; i++) {
		struct pair p = { -i, 7 };

		f(i, 1000 * i, i % 2 ? "odd" : "even", &p);
	}
	return 0;
}
C
"${CC:-cc}" -O1 -o f f.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
at=$(nm f | awk '$3 == "f" { print $1 }')
group=perf_test_$$
case $(uname -m) in
x86_64) a=%di b=%si text=%dx p=%cx ;;
*) a=%x0 b=%x1 text=%x2 p=%x3 ;;
esac

# shellcheck disable=SC2016 # for the inner shell
set_uprobes() {
	with_tracefs sh -c 'for line; do echo "$line" >>/sys/kernel/tracing/uprobe_events || exit; done' sh "$@" 2>/dev/null
}
remove() {
	for event in call back text part; do
		set_uprobes "-:$group/$event"
	done
}
trap 'remove; cleanup' EXIT
set_uprobes "p:$group/call $PWD/f:0x$at a=$a:u32 b=$b:u64 first=+0($p):s32 second=+8($p):u64 at=$p" \
	"r:$group/back $PWD/f:0x$at value=\$retval:u64" "p:$group/text $PWD/f:0x$at a=$a:u32 text=+0($text):string" \
	"p:$group/part $PWD/f:0x$at low=$a:b4@0/32" || skip_all "this kernel has no uprobes, or tracefs may not be written"

# kept EVENT FILTER WANT DESCRIPTION
kept() {
	run timeout 100 "$PERF" record -e "$group:$1" --filter "$2" -o k.data ./f
	is "$rc:$(samples k.data trace | wc -l)" "0:$3" "$4"
}
kept call 'a >= 90' 10 "the kernel judges by a field"
kept call 'a >= 90 && uid == 0' 10 "BPF judges by a field"
kept call 'b in {5000,99000} && uid == 0' 2 "BPF judges by a number that is not aligned"
kept call 'b in {5000,99000}' 2 "the kernel judges by a number that is not aligned"
kept call 'first < -95 && second == 7 && uid == 0' 4 "BPF judges by what memory has, with its sign"
kept back 'value == 1001 && uid == 0' 1 "BPF judges by what a function returns"

run timeout 100 "$PERF" record -g -e "$group:call" --filter 'a in {3,4} && uid == 0' -o bpf.data ./f
bpf=$("$PERF" script -i bpf.data -F comm,event,trace,sym 2>/dev/null)
run timeout 100 "$PERF" record -g -e "$group:call" --filter 'a in {3,4}' -o kernel.data ./f
addresses='s/\(?[0-9a-f]{8,}\)?|at=[^ ]*//g'
is "$(sed -E "$addresses" <<<"$bpf")" "$("$PERF" script -i kernel.data -F comm,event,trace,sym 2>/dev/null | sed -E "$addresses")" \
	"samples of BPF are those of the kernel"
like "$bpf" 'a=3 b=3000 first=-3 second=7' "and have all fields"

# histogram OPTIONS...
histogram() {
	run timeout 100 "$PERF" sample-bpf "$@" ./f
}
histogram -e "$group:call" --hist a:linear,50
is "$rc:$(grep -cE ' 50 +\|' <<<"$out")" 0:2 "a histogram of a field"
histogram -e "$group:call" --hist b:linear,50K
is "$rc:$(grep -cE ' 5[0-9] +\||4[0-9] +\|' <<<"$out")" 0:2 "a histogram of a number that is not aligned"
histogram -e "$group:call" --hist a:linear,50 --filter 'second == 8'
is "$rc" 0 "a histogram with a filter"
like "$err$out" '100 dropped|no sample' "drops what the filter does"
histogram --latency "$group:call,$group:back"
is "$rc:$(awk -F'|' 'NF > 2 { split($1, n, " "); sum += n[length(n)] } END { print sum + 0 }' <<<"$out")" 0:100 "times from a call to its return"
run timeout 100 "$PERF" sample-bpf -e "$group:call" --filter 'a < 10' -o c.data ./f
is "$rc:$(counted | cut -d' ' -f1)" 0:10 "hits are counted"

run timeout 100 "$PERF" record -e "$group:call" --filter 'a > 5 && uid == 0' --dry-run -v ./f
like "$out" '^engine: a BPF program on the uprobe, 2 entries$' "a dry run says who judges"

# --- what BPF cannot do ---

kept text 'text == "odd"' 50 "the kernel judges by a string"
run "$PERF" record -e "$group:text" --filter 'text == "odd" && uid == 0' -o x.data ./f
is "$rc" 129 "a string with a term that needs BPF"
like "$err" 'it has a string, which only the kernel puts into records' "says why"
histogram -e "$group:text" --hist a --filter 'text == "odd"'
is "$rc" 129 "a histogram with a filter of a string"
like "$err" 'asks for a string of a uprobe' "says why not"
histogram -e "$group:text" --hist a:linear,50
is "$rc" 0 "a histogram of a number beside a string"
histogram -e "$group:text" --hist text
is "$rc" 129 "a histogram of a string"
like "$err" "'text' is no number here" "says so"
histogram -e "$group:part" --hist low
is "$rc" 255 "a histogram of some bits of a register"
like "$err" 'a part of a number' "says why that cannot be"
histogram -e "$group:call" --hist secnd
is "$rc" 129 "a misspelt field"
like "$err" "did you mean 'second'" "names the one that is meant"
# Attaching and detaching programs takes long: of a process that runs, all events begin and end at one time. A turn is short beside that.
cat >turns.c <<'C'
#include <unistd.h>
__attribute__((noinline, noclone)) int inner(int a)
{
	__asm__ volatile("" : : "r"(a) : "memory");
	return a + 1;
}
__attribute__((noinline, noclone)) int outer(int a)
{
	return inner(a) + 1;
}
int main(void)
{
	for (int i = 0;; i = outer(i))
		usleep(1000);
}
C
"${CC:-cc}" -O1 -o turns turns.c
spawn ./turns
events=uprobe:./turns:outer,uprobe:./turns:inner,uretprobe:./turns:inner
# apart: by how much they differ
apart() { sort -n | awk 'NR == 1 { least = $1 } { most = $1 } END { print NR, (most - least < 3), (least > 10) }'; }
run "$PERF" stat -x , -o turns.csv -e $events -p "$spawned_pid" sleep 0.3
is "$(awk -F , '/probe/ { print $1 }' turns.csv | apart)" "3 1 1" "stat counts all of them as long"
run "$PERF" record -q -e $events -o turns.data -p "$spawned_pid" sleep 0.3
is "$("$PERF" script -i turns.data -F event | sort | uniq -c | apart)" "3 1 1" "so does record"
run "$PERF" ftrace latency -T ./turns:inner -p "$spawned_pid" sleep 0.3
is "$(sed -nE 's/.*[^0-9]([0-9]+) ends had no start.*/\1/p' <<<"$out$err" | awk '$1 > 1')" "" "a latency has no ends without starts"
like "$out" 'count: +[0-9]{2,}' "but some with them"

done_testing

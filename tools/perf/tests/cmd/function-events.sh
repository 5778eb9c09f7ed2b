#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events on functions that perf makes itself, uprobe:, uretprobe:, sdt: and kprobe: in -e: their arguments by debug information and by registers,
# filters, counts, times of nested calls, whom they see, what is wrong with them, and that nothing is left behind.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -d /sys/bus/event_source/devices/uprobe ] || skip_all "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)"

cat >f.c <<'C'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
struct pair { int a; long b; };
volatile long sink;
__attribute__((noinline, noclone)) long work(uint64_t n, int kind, const char *text, struct pair *p, double ratio)
{
	__asm__ volatile("" : : "r"(text), "r"(p), "r"(kind), "x"(ratio) : "memory");
	return kind < 0 ? -1 : (long)n * 2;
}
__attribute__((noinline, noclone)) long factorial(long n)
{
	long r = n;

	if (n <= 1)
		return 1;
	r *= factorial(n - 1);
	__asm__ volatile("" : "+r"(r));
	return r;
}
__attribute__((noinline, noclone)) void marked(int value)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n"
			 ".asciz \"shop\"\n.asciz \"sale\"\n.asciz \"" SDT_ARGUMENTS "\"\n994: .balign 4\n.popsection\n" : : SDT_OPERAND(value));
}
static void calls(int nr)
{
	static const char even[] = "even", odd[] = "odd";
	struct pair p = { 1, 2 };

	sink = even[0] + odd[0]; /* their page is there */
	for (int i = 0; i < nr; i++)
		work(i, i % 10 - 5, i % 2 ? odd : even, &p, 0.5);
}
int main(int argc, char **argv)
{
	const char *what = argv[1];

	if (!strcmp(what, "calls"))
		calls(atoi(argv[2]));
	if (!strcmp(what, "nested"))
		sink = factorial(5);
	for (int i = 0; !strcmp(what, "marks") && i < 10; i++)
		marked(i - 3);
	for (int i = 0; !strcmp(what, "forks") && i < 3; i++) {
		if (!fork()) {
			calls(10);
			_exit(0);
		}
		wait(NULL);
	}
	if (!strcmp(what, "waits")) { /* a line for each order to call */
		while (getchar() != EOF) {
			calls(10);
			puts("done");
			fflush(stdout);
		}
	}
	if (!strcmp(what, "later")) {
		void *lib = dlopen("./later.so", RTLD_NOW);
		int (*f)(int) = lib ? (int (*)(int))dlsym(lib, "later") : NULL;

		for (int i = 0; f && i < 7; i++)
			f(i);
	}
	return 0;
}
C
cat >later.c <<'C'
int later(int n) { return n + 1; }
C
case $(uname -m) in
x86_64) second=2 sdt=(-DSDT_ARGUMENTS='"-4@%%edi"' '-DSDT_OPERAND(v)="D"(v)') ;;
*) second=4 sdt=(-DSDT_ARGUMENTS='"-4@w0"' '-DSDT_OPERAND(v)="r"(v)') ;;
esac
cc=${CC:-cc}
$cc -O2 -g "${sdt[@]}" -o f f.c -ldl 2>cc.txt && $cc -O0 -g "${sdt[@]}" -o slow f.c -ldl && $cc -O2 "${sdt[@]}" -o plain f.c -ldl &&
	$cc -shared -fPIC -O1 -g -o later.so later.c || skip_all "needs a C compiler: $(head -1 cc.txt)"

# kept EVENT FILTER WANT DESCRIPTION PROGRAM...
kept() {
	run timeout 100 "$PERF" record -e "$1" --filter "$2" -o k.data "${@:5}"
	is "$rc:$(samples k.data trace | wc -l)" "0:$3" "$4"
}
text() { "$PERF" script -i "$1" -F event,trace 2>/dev/null; }

# --- arguments ---

run timeout 100 "$PERF" record -g -e uprobe:./f:work -o f.data ./f calls 20
is "$rc" 0 "records a function"
is "$(text f.data | grep -cE '^ *uprobe:work: \([0-9a-f]+\) n=[0-9]+ kind=-?[0-9]+ text=0x[0-9a-f]+ p=0x[0-9a-f]+$')" 20 "with its arguments by name"
like "$(text f.data | sed -n 4p)" 'n=3 kind=-2 ' "and their values"
is "$("$PERF" script -i f.data -F ip,sym 2>/dev/null | grep -c '^[[:space:]]*[0-9a-f]* work$')" 20 "stacks begin at the hit"
run timeout 100 "$PERF" record -e uprobe:./slow:work -o s.data ./slow calls 20
like "$(text s.data | sed -n 4p)" 'n=3 kind=-2 ' "arguments of code without optimisation"
run timeout 100 "$PERF" record -e uprobe:./plain:work -o p.data ./plain calls 20
like "$(text p.data | sed -n 4p)" 'arg1=0x3 arg2=0xfffffffe ' "registers where there is no debug information"
run timeout 100 "$PERF" record -e uretprobe:./f:work -o r.data ./f calls 20
like "$(text r.data | sed -n 10p)" '<- [0-9a-f]+\) retval=18$' "a return has its value"
like "$(text r.data | sed -n 4p)" 'retval=-1$' "with its sign"
if [ -n "$STOCK" ]; then
	is "$("$STOCK" script -i f.data -F event,trace 2>/dev/null | tr -d ' ')" "$(text f.data | tr -d ' ')" "stock perf reads the file"
fi

# --- filters ---

kept uprobe:./f:work 'arg1 > 94 && comm == "f"' 5 "a filter of an argument's number and a term" ./f calls 100
kept uprobe:./plain:work 'arg1 > 94 && comm == "plain" && pid != 1' 5 "the same without debug information" ./plain calls 100
kept uprobe:./f:work 'n > 94 && comm == "x"' 0 "a term that never is" ./f calls 100
kept uprobe:./f:work 'kind == -3 || n in {1,5}' 12 "a filter of names, with signs" ./f calls 100
kept uprobe:./f:work 'text == "odd" && n < 10' 5 "a filter of a text that an argument points to" ./f calls 100
kept uretprobe:./f:work 'retval == -1' 50 "a filter of what is returned" ./f calls 100
kept uprobe:./f:work+$second 'uid == 0' 100 "a place in a function" ./f calls 100
run "$PERF" record -e uprobe:./f:work --filter 'knd == 3' true
is "$rc" 129 "a misspelt argument"
like "$err" "'knd'.*(did you mean 'kind'|n kind text p)" "names those that there are"

# --- counts ---

run timeout 100 "$PERF" sample-bpf -e uprobe:./f:work --hist kind:linear,1 ./f calls 1000
is "$rc:$(grep -cE '^ +-?[0-9]+ +100 +\|' <<<"$out")" 0:10 "counts by argument"
run timeout 100 "$PERF" sample-bpf -e uprobe:./f:work --filter 'n >= 10' -o c.data ./f calls 1000
is "$rc:$(counted | cut -d' ' -f1)" 0:990 "hits are counted"
run timeout 100 "$PERF" stat -x, -e uprobe:./f:work,uretprobe:./f:work --filter 'comm == "f"' ./f calls 1000
is "$rc:$(grep -c '^1000,,u' <<<"$err")" 0:2 "perf stat counts calls and returns"
run timeout 100 "$PERF" stat -x, -e uprobe:./f:work --filter 'n % 2 == 1' ./f calls 10
is "$rc" 129 "a wrong filter in perf stat"
run timeout 100 "$PERF" stat -x, -e uprobe:./f:work ./f forks
like "$err" '^30,,uprobe:work' "perf stat counts children"
run "$PERF" stat --per-thread -e uprobe:./f:work ./f calls 1
is "$rc" 129 "it does not tell threads apart"
run timeout 100 "$PERF" sample-bpf --latency uprobe:./f:factorial,uretprobe:./f:factorial ./f nested
like "$out" ' 5 values,' "each of nested calls has its time"
unlike "$err" 'no (end|start)' "none of them is lost"
run timeout 100 "$PERF" sample-bpf --latency uprobe:./f:factorial,uretprobe:./f:factorial:tid ./f nested
like "$out" ' 1 values?,' "by thread alone only the inner one has"

# The hits lie between what the function measures inside and what its caller measures around it, however busy the machine is.
cat >timed.c <<'C'
#include <stdio.h>
#include <time.h>
static long long inside, around;
static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}
__attribute__((noinline, noclone)) void timed(int us)
{
	const long long begin = now();
	struct timespec t = { 0, us * 1000L };

	nanosleep(&t, NULL);
	inside += now() - begin;
	__asm__ volatile("" : : : "memory");
}
int main(void)
{
	for (int i = 0; i < 300; i++) {
		const long long begin = now();

		timed(i % 3 * 1000);
		around += now() - begin;
	}
	printf("measured %lld %lld\n", inside, around);
	return 0;
}
C
$cc -O2 -o timed timed.c
run timeout 100 "$PERF" sample-bpf --latency uprobe:./timed:timed,uretprobe:./timed:timed ./timed
read -r _ inside around <<<"$(grep '^measured ' <<<"$out")"
total=$(sed -n 's/.* 300 values, total \([0-9]*\) ns.*/\1/p' <<<"$out")
ok "times of 300 calls ($total ns) lie between those inside ($inside) and around ($around)" \
	test "$inside" -le "${total:-0}" -a "${total:-0}" -le "$around"

# --- whom it sees ---

run timeout 100 "$PERF" record -e uprobe:./f:work -o k.data ./f forks
is "$rc:$(samples k.data trace | wc -l)" 0:30 "children"
run timeout 100 "$PERF" record -e uprobe:./f:work -o k.data -- ./plain calls 10
is "$rc:$(samples k.data trace | wc -l)" 0:0 "no other program"
run timeout 100 "$PERF" record -a -e uprobe:./f:work -o k.data -- sh -c './f calls 10'
is "$rc:$(samples k.data trace | wc -l)" 0:10 "all tasks"
run timeout 100 "$PERF" record -e uprobe:./later.so:later -o k.data ./f later
is "$rc:$(samples k.data trace | wc -l)" 0:7 "a library that is loaded later"
like "$(text k.data | tail -1)" 'uprobe:later: .* n=6$' "with its argument"

mkfifo orders control ack
exec 8<>orders
spawn sh -c 'exec ./f waits <orders' >answers
waiting=$spawned_pid
wait_for 60 grep -q "$PWD/f" "/proc/$waiting/maps"
byte() { dd if="/proc/$waiting/mem" bs=1 skip="$1" count=1 status=none | od -An -tx1; }
base=$((16#$(awk -v f="$PWD/f" '$6 == f { split($1, a, "-"); print a[1]; exit }' "/proc/$waiting/maps")))
place=$((base + 16#$(nm f | awk '$3 == "work" { print $1 }')))
before=$(byte $place)
exec 9<>control 7<>ack
spawn "$PERF" record -p "$waiting" -e uprobe:./f:work -D -1 --control fd:9,7 -o k.data 2>waiting.txt
perf=$spawned_pid
echo enable >&9
read -r -t 60 answer <&7
is "$answer" ack "a process that runs"
printf x >&8
wait_for 60 grep -q 'done' answers
kill -INT "$perf"
wait "$perf"
is "$(samples k.data trace | wc -l)" 10 "has its hits"

# --- marks ---

run timeout 100 "$PERF" record -e sdt:./f:shop:sale --filter 'arg1 >= 0' -o k.data ./f marks
is "$rc:$(text k.data | grep -c 'sdt_shop:sale: ([0-9a-f]*) arg1=[0-6]$')" 0:7 "a mark of its author"
run "$PERF" record -e sdt:./f:shop:sal true
like "$err" "no mark 'shop:sal'; did you mean 'sale'" "a misspelt mark"
run "$PERF" record -e sdt:./later.so:a:b true
like "$err" "has no marks" "a file without marks"

# A mark at three places: its arguments are in other registers at each, in memory, in variables, of other sizes, or constants.
if [ "$(uname -m)" = x86_64 ]; then
	cat >places.c <<'C'
#define MARK(arguments, ...) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n" \
			 ".asciz \"shop\"\n.asciz \"sale\"\n.asciz \"" arguments "\"\n994: .balign 4\n.popsection\n" : : __VA_ARGS__)
int stock = 5;
static struct { int a, b; } shelf = { 11, 22 };
__attribute__((noinline, noclone)) void first(int n, const char *who) { MARK("-4@%%edi 8@%%rsi 4@$7 -4@stock(%%rip) 1@%%dl 8@%%rsi", "D"(n), "S"(who), "d"(300), "m"(stock)); }
__attribute__((noinline, noclone)) void second(int n, const char *who) { MARK("-4@%%eax 8@%%rbx 4@$8 -4@shelf+4(%%rip) 1@%%cl 8@%%rbx", "a"(n), "b"(who), "c"(300), "m"(shelf)); }
__attribute__((noinline, noclone)) void third(int n, const char *who) { volatile long kept[4] = { n, (long)who }; MARK("-2@(%%rcx) 8@8(%%rcx) -1@$-9 -4@4+shelf(%%rip) 1@$3 8@(%%rcx,%%rcx,8)", "c"(kept), "m"(shelf)); }
int main(int argc, char **argv)
{
	for (int i = 0; i < 4; i++) { first(i - 2, "one"); second(i + 100, "two"); third(-1000 - i, "three"); shelf.b++; stock--; }
	return 0;
}
C
	$cc -O2 -g -o places places.c
	run timeout 100 "$PERF" record -q -e sdt:./places:shop:sale -o k.data ./places
	is "$rc:$(text k.data | sed 's/.*) arg1/arg1/; s/arg2=[0-9]*/arg2/')" "0:$(for i in 0 1 2 3; do
		echo "arg1=$((i - 2)) arg2 arg3=7 arg4=$((5 - i)) arg5=44"
		echo "arg1=$((i + 100)) arg2 arg3=8 arg4=$((22 + i)) arg5=44"
		echo "arg1=$((-1000 - i)) arg2 arg3=-9 arg4=$((22 + i)) arg5=3"
	done)" "a mark at several places has its arguments at each, but for one that cannot be read at one of them"
	kept sdt:./places:shop:sale 'arg1 < 0 && arg4 > 10' 4 "a filter reads them at each place" ./places
	kept sdt:./places:shop:sale 'arg3 == -9 || arg5 == 44' 12 "also constants and parts of registers" ./places
	run "$PERF" sample-bpf --hist=arg4 -e sdt:./places:shop:sale -- ./places
	like "$out" '12 values, total 202, min 2, max 25,' "and so does a histogram"
	strip -o bare places
	run timeout 100 "$PERF" record -q -e sdt:./bare:shop:sale -o k.data ./bare
	is "$rc:$(text k.data | grep -c 'arg3=-*[0-9]* arg5=')" 0:12 "a variable without a symbol is left out, as it could not be read at all places"
fi

# --- a file with many functions: names like the wanted one are looked for only if there is none ---

awk 'BEGIN { print ".text"; for (i = 0; i < 300000; i++) printf "some_function_%06d:\n\tret\n", i }' >many.s
"${CC:-cc}" -shared -nostdlib -o many.so many.s
TIMEFORMAT=%U
# CPU time in ms
used() {
	local time
	time=$({ time timeout 100 "$PERF" record -o many.data -e "uprobe:./many.so:$1" true >many.txt 2>&1; } 2>&1)
	echo $((10#${time/./}))
}
there=$(used some_function_150000)
like "$(cat many.txt)" 'Captured and wrote' "one of many functions"
missing=$(used some_funktion_150000)
like "$(cat many.txt)" "did you mean 'some_function_150000'" "a misspelt one of many"
ok "a name that is there is found in less than half the time ($there, $missing ms)" test $((2 * there)) -lt "$missing"

# --- the kernel ---

if [ -d /sys/bus/event_source/devices/kprobe ]; then
	run timeout 100 "$PERF" stat -x, -e kprobe:vfs_read -- cat f.c
	like "$err" '^[1-9][0-9]*,,kprobe:vfs_read' "a function of the kernel"
else
	run "$PERF" record -e kprobe:vfs_read true
	is "$rc" 129 "a kernel without kprobes"
	like "$err" 'this kernel has no kprobes.*uprobe:PATH:FUNCTION' "says so, and what works"
	run "$PERF" record -e kprobe:__x64_sys_openat true
	like "$err" 'take the tracepoint syscalls:sys_enter_openat' "offers the tracepoint of a system call"
	run "$PERF" record -e kretprobe:kmem_cache_alloc true
	like "$err" 'take the tracepoint kmem:kmem_cache_alloc' "and one with the same name"
fi

# --- wrong ones ---

wrong=0
while read -r event; do
	run timeout 20 "$PERF" record -o x.data -e "$event" true
	if [ "$rc" != 129 ] || [ "$(grep -c '^event: ' <<<"$err")" != 1 ]; then
		note "$event: $rc $err"
		wrong=$((wrong + 1))
	fi
done < <(
	printf '%s\n' uprobe: uprobe:: uprobe:x uprobe:/ uprobe:/: uprobe:./f uprobe:./f: uprobe:./f:nosuch uprobe:./f:work+ uprobe:./f:work+x \
		uprobe:./f:work+-1 uprobe:./f:work+0x uprobe:./f:work+99999 uprobe:./f:work+18446744073709551616 uprobe:./f:+4 uprobe:./f:0x \
		uprobe:./f:0xfffffffffffffff0 uprobe:./f:0x10 uprobe:./f.c:work uprobe:.:work uprobe:/dev/null:work uprobe:nosuchprogram:f \
		uprobe:./f:work:u uretprobe:./f:work+4 sdt: sdt:./f sdt:./f:shop sdt:./f:shop: sdt::: sdt:./f::sale kprobe: kretprobe: kprobe:+1 \
		kretprobe:vfs_read+1 kprobe:no_such_function_at_all uprobe:./f:sink
	awk 'BEGIN { srand(7); split("uprobe: uretprobe: sdt: ./f work shop sale : + 0x 4 / , { } @ \" = -1 nosuch", part, " ")
		for (i = 0; i < 250; i++) {
			line = part[1 + int(rand() * 3)]
			for (n = 1 + int(rand() * 5); n; n--)
				line = line part[1 + int(rand() * 20)]
			print line "?"
		} }'
)
is "$wrong" 0 "286 wrong events: each has one message"

# --- nothing is left ---

at_work() { [ "$(byte $place)" != "$before" ]; }
clean() { [ "$(byte $place)" = "$before" ]; }
for signal in KILL TERM; do
	spawn "$PERF" record -p "$waiting" -e uprobe:./f:work,uretprobe:./f:work -o x.data 2>/dev/null
	perf=$spawned_pid
	wait_for 60 at_work
	kill -$signal "$perf"
	wait "$perf" 2>/dev/null
	ok "after SIG$signal the program has its own code again" wait_for 60 clean
done
printf x >&8
called_twice() { [ "$(grep -c 'done' answers)" = 2 ]; }
ok "and goes on" wait_for 60 called_twice
chmod 755 . && run setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps +perfmon,+bpf --ambient-caps +perfmon,+bpf \
	"$PERF" record -e "uprobe:$PWD/f:work" -o /dev/null true
is "$rc:$(grep -c 'cannot set a uprobe in .*: that takes CAP_SYS_ADMIN$' <<<"$err")" 255:1 "the privilege that setting one takes is named"
# --- return probes in Go programs, which end these ---

# The section is what tells Go's programs; a C program with it is refused as well, and survives.
printf x >note
objcopy --add-section .note.go.buildid=note f goish 2>/dev/null || cp f goish
if readelf -S goish | grep -q note.go.buildid; then
	for how in "record -o x.data -e" "stat -e" "sample-bpf -o x.data -e"; do
		# shellcheck disable=SC2086 # words
		run "$PERF" $how uretprobe:./goish:work ./goish calls 1
		is "$rc" 129 "$how uretprobe: of a Go program is refused"
		like "$err" 'goish is a Go program.*unexpected return pc' "with the reason"
		like "$err" 'uretprobe-force:' "and what forces it"
	done
	run "$PERF" record -o x.data -e uprobe:./goish:work ./goish calls 20
	is "$rc" 0 "a probe on the call is not refused"
	run "$PERF" ftrace latency -T ./goish:work -- ./goish calls 20
	is "$rc" 255 "perf ftrace latency refuses it, too"
	like "$err" '[-]-force' "and names its option"
	run timeout 100 "$PERF" ftrace latency --force -T ./goish:work -- ./goish calls 20
	like "$out" 'count: +20$' "--force measures it"
	run timeout 100 "$PERF" stat -x, -e uretprobe-force:./goish:work ./goish calls 20
	like "$err" '^20,,uretprobe:work' "uretprobe-force: counts it"
	run "$PERF" probe -n -x ./goish -a work%return
	is "$rc" 255 "perf probe refuses it"
	like "$err" 'goish is a Go program.* -f ' "and names -f"
	run "$PERF" probe -n -f -x ./goish -a work%return
	is "$rc" 0 "with -f it adds the event"
else
	skip 17 "needs objcopy"
fi

done_testing

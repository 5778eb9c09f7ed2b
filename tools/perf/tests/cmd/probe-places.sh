#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The place of an event on a function is the one that the user means: no address inside an instruction, which would end the program; no
# file that has got the path meanwhile; no file that a container has at the same path. Marks say which arguments are missing, and why.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
cc=${CC:-cc}
group=pl$$
probe() { run timeout 100 "$PERF" probe "$@"; }
stat_event() { run timeout 100 "$PERF" stat -x , -e "$@"; }
may_add=$([ -w /sys/kernel/tracing/uprobe_events ] && echo yes)
trap '"$PERF" probe -q -d "$group:*" -d "r1e$$:*" 2>/dev/null; cleanup' EXIT

cat >p.c <<'C'
__attribute__((noinline)) int work(int n, int m) { __asm__ volatile("" : "+r"(n), "+r"(m)); return n * 3 + m; }
__attribute__((noinline)) long target(int one, const char *two) { __asm__ volatile("" : "+r"(one) : "r"(two)); return one; }
int main(int argc, char **argv) { return work(argc, 2) + target(argc, argv[0]) == 99; }
C
$cc -O1 -g -o p p.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
cp p stripped
strip stripped
work=$(nm p | awk '$3 == "work" { print "0x" $1 }')
at() { printf '0x%x' $((work + $1)); }

# --- inside an instruction ---

stat_event "uprobe:./p:$work" ./p
is "$rc:${err%%,*}" 0:1 "the address of a function"
if [ "$(uname -m)" = x86_64 ] && "$PERF" check feature -q libcapstone; then
	for file in p stripped; do
		stat_event "uprobe:./$file:$(at 1)" ./$file
		is "$rc:$(grep -cE "$(at 1) is inside an instruction of .*/$file: take $(at 0) or 0x" <<<"$err")" 129:1 "$file: inside its first instruction"
	done
	stat_event "uprobe:./p:$(at 0)+1" ./p
	is "$rc:$(grep -c 'is inside an instruction' <<<"$err")" 129:1 "an address with an offset"
	run timeout 100 "$PERF" record -e "uretprobe:./p:$(at 1)" -o x.data ./p
	is "$rc:$(grep -c 'is inside an instruction' <<<"$err")" 129:1 "the return"
	probe -x ./p -D "mid=$(at 1)"
	is "$rc:$(grep -c 'is inside an instruction' <<<"$err")" 255:1 "perf probe"
	probe -x ./stripped -D "mid=$(at 1)"
	is "$rc:$(grep -c 'is inside an instruction' <<<"$err")" 255:1 "perf probe without symbols"
	second=$(sed -n 's/.* or \(0x[0-9a-f]*\)$/\1/p' <<<"$err")
	stat_event "uprobe:./p:$second" ./p
	is "$rc:${err%%,*}" 0:1 "the instruction behind it"
	stat_event "uretprobe:./p:$second" ./p
	is "$rc:$(grep -c "is inside a function of .*: a return is probed at its begin, $(at 0)" <<<"$err")" 129:1 "a return is one of a function's begin"
else
	skip 9 "needs x86-64 and a disassembler"
fi

# --- a path that gets another file ---

cat >one.c <<'C'
__attribute__((noinline)) int work(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int main(void) { for (int i = 0; i < 5; i++) work(i); return 0; }
C
{ echo 'int pad(int a) { return a * 3 + 55555; } __attribute__((noinline)) int other(int n) { __asm__ volatile("" : "+r"(n)); return n * 77777; }'
	sed 's/work(i)/work(other(i))/' one.c; } >two.c
$cc -O1 -g -o one one.c && $cc -O1 -g -o two two.c
spawn sh -c 'while :; do ln -f one link; mv -f link prog; ln -f two link; mv -f link prog; done' 2>/dev/null
swapper=$spawned_pid
wait_for 60 test -e prog
wrong=0 right=0
for ((i = 0; i < 25; i++)); do
	stat_event uprobe:./prog:work sh -c './one; ./two'
	[ "$rc" = 129 ] && continue
	if [[ $err == 5,* ]]; then right=$((right + 1)); else wrong=$((wrong + 1)); fi
done
is "$wrong:$((right > 0))" 0:1 "an event is in the file that was read, whatever has its path then"
if [ "$may_add" ]; then
	wrong=0 left=0
	for ((i = 0; i < 25; i++)); do
		probe -q -x ./prog -a "$group:w=work"
		if [ "$rc" != 0 ]; then
			left=$((left + $(grep -c ":$group/w " /sys/kernel/tracing/uprobe_events)))
			continue
		fi
		stat_event "$group:w" sh -c './one; ./two'
		[[ $err == 5,* ]] || wrong=$((wrong + 1))
		"$PERF" probe -q -d "$group:w"
	done
	is "$wrong:$left" 0:0 "perf probe adds no event to another file"
else
	skip 1 "needs tracefs"
fi
kill "$swapper" 2>/dev/null

# --- containers ---

mkdir there
cat >loop.c <<'C'
#include <unistd.h>
__attribute__((noinline)) int work(int n) { __asm__ volatile("" : "+r"(n)); return n; }
int main(void) { for (;;) { work(3); usleep(1000); } }
C
$cc -O1 -g -o there/prog loop.c && $cc -O1 -g -DOTHER -o other loop.c
if unshare --mount true 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	spawn unshare --mount sh -c 'mount -t tmpfs none there && cp other there/prog && exec "$PWD/there/prog"'
	inside=$spawned_pid
	runs() { [ "$(cat "/proc/$inside/comm" 2>/dev/null)" = prog ]; }
	wait_for 60 runs
	why="$PWD/there/prog of process $inside, which sees other files than perf (as in a container or a chroot), is another file than ours: write /proc/$inside/root$PWD/there/prog"
	for command in "stat -e" "record -o c.data -e" "sample-bpf -e"; do
		# shellcheck disable=SC2086 # words
		run timeout 100 "$PERF" $command "uprobe:$PWD/there/prog:work" -p "$inside" -- true
		is "$rc:$(grep -cF "$why" <<<"$err")" 255:1 "$command: our file is not the one of the container's process"
	done
	run timeout 100 "$PERF" ftrace latency -T "$PWD/there/prog:work" -p "$inside" -- true
	is "$rc:$(grep -cF "$why" <<<"$err")" 255:1 "ftrace latency"
	stat_event "uprobe:/proc/$inside/root$PWD/there/prog:work" -p "$inside" -- sleep 0.3
	is "$rc:$((${err%%,*} > 0))" 0:1 "its own one counts"
	stat_event "uprobe:$PWD/there/prog:work" -a -- true
	is "$rc" 0 "all processes may use ours"
else
	skip 6 "needs mount namespaces"
fi

# --- files that were replaced, and other roots ---

# refused NAME PATH PID INSTEAD: all commands refuse PATH for the process, and name the file to write, which counts
refused() {
	local command sums=
	for command in "stat -e" "record -o c.data -e" "ftrace latency -T"; do
		# shellcheck disable=SC2086 # words
		run timeout 100 "$PERF" $command "$([[ $command == ftrace* ]] || echo uprobe:)$2:work" -p "$3" -- true
		sums+=$rc:$(grep -c "write $4\$" <<<"$err"),
	done
	is "$sums" 255:1,255:1,255:1, "$1: it is not the file of the process"
	stat_event "uprobe:$(sed -n 's/.* write //p' <<<"$err"):work" -p "$3" -- sleep 0.3
	is "$rc:$((${err%%,*} > 0))" 0:1 "$1: the file that the message names counts"
}
replace() {
	cp "$1" fresh && mv fresh "$1"
}
# started PID NAME [FILE]: the program runs, and has mapped the file
started() {
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ] && grep -q "${3:-$2}" "/proc/$1/maps"
}
cat >lib.c <<'C'
__attribute__((noinline)) int work(int n) { __asm__ volatile("" : "+r"(n)); return n; }
C
cat >uses.c <<'C'
#include <unistd.h>
extern int work(int n);
int main(void) { for (;;) { work(3); usleep(1000); } }
C
$cc -O1 -g -o service loop.c && $cc -O1 -g -shared -fPIC -o libwork.so lib.c && $cc -O1 -g -o uses uses.c -L. -lwork
spawn ./service
service=$spawned_pid
wait_for 60 started "$service" service
stat_event "uprobe:$PWD/service:work" -p "$service" -- sleep 0.3
is "$rc:$((${err%%,*} > 0))" 0:1 "a process that maps the file counts"
stat_event "uprobe:$PWD/libwork.so:work" -p "$service" -- true
is "$rc:${err%%,*}" 0:0 "one that maps no file of the path may load it later"
replace service
refused "a program that was replaced" "$PWD/service" "$service" "/proc/$service/exe"
spawn env LD_LIBRARY_PATH="$PWD" ./uses
uses=$spawned_pid
wait_for 60 started "$uses" uses libwork
ln libwork.so hard.so
stat_event "uprobe:$PWD/hard.so:work" -p "$uses" -- sleep 0.3
is "$rc:$((${err%%,*} > 0))" 0:1 "another name of the mapped file counts"
replace libwork.so
refused "a library that was replaced" "$PWD/libwork.so" "$uses" "/proc/$uses/map_files/[0-9a-f]*-[0-9a-f]*"
mkdir -p jail/libs && cp libwork.so jail/libs && cp uses jail && for file in $(ldd uses | grep -o '/[^ ]*'); do cp --parents "$file" jail; done
if chroot jail /uses --help 2>&1 | grep -q libwork; then
	spawn env LD_LIBRARY_PATH=/libs chroot jail /uses
	jailed=$spawned_pid
	wait_for 60 started "$jailed" uses libwork
	refused "below another root, in another directory" "$PWD/libwork.so" "$jailed" "/proc/$jailed/root/libs/libwork.so"
else
	skip 2 "programs do not run below another root here"
fi

# --- arguments ---

cat >inl.c <<'C'
#include <stdio.h>
#define INLINE static inline __attribute__((always_inline))
INLINE int deep(int d, double dd) { printf("%d %f\n", d, dd); return d * 2 + (int)dd; }
INLINE int mid(int m, const char *ms) { return deep(m + 1, 2.5) + ms[0]; }
INLINE int mid2(int m, const char *ms) { { int z = m * 4; if (z > 3) return deep(z, m); return ms[0]; } }
__attribute__((noinline)) int outer(int a, const char *s) { return mid(a, s) + mid2(a, s); }
int main(int c, char **v) { return outer(c, v[0]) + mid(c, v[0]) + deep(c, 3) == 99; }
C
$cc -O2 -g -o inl inl.c
# shellcheck disable=SC2016 # of perf probe
{
	probe -x ./inl -D 'deep $params'
	is "$rc:$(grep -cE ' (m|ms|c|z)=' <<<"$out")" 0:0 '$params are those of the function only'
	probe -x ./inl -D 'deep:0 $vars'
	is "$rc:$(grep -cE ' (m|ms|c|z)=' <<<"$out")" 0:0 '$vars, too'
	probe -x ./inl -D 'deep dd'
	like "$err" "^ At 0x[0-9a-f]+ in [a-z]+, one of [0-9]+ places" "of several places the message names the one that lacks a variable"
	probe -x ./inl -D 'outer stuff'
	like "$err" "^outer has no variable 'stuff'$" "a variable that is not there has not been optimized out"
	probe -x ./p -D 'target ones'
	like "$err" "^target has no variable 'ones'; did you mean 'one'\?$" "a near name is named"
	probe -x ./p -D 'frame_dummy $params'
	like "$err" '^frame_dummy is in the symbol table, but the debug information of .* lacks it' "a function without debug information"
	probe -x ./p -D 'target a=$arg1 b=+0($arg2):string c=+0(-8($arg1)) d=\"$arg1"'
	case $(uname -m) in x86_64) a=%di b=%si ;; *) a=%x0 b=%x1 ;; esac
	like "$out" " a=$a b=\+0\($b\):string c=\+0\(-8\($a\)\) d=.\"\\\$arg1\"$" 'registers of $argN at any depth, and texts as they are'
	probe -x ./p -D 'target a=+0($arg99)'
	is "$rc:$(head -1 <<<"$err")" '255:$arg99 is in no register' "one that no register has"
}

# --- marks ---

case $(uname -m) in
x86_64) a='-4@%%edi' b='8@%%rsi' bad='-4@nosuch+4(%%rip) 8@%%zzz 8@(((( 8@99999999999999999999(%%rdi) 8@$99999999999999999999 8@%%r99' in1=D in2=S ;;
*) a='-4@w0' b='8@x1' bad='-4@nosuch 8@zzz 8@(((( 8@[x0,99999999999999999999] 8@99999999999999999999 8@q99' in1=r in2=r ;;
esac
cat >mark.c <<C
#include <stdio.h>
int seven = 7;
__attribute__((noinline)) void mark(int v, const char *s)
{
	register int first __asm__("$([ $in1 = D ] && echo edi || echo w0)") = v;
	register const char *second __asm__("$([ $in1 = D ] && echo rsi || echo x1)") = s;

	__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
		"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n.asciz \"g\"\n.asciz \"m\"\n.asciz \"$a $b $bad\"\n"
		"994: .balign 4\n.popsection\n" : : "$in1"(first), "$in2"(second));
}
int main(void) { puts("two"); putchar("one"[seven - 7]); mark(1, "one"); mark(2, "two"); mark(3, "two"); return 0; }
C
$cc -O1 -o mark mark.c
probe -x ./mark -D '%sdt_g:m'
is "$rc:$(grep -cE '^arg[3-8] of g:m is left out: perf does not know what .* is$' <<<"$err")" 0:6 "arguments that are left out are named"
for nr in 3 6 8; do
	stat_event sdt:./mark:g:m --filter "arg$nr == 1" ./mark
	is "$rc:$(grep -cE "'arg$nr' is missing: perf does not know what" <<<"$err")" 129:1 "a filter that asks for arg$nr says why it is not there"
done
run timeout 100 "$PERF" stat -v -e sdt:./mark:g:m ./mark
like "$err" 'arg3 of the mark is missing' "-v says so for events, too"
stat_event sdt:./mark:g:m --filter 'arg2 == "two" && arg1 > 2' ./mark
is "$rc:${err%%,*}" 0:1 "a filter compares the text that an argument points to"
stat_event sdt:./mark:g:m --filter 'arg2 ~ "o*"' ./mark
is "$rc:${err%%,*}" 0:1 "with a glob, too"
stat_event sdt:./mark:g:m --filter 'arg2 > 4096' ./mark
is "$rc:${err%%,*}" 0:3 "and its number with a number"

# --- files ---

head -c 4096 p >cut.elf
probe -x ./cut.elf -F
is "$rc:$out:$(grep -c 'is cut short: it has 4096 bytes' <<<"$err")" 255::1 "a file that was cut"
ln -s loop1 loop2
ln -s loop2 loop1
probe -x ./loop1 -F
like "$err" "'./loop1': Too many levels of symbolic links" "a loop of links"
mkfifo fifo
probe -x "/proc/$$/root$PWD/fifo" -F
like "$err" 'not a regular file' "a FIFO below a root"
probe -x '' -F
like "$err" 'the name is empty' "an empty name"
probe -x /bin/ls --target-ns 999999999 -F
like "$err" 'There is no process 999999999' "a process that is not there"
cp p $'q\e[31mr'
probe -x $'./q\e[31mr' -F
is "$rc:$(grep -cx work <<<"$out")" 0:1 "a name with control characters and brackets"
probe -x $'./q\e[31mr' -D work
is "$rc:$(grep -c $'\e' <<<"$err"):$(grep -c 'takes no path with' <<<"$err")" 255:0:1 "which messages do not print, and the kernel does not take"
stat_event $'uprobe:./q\e[31mr:nosuch' true
is "$rc:$(head -1 <<<"$err" | grep -c $'\e')" 129:0 "nor do those of events"
latin=$'caf\xe9'
mkdir $latin && cp there/prog $latin/service && cp p $latin/p
spawn ./$latin/service
wait_for 60 started "$spawned_pid" service
replace $latin/service
stat_event "uprobe:$PWD/$latin/service:work" -p "$spawned_pid" -- true
is "$rc:$(grep -c "write /proc/$spawned_pid/exe$" <<<"$err"):$(grep -ac $'\xe9' <<<"$err")" 255:1:0 "a path that is not UTF-8 is compared by its bytes"
probe -x ./$latin/p -D work
is "$rc:$(grep -ac "^p:probe_p/work .*/caf"$'\xe9'"/p:0x" <<<"$out")" 0:1 "which the kernel takes"
for space in $'\xa0' ' ' $'\xc2\x9b'; do
	cp p "p$space"
	probe -x "./p$space" -D work
	is "$rc:$(grep -c 'takes no path with' <<<"$err")" 255:1 "where its parser would end a path, it does not: $(printf %q "$space")"
done
if [ "$may_add" ]; then
	probe -x ./$latin/p -a "$group:latin=work"
	is "$rc:$(grep -ac 'caf?/p' <<<"$err$out"):$(grep -ac $'\xe9' <<<"$err$out")" 0:1:0 "the event that was added is shown in print"
	stat_event "$group:latin" ./$latin/p
	is "$rc:${err%%,*}" 0:1 "and counts"
else
	skip 2 "needs tracefs"
fi
spawn ./there/prog
wait_for 60 test -e "/proc/$spawned_pid/exe"
rm there/prog
probe -x "/proc/$spawned_pid/exe" -D work
like "$out" '^p:probe_prog/work ' "the group of a process's program has its name"

# --- groups ---

probe -x ./p -D mem:x=work
is "$rc:$(grep -c "'mem' is bad for a group name" <<<"$err")" 129:1 "a group that begins another kind of event"
for word in duration_time user_time system_time; do
	probe -x ./p -D "$word:w=work"
	is "$rc:$(grep -c "'$word' is bad for a group name" <<<"$err")" 129:1 "a group that is an event of perf stat: $word"
done
if [ "$may_add" ]; then
	probe -q -x ./p -a "r1e$$:ww=work" -a "r1e$$:u=main"
	stat_event "r1e$$:ww,r1e$$:u" ./p
	is "$rc:$(cut -d, -f1 <<<"$err" | tr '\n' ' ')" '0:1 1 ' "a group whose name is also a raw event"
	stat_event "r1e$$:*" ./p
	is "$rc:$(cut -d, -f1 <<<"$err" | tr '\n' ' ')" '0:1 1 ' "all events of that group"
else
	skip 2 "needs tracefs"
fi

# --- how many ---

{
	for ((i = 0; i < 17; i++)); do echo "__attribute__((noinline)) int f$i(int x) { __asm__ volatile(\"\" : \"+r\"(x)); return x; }"; done
	echo "__attribute__((noinline)) int deep(int n) { return n ? deep(n - 1) + n * 3 : 1; }"
	echo "int main(void) { volatile int x = deep(200); return (x$(printf ' + f%d(1)' {0..16})) == 1; }"
} >many.c
$cc -O1 -fno-optimize-sibling-calls -o many many.c
functions=$(printf ',uprobe:./many:f%d' {0..15})
run timeout 100 "$PERF" record -e "${functions#,},uprobe:./many:f16" -o m.data ./many
is "$rc:$(grep -c 'at most 16 functions go into one recording, 17 are given' <<<"$err")" 129:1 "17 functions in a recording"
run timeout 100 "$PERF" record -e "${functions#,},sched:sched_switch" -o m.data ./many
is "$rc:$("$PERF" script -i m.data -F event 2>/dev/null | grep -c 'uprobe:f')" 0:16 "16, and a tracepoint"
stat_event "${functions#,},uprobe:./many:f16" ./many
is "$rc:$(grep -c ^1, <<<"$err")" 0:17 "counting 17"
stat_event uprobe:./many:deep,uretprobe:./many:deep ./many
is "$rc:$(cut -d, -f1 <<<"$err" | tr '\n' ' ')" '0:201 64 ' "calls of a function by itself, and the returns that the kernel follows"
done_testing

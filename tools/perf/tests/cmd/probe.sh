#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf probe: events on functions, lines and variables of programs; lists; names; what is left behind after failures, kills and concurrent users.
# The values that events record are known from the program.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -w /sys/kernel/tracing/uprobe_events ] || { mount -t tracefs nodev /sys/kernel/tracing && mounted=yes; } 2>/dev/null
events=/sys/kernel/tracing/uprobe_events
[ -w $events ] || skip_all "this kernel has no uprobe_events"
group=t$$

remove_all() {
	"$PERF" probe -q -d "$group*:*" -d "sdt_$group:*" 2>/dev/null
	[ -z "${mounted-}" ] || umount /sys/kernel/tracing
}
trap 'remove_all; cleanup' EXIT

cat >t.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct in { int b; char name[16]; unsigned low : 3, bits : 5; };
struct out { struct in *in; struct in own; int arr[4]; struct out *next; const char *text; union { int u; float f; }; };
int global_count = 7;
static struct out keep;

__attribute__((noinline, noclone)) int work(struct out *o, int n, const char *who)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += o->arr[i % 4];
		sum += i;
	}
	__asm__ volatile("" : : "r"(who), "r"(o) : "memory");
	return sum;
}

static inline __attribute__((always_inline)) int twice(int v)
{
	__asm__ volatile("" : "+r"(v));
	return v * 2;
}

__attribute__((noinline, noclone)) double ratio(double d)
{
	__asm__ volatile("" : "+x"(d));
	return d * 2;
}

__attribute__((noinline, noclone)) void marked(int value)
{
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n"
			 ".asciz \"" GROUP "\"\n.asciz \"sale\"\n.asciz \"" SDT_ARGUMENTS "\"\n994: .balign 4\n.popsection\n" : : SDT_OPERAND(value));
}

int main(int argc, char **argv)
{
	struct in in = { .b = -3, .name = "inner", .low = 5, .bits = 19 };
	int r = 0;

	keep.in = &in;
	keep.own.b = 4;
	keep.text = "hello";
	keep.arr[1] = 11;
	keep.u = 55;
	for (int i = 0; i < atoi(argv[1]); i++)
		r += work(&keep, 3 + i % 2, argv[0]);
	r += twice(argc);
	r += ratio(r);
	marked(r);
	return 0;
}
C
case $(uname -m) in
x86_64) sdt=(-DSDT_ARGUMENTS='"-4@%%edi"' '-DSDT_OPERAND(v)="D"(v)') ;;
*) sdt=(-DSDT_ARGUMENTS='"-4@w0"' '-DSDT_OPERAND(v)="r"(v)') ;;
esac
sdt+=("-DGROUP=\"$group\"")
cc=${CC:-cc}
$cc -O2 -g "${sdt[@]}" -o fast t.c 2>cc.txt && $cc -O0 -g "${sdt[@]}" -o slow t.c && $cc -O2 "${sdt[@]}" -o plain t.c ||
	skip_all "needs a C compiler: $(head -1 cc.txt)"

probe() { run timeout 100 "$PERF" probe "$@"; }
mine() { grep -c ":$group/" $events; }
recorded() { "$PERF" script -i "$1" -F event,trace 2>/dev/null | sed 's/^ *//'; }

# --- values ---

members='a=o->in->b own=o->own.b o->in->name:string o->in->bits low=o->in->low:u8 el=o->arr[1] n who:string g=global_count text=keep.text:string o->u'
for program in fast slow; do
	probe -x ./$program -a "$group:work=work ${members/low=o->in->low:u8 /low=o->in->low }" -a "$group:work=work%return \$retval"
	is "$rc:$(mine)" 0:2 "$program: a function and its return get events"
	like "$err" '^Added new events:$' "$program: it says so"
	like "$err" "^  $group:work__return   *\(on work%return in .*/$program with \\\$retval\)\$" "$program: and which"
	like "$err" "	perf record -e $group:work__return -aR sleep 1" "$program: and how to use them"
	run timeout 100 "$PERF" record -e "$group:*" -o $program.data ./$program 2
	is "$(recorded $program.data | grep -c "$group:work: ([0-9a-f]*) a=-3 own=4 name=\"inner\" bits=19 low=5 el=11 n=[34] who_string=\"./$program\" g=7 text=\"hello\" u=55$")" 2 \
		"$program: members, elements, bits, texts and global variables have their values"
	is "$(recorded $program.data | sed -n 's/.*work__return: (.*) //p' | tr '\n' ' ')" "arg1=0xe arg1=0x11 " "$program: and so has what is returned"
	run timeout 100 "$PERF" record -e "$group:work" --filter 'n == 4 && name == "inner"' -o filtered.data ./$program 10
	is "$(recorded filtered.data | wc -l)" 5 "$program: fields can be filtered"
	run timeout 100 "$PERF" stat -x , -e "$group:work" --filter 'n == 3' ./$program 10
	like "$err" "^5,,$group:work," "$program: and counted"
	probe -d "$group:*"
	is "$rc:$(mine):$(grep -c "^Removed event: $group:work" <<<"$err")" 0:0:2 "$program: events are deleted"
done

probe -x ./fast -a "$group:line=t.c:15 i sum"
run timeout 100 "$PERF" record -e "$group:line" -o line.data ./fast 1
is "$(recorded line.data | sed 's/.*) //' | sort -u | tr '\n' ' ')" "i=0 sum=0 i=1 sum=0 i=2 sum=12 " "a line has local variables"
probe -d "$group:line"
probe -x ./slow -D 'work $params'
like "$out" '^p:probe_slow/work .*/slow:0x[0-9a-f]+ o=[^ ]+:x64 n=[^ ]+:s32 who=[^ ]+:x64$' '$params are the parameters'
probe -x ./slow -D 'work $vars'
like "$out" ' who=[^ ]+:x64 sum=[^ ]+:s32$' '$vars are local variables, too'
probe -x ./fast -D 'ratio d'
is "$rc" 255 "a floating-point register is refused"
like "$err" 'does not show' "with the reason"
probe -x ./fast -D 'work;sum+=o*'
like "$out" '^p:probe_fast/work ' "a pattern finds lines"
probe -x ./fast --no-inlines -D twice
is "$rc" 255 "an inlined function has no place without inlines"
probe -x ./fast -D twice
like "$out" '^p:probe_fast/twice ' "and one with them"
probe -x ./fast -D 'w*rk'
like "$out" '^p:probe_fast/work ' "a glob finds functions"
probe -x ./fast --max-probes 1 -D '[mw]*'
is "$rc:$(grep -c 'Too many' <<<"$err")" 255:1 "too many are refused"
probe "$PWD/fast" work
is "$rc" 0 "the first word may be the program"
probe -d probe_fast:work
probe -x ./plain -a "$group:p=work \$arg2:s32 %$(case $(uname -m) in x86_64) echo sp ;; *) echo x2 ;; esac)"
run timeout 100 "$PERF" record -e "$group:p" -o plain.data ./plain 2
is "$(recorded plain.data | grep -oE ' arg1=[0-9]+' | head -1)" " arg1=3" "registers need no debug information"
probe -d "$group:p"
probe -x ./plain -D 'work n'
like "$err" 'plain file has no debug information' "variables do"
probe -x ./fast -a "%sdt_$group:sale"
is "$rc" 0 "an SDT event is added"
run timeout 100 "$PERF" record -e "sdt_$group:sale" -o sdt.data ./fast 1
like "$(recorded sdt.data)" "sdt_$group:sale: \([0-9a-f]+\) arg1=[0-9]+$" "with its argument"
probe -d "sdt_$group:sale"

if [ "$(uname -m)" = x86_64 ] && "$PERF" check feature -q libcapstone; then
	printf '\t.globl f\n\t.type f,@function\nf:\tmovl $1,%%eax\n\tnop\n\tret\n\t.size f,.-f\n\t.globl main\nmain:\tcall f\n\txorl %%eax,%%eax\n\tret\n' >f.s
	$cc -o f f.s 2>cc.txt
	probe -x ./f -D f+5
	is "$rc" 0 "an instruction's begin"
	probe -x ./f -D f+3
	is "$rc:$(grep -c '^+3 is inside an instruction of .*: take +0 or +5$' <<<"$err")" 255:1 "inside an instruction an event is refused"
	run "$PERF" record -e uprobe:./f:f+3 -o f.data true
	is "$rc:$(grep -c 'inside an instruction' <<<"$err")" 129:1 "by perf record, too"
else
	skip 3 "needs x86-64 and a disassembler"
fi

# --- lists ---

probe -q -x ./slow -a "$group:l=work:5 i" -a "$group:m=main"
is "$rc:$err" 0: "-q is quiet"
probe -l "$group:*"
like "$out" "^  $group:l   *\(on work:5@$PWD/t.c in $PWD/slow with i\)\$" "a list has lines"
like "$out" "^  $group:m   *\(on main@$PWD/t.c in $PWD/slow\)\$" "and functions"
if [ -n "$STOCK" ]; then
	is "$(clip <<<"$out")" "$("$STOCK" probe -l 2>/dev/null | grep "$group:" | clip)" "as that of stock perf"
fi
probe -l "$group:[a-l]"
is "$(sort -u <<<"$out" | wc -l)" 1 "a glob chooses from it"
probe -n -d "$group:m"
is "$rc:$(grep -c "$group/m" $events)" 0:1 "a dry run deletes nothing"
probe -d "$group:*"

probe -x ./slow -L work
is "$(head -1 <<<"$out")" "<work@$PWD/t.c:0>" "lines begin with the function"
like "$out" '^      0  __attribute__.* int work\(' "its first line is line 0"
like "$out" '^      5  		sum \+= o->arr' "lines with code have numbers"
like "$out" '^         	int sum = 0;|^      2  	int sum = 0;' "others may have none"
probe -x ./slow -L t.c:11-13
is "$(wc -l <<<"$out"):$(sed -n 2p <<<"$out" | tr -d ' ')" "4:{" "a range of a file"
for range in func func:10 func:0-10 func:2+10 func@source.c func@source.c:1 source.c:1 source.c:1+1 source.c:1-10; do
	probe -x ./slow -L $range
	unlike "$err" 'Semantic error' "$range is a range"
done
for range in func:foo func:1-foo func:1+foo 'func;lazy\*pattern'; do
	probe -x ./slow -L "$range"
	is "$rc:$(grep -c 'Semantic error' <<<"$err")" 129:1 "$range is none"
done
probe -x ./slow -V work:5
is "$(head -1 <<<"$out")" 'Available variables at work:5' "variables at a place"
is "$(sed -n '3,7p' <<<"$out" | tr -d '\t' | tr '\n' ' ')" 'char*who inti intn intsum struct out*o ' "with their types"
probe -x ./slow -V work --externs --filter 'g* | keep'
like "$out" '	int	global_count$' "global ones, filtered"
probe -x ./fast -V work --range
like "$out" '\[VAL\]	int	n	@<work\+\[0-' "and where they are"
probe -x ./fast -F 'w* | m*'
is "$(tr '\n' ' ' <<<"$out")" 'main marked work ' "functions, filtered"
probe -x ./fast -F --filter 'w* &'
is "$rc" 129 "a wrong filter"
probe -F
is "$rc:$(grep -cx 'vfs_read' <<<"$out"):$err" 0:1: "functions of the kernel"

# --- names ---

probe -q -x ./fast -a "$group:n=work"
probe -x ./fast -a "$group:n=main"
is "$rc" 255 "a name that is taken is refused"
like "$err" "^Error: event \"n\" already exists\\.$" "with the message"
probe -f -x ./fast -a "$group:n=main" -a "$group:n=marked"
is "$rc:$(grep -o "$group/n_[0-9]*" $events | tr '\n' ' ')" "0:$group/n_1 $group/n_2 " "--force adds numbers"
probe -n -x ./fast -a "$group:dry=work"
is "$rc:$(grep -c "$group/dry" $events)" 0:0 "a dry run adds nothing"
like "$err" '^Added new event:$' "and says what it would"
probe -d "$group:n*"
is "$(mine)" 0 "a glob deletes all"
probe -d "$group:n*"
is "$rc" 255 "deleting nothing is an error"
like "$err" "^\"$group:n\*\" does not hit any event" "with the name"
mkdir -p "with blank"
cp fast "with blank/fast"
probe -x "with blank/fast" -a work
is "$rc:$(grep -c 'takes no path with blanks' <<<"$err")" 255:1 "a path with blanks is refused"

# --- all or nothing ---

probe -x ./fast -a "$group:one=work" -a "$group:two=work @nosymbol" -a "$group:three=main"
is "$rc:$(mine)" 255:0 "if the kernel refuses one event, none is left"
like "$err" "Failed to write event: .*" "it says that the kernel refused"
like "$err" "$group:two on work" "and which"
probe -x ./fast -a "$group:one=work" -a "$group:two=nosuch"
is "$rc:$(mine)" 255:0 "nor if one is not found"
many=()
for i in {1..40}; do
	many+=(-a "$group:k$i=work n o->arr[$((i % 4))]")
done
partial=0
for delay in 0.00{1..9} 0.0{1..9}; do
	"$PERF" probe -q -x ./fast "${many[@]}" 2>/dev/null &
	victim=$!
	sleep $delay
	kill -9 $victim 2>/dev/null
	{ wait $victim; } 2>/dev/null
	left=$(mine)
	[ "$left" = 0 ] || [ "$left" = 40 ] || partial=$((partial + 1))
	"$PERF" probe -q -d "$group:*" 2>/dev/null
done
is $partial 0 "after a kill all events are there or none"
for i in {1..8}; do
	"$PERF" probe -q -f -x ./fast -a "$group:c=work" -a "$group:c=main" 2>"c$i.txt" &
	spawned+=($!)
done
for pid in "${spawned[@]: -8}"; do
	wait "$pid" || fail "eight at once all succeed"
done
is "$(grep -o "$group/c[_0-9]*" $events | sort -u | wc -l)" 16 "concurrent users get names of their own"
probe -q -d "$group:*"
probe -q -x ./fast -a "$group:busy=work"
spawn "$PERF" record -e "$group:busy" -o busy.data sleep 1000 >/dev/null 2>&1
wait_for 60 test "$(cat /sys/kernel/tracing/events/"$group"/busy/id 2>/dev/null)" -gt 0
in_use() { "$PERF" probe -d "$group:busy" 2>&1 | grep -q 'is in use'; }
used() { readlink /proc/"$spawned_pid"/fd/* 2>/dev/null | grep -q perf_event; }
wait_for 60 used
ok "an event in use is not deleted" in_use
kill -INT "$spawned_pid" # the recording
wait "$spawned_pid" 2>/dev/null
probe -q -d "$group:*"
is "$(mine)" 0 "nothing is left"

# --- rights, and what is refused ---

chmod 755 .
as_user "$PERF" probe -x ./fast -a work 2>user.txt
is "$?:$(grep -c 'run perf as root' user.txt)" 255:1 "without privilege the message names it"
as_user "$PERF" probe -x ./fast -D 'work n' >user.out 2>&1
like "$(<user.out)" '^p:probe_fast/work ' "definitions need none"
run unshare --mount sh -c 'umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null; exec "$@"' \
	sh "$PERF" probe -x ./fast -a work
is "$rc:$(grep -c 'tracefs is not mounted' <<<"$err")" 255:1 "without tracefs the message says so"
for both in '-a xxx -d xxx' '-a xxx -L foo' '-a xxx -V foo' '-a xxx -l' '-a xxx -F' '-d xxx -L foo' '-L foo -V bar' '-V foo -F' '-l -F'; do
	# shellcheck disable=SC2086 # options
	probe $both
	is "$rc:$(grep -c 'Error: switch .* cannot be used with switch ' <<<"$err")" 129:1 "$both exclude each other"
done
probe
is "$rc:$(grep -c 'Usage: perf probe' <<<"$err")" 129:1 "no action gives the usage"
for option in -a -d -L -V; do
	probe $option
	is "$rc:$(grep -c 'requires a value' <<<"$err")" 129:1 "$option needs a value"
done
if [ ! -e /sys/kernel/tracing/kprobe_events ]; then
	probe vfs_read
	is "$rc:$(grep -c 'kprobe_events file does not exist' <<<"$err")" 255:1 "without kprobes the message says so"
	probe -n vfs_read
	is "$rc" 0 "a dry run needs none"
fi
probe -D 'vfs_read count pos:u64'
like "$out" '^p:probe/vfs_read vfs_read\+0 count=%[a-z0-9]+:x64 pos_u64=%[a-z0-9]+:u64$' "parameters of the kernel by BTF"
probe -D 'vfs_read file->f_pos'
is "$rc" 255 "members of them need debug information"
before=$(<$events)
run python3 "$SOURCE/tests/cmd/probe-wrong.py" "$PERF" ./fast "$group"
is "$rc:$(tail -1 <<<"$out")" "0:500 wrong definitions, 500 with one message" "500 wrong definitions give one message each"
sed '/^500/d; s/^/# /' <<<"$out"
is "$(<$events)" "$before" "and leave nothing"
done_testing

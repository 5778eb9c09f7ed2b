#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf probe on files that lie, and definitions that would record something else than they say: nothing of it reaches the kernel or the terminal.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
group=t$$
cc=${CC:-cc}
probe() { run timeout 100 "$PERF" probe "$@"; }
# refused WHAT WHY OPTIONS...: by one message that has WHY
refused() {
	local what=$1 why=$2

	shift 2
	probe "$@"
	is "$rc:$out" 255: "$what: refused"
	like "$err" "$why" "$what: with the reason"
}

cat >t.c <<'C'
struct s { int m[3][4]; char names[4][16]; int a; };
int global = 7;
__attribute__((noinline, noclone)) int work(struct s *s, int n, int (*rows)[4])
{
	__asm__ volatile("" : : "r"(s), "r"(rows) : "memory");
	return s->m[n][1] + global;
}
__attribute__((noinline, cold)) void never(int n) { __asm__ volatile("" : : "r"(n) : "memory"); }
__attribute__((noinline, noclone)) int hot(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		if (__builtin_expect(n == 12345, 0)) {
			never(n); never(n + 1);
			sum += 3;
		}
		sum += i;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}
static struct s keep = { { { 0, 1, 2, 3 }, { 10, 11, 12, 13 }, { 20, 21, 22, 23 } }, { "zero", "one", "two" }, 5 };
int main(int argc, char **argv) { return work(&keep, argc, keep.m) + hot(argc); }
C
$cc -O2 -g -o fast t.c 2>cc.txt && $cc -O2 -o plain t.c || skip_all "needs a C compiler: $(head -1 cc.txt)"

# --- what would be another value ---

refused "a parameter at the return" "'n' is gone when the function returns" -x ./fast -D 'work%return n'
refused "a member of one" 'is gone when the function returns' -x ./fast -D 'work%return s->a'
refused "all of them" 'are gone when the function returns' -x ./fast -D 'work%return $params'
refused "a register of the call" 'known only at a function' -x ./fast -D 'work%return $arg2'
refused "the same without debug information" 'known only at a function' -x ./plain -D 'work%return $arg2'
probe -x ./fast -D 'work%return global'
like "$out" '^r:probe_fast/work__return .* global=@\+0x[0-9a-f]+:s32$' "a global variable is there at the return"
refused "data" '^0x[0-9a-f]+ is no code of ' -x ./fast -D "0x$(nm fast | sed -n 's/^0*\([0-9a-f]*\) D global$/\1/p')"
refused "an offset behind the end of what a glob means" 'bytes only' -x ./plain -D 'w*rk+4000'
if [ "$(uname -m)" = x86_64 ] && "$PERF" check feature -q libcapstone; then
	refused "an offset inside an instruction of it" 'inside an instruction' -x ./plain -D 'w*rk+1'
else
	skip 2 "needs x86-64 and a disassembler"
fi
refused "a row of an array" 'it is an array' -x ./fast -D 'work s->m[1]'
refused "a table as a text" 'but an array of them' -x ./fast -D 'work s->names:string'
refused "an index too many" 'no array or pointer' -x ./fast -D 'work s->m[1][2][3]'
probe -x ./fast -D 'work a=s->m[1][2] b=s->names[2]:string c=rows[2][3] d=s->names[1][2]'
is "$(grep -oE ' [abcd]=[-+][0-9]+' <<<"$out" | tr '\n' ' ')" ' a=+24  b=+80  c=+44  d=+66 ' "an index counts the elements of all further dimensions"
$cc -O2 -O0 -g -o slow t.c
probe -x ./slow -D 'work n'
like "$err" 'Skipping prologue' "of several -O the last one counts"
if $cc -O2 -g -m32 -nostdlib -c -o small.o t.c 2>cc.txt && $cc -m32 -nostdlib -static -Wl,-e,main -o small small.o 2>cc.txt; then
	refused "a program of another machine" 'no program of 64 bits for this machine' -x ./small -D 'work n'
else
	skip 2 "the compiler makes no programs of 32 bits"
fi
if $cc --version | grep -qi gcc || $cc -v 2>&1 | grep -q '^gcc version'; then
	$cc -O2 -g -freorder-blocks-and-partition -o cold t.c
	probe -x ./cold -V t.c:16
	unlike "$out" '[0-9]{9}' "a part of a function before its begin has a small offset"
else
	skip 1 "needs gcc"
fi
for dwarf in 4 5; do
	$cc -O2 -gdwarf-$dwarf -gsplit-dwarf -o split$dwarf t.c
	probe -x ./split$dwarf -L work
	is "$rc:$(head -1 <<<"$out")" "0:<work@$PWD/t.c:0>" "split DWARF $dwarf has lines"
	probe -x ./split$dwarf -D 'work@t.c:0 n'
	like "$out" ' n=%[a-z0-9]+:s32$' "and variables"
done
probe -x ./fast -a work -x ./slow -a main
is "$rc:$(grep -c -- '-x is given twice' <<<"$err")" 129:1 "two programs in one command"
refused "lines behind the end" '^Specified source line is not found' -x ./fast -L work:2000
if c++ -g -o reference -x c++ - 2>cc.txt <<'C'; then
struct s { int a, b; };
__attribute__((noinline)) int work(const s &x) { __asm__ volatile("" : : "r"(&x) : "memory"); return x.b; }
int main() { s x = { 1, 2 }; return work(x); }
C
	probe -x ./reference -D 'work x.b'
	like "$out" ' b=\+4\(.*\):s32$' "a reference has members as in C++"
else
	skip 1 "needs a C++ compiler"
fi

# --- names and paths from files ---

cat >evil.c <<'C'
#line 1 "esc\033]0;title\007.c"
int evil_function_name(int evil_variable_name) { return evil_variable_name; }
#line 1 "/dev/zero"
int zero(int n) { return n; }
int main(int argc, char **argv) { return evil_function_name(argc) + zero(1); }
C
$cc -O0 -g -S -o evil.s evil.c
sed -i "s,\"evil_variable_name\",\"evil\\\\np:$group/evil /bin/true:0x4000 x\",; s,\"evil_function_name\",\"evil\\\\033[31m_function\"," evil.s
$cc -o evil evil.s
escape=$'\033'
probe -x ./evil -D 'evil*function $vars'
is "$rc:$(wc -l <<<"$out")" 0:1 "a variable's name does not end the line"
unlike "$out" 'true' "nor does it stand in it"
for action in '-V evil*function' '-D evil*function:1' '-F evil*' "-L evil${escape}[31m_function"; do
	# shellcheck disable=SC2086 # options
	probe -x ./evil $action
	unlike "$out$err" "$escape|"$'\007' "${action%"$escape"*} prints no control characters"
done
refused "a device as source" '^Failed to open /dev/zero' -x ./evil -L zero
refused "a pattern for one" 'not found' -x ./evil -D 'zero;return*'
mkdir 'h#h' "c${escape}c"
for dir in 'h#h' "c${escape}c"; do
	cp fast "$dir/fast"
	refused "a path with $(printf %q "$dir")" 'takes no path with blanks, # or' -x "$dir/fast" -D work
done
long=$(for i in {1..100}; do printf ' %s_%s=s->names[%s]:string' a_name_that_is_rather_long "$i" $((i % 4)); done)
refused "a line that is too long for the kernel" 'characters long for the kernel, which takes' -x ./fast -D "work$long"

events=/sys/kernel/tracing/uprobe_events
if [ -w $events ]; then
	trap '"$PERF" probe -q -d "$group:*" 2>/dev/null; cleanup' EXIT
	probe -x ./evil -a "$group:e=evil*function \$vars"
	is "$rc:$(grep -c "$group/" $events)" 0:1 "no event comes from a variable's name"
	probe -l "$group:*"
	is "$rc:$(wc -l <<<"$out")" 0:1 "the list has one line for it"
	unlike "$out" "$escape" "without control characters"
	rm evil
	mkfifo evil
	probe -l "$group:*"
	is "$rc:$(grep -c "$group:e " <<<"$out")" 0:1 "and does not wait for a FIFO that has taken the file's place"
	probe -x ./fast -a "$group:v=work a=s->m[1][2] b=s->names[2]:string c=rows[2][3]"
	run timeout 100 "$PERF" record -e "$group:v" -o values.data ./fast
	like "$("$PERF" script -i values.data -F trace 2>/dev/null)" 'a=12 b="two" c=23' "elements of arrays have their values"
else
	skip 6 "this kernel has no uprobe_events, or tracefs is not mounted"
fi
done_testing

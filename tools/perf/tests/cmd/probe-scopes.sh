#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf probe: which function's variables a definition means where code of several functions begins: the first instruction of a function
# may belong to one that is inlined there. The values that events record are known from the program.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cat >s.c <<'C'
static inline __attribute__((always_inline)) int twice(int v)
{
	int w = v * 3;

	__asm__ volatile("nop" : "+r"(w), "+r"(v));
	return w + v;
}

static inline __attribute__((always_inline)) int both(int n, int m)
{
	__asm__ volatile("nop" : "+r"(n), "+r"(m));
	return twice(n) + m;
}

__attribute__((noinline)) int front(int n, int b, int c, int d, long e)
{
	int r = twice(n);

	__asm__ volatile("nop" : "+r"(r), "+r"(e), "+r"(b), "+r"(c), "+r"(d));
	return r + e + b + c + d;
}

__attribute__((noinline)) int middle(int k, long n)
{
	int r;

	__asm__ volatile("nop" : "+r"(k), "+r"(n));
	r = both(k, 5);
	__asm__ volatile("nop" : "+r"(r), "+r"(k), "+r"(n));
	return r + k + n;
}

__attribute__((noinline)) int same(int v, int u)
{
	int r = twice(u);

	__asm__ volatile("nop" : "+r"(r), "+r"(v));
	return r + v;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 2; i++)
		s += front(7 + i, 2, 3, 4, 50 + i) + middle(10 + i, 70 + i) + same(20 + i, 30 + i);
	return s == 1;
}
C
"${CC:-cc}" -O2 -g -o s s.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"

probe() { run timeout 100 "$PERF" probe -x ./s "$@"; }
# names NAMES DESCRIPTION: of the variables that -V has shown
names() { is "$(sed -n 's/^\t\t.*\t//p' <<<"$out" | sort | tr '\n' ' ')" "$1" "$2"; }

probe -V front
[[ $out == *'@<front+0>'*v* ]] || skip_all "this compiler moves what is inlined behind the first instruction"

# --- which variables there are ---

names 'b c d e n v ' "-V of a function shows its own variables and those of the code that is inlined there"
probe -V both
like "$out" '	k$' "-V of a place where a function is inlined shows the variables of the function around it"
is "$(grep -c '	n$' <<<"$out"):$(grep -c 'int	n$' <<<"$out")" 1:1 "of two with one name it shows the inner one"
probe -V same
names 'u v ' "the function's own one hides that of what is inlined there"
# shellcheck disable=SC2016 # of perf probe
probe -D 'front $params'
like "$out" ' n=[^ ]+:s32 b=[^ ]+:s32 c=[^ ]+:s32 d=[^ ]+:s32 e=[^ ]+:s64$' '$params are those of the function that the definition names'
# shellcheck disable=SC2016
probe -D 'twice $params'
unlike "$out" ' n=' '$params of an inlined function are its own'
if [ "$(uname -m)" = x86_64 ]; then
	probe -D 'front n e'
	like "$out" ' n=%di:s32 e=%r8:s64$' "parameters are in the registers of the call"
else
	skip 1 "needs x86-64"
fi

# --- their values ---

can_record=$([ "$(id -u)" = 0 ] && [ -w /sys/kernel/tracing/uprobe_events ] && echo yes)
group=s$$
trap '"$PERF" probe -q -d "$group:*" 2>/dev/null; cleanup' EXIT

# records DEFINITION WANT DESCRIPTION
records() {
	[ "$can_record" ] || { skip 1 "needs root and tracefs"; return; }
	probe -q -a "$group:e=$1"
	run timeout 100 "$PERF" record -e "$group:e" -o r.data ./s
	is "$("$PERF" script -i r.data -F trace 2>/dev/null | sed 's/.*) //' | tr '\n' ' ')" "$2" "$3"
	"$PERF" probe -q -d "$group:e" 2>/dev/null
}
records 'front n e' 'n=7 e=50 n=8 e=51 ' "arguments of the function itself"
records 'front n v' 'n=7 v=7 n=8 v=8 ' "with a variable of what is inlined at its begin"
records 'same v' 'v=20 v=21 ' "of two with one name that of the function itself"
records 'both n k' 'n=10 k=10 n=11 k=11 ' "at an inlined function the inner variable, and one of the function around it"
line=$(grep -n 'int r = twice(n)' s.c | cut -d: -f1)
probe -D "s.c:$line"
if [ -n "$out" ]; then
	like "$out" '^p:probe_s/front ' "a line is one of the function that it is written in"
	records "s.c:$line n e" 'n=7 e=50 n=8 e=51 ' "a line has the variables of its function"
	records "front:2 n e" 'n=7 e=50 n=8 e=51 ' "a line of the function, too"
else
	skip 3 "this compiler has no statement there"
fi
line=$(grep -n 'r = both' s.c | cut -d: -f1)
probe -D "s.c:$line n"
if [ -n "$out" ]; then
	like "$out" '^p:probe_s/middle .* n=[^ ]+:s64$' "a line with a call that is inlined is one of the caller"
else
	skip 1 "this compiler has no statement there"
fi
at=$(nm s | awk '$3 == "front" { print "0x" $1 }')
records "$at n v" 'n=7 v=7 n=8 v=8 ' "an address has all variables"

# --- events on functions ---

if [ "$(id -u)" = 0 ]; then
	run timeout 100 "$PERF" record -e uprobe:./s:front --filter 'n == 8 && e == 51' -o r.data ./s
	is "$rc:$(samples r.data event 2>/dev/null | wc -l)" 0:1 "arguments of an event on a function are its own, too"
else
	skip 1 "needs root"
fi

# --- lists ---

if [ "$can_record" ]; then
	probe -q -a "$group:e=front n"
	run "$PERF" probe -l "$group:*"
	like "$out" "\(on front@$PWD/s\.c in $PWD/s with n\)" "-l names the function that begins there, not the one that is inlined"
	"$PERF" probe -q -d "$group:e"
	probe -q -a "$group:e=both n"
	run "$PERF" probe -l "$group:*"
	like "$out" "\(on both[:+0-9]*@$PWD/s\.c in $PWD/s with n\)" "and otherwise the one that is inlined"
	"$PERF" probe -q -d "$group:e"
else
	skip 2 "needs root and tracefs"
fi
done_testing

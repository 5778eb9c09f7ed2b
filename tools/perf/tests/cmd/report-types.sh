#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report's keys of data types: what the sampled instructions access, of programs that access one thing all the time.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# Which instruction of a loop is hit depends on the CPU, and on some it is always the same: nearly all of this one access hot, and the others next
# and variables that point there.
cat >prog.c <<'EOF'
#include <stdlib.h>
#define ADD "addq $1, %0\n"
#define TEN(x) x x x x x x x x x x
struct node { long key; struct node *next; struct { int a, b; } in; char pad[80]; long hot; };
static struct node table[64];
__attribute__((noinline)) void walk(struct node *n, long rounds)
{
	while (rounds--) {
		__asm__ volatile(TEN(ADD) TEN(ADD) TEN(ADD) : "+m"(n->hot));
		n = n->next;
	}
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 64; i++)
		table[i].next = &table[(i * 7 + 1) % 64];
	walk(table, atol(argv[1]));
	return 0;
}
EOF

# share TEXT REGEX: the sum of the percentages of the rows that match, as a whole number
share() {
	awk -v want="$2" '$0 ~ want { sum += $1 } END { printf "%d\n", sum }' <<<"$1"
}

run "$PERF" record -q -e cpu-clock -o any.data -- true
run "$PERF" report -i any.data --stdio -s typecln
if [ "$rc" != 0 ]; then
	is "$rc" 129 "a build without the disassembler refuses the keys"
	like "$err" "^--sort key .typecln' needs a disassembler: " "and says what it lacks"
	done_testing
fi

echo 'void *dlopen(const char *name, int flags) { return 0; }' | ${CC:-cc} -x c -shared -fPIC -o no-library.so - || exit 1
run preloaded "$PWD/no-library.so" "$PERF" report -i any.data --stdio -s typecln
is "$rc" 129 "a perf that does not find the disassembler refuses the keys"
like "$err" "^--sort key .typecln' needs a disassembler: install the package that has libcapstone.so.[0-9]+$" "and says what it lacks"
run preloaded "$PWD/no-library.so" "$PERF" report -i any.data --stdio -s sym
is "$rc" 0 "other keys do not need it"

# The header's arch, where this machine is none of those already.
LC_ALL=C sed 's/x86_64\x00/aarch64/g' any.data >other.data
for key in type typeoff typecln; do
	run "$PERF" report -i other.data --stdio -s comm,$key
	is "$rc" 129 "$key: a recording of another machine is refused"
	is "$err" "--sort key \`$key' is of programs for x86_64, and this was recorded on aarch64: use another key, as srcline" "$key: and why"
	is "$out" "" "$key: nothing is shown"
done
[ "$(uname -m)" = x86_64 ] || done_testing

for level in 0 2; do
	gcc -g -O$level -o prog$level prog.c
	run "$PERF" record -q -e cpu-clock -F 4000 -o $level.data -- ./prog$level 5000000
	is "$rc" 0 "-O$level: recorded"
	run "$PERF" report --stdio -i $level.data -s typeoff --dsos prog$level
	is "$rc" 0 "-O$level: reported"
	ok "-O$level: the hot field has its share" [ "$(share "$out" "struct node .0x68 .hot.")" -ge 10 ]
	unlike "$out" "struct node \+.*\((key|in|pad)" "-O$level: fields that are not accessed have none"
	like "$out" "^# Overhead  Data Type Offset$" "-O$level: its title"
	hot=$(share "$out" "struct node [+]")
	run "$PERF" report --stdio -i $level.data -s type --dsos prog$level
	like "$out" "^# Overhead  Data Type$" "-O$level: the title of type"
	# each row of the other report may be rounded
	all=$(share "$out" " struct node *$")
	ok "-O$level: all fields of a type make its share ($all, $hot)" [ $(((all - hot) * (all - hot))) -le 1 ]
	run "$PERF" report --stdio -i $level.data -s typecln --dsos prog$level
	like "$out" "[0-9]%  struct node: cache-line 1" "-O$level: the line of the cache"
	like "$out" "^# Overhead  Data Type Cacheline$" "-O$level: and its title"
	run "$PERF" report --stdio -i $level.data -s sym,type,typeoff --dsos prog$level
	like "$out" "[0-9]%  \[\.\] walk +struct node  struct node \+0x68 \(hot\)" "-O$level: beside other keys"
done

# Optimised code has variables in several places, which are in sections of their own.
run "$PERF" report --stdio -i 2.data -s sym,typeoff --dsos prog2
plain=$out
objcopy --compress-debug-sections=zlib prog2 prog2.packed && mv prog2.packed prog2
like "$(readelf -t prog2)" "COMPRESSED" "compressed debug information"
run "$PERF" report --stdio -i 2.data -s sym,typeoff --dsos prog2
is "$rc" 0 "compressed: reported"
is "$out" "$plain" "compressed: the same types"

strip -o prog2.stripped prog2 && mv prog2.stripped prog2
run "$PERF" report --stdio -i 2.data -s type --dsos prog2
is "$rc" 0 "no debug information: reported"
like "$out" "[0-9]%  \(unknown\)" "no debug information: the type is unknown"
unlike "$out" "struct" "no debug information: none is made up"

done_testing

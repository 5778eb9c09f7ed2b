#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf annotate --data-type and --code-with-type: members of types with their shares.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# Nearly all samples are on instructions that access hot.
cat >prog.c <<'EOF'
#include <stdlib.h>
#define ADD "addq $1, %0\n"
#define TEN(x) x x x x x x x x x x
typedef struct { int x, y; } point;
struct node { long key; struct node *next; struct { int a, b; } in; union { long l; char raw[8]; }; unsigned lo:3, hi:5; volatile long hot; point p; };
static struct node table[64];
__attribute__((noinline)) void walk(struct node *n, long rounds)
{
	while (rounds--) {
		__asm__ volatile(TEN(ADD) TEN(ADD) TEN(ADD) : "+m"(n->hot));
		n = n->next;
		if (n->key == 5)
			break;
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
gcc -g -O1 -o prog prog.c || exit 1
run "$PERF" record -q -e cpu-clock:u -F 4000 -o a.data -- ./prog 3000000
is "$rc" 0 "recorded"
run "$PERF" annotate -q -d prog -i a.data --data-type
if [ "$(uname -m)" != x86_64 ]; then
	is "$rc" 129 "types are known of x86-64 only"
	done_testing
elif [ "$rc" = 129 ]; then
	like "$err" 'needs a disassembler: ' "a build without the disassembler says what it lacks"
	done_testing
fi
is "$rc" 0 "types are shown"

# share TEXT FIELD: the number in the row of that field
share() {
	awk -F'\t' -v want="$2" '$2 == want { split($1, word, " "); print word[1] }' <<<"$1"
}

all=$out
is "$(sed -n '1s/([0-9]* samples)/(N samples)/p' <<<"$out")" "Annotate type: 'struct node' in $PWD/prog (N samples):" "the type, its file"
is "$(sed -nE '2,/^ *};$/s/^ *[0-9]+\.[0-9]{2} /  N /p' <<<"$out")" "$(printf '%s\n' \
	"  N          0       0x38  struct node	 {" \
	"  N          0        0x8      long int	key;" \
	"  N        0x8        0x8      struct node*	next;" \
	"  N       0x10        0x8      struct 	in {" \
	"  N       0x10        0x4          int	a;" \
	"  N       0x14        0x4          int	b;")" "its members: name, offset, size, and those of structures in it"
is "$(sed -nE 's/^ *[0-9]+\.[0-9]{2} ( *0x(18|2[0-9a-f]|3[0-9a-f]) )/\1/p' <<<"$out")" "$(printf '%s\n' \
	"      0x18        0x8      union 	 {" \
	"      0x18        0x8          long int	l;" \
	"      0x18        0x8          char[]	raw;" \
	"      0x20        0x1      unsigned int	lo:3;" \
	"      0x20        0x1      unsigned int	hi:5;" \
	"      0x28        0x8      long int	hot;" \
	"      0x30        0x8      point	p {" \
	"      0x30        0x4          int	x;" \
	"      0x34        0x4          int	y;")" "unions, bit-fields, types by their names"
is "$(grep -c '^ *};$' <<<"$out")" 4 "each list of members ends"
is "$(tail -1 <<<"$out")" "                                };" "in the column where it began"
is "$(sed -n '3p' <<<"$out")" " Percent     offset       size  field" "the title"
is "$(awk '$5 == "node" { print $1 }' <<<"$out")" 100.00 "all samples of the type"
ok "most are of hot: $(share "$out" 'hot;')" awk -v share="$(share "$out" 'hot;')" 'BEGIN { exit !(share > 80) }'
is "$(share "$out" 'b;') $(share "$out" 'x;') $(share "$out" 'raw;')" "0.00 0.00 0.00" "none of what is not accessed"
hot=$("$PERF" report -q -i a.data -s typeoff --stdio --dsos prog | awk '/struct node \+0x28/ { n += $1 } /struct node/ { all += $1 } END { printf "%.0f", 100 * n / all }')
ok "perf report -s typeoff says the same of hot: $hot" test "$(share "$out" 'hot;' | awk -v hot="$hot" '{ d = $1 - hot; print (d < 1.5 && d > -1.5) }')" = 1

run "$PERF" annotate -q -d prog -i a.data --data-type -n
nr=$(share "$out" 'hot;')
is "$(sed -n '3p' <<<"$out")" " Samples     offset       size  field" "-n: the title"
is "$(awk '$5 == "node" { print $1 }' <<<"$out")" "$(sed -nE '1s/.*\(([0-9]+) samples\):$/\1/p' <<<"$out")" "-n: samples of the type"
run "$PERF" annotate -q -d prog -i a.data --data-type --show-total-period
is "$(sed -n '3p' <<<"$out")" "      Period     offset       size  field" "--show-total-period: the title"
is "$(share "$out" 'hot;')" "$((nr * 250000))" "--show-total-period: 250 us for each of the samples"

for name in node 'struct node'; do
	run "$PERF" annotate -q -d prog -i a.data "--data-type=$name"
	is "$rc:$out" "0:$all" "--data-type=$name: that type"
done
run "$PERF" annotate -q -d prog -i a.data --data-type=nod
is "$rc:$out" "255:" "one that nothing accesses"
is "$err" "No sample of a.data is known to access the type 'nod': 'perf report -s type' lists the types that samples access" "is told"
for name in '' =node; do
	run "$PERF" annotate -q -d prog -i a.data --data-type$name --percent-limit 101
	is "$rc:$out$err" "0:" "--data-type$name --percent-limit: what has less is left out"
done
run "$PERF" annotate -q -d prog -i a.data --data-type --percent-type global-hits
nr_all=$("$PERF" report -i a.data --stats | awk '/SAMPLE events/ { print $3 }')
is "$(share "$out" 'hot;')" "$(awk -v nr="$nr" -v all="$nr_all" 'BEGIN { printf "%.2f", 100 * nr / all }')" "--percent-type global-hits: of all samples"

# Two types of one name in one file: with other sizes they are two, and so are types without a name
cat >first.c <<'EOF'
struct node { long key, hot; };
struct { long a, b; } first;
#define ADD "addq $1, %0\n"
#define TEN(x) x x x x x x x x x x
__attribute__((noinline)) void walk1(struct node *n, long rounds) { while (rounds--) { __asm__ volatile(TEN(ADD) : "+m"(n->hot)); __asm__ volatile(TEN(ADD) : "+m"(first.b)); } }
EOF
sed 's/key, hot/key, more, others, rest, hot/; s/walk1/walk2/; s/first/second/g' first.c >second.c
cat >both.c <<'EOF'
extern void walk1(void *n, long rounds), walk2(void *n, long rounds);
int main(void) { long data[8] = {}; walk1(data, 5000000); walk2(data, 5000000); return 0; }
EOF
gcc -g -O0 -o both both.c first.c second.c
run "$PERF" record -q -e cpu-clock:u -F 4000 -o both.data -- ./both
run "$PERF" annotate -q -d both -i both.data --data-type=node
is "$(awk '$5 == "node" { print $1, $3 }' <<<"$out" | sort)" "100.00 0x10
100.00 0x28" "types of one name and other sizes"
run "$PERF" annotate -q -d both -i both.data '--data-type=struct (unnamed)'
is "$(awk '/unnamed.*{/ { print $1, $3 }' <<<"$out" | sort)" "100.00 0x10
100.00 0x10" "types without names"
strip -g -o plain prog
run "$PERF" record -q -e cpu-clock:u -o plain.data -- ./plain 300000
run "$PERF" annotate -q -d plain -i plain.data --data-type
is "$rc:$err" "255:No sample of plain.data is known to access a type: types are known of programs with debug information (-g)" "without debug information"
for wrong in --tui --stdio2 -l walk --code-with-type --full-paths --skip-missing; do
	run "$PERF" annotate -q -d prog -i a.data --data-type "$wrong"
	is "$rc" 129 "--data-type with $wrong is refused"
	like "$err" "^  Error: --data-type shows types as text, of all functions: leave out " "and why"
done

# Types of one name in two files
sed 's/long key;/long key, more;/' prog.c >other.c
gcc -g -O1 -o other other.c
run "$PERF" record -q -e cpu-clock:u -F 4000 -o two.data -- sh -c './prog 300000; ./other 300000'
run "$PERF" annotate -q -i two.data --data-type=node
is "$(sed -nE 's/^Annotate type: .struct node. in (.*) \([0-9]+ samples\):$/\1/p' <<<"$out" | sort | xargs)" "$PWD/other $PWD/prog" "types of one name in two files"
is "$(awk '$5 == "node" { print $3 }' <<<"$out" | sort | xargs)" "0x38 0x40" "each has its own members"

# Two events: a column each
run "$PERF" record -q -e '{cpu-clock:u,task-clock:u}' -F 2000 -o group.data -- ./prog 3000000
run "$PERF" annotate -q -d prog -i group.data --data-type
is "$(sed -n '2,3p' <<<"$out")" " event[0] = cpu-clock:u
 event[1] = task-clock:u" "a group: its events"
like "$(sed -n 5p <<<"$out")" '^ +Percent     offset       size  field$' "a group: one title"
is "$(awk '$6 == "node" { print $1, $2 }' <<<"$out")" "100.00 100.00" "a group: a column for each event"
run "$PERF" annotate -q -d prog -i group.data --data-type -n
is "$(awk '$6 == "node" { print $1 + $2 }' <<<"$out")" "$(sed -nE '1s/.*\(([0-9]+) samples\):$/\1/p' <<<"$out")" "a group: with the samples of that one"

# Beside the code
run "$PERF" annotate -q --stdio -i a.data --code-with-type walk
is "$rc" 0 "--code-with-type"
is "$(grep -c "addq .*	# data-type: struct node [+]0x28 (hot)\$" <<<"${out//$'\t\t'/$'\t'}" || true)" 30 "instructions have the member that they access"
like "$out" "mov .*# data-type: struct node \+0x8 \(next\)" "each its own"
like "$out" "cmpq .*# data-type: struct node \+0 \(key\)" "comparisons, too"
unlike "$out" "(j[a-z]+|sub|ret) .*struct node" "those that access none have none"
# shellcheck disable=SC2001 # to the end of each line
with=$(sed 's/\t\t# data-type: .*//' <<<"$out")
run "$PERF" annotate -q --stdio -i a.data walk
is "$with" "$out" "and the rest is as without it"
run "$PERF" annotate -q --stdio2 -i a.data --code-with-type walk
is "$(grep -c "addq .*  # data-type: struct node +0x28 (hot)\$" <<<"$out")" 30 "--stdio2 --code-with-type"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of functions in stripped files: MiniDebugInfo, or file and address; and what a report says where they are missing.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
command -v gcc >/dev/null || skip_all "needs gcc"

cat >prog.c <<'C'
#include <stdlib.h>
#define SPIN(f) __attribute__((noinline)) static void f(unsigned long n) { for (volatile unsigned long i = 0; i < n; i++) ; }
SPIN(first_spin) SPIN(second_spin)
__attribute__((noinline)) static void both(unsigned long n) { first_spin(n); second_spin(n / 2); }
int main(int argc, char **argv) { both(strtoul(argv[1], NULL, 0)); return 0; }
C
gcc -O1 -fno-omit-frame-pointer -o whole prog.c && strip -o prog whole && cp prog mini || exit 1
printf '%s\n' first_spin second_spin both main >names
objcopy --only-keep-debug whole debug && objcopy -S --remove-section .comment --keep-symbols=names debug packed 2>objcopy.err &&
	xz packed && objcopy --add-section .gnu_debugdata=packed.xz mini || exit 1
address() { printf 'prog+0x%x' "0x$(nm whole | awk -v name="$1" '$3 == name { print $1 }')"; }
first=$(address first_spin)
second=$(address second_spin)
both=$(address both)

record() { "$PERF" record -q -e cpu-clock:u -F 1000 -g -o "$1.data" -- "./$1" 100000000; }
record prog && record mini || exit 1

# rows FILE OPTION...: the symbols of rows
rows() {
	run "$PERF" report --stdio --no-children -g none -s sym -i "$@"
	sed -n 's/^ *[0-9.]*%  *\[\.\] //p' <<<"$out" | sed 's/ *$//' | sort
}

is "$(rows prog.data --dsos prog)" "$(printf '%s\n' "$first" "$second" | sort)" "functions are called by file and address, one row for each"
like "$(rows prog.data --dsos prog --no-fde-names)" '^0x[0-9a-f]{16}$' "--no-fde-names leaves the addresses"
is "$(rows mini.data --dsos mini)" "$(printf '%s\n' first_spin second_spin)" "MiniDebugInfo has the names"

run "$PERF" report -i prog.data --folded
like "$out" ";${both/+/\\+};${first/+/\\+} [0-9]+\$" "folded stacks have these names, too"
run "$PERF" report -i mini.data --folded
like "$out" ';main;both;first_spin [0-9]+$' "and those of MiniDebugInfo"
run "$PERF" script -i prog.data -F ip,sym
like "$out" '^[[:space:]]+[0-9a-f]+ \[unknown\]$' "script says [unknown], as other perfs do"
unlike "$out" 'prog\+0x' "and makes up no names"
run "$PERF" script -i prog.data --fde-names -F ip,sym
like "$out" " ${both/+/\\+}\$" "script --fde-names names them"
run "$PERF" annotate -i prog.data --stdio -s "$first"
like "$out" "^ +[0-9.]+ : +${first#*+0x}:" "annotate finds its code"

run "$PERF" report -i prog.data --stdio --no-children -g none
like "$out" '^# \(Tip: [0-9]+% of the samples are in functions without names, of prog.*: install the debug package, or try --debuginfod\)$' \
	"the report says what is missing"
is "$err" "" "and no more than that"
run "$PERF" report -i prog.data --stdio -q --no-children -g none
unlike "$out" 'Tip' "-q: rows only"
run "$PERF" report -i mini.data --stdio --no-children -g none
unlike "$out" 'Tip' "nothing is missing where there are names"

# Filters and probes find a local function by its name.
run "$PERF" record -o filtered.data -e cpu-clock:u -F 1000 --filter 'sym == "second_spin"' -- ./mini 50000000
is "$rc" 0 "a filter knows the function"
is "$(rows filtered.data)" second_spin "and keeps only its samples"
run "$PERF" stat -x, -e "uprobe:$PWD/mini:both" -- ./mini 1000
like "$err" '^1,' "a uprobe finds it"

# Code made at run time, which counts down
cat >jit.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
#else
	static const unsigned int code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#endif
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p, code, sizeof(code));
	__builtin___clear_cache(p, p + sizeof(code));
	((long (*)(long))p)(strtoul(argv[1], 0, 0));
	return 0;
}
C
gcc -O1 -o some jit.c && cp some node || exit 1
tips=()
for name in some node; do
	"$PERF" record -q -e cpu-clock:u -F 1000 -o "$name.data" -- "./$name" 500000000 || exit 1
	run "$PERF" report -i "$name.data" --stdio
	tips+=("$(grep '(Tip' <<<"$out")")
done
like "${tips[0]}" 'made at run time and has no names: have its compiler write /tmp/perf-[0-9]+\.map\)$' "code without a map has no names"
like "${tips[1]}" "made at run time and has no names: start it with 'node --perf-basic-prof'\)\$" "a known runtime has a switch"

cp whole gone
record gone && rm gone
run "$PERF" report -i gone.data --buildid-dir "$WORK/none" --stdio --no-children -g none
like "$out" '^# \(Tip: [0-9]+% of the samples are in files that are gone, as .*/gone: record with --keep-files, or see --symfs\)$' "a file is gone"

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each command has its page, with examples and what it costs, and each sort key its entry: what a new one needs besides its row in a table.
# Each page opens with three examples or more, and says one idea in a sentence of at most 25 words.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
cd "$SOURCE/Documentation" || exit 1

commands=$("$PERF" --list-cmds)
ok "there are commands" test "$(wc -w <<<"$commands")" -gt 20
for command in $commands; do
	ok "$command has a page" test -e "perf-$command.txt"
	for section in NAME SYNOPSIS EXAMPLES OVERHEAD; do
		ok "it has the section $section" grep -qx "$section" "perf-$command.txt"
	done
	ok "perf(1) names it" grep -qE "(perf-|^)$command(\(1\)|$)" perf.txt
done

# An example is an indented paragraph, behind one that says what for.
for page in perf.txt perf-*.txt; do
	is "$(sed -n '/^EXAMPLES$/,/^DESCRIPTION$/p' "$page" | grep -c '^[^	].*[:.?]$' | awk '{ print ($1 >= 3) }')" 1 "$page has three examples before its description"
	like "$(grep -A1 -E '^[A-Z ]+$' "$page" | grep -E '^[A-Z]' | head -3 | tr '\n' ' ')" '^NAME SYNOPSIS EXAMPLES $' "behind what it is for"
done

long=$(python3 ../tests/source/sentences.py 25 perf.txt perf-*.txt)
is "$?:$long" "0:" "no sentence of a page has more than 25 words"
printf 'AB\n==\n\n%s. %s one more.\n\n-x::\n\tSee (%s)! Is %s?\n\n\t%s\n' "$(seq -s ' ' 25)" "$(seq -s ' ' 24)" "$(seq -s ' ' 25)" "$(seq -s ' ' 25)" "$(seq -s ' ' 30)" >"$WORK/long.txt"
is "$(python3 ../tests/source/sentences.py 25 "$WORK/long.txt" | cut -d: -f2,3)" "$(printf '%s\n' '4: 26 words' '7: 26 words' '7: 26 words')" "one that has is found, but not in an example"

# Columns that are no keys are for -F, whose entry lists them.
fields=$(sed -n '/^--fields=/,/^-g /p' perf-report.txt | tr '\n\t' '  ')
keys=$("$PERF" report --list-values --sort)
ok "there are sort keys" test "$(wc -w <<<"$keys")" -gt 50
for key in $keys; do
	if sed -n '/^KEYS$/,/^DATA TYPES$/p' perf-report.txt | grep -qE "^([a-z_]+, )*$key(, [a-z_]+)*( \([a-z_]+\))?::|\($key\)::"; then
		pass "the page of report has the key $key"
	else
		ok "or as a field: $key" grep -qw "$key" <<<"$fields"
	fi
done

done_testing

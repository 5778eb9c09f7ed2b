#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is written by hand about the terms of filters says the same as their table, util/bpf_skel/filter-terms.h: the manual, a message, and the
# random filters of the tests, which are made without that table.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
cd "$SOURCE" || exit 1
page=Documentation/perf-filter.txt

# expand LIST ROW: a line of each row of the table, by a macro with that body
expand() {
	printf '#define SB(bit) bit\n#include "util/bpf_skel/filter-terms.h"\n#define ROW%s\n%s(ROW)\n' "$2" "$1" |
		${CC:-gcc} -E -P -I. -x c - | sed 's/;;/\n/g' | sed 's/"//g; s/^ *//; s/ *$//; /^$/d'
}

# Fields as "NAME group old tracepoint off_cpu", and terms as "name kind ops FIELD constants aliases".
fields=$({ expand FILTER_FIELDS '(n, s, b, g, group, old, tp, off) n group old tp off;;'
	expand FILTER_TESTS '(n, s, b, g, group, old, tp, off) n group old tp off;;'; })
terms=$(expand FILTER_TERMS '(n, k, o, f, c, ...) n k o f c __VA_ARGS__;;' | sed -E 's/FILTER_BITS\([^)]*\)//; s/\.[a-z_]+ = ([^{]|$)[^,]*//g;
	s/\.aliases = \{(.*)\}/\1/; s/,/ /g; s/  +/ /g; s/ $//')
ok "the table has fields and terms" test "$(wc -l <<<"$fields")" -gt 30 -a "$(wc -l <<<"$terms")" -gt 30

# A word that no list knows would leave the field out of its switches: it would read as 0.
words='^[A-Z_]+ (MEMBER|RARE|CURRENT|TASK|OWN|FILE|RECORD|WALK|OTHER) (HELPERS|BTF|FILES|PREPARED) (YES|NO) (DIRECT|SPAN|TASK|NO)$'
is "$(grep -vE "$words" <<<"$fields")" "" "the table has no other words than its head explains"

# terms_with COLUMN WORD: names of the terms whose field's column (1 is its name) is that word, sorted
terms_with() {
	awk -v column="$1" -v word="$2" 'NR == FNR { has[$1] = $column == word; next } has[$4] { print $1 }' \
		<(printf '%s\n' "$fields") <(printf '%s\n' "$terms") | sort
}

# bold TEXT: the *words* of a text of the manual, sorted
bold() {
	grep -oE '\*[a-z_0-9]*[a-z0-9]\*' <<<"$1" | tr -d '*' | sort -u
}

# paragraph FIRST LAST: lines of the manual, from the one that has FIRST to the one that has LAST, joined
paragraph() {
	sed -n "/$1/,/$2/p" "$page" | tr '\n\t' '  '
}

# entry NAME: what the manual says of a term; names of one entry stand above each other
entry() {
	awk -v name="$1::" '/^[a-z_0-9]+::$/ { if (!names) on = 0; names = 1; if ($0 == name) on = 1; next } { names = 0 }
		/^(Memory events|[A-Z]+)$/ { on = 0 } on' "$page"
}

while read -r name kind ops _ constants aliases; do
	for alias in "$name" $aliases; do
		ok "$alias is in the manual" grep -qx "$alias::" "$page"
		ok "$alias: random filters have it, or another name of it" grep -qE "\"($name${aliases:+|${aliases// /|}})\"" tests/unit/filter/random-filter.h
	done
	text=$(entry "$name")
	[ "$constants" = NONE ] || is "$(expand "FILTER_CONSTANTS_$constants" '(name, value) name;;' | while read -r constant; do
		grep -qF "*$constant*" <<<"$text" || echo "$constant"
	done)" "" "$name: the manual names its constants"
	# Operators that are not those of all numbers
	case $kind/$ops in
	SYMBOL/STRING | FILE/STRING | COMM/STRING) wanted='*==*, *!=*, *in*, *~* and *!~*' ;;
	*/STRING) wanted='*~*' ;;
	CONSTANT/EQUAL) wanted='*==*, *!=* and *in*' ;;
	SIGNED/*) wanted='Not with *&*' ;;
	*/ORDER) wanted='*>=*' ;;
	*/FLAG) wanted='flag' ;;
	*) continue ;;
	esac
	ok "$name: the manual says what it takes" grep -qF -- "$wanted" <<<"$(tr '\n\t' '  ' <<<"$text" | tr -s ' ')"
done <<<"$terms"

is "$(bold "$(paragraph '^The filter of a tracepoint names' '\*every\*')")" "$(terms_with 4 YES)" "the manual: terms that a tracepoint has"
# There it says "the weights and mem_*" for the parts of two members.
is "$(bold "$(sed -n '/^Linux 5.17 to 6.2::/,/Linux 5.14/p' "$page" | tr '\n' ' ' | sed 's/\. Those are in the sample.*//')")" "$(terms_with 3 PREPARED | grep -vE '^(weight|mem_)')" \
	"the manual: terms that kernels before 6.3 lack"
ok "which are all weights" test "$(terms_with 3 PREPARED | grep -c '^weight')" = 3
is "$(bold "$(grep 'need the kernel.s type information' "$page")")" "$(terms_with 3 BTF)" "the manual: terms that need type information there"
# Messages of all events whose filters are of tasks, off-CPU time and others: they name the terms of tasks by one macro, and besides cpu, time and period.
of_tasks=$(sed -n 's/^#define TASK_FILTER_TERMS "\(.*\)"$/\1/p' util/source/task-filter.h | tr -d ' ' | tr ',' '\n' | sort)
is "$of_tasks" "$({ terms_with 5 DIRECT; terms_with 5 TASK; } | grep -vxE 'cpu|rand|every' | sort)" "messages name the terms that tasks have"
is "$(terms_with 5 SPAN)" $'period\ntime' "others are of the event"
is "$(grep -lE 'has pid, tid' util/*/*.c)" "" "no message has a list of its own"
messages=$(grep -l 'TASK_FILTER_TERMS ' util/*/*.c)
ok "there are such messages" test "$(wc -l <<<"$messages")" -ge 5
for file in $messages; do
	message=$(grep -h -A 2 'TASK_FILTER_TERMS ' "$file")
	for term in cpu $(terms_with 5 SPAN); do
		ok "that of ${file##*/} names $term" grep -qw "$term" <<<"$message"
	done
	for term in $(terms_with 5 NO); do
		is "$(grep -cw "$term" <<<"$message")" 0 "and not what it lacks: $term"
	done
done

done_testing

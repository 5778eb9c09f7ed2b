#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every header compiles alone, and twice in a row (its guard works); and all of them together, as no two types share a name. *.bpf.h are parts of BPF programs, which have their
# parameters from the *.bpf.c that includes them; like vmlinux.h they are compiled with those.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
output=$(dirname "$PERF")
cd "$SOURCE" || exit 1

# shellcheck disable=SC2046 # several words
compile() {
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -Wall -Wno-unused-function -Werror -I. -I"$output" \
		$(pkg-config --cflags libbpf libtraceevent) -fsyntax-only -x c -
}

while read -r header; do
	if said=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header" | compile 2>&1); then
		pass "$header"
	else
		fail "$header compiles alone" "$said"
	fi
done < <(find builtin.h cmd ui util tests -name '*.h' ! -name '*.bpf.h' ! -name vmlinux.h | sort)

public() {
	find builtin.h cmd ui util -name '*.h' ! -name '*.bpf.h' ! -name vmlinux.h | sort "$@" | sed 's/.*/#include "&"/'
}

for order in "" -r; do
	# shellcheck disable=SC2086 # one word, or none
	said=$(public $order | LC_ALL=C compile 2>&1 | grep ' error: ')
	is "$said" "" "all headers compile together${order:+, in the reverse order}"
done

is "$(grep -rl '<uthash.h>' builtin*.[ch] cmd ui util)" util/lib/hash.h "only util/lib/hash.h includes uthash, which ends the process without a word if memory runs out"

done_testing

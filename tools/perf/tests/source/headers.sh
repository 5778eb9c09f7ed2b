#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every header compiles alone, and twice in a row (its guard works). *.bpf.h are parts of BPF programs, which have their
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
done < <(find builtin.h ui util tests -name '*.h' ! -name '*.bpf.h' ! -name vmlinux.h | sort)

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# -F 999 -a -g on a busy machine: what perf sample-bpf, perf record, stock perf record and (if BPFTRACE names it) bpftrace take of
# the CPUs for themselves, and what they write. Called by run.sh. DURATION: seconds for each.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
BPFTRACE=${BPFTRACE:-}
DURATION=${DURATION:-10}
work=$(mktemp -d /tmp/perf-bench-sample-bpf.XXXXXX)
cd "$work"

# timeout, as it ends all of a pipeline with itself
timeout $((6 * DURATION + 60)) sh -c 'while :; do tar -c /usr/lib 2>/dev/null | gzip -1 >/dev/null; done' &
tar=$!
# shellcheck disable=SC2016 # perl's
timeout $((6 * DURATION + 60)) perl -e 'sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) } fib(22) while 1' &
perl=$!
trap 'kill $tar $perl 2>/dev/null; rm -rf "$work"' EXIT

# cpu COMMAND...: "user system" seconds of it and its children
cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >out.txt 2>err.txt; } 2>&1 || { cat err.txt >&2; exit 1; }
}

# row TITLE FILE COMMAND...: leaves its figures in $user, $all and $bytes
row() {
	local title=$1 file=$2 seconds
	shift 2
	seconds=$(cpu "$@")
	user=${seconds% *}
	all=$(awk -v u="${seconds% *}" -v s="${seconds#* }" 'BEGIN { printf "%.3f", u + s }')
	bytes=$(stat -c %s "$file")
	printf '%-24s CPU time %6.3f s user, %6.3f s in all   written %9d bytes\n' "$title" "$user" "$all" "$bytes"
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b + 0) printf "%.3f", a / b; else printf "unknown (stock took 0)" }'
}

echo "# -F 999 -a -g for $DURATION s each, beside tar | gzip and perl"
row "perf sample-bpf" s.data "$PERF" sample-bpf -F 999 -a -g -o s.data -- sleep "$DURATION"
our_user=$user our_all=$all our_bytes=$bytes
row "perf record" r.data "$PERF" record -F 999 -a -g -o r.data -- sleep "$DURATION"
row "stock perf record" k.data "$STOCK" record -F 999 -a -g -o k.data -- sleep "$DURATION"
printf 'sample-bpf against stock: user CPU time %s, in all %s (a fifth or less), bytes %s (a tenth or less)\n' \
	"$(ratio "$our_user" "$user")" "$(ratio "$our_all" "$all")" "$(ratio "$our_bytes" "$bytes")"
if [ -n "$BPFTRACE" ]; then
	# shellcheck disable=SC2086 # several words
	row "bpftrace" out.txt $BPFTRACE -e "profile:hz:999 { @[ustack, kstack, comm] = count(); } interval:s:$DURATION { exit(); }"
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reading recordings: time and peak memory of report and script beside those of stock perf (and of NEWEST, if it names another one),
# on made recordings of several sizes. Called by run.sh. SIZES: how many samples they have; the comparison is made with the second.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
STOCK=${STOCK:-/usr/bin/perf}
NEWEST=${NEWEST:-}
SIZES=${SIZES:-100000 800000 4000000}
ROUNDS=${READ_ROUNDS:-3}
BENCH_DIR=$(dirname "$PERF")/tests/bench
work=$(mktemp -d /tmp/perf-bench-read.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

# measure COMMAND...: "microseconds KiB", the least time of all rounds and the most memory
measure() {
	local i
	for ((i = 0; i < ROUNDS; i++)); do
		"$BENCH_DIR/run-measured" "$@" || { echo "bench: failed: $*" >&2; exit 1; }
	done | awk 'NR == 1 || $1 < us { us = $1 } $2 > kb { kb = $2 } END { print us, kb }'
}

show() {
	awk -v us="$1" -v kb="$2" 'BEGIN { printf "%8.3f s %5.0f MB", us / 1e6, kb / 1024 }'
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%5.3f", a / b }'
}

# against OTHER TITLE ARGS...: one line of figures
against() {
	local other=$1 title=$2 a b
	shift 2
	read -ra a <<<"$(measure "$PERF" "$@")"
	read -ra b <<<"$(measure "$other" "$@")"
	printf '%-28s ours %s   %s %s   time %s  memory %s\n' "$title" "$(show "${a[@]}")" "$(basename "$other")" "$(show "${b[@]}")" \
		"$(ratio "${a[0]}" "${b[0]}")" "$(ratio "${a[1]}" "${b[1]}")"
}

# growth TITLE ARGS...: time for each size, and for a sample
growth() {
	local title=$1 nr first='' a
	shift
	printf '%-28s' "$title"
	for nr in $SIZES; do
		read -ra a <<<"$(measure "$PERF" "$@" -i "$nr.data")"
		printf '   %s: %s' "$nr" "$(show "${a[@]}")"
		[ -n "$first" ] || first="$nr ${a[0]}"
	done
	# shellcheck disable=SC2086 # two numbers
	set -- $first "$nr" "${a[0]}"
	awk -v n1="$1" -v t1="$2" -v n2="$3" -v t2="$4" 'BEGIN { printf "   %.0f ns more for each sample more\n", (t2 - t1) * 1000 / (n2 - n1) }'
}

for nr in $SIZES; do
	"$BENCH_DIR/make-perfdata" "$nr.data" "$nr"
done
# shellcheck disable=SC2086 # a list
set -- $SIZES
main=${2:-$1}
echo "# reading $main samples, $(($(stat -c %s "$main.data") / 1000000)) MB; least time and most memory of $ROUNDS runs"
for other in "$STOCK" $NEWEST; do
	echo "# beside $("$other" --version) (a tenth of the time or less, and no more memory)"
	against "$other" "report --no-children" report --stdio --no-children -i "$main.data"
	against "$other" "report" report --stdio -i "$main.data"
	against "$other" "script" script -i "$main.data"
done
read -ra plain <<<"$(measure cat "$main.data")"
read -ra ours <<<"$(measure "$PERF" report --stdio --no-children -i "$main.data")"
printf '%-28s %s   this share of our report --no-children: %s\n' "cat" "$(show "${plain[@]}")" "$(ratio "${plain[0]}" "${ours[0]}")"
echo
echo "# growth with the number of samples"
growth "report --no-children" report --stdio --no-children
growth "report" report --stdio
growth "script" script

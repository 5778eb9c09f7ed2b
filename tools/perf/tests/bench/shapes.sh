#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make bench-read: report and script on recordings of several shapes, which it makes itself, so that nobody tunes for one of them:
#   deep   long callchains, most of them different     forks  many short processes, callchains
#   flat   no callchains, many rows                    sys    two tracepoints
#   dwarf  callchains to unwind                        many   few different callchains, 800,000 samples
#   large  the same, 4 million samples
# Each line: ours (CPU time, peak memory), the time as a multiple of the limit (read-limit: only reads the file and interns its frames),
# and beside it NEWEST, another perf, by default /usr/bin/perf. CPU time, not elapsed time, so that a loaded machine tells the same.
# ROOT: a directory with another system, in which all runs by chroot(8): its compiler is recorded, NEWEST is a path in it, and both perfs
# see the same files. Libraries of ours that it lacks are taken along.
# SHAPES: a choice of them; SECONDS_EACH: how long the recordings of the machine take; READ_ROUNDS: the least of so many runs counts.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to measure}")
NEWEST=${NEWEST:-/usr/bin/perf}
SHAPES=${SHAPES:-deep forks flat sys dwarf many large}
SECONDS_EACH=${SECONDS_EACH:-10}
ROUNDS=${READ_ROUNDS:-2}
ROOT=${ROOT:-}
BENCH_DIR=$(dirname "$PERF")/tests/bench
work=$(mktemp -d "$ROOT/tmp/perf-bench-shapes.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# in_root COMMAND...: run it here, in ROOT if there is one
in_root() {
	if [ -n "$ROOT" ]; then
		# shellcheck disable=SC2016 # expanded by the other shell
		chroot "$ROOT" sh -c 'cd "$1" && shift && exec "$@"' sh "${work#"$ROOT"}" "$@"
	else
		"$@"
	fi
}

# Ours with the libraries that ROOT lacks, by a script that finds them beside it.
move_to_root() {
	local here=${work#"$ROOT"} lib path
	mkdir bin
	cp "$PERF" bin/perf.bin
	cp "$BENCH_DIR"/{run-measured,read-limit} bin
	for lib in $(chroot "$ROOT" ldd "$here/bin/perf.bin" | awk '/not found/ { print $1 }'); do
		path=$(ldd "$PERF" | awk -v lib="$lib" '$1 == lib { print $3 }')
		cp -L "$path" bin
	done
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$here/bin" "$here/bin/perf.bin" >bin/perf
	chmod +x bin/perf
	PERF=$here/bin/perf
	READ_DIR=$here/bin
}

READ_DIR=$BENCH_DIR
[ -z "$ROOT" ] || move_to_root

# A program that takes a compiler some time.
cat >work.cc <<'SOURCE'
#include <algorithm>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <unordered_map>
int main() { std::regex r("a+b"); std::map<std::string, std::vector<int>> m; return std::regex_match("aab", r) + m.size(); }
SOURCE
for compiler in clang++ g++; do
	in_root sh -c "command -v $compiler" >/dev/null && break
done

# Its status is the workload's, which timeout ends.
record() {
	in_root "$PERF" record -q -o "$1.data" "${@:2}" >/dev/null 2>record.err || [ -s "$1.data" ] || { cat record.err >&2; exit 1; }
}

compile() {
	local out=$1
	shift
	record "$out" "$@" -e cpu-clock -- timeout "$SECONDS_EACH" bash -c "while $compiler -std=c++20 -g -O1 -c work.cc -o work.o; do :; done"
}

make_shape() {
	case $1 in
	deep) compile deep -g -F 25000 ;;
	flat) compile flat -a -F 25000 ;;
	dwarf) compile dwarf --call-graph dwarf,8192 -F 499 ;;
	forks) record forks -a -g -F 9999 -e cpu-clock -- timeout "$SECONDS_EACH" bash -c 'while :; do /bin/true; ls / | sort; done' ;;
	sys) record sys -e syscalls:sys_enter_write -e syscalls:sys_exit_write -- dd if=/dev/zero of=/dev/null bs=1 count=300000 ;;
	many) "$BENCH_DIR/make-perfdata" many.data 800000 ;;
	large) "$BENCH_DIR/make-perfdata" large.data 4000000 ;;
	*) echo "bench: no shape $1: there are deep forks flat sys dwarf many large" >&2; exit 1 ;;
	esac
}

# measure COMMAND...: "microseconds of CPU time, KiB", the least time of all rounds and the most memory; "- -" if it fails
measure() {
	local i
	for ((i = 0; i < ROUNDS; i++)); do
		in_root "$READ_DIR/run-measured" "$@" || { echo "- -"; return; }
	done | awk '$1 == "-" { failed = 1 } NR == 1 || $3 < us { us = $3 } $2 > kb { kb = $2 }
		END { if (failed) print "- -"; else print us, kb }'
}

row() {
	local shape=$1 args=$2 a b
	shift 2
	# shellcheck disable=SC2086 # words of a command line
	read -ra a <<<"$(measure "$PERF" $args -i "$shape.data")"
	# shellcheck disable=SC2086
	read -ra b <<<"$(measure "$NEWEST" $args -i "$shape.data")"
	awk -v shape="$shape" -v args="$args" -v us="${a[0]}" -v kb="${a[1]}" -v limit="$limit" -v us2="${b[0]}" -v kb2="${b[1]}" 'BEGIN {
		printf "%-6s %-46s", shape, args
		if (us == "-") { print "ours failed"; exit }
		printf "%7.2f s %5.0f MB  limit x %6.1f  ", us / 1e6, kb / 1024, us / limit
		if (us2 == "-") print "the other failed"
		else printf "other %7.2f s %5.0f MB  time %.2f  memory %.2f\n", us2 / 1e6, kb2 / 1024, us / us2, kb / kb2
	}'
}

echo "# beside $(in_root "$NEWEST" --version); CPU time, least of $ROUNDS"
for shape in $SHAPES; do
	make_shape "$shape"
	read -ra limits <<<"$(measure "$READ_DIR/read-limit" "$shape.data")"
	limit=${limits[0]}
	echo "# $shape: $(($(stat -c %s "$shape.data") / 1000000)) MB, limit $limit us"
	row "$shape" "report --stdio --no-children"
	case $shape in
	deep | forks | dwarf | many | large)
		row "$shape" "report --stdio --children"
		row "$shape" "report --stdio --no-children -g none"
		;;
	esac
	row "$shape" "report --stdio --no-children -g none -s comm"
	[ "$shape" != flat ] || row "$shape" "report --stdio -s pid,cpu,sym"
	row "$shape" "script"
	rm "$shape.data"
done

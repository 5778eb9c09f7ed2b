#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Records three threads, of which a filter in the kernel lets two pass, and shows what came of it. See `make demo`.
set -eu
perf=$(readlink -f "${PERF:?names the perf to show}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
ln -s "$perf" perf
export PATH=$dir:$PATH

# Print a command as one would type it, and run it.
show() {
	local word
	printf '\n$'
	for word; do
		[[ $word = *[!a-zA-Z0-9_/.,:=-]* ]] && word="'$word'"
		printf ' %s' "$word"
	done
	echo
	"$@" >shown # into a pipe 'perf record' would write the recording
	cat shown
}

echo "The workload's threads render, parse and log use 60, 30 and 10 % of its CPU time."
show perf record -e cycles:u -g --filter 'comm in {render, log}' -- perf test -w demoloop 3
show perf report --stdio --no-children --percent-limit 1
echo "Dropped samples of parse never left the kernel; render and log share the rest as 60 to 10."

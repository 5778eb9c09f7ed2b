#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# build.sh OUTPUT DIRECTORY: joins the page of perf report --flamegraph from this folder and from what npm brings into DIRECTORY.
# Without npm, or if it fails, OUTPUT is empty: perf is built without that page then.
set -eu
output=$1 directory=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$directory"

leave_out() {
	echo "  the flame graph page is left out: $1" >&2
	: >"$output"
	exit 0
}

command -v npm >/dev/null || leave_out "there is no npm (install nodejs and npm, and build again)"
cp "$here/package.json" "$here/package-lock.json" "$directory"
(cd "$directory" && npm ci --ignore-scripts --no-audit --no-fund) >"$directory/npm.log" 2>&1 ||
	leave_out "npm failed, see $directory/npm.log"

modules=$directory/node_modules
awk -v style="$modules/d3-flame-graph/dist/d3-flamegraph.css $here/flamegraph.css" \
	-v script="$modules/d3-selection/dist/d3-selection.min.js $modules/d3-flame-graph/dist/d3-flamegraph.min.js \
$modules/d3-flame-graph/dist/d3-flamegraph-tooltip.min.js $here/flamegraph.js" '
function put(list,	files, n, i, line) {
	n = split(list, files, " ")
	for (i = 1; i <= n; i++) {
		while ((ret = getline line <files[i]) > 0)
			print line
		if (ret < 0)
			exit 1
	}
}
$0 == "@style@" { put(style); next }
$0 == "@script@" { put(script); next }
{ print }' "$here/flamegraph.html" >"$output.tmp"
mv "$output.tmp" "$output"

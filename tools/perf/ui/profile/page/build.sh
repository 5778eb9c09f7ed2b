#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# build.sh OUTPUT: joins the page of perf report --flamegraph and --timeline from this folder and the libraries in vendor/.
set -eu
output=$1
here=$(cd "$(dirname "$0")" && pwd)
vendor=$here/vendor

awk -v style="$vendor/d3-flame-graph/d3-flamegraph.css $here/flamegraph.css" \
	-v script="$vendor/d3-selection/d3-selection.min.js $vendor/d3-flame-graph/d3-flamegraph.min.js \
$vendor/d3-flame-graph/d3-flamegraph-tooltip.min.js $here/timeline.js $here/flamegraph.js" \
	-v licenses="$vendor/d3-selection/LICENSE $vendor/d3-flame-graph/LICENSE.modules" '
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
$0 == "@licenses@" { put(licenses); next }
{ print }' "$here/flamegraph.html" >"$output.tmp"
mv "$output.tmp" "$output"

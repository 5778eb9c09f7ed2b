#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# update.sh: takes the libraries in vendor/ anew from npm, in the versions of package.json and package-lock.json.
set -eu
cd "$(dirname "$0")"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cp package.json package-lock.json "$directory"
(cd "$directory" && npm ci --ignore-scripts --no-audit --no-fund)

modules=$directory/node_modules
flamegraph=$modules/d3-flame-graph
cp "$flamegraph/LICENSE" "$flamegraph"/dist/d3-flamegraph.css "$flamegraph"/dist/d3-flamegraph.min.js \
	"$flamegraph"/dist/d3-flamegraph-tooltip.min.js vendor/d3-flame-graph/
cp "$modules/d3-selection/LICENSE" "$modules/d3-selection/dist/d3-selection.min.js" vendor/d3-selection/
{
	echo "d3-flamegraph.min.js and d3-flamegraph-tooltip.min.js also contain parts of these modules, which are distributed under the" \
		"licences below."
	for module in "$modules"/d3-* "$modules"/internmap; do
		[ "$module" = "$flamegraph" ] || { printf '\n=== %s ===\n\n' "${module##*/}" && cat "$module/LICENSE"; }
	done
} >vendor/d3-flame-graph/LICENSE.modules

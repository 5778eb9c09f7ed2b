#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make pictures: the pictures of README.md, from what perf prints: a flame graph of `perf report --folded`, and a heat map of
# `perf sample-bpf --latency -I`. SVG, made by awk alone. pictures.sh [DIR]: into this folder.
set -eu
export LC_ALL=C
perf=$(readlink -f "${PERF:?names the perf that draws}")
dir=$(readlink -m "${1:-$(dirname "$0")/pictures}")
work=$(mktemp -d /tmp/perf-pictures.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"

# What both pictures begin with: svg WIDTH HEIGHT TITLE, text X Y TEXT, box X Y WIDTH HEIGHT COLOR TIP
# shellcheck disable=SC2016 # awk's
drawing='
	function escaped(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
	function svg(width, height, title) {
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"12\">\n", width, height
		printf "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height
		printf "<text x=\"%d\" y=\"20\" text-anchor=\"middle\">%s</text>\n", width / 2, escaped(title)
	}
	function text(x, y, s) { printf "<text x=\"%.1f\" y=\"%.1f\" xml:space=\"preserve\">%s</text>\n", x, y, escaped(s) }
	function box(x, y, width, height, color, tip) {
		printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.5\"><title>%s</title></rect>\n",
			x, y, width, height, color, escaped(tip)
	}'

# flame_graph TITLE: from folded lines, sorted. A frame ends where a line has another one at its depth; below 0.4 % none is drawn.
flame_graph() {
	# shellcheck disable=SC2016
	awk -v title="$1" "$drawing"'
	function finish(from,	d) {
		for (d = open; d >= from; d--)
			if (at - start[d] >= 0.004 * all) {
				n++; x[n] = start[d]; w[n] = at - start[d]; depth[n] = d; label[n] = frame[d]
				if (d > deepest) deepest = d
			}
	}
	{ value[NR] = $NF; sub(/ [0-9]+$/, ""); line[NR] = $0; all += value[NR] }
	END {
		for (i = 1; i <= NR; i++) {
			nr = split(line[i], part, ";")
			for (same = 0; same < nr && same < open && part[same + 1] == frame[same + 1]; same++)
				;
			finish(same + 1)
			for (d = same + 1; d <= nr; d++) { frame[d] = part[d]; start[d] = at }
			open = nr
			at += value[i]
		}
		finish(1)
		svg(960, 40 + 18 * deepest + 10, title)
		for (i = 1; i <= n; i++) {
			left = 10 + 940 * x[i] / all; width = 940 * w[i] / all; top = 40 + 18 * (deepest - depth[i])
			shade = (length(label[i]) * 37 + depth[i] * 11) % 60
			box(left, top, width, 17, sprintf("rgb(%d,%d,%d)", 235 + shade / 3, 130 + shade * 1.5, 60 + shade / 2),
				sprintf("%s: %.1f %%", label[i], 100 * w[i] / all))
			chars = int((width - 6) / 7.3)
			if (chars >= 3) text(left + 3, top + 13, length(label[i]) > chars ? substr(label[i], 1, chars - 1) "~" : label[i])
		}
		print "</svg>"
	}'
}

# heat_map TITLE: from the rows "LOW -> HIGH |cells|" of the text, whose characters stand for counts, and the line of times below them
heat_map() {
	# shellcheck disable=SC2016
	awk -v title="$1" "$drawing"'
	/^ *[0-9]+( -> [0-9]+)? +\|[^|]*\|$/ && !times { nr++; split($0, part, "|"); name[nr] = part[1]; cells[nr] = part[2] }
	/ms a column\)$/ { times = $0; sub(/^ +/, "", times) }
	END {
		if (!nr) { print "no heat map in the text" >"/dev/stderr"; exit 1 }
		columns = length(cells[1])
		width = 750 / columns
		svg(960, 40 + 18 * nr + 30, title)
		for (i = 1; i <= nr; i++) {
			text(10, 53 + 18 * (i - 1), name[i])
			for (c = 1; c <= columns; c++) {
				heat = index(".:-=+*#%@", substr(cells[i], c, 1)) # 0: none
				if (heat)
					box(180 + width * (c - 1), 40 + 18 * (i - 1), width, 18,
						sprintf("rgb(%d,%d,%d)", 255 - 6 * heat, 235 - 23 * heat, 200 - 21 * heat), name[i])
			}
		}
		text(10, 40 + 18 * nr + 18, times)
		print "</svg>"
	}'
}

"$perf" record -q -e cpu-clock -F 999 -g -o flame.data -- "$perf" test -w demoloop 3
"$perf" report --folded -i flame.data | sort >folded.txt
flame_graph 'perf record -g -- perf test -w demoloop 3' <folded.txt >flame-graph.svg
# Sleeps of 20 ms and 400 ms, and what a wake-up then waits for a CPU
"$perf" sample-bpf -a --latency sched:sched_wakeup,sched:sched_switch:pid=next_pid --unit us -I 100 -- "$perf" test -w sleepy >heat.txt 2>err.txt ||
	{ cat err.txt >&2; exit 1; }
heat_map 'time from wake-up to CPU: perf sample-bpf -a --latency sched:sched_wakeup,sched:sched_switch:pid=next_pid --unit us -I 100' <heat.txt >heat-map.svg
mkdir -p "$dir"
mv flame-graph.svg heat-map.svg "$dir"

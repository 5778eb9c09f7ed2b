#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make pictures: the pictures of README.md, from what perf prints: a flame graph of `perf report --folded`, a heat map of
# `perf sample-bpf --latency -I`, and the browser of `perf report` as tmux has it. SVG, made by awk alone. pictures.sh [DIR]: into this folder.
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

# screen TITLE: from lines of tmux with the escapes of bold, reversed and colored text; runs of equal looks are one text
screen() {
	# shellcheck disable=SC2016
	awk -v title="$1" "$drawing"'
	function put(s,	fill) {
		if (s == "")
			return
		fill = reversed ? "#fff" : color == 31 ? "#b3261e" : color == 32 ? "#1b7f3b" : "#1d2126"
		if (reversed)
			printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"17\" fill=\"#1d2126\"/>\n", 10 + 7.4 * column, 28 + 17 * NR, 7.4 * length(s)
		if (s ~ /[^ ]/)
			printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" textLength=\"%.1f\"%s xml:space=\"preserve\">%s</text>\n", 10 + 7.4 * column, 41 + 17 * NR,
				fill, 7.4 * length(s), bold ? " font-weight=\"bold\"" : "", escaped(s)
		column += length(s)
	}
	function look(codes,	list, n, i) {
		n = split(codes, list, ";")
		if (codes == "") { n = 1; list[1] = 0 }
		for (i = 1; i <= n; i++) {
			if (list[i] == 0) bold = reversed = color = 0
			else if (list[i] == 1) bold = 1
			else if (list[i] == 7) reversed = 1
			else if (list[i] == 27) reversed = 0
			else if (list[i] == 39) color = 0
			else if (list[i] >= 30 && list[i] < 38) color = list[i]
		}
	}
	NR == 1 { svg(92 * 7.4 + 20, 40 + 17 * 24 + 10, title) }
	{
		column = 0
		while (match($0, /\033\[[0-9;]*m/)) {
			put(substr($0, 1, RSTART - 1))
			look(substr($0, RSTART + 2, RLENGTH - 3))
			$0 = substr($0, RSTART + RLENGTH)
		}
		put($0)
	}
	END { print "</svg>" }'
}

# in_terminal COMMAND: until it shows a line that matches $1, then with the keys $2, until it shows $3
in_terminal() {
	local i
	shows() {
		for ((i = 0; i < 600; i++)); do
			tmux -S tmux capture-pane -p -t t | grep -q -- "$1" && return
			sleep 0.1
		done
		echo "the browser does not show: $1" >&2
		return 1
	}
	tmux -S tmux -f /dev/null new-session -d -s t -x 92 -y 24 -e TERM=screen-256color "$4"
	shows "$1"
	# shellcheck disable=SC2086 # keys
	tmux -S tmux send-keys -t t $2
	shows "$3"
	tmux -S tmux capture-pane -p -e -t t
	tmux -S tmux kill-server
}

command -v tmux >/dev/null || { echo "pictures.sh: the browser's picture needs tmux" >&2; exit 1; }
# A program that everybody has here, and whose stacks begin with main: this one, while it reads a recording
"$perf" record -q -e cpu-clock:u -F 4000 -g -o loop.data -- "$perf" test -w demoloop 3
"$perf" record -q -e cpu-clock:u -F 20000 -g -o flame.data -- "$perf" report --stdio -i loop.data >report.txt
"$perf" report --folded -i flame.data | sort >folded.txt
flame_graph 'perf record -g -- perf report --stdio' <folded.txt >flame-graph.svg
in_terminal '^+ .*render_frame' 'Down Down Down e' '^-  .*render_frame' "'$perf' report -i loop.data" >screen.txt
screen 'perf report: ? shows the keys' <screen.txt >browser.svg
# Sleeps of 20 ms and 400 ms, and what a wake-up then waits for a CPU
"$perf" sample-bpf -a --latency sched:sched_wakeup,sched:sched_switch:pid=next_pid --unit us -I 100 -- "$perf" test -w sleepy >heat.txt 2>err.txt ||
	{ cat err.txt >&2; exit 1; }
heat_map 'time from wake-up to CPU: perf sample-bpf -a --latency sched:sched_wakeup,sched:sched_switch:pid=next_pid --unit us -I 100' <heat.txt >heat-map.svg
mkdir -p "$dir"
mv flame-graph.svg heat-map.svg browser.svg "$dir"

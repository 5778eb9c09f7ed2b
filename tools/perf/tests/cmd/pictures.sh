#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The pictures of README.md: well-formed, and what they show is what was recorded.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
command -v python3 >/dev/null || skip_all "needs python3"
command -v tmux >/dev/null || skip_all "needs tmux"

# boxes FILE: "LEFT TOP WIDTH TITLE" of each, from what an XML parser reads
boxes() {
	python3 -c '
import sys, xml.etree.ElementTree as tree
for box in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect"):
    for title in box:
        print(box.get("x"), box.get("y"), box.get("width"), title.text)' "$1"
}

run "$SOURCE/Documentation/pictures.sh" drawn
is "$rc:$err" "0:" "the pictures are drawn"
boxes drawn/flame-graph.svg >boxes.txt
# frame NAME: left edge and width of the widest one
frame() {
	awk -v name="$1:" '$4 == name { print $1, $3 }' boxes.txt | sort -k2,2nr | head -1
}
# inside INNER OUTER: of "LEFT WIDTH"
inside() {
	awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(x[2] > 0 && x[1] >= y[1] - 0.2 && x[1] + x[2] <= y[1] + y[2] + 0.2) }'
}
for pair in "main _start" "cmd_report main" "read_input cmd_report"; do
	ok "${pair% *} stands on ${pair#* }" inside "$(frame "${pair% *}")" "$(frame "${pair#* }")"
done
ok "main is no narrow tower" test "$(frame main | awk '{ printf "%d", $2 }')" -gt 300
is "$(awk '$1 + $3 > 950.2 || $1 < 9.8' boxes.txt)" "" "nothing is drawn outside"
is "$(awk '{ row = $2 } row in end && $1 < end[row] - 0.2 { print } { if ($1 + $3 > end[row]) end[row] = $1 + $3 }' <(sort -k2,2n -k1,1n boxes.txt))" "" \
	"no two frames lie on each other"
boxes drawn/heat-map.svg >cells.txt
ok "the heat map has cells" test "$(wc -l <cells.txt)" -gt 10
browser=$(python3 -c '
import sys, xml.etree.ElementTree as tree
for text in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    print(text.text)' drawn/browser.svg)
like "$browser" '^Samples: [0-9]+K of event .cpu-clock' "the browser shows the recording"
like "$browser" '^- +[0-9.]+% +[0-9.]+%  render +perf +\[\.\] render_frame' "with an open row"
like "$browser" '^. help  / filter  Enter open' "and its last line"
is "$(cd drawn && echo *)" "browser.svg flame-graph.svg heat-map.svg" "three pictures"
is "$(find drawn -size +200k)" "" "none of them is large"
for picture in flame-graph browser heat-map; do
	ok "README.md shows $picture.svg" grep -q "Documentation/pictures/$picture.svg" "$SOURCE/../../README.md"
	ok "which is in the source" test -s "$SOURCE/Documentation/pictures/$picture.svg"
done
run "$SOURCE/Documentation/pictures.sh" /dev/null/no-directory
ok "a folder that cannot be made is an error" test "$rc" != 0
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The pictures of README.md: well-formed, and what they show is what was recorded.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
command -v python3 >/dev/null || skip_all "needs python3"

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
# Its threads use 60, 30 and 10 % of 940 pixels, with what they wait beside that.
for thread in "render 564" "parse 282" "log 94"; do
	width=$(awk -v name="${thread% *}:" '$4 == name { print $3 }' boxes.txt)
	ok "${thread% *} is as wide as its time ($width)" near "$width" "${thread#* }" 60
done
is "$(awk '$1 + $3 > 950.2 || $1 < 9.8' boxes.txt)" "" "nothing is drawn outside"
is "$(awk '{ row = $2 } row in end && $1 < end[row] - 0.2 { print } { if ($1 + $3 > end[row]) end[row] = $1 + $3 }' <(sort -k2,2n -k1,1n boxes.txt))" "" \
	"no two frames lie on each other"
boxes drawn/heat-map.svg >cells.txt
ok "the heat map has cells" test "$(wc -l <cells.txt)" -gt 10
is "$(ls drawn)" "flame-graph.svg"$'\n'"heat-map.svg" "two pictures"
for picture in flame-graph heat-map; do
	ok "README.md shows $picture.svg" grep -q "Documentation/pictures/$picture.svg" "$SOURCE/../../README.md"
	ok "which is in the source" test -s "$SOURCE/Documentation/pictures/$picture.svg"
done
run "$SOURCE/Documentation/pictures.sh" /dev/null/no-directory
ok "a folder that cannot be made is an error" test "$rc" != 0
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Hotspot opens our recordings: its parser finds the functions, and its window shows the file. `make viewers` installs it.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

for parser in /usr/libexec/hotspot-perfparser /usr/lib/*/libexec/hotspot-perfparser; do
	[ ! -x "$parser" ] || break
done
[ -x "$parser" ] && command -v hotspot Xvfb xdotool >/dev/null || skip_all "needs hotspot, Xvfb and xdotool: make viewers"

"$PERF" record -q -e cpu-clock:u -g -F 999 -o plain.data -- "$WORKLOAD" demoloop 0.5 || exit 1
"$PERF" record -q -z -e cpu-clock:u -g -F 999 -o packed.data -- "$WORKLOAD" demoloop 0.5 || exit 1
"$PERF" sample-bpf -q -z0 -e cpu-clock:u -g -F 999 -o counted.data -- "$WORKLOAD" demoloop 0.5 || exit 1
"$PERF" sample-bpf -q -e cpu-clock:u -g -F 999 -o packed-counted.data -- "$WORKLOAD" demoloop 0.5 || exit 1

spawn Xvfb -screen 0 1400x900x24 -nolisten tcp -displayfd 3 3>display >xvfb.txt 2>&1
ok "there is a screen" wait_for 60 test -s display
DISPLAY=:$(<display)
export DISPLAY QT_QPA_PLATFORM=xcb

is_shown() { # FILE PID: a window has its name
	xdotool search --pid "$2" --name "^$1 - Hotspot" >window 2>/dev/null && kill -0 "$2"
}
opens() { # FILE
	"$parser" --input "$1" --output parsed >parser.txt 2>&1
	is "$?" 0 "$1: the parser ends well"
	like "$(strings -n 4 parsed)" '^.?render_frame$' "$1: it names functions of samples"
	unlike "$(<parser.txt)" 'COMPRESSED|decompress' "$1: it unpacks all records"
	spawn hotspot "$1" >hotspot.txt 2>&1
	ok "$1: the window shows the file" wait_for 60 is_shown "$1" "$spawned_pid"
	kill "$spawned_pid"
	wait "$spawned_pid" 2>/dev/null
}
opens plain.data
opens counted.data
# Debian 12's is built without zstd, and reads no compressed file of any perf.
if nm -D "$parser" | grep -q ZSTD_; then
	opens packed.data
	opens packed-counted.data
else
	skip 8 "this hotspot is built without zstd"
fi

done_testing

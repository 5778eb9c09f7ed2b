#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --timeline: as text, and as a page, where a range of time is selected as a person does it.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

"$PERF" record -q -e cpu-clock:u -g -F 2000 -o p.data -- "$WORKLOAD" demoloop 1 || exit 1

# --- text ---

run "$PERF" report -i p.data --timeline
is "$rc:$err" "0:" "--timeline prints"
samples=$("$PERF" script -i p.data -F tid | grep -c .)
like "$out" "^# cpu-clock:u: $samples samples, from [0-9.]+ to [0-9.]+\$" "the event with its samples and times"
is "$(grep -cE '^ +[0-9.]+ \|' <<<"$out")" 20 "twenty parts of a second"
like "$out" '^render +[0-9]+ \|.*[%@]' "a row for the thread that ran most"
is "$(sed -nE 's/^(render|parse|log) +[0-9]+ \|.*/\1/p' <<<"$out" | xargs)" "render parse log" "those with most time first"
unlike "$out" $'\033' "without colors where there is no terminal"
is "$(awk 'length > 80' <<<"$out")" "" "in 80 columns"
like "$("$PERF" report -i p.data --timeline --time-quantum 2s)" 'columns of 2 s' "--time-quantum sets the columns"
# The time under a character of the grid is that under the same one of the threads.
text=$("$PERF" report -i p.data --timeline)
is "$(awk '/\|$/ { print index($0, "|") }' <<<"$text" | sort -u)" 26 "both maps begin at the same place"
is "$(awk '/\|$/ { print length }' <<<"$text" | sort -u | wc -l)" 1 "and end at the same"
is "$(awk '/^ +0 +[0-9.]+ s$/ { print $2 }' <<<"$text" | sort -u | wc -l)" 1 "at the same time"
ok "which is at the right end" test "$(awk '/\|$/ { print length; exit }' <<<"$text")" -gt 66
like "$text" '^thread .*; blank: no sample$' "gaps are explained"
out=$("$PERF" report -i p.data --timeline --comm log)
like "$out" '^log ' "--comm chooses"
unlike "$out" '^render' "and leaves out others"

# fits WIDTH HEIGHT DATA: what a terminal shows, to $seen
seen_on() {
	tmux -S "$WORK/tmux" -f /dev/null new-session -d -s t -x "$1" -y "$2" -e TERM=screen-256color "'$PERF' report -i $3 --timeline; echo ended; read -r _"
	shows_end() { tmux -S "$WORK/tmux" capture-pane -p -t t 2>/dev/null | grep -q '^ended'; }
	wait_for 60 shows_end
	seen=$(tmux -S "$WORK/tmux" capture-pane -p -t t)
	colored=$(tmux -S "$WORK/tmux" capture-pane -p -e -t t)
	end_tmux
}
if command -v tmux >/dev/null; then
	for size in 80x24 200x60; do
		seen_on "${size%x*}" "${size#*x}" p.data
		like "$(head -1 <<<"$seen")" '^# cpu-clock:u' "$size: all is on the screen"
		like "$seen" '^log +[0-9]+ \|' "with the threads"
		ok "as wide as it is" test "$(awk '{ if (length > most) most = length } END { print most }' <<<"$seen")" -gt $((${size%x*} * 3 / 4))
		like "$colored" $'\033\[48;5;2' "in greys"
	done
else
	skip 8 "needs tmux"
fi

# --- the page ---

run "$PERF" report -i p.data --timeline p.html
is "$rc:$out:$err" "0::" "--timeline FILE writes a page"
unlike "$(cat p.html)" '<(script|link)[^>]* (src|href)=' "that loads nothing"
cat >check.py <<'PY'
import collections, json, re, subprocess, sys
perf, data, page = sys.argv[1:]
text = open(page).read()
profile = json.loads(re.search(r'<script type="application/json" id="profile">(.*?)</script>', text, re.S).group(1))
lines = subprocess.run([perf, "script", "-i", data, "-F", "tid,period"], capture_output=True, text=True).stdout.split("\n")
periods, samples = collections.Counter(), collections.Counter()
for tid, period in (line.split() for line in lines if line.strip()):
    periods[int(tid)] += int(period)
    samples[int(tid)] += 1

def check(what, good):
    print(what, "right" if good else "wrong")

event = profile["events"][0]
threads = {t["tid"]: t for t in event["threads"]}
nodes = event["nodes"]
check("threads", set(threads) == set(periods))
check("sums", all(sum(t["weight"]) == periods[tid] for tid, t in threads.items()))
check("samples", all(sum(t["nr"]) == samples[tid] for tid, t in threads.items()))
check("cells", all(sum(t["cell"]) < event["cells"] for t in threads.values()))
check("callers-first", all(parent < i + 1 for i, parent in enumerate(nodes["parent"])))
own = collections.Counter()
for t in threads.values():
    for node, weight in zip(t["node"], t["weight"]):
        own[node] += weight
check("stacks", all(own[i + 1] == value for i, value in enumerate(nodes["self"])))
PY
while read -r what verdict; do
	is "$verdict" right "$what"
done < <(python3 check.py "$PERF" p.data p.html 2>&1)

# browse PAGE [OPTIONS...]: what scripts in the page leave in <pre id="result">
browse() {
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --force-prefers-reduced-motion --user-data-dir="$WORK/chromium" --window-size=1200,900 \
		--virtual-time-budget=8000 "${@:2}" --dump-dom "file://$WORK/$1" 2>/dev/null |
		sed -n '/^.*<pre id="result">/,/<\/pre>/{ s/<[^>]*>//g; p }'
}
# What clicks begin with: canvases, and events on them as they come from a mouse and from keys
cat >hands.js <<'JS'
	const result = [], say = (what, value) => result.push(`${what}=${value}`), $ = id => document.getElementById(id);
	const event = profile.events[0], at = (canvas, type, x, y) => {
		const box = canvas.getBoundingClientRect();

		canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: box.left + x, clientY: box.top + y }));
	};
	const click = (canvas, x, y) => { at(canvas, "pointerdown", x, y); at(canvas, "pointerup", x, y); };
	const key = (canvas, name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
	const frames = () => [...document.querySelectorAll("#chart g.frame")].map(g => g.__data__.data);
	const facts = () => $("facts").textContent.match(/^[0-9,]+ samples/)[0].replace(/[^0-9]/g, "");
	const range = () => $("range").textContent;
	const done = () => {
		document.body.innerHTML = "<pre id=\"result\"></pre>";
		$("result").textContent = result.join("\n");
	};
JS
with_clicks() { # PAGE: with what stdin does in it
	{ cat "$1" && echo '<script>' && cat hands.js - && echo '</script>'; } >test.html
}
# between FROM TO: samples in these seconds after the first, as perf script tells, to the ns
between() {
	"$PERF" script -i p.data --ns -F time | tr -d ' .:' | sort -n | awk -v from="$1" -v to="$2" '
		NR == 1 { first = $1 } $1 - first >= from * 1e9 && $1 - first < to * 1e9 { n++ } END { print n + 0 }'
}
if ! command -v chromium >/dev/null; then
	skip 22 "needs chromium"
else
	with_clicks p.html <<'JS'
	const cell = (column, part) => [190 + column * column_width() + 3, (49 - part) * 5 + 2], column_width = () => (parseInt($("grid").style.width) - 198) /
		Math.ceil(event.cells / 50);
	say("all", facts());
	say("wide", parseInt($("grid").style.width) > innerWidth - 80);
	say("axis", $("grid").style.width === $("threads").style.width);
	say("gaps", $("cells").textContent);
	say("drawn", $("grid").getContext("2d").getImageData(0, 0, $("grid").width, $("grid").height).data.some((c, i, d) => i % 4 === 0 && d[i] - d[i + 1] > 60));
	click($("grid"), ...cell(1, 0));
	say("anchor", range());
	click($("grid"), ...cell(3, 24));
	say("range", range());
	say("samples", facts());
	const root = frames().find(node => node.name === "all");
	say("value", root.value === root.children.reduce((sum, node) => sum + node.value, 0));
	$("whole").click();
	say("whole", facts());
	at($("grid"), "pointerdown", ...cell(4, 49));
	at($("grid"), "pointermove", ...cell(3, 10));
	at($("grid"), "pointerup", ...cell(3, 0));
	say("drag", range());
	say("dragged", facts());
	$("grid").focus();
	key($("grid"), "Escape");
	say("escape", facts());
	for (let i = 0; i < 99; i++)
		key($("grid"), "ArrowLeft");
	for (let i = 0; i < 49; i++)
		key($("grid"), "ArrowDown");
	key($("grid"), "ArrowRight");
	say("told", $("details").textContent);
	key($("grid"), "Enter");
	for (let i = 0; i < 9; i++)
		key($("grid"), "ArrowUp");
	key($("grid"), "Enter");
	say("keys", range());
	say("pressed", facts());
	click($("threads"), 190, 7);
	click($("threads"), parseInt($("threads").style.width) - 1, 7);
	say("thread", range());
	say("comms", frames().filter(node => node.kind === "comm" && node.name !== "all").map(node => node.name));
	say("of_thread", facts());
	done();
JS
	page=$(browse test.html)
	value() { sed -nE "s/^$1=(.*)/\1/p" <<<"$page"; }
	is "$(value all)" "$samples" "the page begins with the whole time"
	is "$(value drawn)" true "the map is drawn"
	is "$(value wide)" true "as wide as the window, although the recording is short"
	is "$(value axis)" true "the threads have its axis"
	like "$(value gaps)" '^a line: the thread has no sample there' "and their gaps are explained"
	# columns of 0.1 s, or of 1 s if the threads had to wait for CPUs
	column=$(python3 -c 'import json, re
print(json.loads(re.search(r"id=\"profile\">(.*?)</script>", open("p.html").read(), re.S).group(1))["events"][0]["column"] / 1e9)')
	# times COLUMN PART COLUMN PART: begin of the first cell and end of the second one
	times() { awk -v c="$column" -v a="$1" -v b="$2" -v d="$3" -v e="$4" 'BEGIN { printf "%.3f %.3f\n", c * (a + b / 50), c * (d + (e + 1) / 50) }'; }
	read -r from to < <(times 1 0 3 24)
	is "$(value anchor)" "from $from s: click the end" "a click begins a range"
	is "$(value range)" "$from s to $to s" "a second one ends it"
	is "$(value samples)" "$(between "$from" "$to")" "its flame graph has the samples of that time"
	is "$(value value)" true "whose frames make the whole"
	is "$(value whole)" "$samples" "the button shows all again"
	read -r from to < <(times 3 0 4 49)
	is "$(value drag):$(value dragged)" "$from s to $to s:$(between "$from" "$to")" "dragging selects, backwards, too"
	is "$(value escape)" "$samples" "Escape shows all"
	read -r from to < <(times 1 0 1 9)
	is "$(value keys):$(value pressed)" "$from s to $to s:$(between "$from" "$to")" "so do arrows and Enter"
	like "$(value told)" '^[0-9.]+ s: [0-9.,]+ [mun]?s$' "which tell what is in a cell"
	like "$(value thread)" '^0\.000 s to [0-9.]+ s, render [0-9]+$' "in the other map a thread is selected"
	# It may have been sampled before it had its name.
	of_render=$("$PERF" script -i p.data -F comm,tid | awk -v tid="$(sed 's/.* //' <<<"$(value thread)")" '$NF == tid { print $1 }')
	is "$(value comms):$(value of_thread)" "$(sort -u <<<"$of_render" | paste -sd,):$(wc -l <<<"$of_render")" "whose flame graph that is"

	# --- states, and names that would be HTML ---

	mkdir odd
	cp "$WORKLOAD" 'odd/<img src=x>'
	"$PERF" record -q --wall --off-cpu-thresh 0 -o w.data -- 'odd/<img src=x>' sleepy >/dev/null || exit 1
	"$PERF" report -i w.data --timeline w.html
	is "$("$PERF" report -i w.data --timeline | awk 'length > 80')" "" "the key of states fits in 80 columns, too"
	with_clicks w.html <<'JS'
	const asleep = $("threads").getContext("2d").getImageData(0, 0, $("threads").width, $("threads").height).data;
	say("blue", asleep.filter((c, i) => i % 4 === 0 && c === 143 && asleep[i + 1] === 184 && asleep[i + 2] === 222).length > 1000);
	say("key", $("states").textContent);
	const right = parseInt($("threads").style.width) - 1;
	click($("threads"), 300, 7);
	click($("threads"), right, 7);
	say("state", frames().filter(node => node.kind === "state").sort((a, b) => b.value - a.value).map(node => node.name)[0]);
	say("name", frames().some(node => node.name === "\x3cimg src=x>"));
	say("elements", document.querySelectorAll("img").length);
	for (let x = 190; x < right && !$("details").textContent.includes(": sleeping"); x += 20) // on a busy machine it is ready to run, too
		at($("threads"), "pointermove", x, 7);
	say("told", $("details").textContent);
	done();
JS
	page=$(browse test.html)
	is "$(value blue)" true "sleep has its color"
	like "$(value key)" 'sleeping [0-9.]+ m?s' "and its place in the key"
	like "$(value state)" '^\[sleeping\]$' "a range has the states of its time"
	is "$(value name):$(value elements)" "true:0" "names are text"
	like "$(value told)" ', [0-9.]+ s: sleeping [0-9.]+ [mu]?s' "a cell tells its states"
fi

# --- what is refused ---

for option in --latency "--parallelism 1" -x "--symbol-filter main"; do
	# shellcheck disable=SC2086
	run "$PERF" report -i p.data --timeline $option
	is "$rc:$out" "129:" "$option is refused"
done
run "$PERF" report -i p.data --timeline=/nonexistent/t.html
is "$rc" 255 "so is a directory that is not there"
run "$PERF" report -i p.data --timeline=/dev/full
is "$rc:$err" "255:cannot write /dev/full: No space left on device" "and a full disk"
done_testing

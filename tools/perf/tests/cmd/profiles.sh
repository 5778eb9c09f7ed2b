#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --json, --pprof, --flamegraph: the stacks of a recording for other tools, and the page in a browser.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

"$PERF" record -q -e cpu-clock:u -g -F 2000 -o p.data -- "$WORKLOAD" demoloop 1 || exit 1
samples=$("$PERF" script -i p.data -F comm,tid | grep -c .)
# What the report tells is the truth for the others: the percentage of a function with all that it calls.
percent_of() {
	"$PERF" report -i p.data --stdio -q --children -g none -s sym -F overhead_children,sym 2>/dev/null |
		awk -v f="$1" '$NF == f { sub("%", ""); print $1 }'
}

# --- JSON ---

run "$PERF" report -i p.data --json
is "$rc:$err" "0:" "--json prints"
json() { # JAVASCRIPT: of the document d, its first event e, and total(name), the period of all nodes of that name
	node -e '
	const d = JSON.parse(require("fs").readFileSync(0)), e = d.events[0];
	const total = name => e.stacks.filter(n => n.name === name).reduce((sum, n) => sum + n.value, 0);
	console.log('"$1"');' <<<"$out"
}
if command -v node >/dev/null; then
	is "$(json 'd.events.length + e.name + e.samples')" "1cpu-clock:u$samples" "one event with all samples"
	is "$(json 'e.stacks.reduce((sum, n) => sum + (n.samples || 0), 0)')" "$samples" "each sample is in a stack"
	is "$(json 'e.stacks.filter(n => !("parent" in n)).map(n => n.kind + n.name).sort().join()')" \
		"$("$PERF" script -i p.data -F comm,tid | awk '{ print "comm" $1 }' | sort -u | paste -sd,)" "stacks stand on command names"
	is "$(json 'e.stacks.reduce((sum, n) => sum + (n.self || 0), 0) === e.period')" true "periods add up"
	# Of two numbers as near JavaScript prints the larger, C the even one.
	ok "a function has the share that it has in the report" \
		near "$(json '(total("render_frame") / e.period * 100).toFixed(2)')" "$(percent_of render_frame)" 0.011
	is "$(json 'e.stacks.every((n, i) => !("parent" in n) || n.parent < i)')" true "callers stand before callees"
	is "$(json 'd.cmdline.includes("record") && d.time_last > d.time_first')" true "the recording is described"
else
	skip 7 "needs node"
fi

# --- pprof ---

run "$PERF" report -i p.data --pprof p.pb.gz
is "$rc:$out:$err" "0::" "--pprof writes a file"
gunzip -c p.pb.gz >p.pb
ok "which is gzip'ed" test -s p.pb
if command -v protoc >/dev/null; then
	protoc --decode=perf.pprof.Profile --proto_path="$SOURCE/ui/profile" pprof.proto <p.pb >p.txt
	ok "and a profile" test -s p.txt
	is "$(grep -c '^sample_type' p.txt)" 2 "with two values a sample"
	is "$(awk '/^sample {/ { n = 0 } /^  value:/ && n++ == 0 { sum += $2 } END { print sum }' p.txt)" "$samples" \
		"the first counts the samples"
	like "$(cat p.txt)" '^string_table: "render_frame"$' "functions have names"
	is "$(sed -n 's/^string_table: //p' p.txt | head -1)" '""' "the first text is empty, as the format wants it"
	text_at() { # NUMBER
		sed -n 's/^string_table: //p' p.txt | sed -n "$(($1 + 1))p"
	}
	field() { # MEMBER FIELD: of the first one
		awk -v member="$1" -v field="$2:" '$1 == member && $2 == "{" { inside = 1 } inside && $1 == field { print $2; exit } /^}/ { inside = 0 }' p.txt
	}
	like "$(text_at "$(field period_type unit)")" nanoseconds "the period has a unit"
	is "$(sed -n 's/^period: //p' p.txt)" 500000 "and is that of the frequency"
	like "$(text_at "$(field mapping filename)")" '/workload"$' "the program is the first mapping"
	"$PERF" report -i p.data --comms log --pprof log.pb.gz && gunzip -c log.pb.gz |
		protoc --decode=perf.pprof.Profile --proto_path="$SOURCE/ui/profile" pprof.proto >p.txt
	like "$(text_at "$(field mapping filename)")" '/workload"$' "also if its threads have other names"
	is "$(field mapping id)" 1 "which has the number 1"
	is "$(field function filename)" "" "a function names no file, as its source is not known"
else
	skip 11 "needs protoc"
fi
if command -v go >/dev/null; then
	HOME=$WORK go tool pprof -top p.pb.gz >top.txt 2>&1
	like "$(<top.txt)" '^File: workload$' "pprof knows the program"
	like "$(<top.txt)" ' render_frame$' "and the functions"
else
	skip 2 "needs go"
fi

# Labels, by Google's own schema
for python in python3 /usr/bin/python3; do
	"$python" -c 'import google.protobuf' 2>/dev/null && break
done
google=/usr/share/gocode/src/github.com/google/pprof/proto
mkdir google
if protoc --proto_path=$google --python_out=google $google/profile.proto 2>/dev/null && "$python" -c 'import google.protobuf' 2>/dev/null; then
	cat >labels.py <<'PY'
import gzip, profile_pb2, sys
p = profile_pb2.Profile.FromString(gzip.open(sys.argv[1]).read())
s, n = p.string_table, {}
for x in p.sample:
    l = {s[i.key]: s[i.str] or i.num for i in x.label}
    assert len(l) == len(x.label) and all(type(l[k]) is int for k in ("pid", "tid")), l
    assert l["cgroup"][0] == "/" if len(sys.argv) > 2 else "cgroup" not in l, l
    of = l["comm"], l["pid"], l["tid"]
    n[of] = n.get(of, 0) + x.value[0]
print(*sorted(" ".join(map(str, k)) + f" {v}" for k, v in n.items()), sep="\n")
PY
	labels() { # NAME [cgroup]
		PYTHONPATH=google PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" labels.py "$1.pb.gz" "${@:2}" >"$1.txt"
		is "$(<"$1.txt")" "$("$PERF" script -i "$1.data" -F comm,pid,tid | awk '{ split($2, id, "/"); n[$1 " " id[1] " " id[2]]++ }
			END { for (k in n) print k, n[k] }' | LC_ALL=C sort)" "$1: labels of pprof say whose each sample is"
	}
	"$PERF" record -q -e cpu-clock -F 999 --all-cgroups -g -o labels.data -- "$WORKLOAD" thloop 0.3 || exit 1
	"$PERF" report -i labels.data --pprof labels.pb.gz --json >labels.json
	labels labels cgroup
	# Threads that run the same code, and take another name after a while
	"$PERF" record -q -e cpu-clock -F 999 -g -o renamed.data -- python3 -c '
import threading, time
def run():
    for name in "one", "two":
        open(f"/proc/self/task/{threading.get_native_id()}/comm", "w").write(name)
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
threads = [threading.Thread(target=run) for i in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]' || exit 1
	"$PERF" report -i renamed.data --pprof renamed.pb.gz
	labels renamed
	is "$(cut -d" " -f1 renamed.txt | grep -cE 'one|two')" 6 "renamed: three threads of two names"
	ok "of several threads" test "$(cut -d" " -f3 labels.txt | sort -u | wc -l)" -ge 2
	is "$(python3 -c 'import json
print(sum(n.get("samples", 0) for e in json.load(open("labels.json"))["events"] for n in e["stacks"]))' 2>&1)" \
		"$(awk '{ n += $4 } END { print n }' labels.txt)" "JSON beside it has the same samples"
else
	skip 5 "needs protobuf-compiler, python3-protobuf and golang-github-google-pprof-dev"
fi

# go tool pprof shortens names that it takes for the system's own.
if command -v go >/dev/null && c++ -O1 -g -o names -xc++ - 2>cc.txt <<'C++'
template<typename T> __attribute__((noinline)) T spin(T n)
{
	volatile T sum = 0;

	for (int i = 0; i < 60000000; i++)
		sum = sum + n;
	return sum;
}
int main(int argc, char **argv) { return spin<double>(argc) + spin<float>(argc) == 0; }
C++
then
	"$PERF" record -q -e cpu-clock:u -F 1000 -o names.data -- ./names || exit 1
	"$PERF" report -i names.data --pprof names.pb.gz
	top=$(HOME=$WORK go tool pprof -top -symbolize=none names.pb.gz 2>&1)
	like "$top" ' (double )?spin<double>' "go tool pprof keeps arguments of templates"
	like "$top" ' (float )?spin<float>' "and so functions apart"
else
	skip 2 "needs go and c++"
fi

# --- the page ---

# browse PAGE [OPTIONS...]: what scripts in the page leave in <pre id="result">
browse() {
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --force-prefers-reduced-motion --user-data-dir="$WORK/chromium" \
		"${@:2}" --dump-dom "file://$WORK/$1" 2>/dev/null | sed -n '/^.*<pre id="result">/,/<\/pre>/{ s/<[^>]*>//g; p }'
}
# What a task may call itself, for the parser of HTML to leave its way.
mkdir odd
cp "$WORKLOAD" 'odd/<!--<script>'
"$PERF" record -q -e cpu-clock:u -F 1000 -o odd.data -- 'odd/<!--<script>' noploop 0.1 || exit 1
run "$PERF" report -i odd.data --json
like "$out" '"\\u003c!--\\u003cscript>"' "JSON says names without <"
ok "and still says them" python3 -c 'import json, sys
sys.exit(not any(n["name"] == "<!--<script>" for e in json.load(sys.stdin)["events"] for n in e["stacks"]))' <<<"$out"

run "$PERF" report -i p.data --flamegraph p.html
if ! command -v chromium >/dev/null; then
	skip 10 "needs chromium"
else
	is "$rc:$out:$err" "0::" "--flamegraph writes a page"
	unlike "$(cat p.html)" '<(script|link)[^>]* (src|href)=' "that loads nothing"
	# A click and a search, as a person makes them; what came of it is left as text in the page.
	cat >click.js <<'JS'
	const frame = name => [...document.querySelectorAll("#chart g.frame")].find(g => g.__data__.data.name === name);
	// What a frame is on its way to: a browser without a screen draws few pictures between.
	const width = name => frame(name) ? Math.round(frame(name).getAttribute("width")) : 0;
	const result = [], say = (what, value) => result.push(`${what}=${value}`);
	say("facts", document.getElementById("facts").textContent);
	const all = width("all");
	say("wide", all > 200);
	say("roots", document.documentElement.scrollHeight > innerHeight && frame("all").getBoundingClientRect().bottom <= innerHeight);
	const before = width("render_frame");
	frame("render_frame").dispatchEvent(new MouseEvent("click", { bubbles: true }));
	setTimeout(() => {
		say("zoomed", before < all && width("render_frame") === all);
		document.getElementById("reset").click();
		setTimeout(() => {
			say("back", width("render_frame") === before);
			const search = document.getElementById("search");
			search.value = "parse_input";
			search.dispatchEvent(new Event("input", { bubbles: true }));
			say("found", document.getElementById("matched").textContent);
			document.body.innerHTML = `<pre id="result">${result.join("\n")}</pre>`;
		}, 1000);
	}, 1000);
JS
	{ cat p.html && echo '<script>' && cat click.js && echo '</script>'; } >test.html
	page=$(browse test.html --window-size=1200,250 --virtual-time-budget=8000)
	like "$page" '^wide=true$' "the page draws"
	like "$page" '^facts=[0-9,]+ samples, [0-9.,]+ m?s,' "it says seconds where the event is a clock"
	like "$page" '^roots=true$' "the roots are in sight, also of stacks that are higher than the window"
	like "$page" '^zoomed=true$' "a click makes a frame as wide as the page"
	like "$page" '^back=true$' "the button undoes that"
	ok "the search finds a function and its share" \
		near "$(sed -nE 's/^found=[1-9][0-9]* frames, ([0-9.]+) %$/\1/p' <<<"$page")" "$(percent_of parse_input)" 0.011

	"$PERF" report -i odd.data --flamegraph odd.html
	is "$(grep -c '<!--<script>' odd.html)" 0 "a name is never part of the page"
	cat >names.js <<'JS'
	const names = [...document.querySelectorAll("#chart g.frame")].map(g => g.__data__.data.name);
	document.body.innerHTML = "<pre id=\"result\"></pre>";
	document.getElementById("result").textContent = names.includes("\x3c!--\x3cscript>") ? "drawn" : `only ${names.join()}`;
JS
	{ cat odd.html && echo '<script>' && cat names.js && echo '</script>'; } >test.html
	is "$(browse test.html)" drawn "and the page of a task named <!--<script> draws"
fi

# --- what frames are colored by ---

# has_kind DATA KIND NAME: a node with this name is of that kind
has_kind() {
	"$PERF" report -i "$1" --json 2>/dev/null | python3 -c 'import json, sys
kinds = {n["kind"] for e in json.load(sys.stdin)["events"] for n in e["stacks"] if sys.argv[1] in n["name"]}
print(",".join(sorted(kinds)))' "$3" >kinds.txt
	is "$(<kinds.txt)" "$2" "$3 is of the kind $2"
}
if "$WORKLOAD" jitdump 2>jit.txt; then
	"$PERF" record -q -k mono -e cpu-clock:u -F 1000 -o jit.data -- "$WORKLOAD" jitdump 0.1 || exit 1
	jitted=$("$PERF" report -i jit.data --json 2>/dev/null | python3 -c 'import json, sys
print([n["name"] for e in json.load(sys.stdin)["events"] for n in e["stacks"] if n["kind"] == "jit" and n.get("samples")][0])' 2>/dev/null)
	ok "code of a JIT compiler is a kind of its own" test -n "$jitted"
	unlike "$jitted" '\[' "with its names"
else
	skip 2 "$(<jit.txt)"
fi
has_kind p.data user render_frame
python=
for candidate in /usr/bin/python3 /root/.pyenv/versions/*/bin/python3; do
	[ "$UID" = 0 ] && "$candidate" -c 'import sys, ctypes; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && python=$candidate
done
if [ -n "$python" ]; then
	echo 'def interpreted_loop():
    return sum(i * i for i in range(3000000))
interpreted_loop()' >loop.py
	"$PERF" record -q -g -e cpu-clock:u -F 1000 -o python.data -- "$(readlink -f "$python")" loop.py || exit 1
	has_kind python.data interpreted interpreted_loop
else
	skip 1 "no Python 3.11 to 3.13"
fi
for wrong in "--flamegraph-colors heat --flamegraph x.html" "--flamegraph-colors file" "--flamegraph-colors file --flamegraph x.html --diff p.data"; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" report -i p.data $wrong
	is "$rc:$out" "129:" "$wrong: refused"
	like "$err" '--flamegraph-colors' "with the reason"
done
"$PERF" report -i p.data --flamegraph files.html --flamegraph-colors file
if command -v chromium >/dev/null; then
	cat >colors.js <<'JS'
	const result = [], say = (what, value) => result.push(`${what}=${value}`), by_id = id => document.getElementById(id);
	const fill = () => getComputedStyle([...document.querySelectorAll("#chart g.frame")].find(g => g.__data__.data.name === "render_frame").querySelector("rect")).fill;
	const items = () => [...document.querySelectorAll("#kinds span")];
	const color_of_key = text => getComputedStyle(items().find(item => item.textContent.startsWith(text)).firstChild).backgroundColor;
	const file = profile.events[0].stacks.find(node => node.name === "render_frame").dso;
	const first = fill();
	say("by", by_id("by").value);
	say("file", first === color_of_key(file));
	say("share", items().find(item => item.textContent.startsWith(file)).textContent.slice(file.length));
	by_id("by").value = "kind";
	by_id("by").dispatchEvent(new Event("change"));
	say("kind", fill() === color_of_key("user") && fill() !== first);
	say("key", items().map(item => item.textContent).join());
	document.body.innerHTML = `<pre id="result">${result.join("\n")}</pre>`;
JS
	{ cat files.html && echo '<script>' && cat colors.js && echo '</script>'; } >test.html
	page=$(browse test.html --window-size=1200,900 --virtual-time-budget=8000)
	like "$page" '^by=file$' "the page begins with what was asked for"
	like "$page" '^file=true$' "a frame has the color of its file in the key"
	like "$page" '^share= [0-9.]+ %$' "which tells the file's share"
	like "$page" '^kind=true$' "another choice draws anew"
	like "$page" '^key=user(,inlined)?,command$' "with the kinds that there are"
else
	skip 5 "needs chromium"
fi

# --- compared with an older recording ---

# shellcheck disable=SC2016 # for the inner shell
"$PERF" record -q -e cpu-clock:u -F 2000 --call-graph fp -o old.data -- sh -c '"$WORKLOAD" noploop 0.3; "$WORKLOAD" thloop 0.1' || exit 1
# shellcheck disable=SC2016
"$PERF" record -q -e cpu-clock:u -F 2000 --call-graph fp -o new.data -- sh -c '"$WORKLOAD" noploop 0.1; "$WORKLOAD" leafloop 0.1' || exit 1
"$PERF" report -i old.data --json >old.json
"$PERF" report -i new.data --json >new.json
run "$PERF" report -i new.data --json --diff old.data
is "$rc:$err" "0:" "--json --diff"
cat >compare.py <<'PY'
import json, sys

def load(name):
    event = json.load(open(name))["events"][0]
    paths, result = [], {}
    for node in event["stacks"]:
        path = (paths[node["parent"]] if "parent" in node else ()) + ((node["kind"], node["name"], node.get("dso")),)
        paths.append(path)
        assert path not in result
        result[path] = (node["value"], node.get("self", 0), node.get("old", 0))
    return event, result

old_event, old = load("old.json")
new_event, new = load("new.json")
event, both = load("both.json")
assert set(both) == set(old) | set(new), "stacks of either"
for path, (value, own, before) in both.items():
    assert (value, own) == new.get(path, (0, 0, 0))[:2], path
    assert before == old.get(path, (0, 0, 0))[0], path
assert event["old_period"] == old_event["period"] and event["old_samples"] == old_event["samples"]
assert event["period"] == new_event["period"]
print(sum(value == 0 for value, _, _ in both.values()), "gone")
PY
printf '%s\n' "$out" >both.json
like "$(python3 compare.py 2>&1)" '^[1-9][0-9]* gone$' "has the stacks of both recordings, with the sums of each"
run "$PERF" report -i new.data --pprof none.gz --diff old.data
is "$rc" 129 "--diff without a page is refused"
like "$err" "'perf diff old.data FILE'" "with what to do for rows"
run "$PERF" report -i new.data --flamegraph none.html --diff no-such.data
is "$rc" 255 "so is a recording that is not there"
ok "and no page is left" test ! -e none.html
run "$PERF" report -i new.data --flamegraph diff.html --diff old.data
is "$rc:$out:$err" "0::" "--flamegraph --diff writes a page"
if ! command -v chromium >/dev/null; then
	skip 6 "needs chromium"
else
	cat >click.js <<'JS'
	const frames = () => [...document.querySelectorAll("#chart g.frame")];
	const frame = name => frames().find(g => g.__data__.data.name === name);
	const result = [], say = (what, value) => result.push(`${what}=${value}`);
	// Is it red, blue or neither?
	const color = name => {
		const [r, , b] = getComputedStyle(frame(name).querySelector("rect")).fill.match(/[0-9]+/g).map(Number);

		return r - b > 30 ? "red" : b - r > 30 ? "blue" : "none";
	};
	const rows = [...document.querySelectorAll("#gone button")];
	const row = rows.find(button => button.textContent.includes("workload_thloop"));
	const width = g => Math.round(g.getAttribute("width")), all = width(frame("all"));
	say("all", color("all"));
	say("new", color("parent"));
	say("less", color("noploop"));
	say("drawn", frames().some(g => g.__data__.data.name === "test_loop"));
	say("gone", rows.length > 0 && document.querySelector("#gone summary").textContent);
	say("row", row && row.textContent);
	frame("parent").dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
	say("details", document.getElementById("details").textContent);
	frame("parent").dispatchEvent(new MouseEvent("click", { bubbles: true }));
	setTimeout(() => {
		const before = width(frame("parent")) === all;

		row.click();
		setTimeout(() => {
			say("zoomed", before && width(frame("parent")) < all && width(frame("workload__run")) === all);
			document.body.innerHTML = "<pre id=\"result\"></pre>";
			document.getElementById("result").textContent = result.join("\n");
		}, 1000);
	}, 1000);
JS
	{ cat diff.html && echo '<script>' && cat click.js && echo '</script>'; } >test.html
	page=$(browse test.html --window-size=1200,600 --virtual-time-budget=8000)
	is "$(grep -E '^(all|new|less|drawn)=' <<<"$page" | tr '\n' ' ')" "all=none new=red less=blue drawn=false " \
		"what is new is red, what has shrunk is blue, and what is gone is not drawn"
	like "$page" '^gone=[1-9][0-9]* frames are only in old.data: [0-9.]+ % of it$' "but listed"
	like "$page" '^row=[0-9.]+ %workload &gt; .* &gt; workload_thloop$' "with its callers and its share"
	like "$page" '^details=parent .*: [0-9.]+ %, 0\.00 % before \(\+[0-9.]+\), ' "a frame says what it was before"
	like "$page" '^zoomed=true$' "a click on what is gone shows where it was"
	unlike "$(cat diff.html)" '<(script|link)[^>]* (src|href)=' "the page loads nothing"
fi

# The page's frame is found beside perf, or where it was installed.
mkdir alone
cp "$PERF" alone/perf
run alone/perf report -i p.data --flamegraph alone.html
if [[ $rc = 255 ]]; then
	like "$err" "^flamegraph\.html is not installed" "without the frame of the page: refused"
	ok "and nothing is left" test ! -e alone.html
else
	skip 2 "flamegraph.html is installed"
fi

# --- what cannot be written ---

run "$PERF" report -i p.data --pprof /nonexistent/x.pb.gz
is "$rc" 255 "no such directory: refused"
like "$err" '/nonexistent/x.pb.gz' "which is named"
# perf says so before it reads the recording: so it does not warn of the end, which is missing.
head -c -100 p.data >cut.data
for output in "--pprof /nonexistent/x" "--flamegraph /nonexistent/x" "--speedscope /nonexistent/x" "--firefox /nonexistent/x" "--timeline=/nonexistent/x"; do
	# shellcheck disable=SC2086
	run "$PERF" report -i cut.data $output
	is "$rc:$err" "255:cannot create /nonexistent/x: No such file or directory" "$output: told before the recording is read"
done
mkdir outputs
run "$PERF" report -i cut.data --flamegraph outputs
is "$rc:$err" "255:cannot write outputs: Is a directory" "a directory: told before the recording is read"
run "$PERF" report -q -i p.data --flamegraph outputs/x.html
is "$rc:$(ls outputs)" "0:x.html" "and a page leaves nothing beside it"
if [ "$(id -u)" = 0 ]; then
	run "$PERF" lock contention --flamegraph /nonexistent/x -- touch ran
	is "$rc:$err" "255:cannot create /nonexistent/x: No such file or directory" "perf lock contention tells it before it runs the command"
	ok "which does not run" test ! -e ran
	run "$PERF" stacks --flamegraph /nonexistent/x -p $$
	is "$rc:$err" "255:cannot create /nonexistent/x: No such file or directory" "perf stacks tells it, too"
else
	skip 3 "needs root"
fi
for output in --pprof --flamegraph; do
	run "$PERF" report -i p.data $output /dev/full
	is "$rc:$err" "255:cannot write /dev/full: No space left on device" "$output: a full device is told"
done
for output in "--json" "--pprof -" "--flamegraph -" "--folded"; do
	for option in --latency "--parallelism 1" "-x" "--symbol-filter main"; do
		# shellcheck disable=SC2086
		run "$PERF" report -i no.data $output $option
		is "$rc:$out" "129:" "$output $option is refused"
		like "$err" "^  Error: --.* goes with rows only" "with the reason"
	done
done
for output in "--json" "--pprof -" "--folded" "--stdio" "-D"; do
	# shellcheck disable=SC2086
	run sh -c '"$0" report -i p.data "$@" >/dev/full' "$PERF" $output
	is "$rc:$err" "1:perf: cannot write to the standard output: No space left on device" "$output: so is a standard output that is full, once"
done
run "$PERF" report -i p.data --json --pprof p2.pb.gz
is "$rc:$(cmp p.pb.gz p2.pb.gz && echo same)" "0:same" "two outputs at once, the same again"

done_testing

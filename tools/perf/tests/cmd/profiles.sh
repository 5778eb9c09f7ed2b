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
	protoc --decode=perf.pprof.Profile --proto_path="$SOURCE/ui" pprof.proto <p.pb >p.txt
	ok "and a profile" test -s p.txt
	is "$(grep -c '^sample_type' p.txt)" 2 "with two values a sample"
	is "$(awk '/^sample {/ { n = 0 } /^  value:/ && n++ == 0 { sum += $2 } END { print sum }' p.txt)" "$samples" \
		"the first counts the samples"
	like "$(cat p.txt)" '^string_table: "render_frame"$' "functions have names"
	is "$(sed -n 's/^string_table: //p' p.txt | head -1)" '""' "the first text is empty, as the format wants it"
else
	skip 5 "needs protoc"
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

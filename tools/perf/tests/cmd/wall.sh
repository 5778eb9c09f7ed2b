#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Wall-clock time: each state of the threads of the workload phases, beside their own clocks.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# spans FILE: a line for each sample: comm, tid, state, ns, end
spans() {
	"$PERF" script -i "$1" --ns -F comm,tid,time,period,bpf-output 2>/dev/null | awk '
		/BPF string:/ { gsub(/"/, "", $3); print comm, tid, $3, ns, end }
		!/BPF|^ +0008:/ && NF >= 4 { comm = $1; tid = $(NF - 2); end = $(NF - 1); ns = $NF; gsub(/[.:]/, "", end) }'
}

# compare: for each thread of the file clocks its name, and the two clocks of its life, its time on CPUs, ready to run, asleep and in a lock. Of
# the file spans only what lies before the end that the thread has seen: on a busy machine it may take long to end.
compare() {
	awk 'NR == FNR { name[$2] = $1; end[$2] = $3; life[$2] = $4; runs[$2] = $5; ready[$2] = $6; left[$2] = $7; next }
		$2 in end {
			ns = $5 > end[$2] ? $4 - ($5 - end[$2]) : $4
			if (ns <= 0)
				next
			all[$2] += ns
			state[$2, $3] += ns
		}
		END { for (t in end) printf "%s %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n", name[t], all[t], life[t],
				state[t, "user"] + state[t, "kernel"] + state[t, "running"], runs[t], state[t, "runnable"], ready[t],
				state[t, "sleeping"] + state[t, "futex"] + state[t, "disk"], left[t], state[t, "futex"] }' clocks spans
}

# spent TID STATE[|STATE...]: ns of the thread in these states
spent() {
	awk -v tid="$1" -v states="^($2)$" '$2 == tid && $3 ~ states { sum += $4 } END { printf "%.0f", sum }' spans
}

# near_by PERCENT WHOLE A B [MORE]: A and B differ by at most PERCENT of WHOLE; A may exceed B by MORE ns beyond that
near_by() {
	awk -v p="$1" -v whole="$2" -v a="$3" -v b="$4" -v more="${5-0}" 'BEGIN { d = a - b; exit !(-d <= whole * p / 100 && d <= whole * p / 100 + more) }'
}

# watch FILE OPTIONS...: perf record --wall into FILE, of threads that print clocks. Sets the files spans and clocks, and $stolen: for how many ns the host
# had the CPUs. The kernel counts these neither as time on a CPU nor as any other: clocks of threads lack them, but by its switches they were on a CPU.
watch() {
	local before
	before=$(steal)
	run "$PERF" record --wall --off-cpu-thresh 0 -o "$@"
	stolen=$(($(steal) - before))
	[ "$stolen" = 0 ] || stolen=$(((stolen + 1) * 1000000000 / $(getconf CLK_TCK)))
	spans "$1" >spans
	echo "$out" >clocks
}
steal() {
	awk '$1 == "cpu" { print $9 }' /proc/stat
}

# --- each state beside the thread's own clock ---

watch w.data -- "$WORKLOAD" phases 1000
is "$rc" 0 "record --wall"
like "$err" 'wall-clock: [0-9]+ spans: ' "tells the spans"
unlike "$err" 'lost|no stack|memory left' "nothing is lost"
is "$(wc -l <clocks)" 7 "seven threads"
while read -r name all life on runs waiting ready asleep left lock; do
	ok "$name: its states are its life: $all of $life" near_by 1 "$life" "$all" "$life"
	ok "... time on CPUs: $on of $runs" near_by 2 "$life" "$on" "$runs" "$stolen"
	ok "... ready to run: $waiting of $ready" near_by 2 "$life" "$waiting" "$ready"
	ok "... asleep: $asleep of $left" near_by 2 "$life" "$left" "$asleep" "$stolen"
	[ "$name" = waits ] || left=0
	ok "... of that for a lock: $lock of $left" near_by 2 "$life" "$lock" "$left"
done < <(compare)
is "$(awk '$4 <= 0' spans)" "" "each span has some time"
folded=$("$PERF" report -i w.data --folded 2>/dev/null)
like "$folded" '^computes;.*;phase_compute;compute_for.*;\[user\] [0-9]+$' "where it computes"
like "$folded" '^reads;.*;phase_read;.*;\[sleeping\] [0-9]+$' "where it reads"
like "$folded" '^waits;.*;phase_mutex;.*futex.*;\[futex\] [0-9]+$' "where it waits for a mutex"
like "$folded" '^rival;.*;compute_for.*;\[runnable\] [0-9]+$' "where it lost its CPU"
report=$("$PERF" report -i w.data --stdio -g none -s comm,state 2>/dev/null)
for row in 'computes +user' 'sleeps +sleeping' 'waits +futex' 'rival +runnable'; do
	like "$report" "%  $row" "-s state: $row"
done
"$PERF" report -i w.data --flamegraph page.html --json >w.json 2>/dev/null
like "$(cat w.json)" '"kind":"state","name":"\[futex\]"' "states end the stacks of a flame graph"
timeline=$("$PERF" report -i w.data --timeline 2>/dev/null)
like "$timeline" ' l lock f futex' "the timeline's key has the states"
like "$timeline" '^ *waits.*f' "and its rows their letters"
"$PERF" report -i w.data --firefox w.firefox 2>/dev/null
# category NAME: that a frame of this name has in the profile for Firefox
category() {
	python3 -c 'import json, sys
profile = json.load(open("w.firefox"))
shared = profile["shared"]
for func, category in zip(shared["frameTable"]["func"], shared["frameTable"]["category"]):
    if shared["stringArray"][shared["funcTable"]["name"][func]] == sys.argv[1]:
        sys.exit(profile["meta"]["categories"][category]["name"])' "$1" 2>&1
}
is "$(category '[futex]')" Lock "waits in futex(2) are waits for locks in Firefox"
is "$(category '[sleeping]')" Sleep "and other sleeps are not"

# The page: a frame has the color of the state in which it spent most, and the key has all states with their time.
if command -v chromium >/dev/null; then
	cat >click.js <<'JS'
	const frames = () => [...document.querySelectorAll("#chart g.frame")], result = [], say = (what, value) => result.push(`${what}=${value}`);
	const named = (name, kind) => frames().find(g => g.__data__.data.name === name && g.__data__.data.kind === kind);
	const rgb = element => getComputedStyle(element).fill.match(/[0-9]+/g).slice(0, 3).join();
	const color = (name, kind) => named(name, kind) ? rgb(named(name, kind).querySelector("rect")) : "none";
	const shown = [...document.querySelectorAll("#states span")];
	const key = text => getComputedStyle(shown.find(span => span.textContent.startsWith(text)).firstChild).backgroundColor.match(/[0-9]+/g).join();
	const same = (frame, state) => color(frame, "user") === key(state) && key(state);
	say("kinds", document.getElementById("kinds").hidden);
	say("sleeps", same("phase_sleep", "sleeping"));
	say("waits", same("phase_mutex", "futex"));
	say("state", color("[futex]", "state") === key("futex"));
	say("key", shown.map(span => span.textContent).join());
	const times = shown.map(span => span.textContent.match(/([0-9.,]+) (s|ms|us|ns)$/)).map(([, n, unit]) => n.replace(",", "") * { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 }[unit]);
	say("sum", Math.abs(times.reduce((sum, n) => sum + n, 0) / (profile.events[0].period / 1e9) - 1) < 0.01);
	const width = g => Math.round(g.getAttribute("width")), all = width(frames().find(g => g.__data__.data.name === "all"));
	named("phase_mutex", "user").dispatchEvent(new MouseEvent("click", { bubbles: true }));
	setTimeout(() => {
		say("zoomed", width(named("phase_mutex", "user")) === all);
		const by = document.getElementById("by"), shares = () => [...document.querySelectorAll("#kinds span")].map(span => +span.textContent.match(/([0-9.]+) %$/)[1]);
		by.value = "file";
		by.dispatchEvent(new Event("change"));
		say("files", Math.abs(shares().reduce((sum, n) => sum + n, 0) - 100) < 5);
		shown.splice(0, shown.length, ...document.querySelectorAll("#states span"));
		say("its-state", color("[futex]", "state") === key("futex"));
		document.body.innerHTML = `<pre id="result">${result.join("\n")}</pre>`;
	}, 1000);
JS
	{ cat page.html && echo '<script>' && cat click.js && echo '</script>'; } >test.html
	page=$(timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --force-prefers-reduced-motion --user-data-dir="$WORK/chromium" --window-size=1200,600 \
		--virtual-time-budget=8000 --dump-dom "file://$WORK/test.html" 2>/dev/null | sed -n '/^.*<pre id="result">/,/<\/pre>/{ s/<[^>]*>//g; p }')
	like "$page" '^kinds=true$' "the page of wall-clock time has a key of states"
	like "$page" '^sleeps=[0-9]+,' "what sleeps has the color of sleep in the key"
	like "$page" '^waits=[0-9]+,' "what waits in futex(2) that of futexes"
	like "$page" '^state=true$' "so has the state itself"
	like "$page" '^key=.*sleeping [0-9.]+ m?s' "the key tells times"
	like "$page" '^sum=true$' "which make the whole"
	like "$page" '^zoomed=true$' "a click zooms in"
	like "$page" '^files=true$' "by file, the key has the share of each"
	like "$page" '^its-state=true$' "and states keep their colors"
else
	skip 9 "needs chromium"
fi

# --- stock perf ---

total=$(awk '{ sum += $4 } END { printf "%.0f", sum }' spans)
if [ -n "$STOCK" ]; then
	like "$("$STOCK" report -i w.data --stdio -g none -s comm 2>&1)" "event 'wall-clock'.*
# Event count \\(approx\\.\\): $total" "the distribution's perf reads the same time"
else
	skip 1 "no perf of the distribution"
fi

# --- who ended it ---

run "$PERF" record --wall --off-cpu-waker -o k.data -- "$WORKLOAD" phases 200
like "$("$PERF" report -i k.data --folded 2>/dev/null)" 'phase_write;.*;phase_read;.*;\[sleeping\]' "--off-cpu-waker: who wrote what it waited for"

# --- thousands of threads ---

watch t.data -m 64M -- "$WORKLOAD" phases 200 2000
is "$rc" 0 "2,000 threads"
unlike "$err" ' lost |could not follow' "of which nothing is lost"
compare >both
is "$(awk '$2 > 0' both | wc -l)" 2000 "all are there"
read -r all life on runs waiting ready asleep left < <(awk '{ for (i = 2; i <= 9; i++) sum[i] += $i } END { for (i = 2; i <= 9; i++) printf "%.0f ", sum[i] }' both)
ok "the time of all: $all of $life" near_by 1 "$life" "$all" "$life"
ok "... on CPUs: $on of $runs" near_by 2 "$life" "$on" "$runs" "$stolen"
ok "... ready to run: $waiting of $ready" near_by 2 "$life" "$waiting" "$ready"
ok "... asleep: $asleep of $left" near_by 2 "$life" "$left" "$asleep" "$stolen"
rm t.data

# --- tasks that were there before, and are after ---

spawn "$WORKLOAD" sleepy ever
ever=$spawned_pid
spawn "$WORKLOAD" noploop 60
busy=$spawned_pid
asleep() { grep -q '^State:.S' "/proc/$ever/status"; }
ok "a process that sleeps for ever" wait_for 20 asleep
run "$PERF" record --wall -o b.data -p "$ever,$busy" -- sleep 0.5
is "$rc" 0 "running processes"
spans b.data >spans
all=$(spent "$ever" '.*')
is "$(spent "$ever" sleeping)" "$all" "one only sleeps"
ok "all along: $all" test "$all" -ge 490000000
ok "the other one as long: $(spent "$busy" '.*')" near_by 0.01 "$all" "$(spent "$busy" '.*')" "$all"
ok "without any sleep" test "$(spent "$busy" 'sleeping|lock|futex|disk')" -lt $((all / 50))
is "$(awk '{ print $2 }' spans | sort -u | wc -l)" 2 "and there are no others"
kill -KILL "$busy"
wait "$busy" 2>/dev/null

# --- counted in the kernel ---

run "$PERF" sample-bpf --wall --key tid,comm -o c.data -- "$WORKLOAD" phases 300
is "$rc" 0 "sample-bpf --wall"
spans c.data >spans
echo "$out" >clocks
while read -r name tid _ life _ waiting _; do
	others=$(spent "$tid" '.*')
	ready=$(spent "$tid" runnable)
	others=$((others - ready))
	ok "$name: without waits for a CPU: $others of $((life - waiting))" near_by 5 "$life" "$others" "$((life - waiting))"
	# Its sums have no times: after it has looked at its clocks it may wait again, to end.
	ok "... ready to run: $ready of $waiting, or more" near_by 5 "$life" "$ready" "$waiting" $((elapsed * 1000000))
done <clocks
is "$(awk '$1 == "waits" { print $3 }' spans | sort -u | grep -c futex)" 1 "states are apart"
like "$("$PERF" sample-bpf --wall --folded -- "$WORKLOAD" phases 100 2>/dev/null)" '^waits;.*phase_mutex;.*;\[futex\] ' "--folded: where it waits"
run "$PERF" sample-bpf --wall --key uid -- true
is "$rc" 129 "by uid it is refused"
run "$PERF" sample-bpf -e wall-clock --hist period -- true
is "$rc" 129 "and in a histogram"

# --- filters and options ---

run "$PERF" record --wall --filter 'comm == reads' -o f.data -- "$WORKLOAD" phases 200
is "$rc:$(spans f.data | awk '{ print $1 }' | sort -u | xargs)" "0:reads" "--filter is judged in the kernel"
like "$err" 'filter: [0-9]+ samples? seen, [0-9]+ kept' "and counted"
is "$("$PERF" evlist -i f.data | grep -v dummy)" wall-clock "there is no other event"
run "$PERF" record --wall --filter 'period > 20ms' -o f.data -- "$WORKLOAD" phases 200
is "$rc:$(spans f.data | awk '$4 <= 20000000' | wc -l)" 0:0 "by time"
run "$PERF" record -e wall-clock --off-cpu-thresh 0 -o f.data -- "$WORKLOAD" phases 100
is "$rc:$(sed -nE 's/.* ([0-9]+) short ones in.*/\1/p' <<<"$err")" 0:0 "-e wall-clock: each span by itself"
for option in '-C 0' --off-cpu '--off-cpu-states R' '-c 10' '-e off-cpu'; do
	# shellcheck disable=SC2086
	run "$PERF" record --wall $option -o f.data -- true
	is "$rc" 129 "$option is refused: $(head -1 <<<"$err")"
done

# Samples without a chain come between those of wall-clock time, which have one: they are not looked up in the chain before.
for try in 1 2 3; do
	run "$PERF" record -a --wall -e cpu-clock -F 999 -o both.data -- "$WORKLOAD" thloop 0.5
	is "$rc" 0 "wall-clock time of all tasks beside samples without callers, recording $try"
	run "$PERF" report -i both.data --stdio
	is "$rc" 0 "and they can be read"
	like "$out" "Samples: .* of event 'cpu-clock'" "the samples, too"
done

done_testing

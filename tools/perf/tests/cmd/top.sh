#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf top: tables of what a workload does, how old samples fade, and what is refused.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# tables FILE: how many were printed
tables() { grep -c '^   PerfTop:.*irqs/sec' "$1"; }
has_tables() { [ "$(tables "$1")" -ge "$2" ]; }

# --- shares ---

spawn "$WORKLOAD" shareloop 1000
work=$spawned_pid
"$PERF" top --stdio -d 1 -e cpu-clock -F 999 -p "$work" >top.out 2>top.err </dev/null &
top=$!
spawned+=("$top")
ok "tables follow each other" wait_for 60 has_tables top.out 3
# On a busy machine the process has few samples each second, and shares of few samples may be anything.
has_samples() { awk '/^   PerfTop:/ { nr += $2 } END { exit !(nr >= 300) }' top.out; }
ok "with samples enough for shares" wait_for 60 has_samples
kill "$work"
wait "$top"
is "$?" 0 "perf top ends when the process does"
is "$(cat top.err)" "" "and says nothing more"
like "$(cat top.out)" "^   PerfTop: +[0-9]+ irqs/sec  kernel: *[0-9.]+% \[999Hz cpu-clock\],  \(target_pid: $work\)\$" "the title says rate and target"
share() { awk -v name="$1" '$NF == name { share = $1 } END { print share + 0 }' top.out; }
seven=$(share seven_parts) three=$(share three_parts)
ok "the last table has the shares of the workload ($seven, $three)" awk -v a="$seven" -v b="$three" 'BEGIN { exit !(a + b > 80 && a / (a + b) > 0.6 && a / (a + b) < 0.8) }'
like "$(cat top.out)" '^ +[0-9.]+%  [a-z]+ +\[\.\] seven_parts$' "rows are percentage, file and function"

# --- what was hit before ---

# phases OPTIONS...: noploop for a while, then leafloop until there are tables of that
phases() {
	rm -f go
	: >top.out # nothing of the last perf top, which ends the waiting at once
	# What begins after perf top is part of what it watches.
	# shellcheck disable=SC2016
	spawn bash -c 'until [ -e go ]; do sleep 0.1; done; "$WORKLOAD" noploop 2; exec "$WORKLOAD" leafloop 1000'
	work=$spawned_pid
	"$PERF" top -d 1 -e cpu-clock -F 999 -p "$work" "$@" >top.out 2>&1 </dev/null &
	top=$!
	spawned+=("$top")
	wait_for 60 grep -q PerfTop top.out
	touch go
	if [ "${1-}" = -z ]; then
		wait_for 60 has_leaf_alone
	else
		wait_for 60 has_both
	fi
	status=$?
	kill "$work"
	wait "$top"
	return "$status"
}
# The functions of each table, one in a line
by_table() { awk '/^   PerfTop/ { printf "\n" } $NF == "noploop" || $NF == "leaf" { printf "%s=%s ", $NF, $1 } END { printf "\n" }' top.out; }
has_leaf_alone() { by_table | grep -qE '^leaf=' && by_table | grep -q '^noploop=' && by_table | tail -n 1 | grep -qv noploop; }
has_both() { [ "$(by_table | grep -c 'noploop=.*leaf=\|leaf=.*noploop=')" -ge 3 ]; }
ok "-z shows only what was hit since the last table" phases -z
ok "without it older hits stay" phases
shares=$(by_table | sed -nE 's/.*noploop=([0-9.]+)%.*/\1/p')
# shellcheck disable=SC2016
ok "and fade" awk '$1 > most { most = $1 } { last = $1 } END { exit !(last < most) }' <<<"$shares"

# --- rows ---

# one_table OPTIONS...: the first table that has rows, of a program that makes system calls
one_table() {
	: >top.out
	spawn bash -c 'while :; do read -r _ </proc/self/stat; done'
	work=$spawned_pid
	"$PERF" top -d 1 -e cpu-clock -F 4000 -p "$work" "$@" >top.out 2>&1 </dev/null &
	top=$!
	spawned+=("$top")
	wait_for 60 has_tables top.out 2
	kill "$work"
	wait "$top"
	out=$(sed -n '/^ *[0-9.]*%/p' top.out)
}
one_table
like "$out" '\[k\]' "functions of the kernel are shown"
like "$out" '\[\.\]' "and of programs"
one_table -K
unlike "x$out" '\[k\]' "-K hides the kernel's"
one_table -U
unlike "x$out" '\[\.\]' "-U hides those of programs"
one_table -U -s comm
like "$out" '^ +[0-9.]+%  bash *$' "also where rows are of commands"
like "$(cat top.out)" 'irqs/sec  kernel: *[0-9.]*[1-9]' "and the title tells the kernel's part"
one_table -E 2 -n -s comm,symbol
is "$(awk '/^   PerfTop/ { if (n > 2) print n; n = 0 } /^ *[0-9.]+%/ { n++ }' top.out)" "" "-E limits the rows"
like "$out" '^ +[0-9.]+% +[0-9]+  bash +\[' "-n counts samples; -s chooses columns"
one_table --comms nothing,bash -s comm,symbol
like "$out" '^ +[0-9.]+%  bash +' "--comms shows rows of a command"
one_table --dsos bash -s dso,symbol --percentage relative -E 100000
like "$out" '^ +[0-9.]+%  \[\.\] ' "--dsos shows those of a file, whose column has one value"
unlike "x$out" '\[k\]' "and no others"
shares=$(awk '/^   PerfTop/ { if (sum > 0) print int(sum + 0.5); sum = 0 } /^ *[0-9.]+%/ { sum += $1 } END { if (sum > 0) print int(sum + 0.5) }' top.out | sort -u)
ok "of which --percentage relative takes the shares ($shares)" awk '$1 < 95 || $1 > 105 { exit 1 }' <<<"$shares"
one_table
hot=$(awk '{ n[$NF]++ } n[$NF] > n[most] { most = $NF } END { print most }' <<<"$out")
one_table --symbols "nothing,$hot" -w 12
like "$out" "^ +[0-9.]+% +.* ${hot//./[.]} *\$" "--symbols shows functions"
is "$(grep -vcE " ${hot//./[.]} *\$" <<<"$out")" 0 "and no others"
one_table --filter 'mode == user'
unlike "x$out" '\[k\]' "a filter is judged"
like "$(cat top.out)" 'filter: [0-9]+ samples? seen, [0-9]+ kept, [1-9][0-9]* dropped' "in the kernel"

# --- callers ---

one_table -g -s comm,dso,symbol
like "$out" '^ +[0-9.]+% +[0-9.]+%  bash +' "-g counts a sample for callers, too"
like "$(cat top.out)" '--[0-9.]+%--|--[a-z_]' "and prints them"
one_table -g --no-children
unlike "x$out" '^ +[0-9.]+% +[0-9.]+%  ' "--no-children does not count them"

# --- for days ---

# Processes that have ended are forgotten, with their maps; what runs keeps its names.
spawn "$WORKLOAD" shareloop 1000
work=$spawned_pid
: >top.out
"$PERF" top -v --stdio -d 1 -e cpu-clock -F 999 -E 40 >top.out 2>top.err </dev/null &
top=$!
spawned+=("$top")
spawn bash -c 'while :; do (:); done'
forgets() { grep -q 'forgot [0-9]* threads that have ended' top.err; }
ok "with --stdio processes that have ended take no memory for ever" wait_for 100 forgets
kill "$spawned_pid"
rounds=$(tables top.out)
wait_for 60 has_tables top.out $((rounds + 3))
kill "$work"
kill -INT "$top"
wait "$top"
is "$?" 0 "it goes on, until Ctrl-C"
like "$(awk -v after="$rounds" '/^   PerfTop/ { n++ } n > after + 1' top.out)" '\[[.]\] seven_parts$' "and names functions as before"

# --- the browser ---

if command -v tmux >tmux.txt; then
	tmux() {
		command tmux -S "$WORK/tmux" -f /dev/null "$@"
	}
	trap 'tmux kill-server 2>/dev/null; cleanup' EXIT
	# browse SIZE ARGS...: perf top with these on a terminal of its own; its status and settings of the terminal go to the file "rc"
	browse() {
		local size=$1
		shift
		until_no_session t
		rm -f rc pid
		tmux start-server \; set-option -g exit-empty off \; new-session -d -s t -x "${size%x*}" -y "${size#*x}" \
			"sh -c 'echo \$\$ >$WORK/pid; exec $PERF top -d 1 -e cpu-clock -F 999 $* 2>$WORK/err'; echo \$? \$(stty -a | grep -ow -e '-*echo') >$WORK/rc"
	}
	keys() {
		tmux send-keys -t t "$@"
	}
	on_screen() {
		tmux capture-pane -p -t t 2>/dev/null | grep -qE -e "$1"
	}
	shows() {
		wait_for 60 on_screen "$1" && return
		note "$(tmux capture-pane -p -t t 2>/dev/null | clip)"
		return 1
	}
	spawn "$WORKLOAD" shareloop 1000
	work=$spawned_pid
	spawn sleep 1000
	wait_for 60 grep -q '(sleep) S' "/proc/$spawned_pid/stat" # its start could have samples
	browse 80x24 -p "$spawned_pid"
	ok "top says that it waits for samples of a task that does nothing" shows '^Waiting for samples; Ctrl-C ends$'
	kill "$spawned_pid"
	wait_for 60 test -s rc
	end_tmux
	browse 80x24 -p "$work"
	ok "on a terminal there is the browser" shows "^Samples: [0-9]+[ KM] of event 'cpu-clock', 999 Hz, lost: 0, drop: 0, "
	ok "with rows" shows '^ +[0-9.]+% .* \[[.]\] seven_parts'
	rows() { tmux capture-pane -p -t t | grep '%'; }
	before=$(rows)
	has_news() { [ "$(rows)" != "$before" ]; }
	ok "which are new each time" wait_for 60 has_news
	keys '/' seven_parts Enter
	keys a
	ok "a shows code" shows '^seven_parts  /'
	keys q
	keys Escape
	ok "q leads back" shows '\[[.]\] three_parts'
	keys Down
	keys z
	ok "z is told" shows '^From now on only what was hit'
	keys K
	ok "K hides the kernel" shows '^Functions of the kernel are hidden'
	keys '/'
	keys three Enter
	ok "a text chooses rows" shows '^only "three": 1 row'
	before=$(rows)
	wait_for 60 has_news
	ok "and stays" shows '^only "three": 1 row'
	keys Escape
	keys f
	ok "f stops" shows '^Stopped'
	tmux resize-window -t t -x 200 -y 60
	keys f h
	ok "h shows the keys" shows '^  K  +hide functions of the kernel'
	section=$(sed -n '/^THE BROWSER$/,/^EXAMPLES$/p' "$SOURCE/Documentation/perf-top.txt" | grep '::$')
	same_keys() { [ "$(tmux capture-pane -p -t t | sed -nE 's/^  ([zfKU])   .*/\1::/p')" = "$section" ]; }
	ok "it and the manual page list the same keys of its own" wait_for 60 same_keys
	keys x
	ok "a larger terminal has room for the whole title" shows '^Samples: .*Event count \(approx.\): [0-9]+ \[kernel hidden\]'
	tmux resize-window -t t -x 40 -y 6
	ok "a small one works" shows '^[?] help'
	keys q
	ok "q ends" wait_for 60 test -s rc
	is "$(cat rc):$(cat err)" "0 echo:" "well, and the terminal is as before"

	spawn "$WORKLOAD" noploop 1000
	browse 100x30 -g -p "$work,$spawned_pid" --filter "pid==$work"
	ok "with callers" shows '^[+] +[0-9.]+% +[0-9.]+% .* \[[.]\] workload_shareloop'
	shows '^[+] +[0-9.]+% +[0-9.]+% .* \[[.]\] seven_parts'
	keys '/' seven_parts Enter
	keys e
	ok "which open" shows '^- +[0-9.]+% +[0-9.]+% .* \[[.]\] seven_parts'
	before=$(rows)
	ok "rows are new" wait_for 60 has_news
	ok "and stay open, whatever their percentages are now" shows '^- +[0-9.]+% +[0-9.]+% .* \[[.]\] seven_parts'
	keys C-c
	ok "Ctrl-C ends" wait_for 60 test -s rc
	is "$(cat rc)" "0 echo" "well"
	kill "$spawned_pid"
	like "$(cat err)" '^filter: [0-9]+ samples? seen, [0-9]+ kept, [1-9][0-9]* dropped' "then top says how many samples the filter dropped"

	browse 100x30 -p "$work"
	shows 'seven_parts'
	keys '?'
	shows '^  Up, Down, PgUp'
	kill "$(cat pid)"
	ok "a signal ends it, also while it shows the keys" wait_for 60 test -s rc
	is "$(sed 's/.* //' rc)" echo "the terminal is as before"
	browse 100x30 -p "$work"
	shows 'seven_parts'
	end_tmux
	gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
	ok "the terminal goes away: it ends, too" wait_for 60 gone

	browse 100x30 --stdio -p "$work"
	ok "--stdio on a terminal" shows '^   PerfTop: .* q ends$'
	keys q
	ok "q ends that, too" wait_for 60 test -s rc
	kill "$work"

	# names of tasks are anybody's
	# shellcheck disable=SC2016
	spawn bash -c 'printf "evil\033[31m" >/proc/$$/comm; while :; do :; done'
	browse 100x30 -s comm -p "$spawned_pid"
	ok "names are shown without control characters" shows 'evil[?]\[31m'
	kill "$spawned_pid"
	ok "the end of the task ends it" wait_for 60 test -s rc
else
	skip 1 "needs tmux"
fi

# --- what is refused ---

refused() {
	run "$PERF" top "${@:2}"
	is "$rc:$out" "129:" "${*:2}: refused"
	like "$err" "$1" "and why"
}
refused 'exclude each other' --stdio --tui
refused 'branches are not counted in the kernel: take perf record -b' -b
refused 'take --percent-limit' -f 5
refused 'perf report -H shows' -H
refused 'cannot read the list /nonexistent' --comms file:///nonexistent
refused 'takes stacks by fp or bpf' --call-graph dwarf
run "$PERF" top --tui -p $$
is "$rc:$out" 255: "no browser without a terminal"
like "$err" 'take --stdio' "and the remedy"
refused 'the keys that are counted live are' -s srcline
refused 'together hide everything' -K -U
refused '1 to 3600 seconds' -d 0
refused 'starts no command' -- true
run "$PERF" top -p 999999999
is "$rc" 255 "a process that is not there"

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report on a terminal, which tmux plays: what is shown, what keys do, how it ends.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
command -v tmux >/dev/null || skip_all "needs tmux"

"$PERF" record -q -e cpu-clock:u -g -F 1000 -o b.data -- "$WORKLOAD" demoloop 1 || exit 1
"$PERF" record -q -e cpu-clock:u -e task-clock:u -F 1000 -o two.data -- "$WORKLOAD" demoloop 0.3 || exit 1

tmux() {
	command tmux -S "$WORK/tmux" -f /dev/null "$@"
}
trap 'tmux kill-server 2>/dev/null; cleanup' EXIT
# start ARGS...: perf report with these, on a terminal of its own; its status goes to the file "rc" when it ends
start() {
	rm -f rc pid
	# A server that ends with its last session would be met on its way out.
	tmux start-server \; set-option -g exit-empty off \; new-session -d -s t -x 100 -y 24 "sh -c 'echo \$\$ >$WORK/pid; exec $PERF report $* 2>$WORK/err'; echo \$? >$WORK/rc"
}
keys() {
	tmux send-keys -t t "$@"
}
screen() {
	tmux capture-pane -p -t t 2>/dev/null
}
# shows REGEX: as soon as a line of the screen matches; the screen is in $seen
shows() {
	local i
	for ((i = 0; i < 1200; i++)); do
		seen=$(screen)
		grep -qE -e "$1" <<<"$seen" && return
		sleep 0.05
	done
	note "$(clip <<<"$seen")"
	return 1
}
ended() {
	local i
	for ((i = 0; i < 1200; i++)); do
		[ -s pid ] && ! kill -0 "$(cat pid)" 2>/dev/null && return
		sleep 0.05
	done
	return 1
}

start -i b.data
ok "rows with their titles" shows "^  Children +Self +Command +Shared Object +Symbol"
like "$seen" "^Samples: .* of event 'cpu-clock:u', Event count" "the event"
like "$seen" '^\+ +[0-9.]+% +[0-9.]+% +render .*render_frame' "entries that can be opened"
like "$seen" '^\? help' "a line that says how to go on"
keys '/'
keys render_fr
ok "text chooses entries" shows '^/render_fr'
unlike "$(screen)" 'parse_input' "others are gone"
keys Enter
keys e
ok "callchains open" shows '^- +[0-9.]+% +[0-9.]+% +render .*render_frame'
ok "and show callers" shows '^[-+ ] +[0-9.]+% (start_thread|[_a-z0-9]*clone|0x[0-9a-f]+)' # a libc without symbols has numbers
keys C
ok "and close" shows '^\+ +[0-9.]+% +[0-9.]+% +render .*render_frame'
keys '/' Enter
ok "an empty text chooses all" shows 'parse_input'
keys '?'
ok "help" shows 'Enter +open or close'
keys x
ok "any key leaves it" shows '^  Children +Self'
keys Right
ok "sideways" shows '^ +Self +Command|^[^ ]* +Self +Command'
keys Left
tmux resize-window -t t -x 60 -y 12 2>/dev/null
ok "a smaller terminal" shows '^\? help'
keys End
keys q
ok "q ends it" ended
ok "and the shell goes on" wait_for 10 test -s rc
is "$(cat rc):$(cat err)" "0:" "well"

start -i two.data
ok "of two events one is shown" shows "event 'cpu-clock:u'"
keys Tab
ok "Tab shows the other" shows "event 'task-clock:u'"
keys Tab
ok "and the first again" shows "event 'cpu-clock:u'"
keys Escape
ok "Escape ends it" ended

start --group -i two.data
ok "what stands for all events of a group is said of all" shows "^Samples: .* of events 'cpu-clock:u, task-clock:u', Event"
keys q
ended
start -c render -i b.data
ok "what was chosen is named above the rows" shows "^Samples: .* of event 'cpu-clock:u', Event.*, comm: render"
keys q
ended
for option in --hierarchy --threads; do
	run "$PERF" report --tui $option -i b.data
	is "$rc" 129 "--tui and $option: refused"
	like "$err" "$option is shown as text: leave out --tui" "with the remedy"
done

start -i b.data
shows '^  Children'
tmux kill-server
ok "the terminal goes away: it ends, too" ended

run "$PERF" report -i b.data
like "$out" '^# Overhead|^# Children' "text where there is no terminal"
start --stdio -i b.data '>text'
ok "and where text is asked for" ended
like "$(cat text)" '^# Children' "it is the same"

# text that is longer than the screen goes through a pager; this one shows at the end of the text that it is there
export PAGER="cat; echo PAGED" PERF_CONFIG=/dev/null
# text WORDS...: what a terminal shows of perf with these words, and the status
text() {
	tmux kill-session -t p 2>/dev/null
	rm -f shown
	tmux start-server \; set-option -g exit-empty off \; new-session -d -s p -x 100 -y 24 -e PAGER="$PAGER" -e PERF_CONFIG="$PERF_CONFIG" \
		"'$PERF' $* ; echo status \$? >shown.tmp; tmux -S '$WORK/tmux' capture-pane -p -t p >>shown.tmp; mv shown.tmp shown"
	wait_for 10 test -s shown
	cat shown
}
for words in "report --stdio -i b.data" "report --stats -i b.data" "report -D -i b.data" "report --header-only -i b.data" \
		"report --folded -i b.data" "report --json -i b.data" "script -i b.data" "script --header-only -i b.data" list "help report"; do
	seen=$(text "$words")
	like "$seen" 'PAGED' "$words: through a pager"
	like "$seen" '^status 0$' "well"
done
unlike "$(text --no-pager report --stdio -i b.data)" PAGED "--no-pager: without"
printf '[pager]\n\treport = false\n' >perfconfig
unlike "$(PERF_CONFIG=$WORK/perfconfig text report --stdio -i b.data)" PAGED "pager.report = false: without"
like "$(text report --stdio -i b.data '2>&1' '|' head -1)" '^# To display' "none into a pipe"
PAGER='head -1 >/dev/null; echo LEFT'
seen=$(text script -i b.data)
like "$seen" '^LEFT' "a pager that is left early"
like "$seen" '^status 141$' "ends it"
run env TERM=dumb "$PERF" report --tui -i b.data
is "$rc" 255 "no browser without a terminal"
like "$err" 'take --stdio' "and names the remedy"
done_testing

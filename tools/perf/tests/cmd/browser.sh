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
COMMAND=report
# start ARGS...: perf report (or COMMAND) with these, on a terminal of its own; its status goes to the file "rc" when it ends
start() {
	until_no_session t
	rm -f rc pid
	# A server that ends with its last session would be met on its way out.
	tmux start-server \; set-option -g exit-empty off \; new-session -d -s t -x 100 -y 24 "sh -c 'echo \$\$ >$WORK/pid; exec $PERF $COMMAND $* 2>$WORK/err'; echo \$? >$WORK/rc"
}
keys() {
	tmux send-keys -t t "$@"
}
screen() {
	tmux capture-pane -p -t t 2>/dev/null
}
# until_screen COMMAND...: as soon as it succeeds, which looks at the screen in $seen. A screen may come in several parts, and be seen in between.
until_screen() {
	local i
	for ((i = 0; i < 1200; i++)); do
		seen=$(screen)
		"$@" && return
		sleep 0.05
	done
	note "$(clip <<<"$seen")"
	return 1
}
matches() {
	grep -qE -e "$1" <<<"$seen"
}
# shows REGEX, and lacks REGEX WITH: as soon as a line of the screen matches, or none does while another matches WITH
shows() {
	until_screen matches "$1"
}
lacks_with() {
	matches "$2" && ! matches "$1"
}
lacks() {
	until_screen lacks_with "$1" "$2"
}
# rows: those of the screen, without marks and callchains
rows() {
	sed -nE 's/^[-+ ] +([0-9.]+% +[0-9.]+% )/\1/p' <<<"$seen"
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
ok "the event" shows "^Samples: .* of event 'cpu-clock:u', Event count"
ok "entries that can be opened" shows '^\+ +[0-9.]+% +[0-9.]+% +render .*render_frame'
keys Home
ok "a line that says how to go on" shows '^\? help'
keys '/'
keys render_fr
ok "text chooses entries" shows '^/render_fr'
ok "others are gone" lacks 'parse_input' 'render_frame'
keys Enter
keys e
ok "callchains open" shows '^- +[0-9.]+% +[0-9.]+% +render .*render_frame'
ok "and show callers" shows '^[-+ ] +[0-9.]+% (start_thread|[_a-z0-9]*clone|0x[0-9a-f]+)' # a libc without symbols has numbers
keys C
ok "and close" shows '^\+ +[0-9.]+% +[0-9.]+% +render .*render_frame'
keys '/' Enter
ok "an empty text chooses all" shows 'parse_input'
keys '/' zzz Enter
ok "a search that nothing matches" shows '^only "zzz": 0 rows match'
keys Escape
ok "Escape clears it, and does not end" shows '^[+] .*parse_input'
keys '?'
ok "help" shows 'Enter +open or close'
keys x
ok "any key leaves it" shows '^  Children +Self'
keys Right
ok "sideways" shows '^ +Self +Command|^[^ ]* +Self +Command'
keys Left
tmux resize-window -t t -x 60 -y 12 2>/dev/null
ok "a smaller terminal" shows '^\? help'
tmux resize-window -t t -x 160 -y 40 2>/dev/null
ok "a larger one" shows '^[+] .*parse_input'
keys '/' parse_input Enter e
ok "the count of a search is of rows that match, not of lines" shows '^only "parse_input": [1-9][0-9]* rows? match(es)?; Esc: all'
as_many() {
	matches "^only \"parse_input\": $(rows | grep -c .) row"
}
ok "as many as there are" until_screen as_many
keys Escape
ok "all are there again" shows '^[+] .*render_frame'
keys E
ok "E opens all" shows '^- .* render_frame'
ok "none is left" lacks '^[+] +[0-9.]+% +[0-9.]+% ' '^- .* render_frame'
keys C Home
ok "C closes them" shows '^[+] .*render_frame'
keys Home d
ok "d zooms into the shared object of a row" shows ", dso: "
dso=$(sed -nE 's/.*, dso: (.*[^ ]) *$/\1/p' <<<"$seen")
# only COLUMN TEXT: of all rows
only() {
	[ "$(rows | awk -v column="$1" '{ print $column }' | sort -u)" = "$2" ]
}
ok "it is named, and other rows are gone" until_screen only 4 "$dso"
keys t
ok "t into its thread as well" shows ", dso: .*, comm: "
thread=$(sed -nE 's/.*, comm: (.*[^ ]) *$/\1/p' <<<"$seen")
ok "others are gone, too" until_screen only 3 "$thread"
keys P
ok "P prints what is shown" shows '^perf[.]hist[.]0 written'
like "$(cat perf.hist.0)" "^# Samples: .* of event 'cpu-clock:u', .*, dso: .*, comm: " "with its title"
like "$(cat perf.hist.0)" '^# +Children +Self +Command' "those of its columns"
is "$(grep -vc '^#' perf.hist.0)" "$(rows | grep -c .)" "and its rows"
keys e P
ok "the next one to the next file" shows '^perf[.]hist[.]1 written'
like "$(cat perf.hist.1)" '^[-+ ] +[0-9.]+% [^ ]+$' "callchains that are open are in it"
keys C Escape
ok "Escape goes back by one zoom" shows ", Event count .*[0-9], dso: [^ ,]*$"
keys Escape
ok "and by the other" shows ", Event count [^,]*$"
keys d
ok "into it again" shows ", dso: ${dso//./[.]}"
keys d
ok "d once more leads out, too" shows ", Event count [^,]*$"
keys z
ok "an unknown key is answered by the one that shows all keys" shows '^This key does nothing: h shows the keys'
keys Escape
ok "Escape asks where nothing is left to undo" shows '^End[?] Enter, y: yes'
keys n
ok "another key is no" shows '^\? help'
keys Escape
shows '^End[?]'
keys Enter
ok "Enter is yes" ended

cut=$(($(stat -c %s b.data) - 300))
head -c "$cut" b.data >cut.data
start -i cut.data
ok "the number of warnings stands in the last line" shows '^[1-9][0-9]* warnings? of this recording: shown when you leave'
number=$(sed -nE 's/^([0-9]+) warnings? .*/\1/p' <<<"$seen")
keys Down
ok "until the next key" shows '^\? help'
keys q
ended
is "$number" "$(grep -c '^Warning:$' err)" "it is the number of those that are printed"
rm cut.data

start -i b.data
shows '^  Children'
tmux resize-window -t t -x 100 -y 8
shows '^\? help'
keys h
ok "help on a small terminal says that it scrolls" shows '^Up, Down: scroll'
like "$seen" '^  Up, Down, PgUp' "it begins with its first line"
unlike "$seen" '^  q +end$' "and has no place for the last"
keys Down
ok "Down scrolls by a line: the first is gone" lacks '^  Up, Down, PgUp' '^  Left, Right'
keys NPage NPage NPage NPage
ok "PgDn goes to the end, and no further" shows '^  q +end$'
keys PPage PPage PPage PPage
ok "PgUp to the start" shows '^  Up, Down, PgUp'
keys x
ok "any other key leaves it" shows '^\? help'
keys q
ended

start -i b.data
shows '^  Children'
keys h
ok "h is help, too" shows 'Enter +open or close'
section=$(sed -n '/^THE BROWSER$/,/^DIFFERENCES$/p' "$SOURCE/Documentation/perf-report.txt" | grep '::$')
same_keys() {
	[ "$(sed -nE 's/^  ([^ ].*[^ ])   .*/\1::/p; s/^  ([^ ])   .*/\1::/p' <<<"$seen")" = "$section" ]
}
ok "it and the manual page list the same keys" until_screen same_keys
keys x
shows '^  Children'
keys q
ended

start -s sym -i b.data
shows '^  Children'
keys d
ok "no zoom where no column tells the file" shows '^No zoom: no column tells the shared object. Start with -s dso,'
keys t
ok "nor the thread" shows '^No zoom: no column tells the thread. Start with -s comm,'
keys q
ended

cp two.data copy.data
printf 'PERFILE2 and no more' >broken.data
start -c render --time 0%-100% -i b.data
shows "^  Children"
keys s
ok "s lists recordings" shows 'two[.]data'
ok "all that are here" shows '^ *copy[.]data'
ok "not the one that is shown, nor what is none" lacks '^ *(b[.]data|cut|rc|pid)' 'two[.]data'
keys Escape
ok "Escape leads back" shows "^[+] .*render_frame"
keys s
shows 'two[.]data'
keys Enter
ok "one that cannot be read is left where it is" shows '^broken[.]data: '
ok "what was shown stays" shows 'render_frame'
keys s
shows 'two[.]data'
keys End Enter
ok "another one is read and shown" shows '^[+ ] +Overhead|^ +Overhead'
keys Tab
ok "with its own events" shows "event 'task-clock:u'"
keys s
ok "and back" shows 'b[.]data'
keys Home Enter
ok "the first one again" shows "^[+] .*render_frame"
name=$'evil\e[31m\nname\tof.data'
cp two.data "$name"
keys s
ok "names of files are shown without control characters" shows '^ *evil[?]\[31m[?]name[?]of[.]data$'
rm "$name"
keys Escape
shows "^[+] .*render_frame"
cp two.data ./-
keys s
shows '^ *- *$'
keys Home Enter
ok "a recording called - is a file, too" shows '^ +Overhead'
rm ./-
keys End
keys q
ok "q ends it" ended
wait_for 10 test -s rc
is "$(cat rc):$(cat err)" "0:" "well"
ok "and the shell goes on" wait_for 10 test -s rc
is "$(cat rc):$(cat err)" "0:" "well"

start -i two.data
ok "of two events one is shown" shows "event 'cpu-clock:u'"
keys Tab
ok "Tab shows the other" shows "event 'task-clock:u'"
keys Tab
ok "and the first again" shows "event 'cpu-clock:u'"
keys Escape
shows '^End[?]'
keys y
ok "y is yes, too" ended

start --group -i two.data
ok "what stands for all events of a group is said of all" shows "^Samples: .* of events 'cpu-clock:u, task-clock:u', Event"
keys q
ended
start -c render -i b.data
ok "what was chosen is named above the rows" shows "^Samples: .* of event 'cpu-clock:u', Event.*, comm: render"
keys q
ended
# --- code ---

cat >work.c <<C
volatile unsigned long sum;
__attribute__((noinline)) void cold(void)
{
	sum *= 3;
}
__attribute__((noinline)) void hot(unsigned long n)
{
	while (n--) {
		if (n & 4)
			sum += n * n; /* $(printf 'evil \033[31m and \302\233 31m') */
	}
	cold();
}
__attribute__((noinline)) void warm(unsigned long n)
{
	while (n--)
		sum ^= n;
}
int main(void)
{
	hot(30000000);
	warm(10000000);
	return 0;
}
C
mkdir "$HOME/code"
if command -v objdump >objdump.txt && cc -O1 -g -o "$HOME/code/work" work.c 2>cc.txt; then
	"$PERF" record -q -e cpu-clock:u -c 100000 -o code.data -- "$HOME/code/work" || exit 1
	start -d work -i code.data
	ok "a row without callchains" shows '^ +[0-9.]+% .* hot'
	keys Home a
	ok "a shows the code of its function" shows "^hot  $HOME/code/work  \[Percent: local period\]"
	ok "with shares" shows '^ +[0-9]+[.][0-9]+ .* [a-z]+ +.*%[a-z]+'
	keys Home
	ok "from its start" shows '^Percent '
	until_screen matches '^ *[0-9.]* +[0-9a-f]+: .*'
	keys /
	keys j Enter
	ok "a text is found, and the jump drawn" shows '(l|m|┌|└)(v|\^|↓|↑) j[a-z]+ +[0-9a-f]+$'
	keys j
	ok "j hides it" lacks '(l|m|┌|└)(v|\^|↓|↑) ' ' j[a-z]+ +[0-9a-f]+$'
	keys j Home '/'
	keys j Enter Enter
	ok "Enter goes to where it jumps" shows '^ *[0-9.]* +[0-9a-f]+: '
	keys s
	ok "s shows source lines" shows 'sum [+]= n [*] n;'
	ok "without control characters" shows 'evil [?]\[31m and [?]+ ?31m'
	keys k
	ok "k numbers them" shows '^ +10 +sum [+]= n'
	is "$(grep -n 'sum += n' work.c | cut -d: -f1)" 10 "as they are in the file"
	keys s
	ok "s hides them" lacks 'sum [+]=' ' j[a-z]+ +[0-9a-f]+$'
	keys t
	ok "t shows sums of periods" shows '^ +[0-9]+00000 '
	keys t t
	ok "and percentages again" shows '^ +[0-9]+[.][0-9][0-9] '
	keys p
	ok "p takes them of all samples" shows 'Percent: global period\]'
	keys b
	ok "b of their number" shows 'Percent: global hits\]'
	keys f
	ok "f shows addresses" shows '^ *[0-9.]* +[0-9a-f]{4,}: +[^ ]* *[a-z]+ '
	keys f Home '/'
	keys cold Enter Enter
	ok "a function without samples cannot be entered" shows '^No sample is in cold'
	keys P
	ok "P writes all" shows '^hot[.]annotation written'
	like "$(cat hot.annotation)" ' j[a-z]+ +[0-9a-f]+$' "to a file"
	keys '?'
	keys nothing Enter
	ok "what is not found is told" shows '^"nothing" is not above'
	tmux resize-window -t t -x 60 -y 12
	ok "it fits a smaller terminal" shows '^h help'
	tmux resize-window -t t -x 100 -y 24
	keys h
	section=$(sed -n '/^THE BROWSER$/,/^EXAMPLES$/p' "$SOURCE/Documentation/perf-annotate.txt" | grep '::$')
	ok "it and the manual page list the same keys" until_screen same_keys
	keys x
	shows '^h help'
	keys q
	ok "q leads back to the rows" shows '^ +[0-9.]+% .* warm'
	keys Down Enter
	ok "Enter shows code, too" shows "^warm  $HOME/code/work"
	keys Escape q
	ended
	start -d work -i code.data -M intel
	keys Home a
	ok "-M chooses how instructions are shown" shows ' imul +r[a-z]+,r[a-z]+'
	keys q q
	ended

	COMMAND=annotate
	start -i code.data -d work
	ok "perf annotate shows the hottest function" shows "^hot  $HOME/code/work"
	keys '>'
	ok "> the next one" shows "^warm  $HOME/code/work"
	keys '>'
	ok "behind the last one there is none" shows "^warm  $HOME/code/work"
	keys '<'
	ok "< the one before" shows "^hot  $HOME/code/work"
	keys q
	ok "q ends" ended
	wait_for 10 test -s rc
	is "$(cat rc):$(cat err)" "0:" "well"
	start --tui -i code.data warm
	ok "of one function" shows "^warm  $HOME/code/work"
	end_tmux
	ok "the terminal goes away: it ends, too" ended
	start --tui -i code.data no-such
	ended
	wait_for 10 test -s rc
	is "$(cat rc)" 255 "a function without samples"
	like "$(cat err)" "is in a function 'no-such'" "is told"
	run "$PERF" annotate --tui -i code.data
	is "$rc:$out" 255: "no browser without a terminal"
	like "$err" 'take --stdio' "and the remedy"
	COMMAND=report
else
	skip 1 "needs objdump and cc"
fi

run "$PERF" report --tui --hierarchy -i b.data
is "$rc" 129 "--tui and --hierarchy: refused"
like "$err" "--hierarchy is shown as text: leave out --tui" "with the remedy"
run "$PERF" report --tui --threads -i b.data
is "$rc" 129 "--tui and --threads: refused"
like "$err" "-T and --tui exclude each other" "with the reason"

start -i b.data
shows '^  Children'
end_tmux
ok "the terminal goes away: it ends, too" ended

run "$PERF" report -i b.data
like "$out" '^# Overhead|^# Children' "text where there is no terminal"
start --stdio -i b.data '>text'
ok "and where text is asked for" ended
like "$(cat text)" '^# Children' "it is the same"

# text that is longer than the screen goes through a pager; this one shows at the end of the text that it is there
export PAGER="cat; echo PAGED" PERF_CONFIG=/dev/null
# text WORDS...: what a terminal shows of perf with these words, and the status. That comes last: when it is shown, so is all before it.
text() {
	tmux kill-session -t p 2>/dev/null
	tmux start-server \; set-option -g exit-empty off \; new-session -d -s p -x 100 -y 24 -e PAGER="$PAGER" -e PERF_CONFIG="$PERF_CONFIG" \
		"'$PERF' $* ; echo status \$?; read -r _"
	wait_for 60 has_status
	tmux capture-pane -p -t p
}
has_status() {
	tmux capture-pane -p -t p 2>/dev/null | grep -q '^status '
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
seen=$(PERF_CONFIG=$WORK/perfconfig text -p report --stdio -i b.data)
like "$seen" PAGED "-p: with one all the same"
unlike "$(PERF_CONFIG=$WORK/perfconfig text -p --no-pager report --stdio -i b.data)" PAGED "unless --no-pager follows"
like "$(text report --stdio -i b.data '2>&1' '|' head -1)" '^# To display' "none into a pipe"
PAGER='head -1 >/dev/null; echo LEFT'
seen=$(text script -i b.data)
like "$seen" '^LEFT' "a pager that is left early"
like "$seen" '^status 141$' "ends it"
run env TERM=dumb "$PERF" report --tui -i b.data
is "$rc" 255 "no browser without a terminal"
like "$err" 'take --stdio' "and names the remedy"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Completion in bash: what it offers, and the lists of perf that it takes its words from.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
mkdir bin
ln -s "$PERF" bin/perf
PATH=$WORK/bin:$PATH
. "$SOURCE/install/completion.bash"

# completes LINE: what is offered at its end
completes() {
	COMP_LINE=$1
	COMP_POINT=${#1}
	read -ra COMP_WORDS <<<"$1"
	[[ $1 != *' ' ]] || COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
	_perf
	(IFS='|' && echo "${COMPREPLY[*]}")
}
is "$(completes 'perf re')" "record|report" "commands are completed"
is "$(completes 'perf sample-')" "sample-bpf" "with a hyphen, too"
is "$(completes 'perf help filt')" "filter" "topics are completed"
is "$(completes 'perf --list-')" "--list-cmds|--list-opts" "options of perf itself are completed"
is "$(completes 'perf -p re')" "record|report" "commands behind them, too"
: >some-file.data
is "$(completes 'perf report -i some-')" "some-file.data" "files are completed"
is "$(completes 'perf report --input=some-')" "some-file.data" "behind a sign of equality, too"
is "$(completes 'perf record -o some-')" "some-file.data" "and where a value cannot be listed"
is "$(completes 'perf record -a some-')" "some-file.data" "or there is none"

# --- options ---
is "$(completes 'perf record --fil')" "--filter" "options are completed"
is "$(completes 'perf sample-bpf --hi')" "--hist" "those of the command"
is "$(completes 'perf nonsense --fil')" "" "what is no command has no options"
is "$(completes 'perf --buildid-dir a-directory record --swi')" "$(completes 'perf record --swi')" "behind a directory before the command, too"
like "$(completes 'perf --buildid-dir a-directory record --swi')" '^--switch-' "and there are some"
mkdir a-directory
is "$(completes 'perf --buildid-dir a-dir')" "a-directory" "which is completed"
is "$(completes 'perf record -- ls --fil')" "" "behind -- there are no options of perf"
is "$(completes 'perf record -- ls -a some-f')" "some-file.data" "but files"
is "$(completes 'perf record -- bas')" "$(compgen -c -f bas | sort -u | paste -sd '|')" "and programs"
for command in $("$PERF" --list-cmds); do
	run "$PERF" "$command" --list-opts
	is "$rc:$err" 0: "$command lists its options"
	is "$(completes "perf $command -")" "$(tr ' ' '|' <<<"$out")" "all of them are offered behind -"
done

# --- events ---
is "$(completes 'perf record -e cpu-cl')" "cpu-clock" "events are completed"
is "$(completes 'perf record -e cpu-clock,task-c')" "cpu-clock,task-clock" "behind a comma, too"
is "$(completes 'perf sample-bpf --event=task-c')" "task-clock" "and with a sign of equality"
if "$PERF" list tracepoint 2>/dev/null | grep -q sched:sched_switch; then
	is "$(completes 'perf record -e sched:sched_swi')" "sched_switch" "tracepoints are completed behind their colon"
	is "$(completes 'perf record -e cpu-clock,sched:sched_swi')" "sched_switch" "in a list, too"
	is "$(completes 'perf sample-bpf --latency sched:sched_swi')" "sched_switch" "those of --latency as well"
else
	skip 3 "tracepoints cannot be listed"
fi

# --- lists ---
"$PERF" record -q -e cpu-clock:u -o k.data -- "$WORKLOAD" noploop 0.1 || exit 1
run "$PERF" report -i k.data -s nonsense
keys=$(sed -nE 's/^the keys are: (.*), and the fields .*/\1/p' <<<"$err")
offered=$(completes 'perf report -s ' | tr '|' '\n')
is "$(tr ',' '\n' <<<"${keys// /}" | grep -v '^type' | grep -vxF "$offered")" "" "all sort keys are offered"
like "$offered" '^sym$' "under their other names, too"
is "$(completes 'perf report --sort comm,dso_s')" "comm,dso_size" "in a list"
is "$(completes 'perf report --sort=comm,dso_s')" "comm,dso_size" "with a sign of equality"
is "$(completes 'perf report -s +dso_s')" "+dso_size" "those that are added"
is "$(completes 'perf report -F overhead_gu')" "overhead_guest_sys|overhead_guest_us" "columns of report"
for key in $offered; do
	[[ $key = type* || $key = *from || $key = *to ]] || "$PERF" report --stdio --mem-mode -s "$key" -i k.data 2>&1 | grep -H --label="$key" 'Unknown'
done >unknown
is "$(<unknown)" "" "report knows each of them"
is "$(completes 'perf script -F brstack')" "brstack|brstacksym|brstackoff" "fields of script"
is "$(completes 'perf script -F comm,tid,tim')" "comm,tid,time" "in a list"
is "$(completes 'perf script -F tra')" "trace|trace:" "types of events"
is "$(completes 'perf script -F sw:tim')" "time" "and fields behind them"
is "$(completes 'perf script -F +srcl')" "+srcline" "fields that are added"
is "$(completes 'perf record -F s')" "some-file.data" "-F of record is no field"
is "$(completes 'perf sample-bpf --key ')" "comm|pid|tid|cpu|cgroup|uid|ip|kstack|ustack|sym" "keys of sample-bpf"
is "$(completes 'perf sample-bpf --key comm,ks')" "comm,kstack" "in a list"

is "$(completes 'perf record --call-graph ')" "fp|fp,defer|bpf|dwarf|lbr|no" "callchains of record"
is "$(completes 'perf record --call-graph=fp,')" "fp,defer" "with what a mode may have"
is "$(completes 'perf report -g cal')" "caller|callee" "callchains of report"
is "$(completes 'perf report --call-graph flat,ca')" "flat,caller|flat,callee" "in a list"
is "$(completes 'perf test -w nam')" "named_threads" "workloads"
for workload in $("$PERF" test --list-values -w); do
	"$PERF" test --list-workloads | grep -q "^$workload " || echo "$workload"
done >unknown
is "$(<unknown)" "" "each of which there is"
is "$(completes 'perf test complet')" "completion" "parts of names of tests"
is "$(completes 'perf test li')" "$("$PERF" test list | sed 's/^ *[0-9]*: *//' | tr ' ' '\n' | grep '^li' | sort -u | cat <(echo list) - | paste -sd '|')" "and list"
is "$(completes 'perf check fe')" "feature" "what check takes"
is "$(completes 'perf check feature lzm')" "lzma" "and its features"
is "$(completes 'perf check -q feature zstd,zli')" "zstd,zlib" "in a list"

# --- filters ---
is "$(completes 'perf record --filter mem_')" "mem_op|mem_lvl|mem_lvlnum|mem_snoop|mem_remote|mem_lock|mem_dtlb|mem_blk|mem_hops" \
	"terms of filters, one word without quotes"
is "$(completes "perf record --filter 'com")" "comm ==|comm !=|comm in|comm ~|comm !~" "in quotes with what may follow"
is "$(completes "perf record --filter 'comm ")" "comm ==|comm !=|comm in|comm ~|comm !~" "the same behind the term"
is "$(completes 'perf record --filter "rand')" "rand >|rand >=|rand <|rand <=" "in double quotes, too"
is "$(completes "perf record --filter='idl")" "idle" "a flag stands alone"
is "$(completes "perf record --filter 'idle ")" "idle &&|idle ||" "what may follow a flag"
is "$(completes "perf record --filter 'pid == 1 ")" "pid == 1 &&|pid == 1 ||" "and a test"
is "$(completes "perf record --filter 'pid == 1 && !(idl")" "pid == 1 && !(idle" "a term within"
is "$(completes "perf record --filter 'pid == 1 and not idl")" "pid == 1 and not idle" "behind words"
is "$(completes "perf record --filter 'mode == ")" "mode == user|mode == kernel" "constants"
is "$(completes "perf record --filter 'mode==k")" "mode==kernel" "without blanks"
is "$(completes "perf record --filter 'idle || mem_op in {load, st")" "idle || mem_op in {load, store" "in a set"
is "$(completes "perf record --filter 'mem_lock & ")" "mem_lock & na|mem_lock & locked" "behind &"
is "$(completes "perf record --filter 'pid == ")" "" "nothing where there are none"
is "$(completes "perf record --filter 'mode == user' some-")" "some-file.data" "a filter that is closed is over"
is "$(completes "perf sample-bpf -e cpu-clock --filter 'idl")" "idle" "of sample-bpf, too"
terms=$("$PERF" record --filter nonsense -- true 2>&1 | sed -nE 's/.*the terms are: //p')
is "$("$PERF" record --list-values --filter | cut -d: -f1 | grep -xF "${terms// /$'\n'}" | tr '\n' ' ')" "$terms " "all terms of the language are listed"
"$PERF" record --list-values --filter | while IFS=: read -r term ops constants; do
	for constant in $constants; do
		"$PERF" record --dry-run -e cpu-clock --filter "$term ${ops%% *} $constant" -- true 2>&1 | grep "^filter"
	done
done >refused
is "$(<refused)" "" "each constant is one of its term"

# --- lists of perf ---
run "$PERF" report --list-values --nonsense
is "$rc:$out" "129:" "no list of what is no option"
like "$err" "^  Error: --list-values --nonsense: there is no such option" "it is said"
run "$PERF" report --list-values -i
is "$rc:$out$err" "0:" "nothing of a value that cannot be listed"
printf '[report]\n\tpercent-limit = 5\n\tsort_order = comm\n[record]\n\tbuild-id = skip\n' >perfconfig
is "$(PERF_CONFIG=$WORK/perfconfig "$PERF" report --list-values -s | head -1)" overhead "settings do not stand in between"
like "$(PERF_CONFIG=$WORK/perfconfig "$PERF" report --list-opts)" "^--input " "nor before options"

# --- a shell with a terminal ---
if command -v tmux >/dev/null; then
	tmux() {
		command tmux -S "$WORK/tmux" -f /dev/null "$@"
	}
	trap 'tmux kill-server 2>/dev/null; cleanup' EXIT
	printf 'set show-all-if-ambiguous on\nset bell-style none\n' >inputrc
	printf 'PS1="> "\n. "%s/install/completion.bash"\n' "$SOURCE" >bashrc
	tmux start-server \; set-option -g exit-empty off \; new-session -d -s t -x 150 -y 24 -e INPUTRC="$WORK/inputrc" "bash --rcfile bashrc -i"
	shows() {
		tmux capture-pane -p -t t 2>/dev/null | grep -qE -e "$1"
	}
	# types TEXT REGEX: TEXT and Tab on a line of its own, until the line, or what is offered, matches
	types() {
		tmux send-keys -t t C-u C-l
		tmux send-keys -t t -l "$1"
		tmux send-keys -t t Tab
		wait_for 60 shows "$2" && return
		note "$(tmux capture-pane -p -t t)"
		return 1
	}
	wait_for 60 shows '^> *$' # what is typed before the shell reads, the terminal edits
	ok "the line: an option" types "perf record --fil" '^> perf record --filter ?$'
	ok "an event behind its colon" types "perf script -F sw:srcl" '^> perf script -F sw:srcline *$'
	ok "a term within quotes" types "perf record --filter 'mem_sn" "^> perf record --filter 'mem_snoop ?$"
	ok "with its operators" types "perf record --filter 'mem_snoop " "mem_snoop ==? +mem_snoop"
	ok "a constant" types "perf record --filter 'idle || mode == ke" "^> perf record --filter 'idle [|][|] mode == kernel'?"
	ok "in double quotes, with quotes within" types 'perf record --filter "comm == \"x y\" && mode == ke' \
		'^> perf record --filter "comm == \\"x y\\" && mode == kernel"?'
else
	skip 6 "needs tmux"
fi
done_testing

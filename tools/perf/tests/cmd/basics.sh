#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The frame around the commands: version, help, options, exit statuses, passing on.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

run "$PERF" version
is "$rc" 0 "version succeeds"
like "$out" '^perf version 0\.[0-9]+' "version prints it"
version=$out
for option in --version -v; do
	run "$PERF" $option
	is "$rc:$out" "0:$version" "$option is version"
done
run "$PERF" version --build-options
like "$out" '^ +bpf_skeletons: \[ on  \]  # HAVE_BPF_SKEL$' "the build options have their shape"
features=$out
run "$PERF" check feature zstd
is "$rc:$out" "0:$(grep ' zstd:' <<<"$features")" "check shows a feature as version does"
run "$PERF" check feature HAVE_bpf_SKEL,libelf libdw
is "$rc:$(wc -l <<<"$out")" "0:3" "several ones, by macro, too, in any case"
run "$PERF" check feature libelf,libperl
is "$rc" 1 "one that is missing makes the status 1"
like "$out" "libperl: \[ OFF \]" "and is shown as missing"
run "$PERF" check -q feature libelf
is "$rc:$out$err" "0:" "check -q prints nothing"
run "$PERF" check feature --quiet libperl
is "$rc:$out$err" "1:" "nor of what is missing"
run "$PERF" check feature nosuch
is "$rc" 1 "a feature that nobody knows is missing"
like "$err" "no feature is called 'nosuch'" "and is named"
for names in "" ","; do
	run "$PERF" check feature libelf "$names"
	is "$rc:$out" "129:" "'$names' is no list of features"
	like "$err" "'$names' names no feature" "and perf says so"
done
run "$PERF" check
is "$rc" 129 "check takes a subcommand"
run "$PERF" check feature
is "$rc" 129 "and features"
like "$err" ' bpf, .*, zstd$' "whose names it tells"
run "$PERF" check other zstd
is "$rc" 129 "which is feature"
for command in lock kwork sched ftrace probe; do
	run "$PERF" $command
	is "$rc" 129 "$command alone is refused"
	like "$err" "^ Usage: perf $command " "and shows what it takes"
done
run "$PERF" version extra
is "$rc" 129 "version takes no argument"

run "$PERF"
is "$rc" 1 "without a command the status is 1"
like "$out" '^ usage: perf ' "without a command there is an overview"
like "$out" '^   record +[A-Z]' "the overview has record"
for option in --help -h help; do
	run "$PERF" $option
	is "$rc" 0 "$option succeeds"
	like "$out" '^   record +[A-Z]' "$option lists the commands"
done

ln -s "$PERF" perf-version
ln -s "$PERF" perf-no-such
run ./perf-version
is "$rc:$out" "0:$version" "called perf-version it is perf version"
run ./perf-no-such
is "$rc" 1 "called perf- and something else it is perf"

run "$PERF" --list-cmds
list=$out
is "$list" "$(sort <<<"$list")" "the commands are listed in order"
for command in $list; do
	[ "$command" != help ] || continue
	run "$PERF" "$command" -h
	is "$rc" 129 "$command -h exits 129"
	like "$err" "^ Usage: perf $command" "$command -h prints the usage"
	[ "$command" != ftrace ] || continue # its options without a mode are for the next perf
	run "$PERF" "$command" --no-such-option
	is "$rc" 129 "$command with an unknown option exits 129"
	like "$err" "^  Error: unknown option \`no-such-option'. See perf $command( contention)? --help$" "$command names the unknown option in one line"
	is "$(grep -c . <<<"$err")" 1 "and prints no more"
	run "$PERF" help "$command"
	shown=perf-$command # man writes it in capitals
	like "$out$err" "^ Usage: perf $command|^(perf-$command|${shown^^})\\(1\\)" "help $command explains it"
done

# The pages as text: words are those of the source, and no mark is left of how it is written.
words() {
	sed -E '/^\[(verse|horizontal|cols=.*)\]$/d; s/\{cpp\}/C++/g' | grep -oE '[A-Za-z0-9_]+'
}
for page in "$SOURCE"/Documentation/perf-*.txt; do
	name=$(basename "$page" .txt)
	run env PATH="$WORK/none" "$PERF" help "${name#perf-}"
	is "$(words <<<"$out")" "$(words <"$page")" "help ${name#perf-} has all words of the page"
	unlike "$out" '::( |$)|^[-=~+.]+$|`|^\[' "and is text"
	unlike "$out" "^ *\\[[a-z]+=|\\{[a-z]+\\}|''| \\+( [A-Z]|\$)" "without attributes, doubled quotes and joining signs"
	is "$(awk 'length > 79 && /^ {7,14}[A-Za-z]/ && !/ (perf|cat|sh|ls|echo) /' <<<"$out" | head -1)" "" "in short lines"
	unlike "$out" ' $' "without blanks at their ends"
done

for words in "sample-bpf --folded --top" "record -F 99 -c 1" "record --all-user --all-kernel" "report --tui --threads" "evlist -v --group" \
		"check other zstd" "test --jobs 0"; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" $words
	is "$rc:$(wc -l <<<"$err")" "129:1" "$words: refused in one line, without the usage"
done

run "$PERF" --no-such-option
is "$rc" 129 "an unknown option of perf itself exits 129"
like "$err" '^Unknown option: --no-such-option$' "and is named"
run "$PERF" --list-opts
is "$rc:$(tr ' ' '\n' <<<"$out" | sed '/^$/d' | sort | paste -sd ' ')" \
	"0:--buildid-dir --exec-path --help --list-cmds --list-opts --no-pager --paginate --version" "--list-opts lists those of perf itself"
for option in $out; do
	directory=()
	[ "$option" != --buildid-dir ] || directory=(some.dir)
	run "$PERF" "$option" "${directory[@]}"
	unlike "$rc:$err" '^129|Unknown' "it knows $option"
	like "$(<"$SOURCE/Documentation/perf.txt")" "^$option( DIR)?::" "and so does its manual page"
done
for option in --debug --debug=verbose=1 --debugfs-dir --debugfs-dir=/x --exec-path=/x --html-path; do
	run "$PERF" $option record
	is "$rc:$out:$(wc -l <<<"$err")" "129::1" "$option is refused in one line"
	like "$err" "^perf: this perf does not have $option: " "which names it"
done
run "$PERF" --help filter
like "$out" "^(perf-filter|PERF-FILTER)\\(7\\)" "--help takes the name of a page"
run "$PERF" --version --build-options
is "$out" "$("$PERF" version --build-options)" "--version takes the options of version"
run "$PERF" --exec-path
like "$out" '^/.*/libexec/perf-core$' "--exec-path prints a directory"
# shellcheck disable=SC2016 # for the inner shell
ok "a full disk is noticed" sh -c '! "$0" version >/dev/full 2>/dev/null' "$PERF"

# Passing on. The programs named perf below show what they were called with.
mkdir one two three
echo '#!/bin/sh
echo "next: $*"' >two/perf
chmod +x two/perf
ln -s "$PERF" one/perf
PATH=$WORK/one:$WORK/two:$PATH run "$PERF" no-such-command -x 'a b'
is "$rc:$out" "0:next: no-such-command -x a b" "an unknown command goes to the next perf on PATH, past links to this one"
PATH=$WORK/two run "$PERF" help no-such-command
is "$out" "next: help no-such-command" "help on an unknown command goes there, too"
PATH=$WORK/two run "$PERF" -p no-such-command
is "$out" "next: --paginate no-such-command" "-p is handed on"
PATH=$WORK/two run "$PERF" -p --buildid-dir a --no-pager --paginate --buildid-dir b no-such-command
is "$out" "next: --buildid-dir b --paginate no-such-command" "each option once, with its last value"
PATH=$WORK/two run "$PERF" -p --no-pager no-such-command
is "$out" "next: no-such-command" "--no-pager takes it back"
PATH=$WORK/one run "$PERF" no-such-command
is "$rc:$err" "1:perf: 'no-such-command' is not a perf-command. See 'perf --help'." "without another perf it is an error"
others=$(sed -n '/others\[\] = {/,/};/p' "$SOURCE/cmd/common/pass-on.c" | grep -o '"[a-z0-9-]*"' | tr -d '"')
like "$others" '^c2c$' "commands of other perfs are listed"
is "$("$PERF" --list-cmds | tr ' ' '\n' | grep -xF "$others")" "" "and ours are not among them"
PATH=$WORK/one run "$PERF" reprot
like "$err" "'reprot' is not a perf-command; did you mean 'report'\?" "a misspelt command is answered by one that is near"
PATH=$WORK/one run "$PERF" help reprot
is "$rc:$err" "1:perf: 'reprot' is not a perf-command; did you mean 'report'? See 'perf --help'." "so is help on it"
PATH=$WORK/one run "$PERF" help no-such-command
is "$rc:$err" "1:perf: 'no-such-command' is not a perf-command. See 'perf --help'." "help on an unknown command that no name is near to is an error"
PATH=$WORK/two run "$PERF" reprot
like "$rc:$err" "^1:perf: 'reprot' is not a perf-command; did you mean 'report'\?" "a perf on PATH that has none of that name is not asked"
mkdir lists
printf '#!/bin/sh\nif [ "$*" = --list-cmds ]; then echo "stat reprot top "; else echo "next: $*"; fi\n' >lists/perf
chmod +x lists/perf
PATH=$WORK/two:$WORK/lists run "$PERF" reprot -x
is "$rc:$out" "0:next: reprot -x" "one that lists it gets it"
cp lists/perf two/perf-reprot
PATH=$WORK/two run "$PERF" reprot -x
is "$rc:$out" "0:next: reprot -x" "so does any where a program perf-reprot is on PATH"
rm two/perf-reprot
PATH=$WORK/one run "$PERF" c2c report
is "$rc" 1 "a command of another perf only"
like "$err" "^perf: 'c2c' needs the perf of the distribution, and there is none on PATH: install it, as by '.+'$" \
	"names the way to have it"
PATH=$WORK/one run "$PERF" record --fliter 'cpu == 0' true
is "$rc:$err" "129:  Error: unknown option \`fliter'; did you mean --filter? See perf record --help" "a misspelt option is answered in one line"
(cd two && PATH=:. run "$PERF" no-such-command; [ "$rc" = 1 ])
is $? 0 "the current directory is not searched"

cp "$PERF" three/perf
rm one/perf
cp "$PERF" one/perf
PATH=$WORK/one:$WORK/three:$WORK/two run "$WORK/three/perf" no-such-command
is "$out" "next: no-such-command" "two copies pass on to the third program"
PATH=$WORK/one:$WORK/three run "$WORK/one/perf" no-such-command
is "$rc" 1 "two copies alone do not go in a circle"
printf '#!/bin/sh\n"%s" "$@"\n' "$PERF" >two/perf
PATH=$WORK/two:$PATH run "$PERF" no-such-command
is "$rc" 1 "a script that calls this perf again does not go in a circle"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$PERF" >two/perf
PATH=$WORK/two run "$PERF" no-such-command
is "$rc" 1 "nor does one that becomes it"

if [ -n "$STOCK" ]; then
	PATH=$(dirname "$STOCK"):$PATH run "$PERF" c2c -h
	like "$out$err" 'Usage: perf c2c' "c2c is stock perf's"
else
	skip 1 "no stock perf on PATH (package linux-perf)"
fi

done_testing

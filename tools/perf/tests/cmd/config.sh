#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perfconfig files: what perf config shows and sets, and what it means for the commands.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

export PERF_CONFIG=$WORK/perfconfig
run "$PERF" config -l
is "$rc:$out:$err" "0::" "nothing is set"
run "$PERF" config report.children=false report.percent-limit=5
is "$rc:$out:$err" "0::" "two variables are set"
is "$(<perfconfig)" $'[report]\n\tchildren = false\n\tpercent-limit = 5' "as other perfs write them"
run "$PERF" config report.percent-limit
is "$out" "report.percent-limit=5" "one is shown"
[ -z "$STOCK" ] || is "$("$STOCK" config -l)" "$("$PERF" config -l)" "other perfs read the same"
run "$PERF" config --system --user -l
is "$rc" 129 "one file at a time"
for wrong in nothing a.b.c .x x. 'a b.c=1'; do
	run "$PERF" config "$wrong"
	is "$rc" 129 "$wrong is no variable"
done
echo nonsense >perfconfig
run "$PERF" config -l
is "$rc" 255 "a wrong file"
like "$err" 'perfconfig, line 1: ' "says where"
for command in "report" "script" "annotate" "stat true" "trace true" "evlist" "top --stdio -d 1" "probe -l" "list sw" "record true" "version"; do
	# shellcheck disable=SC2086 # words
	run timeout 100 "$PERF" $command
	is "$rc:$(grep -c 'perfconfig, line 1: ' <<<"$err"):$(wc -l <<<"$err")" 255:1:1 "perf $command says so once"
done
run "$PERF" help
is "$rc" 0 "but perf help helps"
rm perfconfig
PERF_CONFIG=$WORK/no/such/dir run "$PERF" config a.b=c
is "$rc" 255 "a file that cannot be written"
like "$err" 'no/such/dir' "is named"
chmod 666 perfconfig 2>/dev/null || { echo '[a]' >perfconfig && chmod 666 perfconfig; }
run "$PERF" config -l
like "$err" 'is left out: .*anybody may write' "a file that anybody may write is not read"
rm -f perfconfig

# --- what it means ---

run "$PERF" record -g -e cpu-clock:u -F 999 -o c.data -- "$WORKLOAD" noploop 0.3
is "$rc" 0 "a recording"
plain=$("$PERF" report --stdio --no-children --percent-limit 3 -g caller -s comm,sym -i c.data 2>/dev/null)
for setting in report.children=no report.percent-limit=3 call-graph.order=caller report.sort_order=comm,sym; do
	"$PERF" config "$setting"
done
is "$("$PERF" report --stdio -i c.data 2>/dev/null)" "$plain" "options of the file are those of the command line"
[ -z "$STOCK" ] || is "$("$PERF" report --stdio --no-inline -i c.data 2>/dev/null | grep -v '^#')" "$("$STOCK" report --stdio --no-inline -i c.data 2>/dev/null | grep -v '^#')" \
	"they mean the same to stock perf"
like "$("$PERF" report --stdio --children -i c.data 2>/dev/null)" '^# Children' "the command line's come after them"
"$PERF" config report.children=perhaps
run "$PERF" report -i c.data
is "$rc" 129 "a value that is none"
like "$err" 'report.children is true or false: not "perhaps"' "says which"
rm perfconfig

# settings FILE: of its event
settings() {
	"$PERF" evlist -v -i "$1"
}
"$PERF" config call-graph.record-mode=dwarf call-graph.dump-size=4096 record.build-id=skip
run "$PERF" record -g -e cpu-clock:u -o d.data -- true
like "$(settings d.data)" 'sample_stack_user: 4096' "-g means what the file says"
run "$PERF" record --call-graph fp -e cpu-clock:u -o d.data -- true
unlike "$(settings d.data)" 'sample_stack_user' "--call-graph what it says itself"
is "$("$PERF" report -D -i d.data | grep -ac 'MMAP2.*<[0-9a-f]\{40\}>')" 0 "record.build-id = skip"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What events ask for themselves: terms, modifiers and groups, opened as the distribution's perf opens them; breakpoints and uprobes.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# settings FILE: of all events, a line each, without names and what depends on the version of perf. Samples of several events have
# their id at a fixed place here (IDENTIFIER), and after the other fields there (ID).
settings() {
	"$PERF" evlist -v -i "$1" | sed -E 's/^[^ ]*: (type:)/\1/; s/(: | \}), /\1/; s/, /\n/g; s/\|(ID|IDENTIFIER)\b//g' |
		grep -vE '^(ksymbol|bpf_event|exclude_guest|build_id|size):|^#'
}

for term in call-graph=fp call-graph=dwarf,stack-size=2048 "call-graph=fp,max-stack=5" no-inherit inherit name=foo,period=100000 freq=100 \
	percore no-overwrite time; do
	# A dump of stacks brings addresses of data along there.
	[ "$term" != call-graph=dwarf,stack-size=2048 ] || set -- -d
	same_events "$@" -e "cpu-clock/$term/"
	set --
done
for options in "-g -e cpu-clock/call-graph=no/" "-i -e cpu-clock/inherit/" "-g -e cpu-clock/max-stack=7/" \
	"-e cpu-clock:D" "-e cpu-clock:e" "-e cpu-clock:I" "-e cpu-clock:upI" "-e {cpu-clock,task-clock}:D" "-e {cpu-clock,task-clock}:W" \
	"-i -e {cpu-clock,task-clock}:S" "-i -e cpu-clock:S" "-i --running-time -e {cpu-clock,page-faults}:S" \
	"-e mem:0x1000:rw" "-e mem:0x1000/8:w:u" "-e mem:0x1000:x" "-e mem:0x1000"; do
	# shellcheck disable=SC2086 # several words
	same_events $options
done

# --- groups ---

work=("$WORKLOAD" thloop 0.2)
run "$PERF" record -q -i -e '{cpu-clock,page-faults}:S' -F 999 -o s.data -- "$WORKLOAD" noploop 0.2
is "$rc" 0 "a leader that samples for its group"
is "$(samples s.data event | sort -u | xargs)" "cpu-clock: page-faults:" "both events have samples"
is "$("$PERF" script -i s.data -F event | grep -c cpu-clock)" "$("$PERF" report --stats -i s.data 2>/dev/null | awk '/SAMPLE events:/ { print $3; exit }')" \
	"one of each record is the leader's"
is "$("$PERF" script -i s.data -F event,period | sort)" "$("$STOCK" script -i s.data -F event,period 2>/dev/null | sort)" \
	"stock perf reads the same values"
run "$PERF" record -q -e '{cpu-clock,page-faults}:S' -F 999 -o s.data -- "${work[@]}"
is "$("$PERF" report --stats -i s.data 2>/dev/null | awk '/cpu-clock stats/ { getline; print $3 }')" "$("$PERF" script -i s.data -F event | grep -c cpu-clock)" \
	"with threads"
run "$PERF" record -e '{cpu-clock,page-faults}:S' --filter 'mode == user' -F 999 -o s.data -- "${work[@]}"
like "$err" '^filter: [0-9]+ samples? seen' "the leader's filter is that of the group"
counts ""
ok "it kept and dropped" test "$kept" -gt 10 -a "$((kept + dropped))" = "$seen"
is "$("$PERF" script -i s.data -F event | grep -c cpu-clock)" "$kept" "what was kept is in the file"
run "$PERF" record -e '{cpu-clock,page-faults}:S' -e cs --filter 'tid == 0' -o x.data -- true
is "$rc" 0 "a filter behind another event is that one's"

run "$PERF" record -e '{cpu-clock,task-clock:e}' -o x.data -- touch ran
is "$rc" 255 "a group that the kernel refuses"
ok "nothing ran" test ! -e ran
run "$PERF" record -e '{cpu-clock,task-clock:e}:W' -F 999 -o w.data -- "${work[@]}"
is "$rc" 0 "a weak one is given up"
like "$err" 'group that cpu-clock leads cannot be counted together' "which is said"
is "$(samples w.data event | sort -u | xargs)" "cpu-clock: task-clock:e:" "both events have samples"

run "$PERF" record -q -e 'cpu-clock/call-graph=fp,max-stack=2/,task-clock' -F 999 -o c.data -- "${work[@]}"
is "$("$PERF" script -i c.data -F event,ip | awk '/cpu-clock/ { n = 0 } NF == 1 && !/:/ && ++n > most { most = n } END { print most }')" 2 \
	"callchains of one event, cut"

# --- breakpoints ---

# Some virtual machines have breakpoints that nothing hits, by stock perf, too.
breakpoints_hit() { # ADDRESS
	[ -z "$STOCK" ] || "$STOCK" stat -x , -e "mem:$1:x:u" -- setarch -R "$PERF" version 2>&1 >/dev/null | grep -q '^[1-9].*mem:'
}
if setarch -R true 2>/dev/null && at=$(nm "$PERF" 2>/dev/null | awk '$3 == "cmd_version" { print $1 }') && [ -n "$at" ]; then
	start=$(printf '0x%x' $((0x555555554000 + 0x$at)))
else
	start=
fi
if [ -z "$start" ]; then
	skip 2 "the place of a function is not known here"
elif ! breakpoints_hit "$start"; then
	skip 2 "nothing hits breakpoints of this machine"
else
	run "$PERF" record -q -e "mem:$start:x:u" -o b.data -- setarch -R "$PERF" version
	is "$rc:$(samples b.data ip,sym)" "0:${start#0x}cmd_version" "a breakpoint in a program"
	run "$PERF" record -e "mem:$start:x:u" --filter 'comm == "nobody"' -o b.data -- setarch -R "$PERF" version
	like "$err" '^filter: 1 sample seen, 0 kept, 1 dropped' "with a filter"
fi
run "$PERF" record -e mem:0x1001/8:w -o x.data -- touch ran
is "$rc" 255 "a breakpoint that the processor does not know"
like "$err" '^breakpoint mem:0x1001/8:w cannot be set' "says so"
run "$PERF" record -e "$(seq -s, -f 'mem:0x100%g/1:w' 1 9)" -o x.data -- touch ran
is "$rc" 255 "more breakpoints than there are"
like "$err" 'all of the processor.s breakpoints are taken' "says so"

# --- uprobes ---

libc=$(awk '/libc\.so|libc-/ { print $6; exit }' /proc/self/maps)
at=$(nm -D "${libc:-none}" 2>/dev/null | awk '$3 ~ /^getppid(@|$)/ { print $1 }')
uprobe=perf_test_$$
# shellcheck disable=SC2016 # for the inner shell
set_uprobes() {
	with_tracefs sh -c 'echo "$1" >>/sys/kernel/tracing/uprobe_events' sh "$1" 2>/dev/null
}
if [ -n "$at" ] && set_uprobes "p:uprobes/$uprobe $libc:0x$at"; then
	# The loader's, the shell's own and this one: as many as another perf sees.
	run "$PERF" record -q -e "uprobes:$uprobe" -o u.data -- bash -c true
	is "$rc" 0 "a uprobe"
	stock_record -q -e "uprobes:$uprobe" -o ustock.data -- bash -c true
	nr=$("$STOCK" script -i ustock.data 2>/dev/null | wc -l)
	ok "it was hit" test "$nr" -gt 0
	is "$("$STOCK" script -i u.data 2>/dev/null | wc -l)" "$nr" "as often as stock perf says"
	run "$PERF" record -e "uprobes:$uprobe" --filter 'comm == "nobody"' -o u.data -- bash -c true
	is "$rc:$(samples u.data time | wc -l)" "0:0" "with a filter"
	set_uprobes "-:uprobes/$uprobe"
else
	skip 4 "this kernel has no uprobes, or the place of a function is not known"
fi

# Tracepoints and faults write to the same rings, and lay out their samples differently.
for events in syscalls:sys_enter_write,minor-faults minor-faults,syscalls:sys_enter_write; do
	run "$PERF" record -m 8M -e $events -c 1 --call-graph dwarf,1024 -o both.data -- dd if=/dev/zero of=/dev/null bs=1 count=200 status=none
	unlike "$rc:$err" '^[1-9]|not written|full' "calls and faults with stacks: $events"
	is "$(samples both.data event | grep -c 'sys_enter_write:')" 200 "each call is in the file"
	ok "so are faults" test "$(samples both.data event | grep -c 'minor-faults:')" -gt 20
done

for wrong in cpu-clock/time=0/ cpu-clock/call-graph=x/ cpu-clock/stack-size=70000/ cpu-clock:W mem:x mem:0x1000/3:w; do
	run "$PERF" record -e "$wrong" -o x.data -- touch ran
	is "$rc" 129 "-e $wrong"
done
run "$PERF" record -e '{cpu-clock,page-faults}:S' -b -o x.data -- touch ran
is "$rc" 255 "branches of a software event"
run "$PERF" record --call-graph lbr -e cpu-clock -o x.data -- touch ran
is "$rc" 255 "--call-graph lbr"
like "$err" 'branches' "says what is missing"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf stacks -o: stacks in a perf.data that every perf reads, the same as those that are printed.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

spawn "$WORKLOAD" blocked threads 100 >places
pid=$spawned_pid
printed() { [ "$(wc -l <places)" -ge 100 ]; }
wait_for 60 printed
asleep() { ! grep -hLs '^[0-9]* ([^)]*) S ' "/proc/$pid/task/"*/stat | grep -q .; }
wait_for 60 asleep && wait_for 60 asleep

# stacks_of: of perf script, a line for each sample: its tid, and the functions of its user's part, innermost first, without inlined ones
stacks_of() {
	awk '
		NF == 1 { if (tid) print tid frames; tid = $1; frames = ""; next }
		$1 ~ /^ffff/ || /\(inlined\)/ { next }
		NF { sub(/\+0x.*/, "", $2); frames = frames " " $2 }
		END { if (tid) print tid frames }' | sort
}

run "$PERF" stacks -p "$pid" -o s.data
is "$rc:$out" "0:" "-o prints no stacks"
like "$err" '^\[ perf stacks: Wrote 101 stacks of 1 snapshot to s.data \]$' "but how many there are"
"$PERF" script -i s.data -F tid,ip,sym,symoff >script.txt
stacks_of <script.txt >recorded
is "$(wc -l <recorded)" 101 "each thread has a sample"
awk '
	NR == FNR { place[$1] = $2; depth[$1] = $3; next }
	!($1 in place) { next }
	{
		found = 0; deeper = 0
		for (i = 2; i <= NF; i++) {
			found += $i == place[$1]
			deeper += $i == "go_deeper"
		}
		right += found == 1 && deeper == depth[$1] + 1
	}
	END { print right + 0 }' places recorded >right
is "$(cat right)" 100 "with the stack of its thread"
grep -c 'ffff.*futex_wait' script.txt >kernel
ok "and the kernel's part" test "$(cat kernel)" -ge 20
is "$("$PERF" report -i s.data --stdio --no-children -s comm -F sample,comm 2>/dev/null | awk '$2 == "workload" { print $1 }')" 101 "report counts threads"
like "$("$PERF" report -i s.data --stdio --no-children -g none -s sym -F sample,sym 2>/dev/null)" '^ *20 +\[k\] ' "by what they wait in"
like "$("$PERF" report -i s.data --header-only)" "^# event : name = threads, " "of the event threads"
like "$("$PERF" report -i s.data --header-only)" "^# cmdline : .*stacks -p $pid -o s.data" "the header has the command"
printed=$("$PERF" stacks -p "$pid" --folded | sort)
"$PERF" report -i s.data --folded 2>/dev/null | sort >folded
is "$(cat folded)" "$printed" "the same stacks as --folded"

run "$PERF" stacks -p "$pid" -n 3 -i 30 -o three.data
like "$err" 'Wrote 303 stacks of 3 snapshots to three.data' "several snapshots"
is "$("$PERF" script -i three.data -F time | sort -u | wc -l)" 3 "have a time each"
is "$("$PERF" script -i three.data --show-mmap-events -F event,time 2>/dev/null | awk '/PERF_RECORD_MMAP2/ && !/kernel/ { print $1 }' | sort -u)" \
	"$("$PERF" script -i three.data -F time | awk '{ print $1; exit }')" "the first of which maps have"
maps() { "$PERF" script -i "$1" --show-mmap-events 2>/dev/null | grep -c 'PERF_RECORD_MMAP2 '; }
is "$(maps three.data)" "$(maps s.data)" "and maps that did not change are there once"

if [[ ${STOCK-} ]]; then
	"$STOCK" script -i s.data -F tid,ip,sym,symoff 2>stock.err | stacks_of >by-stock
	is "$(comm -13 by-stock recorded | head -3)" "" "stock perf shows the same"
	is "$("$STOCK" report -i s.data --stdio --no-children -g none -s comm -F sample,comm 2>/dev/null | awk '$2 == "workload" { print $1 }')" 101 "and counts them"
	"$PERF" stacks -q -p "$pid" -o - | "$STOCK" script -i - -F tid,ip,sym,symoff 2>>stock.err | stacks_of >by-pipe
	is "$(comm -13 by-pipe recorded | head -3)" "" "from a pipe, too"
fi
"$PERF" stacks -q -p "$pid" -o - | "$PERF" script -i - -F tid,ip,sym,symoff | stacks_of >piped
is "$(comm -3 piped recorded | head -3)" "" "a pipe has the same"

# All of the system: threads of the kernel have their names.
run "$PERF" stacks -a -o all.data
"$PERF" script -i all.data -F comm,pid,tid >names
like "$(cat names)" '^ *kthreadd +2/2' "threads of the kernel have names"
unlike "$(cat names)" '^ *:[0-9]+ ' "so has every thread"

run "$PERF" stacks -o s.data --folded
is "$rc" 129 "-o excludes --folded"
run "$PERF" stacks -o s.data --flamegraph f.html
is "$rc" 129 "and --flamegraph"
run "$PERF" stacks -p "$pid" -o /nosuch/s.data
is "$rc" 255 "a file that cannot be made"
like "$err" '/nosuch/s.data' "has a message with its name"
run "$PERF" stacks -p "$pid" -o /dev/full
is "$rc" 255 "so is a full disk"
like "$err" 'No space left on device' "with the reason"
kill "$pid"
done_testing

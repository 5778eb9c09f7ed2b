#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Where a recording goes: pipes, compressed files, one file after the other, files that may not grow. What is written is all there, and
# the distribution's perf reads it.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# User space alone, as interrupts may take a good part of a CPU.
work=("$WORKLOAD" noploop 0.4)

most=90 some='(9[0-9]|100)' # percent
# has_noploop PERF FILE: nearly all of its samples are where they have to be, with callchains
has_noploop() {
	rows "$1" "$2" sym | awk -v most=$most '/noploop/ { n += $1 } END { exit n < most }'
}

# --- pipes ---

"$PERF" record -q -g -e cpu-clock:u -o - -- "${work[@]}" >p.pipe 2>p.err
is "$?:$(<p.err)" "0:" "-o -"
for reader in "$PERF" "$STOCK"; do
	"$reader" report --stdio --no-children -g none -i - <p.pipe >out.txt 2>err.txt
	is "$?" 0 "$(basename "$reader") of $(dirname "$reader") reads it"
	like "$(<out.txt)" '^ +'"$some"'\.[0-9]+% .*noploop' "and shows where the samples fell"
done
like "$("$PERF" report --header-only -i - <p.pipe)" '^# hostname : ' "the header is there"
run bash -c 'cat p.pipe | "$0" report --header-only -i -' "$PERF"
like "$out" '^# captured on +: .* [0-9]{4}$' "with the date at which it came"
like "$out" '^# event : name = cpu-clock:u, .*sample_type = ' "and with its events"
is "$("$PERF" script -i - -F event <p.pipe | sort -u | xargs)" "cpu-clock:u:" "the event has its name"
run bash -c '"$0" record -e cpu-clock -- "$WORKLOAD" noploop 0.2 | "$0" report -i - --stdio' "$PERF"
like "$out" '^ +[0-9.]+% .*noploop' "a pipe is taken without -o"
ok "and no file made" test ! -e perf.data
# shellcheck disable=SC2016 # for the inner shell
run bash -c '"$0" record -q -e cpu-clock -o - -- sh -c "echo said" 2>said.txt | "$0" script -i - -F comm' "$PERF"
is "$rc:$(<said.txt)" "0:said" "what the command prints goes another way"
"$PERF" record -q -e sched:sched_switch -e cpu-clock -a -o - -- sleep 0.2 >t.pipe 2>/dev/null
like "$("$PERF" script -i - -F event,trace <t.pipe)" 'sched:sched_switch: prev_comm=' "tracepoints have their fields"
like "$("$STOCK" script -i - -F event,trace <t.pipe 2>/dev/null)" 'sched:sched_switch: +prev_comm=' "for stock perf, too"
# shellcheck disable=SC2016 # for the inner shell
run bash -c '"$0" record -e cpu-clock -F 9999 -g -o - -- "$WORKLOAD" noploop 10 | head -c 5000 >/dev/null; echo ${PIPESTATUS[0]}' "$PERF"
is "$out" 255 "nobody reads any more: perf ends"
like "$err" '^Nobody reads the recording any more' "and says why"
mkfifo unread
# Open for reading only until it is open for writing.
# shellcheck disable=SC2016 # for the inner shell
run bash -c 'exec 4<>unread 5>unread 4<&-; "$0" record -e cpu-clock -o - -- touch ran >&5' "$PERF"
is "$rc:$err" "255:Nobody reads the recording any more: the reader of the pipe has ended" "nobody has read: that alone is said"
run script -qec "'$PERF' record -e cpu-clock -o - -- touch ran" /dev/null
like "$out" 'cannot be written to a terminal' "a terminal gets none"
ok "the command did not run" test ! -e ran

# --- compressed ---

run "$PERF" record -z -g -F 9999 -e cpu-clock:u -o z.data -- "${work[@]}"
is "$rc" 0 "-z"
ok "this perf reads it" has_noploop "$PERF" z.data
ok "so does stock perf" has_noploop "$STOCK" z.data
is "$("$STOCK" report --stats -i z.data 2>/dev/null | awk '/ SAMPLE events/ { print $3; exit }')" "$(samples z.data time | wc -l)" "both find all samples"
run "$PERF" record -z0 -g -F 9999 -e cpu-clock:u -o z0.data -- "${work[@]}"
ok "it is much smaller" test $((3 * $(stat -c %s z.data))) -lt "$(stat -c %s z0.data)"
"$PERF" record -q -z -g -e cpu-clock:u -o - -- "${work[@]}" 2>/dev/null | "$PERF" report -i - --stdio --no-children -g none >out.txt 2>&1
like "$(<out.txt)" '^ +'"$some"'\.[0-9]+% .*noploop' "through a pipe"

# --- one after the other ---

# all_of FILES...: samples in all of them
all_of() {
	local file
	for file; do
		samples "$file" time
	done | wc -l
}
run "$PERF" record -e cpu-clock:u -F 4000 -g --switch-output=20K -m 4 -o s.data -- "$WORKLOAD" noploop 1
is "$rc" 0 "--switch-output by size"
files=(s.data.*)
ok "there are several" test "${#files[@]}" -gt 2
is "$(grep -c '^\[ perf record: Dump s\.data\.[0-9]\{16\} \]$' <<<"$err")" "$((${#files[@]} - 1))" "each but the last is told"
is "$(all_of "${files[@]}")" "$(sed -nE 's/.* s\.data\.<timestamp> \(([0-9]+) samples\).*/\1/p' <<<"$err")" "no sample is missing"
wrong=0
for file in "${files[@]}"; do
	for reader in "$PERF" "$STOCK"; do
		[ "$(samples "$file" time | wc -l)" -lt 20 ] || has_noploop "$reader" "$file" || wrong=$((wrong + 1))
	done
done
is "$wrong" 0 "in each file samples have their names, for both perfs"
ok "no file is left without a stamp" test ! -e s.data

# Each file tells what the filter dropped while it was written, so that no reader takes the last one for all that was lost.
run "$PERF" record -e cpu-clock -F 4000 -g --switch-output=20K -m 4 --filter 'every 2' -o d.data -- "$WORKLOAD" noploop 1
seen=$(sed -nE 's/^filter: ([0-9]+) samples? seen.*/\1/p' <<<"$err")
lost=$(sed -nE 's/^([0-9]+) samples? w[a-z]* lost.*/\1/p' <<<"$err")
dropped() {
	"$PERF" report --stats -i "$1" 2>/dev/null | awk '/LOST_SAMPLES \(BPF\) events/ { n++ } END { print n + 0 }'
}
told=0 silent=0
for file in d.data.*; do
	told=$((told + $("$PERF" report --stats -i "$file" | awk '/LOST_SAMPLES \(BPF\) events/ { n += $NF } END { print n + 0 }')))
	[ "$(dropped "$file")" -gt 0 ] || silent=$((silent + 1))
done
is "$((told + $(all_of d.data.*) + ${lost:-0}))" "$seen" "with a filter the files tell of all samples together"
ok "and each of its own" test "$silent" -le 1

run "$PERF" record -e cpu-clock --switch-output=1s --switch-max-files=2 -o t.data -- "$WORKLOAD" noploop 3.3
files=(t.data.*)
is "$rc:${#files[@]}" "0:2" "--switch-output by time, the last two are kept"
spawn "$PERF" record -a -e cpu-clock --switch-output -o g.data -- sleep 100
recording=$spawned_pid
switched() {
	[ "$(find . -name 'g.data.*' | wc -l)" -ge "$1" ]
}
begun() {
	[ -s g.data ] && [ "$(stat -c %s g.data)" -gt 2000 ]
}
ok "recording" wait_for 10 begun
kill -USR2 "$recording"
ok "SIGUSR2 asks for the next file" wait_for 10 switched 1
ok "which begins" wait_for 10 begun
kill -USR2 "$recording"
ok "again" wait_for 10 switched 2
kill -INT "$recording"
wait "$recording"
ok "and at the end" switched 3
run "$PERF" record -q -e cpu-clock --timestamp-filename -o n.data -- true
is "$rc:$(ls n.data*)" "0:$(ls n.data.????????????????)" "--timestamp-filename"

# --- limits ---

run "$PERF" record -e cpu-clock:u -F 4000 -g --max-size 50K -o m.data -- "$WORKLOAD" noploop 100
is "$rc" 0 "--max-size ends it"
like "$err" '^\[ perf record: perf size limit reached \([0-9]+ KB\), stopping session \]$' "says so"
ok "the file is little larger" test "$(stat -c %s m.data)" -lt $((50 * 1024 + 800000))
ok "and whole" has_noploop "$STOCK" m.data

run "$PERF" record -q -B -e cpu-clock -o B.data -- "${work[@]}"
is "$("$PERF" report -D -i B.data | grep -c 'MMAP2.*<[0-9a-f]\{40\}>')" 0 "-B: no build-ids"

for wrong in "--max-size 5" "--max-size x" "--switch-output=5x" "--switch-output=0s" "-z23" "-zx" "-o - --switch-output"; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" record -e cpu-clock $wrong -- touch ran
	is "$rc" 129 "$wrong"
done
ok "nothing ran" test ! -e ran

# --- names that are not perf's to change ---

mknod null c 1 3
ln -s /proc/self/fd/1 stream
for how in --switch-output=1s --timestamp-filename "--switch-output-event cpu-clock"; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" record -e cpu-clock $how -o null -- touch ran
	is "$rc" 129 "a device with $how"
	like "$err" 'need a file that can have a name' "is refused"
done
run "$PERF" record -e cpu-clock -o stream -- touch ran
is "$rc" 255 "a link to the standard output"
like "$err" '^stream is a link to a standard stream' "is refused, too"
ok "nothing ran" test ! -e ran
is "$(stat -c %F null stream | xargs)" "character special file symbolic link" "both have their names"
is "$(find . -name 'null?*' -o -name 'stream?*')" "" "and no others"

# What was put there after perf has looked is not written through.
build_race
echo mine >victim
RACE=race.data RACE_COMMAND='ln -s victim race.data' run preloaded "$RACE_LIBRARY" "$PERF" record -e cpu-clock -o race.data -- touch ran
is "$rc" 255 "a link that has come between"
like "$err" 'Cannot create race.data: File exists; name another file' "says so"
ok "nothing is run, nor written where it leads" test ! -e ran -a "$(<victim)" = mine -a -L race.data

# --- a line of progress ---

run script -qec "'$PERF' record -a -e cpu-clock --filter 'pid != 0' -o pr.data -- sleep 2.2" /dev/null
like "$out" $'\r\\[ perf record: [0-9]+ samples, [0-9]+ kept, [0-9]+ dropped, [0-9]+ lost, [0-9.]+ MB \\]' "on a terminal"
like "$out" $'\033\\[K\\[ perf record: Woken up' "which is gone before the summary"
run script -qec "'$PERF' record -q -a -e cpu-clock -o pr.data -- sleep 1.5" /dev/null
is "$out" "" "not with -q"
run "$PERF" record -a -e cpu-clock -o pr.data -- sleep 1.5
unlike "$err" ' lost, ' "not without a terminal"
done_testing

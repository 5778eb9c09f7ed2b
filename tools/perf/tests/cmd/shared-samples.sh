#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# For one page fault Linux makes one sample for all recordings that count it, and what the first of them wants of ids and times stays in it
# (since 6.3). A user without privilege records page faults of own programs, in a PID namespace and by another clock. Neither a filter nor
# its file may take these for true. ROUNDS=50 repeats each attack.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

PAGES=2000
chmod 755 "$WORK"
cp "$PERF" "$WORKLOAD" .
perf=$WORK/${PERF##*/}
workload=$WORK/workload
faults=("$workload" faults "$PAGES" threads 1)
# A user that nobody else has, so that its faults are no others'
attacker=$((6000000 + $$))
as_attacker() {
	setpriv --reuid=$attacker --regid=$attacker --clear-groups --inh-caps=-all --bounding-set=-all -- "$@"
}
as_attacker unshare -U -r -p -f true 2>err.txt || skip_all "users have no namespaces here: $(<err.txt)"

# attacker OPTIONS...: the faults of a user who records them in a PID namespace of the user's own, where their ids are small
attacker() {
	as_attacker unshare -U -r -p -f --mount-proc "$perf" record -q -e page-faults:u -c 1 -o - "$@" -- "${faults[@]}" >/dev/null
}
export -f as_attacker attacker
export perf attacker
# what a shell started by perf needs to call it
script="faults=(${faults[*]}); attacker"

# uptime: seconds of CLOCK_MONOTONIC
uptime_s() {
	cut -d. -f1 /proc/uptime
}

# honest FILE: every sample of the file has ids and a time from this side
honest() {
	"$PERF" script -i "$1" -F pid,tid,time 2>/dev/null | awk -v from="$begin" -v to="$(uptime_s)" '
		NF { split($1, id, "/"); if (id[1] <= 30 || id[2] <= 30 || $2 + 0 < from - 1 || $2 + 0 > to + 2) bad++; n++ }
		END { printf "%d samples, %d forged\n", n, bad }'
}

# judge TRUE FALSE: while the attack goes on, the filter keeps all of its faults, and its opposite none
judge() {
	local i
	for ((i = 0; i < ${ROUNDS:-1}; i++)); do
		begin=$(uptime_s)
		run "$PERF" record -a -e page-faults -c 1 --filter "comm ~ 'fault-*' && uid == $attacker && $1" -o keep.data -- bash -c "$script $attack"
		counts ""
		is "$rc:$kept" "0:$PAGES" "$1 keeps the faults of an attacker ${attack:-in a namespace}"
		is "$(honest keep.data)" "$PAGES samples, 0 forged" "and the file says whose they are, and when"
		run "$PERF" record -a -e page-faults -c 1 --filter "comm ~ 'fault-*' && uid == $attacker && $2" -o drop.data -- bash -c "$script $attack"
		counts ""
		is "$rc:$kept" "0:0" "$2 keeps none"
	done
}

for attack in "-k realtime" "-k boottime" ""; do
	judge 'tid > 30' 'tid <= 30'
	judge 'pid > 30' 'pid <= 30'
	# shellcheck disable=SC2319 # of uptime_s
	judge "time > $(($(uptime_s) - 1))s && time < $(($(uptime_s) + 1000))s" "time > $(($(uptime_s) + 1000))s"
done
attack="-k realtime"
judge 'id != 0' 'id == 0'
judge 'cpu < 4096' 'cpu >= 4096'
judge 'period == 1' 'period != 1'
judge "uid == $attacker" "uid != $attacker"
judge 'mode == user' 'mode == kernel'

# --- events that tasks inherit: their ids are those outside, also of tasks that a task in a PID namespace starts ---

# Its child has the first id of the namespace, and is the one that starts those with faults.
inner="unshare -p -f --mount-proc sh -c '\"$workload\" faults $PAGES threads 1; true'"
for command in "$inner" "$script -k realtime"; do
	begin=$(uptime_s)
	run "$PERF" record -e page-faults -c 1 --filter "comm ~ 'fault-*' && pid > 30 && tid > 30" -o keep.data -- bash -c "$command"
	counts ""
	is "$rc:$kept:$(honest keep.data)" "0:$PAGES:$PAGES samples, 0 forged" "the ids of a command's tasks are judged and written as seen from outside: $command"
	run "$PERF" record -e page-faults -c 1 --filter "comm ~ 'fault-*' && (pid <= 30 || tid <= 30)" -o drop.data -- bash -c "$command"
	counts ""
	is "$rc:$kept" "0:0" "and none as seen from inside"
	run "$PERF" sample-bpf -e page-faults -c 1 --key pid,tid --filter "comm ~ 'fault-*'" -o key.data -- bash -c "$command"
	is "$rc:$(honest key.data)" "0:1 samples, 0 forged" "sample-bpf, too"
done

# --- other ways to see such samples ---

begin=$(uptime_s)
run "$PERF" sample-bpf -a -e page-faults -c 1 --key comm,pid,tid --filter 'comm ~ "fault-*" && uid == '$attacker' && pid > 30' -o key.data -- bash -c "$script $attack"
read -r samples keys <<<"$(counted)"
is "$rc:$samples:$keys" "0:$PAGES:1" "sample-bpf counts them under the ids of this side"
is "$(honest key.data)" "1 samples, 0 forged" "and so does its file"
run "$PERF" sample-bpf -a -e page-faults -c 1 --both --key comm,pid,tid --filter 'comm ~ "fault-*" && uid == '$attacker -o both.data -- bash -c "$script $attack"
is "$rc:$(counted)" "0:$PAGES 1" "sample-bpf --both counts them"
like "$err" "^page-faults: $PAGES samples? w[a-z]* not written: another perf records the same event of these tasks" "and says that it does not write them"
unlike "$err" "ring buffers were full" "no ring was too small for that"
run "$PERF" record -a -e page-faults -c 1 --overwrite -m 4M --filter 'comm ~ "fault-*" && uid == '$attacker' && pid > 30' -o over.data -- bash -c "$script $attack"
is "$rc:$(honest over.data)" "0:$PAGES samples, 0 forged" "rings that are overwritten"
run "$PERF" record -m 8M -a -e page-faults -c 1 --call-graph dwarf,1024 --filter 'comm ~ "fault-*" && uid == '$attacker -o cut.data -- bash -c "$script --user-regs=ip"
counts ""
is "$rc:$kept:$(samples cut.data tid | wc -l)" "0:$PAGES:0" "samples with room for other registers are not written"
like "$err" "^page-faults: $PAGES samples? w[a-z]* not written" "and perf says so"
run "$PERF" record -a -e page-faults -c 1 --filter 'comm ~ "fault-*" && uid == '$attacker' && addr > 0' -e page-faults/name=second/ -c 1 --filter 'comm ~ "fault-*" && uid == '$attacker -o two.data -- bash -c "$script $attack"
"$PERF" script -i two.data -F event,cpu >two.txt
"$PERF" report -D -i two.data | sed -nE 's/.*PERF_RECORD_SAMPLE.* addr: (0x)?([0-9a-f]*)$/\2/p' | sort >addr.txt
is "$rc:$(grep -c page-faults: two.txt):$(grep -c second: two.txt)" "0:$PAGES:$PAGES" "two events that keep the same faults"
is "$(grep -cvE "\[0*($(seq -s '|' 0 $(($(nproc --all) - 1))))\]" two.txt)" 0 "each has samples of its own kind: the CPU is one"
is "$(grep -cx 0 addr.txt):$(grep -cE '^[0-9a-f]{9,}$' addr.txt)" "$PAGES:$PAGES" "and only the first one has addresses"
# Of the command only: faults of others that are recorded whole would fill the rings.
run "$PERF" record -m 8M -e page-faults -c 1 --call-graph dwarf,1024 -o all.data -- bash -c "$script --user-regs=ip"
like "$err" "^page-faults: [0-9]{4,5} samples? w[a-z]* not written" "without a filter, too"
unlike "$err" "ring buffers were full" "no ring was too small for that, either"
is "$("$PERF" report --stats -i all.data | sed -nE 's/ +LOST_SAMPLES events: +([0-9]+)$/\1/p')" \
	"$(sed -nE 's/^page-faults: ([0-9]+) samples? w[a-z]* not written.*/\1/p' <<<"$err")" "the file says that they are missing"
run "$PERF" record -a -e page-faults -c 1 --overwrite --call-graph dwarf,1024 -o over.data -- touch ran
is "$rc:$(ls ran 2>&1)" "255:ls: cannot access 'ran': No such file or directory" "they are not overwritten: registers of any user would come into older records"
like "$err" "cannot overwrite samples of page-faults that have registers.*another recording" "says so"
run "$PERF" record -a -e page-faults -c 1 --overwrite -g -o over.data -- true
is "$rc" 0 "those with callchains are"
run "$PERF" record -a -e cpu-clock --overwrite --call-graph dwarf,1024 -o over.data -- true
is "$rc" 0 "and those of clocks"
# Rings that are too small for both: what is lost of one event leaves nothing to the other's.
of_each() {
	run "$PERF" record -m 2 -a -e page-faults/name=one,call-graph=fp/ -c 1 --filter 'comm ~ "fault-*" && uid == '$attacker -e page-faults/name=two,call-graph=no/ -c 1 \
		--filter 'comm ~ "fault-*" && uid == '$attacker' && tid > 0' -o ids.data -- bash -c "faults=($workload faults 20000 threads 1); attacker -k realtime"
	ids=$("$PERF" script -i ids.data -F event 2>/dev/null)
	one=$(grep -c one: <<<"$ids")
	two=$(grep -c two: <<<"$ids")
}
# While perf has no CPU the rings are full, and only what is small finds room: then again.
for _ in 1 2 3 4 5 6 7 8; do
	of_each
	[ "$one" -le $((two / 5)) ] || break
	note "$one and $two"
done
ok "of two events that keep the same faults, each gets its own ($one and $two)" test "$one" -gt $((two / 5))
run unshare -p -f --mount-proc "$PERF" record -a -e page-faults -c 1 --filter 'comm ~ "fault-*" && uid == '$attacker' && pid < 100' -o inner.data -- bash -c "$script $attack"
counts ""
is "$rc:$kept" "0:$PAGES" "in a PID namespace of its own, perf takes the ids that tasks have there"
unlike "$(samples inner.data pid)" '^([12]|[0-9]{3,})$' "and writes them"
run "$PERF" record -a -e page-faults -c 1 -k realtime --filter 'time > 1' -- touch ran
is "$rc" 129 "a time that no program can check is no filter"
like "$err" "cannot test 'time > 1' of page-faults with this clock \(-k\), which BPF programs cannot read. Leave -k out" "says so"
run "$PERF" record -a -e page-faults -c 1 -k realtime --filter 'comm == true' -o real.data -- true
like "$err" "Times of page-faults may be those of another perf's clock" "what else is filtered by such a clock has a note"
done_testing

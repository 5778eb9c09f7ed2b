#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings in odd surroundings: closed descriptors, small limits, targets that do not stand still.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

nr_samples() {
	"$PERF" script -i "$1" -F tid 2>/dev/null | grep -c .
}

# --- standard descriptors that are closed ---

# -vv and the fallback of cycles print while the command waits for its start
# shellcheck disable=SC2016 # for the inner shell
for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
	rm -f x.data
	run sh -c "exec $closed; "'exec "$@"' sh "$PERF" record -vv -e cycles --filter 'pid != 1' -o x.data -- "$WORKLOAD" noploop 0.2
	is "$rc" 0 "$closed: records"
	ok "$closed: the samples are there" test "$(nr_samples x.data)" -gt 10
	run sh -c "exec $closed; "'exec "$@"' sh "$PERF" record -e cycles -o x.data -- no-such-command-of-ours
	is "$rc" 255 "$closed: a command that does not exist"
done
run sh -c 'exec 1>&-; exec "$0" report --header-only -i x.data' "$PERF"
is "$rc" 1 "a report that nobody can read is an error"
run sh -c 'exec 0<&- 2>&-; exec "$0" record -q -o x.data -- sh -c "ls -l /proc/self/fd"' "$PERF"
unlike "$out" ' (0|2) -> /$' "what is held in their place is not passed on"

# --- what would be a signal and is an error of a write ---

# shellcheck disable=SC2016 # for the inner shell
run bash -c 'ulimit -f 64; exec "$0" record -e cpu-clock -F 20000 -o limit.data -- "$WORKLOAD" noploop 1000' "$PERF"
is "$rc" 255 "a limit of file sizes"
like "$err" 'limit.data: File too large; .*ulimit -f' "is told, and what to do"
is "$(grep -c . <<<"$err")" 1 "in one message"
ok "what was written before is readable" test "$(nr_samples limit.data)" -gt 100

mkfifo pipe
# shellcheck disable=SC2016 # for the inner shell
run bash -c 'exec 3<>pipe 4>pipe 3<&- 2>&4; exec "$0" record -e cycles -o pipe.data -- sh -c "kill -PIPE \$\$; touch survived"' "$PERF"
run "$PERF" report --header-only -i pipe.data
like "$out" 'cmdline : ' "messages that nobody reads do not end a recording"
ok "but SIGPIPE ends the command as ever" test ! -e survived

# --- a CPU that is offline, as far as sysfs tells ---

last_cpu=$(cd /sys/devices/system/cpu && printf '%s\n' cpu[0-9]* | sort -V | tail -1)
# shellcheck disable=SC2016 # for the inner shell
run unshare -m sh -c 'mount -t tmpfs none "/sys/devices/system/cpu/$1/topology" && exec "$0" record -q -o offline.data true' \
	"$PERF" "$last_cpu"
is "$rc" 0 "a CPU without topology"
run "$PERF" report --header-only -i offline.data
like "$out" 'hostname : ' "costs no more than the topology in the header"

# --- rings that overflow ---

# Threads make side-band records, which are lost too, and are no samples.
# shellcheck disable=SC2016 # for the inner shell
run "$PERF" record -m 1 -e page-faults -c 1 --filter 'tid != 1' -e cpu-clock --filter 'tid != 1' -o lost.data -- \
	sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true & i=$((i + 1)); done; wait'
is "$rc" 0 "rings that are too small"
for event in page-faults cpu-clock; do
	kept=$(sed -nE "s/^$event: filter: .* ([0-9]+) kept.*/\1/p" <<<"$err")
	here=$("$PERF" script -i lost.data -F event 2>/dev/null | grep -c "^ *$event:")
	lost=$("$PERF" report --stats -i lost.data 2>/dev/null |
		awk -v event="$event" '/ stats:$/ { in_it = $1 == event } in_it && /LOST_SAMPLES events:/ { n = $3 } END { print n + 0 }')
	is $((here + lost - $(untaken $event))) "$kept" "$event: what was kept is in the file or lost"
	[ "$event" = cpu-clock ] || ok "and much was lost" test "$lost" -gt 100
done

# --- beside another perf ---

# Linux lets a bit of one recording's MMAP2 records get into those of others, if the one asks for build-ids (attr.build_id).
if [ "$(id -u)" = 0 ] && [ -n "$STOCK" ]; then
	spawn "$PERF" record -q -a -F 50 -o beside.data -- sleep 1000
	ok "we record all tasks" wait_for 10 test -s beside.data
	for try in 1 2 3; do
		run with_tracefs "$STOCK" record -e cpu-clock -F 99 -o stock.data -- sh -c 'ls >/dev/null; true'
		is "$rc" 0 "stock perf records a command meanwhile, $try"
	done
	kill -INT "$spawned_pid"
	wait "$spawned_pid"
	ids=$("$STOCK" script --show-mmap-events -i beside.data 2>/dev/null | grep -c 'PERF_RECORD_MMAP2 .*<[0-9a-f]\{40\}>.* r-xp /.*/libc\.so')
	ok "ours has the build-ids of what was mapped meanwhile" test "$ids" -ge 3
else
	skip 5 "needs root and stock perf"
fi

# Of what Linux says of BPF programs each further recording gets a longer record, with old bytes behind what it says.
if [ "$(id -u)" = 0 ] && [ -n "$STOCK" ]; then
	recordings=()
	for name in one two; do
		spawn "$PERF" record -q -a -F 50 -e cpu-clock -o $name.data
		recordings+=("$spawned_pid")
	done
	both_record() {
		[ "$(nr_samples one.data)" -gt 0 ] && [ "$(nr_samples two.data)" -gt 0 ]
	}
	ok "two recordings of all tasks" wait_for 60 both_record
	run "$PERF" record -q -e cpu-clock --filter 'pid != 1' -o loads.data -- true
	is "$rc" 0 "BPF programs are loaded meanwhile"
	kill -INT "${recordings[@]}"
	wait "${recordings[@]}"
	for name in one two; do
		"$PERF" report -D -i $name.data 2>/dev/null | grep -aE 'PERF_RECORD_(KSYMBOL|BPF_EVENT)' >bpf.txt
		ok "$name: has records of them" grep -q 'KSYMBOL.*_sample_filter' bpf.txt
		is "$(sed -nE 's/.*(0x[0-9a-f]+) \[(0x[0-9a-f]+)\]: PERF_RECORD_BPF_EVENT.*/\2/p' bpf.txt | sort -u)" 0x38 "$name: which are as long as they have to be"
		run "$STOCK" script -i $name.data -F comm,time
		is "$rc:$(grep 'failed to process' <<<"$err")" "0:" "$name: stock perf reads it" # on a busy machine it may warn of losses
	done
else
	skip 8 "needs root and stock perf"
fi

# --- BPF programs ---

# What the inner perf loads is gone when the file is read.
run "$PERF" record -q -e cpu-clock -F 4000 -o bpf.data -- \
	"$PERF" record -q -e syscalls:sys_enter_write -o inner.data -- dd if=/dev/zero of=/dev/null count=300000 status=none
like "$("$PERF" report --stdio -s sym -i bpf.data 2>/dev/null)" '\[k\] bpf_prog_[0-9a-f]{16}_tp_record' "functions of programs that are gone have names"
like "$("$STOCK" report --stdio -s sym -i bpf.data 2>/dev/null)" '\[k\] bpf_prog_[0-9a-f]{16}_tp_record' "for stock perf, too"
spawn "$PERF" record -q -a -e page-faults --filter 'pid == 1 && uid == 7' -o other.data
loaded() { # the file follows; before that the program may be the one that loads
	[ -s other.data ] && grep -qs '^prog_id:' "/proc/$spawned_pid"/fdinfo/*
}
ok "a filter is loaded" wait_for 10 loaded
run "$PERF" record -q -e cpu-clock -o before.data -- true
like "$("$PERF" report -D -i before.data | grep -a KSYMBOL)" '^0 .*name bpf_prog_[0-9a-f]{16}_sample_filter' "programs that were there before are told"
run "$PERF" record -q --no-bpf-event -e cpu-clock -o none.data -- true
is "$("$PERF" report -D -i none.data | grep -acE 'KSYMBOL|BPF_EVENT')" 0 "--no-bpf-event"
done_testing

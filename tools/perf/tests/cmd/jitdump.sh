#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Code made at run time, which the compiler names in jit-PID.dump: report and script read the file itself.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

"$WORKLOAD" jitdump 2>err.txt || skip_all "$(<err.txt)"
rm jit-*.dump

# states RECORDING: the functions one after the other, without those that are not in jit-*.dump
states() {
	"$PERF" script -F ip,sym,dso -i "$1" 2>/dev/null | sed -nE 's/^ *[0-9a-f]+ (.*) \(.*\/jit-[0-9]+\.dump\)$/\1/p' | uniq | paste -sd' '
}
record() {
	run "$PERF" record -q -N -e cpu-clock:u -F 2000 "$@"
}

# Each function in its time: the second one takes the address of the first. On a busy machine the time from the beginning of the file to its map, by which
# clocks are related, may be long: the shares are not exact.
for clock in "" "-k mono"; do
	# shellcheck disable=SC2086
	record $clock -o a.data -- "$WORKLOAD" jitdump 0.3
	is "$rc" 0 "${clock:-the usual clock}: a compiler is recorded"
	run states a.data
	is "$out" "jit_workload jit_replaced" "${clock:-the usual clock}: code has its names, in its time"
	is "$("$PERF" script -F ip,sym -i a.data 2>/dev/null | awk '$2 == "jit_replaced" { print substr($1, length($1) - 2, 1) }' | sort -u | paste -sd' ')" \
		"0 8" "${clock:-the usual clock}: code that was moved, too"
	run "$PERF" report --stdio -s dso,sym -i a.data
	is "$rc:$(grep -i 'jit-' <<<"$err")" "0:" "${clock:-the usual clock}: there is nothing to say of its file"
	like "$out" '^ +[234][0-9]\.[0-9]+% +jit-[0-9]+\.dump +\[\.\] jit_workload' "${clock:-the usual clock}: report names it"
	like "$out" '^ +[567][0-9]\.[0-9]+% +jit-[0-9]+\.dump +\[\.\] jit_replaced' "${clock:-the usual clock}: with its share"
done

# Node.js has another clock's time in the head of the file.
record -o a.data -- "$WORKLOAD" jitdump 0.3
for dump in jit-*.dump; do
	printf '\377\377\377\377\377\377\1\0' | dd of="$dump" bs=1 seek=24 conv=notrunc status=none
done
is "$(states a.data)" "jit_workload jit_replaced" "a wrong time of the file itself does no harm"

# What was not recorded is neither shown nor counted.
is "$("$PERF" script --show-mmap-events -F comm,ip,sym -i a.data 2>/dev/null | grep -c 'PERF_RECORD_MMAP.*jit-')" 1 "the map of the file is shown"
is "$("$PERF" report -D -i a.data 2>/dev/null | grep -c 'PERF_RECORD_MMAP.*jit-')" 1 "in a dump, too"
rm jit-*.dump
record -o a.data -- "$WORKLOAD" jitdump 0.1
rm jit-*.dump
unlike "$("$PERF" report --stdio -s sym -i a.data 2>/dev/null)" jit_ "without the file there are no names"
run "$PERF" report --stdio -s sym -i a.data
is "$rc" 0 "but all else"
like "$err" "Code made at run time has no names: $WORK/jit-[0-9]+\.dump: No such file" "and perf says why"

# A process that ran already
if [ "$(id -u)" = 0 ]; then
	spawn "$WORKLOAD" jitdump 600
	running=$spawned_pid
	has_code() {
		[ "$(stat -c %s "jit-$running.dump" 2>/dev/null || echo 0)" -gt 100 ]
	}
	ok "a compiler runs" wait_for 60 has_code
	for clock in "" "-k mono"; do
		# shellcheck disable=SC2086
		record $clock -p "$running" -o p.data -- "${until_run[@]}" 100 "$running"
		is "$(states p.data)" "jit_workload" "${clock:-the usual clock}: code of a process that ran already has names"
	done
	record -p "$running" -o p.data -- "${until_run[@]}" 100 "$running"
	run "$PERF" report --stdio -s sym -i p.data
	like "$err" "jit-$running.dump: its times cannot be related to the recording's: .* Record with -k mono" "a warning says that the times are uncertain"
	kill -KILL "$running"
	ok "it ends" wait_for 60 test ! -e "/proc/$running"
	chown 65534 "jit-$running.dump"
	is "$(states p.data)" "jit_workload" "a file of another user is read if it is what was mapped"
	cp "jit-$running.dump" copy
	mv copy "jit-$running.dump"
	chown 65534 "jit-$running.dump"
	is "$(states p.data)" "" "else it is not"
	like "$("$PERF" report --stdio -i p.data 2>&1 >/dev/null)" "is not read: it is not the file that was mapped" "and perf says so"
	rm "jit-$running.dump"
fi

# Files that are none
rm -f jit-*.dump
record -o a.data -- "$WORKLOAD" jitdump 0.1
dump=$(ls jit-*.dump)
cp "$dump" whole
for cut in 0 39 40 60 100 150; do
	head -c "$cut" whole >"$dump"
	run "$PERF" report --stdio -s sym -i a.data
	is "$rc" 0 "a file of $cut bytes costs only names"
done
head -c 39 whole >"$dump"
like "$("$PERF" report --stdio -i a.data 2>&1 >/dev/null)" "jit-[0-9]+\.dump: not a jitdump file of version 1" "and perf says why"
printf '\1' | cat whole - >"$dump"
like "$(states a.data)" "jit_replaced" "what is not whole at the end does no harm"
done_testing

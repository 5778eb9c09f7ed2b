#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings that end otherwise than planned: nothing that was recorded may be lost.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

nr_samples() {
	"$PERF" script -i "$1" -F tid 2>/dev/null | grep -c .
}

has_samples() {
	[ -s "$1" ] && [ "$(nr_samples "$1")" -gt 0 ]
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# --- signals ---

# A background command of this shell starts with SIGINT ignored, and must heed it all the same. The suite itself may run under nohup.
for sig in INT TERM HUP; do
	env --default-signal=HUP "$PERF" record -e cpu-clock -F 999 -o $sig.data -- sh -c 'echo $$ >child; exec "$WORKLOAD" noploop 1000' 2>$sig.err &
	recorder=$!
	ok "SIG$sig: recording" wait_for 20 has_samples $sig.data
	kill -$sig $recorder
	wait $recorder
	is $? $((128 + $(kill -l $sig))) "SIG$sig ends the recording, as the exit status tells"
	like "$(cat $sig.err)" 'Captured and wrote .* MB' "SIG$sig: with a summary"
	is "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' $sig.err)" "$(nr_samples $sig.data)" "SIG$sig: all samples are in the file"
	like "$("$PERF" report --header-only -i $sig.data)" 'cmdline : ' "SIG$sig: and its header is complete"
	ok "SIG$sig: the command was ended too" gone "$(cat child)"
done

# The file grows with each wake-up of perf, which come after the signal.
env --ignore-signal=HUP "$PERF" record -e cpu-clock -F 999 -o nohup.data -- "$WORKLOAD" noploop 1000 2>/dev/null &
recorder=$!
ok "under nohup: recording" wait_for 20 has_samples nohup.data
before=$(nr_samples nohup.data)
kill -HUP $recorder
has_more() {
	[ "$(nr_samples nohup.data)" -gt "$before" ]
}
ok "SIGHUP does not end it" wait_for 20 has_more
kill -INT $recorder
wait $recorder
is $? 130 "SIGINT does"

"$PERF" record -a -e cpu-clock -F 999 -o all.data 2>all.err &
recorder=$!
ok "system-wide, without a command" wait_for 20 has_samples all.data
kill -INT $recorder
wait $recorder
is $? 130 "SIGINT ends it"

"$PERF" record -e cpu-clock -F 999 -o kill.data -- "$WORKLOAD" noploop 3 2>/dev/null &
recorder=$!
ok "SIGKILL: recording" wait_for 20 has_samples kill.data
before=$(nr_samples kill.data)
kill -KILL $recorder
wait $recorder 2>/dev/null
ok "SIGKILL leaves what was written" test "$(nr_samples kill.data)" -ge "$before"
run "$PERF" report --stdio -i kill.data
is "$rc" 0 "and perf report reads it"
like "$out" 'noploop' "with its symbols"

# --- a full disk ---

cat >full.sh <<-'END'
	perf=$1
	mkdir disk && mount -t tmpfs -o size=256k none disk || exit 125
	"$perf" record -e cpu-clock -F 20000 -g -o disk/x.data -- sh -c 'echo $$ >child; exec "$WORKLOAD" noploop 1000' 2>full.err
	echo $? >full.rc
	"$perf" script -i disk/x.data -F tid 2>full.script.err | grep -c . >full.samples
END
run unshare --mount --propagation private -- sh full.sh "$PERF"
is "$rc:$(cat full.rc)" "0:255" "a full disk ends the recording"
is "$(grep -c . full.err)" 1 "with one message"
like "$(cat full.err)" 'No space left on device' "that says why"
ok "what was written is readable" test "$(cat full.samples)" -gt 100
ok "and the command was ended" gone "$(cat child)"

run "$PERF" record -e cpu-clock -o /dev/full -- true
is "$rc" 255 "an output that takes nothing"
like "$err" 'No space left on device' "says so"

# --- no permission ---

cp "$PERF" perf
chmod 755 "$WORK" perf
mkdir -m 777 users
cd users || exit 1
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$paranoid" = 2 ]; then
	run as_user ../perf record -e cpu-clock -- true
	is "$rc" 0 "a user's own command"
	is "$(../perf evlist -i perf.data)" cpu-clock:u "without the kernel's part, as the name tells"
	run as_user ../perf record -a -e cpu-clock:u -o a.data -- touch ran
	is "$rc" 255 "all tasks"
	like "$err" 'perf_event_paranoid is 2' "are not for a user: why"
	like "$err" 'CAP_PERFMON' "and what to do"
	run as_user ../perf record -e cpu-clock:k -o a.data -- touch ran
	is "$rc" 255 "the kernel's part, asked for"
	like "$err" 'perf_event_paranoid' "is not for a user either"
	run as_user ../perf record -p 1 -e cpu-clock:u -o a.data -- touch ran
	is "$rc" 255 "another user's process"
	like "$err" 'another user' "neither"
	run as_user ../perf record -m 64M -e cpu-clock:u -o a.data -- touch ran
	is "$rc" 255 "larger rings than may be locked"
	like "$err" 'perf_event_mlock_kb' "neither, and what to do"
	ok "none of these ran its command or left a file" test ! -e ran -a ! -e a.data
else
	skip 12 "kernel.perf_event_paranoid is $paranoid, not 2"
fi
mkdir -m 755 not-theirs
run as_user ../perf record -e cpu-clock:u -o not-theirs/x.data -- touch ran
is "$rc" 255 "a directory that may not be written"
like "$err" 'not-theirs/x.data: Permission denied' "is named"
ok "and the command does not run" test ! -e ran

done_testing

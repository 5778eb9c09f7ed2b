#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A reader of perf's output that takes nothing for long: rings of BPF programs, too, are emptied meanwhile, and nothing is lost.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

CALLS=60000 # 100 bytes or more of each, and rings have 1 MiB
mkfifo pipe

# reads_late WHAT COMMAND...: its command's calls are made while nobody reads from the pipe
reads_late() {
	local what=$1 perf reader
	shift
	exec 3<>pipe # so that perf can open it
	rm -f dd.pid out
	# shellcheck disable=SC2016 # for the inner shell
	timeout 60 "$@" -- sh -c 'echo $$ >dd.pid; exec dd if=/dev/zero of=/dev/null bs=1 count="$0"' $CALLS 2>err 3>&- &
	perf=$!
	wait_for 20 test -s dd.pid
	has_ended() { [ ! -d "/proc/$(<dd.pid)" ] || grep -qs '^State:.Z' "/proc/$(<dd.pid)/status"; }
	wait_for 30 has_ended
	cat pipe >out 3>&- &
	reader=$!
	wait_for 20 test -s out
	exec 3>&-
	wait $perf
	rc=$?
	wait $reader
	err=$(<err)
	is "$rc" 0 "$what: perf ends"
	[ $rc = 0 ] || note "$err"
	like "$err" 'nobody looked at the ring buffers for at most .*; [1-9][0-9]{5,} bytes were set aside' "$what: what came meanwhile was set aside"
	unlike "$err" '(were|was) lost|are missing' "$what: none is lost"
}

reads_late "trace" "$PERF" trace -v -m 1M -e read -o pipe
n=$(grep -c " read(" out)
ok "trace: each call is there ($n)" test "$n" -ge $CALLS
for options in "" "-g" "--call-graph fp"; do
	# shellcheck disable=SC2086 # perhaps none
	reads_late "record $options" sh -c '"$@" >pipe' sh "$PERF" record -v -m 1M -e syscalls:sys_enter_read $options -o -
	n=$("$PERF" script -i out -F event 2>/dev/null | grep -c sys_enter_read)
	ok "record $options: each sample is there ($n)" test "$n" -ge $CALLS
done

# Nobody reads at all: the first signal waits for a reader, a later one ends perf.
# stuck COMMAND...: writes to the pipe, which nobody reads
stuck() {
	local perf
	exec 3<>pipe
	"$@" >pipe 2>err 3>&- &
	perf=$!
	is_blocked() { grep -q pipe_write "/proc/$perf/wchan"; }
	ok "$2: writes to nobody" wait_for 20 is_blocked
	kill -INT $perf
	sleep 1.5
	ok "$2: a signal waits for a reader" test -d /proc/$perf
	kill -INT $perf
	has_ended() { ! kill -0 $perf 2>/dev/null; }
	ok "$2: a later one ends it" wait_for 5 has_ended
	has_ended || kill -KILL $perf
	wait $perf 2>/dev/null
	is $? 130 "$2: as SIGINT does"
	like "$(<err)" 'perf is stuck, as nobody reads its output' "$2: it says so"
	exec 3>&-
}
stuck "$PERF" record -a -F 4999 -g -o -
stuck "$PERF" trace -a -o pipe

done_testing

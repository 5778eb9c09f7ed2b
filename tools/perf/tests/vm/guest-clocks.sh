#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2154 # what guest.sh defines
# A part of guest.sh's script: clocks of a command, opened on each CPU, miss no task that lives for less than a period.
mkdir -p /tmp/clocks && cd /tmp/clocks || exit
: >err

cat >short.sh <<'END'
i=0
while [ $i -lt 60 ]; do /bin/busybox true; i=$((i + 1)); done
END

# place WORDS OPTIONS...: -v says that the clock is opened there
place() {
	local words=$1
	shift
	perf record -v -F 100 -e cpu-clock -o place.data "$@" -- true 2>err && grep -q "cpu-clock: opened on $words" err
}

# share OPTIONS...: for how many percent of the CPU time of short tasks there are samples; with_late: with those that there are not, as the
# guest's host had the CPU, of whatever task. perf stat is the oracle, and not counted.
share() {
	local ms samples late
	perf record -v -F 250 -e cpu-clock -o clock.data "$@" -- perf stat -x , -e task-clock -o time.csv sh short.sh 2>err
	late=$(sed -n 's/.*the timer was late by \([0-9]*\) periods*:.*/\1/p' err)
	ms=$(awk -F , '$3 == "task-clock" { print int($1) }' time.csv)
	samples=$(perf script -i clock.data -F comm 2>err | grep -vc '^ *perf *$')
	share=$((samples * 400 / (ms + 1)))
	with_late=$((share + ${late:-0} * 400 / (ms + 1)))
	echo "$ms ms, $samples samples, ${late:-0} late: $share %" >>err
	[ "$samples" -gt 30 ]
}

complete() {
	share "$@" && [ $with_late -gt 80 ] && [ $share -lt 120 ]
}

others() {
	yes >/dev/null &
	other=$!
	perf record -q -F 2000 -e cpu-clock -o own.data "$@" -- perf test -w noploop 0.2 2>err
	kill $other
	perf script -i own.data -F comm 2>>err | sort | uniq -c >comms
	cat comms >>err
	[ -s comms ] && ! grep -q yes comms
}

if feature 'clocks on each CPU' 6.1; then
	ok "a command's" place 'each CPU'
	ok "with stacks" place 'each CPU' -g
	ok "with a filter" place 'each CPU' --filter 'tid > 0'
	ok "short tasks" complete
	ok "short tasks, with a filter" complete --filter 'tid > 0'
	ok "no other task" others
	ok "no other task, with stacks" others -g
	ok "a group whose counts are in samples: on tasks" place 'tasks' -e '{cpu-clock,page-faults}:S'
else
	ok "opened on tasks" place tasks
	ok "recorded" others
fi

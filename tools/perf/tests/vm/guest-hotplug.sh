#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: a CPU goes offline and comes back while perf watches. The same work runs there before and after.
mkdir -p /tmp/hotplug && cd /tmp/hotplug || exit
: >err

cat >half.sh <<'END'
exec taskset 2 sh -c 'i=0; while [ $i -lt 30 ]; do /bin/busybox true; i=$((i + 1)); done'
END
cat >both.sh <<'END'
sh half.sh
echo 0 >/sys/devices/system/cpu/cpu1/online
sleep 0.3
echo 1 >/sys/devices/system/cpu/cpu1/online
sleep 1
sh half.sh
END

# all NUMBER: of what both halves do on CPU 1. It is twice that of one half, but for what perf does not see yet while the CPU comes back.
all() {
	echo "CPU 1 has $1, a half is $half" >>err
	[ "${1:-0}" -gt $((half * 19 / 10)) ] && [ "$1" -lt $((half * 25 / 10)) ]
}

told() {
	grep -q '^CPU 1 was offline for [0-9.]* s: its events were opened again' err
}

faults() { # FILE EVENT CPU: of perf stat -x , -A
	awk -F , -v event="$2" -v cpu="$3" '$1 == cpu && $4 == event { print $2; exit }' "$1"
}

on_cpu() { # FILE EVENT: samples on CPU 1
	perf script -i "$1" -F cpu,event 2>>err | grep -c "\[001\] *$2:"
}

known() { # FILE: all samples are of events that the file has
	! perf script -i "$1" 2>&1 >/dev/null | grep -i unknown
}

stat_counts() {
	perf stat -a -A -x , -o stat.csv -e '{page-faults,cs},page-faults' sh both.sh 2>err
	cat stat.csv >>err
	told && all "$(faults stat.csv page-faults CPU1)"
}

bpf_counts() {
	perf stat --bpf-counters -a -A -x , -o bpf.csv -e page-faults sh both.sh 2>err
	cat bpf.csv >>err
	told && all "$(faults bpf.csv page-faults CPU1)"
}

records() { # OPTIONS...
	perf record -a -o hotplug.data -e page-faults,'{minor-faults,cs}' -c 1 "$@" sh both.sh 2>err
	told && known hotplug.data && all "$(on_cpu hotplug.data page-faults)" && all "$(on_cpu hotplug.data minor-faults)"
}

samples_in_bpf() {
	perf sample-bpf -a -e page-faults -c 1 -o counted.data sh both.sh 2>err
	told && all "$(sed -n 's/^\[ perf sample-bpf: Counted \([0-9]*\) samples.*/\1/p' err)"
}

watches_wall() {
	perf record --wall -o wall.data sh both.sh 2>err
	told
}

# Tasks that run on that CPU keep their events.
keeps_tasks() {
	perf stat -x , -o tasks.csv -e page-faults sh both.sh 2>err
	! told && [ "$(awk -F , '$3 == "page-faults" { print $1 }' tasks.csv)" -gt $((half * 2)) ]
}

if [ ! -w /sys/devices/system/cpu/cpu1/online ]; then
	ok "CPU 1 cannot go offline # SKIP" true
elif feature "CPUs that come back"; then
	sh both.sh
	perf stat -x , -o half.csv -e page-faults sh half.sh 2>err
	half=$(awk -F , '$3 == "page-faults" { print $1 }' half.csv)
	ok "perf stat -a" stat_counts
	ok "perf record -a" records
	ok "with a filter" records --filter 'pid > 0'
	ok "with a thread for each CPU" records --threads
	ok "perf stat of tasks" keeps_tasks
	if linux 6.1; then
		ok "perf stat --bpf-counters" bpf_counts
		ok "perf sample-bpf" samples_in_bpf
		ok "perf record --wall" watches_wall
	fi
fi

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash disable=SC2034,SC2154 # what guest.sh defines
# A part of guest.sh's script: perf sched beside what the kernel says of two tasks that share a CPU and one that sleeps there.
mkdir -p /tmp/sched && cd /tmp/sched || exit
: >err

# known NAME: tid, ns on a CPU, ns of waiting and turns of that task, by the kernel's account
cat >truth.sh <<'END'
be() {
	printf %s "$1" >/proc/$$/comm
	"$1"
	read -r ran waited turns </proc/$$/schedstat
	echo "$$ $ran $waited $turns" >"one/$1"
}
spin_a() { i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; }
spin_b() { spin_a; }
sleeper() { i=0; while [ $i -lt 20 ]; do sleep 0.02; i=$((i + 1)); done; }
be "$1"
END
cat >all.sh <<'END'
rm -rf one
mkdir one
for name in spin_a spin_b sleeper; do
	taskset 1 sh truth.sh $name &
done
wait
END

# of TABLE NAME TID COLUMN: a cell, in ns if it is a time
of() {
	awk -F'|' -v name="$2:$3" -v column="$4" '{ row = $1; gsub(/ /, "", row) }
		row == name { split($column, p, " "); f = p[2] == "us" ? 1e3 : p[2] == "ms" ? 1e6 : p[2] == "s" ? 1e9 : 1; printf "%.0f\n", p[1] * f }' "$1"
}

# near A B PART ABSOLUTE: do they differ by PART of B and ABSOLUTE at most?
near() {
	echo "# $1 and $2" >>err
	awk -v a="$1" -v b="$2" -v part="$3" -v absolute="$4" 'BEGIN { d = a > b ? a - b : b - a; exit !(a != "" && d <= part * b + absolute) }'
}

# The kernel's account is read before the task ends, which takes some turns and ms more.
agrees() { # TABLE
	local name tid ran waited turns count avg
	for name in spin_a spin_b sleeper; do
		read -r tid ran waited turns <one/$name
		count=$(of "$1" $name "$tid" 3)
		avg=$(of "$1" $name "$tid" 4)
		near "$(of "$1" $name "$tid" 2)" "$ran" 0.03 50000000 || return
		near "$((${count:-0} * ${avg:-0}))" "$waited" 0.05 100000000 || return
		near "${count:-0}" "$turns" 0.05 10 || return
	done
}

live() {
	perf sched latency -p -- sh all.sh >table 2>err
	cat table >>err
	grep -q 'Task .*| *Runtime .*| *Count' table && agrees table
}

recorded() {
	perf sched record -o sched.data -m 4M -- perf sched latency -p -- sh all.sh >live 2>err
	perf sched latency -p -i sched.data >table 2>>err
	cat live table >>err
	agrees table
}

# BPF has counted what was recorded at the same time.
same() {
	local name tid ran waited turns
	: >err
	for name in spin_a spin_b sleeper; do
		read -r tid ran waited turns <one/$name
		near "$(of table $name "$tid" 3)" "$(of live $name "$tid" 3)" 0 1 || return
		near "$(of table $name "$tid" 2)" "$(of live $name "$tid" 2)" 0.02 5000000 || return
	done
}

turns() {
	local tid ran rest
	perf sched timehist -i sched.data >turns 2>err
	read -r tid ran rest <one/spin_a
	near "$(awk -v who="spin_a[$tid]" 'index($0, who) { ms += $NF } END { printf "%.0f", ms * 1e6 }' turns)" "$ran" 0.05 50000000
}

sums() {
	perf sched timehist -i sched.data -s >summary 2>err
	set -- "$(awk '/Total run time/ { run = $NF } / idle for / { idle += $5 } /Total scheduling time/ { gsub(/[()]/, ""); all = $5 * $7 } END { printf "%.3f %.3f", run + idle, all }' summary)"
	near "${1% *}" "${1#* }" 0.05 100
}

mapped() {
	local tid rest
	read -r tid rest <one/spin_a
	perf sched map -i sched.data >map.txt 2>err
	grep -q '\*[A-Z][0-9] .* secs .*=> spin_a:'"$tid" map.txt || return
	near "$(perf sched map -i sched.data --task-name spin_a 2>>err | grep -c '\*[A-Z]')" "$(of table spin_a "$tid" 3)" 0.05 3
}

who() {
	perf sched latency -p -g -- sh all.sh >table 2>err
	cat table >>err
	grep -q 'longest: until ' table && grep -q '^ \{10\}[a-z_]' table
}

refuses_users() {
	! su user -c 'perf sched latency -b -- true' >out 2>err && [ ! -s out ] && grep -q 'BPF programs, for which this process lacks' err
}

refuses_sched() {
	rm -f ran
	! perf sched latency -b -- touch ran >out 2>err && [ ! -e ran ] && [ -s err ]
}

if feature 'perf sched' 5.18; then
	ok "waits and runtimes are those that the kernel counts" live
	ok "the same from a file" recorded
	ok "and as BPF has counted at the same time" same
	ok "turns add up to the runtime" turns
	ok "turns and idle times add up to all CPUs" sums
	ok "the map shows who gets the CPU" mapped
	ok "who had the CPU, and where the task was" who
	ok "without rights it is refused" refuses_users
else
	ok "it is refused, and nothing is started" refuses_sched
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Clocks on each CPU never bring a sample of another task: beside load that forks all the time, of a target that forks from its start to its
# end and while perf attaches to it.
# ROUNDS: how many recordings of each kind.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
rounds=${ROUNDS:-10}

# The target's tasks have names of their own. One that is forked while perf attaches may have none in the file, as the exec of a
# command: the target lists its tasks.
cp "$(readlink -f /bin/sh)" target-sh
cp /bin/true target-true
cat >loop.sh <<'END'
echo $$
i=0
while [ $i -lt "$1" ]; do
	(:) &
	echo $!
	./target-true &
	echo $!
	wait
	i=$((i + 1))
done
END
for _ in 1 2 3; do
	spawn sh -c 'while :; do (:); /bin/true; done'
	load="${load-} $spawned_pid"
done

# strangers OPTIONS...: samples that are not the target's, over all rounds. Sets $own, too: those that are.
strangers() {
	strangers=0 own=0
	for ((round = 0; round < rounds; round++)); do
		"$kind" "$@" 2>err.txt || return
		"$PERF" script -i own.data --show-task-events -F comm,tid 2>/dev/null >script.txt
		read -r here there < <(awk '
			NR == FNR { task[$1] = 1; next }
			!/PERF_RECORD_/ && NF { if ($1 ~ /^target-/ || $NF in task) here++; else there++ }
			END { print here + 0, there + 0 }' tasks.txt script.txt)
		own=$((own + here)) strangers=$((strangers + there))
		[ "$there" = 0 ] || cat script.txt >&2
	done
	note "${kind//_/ } $*: $own of the target, $strangers others"
	[ "$strangers" = 0 ]
}

a_command() {
	"$PERF" record -q -F 9999 -e cpu-clock --clock cpu -o own.data "$@" -- ./target-sh loop.sh 10 >tasks.txt
}

a_process_that_forks() {
	local target
	./target-sh loop.sh 400 >tasks.txt &
	target=$!
	"$PERF" record -q -F 9999 -e cpu-clock --clock cpu -o own.data "$@" -p "$target"
	local status=$?
	wait "$target"
	return "$status"
}

for kind in a_command a_process_that_forks; do
	for options in "" "-g" "--filter tid>0"; do
		# shellcheck disable=SC2086 # words
		ok "${kind//_/ } ${options:-without options}: no sample of another task" strangers $options
		ok "and it has samples ($own)" test "$own" -gt $((rounds * 5))
	done
done
# shellcheck disable=SC2086 # pids
kill $load
done_testing

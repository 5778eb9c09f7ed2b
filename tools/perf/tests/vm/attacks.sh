#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# make proof-attacks: a user without privilege attacks root's recordings, ROUNDS times in each way to choose what is recorded. Runs here as
# root, and in guests under busybox; perf, workload and start.so (tests/cmd/start.c) are in the directory BIN.
#
# Two attacks. Forging: the user records page faults of own programs in a PID namespace, by another clock; for one fault the kernel makes
# one sample for both recordings. What root's filter judges and what root's file says must be what it is from outside. Racing: the user's
# program starts a task just before an event gets its filter, each time that perf attaches one; no sample may come around the filter.
#
# All wait for each other: no step takes a time that is guessed. Prints for each way the rounds, samples that were forged (judged or
# written wrongly), samples that came around the filter, and rounds in which the attack did not get to run. LIMIT is a number of seconds
# after which no round begins.
BIN=${BIN:-/bin}
ROUNDS=${ROUNDS:-50}
LIMIT=${LIMIT:-100000}
PAGES=200
perf=$BIN/perf
checks=0
work=$(mktemp -d /tmp/perf-attacks.XXXXXX) || exit
cd "$work" || exit
chmod 755 .
mkdir -m 777 theirs
cp "$BIN/workload" "gated.$$"
cp "$BIN/workload" "racer.$$"
chmod 755 "gated.$$" "racer.$$"

# New pipes for each attack, so that nothing is left in them. Nobody waits for the other end to be opened, or sees it closed.
make_pipes() {
	rm -f ask answer gate opened ready
	mkfifo -m 666 ask answer gate opened ready
	exec 8<>ask 9<>answer 7<>gate 6<>opened 5<>ready
}

linux() { # VERSION: is it at least this?
	[ "$(printf '%s\n%s\n' "$1" "$(uname -r | cut -d- -f1)" | sort -V | head -n 1)" = "$1" ]
}

uptime_s() {
	cut -d. -f1 /proc/uptime
}
end=$(($(uptime_s) + LIMIT))

# --- the user ---

user=$((1000000 + $$)) # that nobody else has
cat >as-user <<TEXT
cd $work
[ -z "\$GROUP" ] || echo \$\$ >"\$GROUP/cgroup.procs"
TEXT
if setpriv --reuid=$user --clear-groups true 2>/dev/null; then
	echo "exec setpriv --reuid=$user --regid=$user --clear-groups --inh-caps=-all --bounding-set=-all -- sh -c \"\$1\"" >>as-user
else
	user=1000
	echo "exec su -s /bin/sh user -c \"\$1\"" >>as-user
fi
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || echo 2 >/proc/sys/kernel/perf_event_paranoid
export GROUP=
# what the user does to record a command
forging="exec unshare -U -r -p -f $perf record -e page-faults:u -c 1 -k realtime -o theirs/data -- "
sh as-user "unshare -U -r -p -f true" 2>err || {
	echo "1..0 # SKIP users have no namespaces here: $(head -n 1 err)"
	exit 0
}

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
group=perf-attack-$$
mkdir "$cgroups/$group" 2>/dev/null || group=

finish() {
	[ -z "$target" ] || kill "$target" 2>/dev/null
	cd /
	rm -rf "$work"
	[ -z "$group" ] || rmdir "$cgroups/$group" 2>/dev/null
}
target=
trap finish EXIT
trap 'exit 1' HUP INT TERM

# --- what is counted, by way: the variables of "a", "u", ... ---

add() { # ATTACK WAY FORGED AROUND IDLE
	eval "rounds_$1_$2=\$((\${rounds_$1_$2:-0} + 1)) forged_$1_$2=\$((\${forged_$1_$2:-0} + $3))
		around_$1_$2=\$((\${around_$1_$2:-0} + $4)) idle_$1_$2=\$((\${idle_$1_$2:-0} + $5))"
	[ "$3$4$5" = 000 ] || {
		echo "# round $round, $1, $2: forged $3, around the filter $4, did not run $5"
		sed 's/^/# /' err
	}
}

count() { # EVENT WHAT: kept, seen, dropped
	sed -nE "s/^$1: filter: (.*, )?([0-9]+) (samples )?$2.*/\2/p" err
}

# --- forging ---

# The user's fault-0 makes PAGES faults: the first event keeps them by what is true, the second one by what is false.
common="comm ~ 'fault-*' && uid == $user"
true_terms="pid > 30 && tid > 30 && cpu < 4096 && period == 1 && mode == user"
false_terms="pid <= 30 || tid <= 30 || cpu >= 4096 || period != 1 || mode == kernel"
linux 6.3 && true_terms="$true_terms && id != 0 && time > 1ns && time < 1000000s" false_terms="$false_terms || id == 0 || time > 1000000s"

record_faults() { # OPTIONS...
	"$perf" record -e page-faults -c 1 --filter "$common && $true_terms" -e page-faults/name=false/ -c 1 \
		--filter "$common && ($false_terms)" -o root.data "$@" >/dev/null 2>err
}

# judged WAY: forged are those that the filters took for what they are not, and those that the file tells wrongly
judge_forged() {
	kept=$(count page-faults kept)
	wrong=$(count false kept)
	theirs=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' theirs/err 2>/dev/null)
	told=$("$perf" script -i root.data -F pid,tid,time 2>/dev/null |
		awk '{ split($1, id, "/") } id[1] <= 30 || id[2] <= 30 || $2 + 0 > 1000000 { n++ } END { print n + 0 }')
	if [ "${theirs:-0}" -lt $PAGES ] || [ -z "$kept" ] || [ -z "$wrong" ]; then
		sed 's/^/the user: /' theirs/err >>err 2>/dev/null
		add forge "$1" 0 0 1
		return
	fi
	missing=$((PAGES > kept ? PAGES - kept : kept - PAGES))
	add forge "$1" $((missing + wrong + told)) 0 0
}

# of a task that already records itself when root attaches to it: it starts and ends threads until root's command opens the gate
forge_attached() { # -p or -t
	make_pipes
	{ sh as-user "$forging sh -c 'echo >ready; exec ./gated.$$ faults $PAGES threads 1 gate <gate >opened' 2>theirs/err" || echo >ready; } &
	attacker=$!
	read -r _ <&5
	gated=
	while [ -z "$gated" ] && kill -0 $attacker 2>/dev/null; do
		gated=$(grep -lxs "gated.$$" /proc/[0-9]*/comm | sed -n '1s,/proc/\([0-9]*\)/comm,\1,p')
	done
	record_faults "$1" "${gated:-0}" -- sh -c 'echo >gate; read -r _ <opened'
	echo >gate
	wait $attacker
}

forge() { # WAY
	rm -f root.data theirs/*
	case $1 in
	p | t) forge_attached "-$1" ;;
	a) record_faults -a -- sh as-user "$forging ./gated.$$ faults $PAGES threads 1 2>theirs/err" ;;
	u) record_faults -u $user -- sh as-user "$forging ./gated.$$ faults $PAGES threads 1 2>theirs/err" ;;
	command) record_faults -- sh as-user "$forging ./gated.$$ faults $PAGES threads 1 2>theirs/err" ;;
	G)
		GROUP=$cgroups/$group "$perf" record -a -e page-faults -c 1 --filter "$common && $true_terms" -e page-faults/name=false/ -c 1 \
			--filter "$common && ($false_terms)" -G "$group,$group" -o root.data -- \
			sh as-user "$forging ./gated.$$ faults $PAGES threads 1 2>theirs/err" >/dev/null 2>err
		;;
	esac
	judge_forged "$1"
}

# --- racing ---

START_AT=attach

record_race() { # OPTIONS...
	START_AT=$START_AT START_NR=3 START_LOG=started LD_PRELOAD=$BIN/start.so "$perf" record -e cs -c 1 --filter 'tid == 1' -o root.data "$@" >/dev/null 2>err
}

# Root's command lets the target start two tasks more, so that there are samples to be filtered.
more="unset LD_PRELOAD; for i in 1 2; do printf x >ask; dd bs=1 count=1 <answer; done 2>/dev/null"

judge_race() { # WAY
	seen=$(sed -nE 's/^filter: ([0-9]+) samples seen.*/\1/p' err)
	kept=$(sed -nE 's/^filter: .* ([0-9]+) kept.*/\1/p' err)
	written=$("$perf" script -i root.data -F tid 2>/dev/null | grep -c .)
	if [ ! -s started ] || [ "${seen:-0}" = 0 ]; then
		add race "$1" 0 "$written" 1
	else
		add race "$1" 0 $((kept + written)) 0
	fi
}

race() { # WAY
	rm -f root.data started
	case $((round % 3)) in
	0) kind=threads ;;
	1) kind=children ;;
	2) kind=siblings ;;
	esac
	if [ "$1" = command ]; then # its tasks start when it does, as fast as they can
		echo xxxxxxxxxxxxxxxxxxx >bytes
		START_AT=
		record_race -- sh -c "unset LD_PRELOAD; exec ./racer.$$ starter $kind <bytes >started"
		START_AT=attach
		judge_race command
		return
	fi
	make_pipes
	[ "$1" != G ] || GROUP=$cgroups/$group
	sh as-user "exec ./racer.$$ starter $kind <ask >answer" &
	target=$!
	GROUP=
	while ! grep -qxs "racer.$$" "/proc/$target/comm" && kill -0 $target 2>/dev/null; do
		:
	done
	case $1 in
	p | t) record_race "-$1" "$target" -- sh -c "$more" ;;
	a) record_race -a -- sh -c "$more" ;;
	u) record_race -u $user -- sh -c "$more" ;;
	G) record_race -a -G "$group" -- sh -c "$more" ;;
	esac
	kill $target
	wait $target 2>/dev/null
	target=
	judge_race "$1"
}

# --- all of it ---

ways="a p t u command"
forge_ways=$ways race_ways=$ways
# Some kernels open no software events of a cgroup.
if [ -z "$group" ]; then
	echo "# -G: not here, there is no cgroup v2 file system to write to"
else
	if "$perf" record -a -e page-faults -c 1 -G "$group" -o root.data -- true >/dev/null 2>err; then
		forge_ways="$ways G"
	else
		echo "# forge, -G: not here: $(head -n 1 err)"
	fi
	if "$perf" record -a -e cs -c 1 -G "$group" -o root.data -- true >/dev/null 2>err; then
		race_ways="$ways G"
	else
		echo "# race, -G: not here: $(head -n 1 err)"
	fi
fi
round=0
while [ $round -lt "$ROUNDS" ] && [ "$(uptime_s)" -lt $end ]; do
	round=$((round + 1))
	for way in $forge_ways; do
		forge "$way"
	done
	for way in $race_ways; do
		race "$way"
	done
	echo "# $round rounds at $(uptime_s) s"
done

for attack in forge race; do
	eval "ways=\$${attack}_ways"
	for way in $ways; do
		eval "rounds=\$rounds_${attack}_$way forged=\$forged_${attack}_$way around=\$around_${attack}_$way idle=\$idle_${attack}_$way"
		checks=$((checks + 1))
		# shellcheck disable=SC2154 # set by eval
		[ "$forged$around" = 00 ] && [ $((idle * 10)) -le "$rounds" ] || printf 'not '
		case $way in
		command) name="a command" ;;
		*) name=-$way ;;
		esac
		# shellcheck disable=SC2154
		echo "ok $checks - $attack, $name: $rounds rounds, $forged forged, $around around the filter, $idle did not run"
	done
done
echo "1..$checks"
echo "guest: the end"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Filters under load, with page faults of a known number (the workload faults): what happened is what was kept, to the last sample,
# what was kept is in the file or lost, and nothing of the recording is left behind. PERF_LOAD=N makes N times the faults and processes.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
PATH=$PATH:/usr/sbin:/sbin
command -v bpftool >/dev/null || skip_all "needs bpftool"

load=${PERF_LOAD:-1}
patience=$((120 + 20 * load)) # seconds, for what takes a moment on a machine that has time
ulimit -n "$(ulimit -Hn)"

# The workload is a user's that nobody else is: recordings of all tasks see other tests' faults, too.
uid=$((3000000 + $$))
chmod 711 "$WORK"
cp "$WORKLOAD" .
workload=(setpriv "--reuid=$uid" --clear-groups -- "$WORK/${WORKLOAD##*/}")

# faults PAGES TASKS: how many those of the workload make together
faults() {
	local i sum=0
	for ((i = 0; i < $2; i++)); do
		sum=$((sum + $1 + i % 20))
	done
	echo $sum
}

# open_gate NAME: two fifos that this shell holds open, for what is said and what is answered: their descriptors in $say and $hear
open_gate() {
	mkfifo "$1.in" "$1.out" || exit 1
	exec {say}<>"$1.in" {hear}<>"$1.out"
}

close_gate() {
	exec {say}>&- {hear}>&-
	rm "$1.in" "$1.out"
}

# answer WANT FD PID: that line comes there, before the process ends
answer() {
	local line begun='' end=$((SECONDS + patience))
	until read -rt 0.2 line <&"$2"; do
		begun+=$line # time may be up in the middle of a line
		[ "$SECONDS" -le "$end" ] && kill -0 "$3" 2>/dev/null || return 1
	done
	[ "$begun$line" = "$1" ] || note "answered: $begun$line"
	[ "$begun$line" = "$1" ]
}

# start_tasks PAGES KIND TASKS: $tasks comes and goes, and waits for its gate; $tasks_say, $tasks_hear
start_tasks() {
	open_gate tasks
	tasks_say=$say tasks_hear=$hear
	"${workload[@]}" faults "$@" gate <tasks.in >tasks.out &
	tasks=$!
	spawned+=("$tasks")
}

end_tasks() {
	echo >&"$tasks_say"
	wait "$tasks"
	say=$tasks_say hear=$tasks_hear close_gate tasks
}

# start_perf NAME OPTIONS...: a recording with its events off; $perf, and $say and $hear for its control
start_perf() {
	local name=$1
	shift
	open_gate "$name"
	"$PERF" record -e page-faults -c 1 -o "$name.data" -D -1 --control "fifo:$name.in,$name.out" "$@" 2>"$name.err" &
	perf=$!
	spawned+=("$perf")
}

programs_of() {
	sed -n 's/^prog_id:[[:blank:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
}

nr_fds() {
	find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l
}

has_fds() {
	[ "$(nr_fds "$1")" = "$2" ]
}

are_gone() {
	local id
	for id in $1; do
		! bpftool prog show id "$id" >/dev/null 2>&1 || return 1
	done
}

# pinned: what any bpffs holds
pinned() {
	awk '$3 == "bpf" { print $2 }' /proc/self/mounts | while read -r dir; do
		find "$dir" 2>/dev/null
	done
}

# in_file FILE [EVENT]: $written, $lost and $dropped_there: the samples of the event and the numbers that the file tells; $all: samples
in_file() {
	read -r all written lost dropped_there <<<"$("$PERF" report --stats -i "$1" 2>/dev/null | awk -v event="${2-page-faults}" '
		/ stats:$/ { on = $1 == event }
		/ SAMPLE events:/ && $3 > all { all = $3 }
		on && / SAMPLE events:/ { written = $3 }
		on && /LOST_SAMPLES events:/ { lost = $3 }
		on && /LOST_SAMPLES \(BPF\) events:/ { dropped = $4 }
		END { print all + 0, written + 0, lost + 0, dropped + 0 }')"
}

# check_counts WHAT FILE WANT: of the summary in $err
check_counts() {
	counts ""
	in_file "$2"
	lost=$((lost - $(untaken)))
	is "$kept" "$3" "$1: the faults of the workload were kept, all of them and no others"
	is $((kept + dropped)) "$seen" "$1: seen = kept + dropped"
	is $((written + lost)) "$kept" "$1: written + lost = kept"
	is "$all" "$written" "$1: all samples in the file are of the event"
	is "$dropped_there" "$dropped" "$1: the file tells what was dropped"
	note "$1: $seen seen, $kept kept, $dropped dropped; $written written, $lost lost"
}

# check_sums WHAT FILE WANT: the same of 'perf sample-bpf', where one record stands for many samples
check_sums() {
	local sum
	counts ""
	in_file "$2"
	lost=$((lost - $(untaken)))
	read -r counted_here _ <<<"$(counted)"
	sum=$("$PERF" script -i "$2" -F weight 2>/dev/null | awk '{ n += $1 } END { print n + 0 }')
	is "$kept" "$3" "$1: the faults of the workload were kept, all of them and no others"
	is $((kept + dropped)) "$seen" "$1: seen = kept + dropped"
	is "$sum" "$counted_here" "$1: what was counted is in the file"
	is $((counted_here + lost)) "$kept" "$1: counted + lost = kept"
	is "$dropped_there" "$dropped" "$1: the file tells what was dropped"
	note "$1: $seen seen, $kept kept, $dropped dropped; $counted_here counted, $lost lost"
}

before=$(pinned)

# enable: false if perf has ended instead
enable() {
	echo enable >&"$say"
	answer ack "$hear" "$perf"
}

# run_tasks: those that count; what perf holds open is the same after them
run_tasks() {
	local fds
	fds=$(nr_fds "$perf")
	programs=$(programs_of "$perf")
	echo >&"$tasks_say"
	ok "$1: the workload does its work" answer "done" "$tasks_hear" "$tasks"
	ok "$1: perf holds no more descriptors than before" wait_for "$patience" has_fds "$perf" "$fds"
}

# end_perf WHAT FILE: $err
end_perf() {
	wait "$perf"
	is $? 0 "$1: ends well"
	err=$(<"$2.err")
	[ -z "$programs" ] || ok "$1: its programs are gone" wait_for "$patience" are_gone "$programs"
}

# --- 200 threads that start and end while a recording attaches, and runs ---

# attach FILTER...: as long as threads come faster than filters can be attached to them, nothing is recorded
attach() {
	local try
	for try in {1..50}; do
		start_perf p -m 4M -p "$tasks" "$@"
		enable && return
		wait "$perf"
		[ $? = 255 ] && [ ! -e p.data ] && grep -q 'start others faster than filters can be attached' p.err || return
		close_gate p
	done
	return 1
}

threads=200
pages=$((100 * load))
want=$(faults $pages $threads)

start_tasks $pages threads $threads
ok "a filter is attached to threads that come and go" attach --filter 'comm ~ "fault-*"'
run_tasks "threads"
end_tasks
end_perf "threads" p
check_counts "threads" p.data "$want"
close_gate p

start_tasks $pages threads $threads
ok "so is a recording without filter" attach
run_tasks "no filter"
end_tasks
end_perf "no filter" p
in_file p.data
here=$("$PERF" script -i p.data -F comm 2>/dev/null | grep -c '^ *fault-[0-9]')
if [ "$lost" = 0 ]; then
	is "$here" "$want" "no filter: the faults of the workload are in the file"
else # names of tasks are lost as samples are: of some it is not known whose they were
	ok "no filter: the faults of the workload are in the file or lost" test $((written + lost)) -ge "$want"
fi
note "no filter: $want faults, $here in the file, $lost samples lost"
close_gate p

# --- short processes, all of the system, two ways of taking them ---

processes=$((1000 * load))
[ $processes -le 20000 ] || processes=20000
want=$(faults 20 $processes)
what="$processes processes"
start_tasks 20 processes $processes
start_perf a -m 4M -a --filter 'comm ~ "fault-*" && pid != 1' --filter "uid == $uid"
ok "$what: recording begins" enable
begin=$EPOCHREALTIME
run_tasks "$what"
note "$(awk -v n=$processes -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f processes a second", n / (b - a) }')"
echo stop >&"$say"
end_perf "$what" a
check_counts "$what" a.data "$want"
close_gate a
end_tasks
run "$PERF" sample-bpf -a -e page-faults -c 1 --key comm --filter 'comm ~ "fault-*" && pid != 1' --filter "uid == $uid" -o m.data -- \
	"${workload[@]}" faults 20 processes $processes
is "$rc" 0 "$what, sample-bpf"
check_sums "$what, sample-bpf" m.data "$want"

# --- 20 recordings at once, each with a filter of its own ---

filters=('comm == "fault-%d"' '!(comm != "fault-%d") && addr > 0' 'comm ~ "fault-%d" && (uid == 0 || uid != 0)'
	'comm in {"fault-%d"} && pid > 0 && rand < 100%%')
pages=$((1000 * load))
start_tasks $pages threads 20
recorders=() says=() hears=() all=
for ((i = 0; i < 20; i++)); do
	# shellcheck disable=SC2059 # one of the above
	start_perf "r$i" -m 256K -a --filter "$(printf "${filters[i % 4]}" $i)" --filter "uid == $uid"
	recorders+=("$perf") says+=("$say") hears+=("$hear")
done
ready=0
for ((i = 0; i < 20; i++)); do
	perf=${recorders[i]} say=${says[i]} hear=${hears[i]}
	enable && ready=$((ready + 1))
	all+=" $(programs_of "$perf")"
done
is $ready 20 "20 recordings at once"
run_tasks "20 recordings"
programs=$all
for ((i = 0; i < 20; i++)); do
	echo stop >&"${says[i]}"
done
for ((i = 0; i < 20; i++)); do
	perf=${recorders[i]}
	end_perf "recording $i" "r$i"
	programs=
	check_counts "recording $i" "r$i.data" $((pages + i))
	say=${says[i]} hear=${hears[i]} close_gate "r$i"
done
ok "20 recordings: their programs are gone" wait_for "$patience" are_gone "$all"
end_tasks

# Linux hands one sample on to all of these events, with the id of one of them.
run "$PERF" record -e page-faults -c 1 --filter 'comm == "fault-0"' -e page-faults/name=second/ -c 1 --filter 'comm != "fault-0"' \
	-e minor-faults -c 1 --filter 'comm == "fault-2"' -o two.data -- "${workload[@]}" faults 500 threads 4
is "$rc" 0 "filters of several events that count the same faults"
counts page-faults
in_file two.data
is "$kept:$written" 500:500 "the first one's samples are its own"
counts second
in_file two.data second
is "$written" "$kept" "the second one's, too"
is "$(samples two.data comm,event | grep -c '^fault-[1-3]second:')" $((501 + 502 + 503)) "by its filter"
is "$(samples two.data comm,event | grep -c '^fault-2minor-faults:')" 502 "and those of an event of another kind"

# --- as many samples as there can be ---

pages=$((50000 * load))
want=$(faults $pages 4)
for options in "-m 4M" "-m 1" "-z -m 1M"; do
	# shellcheck disable=SC2086
	run "$PERF" record $options -e page-faults -c 1 --filter 'comm ~ "fault-*" && (cpu >= 0 || addr == 1)' -o m.data -- \
		"${workload[@]}" faults $pages threads 4
	is "$rc" 0 "each fault, $options"
	check_counts "each fault, $options" m.data "$want"
	[ "$options" != "-m 1" ] || ok "a ring of one page loses some" test "$lost" -gt 0
done
for options in "" "-a"; do
	# shellcheck disable=SC2086
	run "$PERF" sample-bpf $options -e page-faults -c 1 --key comm,tid --filter "comm ~ 'fault-*' && uid == $uid" -o m.data -- \
		"${workload[@]}" faults $pages threads 4
	is "$rc" 0 "each fault, sample-bpf $options"
	check_sums "each fault, sample-bpf $options" m.data "$want"
	is "$("$PERF" script -i m.data -F comm,weight 2>/dev/null | sort | xargs)" \
		"$(for i in 0 1 2 3; do echo "fault-$i $((pages + i))"; done | xargs)" "each fault, sample-bpf $options: by task"
done
# More keys than there is room for.
run "$PERF" sample-bpf -e page-faults -c 1 --key ip,tid --max-keys 100 --filter 'comm ~ "fault-*"' -o m.data -- \
	"${workload[@]}" faults 200 threads 400
is "$rc" 0 "400 tasks, room for 100 keys"
check_sums "400 tasks, room for 100 keys" m.data "$(faults 200 400)"

is "$(pinned)" "$before" "nothing is pinned"
done_testing

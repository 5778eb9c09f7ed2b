#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# System calls that fail: of each kind in the table every call that a recording makes fails once, in a run of its own. Then perf ends as the
# table says, tells the reason, once, leaves nothing behind, and what it has written can be read.
# PERF_FAULTS=all: each row with all its errors, for all who record, and all calls; else the first of each, and the first and the last call.
# ROWS=TEXT: only rows with this text.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
build_injector

# A /run of its own: what is pinned there is not seen from outside, and does not stay. Nobody comes here, too.
mount -t tmpfs -o mode=755 tmpfs /run || exit 1
chmod 777 "$WORK"
cp "$PERF" perf

every=${PERF_FAULTS:-few}
spin=("$WORKLOAD" noploop 0.01)
# For two files: page faults that fill half a ring, and then nothing until the first file is done. No child, which would be left behind.
# shellcheck disable=SC2016 # for the inner shell
faults=(bash -c 'printf -v many %30000000d 0; exec 3<>tick; until set -- r.data.2*; [ -e "$1" ]; do read -rt 0.005 -u 3; done; :')
mkfifo tick # nothing is written there: to wait without a child
spawn "$WORKLOAD" thloop 100000
target=$spawned_pid
has_threads() {
	[ -e "/proc/$target/task/$target" ] && [ "$(find "/proc/$target/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]
}
wait_for 20 has_threads || fail "a process of two threads"
kill -STOP "$target" # its loops would take the time of the tests: it goes on where it is recorded, until it has had time for some samples
# shellcheck disable=SC2016 # for the inner shell
wake=(bash -c 'exec 3<>tick; read -r from _ <"/proc/$0/schedstat"; kill -CONT "$0"
	until read -r now _ <"/proc/$0/schedstat"; [ $((now - from)) -gt 5000000 ]; do read -rt 0.005 -u 3; done; kill -STOP "$0"' "$target")
head -n 3 /proc/kallsyms >kallsyms # nobody asks stock perf for symbols, but it reads all of them

# How perf is run, by a name: $cmd. All but --folded, --hist and the readers write r.data; "pipe" does by its standard output.
command_of() {
	case $1 in
	plain) cmd=("$PERF" record -F 999 -e cpu-clock --clock task -o r.data -- "${spin[@]}") ;;
	cpus) cmd=("$PERF" record -F 999 -e cpu-clock -o r.data -- "${spin[@]}") ;;
	again) cmd=("$PERF" record -F 999 -e cpu-clock -o r.data -- "${spin[@]}") ;;
	all) cmd=("$PERF" record -F 999 -a -e cpu-clock -o r.data -- "${spin[@]}") ;;
	pid) cmd=("$PERF" record -F 999 -p "$target" -e cpu-clock --clock task -o r.data -- "${wake[@]}") ;;
	attach) cmd=("$PERF" record -F 999 -p "$target" -e cpu-clock --clock task --filter 'pid != 1' -o r.data -- "${wake[@]}") ;;
	filter) cmd=("$PERF" record -F 999 -e cpu-clock --clock task --filter 'pid != 1' -o r.data -- "${spin[@]}") ;;
	named) cmd=("$PERF" record -F 999 -e cpu-clock --filter 'sym != libc.so.6:malloc' -o r.data -- "${spin[@]}") ;;
	off-cpu) cmd=("$PERF" record -F 999 -e cpu-clock --off-cpu --call-graph fp -o r.data -- sh -c 'sleep 0.02; :') ;;
	tracepoint | mounted) cmd=("$PERF" record -e syscalls:sys_enter_openat -o r.data -- cat /dev/null) ;;
	packed) cmd=("$PERF" record -F 999 -z -e cpu-clock -o r.data -- "${spin[@]}") ;;
	pipe) cmd=("$PERF" record -F 999 -e cpu-clock -o - -- "${spin[@]}") ;;
	switch) cmd=("$PERF" record -e page-faults -c 1 --switch-output=8K -o r.data -- "${faults[@]}") ;;
	count) cmd=("$PERF" sample-bpf -F 999 -e cpu-clock -o r.data -- "${spin[@]}") ;;
	folded) cmd=("$PERF" sample-bpf -F 999 -g -e cpu-clock --folded -- "${spin[@]}") ;;
	stamped) cmd=("$PERF" record -F 999 -e cpu-clock --timestamp-filename -o r.data -- "${spin[@]}") ;;
	last) cmd=("$PERF" record -e page-faults -c 1 --switch-output=8K --switch-max-files=1 -o r.data -- "${faults[@]}") ;;
	pin) cmd=("$PERF" record --setup-filter pin=65534) ;;
	unpin) cmd=("$PERF" record --setup-filter unpin=65534) ;;
	unpin-all) cmd=("$PERF" record --setup-filter unpin) ;;
	user) cmd=("$WORK/perf" record -F 999 -e cpu-clock --filter 'pid != 1' -o r.data -- "$WORK/perf" test -w noploop 0.01) ;;
	hist) cmd=("$PERF" sample-bpf --hist=fd -e syscalls:sys_enter_read -- cat /dev/null) ;;
	report) cmd=("$PERF" report --stdio -i good.data) ;;
	script) cmd=("$PERF" script -i good.data) ;;
	evlist) cmd=("$PERF" evlist -v -i good.data) ;;
	*) fail "a way to run perf is called $1" ;;
	esac
}

# --- one run ---

# prepare: what stands there before
prepare() {
	rm -f r.data* fault
	# What perf finds of tracefs is ours to choose: a mount at its place, or none
	if [ "$variant" = mounted ]; then
		mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing
	else
		! mountpoint -q /sys/kernel/tracing || umount -l /sys/kernel/tracing
	fi
	case $variant in
	again) cp good.data r.data ;;
	pin) "$PERF" record --setup-filter unpin ;;
	unpin*) "$PERF" record --setup-filter pin=65534 ;;
	user) [ -e /run/perf-filter ] || "$PERF" record --setup-filter pin=65534 ;;
	esac 2>/dev/null
}

# alone COMMAND...: with few tasks to be seen, as each has its part in how many calls there are
alone() {
	unshare --pid --fork --kill-child --mount-proc -- "$@"
}

# attempt INJECTION...: the command, with that; leaves $rc, "err" and the report "fault", which has a line of each call that failed
attempt() {
	local output=out as=()
	prepare
	[ "$variant" != pipe ] || output=r.data
	[ "$variant" != user ] || as=(as_user)
	[[ $variant != @(all|named) ]] || as=(alone)
	"${as[@]}" "$INJECT" -o fault "$@" "${cmd[@]}" >$output 2>err </dev/null
	rc=$?
	kill -STOP "$target"
}

# Nothing stays open, runs on or waits for ever.
left_behind() {
	grep -E '^(left|hung)' fault
}

# judge STATUS TEXT: the exit status is one of these; if it is not 0 the reason is told once, else only what the file lacks may be
judge() {
	local said
	said=$(grep -vE '^(\[ perf |filter: [0-9]|offcpu-time: |.* can filter 16 events)' err)
	[[ "|$1|" = *"|$rc|"* ]] || echo "exit status $rc: $said"
	if [ "$rc" != 0 ]; then
		[ "$(grep -cE -e "$2" <<<"$said")" = 1 ] || echo "no reason, or not one: $said"
		[ "$(wc -l <<<"$said")" -le 3 ] || echo "says too much: $said"
	elif [ -n "$said" ]; then
		grep -qE -e 'has no (complete )?[a-zA-Z]' -e "$2" <<<"$said" || echo "ends well, but says: $said"
	fi
}

# read_by WHO COMMAND...: for stock perf a file that has no records yet is none, a packed one takes a header, and tracepoints their formats,
# which failed to be written
read_by() {
	local who=$1 lacks='data size field is 0|failed to decompress'
	shift
	[[ $variant != @(tracepoint|mounted) ]] || lacks+='|incompatible file format'
	"$@" script --kallsyms kallsyms -i "$input" -F comm,tid <"$file" >script.out 2>script.err ||
		{ [ "$who" != perf ] && [ "$rc" != 0 ] && grep -qE "$lacks" script.err; } || echo "$who: $(head -2 script.err)"
}

# look_at_files STATE: "no" file, or one that both perfs read, with samples if perf has gone on to the end
look_at_files() {
	local file input none=1
	for file in r.data r.data.2*; do
		[ -e "$file" ] || continue
		if [ ! -s "$file" ]; then
			[ "$variant" = pipe ] || echo "an empty $file"
			continue
		fi
		none=
		chown root "$file" # stock perf reads nobody else's
		[ "$1" != no ] || echo "a file"
		input=$file
		[ "$variant" != pipe ] || input=-
		read_by perf "$PERF"
		[ "$rc" != 0 ] || [[ "switch last off-cpu tracepoint mounted" = *$variant* ]] || [ -s script.out ] || echo "no samples"
		[ -z "$STOCK" ] || { [ "$every" != all ] && [ "$n" != 1 ] && [ "$rc" = 0 ]; } || read_by "stock perf" with_tracefs "$STOCK"
	done
	[ "$1" != ok ] || [ -z "$none" ] || echo "no file"
}

# look_at_pins: nothing is left of a set-up that has failed; what could not be removed can be the next time; no filter stays in use
look_at_pins() {
	local status
	status=$("$PERF" record --setup-filter status 2>&1)
	case $variant:$rc in
	pin:0) [[ $status = *": 0 of 16 filters in use" ]] || echo "ends well, but has pinned: $status" ;;
	pin:* | unpin*:0) [ ! -e /run/perf-filter ] || echo "left: $(find /run/perf-filter)" ;;
	unpin*:*)
		"$PERF" record --setup-filter unpin
		[ ! -e /run/perf-filter ] || echo "left for good: $(find /run/perf-filter)"
		;;
	user:*) [[ $status = *": 0 of 16 filters in use" ]] || echo "after the recording: $status" ;;
	esac
}

# --- a row ---

declare -A sites # of a way to run perf and a pattern: how many such calls there are
tried=0

count_sites() {
	local key="$variant $1"
	if [ -z "${sites[$key]-}" ]; then
		attempt -c "$1"
		sites[$key]=$(grep -c '^call ' fault)
	fi
	nr_sites=${sites[$key]}
}

# choose WHICH: the numbers of those of nr_sites calls that are to fail, of "each", "3-" (from the third on), "-3" (up to it), "3"; "each+": it
# and all after it
choose() {
	local from=1 to=$nr_sites
	case $1 in
	each) ;;
	-*) to=${1#-} ;;
	*-) from=${1%-} ;;
	*) from=$1 to=$1 ;;
	esac
	if [ "$from" -gt "$nr_sites" ] || [ "$to" -gt "$nr_sites" ]; then
		return
	elif [ "$every" = all ]; then
		seq "$from" "$to"
	else
		printf '%s\n' "$from" "$to" | uniq
	fi
}

# fault VARIANT CALL ERROR WHICH STATUS STATE TEXT
fault() {
	local variant=$1 call=$2 error=$3 n wrong='' said nr=0 on=''
	# LeakSanitizer starts a process at the end: that this one fails is not what is asked.
	[[ $call != clone* ]] || local -x ASAN_OPTIONS=detect_leaks=0
	command_of "$variant"
	count_sites "$call"
	[[ $4 != *+ ]] || on=+
	for n in $(choose "${4%+}"); do
		attempt -c "$call" -e "$error" -n "$n$on"
		grep -q '^failed ' fault || continue # one call less than in the run that was counted
		nr=$((nr + 1))
		said=$(judge "$5" "$7"; left_behind; look_at_files "$6"; look_at_pins)
		[ -z "$said" ] || wrong+="$n, $(sed -n 's/^failed //p' fault): $said"$'\n'
	done
	tried=$((tried + nr))
	if [ "$nr" = 0 ]; then
		fail "$variant: $call $error" "there is no such call"
	elif [ -n "$wrong" ]; then
		fail "$variant: $call $error ($nr of $nr_sites)" "$wrong"
	else
		pass "$variant: $call $error ($nr of $nr_sites)"
	fi
}

# row VARIANTS CALL ERRORS WHICH STATUS STATE TEXT
row() {
	local variant error
	for variant in $1; do
		if [ "$variant" = user ] && [ "$(</proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
			skip 1 "perf_event_paranoid keeps users from all events"
			continue
		fi
		for error in $3; do
			fault "$variant" "$2" "$error" "${@:4}"
			[ "$every" = all ] || return
		done
	done
}

"$PERF" record -F 999 -g -e cpu-clock -o good.data -- "$WORKLOAD" noploop 0.05 2>good.err || fail "a recording" "$(<good.err)"

# --- the table ---

# Who records; the call, as a pattern; the errors; which of the calls; the exit status; the file: "no", "ok", or "-" for either; the reason
while IFS=';' read -r variants call errors which status state text; do
	case $variants in '' | '#'*) continue ;; esac
	[[ "$variants;$call;$errors" = *"${ROWS-}"* ]] || continue
	read -r call <<<"$call"
	read -r which <<<"$which"
	read -r status <<<"$status"
	read -r state <<<"$state"
	read -r text <<<"$text"
	row "$variants" "$call" "$errors" "$which" "$status" "$state" "$text"
done <<'END'
# events: the first try asks for the most precise samples, and falls back
plain all filter tracepoint packed pipe switch count folded hist; perf_event_open; EMFILE; each; 255; no; too many open files for event
off-cpu; perf_event_open; EMFILE; each; 0|255; -; too many open files for event
plain all; perf_event_open; ENOSPC ENOMEM; each; 255; no; ^cannot open event (cpu-clock|dummy:u): (No space|Cannot allocate)
plain; perf_event_open; ENODEV; each; 255; no; is not supported
plain; perf_event_open; EBUSY; each; 255; no; needs a counter
# two for each of two threads; the others only keep a fork at this moment from being missed (util/sampler/sampler-switch.c)
pid; perf_event_open; EMFILE; -4; 255; no; too many open files for event
pid; perf_event_open; EBUSY; -4; 255; no; needs a counter
pid; perf_event_open; EMFILE EBUSY; 5-; 0; ok;
# with a filter two more for each, and before that two to find out whether they tell
attach; perf_event_open; EMFILE ENOMEM; -10; 255; no; too many open files for event|cannot open event cpu-clock: Cannot allocate|annot find out whether
attach; perf_event_open; EMFILE; 11-; 0; ok;
attach; perf_event_open; EINTR; 3-; 0; ok;
# the first thread waits for signals that perf does not take (util/run/signals.c)
attach; clone3; EAGAIN; 1; 0; ok;
attach; clone3; EAGAIN; 2; 255; no; ^Cannot find out whether
# the thread that keeps rings from getting full (util/sampler/sampler-keeper.c)
plain all pid filter; clone3; EAGAIN; each; 0; ok;
attach; clone3; EAGAIN; 3-; 0; ok;
plain all; timerfd_create; EMFILE; each; 0; ok;
plain filter; perf_event_open; EACCES EPERM; 2-; 255; no; no permission to open event
plain filter; perf_event_open; EINVAL; 2-; 255; no; refuses the settings
plain; perf_event_open; EINVAL EACCES; 1; 0; ok;
plain; perf_event_open; EINTR; each; 0; ok;
plain all pid filter tracepoint packed pipe switch count folded hist off-cpu; mmap anon_inode:[[]perf_event]; ENOMEM EPERM; each; 255; no; ring buffer of
tracepoint off-cpu count; mmap anon_inode:bpf-map; ENOMEM EPERM; each; 255; no; ring buffer|memory|cannot map
plain all filter; ioctl ID; ENOMEM; each; 255; no; cannot read the id of event
all pid; ioctl ENABLE; ENOMEM; each; 255; ok; cannot enable event
off-cpu; ioctl SET_OUTPUT; EINVAL; each; 255; no; share a ring buffer
filter count; ioctl SET_BPF; EPERM ENOMEM EINVAL; each; 255; no; attach|takes no BPF filter
plain filter count; ioctl DISABLE; ENOMEM; each; 0; ok;
plain filter; read anon_inode:[[]perf_event]; EIO; each; 0|255; ok; cannot read
# BPF
filter count tracepoint off-cpu folded hist; bpf MAP_CREATE; ENOMEM EPERM; each; 255; no; memory|forbids|Operation not permitted
filter count tracepoint off-cpu folded hist; bpf MAP_UPDATE_ELEM; ENOMEM EPERM; each; 255; no; memory|forbids|Operation not permitted
filter off-cpu; bpf PROG_LOAD; ENOMEM EPERM; each; 255; no; memory|forbids|Operation not permitted
count tracepoint folded hist; bpf PROG_LOAD; ENOMEM EPERM; each; 0|255; -; memory|forbids|Operation not permitted
filter count tracepoint off-cpu folded hist; bpf PROG_TEST_RUN; ENOMEM EPERM; each; 255; no; memory|forbids|Operation not permitted
# a clock is opened on the task where the programs for one on each CPU cannot be loaded
cpus; bpf MAP_CREATE; ENOMEM EPERM; each; 0; ok;
cpus; bpf PROG_LOAD; ENOMEM EPERM; each; 0; ok;
cpus; bpf PROG_TEST_RUN; ENOMEM EPERM; each; 0; ok;
cpus; bpf RAW_TRACEPOINT_OPEN; ENOMEM EPERM; each; 255; no; cannot follow what the target starts
cpus; ioctl SET_BPF; ENOMEM EPERM EINVAL; each; 255; no; attach|takes no BPF filter
cpus; perf_event_open; EMFILE; 2-; 255; no; too many open files for event
# the verifier, when a signal comes
filter count tracepoint off-cpu; bpf PROG_LOAD; EAGAIN; each; 0; ok;
filter count tracepoint off-cpu; bpf PROG_TEST_RUN; EAGAIN; each; 0; ok;
folded hist; bpf PROG_LOAD; EAGAIN; each; 0; -;
folded hist; bpf PROG_TEST_RUN; EAGAIN; each; 0; -;
mounted; mmap anon_inode:bpf-map; ENOMEM; each; 255; no; ring buffer|memory|cannot map
off-cpu; bpf LINK_CREATE; ENOMEM EPERM; each; 255; -; (mark|fetch).*(Cannot allocate|not permitted)
off-cpu; bpf ITER_CREATE; ENOMEM EPERM; each; 255; -; (mark|fetch).*(Cannot allocate|not permitted)
off-cpu tracepoint; bpf RAW_TRACEPOINT_OPEN; ENOMEM EPERM; each; 255; -; (follow|attach).*(Cannot allocate|not permitted)
filter count; bpf MAP_LOOKUP_ELEM; ENOMEM EPERM; each; 0|255; -; annot read .*(Cannot allocate|not permitted)
tracepoint hist; bpf MAP_LOOKUP_ELEM; ENOMEM EPERM; each; 255; -; annot read .*(Cannot allocate|not permitted)
off-cpu; bpf MAP_LOOKUP_ELEM; ENOMEM EPERM; each; 255; ok; annot (read|fetch) .*(Cannot allocate|not permitted)
off-cpu; bpf MAP_GET_NEXT_KEY; ENOMEM EPERM; each; 255; ok; cannot fetch .*(Cannot allocate|not permitted)
off-cpu; bpf MAP_DELETE_ELEM; ENOMEM EPERM; each; 255; ok; cannot fetch .*(Cannot allocate|not permitted)
filter count tracepoint off-cpu; bpf PROG_GET_*; EPERM; each; 0; ok;
filter off-cpu; bpf PROG_GET_FD_BY_ID; EMFILE; each; 255; ok; running tasks
filter off-cpu; bpf OBJ_GET_INFO_BY_FD; ENOMEM; each; 0|255; -; running tasks|ring buffer|no memory is left
filter; bpf BTF_GET_FD_BY_ID; EPERM ENOMEM; each; 0; ok;
# the command
plain filter count; socketpair; EMFILE; each; 255; no; Failed to run
plain filter count; clone; EAGAIN ENOMEM; each; 255; no; Failed to run
plain filter pipe; execve *workload; ENOENT EACCES ENOMEM; each; 255; ok; Failed to run
count; execve *workload; ENOENT EACCES ENOMEM; each; 255; -; Failed to run
plain filter; sendto *; ENOBUFS; each; 255; ok; Failed to run
plain; recvfrom *; EINTR; each; 0; ok;
plain filter; wait4; EINTR; each; 0; ok;
# waiting
plain all count; signalfd4; EMFILE; each; 255; no; cannot wait for signals
plain all filter; epoll_create1; EMFILE ENOMEM; each; 255; no; cannot wait for (signals|events)
all filter; epoll_ctl; ENOSPC ENOMEM; -2; 255; no; cannot wait for signals
all filter; epoll_ctl; ENOSPC ENOMEM; 3; 255; no; cannot watch event
plain all pid count; epoll_wait; EINTR; each; 0; ok;
plain all pid count off-cpu; poll; EINTR; each; 0; ok;
plain all filter packed pipe; poll; ENOMEM; each; 255; ok; cannot wait for events
count; poll; ENOMEM; each; 255; ok; cannot wait for events
# the thread that waits for signals
plain count; ppoll; ENOMEM EINTR; each; 0; ok;
plain; read anon_inode:[[]signalfd]; EINTR; each; 0; ok;
# the output
plain filter count; openat r.data; EMFILE EACCES EROFS; each; 255; no; Cannot create r.data
again; rename r.data; EACCES ENOSPC; each; 255; ok; Cannot rename r.data
again; newfstatat r.data; EACCES; 1; 255; ok; Cannot create r.data
plain all filter off-cpu tracepoint packed switch count; pwritev */r.data; ENOSPC EIO; each; 255; ok; Cannot write to r.data
plain all filter off-cpu tracepoint packed switch count; pwritev */r.data; SHORT EINTR; each; 0; ok;
plain packed count switch; pwrite64 */r.data; ENOSPC EIO; 1; 255; no; Cannot write to r.data
plain packed count switch; pwrite64 */r.data; ENOSPC EIO; 2-; 255; ok; Cannot (write to|finish) r.data
plain packed count; pwrite64 */r.data; SHORT EINTR; each; 0; ok;
pipe; write */r.data; ENOSPC EIO; each; 255; -; Cannot write to -
pipe; write */r.data; EPIPE; each; 255; -; Nobody reads the recording
pipe; writev */r.data; ENOSPC EIO; each; 255; ok; Cannot write to -
pipe; write */r.data; SHORT EINTR; each; 0; ok;
pipe; writev */r.data; SHORT EINTR; each; 0; ok;
plain all filter off-cpu tracepoint packed switch stamped count; [pf][wt]r* */r.data; ENOSPC EIO; 2-+; 255; ok; Cannot (write to|finish) r.data
switch stamped; link r.data; EPERM; each; 0; ok;
switch stamped; unlink r.data; EACCES; each; 255; ok; cannot rename r.data
switch stamped; [lr][ie]n* r.data; EPERM; each+; 255; ok; cannot rename r.data
last; unlink r.data.2*; EACCES; each; 255; ok; cannot remove r.data
last; unlink r.data.2*; ENOENT; each; 0; ok;
# filters for users
pin; mkdir /run/perf-filter*; EACCES ENOSPC; each; 255; -; Cannot (make|pin)
pin; fsopen*; EPERM; each; 255; -; Cannot mount
pin; fsconfig*; EPERM; each; 255; -; Cannot mount
pin; fsmount*; EPERM; each; 255; -; Cannot mount
pin; move_mount*; EPERM; each; 255; -; Cannot mount
pin; open_tree*; EPERM; each; 255; -; Cannot (open|make)
pin; mount_setattr*; EPERM; each; 255; -; Cannot (open|make)
pin; chmod /proc/self/fd/*; EPERM; each; 255; -; Cannot (make|pin|open)
pin; chown /proc/self/fd/*; EPERM; each; 255; -; Cannot (pin|open)
pin; bpf OBJ_PIN; EPERM ENOSPC; each; 255; -; Cannot pin
pin; bpf MAP_FREEZE; EPERM; each; 255; -; Cannot pin
pin; bpf MAP_CREATE; ENOMEM EPERM; each; 255; -; memory|forbids|not permitted
pin; bpf PROG_LOAD; ENOMEM EPERM; each; 255; -; memory|forbids|not permitted
unpin unpin-all; unlink /proc/self/fd/*; EPERM; each; 255; -; Cannot remove
unpin unpin-all; rmdir /proc/self/fd/*; EBUSY; each; 255; -; Cannot remove
unpin-all; rmdir /run/perf-filter*; EBUSY; each; 255; -; removed, but
unpin unpin-all; umount2 /run/perf-filter; EBUSY; each; 255; -; removed, but
unpin unpin-all; openat /run/perf-filter*; EMFILE; each; 255; -; Too many open files
# nftw() takes an error for the end of a directory: if it was the end, all is gone
unpin unpin-all; getdents64 /run/perf-filter*; EIO; each; 0|255; -; Input/output|Cannot remove
user; bpf OBJ_GET; ENOMEM; each; 255; no; memory
user; bpf OBJ_GET; EMFILE EPERM; each; 0; ok;
user; flock *; EAGAIN; each; 0; ok;
user; bpf MAP_UPDATE_ELEM; EPERM; each; 0; ok;
# what perf reads of the system: tasks may have gone, but nothing is left out because of our own trouble
plain all; openat /proc/kallsyms; EMFILE ENOMEM; each; 255; ok; running tasks.*(Too many|Cannot allocate)
plain all; openat /proc/modules; EMFILE ENOMEM; each; 255; ok; running tasks.*(Too many|Cannot allocate)
pid all; openat /proc/*/maps; EMFILE; each; 255; ok; running tasks.*Too many
pid all; openat /proc/*/maps; ENOENT EACCES; each; 0; ok;
pid all; read /proc/*/maps; EIO; each; 255; ok; running tasks.*Input/output
pid all; read /proc/*/maps; ESRCH EINTR SHORT; each; 0; ok;
pid; openat /proc/*/status; EMFILE; each; 255; -; Too many open files
all; getdents64 /proc; EIO; each; 255; ok; running tasks.*Input/output
pid; getdents64 /proc/*; EIO; each; 255; -; Input/output
named; getdents64 /proc; EIO; 1; 129; no; cannot list the processes in /proc: Input/output
named; openat /proc/*/maps; EMFILE; 1; 129; no; cannot read /proc/.*/maps: Too many
named; read /proc/*/maps; EIO; 1; 129; no; cannot read /proc/.*/maps: Input/output
plain all count; openat /sys/devices/system/cpu/online; EMFILE EACCES; 1; 0; ok;
plain all count; openat /sys/devices/system/cpu/online; EMFILE EACCES; 2; 255; no; cannot read /sys/devices/system/cpu/online
plain all count; openat /sys/devices/system/cpu/online; EMFILE EACCES; 3-; 0; ok;
plain count; openat /sys/devices/system/cpu/cpu*; EMFILE ENOENT; each; 0; ok;
plain; openat /sys/bus/event_source/devices*; EMFILE EACCES; each; 0; ok;
plain; openat /proc/sys/kernel/*; EMFILE EACCES; each; 0; ok;
plain; openat /proc/cpuinfo; EMFILE; each; 0; ok;
plain; read /proc/*; EIO; each; 0|255; ok; running tasks
plain; read /sys/*; EIO; 5-; 0; ok;
# reading
evlist report script; openat good.data; EMFILE EACCES; each; 255; -; good.data
evlist report script; mmap */good.data; ENOMEM; each; 255; -; good.data|memory
report script; clone3; EAGAIN; each; 0; -;
report script; openat */workload; EMFILE; each; 0; -; Too many open files
END

# --- memory ---

# starve WHAT COMMAND...: an allocation fails, in each run another one, of all or of 12. No crash, but a message, or what is printed is as ever; 1
# where a part of the file is left out.
starve() {
	local what=$1 nr n step said wrong='' here=0
	shift
	NO_MEMORY_TELLS=nr LD_PRELOAD=$PWD/no-memory.so "$@" >whole.out 2>err </dev/null
	nr=$(<nr)
	[ "$every" = all ] && step=1 || step=$((nr / 12 + 1))
	for ((n = 1; n <= nr; n += step)); do
		NO_MEMORY=$n NO_MEMORY_TELLS=nr LD_PRELOAD=$PWD/no-memory.so "$@" >out 2>err </dev/null
		rc=$?
		[ "$(<nr)" = failed ] || continue
		here=$((here + 1))
		said=$(grep -vE '^(\[ perf |Warning:$)' err)
		if [[ "|0|1|129|255|" != *"|$rc|"* ]]; then
			wrong+="$n: exit status $rc: $said"$'\n'
		elif [ $rc != 0 ] && ! grep -qiE 'memory|allocate' <<<"$said"; then
			wrong+="$n: no reason: $said"$'\n'
		elif [ $rc = 0 ] && [ -z "$said" ] && ! cmp -s out whole.out; then
			wrong+="$n: ends well, but prints something else: $(diff whole.out out | head -6)"$'\n'
		fi
	done
	tried=$((tried + here))
	if [ -n "$wrong" ]; then
		fail "$what: no memory ($here of $nr)" "$wrong"
	else
		ok "$what: no memory ($here of $nr)" test "$here" -gt 0
	fi
}

if [[ -n ${ASAN_OPTIONS-} ]] || grep -q __asan_init "$PERF"; then
	skip 8 "sanitizers have their own allocator"
elif [[ "memory" = *"${ROWS-}"* ]]; then
	${CC:-cc} -shared -fPIC -O1 -o no-memory.so "$SOURCE/tests/cmd/no-memory.c" || exit 1
	for who in plain filter count evlist report script; do
		command_of $who
		starve $who "${cmd[@]}"
	done
	cat >inlined.c <<'END'
volatile unsigned long sum;
static inline __attribute__((always_inline)) void step(unsigned long n) { sum += n * n; }
int main(void) { for (unsigned long n = 0; n < 20000000; n++) step(n); return 0; }
END
	${CC:-cc} -g -O1 -o inlined inlined.c && "$PERF" record -F 999 -g -e cpu-clock:u -o inlined.data -- ./inlined 2>err ||
		fail "a recording of an inlined function" "$(<err)"
	NO_MEMORY_OF=tsearch starve "libdw of script" "$PERF" script -i inlined.data
	ok "script prints an inlined function" grep -q ' step+.*(inlined)' whole.out
fi

note "$tried faults tried"
done_testing

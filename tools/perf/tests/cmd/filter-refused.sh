#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Filters that do not come into force: whichever step fails, perf fails, and no sample is written that the filter has not seen.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

build_injector

# With twice.so the event has the program already when perf attaches it.
cat >twice.c <<'EOF'
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	if (request == PERF_EVENT_IOC_SET_BPF)
		syscall(SYS_ioctl, fd, request, arg);
	return syscall(SYS_ioctl, fd, request, arg);
}
EOF
${CC:-cc} -shared -fPIC -o twice.so twice.c || exit 1

# refused WHAT TEXT COMMAND...: it has failed and said TEXT, and has run and written nothing
refused() {
	local what=$1 text=$2
	shift 2
	rm -f r.data ran
	run "$@"
	is "$rc" 255 "$what: fails"
	like "$err" "$text" "$what: says so"
	ok "$what: runs and writes nothing" test ! -e ran -a ! -e r.data
}

# unfiltered: how many samples are in the file, if there is one
unfiltered() {
	[ ! -e r.data ] || samples r.data tid | grep -c .
}

# --- the program is loaded, but cannot be attached ---

# No process that is recorded here is the process 1: each sample in the file is one too many.
record=("$PERF" record -o r.data -F 999 -e cpu-clock --filter 'pid == 1')
attach=("$INJECT" -o fault -c 'ioctl SET_BPF')
run "$INJECT" -o fault "${record[@]}" -- touch ran
is "$rc:$(unfiltered)" 0:0 "nothing is refused yet"
refused "EPERM" 'forbids to attach' "${attach[@]}" -e EPERM -n 1+ "${record[@]}" -- touch ran
refused "EACCES" 'forbids to attach' "${attach[@]}" -e EACCES -n 1+ "${record[@]}" -- touch ran
refused "a kind of event that takes no program" 'This kind of event takes no BPF filter' \
	"${attach[@]}" -e EINVAL -n 1+ "${record[@]}" -- touch ran
refused "no memory" 'Cannot allocate' "${attach[@]}" -e ENOMEM -n 1+ "${record[@]}" -- touch ran
refused "an event that has a program" 'already has a BPF program' preloaded "$PWD/twice.so" "${record[@]}" -- touch ran
refused "on all CPUs" 'Cannot allocate' "${attach[@]}" -e ENOMEM -n 1+ "${record[@]}" -a -- touch ran
spawn "$WORKLOAD" noploop 1000
refused "on a running program" 'Cannot allocate' "${attach[@]}" -e ENOMEM -n 1+ "${record[@]}" -p "$spawned_pid" -- touch ran
cpus=$(getconf _NPROCESSORS_ONLN)
refused "the last descriptor" 'Cannot allocate' "${attach[@]}" -e ENOMEM -n "$cpus" "${record[@]}" -a -- touch ran
refused "the second event" 'Cannot allocate' "${attach[@]}" -e ENOMEM -n $((cpus + 1)) \
	"${record[@]}" -e task-clock --filter 'pid == 1' -a -- touch ran
refused "one of a group" 'Cannot allocate' "${attach[@]}" -e ENOMEM -n $((cpus + 1)) \
	"$PERF" record -o r.data -F 999 -e '{cpu-clock,task-clock}' --filter 'pid == 1' -a -- touch ran

# --- ids that programs read from tasks are not those of a pid namespace ---

inside=(unshare --pid --fork --kill-child --mount-proc --)
run "${inside[@]}" "$PERF" record -o r.data -F 999 -e cpu-clock --filter 'uid == 0 && ppid == 1' -- touch ran
is "$rc" 129 "the parent's id"
like "$err" "cannot test 'ppid == 1': .* outside of this pid namespace" "is not known there"
ok "nothing was run or written" test ! -e ran -a ! -e r.data
for command in "record -e off-cpu" "record -e cpu-clock --off-cpu" "sample-bpf -e off-cpu"; do
	# shellcheck disable=SC2086 # words
	refused "$command" 'outside of this pid namespace' "${inside[@]}" "$PERF" $command -o r.data -- touch ran
done
run "${inside[@]}" "$PERF" record -o r.data -c 1 -e page-faults --filter 'pid < 10 && tid > 1' -- true
counts ""
ok "samples have the ids of the namespace" test "$rc:$dropped" = 0:0 -a "$kept" -gt 0

# --- each step that takes something from the kernel fails in its turn ---

# fails WHAT COMMAND...: it may fail, but if it does, nothing unfiltered is written, and it says why
fails() {
	local what=$1
	shift
	rm -f r.data
	run "$@"
	[ "$rc" != 0 ] || return 1
	failed=$((failed + 1))
	[ -n "$err" ] || silent+=" $what"
	[ "$(unfiltered)" = 0 ] || [ ! -e r.data ] || unfiltered+=" $what"
}

# From the loading of the program to the reading of its counts. A clock is on each CPU, or perf fails: it would be on the task without the
# programs that mark the target.
failed=0
silent=
unfiltered=
for ((n = 1; n < 100; n++)); do
	fails "$n" "$INJECT" -o fault -c 'bpf *' -e ENOMEM -n "$n" "${record[@]}" --clock cpu -- "$WORKLOAD" noploop 0.02 || break
done
is "silent:$silent unfiltered:$unfiltered" "silent: unfiltered:" "each call of bpf() that fails lets perf fail ($failed calls)"
ok "there are such calls, and an end of them" test $failed -gt 2 -a $n -lt 100

# For the maps, the program, the events, the file
failed=0
silent=
unfiltered=
for ((n = 6; n < 100; n++)); do
	fails "$n" prlimit --nofile=$n:$n "${record[@]}" -- "$WORKLOAD" noploop 0.02 || break
done
is "silent:$silent unfiltered:$unfiltered" "silent: unfiltered:" "too few descriptors ($failed times)"
ok "there are too few, until there are enough" test $failed -gt 3 -a $n -lt 100

# --- capabilities ---

# without TEXT CAPABILITIES: root lacks them
without() {
	refused "root without $1" "$1" setpriv --bounding-set="$2" --inh-caps="$2" -- "${record[@]}" -- touch ran
}
without "CAP_BPF" -sys_admin,-bpf
without "CAP_PERFMON" -sys_admin,-perfmon
without "CAP_BPF and CAP_PERFMON" -sys_admin,-bpf,-perfmon
record=("$PERF" record -o r.data -e cpu-clock -u 0)
without "-u: A filter needs CAP_BPF" -sys_admin,-bpf
unlike "$err" '--filter' "-u: no option that was not given is named"
record=("$PERF" record -o r.data -e cpu-clock --exclude-perf)
without "--exclude-perf: A filter needs CAP_BPF" -sys_admin,-bpf

done_testing

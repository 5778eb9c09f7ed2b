#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# BPF tokens: a user without capabilities outside filters, counts and traces in a user namespace that root has delegated BPF to.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ "$(readlink /proc/self/ns/user)" = "user:[4026531837]" ] || skip_all "only the initial user namespace delegates BPF"
[ -z "$CHROOT" ] || skip_all "a mount namespace of a chroot has no /sys/fs/bpf of its own"
[ -d /sys/fs/bpf ] || skip_all "there is no /sys/fs/bpf"
chmod 711 "$WORK"
cp "$PERF" "$WORKLOAD" .
mkdir -m 777 out
perf=$WORK/perf
loop=("$WORK/workload" noploop 0.3)

# new_namespace USER: a process of that user in user and mount namespaces of its own, with its pid in $inside
new_namespace() {
	spawn setpriv --reuid="$1" --regid="$1" --clear-groups --bounding-set=-all -- unshare --user --map-root-user --mount sleep 1000
	inside=$spawned_pid
	entered() {
		[ "$(readlink "/proc/$inside/ns/user")" != "$(readlink /proc/self/ns/user)" ] && [ "$(cat "/proc/$inside/comm")" = sleep ]
	}
	wait_for 20 entered || fail "a user namespace of user $1 is there"
}

# within COMMAND...: as root of the namespace, which has no capability outside of it
within() {
	nsenter -t "$inside" -U -m -S 0 -G 0 -- "$@"
}

record=("$perf" record -q -e cpu-clock:u -c 1000000 -o "$WORK/out/perf.data")

# --- without a token ---

new_namespace 65534
run within "${record[@]}" --filter 'tid > 0' -- touch out/ran
is "$rc" 255 "a filter in a user namespace without a token"
like "$err" 'no bpffs is mounted that gives one|/sys/fs/bpf gives none' "says what is missing"
like "$err" 'perf record --setup-token PID' "and what root must run"
ok "nothing runs unfiltered" test ! -e out/ran -a ! -e out/perf.data

# --- what cannot be delegated ---

for wrong in '' ,tracing; do
	run "$perf" record --setup-token "$wrong"
	is "$rc" 129 "--setup-token '$wrong'"
done
for wrong in 0 -5 99999999999 no-such-unit /no/such/file /proc/self/status $$; do
	run "$perf" record --setup-token "$wrong"
	is "$rc" 255 "--setup-token '$wrong'"
	is "$(wc -l <<<"$err")" 1 "says one thing"
done
run "$perf" record --setup-token $$ -- true
is "$rc" 129 "it takes no command"
run within "$perf" record --setup-token 1
is "$rc" 255 "root of a user namespace delegates nothing"

# --- a container that wants more ---

# Namespaces that root owns, as those of containers often are
new_root_namespace() {
	spawn unshare --user --map-root-user --mount sleep 1000
	inside=$spawned_pid
	wait_for 20 entered || fail "a user namespace of root is there"
}
# its_helper: the process of perf in there is $helper
its_helper() {
	local its_perf=0
	helper=
	read -r its_perf <"/proc/$tracer/task/$tracer/children"
	read -r helper <"/proc/$its_perf/task/$its_perf/children"
	[ -n "$helper" ] && [ "$(readlink "/proc/$helper/ns/user")" = "$(readlink "/proc/$inside/ns/user")" ]
} 2>/dev/null
if command -v strace >/dev/null && new_root_namespace && strace -qq -o /dev/null true; then
	spawn strace -f -qq -o /dev/null -e trace=move_mount -e inject=move_mount:delay_enter=20000000 "$perf" record --setup-token "$inside" \
		>hang.out 2>hang.err
	tracer=$spawned_pid
	ok "perf's helper is in the namespace" wait_for 20 its_helper
	ok "root in there cannot take it over" nsenter -t "$inside" -U -m -S 0 -G 0 -- sh -c "! true 3<>/proc/$helper/mem"
	wait_for 20 grep -q 'does not answer' hang.err
	like "$(cat hang.err)" 'its /sys/fs/bpf does not answer' "perf does not wait for it for ever"
	kill "$tracer"
else
	skip 3 "strace does not work here"
fi
new_namespace 65534

# --- units ---

cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
unit=perf-test-$$.service
forged=perf-test-$$/user@1.service/$unit real=perf-test-$$.slice/$unit
remove_cgroups() {
	echo "$inside" >"$cgroups/cgroup.procs"
	rmdir -p "$cgroups/./$forged" "$cgroups/./$real"
} 2>/dev/null
if [ -n "$cgroups" ] && mkdir -p "$cgroups/$forged" "$cgroups/$real" && echo "$inside" >"$cgroups/$forged/cgroup.procs"; then
	run "$perf" record --setup-token "$unit"
	is "$rc" 255 "a unit that has no process, while a user's cgroup of that name has one"
	like "$err" "unit $unit has no process" "is refused"
	rmdir "$cgroups/$real"
	run "$perf" record --setup-token "$unit"
	is "$rc" 255 "a unit that is a user's cgroup only"
	like "$err" "No slice of systemd has a unit $unit" "is none"
	mkdir "$cgroups/$real"
	echo "$inside" >"$cgroups/$real/cgroup.procs"
	run "$perf" record --setup-token "${unit%.service}"
	unlike "$err" "unit" "a unit in a slice is found"
	[ "$rc" != 0 ] || nsenter -t "$inside" -U -m umount /sys/fs/bpf
else
	skip 5 "no cgroups can be made here"
fi
remove_cgroups

# --- samples ---

run "$perf" record --setup-token "$inside"
if [ "$rc" = 255 ] && [[ $err == *"Linux 6.9"* ]]; then
	skip 1 "this kernel has no BPF tokens"
	done_testing
	exit
fi
is "$rc" 0 "delegates BPF to a process's user namespace"
like "$err" 'can read all memory of the kernel' "warns of what that allows"
like "$out" 'BPFDelegateMaps=BPFMapTypeHash,' "prints the settings of systemd"
like "$out" 'security.bpffs.delegate_progs=perf_event$' "and of a container runtime"
run "$perf" record --setup-token "$inside"
is "$rc" 255 "twice"
like "$err" 'delegates BPF already' "is refused"

run within "${record[@]}" -v --filter 'comm == "workload" || comm ~ "perf*"' -- "${loop[@]}"
is "$rc" 0 "then a filter works"
like "$err" 'BPF token of /sys/fs/bpf: .*delegate_progs=perf_event' "-v names the token and what it delegates"
ok "samples are recorded" test "$(samples out/perf.data comm | wc -l)" -gt 50
run within "$perf" record -e cpu-clock:u -c 1000000 -o "$WORK/out/perf.data" --filter 'comm == "no-such-name"' -- "${loop[@]}"
like "$err" 'filter: [0-9]+ samples? seen, 0 kept' "a filter that nothing passes lets nothing pass"
run within "$perf" sample-bpf -e cpu-clock:u -c 1000000 -g -o "$WORK/out/perf.data" -- "${loop[@]}"
is "$rc" 0 "counting in the kernel works"
like "$err" 'Counted [1-9][0-9]+ samples' "and counts"
run within env LIBBPF_BPF_TOKEN_PATH=/sys/fs/bpf "${record[@]}" --filter 'pid > 0' -- true
is "$rc" 0 "the mount may be named by the environment"
run within env LIBBPF_BPF_TOKEN_PATH= "${record[@]}" --filter 'pid > 0' -- true
is "$rc" 255 "an empty name: no token is taken"
run within env LIBBPF_BPF_TOKEN_PATH=/tmp "${record[@]}" --filter 'pid > 0' -- true
is "$rc" 255 "a name of something else"
like "$err" '/tmp gives none: ' "gets a message"
run within "$perf" record -a -e cpu-clock --filter 'pid > 0' -o "$WORK/out/perf.data" -- true
is "$rc" 255 "other users' processes are not sampled"

# --- tracepoints are not among it ---

run within "$perf" record --off-cpu -e cpu-clock:u -o "$WORK/out/perf.data" -- true
is "$rc" 255 "off-cpu time takes more"
like "$err" 'delegate_(maps|progs)=[a-z_]+ is missing' "names what is missing"
run within "$perf" trace -- true
is "$rc" 255 "so does perf trace"
like "$err" 'delegate_(maps|progs)=[a-z_]+ is missing' "names what is missing"

# --- another user ---

token=/proc/$inside/root/sys/fs/bpf
new_namespace 65533
run within env LIBBPF_BPF_TOKEN_PATH="$token" "${record[@]}" --filter 'pid > 0' -- true
is "$rc" 255 "another user's namespace does not get at it"
new_namespace 65534
run within "${record[@]}" --filter 'pid > 0' -- true
is "$rc" 255 "nor does another namespace of the same user"

# --- with tracepoints ---

run "$perf" record --setup-token "/proc/$inside/ns/user,tracing"
is "$rc" 0 "a namespace is found by its file"
like "$err" 'see all tasks' "warns of tracepoints"
run within "$perf" record --off-cpu --off-cpu-thresh 0 -e cpu-clock:u -o "$WORK/out/perf.data" -- sleep 0.2
is "$rc" 0 "off-cpu time is measured"
sleeps=$("$PERF" script -i out/perf.data -F comm,event 2>/dev/null | grep offcpu-time)
ok "there is some" test -n "$sleeps"
unlike "$sleeps" '^ *(swapper|kworker|systemd)' "of the target's tasks only"
run within "$perf" trace -s -- sleep 0.1
is "$rc" 0 "perf trace works"
like "$err$out" 'nanosleep +1 ' "and counts calls"
run within "$perf" lock contention --futex -- true
is "$rc" 0 "perf lock contention works"
run within "$perf" trace -s -- sh -c "exit 7"
is "$rc" 7 "the command's status is perf's"
ok "the mount can be taken away" nsenter -t "$inside" -U -m umount /sys/fs/bpf
run within "${record[@]}" --filter 'pid > 0' -- true
is "$rc" 255 "then the token is gone"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Walks through the kernel's data from pointers that somebody else chose: to nothing, to the memory of tasks, to what is not mapped, to objects
# that are free. There is no value then, and neither a fault nor a hang.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no type information"
command -v python3 >/dev/null || skip_all "needs python3"

# What the kernel has said of faults so far
faults() {
	dmesg 2>/dev/null | grep -cE 'BUG:|Oops|general protection|unable to handle|soft lockup|rcu.*stall'
}
before=$(faults)

# send ADDRESS...: to itself each as the value of a signal, which anybody may choose; "mapped" is memory of its own with a name in it
cat >send.py <<'EOF2'
import ctypes, mmap, os, signal, sys
libc = ctypes.CDLL(None)
memory = mmap.mmap(-1, 65536)
memory.write(b"in-user-memory\0" * 4000)
mapped = ctypes.addressof(ctypes.c_char.from_buffer(memory))
signal.signal(signal.SIGUSR1, lambda *_: None)
for text in sys.argv[1:]:
    libc.sigqueue(os.getpid(), int(signal.SIGUSR1), ctypes.c_void_p(mapped if text == "mapped" else int(text, 16)))
EOF2

pointer='info->_sifields._rt._sigval.sival_ptr'
# sent FILTER ADDRESS...: counts are those of the signals that the filter keeps
sent() {
	local filter=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	run with_tracefs "$PERF" record -a -e signal:signal_generate --filter "sig == 10 && current->comm == sender && ($filter)" -o s.data -- \
		bash -c 'exec -a sender python3 -c "import ctypes, runpy, sys; ctypes.CDLL(None).prctl(15, b\"sender\"); sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0])" send.py "$@"' - "$@"
	counts ""
}

# Nothing, low and high numbers, the memory of the task, what is no address, holes between mappings, the old page of system calls, the end of memory
bad=(0 1 fff 1000 mapped 7ffffffff000 7fffffffffff 800000000000 dead000000000100 ffff7fffffffffff ffff800000000000 ffffc8fffffff000 fffffffffffff000
	ffffffffff600000 ffffffffff5ffffc ffffffffffffffff fffffffffffffff8)
sent "$pointer >= 0" "${bad[@]}"
is "$rc:$kept" "0:${#bad[@]}" "all signals come, as numbers"
for walk in '->pid >= 0' '->comm ~ "*"' '->real_parent->comm ~ "*"' '->mm->exe_file->f_path.dentry->d_name.name ~ "*"' '->on_cpu != 12345'; do
	sent "((struct task_struct *)$pointer)$walk" "${bad[@]}"
	# An address in a hole for the pointer may have memory where the member is.
	is "$rc:$kept" 0:0 "$walk of bad pointers: no value"
done
sent "((struct task_struct *)$pointer)->pid != 1 || ((struct task_struct *)$pointer)->comm !~ nothing*" "${bad[@]}"
is "$rc:$kept" 0:0 "negations are false, too"
like "$err" "${#bad[@]} samples had no \(\(struct task_struct \*\)$pointer\)->pid" "and each is told"

# A pointer that leads to a task indeed
spawn "$WORKLOAD" noploop 1000
run with_tracefs "$PERF" sample-bpf -a -e sched:sched_switch --filter "prev->pid == $spawned_pid" --key 'prev->group_leader' --folded=samples -- sleep 0.5
task=${out%% *}
sent "((struct task_struct *)$pointer)->pid == $spawned_pid && ((struct task_struct *)$pointer)->exit_code == 0" "${task#0x}" "${bad[@]}" "${task#0x}"
is "$rc:$kept" 0:2 "a good one beside them, and a number that is 0"
kill "$spawned_pid"

# Objects that are free when the tracepoint is hit, and others that become free meanwhile on other CPUs
load='for ((i = 0; i < 300; i++)); do /bin/true & : <"$0"; done; wait'
run with_tracefs "$PERF" sample-bpf -a -e kmem:kmem_cache_free --filter '((struct task_struct *)ptr)->comm ~ "*" && ((struct file *)ptr)->f_path.dentry->d_name.name ~ "*"' \
	--key '((struct file *)ptr)->f_path.dentry->d_name.name,((struct task_struct *)ptr)->comm' --folded=samples -- bash -c "$load" "$PERF"
is "$rc" 0 "free objects, as what they are not"
is "$(awk '{ sub(/ [0-9]+$/, "") } length > 63 + 1 + 16' <<<"$out" | wc -l)" 0 "no text is longer than its place"
run with_tracefs "$PERF" sample-bpf -a -e sched:sched_switch --key 'prev->real_parent->mm->exe_file->f_path.dentry->d_name.name,next->files->fdt->fd[3]->f_path.dentry->d_name.name' \
	--folded=samples -- bash -c "$load" "$PERF"
is "$rc" 0 "objects that become free while they are read"
is "$(awk '{ sub(/ [0-9]+$/, "") } length > 63 + 1 + 63' <<<"$out" | wc -l)" 0 "their texts, too"
is "$(faults)" "$before" "the kernel has told of no fault"
done_testing

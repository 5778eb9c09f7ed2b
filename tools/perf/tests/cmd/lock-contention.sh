#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf lock contention: threads that wait for the lock of their memory map, beside the tracepoints of the same run.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

need_locks
is "$rc" 0 "a command that waits for nothing much"
like "$err" 'contended +total wait +max wait +avg wait +type +caller' "has a table on the standard error"
is "$out" "" "and nothing else on the standard output"

build_maplocker

sum() { # column 1 of the fields on standard input
	awk -F, '/^[0-9]/ { n += $1 } END { print n + 0 }'
}

# --- the same waits in other views, and by the tracepoint ---

# Each begin of a wait for a rwsem is one wait; only mutexes begin again while they wait.
begins() {
	"$PERF" script -i "$1" -F trace 2>/dev/null | grep -cE 'flags=(WRITE|READ)\)?$'
}

run "$PERF" record -e lock:contention_begin --filter 'comm == "maplocker"' -o all.data -- \
	"$PERF" lock contention -Y rwsem -x, --output rows.txt -- ./maplocker 3
is "$rc" 7 "the command's exit status is perf's"
nr=$(begins all.data)
ok "there are waits" test "$nr" -ge 5
is "$(sum <rows.txt)" "$nr" "each one that the tracepoint shows is counted once"
like "$(head -1 rows.txt)" '^# output: contended, total wait, max wait, avg wait, type, caller$' "the names of fields come first"
like "$(sed -n 2p rows.txt)" '^[0-9]+, [0-9]+, [0-9]+, [0-9]+, rwsem:[RW], [a-z_0-9.]+\+0x[0-9a-f]+$' "then numbers, type and caller"
unlike "$(cat rows.txt)" ' (down_|rwsem_|__down|schedule)' "callers are not functions of locks"
is "$(awk -F, '/^[0-9]/ { print $5 $6 }' rows.txt | sort | uniq -d)" "" "one row for each caller and type"
ok "sums, maxima and averages fit together" awk -F', ' '/^[0-9]/ && ($2 < $3 || $4 > $3 || $4 != int($2 / $1)) { exit 1 }' rows.txt

run "$PERF" record -e lock:contention_begin --filter 'comm == "maplocker"' -o few.data -- \
	"$PERF" lock contention -Y rwsem -M 1 -x, --output rows.txt -- ./maplocker 6
lost=$(sed -n 's/^# \([0-9]*\) waits* w[a-z]* lost.*/\1/p' rows.txt | awk '{ n += $1 } END { print n + 0 }')
ok "with room for one wait at a time some are lost" test "$lost" -gt 0
is "$(($(sum <rows.txt) + lost))" "$(begins few.data)" "and no other ones"
like "$(cat rows.txt)" 'Make room \(-M\)' "the message names the remedy"

run "$PERF" lock contention -l -Y rwsem -- ./maplocker 3
like "$err" ' mmap_lock of PID [0-9]+ \(maplocker\) \(rwsem:[RW]\)' "-l names the lock and its process"
is "$(grep -c mmap_lock <<<"$err")" 1 "in one row"

run "$PERF" lock contention -L mmap_lock -x, -- ./maplocker 3
is "$(awk -F', ' '/^[0-9]/ { print $5 }' <<<"$err" | cut -c1-6 | sort -u)" "rwsem:" "-L takes the name that -l shows"
run "$PERF" lock contention -L siglock -q -Y rwsem -x, -- ./maplocker 2
is "$err" "" "and waits for other locks are left out"

run "$PERF" lock contention -t -Y rwsem -x, -- ./maplocker 3
ok "-t has a row for each thread that waited" test "$(grep -c ', maplocker$' <<<"$err")" -ge 2
is "$(awk -F', ' '/^[0-9]/ { print $(NF - 1) }' <<<"$err" | sort | uniq -d)" "" "and one only"

reads() { # OPTION...: the number of calls of read() by perf and the command
	"$PERF" stat -x, -e syscalls:sys_enter_read -o reads.txt -- "$PERF" lock contention -Y rwsem "$@" -- ./maplocker 3 2>/dev/null
	awk -F, '/sys_enter_read/ { print $1 }' reads.txt
}
ok "and does not read the names of all functions, which it does not show" test "$(reads -t)" -lt "$(($(reads) / 4))"

run "$PERF" lock contention -t -o -Y rwsem:W -x, -- ./maplocker 2
like "$err" ', [0-9]+, maplocker' "-t -o names who holds the lock"
unlike "$err" ', [0-9]+, (perf|bash)$' "who is a thread of the program"

run "$PERF" lock contention -o -Y rwsem -- ./maplocker 2
is "$rc" 7 "-o shows where the owners are"

run "$PERF" lock contention --lock-cgroup -Y rwsem -x, -- ./maplocker 2
like "$err" '^[0-9]+, .*, /' "--lock-cgroup shows cgroups"

run "$PERF" lock contention -v -Y rwsem --max-stack 3 -- ./maplocker 2
like "$err" '0x[0-9a-f]+  (do_mprotect_pkey|vm_mmap_pgoff|__x64_sys|do_user_addr|[a-z_]+)' "-v shows stacks"
run "$PERF" lock contention -v -q -Y rwsem --max-stack 0 -- ./maplocker 2
is "$rc:$(grep -c '^	*0x' <<<"$err")" "7:0" "--max-stack 0 shows none of them"
run "$PERF" lock contention -Y rwsem -x, --stack-skip 0 -- ./maplocker 2
like "$err" ', (rwsem_|down_|__down|schedule)' "--stack-skip 0 begins at the lock's own functions"

run "$PERF" lock contention -Y rwsem -S mprotect -x, -- ./maplocker 2
like "$err" 'mprotect' "-S keeps stacks with a function"
run "$PERF" lock contention -Y rwsem -S no_such_function -q -x, -- ./maplocker 2
is "$err" "" "and no others"

run "$PERF" lock contention -E 1 -q -- ./maplocker 3
is "$(grep -c . <<<"$err")" 1 "-E 1 -q prints one row"
run "$PERF" lock contention -F contended,wait_min,wait_max -k contended -x, -- ./maplocker 2
like "$err" '^# output: contended, min wait, max wait, type, caller' "-F chooses the columns"
ok "-k the order" sort -c -s -t, -k1,1rn <(grep '^[0-9]' <<<"$err")

# --- names of locks ---

# Threads that fight for the lock of their table of files
cat >filelocker.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *work(void *nr)
{
	for (int i = 0; i < *(int *)nr; i++)
		close(dup(0));
	return NULL;
}
int main(void)
{
	int nr = 100000;
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &nr);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
END
cc -O1 -pthread -o filelocker filelocker.c || exit 1
# On a busy machine the threads may run one after the other, so that nobody waits: then again.
watch_files() { # OPTIONS: rows.txt
	for _ in $(seq 30); do
		run "$PERF" lock contention -l -x, --output rows.txt "$@" -- ./filelocker
		grep -q 'filelocker' rows.txt && break
	done
}
# In some virtual machines threads spin without the kernel's tracepoint (virt_spin_lock() in its qspinlock.h).
spins_are_told() {
	for _ in $(seq 10); do
		with_tracefs "$PERF" record -q -e lock:contention_begin -o spins.data -- ./filelocker 2>/dev/null
		"$PERF" script -i spins.data -F trace 2>/dev/null | grep -q 'flags=SPIN' && return
	done
	return 1
}
if [ "$(nproc)" -ge 2 ] && spins_are_told; then
	watch_files
	like "$(<rows.txt)" ', files_struct\.file_lock of PID [0-9]+ \(filelocker\), spinlock$' "a member of a structure of the process"
	# Before Linux 6.13 nobody knows slab caches.
	if "$PERF" test --kernel | grep -q 'bpf_get_kmem_cache.*yes'; then
		ok "at least 99 % of the waits have a lock with a name" awk -F', ' '/^[0-9]/ { all += $1; named += $1 * ($6 != "") }
			END { exit !(all && named >= 0.99 * all) }' rows.txt
	else
		skip 1 "needs bpf_get_kmem_cache"
	fi
	watch_files -L files_struct.file_lock
	is "$(awk -F', ' '/^[0-9]/ { sub(/ of .*/, "", $6); print $6 }' rows.txt | sort -u)" files_struct.file_lock "-L takes the name without its process"
else
	skip 3 "this kernel tells of no thread that spins, or there are no two CPUs"
fi

# --- waits that go on when perf ends ---

# Two threads read one trace_pipe, in which nothing comes: the second one waits for the lock of the file's position.
cat >reader.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *work(void *fd)
{
	char c;

	return (void *)(read(*(int *)fd, &c, 1) + 1);
}
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY);
	pthread_t thread;

	if (fd < 0 || pthread_create(&thread, NULL, work, &fd))
		return 1;
	work(&fd);
	return 0;
}
END
cat >reading.sh <<'END'
./reader "$1/trace_pipe" &
echo $! >reader.pid
for i in $(seq 600); do
	grep -qs fdget_pos "/proc/$!/task/"*/stack && exit 0
	kill -0 $! 2>/dev/null || exit 1
	sleep 0.1
done
exit 1
END
instance=/sys/kernel/tracing/instances/lock-test-$$
trap 'with_tracefs rmdir "$instance" 2>/dev/null; cleanup' EXIT
reading() { # options
	run with_tracefs "$PERF" lock contention -t -Y mutex -x, "$@" -- sh ./reading.sh "$instance"
	kill -KILL "$(<reader.pid)"
}
cc -O1 -pthread -o reader reader.c || exit 1
if [ -r /proc/self/stack ] && with_tracefs mkdir "$instance" 2>/dev/null; then
	reading
	is "$rc" 0 "a thread waits for another one that does not go on"
	like "$err" ', reader$' "it is in a row"
	like "$err" '[0-9]+ waits? had not ended: (it was|they were) counted' "and in a note"
	reading --filter 'comm == "reader" && period > 1000000000000'
	unlike "$err" ', reader$' "a filter by the length cannot judge it"
	like "$err" '[0-9]+ waits? had not ended: (it was|they were) not counted, as the filter' "and a note tells this"
	reading -L mmap_lock
	unlike "$err" ', reader$' "-L leaves it out"
	like "$err" 'waits? had not ended: .*\(-L or -S may leave out some of them\)' "and the note says so"

	# A wait that begins before perf watches, and ends meanwhile
	cat >end-wait.sh <<'END'
kill -KILL "$1"
while grep -qs fdget_pos "/proc/$1/task/"*/stack; do
	sleep 0.05
done
END
	began_before() { # options
		with_tracefs sh ./reading.sh "$instance"
		run "$PERF" lock contention -t -x, -p "$(<reader.pid)" "$@" -- sh ./end-wait.sh "$(<reader.pid)"
	}
	began_before
	like "$err" '[1-9][0-9]* waits? had begun before perf watched' "a wait that had begun before is in a note"
	began_before -L mmap_lock
	unlike "$err" 'waits? had begun before' "but not if perf cannot know whether its lock is chosen"
	began_before -S no_such_function
	unlike "$err" 'waits? had begun before' "or its functions"
	wait_for 60 with_tracefs rmdir "$instance" 2>/dev/null
else
	skip 10 "needs tracefs and /proc/PID/stack"
fi

# --- waits whose end was not seen ---

# No kernel is known to leave one out; so a wait that has ended is put back among those that go on: then the thread waits for its lock again.
cat >put-back.py <<'END'
import json, subprocess, sys

def bpftool(*args):
    return subprocess.run(["bpftool", "-j", *args], capture_output=True, text=True)

def lookup(key):
    found = bpftool("map", "lookup", "id", table, "key", *key)
    return json.loads(found.stdout).get("value") if found.returncode == 0 else None

main_thread = int(sys.argv[1]) # it hardly waits
table = next(n for n in sys.argv[2:] if json.loads(bpftool("map", "show", "id", n).stdout)["name"] == "lock_waits")
waits = []
while not waits:
    waits = [w for w in json.loads(bpftool("map", "dump", "id", table).stdout) if w["formatted"]["key"]["tid"] != main_thread]
key, value = waits[0]["key"], waits[0]["value"]
while bpftool("map", "update", "id", table, "key", *key, "value", *value, "noexist").returncode:
    pass
while lookup(key) == value:
    pass
END
if command -v bpftool >/dev/null; then
	spawn "$PERF" lock contention -Y rwsem --output lost.txt -- ./maplocker 3 1000000000
	locker() {
		locker=$(pgrep -P "$spawned_pid" -x maplocker)
	}
	ok "threads wait for a lock all the time" wait_for 60 locker
	# shellcheck disable=SC2046 # the ids are words
	ok "one of them seems to wait still when it waits again" timeout 300 python3 put-back.py "$locker" \
		$(grep -hs '^map_id:' "/proc/$spawned_pid/fdinfo/"* | awk '{ print $2 }' | sort -u)
	kill -KILL "$locker"
	wait "$spawned_pid"
	like "$(<lost.txt)" '(^| )[1-9][0-9]* (wait was|waits were) lost: (its|their) end was not seen' "a note tells this"
else
	skip 3 "needs bpftool"
fi

# --- who is watched ---

# Another process waits for its locks all the time, which -a sees, and a run of a command does not.
cp maplocker bystander
spawn sh -c 'while :; do ./bystander 3; done'
for _ in $(seq 10); do
	run "$PERF" lock contention -a -t -Y rwsem -x, --output all.txt -- \
		"$PERF" lock contention -b -t -Y rwsem -x, --output own.txt -- sh -c './maplocker 3; exec ./maplocker 3'
	grep -q ', bystander$' all.txt && break
done
is "$rc" 7 "a process waits for its locks beside a command"
like "$(<all.txt)" ', bystander$' "-a sees it"
like "$(<own.txt)" ', maplocker$' "without -a those are seen that the command starts"
is "$(awk -F', ' '/^[0-9]/ { print $NF }' own.txt | grep -vxE 'maplocker|sh')" "" "and no others"
kill "$spawned_pid"

# --- cgroups ---

root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$root/perf-lock-$$
if [ -n "$root" ] && mkdir "$group" "$group/below" "$group/below/deep" "$group-2" 2>/dev/null && [ -w "$group/cgroup.procs" ]; then
	# shellcheck disable=SC2016 # for the inner shell
	in_group() { # LIST: rows.txt
		run "$PERF" lock contention -G "$1" -a -t -Y rwsem -x, --output rows.txt -- sh -c 'echo 0 >"$0/below/deep/cgroup.procs"; exec ./maplocker 3' "$group"
	}
	in_group "perf-lock-$$"
	is "$rc" 7 "-G: a command moves itself two levels below a cgroup"
	like "$(<rows.txt)" ', maplocker$' "its waits are counted"
	is "$(awk -F', ' '/^[0-9]/ { print $NF }' rows.txt | grep -vxE 'maplocker|sh')" "" "and no others"
	in_group "/perf-lock-$$-2,/perf-lock-$$/below"
	like "$(<rows.txt)" ', maplocker$' "also if one of two cgroups has them"
	in_group "perf-lock-$$-2"
	unlike "$(<rows.txt)" '^[0-9]' "and not those of a cgroup whose name begins alike"
	rmdir "$group/below/deep" "$group/below" "$group" "$group-2"
else
	rmdir "$group/below/deep" "$group/below" "$group" "$group-2" 2>/dev/null
	skip 5 "no cgroup can be made"
fi

run "$PERF" lock contention -a --filter 'comm == "maplocker"' -t -Y rwsem -x, -- ./maplocker 2
is "$(awk -F', ' '/^[0-9]/ { print $NF }' <<<"$err" | sort -u)" maplocker "a filter by name, of all tasks"
run "$PERF" lock contention --filter 'period > 1000000000000' -q -Y rwsem -x, -- ./maplocker 2
unlike "$err" '^[0-9]' "waits of a quarter of an hour: none"
run "$PERF" lock contention --filter 'ip > 5' -- true
is "$rc" 129 "a term that a wait does not have"
like "$err" 'waits for locks cannot be tested for .ip > 5' "is refused by name"

# --- what cannot be done ---

run "$PERF" lock contention --output /dev/full -Y rwsem -- ./maplocker 2
is "$rc" 255 "a full disk"
like "$err" 'cannot write /dev/full: No space left' "with a message"
run "$PERF" lock contention --output - -q -Y rwsem -x, -- ./maplocker 2
like "$out" '^[0-9]+, .*rwsem' "--output - is the standard output"
if setpriv --reuid 65534 --clear-groups "$PERF" version >/dev/null 2>&1; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$PERF" lock contention -- true
	is "$rc" 255 "a user without rights"
	like "$err" 'lacks CAP_.*Run perf as root|setcap cap_bpf' "is told what is missing"
fi

# --- refusals ---

refused() { # message, options
	local message=$1

	shift
	run "$PERF" lock contention "$@" -- true
	is "$rc" 129 "$*: refused"
	like "$err" "$message" "$*: says why"
}
refused '-t and -l exclude each other' -t -l
refused 'runs no command' -i perf.data
refused '-k takes contended' -k period
refused '-F takes contended' -F contended,period
refused 'no type "nolock"' -Y nolock
refused 'which fields have' -x :
refused 'not "no_such_lock"' -L no_such_lock
refused 'not "no_such_struct.lock"' -L no_such_struct.lock
refused 'takes names of cgroups' -G ''
refused 'with -i only' --vmlinux vmlinux
refused 'with -i only' --kallsyms kallsyms
refused 'with -i only' --symfs /
refused 'never makes tasks hold a lock for longer' -J 10us@mmap_lock
refused 'takes a number of frames' --stack-skip -2
refused '-M takes 1' -M 0
run "$PERF" lock
is "$rc" 129 "no subcommand"
run "$PERF" lock -h
for subcommand in contention record report info script; do
	like "$out$err" "perf lock $subcommand " "perf lock -h names $subcommand"
done
run "$PERF" lock record -h
like "$out$err" 'Usage: perf lock record ' "perf lock record -h is about that"
run "$PERF" lock conversation
is "$rc" 129 "another subcommand"
like "$err" "'conversation' is no subcommand" "is named"

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace: names of system calls, and of what their arguments and results are. The values are those that the programs pass.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# --- calls by number: the name is that of the tracepoint that the kernel hits ---

# The calls between two of sched_get_priority_max(2), as tracefs names them. A uretprobe(2) that no trampoline makes gets SIGILL.
cat >numbers.py <<'END'
import ctypes, os, signal, sys
call = ctypes.CDLL(None, use_errno=True).syscall
root = "/sys/kernel/tracing/instances/perf-test-%d" % os.getpid()
def put(name, text):
    with open(root + "/" + name, "w") as f:
        f.write(text)
signal.signal(signal.SIGILL, lambda *_: None)
os.mkdir(root)
put("set_event_pid", str(os.getpid()))
put("events/syscalls/enable", "1")
os.sched_get_priority_max(0)
for number in map(int, sys.argv[1:]):
    call(number, *[ctypes.c_long(-1)] * 6)
os.sched_get_priority_max(0)
put("events/syscalls/enable", "0")
with open(root + "/trace") as f:
    for line in f:
        if ": sys_" in line and " -> " not in line:
            print(line.split(": sys_", 1)[1].split("(")[0])
os.rmdir(root)
END
numbers="$(seq 424 469)"
[ "$(uname -m)" != x86_64 ] || numbers="335 336 $numbers"
# Where tracepoints have the names of other functions
between() {
	sed -n '/^sched_get_priority_max$/,/^sched_get_priority_max$/p' "$1" | sed '/^rt_sigreturn$/d; s/^newuname$/uname/; s/^newfstat$/fstat/'
}
# shellcheck disable=SC2086 # words
run with_tracefs "$PERF" trace --no-comm -o all.txt -- python3 numbers.py $numbers
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
if [ "$rc" = 0 ]; then
	printf '%s\n' "$out" >kernel.txt
	sed -E 's/.*\): [0-9]+ (\.\.\. \[continued\]: )?([a-z0-9_]+)\(.*/\2/' all.txt >perf.txt
	# Newer calls than the kernel has no tracepoint hits.
	is "$(between perf.txt | grep -Fxf <(between kernel.txt))" "$(between kernel.txt)" "calls have the names of their tracepoints"
	ok "which are some" [ "$(between kernel.txt | wc -l)" -gt 20 ]
	is "$(between perf.txt | grep -c '^syscall_')" 0 "each has one"
else
	skip 3 "no instances of tracefs: $err"
fi

# --- arguments and results, beside what the program passes ---

cat >values.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	struct timespec times[2] = { { 0, UTIME_OMIT }, { 0, UTIME_NOW } };
	struct sched_param param = { 0 };
	struct rusage usage;
	char word[16] = "";
	int fd = syscall(SYS_memfd_create, "sealed", MFD_ALLOW_SEALING), file = open("file", O_RDWR | O_CREAT, 0600);

	syscall(SYS_wait4, -1, 0, __WALL | WNOHANG, 0);
	syscall(SYS_sched_setscheduler, 0, SCHED_BATCH | SCHED_RESET_ON_FORK, &param);
	syscall(SYS_getrusage, RUSAGE_CHILDREN, &usage);
	syscall(SYS_utimensat, file, 0, times, 0);
	syscall(SYS_fchown, file, -1, -1);
	close(file);
	file = open("file", O_RDONLY);
	syscall(SYS_fcntl, file, F_SETLEASE, F_RDLCK);
	syscall(SYS_fcntl, file, F_GETLEASE, 0x5555);
	syscall(SYS_fcntl, file, F_SETLEASE, F_UNLCK);
	syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
	syscall(SYS_fcntl, fd, F_GET_SEALS, 0x5555);
	syscall(SYS_fcntl, file, F_SETSIG, SIGUSR1);
	syscall(SYS_fcntl, file, F_GETSIG, 0x5555);
	syscall(SYS_fcntl, -1, F_NOTIFY, DN_CREATE | DN_MULTISHOT);
	syscall(SYS_fcntl, -1, 13, (long)word);
	syscall(SYS_prctl, PR_SET_NAME, "named", 0x77, 0x77, 0x77);
	syscall(SYS_prctl, PR_GET_NAME, word, 0x77, 0x77, 0x77);
	syscall(SYS_prctl, PR_CAPBSET_READ, CAP_NET_ADMIN, 0x77, 0x77, 0x77);
	syscall(SYS_prctl, PR_CAPBSET_READ, CAP_CHOWN, 0, 0, 0);
	syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 0);
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0x77, 0, 0);
	syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0);
	syscall(426, -1, 1, 2, 1 | 8, 0, 0); /* io_uring_enter */
	syscall(427, -1, 8, 0, 0); /* io_uring_register */
	syscall(SYS_ioctl, -1, 0xc0502100, word); /* SECCOMP_IOCTL_NOTIF_RECV */
	syscall(SYS_ioctl, -1, 0xc0507e77, 0x1234567);
	syscall(SYS_ioctl, -1, 0xc0507e77, 17);
	syscall(SYS_inotify_rm_watch, -1, 5);
	syscall(SYS_inotify_rm_watch, -1, -5);
	return 0;
}
END
if ${CC:-cc} -w -o values values.c 2>cc.txt; then
	run "$PERF" trace -o values.txt -- ./values
	tr -s ' ' <values.txt >squeezed.txt
	# without addresses
	while read -r line; do
		ok "$line" grep -qE -- " $line\$" squeezed.txt
	done <<'END'
wait4\(upid: -1, options: NOHANG\|__WALL\) = -1 ECHILD .*
sched_setscheduler\(policy: BATCH\|RESET_ON_FORK, param: 0x[0-9a-f]+\) = 0
getrusage\(who: CHILDREN, ru: \{.*\}\) = 0
utimensat\(dfd: [0-9]+<.*/file>, utimes: \[OMIT, NOW\]\) = 0
fchown\(fd: [0-9]+<.*/file>, user: -1, group: -1\) = 0
fcntl\(fd: [0-9]+<.*/file>, cmd: SETLEASE, arg: RDLCK\) = 0
fcntl\(fd: [0-9]+<.*/file>, cmd: GETLEASE\) = 0 \(RDLCK\)
fcntl\(fd: [0-9]+<.*/file>, cmd: SETLEASE, arg: UNLCK\) = 0
fcntl\(fd: [0-9]+<.*sealed.*>, cmd: ADD_SEALS, arg: SHRINK\|GROW\) = 0
fcntl\(fd: [0-9]+<.*sealed.*>, cmd: GET_SEALS\) = 6 \(SHRINK\|GROW\)
fcntl\(fd: [0-9]+<.*/file>, cmd: SETSIG, arg: USR1\) = 0
fcntl\(fd: [0-9]+<.*/file>, cmd: GETSIG\) = 10 \(USR1\)
fcntl\(fd: -1, cmd: NOTIFY, arg: CREATE\|MULTISHOT\) = -1 EBADF .*
fcntl\(fd: -1, cmd: SETLK64, arg: \{ .*\}\) = -1 EBADF .*
prctl\(option: SET_NAME, arg2: "named"\) = 0
prctl\(option: GET_NAME, arg2: "named"\) = 0
prctl\(option: CAPBSET_READ, arg2: NET_ADMIN\) = [01]
prctl\(option: CAPBSET_READ, arg2: CHOWN\) = [01]
prctl\(option: CAP_AMBIENT, arg2: IS_SET, arg3: KILL\) = [01]
prctl\(option: SET_PDEATHSIG, arg2: TERM\) = 0
prctl\(option: SET_NO_NEW_PRIVS, arg2: 1, arg3: 1\) = -1 EINVAL .*
io_uring_enter\(fd: -1, to_submit: 1, min_complete: 2, flags: GETEVENTS\|EXT_ARG\) = -1 E.*
io_uring_register\(fd: -1, opcode: REGISTER_PROBE\) = -1 E.*
ioctl\(fd: -1, cmd: SECCOMP_IOCTL_NOTIF_RECV, arg: 0x[0-9a-f]+\) = -1 EBADF .*
ioctl\(fd: -1, cmd: 0xc0507e77, arg: 0x1234567\) = -1 EBADF .*
ioctl\(fd: -1, cmd: 0xc0507e77, arg: 17\) = -1 EBADF .*
inotify_rm_watch\(fd: -1, wd: 5\) = -1 EBADF .*
inotify_rm_watch\(fd: -1, wd: -5\) = -1 EBADF .*
END
	run "$PERF" trace -e inotify_rm_watch --filter 'wd == -5' -o filtered.txt -- ./values
	is "$(grep -c . filtered.txt):$(grep -c 'wd: -5' filtered.txt)" 1:1 "a filter reads an argument of a type of the kernel"
else
	skip 1 "needs a C compiler: $(head -1 cc.txt)"
fi

# --- sockets of calls that have not ended: their peers, as of those that have ---

cat >hung.py <<'END'
import socket, threading, time
def server():
    s = socket.create_server(("127.0.0.1", 0))
    return s, s.getsockname()[1]
s, port = server()
c = socket.create_connection(("127.0.0.1", port))
peer = s.accept()[0]
lone, lone_port = server()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
print(port, c.getsockname()[1], lone_port, udp.getsockname()[1], flush=True)
for call in (lambda: c.recv(1), lambda: peer.recvmsg(1), lone.accept, lambda: udp.recvfrom(1)):
    threading.Thread(target=call, daemon=True).start()
time.sleep(600)
END
mkfifo ports
exec {ports}<>ports
spawn python3 hung.py >ports
hung=$spawned_pid
read -r -t 60 port own lone udp <&$ports
sleeping() {
	[ "$(cat /proc/"$hung"/task/*/stat | sed 's/.*) //' | grep -c '^S')" = 5 ]
}
wait_for 60 sleeping
spawn "$PERF" trace -p "$hung" -o hung.txt
tracer=$spawned_pid
wait_for 60 in_loop "$tracer"
kill -INT "$tracer"
wait "$tracer"
is "$(grep -cE "recvfrom\\(fd: [0-9]+<127.0.0.1:$port>" hung.txt)" 1 "a client that waits has its peer"
is "$(grep -cE "recvmsg\\(fd: [0-9]+<127.0.0.1:$own>" hung.txt)" 1 "and so has a server"
is "$(grep -cE "accept4?\\(fd: [0-9]+<127.0.0.1:$lone>" hung.txt)" 1 "one that accepts has its own address"
is "$(grep -cE "recvfrom\\(fd: [0-9]+<127.0.0.1:$udp>" hung.txt)" 1 "and so has one of UDP"
kill "$hung"

# --- sums: names that are longer than their column ---

run "$PERF" trace -s --summary-mode total -e sched_get_priority_max,getppid -o sums.txt -- python3 -c 'import os; os.sched_get_priority_max(0); os.getppid()'
is "$(awk '/^   [a-z_]+ .*%$/ { print match($0, /%/) }' sums.txt | sort -u | wc -l)" 1 "rows of sums have their columns below each other"

# --- events that perfconfig adds ---

printf '[trace]\nadd_events = nosuch:event\n' >config
PERF_CONFIG=$PWD/config run "$PERF" trace -e openat -- true
is "$rc" 129 "a wrong event of perfconfig is refused"
like "$err" '^perfconfig: trace.add_events: ' "with the name of the setting"
done_testing

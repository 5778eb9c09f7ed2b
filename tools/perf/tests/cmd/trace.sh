#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf trace: programs whose system calls are known.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

run "$PERF" trace -o all.txt -- sh -c 'cat /etc/hostname >/dev/null; exit 3'
case $err in
*"outside of the container"*) skip_all "$err" ;;
esac
is "$rc" 3 "the command's exit status is perf's"
like "$(cat all.txt)" 'execve\(filename: "/[^"]*/cat"' "an exec has its file"
like "$(cat all.txt)" 'openat\(dfd: CWD, filename: "/etc/hostname".*\) += [0-9]+' "an open has its path and a descriptor"
like "$(tail -1 all.txt)" 'exit_group\(.*= \?$' "the last call does not return"

run "$PERF" trace -e openat -o failed.txt --filter 'ret < 0' -- cat /nosuch
like "$(cat failed.txt)" 'filename: "/nosuch", flags: RDONLY\) += -1 ENOENT \(No such file or directory\)' "an error has its name"
is "$(grep -cv ENOENT failed.txt)" 0 "the filter leaves out all others"

dd=(dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none)
all=(-m 64M) # has room for all calls: perf may get no CPU before the command ends
run "$PERF" trace "${all[@]}" -e write -o lines.txt -- "${dd[@]}"
is "$rc:$err" "0:" "nothing is lost"
is "$(grep -c 'write(fd: 1</dev/null>, buf: "\\x00", count: 1) *= 1$' lines.txt)" 100000 "each of 100,000 writes has a line"
run "$PERF" trace -s -e read,write --summary-mode total -o sums.txt -- "${dd[@]}"
is "$(awk '$1 == "write" { print $2, $3 }' sums.txt)" "100000 0" "and is counted in the kernel"
run "$PERF" trace "${all[@]}" -e write --filter 'fd == 1 && count == 1' -o judged.txt -- "${dd[@]}"
is "$(wc -l <judged.txt)" 100000 "calls are judged when they begin, where arguments suffice"
run "$PERF" trace "${all[@]}" -e write --filter 'fd == 1 && ret == 1' -o judged.txt -- "${dd[@]}"
is "$(wc -l <judged.txt)" 100000 "or when they end"
run "$PERF" trace -s --summary-mode total --filter 'fd == 2' -e write -o sums.txt -- "${dd[@]}"
unlike "$(cat sums.txt)" write "and those that are dropped are not counted"
run "$PERF" trace -e write --filter 'count == 77' -o judged.txt -- "${dd[@]}"
is "$rc:$err:$(wc -l <judged.txt)" "0:The filter kept nothing: -v shows what each of its tests did:0" "calls that are dropped at their begin count as seen"
# Calls that are dropped when they begin, and others, by tasks that take turns on one CPU, and on all
cat >turns.py <<'END'
import os
fd = os.open("/dev/null", os.O_WRONLY)
children = []
for _ in range(7):
    child = os.fork()
    if not child:
        children = []
        break
    children.append(child)
for i in range(500):
    os.write(fd, b"x")
    os.write(fd, b"xx")
    os.sched_yield()
    os.write(fd, b"x")
for child in children:
    os.waitpid(child, 0)
END
for where in "taskset -c 0" env; do
	# shellcheck disable=SC2086 # words
	run "$PERF" trace "${all[@]}" -e write --filter 'count == 2' -o turns.txt -- $where python3 turns.py
	is "$(grep -c 'count: 2) *= 2$' turns.txt):$(wc -l <turns.txt)" 4000:4000 "calls between dropped ones: $where"
done
# A task that is traced and one that is not, on one CPU
spawn taskset -c 0 sh -c 'while :; do echo; done >/dev/null'
run "$PERF" trace -s -e write --summary-mode total -o sums.txt -- taskset -c 0 "${dd[@]}"
kill "$spawned_pid"
is "$(awk '$1 == "write" { print $2 }' sums.txt)" 100000 "calls of another task on the same CPU do not count"
run "$PERF" trace "${all[@]}" -e write --filter 'every 10' -o tenth.txt -- taskset -c 0 "${dd[@]}"
is "$(wc -l <tenth.txt)" 10000 "each tenth call"
for filter in 'comm == "sleep"' 'comm != "sleep"'; do
	# shellcheck disable=SC2016 # for the inner shell
	run "$PERF" trace -e clock_nanosleep,execve --filter "$filter" -o goes-on.txt -- \
		sh -c 'sleep 600 & echo $! >sleeps; until [ "$(cut -d" " -f2,3 /proc/$!/stat)" = "(sleep) S" ]; do :; done'
	kill "$(<sleeps)"
	is "$(grep -c 'sleep/.*clock_nanosleep(.*= ?$' goes-on.txt):$(grep -c 'execve.*/sleep"' goes-on.txt)" "$([ "$filter" = 'comm == "sleep"' ] && echo 1:1 || echo 0:0)" \
		"a call that goes on, and an exec, with $filter"
done
run "$PERF" trace "${all[@]}" -s -e write --summary-mode total --no-bpf-summary -o sums.txt -- "${dd[@]}"
is "$(awk '$1 == "write" { print $2, $3 }' sums.txt)" "100000 0" "whatever makes the sums, they are the same"
for mode in thread total cgroup; do
	# shellcheck disable=SC2016 # for the inner shell
	run "$PERF" trace -s -e exit_group --summary-mode $mode -o sums.txt -- sh -c 'i=0; while [ $i -lt 1500 ]; do (:); i=$((i + 1)); done'
	is "$(awk '$1 == "exit_group" { n += $2 } END { print n }' sums.txt)" 1501 "more processes than rows that are found without a search, by $mode"
done

# Sums of a process that runs already, of one of its threads, and of all by a filter: the same calls of others do not count
watching() {
	[ "$(cat /proc/"$1"/fdinfo/* 2>/dev/null | grep -c '^link_type')" -ge 2 ] || ! kill -0 "$1" 2>/dev/null
}
# sums_of OPTION ID: of a process while it makes its calls, and others the same; and its end
sums_of() {
	: >sums.txt
	spawn "$PERF" trace -s -e write --errno-summary "$1" "$2" -o sums.txt
	local tracer=$spawned_pid
	wait_for 60 watching "$tracer"
	dd if=/dev/zero of=/dev/null bs=1 count=300 status=none
	: >go
	wait "$target"
	[ "$1" = -p ] || kill -INT "$tracer"
	wait "$tracer"
	rc=$?
}
cat >writers.py <<'END'
import os, threading, time
def write(nr):
    for i in range(nr):
        os.write(fd, b"x")
def thread():
    open("tid", "w").write(str(threading.get_native_id()))
    while not os.path.exists("go"):
        time.sleep(0.01)
    write(700)
    try:
        os.write(99, b"x")
    except OSError:
        pass
fd = os.open("/dev/null", os.O_WRONLY)
t = threading.Thread(target=thread)
t.start()
t.join()
write(500)
END
for option in -p -t; do
	rm -f go tid
	spawn python3 writers.py
	target=$spawned_pid
	wait_for 60 test -s tid
	if [ $option = -p ]; then
		sums_of -p "$target"
		want="500 0 701 1"
	else
		sums_of -t "$(cat tid)"
		want="701 1"
	fi
	is "$(awk '$1 == "write" { print $2, $3 }' sums.txt | sort -n | paste -sd' ')" "$want" "-s $option: its calls, those of all its threads with -p, and no others'"
	is "$rc:$(grep -c 'EBADF: 1$' sums.txt)" "0:1" "errors by name, and the status"
done
cp "$(command -v dd)" odd-name
run "$PERF" trace -a -s -e write --filter 'comm == "odd-name" && fd == 1' -o sums.txt -- \
	sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=300 status=none & ./odd-name if=/dev/zero of=/dev/null bs=1 count=4000 status=none; wait'
is "$(awk '$1 == "write" { print $2, $3 }' sums.txt):$(grep -c ' events,' sums.txt)" "4000 0:1" "-s -a with a filter: the calls that it accepts, and one thread only"
run "$PERF" trace -s --errno-summary -e openat -o sums.txt -- cat /nosuch
like "$(cat sums.txt)" $'\t\t\t\tENOENT: [0-9]+' "errors are counted by name"
run "$PERF" trace -e write --max-events 2 -o two.txt -- "${dd[@]}"
is "$(wc -l <two.txt)" 2 "--max-events"
touch early later
"$PERF" trace -v -D 3000 -e openat -o late.txt -- sh -c ': <early; until grep -q "^Events enabled" late.err; do sleep 0.1; done; : <later' 2>late.err
ok "-D begins later" grep -q '"later"' late.txt
is "$(grep -c '"early"' late.txt)" 0 "and not before"
run "$PERF" trace -D 1-2,3-4 -e write -o late.txt -- sleep 10
is "$rc:$err" 0: "-D prints no notes among the lines without -v"
run "$PERF" trace -D -1 -- true
is "$rc:$out" 129: "never is refused"

# What is known of a call: the file of a descriptor while it is open, arguments of programs, constants, what the kernel fills
echo first >first; echo second >second
# Who runs this test may have left open the descriptor that the files are to get.
run "$PERF" trace -o files.txt -- sh -c 'exec cat first second >/dev/null' 3>&-
like "$(head -1 files.txt)" 'execve\(filename: ".*/sh", argv: \["sh", "-c", "exec cat first second >/dev/null"\], envp: 0x[0-9a-f]+\) *= 0$' \
	"the first exec has its arguments"
like "$(cat files.txt)" 'execve\(filename: ".*/cat", argv: \["cat", "first", "second"\], envp: 0x[0-9a-f]+\) *= 0' "and so has the next one"
is "$(grep -cE "read\(fd: 3<$WORK/first>, buf: \"(first\\\\n)?\"" files.txt)" 2 "a descriptor has the file that it is open for"
is "$(grep -cE "read\(fd: 3<$WORK/second>, buf: \"(second\\\\n)?\"" files.txt)" 2 "and then another one"
is "$(grep -c "close(fd: 3<$WORK/\(first\|second\)>)" files.txt)" 2 "also where it is closed"
like "$(cat files.txt)" 'mmap\(len: [0-9]+, prot: READ\|WRITE, flags: PRIVATE\|ANONYMOUS, fd: -1\)' "flags have names"
like "$(cat files.txt)" 'fd: 3<.*/first>.*statbuf: \{ .st_mode: REG\|0644, .st_size: 6 \}' "structs that the kernel fills are shown"
like "$(cat files.txt)" 'fadvise64\(fd: 3<.*/first>, advice: SEQUENTIAL\)' "constants have names"
run "$PERF" trace -e write,read --string-size 3 -o cut.txt -- sh -c "exec cat first >/dev/null"
like "$(cat cut.txt)" 'buf: "fir"\.\.\., count: ' "a buffer that is cut has a mark"
run "$PERF" trace -e %file -o group.txt -- cat first
like "$(cat group.txt)" 'openat\(.*"first"' "a group of calls"
unlike "$(cat group.txt)" ' (read|mmap|close)\(' "and no others"
run "$PERF" trace -e '!openat,%memory' -o others.txt -- cat first
unlike "$(cat others.txt)" ' (openat|mmap|brk|mprotect)\(' "all calls but some"
like "$(cat others.txt)" ' read\(' "which are shown"
run "$PERF" trace -e openat --filter 'filename ~ "*/fir*" || filename == "second"' -o names.txt -- cat ./first second
is "$(grep -c . names.txt)" 2 "a filter judges texts"
# shellcheck disable=SC2016 # for the inner shell
run "$PERF" trace -e write -o thread.txt -- bash -c 'echo a; kill -CHLD $$; echo b'
is "$(grep -c 'buf: "[ab]\\n"' thread.txt)" 2 "a shell's own writes"
run "$PERF" trace -s --errno-summary -o sums.txt -- bash -c 'exit 5'
is "$rc" 5 "the command's status, with -s"
is "$(awk '$1 == "exit_group" { print $2, $3, $4 }' sums.txt)" "1 0 0.000" "a call that does not return takes no time"
# A pause that a signal interrupts: the return from the signal gives the program its registers back, with EINTR in that of results
interrupted=(python3 -c 'import signal; signal.signal(signal.SIGALRM, lambda *_: 0); signal.setitimer(signal.ITIMER_REAL, 0.01, 0.1); signal.pause()')
if "${interrupted[@]}" 2>python3.err; then
	run "$PERF" trace -s --summary-mode total --errno-summary -e pause,rt_sigreturn -o sums.txt -- "${interrupted[@]}"
	is "$(awk '$1 == "rt_sigreturn" { print ($2 > 0), $3 }' sums.txt):$(grep -c EINTR sums.txt)" "1 0:0" "a return from a signal is no error"
	run "$PERF" trace -S -e rt_sigreturn -o back.txt -- "${interrupted[@]}"
	like "$(cat back.txt)" 'rt_sigreturn\(mask: \[\]\) += -4$' "what its register holds is a number"
	run "$PERF" trace --failure -e rt_sigreturn -o back.txt -- "${interrupted[@]}"
	is "$(wc -l <back.txt)" 0 "and no failure"
	run "$PERF" trace record -q -o back.data -- "${interrupted[@]}"
	run "$PERF" trace -i back.data -e rt_sigreturn -S --summary-mode total -o back.txt
	like "$(cat back.txt)" 'rt_sigreturn\(\) += -4$' "nor in a recording"
	is "$(awk '$1 == "rt_sigreturn" { print ($2 > 0), $3 }' back.txt)" "1 0" "whose sums have it, too"
fi
run "$PERF" trace -s --summary-mode cgroup -e write -o sums.txt -- "${dd[@]}"
like "$(cat sums.txt)" ' cgroup /.*, 200000 events' "sums of a cgroup"
run "$PERF" trace -e close -o escape.txt -- cat "$(printf 'a\033[31mb')"
unlike "$(cat escape.txt)" $'\033' "names of files do not reach the terminal as they are"
touch "$(printf 'a\033[31mb')"
run "$PERF" trace -e openat,close -o escape.txt -- cat "$(printf 'a\033[31mb')"
is "$(grep -c 'a\\x1b\[31mb' escape.txt):$(grep -c $'\033' escape.txt)" 2:0 "but with their bytes as numbers"
run "$PERF" trace --no-comm --show-cpu -e exit_group -o plain.txt -- true
like "$(cat plain.txt)" '^ +[0-9.]+ \( +\): \[[0-9]{3}\] [0-9]+ exit_group\(\) +' "--no-comm and --show-cpu"

# CPU masks, rings, and sockets by their peers
run "$PERF" trace -e sched_setaffinity -o cpus.txt -- taskset -c 0 true
like "$(cat cpus.txt)" 'sched_setaffinity\(len: [0-9]+, user_mask_ptr: \[0\]\)' "a mask of CPUs"
cat >peers.py <<'END'
import ctypes, os, socket, sys
def talk(family, address):
    server = socket.create_server((address, 0), family=family)
    port = server.getsockname()[1]
    client = socket.create_connection((address, port))
    other, peer = server.accept()
    client.send(b"ask")
    other.recv(3)
    print(port, peer[1], other.fileno(), client.fileno(), server.fileno())
    return server, client, other
kept = [talk(socket.AF_INET, "127.0.0.1")]
if len(sys.argv) > 1:
    kept.append(talk(socket.AF_INET6, "::1"))
params = (ctypes.c_uint32 * 30)()
params[2] = 1 << 3
params[1] = 16
ctypes.CDLL(None).syscall(425, 4, params)
END
ipv6=
python3 -c 'import socket; socket.create_server(("::1", 0), family=socket.AF_INET6)' 2>/dev/null && ipv6=too
# shellcheck disable=SC2086 # a word, or none
run "$PERF" trace -e sendto,recvfrom,accept4,close,io_uring_setup -o peers.txt -- python3 peers.py $ipv6
read -r port peer other client server <<<"$out"
is "$(grep -c "sendto(fd: $client<127.0.0.1:$port>, buff: \"ask\"" peers.txt)" 1 "a socket has its peer"
is "$(grep -c "recvfrom(fd: $other<127.0.0.1:$peer>, ubuf: \"ask\"" peers.txt)" 1 "and so has that of the other side"
is "$(grep -c "accept4(fd: $server<127.0.0.1:$port>, " peers.txt)" 1 "a server's has its own address"
if [ -n "$ipv6" ]; then
	read -r port peer other client server <<<"$(tail -1 <<<"$out")"
	is "$(grep -c "sendto(fd: $client<\[::1\]:$port>, buff: \"ask\"" peers.txt)" 1 "IPv6"
else
	skip 1 "there is no IPv6"
fi
like "$(cat peers.txt)" 'io_uring_setup\(entries: 4, params: \{ .flags: CQSIZE, .sq_entries: [0-9]+, .cq_entries: 16, .features: 0x[0-9a-f]+ \}\) *= [0-9]+|io_uring_setup.* = -1 E(PERM|NOSYS)' \
	"what a ring of requests is made with"

# Other events beside calls
run "$PERF" trace -e clock_nanosleep,sched:sched_switch -o both.txt -- sleep 0.1
like "$(cat both.txt)" '^ +[0-9.]+ \(         \): sleep/[0-9]+ sched:sched_switch\(prev_comm: "sleep", prev_pid: [0-9]+, .*next_comm: ' "another event, with its fields"
is "$(grep -c clock_nanosleep both.txt):$(sed -n '/prev_state: 1,/,$p' both.txt | grep -c 'clock_nanosleep(.*rqtp: { .tv_sec: 0, .tv_nsec: 100000000 }')" 1:1 \
	"and the call that it happened in, which ends later"
run "$PERF" trace --no-comm -e syscalls:sys_enter_exit_group -o event.txt -- true
like "$(cat event.txt)" '^ +0\.000 [0-9]+ syscalls:sys_enter_exit_group\(\)$' "events alone, no calls"
run "$PERF" trace -e timer:hrtimer_start --max-events 2 -a -o timer.txt -- sleep 0.2
is "$(grep -c ' mode: HRTIMER_MODE_[A-Z_]*)$' timer.txt)" 2 "an enum of the kernel has its names"
run "$PERF" trace -e sched:nosuch -- true
is "$rc" 129 "an event that does not exist"

# As perfconfig says
printf '[trace]\nshow_arg_names = false\nshow_duration = false\nshow_timestamp = false\nargs_alignment = 0\n' >config
PERF_CONFIG=$PWD/config run "$PERF" trace -e clock_nanosleep,exit_group -o short.txt -- sleep 0.01
like "$(cat short.txt)" '^sleep/[0-9]+ clock_nanosleep\(0, 0, \{0,10000000\}, 0x[0-9a-f]+\) = 0$' "short lines"
printf '[trace]\nargs_alignment = 5000\n' >config
PERF_CONFIG=$PWD/config run "$PERF" trace -- true
is "$rc" 129 "a wrong setting is refused"

# Programs that do what none should
run "$PERF" trace "${all[@]}" -o hostile.txt -- "$WORKLOAD" hostile_calls
is "$rc" 7 "a program with bad pointers runs as without perf"
is "$(LC_ALL=C grep -c '[^ -~]' hostile.txt)" 0 "nothing reaches the terminal that it would obey"
is "$(grep -c 'openat(dfd: CWD, filename: "/nosuch.* ENOENT' hostile.txt)" 20000 "a text that changes is one of its states, or a mixture"
like "$(cat hostile.txt)" 'openat\(dfd: CWD, filename: 0x8, flags: RDONLY\) *= -1 EFAULT' "a bad pointer is a number"

# Losses are counted exactly
dd=(dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none)
run "$PERF" trace -m 4K -e write -o lost.txt -- "${dd[@]}"
is "$(($(wc -l <lost.txt) + $(grep -o '^[0-9]* system calls are missing' <<<"$err" | cut -d' ' -f1)))" 300000 "calls that have no line are counted"

# A tracer that is killed
sleep 100 &
target=$!
"$PERF" trace -e nanosleep -p $target -o killed.txt &
tracer=$!
until [ "$(cat /proc/$tracer/fdinfo/* 2>/dev/null | grep -c '^link_type')" -ge 2 ] || ! kill -0 $tracer 2>/dev/null; do
	sleep 0.1
done
kill -KILL $tracer
wait $tracer 2>killed.err
ok "the target of a killed perf lives on" kill -0 $target
kill $target

# Recordings
run "$PERF" trace record -o calls.data -- sh -c 'cat /etc/hostname /nosuch >/dev/null 2>&1; exit 3'
is "$rc" 3 "perf trace record passes on the command's status"
run "$PERF" trace -i calls.data -o replay.txt
is "$rc" 0 "a recording is read"
like "$(cat replay.txt)" 'cat/[0-9]+ openat\(dfd: CWD, filename: 0x[0-9a-f]+, flags: RDONLY\) *= -1 ENOENT \(No such file or directory\)' "into lines"
like "$(tail -1 replay.txt)" 'sh/[0-9]+ exit_group\(error_code: 3\) *= \?$' "the last one is the last call"
openat=257
[ "$(uname -m)" = x86_64 ] || openat=56 # of arm64
run "$PERF" trace -i calls.data -s --errno-summary -e openat --summary-mode total -o replay.txt
is "$(awk '$1 == "openat" { print $2, $3 }' replay.txt)" \
	"$("$PERF" script -i calls.data -F event,trace 2>/dev/null | awk -v call="NR $openat " '/sys_exit:/ && index($0, call) { n++; if ($NF < 0) e++ } END { print n, e + 0 }')" \
	"or into sums"
if [ -n "${STOCK-}" ]; then
	is "$("$STOCK" script -i calls.data 2>/dev/null | grep -c raw_syscalls)" "$("$PERF" script -i calls.data 2>/dev/null | grep -c raw_syscalls)" \
		"stock perf reads it"
	"$STOCK" trace record -o theirs.data -- cat /nosuch >theirs.out 2>&1
	run "$PERF" trace -i theirs.data -e openat -o replay.txt
	like "$(cat replay.txt)" 'flags: RDONLY\) *= -1 ENOENT' "and a recording of stock perf is read"
fi
run "$PERF" trace -i calls.data --filter 'ret < 0'
is "$rc" 129 "a filter judges in the kernel only"

for option in -m4M --string-size=16 --no-inherit; do
	run "$PERF" trace -i calls.data $option
	is "$rc" 129 "what does nothing with -i is refused: $option"
done
for size in 0 5000; do
	run "$PERF" trace --string-size $size -- true
	is "$rc" 129 "--string-size $size"
done

run "$PERF" trace -e nosuchcall -- true
is "$rc" 129 "a wrong name is refused"
like "$err" 'no system call, group or event "nosuchcall"' "with its name"
run "$PERF" trace --filter 'bogus == 1' -- true
is "$rc" 129 "and so is a wrong filter"
for filter in 'ret <' 'comm == "a' '1} || (pid in {1'; do
	run "$PERF" trace --filter "$filter" -- true
	is "$rc" 129 "and one that is no filter: $filter"
done
run "$PERF" trace -G 'a"b' -- true
is "$rc" 129 "and a cgroup that makes none"
for option in --no-sort-events --no-force-btf; do
	run "$PERF" trace $option -- true
	is "$rc" 129 "what cannot be switched off is refused: $option"
done
for option in --failure -s -S --duration=1 --filter-pids=1 --filter=cpu==100; do
	run "$PERF" trace -e sched:sched_switch "$option" -- true
	is "$rc" 129 "what is for calls only needs some: $option"
done
done_testing

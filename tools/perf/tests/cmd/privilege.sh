#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf may do and for whom: two capabilities are enough, a missing one is named, and what other users have put in the way of files
# that perf writes and reads leads nowhere.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip_all "is about kernel.perf_event_paranoid=2"

cp "$PERF" "$WORKLOAD" .
chmod 755 "$WORK" perf workload
perf=$WORK/perf
workload=$WORK/workload
mkdir user
chown 65534 user
# nobody's files, for any other user's
foreign() {
	setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
}

# capable CAPABILITIES COMMAND...: as nobody, in his directory, with these ('+perfmon,+bpf') and no others
capable() {
	local caps=-all${1:+,$1}
	shift
	(cd user && exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$caps" --ambient-caps="$caps" \
		--bounding-set="$caps" -- "$@")
}

# --- two capabilities are enough ---

both=+perfmon,+bpf
ok "perf is not setuid, and has no capabilities of its own" test ! -u perf -a ! -g perf
run capable $both sed -n 's/^CapEff:.*\(.\{10\}\)$/\1/p' /proc/self/status
is "$out" c000000000 "nothing but CAP_PERFMON and CAP_BPF"
spawn "$workload" noploop 1000
roots=$spawned_pid
for target in "" "-a" "-p $roots"; do
	# shellcheck disable=SC2086 # several words or none
	run capable $both "$perf" record -e cpu-clock -F 499 $target --filter "pid != 1 && comm == workload" -o x.data -- "$workload" noploop 0.3
	counts ""
	is "$rc" 0 "record with a filter ${target%% *}"
	ok "keeps samples, and tells what it did" test "$kept" -gt 0 -a $((kept + dropped)) = "$seen"
done
run capable $both "$perf" record --off-cpu -e cpu-clock -o x.data -- sleep 0.1
is "$rc" 0 "off-cpu time"
run capable $both "$perf" sample-bpf -a -g -e cpu-clock -o x.data -- "$workload" noploop 0.3
is "$rc" 0 "sample-bpf"
read -r samples _ <<<"$(counted)"
ok "counts samples" test "${samples:-0}" -gt 0
# As the message says. All mounts of tracefs are one: what it was is put back.
# shellcheck disable=SC2016 # for the inner shell
run with_tracefs sh -c 'was=$(stat -c mode=%a,gid=%g /sys/kernel/tracing)
	mount -o remount,mode=755,gid=65534 /sys/kernel/tracing && "$@"
	rc=$?
	mount -o "remount,$was" /sys/kernel/tracing && exit $rc' sh setpriv --reuid=65534 --regid=65534 --clear-groups \
	--inh-caps=-all,$both --ambient-caps=-all,$both --bounding-set=-all,$both -- "$perf" record -e sched:sched_process_exit \
	--filter 'comm == sh' -o user/t.data -- sh -c true
is "$rc:$(samples user/t.data comm)" 0:sh "a tracepoint, if its files may be read"
run with_tracefs setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all -- \
	"$perf" record -e sched:sched_switch -o user/n.data -- true
is "$rc" 129 "one whose files may not be read"
like "$err" 'have root run: mount -o remount,mode=755,gid=65534 /sys/kernel/tracing$' "is told how they may"

# --- what is missing is named ---

# lacks CAPABILITIES WHAT TEXT COMMAND...: fails with that text and leaves nothing
lacks() {
	local caps=$1 what=$2 text=$3
	shift 3
	rm -f user/*
	run capable "$caps" "$perf" "$@" -o n.data -- touch ran
	ok "$what: is refused" test "$rc" = 255 -o "$rc" = 129
	like "$err" "$text" "$what: says what is missing"
	ok "$what: nothing was run or written" test ! -e user/ran -a ! -e user/n.data
}
filter=(record -e cpu-clock --filter 'pid != 1')
lacks "" "a filter" 'needs CAP_BPF and CAP_PERFMON, which' "${filter[@]}"
lacks +perfmon "a filter with CAP_PERFMON" 'needs CAP_BPF, which' "${filter[@]}"
lacks +bpf "a filter with CAP_BPF" 'needs CAP_PERFMON, which' "${filter[@]}"
lacks +perfmon "counting with CAP_PERFMON" 'needs CAP_BPF, which' sample-bpf -e cpu-clock
lacks +bpf "counting with CAP_BPF" 'needs CAP_PERFMON, which' sample-bpf -e cpu-clock
lacks +perfmon "off-cpu with CAP_PERFMON" 'lacks CAP_BPF\.' record -e off-cpu
lacks +bpf "off-cpu with CAP_BPF" 'lacks CAP_PERFMON\.' record -e off-cpu
lacks "" "all tasks" 'perf_event_paranoid is 2$' record -a -e cpu-clock
like "$err" 'give it CAP_PERFMON' "and what would help"
lacks +bpf "another user's process" 'belongs to another user .*' record -e cpu-clock -p "$roots"
like "$err" 'give it CAP_PERFMON' "and what would help"
lacks $both "a tracepoint without tracefs" 'tracefs is not mounted|no permission to read tracepoints in tracefs' record -e sched:sched_switch

# Linux 6.15 and newer let CAP_PERFMON read the maps of most processes; that of a container's init is another matter.
closed=
for pid in "$roots" 1; do
	[ -n "$closed" ] || capable $both cat "/proc/$pid/maps" >/dev/null 2>&1 || closed=$pid
done
if [ -n "$closed" ]; then
	run capable $both "$perf" record -e cpu-clock -p "$closed" -o x.data -- true
	like "$err" '^The maps of 1 process may not be read: .* CAP_SYS_PTRACE' "maps of another user's process: CAP_SYS_PTRACE is named"
	run capable $both,+sys_ptrace "$perf" record -e cpu-clock -p "$closed" -o x.data -- true
	unlike "$err" 'CAP_SYS_PTRACE' "with it, it is not"
else
	skip 2 "CAP_PERFMON may read the maps of all processes here"
fi
run capable $both,+sys_ptrace "$perf" record -e cpu-clock -F 499 -p "$roots" -o x.data -- "${until_run[@]}" 50 "$roots"
like "$("$PERF" report --stdio -s sym -i user/x.data 2>/dev/null)" ' noploop' "with CAP_SYS_PTRACE another user's code has names"
if [ "$(cat /proc/sys/kernel/kptr_restrict)" -le 1 ]; then
	run capable $both "$perf" record -e cpu-clock -o x.data -- true
	like "$err" '^The kernel hides its addresses .* CAP_SYSLOG' "addresses of the kernel: CAP_SYSLOG is named"
	run capable $both,+syslog "$perf" record -e cpu-clock -o x.data -- true
	unlike "$err" 'CAP_SYSLOG' "with it"
	like "$("$PERF" report -D -i user/x.data | grep -a 'PERF_RECORD_MMAP.*kernel.kallsyms')" '\[0xffff' "they are recorded"
else
	skip 3 "kernel.kptr_restrict hides the addresses from everybody"
fi
run capable "" "$perf" record -e cpu-clock:u -o x.data -- true
unlike "$err" 'CAP_' "who records the own program's own code lacks nothing"

# --- what others have put where perf writes ---

mkdir -m 1777 shared
echo precious >victim
mine() {
	[ -f "$1" ] && [ ! -L "$1" ] && [ "$(stat -c %u:%a:%h "$1")" = 0:600:1 ]
}
# planted WHAT: perf.data is there as somebody else wants it to be
planted() {
	run "$PERF" record -q -e cpu-clock -o shared/perf.data -- true
	is "$rc" 0 "$1: records"
	ok "$1: to a file of its own" mine shared/perf.data
	is "$(cat victim)" precious "$1: and nowhere else"
	rm -rf shared/*
}
foreign ln -s "$WORK/victim" shared/perf.data
planted "a symlink to a file"
ln victim shared/perf.data
planted "a hard link"
foreign ln -s "$WORK/new" shared/perf.data
planted "a symlink to nothing"
ok "which stays nothing" test ! -e new
foreign ln -s /dev/null shared/perf.data
planted "a symlink to a device"
foreign touch shared/perf.data
foreign ln -s "$WORK/victim" shared/perf.data.old
"$PERF" record -q -e cpu-clock -o shared/perf.data -- true
planted "a symlink as perf.data.old"
foreign mkfifo shared/perf.data
run timeout 120 "$PERF" record -q -e cpu-clock -o shared/perf.data -- touch ran
is "$rc" 255 "a fifo is refused without waiting for a reader"
like "$err" 'is a pipe' "and named"
rm -f shared/perf.data
ln -s /dev/null shared/perf.data
run "$PERF" record -q -e cpu-clock -o shared/perf.data -- true
ok "one's own symlink to a device is what one wants" test "$rc" = 0 -a -L shared/perf.data
rm shared/perf.data

# a user cannot make room in a sticky directory where another's file stands
touch shared/perf.data
run as_user "$perf" record -q -e cpu-clock:u -o "$WORK/shared/perf.data" -- touch "$WORK/shared/ran"
is "$rc" 255 "a user in a place that root has taken"
like "$err" 'Cannot (replace|rename) .*; name another file$' "is told"
ok "nothing was run" test ! -e shared/ran
rm -rf shared/*

run "$PERF" record -q -e cpu-clock/name=aaQQbb/ -o shared/d.data -- "$WORKLOAD" noploop 0.1
foreign ln -s "$WORK/victim" shared/d.data.aaQQbb.dump
run "$PERF" script --per-event-dump -i shared/d.data
is "$rc" 0 "perf script --per-event-dump"
ok "writes to a file of its own" test -f shared/d.data.aaQQbb.dump -a ! -L shared/d.data.aaQQbb.dump -a -s shared/d.data.aaQQbb.dump
is "$(cat victim)" precious "where somebody has put a symlink"
mkdir shared/d.data.aa
sed -i 's,aaQQbb,aa/.bb,g' shared/d.data
run "$PERF" script --per-event-dump -i shared/d.data
ok "an event's name leads to no other directory" test -f shared/d.data.aa_.bb.dump -a -z "$(ls -A shared/d.data.aa)"
foreign ln -s /dev/null shared/profile
run "$PERF" report --pprof=shared/profile -i shared/d.data
ok "a report is written to a file of its own" test "$rc" = 0 -a -s shared/profile -a ! -L shared/profile
rm -rf shared/*
foreign ln -s /dev/zero shared/perf.data
run timeout 120 "$PERF" report -i shared/perf.data
is "$rc" 255 "no device is read"
like "$err" 'not a regular file' "but named"
rm -rf shared/*
foreign mkfifo shared/perf.data
run timeout 120 "$PERF" report -i shared/perf.data
like "$rc:$err" "^255:.*not a regular file: read a pipe as the standard input, with '-i -'" "a pipe is not waited for"
rm -rf shared/*

# --- processes that see other files than we do ---

# contain DIR FILE ENTRY [TARGET]: a process whose root is a file system of its own in DIR, which has mapped a copy of FILE as /lib/x.so.
# What others see there afterwards: that file, or a link to TARGET, a fifo, or a device. "ready" is said, and it ends with its input.
cat >contain.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#define MUST(what) do { if (!(what)) { perror(#what); exit(1); } } while (0)
int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	const char *kind = argv[3];
	int fd;
	ssize_t n;

	MUST((fd = open(argv[2], O_RDONLY)) >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0);
	MUST(!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	MUST(!mount("none", argv[1], "tmpfs", 0, "mode=755") && !chdir(argv[1]) && !mkdir("lib", 0755) && !mkdir("old", 0755));
	MUST(!syscall(SYS_pivot_root, ".", "old") && !chdir("/") && !umount2("/old", MNT_DETACH));
	MUST((fd = open("/lib/x.so", O_CREAT | O_RDWR, 0755)) >= 0 && write(fd, bytes, n) == n);
	MUST(mmap(NULL, n, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	if (strcmp(kind, "file"))
		MUST(!mount("none", "/lib", "tmpfs", 0, "mode=755"));
	if (!strcmp(kind, "link"))
		MUST(!symlink(argv[4], "/lib/x.so"));
	if (!strcmp(kind, "fifo"))
		MUST(!mkfifo("/lib/x.so", 0666));
	if (!strcmp(kind, "device"))
		MUST(!mknod("/lib/x.so", S_IFCHR | 0666, makedev(1, 5)));
	puts("ready");
	fflush(stdout);
	while (read(0, bytes, 1) > 0)
		;
	return 0;
}
END
echo 'int only_here(void) { return 1; }' >x.c
compiler=${CC:-cc}
if $compiler -o contain contain.c && $compiler -shared -fPIC -Wl,--build-id=sha1 -o ours.so x.c && $compiler -shared -fPIC -DX \
	-Wl,--build-id=md5 -o theirs.so x.c; then
	if [ -n "$CHROOT" ]; then
		skip 1 "in a chroot the kernel names the files of other mount namespaces from the machine's root"
	else
		mkdir jail
		mkfifo jail.in jail.out
		# shellcheck disable=SC2034 # the input is held open
		exec {jail_in}<>jail.in {jail_out}<>jail.out
		# jailed ENTRY [TARGET]: its process in $jailed
		jailed() {
			./contain "$WORK/jail" theirs.so "$@" <jail.in >jail.out &
			jailed=$!
			spawned+=("$jailed")
			read -rt 60 line <&"$jail_out"
			is "${line-}" ready "a process in a file system of its own, with a $1"
		}
		# The function is in both files.
		look_up() {
			run timeout 120 "$PERF" record -e cpu-clock -p "$jailed" --filter 'sym == x.so:only_here' --dry-run -v -- true
		}
		jailed file
		look_up
		is "$rc" 0 "functions of what it has mapped are found"
		kill -KILL "$jailed"
		for entry in "link $WORK/ours.so" fifo device; do
			# shellcheck disable=SC2086 # two words
			jailed $entry
			look_up
			is "$rc" 129 "${entry%% *}: a filter does not take what stands there now"
			like "$err" 'no process has mapped a file with the name x.so' "${entry%% *}: and says so"
			run timeout 120 "$perf" record -e cpu-clock -p "$jailed" -o j.data -- true
			is "$rc" 0 "${entry%% *}: it is recorded without waiting"
			like "$("$PERF" script --show-mmap-events -i j.data | grep '/lib/x\.so')" '<[0-9a-f]{32}0*>' "${entry%% *}: with the build-id of what it has mapped"
			# without CAP_SYS_ADMIN and CAP_CHECKPOINT_RESTORE only the path is left
			run capable $both,+sys_ptrace timeout 120 "$perf" record -e cpu-clock -p "$jailed" -o j.data -- true
			is "$rc" 0 "${entry%% *}: also by a user"
			like "$("$PERF" script --show-mmap-events -i user/j.data | grep '/lib/x\.so')" ' /lib/x\.so$' "${entry%% *}: its map is there"
			unlike "$("$PERF" script --show-mmap-events -i user/j.data | grep '/lib/x\.so')" '<[0-9a-f]{32}' "${entry%% *}: and nobody else's build-id"
			kill -KILL "$jailed"
		done
	fi

	# what debug information names, and libdw opens by itself
	cat >spin.c <<'END'
volatile unsigned long n;
int main(void)
{
	for (unsigned long i = 0; i < 100000000; i++)
		n += i;
	return 0;
}
END
	$compiler -O1 -g -gsplit-dwarf -o split spin.c
	run "$PERF" record -q -e cpu-clock -F 499 -o split.data -- ./split
	like "$("$PERF" report --stdio -s srcline -i split.data 2>/dev/null)" ' spin\.c:' "a program with a .dwo file"
	for file in *.dwo; do
		rm "$file"
		mkfifo "$file"
	done
	run timeout 120 "$PERF" report --stdio -s srcline -i split.data
	is "$rc" 0 "a fifo in that file's place is not waited for"
	like "$out" ' spin\.c:' "and lines are found all the same"
else
	fail "a C compiler is there" "install gcc: make deps"
fi

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf of processes that attack it: by their stacks, their mappings, their files and the file systems of these. A recording
# goes on, ends in time, has only what the processes' memory says, and no sample takes long.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

[ "$(uname -m)" = x86_64 ] || skip_all "the attacks are written for x86-64"
"$PERF" test --kernel | grep -q '^maple tree of mappings  *yes' || skip_all "BPF cannot unwind stacks on this kernel"
place=$(mktemp -d /tmp/unwind-test.XXXXXX) || exit 1
trap 'umount -l "$place/slow" 2>/dev/null; rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
for program in hostile-stacks stacks slowfs; do
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o $program "$SOURCE/tests/cmd/$program.c" 2>cc.txt ||
		skip_all "needs a C compiler: $(head -1 cc.txt)"
done

# start COMMAND...: until it says that it is ready
start() {
	rm -f ready
	spawn "$@"
	wait_for 10 test -e ready
}
# end: ends with 137, as what was started does by the signal
end() {
	{ kill -KILL "$spawned_pid"; wait "$spawned_pid"; } 2>/dev/null
}

# chains: the user addresses of each sample in one line, innermost first
chains() {
	"$PERF" script -i perf.data -F ip 2>/dev/null | awk 'NF == 0 { print chain; chain = ""; next } { chain = chain " " $1 } END { print chain }' | sed '/^$/d'
}

# record_it MS [OPTIONS...]: what was started, until it has used so much CPU time
record_it() {
	local ms=$1
	shift
	run timeout -k 5 60 "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf "$@" -p "$spawned_pid" -- "${until_run[@]}" "$ms" "$spawned_pid"
}

# attack WHAT ENDS ARGS...: each stack ends for one of these causes
attack() {
	local what=$1 ends=$2 all
	shift 2
	start ./hostile-stacks "$@"
	record_it 100
	end
	is "$rc" 0 "$what: recorded"
	all=$(sed -nE 's/^cpu-clock:u: ([0-9]+) user stacks, .*/\1/p' <<<"$err")
	ok "$what: there are stacks" test "${all:-0}" -gt 10
	is "$(sed -nE "/ end /{/$ends/d; p}" <<<"$err")" "" "$what: all end as they should"
	chains=$(chains)
	is "$(wc -l <<<"$chains")" "$all" "$what: each sample has a stack"
	[ -n "$STOCK" ] || return
	run with_tracefs "$STOCK" script -i perf.data -F ip
	is "$rc" 0 "$what: stock perf reads them"
}
frames() {
	awk '{ print NF }' <<<"$chains" | sort -nu | tr '\n' ' '
}

attack "frame pointers in a circle" 'too many frames' circle
is "$(frames)" "127 " "frame pointers in a circle: as many frames as there may be"
attack "a frame that is its own caller" 'without frame pointers' itself
is "$(frames)" "3 " "a frame that is its own caller: is found out"
attack "return addresses without an end" 'too many frames' endless
attack "no address of code" 'an address without code' forged
unlike "$chains" ' fffffffffffff(00[1-9a-f]|0[1-9a-f]|[1-9a-f])' "no address of code: none passes for a mark of callchains"
# Some hypervisors end programs with such a stack pointer at an interrupt, with no perf in sight.
for at in ffffffff81000000 fffffffffffffff8 8000000000000000 7ffffffff000; do
	start ./hostile-stacks at $at
	"${until_run[@]}" 100 "$spawned_pid"
	end
	if [ $? != 137 ]; then
		skip 6 "this machine ends programs with a stack pointer of $at"
		continue
	fi
	attack "a stack pointer of $at" 'could not be read' at $at
	is "$(frames)" "1 " "a stack pointer of $at: nothing was read there"
done
attack "a stack in pages of the kernel that are mapped as a device's" 'could not be read|an address without code' at vvar
attack "a stack that changes all the time" 'an address without code|could not be read|too many frames|a circle' corrupt
attack "a stack that is unmapped, protected and mapped" 'could not be read|too many frames' remap
attack "mappings that come and go" 'an address without code|no rule for|too many frames|tables were not there' mappings

# What a sample may cost, here 127 frames in as many of 30,000 mappings, or one that user space is to finish: bpftool reads it in the kernel.
cost() {
	local stats=/proc/sys/kernel/bpf_stats_enabled old
	old=$(<$stats)
	start ./hostile-stacks "$1"
	echo 1 >$stats
	"$PERF" record -e cpu-clock:u -F 499 --call-graph bpf -p "$spawned_pid" -o cost.data -- bash -c '"${@:2}" && bpftool prog show >"$1"' bash progs \
		"${until_run[@]}" 300 "$spawned_pid" >/dev/null 2>&1
	[ "$old" = 1 ] || echo "$old" >$stats
	end
	sed -nE '/ name unwind_samples /s/.* run_time_ns ([0-9]+) run_cnt ([0-9]+).*/\1 \2/p' progs | awk '$2 > 20 { us = $1 / $2 / 1000; if (us > max) max = us } END { printf "%.0f\n", max }'
}
if command -v bpftool >/dev/null && [ -w /proc/sys/kernel/bpf_stats_enabled ]; then
	for way in spread hard; do
		us=$(cost $way)
		note "$way: $us us a sample"
		ok "$way: a sample takes less than 3 ms" test "$us" -gt 0 -a "$us" -lt 3000
	done
else
	skip 2 "needs bpftool and kernel.bpf_stats_enabled"
fi

# A function whose call frame information has 4 MiB, and no rule of a table: libdw would take a second for each stack.
cat >costly.s <<'END'
	.text
	.globl spin_costly
	.type spin_costly, @function
spin_costly: .cfi_startproc
	.rept 2000000
	.cfi_remember_state
	.endr
	.cfi_escape 0x0f, 4, 0x77, 0, 0x38, 0x22
	mov %rdi, %rsp
1:	jmp 1b
	.cfi_endproc
	.size spin_costly, . - spin_costly
END
cat >costly.c <<'END'
#include <fcntl.h>
#include <unistd.h>
void spin_costly(void *);
int main(void) { static long stack[1000]; for (int i = 0; i < 1000; i++) stack[i] = (long)spin_costly + 4; close(open("ready", O_CREAT | O_WRONLY, 0600)); spin_costly(stack); }
END
if ${CC:-cc} -O2 -o costly costly.c costly.s 2>>cc.txt; then
	start ./costly
	record_it 500
	end
	is "$rc" 0 "costly call frame information: recorded"
	like "$err" 'stacks for user space: .* [1-9][0-9]* that need DWARF' "costly call frame information: libdw is asked"
	ms=$(sed -nE 's/.*finished in ([0-9]+)\..*/\1/p' <<<"$err")
	note "$ms ms for $(samples perf.data tid | wc -l) stacks"
	ok "costly call frame information: it does not cost much" test "${ms:-99999}" -lt 2000
else
	skip 3 "needs an assembler: $(tail -n 1 cc.txt)"
fi

# More files than the programs' map has: the least used are thrown out, and stacks of other processes stay whole.
cat >files.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	static const unsigned char code[4096] = { 0xc3 }; /* ret */
	char name[32];
	for (int i = 0;; i++) {
		void *at;
		int fd;
		snprintf(name, sizeof(name), "many/%d", i % 9000);
		fd = open(name, O_RDWR | O_CREAT, 0700);
		if (i < 9000 && write(fd, code, sizeof(code)) < 0)
			return 1;
		at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		close(fd);
		for (int k = 0; k < 20000; k++)
			((void (*)(void))at)();
		if (i > 20000)
			munmap(at, 4096);
		if (i == 9000)
			close(open("ready", O_CREAT | O_WRONLY, 0600));
	}
}
END
mkdir many && mount -t tmpfs -o nr_inodes=0 nodev many
${CC:-cc} -O2 -o files files.c
start ./files
many=$spawned_pid
start ./stacks deep 20
run timeout -k 5 100 "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf -p "$many,$spawned_pid" -- "${until_run[@]}" 1000 "$many" "$spawned_pid"
end
spawned_pid=$many
end
umount many
is "$rc" 0 "9,000 files: recorded"
note "$(grep -E 'user stacks|tables' <<<"$err")"
is "$("$PERF" script -i perf.data --comm stacks -F ip,sym 2>/dev/null | awk 'NF == 0 { if (n && chain !~ / _start/) bad++; n = 0; chain = ""; next } { n++; chain = chain " " $2 } END { print bad + 0 }')" 0 \
	"9,000 files: stacks of another process are whole"

# A file system that does not answer any more: nobody opens anything there, and the recording goes on.
mkdir slow
spawn ./slowfs slow stacks
slow_pid=$spawned_pid
if wait_for 5 test -e slow/file -o ! -d "/proc/$slow_pid" && [ -e slow/file ]; then
	start ./slow/file deep 20
	touch stop
	for options in "" --keep-files; do
		# shellcheck disable=SC2086 # perhaps none
		record_it 200 $options
		is "$rc" 0 "files that cannot be read${options:+, $options}: recorded"
		ok "files that cannot be read${options:+, $options}: without waiting" kill -0 $slow_pid
		like "$err" 'no unwinding table for inode 2 of process [0-9]+: it is on FUSE of another user' "files that cannot be read${options:+, $options}: it is said"
	done
	end
	rm stop
	# /tmp of a container, where maps of generated code would be
	# shellcheck disable=SC2016 # for the inner shell
	start unshare --mount --propagation private -- sh -c 'exec 3<hostile-stacks; mount --bind slow /tmp && exec /proc/self/fd/3 circle'
	touch stop
	record_it 200 --keep-files
	is "$rc" 0 "a container's /tmp that does not answer, --keep-files: recorded"
	ok "a container's /tmp that does not answer, --keep-files: without waiting" kill -0 $slow_pid
	end
	rm stop
	# The same through an overlay in a user's namespace. It has one file system only, and its files show that of the overlay.
	mkdir all
	start unshare --user --map-root-user --mount --propagation private -- sh -c '
		mount -t overlay overlay -o lowerdir=slow/sub:slow/empty,userxattr all && exec ./all/file deep 20'
	if kill -0 "$spawned_pid"; then
		touch stop
		record_it 200
		is "$rc" 0 "an overlay of what does not answer: recorded"
		ok "an overlay of what does not answer: without waiting" kill -0 $slow_pid
		like "$err" 'it is on FUSE of another user' "an overlay of what does not answer: it is said"
		end
		rm stop
	else
		end
		skip 3 "no such overlay here"
	fi
else
	skip 11 "no FUSE here"
fi
kill -KILL $slow_pid 2>/dev/null

done_testing

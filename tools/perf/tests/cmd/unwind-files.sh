#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf of code in files that change while it runs: an inode's number that another file gets, files that are written anew
# in place, or cut and written while perf reads them, devices, and names that are a FIFO by now.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

[ "$(uname -m)" = x86_64 ] || skip_all "the code is for x86-64"
"$PERF" test --kernel | grep -q '^maple tree of mappings  *yes' || skip_all "BPF cannot unwind stacks on this kernel"
place=$(mktemp -d /tmp/unwind-files.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1

# A library whose function has a frame of SIZE bytes: by the table of another size its caller is not found. It uses nothing behind its code.
cat >lib.c <<'END'
static __attribute__((noinline, noclone)) void lib_leaf(volatile char *at) { for (int i = 0; i < 100000; i++) *at = i; }
void lib_work(void) { volatile char room[SIZE]; lib_leaf(room); room[1] = 1; }
END
cat >main.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static char *data[2];
static long size[2];

static void ready(void) { close(open("ready", O_CREAT | O_WRONLY, 0600)); }

static void load(int i, const char *name)
{
	FILE *f = fopen(name, "r");
	data[i] = malloc(1 << 20);
	size[i] = fread(data[i], 1, 1 << 20, f);
	fclose(f);
}

static void store(const char *name, int i)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0700);
	if (write(fd, data[i], size[i]) != size[i])
		exit(1);
	close(fd);
}

static void *function(void *lib) { return dlsym(lib, "lib_work"); }
static void __attribute__((noinline)) work(void *function) { ((void (*)(void))function)(); }

/* Each file is new, and has the number of the last one's inode, if the file system reuses them; or it is the last one, with other contents. */
static void __attribute__((noinline)) reuse(bool same)
{
	for (int i = 0, reused = 0;; i++) {
		static ino_t last;
		struct stat st;
		void *lib;
		store("again.so", i % 2);
		lib = dlopen("./again.so", RTLD_NOW);
		stat("again.so", &st);
		reused += st.st_ino == last;
		last = st.st_ino;
		for (int k = 0; k < (same ? 500 : 100); k++)
			work(function(lib));
		dlclose(lib);
		if (!same)
			unlink("again.so");
		if (i == 3) {
			FILE *f = fopen("reused", "w");
			fprintf(f, "%d\n", reused);
			fclose(f);
			ready();
		}
	}
}

/* Behind its code a library is cut and written again, all the time. */
static void __attribute__((noinline)) change(long end)
{
	char name[64];
	void *lib[50]; /* their functions */
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "./changes%d.so", i);
		store(name, 0);
		lib[i] = function(dlopen(name, RTLD_NOW));
		work(lib[i]);
	}
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			for (int i = 0; i < 50; i++) {
				int fd;
				snprintf(name, sizeof(name), "./changes%d.so", i);
				fd = open(name, O_WRONLY);
				if (ftruncate(fd, end) || pwrite(fd, data[0] + end, size[0] - end, end) < 0)
					_exit(1);
				close(fd);
			}
		}
	}
	ready();
	for (int i = 0;; i++)
		work(lib[i / 4 % 50]);
}

static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb9, 0, 0, 1, 0, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3 }; /* with a frame pointer, for a while */

static void __attribute__((noinline)) call(void *at) { for (;;) ((void (*)(void))at)(); }

/* Code in a mapping of a device */
static void __attribute__((noinline)) device(void)
{
	int fd = open("/dev/zero", O_RDWR);
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, 0);
	memcpy(at, code, sizeof(code));
	ready();
	call(at);
}

/* Code in a file, whose name is a FIFO's by now */
static void __attribute__((noinline)) fifo(void)
{
	int fd = open("name", O_RDWR | O_CREAT, 0700);
	void *at;
	if (write(fd, code, sizeof(code)) < 0 || ftruncate(fd, 4096))
		exit(1);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	unlink("name");
	mkfifo("name", 0700);
	ready();
	call(at);
}

static void __attribute__((noinline)) once(void)
{
	void *lib;
	store("once.so", 0);
	lib = function(dlopen("./once.so", RTLD_NOW));
	for (;;)
		work(lib);
}

int main(int argc, char **argv)
{
	load(0, "small.so");
	load(1, "large.so");
	if (!strcmp(argv[1], "once"))
		once();
	if (!strcmp(argv[1], "reuse") || !strcmp(argv[1], "rewrite"))
		reuse(!strcmp(argv[1], "rewrite"));
	if (!strcmp(argv[1], "change"))
		change(atol(argv[2]));
	if (!strcmp(argv[1], "device"))
		device();
	fifo();
}
END
compile() {
	${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls "$@" 2>>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
}
compile -DSIZE=40 -fPIC -shared -o small.so lib.c
compile -DSIZE=4000 -fPIC -shared -o large.so lib.c
compile -o prog main.c -ldl

text_end=$(($(readelf -lW small.so | awk '$1 == "LOAD" && / R E / { print $2 " + " $5 }')))

# run_way WAY... -- OPTIONS...: record what runs that way
run_way() {
	local way=()
	while [ "$1" != -- ]; do
		way+=("$1")
		shift
	done
	shift
	rm -f ready
	spawn ./prog "${way[@]}"
	wait_for 20 test -e ready
	run timeout -k 5 60 "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf "$@" -p "$spawned_pid" -- "${until_run[@]}" 400 "$spawned_pid"
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
	all=$(sed -nE 's/^cpu-clock:u: ([0-9]+) user stacks, .*/\1/p' <<<"$err")
}
is_recorded() { # WAY
	is "$rc" 0 "$1: recorded"
	ok "$1: there are stacks" test "${all:-0}" -gt 50
}
record_way() { # as run_way
	run_way "$@"
	is_recorded "$1"
}
# lacking PATTERN: of the stacks with such functions, how many lack main()
lacking() {
	"$PERF" script -i perf.data -F ip,sym 2>/dev/null | awk -v want="$1" '
		function flush() { if (n && chain ~ want && chain !~ / main /) bad++; n = 0; chain = " " }
		BEGIN { chain = " " }
		NF == 0 { flush(); next }
		{ sub(/\+.*/, "", $2); chain = chain $2 " "; n++ }
		END { flush(); print bad + 0 }'
}

for way in reuse rewrite; do
	for _ in 1 2 3 4 5 6 7 8; do # while perf has no CPU, files are gone before it has looked at them
		run_way $way --
		note "of four files $(<reused) had the number of the one before; $(grep tables <<<"$err")"
		gone=$(sed -nE 's/^  ([0-9]+) end in files whose tables were not there yet.*/\1/p' <<<"$err")
		[ "${gone:-0}" -gt $((all / 2)) ] || break
	done
	is_recorded $way
	is "$(sed -nE '/ end /{/tables were not there/d; p}' <<<"$err")" "" "$way: no stack is walked by another file's table"
	ok "$way: stacks lack their callers only if the file was gone: ${gone:-0} of $all" test "$(lacking ' (lib_leaf|work|reuse) ')" -le "${gone:-0}"
	ok "$way: most are whole" test "${gone:-0}" -le $((all / 2))
done

# A file is changed after perf has looked at it, and before perf reads it, while stacks wait for its table: it gets other contents, or is cut, and then
# has its old time for a moment. The stacks are of the file as it was.
build_race
while read -r how change; do
	{
		declare -p until_run
		cat <<-'END'
			"${until_run[@]}" 50 "$(<pid)"
			kill -KILL "$(<pid)"
			touch -r once.so old
		END
		echo "$change"
	} >come-between.sh
	# shellcheck disable=SC2016 # for the inner shell
	RACE=dup:$PWD/once.so RACE_COMMAND="bash come-between.sh" run preloaded "$RACE_LIBRARY" \
		"$PERF" record -v -m 16M -e cpu-clock:u -F 999 --call-graph bpf -- sh -c 'echo $$ >pid; exec ./prog once'
	is "$rc:$(cmp -s once.so small.so || echo changed)" 137:changed "a file is $how while perf reads it"
	ok "$how: there are stacks" test "$(sed -nE 's/^cpu-clock:u: ([0-9]+) user stacks, .*/\1/p' <<<"$err")" -gt 20
	is "$(sed -nE '/ end /{/tables were not there/d; p}' <<<"$err")" "" "$how: no stack is walked by what was read then"
done <<'LIST'
written cat large.so >once.so
cut : >once.so; touch -r old once.so
LIST

record_way change "$text_end" --
is "$(sed -nE '/ end /{/tables were not there|could not be read|no rule for|address without code/d; p}' <<<"$err")" "" "change: stacks are whole, or end where a file could not be read"

# A sample at the first or last instruction of the code has no frame pointer yet, or no longer.
nearly_all='user stacks, (100\.0|9[5-9]\.[0-9]) % of them whole'
for option in "" --keep-files; do
	# shellcheck disable=SC2086 # perhaps none
	record_way device -- $option
	like "$err" "$nearly_all" "device${option:+, $option}: its code is taken to have frame pointers"
	# shellcheck disable=SC2086 # perhaps none
	record_way fifo -- $option
	like "$err" "$nearly_all" "fifo${option:+, $option}: nobody opens the FIFO, and stacks are whole"
	rm -f name
done

# A process that changes its own program all the time, whose table is large, costs perf a bounded part of its time.
if ! cp "$(readlink -f /usr/bin/python3)" py 2>/dev/null; then
	skip 3 "needs python3"
	done_testing
	exit
fi
cat >changing.py <<'END'
import os
n = 0
while True:
    n += 1
    os.utime("py", ns=(n, n))
    if n == 1:
        open("ready", "w").close()
    for i in range(100000):
        pass
END
rm -f ready
spawn ./py -S changing.py
wait_for 20 test -e ready
began=$(date +%s%3N)
run timeout -k 5 60 "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf -p "$spawned_pid" -- "${until_run[@]}" 1500 "$spawned_pid"
took=$(($(date +%s%3N) - began))
{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
is "$rc" 0 "a program that is changed all the time: recorded"
made=$(sed -nE 's/.* made in ([0-9]+)\.[0-9]* ms.*/\1/p' <<<"$err")
postponed=$(sed -nE 's/.* ([0-9]+) not made again yet.*/\1/p' <<<"$err")
ok "a program that is changed all the time: ${postponed:-no} tables are not made at once" test "${postponed:-0}" -gt 0
ok "a program that is changed all the time: tables are made in ${made:-?} of $took ms, at most in a twentieth and 200 ms" \
	test "${made:-99999}" -le $((200 + took / 20))

done_testing

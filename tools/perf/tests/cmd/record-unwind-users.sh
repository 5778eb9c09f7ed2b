#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record -g of a user without rights: the kernel copies stacks, perf unwinds them, and the file has whole callchains that every perf reads.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

[ "$(uname -m)" = x86_64 ] || skip_all "perf unwinds copies while it records on x86-64 only"
# Stock perf names no functions of files below /tmp/perf-*.
place=$(mktemp -d /tmp/unwind-users.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
chmod 777 .
bare=(-O2 -fomit-frame-pointer -fno-optimize-sibling-calls)
${CC:-cc} "${bare[@]}" -pthread -o prog "$SOURCE/tests/cmd/stacks.c" 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
cp "$PERF" perf

# What a process can do while it is recorded: "fork", "exec", "dlopen" (a file that is mapped meanwhile), "thread" and "large" (a stack larger
# than any copy; the program "pointers" has frame pointers). These have leaf() below step() below work(). In "data" the frame pointer leads
# along a list, over the addresses of decoy(), and another stack is too large.
cat >life.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
#define FUNCTION __attribute__((noinline, noclone)) void
FUNCTION leaf(void) { for (int i = 0; i < 50000000; i++) sink += i; }
FUNCTION step(int depth) { volatile char frame[500]; frame[depth % 500] = 1; if (depth) step(depth - 1); else leaf(); sink += frame[depth % 500]; }
FUNCTION work(int depth) { step(depth); sink++; }
FUNCTION decoy(void) { sink++; }
struct node { struct node *next; void (*code)(void); } *list;
void real(void);
__asm__("real: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n mov list(%rip), %rbp\n call leaf\n"
	" pop %rbp\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n");
FUNCTION big(void)
{
	volatile char frame[100000];
	struct node node[40] = { 0 };

	frame[sink % 100000] = 1;
	for (int i = 0; i < 40; i++)
		node[i] = (struct node){ i < 39 ? &node[i + 1] : 0, decoy + 1 };
	list = node;
	real();
	sink += frame[7];
}
static void *thread(void *arg) { work(2); sink++; return arg; }
int main(int argc, char **argv)
{
	const char *what = argv[1];
	pthread_t t;

	for (int i = 0; i < 5 && !strcmp(what, "fork"); i++) {
		if (!fork()) {
			work(2);
			_exit(0);
		}
		wait(NULL);
	}
	if (!strcmp(what, "exec"))
		execl(argv[0], argv[0], "plain", NULL);
	if (!strcmp(what, "plain"))
		work(2);
	if (!strcmp(what, "large"))
		work(100);
	if (!strcmp(what, "data"))
		big();
	if (!strcmp(what, "thread") && !pthread_create(&t, NULL, thread, NULL))
		pthread_join(t, NULL);
	if (!strcmp(what, "dlopen")) {
		void *lib = dlopen(argv[2], RTLD_NOW);
		void (*through)(void (*)(int)) = dlsym(lib, "through");

		through(work);
	}
	sink++;
	return 0;
}
C
cat >lib.c <<'C'
#define FUNCTION __attribute__((noinline, noclone)) void
volatile unsigned long count;
FUNCTION inner(void (*work)(int)) { volatile char frame[300]; frame[count % 300] = 1; work(2); count += frame[3]; }
FUNCTION through(void (*work)(int)) { inner(work); count++; }
C
${CC:-cc} "${bare[@]}" -pthread -o life life.c -ldl && ${CC:-cc} "${bare[@]}" -fPIC -shared -o lib.so lib.c &&
	${CC:-cc} -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -pthread -o pointers life.c -ldl || exit 1
chmod a+r -- *
mkdir user && chown 65534 user

# record OPTIONS...: as nobody
record() {
	run as_user ./perf record -v -g -e cpu-clock:u -F 999 -o user/u.data "$@"
}

# chains SCRIPT-COMMAND...: of samples in leaf(), outermost frame first; without what is outside of the programs but for their beginnings
chains() {
	"$1" script -f -i user/u.data -F ip,sym "${@:2}" 2>/dev/null | awk '
		function flush() { if (chain ~ / leaf$/) print chain; chain = "" }
		NF == 0 { flush(); next }
		{ sub(/[+@].*/, "", $2); chain = " " $2 chain }
		END { flush() }'
}

# whole WHAT CHAIN: most samples in leaf() have that chain, a regular expression; stock perf reads the same
whole() {
	local all ours
	is "$rc" 0 "$1: recorded"
	all=$(chains ./perf --no-inline)
	ours=$(grep -cE "^ $2\$" <<<"$all")
	ok "$1: $ours of $(grep -c . <<<"$all") stacks are whole: $(head -1 <<<"$all")" test "$ours" -ge 3 -a $((ours * 100)) -ge $(($(grep -c . <<<"$all") * 95))
	[ -z "$STOCK" ] || is "$(chains "$STOCK" | sort | uniq -c)" "$(sort <<<"$all" | uniq -c)" "$1: stock perf reads the same"
}
start='_start __libc_start_main[^ ]* __libc_start_call_main main'


# --- known stacks of a process that runs ---

during=("${until_run[@]}" 60)
# running WAY...: spawn ./prog as nobody
running() {
	rm -f ready
	spawn setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all -- ./prog "$@" # as_user, but with the process's own pid
	busy=$spawned_pid
	wait_for 10 test -e ready
}
# ended: end it
ended() {
	kill "$busy"
	wait "$busy" 2>/dev/null
}
for way in "deep 10" sort signal thread aligned; do
	case $way in
	deep*) chain="$start$(printf ' step%.0s' {0..10}) leaf" ;;
	sort) chain="$start sort .*compare leaf" ;;
	signal) chain=".*on_signal leaf" ;;
	thread) chain="(clone3? start_thread|$start) .*leaf" ;;
	aligned) chain="$start aligned.* leaf" ;;
	esac
	# shellcheck disable=SC2086 # the way and its argument
	running $way
	record -p "$busy" -- "${during[@]}" "$busy"
	whole "$way" "$chain"
	# The rest of the stack is on another one, of which the kernel copies nothing.
	[ "$way" != signal ] || like "$err" '^  [0-9]+ end (where the stack could not be read|behind the part)' "a signal's own stack: the other one is missing, and counted"
	if [ "$way" = "deep 10" ]; then
		like "$err" '^callchains: cpu-clock:u: the kernel copies up to [0-9]+ bytes of user stacks, and perf unwinds them: .*CAP_BPF' "-v says how, and why"
		like "$err" '^cpu-clock:u: [0-9]+ user stacks, (100\.0|9[0-9]\.[0-9]) % of them whole' "how many are whole"
		like "$(./perf report -f --header-only -i user/u.data)" '^# .*[0-9]+ user stacks, [0-9]+ whole' "the header says it, too"
		unlike "$(./perf evlist -f -v -i user/u.data)" 'STACK_USER|REGS_USER|exclude_callchain_user|sample_stack_user' "the event has callchains only"
		is "$(./perf evlist -f -v -i user/u.data | grep -c 'CALLCHAIN')" 1 "and these it has"
		size=$(stat -c %s user/u.data)
		ok "the file is small: $size bytes" test "$size" -lt 200000
		record -t "$busy" -- "${during[@]}" "$busy"
		whole "-t" "$chain"
		record --per-thread -t "$busy" -- "${during[@]}" "$busy"
		whole "--per-thread" "$chain"
		record -z -p "$busy" -- "${during[@]}" "$busy"
		is "$(chains ./perf | grep -cvE "^ $chain\$")" 0 "packed"
		as_user ./perf record -q -g -e '{cpu-clock:u,task-clock:u}' -F 999 -p "$busy" -o - -- "${during[@]}" "$busy" 2>/dev/null >user/u.data
		ok "a group, and a pipe" test "$(chains ./perf | grep -cE "^ $chain\$")" -gt 10 -a "$(chains ./perf | grep -cvE "^ $chain\$")" = 0
		run as_user ./perf record -v -g -e cpu-clock:u -F 49999 -p "$busy" -o user/u.data -- "${during[@]}" "$busy"
		like "$err" 'cpu-clock:u: -F is lowered from 49999 to [0-9]+' "more than there is room for: -F is lowered"
		run as_user ./perf record -v -g -e cycles -F 49999 -p "$busy" -o user/u.data -- "${during[@]}" "$busy"
		like "$err" "^$(./perf evlist -f -i user/u.data | head -1): -F is lowered" "and the note names the event that was opened"
		run as_user ./perf record -v --call-graph fp -e cpu-clock:u -F 999 -p "$busy" -o user/u.data -- "${during[@]}" "$busy"
		unlike "$err" 'user stacks,|callchains:' "--call-graph fp stays what it is"
		run as_user ./perf record -v --call-graph dwarf -e cpu-clock:u -F 999 -p "$busy" -o user/u.data -- "${during[@]}" "$busy"
		like "$(./perf evlist -f -v -i user/u.data)" 'STACK_USER' "--call-graph dwarf stays what it is"
	fi
	ended
done

# --- what a command does ---

record -- ./life plain
whole "a command" "$start work step step step leaf"
record -- ./life fork
whole "forks" "$start work step step step leaf"
ok "of $(./perf script -f -i user/u.data -F pid,sym | awk '/^ *[0-9]+ *$/ { print $1 }' | sort -u | wc -l) processes" \
	test "$(./perf script -f -i user/u.data -F pid,sym | awk '/^ *[0-9]+ *$/ { print $1 }' | sort -u | wc -l)" -ge 5
record -- ./life exec
whole "exec" "$start work step step step leaf"
record -- ./life thread
whole "a thread" ".*start_thread thread work step step step leaf"
record -- ./life dlopen ./lib.so
whole "a library that is mapped meanwhile" "$start through inner work step step step leaf"

# --- stacks that are larger than their copies ---

record -- ./life large
like "$err" '^  [0-9]+ end behind the part of the stack that was copied' "a large stack: it says that it is cut"
record -- ./pointers large
like "$err" '^  [0-9]+ end behind the part of the stack that was copied' "the same with frame pointers"
ok "which lead to its end" test "$(chains ./perf | grep -cE ' main work( step){100,101} leaf$')" -ge 3

record -- ./life data
is "$(chains ./perf | grep -cvE '^( main)? big real leaf$')" 0 "a frame pointer that is data leads nowhere: $(chains ./perf | sort | uniq -c | sort -n | tail -1)"
ok "there are samples" test "$(chains ./perf | grep -c ' big real leaf$')" -ge 1

# --- what cannot have copies ---

run as_user ./perf record -v -g -e page-faults:u -c 1 -o user/u.data -- true
like "$err" '^callchains: [^ ]*: by frame pointers: .*; no copies of stacks: without a frequency' "-c: by frame pointers"
run as_user ./perf record -v -g --overwrite -m 16 -e cpu-clock:u -o user/u.data -- true
like "$err" '^callchains: [^ ]*: by frame pointers: .*; no copies of stacks: only the latest' "--overwrite: by frame pointers"

done_testing

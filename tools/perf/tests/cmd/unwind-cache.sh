#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf: tables that an earlier recording made are read from the build-id cache, if they can be trusted.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

"$PERF" test --kernel | grep -q '^maple tree of mappings  *no ' && skip_all "needs maple tree of mappings"
place=$(mktemp -d /tmp/unwind-cache.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -o prog "$SOURCE/tests/cmd/stacks.c" 2>cc.txt ||
	skip_all "needs a C compiler: $(head -1 cc.txt)"
kept=$HOME/.debug/.unwind

# A libc of its own: other perfs link files into their cache, which changes their times, and a table is kept and read only for the times that its file
# had for 2 s when it was made.
mkdir lib && cp -L "$(ldd ./prog | awk '$1 == "libc.so.6" { print $3 }')" lib/libc.so.6 || exit 1
settled() {
	[ $(($(date +%s) - $(stat -c %Z lib/libc.so.6))) -ge 4 ]
}
wait_for 60 settled

# record ARGS...: a process that calls through qsort() of libc, whose table is worth keeping; $made and $read: its tables
record() {
	rm -f ready
	spawn env LD_LIBRARY_PATH="$place/lib" ./prog sort
	wait_for 10 test -e ready
	run "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf "$@" -p "$spawned_pid" -- "${until_run[@]}" 100 "$spawned_pid"
	{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null
	made=$(sed -nE 's/.* ([0-9]+) tables of [0-9]+ rows .*/\1/p' <<<"$err")
	read=$(sed -nE 's/.* made in [0-9.]+ ms, ([0-9]+) of them read; .*/\1/p' <<<"$err")
}
# whole WHAT: all stacks of the recording are whole, with the known chain
whole() {
	is "$rc" 0 "$1: recorded"
	like "$err" '^cpu-clock:u: [1-9][0-9]+ user stacks, 100\.0 % of them whole$' "$1: every stack is whole"
	is "$("$PERF" script -i perf.data -F ip,sym | awk '
		function flush() { if (leaf && !main) bad++; leaf = main = 0 }
		NF == 0 { flush(); next }
		$2 ~ /^leaf/ { leaf = 1 }
		$2 ~ /^main/ { main = 1 }
		END { flush(); print bad + 0 }')" 0 "$1: from leaf() to main() through libc"
}

record -N
whole "without a cache (-N)"
is "$read, $(ls "$kept" 2>/dev/null | wc -l)" "0, 0" "without a cache (-N): nothing is read or kept"

record
whole "the first recording"
is "$read" 0 "the first recording: all tables are made"
ok "the first recording: and those of libraries are kept" test "$(find "$kept" -type f -perm 600 | wc -l)" -ge 1
is "$(stat -c %a "$kept")" 700 "the first recording: in a directory of this user"

record
whole "the next one"
ok "the next one: $read of its $made tables are read" test "$read" -ge 1 -a "$read" -lt "$made"
record --buildid-dir other
whole "another cache"
is "$read" 0 "another cache: it has no table"
ok "another cache: and gets some" test "$(find other/.unwind -type f | wc -l)" -ge 1

find "$kept" -type f -exec truncate -s -8 {} +
record
whole "files that were cut"
is "$read" 0 "files that were cut: the tables are made"
record
whole "and kept again"
ok "and kept again: $read are read" test "$read" -ge 1
chmod 777 "$kept"
record
whole "a directory that others may write to"
is "$read" 0 "a directory that others may write to: is not used"
like "$err" 'tables for unwinding are not kept in .*: others may write there' "a directory that others may write to: -v says why"
chmod 700 "$kept"
chown -R 65534 "$kept"
record
whole "a directory of another user"
is "$read" 0 "a directory of another user: is not used"
chown -R 0 "$kept"

# A command: tables that were used last are read before a sample asks for them.
record
run "$PERF" record -v -e cpu-clock:u -F 999 --call-graph bpf -- true
is "$rc" 0 "a command: recorded"
ok "a command: tables are read, asked for or not" test "$(sed -nE 's/.* ms, ([0-9]+) of them read; .*/\1/p' <<<"$err")" -ge 1

# Who records must not wait for a CPU behind what is recorded, which keeps its own priority.
# shellcheck disable=SC2016 # for the inner shell
if [ "$(nice)" != 0 ]; then
	skip 3 "priority: somebody has chosen one for this test"
	done_testing
fi
nice_of='awk "{ printf \"%d \", \$19 }" /proc/$PPID/stat /proc/self/stat'
run "$PERF" record -e cpu-clock:u --call-graph bpf -- sh -c "$nice_of"
is "$out" "-5 0 " "priority: perf's is above that of what it records"
run nice -n 3 "$PERF" record -e cpu-clock:u --call-graph bpf -- sh -c "$nice_of"
is "$out" "3 3 " "priority: one that was chosen stays"
run "$PERF" record -e cpu-clock:u --call-graph fp -- sh -c "$nice_of"
is "$out" "0 0 " "priority: without tables it stays, too"

done_testing

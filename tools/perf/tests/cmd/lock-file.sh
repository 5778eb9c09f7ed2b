#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf lock record and perf lock contention -i: the same waits as those that the programs count while they happen.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_locks
build_maplocker

fields() { # of rows on standard input
	grep '^[0-9]'
}

# --- beside the programs, on the same waits ---

run "$PERF" lock record -o both.data --filter 'comm == "maplocker"' -- \
	"$PERF" lock contention -Y rwsem -x, --output live.txt -- ./maplocker 3
is "$rc" 7 "lock record passes on the command's exit status"
run "$PERF" lock contention -i both.data -Y rwsem -x,
is "$rc" 0 "lock contention -i reads it"
fields <<<"$err" >file.txt
ok "there are waits" test -s file.txt
# Times differ by what the programs and the tracepoints' own handlers take; so does the order of rows that waited equally long.
is "$(awk -F', ' '{ print $1, $5, $6 }' file.txt | sort)" "$(fields <live.txt | awk -F', ' '{ print $1, $5, $6 }' | sort)" \
	"rows, numbers of waits, types and callers are those of the programs"
fields <live.txt >live-rows.txt
# An interrupt, or the host, may come between the two: for milliseconds, which is much of a single wait and little of them all.
run awk -F', ' '
	NR == FNR { live[$5 $6] = $2; next }
	{ off = $2 > live[$5 $6] ? $2 - live[$5 $6] : live[$5 $6] - $2; limit = $2 / 20 + $1 * 200000 }
	off > limit { rows++ }
	{ sum += off; sum_limit += limit }
	END { print rows + 0, (sum > sum_limit) }' live-rows.txt file.txt
ok "times of all rows but one are within 5 % and 0.2 ms for each wait" test "${out% *}" -le 1
is "${out#* }" 0 "and so are the differences of all rows together"

sum() { # column 1 of the fields on standard input
	awk -F, '/^[0-9]/ { n += $1 } END { print n + 0 }'
}
nr=$(sum <file.txt)

run "$PERF" lock contention -i both.data -Y rwsem -t -x,
is "$(sum <<<"$err")" "$nr" "-t has the same waits"
unlike "$(fields <<<"$err")" -v ', maplocker$' "of the threads that waited"
is "$(awk -F', ' '/^[0-9]/ { print $(NF - 1) }' <<<"$err" | sort | uniq -d)" "" "in one row each"
run "$PERF" lock contention -i both.data -Y rwsem -l -x,
is "$(sum <<<"$err")" "$nr" "-l has the same waits"
lock=$(fields <<<"$err" | sort -rn | head -1 | cut -d, -f5 | tr -d ' ')
like "$lock" '^[0-9a-f]{16}$' "at addresses"
top=$(fields <<<"$err" | sort -rn | head -1 | cut -d, -f1)
run "$PERF" lock contention -i both.data -Y rwsem -L "$lock" -x,
is "$(sum <<<"$err")" "$top" "-L takes an address"
run "$PERF" lock contention -i both.data -Y rwsem -S mprotect -x,
is "$(sum <<<"$err")" "$(grep mprotect file.txt | sum)" "-S keeps stacks with a function"
run "$PERF" lock contention -i both.data -Y mutex -q
unlike "$err" rwsem "-Y leaves out the other types"
run "$PERF" lock contention -i both.data -E 1 -q
is "$(grep -c . <<<"$err")" 1 "-E 1 -q prints one row"
run "$PERF" lock contention -i both.data -Y rwsem -F contended,wait_min -k contended -x,
like "$err" '^# output: contended, min wait, type, caller' "-F chooses the columns"
run "$PERF" lock contention -i both.data -Y rwsem -v --max-stack 2 -E 1 -q
is "$(grep -c '^	*0x[0-9a-f]*  [a-z_]' <<<"$err")" 2 "-v shows stacks with names"

# Flags that no kernel has: such hits are damaged.
cat >forge.py <<'END'
import struct, sys
id_of_begin = int(sys.argv[1])
data = bytearray(open("both.data", "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
end, forged = at + size, 0
while at < end:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    if kind == 9:
        for raw in range(at + 8, at + length - 24, 4):
            if struct.unpack_from("<I", data, raw)[0] in (20, 28) and struct.unpack_from("<H", data, raw + 4)[0] == id_of_begin:
                struct.pack_into("<I", data, raw + 4 + 16, 64 + forged % 4)
                forged += 1
    at += length
open("forged.data", "wb").write(data)
print(forged)
END
forged=$(python3 forge.py "$(with_tracefs cat /sys/kernel/tracing/events/lock/contention_begin/id)")
ok "begins with unknown flags are made" test "$forged" -gt 0
for view in '' -l -t; do
	run "$PERF" lock contention -i forged.data ${view:+"$view"} -q
	is "$rc" 0 "they are read: $view"
done
run "$PERF" lock report -i forged.data
is "$rc" 0 "lock report reads them, too"

# --- who and how long ---

task=$("$PERF" lock contention -i both.data -Y rwsem -t -x, 2>&1 | fields | sort -rn | head -1)
tid=$(awk -F', ' '{ print $5 }' <<<"$task")
run "$PERF" lock contention -i both.data --tid 1
unlike "$err" 'waits? had begun before' "ends of other tasks are no waits that had begun before"
run "$PERF" lock contention -i both.data -Y rwsem --tid "$tid" -x,
is "$(sum <<<"$err")" "${task%%,*}" "--tid chooses who waits"
run "$PERF" lock contention -i both.data -Y rwsem --filter "tid == $tid" -x,
is "$(sum <<<"$err")" "${task%%,*}" "and so does a filter"
run "$PERF" lock contention -i both.data -Y rwsem -C 4000 -q -x,
is "$(fields <<<"$err")" "" "-C leaves out other CPUs"
run "$PERF" lock contention -i both.data -Y rwsem --filter 'period > 1s' -q -x,
is "$(fields <<<"$err")" "" "a filter by length leaves out shorter waits"
run "$PERF" lock contention -i both.data --filter 'uid == 0'
is "$rc" 129 "a term that a recording does not have"
like "$err" "recorded waits cannot be tested for 'uid == 0'" "is refused by name"

# --- other files, and other ways to name them ---

cp both.data perf.data
run "$PERF" lock contention -Y rwsem -x,
is "$(fields <<<"$err")" "$(<file.txt)" "perf.data is read without a command and a target"
like "$err" '^reading perf.data: -a watches' "and perf says so"
run sh -c '"$1" lock contention -i - -Y rwsem -x, <both.data' sh "$PERF"
is "$(fields <<<"$err")" "$(<file.txt)" "- is the standard input"
"$PERF" lock record -o - -- ./maplocker 2 2>/dev/null | cat >pipe.data
run sh -c '"$1" lock contention -i - -E 1 -q <pipe.data' sh "$PERF"
is "$rc:$(grep -c . <<<"$err")" "0:1" "a recording through a pipe"

run "$PERF" lock script -i both.data
like "$out" 'lock:contention_begin: .*flags=(WRITE|READ)' "lock script prints the events"
run "$PERF" lock record -o wide.data -a --all-cgroups -- ./maplocker 2
is "$rc" 7 "lock record takes the options of record"
run "$PERF" lock contention -i wide.data --lock-cgroup -x,
like "$err" '^[0-9]+, .*, /' "--lock-cgroup shows recorded cgroups"
wide=$(sum <<<"$err")
run "$PERF" lock contention -i wide.data -x,
is "$(sum <<<"$err")" "$wide" "with the same waits as callers"
run "$PERF" lock contention -i wide.data -Y mutex -t
unlike "$err" 'waits? had begun before' "ends of other types are no waits that had begun before"

if [ -n "$STOCK" ]; then
	run "$STOCK" lock record -o stock.data -- ./maplocker 3
	run "$PERF" lock contention -i stock.data -Y rwsem -x,
	is "$rc" 0 "a file of stock perf"
	like "$err" '^[0-9]+, [0-9]+, .*, rwsem:[RW], [a-z_0-9]+\+0x[0-9a-f]+$' "has types and callers"
	# Each begin of a wait for a rwsem is one wait.
	is "$(sum <<<"$err")" "$("$PERF" script -i stock.data -F trace 2>/dev/null | grep -cE 'flags=(WRITE|READ)\)?$')" "and all its waits"
else
	skip 3 "no stock perf"
fi

# --- perf lock report and info ---

run "$PERF" lock report -i both.data
is "$rc" 0 "lock report"
like "$err" '^ +Name +contended +avg wait +total wait +max wait +min wait$' "has the layout of other perfs"
is "$(awk 'NR > 2 { n += $2 } END { print n }' <<<"$err")" "$("$PERF" lock contention -i both.data -l -x, 2>&1 | sum)" "and the waits of all locks"
run "$PERF" lock report -i both.data -t -F wait_max,contended -k wait_max -q
like "$err" '^ +maplocker +[0-9.]+ [mun]?s +[0-9]+$' "-t, -F, -k and -q"
run "$PERF" lock info -i both.data
like "$err" '^ Thread ID: comm$' "lock info shows threads"
like "$err" "^ +$tid: maplocker$" "with their names"
like "$err" "^ 0x$lock: " "and locks"
run "$PERF" lock info -t -i both.data
unlike "$err" '^Address' "-t shows threads only"
run "$PERF" lock info -m -i both.data
unlike "$err" 'Thread ID' "-m shows locks only"
run "$PERF" lock report -i both.data -k acquired
is "$rc" 129 "what needs lockdep is refused"
like "$err" 'acquired: locks that were free are seen by lockdep only' "by name"
run "$PERF" lock report -i both.data -c
is "$rc" 129 "and so are its classes"

# --- files that do not tell enough ---

fails() { # message, file, options
	local message=$1 file=$2

	shift 2
	run "$PERF" lock contention -i "$file" "$@"
	is "$rc" 255 "$file $*: an error"
	like "$err" "$message" "$file $*: says why"
}
"$PERF" record -q -e cpu-clock -o clock.data -- true
fails 'has no event lock:contention_begin: record waits for locks with .perf lock record' clock.data
"$PERF" record -q -e lock:contention_begin -o begin.data -- ./maplocker 2
fails 'has no event lock:contention_end' begin.data
"$PERF" record -q -e lock:contention_begin,lock:contention_end -o chainless.data -- ./maplocker 2
fails 'chainless.data has no callchains' chainless.data
fails 'chainless.data has no callchains' chainless.data -t -S mprotect
fails 'does not tell the cgroups' chainless.data --lock-cgroup
run "$PERF" lock contention -i chainless.data -t
is "$rc" 0 "without callchains tasks can be shown"
fails 'failed to open nothing.data' nothing.data
cp both.data cut.data
dd if=/dev/zero of=cut.data bs=1 seek=3000 count=5000 conv=notrunc 2>/dev/null
run "$PERF" lock contention -i cut.data -t
is "$rc" 1 "of a damaged file what can be read is shown, and the status tells"

# --- refusals ---

refused() { # message, options
	local message=$1

	shift
	run "$PERF" lock contention -i both.data "$@"
	is "$rc" 129 "$*: refused"
	like "$err" "$message" "$*: says why"
}
refused 'exclude each other' -b
refused 'does not tell who holds a lock' -o
refused 'does not tell which cgroups are below' -G /
refused 'does not tell the user' -u 0
refused 'needs none' -M 5
refused 'does not tell which locks are "mmap_lock"' -L mmap_lock
refused 'runs no command' -- true
refused 'not a list of numbers' --tid x

# --- the test that the distribution's perf has of its own ---

# It is skipped on fewer than 4 CPUs, where its workload may wait for nothing; here that only makes it fail.
theirs=$([ -z "$STOCK" ] || "$STOCK" --exec-path)/tests/shell/lock_contention.sh
if [ -r "$theirs" ] && "$STOCK" bench sched messaging -g 1 -l 1 >/dev/null 2>&1; then
	mkdir bin
	ln -s "$PERF" bin/perf
	printf '#!/bin/sh\necho 4\n' >bin/nproc
	chmod +x bin/nproc
	run env "PATH=$WORK/bin:$PATH" bash "$theirs"
	is "$rc" 0 "$theirs passes with this perf"
	like "$out" 'Testing perf lock contention --use-bpf' "as a whole"
	unlike "$out" 'No BPF support|Fail' "with BPF"
else
	skip 3 "needs $theirs and perf bench"
fi

done_testing

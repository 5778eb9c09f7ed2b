#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf stat record and report: a perf.data with counts, read by this perf and by others.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

writes=syscalls:sys_enter_write
# count EVENT: from what was printed
count() {
	awk -v event="$1" '{ for (i = 1; i < NF; i++) if ($(i + 1) == event && $i ~ /^[0-9]/) { gsub(",", "", $i); print $i } }' <<<"$err"
}

# --- a command ---

run "$PERF" stat record -o data -e "$writes,task-clock,duration_time,dummy" -- dd if=/dev/zero of=/dev/null bs=1 status=none count=20000
is "$rc" 0 "a recording"
printed=$err
is "$(count $writes)" 20000 "prints the counts"
run "$PERF" stat report -i data
is "$rc" 0 "and can be read"
like "$err" "^ Performance counter stats for '.* stat record -o data .*count=20000':\$" "the title is the recording's command line"
is "$(grep -E ' (sys_|task-clock|duration|dummy)|elapsed' <<<"$err")" "$(grep -E ' (sys_|task-clock|duration|dummy)|elapsed' <<<"$printed")" "with the same lines"
run "$PERF" stat report -i data -x,
like "$err" "^20000,,$writes,[0-9]+,100.00," "as CSV"
run "$PERF" stat report -i data -j -o json
is "$(python3 -c 'import json; print(sum(json.loads(l)["event"] == "task-clock" for l in open("json")))')" 1 "as JSON in a file"
run "$PERF" stat report -i data --per-core
is "$rc" 255 "counts of threads"
like "$err" 'counts of threads, not of CPUs: record with -a or -C' "have no cores"
run "$PERF" script -i data
like "$out" '^CPU +THREAD +VAL +ENA +RUN +TIME EVENT$' "perf script shows a table"
like "$out" "^ -1 +[0-9]+ +20000 +[0-9]+ +[0-9]+ +[0-9]+ $writes\$" "with the counts"
run "$PERF" evlist -i data
is "$out" "$writes"$'\n'"task-clock"$'\n'"duration_time"$'\n'"dummy" "perf evlist shows the events"
run "$PERF" report -i data --stdio
like "$err" 'has no samples' "and there is nothing for perf report"

# --- intervals and CPUs ---

run "$PERF" stat record -I 30 -a -o data -e "task-clock,cs,$writes" -- dd if=/dev/zero of=/dev/null bs=1 status=none count=30000
printed=$(grep -c ' task-clock ' <<<"$err")
run "$PERF" stat report -i data
is "$(grep -c ' task-clock ' <<<"$err")" "$printed" "each interval is there"
is "$(head -1 <<<"$err")" "#           time             counts unit events" "with its heading"
ok "and sums up" test "$(count $writes | awk '{ s += $1 } END { print s }')" -ge 30000
sum=$(count cs | awk '{ s += $1 } END { print s }')
for by in -A --per-core --per-socket --per-die --per-node; do
	run "$PERF" stat report -i data $by
	is "$(count cs | awk '{ s += $1 } END { print s }')" "$sum" "$by adds up to the same"
done
run "$PERF" stat record --per-core -a -o data -e cs -- true
run "$PERF" stat report -i data
like "$err" '^S[0-9]+-D[0-9]+-C[0-9]+ +1 ' "the file keeps how counts were added up"
run "$PERF" stat record --per-thread -p $$ -o data -e cs -- true
run "$PERF" stat report -i data
like "$err" "^ *$(</proc/$$/comm)-$$ " "threads have their names"
run "$PERF" stat record --bpf-counters -a -o data -e cs,page-faults -- true
run "$PERF" stat report -i data
like "$err" ' page-faults ' "counts in BPF"

# --- pipes ---

"$PERF" stat record -o - -e "$writes" -- dd if=/dev/zero of=/dev/null bs=1 status=none count=5000 2>printed >pipe
is "$(<printed)" "" "a pipe has the recording only"
run sh -c '"$0" stat report -i - <pipe' "$PERF"
like "$err" "^ Performance counter stats for 'pipe':" "read from a pipe"
is "$(count $writes)" 5000 "the counts are there"
run sh -c '"$0" script -i - <pipe' "$PERF"
like "$out" " 5000 .* $writes\$" "for perf script, too"

# --- other perfs ---

if [ -n "${STOCK_PERF:=$(command -v perf || true)}" ]; then
	"$PERF" stat record -o data -e "$writes,task-clock" -- dd if=/dev/zero of=/dev/null bs=1 status=none count=7000 2>/dev/null
	run "$STOCK_PERF" stat report -i data
	is "$(count $writes)" 7000 "the perf of the distribution reads ours"
	"$STOCK_PERF" stat record -a -I 30 --per-core -o theirs -e cs,task-clock -- sleep 0.1 2>printed
	run "$PERF" stat report -i theirs
	is "$(awk '/ cs / && /S0/ { print $4 }' <<<"$err")" "$(awk '/ cs / && /S0/ { print $4 }' printed)" "and we theirs"
else
	skip 2 "no other perf is installed"
fi

# --- what is refused ---

for args in "-r 2" "-n" "--log-fd 2" "-a -G /"; do
	# shellcheck disable=SC2086
	run "$PERF" stat record $args -e cs -o refused -- true
	is "$rc" 129 "stat record $args"
done
ok "no file is made then" test ! -e refused
echo old >kept
run "$PERF" stat record -e cs -o kept -p 99999999
is "$rc $(<kept)" "255 old" "without a target an older file stays"
run "$PERF" stat record -e cs -o kept -- nosuch-command
is "$rc" 255 "a command that is not there"
run "$PERF" stat record -e cs -o /nosuch/file -- true
is "$rc" 255 "a file that cannot be made"
run "$PERF" stat record -e cs -o /dev/full -- true
is "$rc" 255 "a full disk"
"$PERF" record -q -o samples -e cpu-clock -- true
run "$PERF" stat report -i samples
is "$rc" 255 "a file with samples"
like "$err" 'samples has no counts' "has no counts"
run "$PERF" stat report -i nosuch
is "$rc" 255 "no file"
run "$PERF" stat report true
is "$rc" 129 "a command to report"

# Any byte may be wrong: one message, no crash.
"$PERF" stat record -a -o data -e cs,page-faults -- true 2>/dev/null
python3 - "$PERF" <<'P'
import random, subprocess, sys
whole = open("data", "rb").read()
random.seed(21)
bad = 0
for i in range(300):
	forged = bytearray(whole if i % 3 else whole[:random.randrange(len(whole))])
	for _ in range(random.randrange(1, 8)):
		if forged:
			forged[random.randrange(len(forged))] = random.choice((0, 1, 0x7f, 0xff, random.randrange(256)))
	open("forged", "wb").write(forged)
	for command in ("stat", "report"), ("script",):
		p = subprocess.run([sys.argv[1], *command, "-i", "forged"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
		if p.returncode not in (0, 1, 2, 129, 255) or (p.returncode and not p.stderr):
			bad += 1
			print(i, command, p.returncode, p.stderr, file=sys.stderr)
sys.exit(bad != 0)
P
is "$?" 0 "forged files are read or refused"
done_testing

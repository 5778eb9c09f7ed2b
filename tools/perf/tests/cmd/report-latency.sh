#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Latency and parallelism: what report says of who ran at a time is what the recording's switches, samples and ends say.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cpus=$(nproc)

# Two tasks on two CPUs, if there are two; on a busy machine they may miss each other, so some tries are made.
record() {
	"$PERF" record -q --latency -e cpu-clock -F 2000 -o l.data -- sh -c '
		taskset -c 0 "$WORKLOAD" noploop 0.2 & taskset -c '$((cpus > 1))' "$WORKLOAD" leafloop 0.2 & wait'
}
rows() { "$PERF" report -q --stdio -i l.data -t ';' "$@" 2>&1 | grep .; }

for _ in 1 2 3 4 5 6 7 8; do
	record
	rows -F parallelism,sample | grep -q '^ *2;' && break
done

like "$("$PERF" report --stdio --header-only -i l.data)" ', context_switch = 1, ' "--latency records context switches"

# by_hand FILE: "PARALLELISM;SAMPLES;LATENCY%" of cpu-clock
by_hand() {
	"$PERF" script -i "$1" --show-switch-events --show-task-events -F tid,time,period,event |
		awk '/PERF_RECORD_SWITCH/ { on[$1] = $4 == "IN" }
			/PERF_RECORD_EXIT/ { split($0, word, /[():]+/); for (i in word) if (word[i] ~ /PERF_RECORD_EXIT/) on[word[i + 2]] = 0 }
			/cpu-clock/ {
				on[$1] = 1
				n = 0
				for (tid in on) n += tid && on[tid]
				samples[n]++
				latency[n] += int($3 / n)
				all += int($3 / n)
			}
			END { for (n in samples) printf "%d;%d;%.2f%%\n", n, samples[n], 100 * latency[n] / all }' | sort
}
by_hand l.data >expected.txt
rows -F parallelism,sample,latency | tr -d ' ' | sort >got.txt
ok "there is something to compare" test -s expected.txt
is "$(cat got.txt)" "$(cat expected.txt)" "the shares are those that the recording's switches make"
if [ "$cpus" -gt 1 ]; then
	like "$(cat got.txt)" '^2;' "two tasks ran at a time"
else
	skip 1 "one CPU runs one task at a time"
fi

if grep -q '^2;' got.txt; then
	like "$("$PERF" report --stdio -i l.data)" '# Overhead   Latency  Command' "a recording with --latency has the column"
else
	skip 1 "no tasks ran at a time"
fi
like "$("$PERF" report --stdio --latency -i l.data)" '#  Latency  Overhead  Command' "which --latency puts first"
latencies=$(rows --latency -s sym | cut -d '%' -f 1)
is "$latencies" "$(sort -rn <<<"$latencies")" "to be the order of the rows"
like "$("$PERF" report --stdio -H -s latency,parallelism,comm,sym -i l.data)" '^#           Latency  Parallelism / Command / Symbol$' \
	"as a key it stands for the overhead in a tree"
all=$(awk -F ';' '{ n += $2 } END { print n }' got.txt)
is "$(rows -F parallelism,sample --parallelism 1 --percentage relative | tr -d ' ')" "$(grep '^1;' got.txt | cut -d ';' -f 1,2)" \
	"--parallelism leaves out other numbers"
is "$(rows -F sample -s pid --parallelism 1-4000 | awk -F ';' '{ n += $1 } END { print n }')" "$all" "and takes ranges"
is "$(rows -F sample -s comm --no-children | awk -F ';' '{ n += $1 } END { print n }')" "$all" "no sample is lost"

# --- with callers ---

"$PERF" record -q --latency -e cpu-clock:u -g -F 2000 -o g.data -- "$WORKLOAD" leafloop 0.2
unlike "$("$PERF" report --stdio -g none -i g.data)" 'Latency' "where one task runs at a time there is no such column"
like "$("$PERF" report --stdio -g none --latency -i g.data)" '^# Latency  Children   Latency      Self  Command ' "but for --latency: with callers there are two"
like "$("$PERF" report --stdio -g none -s latency,comm -i g.data)" '^#  Latency  Command' "as a key latency stands for all of them"
# One task runs at a time: each share of latency is that of the overhead.
"$PERF" report --stdio -q -g none -i g.data -t ';' -F overhead_children,latency_children,sym | tr -d ' ' >both.txt
ok "a caller has the latency of what it called" grep -qE '^(9[0-9]|100)\.[0-9]+%;(9[0-9]|100)\.[0-9]+%;\[\.\]parent$' both.txt
is "$(awk -F ';' '$1 != $2' both.txt)" "" "each as its overhead, where one task runs"

"$PERF" record -q -e cpu-clock -o plain.data -- true
unlike "$("$PERF" report --stdio -i plain.data)" 'Latency' "others have no such column"
for option in --latency "--parallelism 1" "-s parallelism" "-F latency"; do
	# shellcheck disable=SC2086
	run "$PERF" report --stdio -i plain.data $option
	is "$rc" 255 "$option of others is refused"
	like "$err" 'record with --latency' "with what to do"
done
# The sample of a sleep does not make its task run.
"$PERF" record -q --latency -e cpu-clock -F 2000 --off-cpu --off-cpu-thresh 1 -o o.data -- sh -c '
	for i in 1 2 3; do "$WORKLOAD" sleepy & done; "$WORKLOAD" noploop 0.3 & wait' >/dev/null 2>&1
"$PERF" report --stdio -q --no-children -g none -i o.data -t ';' -F parallelism,sample,latency | tr -d ' ' | awk -v RS= '{ print >"o" NR ".txt" }'
is "$(sort o1.txt)" "$(by_hand o.data)" "sleeps do not change who runs"
is "$(cut -d ';' -f 1 o2.txt)" 0 "the parallelism of a sleep is not known"
is "$(cut -d ';' -f 3 o2.txt)" "100.00%" "it counts whole"

run "$PERF" report --stdio -i l.data --parallelism some
is "$rc" 129 "--parallelism takes numbers"
like "$err" '--parallelism some: not a list of numbers' "and says so"
is "$("$PERF" report --stdio -i plain.data --showcpuutilization)" "$("$PERF" report --stdio -i plain.data --show-cpu-utilization)" \
	"--showcpuutilization is the other name"

done_testing

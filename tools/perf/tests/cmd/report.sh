#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report's options: the same text as the distribution's perf where both have them, and known workloads.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# The name is as long as names of tasks can be: stock perf makes the column of a hierarchy too narrow for tasks that get a longer one when they exec.
ln -s "$WORKLOAD" report-the-work
work=("$WORK/report-the-work" thloop 0.4)

# Rows, without what ends lines and what is said around them
rows_of() {
	sed 's/ *$//; /^#/d; /^$/d'
}

# rows OPTIONS...: of perf report for the present $file
rows() {
	run "$PERF" report --stdio --no-inline -i "$file" "$@"
	rows_of <<<"$out"
}

if [ -n "$STOCK" ]; then
	# same OPTIONS...: the same rows as stock's, with the blanks that end them. Skipped where stock perf fails: it dies with its addr2line, which
	# cannot read BPF programs. And if one was loaded meanwhile, it may stop at the record of that: the kernel gives some of these a wrong size.
	same() {
		run "$STOCK" report --stdio --no-inline -i "$file" "$@"
		if [ "$rc" -ge 128 ] || [[ $err == *"failed to process"* ]]; then
			skip 3 "stock perf cannot read it: $rc ${err##*$'\n'}"
			return
		fi
		# With dwarf, stock takes 0, with which the stack of a thread ends, for a return address.
		sed '/^#/d; /^$/d; / 0xf\{16\}$/d' <<<"$out" >stock.txt
		run "$PERF" report --stdio --no-inline -i "$file" "$@"
		sed '/^#/d; /^$/d' <<<"$out" >ours.txt
		is "$rc:$err" "0:" "$file: report $* works"
		ok "$file: report $* prints rows" test -s stock.txt
		is "$(diff stock.txt ours.txt | head -n 20)" "" "$file: report $* is as stock's"
	}
	file=chains.data
	# Of the tasks outside of a chroot stock perf shows files of another name.
	everyone=(-a)
	[ -z "$CHROOT" ] || everyone=()
	stock_record -g -e cpu-clock -F 999 "${everyone[@]}" --sample-cpu -o $file -- "${work[@]}"
	half=$(awk 'NR == 1 { first = $1 } { last = $1 } END { printf "%.6f", (first + last) / 2 }' < <(
		"$STOCK" script -i $file -F time -G | tr -d :))
	cpu=$("$STOCK" script -i $file -F cpu -G -c report-the-work | sort | uniq -c | sort -n | awk 'END { print $2 }' | tr -d '[]')
	cpu=$((10#$cpu))
	# Where comm is no key, stock perf's -c goes by the first sample of each row: so -s has comm.
	while read -r options; do
		# shellcheck disable=SC2086
		same --percent-limit 2 -c report-the-work,thloop $options
	done <<-EOF
		--no-children
		--no-children -g flat
		--no-children -g folded
		--no-children -g folded,count
		--no-children -g graph,count
		--no-children -g fractal,period
		--no-children -G
		--no-children -g caller,3%
		--no-children -g none -n --show-total-period
		--no-children -g none -F overhead,comm,sym,sample
		--no-children -g none -s comm,cpu,sym
		--no-children -g none -t ,
		--no-children -g none --max-stack 1
		--no-children -g none --percentage relative
		--no-children -g none --percent-limit 0 -d [kernel.kallsyms],workload
		--no-children -g none --symbol-filter=loop
		--no-children -g none --time ,$half
		--no-children -g none --time 30%/2
		--no-children -g none -C $cpu --percent-limit 0
		-g none -s dso,sym,comm
		-g none -s comm,dso,dso_size --percent-limit 0
		--no-children -g none -s comm,dso_size --percent-limit 0
		-g none -p ^main -s parent,comm
		-g none --show-cpu-utilization -s comm,dso
		-g none -F overhead,overhead_us,overhead_sys,comm
		--no-children -g none -w 10,4,6,12,20
		--no-children -g none --socket-filter 0
	EOF
	same --no-children -g none --hierarchy -s comm,dso
	same --no-children -g none --hierarchy -n -t ';' -s dso,comm
	stock_record -g -e cpu-clock -F 999 -o callers.data -- "${work[@]}"
	file=callers.data
	same -g none -U --percent-limit 2 # where one caller has no name, stock's -U leaves out those beyond, too: rare rows
	same --no-children -U -s comm,sym --percent-limit 2
	same --no-children --hierarchy -n -s comm,dso,sym --percent-limit 85 -g none
	# perf 6.1 has no names in .plt.got, where the C library calls free(). Where rare rows are compared, too, they are those of these two files.
	named=(-d "workload,[kernel.kallsyms]")
	clock=cpu-clock/period=1000000/ fault=page-faults/period=3/
	stock_record -e $clock,$fault -o switch.data -- "${work[@]}"
	file=switch.data
	for options in "--switch-on $fault" "--switch-on $fault --switch-off $clock" \
		"--switch-on $fault --switch-off $clock --show-on-off-events -c report-the-work"; do
		# shellcheck disable=SC2086
		same -g none -n -s comm,dso $options
	done
	# Alone it switches nothing off in stock perf.
	first=$("$PERF" script -i $file -F event | awk -v fault="$fault:" '$1 == fault { exit } { n++ } END { print n + 0 }')
	is "$(rows -g none -F sample -s comm --switch-off $fault | awk '{ n += $1 } END { print n + 0 }')" "$first" "--switch-off alone"
	# Lines of callers are those of calls. With fp, stock's are those of what follows, so they are compared with dwarf. And up to main: perf 6.1 has
	# another file for lines of libc, and takes all frames whose line is unknown for one.
	stock_record --call-graph dwarf -e cpu-clock:u -F 499 -o user.data -- "${work[@]}"
	file=user.data
	same --no-children -g address --max-stack 3 "${named[@]}"
	same --no-children -g folded,address --max-stack 3 "${named[@]}"
	same --no-children -g srcline --max-stack 3 "${named[@]}"
	same --no-children -g folded,count,srcline --max-stack 3 "${named[@]}"
	# Branches: no machine for tests has them, so a recording is given some.
	stock_record -e cpu-clock -F 999 -o plain.data -- "${work[@]}"
	"$SOURCE/tests/cmd/branches.py" plain.data branches.data
	file=branches.data
	same --percent-limit 0.5 # without calls through .plt.got
	same -n -s dso_from,dso_to
	same -s mispredict
	same -s cycles,abort,in_tx
	# Stock has other names for lines 0, such as of what returns from a signal: rare rows, but they widen the column.
	same -s srcline_to --percent-limit 1 -w 40
	same --no-branch-stack
	is "$("$PERF" report --stdio -i $file | grep '^# Event count')" "$("$STOCK" report --stdio -i $file 2>/dev/null | grep '^# Event count')" \
		"branches are what is counted"
	for wrong in "-i callers.data -g branch" "-i callers.data -g nosuch" "-i plain.data -b" "-i plain.data -s dso_from" "-i branches.data --mem-mode" "-i branches.data --branch-history"; do
		# shellcheck disable=SC2086
		run "$PERF" report --stdio $wrong
		ok "report $wrong is refused" test "$rc" = 129
		ok "report $wrong says why" test -n "$err"
	done

	# Directories, compressed or not
	for options in --threads "--threads -z"; do
		# shellcheck disable=SC2086
		if stock_record $options -e cpu-clock -F 999 "${everyone[@]}" --sample-cpu -o dir.data -- "${work[@]}" && [ -d dir.data ]; then
			file=dir.data
			same -s comm,cpu,pid --percent-limit 2
			"$STOCK" report --stats -i $file | tr -s ' ' >stock.txt
			"$PERF" report --stats -i $file | tr -s ' ' >ours.txt
			is "$(diff stock.txt ours.txt)" "" "stock's record $options: all records are read"
			rm -r dir.data
		else
			skip 4 "this stock perf cannot do that"
		fi
	done
	file=switches.data
	stock_record -e sched:sched_switch -m 4M "${everyone[@]}" -o $file -- "${work[@]}"
	same -s prev_comm
	same -s next_pid,prev_state
	same -s trace
	same --raw-trace -s trace
	same -s comm,prev_state/raw
	same -s comm,sched:sched_switch.next_prio -t ';'
	file=threads.data
	stock_record -s -e cpu-clock,page-faults -o $file -- "${work[@]}"
	same -T -s comm
	same -s time,comm --time-quantum 50ms
	same -s time --ns
	like "$(rows -T -s comm)" '^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$' "-T shows what threads counted"
	run "$STOCK" report -D -i $file
	grep -A3 'PERF_RECORD_READ' <<<"$out" >stock.txt
	run "$PERF" report -D -i $file
	ok "stock's -D has READ records" test -s stock.txt
	is "$(grep -A3 'PERF_RECORD_READ' <<<"$out")" "$(cat stock.txt)" "-D shows READ records as stock's"
	stock_record -e cpu-clock -o own.data -- "${work[@]}"
	for file in switches.data own.data; do
		run "$STOCK" report --tasks -i $file
		rows_of <<<"$out" | grep report-the-work | sort >stock.txt # in the order of a hash table
		run "$PERF" report --tasks -i $file
		is "$(rows_of <<<"$out" | grep report-the-work | sort)" "$(cat stock.txt)" "--tasks shows the workload's tasks of $file as stock's"
	done
fi

file=known.data
run "$PERF" record -q -e cpu-clock -F 999 -g -T --sample-cpu -o $file -- "${work[@]}"
is "$rc" 0 "a recording of a known workload"
nr=$(rows --no-children -g none -F sample | awk '{ n += $1 } END { print n }')
all=$nr

# Parts of the whole
tid=$(rows --no-children -g none -s tid -F tid | sed 's/:.*//; s/ //g' | head -n 1)
part=$(rows --no-children -g none --tid "$tid" -F sample | awk '{ n += $1 } END { print n }')
ok "--tid leaves a part" test "$part" -gt 0 -a "$part" -lt "$all"
first=$(rows --no-children -g none --time 0%-50% -F sample | awk '{ n += $1 } END { print n }')
second=$(rows --no-children -g none --time 50%-100% -F sample | awk '{ n += $1 } END { print n }')
is $((first + second)) "$all" "--time: two halves are all"
is "$(rows --no-children -g none --time 10%/3,30%/1 -F sample | awk '{ n += $1 } END { print (n > 0) }')" 1 "--time takes several parts"
is "$(rows --no-children -g none -c nosuch)" "" "-c with a name that is not there leaves no rows"
run "$PERF" report --stdio --no-children -g none -i $file -S nosuch -c nosuch -s sym,dso,comm
is "$(grep -E '^# (comm|dso|symbol)' <<<"$out")" $'# symbol: nosuch\n# comm: nosuch' "what filters leave one value of is named in the order of -s"
like "$out" '^# Overhead  Shared Object$' "and has no column"
like "$("$PERF" report --stdio --no-children -g none -i $file -c nosuch -s comm)" '^# Overhead  Command$' "but the only key keeps its own"
dso=$(rows --no-children -g none -s dso -F dso | awk 'NR == 1 { print $1 }')
like "$(rows --no-children -g none -d "nosuch,$dso" -s dso)" '^ *[0-9.]+%' "-d takes a list"

# Keys of values
like "$(rows -g none --no-children -s time)" '^ *[0-9.]+%  [0-9]+\.[0-9]00000$' "-s time: steps of a tenth of a second"
like "$(rows -g none --no-children -s srcline,srcfile)" 'thloop\.c:[0-9]+ +thloop\.c$|thloop\.c:[0-9]+' "-s srcline names lines"
like "$(rows -g none --no-children -s symoff)" '\+0x[0-9a-f]+$' "-s symoff tells how far in the function"
like "$(rows -g none --no-children -s symbol_size,addr)" ' 0x[0-9a-f]+$' "-s symbol_size,addr"
like "$(rows -g none --no-children -p '^main$' -s parent)" ' main$' "-s parent finds callers"
unlike "$(rows -g none --no-children -p '^main$' -x -s parent)" 'other' "-x leaves out the others"

like "$(rows -g none --no-children -s srcline --full-source-path)" ' /.*thloop\.c:[0-9]+$' "--full-source-path"
for options in "--prefix-strip 1" "--samples 3" --source "--percent-type local-hits" "--stdio-color always" "--addr2line-style llvm" "--unwind-style libunwind"; do
	# shellcheck disable=SC2086 # several words
	run "$PERF" report --stdio -i $file $options
	like "$rc:$err" "129:.*Error: --[a-z0-9-]+[a-z ]*: [a-z ]+" "report $options is refused with a reason"
done
lines=$(rows -g none --no-children -s srcline)
for options in "--addr2line-style libdw,addr2line" "--unwind-style libdw" "--stdio-color never" "--addr2line /nonexistent"; do
	# shellcheck disable=SC2086 # several words
	is "$(rows -g none --no-children -s srcline $options)" "$lines" "report $options changes nothing"
done
run "$PERF" report --stdio -i $file --addr2line /nonexistent
is "$rc:$err" "0:--addr2line /nonexistent: not used: perf reads source lines itself" "which is said of programs"
like "$(rows -g none --no-children -s comm_nodigit)" ' report-the-work$' "-s comm_nodigit"
like "$(rows -g none --no-children -s tgid)" ' [0-9]+:report-' "-s tgid names processes"
like "$(rows -g none --no-children -s dso_size)" '% +([0-9]+|unknown)$' "-s dso_size"
unlike "$(rows -g none --no-children -s sym --percent-limit 1)" ' main$' "the time is not spent in main itself"
like "$(rows -g none --no-children -s sym --ignore-callees '^main$' -c report-the-work)" ' main$' "--ignore-callees counts callees as the caller"
is "$(rows -g none --no-children --ignore-callees '^main$' -F sample | awk '{ n += $1 } END { print n }')" "$all" "but no samples"
is "$(rows -g none --no-children --raw-trace --ignore-vmlinux -k /nonexistent -F sample | awk '{ n += $1 } END { print n }')" "$all" \
	"--ignore-vmlinux does not look at -k"
run "$PERF" report --stdio --header-only -I -i $file
like "$out" '# CPU 0: Core ID' "-I shows the long facts, too"
unlike "$("$PERF" report --stdio --header-only -i $file)" '# CPU 0: Core ID' "without it they are only named"
like "$out" 'type = 1 \(PERF_TYPE_SOFTWARE\), .*config = 0 \(PERF_COUNT_SW_CPU_CLOCK\)' "types and configs have names"
like "$("$PERF" report -T --pretty raw --stdio -i $file -s comm)" '^# PID  TID  Name  Raw  Count$' "--pretty raw"

# Sums of levels are sums of what is below them
for level in 0 1; do
	is "$(rows -H --no-children -g none -F sample,comm,sym |
		awk -v end=$((14 + 3 * level)) 'match($0, /[0-9]+/) && RSTART + RLENGTH - 1 == end { n += $1 } END { print n }')" "$all" \
		"-H: level $level has all samples"
done

# Groups of events: of the file, or of the reader
run "$PERF" record -q -e cpu-clock -e page-faults -F 500 -o two.data -- "$WORKLOAD" thloop 0.2
run "$PERF" report --stdio -i two.data --group -s comm -n
like "$out" "events 'cpu-clock, page-faults'" "--group names all events"
like "$(rows_of <<<"$out")" '^ +[0-9.]+% +[0-9.]+% +[0-9]+ +[0-9]+  ' "--group has two columns for each sum"
is "$(grep -c '^# Samples:' <<<"$out")" 1 "--group is one table"
run "$PERF" report --stdio -i two.data
is "$(grep -c '^# Samples:' <<<"$out")" 2 "without it there are two"
run "$PERF" record -q -e '{cpu-clock,page-faults}' -F 500 -o grouped.data -- "$WORKLOAD" thloop 0.2
run "$PERF" report --stdio -i grouped.data
like "$out" "events 'anon group \{ cpu-clock, page-faults \}'" "what was recorded as a group is shown as one"
run "$PERF" record -q -e cpu-clock -e dummy -F 500 -o empty.data -- "$WORKLOAD" thloop 0.2
unlike "$("$PERF" report --stdio -i empty.data -s comm)" "event 'dummy" "events without samples are left out"
like "$("$PERF" report --stdio -i empty.data -s comm --no-skip-empty)" "Samples: 0 +of event 'dummy" "--no-skip-empty shows them"
run "$PERF" report --stdio -i grouped.data -H -g none -F overhead,sample,comm,dso
like "$out" 'Samples: [0-9]+ +of events .anon group' "a hierarchy has groups, too"
is "$(rows_of <<<"$out" | awk 'match($0, /[^ ]/) { sum[RSTART > 6] += $4 } END { print (sum[0] > 0 && sum[0] == sum[1]) }')" 1 \
	"and sums of each event"
run "$PERF" report --stdio -i grouped.data --no-group
unlike "$out" 'anon group' "--no-group shows events apart"
like "$out" "^# Samples: [0-9K]+ +of events 'cpu-clock'$" "the leader's title is of events, as in perf"
like "$out" "^# Samples: [0-9K]+ +of event 'page-faults'$" "and a member's of one"

# A pipe needs no -i
run sh -c "'$PERF' record -q -e cpu-clock -o - -- '$WORKLOAD' noploop 0.1 | '$PERF' report --stdio -s comm"
like "$out" '^ +[0-9.]+%  workload$' "a recording that comes through a pipe is read"
run sh -c "echo no recording | '$PERF' report"
is "$rc:$err" "255:the standard input is not a perf.data file" "what comes there and is none is told"
for command in report script evlist; do
	run sh -c "timeout 100 '$PERF' $command -i - </dev/zero"
	is "$rc:$err" "255:the standard input is not a perf.data file" "also if it has no end: $command"
done

# Folded stacks: all samples, outermost function first, commands with blanks replaced
run "$PERF" report --folded=samples -i $file
is "$rc:$err" "0:" "--folded works"
is "$(awk '{ n += $NF } END { print n }' <<<"$out")" "$all" "--folded has all samples"
# Where CPUs or times are chosen samples are looked at one by one, else only the first of each kind.
is "$("$PERF" report --folded=samples --time 0, -i $file | cmp - <(echo "$out") 2>&1)" "" "each in its stack"
is "$("$PERF" report --json --time 0, -i $file | cmp - <("$PERF" report --json -i $file) 2>&1)" "" "and so has --json"
like "$out" '^report-the-work[^;]*;.*main;.* [0-9]+$' "--folded begins with the command"
is "$("$PERF" report --folded -i $file | awk '{ n += $NF } END { printf "%d\n", n }')" \
	"$(samples $file period | awk '{ n += $1 } END { printf "%d\n", n }')" "without samples it has their periods"
run "$PERF" report --folded=hits -i $file
is "$rc" 129 "of something else it has none"

# Records in words
run "$PERF" report -D -i $file
is "$rc" 0 "-D works"
is "$(grep -c 'PERF_RECORD_SAMPLE' <<<"$out")" "$all" "-D shows each sample"
like "$out" 'PERF_RECORD_COMM exec: report-the-work:' "-D shows what records say"

# Samples of two events at the same places, by turns, without callchains: each counts for its own event.
"$PERF" record -q -e cpu-clock:u -e task-clock:u -c 1000000 -o two.data -- "$WORKLOAD" demoloop 0.3 2>/dev/null
for event in cpu-clock:u task-clock:u; do
	for keys in sym comm pid,dso; do
		is "$("$PERF" report --stdio -s $keys -i two.data 2>/dev/null | sed -n "s/^# Samples: \([0-9]*\) *of event '$event'.*/\1/p")" \
			"$("$PERF" script -F event -i two.data 2>/dev/null | awk '{ print $1 }' | grep -cx "$event:")" "$event has its samples, with -s $keys"
	done
done

# What is wrong is told, with what would be right
for wrong in "-s nosuch" "-s +comm,nosuch" "-F nosuch" "-s mem" "-s prev_comm" "-g nosuch" "--percentage some" "--time x" \
	"--time 50%-20%" "--time-quantum 10" "--time-quantum 0ms" "-w x" "-w 1,,2" "--socket-filter x" "--pretty x" "--ignore-callees (" "--itrace" "--latency" "--parallelism 1" "--stitch-lbr" "--switch-on nosuch" "--disable-order" "-s comm/raw" "--mem-mode" "--time 0%/0" "--pid x" "--tid 1,x" "-C x" "-p ["; do
	# shellcheck disable=SC2086
	run "$PERF" report --stdio -i $file $wrong
	ok "report $wrong is refused" test "$rc" = 129 -o "$rc" = 255
	ok "report $wrong says why" test -n "$err"
	is "$out" "" "report $wrong prints no rows"
done
for wrong in "-k nosuch" "--kallsyms nosuch"; do
	# shellcheck disable=SC2086
	run "$PERF" report --stdio -i $file $wrong
	is "$rc:$out" "255:" "report $wrong is refused"
	like "$err" '^Invalid file: nosuch: No such file or directory$' "report $wrong says why"
done
like "$("$PERF" report --stdio -i $file -s nosuch 2>&1)" "keys are: .*symoff" "an unknown key: the known ones are told"

# Progress is for terminals, and for what takes half a second, as on a busy machine this may
begin=${EPOCHREALTIME/./}
run script -qec "'$PERF' report --stdio --no-inline -g none -s comm -i $file >/dev/null" /dev/null
took=$((${EPOCHREALTIME/./} - begin)) # us
if [ "$took" -ge 500000 ]; then
	skip 1 "reading took $((took / 1000)) ms"
else
	unlike "$out" reading "a short reading shows no progress"
fi
done_testing

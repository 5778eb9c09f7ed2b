#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf script's options: the same text as the distribution's perf where both have them, and fixed texts where it is older.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

ln -s "$WORKLOAD" script-work
work=("$WORK/script-work" thloop 0.4)

# Perf 6.1 has narrower columns for ids, and cannot name all entries of procedure linkage tables.
squeeze() {
	sed -E 's/^ *//; s/  */ /g; s/ *$//; s/ [^ ]*@plt/ @plt/g; s/ \(PERF_CONTEXT_[A-Z]*\)$//'
}

# Stock perf reads all symbols of the kernel, also where none is asked for.
head -n 3 /proc/kallsyms >no-symbols

# same OPTIONS...: the same text as stock's for the present $file
same() {
	local symbols=()
	[[ "$*" != *"-F "[a-z]* || "$*" = *@(ip|sym|trace)* ]] || symbols=(--kallsyms no-symbols)
	run "$STOCK" script --no-inline -i "$file" "${symbols[@]}" "$@"
	squeeze <<<"$out" >stock.txt
	run "$PERF" script --no-inline -i "$file" "${symbols[@]}" "$@"
	squeeze <<<"$out" >ours.txt
	# Of lines that differ those count that name no such entry.
	different=$(diff stock.txt ours.txt | grep '^[<>]' | head -n 200)
	[[ $different != *plt* ]] || different=$(paste -d $'\001' stock.txt ours.txt | awk -F '\001' '$1 != $2 && $2 !~ /@plt| \.plt/')
	if [ "$rc" = 0 ] && [ -s stock.txt ] && [ -z "$different" ]; then
		pass "$file: $*"
	else
		fail "$file: $*" "status $rc; $(head -6 <<<"$different") $err"
	fi
}

stock_record -q -e cpu-clock -c 1000000 -o plain.data -- "${work[@]}"
stock_record -q -e page-faults,context-switches -c 1 -d -o events.data -- "${work[@]}"
stock_record -q -e sched:sched_switch,sched:sched_process_exec -o tp.data -- sh -c 'ls /; ls /proc' >/dev/null
stock_record -q -a -e cpu-clock -c 2000000 --all-cgroups --namespaces --switch-events --intr-regs=ax,ip,sp --weight -o all.data \
	-- "${work[@]}"
stock_record -q -e '{cpu-clock,context-switches}:S' -c 1000000 -o group.data -- "${work[@]}"
first=$("$PERF" script -i plain.data -F time | sed -n '1s/[ :]//gp')

for file in plain.data events.data tp.data; do
	same
	same -F +misc
	same -F comm,tid,pid,time,event
	same -F -period,-comm
	same -F trace:time,trace -F sw:comm,tid
	same --ns
	same --reltime
	same --deltatime --ns
	same -L
	same --no-demangle
	same --show-task-events --show-mmap-events
	same --show-bpf-events -F comm,time
	same --time "10%/2" -F comm,time
	same --time "40%" -F comm,time
	same --time "0%-30%,60%-70%" -F comm,time
done
file=plain.data
same -G -F ip,sym,dso,symoff
same -F ip,sym -S test_loop
same -F event,ip,srcline --full-source-path -S test_loop
same -F ip,dso --dsos script-work,libc.so.6
same -F ip,dso --dsos "$WORKLOAD"
if "$PERF" script -i $file -F insn >insns.txt 2>&1; then
	same -F time,insn,insnlen --dsos script-work
	same -F ip,sym,insn --dsos script-work
	ok "instructions have bytes" grep -q '^ insn: [0-9a-f][0-9a-f]' insns.txt
	LC_ALL=C sed 's/x86_64\x00/aarch64/g' $file >other.data
	run "$PERF" script -i other.data -F insn
	is "$rc:$out" "255:" "instructions of another machine are refused"
	like "$err" "are of programs for x86_64, and this was recorded on aarch64" "and why"
else
	like "$(cat insns.txt)" "The fields insn and insnlen need a disassembler: " "instructions need libcapstone"
fi
same -c perf,script-work,nobody -F comm
same --time "$first," -F time
same --time ",$first" -F time
times() { "$PERF" script -i "$file" -F time --time "$1"; }
is "$(times "0, $first")" "$(times "0,$first")" "--time takes a blank behind the comma"
is "$(times "$first, 18446744069414584")" "$(times "$first,")" "--time takes times too large for seconds"
is "$(times "0,$first $first,")" "$(times "0,")" "--time takes several ranges"
is "$(times "0, $first,")" "$(times "0,")" "of which the first may have no end"
is "$(times "18446744069414584,")" "" "as microseconds, where no sample is"
file=events.data
same -F ip,addr,sym,dso
same -F +addr
file=group.data
same
same -F event,period
file=all.data
same -F comm,tid,iregs
same -F comm,tid,ip,weight
same -F comm,tid,misc,time --show-switch-events --show-namespace-events --show-cgroup-events
same -C 0 -F comm,cpu --show-task-events
same -C 0,1 -F cpu,event,period

# -D: all that samples and records hold. Perf 6.1 does not name the marks between the parts of callchains.
stock_record -q -e cpu-clock -c 5000000 --call-graph dwarf,256 --weight -d -o dwarf.data -- "${work[@]}"
stock_record -q -e cpu-clock -c 1000000 -g -o chains.data -- "${work[@]}"
# Newer ones than 6.1 tell of some records that they are not handled.
same_dump() {
	"$STOCK" script -D -F comm --no-inline -i "$file" | squeeze | sed '/^: unhandled!$/d; s/: unhandled!$//' >stock.txt
	"$PERF" script -D -F comm --no-inline -i "$file" | squeeze | sed '/^: unhandled!$/d; s/: unhandled!$//' >ours.txt
	ok "$file: -D -F comm prints something" test -s stock.txt
	is "$(diff stock.txt ours.txt | head -n 6)" "" "$file: -D -F comm"
}
for file in plain.data all.data group.data chains.data dwarf.data; do
	same_dump
done
is "$("$PERF" script -D -i plain.data | grep -a -A1 'PERF_RECORD_CPU_MAP' | grep -c unhandled)" 0 "-D says nothing of CPU_MAP records"
is "$("$PERF" report -D -i plain.data | grep -a -A1 'PERF_RECORD_CPU_MAP' | grep -c unhandled)" 1 "report -D says that it needs none"

# The facts about a recording but for those that 6.1 does not know. Its lines on the events are those of perf evlist -v.
for option in --header-only "--header-only -I"; do
	# shellcheck disable=SC2086 # words
	is "$("$PERF" script -i all.data $option | old_attrs | grep -vE '^# (missing features|bpf_prog_info|BPF_|btf)|sub_prog')" \
		"$("$STOCK" script -i all.data $option | old_attrs | grep -vE '^# (missing features|bpf_prog_info|BPF_|btf)|sub_prog')" "$option"
done
is "$("$PERF" script -i plain.data --header -F comm | sed '1,/^#$/d')" "$("$PERF" script -i plain.data -F comm)" "--header comes first"

# What 6.1 does not have, or does otherwise
is "$("$PERF" script -i tp.data -F trace: -F sw:comm 2>/dev/null | wc -l)" 0 "an empty list hides the events of a type"
is "$("$PERF" script -i all.data -F cgroup | sort | uniq -c | awk '$2 !~ "^/" && $2 != "unknown"')" "" "cgroups by their paths"
is "$("$PERF" script -i plain.data -F ip,dsoff 2>&1 | grep -cvE '^ +[0-9a-f]+ \((\[.*\]|.*\+0x[0-9a-f]+)\)$')" 0 "dsoff brings the file"
is "$("$PERF" script -i events.data -F event --switch-on page-faults --show-on-off-events | sed 's/ //g' | sed -n 1p)" "page-faults:" \
	"--switch-on: from that sample on"
is "$("$PERF" script -i events.data -F event --switch-off context-switches | grep -c context-switches)" 0 "--switch-off: until that sample"
run "$PERF" script -i events.data --switch-on nothing
is "$rc" 255 "an event to switch by that is not there"
like "$err" "event not found \(nothing\)" "says so"
address=$("$PERF" script -i plain.data -F ip,sym | awk '/ test_loop$/ { print $1; exit }')
is "$("$PERF" script -i plain.data -F ip,sym -S "0x$address" | awk '{ print $1, $2 }' | sort -u)" "$address test_loop" "-S: an address"
is "$("$PERF" script -i plain.data -F ip -S "0x${address%???}000" --addr-range 4096 | sed 's/^ *//' | cut -c1-9 | sort -u)" "${address%???}" \
	"--addr-range"
echo test_loop >names
is "$("$PERF" script -i plain.data -F sym,ip -S "file://$WORK/names" | wc -l)" \
	"$("$PERF" script -i plain.data -F sym,ip -S test_loop | wc -l)" "names in a file"
# C++ names have parameters, which users leave out.
cat >cpp.cc <<'CPP'
namespace ns {
struct T { __attribute__((noinline)) unsigned long work(long n, void (*f)(int)) const { volatile unsigned long i = 0; while (i < 200000000ul + n) ++i; return i; } };
}
int main() { return ns::T().work(1, nullptr) == 0; }
CPP
if g++ -O1 -o cpp cpp.cc 2>/dev/null; then
	"$PERF" record -q -e cpu-clock:u -o cpp.data ./cpp 2>/dev/null
	like "$("$PERF" script -i cpp.data -F ip,sym -S ns::T::work | head -1)" 'ns::T::work\(long' "-S: a C++ function without its parameters"
	is "$("$PERF" script -i cpp.data -F ip,sym -S ns::T::wor)" "" "and not by a part of its name"
else
	skip 2 "no C++ compiler"
fi
run "$PERF" script -i plain.data -S "file://$WORK/none"
is "$rc" 255 "a file of names that is not there"
run "$PERF" script -i plain.data -d
is "$rc:$out:$err" "0::Misordered timestamps: 0" "-d"

# A thread writes what the other one prints; on one CPU there is no such thread.
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
for file in chains.data events.data tp.data all.data; do
	for fields in "" "-F+misc" "-F-ip" "--reltime" "--deltatime --ns" "--show-task-events --show-mmap-events" -D; do
		# shellcheck disable=SC2086 # a list
		"$PERF" script -i $file $fields >two.txt 2>/dev/null
		# shellcheck disable=SC2086 # a list
		taskset -c "$cpu" "$PERF" script -i $file $fields >one.txt 2>/dev/null
		is "$(stat -c %s two.txt | sed 's/^0$/empty/') $(cmp one.txt two.txt 2>&1)" "$(stat -c %s one.txt) " "the same on one CPU: $file $fields"
	done
done

# Callchains
run "$PERF" script --no-inline -i chains.data -F ip,sym --stop-bt test_loop
is "$(grep -A1 ' test_loop$' <<<"$out" | grep '^	' | grep -vc ' test_loop$')" 0 "--stop-bt: nothing behind that function"
like "$out" '^	 *[0-9a-f]+ test_loop$' "--stop-bt: the function itself is there"
run "$PERF" script --no-inline -i chains.data -G -F comm,ip,sym
unlike "$out" '^	' "-G: no callchains"
is "$(wc -l <<<"$out")" "$("$PERF" script -i chains.data -F comm,time | wc -l)" "-G: a line for each sample"
file=chains.data
same -G

# A file for each event
run "$PERF" script -i events.data --per-event-dump -F comm,time,event
is "$rc:$out" "0:" "--per-event-dump prints nothing"
like "$err" '^\[ perf script: Wrote 0\.[0-9]+ MB events\.data\.page-faults\.dump \([0-9]+ samples\) \]$' "but tells what it wrote"
"$PERF" script -i events.data -F comm,time,event | sort >want.txt
is "$(sort events.data.context-switches.dump events.data.page-faults.dump)" "$(<want.txt)" "the files have all samples"

build_race
echo mine >victim
RACE=events.data.page-faults.dump RACE_COMMAND='ln -s victim events.data.page-faults.dump' \
	run preloaded "$RACE_LIBRARY" "$PERF" script -i events.data --per-event-dump -F comm
ok "a link that has come between is refused ($err)" test "$rc" != 0
like "$err" 'events\.data\.page-faults\.dump.*File exists' "says so"
is "$(<victim)" mine "and nothing is written where it leads"
rm events.data.page-faults.dump

# Pipes
"$STOCK" record -q -e cpu-clock -c 1000000 -o - -- "${work[@]}" 2>/dev/null >pipe.data
"$PERF" script -i pipe.data >want.txt 2>/dev/null
is "$("$PERF" script -i - <pipe.data 2>/dev/null)" "$(<want.txt)" "-i -"
# shellcheck disable=SC2002 # a pipe is what is tested
is "$(cat pipe.data | "$PERF" script 2>/dev/null)" "$(<want.txt)" "a pipe is read without -i"
ok "and there was something in it" test -s want.txt

# refused WHAT TEXT OPTIONS...: with the usage and its status
refused() {
	local what=$1 text=$2
	shift 2
	run "$PERF" script -i plain.data "$@"
	is "$rc:$out" "129:" "$what"
	like "$err" "$text" "$what: says why"
}
refused "a field that nobody has" "Invalid field requested: 'foo'; the fields are: comm, " -F foo
refused "a field of hardware traces" "Field 'callindent' cannot be shown: " -F +callindent
refused "a field of another type" "'trace' not valid for software events\." -F sw:trace
refused "a type that nobody has" "Invalid event type in field string; the types are: hw," -F x:comm
refused "no fields at all" "Cannot set fields to 'none' for all event types" -F ""
refused "signs and none" "Cannot mix" -F comm,+ip
refused "--reltime and --deltatime" "two don't get along" --reltime --deltatime
refused "--itrace" "--itrace: this perf decodes no hardware traces" --itrace=i
refused "--call-trace" "decodes no hardware traces" --call-trace
refused "--max-blocks" "--max-blocks: it belongs to the field brstackinsn" --max-blocks 3
for time in abc 5 3,2 200%/1 10%- 101% 0% %; do
	refused "--time $time" "--time $time: neither seconds \(from,to\) nor parts of the whole" --time "$time"
done
refused "--unwind-style" "--unwind-style libunwind: libdw is not among them" --unwind-style libunwind
run "$PERF" script -i plain.data -F ip,srcline --addr2line /nonexistent
is "$rc:$err" "0:--addr2line /nonexistent: not used: perf reads source lines itself" "--addr2line is not needed"
refused "--pid" "--pid abc: not a list of numbers" --pid abc
refused "-a alone" "-a is for recording" -a
run "$PERF" script -i plain.data -F iregs
is "$rc:$err" "255:Samples for 'cpu-clock' event do not have IREGS attribute set. Cannot print 'iregs' field." "what was not recorded"
run "$PERF" script -i plain.data -F sw:comm,iregs
is "$rc" 0 "for one type it is left out"
run "$PERF" script -i plain.data -F comm,trace
like "$err" "^'trace' not valid for software events\. Ignoring\.$" "a field of tracepoints for all: a warning"
run "$PERF" script -i plain.data -F comm -F time
like "$err" "^Overriding previous field request for all events\.$" "one list after the other: a warning"
run "$PERF" script -i plain.data -F comm,tod
like "$err" "missing clock data. Please record with -k/--clockid" "time of day without a clock"
run "$PERF" script -i plain.data -C 0
is "$rc" 255 "-C without CPUs in the file"

# Handed on, whatever else is said
mkdir next
cat >next/perf <<'X'
#!/bin/sh
printf '<%s>' "$@"
X
chmod +x next/perf
handed() {
	local want=$1
	shift
	run env PATH="$WORK/next:$PATH" "$PERF" script "$@"
	is "$rc:$out" "0:<script>$want" "handed on: $*"
}
handed "<-s><x.py><-i><a b>" -s x.py -i "a b"
handed "<-g><python>" -g python
handed "<--dlfilter><x.so><--dlarg><1>" --dlfilter x.so --dlarg 1
handed "<--list-dlfilters>" --list-dlfilters
handed "<-l>" -l
handed "<record><wakeup><-a>" record wakeup -a
handed "<-a><report><wakeup>" -a report wakeup
handed "<--itrace=i><-s><x.py>" --itrace=i -s x.py
run env PATH=/nonexistent "$PERF" script -s x.py
is "$rc" 255 "nobody to hand it to"
like "$err" "^perf: 'script script' needs the perf of the distribution, and there is none on PATH" "says so"

done_testing

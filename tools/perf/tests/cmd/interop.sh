#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Files of this perf read by the distribution's perf and the other way round: no warnings, and the same text of the same file.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
need_stock

# perf script's fields: one by one of some recordings, as each has a form of its own without the others, and together of the rest; symbols
# are printed beside an address only
one_by_one="plain tracepoint-callchains"
all_fields=("comm" "tid" "cpu" "time" "period" "event" "ip" "ip,sym" "ip,sym,symoff" "ip,sym,dso")
few_fields=("comm,tid,time,period,event" "cpu" "ip" "ip,sym")
# Stock perf reads all symbols of the kernel, also where none is asked for.
head -n 3 /proc/kallsyms >no-symbols

# Of a text of perf script what its versions have in common: later ones have wider columns, and print addresses of the process in
# callchains, where 6.1 prints those of the file. The flags of a timer that has none are all flags for libtraceevent, and none for the kernel.
same_in_all() {
	sed -E $'s/^\t +[0-9a-f]+/\tADDRESS/; s/^ +//; s/  +/ /g; /timer:timer_start:/s/ flags=[A-Z|]*$//'
}

# Lines that differ, stock's and ours. Left out are PLT stubs, which perf 6.1 names wrongly, and not the first one (later ones agree with us),
# and callers whose call ends their function: in chains by frame pointers stock names what follows them.
differences() {
	paste -d $'\001' stock.txt ours.txt | awk -F '\001' '$1 != $2 && $2 !~ /@plt| \.plt/ &&
		!($1 ~ / _dl_start_user/ && $2 ~ / _start/) && !($1 ~ / \[unknown\]/ && $2 ~ / _?exit/) { print "stock: " $1; print "ours:  " $2 }'
}

# The samples of a text of perf script that count: of all CPUs only the workload's, for who knows what else ran, replaced its
# program or unloaded a BPF program meanwhile
samples_of() {
	if [[ $1 = *all-cpus ]]; then
		awk '/^[^\t]/ { keep = $1 == "interop-work" } keep && NF'
	else
		sed -n '/./p'
	fi
}

# Perf 6.1 prints control characters as they are, which tasks of all the machine may have in their names.
printable() {
	tr '\001-\010\013-\037\177' '?'
}

# same_text WHAT FILE COMMAND...: the distribution's perf and ours print the same for FILE, and neither complains. Without inlined
# functions, which perf 6.1 does not look for in callchains by frame pointers, but later ones do.
same_text() {
	local what=$1 file=$2
	shift 2
	run "$STOCK" "$@" -i "$file"
	is "$rc:$err" "0:" "$what: stock perf $* reads it without a warning"
	printf '%s\n' "$out" | printable | samples_of "$what" | same_in_all >stock.txt
	run "$PERF" "$@" --no-inline -i "$file"
	is "$rc:$err" "0:" "$what: our perf $* reads it without a warning"
	printf '%s\n' "$out" | samples_of "$what" | same_in_all >ours.txt
	ok "$what: perf $* prints something" test -s stock.txt
	is "$(differences | head -n 20)" "" "$what: perf $* prints the same"
}

# both_reports WHAT FILE OPTIONS...: of the distribution's perf in stock.txt, and of ours in ours.txt; their comments name the tool's own options
both_reports() {
	local what=$1 file=$2
	shift 2
	run "$STOCK" report --stdio -i "$file" "$@"
	is "$rc:$err" "0:" "$what: stock perf report $* reads it without a warning"
	grep -v '^#' <<<"$out" | printable | sed 's/ *$//; /^$/d' >stock.txt
	run "$PERF" report --stdio --no-inline -i "$file" "$@"
	is "$rc:$err" "0:" "$what: our perf report $* reads it without a warning"
	grep -v '^#' <<<"$out" | sed 's/ *$//; /^$/d' >ours.txt
	ok "$what: perf report $* prints rows" test -s stock.txt
}

# same_rows WHAT FILE OPTIONS...: the rows of the report. Where the dynamic linker's _start calls, stock perf shows the function behind it,
# _dl_start_user: its rows are then two and have other sums, and so have the frames.
same_rows() {
	local what=$1 file=$2
	both_reports "$@"
	shift 2
	if grep -qw _dl_start_user stock.txt; then
		both_reports "$what" "$file" "$@" -g none
		sed -i -E '/ (_start|_dl_start_user)$/d' stock.txt ours.txt
	fi
	is "$(diff stock.txt ours.txt | head -n 20)" "" "$what: perf report $* prints the same rows"
}

both_read() {
	local what=$1 file=$2 field cpu=$3 fields=("${few_fields[@]}") symbols
	[[ " $one_by_one " != *" ${what#*, } "* ]] || fields=("${all_fields[@]}")
	same_text "$what" "$file" script
	for field in "${fields[@]}"; do
		[ "$field" != cpu ] || [ "$cpu" = cpu ] || continue
		symbols=(--kallsyms no-symbols)
		[[ $field != ip* ]] || symbols=()
		[[ $what != *all-cpus || $field = comm* ]] || field=comm,$field
		same_text "$what" "$file" script -F "$field" "${symbols[@]}"
	done
	if [[ $what = *all-cpus ]]; then
		same_rows "$what" "$file" --no-children --sort comm -g none
	else
		same_rows "$what" "$file" --no-children --sort comm,dso
		# rows of PLT stubs are small
		same_rows "$what" "$file" --no-children --sort comm,dso,sym --percent-limit 1
		same_rows "$what" "$file" --sort pid,comm,dso,sym --percent-limit 1
	fi
}

# The same recordings by each perf. The workload has symbols of its own, of libc and of the kernel. Those of all tasks have room for what is not the
# workload's: each perf warns of losses.
ln -s "$WORKLOAD" interop-work
work=("$WORK/interop-work" thloop 0.4)
declare -A recordings=(
	[plain]="-e cpu-clock -F 499"
	[callchains]="-e cpu-clock -F 499 -g"
	[two-events]="-e cpu-clock:u,page-faults -c 20000"
	[all-cpus]="-a -e cpu-clock -F 499 -g -m 4M"
	[tracepoint]="-e sched:sched_switch -a -m 4M"
	[tracepoint-callchains]="-e sched:sched_switch -g"
	[fixed-period]="-e cpu-clock -c 1000000"
	[user-only]="-e cpu-clock:u -F 999 -d"
)
for name in $(printf '%s\n' "${!recordings[@]}" | sort); do
	read -ra options <<<"${recordings[$name]}"
	if [ -n "$CHROOT" ] && [[ " ${options[*]} " = *" -a "* ]]; then
		skip 1 "in a chroot stock perf 6.1 dies of tasks in other mount namespaces, and finds files of another name"
		continue
	fi
	cpu=
	case $name in all-cpus | tracepoint*) cpu=cpu ;; esac

	run "$PERF" record "${options[@]}" -o "our-$name.data" -- "${work[@]}"
	is "$rc" 0 "our perf records $name"
	both_read "ours, $name" "our-$name.data" "$cpu"

	stock_record "${options[@]}" -o "stock-$name.data" -- "${work[@]}"
	is "$rc" 0 "stock perf records $name"
	both_read "stock's, $name" "stock-$name.data" "$cpu"
done

# Compressed: the ring buffers of one recording as one stream
stock_record -z -e cpu-clock -F 999 -g -o compressed.data -- "${work[@]}"
is "$rc" 0 "stock perf records compressed"
both_read "stock's, compressed" compressed.data ""

# In the form for pipes, through one
"$STOCK" record -e cpu-clock -F 999 -g -o - -- "${work[@]}" >piped.data 2>/dev/null
piped() {
	# shellcheck disable=SC2002 # a file would be no pipe
	cat piped.data | "$@" -i - 2>>piped.err | samples_of piped | same_in_all
}
piped "$STOCK" script >stock.txt
: >piped.err
piped "$PERF" script --no-inline >ours.txt
is "$(cat piped.err)" "" "piped: our perf script reads it without a warning"
ok "piped: stock perf script prints something" test -s stock.txt
is "$(differences | head -n 20)" "" "piped: perf script prints the same"

# Data addresses: of users and of the kernel, touched by both
run "$PERF" record -e page-faults -c 1 -d -o our-addresses.data -- "${work[@]}"
is "$rc" 0 "our perf records data addresses"
same_text "ours, addresses" our-addresses.data script -F +addr
stock_record -e page-faults -c 1 -d -o stock-addresses.data -- "${work[@]}"
is "$rc" 0 "stock perf records data addresses"
same_text "stock's, addresses" stock-addresses.data script -F +addr

# A tracepoint that prints the kernel's functions by name. Whatever runs sets timers: the workload need not.
if [ -n "$CHROOT" ]; then
	skip 1 "as above"
else
	run "$PERF" record -e timer:timer_start -a -m 4M -o functions.data -- "${work[@]}"
	same_text "functions" functions.data script
	like "$out" ' function=[a-z_]' "functions: perf script names them"
fi

# BPF programs have names for both, as the kernel's map ends before them. perf's own programs run at each fork and exec.
names_of_programs() { "$1" script -i programs.data -F ip,sym 2>/dev/null | grep -o 'bpf_prog_.*' | sed 's/+0x.*//' | sort | uniq -c; }
run "$PERF" record -e cpu-clock -F 20000 -g -o programs.data -- sh -c 'i=0; while [ $i -lt 1500 ]; do /bin/true; i=$((i + 1)); done'
is "$rc" 0 "our perf records while BPF programs run"
like "$(names_of_programs "$PERF")" bpf_prog_ "programs: ours names them"
is "$(names_of_programs "$STOCK")" "$(names_of_programs "$PERF")" "programs: so does stock perf, alike"

# Filtered recordings. No perf takes what a filter dropped for lost samples. Where the kernel skipped samples, as it does beside other
# programs, that warning is right.
no_right_warning() {
	if [ "${lost:-0}" = 0 ]; then
		printf '%s' "$err"
	else
		sed -E '/^Warning:$/d; /^Processed [0-9]+ samples and lost [0-9.]+%!$/d; /^$/d' <<<"$err"
	fi
}
for filter in 'mode == user && comm != sh' 'cpu == 0' 'tid == 1'; do
	run "$PERF" record -e cpu-clock -F 999 --filter "$filter" -o filtered.data -- "${work[@]}"
	is "$rc" 0 "our perf records with the filter $filter"
	lost=$(untaken) # for which an older perf takes them, too
	read -r seen kept dropped < <(sed -n 's/^filter: \([0-9]*\) samples\{0,1\} seen, \([0-9]*\) kept, \([0-9]*\) dropped$/\1 \2 \3/p' <<<"$err")
	ok "$filter: samples were seen" test "$seen" -gt 0
	is "$((kept + dropped))" "$seen" "$filter: kept and dropped are all that was seen"
	run "$STOCK" script -i filtered.data
	is "$rc:$(no_right_warning)" "0:" "$filter: stock perf script reads it without a warning"
	is "$(grep -c . <<<"$out")" "$kept" "$filter: stock perf script prints what was kept"
	stocks=$out
	run "$PERF" script -i filtered.data
	is "$rc:$(no_right_warning)" "0:" "$filter: our perf script reads it without a warning"
	is "$(same_in_all <<<"$out")" "$(same_in_all <<<"$stocks")" "$filter: our perf script prints the same"
	run "$STOCK" report --stdio -i filtered.data
	is "$rc:$(no_right_warning | sed '/^Error:$/d; /data has no samples!$/d')" "0:" "$filter: stock perf report reads it"
	[ "$kept" = 0 ] || like "$out" "^# Total Lost Samples: $lost\$" "$filter: stock perf report takes no dropped sample for lost"
	run "$STOCK" evlist -i filtered.data
	is "$rc:$out" "0:cpu-clock" "$filter: stock perf evlist names the event"
done

# shellcheck disable=SC2002 # a file would be no pipe
"$PERF" record -e cpu-clock -F 999 --filter 'every 2' -o - -- "${work[@]}" 2>record.err >filtered.pipe
cat filtered.pipe | "$STOCK" report --stdio -i - >report.out 2>report.err
is "$(grep -iE 'lost|event' report.err)" "" "piped: stock perf report takes nothing for lost"
like "$(cat report.out)" '^ +[0-9.]+%' "and prints its rows"
run "$PERF" record -e cpu-clock -F 999 --filter 'every 2' --dropped-as-lost -o lost.data -- "${work[@]}"
dropped=$(sed -n 's/^filter: .* kept, \([0-9]*\) dropped$/\1/p' <<<"$err")
run "$STOCK" report --stdio -i lost.data
like "$out" "^# Total Lost Samples: $dropped\$" "--dropped-as-lost: stock perf report has the number"
like "$("$PERF" report --stats -i lost.data)" "LOST_SAMPLES \\(BPF\\) events: +$dropped\$" "and so has ours"

# Headers: every line that stock perf prints of our file
run "$STOCK" report --header-only -i our-plain.data
is "$rc:$err" "0:" "stock perf reads the header"
for line in hostname 'os release' 'perf version' arch 'nrcpus online' 'nrcpus avail' cpudesc 'total memory' cmdline event; do
	like "$out" "^# $line : ." "the header has: $line"
done
for name in plain two-events tracepoint; do
	for file in our-$name.data stock-$name.data; do
		run "$STOCK" evlist -v -i "$file"
		want=$(sed '/^# Tip:/d' <<<"$out")
		run "$PERF" evlist -v -i "$file"
		is "$(old_attrs <<<"$out")" "$(old_attrs <<<"$want")" "evlist -v of $file is the same"
	done
done

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The terms of filters: the examples of the manual, code of programs by name, thinning, and what -v explains.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

# samples FILE sym|dso: where each sample is
samples() {
	"$PERF" script -i "$1" -F "ip,$2" 2>/dev/null | sed '/^ *$/d; s/^ *[0-9a-f]* *//'
}

# --- the manual: every term has an example, and each example is good ---

page=$SOURCE/Documentation/perf-filter.txt
while IFS= read -r example; do
	[[ $example = *sched:* ]] && continue # needs tracefs
	run bash -c "${example/#perf record/\"\$PERF\" record --dry-run}"
	is "$rc:$err" "0:" "$example"
done < <(sed -n 's/^\t\(perf record .*\)/\1/p' "$page")
run "$PERF" record --dry-run -e cpu-clock --filter 'nosuchterm == 1'
terms=$(sed -nE 's/.*the terms are: //p' <<<"${err/The terms/the terms}")
ok "the error names the terms" test "$(wc -w <<<"$terms")" -gt 30
without=
for term in $terms; do
	sed -n 's/^\t\(perf record .*\)/\1/p' "$page" | grep -qwe "$term" || without+=" $term"
done
is "$without" "" "terms without an example"

# --- functions and files of a program that runs, and of one that starts later, wherever they are loaded ---

spawn "$WORKLOAD" thloop 1000
target=$spawned_pid
run "$PERF" record -e cpu-clock:u -F 999 -p "$target" --filter 'sym == test_loop' -o sym.data -- "${until_run[@]}" 50 "$target"
is "$rc" 0 "a function of the program of -p"
counts ""
ok "has samples" test "$kept" -gt 0
is "$(samples sym.data sym | sort -u)" "test_loop" "all of that function"
run "$PERF" record -e cpu-clock:u -F 999 -p "$target" --filter 'sym != test_loop' -o sym.data -- "${until_run[@]}" 50 "$target"
is "$rc:$(samples sym.data sym | grep -c '^test_loop$')" "0:0" "none of that function"
run "$PERF" record -e cpu-clock:u -F 999 -a --filter "sym == \"${WORKLOAD##*/}:test_loop\" && pid == $target" -o sym.data -- "${until_run[@]}" 50 "$target"
counts ""
is "$rc:$(samples sym.data sym | sort -u)" "0:test_loop" "a function of a file by its name"
run "$PERF" record -e cpu-clock:u -F 999 --filter 'sym ~ "*loop"' -o sym.data -- "$WORKLOAD" noploop 0.5
is "$rc:$(samples sym.data sym | sort -u)" "0:noploop" "functions of the command's program, by a pattern"
for dso in "${WORKLOAD##*/}" "$WORKLOAD" "'*$(tail -c 3 <<<"${WORKLOAD##*/}")'"; do
	op='=='
	[[ $dso = *\** ]] && op='~'
	run "$PERF" record -e cpu-clock:u -F 999 --filter "dso $op $dso" -o dso.data -- "$WORKLOAD" noploop 0.5
	counts ""
	is "$rc:$(samples dso.data dso | sort -u)" "0:($WORKLOAD)" "dso $op $dso: all of that file"
	ok "which has samples" test "$kept" -gt 0
done
run "$PERF" record -e cpu-clock:u -F 999 --filter "dso != $WORKLOAD" -o dso.data -- "$WORKLOAD" noploop 0.5
is "$rc:$(samples dso.data dso | grep -cF "($WORKLOAD)")" "0:0" "dso !=: none of it"
run "$PERF" record -e cpu-clock -F 999 -a --filter 'dso == [kernel.kallsyms] && !idle' -o dso.data -- dd if=/dev/zero of=/dev/null bs=1M count=2000 status=none
is "$rc:$(samples dso.data dso | sort -u)" "0:([kernel.kallsyms])" "the kernel's code"

# --- thinning ---

run "$PERF" record -e page-faults -c 1 --filter 'every 10' -C 0 -o every.data -- taskset -c 0 "$WORKLOAD" noploop 0.1
counts ""
is "$rc:$kept" "0:$((seen / 10))" "each tenth sample of a CPU"
run "$PERF" record -e cpu-clock -F 20000 --filter 'rand < 50%' -o rand.data -- "$WORKLOAD" noploop 0.5
counts ""
ok "about the half of them" test "$rc" = 0 -a "$kept" -gt $((seen / 4)) -a "$kept" -lt $((seen * 3 / 4))

# --- what does not exist ---

wrong() {
	run "$PERF" record --dry-run -e cpu-clock --filter "$1"
	is "$rc" 129 "$1: is refused"
	like "$err" "$2" "and says why"
}
wrong 'sym == vfs_raed' 'no function of the kernel; did you mean .*vfs_read'
wrong 'sym == libc.so.6:mallok' 'no function of libc.so.6; did you mean malloc'
wrong 'sym == no-such-file.so:malloc' 'no process has mapped a file with the name no-such-file.so'
wrong 'dso == /no/such/file' '/no/such/file: No such file'
wrong 'dso == [no_such_module]' 'no module of the kernel'
wrong 'mem_op == ram' 'is no value of mem_op'

# --- explained ---

run "$PERF" record -v -e cpu-clock -F 999 --filter 'comm == nosuchcomm || mode == user, every 2' -o v.data -- "$WORKLOAD" noploop 0.5
counts ""
is "$rc" 0 "-v"
row() {
	sed -nE "s/^ *([0-9]+) +([0-9]+) +([0-9]+)  $1\$/\1 \2 \3/p" <<<"$err"
}
read -r t1 d1 k1 <<<"$(row 'comm == nosuchcomm')"
read -r t2 d2 k2 <<<"$(row 'mode == user')"
read -r t3 d3 k3 <<<"$(row 'every 2')"
is "$t1:$d1:$k1" "$seen:0:0" "the first test saw all samples and decided none"
is "$t2:$((t2 - d2)):$k2" "$seen:$t3:0" "what the second one did not drop came to the third"
is "$((d2 + d3)):$k3" "$dropped:$kept" "together they dropped and kept what the filter did"
run "$PERF" record --dry-run -v -e cpu-clock --filter 'mem_op == load || cpu == 1'
like "$out" '^sample: CPU\|DATA_SRC$' "--dry-run -v names the bits of the sample"
like "$out" '^engine: specialised BPF program, 2 entries, [0-9]+ instructions$' "and the size of the program"

done_testing

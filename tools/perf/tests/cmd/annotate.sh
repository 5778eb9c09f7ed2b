#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf annotate: the same text as the distribution's perf, shares that are those of the samples, and what cannot be shown.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cat >"$HOME/work.c" <<'C'
#include <stdlib.h>
volatile unsigned long sum;
__attribute__((noinline)) void hot(long n)
{
	while (n--)
		sum += n * n;
}
__attribute__((noinline)) void warm(long n)
{
	while (n--) {
		if (n & 4)
			sum ^= 3;
	}
}
int main(int argc, char **argv)
{
	hot(30000000);
	warm(20000000);
	return 0;
}
C
# Stock perf reads no symbols of files below /tmp/perf-*.
if ! cc -O1 -g -o "$HOME/work" "$HOME/work.c" 2>cc.txt; then
	fail "the program compiles" "$(cat cc.txt)"
	done_testing
fi
"$PERF" record -q -e cpu-clock:u -c 100000 -o a.data -- "$HOME/work" || exit 1
if ! command -v objdump >/dev/null; then
	run "$PERF" annotate -i a.data hot
	is "$rc:$out" "255:" "without objdump: refused"
	like "$err" "package binutils" "with what to install"
	done_testing
fi

# --- the same text as stock's, but for what perf 6.1 always says: the names of functions and numbers of lines ---

squeeze() { sed -E 's/^( *:) [0-9]+ +/\1 /; /^ *: [A-Za-z_]+\(\):$/d'; }
same() {
	run "$STOCK" annotate --stdio --stdio-color never -i a.data "$@"
	squeeze <<<"$out" >stock.txt
	run "$PERF" annotate --stdio -i a.data "$@"
	squeeze <<<"$out" >ours.txt
	if [ "$rc" = 0 ] && grep -q '%rip' stock.txt && cmp -s stock.txt ours.txt; then
		pass "as stock perf: $*"
	else
		fail "as stock perf: $*" "status $rc; $(diff stock.txt ours.txt | head -8) $err"
	fi
}
if [ -n "$STOCK" ]; then
	same hot
	same -s warm
	same -P warm
	same --no-source hot
	same --no-source --asm-raw hot
	same --percent-limit 20 -d work
	same --show-total-period hot
	same -n warm
	same --percent-type local-hits warm
else
	skip 1 "no stock perf on PATH (package linux-perf)"
fi

# --- the shares are those of the samples ---

"$PERF" script -i a.data -F ip,sym,symoff | sed -nE 's/^ *[0-9a-f]+ hot\+(0x[0-9a-f]+)$/\1/p' | while read -r offset; do echo $((offset)); done | sort -n | uniq -c |
	awk '{ print $2, $1 }' >samples.txt
start=$((16#$(nm "$HOME/work" | awk '$3 == "hot" { print $1 }')))
"$PERF" annotate -i a.data -n hot | sed -nE 's/^ +([1-9][0-9]*) : +([0-9a-f]+):.*/\1 \2/p' | while read -r nr address; do echo $((16#$address - start)) "$nr"; done >lines.txt
ok "there are samples" test -s samples.txt
is "$(cat lines.txt)" "$(cat samples.txt)" "each instruction has its samples"
shares=$("$PERF" annotate -i a.data hot | awk '$2 == ":" && $1 ~ /^[0-9.]+$/ { sum += $1 } END { printf "%.0f", sum }')
is "$shares" 100 "shares add up to 100 %"
# Other perfs show shares of the function, or 0, for these.
all=$("$PERF" script -i a.data -F ip | wc -l)
for type in global-hits period-global; do
	shares=$("$PERF" annotate -i a.data --percent-type $type hot | awk '$2 == ":" && $1 ~ /^[0-9.]+$/ { sum += $1 } END { print sum }')
	share=$(awk -v all="$all" '{ n += $2 } END { print 100 * n / all }' samples.txt)
	# each row is rounded
	ok "those by $type to the function's share ($shares, $share)" awk -v a="$shares" -v b="$share" 'BEGIN { exit !(a - b < 0.5 && b - a < 0.5) }'
done
like "$("$PERF" annotate -i a.data hot)" '^ +: [0-9]+ +sum \+= n \* n;$' "sources stand between"
run "$PERF" annotate -i a.data -l hot
like "$out" "^Sorted summary for file $HOME/work$" "-l sums up lines"
like "$out" '^ +[0-9.]+ work.c:[56]$' "by their files and numbers"
like "$out" '^ +[0-9.]+ : .* // work.c:[56]$' "and shows them behind their instructions"
like "$("$PERF" annotate -i a.data -M intel hot)" 'imul +r[a-z]+,r[a-z]+$' "-M intel"
is "$("$PERF" annotate -i - hot <a.data)" "$("$PERF" annotate -i a.data hot)" "from a pipe, too"
is "$("$PERF" annotate -i a.data --objdump "$(command -v objdump)" hot)" "$("$PERF" annotate -i a.data hot)" "--objdump takes a path"
is "$("$PERF" annotate -i a.data -d no-such)" "" "-d chooses files"

# --- with jumps ---

run "$PERF" annotate -i a.data --stdio2 warm
is "$rc:$err" "0:" "--stdio2"
like "$(head -1 <<<"$out")" "^Samples: [0-9]+ +of event 'cpu-clock:u', 100000 Hz, Event count \\(approx.\\): [0-9]+, \\[percent: local period\\]\$" "a title"
like "$out" "^warm\\(\\) $HOME/work\$" "the function and its file"
like "$out" '^Percent +[a-z]+ ' "the first row has the column's title"
like "$out" '^ *[0-9.]* +↓ j[a-z]+ +[0-9a-f]+$' "jumps have arrows and offsets"
like "$out" '(^|:| ) *← ret' "returns as well"
like "$out" '^ *[0-9.]* +.* mov +sum,%[a-z]+$|^ *[0-9.]* +.* xor[a-z]* +\\$0x3,.*' "data has its name"
unlike "$out" '%rip|[0-9a-f]+ <' "in place of its address"
# Each offset that is jumped to stands before its line, and no other.
is "$(sed -nE 's/.* (↑|↓) j[a-z]+ +([0-9a-f]+)$/\2/p' <<<"$out" | sort -u)" "$(sed -nE 's/^[ 0-9.]{8} +([0-9a-f]+): .*/\1/p' <<<"$out" | sort -u)" "each target is marked"
is "$(sed -nE 's/^ +([0-9]+\.[0-9]+) .*/\1/p' <<<"$out" | awk '{ sum += $1 } END { printf "%.0f", sum }')" 100 "shares add up to 100 %"
if [ "$(uname -m)" != x86_64 ]; then
	note "texts are those of x86-64"
fi

"$PERF" record -q -e '{cpu-clock:u,task-clock:u}' -c 100000 -o group.data -- "$HOME/work" || exit 1
"$PERF" record -q -e cpu-clock:u,task-clock:u -c 100000 -o two.data -- "$HOME/work" || exit 1
both='^ +[0-9.]+ +[0-9.]+ : +[0-9a-f]+:'
like "$("$PERF" annotate -i group.data hot)" "$both" "a group has a column for each event"
like "$("$PERF" annotate -i group.data hot)" ' for anon group \{ cpu-clock:u, task-clock:u \} \(' "and its name"
unlike "$("$PERF" annotate -i two.data hot)" "$both" "other events do not"
like "$("$PERF" annotate --group -i two.data hot)" "$both" "unless --group"
is "$("$PERF" annotate --group -n -i two.data hot | awk '$3 == ":" && $1 ~ /^[0-9]+$/ { a += $1; b += $2 } END { print a, b }')" \
	"$(for event in cpu-clock task-clock; do "$PERF" script -i two.data -F event,ip,sym | grep -c "$event.* hot *\$"; done | paste -sd' ')" "with the samples of each"
"$PERF" record -q -e '{cpu-clock:u,alignment-faults:u}' -c 100000 -o empty.data -- "$HOME/work" || exit 1
unlike "$("$PERF" annotate --skip-empty -i empty.data hot)" "$both" "an event without samples has no column"
like "$("$PERF" annotate --no-skip-empty -i empty.data hot)" "$both" "unless --no-skip-empty"

# A file that is gone is read from the process that has it, or from the cache.
cp "$HOME/work" "$HOME/gone"
"$PERF" record -q -e cpu-clock:u -c 100000 -o gone.data -- "$HOME/gone" || exit 1
rm "$HOME/gone"
run "$PERF" annotate -i gone.data hot
is "$rc:$out" "255:" "the code of a file that is gone cannot be shown"
like "$err" "^Couldn't annotate hot of .*gone: |^No sample of gone.data is in a function 'hot'" "with the reason"

# --- what is wrong ---

run "$PERF" annotate -i a.data nothing
is "$rc:$out" "255:" "a function without samples: told by the status"
like "$err" "No sample of a.data is in a function 'nothing'" "and in words"
cp "$WORKLOAD" stripped
"$PERF" record -q -e cpu-clock:u -F 999 -o stripped.data -- ./stripped noploop 0.1 || exit 1
: >stripped # its old contents are in no cache
run "$PERF" annotate -i stripped.data --buildid-dir "$WORK/none" -d stripped
is "$rc:$out" "255:" "nor that all code is without names"
like "$err" "^No sample of stripped.data is in a function of stripped: 'perf report" "perf says that no function has a sample"
run "$PERF" annotate -i a.data --percent-limit 101
is "$rc:$out:$err" "0::" "a limit may leave nothing"
run "$PERF" annotate -i a.data hot warm
is "$rc:$out" "129:" "two functions: refused"
for option in --gtk "--stdio --stdio2" "--tui -l" --type-stat --insn-stat -D; do
	# shellcheck disable=SC2086
	run "$PERF" annotate -i a.data $option
	is "$rc:$out" "129:" "$option is refused"
done
run "$PERF" annotate -i a.data --percent-type mine
like "$rc:$err" "^129:.*neither local-period" "so is another type of percentage"
run "$PERF" annotate -i a.data --objdump /bin/false hot
is "$rc:$out" "255:" "an objdump that fails shows nothing"
like "$err" '/bin/false could not read it \(exit status 1\)' "and is told"
PATH=/nonexistent run "$PERF" annotate -i a.data hot
like "$rc:$err" "package binutils" "without objdump: what to install"
run "$PERF" annotate -i no-such.data
is "$rc:$out" "255:" "a missing recording"

# --- code of the kernel, from its memory ---

if [ "$(id -u)" != 0 ] || ! grep -q '^[0-9a-f]*[1-9a-f].* T _text$' /proc/kallsyms; then
	skip 10 "needs root, and addresses in /proc/kallsyms"
	done_testing
fi
"$PERF" record -q -e cpu-clock:k -c 100000 -o k.data -- dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null || exit 1
if [ ! -e /proc/kcore ]; then
	run "$PERF" annotate -i k.data -d '[kernel.kallsyms]' # not BPF programs of others
	is "$rc:$(wc -l <<<"$err")" "255:1" "a kernel without /proc/kcore: one message for all functions"
	like "$err" "this kernel has no /proc/kcore: name its vmlinux by -k" "with what to do"
	is "$("$PERF" annotate --skip-missing -i k.data -d "[kernel.kallsyms]" 2>&1)" "" "--skip-missing says nothing"
else
	run "$PERF" annotate -i k.data -d '[kernel.kallsyms]' --percent-limit 5
	is "$rc:$err" "0:" "from /proc/kcore"
	like "$out" '^ +[0-9.]+ : +ffff[0-9a-f]+:' "with shares"
	skip 1 "/proc/kcore is there"
fi

if [ "$(uname -m)" != x86_64 ]; then
	skip 7 "the copy has code of x86-64"
	done_testing
fi

# A copy of it lies beside the kallsyms: here one with a call, a jump and nothing else, in place of the hottest function.
awk '{ nr[$3]++ } END { for (name in nr) if (nr[name] == 1) print name }' /proc/kallsyms | sort >once.txt
"$PERF" script -i k.data -F ip,sym,symoff | sed -nE 's/^ *([0-9a-f]+) ([A-Za-z0-9_.]+)\+0x([0-9a-f]+)$/\2 \1 \3/p' | sort | join - once.txt >functions.txt
hot=$(cut -d' ' -f1 functions.txt | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
address=$(awk -v hot="$hot" '$3 == hot { print $1 }' /proc/kallsyms)
mkdir copy && cp /proc/kallsyms copy || exit 1
python3 - "$address" "$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)" <<'PYTHON' >copy/kcore
import struct, sys
address, text = (int(arg, 16) for arg in sys.argv[1:])
code = b"\xe8" + struct.pack("<i", text + 0x10 - address - 5) + b"\xeb\x01" + b"\x90" * 65536
sys.stdout.buffer.write(struct.pack("<4sBBBx8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0) +
                        struct.pack("<IIQQQQQQ", 1, 7, 120, address, 0, len(code), len(code), 4096) + code)
PYTHON
run "$PERF" annotate -i k.data --kallsyms copy/kallsyms -n "$hot"
is "$rc:$err" "0:" "from a copy of the kernel's memory ($hot)"
is "$(awk '$2 == ":" { n += $1 } END { print n + 0 }' <<<"$out")" "$(grep -c "^$hot " functions.txt)" "with all samples of the function"
like "$out" "^ +[0-9]+ : +$address: +call +[0-9a-f]+ <[A-Za-z_.]+[^ ]*>\$" "calls have names"
like "$out" "jmp +[0-9a-f]+ <$hot\\+0x8>\$" "and jumps"
like "$("$PERF" annotate -i k.data --kallsyms copy/kallsyms --stdio2 "$hot")" '↓ jmp +8$' "in short as well"
: >copy/kcore
run "$PERF" annotate -i k.data --kallsyms copy/kallsyms "$hot"
is "$rc:$out" "255:" "a copy without contents: refused"
like "$err" "Couldn't annotate $hot of \\[kernel.kallsyms\\]: copy/kcore: " "with the reason"

# --- debug information that objdump does not read, or not in a file without its name ---

sourced() { # NAME: as the program was built
	"$PERF" record -q -e cpu-clock:u -c 1000000 -o "$1.data" -- "$HOME/$1" || return
	run "$PERF" annotate --stdio -i "$1.data" hot
	like "$out" ': +[0-9]+ +sum \+= n \* n;' "$1: source lines stand before their instructions"
	like "$out" ': +[0-9]+ +while \(n--\)' "$1: all of them"
	run "$PERF" annotate --stdio --no-source -i "$1.data" hot
	unlike "$out" 'sum \+=' "$1: none with --no-source"
}
for how in split=-gsplit-dwarf 64=-gdwarf64 lto=-flto; do
	if (cd "$HOME" && cc -O1 -g "${how#*=}" -o "${how%=*}" work.c 2>/dev/null); then
		sourced "${how%=*}"
	else
		skip 3 "cc has no ${how#*=}"
	fi
done
if command -v dwz >/dev/null; then
	(cd "$HOME" && cc -O1 -g -o dwz1 work.c && cp dwz1 dwz2 && dwz -m common.debug dwz1 dwz2 2>/dev/null)
	sourced dwz1
else
	skip 3 "needs dwz"
fi

done_testing

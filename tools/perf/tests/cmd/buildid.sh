#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf buildid-list and perf buildid-cache: no other perf is behind them here.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

mkdir bin
ln -s "$PERF" bin/perf
if ! "${CC:-cc}" --version >/dev/null 2>&1 || ! command -v readelf >/dev/null; then
	skip_all "needs a C compiler and readelf"
fi
for name in one two; do
	printf '#include <stdio.h>\nint main(void) { return puts("%s") < 0; }\n' "$name" >$name.c
	"${CC:-cc}" -Wl,--build-id -o $name $name.c || exit 1
done
"${CC:-cc}" -Wl,--build-id=none -o without one.c
id_of() { readelf -n "$1" | sed -nE 's/^ *Build ID: //p'; }
one=$(id_of one)
two=$(id_of two)
home=$WORK/home
mkdir "$home"
export HOME=$home
p() { PATH=$WORK/bin:/nonexistent "$PERF" "$@"; }

# --- the cache ---
run p buildid-cache -v -a one
is "$rc:$out:$err" "0::Adding $one one: Ok" "a program is added"
ok "its copy is where other perfs look" cmp one "home/.debug/.build-id/${one:0:2}/${one:2}/elf"
ok "and below its path" cmp one "home/.debug$WORK/one/$one/elf"
run p buildid-cache --add one,two
is "$rc:$out:$err" "0::" "one that is there already does no harm"
is "$(p buildid-cache -l | sort)" "$(printf '%s\n' "$one $WORK/one" "$two $WORK/two" | sort)" "both are listed"
is "$(p --buildid-dir other buildid-cache -l):$(p buildid-cache --buildid-dir other --list)" ":" "another cache is another one"
if [ -n "$STOCK" ]; then
	is "$("$STOCK" buildid-cache -l 2>/dev/null | sort)" "$(p buildid-cache -l | sort)" "stock perf lists the same"
	"$STOCK" buildid-cache -a /bin/true 2>/dev/null
	like "$(p buildid-cache -l)" "^$(id_of /bin/true) $(readlink -f /bin/true)$" "what stock perf adds is listed"
	run p buildid-cache -r /bin/true
	is "$rc:$("$STOCK" buildid-cache -l 2>/dev/null | sort)" "0:$(p buildid-cache -l | sort)" "and removed"
else
	skip 3 "needs stock perf"
fi
echo more >>"home/.debug$WORK/one/$one/elf"
run p buildid-cache -v -u one
is "$rc:$err" "0:$(printf '%s\n' "Removing $one $WORK/one: Ok" "Updating $one one: Ok")" "a copy is made anew"
ok "as it is now" cmp one "home/.debug$WORK/one/$one/elf"
run p buildid-cache -v -r one
is "$rc:$err" "0:Removing $one $WORK/one: Ok" "the copies of a build-id are removed"
is "$(p buildid-cache -l)" "$two $WORK/two" "the others stay"
ok "nothing is left of it" test ! -e "home/.debug$WORK/one"
cp two three
p buildid-cache -a three
mv two was-two
run p buildid-cache -v -p two
is "$rc:$err" "0:$(printf '%s\n' "Removing $two $WORK/two: Ok" "Purging two: Ok")" "what had a path is purged by it, when it is gone, too"
mv was-two two
p buildid-cache -a one,two
run p buildid-cache -P
is "$rc:$out$err$(p buildid-cache -l):$(find home -type f -o -type l)" "0::" "all is purged"

# Without success
printf 'no program\n' >text
for case in "add nosuch:No such file or directory" "update nosuch:No such file or directory" "add text:it is no ELF file that can be read" \
	"add without:it has no build-id: link it with --build-id" "remove one:the cache has nothing with its build-id; --list shows what it has" \
	"purge one:the cache has nothing of this path; --list shows what it has" "add .:it is no regular file"; do
	read -r verb file <<<"${case%%:*}"
	run p buildid-cache --"$verb" "$file"
	is "$rc:$err" "1:Couldn't $verb $file: ${case#*:}" "--$verb $file says why it does not"
done
run p buildid-cache -a one,nosuch,two
is "$rc:$(p buildid-cache -l | wc -l)" "1:2" "the other files are added all the same"
mkdir -m 777 open
chmod 777 open
run p buildid-cache --buildid-dir open -a one
is "$rc" 1 "a cache that others may write to is refused"
like "$err" "^Couldn't add one: open: others may write to this directory: chmod go-w open$" "with the reason and the remedy"
run p buildid-cache --buildid-dir open -l
is "$rc:$out" "255:" "nor is it listed"
like "$err" "^Couldn't list open: open: others may write to this directory: chmod go-w open$" "for the same reason"
chmod 777 "home/.debug$WORK/one"
run p buildid-cache -l
is "$rc:$out" "1:$two $WORK/two" "a directory in the cache that others may write to is left out, the others are listed"
left="Left out: home/.debug$WORK/one: others may write to this directory: chmod go-w home/.debug$WORK/one"
is "${err//$HOME/home}" "$left" "with a warning that has the remedy"
run p buildid-cache -P
is "$rc:${err//$HOME/home}:$(p buildid-cache -l 2>/dev/null)" "1:$left:" "the others are purged"
chmod 755 "home/.debug$WORK/one"
run p buildid-cache -P
is "$rc:$err:$(find home -type f)" "0::" "after that all are"
run env -u HOME "$PERF" buildid-cache -l
is "$rc" 255 "without a home there is no cache"
like "$err" "^There is no build-id cache: " "and perf says so"
for wrong in "" "-l -a one" "-l -P" "one" "-k /proc/kcore" "--debuginfod -a one" "--target-ns 1 -a one"; do
	# shellcheck disable=SC2086
	run p buildid-cache $wrong
	is "$rc:$out" "129:" "buildid-cache $wrong is a wrong command line"
	like "$err" "Error: " "and says why"
done

# --- recordings ---
p record -q -N -e cpu-clock:u -F 999 -o r.data -- "$WORKLOAD" noploop 0.2 2>/dev/null || exit 1
workload=$(id_of "$WORKLOAD")
run p buildid-list -i r.data
is "$rc:$err" "0:" "the build-ids of a recording are listed"
like "$out" "^$workload $WORKLOAD$" "the program's"
like "$out" '^[0-9a-f]{40} /.*/libc\.so\.6$' "and the libraries'"
all=$out
run p buildid-list -H -i r.data
like "$out" "^$workload $WORKLOAD$" "-H: what samples are in"
unlike "$out" '/libm\.so' "and nothing else"
is "$(grep -vxFf <(echo "$all") <<<"$out")" "" "all of that is in the whole list"
is "$(p buildid-list <r.data | head -c 0; p buildid-list -i - <r.data)" "$all" "from the standard input, too"
p record -q -N -e cpu-clock:u -F 999 -g -o g.data -- "$WORKLOAD" noploop 0.2 2>/dev/null
like "$(p buildid-list -H -i g.data)" '/libc\.so\.6$' "callers count"
p record -q -B -e cpu-clock:u -o b.data -- "$WORKLOAD" noploop 0.01 2>/dev/null
is "$(p buildid-list -i b.data)" "" "without build-ids there are none"
is "$(p buildid-list -i one)" "$one" "that of a program is shown"
is "$(p buildid-list -k)" "$(readelf -n <(cat /sys/kernel/notes) 2>/dev/null | sed -nE 's/^ *Build ID: //p' | grep . || p buildid-list -k)" "that of the kernel"
like "$(p buildid-list -k)" '^[0-9a-f]{40}$' "in hexadecimal"
like "$(p buildid-list -m 2>/dev/null)" "^$(p buildid-list -k) +[0-9a-f]+ +[0-9a-f]+ \[kernel\.kallsyms\]$" "with its addresses"
for wrong in "nosuch:No such file" "text:is not a perf.data file"; do
	run p buildid-list -i "${wrong%%:*}"
	is "$rc:$out" "255:" "buildid-list -i ${wrong%%:*} fails"
	like "$err" "${wrong#*:}" "and says why"
done
run p buildid-list unexpected
is "$rc" 129 "it takes no arguments"

p buildid-cache -P
missing=$(p buildid-cache -M r.data)
is "$missing" "$all" "an empty cache misses all of them"
p buildid-cache -a "$WORKLOAD"
is "$(p buildid-cache -M r.data)" "$(grep -v "^$workload " <<<"$all")" "-M does not list the files that were added"
run p buildid-cache -M nosuch
is "$rc:$out" "255:" "a recording that cannot be read misses nothing"

# A recording's name of a file can be anything: it is shown as text.
odd=$(printf 'odd\033[31m')
mkdir -p "home/.debug/$odd/$two" "home/.debug/.build-id/${two:0:2}"
chmod -R go-w home
cp two "home/.debug/$odd/$two/elf"
ln -s "../../$odd/$two" "home/.debug/.build-id/${two:0:2}/${two:2}"
unlike "$(p buildid-cache -l)" "$(printf '\033')" "paths of the cache are shown without control characters"
like "$(p buildid-cache -l)" "^$two /odd" "as text"
done_testing

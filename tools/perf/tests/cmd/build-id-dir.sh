#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf --buildid-dir DIR COMMAND: the build-id cache of our commands and of those that are passed on. And what record puts there.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cp "$WORKLOAD" worker
id=$(readelf -n worker 2>/dev/null | sed -nE 's/^ *Build ID: //p')
[ -n "$id" ] || skip_all "the workload has no build-id: readelf or the linker's --build-id is missing"
link=.build-id/${id:0:2}/${id:2}

# A perf that stands in for the distribution's: it shows its command line.
mkdir other
printf '#!/bin/sh\necho "other: $*"\n' >other/perf
chmod +x other/perf
is "$(PATH=$WORK/other:$PATH "$PERF" --buildid-dir some.dir c2c report)" "other: --buildid-dir some.dir c2c report" "it is handed on"
is "$(PATH=$WORK/other:$PATH "$PERF" --no-pager --buildid-dir some.dir c2c x)" "other: --buildid-dir some.dir c2c x" "behind --no-pager, too"
run "$PERF" --buildid-dir
is "$rc" 129 "it needs a directory"
like "$err" '^--buildid-dir takes a directory' "and says so"

# The cache has what was deleted.
mkdir -p "kept/bin/$id" "kept/${link%/*}"
cp worker "kept/bin/$id/elf"
ln -s "../../bin/$id" "kept/$link"
"$PERF" record -q -N -e cpu-clock:u -F 4999 -o a.data -- ./worker noploop 0.1 2>/dev/null
rm worker
unlike "$("$PERF" report --stdio -s sym -i a.data 2>/dev/null)" ' noploop$' "a deleted file has no names"
like "$("$PERF" --buildid-dir kept report --stdio -s sym -i a.data 2>/dev/null)" ' noploop$' "report has them from the cache"
like "$("$PERF" --buildid-dir kept script -F ip,sym -i a.data 2>/dev/null | sort | uniq -c)" ' noploop$' "so has script"
unlike "$("$PERF" --buildid-dir kept report --buildid-dir none --stdio -s sym -i a.data 2>/dev/null)" ' noploop$' "the command's own option is stronger"
printf "[buildid]\n\tdir = none\n" >own.config
like "$(PERF_CONFIG=$WORK/own.config "$PERF" --buildid-dir kept report --stdio -s sym -i a.data 2>/dev/null)" ' noploop$' "what perfconfig says is weaker"

# --- record --buildid-all ---
cp "$WORKLOAD" worker
mkdir -m 700 all some
run "$PERF" --buildid-dir all record -q --buildid-all -e cpu-clock:u -F 4999 -o all.data -- ./worker noploop 0.1
is "$rc" 0 "all files are to be kept"
ok "there is a link to the program's copy" test -h "all/$link"
ok "which is its copy" cmp worker "all/$link/elf"
ok "and a program" test -x "all/$link/elf"
like "$(find all -path '*ld-*' -name elf)" . "libraries are kept, too"
"$PERF" --buildid-dir some record -q -e cpu-clock:u -o some.data -- ./worker noploop 0.01 2>/dev/null
is "$(find some -name elf)" "" "without the option files that all see are not"
for command in "record -N" "record -B" "sample-bpf -N"; do
	# shellcheck disable=SC2086
	run "$PERF" --buildid-dir some $command --buildid-all -e cpu-clock:u -o some.data -- ./worker noploop 0.01
	is "$rc:$out" "129:" "$command --buildid-all is refused"
	like "$err" "^--buildid-all copies files to the build-id cache, and ${command#* } " "with the reason"
done
if [ -n "$STOCK" ]; then
	like "$("$STOCK" --buildid-dir "$WORK/all" buildid-cache -l 2>/dev/null)" "^$id " "stock perf lists the copy"
	like "$("$STOCK" buildid-list -i all.data 2>/dev/null)" "^$id " "and finds the build-id in the recording"
fi
rm worker
like "$("$PERF" --buildid-dir all report --stdio -s sym -i all.data 2>/dev/null)" ' noploop$' "what was deleted since has its names"
done_testing

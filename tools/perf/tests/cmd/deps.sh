#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the build says of packages that are missing, and that make demo makes all that README goes on with.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

check=$SOURCE/check-deps/check.sh
needed=$(sed -nE 's/^build +.*/&/p' "$SOURCE/check-deps/packages" | wc -l)
ok "the list names what the build needs" test "$needed" -ge 20

run "$check" build
is "$rc:$err" 0: "here nothing is missing"

# A compiler that finds no header of these
without() {
	local header
	printf '#!/bin/sh\nfor arg; do case $arg in *.c) probe=$arg ;; esac; done\n' >cc
	for header; do
		printf 'grep -q "<%s" "$probe" && exec gcc -I"%s" -nostdinc "$@"\n' "$header" "$WORK" >>cc
	done
	printf 'exec gcc "$@"\n' >>cc
	chmod +x cc
}
without capstone/capstone.h curl/curl.h
run env CC="$WORK/cc" "$check" build
is "$rc" 0 "perf can be built without libcapstone and libcurl"
is "$(wc -l <<<"$err")" 2 "and a line for each says what it will lack"
like "$err" '^perf will lack the keys of data types .*\(install libcapstone-dev\)$' "libcapstone: the keys of data types"
like "$err" '^perf will lack perf sample-bpf --push.*\(install libcurl4-openssl-dev\)$' "libcurl: --push"
run env CC="$WORK/cc" DEPS=no "$check" --install build optional
is "$rc" 0 "DEPS=no: the build goes on without them"
is "$(tail -n 1 <<<"$err")" "Run as root: apt-get install --no-install-recommends libcapstone-dev libcurl4-openssl-dev " "and names the packages"

without gelf.h curl/curl.h
run env CC="$WORK/cc" "$check" build
is "$rc:$(grep -c '' <<<"$err")" 1:3 "it cannot be built without libelf"
like "$err" '^missing: libelf headers \(install libelf-dev\)$' "which is named"
unlike "$err" 'error' "and no error of the compiler is shown for what a package has"

printf '#!/bin/sh\necho "cc: internal error: no memory" >&2\nexit 1\n' >cc
run env CC="$WORK/cc" "$check" build
like "$err" '^check-deps/libelf.c: cc: internal error: no memory$' "other errors of the compiler are shown, with the probe"

# What make would do in an empty directory; -n goes on into the inner make.
goals() {
	make -n -s --no-print-directory -C "$SOURCE" -f Makefile.perf O="$WORK/empty" "$@" 2>/dev/null | sed -nE "s|^.*printf '  %-8s%s.n' ([A-Z]+) ([^;]*);.*|\1 \2|p" | sort -u
}
all=$(goals all)
like "$all" "^PAGE $WORK/empty/flamegraph.html" "make all makes the page of flame graphs"
like "$all" "^HELP $WORK/empty/help/perf-filter.txt" "and the pages of perf help"
is "$(comm -23 <(echo "$all") <(goals demo))" "" "make demo makes all of it"

run "$PERF" version --build-options
for feature in debuginfod libcapstone libcurl; do
	like "$out" " $feature: \[ on  \]" "this perf has $feature"
done

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the Debian package builds and holds, without its tools and around the perf under test. make test-distros builds the whole package, and tries it
# where nothing else is installed.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
command -v asciidoctor >/dev/null || skip_all "no asciidoctor, which makes the manual pages"

output=$(dirname "$PERF")
# -o keeps make from building a perf for other paths.
perf="make -s --no-print-directory -C $SOURCE -f Makefile.perf O=$output -o $output/perf PREFIX=/usr EXEC_PATH=/usr/lib/perf-bpf"
run make -s -f "$SOURCE/install/debian/rules" SOURCE="$SOURCE" perf="$perf" override_dh_auto_build override_dh_auto_install
is "$rc" 0 "the package's rules build and install"
[ "$rc" = 0 ] || note "$err"

root=debian/perf-bpf
is "$("$root/usr/lib/perf-bpf/perf" version)" "$("$PERF" version)" "the package has perf"
for name in perf-bpf perf-sample-bpf; do
	is "$(readlink "$root/usr/bin/$name")" ../lib/perf-bpf/perf "$name is that perf"
done
for file in flamegraph.html help/perf-filter.txt; do
	ok "$file is beside it" test -s "$root/usr/lib/perf-bpf/$file"
done
is "$(find "$root" -name '*.[17]' | wc -l)" "$(find "$SOURCE/Documentation" -name 'perf*.txt' -exec sed -sn '1{/^perf[a-z-]*([17])$/p}' {} + | wc -l)" "it has all manual pages"
is "$(find "$root/usr/share/man" -name 'perf.1' -o -name 'perf-record.1')" "" "none by the name of one in linux-perf"
for page in "$root"/usr/lib/perf-bpf/man/*; do
	target=$root/$(readlink "$page" | sed 's,^\(\.\./\)*,usr/,; s/\.gz$//')
	ok "perf help finds ${page##*/}" test -s "$target"
done

# Each optional library that is loaded at run time is suggested; the others come from the dependencies of the program.
suggested=$(sed -n 's/^Suggests: //p' "$SOURCE/install/debian/control")
for library in libcurl libcapstone libdebuginfod; do
	like "$suggested" "\\b${library}[0-9]" "the package suggests $library"
done
built=$(sed -n 's/^Build-Depends: //p' "$SOURCE/install/debian/control")
while read -r kind package _; do
	[[ $kind = @(build|optional) && $package != @(gcc|make|binutils|libc6-dev|libdebuginfod-dev) ]] || continue
	like "$built" "\\b$package(,|\$)" "it is built with $package"
done <"$SOURCE/check-deps/packages"

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make install, what it installed, and make uninstall.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

output=$(dirname "$PERF")
# The perf under test is the one to install: -o keeps make from building another.
make_it() {
	run make -s --no-print-directory -C "$SOURCE" -f Makefile.perf O="$output" -o "$output/perf" DESTDIR="$WORK/root" "$@"
}

have_asciidoctor() {
	command -v asciidoctor >/dev/null
}
have_asciidoctor || skip_all "no asciidoctor, which makes the manual pages"

make_it install ASCIIDOCTOR=no-such-tool
is "$rc:$err" "0:Manual pages are left out: install asciidoctor and run make install again" "make install works without asciidoctor"
ok "and leaves the manual pages out" test ! -e root/usr/local/share/man
run env DEPS=no PATH=/usr/bin:/bin CC=no-such-compiler "$SOURCE/check-deps/check.sh" --install build
is "$rc:$(tail -n 1 <<<"$err" | cut -d' ' -f-5)" "1:Run as root: apt-get install" "DEPS=no: what is missing is named, not installed"

make_it install
is "$rc:$err" 0: "make install succeeds, and nothing is wrong with the pages"
for command in $("$PERF" --list-cmds); do
	page=root/usr/local/share/man/man1/perf-$command.1
	name=perf-$command
	ok "there is a manual page of $command" grep -qF ".TH \"$(sed 's/-/\\-/g' <<<"${name^^}")\" \"1\"" "$page"
	for section in EXAMPLES OVERHEAD; do
		ok "it has the section $section" grep -q "^.SH \"$section\"" "$page"
	done
done
ok "there are manual pages of section 7" test -s root/usr/local/share/man/man7/perf-filter.7 -a -s root/usr/local/share/man/man7/perf-wall.7
is "$(readlink root/usr/local/bin/perf-sample-bpf)" perf "other perfs find perf-sample-bpf"

if [ "$(id -u)" = 0 ]; then
	# As it would be after an installation; nobody else sees it.
	as_installed() {
		# shellcheck disable=SC2016 # for the inner shell
		run unshare -m sh -c 'mount --bind "$0/root/usr/local" /usr/local && "$@"' "$WORK" "$@"
	}
	as_installed /usr/local/bin/perf help filter
	is "$rc" 0 "the installed perf runs"
	like "$out" '^(perf-filter\(7\)|PERF-FILTER\(7\) .*)' "and has its pages"
	unlike "$out" '^[-=~]{4,}$|::$|^[.]{4}$' "as text for people, into a pipe, too"
	as_installed env PATH="$WORK/none" /usr/local/bin/perf help filter
	is "$out" "$(awk -f "$SOURCE/install/plain-text.awk" "$SOURCE/Documentation/perf-filter.txt")" "without man, too"
	if command -v man >/dev/null; then
		as_installed env MANPAGER=cat PAGER=cat script -qec '/usr/local/bin/perf record --help' /dev/null
		like "$out" 'PERF-RECORD\(1\)' "on a terminal perf record --help is the manual page"
	else
		skip 1 "needs man"
	fi
	as_installed /usr/local/bin/perf version
	is "$out" "$("$PERF" version)" "and is the perf that was installed"
	if [ -n "$STOCK" ]; then
		as_installed env PATH="/usr/local/bin:$PATH" "$STOCK" sample-bpf --key nothing true
		is "$rc" 129 "the perf of the distribution has sample-bpf as a subcommand"
		like "$err" '^--key also takes comm' "which is ours"
	else
		skip 2 "no other perf"
	fi
else
	skip 6 "mounts need root"
fi

make_it uninstall
is "$rc:$err" 0: "make uninstall succeeds"
is "$(find root -type f -o -type l)" "" "and leaves nothing"
is "$(find root -path '*/libexec*')" root/usr/local/libexec "of its directories neither, but those above"
make_it uninstall
is "$rc:$err" 0: "where nothing is installed make uninstall does nothing"

done_testing

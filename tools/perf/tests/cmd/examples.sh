#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every example in the pages runs. An example is a literal paragraph (indented, after an empty line or a '+') that begins with 'perf':
# one script, run as it stands by a shell that has this perf on its PATH, in a directory of its own. So are those of README.md, and what `make demo` runs.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

mkdir bin
ln -s "$PERF" bin/perf
export PATH=$WORK/bin:$PATH

# extract PAGE: each example into PAGE.LINE/example. README.md has them behind four blanks.
extract() {
	sed 's/^    /\t/' "$1" | awk -v page="$(basename "${1%.*}")" '
		/^\tperf / && before ~ /^\+?$/ {
			dir = page "." NR
			system("mkdir " dir)
		}
		!/^\t/ { dir = "" }
		dir { print substr($0, 2) > (dir "/example") }
		{ before = $0 }'
}
for page in "$SOURCE"/Documentation/*.txt "$SOURCE/../../README.md"; do
	extract "$page"
done
# All pages that say so have some, but those whose examples set a variable, or need root, before perf.
for page in "$SOURCE"/Documentation/*.txt; do
	name=$(basename "${page%.txt}")
	grep -qx EXAMPLES "$page" && [[ $name != perf-@(config|privilege) ]] || continue
	ok "the page $name has examples that run" test -n "$(compgen -G "$name.*/example")"
done
for page in perf-filter README; do
	ok "$page has examples, too" test -n "$(compgen -G "$page.*/example")"
done

# Many at once, as most of them only wait for a recording to end; not all, as each that records all CPUs has work with the others.
seconds=300
[ -z "$SANITIZED" ] || seconds=900
examples=(*.*/example)
# shellcheck disable=SC2016 # for the inner shell
printf '%s\n' "${examples[@]%/*}" |
	with_tracefs xargs -P 12 -I{} sh -c 'cd "{}" && timeout "$0" bash -e -o pipefail example >out 2>&1 </dev/null; echo $? >rc' $seconds
for example in "${examples[@]%/*}"; do
	rc=$(<"$example/rc")
	# SIGPIPE is what a long list gets from head, when it has seen enough.
	if [ "$rc" = 0 ] || { [ "$rc" = 141 ] && grep -q '| head' "$example/example"; }; then
		pass "the example of $example runs"
	else
		fail "the example of $example runs" "exit status $rc:" "$(<"$example/example")" "$(<"$example/out")"
	fi
done
# Its output goes into a pipe, as into less(1).
demo=$("$SOURCE/tests/demo.sh" 2>/dev/null | cat)
like "$demo" '\[\.\] render_frame' "make demo shows its report, in a pipe too"
done_testing

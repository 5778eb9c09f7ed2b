#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings in odd surroundings: closed descriptors, small limits, targets that do not stand still.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

nr_samples() {
	"$PERF" script -i "$1" -F tid 2>/dev/null | grep -c .
}

# --- standard descriptors that are closed ---

# -vv and the fallback of cycles print while the command waits for its start
# shellcheck disable=SC2016 # for the inner shell
for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
	rm -f x.data
	run sh -c "exec $closed; "'exec "$@"' sh "$PERF" record -vv -e cycles --filter 'pid != 1' -o x.data -- "$PERF" test -w noploop 0.2
	is "$rc" 0 "$closed: records"
	ok "$closed: the samples are there" test "$(nr_samples x.data)" -gt 10
	run sh -c "exec $closed; "'exec "$@"' sh "$PERF" record -e cycles -o x.data -- no-such-command-of-ours
	is "$rc" 255 "$closed: a command that does not exist"
done
run sh -c 'exec 1>&-; exec "$0" report --header-only -i x.data' "$PERF"
is "$rc" 1 "a report that nobody can read is an error"
run sh -c 'exec 0<&- 2>&-; exec "$0" record -q -o x.data -- sh -c "ls -l /proc/self/fd"' "$PERF"
unlike "$out" ' (0|2) -> /$' "what is held in their place is not passed on"

done_testing

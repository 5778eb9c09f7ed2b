#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Files that nobody recorded.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

hostile() {
	"$SOURCE/tests/cmd/hostile.py" "$@"
}

# Of CPU time: what hangs ends, and fails.
limited() {
	(
		ulimit -t 60
		"$@"
	)
}

# A tracepoint's format chooses how wide its numbers are, or lets each record choose.
shows() {
	hostile print wide.data "$1" "$2" "$3" 400
	run limited "$PERF" script -F trace -i wide.data
	is "$rc:$(sort <<<"$out" | uniq -c | sed 's/^ *//')" "0:400 $4" "script shows $1 of $2 and $3"
	run limited "$PERF" report --stdio -s trace -F trace,sample -i wide.data
	is "$(grep -v '^#' <<<"$out" | sed '/^$/d; s/^ *//; s/ *400 *$//')" "${4#"${4%%[! ]*}"}" "and so does report"
	for field in w a; do
		run limited "$PERF" report --stdio -s "test:x.$field" -F "test:x.$field,sample" -i wide.data
		like "$rc:$out" '^0:' "report -s test:x.$field comes to its end"
	done
}
shows '"%4d|%s", REC->a, REC->text' 3 42 '  42|text'
shows '"%999999999d", REC->a' 3 42 '[FAILED TO PARSE] w=3 a=42 text=text'
shows '"%.99999999d", REC->a' 3 42 '[FAILED TO PARSE] w=3 a=42 text=text'
shows '"%99999999s", REC->text' 3 42 '[FAILED TO PARSE] w=3 a=42 text=text'
shows '"%*d", REC->w, REC->a' 99999999 42 ' w=99999999 a=42 text=text'
shows '"%*d", REC->w, REC->a' -1 99999999 ' w=-1 a=99999999 text=text'
shows '"%.*s", REC->w, REC->text' -1 99999999 ' w=-1 a=99999999 text=text'
shows '"%*d", 1 / REC->w, REC->a' 0 42 ' w=0 a=42 text=text'

done_testing

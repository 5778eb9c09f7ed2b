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

# Another process cuts the recording off when it has been mapped, or in the middle of its records.
${CC:-cc} -shared -fPIC -O1 -o cut-input.so "$SOURCE/tests/cmd/cut-input.c" || exit 1
mkdir dir
NR=400000 # 10 MB of samples: many batches for the thread that reads ahead
hostile samples whole.data $NR
message() {
	echo "$1 was cut off while it was read: read it when nobody writes to it, or a copy of it"
}

# cut SIZE COMMAND...: exit status and message, and nothing is left behind
cut() {
	local size=$1
	shift
	cp whole.data dir/cut.data
	run preloaded "$PWD/cut-input.so" env CUT_FILE=dir/cut.data CUT_SIZE="$size" "$@" -i dir/cut.data
	is "$rc:$err:$(ls dir)" "255:$(message dir/cut.data):cut.data" "cut to $size: $*"
}
pinned="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" # a single CPU: no thread reads ahead
for how in evlist "report --header-only" "script --header-only" "report --stdio" "script -F time"; do
	# shellcheck disable=SC2086 # words
	for size in 0 4000 4000000; do
		cut $size "$PERF" $how
	done
done
export CUT_LATE=yes
for how in "report --stdio" "report -D" "report --stdio --pprof=dir/out.pb.gz" "script -F time" "script --per-event-dump -F time"; do
	# shellcheck disable=SC2086 # words
	for size in 0 9500001; do # before and behind what has been read ahead
		cut $size "$PERF" $how
		cut $size $pinned "$PERF" $how
	done
done
unset CUT_LATE
run "$PERF" script -i whole.data -F tid
is "$rc:$(wc -l <<<"$out")" "0:$NR" "a recording that stays is read to its end"

# A directory is first copied: the kernel, too, may be the one who reads.
mkdir dir.data
cp whole.data dir.data/data
run preloaded "$PWD/cut-input.so" env CUT_FILE=dir.data/data CUT_SIZE=4096 "$PERF" script -i dir.data
is "$rc:$err" "255:$(message dir.data/data)" "a directory that is cut off"

# The pager shows what came before, then the message, and is waited for. It is slow: output waits for it when the loss is met.
cp whole.data dir/cut.data
cat >paged.py <<-'END'
	import os, pty, sys, termios
	pid, tty = pty.fork()
	if not pid:
	    os.execvp(sys.argv[1], sys.argv[1:])
	before = termios.tcgetattr(tty)
	seen = b""
	while True:
	    try:
	        part = os.read(tty, 65536)
	    except OSError:
	        break
	    if not part:
	        break
	    seen += part
	os.write(1, seen.replace(b"\r\n", b"\n"))
	os.write(1, b"status %d, terminal %s\n" % (os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), b"as before" if termios.tcgetattr(tty) == before else b"changed"))
END
export TERM=xterm PERF_PAGER="sleep 0.3; tail -n 1 | tr -d '\\r\\033'; echo PAGED"
run preloaded "$PWD/cut-input.so" env CUT_LATE=yes CUT_FILE=dir/cut.data CUT_SIZE=9500001 python3 paged.py "$PERF" script -F time -i dir/cut.data
is "$(tail -n 3 <<<"$out")" "$(message dir/cut.data)
PAGED
status 255, terminal as before" "a pager ends with the message"
unset PERF_PAGER

done_testing

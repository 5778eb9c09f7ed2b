#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings that are killed at random moments, PERF_KILLS times, or whose output goes away: what was written is read up to the last
# complete record, and it is said that something may be missing.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

kills=${PERF_KILLS:-10}
hurt='the file (ends in the middle of a record|was not finished)'

# complete_samples FILE: by the format alone: records from the header's data offset on, of which the last one may be torn
complete_samples() {
	python3 - "$1" <<-'PY'
		import struct, sys
		file = open(sys.argv[1], 'rb').read()
		at, nr = struct.unpack_from('<Q', file, 40)[0], 0
		while at + 8 <= len(file):
		    kind, _, size = struct.unpack_from('<IHH', file, at)
		    if size < 8 or at + size > len(file):
		        break
		    nr += kind == 9
		    at += size
		print(nr)
	PY
}

# judge FILE [PLAIN]: what is wrong with reading it; nothing if all is well
judge() {
	run "$PERF" report --stdio -i "$1"
	[ "$rc" = 0 ] || echo "report ended with $rc: $err"
	grep -qE "$hurt" <<<"$err" || echo "not told to be unfinished: $err"
	run "$PERF" script -i "$1" -F tid
	[ "$rc" = 0 ] || echo "script ended with $rc: $err"
	[ -z "$2" ] || [ "$(grep -c . <<<"$out")" = "$(complete_samples "$1")" ] ||
		echo "$(grep -c . <<<"$out") samples of $(complete_samples "$1")"
}

# --- killed ---

spawn "$WORKLOAD" noploop 10000 2>/dev/null
early=0
wrong=
for ((i = 0; i < kills; i++)); do
	modes=("" "-g" "-z" "-g -z")
	mode=${modes[i % 4]}
	rm -f k.data
	# shellcheck disable=SC2086 # several words
	"$PERF" record -a -F 9999 -e cpu-clock $mode -o k.data 2>/dev/null &
	recorder=$!
	# The moment is what this is about: from the very start to well within the recording, for which half of them have begun to write.
	[ $((i / 4 % 2)) = 1 ] || wait_for 60 test -s k.data
	sleep "0.$(printf %03d $((RANDOM % 500)))"
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	if [ ! -s k.data ]; then
		early=$((early + 1))
		continue
	fi
	problem=$(judge k.data "$([[ $mode = *-z* ]] || echo plain)")
	[ -z "$problem" ] || wrong+="kill $i, $mode: $problem"$'\n'
done
is "$wrong" "" "after each of $kills kills what was written is read, and said to be unfinished"
ok "most of them came when there was a file ($early too early)" test $((early * 2)) -le "$kills"

# --- whoever reads a pipe ends ---

# Records have a multiple of 8 bytes: each of these is in the middle of one.
for bytes in 3001 50001 200001; do
	# shellcheck disable=SC2016 # for the inner shell
	run bash -c '"$0" record -q -a -F 9999 -g -e cpu-clock -o - | head -c "$1" >cut.pipe; echo "${PIPESTATUS[0]}"' "$PERF" "$bytes"
	is "$out" 255 "$bytes bytes of a pipe: perf ends"
	like "$err" '^Nobody reads the recording any more' "and says why"
	run bash -c '"$0" report --stdio -i - <cut.pipe' "$PERF"
	is "$rc" 0 "what came through is read"
	like "$err" "$hurt" "and said to be not all"
done

done_testing

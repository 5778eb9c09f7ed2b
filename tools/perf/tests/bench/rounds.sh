#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Proof that counting goes on for ever: an hour of 'perf sample-bpf -I 1000 -F 99 -a', with a clock that runs SPEED times as fast. So each of
# its ROUNDS is as short and as full as that makes it: 99 samples of each CPU. Meanwhile processes come and go, and no CPU is idle, since
# kernels may stop the clock of those that are. What is shown is the memory of perf and of its BPF maps on the way, and where the samples
# are in the end, beside those of a perf record of the same time; it fails if something grows or is missing.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to prove}")
ROUNDS=${ROUNDS:-3600}
SPEED=${SPEED:-20}
interval=$((1000 / SPEED))
rate=$((99 * SPEED))
work=$(mktemp -d /tmp/perf-rounds.XXXXXX)
perf_pid=
others=()
trap 'kill $perf_pid "${others[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
failed=0

# must WHAT COMMAND...
must() {
	local what=$1
	shift
	"$@" || { echo "FAILED: $what"; failed=1; }
}

# within PERCENT A B
within() {
	awk -v p="$1" -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) * 100 <= p * b) }'
}

rss() {
	awk '/^VmRSS:/ { print $2 }' "/proc/$perf_pid/status"
}

# the memory of all BPF maps that perf holds, in KiB; one that it holds twice counts once
map_kib() {
	awk '/^memlock:/ { bytes = $2 } /^map_id:/ { of[$2] = bytes } END { for (id in of) sum += of[id]; print int(sum / 1024) }' \
		/proc/"$perf_pid"/fdinfo/* 2>/dev/null
}

nr_fds() {
	find "/proc/$perf_pid/fd" -mindepth 1 2>/dev/null | wc -l
}

# sleep_until SECONDS: since $begin, a time of $EPOCHREALTIME
sleep_until() {
	sleep "$(awk -v a="$begin" -v b="$EPOCHREALTIME" -v s="$1" 'BEGIN { t = a + s - b; print (t > 0 ? t : 0) }')"
}

churn() {
	while :; do
		bash -c ':' | cat >/dev/null
		gzip -c "$PERF" | head -c 100000 >/dev/null
	done
}

part_of() {
	awk -v n="$ROUNDS" -v ms="$interval" -v percent="$1" 'BEGIN { print n * ms * percent / 100000 }'
}

echo "$ROUNDS rounds of $interval ms at $rate Hz on all CPUs: $(part_of 100) s in the place of $ROUNDS s at 99 Hz"
churn 2>/dev/null &
others+=($!)
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	nice taskset -c "$cpu" "$PERF" test -w noploop 1000000 &
	others+=($!)
done
"$PERF" record -q -a -e cpu-clock -F "$rate" -o plain.data -- sleep "$(part_of 100)" &
plain_pid=$!
"$PERF" sample-bpf -v -a -e cpu-clock -F "$rate" -I "$interval" --filter 'comm != perf' -o rounds.data 2>err &
perf_pid=$!
begin=$EPOCHREALTIME

printf '%6s %14s %14s %6s %14s\n' time 'perf RSS KiB' 'BPF maps KiB' fds 'file bytes'
declare -A memory maps fds
for percent in 10 50 100; do
	sleep_until "$(part_of $percent)"
	memory[$percent]=$(rss) maps[$percent]=$(map_kib) fds[$percent]=$(nr_fds)
	printf '%5d%% %14d %14d %6d %14d\n' $percent "${memory[$percent]}" "${maps[$percent]}" "${fds[$percent]}" "$(stat -c %s rounds.data)"
done
kill -INT "$perf_pid"
wait "$perf_pid" || true
perf_pid=
wait "$plain_pid"
kill "${others[@]}"

read -r seen dropped counted <<<"$(sed -nE 's/.*: ([0-9]+) seen, ([0-9]+) dropped, ([0-9]+) counted, .*/\1 \2 \3/p' err)"
in_file=$("$PERF" report --stdio -n -g none --no-children -s comm -i rounds.data 2>/dev/null | awk '/%/ && !/^#/ { n += $2 } END { print n + 0 }')
rounds=$("$PERF" report --stats -i rounds.data 2>/dev/null | awk '/FINISHED_ROUND/ { print $3; exit }')
echo "rounds written: $rounds"
echo "samples: ${seen:-no} seen = ${counted:-no} counted + ${dropped:-no} dropped by the filter; the file stands for $in_file"
plain=$("$PERF" report --stats -i plain.data 2>/dev/null | awk '/SAMPLE events/ { print $3; exit }')
awk -v seen="${seen:-0}" -v plain="$plain" 'BEGIN { printf "perf record beside it: %d samples, %.2f %% of those seen\n", plain, 100 * plain / seen }'
must "perf told what it counted" test -n "${seen:-}"
must "all that was seen is counted or dropped" test "${seen:-0}" -eq $((${counted:-0} + ${dropped:-0}))
must "all that was counted is in the file" test "${counted:-0}" -eq "$in_file"
must "perf record took as many in the same time, within 1 %" within 1 "${plain:-0}" "${seen:-0}"
must "the filter dropped some" test "${dropped:-0}" -gt 0
must "there were that many rounds" test "${rounds:-0}" -ge $((ROUNDS * 95 / 100))
must "perf's memory does not grow by more than a MiB" test "${memory[100]}" -le $((memory[10] + 1024))
must "the maps do not grow" test "${maps[10]}:${maps[50]}" = "${maps[100]}:${maps[100]}"
must "no descriptors are left open" test "${fds[10]}:${fds[50]}" = "${fds[100]}:${fds[100]}"
[ $failed = 0 ] || cat err
exit $failed

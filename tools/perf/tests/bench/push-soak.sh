#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A soak of perf sample-bpf --push: SECONDS_LONG (an hour) of '-a -F 99' in rounds of 10 s to SCHEME (otlp), while no CPU is idle and processes
# come and go all the time. The receiver is away for a tenth of it. Shown are perf's memory of its own, which grows until perf forgets what has
# ended, and CPU time on the way; it fails if the peak of the second half is above that of the first half, if perf takes 1 % of a CPU or more, or if the receiver has not all that was counted.
# LOAD=no: put no load on the machine, if it has some.
set -eu
export LC_ALL=C

PERF=$(readlink -f "${PERF:?names the perf to prove}")
here=$(dirname "$(readlink -f "$0")")
seconds=${SECONDS_LONG:-3600}
scheme=${SCHEME:-otlp}
work=$(mktemp -d /tmp/perf-soak.XXXXXX)
pids=()
cleanup() {
	touch "$work/stop"
	kill "${pids[@]}" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
cd "$work"
failed=0

for python in python3 /usr/bin/python3; do
	"$python" -c 'import google.protobuf' 2>/dev/null && break
done
proto=/usr/share/gocode/src/github.com/google/pprof/proto
mkdir decoder got
protoc --proto_path=$proto --python_out=decoder $proto/profile.proto

serve() {
	rm -f got/port
	"$python" "$here/../cmd/push-server.py" got "$@" &
	server=$!
	pids+=("$server")
	until [ -e got/port ]; do sleep 0.1; done
	port=$(<got/port)
}
churn() {
	while [ ! -e stop ]; do
		bash -c ':' | cat >/dev/null
		gzip -c "$PERF" | head -c 100000 >/dev/null
	done
}
must() { # WHAT COMMAND...
	local what=$1
	shift
	"$@" || { echo "FAILED: $what"; failed=1; }
}
# perf's own CPU time in ms; its threads' are in it
cpu_ms() {
	awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / tick }' "/proc/$perf_pid/stat"
}
anonymous() {
	awk '/^Anonymous:/ { print $2 }' "/proc/$perf_pid/smaps_rollup"
}

serve
if [ "${LOAD-}" != no ]; then
	for ((i = 0; i < $(nproc); i++)); do
		churn &
		pids+=($!)
	done
fi
# shellcheck disable=SC2016 # for the inner shell
"$PERF" sample-bpf -v -e cpu-clock -a -F 99 --push "$scheme+http://127.0.0.1:$port" --spool spool -- \
	sh -c 'while [ ! -e stop ]; do sleep 1; done' >told 2>&1 &
perf_pid=$!
pids+=("$perf_pid")
begin=$SECONDS
peaks=(0 0)
away=0
echo "after   memory   CPU (of one, since the start)   bodies   in the spool"
for ((step = 1; step <= 20; step++)); do
	while [ $((SECONDS - begin)) -lt $((seconds * step / 20)) ]; do
		sleep 1
		now=$(anonymous)
		half=$((step > 10))
		[ "$now" -le "${peaks[half]}" ] || peaks[half]=$now
	done
	share=$(awk -v ms="$(cpu_ms)" -v s=$((SECONDS - begin)) 'BEGIN { printf "%.3f", ms / s / 10 }')
	printf '%5d s %6d KiB %7s %% %24d %8d\n' $((SECONDS - begin)) "$now" "$share" "$(find got -name '*.body' | wc -l)" \
		"$(find spool -name '0*' | wc -l)"
	if [ $step = 10 ]; then
		kill "$server"
		away=1
	elif [ $step = 12 ]; then
		serve "$port"
		away=0
	fi
done
touch stop
wait "$perf_pid" || true
must "the receiver is back" test $away = 0
must "memory grew: ${peaks[0]} KiB at most in the first half, ${peaks[1]} in the second" test "${peaks[1]}" -le $((peaks[0] * 5 / 4))
must "perf took $share % of a CPU" awk -v s="$share" 'BEGIN { exit !(s < 1) }'
PYTHONPATH=decoder PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python "$python" "$here/../cmd/push-decode.py" got >decoded
received=$(awk '$1 == "sample" { n += $3 } END { printf "%d", n }' decoded)
counted=$(sed -nE 's/^\[ perf sample-bpf: Counted ([0-9]+) samples.*/\1/p' told)
must "perf counted $counted samples, the receiver got $received" test "$counted" = "$received"
grep -E '^(\[|push:|cannot|.*(lost|wait|again))' told
echo "counted $counted samples, received $received; memory at most ${peaks[0]} KiB in the first half, ${peaks[1]} KiB in the second; $share % of a CPU"
exit $failed

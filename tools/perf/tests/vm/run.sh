#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-kernels: the tests of filters on other kernels, booted in qemu without KVM: one line of results for each, then a table of
# what each can do.
#	PERF=build/perf tests/vm/run.sh [SERIES...]
# ATTACKS=rounds (make proof-attacks) runs attacks.sh in the guests instead, so many rounds or as many as the time allows; the series "here" is
# this machine without a guest. TIME_LIMIT is in seconds for each.
# PARTS=stacks runs only this part of what guests do: filters, stacks, counts, functions, locks, calls, works, sched, code, hotplug, clocks. UNITS= leaves out the unit tests, which take most of the time. SYSROOT is where the libraries of a perf for another architecture are (see sysroot.sh).
# A series is the beginning of a version (6.1, 7), see kernel.sh. What the guests printed is in
# vm/<series>.log beside perf, and so are the kernels.
set -eu
export LC_ALL=C
cd "$(dirname "$0")"
PERF=$(readlink -f "${PERF:?names the perf to test}")
build=$(dirname "$PERF")
work=$build/vm
# A guest runs 20 times slower than its host, and tests load hundreds of programs.
limit=${TIME_LIMIT:-600}

# The guest's architecture is perf's.
machine=$(readelf -h "$PERF" | sed -n 's/ *Machine: *//p')
case $machine in
*X86-64) arch=amd64 ;;
AArch64) arch=arm64 ;;
*)
	echo "there are guests for x86-64 and arm64, this perf is for $machine" >&2
	exit 2
	;;
esac
[ $# -gt 0 ] || set -- 5.10 5.15 6.1 6.2 6.12 6.18 7

mkdir -p "$work"
suffix=${ATTACKS:+-attacks}
read -ra parts <<<"${PARTS:-filters stacks counts functions locks calls works sched code hotplug clocks}"
scripts=(guest.sh) units=()
for part in "${parts[@]}"; do
	scripts+=("guest-$part.sh")
	case ${UNITS-$part} in
	filters)
		units+=("$build"/tests/unit/judge/{bpf-filter,bpf-filter-terms,bpf-filter-code,bpf-filter-load} \
			"$build"/tests/unit/source/{offcpu,tally,tally-table,tracepoint-source} "$build"/tests/unit/sampler/{rings,sampler})
		;;
	locks) units+=("$build/tests/unit/bpf/kernel-places") ;;
	stacks) units+=("$build/tests/unit/source/unwind" "$build"/tests/unit/unwind/{walk,cfi-oracle}) ;;
	esac
done

# Programs without frame pointers; for arm64 also one that signs its return addresses
build_stacks() {
	local compiler
	read -ra compiler <<<"${CC:-cc}"
	[ $arch = amd64 ] || compiler=(aarch64-linux-gnu-gcc "--sysroot=${SYSROOT:?names the libraries for arm64}")
	compiler+=(-O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread ../cmd/stacks.c -o)
	"${compiler[@]}" "$work/stacks"
	[ $arch = amd64 ] || "${compiler[@]}" "$work/stacks-signed" -mbranch-protection=standard
}

initrd=$work/initrd
if [ -n "${ATTACKS-}" ]; then
	initrd=$work/initrd-attacks
	mkdir -p "$work/bin"
	${CC:-cc} -shared -fPIC -o "$work/bin/start.so" ../cmd/start.c -ldl
	cp "$PERF" "$build/tests/workload" "$work/bin/"
	# The rest is for the guest to start and for the last round to end.
	{ printf 'ROUNDS=%d LIMIT=%d\n' "$ATTACKS" $((limit * 3 / 4)) && cat attacks.sh; } >"$work/attacks"
	./initrd.sh "$initrd" "${SYSROOT:-/}" "$work/attacks" "$work"/bin/{perf,workload,start.so}
else
	{ cat "${scripts[@]}" && echo finish; } >"$work/script"
	build_stacks
	programs=()
	[ $arch != amd64 ] || programs=("$(command -v objdump)") # for code
	./initrd.sh "$initrd" "${SYSROOT:-/}" "$work/script" "$PERF" "$build/tests/workload" "${units[@]}" "$work"/stacks* "${programs[@]}"
fi

# result SERIES KERNEL: from the log, as a line of the table; fails if anything did
result() {
	local log=$work/$1$suffix.log passed failed skipped planned verdict=ok
	# cmocka writes "not ok 1 # SKIP" for what it skipped.
	skipped=$(grep -cE '^(not )?ok .*# SKIP' "$log" || true)
	passed=$(grep -E '^ok ' "$log" | grep -vc '# SKIP' || true)
	failed=$(grep -E '^not ok ' "$log" | grep -vc '# SKIP' || true)
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
	if ! grep -q '^guest: the end' "$log"; then
		verdict="no end after $limit s"
	elif [ "$failed" != 0 ] || [ "$planned" != $((passed + failed + skipped)) ] || [ "$passed" = 0 ]; then
		verdict=FAILED
	fi
	printf '%-8s %-32s %6s %6s %7s  %s\n' "$1" "$2" "$passed" "$failed" "$skipped" "$verdict"
	[ "$verdict" = ok ]
}

printf '%-8s %-32s %6s %6s %7s  %s\n' series kernel passed failed skipped ''
status=0
logs=()
for series; do
	log=$work/$series$suffix.log
	if [ "$series" = here ]; then
		BIN=$work/bin timeout -k 5 "$limit" sh "$work/attacks" >"$log" 2>&1 || true
		result here "$(uname -r)" || status=1
		logs+=("$log")
		continue
	fi
	kernel=$(./kernel.sh $arch "$series" "$work") || {
		printf '%-8s %-32s\n' "$series" "not to be had"
		status=1
		continue
	}
	./boot.sh $arch "$kernel" "$initrd" "$limit" >"$log" 2>&1 || true
	name=$(basename "$kernel")
	result "$series" "${name#vmlinuz-}" || status=1
	logs+=("$log")
done
if [ -n "${ATTACKS-}" ]; then
	grep -H -E '^(not )?ok |^# .*-G: not here' "${logs[@]}" | sed "s,^$work/,,; s/\.log:/ /"
	logs=()
fi
[ ${#logs[@]} = 0 ] || printf '\n%s\n' "$(./table.sh "${logs[@]}")"
[ $status = 0 ] || echo "What the guests said: $work/*.log" >&2
exit $status

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph bpf of a container that is gone when anybody reads the recording: its files are on overlayfs, in a mount namespace
# and a PID namespace of its own.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

"$PERF" test --kernel | grep -q '^maple tree of mappings  *yes' || skip_all "BPF cannot unwind stacks on this kernel"
# Not in the test's own directory: stock perf and others take files below /tmp/perf-* for maps of JIT compilers.
place=$(mktemp -d /tmp/unwind-test.XXXXXX) || exit 1
trap 'rm -rf "$place"; cleanup' EXIT
cd "$place" || exit 1
${CC:-cc} -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -Wl,--build-id -o stacks "$SOURCE/tests/cmd/stacks.c" 2>cc.txt ||
	skip_all "needs a C compiler: $(head -1 cc.txt)"

# The program is in the lower directory under another name than the container has: there it was copied up.
mkdir lower box
while read -r library; do
	mkdir -p "lower$(dirname "$library")"
	cp -L "$library" "lower$library"
done < <(ldd stacks | grep -oE '/[^ ]+')
cp stacks lower/below

# container COMMAND...: run it in the box as root of everything
# shellcheck disable=SC2016 # for the inner shell
container=(unshare --mount --pid --fork --kill-child sh -c 'mount -t tmpfs nodev box && mkdir box/upper box/work box/root &&
	mount -t overlay -o lowerdir=lower,upperdir=box/upper,workdir=box/work overlay box/root && mount -t proc proc /proc && "$@"' sh)
"${container[@]}" true 2>why.txt || skip_all "no container on overlayfs can be made here: $(head -1 why.txt)"

# In the container: processes that end, one after the other, each when it has run for 300 ms.
cat >inside <<'END'
until_run=("$@")
cp box/root/below box/root/contained
for name in below contained below contained; do
	rm -f box/root/ready
	chroot box/root "/$name" deep 40 &
	until [ -e box/root/ready ]; do
		kill -0 $! || exit
		sleep 0.02
	done
	"${until_run[@]}" 300 $!
	kill -KILL $!
	wait $!
done 2>/dev/null
true
END
run timeout 300 "$PERF" record --keep-files -a -e cpu-clock:u -F 999 --call-graph bpf -- "${container[@]}" bash inside "${until_run[@]}"
is "$rc" 0 "a container is recorded from outside"
like "$err" '^cpu-clock:u: [1-9][0-9]* user stacks' "its stacks are unwound"
ok "its files are gone" test ! -e box/root

# chains: of the samples of each process in leaf() the callers, with the file of each, outermost first
chains() {
	"$PERF" script --no-inline -i perf.data -F comm,pid,ip,sym,dso 2>/dev/null | awk '
		function flush() { if (chain ~ / leaf /) print process chain; chain = process = "" }
		NF == 0 { flush(); next }
		!process { process = $1 " " $2; next }
		{ sub(/\+.*/, "", $2); chain = " " $2 " " $NF chain }
		END { flush() }' | grep -E '^(below|contained) '
}
chains=$(chains)
is "$(cut -d ' ' -f 2 <<<"$chains" | sort -u | wc -l)" 4 "there are samples of all four processes"
# Stacks that meet a file before its table is there end in it: which they are depends on when perf gets to run.
for name in below contained; do
	own=$(grep "^$name " <<<"$chains")
	steps=$(printf " step ./$name.%.0s" {0..40})
	whole="^$name [0-9]+ _start \\(/$name\\)( [^ ]+ \\(/[^ ]*/libc[.-][^ ]*\\))+ main \\(/$name\\)$steps leaf \\(/$name\\)\$"
	last=$(tail -n 1 <<<"$own" | cut -d ' ' -f 1-2)
	like "$(grep "^$last " <<<"$own" | sort -u)" "$whole" "$name: stacks of its last process are whole, from _start to leaf, and their frames have names"
	chain=$(grep -m 1 -E "$whole" <<<"$own" | cut -d ' ' -f 3-)
	others=$(cut -d ' ' -f 3- <<<"$own" | sort -u | while read -r part; do
		[[ $chain = *"$part" ]] || echo "$part"
	done)
	is "$others" "" "$name: and no stack has other frames"
	note "$name: $(grep -cE "$whole" <<<"$own") of $(wc -l <<<"$own") stacks are whole"
done

done_testing

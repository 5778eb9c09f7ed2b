#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Random walks through the kernel's data beside what a compiler makes of them, and wrong ones: a part of make proof-walks and proof-wrong-walks.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ -r /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no type information"
for program in python3 bpftool "${CLANG:-clang}" strace; do
	command -v "$program" >/dev/null || skip_all "needs $program"
done
python3 -c 'import ctypes; ctypes.CDLL("libbpf.so.1")' 2>/dev/null || skip_all "needs libbpf.so.1"
export PYTHONDONTWRITEBYTECODE=1

run env N="${WALKS:-20}" TRACEPOINTS=5 SEED="${SEED:-7}" python3 "$SOURCE/tests/walks/same.py"
is "$rc" 0 "keys and filters are what programs in C read"
like "$out" '([2-9][0-9]|[0-9]{3,}) walks over .*: 0 different' "none is different"
note "$out"

run env N="${WRONG:-40}" SEED="${SEED:-7}" python3 "$SOURCE/tests/walks/wrong.py"
is "$rc" 0 "wrong ones have one message with the place, and load nothing"
note "$out"
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What BPF programs need of the stack. Kernels up to 6.12 refuse a program that needs more than 512 bytes with all functions that it calls. How
# much it needs depends on the compiler: newer ones often take more.
. "$(dirname "$(readlink -f "$0")")/../cmd/lib.sh"
command -v python3 >/dev/null || skip_all "no python3"
command -v llvm-objdump >/dev/null || skip_all "no llvm-objdump"
most=512

# A program with known needs: 40 bytes, 200 of a callback, and 104 of a function that this one calls, with what clang adds
cat >known.bpf.c <<'END'
#define SEC(name) __attribute__((section(name), used))
static long (*bpf_loop)(unsigned int, void *, void *, unsigned long) = (void *)181;
static long (*bpf_trace_printk)(const char *, unsigned int, ...) = (void *)6;
static __attribute__((noinline)) long inner(long n) { volatile char room[104]; for (int i = 0; i < 104; i++) room[i] = n; return room[n & 7]; }
static long each(unsigned int i, void *data) { volatile char room[200]; for (int j = 0; j < 200; j++) room[j] = i; return room[i & 7] + inner(i); }
SEC("tracepoint") int outer(void *ctx) { volatile char room[40]; for (int i = 0; i < 40; i++) room[i] = i; bpf_loop(room[3], each, 0, 0); return 0; }
END
stacks() {
	python3 "$SOURCE/tests/source/bpf-stacks.py" llvm-objdump "$@"
}
clang -target bpf -O2 -g -c known.bpf.c -o known.bpf.o 2>cc.txt || skip_all "no clang: $(head -1 cc.txt)"
is "$(stacks known.bpf.o | cut -d' ' -f1,3-)" "416 outer:64 each:224 inner:128 " "the stack of a known program"

all=$(stacks "${PERF%/*}"/util/bpf_skel/*.bpf.o)
ok "all programs are looked at" test "$(cut -d' ' -f2 <<<"$all" | sort -u | wc -l)" -ge 60
is "$(awk -v most=$most '$1 > most' <<<"$all")" "" "none needs more than $most bytes of the stack"
note "$(sort -rn <<<"$all" | head -3 | sed "s,${PERF%/*}/,,")"

done_testing

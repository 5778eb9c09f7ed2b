#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# boot.sh KERNEL INITRD SECONDS: boot a guest, print what its script prints, then the end of its console if that was nothing.
# One thread for all its CPUs: with more the emulation panics now and then while the kernel patches its text.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
timeout -k 5 "$3" qemu-system-x86_64 -nodefaults -no-user-config -M q35 -display none -no-reboot -m 1024 -smp 2 \
	-accel tcg,thread=single -cpu max -kernel "$1" -initrd "$2" -serial "file:$scratch/console" -serial "file:$scratch/output" \
	-append 'console=ttyS0 quiet panic=-1 mitigations=off nokaslr' </dev/null >"$scratch/qemu" 2>&1 || true
cat "$scratch/output"
[ -s "$scratch/output" ] || tail -n 20 "$scratch/qemu" "$scratch/console"

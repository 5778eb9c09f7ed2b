#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# boot.sh ARCHITECTURE KERNEL INITRD SECONDS: boot a guest, print what its script prints, then the end of its console if that was
# nothing.
set -eu
arch=$1 kernel=$2 initrd=$3 limit=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
common=(-nodefaults -no-user-config -display none -no-reboot -m 1024 -smp 2 -kernel "$kernel" -initrd "$initrd")
# shellcheck disable=SC2054 # qemu has commas within its arguments
case $arch in
amd64)
	# A busy host's timer may fail the kernel's test of it. One thread for all its CPUs: with more the emulation panics now and then while the kernel patches its text.
	qemu=(qemu-system-x86_64 -M q35 -accel tcg,thread=single -cpu max -serial "file:$scratch/console" -serial "file:$scratch/output"
		-append 'console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check')
	;;
arm64)
	# It has one serial port, for the script and what the kernel says before.
	qemu=(qemu-system-aarch64 -M virt,gic-version=3 -accel tcg,thread=multi -cpu max,pauth-impdef=on -serial "file:$scratch/output"
		-append 'console=ttyAMA0 quiet panic=-1 nokaslr')
	;;
esac
timeout -k 5 "$limit" "${qemu[@]}" "${common[@]}" </dev/null >"$scratch/qemu" 2>&1 || true
tr -d '\r' <"$scratch/output"
[ -s "$scratch/output" ] || tail -n 20 "$scratch"/*

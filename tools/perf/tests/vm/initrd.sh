#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# initrd.sh OUTPUT SCRIPT PROGRAM...: a root file system for a guest, of busybox and the programs with their libraries. It
# runs the script on its second serial port, and powers off.
set -eu
output=$1 script=$2
shift 2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root"/{bin,dev,proc,run,sys,tmp,etc}
cp "$(command -v busybox)" "$root/bin/busybox"
cp "$script" "$root/script"
for program; do
	cp "$program" "$root/bin/"
	ldd "$program" | grep -oE '/[^ ]+\.so[^ ]*' | while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		cp -Ln "$library" "$root$library"
	done
done
printf '%s\n' root:x:0:0:root:/:/bin/sh user:x:1000:1000:user:/:/bin/sh >"$root/etc/passwd"
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
export PATH=/bin HOME=/
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tracefs tracefs /sys/kernel/tracing
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /tmp
dmesg -n 1
stty -F /dev/ttyS1 raw
cd /tmp
sh /script </dev/null >/dev/ttyS1 2>&1
sync
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$output"

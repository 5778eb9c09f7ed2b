#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# initrd.sh OUTPUT SYSROOT SCRIPT PROGRAM...: a root file system for a guest, of busybox and the programs with their libraries,
# which are those of SYSROOT (/ for this machine's). It runs the script on its second serial port, on the first if it has no
# other, and powers off.
set -eu
output=$1 sysroot=${2%/} script=$3
shift 3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root"/{bin,dev,proc,run,sys,tmp,etc}

# Copies the libraries that a program or library needs, the loader among them, to where it has them.
copy_libraries() { # FILE
	local name path
	while read -r name; do
		for path in "$sysroot"/{lib,usr/lib}/*-linux-gnu*/"$name" "$sysroot"/{lib,lib64,usr/lib}/"$name"; do
			[ -e "$path" ] || continue
			path=${path#"$sysroot"}
			[ ! -e "$root$path" ] || break
			mkdir -p "$root${path%/*}"
			cp -L "$sysroot$path" "$root$path"
			copy_libraries "$root$path"
			break
		done
		[ -e "$path" ] || [ -e "$root$path" ] || {
			echo "initrd.sh: no $name in ${sysroot:-/}" >&2
			exit 1
		}
	done < <(readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
}

cp -L "$sysroot/bin/busybox" "$root/bin/busybox"
cp "$script" "$root/script"
for program; do
	cp "$program" "$root/bin/"
	copy_libraries "$program"
	loader=$(readelf -l "$program" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	mkdir -p "$root${loader%/*}"
	[ -e "$root$loader" ] || cp -L "$sysroot$loader" "$root$loader"
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
port=/dev/ttyS1
stty -F $port raw 2>/dev/null || port=/dev/ttyAMA0
cd /tmp
sh /script </dev/null >$port 2>&1
sync
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) >"$output"

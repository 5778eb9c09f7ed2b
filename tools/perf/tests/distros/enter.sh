#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# enter.sh ROOT COMMAND [ARGS...]: run a command with ROOT as its root, in a mount namespace of its own, as a container would have it: the root is a
# mount, so that tests can make mounts and user namespaces. It sees the machine's processes, /dev and /sys.
set -eu
[ "${IN_NAMESPACE-}" = $$ ] || IN_NAMESPACE=$$ exec unshare --mount --propagation private -- "$0" "$@"
root=$1
shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
# Names are resolved as on this machine.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cd "$root"
pivot_root . mnt
umount -l /mnt
cd /
# http_proxy and no_proxy are how apt reaches the archive where a proxy is needed.
exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM-dumb}" LC_ALL=C \
	${http_proxy+"http_proxy=$http_proxy"} ${no_proxy+"no_proxy=$no_proxy"} "$@"

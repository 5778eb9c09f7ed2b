#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events on programs in other mount namespaces: a path through /proc/PID is that file, whatever has its name here.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

cat >p.c <<'C'
#include <unistd.h>
__attribute__((noinline, noclone)) void WORK(volatile unsigned long *n)
{
	for (int i = 0; i < 200000; i++)
		++*n;
}
__attribute__((noinline, noclone)) void turn(volatile unsigned long *n)
{
	WORK(n);
	usleep(1000);
}
int main(void)
{
	volatile unsigned long n = 0;

	for (;;)
		turn(&n);
}
C
"${CC:-cc}" -O1 -static -Wl,--build-id -DWORK=inside -o inner p.c 2>cc.txt || skip_all "needs a C compiler and a static libc: $(head -1 cc.txt)"
"${CC:-cc}" -O1 -static -Wl,--build-id -DWORK=outside -o same p.c
unshare --mount --pid --fork true 2>/dev/null || skip_all "namespaces cannot be made here"

# container NAME MOUNT: run NAME in a container whose root is mounted by this command, with the paths of this directory. Sets inner.
# shellcheck disable=SC2016 # for the inner shell
container() {
	mkdir -p "box.$1"
	spawn unshare --mount --fork --kill-child sh -ec "
		name=$1 here=$WORK; box=\$here/box.\$name
		$2
		mkdir -p \$box\$here \$box/old
		cp \$here/inner \$box\$here/\$name
		ln -s \$here/\$name \$box\$here/link
		cd \$box
		pivot_root . old
		exec \$here/\$name" 2>"container.$1"
	outer=$spawned_pid
	wait_for 60 inner_of "$1" || note "$(<"container.$1")"
}
inner_of() {
	inner=$(pgrep -P "$outer" -x "$1")
	[ -n "$inner" ] && [ "$(readlink "/proc/$inner/root")" = / ]
}
tmpfs='mount -t tmpfs nodev $box'
overlay='mount -t tmpfs nodev $box; mkdir $box/lower $box/upper $box/work $box/root; cp $here/inner $box/lower/unused
	mount -t overlay -o lowerdir=$box/lower,upperdir=$box/upper,workdir=$box/work nodev $box/root; box=$box/root'

# check_events WHAT PATH: events on the file of that path count the turns of process $inner
check_events() {
	local hits
	run "$PERF" stat -x, -e "uprobe:$2:inside" -p "$inner" sleep 0.5
	hits=$(cut -d, -f1 <<<"$err")
	ok "uprobe: $1 ($hits hits)" test "${hits:-0}" -gt 10
	run "$PERF" record -q -e "uprobe:$2:inside" -p "$inner" -o e.data -- sleep 0.2
	hits=$("$PERF" script -i e.data -F comm 2>/dev/null | wc -l)
	ok "record: $1 ($hits hits)" test "$hits" -gt 5
	run "$PERF" ftrace latency -T "$2:inside" -p "$inner" -- sleep 0.2
	is "$rc:$(grep -c ' |  *[1-9][0-9]* |' <<<"$out" | sed 's/[1-9][0-9]*/some/')" "0:some" "ftrace latency -T: $1"
	run "$PERF" probe -x "$2" -D inside
	like "$out" "^p:[a-z_0-9]*/inside $2:0x[0-9a-f]+$" "probe -D keeps the path: $1"
}
trap 'with_tracefs sh -c "echo -:perf_test_$$/inside >>/sys/kernel/tracing/uprobe_events" 2>/dev/null; cleanup' EXIT

container same "$tmpfs"
check_events "a file whose path is another one's here" "/proc/$inner/root$WORK/same"
check_events "the program itself" "/proc/$inner/exe"
run "$PERF" probe -x "/proc/$inner/root$WORK/link" -D inside
like "$out" "^p:probe_same/inside /proc/$inner/root$WORK/same:0x" "an absolute link in there leads to a file in there"
run "$PERF" stat -x, -e "uprobe:/proc/$inner/root$WORK/link:inside" -p "$inner" sleep 0.2
ok "whose calls are counted" test "$(cut -d, -f1 <<<"$err")" -gt 5
run "$PERF" probe --target-ns "$inner" -x "$WORK/same" -D inside
like "$out" "^p:probe_same/inside /proc/$inner/root$WORK/same:0x" "--target-ns takes the path as the process sees it"
run "$PERF" probe --target-ns "$inner" -x same -D inside
is "$rc:$err" "129:  Error: --target-ns goes with -x and a path that begins with /" "which has to be a whole one"
run "$PERF" probe --target-ns "$inner" -D inside
is "$rc:$err" "129:  Error: --target-ns goes with -x and a path that begins with /" "and the kernel has none"
run "$PERF" probe --target-ns 0 -x "$WORK/same" -D inside
like "$err" "^There is no process 0" "and which needs a process"
run "$PERF" probe -x "/proc/$inner/exe" -D outside
is "$rc:$out" 255: "a function of the file here is not in it"
run with_tracefs "$PERF" probe -x "/proc/$inner/root$WORK/same" -a "perf_test_$$:inside=inside"
run with_tracefs "$PERF" stat -x, -e "perf_test_$$:inside" -p "$inner" sleep 0.2
ok "an event of tracefs" test "$(cut -d, -f1 <<<"$err")" -gt 5
run with_tracefs "$PERF" probe -d "perf_test_$$:inside"
run "$PERF" buildid-cache -v -a "/proc/$inner/exe"
like "$("$PERF" buildid-cache -l)" "$(readelf -n inner | awk '/Build ID/ { print $3 }')" "buildid-cache adds the file in there"
unlike "$("$PERF" buildid-cache -l)" "$(readelf -n same | awk '/Build ID/ { print $3 }')" "not that of this name here"
kill -KILL "$inner"

container single "$tmpfs"
check_events "a file that is only in there" "/proc/$inner/root$WORK/single"
outside="That of a container is /proc/PID/root/PATH"
run "$PERF" stat -e "uprobe:$WORK/single:inside" -p "$inner" true
like "$rc:$err" "^129:.*'$WORK/single' is no file: No such file or directory here\\. $outside" "which has another path here, as an event says"
run "$PERF" record -q -e cpu-clock:u --filter "dso == $WORK/single" -p "$inner" -o e.data -- true
like "$rc:$err" "^(129|255):.*$WORK/single: .*$outside" "as a filter does"
run "$PERF" probe -x "$WORK/single" -D inside
like "$rc:$err" "^129:.*$WORK/single': .*$outside" "and perf probe"
rm "/proc/$inner/root$WORK/single"
check_events "a program whose file was deleted" "/proc/$inner/exe"
run "$PERF" record -q -e cpu-clock:u -F 999 -p "$inner" --filter "dso == /proc/$inner/exe" -o d.data -- "${until_run[@]}" 20 "$inner"
like "$("$PERF" script -F ip,sym -i d.data 2>/dev/null)" 'inside' "a filter by that file"
kill -KILL "$inner"

container layered "$overlay"
check_events "a file of an overlay" "/proc/$inner/root$WORK/layered"
check_events "a program of an overlay" "/proc/$inner/exe"
kill -KILL "$inner"
done_testing

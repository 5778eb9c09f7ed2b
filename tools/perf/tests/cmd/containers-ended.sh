#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs that only exist in a container, and have ended before anybody reads the recording: perf record keeps their files in the build-id cache.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

mkdir home box
cat >p.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void NAME(volatile unsigned long *n)
{
	for (int i = 0; i < 1000000; i++)
		++*n;
}
/* "parent": start others for ever, each of which ends soon; else work, so often or for ever */
int main(int argc, char **argv)
{
	volatile unsigned long n = 0;

	while (argc > 1 && argv[1][0] == 'p') {
		if (!fork())
			execl("/contained", "contained", "2", NULL);
		wait(NULL);
	}
	for (int i = argc > 1 ? atoi(argv[1]) : -1; i; i--)
		NAME(&n);
	return 0;
}
C
for name in inside parent; do
	"${CC:-cc}" -O1 -static -Wl,--build-id -DNAME="$name" -o "$name" p.c 2>cc.txt || skip_all "needs a C compiler and a static libc: $(head -1 cc.txt)"
done
unshare --mount true 2>/dev/null || skip_all "namespaces cannot be made here"
export HOME=$WORK/home # not before: compilers may have caches of their own
id=$(readelf -n inside | sed -n 's/.*Build ID: //p')
elf=kept/.build-id/${id:0:2}/${id:2}/elf

# contain PROGRAM [ARGS...]: becomes the program, in a mount namespace and a root of its own
cat >contain <<'E2'
#!/bin/sh
exec unshare --mount sh -c 'mount -t tmpfs nodev box && cp inside box/contained && cp parent box/parent && exec chroot box "$@"' sh "$@"
E2
# until_kept FILE PROGRAM [ARGS...]: run it in a container until there is the file; "parent" until its children have had a CPU for 0.2 s since then
cat >until_kept <<'E2'
#!/bin/bash
file=$1
shift
exec {never}<> <(:)
./contain "$@" &
for ((i = 0; i < 6000; i++)); do
	[ ! -e "$file" ] || break
	read -rt 0.01 -u "$never"
done
of_children() { awk '{ print $16 }' "/proc/$!/stat"; } # ticks of 10 ms
if [ "$2" = parent ]; then
	for ((i = 0, start = $(of_children); i < 6000 && $(of_children) < start + 20; i++)); do
		read -rt 0.01 -u "$never"
	done
fi
kill -KILL $!
[ -e "$file" ]
E2
# briefly PROGRAM [ARGS...]: the same until it has had a CPU for half a second
cat >briefly <<'E2'
#!/bin/bash
exec {never}<> <(:)
./contain "$@" &
ns() { read -r ns _ <"/proc/$1/schedstat"; }
start=
until [ -n "$start" ] && ns $! && [ "$ns" -gt $((start + 500000000)) ]; do
	[ -e "/proc/$!" ] || exit 1
	[ -n "$start" ] || [ "$(cat "/proc/$!/comm")" != contained ] || ! ns $! || start=$ns
	read -rt 0.01 -u "$never"
done
kill -KILL $!
E2
chmod +x contain until_kept briefly

record() {
	run timeout 200 "$PERF" record --keep-files -e cpu-clock:u -F 999 -o c.data "$@"
}
report() {
	"$@" report --stdio -s comm,dso,sym -i c.data 2>/dev/null
}
has_name='^ +[0-9.]+% +contained +contained +\[\.\] inside'
has_address='^ +[0-9.]+% +contained +contained +\[\.\] 0x'

record -- ./until_kept "home/.debug/$elf" /contained
is "$rc $(grep -c build-id <<<"$err")" "0 0" "a program in a container is recorded, and its file kept while it runs"
ok "the file is a copy" cmp inside "home/.debug/$elf"
ok "it lies where other perfs put it, in a cache of its own" test "home/.debug/kept/contained/$id/elf" -ef "home/.debug/$elf"
is "$(stat -c %a home/.debug{,/kept} "home/.debug/kept/contained/$id" "home/.debug/$elf" | tr '\n' ' ')" "700 700 700 700 " "only its owner reads and writes it"
is "$(find home -type f | wc -l)" 1 "files that all see are not copied"
like "$(report "$PERF")" "$has_name" "functions of the program have names when it has ended"
like "$("$PERF" script -F ip,sym -i c.data 2>/dev/null)" 'inside' "perf script has them, too"
unlike "$(HOME=/nonexistent report "$PERF")" "$has_name" "without the cache they have none"
if [ -n "$STOCK" ]; then
	like "$(report "$STOCK" --buildid-dir home/.debug/kept)" "$has_name" "stock perf finds them with --buildid-dir"
	unlike "$(report "$STOCK")" "$has_name" "and only then: build-ids of containers are no others'"
else
	skip 2 "needs stock perf"
fi
mkdir moved
cp -r home/.debug moved
mv moved/.debug/kept/contained moved/.debug/kept/elsewhere
ln -sfn "../../elsewhere/$id" "moved/.debug/$(dirname "$elf")"
ok "the file is in the cache of a second home" cmp inside "moved/.debug/$elf"
unlike "$(HOME=$PWD/moved report "$PERF")" "$has_name" "but of another path: it is not taken by its build-id alone"

rm -r home/.debug
for option in -N -B; do
	record "$option" -- ./briefly /contained
	like "$(report "$PERF")" "$has_address" "$option: no names"
	ok "$option: no cache" test ! -e home/.debug
done
run timeout 200 "$PERF" record -e cpu-clock:u -F 999 -o c.data -- ./briefly /contained
like "$(report "$PERF")" "$has_address" "nor are there any if nobody asks for them"
ok "no cache either" test ! -e home/.debug
printf '[record]\n\tbuild-id = cache\n' >config
PERF_CONFIG=$PWD/config run timeout 200 "$PERF" record -e cpu-clock:u -F 999 -o c.data -- ./until_kept "home/.debug/$elf" /contained
is "$rc" 0 "record.build-id=cache asks for them"
rm -r home/.debug
printf '[record]\n\tbuild-id = no-cache\n' >config
PERF_CONFIG=$PWD/config record -- ./briefly /contained
like "$(report "$PERF")" "$has_address" "record.build-id=no-cache does the same"

record --buildid-dir=other -- ./until_kept "other/$elf" /contained

like "$("$PERF" report --stdio -s comm,dso,sym --buildid-dir=other -i c.data 2>/dev/null)" "$has_name" "--buildid-dir names another cache"
rm -r other
printf '[buildid]\n\tdir = other\n' >config
PERF_CONFIG=$PWD/config record -- ./until_kept "other/$elf" /contained
like "$(PERF_CONFIG=$PWD/config report "$PERF")" "$has_name" "so does buildid.dir"
like "$(PERF_CONFIG=$PWD/config "$PERF" script -F ip,sym -i c.data 2>/dev/null)" 'inside' "for perf script, too"
ok "and \$HOME/.debug stays away" test ! -e home/.debug

# Of one that runs already, and of the whole system
spawn ./contain /contained
running=$spawned_pid
is_running() {
	[ "$(cat "/proc/$running/comm")" = contained ]
}
ok "a container runs already" wait_for 60 is_running
record -p "$running" -- "${until_run[@]}" 50 "$running"
like "$(report "$PERF")" "$has_name" "its program has names while it runs"
ok "its file is kept when the recording ends" cmp inside "home/.debug/$elf"
rm -r home/.debug
run timeout 200 "$PERF" record --keep-files -a -e cpu-clock:u -F 999 --filter "pid == $running" -o c.data -- "${until_run[@]}" 50 "$running"
ok "also by a recording of the whole system" cmp inside "home/.debug/$elf"
rm -r home/.debug
run timeout 200 "$PERF" sample-bpf --keep-files -a -e cpu-clock:u -F 999 --filter "pid == $running" -o n.data -- "${until_run[@]}" 50 "$running"
ok "and by sample-bpf" cmp inside "home/.debug/$elf"
run timeout 200 "$PERF" sample-bpf --keep-files -N --buildid-dir=none -a -e cpu-clock:u -F 999 --filter "pid == $running" -o n.data -- "${until_run[@]}" 50 "$running"
is "$rc $(ls -d none 2>/dev/null)" "0 " "but not with -N"
kill -KILL "$running"
is_gone() {
	[ ! -e "/proc/$running" ]
}
ok "it ends" wait_for 60 is_gone
like "$(report "$PERF")" "$has_name" "its functions have names still"

# Commands that end at once
rm -r home/.debug
record -- ./until_kept "home/.debug/$elf" /parent parent
like "$(report "$PERF")" "$has_name" "commands that a container runs one after the other have names"

# A file that was deleted
rm -r home/.debug
cp inside contained
spawn ./contained
running=$spawned_pid
ok "a program of this namespace runs" wait_for 60 is_running
rm contained
record -p "$running" -- "${until_run[@]}" 50 "$running"
kill -KILL "$running"
ok "it ends" wait_for 60 is_gone
like "$("$PERF" report --stdio -s sym -i c.data 2>/dev/null)" '\[\.\] inside' "a deleted file is kept, too"

# A failed copy costs names only, and perf says so once.
rm -rf home/.debug
mkdir home/.debug
chmod 777 home/.debug
record -- ./briefly /contained
is "$rc $(grep -c 'were not copied to' <<<"$err")" "0 1" "a cache that others may write to: the recording goes on"
like "$err" "$HOME/\.debug: others may write to this directory: chmod go-w $HOME/\.debug" "and says so, once"
is "$(find home -type f | wc -l)" 0 "nothing is written there"
like "$(report "$PERF")" "$has_address" "there are samples"
HOME=$WORK/inside record -- ./briefly /contained
is "$rc $(grep -c 'were not copied to' <<<"$err")" "0 1" "a home that is no directory"
mkdir full
# shellcheck disable=SC2016 # for the inner shell
run unshare --mount sh -c 'mount -t tmpfs -o size=64k nodev full && "$@" && find full -name "*elf*" | grep .' sh \
	timeout 200 "$PERF" record --keep-files --buildid-dir=full/cache -e cpu-clock:u -F 999 -o c.data -- ./briefly /contained
is "$rc $out $(grep -c 'No space left' <<<"$err")" "1  1" "a full disk: nothing is left there"
done_testing

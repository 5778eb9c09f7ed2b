#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --setup-filter: users without privilege filter what is theirs, and nobody else gets at it.
OWN_MOUNTS=yes
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
for tool in useradd bpftool; do
	PATH=$PATH:/usr/sbin command -v $tool >/dev/null || skip_all "needs $tool"
done
PATH=$PATH:/usr/sbin:/sbin
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip_all "perf_event_paranoid keeps users from all events"

# A /run and an /etc of its own: nothing of this is seen from outside, and nothing stays.
mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/etc && cp -a /etc/. /run/etc && mount --bind /run/etc /etc || exit 1
chmod 711 "$WORK"
cp "$PERF" "$WORKLOAD" .
perf=$WORK/perf
workload=$WORK/workload

# Alice and Bob have the same primary group, Carol is in a group with Bob, and their names try the reader.
alice=perf.test-Alice
bob=4perf_test.BOB
carol=perftest-carol
group=perf.test+devs
groupadd perftest-all && groupadd perftest-carol && groupadd -g 54321 placeholder || exit 1
sed -i "s/^placeholder:/$group:/" /etc/group /etc/gshadow # groupadd refuses the name
useradd --badname -M -g perftest-all "$alice" && useradd --badname -M -g perftest-all "$bob" &&
	useradd -M -g perftest-carol "$carol" || exit 1
sed -i "s/^\($group:.*\)/\1$bob,$carol/" /etc/group
for user in $alice $bob $carol; do
	mkdir -m 700 "$user" && chown "$user" "$user"
done

# as USER COMMAND...: in that user's directory, with that user's groups and nothing else. A program, so that its pid is COMMAND's.
cat >as <<EOF
#!/bin/bash
user=\$1
shift
cd "$WORK/\$user" || exit 1
exec setpriv --reuid="\$user" --regid="\$(id -g "\$user")" --init-groups --inh-caps=-all --bounding-set=-all -- "\$@"
EOF
chmod +x as
as() {
	"$WORK/as" "$@"
}

record=("$perf" record -F 999)
setup() {
	"$perf" record --setup-filter "$1"
}

lost() {
	local n
	n=$(sed -nE 's/^([0-9]+) samples? w[a-z]* lost.*/\1/p' <<<"$1")
	echo "${n:-0}"
}

status_has() {
	setup status | grep -qF -e "$1"
}

# spawn_target USER: a process of two threads, in $target and $thread
spawn_target() {
	spawn "$WORK/as" "$1" "$workload" thloop 1000
	target=$spawned_pid
	two_threads() {
		tasks=("/proc/$target/task/"*)
		[ ${#tasks[@]} = 2 ]
	}
	wait_for 20 two_threads || fail "the workload runs"
	thread=${tasks[0]##*/}
	[ "$thread" != "$target" ] || thread=${tasks[1]##*/}
}

# --- before anything is set up ---

run as $alice "${record[@]}" --filter 'pid != 1' -- touch ran
is "$rc" 255 "a user without set-up"
like "$err" "perf record --setup-filter pin=$alice\$" "is told what root must run"
ok "nothing runs unfiltered" test ! -e $alice/ran -a ! -e $alice/perf.data
run setup status
is "$rc" 0 "the status of nothing"
like "$out" 'pin=USER' "says how to begin"
for wrong in pin '' foo pin= pin=no-such-user pin=@no-such-group pin=-1 pin=4294967295 unpin=no-such-user status=x pinn; do
	run env -u SUDO_UID "$perf" record --setup-filter "$wrong"
	is "$rc" 129 "--setup-filter '$wrong'"
	ok "says one thing" test -n "$err"
done
for action in "pin=$alice" "unpin=$alice" unpin; do
	run as $alice "$perf" record --setup-filter "$action"
	is "$rc" 255 "$action by a user"
	like "$err" 'root' "is refused"
done
run setup "unpin=$alice"
is "$rc" 255 "unpin of what is not there"
ok "nothing of this has left a trace" test ! -e /run/perf-filter

# --- two perfs ---

# While somebody holds the lock, nothing is pinned or removed; then all of them have their turn.
[ -e /run/perf-filter.lock ] || (umask 077; : >/run/perf-filter.lock)
exec 7>/run/perf-filter.lock
flock 7
pids=()
for action in "pin=$alice" "pin=$bob" "pin=@$group" "pin=$alice"; do
	setup "$action" >two.txt 2>&1 7>&- &
	pids+=($!)
done
waits() { # all of them are in flock(2)
	[ "$(grep -c '^[0-9]*: *-> FLOCK .*WRITE' /proc/locks)" -ge ${#pids[@]} ]
}
ok "four perfs that pin wait for the lock" wait_for 60 waits
ok "and have done nothing" test ! -e /run/perf-filter
exec 7>&-
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=$((failed + 1))
done
is "$failed" 0 "then each of them pins"
is "$(setup status | sort)" "$(printf '%s: 0 of 16 filters in use\n' $bob "@$group" $alice | sort)" "and nothing is lost"
pids=()
for action in "unpin=$alice" "pin=$alice" "unpin=$bob" "unpin=@$group" "pin=$bob"; do
	setup "$action" >two.txt 2>&1 &
	pids+=($!)
done
failed=0
for pid in "${pids[@]}"; do
	wait "$pid" || failed=$((failed + 1))
done
is "$failed" 0 "some that pin and some that unpin at once"
run setup unpin
is "$rc:$(stat -c '%a %U' /run/perf-filter.lock)" "0:600 root" "the lock is root's"
ok "nothing else stays" test ! -e /run/perf-filter

mkdir -p "/run/perf-filter/user-$(id -u $alice)"
run setup "pin=$alice"
is "$rc" 255 "a directory that is not perf's"
like "$err" 'is no bpffs' "is not mounted upon"
for action in "unpin=$alice" unpin; do
	run setup "$action"
	ok "nor removed by $action" test -d "/run/perf-filter/user-$(id -u $alice)"
done
rm -r /run/perf-filter

# --- one user ---

run setup "pin=$alice"
is "$rc:$err" "0:$alice can filter 16 events at once; their programs are in /run/perf-filter, a bpffs of its own" "pin=USER"
is "$(setup status)" "$alice: 0 of 16 filters in use" "status lists the user"
run as $alice "${record[@]}" -v -e cpu-clock --filter 'pid != 1' -o c.data -- sh -c "$workload noploop 1 & wait"
counts ""
is "$rc:$dropped" "0:0" "the user filters a command; its children"
ok "are kept" test "$(samples $alice/c.data comm | grep -c '^workload$')" -gt 0
like "$err" "slot 0 of $alice" "-v tells the slot"
run as $alice "${record[@]}" -e cpu-clock --filter 'comm == workload' -o c.data -- sh -c "$workload noploop 1 & wait"
counts ""
is "$rc:$(samples $alice/c.data comm | sort -u)" "0:workload" "only the child"
is $((kept + dropped)) "$seen" "kept + dropped = seen"
is $(($(samples $alice/c.data tid | wc -l) + $(lost "$err"))) "$kept" "what was kept is in the file"
run as $alice "${record[@]}" -e cpu-clock --filter 'pid == 1' -o c.data -- "$workload" noploop 1
counts ""
is "$rc:$kept:$(samples $alice/c.data tid | wc -l)" "0:0:0" "a filter that accepts nothing"
is "$dropped" "$seen" "drops all, and begins to count at 0"
ok "of which there were some" test "$seen" -gt 0
run as $alice "$perf" record --dry-run -v --filter 'pid == 1'
like "$out" '^engine: shared' "--dry-run -v tells the engine"
run "$perf" record --dry-run -v --filter 'pid == 1'
like "$out" '^engine: specialised' "which is not root's"
# A user id is what counts, not the group of the process
run setpriv --reuid=$alice --regid=perftest-carol --clear-groups --inh-caps=-all --bounding-set=-all -- \
	"${record[@]}" -e cpu-clock --filter 'pid != 1' -o /dev/null -- true
is "$rc" 0 "in another group"

# --- everybody else ---

places=(/run/perf-filter/user-*/*/0)
slot=${places[0]}
# denied WHAT COMMAND...
denied() {
	local what=$1 user
	shift
	for user in $bob $carol; do
		run as "$user" "$@"
		ok "$user may not $what" test "$rc" != 0
		like "$out$err" 'denied|not permitted' "since it is forbidden"
	done
}
table_bytes=$(bpftool -j map show pinned "$slot/table" | sed 's/.*"bytes_value":\([0-9]*\).*/\1/')
counts_bytes=$(bpftool map show pinned "$slot/counts" | sed -n 's/.*value \([0-9]*\)B.*/\1/p')
zeros=$(yes 0 | head -n "$table_bytes" | tr '\n' ' ')
ok "the table's size is known" test "$table_bytes" -gt 1000
# The modes keep others out, wherever the mount may be writable.
mounted() {
	mount -o "remount,bind,nosuid,nodev,noexec,$1" /run/perf-filter
}
ok "the mount is read-only" grep -q '^[^ ]* /run/perf-filter bpf ro,nosuid,nodev,noexec' /proc/self/mounts
mounted rw
denied "list the builds" ls "$(dirname "$(dirname "$slot")")"
denied "list the slots" ls "$(dirname "$slot")"
denied "list a slot" ls "$slot"
for object in program table counts; do
	denied "open $object" cat "$slot/$object"
	denied "remove $object" rm -f "$slot/$object"
	denied "change the mode of $object" chmod 666 "$slot/$object"
done
denied "get the program" bpftool prog show pinned "$slot/program"
denied "read the table" bpftool map show pinned "$slot/table"
# shellcheck disable=SC2086 # many words
denied "write the table" bpftool map update pinned "$slot/table" key 0 0 0 0 value $zeros
denied "freeze the table" bpftool map freeze pinned "$slot/table"
denied "take a slot" flock -n "$slot/table" true
denied "read the counts" bpftool map show pinned "$slot/counts"
denied "add a slot" mkdir "$(dirname "$slot")/99"
denied "move the slots" mv /run/perf-filter/user-* /run/perf-filter/mine
# The files are of root's group, in which there may be others than root.
for object in program table counts; do
	run setpriv --reuid=$bob --regid=0 --clear-groups --inh-caps=-all --bounding-set=-all -- cat "$slot/$object"
	like "$rc:$err" '^[1-9].*denied' "who is in root's group may not open $object"
done
run as $bob "${record[@]}" --filter 'pid != 1' -- touch ran
is "$rc" 255 "Alice's set-up is not Bob's"
like "$err" "pin=$bob\$" "he is told what root must run for him"
# the checks above can fail: Alice gets through
run as $alice bpftool map show pinned "$slot/table"
is "$rc" 0 "Alice may get her table"
run as $alice flock -n "$slot/table" true
is "$rc" 0 "and take a slot"
# shellcheck disable=SC2086
run as $alice bpftool map update pinned "$slot/table" key 0 0 0 0 value $zeros
is "$rc" 0 "and write the table"
run as $alice rm -f "$slot/table"
ok "but not remove it" test -e "$slot/table"
mounted ro
# As the owner of the file she could open it to others, were it not for the mount.
modes=$(stat -c %a "$slot"/*)
for object in program table counts; do
	run as $alice chmod 666 "$slot/$object"
	like "$rc:$err" '^[1-9].*Read-only' "nor change the mode of $object"
	run as $alice unshare --user --map-current-user --mount sh -c 'mount -o remount,bind,rw /run/perf-filter; chmod 666 "$0"' "$slot/$object"
	ok "nor where she is root" test "$rc" != 0
done
is "$(stat -c %a "$slot"/*)" "$modes" "the modes are what they were"
run as $bob flock -n "$slot/table" true
ok "and Bob stays outside" test "$rc" != 0
# What the program alone writes is frozen, beside its mode.
mounted rw
chmod 600 "$slot/counts"
# shellcheck disable=SC2046
run as $alice bpftool map update pinned "$slot/counts" key 0 0 0 0 value $(yes 0 | head -n "$counts_bytes" | tr '\n' ' ')
like "$rc:$out$err" '^[1-9].*not permitted' "nor write counts whose mode allows it"
chmod 400 "$slot/counts"
mounted ro
run as $alice bpftool map freeze pinned "$slot/table"
is "$rc" 0 "a table that she freezes"
run as $alice "${record[@]}" -e cpu-clock --filter 'pid != 1' -o c.data -- "$workload" noploop 0.1
is "$rc" 0 "is hers to miss: the next slot serves"

# A slot that root replaces between its opening and its lock is not taken: the lock would be on a file that is gone.
build_race
RACE=flock RACE_COMMAND='touch reached; until [ -e go ]; do sleep 0.02; done' preloaded "$RACE_LIBRARY" "$WORK/as" $alice \
	"${record[@]}" -v -e cpu-clock --filter 'pid != 1' -o c.data -- true 2>$alice.err &
racer=$!
spawned+=("$racer")
ok "a recording is about to lock its slot" wait_for 20 test -e $alice/reached
run setup "pin=$alice"
is "$rc" 0 "while root replaces all"
as $alice touch go
wait $racer
is $? 0 "it records"
like "$(<$alice.err)" "slot 0 of $alice: Stale file handle\$" "with another slot than the one that it has locked"
like "$(<$alice.err)" "filter in slot 1 of $alice\$" "of the new ones"

# --- several at once ---

run setup "pin=$bob"
is "$rc" 0 "a second user"
run setup "pin=@$group"
is "$rc" 0 "a group"
is "$(setup status | sort)" "$(printf '%s: 0 of 16 filters in use\n' $bob "@$group" $alice | sort)" "status lists all"
spawn_target $alice
of_alice=$target alices=$thread
spawn_target $bob
of_bob=$target bobs=$thread
as $alice "${record[@]}" -e cpu-clock -p "$of_alice" --filter "tid == $alices" -o one.data -- "${until_run[@]}" 100 "$of_alice" "$alices" 2>$alice.err &
first=$!
as $alice "${record[@]}" -e cpu-clock -p "$of_alice" --filter "tid != $alices" -o two.data -- "${until_run[@]}" 100 "$of_alice" "$alices" 2>$alice.err2 &
second=$!
as $bob "${record[@]}" -e cpu-clock -p "$of_bob" --filter "tid == $bobs" -o one.data -- "${until_run[@]}" 100 "$of_bob" "$bobs" 2>$bob.err
is "$?" 0 "two users and three recordings at once"
wait $first && wait $second
is "$?" 0 "all of them end well"
is "$(samples $alice/one.data tid | sort -u)" "$alices" "each has its own samples"
is "$(samples $alice/two.data tid | sort -u)" "$of_alice" "of the same process"
is "$(samples $bob/one.data tid | sort -u)" "$bobs" "and of the other user's"
for file in $alice.err:$alice/one.data $alice.err2:$alice/two.data $bob.err:$bob/one.data; do
	text=$(<"${file%:*}")
	err=$text counts ""
	ok "some are dropped" test "$dropped" -gt 0
	is $((kept + dropped)) "$seen" "kept + dropped = seen"
	is $(($(samples "${file#*:}" tid | wc -l) + $(lost "$text"))) "$kept" "what was kept is in the file"
done
spawn_target $carol
run as $carol "${record[@]}" -v -e cpu-clock -p "$target" --filter "tid == $thread" -o c.data -- "${until_run[@]}" 50 "$thread"
is "$rc:$(samples $carol/c.data tid | sort -u)" "0:$thread" "a member of the group"
like "$err" "slot 0 of @perf.test.devs\$" "takes the group's"
# Another member writes into the filter that is in use. The counts are then of another filter, so perf sees it.
as $carol "${record[@]}" -e cpu-clock -p "$target" --filter "tid == $thread" -o c.data -- sleep 100 2>carol.err &
recorder=$!
spawned+=("$recorder")
ok "a member records" wait_for 20 status_has "@$group: 1 of 16"
# shellcheck disable=SC2086
run as $bob bpftool map update pinned "$(echo /run/perf-filter/group-*/*/0)/table" key 0 0 0 0 value $zeros
is "$rc" 0 "another one may change the filter"
wait "$recorder"
is $? 255 "then the recording ends"
like "$(<carol.err)" 'did not keep: do not use the file' "with an error"
like "$(<carol.err)" 'prepared for a group can be changed by each of its members' "which tells that members can do so"
run as $alice cat "$(echo /run/perf-filter/group-*/*/0)/table"
like "$err" 'denied' "which are not for others"
run as $carol "${record[@]}" -F 99 -e cpu-clock -p "$of_bob" --filter "tid == $thread" -o d.data -- sleep 0.1
is "$rc" 255 "nor do they help to look at others' processes"

# --- all in use, and a crash ---

many=()
for ((i = 0; i < 16; i++)); do
	many+=(-e cpu-clock --filter "tid == $bobs")
done
run setup "unpin=@$group" # else it would serve Bob, too
is "$rc" 0 "a group is removed"
spawn "$WORK/as" $bob "$perf" record -F 99 "${many[@]}" -p "$of_bob" -o many.data 2>$bob.err
holder=$spawned_pid
ok "one recording takes sixteen filters" wait_for 20 status_has "$bob: 16 of 16"
like "$(setup status)" "slot 15: process $holder, perf" "status tells who has them"
run as $bob "${record[@]}" -e cpu-clock -p "$of_bob" --filter "tid == $bobs" -o c.data -- touch ran
is "$rc" 255 "one more"
like "$err" 'All 16 filters .* in use' "is told that there are no more"
ok "and does not record" test ! -e $bob/ran -a ! -e $bob/c.data
kill -KILL "$holder"
ok "a crash frees them" wait_for 10 status_has "$bob: 0 of 16"
run as $bob "${record[@]}" -e cpu-clock -p "$of_bob" --filter "tid == $bobs" -o c.data -- "${until_run[@]}" 50 "$bobs"
is "$rc:$(samples $bob/c.data tid | sort -u)" "0:$bobs" "for the next"

# --- another build, and the end ---

build=$(basename "$(dirname "$slot")")
mounted rw
mv "/run/perf-filter/user-$(id -u $alice)/$build" "/run/perf-filter/user-$(id -u $alice)/old"
run as $alice "${record[@]}" --filter 'pid != 1' -- touch ran
is "$rc" 255 "programs of another build"
like "$err" 'another build' "are not used"
like "$(setup status)" "^$alice: .*another build" "status tells it"
run env SUDO_UID="$(id -u $alice)" "$perf" record --setup-filter pin
is "$rc" 0 "pin alone is for who has called sudo, and replaces what is there"
ok "and makes a mount read-only that was not" grep -q '^[^ ]* /run/perf-filter bpf ro,' /proc/self/mounts
is "$(setup status | grep -F $alice)" "$alice: 0 of 16 filters in use" "all of it"
spawn "$WORK/as" $alice "${record[@]}" -e cpu-clock -p "$of_alice" --filter "tid == $alices" -o last.data 2>$alice.err
holder=$spawned_pid
ok "a recording runs" wait_for 20 status_has "$alice: 1 of 16"
run setup "unpin=$alice"
is "$rc" 0 "unpin=USER"
is "$(setup status)" "$bob: 0 of 16 filters in use" "leaves the others"
enough() {
	[ "$(stat -c %s "$alice/last.data" 2>/dev/null || echo 0)" -gt 20000 ]
}
ok "the recording goes on" wait_for 30 enough
kill -INT "$holder"
wait "$holder"
err=$(<$alice.err) counts ""
ok "to its end" test "$kept" -gt 0 -a $((kept + dropped)) = "$seen"
is "$(samples $alice/last.data tid | sort -u)" "$alices" "as it was filtered"
mounted rw
mkdir /run/perf-filter/mine
run setup unpin
ok "unpin leaves what is not perf's" test "$rc" = 0 -a -d /run/perf-filter/mine -a ! -e "/run/perf-filter/user-$(id -u $bob)"
rmdir /run/perf-filter/mine
run setup unpin
is "$rc:$err" "0:" "unpin"
ok "removes everything, the directory too" test ! -e /run/perf-filter
unlike "$(cat /proc/self/mounts)" perf-filter "and the mount"

done_testing

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used by the tests
# Sourced by the command tests: scripts that `perf test` runs and whose TAP output it parses. A script starts with
#	#!/bin/bash
#	. "$(dirname "$(readlink -f "$0")")/lib.sh"
# and ends with done_testing. It can use
#	$PERF	this perf, by absolute path (from the environment; run by hand: PERF=build/perf tests/cmd/x.sh)
#	$WORKLOAD	the program with the workloads, beside this perf and without sanitizers; also in the environment
#	$STOCK	the distribution's perf, or "" (see need_stock)
#	$SOURCE	the folder tools/perf that the script lies in
#	$SANITIZED	"yes" if $PERF is one of SAN=1, else ""
#	$CHROOT	"yes" in a plain chroot, where tasks of the machine have other files than those that the script finds by their paths; else ""
#	$WORK	a scratch directory, its working directory, removed at the end
# A script that mounts something sets OWN_MOUNTS=yes before: then it starts once more in a mount namespace of its own.
# Every check is one of ok, is, like, unlike, skip; nothing else is to print to the standard output but '#' lines.
set -u
export LC_ALL=C

# root_is_mount: no in a plain chroot, where `unshare --mount` fails, as it cannot make the mount private that / lies in
root_is_mount() {
	awk '$5 == "/" { found = 1 } END { exit !found }' /proc/self/mountinfo
}

# start_again: this script, where its mounts are seen by nobody else. In a plain chroot the root is mounted once more, over /sys, which is a mount
# that can be made private, and becomes the root: then every `unshare --mount` in the script works as elsewhere. Pseudo-terminals and
# control groups are mounted, too: who binds /dev and /sys into a chroot often leaves them out.
# shellcheck disable=SC2016 # for the inner shells
start_again() {
	local script
	script=$(readlink -f "$0")
	export MOUNTS_OF=$$ PERF
	PERF=$(readlink -f "${PERF:?names the perf to test}")
	if root_is_mount; then
		exec unshare --mount --propagation private -- bash "$script" "$@"
	elif unshare --mount --propagation unchanged -- mount --make-private /sys 2>/dev/null; then
		export CHROOT=yes
		exec unshare --mount --propagation unchanged -- sh -c 'mount --make-private /sys && mount --rbind / /sys && mount --make-rprivate /sys &&
			exec chroot /sys sh -c "$0" "$@"' \
			'[ -c /dev/pts/ptmx ] || mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts
			grep -q " - cgroup2 " /proc/self/mountinfo || mount -t cgroup2 cgroup2 /sys/fs/cgroup
			cd "$0" && exec bash "$@"' "$PWD" "$script" "$@"
	fi
	echo "1..0 # SKIP mounts cannot be made here: the root is no mount point, and neither is /sys"
	exit 0
}
if [ "$(id -u)" = 0 ] && [ "${MOUNTS_OF-}" != $$ ] && { [ -n "${OWN_MOUNTS-}" ] || ! root_is_mount; }; then
	start_again "$@"
fi
[ "${MOUNTS_OF-}" = $$ ] || CHROOT=
: "${CHROOT:=}"
unset PERF_PAGER PERF_PASSED_ON
export PERF_CONFIG=/dev/null

SOURCE=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..")
: "${PERF:?names the perf to test}"
PERF=$(readlink -f "$PERF")
export WORKLOAD=${PERF%/*}/tests/workload
WORK=$(mktemp -d /tmp/perf-test.XXXXXX)
# What recordings keep in the build-id cache ends with the test. Stock perf reads no source lines of files below /tmp/perf-*.
HOME=$(mktemp -d /tmp/home-of-perf-test.XXXXXX)
export HOME
scratch_home=$HOME
script=$(readlink -f "$0")
checks=0
declare -A checked_lines=() # of the script
failures=0
spawned=()

cleanup() {
	local pid
	for pid in "${spawned[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	cd / && rm -rf "$WORK" "$scratch_home"
}
trap cleanup EXIT
trap 'exit 1' INT TERM
cd "$WORK" || exit 1

# The first perf on PATH that is not ours; our versions start with "0.".
find_stock() {
	local dir dirs
	IFS=: read -ra dirs <<<"$PATH"
	for dir in "${dirs[@]}"; do
		[[ $dir = /* && -x $dir/perf && ! $dir/perf -ef $PERF ]] || continue
		[[ $("$dir/perf" version 2>/dev/null) = "perf version 0."* ]] && continue
		echo "$dir/perf"
		return
	done
}
STOCK=$(find_stock)

# A perf with sanitizers (SAN=1) has a longer start and end, a large part of a short workload. Tests of shares of the time accept less
# then.
SANITIZED=
grep -qs __asan_init "$PERF" && SANITIZED=yes
export LSAN_OPTIONS=suppressions=$SOURCE/tests/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}

# Attributes in the format of perf 6.1: newer perfs name types and configs, and print a config of 0
old_attrs() {
	sed -E 's/\b(type(:| =) [0-9]+) \([^)]*\)/\1/; s/, config(:| =) 0( \([^)]*\))?,/,/; s/\b(config(:| =) 0x[0-9a-f]+) \([^)]*\)/\1/'
}

# --- checks ---

# The beginning of a long text, enough to find the error.
clip() {
	awk -v max=15 'NR <= max; END { if (NR > max) print "(" NR - max " more lines)" }'
}

note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# count_check: the line of the script that it is of is where the outermost function was called
count_check() {
	checks=$((checks + 1))
	checked_lines[${BASH_LINENO[${#BASH_LINENO[@]} - 2]}]=1
}

pass() {
	count_check
	printf 'ok %d - %s\n' "$checks" "$1"
}

# fail DESCRIPTION [LINES...]
fail() {
	count_check
	failures=$((failures + 1))
	printf 'not ok %d - %s\n' "$checks" "$1"
	shift
	[ $# = 0 ] || note "$(printf '%s\n' "$@" | clip)"
}

# ok DESCRIPTION COMMAND [ARGS...]: the command succeeds
ok() {
	local what=$1
	shift
	if "$@"; then
		pass "$what"
	else
		fail "$what" "failed ($?): $*"
	fi
}

# is GOT WANT DESCRIPTION
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3" "got:  $1" "want: $2"
	fi
}

# like TEXT REGEX DESCRIPTION: some line of the text matches the extended regular expression
like() {
	if grep -qE -e "$2" <<<"$1"; then
		pass "$3"
	else
		fail "$3" "no match of: $2" "in: $1"
	fi
}

# unlike TEXT REGEX DESCRIPTION: no line matches. An empty text matches nothing: check first that there is one.
unlike() {
	if grep -qE -e "$2" <<<"$1"; then
		fail "$3" "match of: $2" "in: $1"
	else
		pass "$3"
	fi
}

# skip N REASON: N checks are impossible here
skip() {
	local i
	for ((i = 0; i < $1; i++)); do
		count_check
		printf 'ok %d # SKIP %s\n' "$checks" "$2"
	done
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# lost_checks LINE: the lines before it that begin checks that always run, but did not. bash takes any line of a command for its line. In
# heredocs nothing starts with a check's name.
lost_checks() {
	awk -v end="$1" 'function tell() { if (at && !did) print at; at = 0 }
		NR == FNR { ran[$1] = 1; next }
		/^[^ \t})]/ { tell() }
		FNR < end && /^(ok|is|like|unlike) / { at = FNR; did = 0 }
		FNR in ran { did = 1 }
		END { tell() }' <(printf '%s\n' 0 "${!checked_lines[@]}") "$script"
}

# The plan comes last, so a script that dies has none and counts as failed.
done_testing() {
	local line
	for line in $(lost_checks "${BASH_LINENO[${#BASH_LINENO[@]} - 2]}"); do
		fail "the check of line $line runs"
	done
	echo "1..$checks"
	[ "$failures" = 0 ]
	exit
}

# --- running things ---

# run COMMAND [ARGS...]: sets $out, $err, $rc to its standard output, standard error and exit status, $elapsed to its ms
run() {
	local begin=${EPOCHREALTIME/./}
	"$@" >"$WORK/.out" 2>"$WORK/.err" </dev/null
	rc=$?
	elapsed=$(((${EPOCHREALTIME/./} - begin) / 1000))
	# Builtins only: the caller may have set another PATH. The shell drops NUL bytes, and would say so.
	{
		out=$(<"$WORK/.out")
		err=$(<"$WORK/.err")
	} 2>/dev/null
}

# stock_record ARGS...: run the distribution's perf record, which needs tracefs for its tracepoints. Perf 6.1 may abort on the
# build-id of another running program: then run it again.
stock_record() {
	local try
	for try in 1 2 3; do
		run with_tracefs "$STOCK" record "$@"
		[ "$rc" -ge 128 ] || break
		note "stock perf died ($rc) in attempt $try: ${err##*$'\n'}"
	done
}

# same_events OPTIONS...: perf record with these opens the same events as stock perf; compares the output of the caller's "settings FILE"
same_events() {
	rm -f ours.data stock.data
	run "$PERF" record -q -o ours.data "$@" -- true
	is "$rc" 0 "$*"
	stock_record -q -B -o stock.data "$@" -- true
	is "$(settings ours.data)" "$(settings stock.data)" "$*: the settings are those of stock perf"
}

# spawn COMMAND [ARGS...]: run it in the background, with its pid in $spawned_pid; killed at the end
spawn() {
	"$@" &
	spawned_pid=$!
	spawned+=("$spawned_pid")
}

# wait_for SECONDS COMMAND [ARGS...]: wait until the command succeeds; fails after that time. The minimum is a minute: a short command
# takes long on a busy machine.
wait_for() {
	local end=$((SECONDS + ($1 < 60 ? 60 : $1)))
	shift
	until "$@"; do
		[ "$SECONDS" -le "$end" ] || return 1
		sleep 0.02
	done
}

# programs_of PID: ids of the BPF programs that this perf has loaded or attached
programs_of() {
	grep -hs '^prog_id:' "/proc/$1/fdinfo/"* | awk '{ print $2 }' | sort -u
}

# watches PID MIN: it has at least MIN of them
watches() {
	[ "$(programs_of "$1" | wc -l)" -ge "$2" ]
}

# on_calls PID MIN: at least MIN of its BPF programs are attached to system calls: to raw tracepoints or, from Linux 6.19 on, to perf's events of them
on_calls() {
	[ "$(bpftool perf show 2>/dev/null | grep -cE "^pid $1 .*tracepoint +sys_(enter|exit)\b")" -ge "$2" ]
}

# in_loop PID: this perf waits in poll(2), so all is set up, and signals end what it does, not itself
in_loop() {
	local poll=7
	[ "$(uname -m)" = x86_64 ] || poll=73 # ppoll(2)
	grep -qs "^$poll " "/proc/$1/syscall"
}

no_program() { # IDS...
	local id
	for id; do
		! bpftool prog show id "$id" >/dev/null 2>&1 || return
	done
}

# leaves_nothing PID COMMAND [ARGS...]: one check: when the command succeeds, the perf that spawn started is killed by SIGKILL, and none of its BPF
# programs stays
leaves_nothing() {
	local pid=$1 of_killed
	shift
	if ! command -v bpftool >/dev/null; then
		kill -KILL "$pid"
		skip 1 "needs bpftool"
		return
	fi
	wait_for 60 "$@" || note "perf does not watch"
	mapfile -t of_killed < <(programs_of "$pid")
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	ok "if perf is killed, none of its ${#of_killed[@]} programs stays" eval '[ ${#of_killed[@]} != 0 ] && wait_for 20 no_program "${of_killed[@]}"'
}

# "${until_run[@]}" MS PID...: a command that ends when each of the processes has used that much CPU time; it starts no other process.
# Other load changes how long that takes, but not how many samples there are.
# shellcheck disable=SC2016 # for the inner shell
until_run=(bash -c 'ns() { read -r ns _ <"/proc/$1/schedstat" || exit 1; }
	exec {never}<> <(:)
	for pid in "${@:2}"; do ns "$pid" && end=$((ns + $1 * 1000000)) && until ns "$pid" && [ "$ns" -ge "$end" ]; do read -rt 0.01 -u "$never"; done; done
	:' bash)

# busy_cpus: give each CPU two tasks that run where it would be idle otherwise, until idle_cpus: some kernels of virtual machines hide from recordings what
# comes while a CPU is idle, though not from BPF programs. Two, as one alone would have the CPU for one long turn.
busy_cpus() {
	local cpu pid
	cpu_holders=()
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		for _ in 1 2; do
			spawn chrt -i 0 taskset -c "$cpu" "$WORKLOAD" noploop 600
			cpu_holders+=("$spawned_pid")
		done
	done
	for pid in "${cpu_holders[@]}"; do
		wait_for 60 grep -q "^${WORKLOAD##*/}" "/proc/$pid/comm"
	done
}

idle_cpus() {
	kill "${cpu_holders[@]}"
	wait "${cpu_holders[@]}" 2>/dev/null
}

# end_tmux: end the server of $WORK/tmux, and wait for its end: on its way out it would take the next session with it
end_tmux() {
	local server
	server=$(command tmux -S "$WORK/tmux" display-message -p '#{pid}')
	command tmux -S "$WORK/tmux" kill-server
	has_ended() { ! grep -qs '^State:.[^XZ]' "/proc/$server/status"; }
	wait_for 60 has_ended
}

# until_no_session NAME: the server of $WORK/tmux has none of this name. A session ends a moment after its command; until then there can be no
# other one.
until_no_session() {
	no_session() { ! command tmux -S "$WORK/tmux" has-session -t "=$1" 2>/dev/null; }
	wait_for 60 no_session "$1"
}

# need_root, need_stock: fail as root, so that a skip cannot hide an incomplete machine; otherwise skip
need_root() {
	[ "$(id -u)" = 0 ] || skip_all "needs root"
}

need_stock() {
	[ -z "$STOCK" ] || return 0
	[ "$(id -u)" = 0 ] || skip_all "needs stock perf (package linux-perf)"
	fail "stock perf is on PATH" "install linux-perf: make deps"
	done_testing
}

# need_locks [OPTIONS...]: skip all where perf lock contention cannot watch; otherwise $rc, $out and $err are those of a command that hardly waits
need_locks() {
	run "$PERF" lock contention "$@" -- true
	case $err in
	*"lacks lock tracepoints"*|*"outside of the container"*) skip_all "$err" ;;
	esac
}

# build_maplocker: ./maplocker NR: threads that wait for the lock of their memory map
build_maplocker() {
	cc -O1 -g -pthread -o maplocker "$SOURCE/tests/cmd/maplocker.c" || exit 1
}

# preloaded LIBRARY COMMAND [ARGS...]: preload the library before all others, even a sanitizer's if perf is built with one
preloaded() {
	local lib=$1
	shift
	env LD_PRELOAD="$lib" ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" "$@"
}

# build_race: $RACE_LIBRARY, for preloaded, runs a command just before a system call, see race.c
build_race() {
	RACE_LIBRARY=$WORK/race.so
	${CC:-cc} -shared -fPIC -O1 -o "$RACE_LIBRARY" "$SOURCE/tests/cmd/race.c" -ldl 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
}

# build_injector: $INJECT is a program that makes system calls of a command fail, see inject.c
build_injector() {
	INJECT=$WORK/inject
	${CC:-cc} -O1 -o "$INJECT" "$SOURCE/tests/cmd/inject.c" 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
	"$INJECT" -o inject.txt true || skip_all "needs seccomp notifications (Linux 5.9): $(head -1 inject.txt)"
}

# as_user COMMAND [ARGS...]: run it as nobody, without capabilities; needs root
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all -- "$@"
}

# with_tracefs COMMAND [ARGS...]: run it in a separate mount namespace with tracefs at its usual place
with_tracefs() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private -- sh -c '
		mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing || exit 125
		exec "$@"' sh "$@"
}

# --- recordings ---

# samples FILE FIELD: the field of every sample, one per line
samples() {
	"$PERF" script -i "$1" -F "$2" 2>/dev/null | sed '/^ *$/d; s/ //g'
}

# counts EVENT: set $seen, $kept and $dropped from the summary in $err; EVENT "": the only event
counts() {
	read -r seen kept dropped <<<"$(sed -nE "s/^${1:+$1: }filter: ([0-9]+) samples? seen, ([0-9]+) kept, ([0-9]+) dropped\$/\1 \2 \3/p" <<<"$err")"
	: "${seen:=-1}" "${kept:=-1}" "${dropped:=-1}"
}

# untaken [EVENT]: samples that the kernel skipped, from the summary in $err; the file counts them as lost
untaken() {
	sed -nE "s/^${1:-.*}: at least ([0-9]+) samples? \\([0-9]+ %\\) (was|were) not taken: .*/\\1/p" <<<"$err" | awk '{ n += $1 } END { print n + 0 }'
}

# make_datagrams: the program "datagrams NR BYTES", which sends to a port of this host where nobody listens
make_datagrams() {
	cat >datagrams <<'EOF'
#!/bin/bash
text=$(printf "%*s" "$2" "")
for ((i = 0; i < $1; i++)); do
	printf "%s" "$text" >/dev/udp/127.0.0.1/9
done 2>/dev/null
true
EOF
	chmod +x datagrams
}

# near A B TOLERANCE: compare numbers
near() {
	awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit a == "" || b == "" || d > t || -d > t }'
}

# counted: "SAMPLES KEYS" of the summary in $err
counted() {
	sed -nE 's/^\[ perf sample-bpf: Counted ([0-9]+) samples? in ([0-9]+) keys? \]$/\1 \2/p' <<<"$err"
}

# rows PERF FILE KEYS [EVENT]: "PERCENT SAMPLES KEY..." of a report; with EVENT only its rows
rows() {
	"$1" report --stdio --no-children -g none -n -s "$3" -i "$2" 2>/dev/null |
		awk -v event="${4-}" '/^# Samples:/ { on = event == "" || index($0, "of event \047" event "\047") }
				      /^ / && on { sub(/%/, ""); print }'
}

# share PERF FILE KEYS PATTERN [EVENT]: percentage of the matching rows
share() {
	rows "$1" "$2" "$3" "${5-}" | awk -v want="$4" '$0 ~ want { sum += $1 } END { print sum + 0 }'
}

# total PERF FILE [EVENT]: samples of all rows
total() {
	rows "$1" "$2" comm "${3-}" | awk '{ sum += $2 } END { print sum + 0 }'
}

# wrong WHAT TEXT OPTIONS...: perf record refuses this command line with that text before it does anything
wrong() {
	local what=$1 text=$2
	shift 2
	run "$PERF" record "$@" -- touch ran
	is "$rc" 129 "$what"
	like "$err" "$text" "$what: says so"
	ok "$what: runs and writes nothing" test ! -e ran -a ! -e perf.data
}

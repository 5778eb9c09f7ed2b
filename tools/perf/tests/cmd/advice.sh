#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf advises can be done by who reads it: root is not sent to root, users hear of the right that they lack, and of no option that would
# be refused next.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

mkdir users
cp "$PERF" users/perf
chmod 755 . users/perf
chmod 777 users
missed=(sh -c 'i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done')
# user PERF-ARGUMENTS...: by nobody
user() {
	run as_user env HOME="$WORK/users" users/perf "$@"
}

# --- users ---

user stat --filter 'comm == true' -- true
is "$rc:$out" "255:" "a filter of perf stat needs BPF"
like "$err" '^events are counted by BPF programs, for which this process lacks CAP_BPF and CAP_PERFMON\.' "so the right that is missing is named first"
unlike "$err" 'perf_event_paranoid' "and no setting that would not help"
user stat --bpf-counters -- true
like "$err" '^events are counted by BPF programs, for which' "so with --bpf-counters"
user record -o users/a.data -e uprobe:libc:malloc -- true
like "$err" 'BPF programs need CAP_BPF and CAP_PERFMON, which this process lacks: run perf as root$' "uprobes: what to do is said"
user record -o users/a.data --clock cpu -e cpu-clock:u -- true
like "$err" 'it takes CAP_BPF and CAP_PERFMON: run perf as root$' "--clock cpu, too"
user sched timehist -- true
is "$rc:$out" "$rc:" "a recording that cannot begin shows nothing"
like "$err" 'run perf as root' "its reason is told"
unlike "$err" 'standard input|Record again' "and no second one"

# --- root ---

run "$PERF" record -o a.data -F 999 -e cpu-clock --clock task -- "${missed[@]}"
like "$err" 'were missed\. Record with --clock cpu, or -a$' "root has the option"
run setpriv --bounding-set=-bpf,-sys_admin -- "$PERF" record -o a.data -F 999 -e cpu-clock -- "${missed[@]}"
like "$err" 'were missed\. Record with --clock cpu, which takes CAP_BPF and CAP_PERFMON, or -a$' "root without the right is told of it"
if cc -O2 -g -fomit-frame-pointer -o nofp -xc - <<<'#include <math.h>
#include <stdlib.h>
static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void) { static int n[1 << 20]; for (int r = 0; r < 4; r++) { for (int i = 0; i < 1 << 20; i++) n[i] = rand(); qsort(n, 1 << 20, 4, cmp); } return 0; }' 2>cc.txt; then
	run "$PERF" record -o a.data -F 999 -e cpu-clock:u --call-graph fp -- ./nofp
	unlike "$err" 'as root' "root is not sent to root"
	if [[ $err == *'are cut'* ]]; then
		like "$err" 'record them whole with --call-graph bpf or dwarf$' "but to the methods"
		user record -o users/a.data -F 999 -e cpu-clock:u --call-graph fp -- ./nofp
		if [ "$(uname -m)" = x86_64 ]; then
			like "$err" 'record them whole with -g$' "users have -g"
		else
			skip 1 "perf unwinds copies on x86-64 only"
		fi
		user record -o users/a.data -F 999 -e cpu-clock:u --threads --call-graph fp -- ./nofp
		like "$err" 'record them whole with --call-graph bpf \(as root\) or dwarf$' "but where it has frame pointers, too, they need root"
	else
		skip 3 "libc has frame pointers here"
	fi
else
	skip 4 "needs cc: $(head -1 cc.txt)"
fi
if as_user unshare -U -r true 2>/dev/null; then
	run as_user unshare -U -r users/perf record -o users/a.data --off-cpu -e cpu-clock:u -- true
	like "$err" 'outside of (the container or user namespace|it)|--setup-token' "root of a user namespace is sent outside"
	unlike "$err" 'Run perf as root, or' "and not to root"
else
	skip 2 "needs user namespaces"
fi

# --- one and many ---

cat >one.c <<'C'
int spin(int n) { volatile int i = n * 100000000; while (--i) ; return 0; }
int main(int argc, char **argv) { return spin(argc); }
C
cc -g -o one one.c && "$PERF" record -q -g -e cpu-clock:u -o one.data -- ./one && cc -g -O1 -Dspin=other -o one one.c || exit 1
HOME=/nonexistent run "$PERF" report --stdio -i one.data
like "$err" "^1 file differs from the recorded one \\($PWD/one\\): addresses there have no symbols\\.$" "one file differs"
like "$err" '^It was built anew.*--buildid-dir and --symfs\.$' "and nothing more is promised"

done_testing

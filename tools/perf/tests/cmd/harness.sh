#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf test itself: a test that ends badly is never counted as passed. And the workloads.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

mkdir -p tests/cmd
export PERF_TEST_DIR=$WORK/tests

# verdict BODY: run a script with that body as the only test; leaves the outcome in $out and $rc
verdict() {
	printf '#!/bin/sh\n%s\n' "$1" >tests/cmd/one.sh
	chmod +x tests/cmd/one.sh
	run "$PERF" test
	last=$(tail -n 1 <<<"$out")
}

verdict 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b"'
is "$rc:$last" "0:2 passed, 0 failed, 0 skipped" "passed checks are counted one by one"
like "$out" '^  1: cmd one +: Ok$' "the line has its shape"
verdict 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# the reason"; echo 1..2; exit 1'
is "$rc:$last" "1:1 passed, 1 failed, 0 skipped" "a failed check is counted"
like "$out" ': FAILED!$' "and told"
like "$out" '^# the reason$' "with its reason"
verdict 'echo "ok 1 # SKIP no moon"; echo 1..1'
is "$rc:$last" "0:0 passed, 0 failed, 1 skipped" "a skip is counted as such"
like "$out" ': Skip \(no moon\)$' "with its reason"
verdict 'echo "some other trouble" >&2; echo "ok 1 # SKIP no moon"; echo 1..1'
like "$out" ': Skip \(no moon\)$' "whatever was printed before"
verdict 'echo "1..0 # SKIP no sun"'
is "$rc:$last" "0:0 passed, 0 failed, 1 skipped" "a whole test may be skipped"
like "$out" ': Skip \(no sun\)$' "with its reason"
verdict 'echo 1..2; echo "no clock"; echo "not ok 1 # SKIP name"; echo "ok 2 - b"'
is "$rc:$last" "0:1 passed, 0 failed, 1 skipped" "cmocka's way to skip is understood"
like "$out" ': Ok \(1 skipped: no clock\)$' "with the line before it as the reason"

verdict 'echo "ok 1 - a"'
is "$rc:$last" "1:1 passed, 1 failed, 0 skipped" "no plan is a failure"
verdict 'echo 1..3; echo "ok 1 - a"'
is "$rc:$last" "1:1 passed, 2 failed, 0 skipped" "missing checks are failures"
verdict 'echo 1..1; echo "ok 1 - a"; echo "ok 2 - b"'
is "$rc:$last" "1:2 passed, 1 failed, 0 skipped" "checks beyond the plan are a failure"
verdict 'echo 1..0'
is "$rc:$last" "1:0 passed, 1 failed, 0 skipped" "checking nothing is a failure"
verdict 'echo 1..1; echo "ok 1 - a"; exit 3'
is "$rc:$last" "1:1 passed, 1 failed, 0 skipped" "a bad exit status is a failure"
verdict 'echo 1..1; echo "ok 1 - a"; echo "last words"; kill -SEGV $$'
is "$rc:$last" "1:1 passed, 1 failed, 0 skipped" "death by a signal is a failure"
like "$out" '^last words$' "whose last words are shown"
like "$out" 'killed by signal 11' "with the signal"
verdict 'echo "$0: line 3: y: unbound variable"; echo "ok 1 - a"; echo 1..1'
is "$rc:$last" "1:1 passed, 1 failed, 0 skipped" "an error of bash is a failure"
like "$out" 'one.sh: line 3: y: unbound variable$' "and shown"
verdict 'echo "${0%/*}/lib.sh: line 3: 1/0: division by 0"; echo "ok 1 - a"; echo 1..1'
is "$rc:$last" "1:1 passed, 1 failed, 0 skipped" "so is one in the library of tests"
verdict 'echo "$0: line 3:  4711 Killed   sleep"; echo "$0: line 3: kill: (1) - No such process"; echo "$0: line 3: /proc/1/x: No such file"
echo "other.sh: line 3: no"; echo "$0: lines"; echo "ok 1 - a"; echo 1..1'
is "$rc:$last" "0:1 passed, 0 failed, 0 skipped" "but not that a process has ended, nor what others print"
for body in 'is $((1 / nothing)) 0 lost' 'is $(((1 /) 0 lost' 'is "$none" 0 lost' $'if false; then\nis 1 1 lost\nfi' 'f() { echo $((1 / nothing)); is 1 1 inner; }
nothing=0
f'; do
	# shellcheck disable=SC2016 # for the inner shell
	printf '%s\n' '#!/bin/bash' ". $SOURCE/tests/cmd/lib.sh" 'ok first true' "$body" 'ok last true' done_testing >tests/cmd/one.sh
	run "$PERF" test
	like "$rc:$(tail -n 1 <<<"$out")" '^1:[0-2] passed, [1-3] failed' "a check that does not run fails: ${body%%$'\n'*}"
done
verdict 'sleep 1000 & echo $! >'"$WORK/child"'; echo 1..1; echo "ok 1 - a"'
is "$rc:$last" "0:1 passed, 0 failed, 0 skipped" "a child that keeps the output open does not hold up"
# It is killed, not yet gone: a zombie until its new parent takes notice.
gone() { [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
ok "and is killed with its group" wait_for 10 gone "$(cat child)"

sleeper='sleep 1000 & echo 1..1; echo $! >'"$WORK/child"'; wait; echo "ok 1 - a"'
printf '#!/bin/sh\n%s\n' "$sleeper" >tests/cmd/one.sh
rm child
for limit in 1 5 25; do # until there is time for its start
	run "$PERF" test --time-limit $limit
	[ ! -s child ] || break
done
is "$rc:$(tail -n 1 <<<"$out")" "1:0 passed, 2 failed, 0 skipped" "a test that takes too long is a failure"
like "$out" "^killed: no end after $limit s\$" "and says so"
ok "and its group is killed" wait_for 10 gone "$(cat child)"
rm child
# A shell would let a background job ignore SIGINT.
spawn env --default-signal=INT "$PERF" test >/dev/null
ok "a test is started" wait_for 10 test -s child
kill -INT "$spawned_pid"
wait "$spawned_pid"
is $? 130 "perf test dies of an interrupt"
ok "and takes the test along" wait_for 10 gone "$(cat child)"

printf '#!/bin/sh\necho 1..1; echo "ok 1 - a"\n' | tee tests/cmd/two.sh >tests/cmd/three.sh
chmod +x tests/cmd/two.sh
run "$PERF" test list
is "$out" "  1: cmd one
  2: cmd three
  3: cmd two" "tests are listed"
run "$PERF" test 3
is "$rc:$out" "0:  3: cmd two                                 : Ok
1 passed, 0 failed, 0 skipped" "a number chooses a test"
run "$PERF" test two
is "$(tail -n 1 <<<"$out")" "1 passed, 0 failed, 0 skipped" "part of a name chooses a test"
run "$PERF" test three
is "$rc" 1 "a script that is not executable is a failure"
run "$PERF" test four
is "$rc" 1 "a name that no test has is an error"
PERF_TEST_DIR=$WORK/none run "$PERF" test
is "$rc" 1 "no tests is an error"

# Each waits for the other.
mkfifo meet
printf '#!/bin/sh\n%s\n' "echo >$WORK/meet; echo 1..1; echo 'ok 1 - a'" >tests/cmd/two.sh
printf '#!/bin/sh\n%s\n' "read -r _ <$WORK/meet; echo 1..1; echo 'ok 1 - a'" >tests/cmd/three.sh
chmod +x tests/cmd/three.sh
run "$PERF" test --time-limit 100 --jobs 2 three two
is "$rc:$(sort <<<"$out")" "0:  2: cmd three                               : Ok
  3: cmd two                                 : Ok
2 passed, 0 failed, 0 skipped" "--jobs runs tests at a time, each with a line of its own"
run "$PERF" test --jobs 3 two three
is "$rc:$(tail -n 1 <<<"$out")" "0:2 passed, 0 failed, 0 skipped" "there may be fewer tests"
run "$PERF" test --jobs 0
is "$rc" 129 "--jobs 0"
run "$PERF" test -v --jobs 2
is "$rc" 129 "-v shows one after the other"
printf '#!/bin/sh\n%s\n' "sleep 1000 & echo \$! >$WORK/child2; wait" >tests/cmd/two.sh
cp tests/cmd/one.sh tests/cmd/three.sh
rm child
spawn env --default-signal=INT "$PERF" test --jobs 2 two three >/dev/null
ok "two tests are started" wait_for 10 test -s child -a -s child2
kill -INT "$spawned_pid"
wait "$spawned_pid"
is $? 130 "perf test dies of an interrupt with both"
ok "and takes both along" wait_for 10 eval 'gone "$(cat child)" && gone "$(cat child2)"'
rm tests/cmd/three.sh
printf '#!/bin/sh\necho 1..1; echo "ok 1 - a"\n' >tests/cmd/two.sh

printf '#!/bin/sh\necho "1..2"; echo "ok 1 - a"; echo "<&\001>"; echo "not ok 2 - b"\n' >tests/cmd/one.sh
run "$PERF" test -junit.xml
is "$rc" 1 "-j writes a file of results"
run python3 -c "
import xml.etree.ElementTree as tree
suite = tree.parse('unit.xml').getroot().find('testsuite')
print(*(suite.get(key) for key in ('tests', 'failures', 'skipped')), *(case.get('classname') + ':' + case.get('name') for case in suite))
print('<&?>' in suite[0].find('failure').text)"
is "$rc:$out" "0:2 1 0 perf.cmd:one perf.cmd:two
True" "in XML, whatever tests print"
run "$PERF" test --junit=nosuch/results two
like "$rc:$err" "^1:cannot write nosuch/results: No such file" "a file that cannot be written ends with 1"
run "$PERF" test --junit two
ok "without a name it is test.xml" test -s test.xml
run "$PERF" test -r 3 two
is "$rc:$(tail -n 1 <<<"$out")" "0:3 passed, 0 failed, 0 skipped" "-r runs tests several times"
run "$PERF" test -s 1 one two
is "$rc:$(tail -n 1 <<<"$out")" "0:1 passed, 0 failed, 0 skipped" "-s leaves out tests by their number"
run "$PERF" test -s one
is "$rc" 129 "-s takes numbers only"
run "$PERF" test -S --jobs 2
is "$rc" 129 "-S is one after the other"

run "$PERF" test -F
is "$rc:$(tail -n 1 <<<"$out")" "0:5 passed, 0 failed, 0 skipped" "-F runs what needs no process of its own"
run env -u PERF_TEST_DIR "$PERF" test -vv Symbols
like "$out" "[[:space:]]test_loop"$'\n' "-vv shows which symbols are tested"
run "$PERF" test -v -F Symbols
unlike "$out" "test_loop" "-v does not"
run "$PERF" test -F --dso=/dev/null Symbols
is "$rc" 1 "a file without symbols fails"

run "$PERF" test --kernel
is "$rc:$err" "0:" "what the kernel offers"
kernel=$out
like "$kernel" "^Linux $(uname -r) on " "is of this kernel"
is "$(grep -cE ' (yes|no) +([0-9.]+|-) ' <<<"$kernel")" "$(tail -n +3 <<<"$kernel" | wc -l)" "root knows of each feature, and its version"
[ -e /sys/kernel/btf/vmlinux ] && btf=yes || btf=no
like "$kernel" "^type information \(BTF\) +$btf " "an answer is right"
rm tests/cmd/one.sh # sleeps
run "$PERF" test
like "$out" '^type information \(BTF\) ' "a run of all tests begins with it"

for workload in code_with_type datasym demoloop inlineloop leafloop maplock noploop sqrtloop thloop; do
	run "$PERF" test -w $workload 0.01
	is "$rc:$out$err" "0:" "$workload runs"
	run "$PERF" test -w $workload 1s
	is "$rc" 1 "$workload refuses a wrong time"
done
before=$(date +%s%N)
run "$PERF" test -w thloop 0.2
ok "thloop takes no less than the time it is given, whatever the number of CPUs" test $(($(date +%s%N) - before)) -ge 200000000
run "$PERF" test -w thloop 0.01 5
is "$rc:$out$err" "0:" "thloop takes a number of threads"
run "$PERF" test -w thloop 0.01 0
is "$rc" 1 "but not none"
run "$PERF" record -q -e cpu-clock -o named.data -- "$PERF" test -w noploop 0.1
is "$("$PERF" script -i named.data -F comm --comms perf-noploop | sort -u | tr -d ' ')" perf-noploop "a workload's task has its name"
run "$PERF" test -w brstack 10
is "$rc:$out$err" "0:" "brstack runs"
run "$PERF" test -w brstack 10x
is "$rc" 1 "brstack refuses a wrong number"
for workload in callchain deterministic landlock; do
	run "$PERF" test -w $workload
	is "$rc:$out$err" "0:" "$workload runs"
	run "$PERF" test -w $workload 1
	is "$rc" 1 "$workload takes no argument"
done
for workload in context_switch_loop traploop named_threads; do
	run "$PERF" test -w $workload 10
	is "$rc:$out$err" "0:" "$workload runs"
	run "$PERF" test -w $workload x
	is "$rc" 1 "$workload refuses a wrong number"
done
run "$PERF" record -q -e dummy -o tasks.data -- "$PERF" test -w named_threads 25 10
is "$("$PERF" script -i tasks.data --show-task-events | grep -o 'COMM: thread[0-9]*' | sort -u | wc -l)" 25 "threads have their names"
run "$PERF" record -q -e dummy -o tasks.data -- "$PERF" test -w context_switch_loop 50
is "$("$PERF" script -i tasks.data --show-task-events | grep -o 'COMM: proc[12]' | sort | xargs)" "COMM: proc1 COMM: proc2" "and so have processes"
run "$PERF" test -w nothing
is "$rc" 1 "an unknown workload is an error"

done_testing

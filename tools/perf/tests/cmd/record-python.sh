#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# User stacks that BPF unwinds show the functions of Python. python-stacks.py is the program: it prints what its own stacks are.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root
[ "$(uname -m)" = x86_64 ] || skip_all "Python's frames are found on x86-64 only"
"$PERF" test --kernel | grep -q '^maple tree of mappings  *no ' && skip_all "this kernel is older than Linux 6.1"

program=$SOURCE/tests/cmd/python-stacks.py
chains=$SOURCE/tests/cmd/python-chains.py

# Those of the system, and those of pyenv, if they are of versions that perf knows
pythons=()
for python in /usr/bin/python3 /root/.pyenv/versions/*/bin/python3; do
	"$python" -c 'import sys, ctypes; sys.exit(not (3, 8) <= sys.version_info < (3, 14))' 2>/dev/null && pythons+=("$(readlink -f "$python")")
done
[ ${#pythons[@]} != 0 ] || skip_all "no Python 3.8 to 3.13"
first=${pythons[0]}

record() { # ARGS...
	rm -f perf.data
	run timeout 120 "$PERF" record -e cpu-clock:u -F 999 -g "$@"
}

script() { # ARGS...
	timeout 120 "${READER:-$PERF}" script -i perf.data -F comm,ip,sym,srcline "$@" 2>/dev/null
}

# --- whole stacks, function by function and line by line ---
for python in "${pythons[@]}"; do
	name=$("$python" -c 'import platform; print("Python " + platform.python_version())')
	record -- "$python" "$program" all_ways 3
	is "$rc" 0 "$name: is recorded"
	printf '%s\n' "$out" >truth
	ok "$name: tells its stacks" test "$(wc -l <truth)" -ge 30
	like "$(cat truth)" '^by_re:[0-9]+;sub:[0-9]+;compare:[0-9]+;by_qsort:[0-9]+;everything:' "$name: which go through C"
	found=$(script | "$first" "$chains" compare truth)
	is "$(head -3 <<<"$found" | grep '^other')" "" "$name: perf's are the same"
	note "$name: $(tail -1 <<<"$found" | sed 's/ / samples at known points, /') others"
	ok "$name: of many samples" test "$(tail -1 <<<"$found" | cut -d' ' -f1)" -ge 1500
	unlike "$err" 'no name|could not be read' "$name: no name is missing"
done

# --- other perfs ---
if [ -n "$STOCK" ]; then
	stock=$(timeout 120 "$STOCK" script -i perf.data -F ip,sym,dso,srcline 2>/dev/null)
	like "$stock" ' point \(python-stacks\.py\) \(/python\)$' "stock perf has the names"
	like "$stock" '^ +python-stacks\.py:[0-9]+$' "and the lines"
else
	skip 2 "no stock perf"
fi

# --- shares of the time ---
record -- "$first" "$program" shares 300
is "$rc" 0 "a program with shares of 70:20:10: is recorded"
read -r seventy twenty ten total < <(script | "$first" "$chains" shares)
note "shares: $seventy $twenty $ten of $total"
ok "they are those of the samples" test "$((seventy >= 66 && seventy <= 74 && twenty >= 16 && twenty <= 24 && ten >= 6 && ten <= 14))" = 1
like "$(timeout 60 "$PERF" report -i perf.data --stdio --no-children -g none 2>/dev/null)" '\[\.\] work \(python-stacks\.py\)$' "Python's function is where samples are"
like "$(timeout 60 "$PERF" report -i perf.data --stdio --children -g none 2>/dev/null)" '\[\.\] seventy \(python-stacks\.py\)$' "and has its callees' time"

# --- names ---
for python in "${pythons[@]}"; do
	record -- "$python" "$program" churn 2
	found=$(script | "$first" "$chains" churn)
	is "$(head -3 <<<"$found" | grep '^other')" "" "${python##*/}: functions that follow others in their memory have their own names"
	ok "${python##*/}: of many samples" test "$(tail -1 <<<"$found" | cut -d' ' -f1)" -ge 500
done
record -- "$first" "$program" names
names=$(script -F comm,ip,sym)
for name in grüße λ 漢字 𝓐 'line\?break' 'x{250,256}\.\.\.' 'y{250,256}\.\.\.' 'z{100,256}\.\.\.' 'unnamed function' 'a\?b\?c' 'half\?' 'back\?\[31m'; do
	like "$names" " $name \(python-stacks\.py\)\$" "a name is $name"
done

for path in 'unnamed file' / 'q{500,512}\.\.\.'; do
	like "$names" "\.in_file \($path\)\$" "a function is in $path"
done

# --- processes that were forked from one: equal addresses and hashes, other functions ---
printf 'def handle(n):\n    x = 0\n    for i in range(n):\n        x += i * i\n    return x\n' >appa.py
cp appa.py appb.py
cat >forks.py <<'END'
import os, sys, time
how, seconds = sys.argv[1], float(sys.argv[2])
for name in "appa", "appb":
    if not os.fork():
        with open("/proc/self/comm", "w") as comm:
            comm.write(name)  # before any of its functions runs: the module's own is one, too
        if how == "import":
            sys.path.insert(0, os.getcwd())
            module = vars(__import__(name))
        else:
            module = {}
            exec(compile(open("appa.py").read(), os.getcwd() + "/" + name + ".py", "exec"), module)
        while time.process_time() < seconds:
            module["handle"](20000)
        os._exit(0)
os.wait()
os.wait()
END
# wrong_names: samples of one process with a function of the other's file, of how many of their own
wrong_names() { script -F comm,ip,sym | awk '/^[^ \t]/ { comm = $1 } / \(app[ab]\.py\)$/ { index($0, "(" comm ".py)") ? own++ : wrong++ } END { print wrong + 0, own + 0 }'; }
for python in "${pythons[@]}"; do
	for how in import compile; do
		for layout in "" "setarch -R"; do
			# shellcheck disable=SC2086 # two words
			PYTHONDONTWRITEBYTECODE=1 record -- $layout "$python" forks.py $how 0.5
			read -r wrong own < <(wrong_names)
			is "$wrong" 0 "$python, $how${layout:+, $layout}: no process shows functions of another one"
			ok "$python, $how${layout:+, $layout}: but its own: $own" test "$own" -ge 100
		done
	done
done

# --- lines that nobody can read: they are behind pages that are filled by nobody ---
cat >absent.py <<'END'
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
place = {}
exec(compile("def long_one():\n x = 0\n" + " x += 1\n" * 20000, "long.py", "exec"), place)
lines = place["long_one"].__code__.co_linetable
assert len(lines) > 40000
begin = (id(lines) + 8191) // 4096 * 4096
size = (id(lines) + len(lines)) // 4096 * 4096 - begin
fd = libc.syscall(323, 0)  # userfaultfd
api = ctypes.create_string_buffer(struct.pack("3Q", 0xaa, 0, 0))
pages = ctypes.create_string_buffer(struct.pack("4Q", begin, size, 1, 0))
if fd < 0 or libc.ioctl(fd, ctypes.c_ulong(0xc018aa3f), api) or libc.ioctl(fd, ctypes.c_ulong(0xc020aa00), pages):
    raise SystemExit(77)
assert not libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(size), 4)  # MADV_DONTNEED
open("ready", "w").close()
while True:
    place["long_one"]()
END
spawn "$first" absent.py
ready_or_ended() { [ -e ready ] || ! [ -d "/proc/$absent" ]; }
absent=$spawned_pid
wait_for 60 ready_or_ended
if [ -e ready ]; then
	rm -rf "$HOME/.debug"
	spawn "$PERF" record -q -o perf.data -e cpu-clock:u -F 999 -g -p "$absent"
	ok "line tables that are never there: perf goes on" wait_for 20 grep -qsra long_one "$HOME/.debug/python"
	kill -INT "$spawned_pid"
	ended() { [ ! -d "/proc/$spawned_pid" ] || grep -qs '^State:.Z' "/proc/$spawned_pid/status"; }
	ok "and ends" wait_for 20 ended
	{ kill -KILL "$absent" "$spawned_pid"; wait "$absent" "$spawned_pid"; } 2>/dev/null
	like "$(script -F comm,ip,sym)" ' long_one \(long\.py\)$' "and the function has its name"
else
	skip 3 "no userfaultfd here"
fi

# --- a Python that is too old ---
old=/root/.pyenv/versions/3.7.16/bin/python3
if [ -x $old ]; then
	record -- $old -c 'sum(i * i for i in range(300000))'
	like "$err" '^.*/libpython3\.7m?\.so\.1\.0: this Python is older than 3\.8: its stacks are native$' "an old Python: perf says so, with the file"
	like "$(script)" ' _PyEval_EvalFrameDefault$' "and shows its interpreter"
fi

# --- modes ---
record --interp=off -- "$first" "$program" shares 20
like "$(script)" ' _PyEval_EvalFrameDefault$' "--interp=off: the interpreter's frames"
unlike "$(script)" ' 2f0[0-9a-f]{9} ' "--interp=off: none of Python"
record --interp=only -- "$first" "$program" shares 50
only=$(script -F comm,ip,sym)
like "$only" ' work \(python-stacks\.py\)$' "--interp=only: Python's frames"
is "$(awk 'NF == 0 { if (python && native) mixed++; python = native = 0 } /^\t/ { if ($1 ~ /^2f0/) python = 1; else native = 1 } END { print mixed + 0 }' <<<"$only")" 0 \
	"--interp=only: no stack has both"
run "$PERF" record -e cpu-clock -g --interp=names,lines -- true
is "$rc" 129 "an unknown mode is refused"
like "$err" '^--interp takes names, only or off: not "names,lines"$' "with those that there are"

run "$PERF" record -e cpu-clock --call-graph fp --interp=only -- true
like "$err" '^--interp needs -g or --call-graph bpf$' "stacks by frame pointers have no Python"
run "$PERF" record -e cpu-clock -g -N --interp=only -- true
is "$rc" 129 "without the build-id cache --interp is refused"
like "$err" '^--interp writes names to the build-id cache: leave out -B and -N' "with the reason"
run "$PERF" record -q -e cpu-clock -g -N -o perf.data -- true
is "$rc" 0 "but nothing is if nobody asks for it"

# --- where processes run ---
record -- unshare --pid --fork -- "$first" "$program" shares 50
like "$(script)" ' seventy \(python-stacks\.py\)$' "a process in another PID namespace"
record -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$@"; done' sh "$first" -c 'sum(i * i for i in range(300000))'
like "$(script)" ' <genexpr> \(<string>\)$' "processes that end at once"
spawn "$first" "$program" shares 100000
wait_for 60 grep -qs "^${first##*/}" "/proc/$spawned_pid/comm"
record -p "$spawned_pid" -- "${until_run[@]}" 300 "$spawned_pid"
like "$(script)" ' seventy \(python-stacks\.py\)$' "a process that runs already"
{ kill -KILL "$spawned_pid" && wait "$spawned_pid"; } 2>/dev/null

# --- other stacks that BPF unwinds ---
line_of() { grep -n "$1" "$program" | cut -d: -f1; } # of this text in the program
waits_line=$(line_of '^    time.sleep(seconds)$') # in waits_for_answer()
# waits_at_line WHAT: the program's waits in perf.data are in this function, at this line, which is where they are
waits_at_line() {
	local found
	found=$(script)
	like "$found" ' waits_for_answer \(python-stacks\.py\)$' "$1: the function that waits"
	is "$(grep -A1 ' waits_for_answer (python-stacks' <<<"$found" | grep '^  python-stacks' | sort -u)" "  python-stacks.py:$waits_line" "$1: at its line"
}
run timeout 60 "$PERF" record -e dummy --off-cpu --off-cpu-thresh 1 -- "$first" "$program" sleeps 30
waits_at_line "off-CPU time"
run timeout 60 "$PERF" record --wall -o perf.data -- "$first" "$program" sleeps 30
waits_at_line "wall-clock time"
run timeout 60 "$PERF" record -e syscalls:sys_enter_clock_nanosleep -g -- "$first" "$program" sleeps 3
waits_at_line "system calls"
run timeout 60 "$PERF" record -e sched:sched_switch --filter 'prev_state & 1' -g -- "$first" "$program" sleeps 30
waits_at_line "tracepoints"
libc=$(ldd "$first" | awk '$1 == "libc.so.6" { print $3 }')
if [ -n "$libc" ]; then
	run timeout 60 "$PERF" record -e "uprobe:$libc:clock_nanosleep" -g -- "$first" "$program" sleeps 3
	waits_at_line "functions (uprobes)"
fi
run timeout 60 "$PERF" sample-bpf -e cpu-clock -F 999 -g -o perf.data -- "$first" "$program" shares 50
like "$(script -F comm,ip,sym)" ' seventy \(python-stacks\.py\)$' "counted samples"

cat >locks.py <<'END'
import threading
import time
lock = threading.Lock()
def waits_for_lock():
    for _ in range(40):
        with lock:
            time.sleep(0.002)
threads = [threading.Thread(target=waits_for_lock) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
END
# On a busy machine its waits may be over before perf knows that it is Python.
for _ in 1 2 3 4 5; do
	run timeout 60 "$PERF" lock contention --futex -v --max-stack 20 -- "$first" locks.py
	! grep -q waits_for_lock <<<"$err$out" || break
done
like "$err$out" ' waits_for_lock \(locks\.py\)\+0x' "lock contention --futex: the function that waits"

# --- views of what runs now ---
run timeout 60 "$PERF" trace --call-graph bpf -e clock_nanosleep -- "$first" "$program" sleeps 30
like "$err" '^ +waits_for_answer \(python-stacks\.py\) \(/python\)$' "perf trace: the function that waits"
run timeout 60 "$PERF" trace --interp=off --call-graph bpf -e clock_nanosleep -- "$first" "$program" sleeps 3
unlike "$err" 'waits_for_answer' "--interp=off: not there"
run timeout 60 "$PERF" sample-bpf -F 999 -e cpu-clock -g --folded -- "$first" "$program" shares 50
like "$out" ';seventy \(python-stacks\.py\);work \(python-stacks\.py\)[; ]' "--folded"
run timeout 60 "$PERF" sample-bpf -F 999 -e cpu-clock -g --top -I 100 -N -- "$first" "$program" shares 50
like "$out" ' work \(python-stacks\.py\)$' "--top, without the cache of files"
is "$(grep -c '2f0000' <<<"$out")" 0 "all of Python's functions have names"
spawn "$first" "$program" shares 100000
worker=$spawned_pid
"$PERF" top --stdio -g --no-children -d 1 -e cpu-clock -F 999 -p "$worker" >top.txt 2>&1 </dev/null &
spawned+=("$!")
ok "perf top -g: Python's callers" wait_for 60 grep -q 'seventy (python-stacks.py)$' top.txt
{ kill -KILL "$worker"; wait "$worker" "$!"; } 2>/dev/null
like "$(cat top.txt)" '^ +[0-9.]+%  python +\[\.\] work \(python-stacks\.py\)$' "and its function"

# --- programs that make functions all the time, or that only look like Python ---
cat >flood.py <<'END'
import os, sys
processes, functions = map(int, sys.argv[1:])
for process in range(processes):
    if os.fork():
        os.wait()
        continue
    place = {"os": os}
    for i in range(functions):
        exec("def made_%d_%d():\n os.getppid()\nmade_%d_%d()\n" % (process, i, process, i), place)
    os._exit(0)
END
cat >until.py <<'END'
import os, sys, time
name = sys.argv[1]
exec("def %s():\n os.getppid()\n" % name)
for _ in range(30000):
    globals()[name]()
    if os.path.exists(name):
        break
    time.sleep(0.01)
END
# is_seen NAME: perf has written this name of a function; until.py may go on
is_seen() { wait_for 240 grep -qsra "$1" "$HOME/.debug/python" && touch "$1"; }
cat >looks.c <<'END'
#include <unistd.h>
unsigned int Py_Version = 0x030b02f0;
char _PyRuntime[4096];
__attribute__((noinline)) int _PyEval_EvalFrameDefault(int n) { return getppid() + n; }
int main(int argc, char **argv) { return argc == 1 && _PyEval_EvalFrameDefault(1) == 7; } /* with an argument it does nothing */
END
gcc -O1 -rdynamic -o looks looks.c
cat >forge.py <<'END'
import struct, sys
data = bytearray(open("looks", "rb").read())
names = data.index(b"\0_PyEval_EvalFrameDefault\0") + 1
sections, = struct.unpack_from("<Q", data, 40)
table = [struct.unpack_from("<IIQQQQIIQQ", data, sections + 64 * i) for i in range(struct.unpack_from("<H", data, 60)[0])]
symbols = next(s for s in table if s[1] == 11)  # SHT_DYNSYM
name = names - table[symbols[6]][4]
at = next(a for a in range(symbols[4], symbols[4] + symbols[5], 24) if struct.unpack_from("<I", data, a)[0] == name)
for i in range(int(sys.argv[1])):  # each has a loop of another size
    struct.pack_into("<Q", data, at + 16, 100 + i)
    open("forged/%d" % i, "wb").write(data)
END
mkdir forged
"$first" forge.py 600 # files enough to take the place of Python
chmod +x forged/*
rm -rf "$HOME/.debug" perf.data
# shellcheck disable=SC2016 # sh expands them
spawn timeout 300 "$PERF" record -o perf.data -e syscalls:sys_enter_getppid -g -- \
	sh -c '"$@" until.py comes_first; "$@" flood.py 1 40000; "$@" flood.py 12 4000; for f in forged/*; do $f; done; "$@" until.py comes_later' sh "$first" 2>flood.err
ok "who comes first has names" is_seen comes_first
ok "88,000 functions, and 600 files that look like Python: who comes later has names" is_seen comes_later
wait "$spawned_pid"
is "$?" 0 "all are recorded"
script -F comm,ip,sym >flood.txt
like "$(grep -m 1 comes_later flood.txt)" ' comes_later \(<string>\)$' "who comes later is in its samples"
made=$(grep -c ' made_[0-9]*_[0-9]* (<string>)$' flood.txt)
unknown=$(grep -c ' unknown function (python)$' flood.txt)
told=$(awk '/^  [0-9]+ frames? (have|has) no name: / { told += $1 } END { print told + 0 }' flood.err)
lost=$(sed -n 's/^\([0-9]*\) samples\? w[a-z]* lost because.*/\1/p' flood.err)
note "$made of 88,000 have a name; told of $told others, and ${lost:-0} lost samples"
ok "perf tells of all others that have none" test "$((made + told >= 88000 - ${lost:-0} && unknown <= told))" = 1
like "$(cat flood.err)" '^  [0-9]+ frames have no name: a process may have 32768 functions, and a user half of the 1048576 that others leave$' "and why"

rm -rf "$HOME/.debug" perf.data
# shellcheck disable=SC2016 # sh expands them
run timeout 120 "$PERF" record -v -o perf.data -e syscalls:sys_enter_getppid -g -- \
	sh -c 'for i in 1 2 3 4 5; do "$@"; "$@"; for f in forged/$i??; do $f idle; done; done; "$@"' sh "$first" -c 'import os; os.getppid()'
like "$err" '^syscalls:sys_enter_getppid: [0-9]+ frames of Python' "Python between files that look like it"
unlike "$err" 'met after 256 other files' "a file that is used keeps its place"

# --- a recording that is killed ---
rm -rf "$HOME/.debug" perf.data
spawn "$PERF" record -q -o perf.data -e cpu-clock:u -F 999 -g -- "$first" "$program" shares 100000
recorder=$spawned_pid
wait_for 60 grep -qsra seventy "$HOME/.debug/python"
worker=$(pgrep -P "$recorder" '^python') # not the child by which perf reads memory
kill -KILL "$recorder" && wait "$recorder" 2>/dev/null
kill -KILL "$worker"
like "$(script -F comm,ip,sym)" ' seventy \(python-stacks\.py\)$' "if perf is killed, the names so far are there"

# --- without Python ---
rm -rf "$HOME/.debug"
record -v -- "$WORKLOAD" noploop 0.2
unlike "$err" Python "without Python nothing is said of it"
ok "and no file is written" test ! -e "$HOME/.debug/python"

done_testing

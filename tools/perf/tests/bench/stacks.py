#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# make bench-stacks: how whole the user stacks of common programs are, and what they cost, by way of recording them.
#
# A stack is complete if its last frame is where the kernel or the thread library starts code: _start, clone, start_thread, Go's goexit, ...; in a
# stripped program, which has no name for _start, it is the code at the entry point of the file. All other ends are shown, the most frequent first.
#
# cost: CPU time (user and system) of perf and the program together, over that of the program alone, the median of ROUNDS pairs. The program ends by
# itself, so it does the same work both times. On a busy machine only large differences count.
import collections
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

PERF = os.path.realpath(os.environ["PERF"])
MODES = os.environ.get("MODES", "fp bpf dwarf dwarf,65528").split()
ONLY = os.environ.get("ONLY", "").split()
ROUNDS = int(os.environ.get("ROUNDS", "3"))
FREQ = os.environ.get("FREQ", "999")
OPTIONS = os.environ.get("OPTIONS", "").split()
ROOTS = re.compile(r"^(_start|_dl_start_user|_*(GI_)?_*clone3?|start_thread|thread_start|runtime\.(goexit|mstart|rt0_go|mcall|systemstack|"
                   r"morestack|goexit\.abi0|rt0_go\.abi0|mstart\.abi0|mcall\.abi0|systemstack\.abi0)|_rt0_.*)$")
C_QSORT = """
#include <stdlib.h>
static int less(const void *a, const void *b) { volatile int n = 0; for (int i = 0; i < 20; i++) n++; return *(const int *)a - *(const int *)b; }
int main(void) { static int v[20000]; for (int i = 0; i < 90; i++) { for (int j = 0; j < 20000; j++) v[j] = rand(); qsort(v, 20000, 4, less); } }
"""
CXX_THREADS = """
#include <algorithm>
#include <functional>
#include <random>
#include <thread>
#include <vector>
static void work(unsigned seed) {
	std::mt19937 r(seed);
	std::vector<double> v(200000);
	for (int i = 0; i < 12; i++) { std::generate(v.begin(), v.end(), std::ref(r)); std::sort(v.begin(), v.end(), [](double a, double b) { return a < b; }); }
}
int main() { std::vector<std::thread> t; for (unsigned i = 0; i < 4; i++) t.emplace_back(work, i); for (auto &x : t) x.join(); }
"""
SIGALTSTACK = """
#include <signal.h>
#include <stdlib.h>
static volatile unsigned long n;
static void handler(int sig) { for (int i = 0; i < 1000000; i++) n++; }
int main(void) {
	stack_t alt = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	sigaltstack(&alt, 0); sigaction(SIGUSR1, &sa, 0);
	for (int i = 0; i < 500; i++) raise(SIGUSR1);
}
"""
RUST = """
use std::collections::BTreeMap;
fn build(n: u64) -> BTreeMap<String, u64> { (0..n).map(|i| (format!("{:x}", i.wrapping_mul(0x9E3779B97F4A7C15)), i)).collect() }
fn main() { let mut s = 0; for _ in 0..12 { s += build(60000).values().sum::<u64>(); } println!("{}", s); }
"""
GO = """
package main
import ("fmt"; "sort"; "sync")
func work(seed int) int { v := make([]int, 200000); for i := range v { seed = seed*1103515245 + 12345; v[i] = seed >> 8 }
	sort.Slice(v, func(a, b int) bool { return v[a] < v[b] }); return v[0] }
func main() { var w sync.WaitGroup; for i := 0; i < 16; i++ { w.Add(1); go func(i int) { defer w.Done(); work(i) }(i) }; w.Wait(); fmt.Println("done") }
"""
JAVA = """
import java.util.*;
public class Work { public static void main(String[] a) { long s = 0; for (int r = 0; r < 25; r++) { TreeMap<String, Integer> m = new TreeMap<>();
	for (int i = 0; i < 60000; i++) m.put(Integer.toHexString(i * 0x9E3779B9), i); s += m.firstEntry().getValue(); } System.out.println(s); } }
"""
SCRIPTS = {
    "perl": "my %h; for my $r (1..6) { for my $i (1..200000) { $h{$i % 5000} .= sprintf('%x', $i); } my @k = sort { length $h{$a} <=> length $h{$b} } keys %h; %h = (); }",
    "python3": "def f(n):\n return n if n < 2 else f(n - 1) + f(n - 2)\nf(29)\nprint(len(sorted(range(400000), key=lambda x: -x)))",
    "node": "function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }\nlet s = f(35); const v = []; for (let i = 0; i < 400000; i++) v.push((i * 7919) % 100003);"
            "v.sort((a, b) => a - b); console.log(s, v[5])",
}
CXX_SOURCE = "#include <bits/stdc++.h>\n#include <regex>\nint main() { std::regex r(\"a+\"); std::map<std::string, std::vector<int>> m; return m.size(); }\n"
SQL = "select sum(a.x * b.x) from generate_series(1, 2500) a(x), generate_series(1, 800) b(x);\n"


class Missing(Exception):
    pass


def need(name):
    found = shutil.which(name)
    if not found:
        raise Missing(f"{name} is not installed")
    return found


def run(argv, **kw):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **kw)
    if done.returncode:
        raise Missing(f"{argv[0]}: {done.stdout.decode(errors='replace').strip().splitlines()[-1:]}")
    return done.stdout.decode(errors="replace")


def write(name, text):
    with open(name, "w") as f:
        f.write(text)
    return name


def compiled(name, text, compiler, suffix, *flags):
    run([need(compiler), *flags, write(name + suffix, text), "-o", name])
    return ["./" + name]


def interpreted(name, *options):
    return [os.path.realpath(need(name)) if name != "python3" else python(), *options, write("script." + {"node": "js"}.get(name, name), SCRIPTS[name])]


def python():
    return run([need("python3"), "-c", "import sys; print(sys.executable)"]).strip()


def python_perf():
    for path in [shutil.which(n) or "" for n in ("python3.13", "python3.12")] + ["/root/.pyenv/versions/3.12.1/bin/python3"]:
        if os.path.exists(path) and not subprocess.run([path, "-X", "perf", "-c", "0"], stderr=subprocess.DEVNULL).returncode:
            return [path, "-X", "perf", write("script.python3", SCRIPTS["python3"])]
    raise Missing("no Python with -X perf (3.12)")


def cc1plus():
    path = run([need("g++"), "-print-prog-name=cc1plus"]).strip()
    write("big.ii", run(["g++", "-E", write("big.cc", CXX_SOURCE)]))
    return [path, "-quiet", "-fpreprocessed", "-O1", "big.ii", "-o", "/dev/null"]


def clang():
    return [os.path.realpath(need("clang")), "-cc1", "-emit-obj", "-O2", "-triple", "x86_64-pc-linux-gnu", "-x", "c", write("big.c", big_c()), "-o", "/dev/null"]


def big_c():
    return "".join(f"int f{i}(int *v, int n) {{ int s = {i}; for (int j = 0; j < n; j++) {{ s += v[j] * (s ^ j); if (s & {i}) v[j] = s; }} return s; }}\n" for i in range(900))


def postgres():
    bindir = run([need("pg_config"), "--bindir"]).strip()
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.mkdir("db")
    os.chown("db", 65534, 65534)
    run([*as_user, bindir + "/initdb", "-D", os.path.realpath("db"), "-N", "-U", "bench"])
    write("q.sql", SQL)
    os.chmod("q.sql", 0o644)
    return ["sh", "-c", f"exec {' '.join(as_user)} {bindir}/postgres --single -D {os.path.realpath('db')} postgres <q.sql"]


def redis():
    need("redis-benchmark")
    return ["sh", "-c", f"{need('redis-server')} --port 0 --unixsocket ./redis.sock --save '' --daemonize no >/dev/null & p=$!\n"
            "until [ -S redis.sock ]; do sleep 0.02; done\nredis-benchmark -s ./redis.sock -q -n 60000 -c 20 -t set,lpush,sadd >/dev/null; kill $p; wait; :"]


def java():
    run([need("javac"), write("Work.java", JAVA)])
    return [os.path.realpath(need("java")), "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-XX:+PreserveFramePointer", "Work"]


WORKLOADS = {
    "C, callbacks in libc": lambda: compiled("qsort", C_QSORT, "cc", ".c", "-O2"),
    "C++ threads": lambda: compiled("threads", CXX_THREADS, "c++", ".cc", "-O2", "-pthread"),
    "static-pie": lambda: compiled("static", C_QSORT, "cc", ".c", "-O2", "-static-pie"),
    "sigaltstack": lambda: compiled("altstack", SIGALTSTACK, "cc", ".c", "-O2"),
    "perl": lambda: interpreted("perl"),
    "python3": lambda: interpreted("python3"),
    "python -X perf": python_perf,
    "node": lambda: interpreted("node", "--perf-basic-prof"),
    "cc1plus": cc1plus,
    "clang": clang,
    "postgres": postgres,
    "redis": redis,
    "Rust": lambda: compiled("rust", RUST, "rustc", ".rs", "-O"),
    "Go": lambda: (run([need("go"), "build", "-o", "gowork", write("work.go", GO)], env={**os.environ, "GOCACHE": os.path.realpath("gocache"), "GO111MODULE": "off"}),
                   ["./gowork"])[1],
    "Java": java,
}


def cpu_of(argv):
    """Its CPU time in seconds, with that of its children, and what it has said."""
    with open("out.txt", "wb") as out:
        child = subprocess.Popen(argv, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    with open("out.txt", errors="replace") as said:
        text = said.read()
    if status:
        raise Missing(f"{argv[0]} fails: {text.strip().splitlines()[-1:]}")
    return usage.ru_utime + usage.ru_stime, text


entries = {}


def entry_of(path):
    """The offset in the file of the code where it starts; -1: unknown."""
    if path not in entries:
        entries[path] = read_entry(path)
    return entries[path]


def read_entry(path):
    try:
        with open(path, "rb") as f:
            head = f.read(64)
            if head[:5] != b"\x7fELF\x02":
                return -1
            entry, phoff = struct.unpack_from("<QQ", head, 24)
            size, nr = struct.unpack_from("<HH", head, 54)
            f.seek(phoff)
            table = f.read(size * nr)
    except OSError:
        return -1
    for i in range(nr):
        kind, _, offset, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", table, i * size)
        if kind == 1 and vaddr <= entry < vaddr + filesz:
            return entry - vaddr + offset
    return -1


FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*?)(?:\+0x([0-9a-f]+))?\)$")


def end_of(chain):
    """None: the stack is complete; else what it ends in."""
    last = next((m for m in map(FRAME.match, reversed(chain)) if m), None)
    if not last:
        return "no frame"
    _, name, dso, offset = last.groups()
    if ROOTS.match(name.removesuffix(" (inlined)").split("@")[0]):
        return None
    if offset and 0 <= int(offset, 16) - entry_of(dso) < 64:
        return None
    return f"{name if name != '[unknown]' else 'code without a name'} ({os.path.basename(dso)})"


def ends(data, comms):
    counts, nr, chain = collections.Counter(), 0, []
    script = subprocess.Popen([PERF, "script", "--no-inline", "-F", "comm,ip,sym,dso,dsoff", "-i", data], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace")
    for line in script.stdout:
        line = line.rstrip("\n")
        if line.strip():
            chain.append(line)
        elif chain:
            if chain[0].strip() not in comms:
                nr += 1
                counts[end_of(chain[1:])] += 1
            chain = []
    script.wait()
    return nr, counts


def lost(text):
    found = re.search(r"(\d+) (?:samples|records) were lost", text)
    return int(found.group(1)) if found else 0


def measure(argv, mode):
    costs = []
    for _ in range(ROUNDS):
        plain, _ = cpu_of(argv)
        recorded, text = cpu_of([PERF, "record", "-e", "cpu-clock:u", "-F", FREQ, "--call-graph", mode, *OPTIONS, "-o", "s.data", "--", *argv])
        costs.append(recorded / plain - 1)
    nr, counts = ends("s.data", {"sh", "setpriv", "sleep", "kill", "perf", "perf-exec"})
    return nr, counts, os.path.getsize("s.data"), statistics.median(costs), lost(text)


def tell(title, argv, mode):
    nr, counts, size, cost, gone = measure(argv, mode)
    others = [f"{100 * n / nr:.1f} % {end}" for end, n in counts.most_common(4) if end][:3] if nr else []
    whole = 100 * counts[None] / nr if nr else 0
    print(f"{title:22} {mode:12} {nr:7} {whole:8.1f} % {100 * cost:+6.1f} % {size / max(nr, 1):9.0f} {gone:7}  {'; '.join(others)}", flush=True)


def main():
    work = tempfile.mkdtemp(prefix="bench-stacks.", dir="/var/tmp")
    os.chmod(work, 0o755)
    os.chdir(work)
    print(f"{'program':22} {'--call-graph':12} {'samples':>7} {'complete':>10} {'cost':>8} {'B/sample':>9} {'lost':>7}  other ends")
    try:
        for title, make in WORKLOADS.items():
            if ONLY and title not in ONLY:
                continue
            try:
                argv = make()
                for mode in MODES:
                    tell(title, argv, mode)
            except Missing as why:
                print(f"{title:22} not run: {why}", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# make bench-unwind: what a user stack costs in the kernel, by tables in BPF and along frame pointers: ns of a run of the BPF program that counts
# stacks, as the kernel measures it (kernel.bpf_stats_enabled). The program has frame pointers and tables, so both find the same frames.
#
# hot: one program that only calls, so that its stack and tables are in the caches. The cost of a frame is the difference between two depths.
# Each line: medians of ROUNDS alternated runs, ns a stack, ns a frame, and their ratio.
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PERF = os.path.realpath(os.environ["PERF"])
ROUNDS = int(os.environ.get("ROUNDS", "5"))
DEPTHS = [int(n) for n in os.environ.get("DEPTHS", "5 30 60 100").split()]
STATS = "/proc/sys/kernel/bpf_stats_enabled"
# A function each for the frames, as programs have: not one that calls itself
NR = 128
SOURCE = """
#include <stdlib.h>
volatile unsigned long sink;
#define F __attribute__((noinline, noclone)) void
typedef void fn(int);
""" + "".join(f"F f{i}(int n);\n" for i in range(NR)) + """
F leaf(void) { for (;;) sink++; }
""" + "".join(f"F f{i}(int n) {{ volatile char room[{16 + i % 5 * 24}]; room[0] = n; if (n > 0) f{(i + 1) % NR}(n - 1); else leaf(); sink += room[0]; }}\n" for i in range(NR)) + """
int main(int argc, char **argv) { f0(atoi(argv[1]) - 3); }
"""
PYTHON = "def f(n):\n return n if n < 2 else f(n - 1) + f(n - 2)\nwhile True: f(18)\n"


def cost(pid, mode):
    """ns a stack of this process"""
    recorder = subprocess.Popen([PERF, "sample-bpf", "-e", "cpu-clock:u", "-F", "1999", "--call-graph", mode, "--key", "ustack", "-o", "c.data", "-p", str(pid)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first = wait_runs(recorder, 20)
    last = wait_runs(recorder, first[1] + 600)
    recorder.terminate()
    recorder.wait()
    return (last[0] - first[0]) / (last[1] - first[1])


def runs(pid):
    """ns and number of all runs of its programs on events"""
    ns = nr = 0
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}") as f:
                text = f.read()
        except OSError:
            continue
        if re.search(r"^prog_type:\s*7$", text, re.M):
            ns += int(re.search(r"^run_time_ns:\s*(\d+)", text, re.M).group(1))
            nr += int(re.search(r"^run_cnt:\s*(\d+)", text, re.M).group(1))
    return ns, nr


def wait_runs(recorder, nr):
    while recorder.poll() is None:
        found = runs(recorder.pid)
        if found[1] >= nr:
            return found
        time.sleep(0.02)
    sys.exit("perf sample-bpf failed")


def pair(argv):
    """Medians: by frame pointers, by tables"""
    target = subprocess.Popen(argv)
    try:
        time.sleep(0.2)
        found = [(cost(target.pid, "fp"), cost(target.pid, "bpf")) for _ in range(ROUNDS)]
    finally:
        target.kill()
        target.wait()
    return statistics.median(f for f, _ in found), statistics.median(b for _, b in found)


def main():
    work = tempfile.mkdtemp(prefix="bench-unwind.", dir="/var/tmp")
    os.chdir(work)
    with open(STATS) as f:
        before = f.read()
    try:
        with open(STATS, "w") as f:
            f.write("1")
        with open("deep.c", "w") as f:
            f.write(SOURCE)
        subprocess.run([os.environ.get("CC", "cc").split()[-1], "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "deep.c", "-o", "deep"], check=True)
        print(f"{'stack':16} {'fp ns':>8} {'bpf ns':>8} {'ratio':>6} {'fp/frame':>9} {'bpf/frame':>9} {'ratio':>6}")
        base = None
        for depth in DEPTHS:
            fp, bpf = pair(["./deep", str(depth)])
            base = base or (depth, fp, bpf)
            line = f"{str(depth) + ' frames':16} {fp:8.0f} {bpf:8.0f} {bpf / fp:6.2f}"
            if depth > base[0]:
                a, b = (fp - base[1]) / (depth - base[0]), (bpf - base[2]) / (depth - base[0])
                line += f" {a:9.1f} {b:9.1f} {b / a:6.2f}"
            print(line, flush=True)
        with open("p.py", "w") as f:
            f.write(PYTHON)
        fp, bpf = pair([shutil.which("python3"), "p.py"])
        print(f"{'python':16} {fp:8.0f} {bpf:8.0f}")
    finally:
        with open(STATS, "w") as f:
            f.write(before)
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

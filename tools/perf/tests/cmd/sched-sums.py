#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# sched-sums.py LINES SUMMARY WAITS MOVES: print what the summaries of perf sched timehist tell otherwise than its lines do. LINES: with --state; SUMMARY: -s;
# WAITS: -s --state; MOVES: sched_migrate_task of perf script. Times are in ms; lines are rounded to 1 us.
import math
import re
import sys

LINE = re.compile(r"^ *([0-9.]+) \[(\d+)\]\s+(.*\S)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+(\S)\s*$")
ROW = re.compile(r"^ *\S.*\[(\d+)(?:/\d+)?\]\s+-?\d+((?:\s+[0-9.]+)+)\s*$")
TASK = re.compile(r"\[(\d+)(?:/\d+)?\]$")


class Task:
    def __init__(self):
        self.runs = []
        self.sleep = self.iowait = self.preempt = self.delay = 0
        self.state = ""

    def add(self, wait, delay, run, state):
        self.runs.append(run)
        self.delay += delay
        if self.state == "R":
            self.preempt += wait
        elif self.state == "D":
            self.iowait += wait
        else:
            self.sleep += wait
        self.state = state


def check(what, told, wanted, tolerance):
    if abs(told - wanted) > tolerance:
        print(f"{what}: {told}, and by the lines {wanted:.3f}")


def rows(path):
    found = {}
    for line in open(path, errors="replace"):
        row = ROW.match(line)
        if row:
            found[int(row[1])] = [float(number) for number in row[2].split()]
    return found


def deviation(runs):
    mean = sum(runs) / len(runs)
    return 100 * math.sqrt(sum((run - mean) ** 2 for run in runs) / (len(runs) - 1) / len(runs)) / mean


tasks, idle, nr = {}, {}, 0
for text in open(sys.argv[1], errors="replace"):
    line = LINE.match(text)
    if not line:
        continue
    nr += 1
    wait, delay, run = float(line[4]), float(line[5]), float(line[6])
    named = TASK.search(line[3])
    if not named:
        idle[int(line[2])] = idle.get(int(line[2]), 0) + run
        continue
    task = tasks.setdefault(int(named[1]), Task())
    if task.state == "R" and run:  # who is preempted waits for a CPU from then on
        check(f"delay of {named[1]} at {line[1]}", delay, wait, 0.0015)
    task.add(wait, delay, run, line[7])
moves = {}
for text in open(sys.argv[4], errors="replace"):
    pid = re.search(r" pid=(\d+) ", text)
    moves[int(pid[1])] = moves.get(int(pid[1]), 0) + 1

summary, waits = rows(sys.argv[2]), rows(sys.argv[3])
if set(summary) != set(tasks) or set(waits) != set(tasks) or not tasks:
    print(f"tasks: {sorted(summary)} and {sorted(waits)}, and by the lines {sorted(tasks)}")
for tid in set(summary) & set(waits) & set(tasks):
    task, rounding = tasks[tid], 0.001 * len(tasks[tid].runs) + 0.001
    count, total, least, mean, greatest, dev, moved = summary[tid]
    check(f"turns of {tid}", count, len(task.runs), 0)
    check(f"time of {tid}", total, sum(task.runs), rounding)
    check(f"shortest turn of {tid}", least, min(task.runs), 0.0011)
    check(f"mean of {tid}", mean, sum(task.runs) / count, 0.002)
    check(f"longest turn of {tid}", greatest, max(task.runs), 0.0011)
    check(f"migrations of {tid}", moved, moves.get(tid, 0), 0)
    if count > 1 and mean > 0.1:
        check(f"deviation of {tid}", dev, deviation(task.runs), 1.5)
    for name, told in zip(("sleep", "iowait", "preempt", "delay"), waits[tid][2:]):
        check(f"{name} of {tid}", told, getattr(task, name), rounding)
for text in open(sys.argv[2], errors="replace"):
    told = re.match(r" *CPU +(\d+) idle for +([0-9.]+)", text)
    if told:
        check(f"idle time of CPU {told[1]}", float(told[2]), idle.get(int(told[1]), 0), 0.001 * nr)
    told = re.match(r"Total number of context switches: (\d+)", text)
    if told:
        check("switches", int(told[1]), nr, 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""make bench-clock: do samples of a clock stand for the CPU time of programs whose tasks live or run for a short time each?

Each program runs under `perf stat -e task-clock`, which is the oracle, and that under `perf record -e cpu-clock`. A line has the CPU time, the
samples that were due, ours and those of NEWEST (by default /usr/bin/perf), as a share of them, and beside ours 3 sigma of a random choice. With
-p the program runs already. "comm": how far the share of a comm among ours is from its share with -a in the same run, at most and in points.
Of nginx, which answers ab, it is that of a worker process.
RATES: samples a second; CHOICE: programs whose names match; ROUNDS: the median of so many.
"""
import collections
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PERF = os.path.realpath(os.environ["PERF"])
NEWEST = os.environ.get("NEWEST", "/usr/bin/perf")
HERE = os.path.join(os.path.dirname(PERF), "tests/bench")
RATES = os.environ.get("RATES", "99 999 9999").split()
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SHORT = os.path.join(HERE, "short-runs")
CONFIGURE = """i=0
while [ $i -lt 40 ]; do
	echo "int main(void) { return $i; }" >conf$i.c
	cc -E conf$i.c | grep -c main >/dev/null
	expr $i + 1 >/dev/null
	sed -n 1p conf$i.c >/dev/null
	i=$((i + 1))
done"""
MAKE = "all: $(patsubst %.c,%.o,$(wildcard unit*.c))\n"
UNIT = '#include <stdio.h>\n#include <stdlib.h>\n' + "".join(f"int f{i}(int x) {{ return printf(\"%d\", x * {i}); }}\n" for i in range(300))

PROGRAMS = {
    "true in a loop": ["sh", "-c", "i=0; while [ $i -lt 600 ]; do /bin/true; i=$((i + 1)); done"],
    "vfork": [SHORT, "vfork", "1000"],
    "configure": ["sh", "-c", CONFIGURE],
    "make -j2": ["make", "-s", "-B", "-j2"],
    "2000 threads": [SHORT, "threads", "2000"],
    "pipes": [SHORT, "pipes", "100000"],
    "fork server": [SHORT, "server", "1500"],
    "bursts": [SHORT, "bursts", "20"],
    "spin": [SHORT, "spin", "1000"],
}
RUNNING = {"fork server, -p": [SHORT, "server", "1500", "wait"]}
NGINX = """daemon off; pid nginx.pid; error_log stderr crit; user root; worker_processes 2; events {}
http { access_log off; server { listen 127.0.0.1:%d reuseport; location / { return 200 "%s"; } } }"""
REQUESTS = 20000


def cpu_ms(path):
    """What perf stat -x, wrote"""
    with open(path, encoding="utf-8") as text:
        return float(next(line for line in text if "task-clock" in line).split(",")[0])


def samples(perf, path, field="comm"):
    """By comm or pid: those of the program, not of perf stat"""
    script = subprocess.run([PERF, "script", "-i", path, "-F", field], capture_output=True, text=True, check=True).stdout
    comms = collections.Counter(line.strip() for line in script.splitlines())
    return {comm: nr for comm, nr in comms.items() if comm not in ("perf", os.path.basename(perf))}


def stat(program):
    return [PERF, "stat", "-x,", "-e", "task-clock", "-o", "time.txt", "--", *program]


def record(perf, rate):
    return [perf, "record", "-q", "-e", "cpu-clock", "-F", rate, "-o", "clock.data"]


def share(perf, rate):
    """Of what was recorded: (samples / those due, due)"""
    due = cpu_ms("time.txt") * int(rate) / 1000
    return sum(samples(perf, "clock.data").values()) / due, due


def share_of_command(perf, rate, program):
    subprocess.run([*record(perf, rate), "--", *stat(program)], check=True, capture_output=True)
    return share(perf, rate)


def samples_below(path, root):
    """By comm, of a process and all that it has started, directly or not: other programs may have the same names"""
    script = [PERF, "script", "-i", path, "--show-task-events", "-F", "comm,pid"]
    comms, below = collections.Counter(), {root}
    for line in subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines():
        fork = re.search(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):", line)
        if fork and int(fork[2]) in below:
            below.add(int(fork[1]))
        sample = re.match(r" *(.*?) +(\d+) *$", line)
        if sample and int(sample[2]) in below:
            comms[sample[1]] += 1
    return comms


def points_from_all(rate, program):
    """The largest difference of a comm's share from that with -a"""
    command = [*record_all(rate), "--", *record(PERF, rate), "--", *stat(program)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
        pass
    return points_between(samples(PERF, "clock.data"), samples_below("all.data", recorder.pid))


def record_all(rate):
    return [PERF, "record", "-q", "-a", "-e", "cpu-clock", "-F", rate, "-o", "all.data"]


def points_between(ours, everything):
    of_all = {comm: nr for comm, nr in everything.items() if comm in ours}
    nr, nr_of_all = (max(1, sum(of.values())) for of in (ours, of_all))
    return 100 * max((abs(ours[comm] / nr - of_all.get(comm, 0) / nr_of_all) for comm in ours), default=0)


def records(recorder):
    """Has that perf its file open, which it makes when its events are, or ended?"""
    if recorder.poll() is not None:
        return True
    try:
        return any(os.readlink(f"/proc/{recorder.pid}/fd/{fd}").endswith(".data") for fd in os.listdir(f"/proc/{recorder.pid}/fd"))
    except FileNotFoundError: # a file that it has closed meanwhile
        return False


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        return int(children.read() or 0)


def share_of_running(perf, rate, program):
    with subprocess.Popen(stat(program), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as running:
        while not child_of(running.pid):
            time.sleep(0.01)
        time.sleep(0.1) # for its exec
        if os.path.exists("clock.data"):
            os.unlink("clock.data")
        with subprocess.Popen([*record(perf, rate), "-p", str(child_of(running.pid))], stderr=subprocess.DEVNULL) as recorder:
            while not records(recorder):
                time.sleep(0.01)
            time.sleep(0.2) # newer perfs make the file before their events
            running.stdin.write(b"\n")
            running.stdin.close()
    return share(perf, rate)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def workers_of(master):
    with open(f"/proc/{master}/task/{master}/children", encoding="ascii") as children:
        return children.read().split()


def while_nginx_answers(commands):
    """Run commands, where PIDS are the workers, while they answer requests"""
    port = free_port()
    with open("nginx.conf", "w", encoding="ascii") as conf:
        conf.write(NGINX % (port, "x" * 2000))
    with subprocess.Popen(["nginx", "-p", os.getcwd(), "-c", "nginx.conf"], stderr=subprocess.DEVNULL) as server:
        while server.poll() is None and not (answers(port) and len(workers_of(server.pid)) == 2):
            time.sleep(0.01)
        time.sleep(0.1) # until the workers wait for requests
        pids = ",".join(workers_of(server.pid))
        watchers = [subprocess.Popen([pids if word == "PIDS" else word for word in command], stderr=subprocess.DEVNULL) for command in commands]
        while not all(records(watcher) for watcher in watchers[1:]):
            time.sleep(0.01)
        time.sleep(0.3) # newer perfs make the file before their events
        subprocess.run(["ab", "-q", "-n", str(REQUESTS), "-c", "8", f"http://127.0.0.1:{port}/"], check=True, capture_output=True)
        for watcher in watchers:
            watcher.send_signal(signal.SIGINT)
        for watcher in watchers:
            watcher.wait()
        server.terminate()


STAT_NGINX = [PERF, "stat", "-x,", "-e", "task-clock", "-o", "time.txt", "-p", "PIDS"]


def share_of_nginx(perf, rate, _):
    while_nginx_answers([STAT_NGINX, [*record(perf, rate), "-p", "PIDS"]])
    return share(perf, rate)


def points_of_nginx(rate, _):
    while_nginx_answers([STAT_NGINX, [*record(PERF, rate), "-p", "PIDS"], record_all(rate)])
    return points_between(samples(PERF, "clock.data", "pid"), samples(PERF, "all.data", "pid"))


# How a program is measured, if not as a command: its share, and the points of its comms (None: not measured)
OTHERS = {"fork server, -p": (share_of_running, None), "nginx, -p": (share_of_nginx, points_of_nginx)}


def row(name, rate, program):
    of, points_of = OTHERS.get(name, (share_of_command, points_from_all))
    rounds = [(of(PERF, rate, program), of(NEWEST, rate, program)) for _ in range(ROUNDS)]
    due = statistics.median(ours[1] for ours, _ in rounds)
    ours, newest = (statistics.median(r[i][0] for r in rounds) for i in (0, 1))
    points = f"  comm {statistics.median(points_of(rate, program) for _ in range(ROUNDS)):4.1f}" if points_of else ""
    print(f"{name:16} {rate:>5} {due:9.0f}  ours {100 * ours:6.1f} % (+-{300 / due**0.5:5.1f})  newest {100 * newest:6.1f} %{points}", flush=True)


def programs():
    chosen = PROGRAMS | RUNNING
    if shutil.which("nginx") and shutil.which("ab"):
        chosen["nginx, -p"] = None
    else:
        print("nginx, -p: left out, as it takes nginx and ab (nginx-light and apache2-utils)")
    return chosen


def main():
    chosen = os.environ.get("CHOICE")
    print("program           rate   due samples")
    with tempfile.TemporaryDirectory(prefix="perf-bench-clock.") as work:
        os.chdir(work)
        for i in range(12):
            with open(f"unit{i}.c", "w", encoding="utf-8") as source:
                source.write(UNIT)
        with open("Makefile", "w", encoding="utf-8") as makefile:
            makefile.write(MAKE)
        everything = programs()
        for rate in RATES:
            for name, program in everything.items():
                if not chosen or re.search(chosen, name):
                    row(name, rate, program)
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# make proof-gdb: the stacks that perf stacks shows of real programs, frame by frame beside those of gdb, which stops them. The programs sleep; a
# thread that runs meanwhile is tried again, and left out if it runs each time. Frames are compared by address, with the names and the inlined
# functions of each. Each difference has a class that explains it; any other is a failure. Then the time of both, and what a program at full
# speed loses while they look at it once a second. ONLY="Java node" chooses programs, THREADS=5000, PAIRS=20 (0: no measuring).
import bisect
import collections
import json
import os
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

PERF, HERE = os.path.realpath(os.environ["PERF"]), os.path.dirname(os.path.abspath(__file__))
ONLY = os.environ.get("ONLY", "").split()
THREADS, PAIRS, SECONDS = int(os.environ.get("THREADS", "5000")), int(os.environ.get("PAIRS", "20")), 2
KERNEL = 1 << 63
TRIES = 4  # more, for threads that ran
MANY, MOST_SECONDS, MOST_LOSS = 5000, 0.5, 1.0  # threads, for all of them, and percent of the work of a program
GDB = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load safe-path /", "-iex", "set backtrace past-main on",
       "-iex", "set backtrace past-entry on", "-iex", "set backtrace limit 1000"]
CXX = r"""
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
#include <csignal>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
using namespace std::chrono_literals;
static std::mutex held;
static std::shared_mutex shared;
static std::condition_variable never;
static std::promise<int> promise;
static std::shared_future<int> future = promise.get_future().share();
static int nobody_writes[2];
static volatile unsigned long returned;

struct waiter { virtual void wait(int depth) = 0; virtual ~waiter() {} };
template <int N> struct by_template : waiter {
	static inline __attribute__((always_inline)) int inner() { char c; return read(nobody_writes[0], &c, 1) + N; }
	void wait(int depth) override { if (depth > 0) wait(depth - 1); else returned += inner(); returned++; }
};
namespace { struct hidden : waiter { void wait(int) override { std::lock_guard<std::mutex> guard(held); returned++; } }; }
struct by_future : waiter { void wait(int) override { returned += future.get(); } };
struct by_shared : waiter { void wait(int) override { std::shared_lock<std::shared_mutex> guard(shared); returned++; } };
struct by_condition : waiter { void wait(int) override { std::mutex own; std::unique_lock<std::mutex> guard(own); never.wait(guard, [] { return returned == ~0UL; }); } };
struct by_sort : waiter { void wait(int) override { std::vector<int> v{ 3, 1, 2 }; std::sort(v.begin(), v.end(), [](int a, int b) { pause(); return a < b; }); returned += v[0]; } };
struct by_sleep : waiter { void wait(int) override { std::this_thread::sleep_for(1000h); returned++; } };
struct by_qsort : waiter {
	static int less(const void *a, const void *b) { poll(NULL, 0, -1); return *(const char *)a - *(const char *)b; }
	void wait(int) override { char s[] = "stack"; qsort(s, 5, 1, less); returned += s[0]; }
};
/* It waits in a handler of a signal, on the alternate stack or on its own. */
struct by_signal : waiter {
	static void handler(int) { pause(); returned++; }
	void wait(int depth) override {
		static thread_local char room[65536];
		stack_t alt = {};
		struct sigaction sa = {};
		alt.ss_sp = room, alt.ss_size = sizeof(room);
		sa.sa_handler = handler, sa.sa_flags = SA_ONSTACK;
		if (depth & 1)
			sigaltstack(&alt, nullptr);
		sigaction(SIGUSR1, &sa, nullptr);
		pthread_kill(pthread_self(), SIGUSR1);
		returned++;
	}
};
/* The last call of each of these is a jump, so that they have no frame. */
static int __attribute__((noinline)) last(int n) { char c; return read(nobody_writes[0], &c, n > 0); }
static int __attribute__((noinline)) jumps(int n) { return last(n + 1); }
struct by_tail_call : waiter { void wait(int depth) override { returned += jumps(depth); } };

static std::unique_ptr<waiter> make(int i)
{
	switch (i % 10) {
	case 0: return std::make_unique<by_template<1>>();
	case 1: return std::make_unique<by_template<2>>();
	case 2: return std::make_unique<hidden>();
	case 3: return std::make_unique<by_future>();
	case 4: return std::make_unique<by_shared>();
	case 5: return std::make_unique<by_condition>();
	case 6: return std::make_unique<by_sort>();
	case 7: return std::make_unique<by_sleep>();
	case 8: return std::make_unique<by_tail_call>();
	}
	return i % 20 == 9 ? std::unique_ptr<waiter>(new by_qsort) : std::unique_ptr<waiter>(new by_signal);
}

static void start_threads(int nr)
{
	static std::vector<std::thread> all;

	held.lock();
	shared.lock();
	if (pipe(nobody_writes))
		exit(1);
	for (int i = 0; i < nr; i++)
		all.emplace_back([i] { auto w = make(i); std::function<void(int)> f = [&](int depth) { w->wait(depth); }; f(i / 10 % 30); });
}

static void deadlock()
{
	static std::mutex a, b;
	static pthread_barrier_t both;

	pthread_barrier_init(&both, nullptr, 2);
	std::thread one([] { std::lock_guard<std::mutex> g(a); pthread_barrier_wait(&both); std::lock_guard<std::mutex> h(b); });
	std::thread two([] { std::lock_guard<std::mutex> g(b); pthread_barrier_wait(&both); std::lock_guard<std::mutex> h(a); });
	one.join();
	two.join();
}

static long clock_ns(clockid_t id)
{
	timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* One thread works, beside those that wait, and says every 50 ms how much it has done, in which time, by the clock and of a CPU. */
static void work()
{
	std::mt19937 random(1);
	unsigned long done = 0;
	long said = 0;

	for (;;) {
		std::map<unsigned, std::string> m;
		for (int i = 0; i < 200; i++)
			m[random()] += std::to_string(i);
		done += m.size() > 0;
		const long now = clock_ns(CLOCK_MONOTONIC);
		if (now - said < 50000000)
			continue;
		said = now;
		printf("%ld %ld %lu\n", now, clock_ns(CLOCK_THREAD_CPUTIME_ID), done);
	}
}

int main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "threads";

	if (what == "deadlock")
		deadlock();
	start_threads(argc > 2 ? atoi(argv[2]) : 100);
	if (what == "work")
		work();
	pause();
}
"""
JAVA = """
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
public class Waits {
	static final Object never = new Object();
	static int deep(int n) throws Exception { if (n > 0) return deep(n - 1) + 1; LockSupport.park(); return 0; }
	static long hot(int n) { long s = 0; for (int i = 0; i < n; i++) s += Integer.toHexString(i).hashCode(); return s; }
	static long hotThenWait(int n, boolean wait) { long s = hot(n); if (wait) LockSupport.park(); return s; }
	public static void main(String[] a) throws Exception {
		for (int i = 0; i < 20000; i++) hotThenWait(50, false);
		for (int i = 0; i < 8; i++) {
			final int kind = i % 4;
			new Thread(() -> { try { switch (kind) {
				case 0: synchronized (never) { never.wait(); } break;
				case 1: deep(40); break;
				case 2: hotThenWait(50, true); break;
				default: new java.net.ServerSocket(0).accept();
			} } catch (Exception e) { } }, "waits-" + i).start();
		}
		Thread.sleep(100000000L);
	}
}
"""
NODE = """
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) {
	for (let i = 0; i < 3; i++) new Worker(__filename);
	require('http').createServer((q, r) => r.end('x')).listen(0);
	require('fs').readFile('/dev/tty', () => {});
} else {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
"""
PYTHON = """
import http.server, threading, time, queue, socket
def deep(n): return deep(n - 1) + 1 if n else time.sleep(100000)
threading.Thread(target=deep, args=(30,), daemon=True).start()
threading.Thread(target=queue.Queue().get, daemon=True).start()
threading.Thread(target=lambda: sorted([2, 1], key=lambda x: socket.create_server(('127.0.0.1', 0)).accept()), daemon=True).start()
http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


# Where the kernel or libc starts a thread; in a program without symbols perf names the file and the function's offset.
ROOTS = re.compile(r"^(_start|clone3?|__clone3?|.*\+0x[0-9a-f]+)(@.*)?$")


class Missing(Exception):
    pass


def need(*names):
    for name in names:
        if shutil.which(name):
            return shutil.which(name)
    raise Missing(f"{names[0]} is not installed")


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return os.path.realpath(name)


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Missing(f"{what} within {seconds} s")
        time.sleep(0.05)


# Programs: each function starts one, and returns its processes when they sleep

started = []


def spawn(argv):
    with open("said.txt", "ab") as said:
        started.append(subprocess.Popen(argv, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True))
    return started[-1].pid


def tids(pid):
    try:
        return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    except FileNotFoundError:
        raise Missing(f"the program has ended: {open('said.txt', errors='replace').read()[-300:]}")


def field(pid, tid, name):
    try:
        with open(f"/proc/{pid}/task/{tid}/status") as file:
            return sum(int(n) for n in re.findall(rf"^{name}:\s+(\d+)", file.read(), re.M))
    except (FileNotFoundError, ProcessLookupError):
        return -1


def switches(pid):
    return {tid: field(pid, tid, "(?:non)?voluntary_ctxt_switches") for tid in tids(pid)}


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def quiet(pids, few=0):
    """Most threads sleep on."""
    before = [switches(pid) for pid in pids]
    time.sleep(0.3)
    after = [switches(pid) for pid in pids]
    return sum(a != b for one, two in zip(before, after) for a, b in zip(one.items(), two.items())) <= few and [len(x) for x in before] == [len(x) for x in after]


def compiled():
    if not os.path.exists("waits"):
        done = subprocess.run([need("c++", "g++"), "-O2", "-g", "-pthread", "-std=c++17", "-o", "waits", write("waits.cc", CXX)], capture_output=True, text=True)
        if done.returncode:
            raise Missing(done.stderr[:500])
    return os.path.realpath("waits")


def cxx(nr):
    def start():
        pid = spawn([compiled(), "threads", str(nr)])
        wait_for(f"{nr} threads", lambda: len(tids(pid)) == nr + 1 and quiet([pid]))
        return [pid]
    return start


def deadlocked():
    pid = spawn([compiled(), "deadlock"])
    wait_for("a deadlock", lambda: len(tids(pid)) == 3 and quiet([pid]))
    return [pid]


def postgres():
    bindir = subprocess.run([need("pg_config", "/usr/bin/pg_config"), "--bindir"], capture_output=True, text=True).stdout.strip() \
        if shutil.which("pg_config") else max(os.path.join(r, "bin") for r in map("/usr/lib/postgresql/".__add__, os.listdir("/usr/lib/postgresql")))
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.makedirs("db")
    os.chown("db", 65534, 65534)
    db = os.path.realpath("db")
    subprocess.run([*nobody, bindir + "/initdb", "-D", db, "-N", "-U", "bench"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    server = spawn([*nobody, bindir + "/postgres", "-D", db, "-k", db, "-c", "listen_addresses="])
    psql = [*nobody, "psql", "-h", db, "-U", "bench", "postgres"]
    wait_for("postgres", lambda: not subprocess.run([*psql, "-c", "create table t(x int)"], capture_output=True).returncode)
    for sql in ("begin; lock table t; select pg_sleep(100000)", "select pg_sleep(100000)"):
        spawn([*psql, "-c", sql])
    wait_for("a lock", lambda: b" t" in subprocess.run([*psql, "-tc", "select ' t' from pg_locks where mode = 'AccessExclusiveLock' and granted"], capture_output=True).stdout)
    spawn([*psql, "-c", "create index on t(x)"])
    wait_for("two who wait", lambda: len(children(server)) >= 8)
    time.sleep(1)
    return [server, *children(server)]


def nginx():
    program = need("nginx", "/usr/sbin/nginx")
    here = os.getcwd()
    conf = write("nginx.conf", f"daemon off; worker_processes 2; pid {here}/nginx.pid; error_log {here}/nginx.log; events {{}}\n"
                 f"http {{ access_log off; client_body_temp_path {here}/a; proxy_temp_path {here}/b; fastcgi_temp_path {here}/c; uwsgi_temp_path {here}/d; scgi_temp_path {here}/e;"
                 f" server {{ listen unix:{here}/nginx.sock; }} }}\n")
    pid = spawn([program, "-c", conf])
    wait_for("workers", lambda: len(children(pid)) == 2 and quiet([pid, *children(pid)]))
    return [pid, *children(pid)]


def java():
    java_home = need("java")
    subprocess.run([need("javac"), write("Waits.java", JAVA)], check=True)
    pid = spawn([java_home, "-cp", ".", "Waits"])
    named = lambda: sum(open(f"/proc/{pid}/task/{tid}/comm").read().startswith("waits-") for tid in tids(pid))
    wait_for("Java's threads", lambda: named() == 8 and quiet([pid], 8))
    return [pid]


def node():
    pid = spawn([need("node"), write("waits.js", NODE)])
    wait_for("node's threads", lambda: len(tids(pid)) >= 8 and quiet([pid], 1))
    return [pid]


def python():
    # A shim of pyenv is a script; take the program itself.
    program = subprocess.run([need("python3"), "-c", "import sys; print(sys.executable)"], capture_output=True, text=True).stdout.strip()
    pid = spawn([program, write("server.py", PYTHON)])
    # The server itself wakes twice a second.
    wait_for("Python's threads", lambda: len(tids(pid)) == 4 and quiet([pid], 1))
    return [pid]


PROGRAMS = {"nginx": nginx, "postgres": postgres, "Java": java, "node": node, "python": python, "deadlock": deadlocked, "C++": cxx(200), f"C++, {THREADS} threads": cxx(THREADS)}


# Both sides

def timed(argv, **more):
    begin = time.monotonic()
    done = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL, **more)
    return time.monotonic() - begin, done


def perf_stacks(pid):
    """tid -> frames of user space: address, name, distance, inlined, file"""
    seconds, done = timed([PERF, "stacks", "-q", "--json", "-p", str(pid)])
    if done.returncode:
        raise Missing(done.stderr.decode(errors="replace"))
    snapshot = json.loads(done.stdout)["snapshots"][0]
    found = {}
    for group in snapshot["groups"]:
        frames = [(int(f["address"], 16), f.get("symbol"), f.get("offset", 0), bool(f.get("inlined")), f.get("dso")) for f in group["frames"]]
        for thread in group["threads"]:
            found[thread["tid"]] = [f for f in frames if f[0] < KERNEL]
    return seconds, snapshot["took_ns"] / 1e9, found


def gdb_stacks(pid):
    """tid -> frames: address, kind, name, symbol before it, distance, file; and why they end"""
    _, done = timed([*GDB, "-p", str(pid), "-x", os.path.join(HERE, "gdb-stacks.py")], env=dict(os.environ, STACKS=os.path.realpath("gdb.json")))
    if not os.path.exists("gdb.json"):
        raise Missing(f"gdb: {done.stderr.decode(errors='replace')[-300:]}")
    with open("gdb.json") as file:
        found = json.load(file)
    os.unlink("gdb.json")
    return {int(tid): stack for tid, stack in found.items()}


def gdb_time(pid):
    return timed([*GDB, "-p", str(pid), "-ex", "thread apply all bt"])[0]


# Comparing

def bare(name):
    """A function's name without its version, parameters, type, and what demanglers set differently"""
    name = re.sub(r"@@?[\w.]+$", "", name).split(" [clone")[0].replace("(anonymous namespace)", "{anonymous}")
    name = re.sub(r"\)( const| volatile| &)+$", ")", name)
    name = re.sub(r"operator ?(<=>|<<=?|>>=?|->\*?|<=?|>=?|\(\))", lambda found: "operator" + "".join(f"{{{ord(c)}}}" for c in found.group(1)), name)
    out, opened = "", ""
    for c in name:
        if c in ")>":
            opened = opened[:-1]
        if c == " " and not opened and not re.search(r"\boperator$", out):
            out = ""  # it was the type
        elif "(" not in opened and c not in "()":
            out += c
        if c in "(<":
            opened += c
    return re.sub(r"\s|\[abi:\w+\]|\.(cold|part|constprop|isra)\.?\d*|\bconst\b", "", out)


def without_scope(name):
    """The last part of a bare name, with its template's arguments"""
    depth = 0
    for i in range(len(name) - 1, 0, -1):
        depth += (name[i] == ">") - (name[i] == "<")
        if not depth and name[i - 1:i + 1] == "::":
            return name[i + 1:]
    return name


def class_of_inlined(ours, theirs):
    """The innermost first"""
    if [bare(name) for name in ours] == [bare(name) for name in theirs]:
        return "inlined: same names"
    if [without_scope(bare(name)) for name in ours] == [without_scope(bare(name)) for name in theirs]:
        return "inlined: gdb adds the scope to a name without linkage"
    return None


def physical_of_gdb(frames):
    """[address of the call, frame, inlined ones]; a function that jumped to the next one has no frame in memory."""
    out, inlined, jumped, after_signal = [], [], 0, False
    for frame in frames:
        if frame[1] == "inlined":
            inlined.append(frame[2])
        elif frame[1] == "tail call":
            jumped += 1
        else:
            exact = not out or after_signal or frame[1] == "signal"
            out.append((frame[0] if exact else frame[0] - 1, frame, inlined))
            inlined, after_signal = [], frame[1] == "signal"
    return out, jumped


def physical_of_perf(frames):
    out, inlined = [], []
    for frame in frames:
        if frame[3]:
            inlined.append(frame[1])
        else:
            out.append((frame[0], frame, inlined))
            inlined = []
    return out


def class_of_name(ours, theirs):
    """What explains that the names of one frame differ; None: nothing"""
    name, known = ours[1][1], theirs[1][2]
    if not known:
        return "name: gdb has none" if name else "name: neither has one"
    if not name:
        return None if theirs[1][3] else "name: no symbol, gdb has it from debug information"
    if bare(name) == bare(known):
        return "name: same"
    symbol, distance = theirs[1][3], theirs[1][4]
    if symbol and ours[1][2] == distance:
        return "name: alias of one address"
    return None


class Tables:
    """Whether the code of a file has an unwinding table: the sorted index of .eh_frame_hdr says where functions begin"""

    def __init__(self, path):
        self.starts, self.rows, self.loads = [], [], []
        try:
            with open(path, "rb") as file:
                self.data = file.read()
            self.read()
        except (OSError, struct.error):
            pass

    def read(self):
        phoff, = struct.unpack_from("<Q", self.data, 32)
        size, nr = struct.unpack_from("<HH", self.data, 54)
        for i in range(nr):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", self.data, phoff + i * size)
            if kind == 1:
                self.loads.append((offset, address, length))
            elif kind == 0x6474e550 and self.data[offset + 2:offset + 4] == b"\x03\x3b":  # PT_GNU_EH_FRAME; 4 bytes, relative to its start
                count, = struct.unpack_from("<I", self.data, offset + 8)
                words = struct.unpack_from(f"<{2 * count}i", self.data, offset + 12)
                self.starts, self.rows = [address + w for w in words[::2]], [address + w for w in words[1::2]]

    def has(self, offset):
        """offset: in the file"""
        for begin, address, length in self.loads:
            if begin <= offset < begin + length:
                at = bisect.bisect_right(self.starts, address + offset - begin) - 1
                return at >= 0 and address + offset - begin < self.starts[at] + self.length(self.rows[at])
        return False

    def length(self, row):
        """Bytes of code of an entry; its addresses have 4 bytes, as GNU's tools and LLVM write them."""
        for begin, address, size in self.loads:
            if address <= row < address + size:
                return struct.unpack_from("<I", self.data, begin + row - address + 12)[0]
        return 0


files = {}


def has_table(maps, address):
    for begin, end, offset, path in maps:
        if begin <= address < end:
            if not path.startswith("/"):
                return path == "[vdso]"
            if path not in files:
                files[path] = Tables(path)
            return files[path].has(address - begin + offset)
    return False


def maps_of(pid):
    with open(f"/proc/{pid}/maps") as file:
        found = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ *(.*)$", file.read(), re.M)
    return [(int(begin, 16), int(end, 16), int(offset, 16), path) for begin, end, offset, path in found]


class Comparison:
    def __init__(self):
        self.classes, self.examples, self.failures = collections.Counter(), {}, []
        self.frames, self.threads = 0, 0

    def count(self, name, example="", nr=1):
        self.classes[name] += nr
        if example:
            self.examples.setdefault(name, example)

    def fail(self, where, what, ours=None, theirs=None):
        self.failures.append(f"{where}: {what}")
        if len(self.failures) <= 4:
            print(f"# FAILURE {where}: {what}")
            for side, frames in (("perf", ours), ("gdb ", theirs)):
                print("".join(f"#   {side} {at:#x} {frame[1:]}\n" for at, frame, _ in (frames or [])[:40]), end="")

    def frame(self, where, ours, theirs):
        self.frames += 1
        how = class_of_name(ours, theirs)
        if not how:
            self.fail(where, f"{ours[0]:#x}: perf names {ours[1][1]}, gdb {theirs[1][2]} ({theirs[1][3]}+{theirs[1][4]:#x})")
            return
        self.count(how, f"perf {ours[1][1]}, gdb {theirs[1][2]}" if ours[1][1] != theirs[1][2] else "")
        how = class_of_inlined(ours[2], theirs[2])
        if not how:
            self.fail(where, f"{ours[0]:#x}: inlined functions differ:\n#   perf {ours[2]}\n#   gdb  {theirs[2]}")
        elif ours[2]:
            self.count(how, f"{theirs[2]}" if ours[2] != theirs[2] else "")

    def thread(self, where, maps, perf, gdb):
        ours, (theirs, jumped) = physical_of_perf(perf), physical_of_gdb(gdb[0])
        why, same = gdb[1], 0
        self.threads += 1
        self.count("tail calls that gdb adds", nr=jumped)
        while same < min(len(ours), len(theirs)) and ours[same][0] == theirs[same][0]:
            self.frame(where, ours[same], theirs[same])
            same += 1
        if ours and ROOTS.match(ours[-1][1][1] or "") or same == len(ours) == len(theirs):
            self.count("ends: perf shows the thread's first function")
        else:
            self.count("ENDS EARLY", f"{where}, at {ours[-1] if ours else None}")
        if same == len(ours) == len(theirs):
            self.count("stack: same")
        elif same and not has_table(maps, ours[same - 1][0]):
            self.count("stack: same up to code without an unwinding table",
                       f"{where}: after {same} frames, {ours[same - 1][1][1] or 'no name'}; perf goes on to {ours[-1][1][1]}, gdb to {theirs[-1][1][2]}")
        else:
            self.fail(where, f"the stacks differ from frame {same} on (gdb: {why})", ours, theirs)


def compare_once(title, pid, wanted, comparison):
    """The threads of wanted that have run meanwhile, and both times"""
    before, maps = switches(pid), maps_of(pid)
    whole, inside, ours = perf_stacks(pid)
    after, theirs = switches(pid), gdb_stacks(pid)
    if ours.keys() != theirs.keys():
        comparison.fail(f"{title} {pid}", f"threads of one only: {sorted(ours.keys() ^ theirs.keys())[:20]}")
    slept = {tid for tid in wanted if tid in ours and tid in theirs and before.get(tid) == after.get(tid)}
    for tid in sorted(slept):
        comparison.thread(f"{title} {pid}/{tid}", maps, ours[tid], theirs[tid])
    return wanted - slept, whole, inside


def compare(title, pids, comparison):
    """How many threads ran each time, and the times of both"""
    moved, whole, inside, gdb, nr = 0, 0.0, 0.0, 0.0, 0
    for pid in pids:
        left = set(tids(pid))
        nr += len(left)
        left, seconds, taken = compare_once(title, pid, left, comparison)
        for _ in range(TRIES):
            if left:
                left, _, _ = compare_once(title, pid, left, comparison)
        if nr >= MANY:  # the bar is for a machine that has nothing else to do
            taken = min([taken] + [perf_stacks(pid)[1] for _ in range(TRIES)])
        moved, whole, inside, gdb = moved + len(left), whole + seconds, inside + taken, gdb + gdb_time(pid)
    return moved, (whole, inside, gdb, nr)


def end_all():
    for child in started:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    started.clear()
    shutil.rmtree("db", ignore_errors=True)


def prove(title, start):
    comparison = Comparison()
    try:
        moved, (whole, inside, gdb, nr) = compare(title, start(), comparison)
    except Missing as why:
        print(f"{title:22} not run: {why}", flush=True)
        return None
    finally:
        end_all()
    print(f"{title:22} {nr:6} {comparison.threads:8} {moved:5} {comparison.frames:7} {len(comparison.failures):8} {1000 * inside:9.1f} {whole:8.2f} {gdb:8.2f}", flush=True)
    for name, count in sorted(comparison.classes.items()):
        if count:
            print(f"    {count:7} {name}" + (f" ({comparison.examples[name][:110]})" if name in comparison.examples else ""))
    if not comparison.threads:
        comparison.fail(title, "no thread was compared")
    if nr >= MANY and inside >= MOST_SECONDS:
        comparison.fail(title, f"{nr} threads took {inside:.2f} s")
    return len(comparison.failures)


# What the program loses: it runs on, and is looked at in every other block of some seconds

def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


class Perf:
    """It goes on to look once a second; SIGSTOP keeps it from that."""

    def __init__(self, pid):
        self.child = subprocess.Popen([PERF, "stacks", "-q", "-n", "1000000", "-i", "1000", "-p", str(pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(3)  # it reads the symbols once
        self.before, self.seconds = cpu_seconds(self.child.pid), 0

    def look(self, seconds):
        self.child.send_signal(signal.SIGCONT)
        time.sleep(seconds)
        self.child.send_signal(signal.SIGSTOP)
        self.seconds += seconds

    def end(self):
        print(f"perf itself takes {100 * (cpu_seconds(self.child.pid) - self.before) / self.seconds:.2f} % of a CPU for that")
        self.child.kill()
        self.child.wait()


class Gdb:
    def __init__(self, pid):
        self.pid = pid

    def look(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            begin = time.monotonic()
            gdb_time(self.pid)
            time.sleep(max(0.0, min(begin + 1, end) - time.monotonic()))

    def end(self):
        pass


class Nobody:
    """For the noise of the machine"""

    def __init__(self, pid):
        pass

    def look(self, seconds):
        time.sleep(seconds)

    def end(self):
        pass


def block(rows, begin, end):
    """Work in a second, and in a second of CPU"""
    inside = [row for row in rows if begin <= row[0] / 1e9 <= end]
    if len(inside) < 2:
        return 0.0, 0.0
    (at, cpu, done), (last, last_cpu, last_done) = inside[0], inside[-1]
    return (last_done - done) / (last - at), (last_done - done) / max(last_cpu - cpu, 1)


def blocks_of(kind):
    """The times of PAIRS blocks, each with and without, and what the program has done"""
    pid = spawn([compiled(), "work", "200"])
    wait_for("a program at work", lambda: len(tids(pid)) == 201)
    watcher, times = kind(pid), []
    for i in range(PAIRS):
        pair = {}
        for watched in ((True, False) if i % 2 else (False, True)):
            begin = time.monotonic()
            (watcher.look if watched else time.sleep)(SECONDS)
            pair[watched] = (begin, time.monotonic())
        times.append(pair)
    watcher.end()
    end_all()
    with open("said.txt") as file:
        return times, [tuple(map(int, line.split())) for line in file if re.fullmatch(r"\d+ \d+ \d+\n", line)]


def middle(values):
    """The median, and between what it is with a probability of 95 %"""
    values, nr = sorted(values), len(values)
    off = int(nr / 2 - 0.98 * nr ** 0.5)
    return statistics.median(values), values[max(off, 0)], values[min(nr - 1 - off, nr - 1)]


def loss(title, kind):
    open("said.txt", "w").close()
    times, rows = blocks_of(kind)
    each = [(block(rows, *pair[True]), block(rows, *pair[False])) for pair in times]
    losses = [middle([100 * (1 - watched[by] / alone[by]) for watched, alone in each if alone[by]]) for by in (0, 1)]
    print(f"{title:34}" + "".join(f" {median:+9.2f} % ({least:+.2f} to {most:+.2f})" for median, least, most in losses), flush=True)
    return losses[0]


def measure():
    print(f"\nWork that a program at full speed loses, looked at once a second; medians of {PAIRS} pairs, and their 95 % ranges:\n"
          f"{'':34} {'by the clock':>24} {'by its CPU time':>30}")
    loss("by nobody: the noise", Nobody)
    _, least, _ = loss("by perf stacks", Perf)
    loss("by gdb", Gdb)
    return least >= MOST_LOSS


def main():
    work_dir = tempfile.mkdtemp(prefix="beside-gdb.", dir="/var/tmp")
    os.chmod(work_dir, 0o755)
    os.chdir(work_dir)
    failures, ran = 0, 0
    try:
        need("gdb")
        print(f"{'program':22} threads compared moved  frames failures perf (ms) whole (s)  gdb (s)")
        for title, start in PROGRAMS.items():
            if not ONLY or title.split(",")[0] in ONLY or title in ONLY:
                result = prove(title, start)
                failures += result or 0
                ran += result is not None
        if PAIRS:
            failures += int(measure())
    except Missing as why:
        print(f"not run: {why}")
    finally:
        end_all()
        os.chdir("/")
        shutil.rmtree(work_dir, ignore_errors=True)
    print(f"{failures} failures in {ran} programs")
    return 1 if failures or not ran else 0


sys.exit(main())

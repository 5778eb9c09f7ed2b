#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
What a filter of the kernel's data costs on a tracepoint: kernel time for a hit over an empty program, beside programs that a compiler made for the same
test, and beside bpftrace if it is there (BPFTRACE names it). All are on the tracepoint at a time, see the same datagrams and accept none; a figure is
the median of ROUNDS. The kernel's own clock around each program (bpf_stats) counts.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "walks"))
from btf import Btf  # noqa: E402
from truth import compile_program, Libbpf  # noqa: E402
from types_in_c import write_types  # noqa: E402

PERF = os.path.realpath(os.environ["PERF"])
ROUNDS, PACKETS = int(os.environ.get("ROUNDS", "9")), int(os.environ.get("PACKETS", "20000"))
BPFTRACE = os.environ.get("BPFTRACE", shutil.which("bpftrace") or "")
EVENT, TRACEPOINT = "net:netif_receive_skb", "netif_receive_skb"
# (title, filter, test in C, predicate of bpftrace)
TESTS = [
    ("skb->dev->name == \"xx\"", "skb->dev->name == \"xx\"",
     "struct net_device *dev; char name[16]; READ(dev, &skb->dev); READ(name, &dev->name); return name[0] == 'x' && name[1] == 'x' && !name[2];",
     "((struct sk_buff *)arg0)->dev->name == \"xx\""),
    ("skb->dev->ifindex == 77", "skb->dev->ifindex == 77",
     "struct net_device *dev; int index; READ(dev, &skb->dev); READ(index, &dev->ifindex); return index == 77;", "((struct sk_buff *)arg0)->dev->ifindex == 77"),
    ("skb->len == 77777", "skb->len == 77777", "unsigned int len; READ(len, &skb->len); return len == 77777;", "((struct sk_buff *)arg0)->len == 77777"),
]
SOURCE = """
#define BPF_NO_PRESERVE_ACCESS_INDEX
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, __u32); __type(value, __u64[2]); } counts SEC(".maps");
#define READ(to, from) do { if (bpf_probe_read_kernel(&to, sizeof(to), from)) return 0; } while (0)

SEC("raw_tp") int empty(__u64 *ctx) { return 0; }
"""
HAND = """
static __always_inline int test{0}(struct sk_buff *skb) {{ {1} }}
SEC("raw_tp") int by_hand{0}(__u64 *ctx)
{{
	__u32 zero = 0;
	__u64 *nr = bpf_map_lookup_elem(&counts, &zero);

	if (!nr)
		return 0;
	nr[0]++;
	if (!test{0}((void *)ctx[0]))
		nr[1]++;
	return 0;
}}
"""


def stats():
    """{(id, name): (ns, runs)} of all programs"""
    programs = json.loads(subprocess.run(["bpftool", "-j", "prog", "show"], stdout=subprocess.PIPE, check=True).stdout)
    return {(p["id"], p.get("name", "?")): (p.get("run_time_ns", 0), p.get("run_cnt", 0)) for p in programs}


def work():
    subprocess.run(["bash", "-c", f"for ((i = 0; i < {PACKETS}; i++)); do printf x >/dev/udp/127.0.0.1/9; done 2>/dev/null"], check=False)


def costs(programs):
    """ns for each hit of some programs together; programs: {title: [ids]}"""
    before = stats()
    work()
    after, found = stats(), {}
    for title, ids in programs.items():
        spent = {key[0]: (ns - before[key][0], runs - before[key][1]) for key, (ns, runs) in after.items() if key[0] in ids and key in before}
        most = max(runs for _, runs in spent.values())
        found[title] = sum(ns for ns, _ in spent.values()) / most
    return found


class Background:
    """A tool that watches until it is ended; ids: of its programs"""

    def __init__(self, args):
        before = stats()
        self.process = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while True:
            work()
            self.ids = [key[0] for key, (_, runs) in stats().items() if key not in before and runs >= PACKETS]
            if self.ids:
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"walk-cost: {' '.join(args)}: {self.process.stderr.read().decode()}")

    def end(self):
        self.process.send_signal(2)
        self.process.communicate()


def show(title, ns, nr):
    """nr: of perf's programs, each of which has an empty one's time"""
    over = {name: ns[name] - ns["empty"] * (nr if name == "ours" else 1) for name in ns}
    print(f"{title:26} " + ", ".join(f"{name} {ns[name]:.0f} ({over[name]:+.0f})" for name in ns) +
          f" ns: {ns['ours'] / ns['by hand']:.2f} times by hand, {over['ours'] / over['by hand']:.2f} over empty programs")


def main():
    lib, links = Libbpf(), []
    fd = lib.lib.bpf_enable_stats(0)
    with tempfile.TemporaryDirectory(prefix="perf-cost.") as directory:
        write_types(Btf(), os.path.join(directory, "vmlinux.h"))
        text = SOURCE + "".join(HAND.format(i, test) for i, (_, _, test, _) in enumerate(TESTS))
        obj = lib.call("bpf_object__open_file", compile_program(directory, text).encode(), None)
        lib.call("bpf_object__load", obj)
        for name in ["empty"] + [f"by_hand{i}" for i in range(len(TESTS))]:
            prog = lib.call("bpf_object__find_program_by_name", obj, name.encode())
            links.append(lib.call("bpf_program__attach_raw_tracepoint", prog, TRACEPOINT.encode()))
        ids = {name: key for key, name in (key for key in stats() if key[1] == "empty" or key[1].startswith("by_hand"))}
        for i, (title, text, _, predicate) in enumerate(TESTS):
            tools = {"ours": Background([PERF, "record", "-q", "-a", "-e", EVENT, "--filter", text, "-o", os.path.join(directory, "perf.data")])}
            if BPFTRACE:
                tools["bpftrace"] = Background([*BPFTRACE.split(), "-e", f"rawtracepoint:{TRACEPOINT} /{predicate}/ {{ @ = count(); }}"])
            programs = {"empty": [ids["empty"]], "by hand": [ids[f"by_hand{i}"]], **{name: tool.ids for name, tool in tools.items()}}
            rounds = [costs(programs) for _ in range(ROUNDS)]
            for tool in tools.values():
                tool.end()
            show(title, {name: statistics.median(r[name] for r in rounds) for name in programs}, len(programs["ours"]))
    for link in links:
        lib.call("bpf_link__destroy", link)
    os.close(fd)


main()

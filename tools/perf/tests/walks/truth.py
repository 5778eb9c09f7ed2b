# SPDX-License-Identifier: GPL-2.0
"""
What walks lead to, by programs of BPF that a compiler makes of them. The same program is on the tracepoint twice, before and behind perf's: what
both of them read is what perf must have read in between.
"""
import collections
import ctypes
import os
import struct
import subprocess

MAX_WALKS = 8
NAME = "walkwork"  # of the task whose hits count
HIT = struct.Struct("=IIQQ" + "Q64s" * MAX_WALKS)
Value = collections.namedtuple("Value", "number text")

HEAD = f"""
#define BPF_NO_PRESERVE_ACCESS_INDEX
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

struct out {{ __u64 number; char text[64]; }};
struct hit {{ __u32 pass, cpu; __u64 first; __u64 has; struct out out[{MAX_WALKS}]; }};
struct scratch {{ __u64 root, pointer, last; char first; char object[16384] __attribute__((aligned(8))); }};
struct {{ __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 1 << 26); }} hits SEC(".maps");
struct {{ __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 2); __type(key, __u32); __type(value, struct scratch); }} scratches SEC(".maps");
struct {{ __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, __u32); __type(value, __u64); }} lost SEC(".maps");
"""

TAIL = """
static __always_inline int look(__u64 *ctx, __u32 pass)
{
	char name[16] __attribute__((aligned(8))) = "";
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &pass);
	struct hit *hit;
	__u32 zero = 0;
	__u64 *nr;

	bpf_get_current_comm(name, sizeof(name));
	if (!scratch || *(__u64 *)name != NAME || name[8])
		return 0;
	hit = bpf_ringbuf_reserve(&hits, sizeof(*hit), 0);
	if (!hit) {
		nr = bpf_map_lookup_elem(&lost, &zero);
		if (nr)
			__sync_fetch_and_add(nr, 1);
		return 0;
	}
	__builtin_memset(hit, 0, sizeof(*hit));
	hit->pass = pass;
	hit->cpu = bpf_get_smp_processor_id();
	hit->first = FIRST;
	LOOKS
	bpf_ringbuf_submit(hit, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp") int before(__u64 *ctx) { return look(ctx, 0); }
SEC("raw_tp") int behind(__u64 *ctx) { return look(ctx, 1); }
"""


COUNTER = """SEC("raw_tp") int count{0}(void *ctx)
{{
	char name[16] __attribute__((aligned(8))) = "";
	__u32 key = {0};
	__u64 *nr = bpf_map_lookup_elem(&nr_hits, &key);

	bpf_get_current_comm(name, sizeof(name));
	if (nr && *(__u64 *)name == NAME && !name[8])
		__sync_fetch_and_add(nr, 1);
	return 0;
}}
"""
NAME_NUMBER = hex(int.from_bytes(NAME.encode(), "little")) + "ULL"


def program(walks, nr_arguments):
    text = HEAD
    for i, walk in enumerate(walks):
        lines = "\n\t".join(walk.lines)
        text += f"/* {walk.text} */\nstatic __noinline int walk{i}(__u64 *ctx, struct scratch *scratch, struct out *out)\n{{\n\t{lines}\n}}\n"
    looks = "\n\t".join(f"if (walk{i}(ctx, scratch, &hit->out[{i}])) hit->has |= 1ULL << {i};" for i in range(len(walks)))
    return text + TAIL.replace("LOOKS", looks).replace("!= NAME", f"!= {NAME_NUMBER}").replace("FIRST", "ctx[0]" if nr_arguments else "0")


class Libbpf:
    def __init__(self):
        self.lib = ctypes.CDLL("libbpf.so.1", use_errno=True)
        for name in "bpf_object__open_file", "bpf_object__find_program_by_name", "bpf_program__attach_raw_tracepoint", "ring_buffer__new":
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.lib.libbpf_set_print(None)

    def call(self, name, *args):
        args = [ctypes.c_void_p(arg) if isinstance(arg, int) and arg > 1 << 31 else arg for arg in args]
        result = getattr(self.lib, name)(*args)
        if result is None or result < 0 or result > 1 << 63:
            raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
        return result


def compile_program(directory, text):
    """the object's path; vmlinux.h is in the directory"""
    source, target = os.path.join(directory, "truth.c"), os.path.join(directory, "truth.o")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([os.environ.get("CLANG", "clang"), "-target", "bpf", "-g", "-O2", "-funsigned-char", "-w", f"-I{directory}", "-c", source, "-o", target],
                   check=True)
    return target


def count_hits(lib, directory, tracepoints, work):
    """{tracepoint: hits of the task} while work() runs"""
    text = HEAD + f"""struct {{ __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, {len(tracepoints)}); __type(key, __u32); __type(value, __u64); }} nr_hits SEC(".maps");
""" + "".join(COUNTER.format(i).replace("NAME", NAME_NUMBER) for i in range(len(tracepoints)))
    obj = lib.call("bpf_object__open_file", compile_program(directory, text).encode(), None)
    lib.call("bpf_object__load", obj)
    links = []
    for i, name in enumerate(tracepoints):
        try:
            links.append(lib.call("bpf_program__attach_raw_tracepoint", lib.call("bpf_object__find_program_by_name", obj, f"count{i}".encode()), name.encode()))
        except OSError:
            pass  # of a module that has gone, or one that the kernel has no longer
    work()
    for link in links:
        lib.call("bpf_link__destroy", link)
    fd, value, counts = lib.call("bpf_object__find_map_fd_by_name", obj, b"nr_hits"), ctypes.c_uint64(), {}
    for i, name in enumerate(tracepoints):
        lib.call("bpf_map_lookup_elem", fd, ctypes.byref(ctypes.c_uint32(i)), ctypes.byref(value))
        counts[name] = value.value
    lib.lib.bpf_object__close(ctypes.c_void_p(obj))
    return counts


class Truth:
    """The programs for some walks of one tracepoint; "with" ends them."""

    def __init__(self, libbpf, directory, tracepoint, walks, nr_arguments):
        self.lib, self.tracepoint, self.nr = libbpf, tracepoint, len(walks)
        self.object = self.lib.call("bpf_object__open_file", compile_program(directory, program(walks, nr_arguments)).encode(), None)
        self.links, self.hits = {}, []
        self.callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(self.add)
        self.lib.call("bpf_object__load", self.object)
        fd = self.lib.call("bpf_object__find_map_fd_by_name", self.object, b"hits")
        self.ring = self.lib.call("ring_buffer__new", fd, self.callback, None, None)

    def add(self, _, data, size):
        self.hits.append(ctypes.string_at(data, size))
        return 0

    def attach(self, name):
        prog = self.lib.call("bpf_object__find_program_by_name", self.object, name.encode())
        self.links[name] = self.lib.call("bpf_program__attach_raw_tracepoint", prog, self.tracepoint.encode())

    def detach(self):
        for link in self.links.values():
            self.lib.call("bpf_link__destroy", link)
        self.links = {}

    def lost(self):
        fd = self.lib.call("bpf_object__find_map_fd_by_name", self.object, b"lost")
        value = ctypes.c_uint64()
        self.lib.call("bpf_map_lookup_elem", fd, ctypes.byref(ctypes.c_uint32()), ctypes.byref(value))
        return value.value

    def take(self):
        """[(before, behind)] of each hit, each a list of Value or None; None: hits were missed, and the pairs are not certain"""
        self.lib.call("ring_buffer__consume", self.ring)
        raw, self.hits = self.hits, []
        pairs, open_hits = [], collections.defaultdict(list)
        whole = not self.lost()
        for data in raw:
            is_behind, cpu, first, has, *values = HIT.unpack_from(data)
            numbers = [Value(values[2 * i], values[2 * i + 1].split(b"\0")[0]) if has >> i & 1 else None for i in range(self.nr)]
            if not is_behind:
                open_hits[cpu].append((first, numbers))
            elif open_hits[cpu] and open_hits[cpu][-1][0] == first:
                pairs.append((open_hits[cpu].pop()[1], numbers))
            else:
                whole = False
        return pairs if whole and not any(open_hits.values()) else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.detach()
        self.lib.lib.ring_buffer__free(ctypes.c_void_p(self.ring))
        self.lib.lib.bpf_object__close(ctypes.c_void_p(self.object))

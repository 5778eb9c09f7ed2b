#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""bombs.py PERF KALLSYMS [NAME...]: recordings that are small and cost a lot to read, read in several ways; with NAMEs those only.
With ALL=1 in the environment, all of them in all of their ways; else without those that take longer than they tell.

Each function with @bomb makes a recording; its text says what grows. The bar for the peak of memory is 64 MiB and 20 times the file. A line is
printed for each reading that takes more, fails, or lasts longer than a minute of CPU time; at the end how many there were. PERF "":
the recordings are made in the working directory and stay there.
"""
import ctypes
import ctypes.util
import multiprocessing
import os
import resource
import struct
import subprocess
import sys
from multiprocessing.pool import ThreadPool

BASE = 64 << 10  # KiB
ALL = os.environ.get('ALL')

MMAP, LOST, COMM, EXIT, THROTTLE, FORK, READ, SAMPLE, MMAP2 = 1, 2, 3, 4, 5, 7, 8, 9, 10
NAMESPACES, KSYMBOL, CGROUP, CALLCHAIN_DEFERRED, COMPRESSED = 16, 17, 19, 22, 81
KERNEL, USER = 1, 2
MMAP_DATA = 1 << 13
IP, TID, TIME, ADDR, SAMPLE_READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK = (1 << i for i in range(12))
REGS_USER, STACK_USER, WEIGHT, DATA_SRC, IDENTIFIER = (1 << i for i in range(12, 17))
SAMPLE_ID_ALL = 1 << 18
READ_ID, READ_GROUP = 4, 8
BUILD_ID, NRCPUS, CMDLINE, EVENT_DESC, CPU_TOPOLOGY, GROUP_DESC, HEADER_COMPRESSED = 2, 7, 11, 12, 13, 17, 27
ATTR_SIZE = 112
START = 1000000

perf, kallsyms, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
WAYS = {
    'report': ['report', '--stdio'],
    'plain': ['report', '--stdio', '--no-children'],
    'chains': ['report', '--stdio', '--no-children', '-g'],
    'tree': ['report', '--stdio', '-H', '-s', 'comm,pid,dso,sym'],
    'tree5': ['report', '--stdio', '-H', '-s', 'comm,pid,tid,dso,sym'],
    'caller': ['report', '--stdio', '-g', 'graph,0,caller,address'],
    'keys': ['report', '--stdio', '-s', 'comm,pid,tid,cpu,dso,sym,time,srcline'],
    'fractal': ['report', '--stdio', '-g', 'fractal,0,callee'],
    'flat': ['report', '--stdio', '-g', 'flat,0'],
    'group': ['report', '--stdio', '--group'],
    'group_caller': ['report', '--stdio', '--group', '-g', 'graph,0,caller,address'],
    'folded': ['report', '--folded'],
    'json': ['report', '--json'],
    'pprof': ['report', '--pprof', '/dev/null'],
    'stats': ['report', '--stats'],
    'script': ['script'],
}


def record(kind, body, misc=USER):
    body += bytes(-len(body) % 8)
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def attr(sample_type, read_format=0, kind=1, config=0, flags=SAMPLE_ID_ALL):
    return struct.pack('<IIQQQQQ', kind, ATTR_SIZE, config, 1, sample_type, read_format, flags) + bytes(ATTR_SIZE - 48)


def write(name, data, attrs, features=None):
    """attrs: (attr, ids)"""
    features = features or {NRCPUS: struct.pack('<II', 1, 1)}
    ids = b''.join(struct.pack(f'<{len(i)}Q', *i) for _, i in attrs)
    table, at = b'', 104
    for one, own in attrs:
        table += one + struct.pack('<QQ', at, 8 * len(own))
        at += 8 * len(own)
    attrs_at, data_at = at, at + len(table)
    bits = sum(1 << feature for feature in features)
    header = struct.pack('<8sQQQQQQQQ', b'PERFILE2', 104, ATTR_SIZE + 16, attrs_at, len(table), data_at, len(data), 0, 0)
    header += bits.to_bytes(32, 'little')
    sections, bodies, at = b'', b'', data_at + len(data) + 16 * len(features)
    for _, body in sorted(features.items()):
        sections += struct.pack('<QQ', at, len(body))
        bodies += body
        at += len(body)
    with open(f'{name}.data', 'wb') as file:
        file.write(header + ids + table + data + sections + bodies)


def string(text):
    text += '\0'
    text += '\0' * (-len(text) % 64)
    return struct.pack('<I', len(text)) + text.encode()


def tail(pid, time):
    """sample_id of TID | TIME"""
    return struct.pack('<IIQ', pid, pid, time)


def padded(text):
    raw = text.encode() + b'\0'
    return raw + bytes(-len(raw) % 8)


def mmap(pid, start, size, name, time=0, misc=USER):
    return record(MMAP, struct.pack('<IIQQQ', pid, pid, start, size, 0) + padded(name) + tail(pid, time), misc)


def mmap2(pid, start, size, name, time=0):
    return record(MMAP2, struct.pack('<IIQQQIIQQII', pid, pid, start, size, 0, 8, 1, 1, 0, 5, 2) + padded(name) + tail(pid, time))


def comm(pid, tid, name, time=0):
    return record(COMM, struct.pack('<II', pid, tid) + padded(name) + tail(pid, time))


def fork(pid, tid, ppid, time, kind=FORK):
    return record(kind, struct.pack('<IIIIQ', pid, ppid, tid, ppid, time) + tail(pid, time))


PLAIN = IP | TID | TIME


def sample(pid, ip, time, tid=None):
    return record(SAMPLE, struct.pack('<QIIQ', ip, pid, pid if tid is None else tid, time))


def chain(pid, time, ips):
    return record(SAMPLE, struct.pack(f'<QIIQQ{len(ips)}Q', ips[-1], pid, pid, time, len(ips), *ips))


def plain(name, data, sample_type=PLAIN):
    write(name, data, [(attr(sample_type), [])])


def packed(name, data, sample_type=PLAIN):
    """As perf record -z writes it: one zstd stream, in as many records as it takes."""
    zstd = ctypes.CDLL(ctypes.util.find_library('zstd'))
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 3)
    frame, step = room.raw[:size], 60000
    out = b''.join(struct.pack('<IHH', COMPRESSED, 0, 8 + len(frame[i:i + step])) + frame[i:i + step] for i in range(0, size, step))
    write(name, out, [(attr(sample_type), [])],
          {NRCPUS: struct.pack('<II', 1, 1), HEADER_COMPRESSED: struct.pack('<5I', 1, 1, 3, 10, 1 << 20)})


def packed_told(name, data, sample_type=PLAIN):
    """What it tells stays in memory: the bar is 20 times what it unpacks to, see perf-report(1)."""
    packed(name, data, sample_type)
    with open(f'{name}.told', 'w') as file:
        file.write(str(len(data)))


def told_size(name):
    try:
        with open(f'{name}.told') as file:
            return int(file.read())
    except FileNotFoundError:
        return os.path.getsize(f'{name}.data')


bombs = {}


def bomb(*ways, slow=False, more='', report=True):
    """How it is read, beside perf report without options (unless report=False). With ALL=1 only: slow ones, and more ways."""
    def add(make):
        if not slow or wanted or ALL:
            bombs[make.__name__] = make, ['report'] * report + list(ways) + (more.split() if ALL else [])
        return make
    return add


@bomb('script')
def fork_maps(name):
    """Each child has its parent's maps, and one that is its own."""
    data = [mmap(1, 0x10000 * i, 0x1000, '/a') for i in range(1, 30001)]
    for i in range(20000):
        data += [fork(i + 2, i + 2, 1, START + 2 * i), mmap(i + 2, 0x10000 * i + 0x4000, 0x1000, '/b', START + 2 * i + 1)]
    data += [sample(i + 2, 0x10000 * i + 0x4010, START + 100000 + i) for i in range(0, 20000, 100)]
    plain(name, b''.join(data))


@bomb('script')
def fork_exit(name):
    """The same, but the children end, and their numbers are used again."""
    data = [mmap(1, 0x10000 * i, 0x1000, '/a') for i in range(1, 30001)]
    for i in range(20000):
        pid, time = i % 7 + 2, START + 4 * i
        data += [fork(pid, pid, 1, time), mmap(pid, 0x10000 * i + 0x4000, 0x1000, '/b', time + 1), sample(pid, 0x10000 * i + 0x4010, time + 2),
                 fork(pid, pid, 1, time + 3, EXIT)]
    plain(name, b''.join(data))


@bomb('script')
def fork_chain(name):
    """Each child is the parent of the next one, and maps something."""
    data = [mmap(1, 0x10000 * i, 0x1000, '/a') for i in range(1, 10001)]
    for i in range(1, 30000):
        data += [fork(i + 1, i + 1, i, START + 2 * i), mmap(i + 1, 0x10000 * i + 0x4000, 0x1000, '/b', START + 2 * i + 1)]
    data += [fork(i, i, i - 1, START + 70000 + i, EXIT) for i in range(30000, 1, -1)]
    plain(name, b''.join(data))


@bomb('script')
def fork_random(name):
    """Children map where each other map lies, and begin again with a map that covers all."""
    data = [mmap(1, 0x10000 * i, 0x1000, '/a') for i in range(1, 20001)]
    for i in range(20000):
        place = i * 2654435761 % 20000
        data += [fork(i + 2, i + 2, 1 + i // 2, START + 2 * i), mmap(i + 2, 0x10000 * place + 0x800, 0x20000 * (1 + i % 3), '/b', START + 2 * i + 1)]
    plain(name, b''.join(data))


@bomb('stats')
def exits(name):
    """Ends of tasks that nobody knows, out of order."""
    plain(name, b''.join(fork(i, i, i + 1, START + i * 7919 % 60000, EXIT) for i in range(2, 60000)))


@bomb('script')
def forks(name):
    """Tasks of which nothing else is known."""
    plain(name, b''.join(fork(i + 2, i + 2, 1, START + i) for i in range(60000)))


@bomb()
def threads(name):
    """One process of many threads."""
    plain(name, b''.join(fork(1, i + 2, 1, START + i) for i in range(60000)))


@bomb()
def threads_reused(name):
    """Threads with the number of the one before them."""
    plain(name, b''.join(fork(1, 2 + i % 2, 1, START + i) for i in range(60000)))


@bomb('plain', 'tree', 'tree5', 'json', 'script', more='pprof folded keys')
def sampled_threads(name):
    """Samples of tasks that no record told of."""
    plain(name, b''.join(sample(i + 1, 0x1000 + i, START + i) for i in range(100000)))


@bomb('plain', 'json', 'pprof')
def tiny_threads(name):
    """The same, with nothing else in the samples."""
    plain(name, b''.join(record(SAMPLE, struct.pack('<II', i + 1, i + 1)) for i in range(200000)), TID)


@bomb('stats')
def tiny_samples(name):
    """Samples of nothing."""
    plain(name, record(SAMPLE, b'') * 500000, 0)


@bomb('stats')
def tiny_times(name):
    """Samples of nothing but a time, the last one first."""
    plain(name, b''.join(record(SAMPLE, struct.pack('<Q', START - i)) for i in range(300000)), TIME)


@bomb('plain', 'folded', more='json pprof keys')
def tiny_places(name):
    """Samples of nothing but an address, each another one."""
    plain(name, b''.join(record(SAMPLE, struct.pack('<Q', 64 * i)) for i in range(300000)), IP)


@bomb()
def comms(name):
    """One task with many names."""
    plain(name, b''.join(comm(1, 1, f'c{i}', START + i) for i in range(60000)))


@bomb('tree', 'json', 'script', more='pprof folded keys')
def comms_sampled(name):
    """And a sample with each."""
    plain(name, b''.join(comm(1, 1, f'c{i}', START + 2 * i) + sample(1, 0x1000, START + 2 * i + 1) for i in range(60000)))


@bomb('script')
def thread_comms(name):
    """Many tasks, each with a name of its own."""
    plain(name, b''.join(comm(i, i, f'c{i}', START + i) for i in range(60000)))


@bomb('script')
def maps(name):
    """One process with many maps of one file."""
    plain(name, b''.join(mmap(1, 0x10000 * i, 0x1000, '/a', START + i) for i in range(60000)))


@bomb('script')
def maps_cut(name):
    """Each map is cut by the next one."""
    data = [mmap(1, 0x1000 * i, 1 << 46, '/a', START + i) for i in range(30000)]
    data += [mmap(1, (1 << 45) + 0x10000 * (i * 7919 % 30000), 0x1000, '/b', START + 30000 + i) for i in range(30000)]
    plain(name, b''.join(data))


@bomb()
def dsos(name):
    """Many files."""
    plain(name, b''.join(mmap2(1, 0x10000 * i, 0x1000, f'/{i}', START + i) for i in range(40000)))


@bomb('tree', 'pprof', 'script', more='json folded keys')
def dsos_sampled(name):
    """Many files, with a sample in each."""
    plain(name, b''.join(mmap(1, 0x10000 * i, 0x1000, f'/{i}', START + i) + sample(1, 0x10000 * i, START + i) for i in range(20000)))


@bomb()
def process_maps(name):
    """Many processes, each with a map."""
    plain(name, b''.join(mmap(i, 0x10000 * i, 0x1000, '/a', START + i) for i in range(60000)))


@bomb('keys', 'folded')
def jit_maps(name):
    """Memory of many processes that may hold code."""
    plain(name, b''.join(mmap(i, 0x10000, 0x1000, '//anon', START + 2 * i) + sample(i, 0x10010, START + 2 * i + 1) for i in range(20000)))


@bomb('script')
def ksymbols(name):
    """Many programs of the kernel."""
    plain(name, b''.join(record(KSYMBOL, struct.pack('<QIHH', 0xffffffffc0000000 + 64 * i, 64, 1, 0) + padded(f'b{i}') + tail(1, START + i))
                         for i in range(60000)))


@bomb()
def ksymbols_gone(name):
    """Many programs of the kernel that come and go."""
    plain(name, b''.join(record(KSYMBOL, struct.pack('<QIHH', 0xffffffffc0000000, 64, 1, i & 1) + padded(f'b{i // 2}') + tail(1, START + i))
                         for i in range(60000)))


@bomb()
def modules(name):
    """Many modules of the kernel."""
    plain(name, b''.join(mmap(0xffffffff, 0xffffffffc0000000 + 0x1000 * i, 0x1000, f'[m{i}]', START + i, KERNEL) for i in range(40000)))


@bomb()
def cgroups(name):
    """Many control groups."""
    plain(name, b''.join(record(CGROUP, struct.pack('<Q', i) + padded(f'/{i}') + tail(1, START + i)) for i in range(60000)))


@bomb()
def namespaces(name):
    """Many tasks with namespaces."""
    plain(name, b''.join(record(NAMESPACES, struct.pack('<IIQ', i, i, 7) + struct.pack('<14Q', *range(14)) + tail(i, START + i))
                         for i in range(20000)))


def many_events(nr, described, sample_type=IDENTIFIER | IP | TID | TIME):
    attrs = [(attr(sample_type, config=i % 9), [i + 1]) for i in range(nr)]
    features = {NRCPUS: struct.pack('<II', 1, 1)}
    if described:
        body = struct.pack('<II', nr, ATTR_SIZE)
        for i, (one, ids) in enumerate(attrs):
            body += one + struct.pack('<I', 1) + string(f'event {i}') + struct.pack('<Q', *ids)
        features[EVENT_DESC] = body
    return attrs, features


def id_sample(ident, pid, ip, time):
    return record(SAMPLE, struct.pack('<QQIIQ', ident, ip, pid, pid, time))


@bomb('script', 'pprof', 'json')
def events(name):
    """Many events, of which one has a sample."""
    attrs, features = many_events(20000, True)
    write(name, id_sample(1, 1, 0x1000, START), attrs, features)


@bomb('script')
def events_unnamed(name):
    """Many events without names, of which one has a sample."""
    attrs, features = many_events(30000, False)
    write(name, id_sample(1, 1, 0x1000, START), attrs, features)


@bomb('plain', 'folded', 'pprof', 'json', 'script')
def events_sampled(name):
    """Many events, each with two samples."""
    attrs, features = many_events(20000, True)
    write(name, b''.join(id_sample(1 + i % 20000, 1 + i % 9, 0x1000 + i, START + i) for i in range(40000)), attrs, features)


@bomb()
def events_same(name):
    """Many events, each with two samples at the same place."""
    attrs, features = many_events(20000, True)
    write(name, b''.join(id_sample(1 + i % 20000, 1, 0x1000, START + i) for i in range(40000)), attrs, features)


@bomb('chains', 'json', more='caller pprof')
def events_chains(name):
    """Many events, each with a callchain."""
    attrs, features = many_events(10000, True, IDENTIFIER | PLAIN | CALLCHAIN)
    write(name, b''.join(record(SAMPLE, struct.pack('<QQIIQQ4Q', 1 + i % 10000, 0x1000, 1, 1, START + i, 4, i, i + 7, i + 9, 1))
                         for i in range(20000)), attrs, features)


@bomb('tree', 'script')
def events_grouped(name):
    """Many events, that are groups of two."""
    attrs, features = many_events(20000, True)
    features[GROUP_DESC] = struct.pack('<I', 10000) + b''.join(string('{anon_group}') + struct.pack('<II', 2 * i, 2) for i in range(10000))
    write(name, b''.join(id_sample(1 + i % 20000, 1, 0x1000 + i, START + i) for i in range(40000)), attrs, features)


@bomb('script')
def event_ids(name):
    """One event with many ids."""
    write(name, sample(1, 1, START), [(attr(PLAIN), list(range(1, 400000)))])


@bomb('script', 'group', more='json')
def read_groups(name):
    """A sample of a group with many values."""
    attrs = [(attr(IDENTIFIER | PLAIN | SAMPLE_READ, READ_GROUP | READ_ID, flags=SAMPLE_ID_ALL | 2), [i + 1]) for i in range(4000)]
    data = []
    for i in range(70):
        values = b''.join(struct.pack('<QQ', 5 * i + 1, j + 1) for j in range(4000))
        data.append(record(SAMPLE, struct.pack('<QQIIQQ', 1, 0x1000 * i, i + 1, i + 1, START + i, 4000) + values))
    write(name, b''.join(data), attrs)


def read_chains_of(name, nr_events, samples):
    """samples: callchains, of each a sample with a value of each event."""
    attrs = [(attr(IDENTIFIER | PLAIN | SAMPLE_READ | CALLCHAIN, READ_GROUP | READ_ID, flags=SAMPLE_ID_ALL | 2), [i + 1])
             for i in range(nr_events)]
    data = []
    for i, ips in enumerate(samples):
        values = b''.join(struct.pack('<QQ', 5 * i + 1, j + 1) for j in range(nr_events))
        data.append(record(SAMPLE, struct.pack('<QQIIQQ', 1, ips[0], 1, 1, START + i, nr_events) + values +
                           struct.pack(f'<Q{len(ips)}Q', len(ips), *ips)))
    write(name, b''.join(data), attrs)


@bomb('chains', 'group', 'group_caller', 'json', report=False)
def read_chains(name):
    """A few samples of a group with many values, and callchains of which each frame is met once."""
    read_chains_of(name, 1000, [[(i * 120 + j) * 16 for j in range(1, 121)] for i in range(30)])


@bomb('group', more='caller')
def read_deep(name):
    """Many samples of a smaller group."""
    read_chains_of(name, 20, [[(i * 120 + j) * 16 for j in range(1, 121)] for i in range(250)])


@bomb('group', more='group_caller', report=False)
def read_common(name):
    """Callchains with 60 callers that all have, and 60 frames that are met once."""
    read_chains_of(name, 500, [[(i * 60 + j) * 16 for j in range(1000, 1060)] + [j * 16 for j in range(1, 61)] for i in range(60)])


@bomb('chains', 'keys', 'folded', 'pprof', 'script', more='caller fractal flat json')
def chains(name):
    """Callchains of which each frame is met once."""
    plain(name, b''.join(chain(1, START + i, [(i * 120 + j) * 16 for j in range(1, 121)]) for i in range(2000)), PLAIN | CALLCHAIN)


@bomb('chains', 'script')
def chains_few(name):
    """The same, so few that each is shown."""
    plain(name, b''.join(chain(1, START + i, [(i * 120 + j) * 16 for j in range(1, 121)]) for i in range(190)), PLAIN | CALLCHAIN)


@bomb('chains', 'tree', 'json', 'script', 'caller', more='keys flat pprof')
def chains_common(name):
    """Callchains with 60 callers that all have, and 60 frames that are met once."""
    plain(name, b''.join(chain(1, START + i, [(i * 60 + j) * 16 for j in range(1000, 1060)] + [j * 16 for j in range(1, 61)])
                         for i in range(2000)), PLAIN | CALLCHAIN)


@bomb('chains', 'keys', 'tree', 'pprof', 'script', 'caller', more='fractal flat json')
def chains_short(name):
    """Callchains of two frames, each met once."""
    plain(name, b''.join(chain(1, START + i, [32 * i + 16, 32 * i + 32]) for i in range(50000)), PLAIN | CALLCHAIN)


@bomb('chains', 'script', more='caller json')
def chains_again(name):
    """Callchains of one function that calls itself, each one deeper, of many tasks."""
    plain(name, b''.join(chain(1 + i % 1000, START + i, [16 * (1 + (i >> j & 1)) for j in range(100)]) for i in range(4000)), PLAIN | CALLCHAIN)


@bomb('tree', 'script')
def chains_deferred(name):
    """Callchains whose other part never comes."""
    context = (1 << 64) - 640
    plain(name, b''.join(record(SAMPLE, struct.pack('<QIIQQ3Q', 1, i, i, START + i, 3, 16 * i, context, i)) for i in range(50000)),
          PLAIN | CALLCHAIN)


@bomb()
def build_ids(name):
    """Many build-ids."""
    body = b''.join(struct.pack('<IHHi20sBBH', 0, USER, 8 + 4 + 24 + 8, -1, bytes(20), 20, 0, 0) + padded(f'/{i}')[:8].ljust(8, b'\0')
                    for i in range(60000))
    write(name, sample(1, 1, START), [(attr(PLAIN), [])], {BUILD_ID: body, NRCPUS: struct.pack('<II', 1, 1)})


@bomb()
def cmdline(name):
    """A command line of many words."""
    write(name, sample(1, 1, START), [(attr(PLAIN), [])],
          {CMDLINE: struct.pack('<I', 200000) + b''.join(struct.pack('<I4s', 4, b'a') for i in range(200000))})


@bomb()
def groups(name):
    """Many descriptions of groups."""
    write(name, sample(1, 1, START), [(attr(PLAIN), [])],
          {GROUP_DESC: struct.pack('<I', 100000) + b''.join(struct.pack('<I4sII', 4, b'a', 0, 1) for i in range(100000))})


@bomb()
def reads(name):
    """Values of many threads."""
    plain(name, b''.join(record(READ, struct.pack('<IIQ', i, i, 5) + tail(i, START + i)) for i in range(60000)))


@bomb('script')
def packed_same(name):
    """The same sample again and again, in a file of some KB."""
    packed(name, sample(1, 0x1000, START) * 3000000)


@bomb('stats')
def packed_tiny(name):
    """Samples of nothing but a time, the last one first."""
    packed(name, b''.join(record(SAMPLE, struct.pack('<Q', 2 * START - i)) for i in range(600000)), TIME)


@bomb(slow=True)
def packed_untimed(name):
    """Samples of nothing but an address."""
    packed(name, record(SAMPLE, struct.pack('<Q', 0x1000)) * 10000000, IP)


@bomb(slow=True)
def packed_endless(name):
    """More samples than a file of this size may have."""
    packed(name, sample(1, 0x1000, START) * 20000000)


@bomb()
def packed_stacks(name):
    """Samples that are as large as can be."""
    packed(name, record(SAMPLE, struct.pack('<QIIQ', 0x1000, 1, 1, START) + bytes(60000)) * 3000)


@bomb('script')
def packed_comms(name):
    """One task with many names."""
    packed_told(name, b''.join(comm(1, 1, f'c{i}', START + i) for i in range(150000)))


@bomb('script')
def packed_threads(name):
    """Many tasks."""
    packed_told(name, b''.join(fork(i + 2, i + 2, 1, START + i) for i in range(150000)))


@bomb()
def packed_forks(name):
    """The same task is made again and again."""
    packed(name, fork(2, 2, 1, START) * 400000)


@bomb(slow=True)
def packed_fork_maps(name):
    """Each child has a map of its own."""
    packed_told(name, b''.join(fork(i + 2, i + 2, 1, START + 2 * i) + mmap(i + 2, 0x4000, 0x1000, '/b', START + 2 * i + 1) for i in range(200000)))


@bomb('script', slow=True)
def packed_sampled_threads(name):
    """Samples of tasks that no record told of."""
    packed_told(name, b''.join(sample(i + 1, 0x1000 + i, START + i) for i in range(400000)))


@bomb('json')
def bad_names(name):
    """Names that are no UTF-8."""
    plain(name, record(COMM, struct.pack('<II', 1, 1) + b'a\xffb\0\0\0\0\0' + tail(1, START)) +
          record(MMAP, struct.pack('<IIQQQ', 1, 1, 0x1000, 0x1000, 0) + b'/x\xc3y\xed\0\0\0' + tail(1, START)) + sample(1, 0x1010, START + 1))


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def read(name, way):
    """The complaint; '': there is none."""
    size = told_size(name)
    bar = BASE + 20 * size // 1024
    with open(f'{name}.err', 'w') as err:
        child = subprocess.Popen([perf, *WAYS[way], '--kallsyms', kallsyms, '-i', f'{name}.data'], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=err, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    with open(f'{name}.err', errors='replace') as err:
        said = err.read().strip()
    if status in (0, 1 << 8) and usage.ru_maxrss <= bar:
        return ''
    return f'{name}, {size} bytes: perf {" ".join(WAYS[way])}: status {status}, {usage.ru_maxrss} KiB of {bar}: {said}'


def explode(name):
    make, ways = bombs[name]
    maker = multiprocessing.get_context('fork').Process(target=make, args=(name,))
    maker.start()  # a process of its own: perf's peak would begin with the memory of who starts it
    maker.join()
    if maker.exitcode:
        raise RuntimeError(f'{name} cannot be made')
    if not perf:
        return 1, []
    lines = [read(name, way) for way in ways]
    os.unlink(f'{name}.data')
    return len(ways), [line for line in lines if line]


tried = 0
with ThreadPool(2) as pool:
    for nr, lines in pool.imap(explode, wanted or bombs):
        tried += nr
        for line in lines:
            print(line)
print(tried)

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""claims.py PERF MARGIN LIBRARY KALLSYMS FILE...: recordings that claim to hold more than they do, read under a limit of memory.

Of each recording there is a variant for each number that may be a size or a count, in which it is a huge one: the words of the header and
of the entries of attrs, the first words of each feature's section that no earlier FILE had (of some all sizes), and those of the first
record of each type. perf report and perf script read each, with KALLSYMS for the kernel's symbols. A line is printed for one that dies by a signal, runs out of memory, asks for a
huge piece of it (LIBRARY, no-large.c built, or the sanitizer ends it then), takes longer than a minute, or whose memory has grown by more
than MARGIN KiB over that for the file as it was; at the end how many there were.
"""
import multiprocessing
import os
import resource
import struct
import subprocess
import sys

perf, margin, library, kallsyms, files = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5:]
sanitized = b'__asan_init' in open(perf, 'rb').read()
ADDRESS_SPACE = 512 << 20  # the sanitizer's own is larger by far
HUGE_32 = (0xffffffff, 0x7ffffff8)
HUGE_64 = (0xffffffffffffffff, 0x7ffffff8)
FILE_HEADER = 104
FEATURE_WORDS = 8
TRACING_DATA, EVENT_DESC = 1, 12
COMMANDS = (('report', '--stdio'), ('script', '-D'))


if sanitized:
    options = os.environ.get('ASAN_OPTIONS', '')
    environment = {**os.environ, 'ASAN_OPTIONS': f'{options}:allocator_may_return_null=0:max_allocation_size_mb=192'}
else:
    environment = {**os.environ, 'LD_PRELOAD': library}
features_seen = set()


def limit():
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def run(command, path):
    """The complaint, '' if there is none, and the KiB that it took."""
    with open(f'{path}.out', 'wb') as out, open(f'{path}.err', 'wb') as err:
        child = subprocess.Popen([perf, *command, '--kallsyms', kallsyms, '-i', path], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 preexec_fn=limit, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    said = open(f'{path}.err', errors='replace').read()
    if os.WIFSIGNALED(status):
        return f'signal {os.WTERMSIG(status)} {said.strip()}', usage.ru_maxrss
    for word in ('ut of memory', 'runtime error', 'Sanitizer'):
        if word in said:
            return said.strip().splitlines()[0], usage.ru_maxrss
    return '', usage.ru_maxrss


def records(data, at, end):
    """The place of the first record of each type."""
    seen = set()
    while at + 8 <= end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if size < 8:
            return
        if kind not in seen:
            seen.add(kind)
            yield at, min(size, 8 + 8 * 16)
        at += size


def texts(data, at, size_kind):
    """A size, and what follows the text of that size."""
    size = struct.unpack_from('<' + size_kind, data, at)[0]
    width = struct.calcsize(size_kind)
    return (at, width), at + width + size


def tracing_sizes(data, at):
    """util/perfdata/features-tracing.c has the layout"""
    at = data.index(b'\0', at + 10) + 7  # version, byte order, size of a long, size of a page
    for name in (b'header_page\0', b'header_event\0'):
        place, at = texts(data, at + len(name), 'Q')
        yield place
    ftraces, at = struct.unpack_from('<I', data, at)[0], at + 4
    yield at - 4, 4
    for _ in range(ftraces):
        place, at = texts(data, at, 'Q')
        yield place
    systems, at = struct.unpack_from('<I', data, at)[0], at + 4
    yield at - 4, 4
    for _ in range(systems):
        at = data.index(b'\0', at) + 1
        formats, at = struct.unpack_from('<I', data, at)[0], at + 4
        yield at - 4, 4
        for _ in range(formats):
            place, at = texts(data, at, 'Q')
            yield place
    for kind in 'IIQ':  # kallsyms, printk formats, names of tasks
        place, at = texts(data, at, kind)
        yield place


def event_sizes(data, at):
    """The numbers of ids and the sizes of names behind each event's attr"""
    events, attr_size = struct.unpack_from('<II', data, at)
    at += 8
    for _ in range(events):
        at += attr_size
        yield at, 4
        ids = struct.unpack_from('<I', data, at)[0]
        place, at = texts(data, at + 4, 'I')
        yield place
        at += 8 * ids


def feature_places(data, feature, body, length):
    if feature in features_seen:
        return
    features_seen.add(feature)
    yield from ((word, 4) for word in range(body, body + min(length, 4 * FEATURE_WORDS) - 3, 4))
    if feature == TRACING_DATA:
        yield from tracing_sizes(data, body)
    elif feature == EVENT_DESC:
        yield from event_sizes(data, body)


def places(data):
    """(where, size) of the numbers that may be a size or a count"""
    if struct.unpack_from('<Q', data, 8)[0] == 16:  # the form for pipes
        for at, size in records(data, 16, len(data)):
            yield from ((word, 8) for word in range(at + 8, at + size - 7, 8))
            yield from ((word, 4) for word in range(at + 8, min(at + 40, at + size - 3), 4))
        return
    attr_size, attrs, attrs_size, start, size = struct.unpack_from('<QQQQQ', data, 16)
    features = [bit for bit in range(8 * (FILE_HEADER - 72)) if data[72 + bit // 8] >> bit % 8 & 1]
    yield from ((word, 8) for word in range(8, 72, 8))
    yield from ((word, 8) for word in range(attrs, attrs + attr_size - 7, 8))
    for i, feature in enumerate(features):
        entry = start + size + 16 * i
        body, length = struct.unpack_from('<QQ', data, entry)
        yield entry, 8
        yield entry + 8, 8
        yield from feature_places(data, feature, body, length)
    for at, length in records(data, start, start + size):
        yield from ((word, 8) for word in range(at + 8, at + length - 7, 8))


def variants(path):
    """(recording, where, the huge number, bytes) of each variant"""
    data = open(path, 'rb').read()
    for i, (where, size) in enumerate(places(data)):
        huge = (HUGE_64 if size == 8 else HUGE_32)[i % 2]
        yield path, where, huge, data[:where] + struct.pack('<Q' if size == 8 else '<I', huge) + data[where + size:]


def judge(variant):
    """The lines to print of a variant."""
    path, where, huge, data = variant
    name = f'variant.{os.getpid()}'
    open(name, 'wb').write(data)
    lines = []
    for command, before in zip(COMMANDS, usual[path]):
        said, taken = run(command, name)
        if said or taken > before + margin:
            lines.append(f'{path}: {huge:#x} at {where}: perf {" ".join(command)}: {said or "no error"}, {before} KiB grew to {taken}')
    return lines


tried = 0
usual = {path: [run(command, path)[1] for command in COMMANDS] for path in files}
with multiprocessing.Pool() as readers:
    for lines in readers.imap(judge, (variant for path in files for variant in variants(path))):
        tried += len(COMMANDS)
        for line in lines:
            print(line)
print(tried)

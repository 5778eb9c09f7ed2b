#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""other-endian.py IN OUT: a recording as a machine of the other byte order would have written it.

Knows what the test records: page-faults and sched:sched_switch, with callchains, addresses and registers, and leaves out sections of the
header that it does not know. Written from perf.data-format.txt and perf_event_open(2), and independent of how perf does it.
"""
import struct
import sys

source = open(sys.argv[1], 'rb').read()


def read(members, at):
    return struct.unpack_from('<' + members, source, at)


class Turning:
    """Bytes of the source from at on, as they are turned."""

    def __init__(self, at):
        self.at = at
        self.out = b''

    def members(self, members):
        value = 0
        for kind in members:
            value = read(kind, self.at)[0]
            self.out += struct.pack('>' + kind, value)
            self.at += struct.calcsize(kind)
        return value

    def copy(self, size):
        self.out += source[self.at:self.at + size]
        self.at += size

    def text(self):  # counted
        self.copy(self.members('I'))

    def name(self):  # up to its NUL
        self.copy(source.index(b'\0', self.at) + 1 - self.at)


def mirrored(byte):
    return int('{:08b}'.format(byte)[::-1], 2)


def attr(at, room):
    t = Turning(at)
    kind, size = read('II', at)
    t.members('II')
    for members in ('QQQQ', 'flags', 'IIQQQQIIQIHHIIQQ'):
        if members == 'flags':  # bit fields begin at the other end
            t.out += bytes(mirrored(b) for b in source[t.at:t.at + 8])
            t.at += 8
            continue
        for member in members:
            if t.at < at + size:
                t.members(member)
    t.copy(at + room - t.at)
    return t.out


BITS = {'ip': 0, 'tid': 1, 'time': 2, 'addr': 3, 'callchain': 5, 'id': 6, 'cpu': 7, 'period': 8, 'stream': 9, 'raw': 10, 'regs': 12,
        'data_src': 15, 'identifier': 16}


class Event:
    def __init__(self, at, ids):
        self.type = read('Q', at + 24)[0]
        self.regs = bin(read('Q', at + 80)[0]).count('1')
        self.ids = ids

    def has(self, what):
        return self.type >> BITS[what] & 1

    def tail(self):
        return ''.join(m for what, m in (('tid', 'II'), ('time', 'Q'), ('id', 'Q'), ('stream', 'Q'), ('cpu', 'II'), ('identifier', 'Q'))
                       if self.has(what))


def switch_fields(t, size):
    end = t.at + size
    t.members('H')
    t.copy(2)
    t.members('i')
    for members in ('iiq', 'ii'):
        t.copy(16)
        t.members(members)
    t.copy(end - t.at)


def sample(t, event):
    for what, members in (('identifier', 'Q'), ('ip', 'Q'), ('tid', 'II'), ('time', 'Q'), ('addr', 'Q'), ('id', 'Q'), ('stream', 'Q'),
                          ('cpu', 'II'), ('period', 'Q')):
        if event.has(what):
            t.members(members)
    if event.has('callchain'):
        t.members('Q' * t.members('Q'))
    if event.has('raw'):
        switch_fields(t, t.members('I'))
    if event.has('regs') and t.members('Q'):
        t.members('Q' * event.regs)
    if event.has('data_src'):
        t.members('Q')


MEMBERS = {1: 'IIQQQ', 2: 'QQ', 3: 'II', 4: 'IIIIQ', 5: 'QQQ', 6: 'QQQ', 7: 'IIIIQ', 10: 'IIQQQ', 13: 'Q', 17: 'QIHH', 18: 'HHI', 19: 'Q',
           68: '', 82: ''}
MMAP2, SAMPLE, BUILD_ID_BIT = 10, 9, 0x4000


def record(at, events, by_id):
    kind, misc, size = read('IHH', at)
    t = Turning(at)
    if kind >= 64 and kind not in MEMBERS:  # perf's own, which readers do without
        return b'', size
    t.members('IHH')
    if kind == SAMPLE:
        sample(t, by_id[read('Q', at + 8)[0]])
    else:
        t.members(MEMBERS[kind])
        if kind == MMAP2:
            if misc & BUILD_ID_BIT:
                t.copy(24)
            else:
                t.members('IIQQ')
            t.members('II')
        if kind < 64:
            members = by_id.get(read('Q', at + size - 8)[0], events[0]).tail()
            t.copy(at + size - t.at - struct.calcsize('<' + members))
            t.members(members)
    t.copy(at + size - t.at)
    return t.out, size


def texts(t):
    for _ in range(t.members('I')):
        t.text()


def described_events(t):
    number, size = read('II', t.at)
    t.members('II')
    for _ in range(number):
        t.out += attr(t.at, size)
        t.at += size
        ids = t.members('I')
        t.text()
        t.members('Q' * ids)


def formats(t):
    t.copy(10)
    t.name()
    t.out += bytes([1 - source[t.at]])  # big endian?
    t.at += 1
    t.copy(1)
    t.members('I')
    for _ in range(2):
        t.name()
        t.copy(t.members('Q'))
    for _ in range(t.members('I')):
        t.copy(t.members('Q'))
    for _ in range(t.members('I')):
        t.name()
        for _ in range(t.members('I')):
            t.copy(t.members('Q'))
    t.copy(t.members('I'))
    t.copy(t.members('I'))
    t.copy(t.members('Q'))


SECTIONS = {1: formats, 7: lambda t: t.members('II'), 10: lambda t: t.members('Q'), 11: texts, 12: described_events,
            21: lambda t: t.members('QQ')}
SECTIONS.update({number: Turning.text for number in (3, 4, 5, 6, 8, 9)})


def section(number, at, size):
    if number not in SECTIONS:
        return None
    t = Turning(at)
    SECTIONS[number](t)
    assert t.at == at + size, number
    return t.out


def main():
    entry_size, attrs_at, attrs_size, data_at, data_size = read('5Q', 16)
    bitmap = read('4Q', 72)
    head = bytearray(source[:data_at])
    events, by_id = [], {}
    for at in range(attrs_at, attrs_at + attrs_size, entry_size):
        ids_at, ids_size = read('QQ', at + entry_size - 16)
        ids = read('%dQ' % (ids_size // 8), ids_at)
        events.append(Event(at, ids))
        by_id.update((number, events[-1]) for number in ids)
        head[ids_at:ids_at + ids_size] = struct.pack('>%dQ' % len(ids), *ids)
        head[at:at + entry_size] = attr(at, entry_size - 16) + struct.pack('>QQ', ids_at, ids_size)
    data, at = b'', data_at
    while at < data_at + data_size:
        turned, size = record(at, events, by_id)
        data += turned
        at += size
    numbers = [n for n in range(256) if bitmap[n // 64] >> n % 64 & 1]
    places = [read('QQ', data_at + data_size + 16 * i) for i in range(len(numbers))]
    sections = [(n, section(n, *place)) for n, place in zip(numbers, places)]
    sections = [(n, body) for n, body in sections if body is not None]
    at, table, bits = data_at + len(data) + 16 * len(sections), b'', [0] * 4
    for number, body in sections:
        table += struct.pack('>QQ', at, len(body))
        at += len(body)
        bits[number // 64] |= 1 << number % 64
    head[:104] = b'2ELIFREP' + struct.pack('>8Q', *read('5Q', 8), len(data), *read('2Q', 56)) + struct.pack('>4Q', *bits)
    open(sys.argv[2], 'wb').write(bytes(head) + data + table + b''.join(body for _, body in sections))


main()

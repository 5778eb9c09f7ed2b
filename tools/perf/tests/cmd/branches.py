#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""branches.py FROM TO: give each sample of a recording a branch stack, of the addresses of the samples before it, as if
it had been recorded with -b: there are machines without such hardware."""
import struct
import sys

SAMPLE_BRANCH_STACK = 1 << 11
BRANCH_USER_ANY = 1 | 1 << 3
EVENT_DESC, BRANCH_STACK = 12, 15
ATTR_SAMPLE_TYPE, ATTR_BRANCH_TYPE = 24, 72
PERF_RECORD_SAMPLE = 9


def mark(image, attr):
    sample_type, = struct.unpack_from("Q", image, attr + ATTR_SAMPLE_TYPE)
    struct.pack_into("Q", image, attr + ATTR_SAMPLE_TYPE, sample_type | SAMPLE_BRANCH_STACK)
    struct.pack_into("Q", image, attr + ATTR_BRANCH_TYPE, BRANCH_USER_ANY)


def branch_stack(ips, number):
    """The latest branch first. The flags: mispredicted, predicted, in_tx, abort, cycles << 4, type << 20."""
    words = [min(len(ips) - 1, 1 + number % 4)]
    for i in range(words[0]):
        mispredicted = (number + i) % 5 == 0
        words += [ips[-2 - i], ips[-1 - i], mispredicted | (not mispredicted) << 1 | (i == 3) << 3 | (number % 7 * 10 + i) << 4]
    return struct.pack("%dQ" % len(words), *words)


def main():
    image = bytearray(open(sys.argv[1], "rb").read())
    attr_size, attrs, attrs_size, data, data_size = struct.unpack_from("QQQQQ", image, 16)
    for attr in range(attrs, attrs + attrs_size, attr_size):
        mark(image, attr)
    end, records, ips, at, number = data + data_size, b"", [0x1000], data, 0
    while at < end:
        kind, misc, size = struct.unpack_from("IHH", image, at)
        record = bytes(image[at:at + size])
        if kind == PERF_RECORD_SAMPLE:
            ips = ips[-8:] + [struct.unpack_from("Q", record, 8)[0]]
            number += 1
            record += branch_stack(ips, number)
            record = struct.pack("IHH", kind, misc, len(record)) + record[8:]
        records += record
        at += size
    features = list(struct.unpack_from("4Q", image, 72))
    bits = [i for i in range(256) if features[i // 64] >> i % 64 & 1]
    new_data_end = data + len(records)
    moved = new_data_end - end + 16  # the table has one entry more
    sections = []
    for nr, bit in enumerate(bits):
        offset, size = struct.unpack_from("QQ", image, end + 16 * nr)
        if bit == EVENT_DESC:
            nr_events, attr_size = struct.unpack_from("II", image, offset)
            at = offset + 8
            for _ in range(nr_events):
                mark(image, at)
                nr_ids, name_size = struct.unpack_from("II", image, at + attr_size)
                at += attr_size + 8 + name_size + 8 * nr_ids
        sections.append((bit, offset + moved, size))
    sections = sorted(sections + [(BRANCH_STACK, new_data_end + 16 * (len(bits) + 1), 0)])
    table = b"".join(struct.pack("QQ", offset, size) for _, offset, size in sections)
    struct.pack_into("Q", image, 48, len(records))
    struct.pack_into("Q", image, 72, features[0] | 1 << BRANCH_STACK)
    open(sys.argv[2], "wb").write(bytes(image[:data]) + records + table + bytes(image[end + 16 * len(bits):]))


main()

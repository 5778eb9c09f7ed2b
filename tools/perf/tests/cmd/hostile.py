#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""hostile.py KIND FILE ARGS...: a perf.data file that nobody recorded, written by perf.data-format.txt and perf_event_open(2) alone.

  print FILE FORMAT [W A [NR]]   NR records of a tracepoint with the fields w, a and text, W and A in the first two; FORMAT is its print format
  samples FILE NR                samples of 24 bytes, in rounds of 1000
"""
import struct
import sys

TRACEPOINT, SOFTWARE = 2, 1
SAMPLE_TID, SAMPLE_TIME, SAMPLE_RAW = 1 << 1, 1 << 2, 1 << 10
RECORD_SAMPLE, RECORD_FINISHED_ROUND = 9, 68
FEATURE_TRACING_DATA = 1
FIELDS = """name: x
ID: 77
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:int w;\toffset:8;\tsize:4;\tsigned:1;
\tfield:int a;\toffset:12;\tsize:4;\tsigned:1;
\tfield:char text[8];\toffset:16;\tsize:8;\tsigned:1;

print fmt: %s
"""


def record(kind, body):
    return struct.pack("IHH", kind, 0, 8 + len(body)) + body


def tracing_data(text):
    out = b"\x17\x08\x44tracing0.6\0" + struct.pack("=BBI", 0, 8, 4096)
    for name in b"header_page", b"header_event":
        out += name + b"\0" + struct.pack("=Q", 0)
    out += struct.pack("=II", 0, 1) + b"test\0" + struct.pack("=IQ", 1, len(text)) + text
    return out + struct.pack("=IIQ", 0, 0, 0)


def write(path, kind, config, sample_type, records, tracing=b""):
    attr = struct.pack("IIQQQQQ", kind, 64, config, 1, sample_type, 0, 0).ljust(64, b"\0")
    attrs, data = 104, 104 + len(attr) + 16
    features = 1 << FEATURE_TRACING_DATA if tracing else 0
    with open(path, "wb") as f:
        f.write(b"PERFILE2" + struct.pack("12Q", 104, len(attr) + 16, attrs, len(attr) + 16, data, len(records), 0, 0, features, 0, 0, 0))
        f.write(attr + struct.pack("QQ", 0, 0) + records)
        if tracing:
            f.write(struct.pack("QQ", data + len(records) + 16, len(tracing)) + tracing)


def write_print(path, print_format, w=0, a=1, nr=1):
    raw = struct.pack("<HHiii8s", 77, 0, 1, int(w), int(a), b"text")
    sample = record(RECORD_SAMPLE, struct.pack("<IIQI", 1, 1, 1, len(raw) + 4) + raw + bytes(4))
    write(path, TRACEPOINT, 77, SAMPLE_TID | SAMPLE_TIME | SAMPLE_RAW, sample * int(nr), tracing_data((FIELDS % print_format).encode()))


def write_samples(path, nr):
    times = range(1, int(nr) + 1)
    samples = [record(RECORD_SAMPLE, struct.pack("<IIQ", 1, 1, time)) + (b"" if time % 1000 else record(RECORD_FINISHED_ROUND, b"")) for time in times]
    write(path, SOFTWARE, 0, SAMPLE_TID | SAMPLE_TIME, b"".join(samples))


KINDS = {
    "print": write_print,
    "samples": write_samples,
}
KINDS[sys.argv[1]](*sys.argv[2:])

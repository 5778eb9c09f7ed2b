# SPDX-License-Identifier: GPL-2.0
# For record-python.sh. Reads perf script -F comm,ip,sym,srcline. Python's frames are those with an address of its own.
#   compare TRUTH	chains above point() that are none of TRUTH's lines, then their numbers
#   churn		chains in which outer_N does not call inner_N
#   shares		percent of samples below seventy, twenty, ten
import re
import sys


def samples():
    """Lists of frames: (function, or None for a native one; its line)"""
    frames = None
    for line in sys.stdin:
        frame = re.match(r"\t +([0-9a-f]+) (.*)$", line)
        if frame:
            at, name = frame.groups()
            frames.append([name.rpartition(" (")[0] if re.match(r"2f0[0-9a-f]{9}$", at) else None, "?"])
        elif line.strip() and not line.startswith(" "):
            frames = []
        elif frames and line.startswith("  "):
            number = re.search(r":(\d+)$", line)
            frames[-1][1] = number.group(1) if number else "?"
        elif not line.strip() and frames is not None:
            yield frames
            frames = None


def python(frames):
    return [f for f in frames if f[0]]


def compare(truth):
    with open(truth, encoding="utf-8") as file:
        known = set(file.read().splitlines())
    good = bad = 0
    for frames in samples():
        functions = python(frames)
        names = [f[0] for f in functions]
        if "point" not in names:
            continue
        chain = ";".join("%s:%s" % tuple(f) for f in functions[names.index("point") + 1:])
        if chain in known:
            good += 1
            continue
        bad += 1
        print("other:", chain)
    print(good, bad)


def churn():
    good = bad = 0
    for frames in samples():
        names = [f[0] for f in python(frames)]
        inner = [n for n in names if n.startswith("inner_")]
        outer = [n for n in names if n.startswith("outer_")]
        if not inner and not outer:
            continue
        if len(outer) == 1 and inner in ([], [outer[0].replace("outer", "inner")]):
            good += 1
            continue
        bad += 1
        print("other:", names)
    print(good, bad)


def shares():
    count = dict.fromkeys(("seventy", "twenty", "ten"), 0)
    for frames in samples():
        for name in {f[0] for f in python(frames)} & set(count):
            count[name] += 1
    total = sum(count.values()) or 1
    print(" ".join("%d" % round(100 * n / total) for n in count.values()), total)


globals()[sys.argv[1]](*sys.argv[2:])

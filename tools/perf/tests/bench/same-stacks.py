#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
# make proof-stacks: stacks of programs of the distribution, recorded with registers and 64 KiB of stack, and unwound from that by the rules and the
# step that BPF programs use, and by LIBDW, a perf that uses libdw alone. Both have the same samples: no frame may differ, though one may go
# further. SAMPLES: how many to compare, at most 200 of a program; SEED: which programs, and in which order.
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

PERF, LIBDW = os.path.realpath(os.environ["PERF"]), os.path.realpath(os.environ["LIBDW"])
SAMPLES, SEED = int(os.environ.get("SAMPLES", "10000")), int(os.environ.get("SEED", "1"))
# Programs that work for a moment; what is left out asks, listens or changes the system. All others are asked for their version.
WORK = ["perl -e 'for (1..60000) { $h{$_ % 977} .= $_ } print scalar(sort { $h{$a} cmp $h{$b} } keys %h)'",
        "python3 -c 'import json; print(len(json.dumps([{str(i): [i] * 9} for i in range(9000)])))'",
        "gzip -9 <$FILE", "xz -1 <$FILE", "bzip2 <$FILE", "sort <$FILE", "sha256sum $FILE", "grep -c -E '(a|b)+c' $FILE", "awk '{ n += length($0) } END { print n }' $FILE",
        "sed -e 's/[a-z]*x/y/g' <$FILE", "tar cf - /usr/share/perl/5* 2>/dev/null | head -c 3000000", "find /usr/share -name '*.x'", "openssl speed -seconds 1 sha256",
        "git -C / log --oneline -1", "gcc -O2 -x c -c -o /dev/null $SOURCE", "objdump -d $FILE", "readelf -a $FILE", "od -x $FILE", "diff $FILE /bin/sh", "bash -c 'for ((i = 0; i < 20000; i++)); do :; done'"]
MOST = 200  # of a program, so that many are tried
FILE, SOURCE = "/bin/bash", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmd", "hostile-stacks.c")


def random_program(rng):
    if rng.random() < 0.5:
        return rng.choice(WORK)
    while True:
        path = rng.choice(glob.glob("/usr/bin/*"))
        with open(path, "rb") as file:
            if file.read(4) == b"\x7fELF" and not re.search(r"perf|reboot|halt|shutdown|systemd|passwd|login|ssh|su$", path):
                return path + " --version"


def chains(perf, data):
    """of each sample the addresses of its user callchain, by time and task"""
    out = subprocess.run([perf, "script", "-i", data, "--no-inline", "-F", "tid,time,ip"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(errors="replace")
    return {lines[0].strip(): [line.split()[0] for line in lines[1:]] for lines in (text.split("\n") for text in out.strip().split("\n\n")) if lines[0]}


def is_prefix(a, b):
    return a[:len(b)] == b or b[:len(a)] == a


def compare(command, data, totals):
    subprocess.run(["timeout", "20", PERF, "record", "-q", "-e", "cpu-clock:u", "-F", "5000", "--call-graph", "dwarf,65528", "-m", "4M", "-o", data, "--", "sh", "-c", command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, FILE=FILE, SOURCE=SOURCE))
    ours, theirs = chains(PERF, data), chains(LIBDW, data)
    # Evenly over the run; the sort makes it the same for both.
    common = sorted(ours.keys() & theirs.keys(), key=lambda key: key.split()[-1])
    for key in common[::-(-len(common) // MOST) or 1]:
        a, b = ours[key], theirs[key]
        kind = "same" if a == b else "ours longer" if is_prefix(a, b) and len(a) > len(b) else "theirs longer" if is_prefix(a, b) else "DIFFERENT"
        totals[kind] += 1
        totals["frames"] += min(len(a), len(b))
        if kind == "DIFFERENT" and totals[kind] <= 5:
            print(f"# {command} {key}\n#   ours   {' '.join(a)}\n#   theirs {' '.join(b)}")
    totals["only one has it"] += len(ours.keys() ^ theirs.keys())


def main():
    rng, totals, commands = random.Random(SEED), dict.fromkeys(["same", "ours longer", "theirs longer", "DIFFERENT", "only one has it", "frames"], 0), 0
    with tempfile.TemporaryDirectory(prefix="same-stacks-") as scratch:
        while totals["same"] + totals["ours longer"] + totals["theirs longer"] + totals["DIFFERENT"] < SAMPLES and commands < SAMPLES:
            compare(random_program(rng), os.path.join(scratch, "data"), totals)
            commands += 1
    print(f"# {commands} commands: " + ", ".join(f"{kind} {n}" for kind, n in totals.items()))
    return 1 if totals["DIFFERENT"] or not totals["same"] else 0


sys.exit(main())

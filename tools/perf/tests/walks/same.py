#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
make proof-walks: random walks through the kernel's data, as keys and in filters, beside what programs in C read on the same hits. N walks over
TRACEPOINTS tracepoints, chosen by SEED. Prints what differs, and fails then.
"""
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from btf import Btf, PTR, STRUCT
from draw import Drawer
from filters import Tree
from truth import count_hits, Libbpf, MAX_WALKS, NAME, Truth, Value
from types_in_c import write_types

PERF = os.path.realpath(os.environ["PERF"])
HERE = os.path.dirname(os.path.realpath(__file__))
N, NR_TRACEPOINTS, SEED = (int(os.environ.get(name, value)) for name, value in (("N", 500), ("TRACEPOINTS", 50), ("SEED", 1)))
TRACEFS = "/sys/kernel/tracing"
MOST_HITS = 20000
KEY_WORDS = 32
MISSED = r"could not be judged|were missed|were lost|was missed|was lost"
NO_VALUE = "(no value)"
# what walks may refuse although the compiler takes it
REFUSED = r"bit field that walks cannot read|one pointer too many|which is too large|points to (data of which each CPU|the memory of a task)|hits weigh times"


class Work:
    """The directory that the work is done in, and the work under a perf."""

    def __init__(self, directory):
        self.directory = directory
        for name in "ready", "go":
            os.mkfifo(os.path.join(directory, name))
        shutil.copy("/bin/true", os.path.join(directory, NAME))

    def run(self, before, times, meanwhile=lambda: None):
        """the output, the messages and the exit code of perf, whose command line is before; meanwhile: while perf has begun, and the work not yet"""
        perf = subprocess.Popen([*before, sys.executable, os.path.join(HERE, "work.py"), "ready", "go", str(times)], cwd=self.directory,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        ready = os.open(os.path.join(self.directory, "ready"), os.O_RDWR | os.O_NONBLOCK)
        begun = self.wait_for(ready, perf)
        os.close(ready)
        if begun:
            meanwhile()
            with open(os.path.join(self.directory, "go"), "w", encoding="utf-8"):
                pass
        out, err = perf.communicate(timeout=120)
        return out.decode("latin-1"), err.decode("latin-1"), perf.returncode

    @staticmethod
    def wait_for(ready, perf):
        while True:
            try:
                if os.read(ready, 5):
                    return True
            except BlockingIOError:
                pass
            try:
                perf.wait(0.002)
                return False
            except subprocess.TimeoutExpired:
                pass


def tracepoints(btf):
    """{name: (event, arguments)} of those that perf has as events, and the type information by name"""
    found = {}
    for system in sorted(os.listdir(f"{TRACEFS}/events")):
        folder = f"{TRACEFS}/events/{system}"
        if not os.path.isdir(folder) or system in ("ftrace", "syscalls"):
            continue
        for name in sorted(os.listdir(folder)):
            arguments = btf.arguments(name)
            if arguments and os.path.exists(f"{folder}/{name}/format"):
                found[name] = f"{system}:{name}", arguments
    return found


class Names:
    """The kernel's functions, which addresses are shown as"""

    def __init__(self):
        self.addresses = collections.defaultdict(set)
        with open("/proc/kallsyms", encoding="utf-8") as file:
            for line in file:
                fields = line.split()
                self.addresses[fields[2]].add(int(fields[0], 16))

    def is_at(self, text, number):
        match = re.fullmatch(r"(.+?)(?:\+0x([0-9a-f]+))?", text)
        return any(at + int(match[2] or "0", 16) == number for at in self.addresses.get(match[1], ()))


def plain(text):
    return re.sub(r"\?+", "?", re.sub(r"[^!-~]", "?", text.replace(";", ":")))


def is_shown(text, value, walk, names):
    """does perf show this value so?"""
    if value is None:
        return text == (plain(NO_VALUE) if walk.kind == "text" else NO_VALUE)
    if walk.kind == "text":
        return text == value.text.decode()
    number = value.number
    if walk.enum and number & 0xffffffff in walk.enum:
        return text in walk.enum[number & 0xffffffff]
    if walk.is_pointer and text == f"{number:#x}":
        return True
    signed = number - (1 << 64) if walk.is_signed and number >> 63 else number
    return text == str(signed) or (walk.size == 8 and names.is_at(text, number))


def fields(event):
    """names of the event's fields, which come before arguments"""
    with open(f"{TRACEFS}/events/{event.replace(':', '/')}/format", encoding="utf-8") as file:
        return set(re.findall(r"field:.*?(\w+)(?:\[.*?\])?;", file.read()))


def shown_counts(rows, i, walk):
    """{text: hits}, of which texts that look alike are one"""
    shown = collections.Counter()
    for texts, count in rows:
        shown[plain(texts[i]) if walk.kind == "text" else texts[i]] += count
    return shown


def known_counts(pairs, i, walk):
    """{value: hits} of those that were the same before and behind perf, with how many were not"""
    certain, unstable = collections.Counter(), 0
    for before, behind in pairs:
        if before[i] != behind[i]:
            unstable += 1
        elif walk.kind == "text" and before[i]:
            certain[Value(0, plain(before[i].text.decode("latin-1") or "(empty)").encode())] += 1
        else:
            certain[before[i]] += 1
    return certain, unstable


def differences(rows, pairs, walks, names):
    """what perf counted under a value that the hits do not have so often; rows: [(texts, count)]"""
    wrong = []
    for i, walk in enumerate(walks):
        (certain, unstable), shown = known_counts(pairs, i, walk), shown_counts(rows, i, walk)
        for value, count in certain.items():
            seen = [text for text in shown if is_shown(text, value, walk, names)]
            here = sum(shown[text] for text in seen)
            if here < count and len(wrong) < 3:
                wrong.append(f"{walk.text}: {value} {count} times; perf has it {here} times, of {dict(shown.most_common(5))}")
            for text in seen:
                shown[text] -= min(shown[text], count)
        if sum(shown.values()) > unstable:
            wrong.append(f"{walk.text}: perf has values that no hit had: {dict(+shown)}, {unstable} unstable"[:300])
    return wrong


class Proof:
    def __init__(self, directory):
        self.btf, self.libbpf, self.names = Btf(), Libbpf(), Names()
        self.directory, self.work = directory, Work(directory)
        self.random, self.drawer = random.Random(SEED), Drawer(self.btf, SEED)
        write_types(self.btf, os.path.join(directory, "vmlinux.h"))
        task = self.btf.named[STRUCT, "task_struct"][0].id
        self.task = next(t.id for t in self.btf.types if t.kind == PTR and t.size == task)
        self.counts = collections.Counter()
        self.wrong, self.refused = [], collections.Counter()

    def roots(self, arguments):
        """each thrice, so that most walks begin with an argument"""
        roots = [(name, type_id, f"ctx[{i}]") for i, (name, type_id) in enumerate(arguments)] * 3
        names = [name for name, _ in arguments]
        return roots + [(name, self.task, "bpf_get_current_task()") for name in ("task", "current") if name == "current" or name not in names]

    def accepted(self, event, walks):
        """the walks that perf takes; others must be refused for a known reason"""
        good = []
        for walk in walks:
            result = subprocess.run([PERF, "record", "--dry-run", "-a", "-e", event, "--filter", f"{walk.text} == 1 || {walk.text} != 1"],
                                    stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False)
            err = result.stderr.decode("latin-1")
            if result.returncode == 0 or "never match" in err:
                good.append(walk)
            elif re.search(REFUSED, err):
                self.refused[re.search(REFUSED, err)[0]] += 1
            else:
                self.wrong.append(f"{event}: {walk.text} is refused: {err.strip().splitlines()[0]}")
        return good

    @staticmethod
    def own(event):
        """the hits of the work; some events have a field that is the name of another task"""
        return f"{'current->comm' if 'comm' in fields(event) else 'comm'} == {NAME}"

    def batches(self, walks):
        batch, words = [], 0
        for walk in walks:
            needs = 8 if walk.kind == "text" else 1
            if words + needs > KEY_WORDS or len(batch) == MAX_WALKS - 1:  # one may be that of the task's name
                yield batch
                batch, words = [], 0
            batch.append(walk)
            words += needs
        if batch:
            yield batch

    def observe(self, truth, perf_args, times):
        """(perf's output, hits), of a run that missed nothing; None: there was none"""
        for _ in range(4):
            truth.attach("before")
            out, err, code = self.work.run([PERF, *perf_args, "--"], times, lambda: truth.attach("behind"))
            truth.detach()
            pairs = truth.take()
            if code:
                self.wrong.append(f"perf {' '.join(perf_args)}: exit code {code}: {err.strip()[:300]}")
                return None
            missed = re.search(MISSED, err)
            if pairs is not None and not missed:
                return out, pairs
            self.counts["times that perf told of hits it missed"] += bool(missed)
            self.counts["again"] += 1
        return None

    def key_run(self, truth, event, walks, times):
        args = ["sample-bpf", "-a", "-e", event, "--filter", self.own(event), "--key", ",".join(walk.text for walk in walks), "--folded=samples"]
        seen = self.observe(truth, args, times)
        if not seen or not seen[1]:
            return []
        rows = [line.rpartition(" ") for line in seen[0].splitlines()]
        rows = [(key.split(";"), int(count)) for key, _, count in rows]
        if any(len(texts) != len(walks) for texts, _ in rows):
            self.wrong.append(f"{event}: rows without {len(walks)} parts: {rows[:3]}")
            return []
        if sum(count for _, count in rows) != len(seen[1]):
            self.wrong.append(f"{event}: perf counted {sum(count for _, count in rows)} of {len(seen[1])} hits")
        self.wrong += [f"{event}: {text}" for text in differences(rows, seen[1], walks, self.names)]
        return seen[1]

    def filter_run(self, truth, event, walks, pairs, times):
        tree = Tree(self.random, walks, pairs)
        args = ["sample-bpf", "-a", "-e", event, "--filter", f"{self.own(event)} && ({tree.text})", "--key", "comm", "--folded=samples"]
        seen = self.observe(truth, args, times)
        if not seen:
            return
        kept = sum(int(line.rpartition(" ")[2]) for line in seen[0].splitlines())
        verdicts = [(tree.holds(before), tree.holds(behind)) for before, behind in seen[1]]
        least, most = sum(a and b for a, b in verdicts), sum(a or b for a, b in verdicts)
        self.counts["filters"] += 1
        self.counts["filters that split"] += 0 < least < len(verdicts)
        if not least <= kept <= most:
            self.wrong.append(f"{event}: {tree.text}: kept {kept} of {len(verdicts)}, not {least} to {most}")

    def tracepoint(self, name, event, arguments, times, count):
        named = fields(event)
        walks = self.accepted(event, [walk for walk in self.drawer.draw_many(self.roots(arguments), count) if walk.text not in named])
        used = 0
        for batch in self.batches(walks):
            with Truth(self.libbpf, self.directory, name, batch, len(arguments)) as truth:
                pairs = self.key_run(truth, event, batch, times)
                if not pairs:
                    break
                used += len(batch)
                self.count(batch, pairs)
                for _ in range(2):
                    self.filter_run(truth, event, batch, pairs, times)
        return used

    def count(self, walks, pairs):
        self.counts["walks"] += len(walks)
        self.counts["hits"] += len(pairs)
        for i, walk in enumerate(walks):
            certain = [before[i] for before, behind in pairs if before[i] == behind[i]]
            self.counts["with a value"] += any(value is not None for value in certain)
            self.counts["values"] += len(certain)
            self.counts["texts"] += walk.kind == "text"
            self.counts[f"{min(walk.nr_steps, 4)} pointers"] += 1

    def run(self):
        events = tracepoints(self.btf)
        hits = count_hits(self.libbpf, self.directory, list(events), lambda: self.work.run([], 1))
        todo = [name for name in events if hits[name]]
        self.random.shuffle(todo)
        per_tracepoint = -(-N // NR_TRACEPOINTS)
        for name in todo:
            event, arguments = events[name]
            if self.counts["walks"] >= N:
                break
            times = 3 if hits[name] < MOST_HITS // 10 else 1
            if hits[name] <= MOST_HITS and self.tracepoint(name, event, arguments, times, min(per_tracepoint, N - self.counts["walks"])):
                self.counts["tracepoints"] += 1


def main():
    with tempfile.TemporaryDirectory(prefix="perf-walks.") as directory:
        proof = Proof(directory)
        proof.run()
    print(", ".join(f"{count} {what}" for what, count in proof.counts.items()))
    for why, count in proof.refused.items():
        print(f"{count} walks refused: {why}")
    for text in proof.wrong:
        print("DIFFERENT:", text)
    print(f"{proof.counts['walks']} walks over {proof.counts['tracepoints']} tracepoints (seed {SEED}): {len(proof.wrong)} different")
    sys.exit(bool(proof.wrong) or proof.counts["walks"] < N)


main()

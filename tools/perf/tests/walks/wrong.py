#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
make proof-wrong-walks: N wrong expressions, made of random walks by SEED, as filters, keys and sums. Each must end perf with code 129 and one message
that has the place, and names what is near; nothing is loaded into the kernel and nothing runs. Prints what is otherwise, and fails then.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

from btf import Btf, PTR, STRUCT
from draw import Drawer

PERF = os.path.realpath(os.environ["PERF"])
N, SEED = (int(os.environ.get(name, value)) for name, value in (("N", 300), ("SEED", 1)))
EVENTS = {"net:netif_receive_skb": "netif_receive_skb", "sched:sched_switch": "sched_switch", "sched:sched_process_exec": "sched_process_exec",
          "block:block_rq_issue": "block_rq_issue", "signal:signal_generate": "signal_generate", "writeback:writeback_dirty_inode": "writeback_dirty_inode",
          "cpu-clock": None}
Wrong = collections.namedtuple("Wrong", "before bad after message")  # bad: what the caret stands under, or what begins there
TOKEN = re.compile(r"->|\.|\[[^]]*\]|\w+|\(\(struct \w+ \*\)|\)|\s+")


def misspell(rng, name):
    at = rng.randrange(len(name))
    return rng.choice((name[:at] + name[at] + name[at:], name[:at] + "q" + name[at:], name[:at] + name[at + 1:] if len(name) > 4 else name + "x"))


class Maker:
    """Wrong walks: each method makes one of a good walk, or returns None if it has no place for that mistake."""

    def __init__(self, btf, rng):
        self.btf, self.rng = btf, rng
        self.all_names = {m.name for t in btf.types if t.kind == STRUCT for m in btf.own_members(t)}

    def pick(self, tokens, wanted, first=0):
        places = [i for i, token in enumerate(tokens) if i >= first and wanted(i, token)]
        return self.rng.choice(places) if places else None

    @staticmethod
    def put(tokens, at, bad, message, after=None):
        return Wrong("".join(tokens[:at]), bad, "".join(tokens[at + 1:]) if after is None else after, message)

    def member(self, tokens, _):
        at = self.pick(tokens, lambda i, token: i and tokens[i - 1] in ("->", ".") and len(token) > 2)
        if at is None:
            return None
        bad = misspell(self.rng, tokens[at])
        if bad in self.all_names or bad[0].isdigit():
            return None
        return self.put(tokens, at, bad, rf"'{bad}' is no member of \w.*; did you mean '\w+'\?")

    def strange_member(self, tokens, _):
        at = self.pick(tokens, lambda i, token: i and tokens[i - 1] in ("->", "."))
        return at and self.put(tokens, at, "zzzzzzzzzzzzzzzzz", r"'z+\w*' is no member of \w.*, which has: \w+")

    def dot(self, tokens, _):
        at = self.pick(tokens, lambda i, token: token == "->")
        return at and self.put(tokens, at, ".", r"'\.' follows .* \*, which is a pointer: write '->'")

    def arrow(self, tokens, _):
        at = self.pick(tokens, lambda i, token: token == ".")
        return at and self.put(tokens, at, "->", r"'->' follows (struct|union) .*, which is no pointer: write '\.'|'->' follows .*, which is no pointer")

    def root(self, tokens, _):
        at = self.pick(tokens, lambda i, token: re.fullmatch(r"\w+", token) and (i == 0 or tokens[i - 1].endswith("*)")))
        if at is None:
            return None
        bad = "no_such_root"
        return self.put(tokens, at, bad, f"'{bad}' is nothing to begin with here; there are: .*task")

    def no_member(self, tokens, walk):
        at = self.pick(tokens, lambda i, token: token in ("->", "."), 1)
        if at is None or tokens[0].startswith("(("):
            return None
        return Wrong("".join(tokens[:at + 1]), "", "", "expected the name of a member")

    def open_index(self, tokens, walk):
        at = self.pick(tokens, lambda i, token: token[0] == "[")
        if at is None or tokens[0].startswith("((") or "->" not in tokens[:at]:
            return None
        return self.rng.choice((Wrong("".join(tokens[:at]) + "[", "", "", r"expected a number after '\['"),
                                Wrong("".join(tokens[:at]) + "[0", "", "", r"expected ']'")))

    def strange_index(self, tokens, _):
        at = self.pick(tokens, lambda i, token: token[0] == "[")
        return at and self.put(tokens, at, "[nr]", r"expected a number after '\['")._replace(before="".join(tokens[:at]) + "[", bad="nr]")

    def far_index(self, tokens, _):
        at = self.pick(tokens, lambda i, token: token[0] == "[")
        return at and self.put(tokens, at, "[2000000000]", r"'\[2000000000\]' is (behind the end of|an element without a size, or too far away)")

    def goes_on(self, tokens, walk):
        if walk.is_pointer or walk.kind == "text":
            return None
        bad, message = self.rng.choice((("->x", "'->' follows .*, which is no pointer"), ("[3]", r"'\[3\]' follows .*, which is neither an array nor a pointer"),
                                        (".x", r"'x' is no member(:| of)")))
        return Wrong(walk.text + ("." if bad == ".x" else ""), bad.lstrip("."), "", message) if "->" in walk.text or tokens[0][0] == "(" else None

    def cast(self, tokens, walk):
        at = self.pick(tokens, lambda i, token: token.startswith("(("))
        if at is None:
            return None
        name = re.search(r"struct (\w+)", tokens[at])[1]
        return self.put(tokens, at, "", "'no_such_struct' is no struct of this kernel")._replace(
            before="".join(tokens[:at]) + "((struct ", bad="no_such_struct", after=tokens[at][len("((struct ") + len(name):] + "".join(tokens[at + 1:]))

    def open_cast(self, tokens, walk):
        if not tokens[0].startswith("((") or tokens.count(")") != 1:
            return None
        at = tokens.index(")")
        return Wrong("".join(tokens[:at]), "", "", r"expected '\)' after the pointer of a cast")

    def bare_cast(self, tokens, walk):
        if not tokens[0].startswith("((") or tokens.count(")") != 1:
            return None
        rest = "".join(token for token in tokens[1:] if token != ")")
        return Wrong("", "", tokens[0][1:] + rest, r"a cast and its pointer stand in parentheses|expected '\)' after the pointer of a cast")

    def small_cast(self, tokens, walk):
        if walk.kind != "number" or walk.size == 8 or "->" not in walk.text:
            return None
        return Wrong("((struct task_struct *)", walk.text, ")->pid", "is .*, which holds no address")

    def too_long(self, tokens, walk):
        return Wrong("task->real_parent" * 1 + "->real_parent" * 10, "->", "pid", "'->' is one pointer too many: a walk follows at most 10")

    # with a comparison: after the walk comes the test

    def word_for_number(self, tokens, walk):
        if walk.kind != "number" or walk.enum is not None:
            return None
        return Wrong(walk.text + " == ", "wrong_word", "", r"takes a number .*, not 'wrong_word'")

    def unknown_name(self, tokens, walk):
        return Wrong(walk.text + " == ", "WRONG_WORD", "", "'WRONG_WORD' is no value of|takes a number .*, not 'WRONG_WORD'") if walk.enum else None

    def too_large(self, tokens, walk):
        if walk.kind != "number" or walk.size == 8 and not walk.bits:
            return None
        bad = str(1 << (walk.bits or walk.size * 8))
        return Wrong(walk.text + " == ", bad, "", f"'{bad}' is no value of")

    def order_of_texts(self, tokens, walk):
        if walk.kind != "text" or not walk.chars:
            return None
        return Wrong(walk.text + " ", "<=", " 'x'", "'<=' cannot be used with .*; it takes: == != in ~ !~")

    def long_text(self, tokens, walk):
        if walk.kind != "text" or not walk.chars or walk.chars > 60:
            return None
        return Wrong(walk.text + " == ", '"' + "x" * (walk.chars + 1) + '"', "", "can never match")

    def pattern(self, tokens, walk):
        return Wrong(walk.text + " ~ ", '"[a"', "", r"'\[' without its '\]'") if walk.kind == "text" else None

    def no_operator(self, tokens, walk):
        return Wrong(walk.text, "", "", "expected an operator .* after '") if walk.kind == "number" or walk.chars else None

    def no_value(self, tokens, walk):
        return Wrong(walk.text + " == ", "", "", "expected a value after '=='")

    def two_walks(self, tokens, walk):
        if walk.kind != "number" or walk.enum is not None:
            return None
        return Wrong(walk.text + " == ", "task->pid", "", "takes a number .*, not 'task->pid'")


WALKS = ("member", "member", "strange_member", "dot", "arrow", "root", "no_member", "open_index", "strange_index", "far_index", "goes_on", "cast", "open_cast",
         "bare_cast", "small_cast", "too_long")
TESTS = ("word_for_number", "unknown_name", "too_large", "order_of_texts", "long_text", "pattern", "no_operator", "no_value", "two_walks")


class Trial:
    def __init__(self, directory):
        self.directory = directory

    def run(self, args):
        """the exit code, the messages, and what it has loaded or run"""
        trace = os.path.join(self.directory, "trace")
        result = subprocess.run(["strace", "-f", "-qq", "-e", "trace=bpf,ioctl", "-o", trace, PERF, *args, "--", "touch", "ran"],
                                cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env={**os.environ, "LC_ALL": "C"})
        with open(trace, encoding="latin-1") as file:
            # but for a program of two instructions, which asks the kernel what it can
            done = re.findall(r"BPF_(?:PROG_LOAD(?!.*insn_cnt=2,)|MAP_CREATE|LINK_CREATE|RAW_TRACEPOINT_OPEN).*|IOC_ENABLE", file.read())
        done += [name for name in os.listdir(self.directory) if name != "trace"]
        return result.returncode, result.stderr.decode(), done

    def why_bad(self, args, kind, wrong):
        """None: perf has done all that it has to do"""
        code, err, done = self.run(args)
        lines = err.splitlines()
        if code != 129:
            return f"exit code {code}: {err}"
        if done:
            return f"has done {done}"
        carets = [i for i, line in enumerate(lines) if re.fullmatch(r" *\^", line)]
        if len(carets) != 1 or carets[0] != 2 or len(lines) != 3:
            return f"is no single located message: {err}"
        if not re.search(wrong.message, lines[0]):
            return f"the message is not /{wrong.message}/: {err}"
        at, shown = lines[2].index("^"), lines[1]
        before, bad = shown[2:at][-12:].replace("...", ""), wrong.bad[:12]
        if kind == "bare_cast":  # with a parenthesis before it, the one behind the pointer is missing
            return None
        if not (wrong.before.rstrip().endswith(before.rstrip()) or before.rstrip().endswith(wrong.before.rstrip()[-8:])):
            return f"the place is wrong: {err}"
        if bad and not shown[at:].replace("...", "").startswith(bad[:len(shown[at:].replace('...', ''))]):
            return f"the place is not that of {bad!r}: {err}"
        return None


def arguments(rng, event, kind, wrong):
    text = wrong.before + wrong.bad + wrong.after
    system = ["-a", "-e", event]
    if kind in WALKS and rng.random() < 0.4:
        option = rng.choice(("--key", "--key", "--sum"))
        return ["sample-bpf", *system, option, text, "-o", "wrong.data"]
    if kind in WALKS:
        text += rng.choice((" == 1", " != 0x10", " in {1..5}")[:2 if kind in ("no_member", "open_index") else 3])
    before, after = rng.choice((("", ""), ("cpu >= 0 && ", ""), ("!(pid == 1) && (", ")"), ("comm == x || ", ", cpu < 4")))
    if kind in ("no_operator", "no_value", "no_member", "open_index", "open_cast"):
        after = ""  # which would be what the message says is not there
        before = before.replace("&& (", "&& ")
    return [rng.choice(("record", "sample-bpf")), *system, "--filter", before + text + after, "-o", "wrong.data"]


def main():
    btf, rng = Btf(), random.Random(SEED)
    drawer, maker = Drawer(btf, SEED), Maker(btf, rng)
    task = btf.named[STRUCT, "task_struct"][0].id
    task = next(t.id for t in btf.types if t.kind == PTR and t.size == task)
    counts, bad, seen = collections.Counter(), [], set()
    with tempfile.TemporaryDirectory(prefix="perf-wrong.") as directory:
        trial = Trial(directory)
        while sum(counts.values()) < N:
            kind = rng.choice(WALKS + TESTS)
            event, tracepoint = rng.choice(sorted(EVENTS.items(), key=str))
            roots = [(name, type_id, "0") for name, type_id in (btf.arguments(tracepoint) if tracepoint else [])]
            walk = drawer.draw(roots or [("task", task, "0")])
            if not walk or not ("->" in walk.text or "((" in walk.text) or len(walk.text) > 120:
                continue
            tokens = TOKEN.findall(walk.text)
            wrong = getattr(maker, kind)(tokens, walk) if "".join(tokens) == walk.text else None
            if not wrong or (kind, wrong) in seen:
                continue
            seen.add((kind, wrong))
            args = arguments(rng, event, kind, wrong)
            why = trial.why_bad(args, kind, wrong)
            counts[kind] += 1
            if why:
                bad.append(f"{kind}: perf {' '.join(args)}\n{why}")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    for text in bad:
        print("NOT SO:", text)
    print(f"{sum(counts.values())} wrong expressions (seed {SEED}): {len(bad)} without one located message")
    sys.exit(bool(bad))


main()

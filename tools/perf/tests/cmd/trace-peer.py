#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the lines of another perf's trace with those of ours for the same program: call by call, each argument by its name, and results. Both have
trace.show_zeros, so that our lines name all arguments.

trace-peer.py THEIRS OURS [-v]: prints differences without a known reason, with -v an example of each known one, and how many lines and different calls
were compared, how many values were the same, and how many differ for which reason. A reason says who shows less."""
import collections
import re
import sys

FIRST = "mkdir"  # what is before it belongs to libc, which may be another one there
LINE = re.compile(r" *(?:[\d.]+|\?) \([ \d.ms]*\): .{0,16}/(\d+) (?:(\w+)\((.*)\)|( \.\.\. \[continued\]): (\w+)\(\)\))\s+= ?(.*)$")
BEGIN = re.compile(r" *[\d.]+ \( *\): .{0,16}/(\d+) (\w+)\((.*)\) +\.\.\.$")
MODES = {"R": 0o444, "W": 0o222, "X": 0o111}
# libc's own between those of the program, which differ by its version
OURS_ONLY = {"rt_sigprocmask", "set_robust_list"}


def calls(path):
    """By task, in the order of their begins"""
    tasks, begun = collections.defaultdict(list), {}
    for line in open(path, errors="replace"):
        line = re.sub(r"/tmp/syscalls\.\w+", "/tmp/DIR", line.rstrip("\n"))
        m = BEGIN.match(line)
        if m:
            begun[m.group(1)] = m.group(2, 3)
            continue
        m = LINE.match(line)
        if not m:
            continue
        task, name, args, continued, last, result = m.groups()
        if continued:
            if task not in begun:  # it began before the task was traced
                continue
            name, args = begun.pop(task)
        if name not in OURS_ONLY:
            tasks[task].append((name, args, result))
    lists = list(tasks.values())
    lists[0] = lists[0][[c[0] for c in lists[0]].index(FIRST):]
    return lists


def own_args(text):
    """Ours: texts are quoted."""
    args, depth, quoted, start, i = [], 0, False, 0, 0
    text += ", "
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and not depth:
            name, _, value = text[start:i].partition(": ")
            args.append((name.strip(), value))
            start = i + 1
        i += 1
    return [a for a in args if a[0]]


def their_args(text, names):
    """Theirs are not: look for the names."""
    found, end = [], 0
    for name in names:
        m = re.compile(r"(?:^|, )%s: ?" % re.escape(name)).search(text, end)
        if m:
            found.append((name, m.start(), m.end()))
            end = m.end()
    ends = [f[1] for f in found[1:]] + [len(text)]
    return {name: text[at:end] for (name, _, at), end in zip(found, ends)}


def number(text):
    try:
        return int(text, 8 if re.match(r"0[0-7]+$", text) else 0)
    except ValueError:
        return None


def mode(text):
    bits = 0
    for word in text.split("|"):
        m = re.match(r"S_I([RWX])(USR|GRP|OTH|UGO)$", word)
        if m:
            bits |= MODES[m.group(1)] & {"USR": 0o700, "GRP": 0o070, "OTH": 0o007, "UGO": 0o777}[m.group(2)]
        else:
            bits |= {"S_IRWXU": 0o700, "S_ISUID": 0o4000}.get(word, 0)
    return bits


def plain(text):
    """Our quoted text as they print it, without what is cut"""
    raw = re.sub(r"\\x([0-9a-f]{2})|\\(.)", lambda m: chr(int(m.group(1), 16)) if m.group(1) else {"n": "\n"}.get(m.group(2), m.group(2)), text[1:-1])
    return "".join(c if 32 <= ord(c) < 127 else "\\%d" % ord(c) for c in raw)


def flags(text):
    return sorted(text.split("|"))


# Some perfs leave descriptors of their own to the program, so that it gets higher ones. By theirs: ours
DESCRIPTORS = {}
OPENS = re.compile(r"open|dup|socket$|epoll_create|eventfd|memfd|timerfd_create|inotify_init")


def same_descriptor(theirs, ours):
    return theirs == ours or DESCRIPTORS.get(theirs) == ours


def why(theirs, ours):
    """None: the same; "": unknown; else the reason"""
    if theirs == ours or flags(theirs) == flags(ours):
        return None
    a, b = number(theirs), number(ours)
    if a is not None and b is not None and (a - b) % (1 << 32) == 0 and (a == b or max(a, b) >> 31):
        return None if a == b else "theirs: a negative number without its sign"
    if re.match(r"0x[0-9a-f]{5,}$", theirs) and re.match(r"0x[0-9a-f]{5,}$", ours):
        return None  # an address
    if theirs.startswith("S_I") and mode(theirs) == b:
        return "other notation: S_IRUSR for 0400"
    if ours[:1] == '"' and (theirs == ours or theirs == plain(ours)):
        return None
    if re.match(r"0x[0-9a-f]+$|-?\d{8,}$", theirs) and re.match(r'["\[{]|0x', ours):
        return "theirs: the address of what ours shows"
    if theirs.startswith("(struct"):
        return "theirs: C notation, addresses in structs"
    m = re.match(r"(-?\d+)(?:<.*>)?$", theirs), re.match(r"(-?\d+)(?:<.*>)?$", ours)
    if m[0] and m[1] and "<" in ours:
        if not same_descriptor(int(m[0].group(1)), int(m[1].group(1))):
            return ""
        return "theirs: a descriptor without its file, or with a file that was opened later"
    if a is not None and b is not None and 3 <= b and same_descriptor(a, b):
        return None
    if theirs.replace("PF_", "AF_") == ours or theirs.replace("PF_", "AF_").replace("path: nosuch.socket", 'path: "nosuch.socket"') == ours:
        return "other notation: PF_ for AF_"
    if a is not None and re.match(r"[A-Z]", ours):
        return "theirs: a number that has a name"
    if (a, ours) == (0, "NULL") or (theirs, ours) in {("", "0"), ("NONE", "0"), ("IPPROTO_IP", "0"), ('""', "NULL")}:
        return "other notation of 0"
    if (theirs, ours) in {("SOCK_STREAM|CLOEXEC", "SOCK_STREAM|SOCK_CLOEXEC")}:
        return "other notation: no prefix"
    if re.match(r"\d+ \(\w+\)$", theirs):
        return "theirs: the name of the task, too"
    return ""


# What theirs print wrongly: argument or "=", their text
WRONG = [
    ("addr|uservaddr", r".*PF_INET6, port: 2, addr: ", "another address"),
    ("mode", r"R_OKW_OK$", "two flags without a bar"),
    ("flags", r"AT_EACCESS0$", "a flag with a 0"),
    ("rqtp", r".*tv_nsec: 18446744073709551615", "a negative number without its sign"),
    ("level", r"1 /\* SOL_", "a number that has a name"),
    ("clone_flags", r"\|?CLONE_", "the signal is missing or a number"),
    ("cmd|arg", r"0$", "the wrong argument"),
    ("envp", r"0x", "an address"),
    ("newfd", r"\d+<", "the file that a descriptor gets later"),
]


def why_of(name, theirs, ours):
    reason = why(theirs, ours)
    if reason != "":
        return reason
    for args, pattern, text in WRONG:
        if re.match("(%s)$" % args, name) and re.match(pattern, theirs):
            return "theirs: " + text
    return ""


def why_result(call, theirs, ours):
    theirs, ours = theirs.strip(), ours.strip()
    theirs = re.sub(r"^(\d+) \(\w+\)$", r"\1", theirs)
    if OPENS.match(call) and theirs.isdigit() and ours.isdigit():
        DESCRIPTORS[int(theirs)] = int(ours)
        return None
    if theirs == ours or call in ("getpid", "getppid", "getpgid", "clone", "wait4", "brk"):
        return None
    m = re.match(r"-1 \(unknown\) (\(.*\))$", theirs)
    if m and ours.endswith(m.group(1)):
        return "theirs: an error without its name"
    if call == "fcntl":
        return "theirs: names of flags, for 0 as well" if re.match(r"[A-Z|]+$", theirs) else ""
    return why(theirs, ours)


def main():
    theirs, ours = calls(sys.argv[1]), calls(sys.argv[2])
    same, reasons, examples, names, unknown = 0, collections.Counter(), {}, set(), []
    if len(theirs) != len(ours):
        unknown.append("%d tasks in their lines, %d in ours" % (len(theirs), len(ours)))
    for a, b in zip(theirs, ours):
        if [c[0] for c in a] != [c[0] for c in b]:
            unknown.append("other calls: %s, ours %s" % (" ".join(c[0] for c in a), " ".join(c[0] for c in b)))
            continue
        for (call, text, result), (_, own, own_result) in zip(a, b):
            mine = own_args(own)
            other = their_args(text, [m[0] for m in mine])
            names.add(call)
            pairs = [(n, why_of(n, other[n], v) if n in other else "theirs: an argument is left out", other.get(n), v) for n, v in mine]
            for name, reason, x, y in pairs + [("=", why_result(call, result, own_result), result, own_result)]:
                if reason is None:
                    same += 1
                    continue
                line = "%s(%s): %s, ours %s" % (call, name, x, y)
                if reason:
                    reasons[reason] += 1
                    examples.setdefault(reason, line)
                else:
                    unknown.append(line)
    print("".join(line + "\n" for line in unknown), end="")
    for reason, nr in reasons.most_common():
        print("# %3d %s%s" % (nr, reason, ": " + examples[reason] if "-v" in sys.argv else ""))
    print("# %d calls, %d different ones, %d values the same, %d differ for a known reason, %d for none"
          % (sum(map(len, ours)), len(names), same, sum(reasons.values()), len(unknown)))
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main())

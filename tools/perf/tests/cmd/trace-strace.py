#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the lines of strace -f -y with those of perf trace for the same program: call by call, argument by argument, of each process.
What may differ between two runs (addresses, numbers of processes, inodes, times) is taken out of both.

trace-strace.py STRACE PERF: prints the differences, and the numbers of lines and of different calls that were equal."""
import re
import sys

# Arguments that the tracers show in different ways on purpose, by position: no equality is asked for.
FREE = {
    "execve": {2}, "brk": {0}, "arch_prctl": {1}, "set_tid_address": {0}, "set_robust_list": {0}, "rseq": {0, 3}, "clone": {0, 1, 2, 3, 4},
    "read": {1}, "write": {1}, "rt_sigaction": {2, 1}, "prlimit64": {3}, "kill": {0}, "getcwd": {0}, "wait4": {0, 1, 3},
    "recvmsg": {1}, "sendmsg": {1}, "getsockname": {1}, "clock_gettime": {1}, "clock_getres": {1}, "uname": {0}, "statfs": {1},
    "ppoll": {0}, "epoll_pwait": {1}, "epoll_ctl": {3}, "getdents64": {1}, "mmap": {0, 5}, "munmap": {0}, "mprotect": {0}, "madvise": {0},
    "getrandom": {0}, "timerfd_settime": {3}, "readv": {1}, "ioctl": {1}, "rt_sigprocmask": {1}, "prctl": {1}, "waitid": {2}, "inotify_init1": set(),
}
# write(2) and read(2) of the workload itself are texts, but those of programs need not be: compared where both are texts.
TEXTS = {"read", "write"}


def split_args(text):
    args, depth, quoted, start, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and not depth:
            args.append(text[start:i].strip())
            start = i + 1
        i += 1
    if text[start:].strip():
        args.append(text[start:].strip())
    return args


def unescape(m):
    esc = m.group(1)
    if esc[0] == "x":
        return "\\x%02x" % int(esc[1:], 16)
    if esc[0] in "01234567":
        return "\\x%02x" % int(esc, 8)
    return {"t": "\\x09", "r": "\\x0d", "v": "\\x0b", "f": "\\x0c"}.get(esc, "\\" + esc)


def arg(text):
    text = re.sub(r" /\*[^*]*\*/", "", text)
    text = re.sub(r"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)", unescape, text)
    text = re.sub(r"(pipe|socket):\[\d+\]|(?<=<)(\d+(\.\d+){3}|\[[0-9a-f:]*\]):\d+(?=>)", "inode", text)
    text = re.sub(r"(?<![\w\"])\.?[a-z]\w*[:=] ?(?=[^\s])", "", text)  # names of members
    text = re.sub(r"\{ ", "{", re.sub(r" \}", "}", text)).replace(", ", ",")
    text = re.sub(r"AT_FDCWD<[^>]*>|\bCWD\b", "AT_FDCWD", text)
    text = re.sub(r"/tmp/syscalls\.\w+", "/tmp/DIR", text)
    text = re.sub(r"\(deleted\)", "", text).replace(" >", ">").strip()
    text = re.sub(r",\.\.\.(?=[\]}])", "", text)
    text = text.replace("AF_LOCAL", "AF_UNIX").replace("SIG_IGN", "IGN").replace("SIG_DFL", "DFL").replace("IPPROTO_IP", "0")
    text = re.sub(r"\bFUTEX_(\w+)_PRIVATE\b", r"FUTEX_\1|FUTEX_PRIVATE_FLAG", text)
    text = re.sub(r"htonl\(0\),inet_pton\(AF_INET6,\"([^\"]*)\",&sin6_addr\),0", r"\1", text)
    text = re.sub(r"(\d+)<[^<>]*>(?=,|\])", r"\1", text) if text[:1] == "[" else text
    text = re.sub(r"htons\((\d+)\)", r"\1", text)
    text = re.sub(r"inet_addr\(\"([^\"]*)\"\)", r"\1", text)
    text = re.sub(r"0x[0-9a-f]{5,}", "ADDR", text)
    text = re.sub(r"0x[0-9a-f]+", lambda m: str(int(m.group(), 16)), text)
    text = re.sub(r"\{(\d+),\1\}", r"\1", text).replace("18446744073709551615", "-1")
    text = {"0": "NULL", "ADDR /* 0 vars */": "ADDR"}.get(text, text)
    if "|" in text and '"' not in text and "{" not in text:
        text = "|".join(sorted(text.split("|")))
    return text


def result(text):
    text = text.strip()
    m = re.match(r"-1 (E\w+)", text)
    if m:
        return m.group(1)
    m = re.match(r"\? (E\w+)", text)
    if m:
        return m.group(1)
    text = re.sub(r"<.*|\(.*", "", text).strip()
    if re.match(r"0x[0-9a-f]+$", text):
        return "ADDR" if len(text) > 9 else str(int(text, 16))
    return text


def call(name, args, ret):
    return name, tuple(arg(a) for a in split_args(args)), result(ret)


def strace(path):
    open_calls, tasks = {}, {}
    for line in open(path, errors="replace"):
        pid, rest = line.rstrip("\n").split(None, 1)
        m = re.match(r"(\w+)\((.*) <unfinished \.\.\.>$", rest)
        if m:
            open_calls[pid] = rest[: -len(" <unfinished ...>")]
            continue
        m = re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
        if m:
            rest = open_calls.pop(pid) + m.group(1)
        m = re.match(r"(\w+)\((.*)\)\s+= (.*)$", rest)
        if m:
            tasks.setdefault(pid, []).append(call(*m.groups()))
    return list(tasks.values())


def perf(path):
    tasks = {}
    for line in open(path, errors="replace"):
        m = re.match(r" *[\d.]+ \([ \d.ms]*\): .{0,16}/(\d+) (\w+)\((.*)\)\s+= (.*)$", line)
        if m:
            tasks.setdefault(m.group(1), []).append(call(*m.groups()[1:]))
    return list(tasks.values())


def equal(a, b):
    if a[0] != b[0] or len(a[1]) > len(b[1]) or any(x != "NULL" for x in b[1][len(a[1]):] if a[0] not in ("prctl", "clone")):
        return False
    if a[2] != b[2] and a[0] not in ("getpid", "getppid", "getpgid", "set_tid_address", "clone", "wait4", "getcwd", "brk"):
        return False
    for i, (x, y) in enumerate(zip(a[1], b[1])):
        if x == y or ("ADDR" in (x, y) and "NULL" not in (x, y) and x[:1] not in '"{['):
            continue
        if i in FREE.get(a[0], ()) and not (a[0] in TEXTS and x.isprintable() and "\\x" not in x + y):
            continue
        return False
    return True


def main():
    ours, theirs = perf(sys.argv[2]), strace(sys.argv[1])
    lines, names, differences = 0, set(), 0
    if len(ours) != len(theirs):
        print("%d tasks in perf's lines, %d in strace's" % (len(ours), len(theirs)))
        differences += 1
    for a, b in zip(theirs, sorted(ours, key=lambda t: -len(t))):
        for x, y in zip(a, b):
            lines += 1
            if equal(x, y):
                names.add(x[0])
                continue
            differences += 1
            print("strace: %s(%s) = %s" % (x[0], ", ".join(x[1]), x[2]))
            print("perf:   %s(%s) = %s" % (y[0], ", ".join(y[1]), y[2]))
        if len(a) != len(b):
            print("%d lines of strace, %d of perf" % (len(a), len(b)))
            differences += 1
    print("%d lines, %d calls, %d differences" % (lines, len(names), differences))
    return differences != 0


if __name__ == "__main__":
    sys.exit(main())

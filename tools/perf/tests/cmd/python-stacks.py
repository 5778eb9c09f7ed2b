# SPDX-License-Identifier: GPL-2.0
# For record-python.sh: programs whose Python stacks are known. python-stacks.py NAME ARGS...
import ctypes
import functools
import os
import re
import sys
import threading
import time

chains = set()  # of the callers of point(): "function:line;function:line ..."


def spin(seconds):
    end = time.thread_time() + seconds
    x = 0
    while time.thread_time() < end:
        for i in range(200):
            x += i * i
    return x


def point():
    """Here the stack is known, and perf takes some."""
    frame = sys._getframe(1)
    chain = []
    while frame:
        chain.append("%s:%d" % (getattr(frame.f_code, "co_qualname", frame.f_code.co_name), frame.f_lineno))
        frame = frame.f_back
    chains.add(";".join(chain))
    spin(0.03)


class Less:
    def __init__(self, value):
        self.value = value
        point()

    def __lt__(self, other):
        point()
        return self.value < other.value


class Gone:
    def __del__(self):
        point()


class Manager:
    def __enter__(self):
        point()

    def __exit__(self, *unused):
        point()


def generator():
    point()
    yield 1
    point()
    yield from other_generator()


def other_generator():
    point()
    yield 2


async def coroutine(depth):
    if depth:
        await coroutine(depth - 1)
    point()


def by_re(match):
    point()
    return "x"


def fold(a, b):
    point()
    return sorted([Less(2), Less(1)])


COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))


def compare(a, b):
    re.sub("a", by_re, "aba")
    return a[0] - b[0]


def by_qsort():
    numbers = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(numbers, 2, 4, COMPARE(compare))


def recursion(depth):
    if depth:
        return recursion(depth - 1)
    point()


def raises():
    try:
        {}[1]
    except KeyError:
        point()


def everything():
    list(generator())
    functools.reduce(fold, [1, 2])
    by_qsort()
    [point() for _ in range(1)]
    recursion(30)
    gone = Gone()
    del gone
    raises()
    (lambda: point())()
    max([1, 2], key=lambda x: point() or x)
    try:
        coroutine(3).send(None)
    except StopIteration:
        pass
    with Manager():
        point()
    eval(compile("point()", "<made>", "eval"))


def all_ways(rounds):
    threads = [threading.Thread(target=everything) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(int(rounds)):
        everything()
    sys.stdout.flush()
    child = os.fork()
    everything()
    if child:
        os.waitpid(child, 0)
    print("\n".join(sorted(chains)), flush=True)


def work(n):
    x = 0
    for i in range(n):
        x += i * i
    return x


def seventy():
    work(70000)


def twenty():
    work(20000)


def ten():
    work(10000)


def shares(rounds):
    for _ in range(int(rounds)):
        seventy()
        twenty()
        ten()


# Functions that live for a short time, whose memory is that of the next ones: outer_N calls inner_N, and none else
def churn(seconds):
    end = time.monotonic() + float(seconds)
    n = 0
    while time.monotonic() < end:
        place = {"spin": spin}
        exec("def inner_%d():\n spin(0.002)\n\n\ndef outer_%d():\n inner_%d()\n" % (n, n, n), place)
        place["outer_%d" % n]()
        n += 1


def names():
    for name in ("gr\u00fc\u00dfe", "\u03bb", "\u6f22\u5b57", "\U0001d4d0", "x" * 400, "line\nbreak",
                 "y" * 10000, "z" * 5000 + "\u6f22" * 5000, "", "a\u202eb\u2028c", "half\ud800", "back\x1b[31m"):
        def function():
            spin(0.03)
        function.__code__ = function.__code__.replace(**{"co_name": name, **({"co_qualname": name} if hasattr(function.__code__, "co_qualname") else {})})
        function()
    for path in "", "/", "q" * 10000 + "/long.py":
        def in_file():
            spin(0.03)
        in_file.__code__ = in_file.__code__.replace(co_filename=path)
        in_file()


def waits_for_answer(seconds):
    time.sleep(seconds)


def sleeps(rounds):
    for _ in range(int(rounds)):
        waits_for_answer(0.02)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])

# SPDX-License-Identifier: GPL-2.0
"""
work.py READY GO TIMES: hits many tracepoints of the kernel, TIMES each, as a task that is named so only meanwhile. It tells a FIFO that it has begun,
and waits for the other one.
"""
import ctypes
import fcntl
import mmap
import os
import select
import signal
import socket
import sys
import threading
import time

from truth import NAME

libc = ctypes.CDLL(None, use_errno=True)
PR_SET_NAME = 15


def files(i):
    with open(f"file{i}", "w+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b"x" * 9000)
        file.flush()
        os.fsync(file.fileno())
        os.ftruncate(file.fileno(), 5000)
        memory = mmap.mmap(file.fileno(), 5000)
        memory[4500] = 7
        memory.close()
        fcntl.lockf(file, fcntl.LOCK_EX)
    os.chmod(f"file{i}", 0o600)
    os.rename(f"file{i}", "renamed")
    os.unlink("renamed")


def packets(i):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, 77 + i)
        for port in 9, 9:
            try:
                sock.sendto(b"y" * (100 + i), ("127.0.0.1", port))
            except OSError:
                pass
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        peer, _ = server.accept()
        client.sendall(b"z" * 3000)
        peer.recv(5000)
        peer.close()
    left, right = socket.socketpair()
    left.send(b"hello")
    right.recv(9)
    left.close()
    right.close()


def tasks(_):
    pid = os.fork()
    if not pid:
        os.execl(f"./{NAME}", NAME)
    os.waitpid(pid, 0)
    thread = threading.Thread(target=time.sleep, args=(0.001,))
    thread.start()
    os.nice(0)
    os.sched_yield()
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    thread.join()


def signals(_):
    signal.signal(signal.SIGUSR1, lambda *_: None)
    os.kill(os.getpid(), signal.SIGUSR1)
    signal.setitimer(signal.ITIMER_REAL, 5)
    signal.setitimer(signal.ITIMER_REAL, 0)
    select.select([], [], [], 0.001)


def memory(_):
    block = mmap.mmap(-1, 300000)
    for at in range(0, 300000, 4096):
        block[at] = 1
    block.close()
    reader, writer = os.pipe()
    os.write(writer, b"pipe")
    os.read(reader, 4)
    os.close(reader)
    os.close(writer)


def groups(i):
    for root in "/sys/fs/cgroup", "/sys/fs/cgroup/unified":
        path = f"{root}/{NAME}{os.getpid()}-{i}"
        try:
            os.mkdir(path)
            os.rmdir(path)
            return
        except OSError:
            pass


def main():
    ready, go, times = sys.argv[1:]
    with open(ready, "w", encoding="utf-8") as file:
        file.write("ready")
    with open(go, encoding="utf-8") as file:
        file.read()
    libc.prctl(PR_SET_NAME, NAME.encode())
    for i in range(int(times)):
        for step in files, packets, tasks, signals, memory, groups:
            step(i)
    libc.prctl(PR_SET_NAME, b"done")


main()

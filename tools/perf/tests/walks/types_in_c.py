# SPDX-License-Identifier: GPL-2.0
"""vmlinux.h for the running kernel"""
import re
import subprocess

from btf import ENUM


def write_types(btf, path):
    """the kernel's types in C, where small enumerations get their size, of which bpftool knows nothing"""
    text = subprocess.run(["bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "c"], stdout=subprocess.PIPE, check=True).stdout.decode()
    for t in btf.types:
        if t.kind == ENUM and t.name and t.size in (1, 2):
            mode = "byte" if t.size == 1 else "HI"
            text = re.sub(rf"(\nenum {t.name} {{[^}}]*}})(?=;)", rf"\1 __attribute__((mode({mode})))", text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

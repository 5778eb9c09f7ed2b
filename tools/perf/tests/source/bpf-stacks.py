#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How much stack BPF programs need: a line "BYTES FILE FUNCTION:BYTES..." for each, BYTES as kernels up to 6.12 add them up.

They count what a function uses from the frame pointer down, rounded up to 32 bytes, and add up the functions that call each other,
callbacks among them. More than 512 bytes are refused.
"""
import re
import subprocess
import sys


class Function:
    def __init__(self, name):
        self.name, self.depth, self.calls = name, 0, set()


def disassembled(path, objdump):
    return subprocess.run([objdump, "-dr", path], check=True, capture_output=True, text=True).stdout.splitlines()


def read(path, objdump):
    """The functions by name, and their names by section and address."""
    functions, at, section, function, pointers = {}, {}, None, None, set()
    instruction = ""
    for line in disassembled(path, objdump):
        if start := re.match(r"Disassembly of section (.*):$", line):
            section = start[1]
        elif start := re.match(r"([0-9a-f]+) <(.*)>:$", line):
            if start[2].startswith("LBB"):
                continue
            function = functions[start[2]] = Function(start[2])
            at[section, int(start[1], 16)] = start[2]
            pointers = set()
        elif relocation := re.search(r"R_BPF_64_(?:32|64)\s+(\S+)$", line):
            function.calls.add(target(instruction, relocation[1]))
        elif inner := re.match(r"\s+([0-9a-f]+):\s+(?:[0-9a-f]{2}\s+){8}(.*)$", line):
            instruction = inner[2]
            look_at(function, instruction, pointers)
            if call := re.match(r"call (-?(?:0x)?[0-9a-f]+)\b", instruction) if " 10 00 00 " in line else None:
                function.calls.add((section, 8 * (int(inner[1], 10) + 1 + int(call[1], 0))))
    return functions, at


def target(instruction, symbol):
    """A function's name, or its section and address"""
    number = re.search(r"(-?(?:0x)?[0-9a-f]+)(?: ll)?$", instruction)
    value = int(number[1], 0) if number else 0
    if instruction.startswith("call"):
        return (symbol, 8 * (value + 1)) if value != -1 or symbol.startswith(".") else symbol
    return (symbol, value) if value else symbol


def look_at(function, instruction, pointers):
    for offset in re.findall(r"r10 - (0x[0-9a-f]+|\d+)", instruction):
        function.depth = max(function.depth, int(offset, 0))
    if copy := re.match(r"(r\d) = r10$", instruction):
        pointers.add(copy[1])
    elif (moved := re.match(r"(r\d) \+= -(0x[0-9a-f]+|\d+)$", instruction)) and moved[1] in pointers:
        function.depth = max(function.depth, int(moved[2], 0))
        pointers.discard(moved[1])
    elif other := re.match(r"(r\d) = ", instruction):
        pointers.discard(other[1])


def total(name, functions, at, above=()):
    function = functions[name]
    below = {call if call in functions else at.get(call, at.get((call, 0))) for call in function.calls}
    calls = [total(call, functions, at, above + (name,)) for call in below if call in functions and call not in above]
    size, chain = max(calls, default=(0, ""))
    own = (max(function.depth, 1) + 31) // 32 * 32
    return own + size, f"{name}:{own} {chain}"


def main(objdump, *paths):
    for path in paths:
        functions, at = read(path, objdump)
        called = {at.get(call, call) for function in functions.values() for call in function.calls}
        for name in functions:
            if name not in called and name not in {at.get((".text", 0))}:
                size, chain = total(name, functions, at)
                print(size, path, chain)


main(*sys.argv[1:])

#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""elf-bombs.py PERF PROGRAM RECORDING DIRECTORY [NAME...]: ELF files that claim more than they have on disk, met by perf report and script.

PROGRAM has the symbol spin_here and no build-id; RECORDING has samples of it, at the path DIRECTORY/prog. Each bomb takes that place in turn.
A line is printed for each: its name, "ok" or what is wrong, the KiB of memory that were used at most and that were allowed, and seconds.
Allowed are 64 MiB, 20 times the recording, and for each file that is read what util/symbol/elf-budget.h grants.
"""
import lzma
import os
import resource
import struct
import subprocess
import sys
import time
import zlib

perf, program, recording, directory, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
PATH = os.path.join(directory, 'prog')
GIB = 1 << 30
COMPRESSED, ZLIB = 0x800, 1
PROGBITS, SYMTAB, STRTAB, NOBITS = 1, 2, 3, 8


class Elf:
    """A program with more sections, or others."""

    def __init__(self, path):
        self.image = bytearray(open(path, 'rb').read())
        at, count, names = (struct.unpack_from('<Q', self.image, 40)[0], *struct.unpack_from('<HH', self.image, 60))
        headers = [list(struct.unpack_from('<IIQQQQIIQQ', self.image, at + 64 * i)) for i in range(count)]
        strings = self.image[headers[names][4]:headers[names][4] + headers[names][5]]
        self.sections = [[strings[h[0]:strings.index(0, h[0])].decode(), h] for h in headers]
        self.names = names
        self.size = len(self.image)
        self.parts = []

    def header(self, name):
        return next((h for n, h in self.sections if n == name), None)

    def hole(self, size):
        """Room that takes none on disk; its place."""
        self.size = (self.size + 4095) & ~4095
        at, self.size = self.size, self.size + size
        return at

    def put(self, data):
        at = self.hole(len(data))
        self.parts.append((at, data))
        return at

    def section(self, name, data, flags=0, kind=PROGBITS, size=None):
        header = self.header(name)
        if not header:
            header = [0, kind, 0, 0, 0, 0, 0, 0, 1, 0]
            self.sections.append([name, header])
        header[1], header[2] = kind, flags
        header[4] = self.put(data) if size is None else self.hole(size)
        header[5] = len(data) if size is None else size

    def packed(self, name, data, size):
        if name.startswith('.z'):
            self.section(name, b'ZLIB' + struct.pack('>Q', size) + data)
        else:
            self.section(name, struct.pack('<IIQQ', ZLIB, 0, size, 1) + data, COMPRESSED)

    def drop(self, *names):
        for section in self.sections:
            if section[0] in names:
                section[0] = '.dropped'
                section[1][1] = NOBITS

    def write(self, path, at_end=0, sections=None, names_size=0):
        strings = b'\0' + b''.join(n.encode() + b'\0' for n, _ in self.sections)
        place = 1
        for name, header in self.sections:
            header[0] = place
            place += len(name) + 1
        header = self.sections[self.names][1]
        header[4], header[5] = (self.put(strings), len(strings)) if not names_size else (self.hole(names_size), names_size)
        if names_size:
            self.parts.append((header[4], strings))
        if sections:
            self.sections[0][1][5] = sections
        table = b''.join(struct.pack('<IIQQQQIIQQ', *h) for _, h in self.sections)
        at = self.put(table)
        if sections:
            self.hole(64 * sections)
        struct.pack_into('<Q', self.image, 40, at)
        struct.pack_into('<HH', self.image, 60, 0 if sections else len(self.sections), self.names)
        if os.path.exists(path):
            os.unlink(path)
        with open(path, 'wb') as out:
            out.write(self.image)
            for offset, data in self.parts:
                out.seek(offset)
                out.write(data)
            out.truncate(max(self.size, at_end))
        os.chmod(path, 0o755)

    def text(self):
        return self.header('.text')[3], self.header('.text')[5]


def uleb(value):
    out = b''
    while value > 0x7f:
        out, value = out + bytes([value & 0x7f | 0x80]), value >> 7
    return out + bytes([value])


def unit(body, version=4, abbrevs=0):
    return struct.pack('<IHIB', len(body) + 7, version, abbrevs, 8) + body


LOW_PC, HIGH_PC, STMT_LIST, DWO_NAME, DWO_ID = 0x11, 0x12, 0x10, 0x2130, 0x2131
ADDR, DATA8, SEC_OFFSET, STRING = 0x01, 0x07, 0x17, 0x08


def abbrev(code, tag, children, *attributes):
    return uleb(code) + uleb(tag) + bytes([children]) + b''.join(uleb(a) + uleb(f) for a, f in attributes) + b'\0\0'


def line_table(directories, files, program):
    tables = b''.join(d + b'\0' for d in directories) + b'\0' + b''.join(f + bytes([0, len(directories), 0, 0]) for f in files) + b'\0'
    rest = bytes([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + tables
    return struct.pack('<IHI', 6 + len(rest) + len(program), 4, len(rest)) + rest + program


def with_unit(elf):
    """One unit for all code, with a line table at 0."""
    low, size = elf.text()
    elf.section('.debug_abbrev', abbrev(1, 0x11, 0, (LOW_PC, ADDR), (HIGH_PC, DATA8), (STMT_LIST, SEC_OFFSET)) + b'\0')
    elf.section('.debug_info', unit(b'\1' + struct.pack('<QQI', low, size, 0) + b'\0'))


def zeros(size):
    """Compressed: one block of them again and again. The checksum of zeros is their number."""
    block = zlib.compressobj(9, wbits=-15)
    once = block.compress(bytes(1 << 20)) + block.flush(zlib.Z_FULL_FLUSH)
    return b'\x78\xda' + once * (size >> 20) + b'\3\0' + struct.pack('>I', size % 65521 << 16 | 1)


def long_link(elf):
    target = Elf(program)
    target.write(os.path.join(directory, 'linked'), at_end=8 << 40)
    elf.drop('.symtab', '.strtab')
    elf.section('.gnu_debuglink', b'linked\0\0' + bytes(4))
    elf.write(PATH)
    return ['linked']


def sparse_symtab(elf):
    elf.header('.symtab')[4], elf.header('.symtab')[5] = elf.hole(3 * GIB), 3 * GIB
    elf.write(PATH)


def sparse_names_of_symbols(elf):
    elf.header('.strtab')[4], elf.header('.strtab')[5] = elf.hole(3 * GIB), 3 * GIB
    elf.write(PATH)


def sparse_names_of_sections(elf):
    elf.write(PATH, names_size=3 * GIB)


def sparse_headers(elf):
    elf.write(PATH, sections=20 << 20)


def sparse_frames(elf):
    elf.header('.eh_frame')[4], elf.header('.eh_frame')[5] = elf.hole(3 * GIB), 3 * GIB
    elf.write(PATH)


def no_sections(elf):
    struct.pack_into('<Q', elf.image, 40, 0)
    struct.pack_into('<HH', elf.image, 60, 0, 0)
    with open(PATH, 'wb') as out:
        out.write(elf.image)
        out.truncate(3 * GIB)


def packed_info(elf):
    elf.packed('.debug_info', zeros(3 * GIB), 3 * GIB)
    elf.write(PATH)


def packed_info_old(elf):
    elf.packed('.zdebug_info', zeros(3 * GIB), 3 * GIB)
    elf.write(PATH)


def packed_names(elf):
    with_unit(elf)
    elf.packed('.debug_str', zeros(2 * GIB), 2 * GIB)
    elf.write(PATH)


def packed_lines(elf):
    """Each byte of the program is a line."""
    with_unit(elf)
    size = 40 << 20
    table = line_table([], [b'a.c'], b'')
    table = struct.pack('<I', len(table) - 4 + size) + table[4:]
    elf.packed('.debug_line', zlib.compress(table + b'\x20' * size, 9), len(table) + size)
    elf.write(PATH)


def long_directory(elf):
    """Each name of a file is stored with its directory."""
    with_unit(elf)
    elf.section('.debug_line', line_table([b'd' * 60000], [b'f'] * 60000, b'\0\1\1'))
    elf.write(PATH)


def shared_abbreviations(elf):
    """Each unit has a copy of the table, up to the abbreviation that it uses."""
    count = 60000
    elf.section('.debug_abbrev', b''.join(abbrev(n + 2, 0x34, 0) for n in range(count)) + abbrev(1, 0x11, 0) + b'\0')
    elf.section('.debug_info', unit(b'\1') * 20000)
    elf.write(PATH)


def nested_blocks(elf):
    """A function with many blocks, each of many ranges, none of which has the address."""
    low, size = elf.text()
    elf.section('.debug_abbrev', abbrev(1, 0x11, 1, (LOW_PC, ADDR), (HIGH_PC, DATA8), (STMT_LIST, SEC_OFFSET)) +
                abbrev(2, 0x2e, 1, (LOW_PC, ADDR), (HIGH_PC, DATA8)) + abbrev(3, 0x0b, 0, (0x55, SEC_OFFSET)) +
                abbrev(4, 0x1d, 0) + b'\0')
    elf.section('.debug_info', unit(b'\1' + struct.pack('<QQI', low, size, 0) + b'\2' + struct.pack('<QQ', low, size) +
                                    (b'\3' + bytes(4)) * 200000 + b'\0\0'))
    elf.section('.debug_ranges', struct.pack('<QQ', 1, 2) * 100000 + bytes(16))
    elf.section('.debug_line', line_table([], [b'a.c'], b'\0\x09\2' + struct.pack('<Q', low) + b'\1\2' + uleb(size) + b'\0\1\1'))
    elf.write(PATH)


def shared_file(elf):
    """What dwz makes, by name."""
    other = Elf(program)
    identity = bytes(range(20))
    other.section('.note.gnu.build-id', struct.pack('<III', 4, 20, 3) + b'GNU\0' + identity, kind=7)
    other.packed('.debug_info', zeros(3 * GIB), 3 * GIB)
    other.write(os.path.join(directory, 'shared'))
    with_unit(elf)
    elf.section('.debug_line', line_table([], [b'a.c'], b'\0\1\1'))
    elf.section('.gnu_debugaltlink', b'shared\0' + identity)
    elf.write(PATH)
    return ['shared']


def split_file(elf):
    other = Elf(program)
    other.packed('.debug_info.dwo', zeros(3 * GIB), 3 * GIB)
    other.write(os.path.join(directory, 'split.dwo'))
    low, size = elf.text()
    elf.section('.debug_abbrev', abbrev(1, 0x11, 0, (LOW_PC, ADDR), (HIGH_PC, DATA8), (DWO_NAME, STRING), (DWO_ID, DATA8)) + b'\0')
    elf.section('.debug_info', unit(b'\1' + struct.pack('<QQ', low, size) + b'split.dwo\0' + bytes(8)))
    elf.write(PATH)
    return ['split.dwo']


def many_notes(elf):
    for n in range(100):
        elf.section(f'.note.{n}', b'', kind=7, size=1 << 20)
    elf.write(PATH)


def packed_symbols(elf):
    """MiniDebugInfo that never ends, for a user of perf"""
    elf.drop('.symtab', '.strtab')
    elf.section('.gnu_debugdata', lzma.compress(bytes(GIB // 4), preset=0))
    elf.write(PATH)


BOMBS = (long_link, sparse_symtab, sparse_names_of_symbols, sparse_names_of_sections, sparse_headers, sparse_frames, no_sections, packed_info,
         packed_info_old, packed_names, packed_lines, long_directory, shared_abbreviations, nested_blocks, shared_file, split_file, many_notes, packed_symbols)
COMMANDS = (('report', '--stdio'), ('report', '--stdio', '-s', 'sym,srcline'), ('script', '-F', '+srcline'))


def on_disk(name):
    return os.stat(name).st_blocks * 512


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (16 * GIB, 16 * GIB))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))


def run(command):
    """What is wrong, the warnings about the file, the KiB that it took."""
    with open('out', 'wb') as out, open('err', 'wb') as err:
        child = subprocess.Popen([perf, *command, '-i', recording], stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    said = open('err', errors='replace').read()
    wrong = f'{command[0]} ends with {status}: {said.strip()[-200:]}' if status else ''
    return wrong, said.count('is left out'), usage.ru_maxrss


def try_bomb(bomb):
    others = bomb(Elf(program)) or []
    allowed = 64 << 10
    allowed += 20 * on_disk(recording) >> 10
    allowed += sum(256 + (32 * on_disk(os.path.join(directory, name)) >> 10) for name in ['prog', *others])
    begun, wrong, most, warned = time.monotonic(), '', 0, 0
    for command in COMMANDS:
        problem, warnings, used = run(command)
        problem = problem or ('warns more than once' if warnings > 1 else '')
        wrong = wrong or problem or (f'{command[0]} takes too much' if used > allowed else '')
        most = max(most, used)
        warned += warnings
    print(f'{bomb.__name__}: {wrong or "ok"}, {"warned" if warned else "silent"} ({most} of {allowed} KiB, {time.monotonic() - begun:.1f} s)', flush=True)
    for name in ['prog', *others]:
        os.unlink(os.path.join(directory, name))


for each in BOMBS:
    if not wanted or each.__name__ in wanted:
        try_bomb(each)

# SPDX-License-Identifier: GPL-2.0
"""The kernel's types, read from /sys/kernel/btf/vmlinux by nothing that perf is made of."""
import collections
import struct

(INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO, VAR, DATASEC, FLOAT, DECL_TAG,
 TYPE_TAG, ENUM64) = range(1, 20)
# bytes behind the common header of a type: fixed ones, and those of each of its parts
TAILS = {INT: (4, 0), ARRAY: (12, 0), STRUCT: (0, 12), UNION: (0, 12), ENUM: (0, 8), FUNC_PROTO: (0, 8), VAR: (4, 0), DATASEC: (0, 12),
         DECL_TAG: (4, 0), ENUM64: (0, 12)}
SIGNED = 1

Type = collections.namedtuple("Type", "id kind name size vlen flag at")  # size: or the type that it leads to; at: of its tail
Member = collections.namedtuple("Member", "name type offset bits")


class Btf:
    def __init__(self, path="/sys/kernel/btf/vmlinux"):
        with open(path, "rb") as file:
            self.data = file.read()
        _, _, _, header, type_off, type_len, str_off, _ = struct.unpack_from("=HBBIIIII", self.data)
        self.strings = header + str_off
        self.types = [Type(0, 0, "", 0, 0, 0, 0)]
        self.named = collections.defaultdict(list)
        at, end = header + type_off, header + type_off + type_len
        while at < end:
            name, info, size = struct.unpack_from("=III", self.data, at)
            kind, vlen = info >> 24 & 0x1f, info & 0xffff
            self.types.append(Type(len(self.types), kind, self.string(name), size, vlen, info >> 31, at + 12))
            self.named[kind, self.types[-1].name].append(self.types[-1])
            fixed, each = TAILS.get(kind, (0, 0))
            at += 12 + fixed + each * vlen

    def string(self, offset):
        begin = self.strings + offset
        return self.data[begin:self.data.index(b"\0", begin)].decode()

    def words(self, t, count):
        return struct.unpack_from(f"={count}I", self.data, t.at)

    def chain(self, type_id):
        """the type, and those that typedefs and qualifiers lead to"""
        t = self.types[type_id]
        while t.kind in (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG):
            yield t
            t = self.types[t.size]
        yield t

    def strip(self, type_id):
        return list(self.chain(type_id))[-1]

    def is_tagged(self, type_id):
        return any(t.kind == TYPE_TAG for t in self.chain(type_id))

    def names(self, type_id):
        return {t.name for t in self.chain(type_id) if t.kind == TYPEDEF}

    def array(self, t):
        element, _, nr = self.words(t, 3)
        return element, nr

    def own_members(self, t):
        words = self.words(t, 3 * t.vlen)
        for name, type_id, offset in zip(words[::3], words[1::3], words[2::3]):
            yield Member(self.string(name), type_id, offset & 0xffffff if t.flag else offset, offset >> 24 if t.flag else 0)

    def members(self, t):
        """with those of unnamed structures and unions, which are reached by their names alone"""
        for member in self.own_members(t):
            inner = self.strip(member.type)
            if member.name:
                yield member
            elif inner.kind in (STRUCT, UNION):
                yield from self.members(inner)

    def is_signed(self, t):
        return bool(self.words(t, 1)[0] >> 24 & SIGNED) if t.kind == INT else bool(t.flag)

    def enum(self, t):
        """[(name, value)]"""
        step = 2 if t.kind == ENUM else 3
        words = self.words(t, step * t.vlen)
        for name, *value in zip(*[iter(words)] * step):
            number = value[0] | (value[1] << 32 if step == 3 else 0)
            yield self.string(name), number

    def arguments(self, tracepoint):
        """[(name, type)] of a tracepoint's arguments; None: they have no names"""
        for prefix in "__probestub_", "__traceiter_":
            for function in self.named.get((FUNC, prefix + tracepoint), []):
                proto = self.types[function.size]
                words = self.words(proto, 2 * proto.vlen)
                parameters = [(self.string(name), type_id) for name, type_id in zip(words[::2], words[1::2])]
                if all(name for name, _ in parameters):
                    return parameters[1:]
        return None

    def size(self, type_id):
        t = self.strip(type_id)
        if t.kind == PTR:
            return 8
        if t.kind == ARRAY:
            element, nr = self.array(t)
            return nr * self.size(element)
        return t.size

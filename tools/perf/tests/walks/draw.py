# SPDX-License-Identifier: GPL-2.0
"""
Random walks through the kernel's data, each as the user writes it and as a program in C that a compiler makes of the kernel's types. What the
walk means is then the compiler's answer: no offset, size or sign is computed here.
"""
import random

from btf import ARRAY, ENUM, ENUM64, INT, PTR, STRUCT, UNION

STEPS = 8  # pointers that are followed, at most
TEXT = 64  # bytes of a text in a key, with its NUL
OWN = {"bpf_ctx", "migration_disabled"}  # members that are other ones in each program that reads them
LARGEST = 16384  # of a structure that is copied for the sake of a bit field


class Walk:
    def __init__(self, text, root):
        self.text = text
        self.root = root  # the expression in C that it begins with
        self.lines = []   # in C; each may "return 0": there is no value
        self.kind = None  # "number" or "text"
        self.enum = None  # {value: {name}}
        self.is_pointer = self.is_signed = False
        self.size, self.bits = 8, 0  # of a number, and of its bit field
        self.chars = 0    # of an array of characters
        self.nr_steps = 0


class Drawer:
    def __init__(self, btf, seed):
        self.btf, self.random = btf, random.Random(seed)

    def is_char(self, type_id):
        t = self.btf.strip(type_id)
        return t.kind == INT and t.size == 1 and t.name == "char"

    def points_to_text(self, type_id):
        t = self.btf.strip(type_id)
        return self.is_char(type_id) or (t.kind == INT and t.name == "unsigned char" and not self.btf.names(type_id) & {"u8", "__u8"})

    def is_named_once(self, t):
        return t.name and len(self.btf.named[STRUCT, t.name]) + len(self.btf.named[UNION, t.name]) == 1

    def c_type(self, type_id):
        """a root's type in C; None: it cannot be written here"""
        t = self.btf.strip(type_id)
        if t.kind == PTR:
            pointee = self.btf.strip(t.size)
            if pointee.kind in (STRUCT, UNION) and self.is_named_once(pointee):
                return f"{'struct' if pointee.kind == STRUCT else 'union'} {pointee.name} *"
            if pointee.kind == INT and self.points_to_text(t.size):
                return "char *"
            return "void *"
        if t.kind == INT and t.size <= 8:
            return ("" if self.btf.is_signed(t) else "unsigned ") + {1: "char", 2: "short", 4: "int", 8: "long long"}[t.size]
        if t.kind == ENUM:
            return "int" if self.btf.is_signed(t) else "unsigned int"
        return None

    def draw(self, roots):
        """roots: [(name, type, expression in C)]; a walk, or None: chance led nowhere"""
        name, type_id, source = self.random.choice(roots)
        c_type = self.c_type(type_id)
        if not c_type:
            return None
        walk = Walk(name, source)
        walk.lines.append(f"{c_type} *p0 = (void *)&scratch->root; scratch->root = {source};")
        return Path(self, walk, type_id).go()

    def draw_many(self, roots, count):
        walks, names = {}, {name for name, _, _ in roots}
        for _ in range(count * 50):
            walk = self.draw(roots)
            if walk and walk.text in names and self.random.random() < 0.9:
                continue  # a plain argument
            if walk and len(walk.text) < 200:
                walks.setdefault(walk.text, walk)
            if len(walks) == count:
                break
        return list(walks.values())


class Path:
    """The place that the walk has come to: self.at is what C calls it, of type self.type."""

    def __init__(self, drawer, walk, type_id):
        self.d, self.btf, self.random, self.walk = drawer, drawer.btf, drawer.random, walk
        self.type, self.at, self.bits, self.depth, self.direct = type_id, "p0[0]", 0, 0, True
        self.base = None  # the pointer that the place is reached from

    def go(self):
        while True:
            t = self.btf.strip(self.type)
            if t.kind == PTR:
                if not self.wants_to_follow(t):
                    return self.end()
                self.follow(t.size)
            elif t.kind in (STRUCT, UNION):
                if self.direct:
                    return None
                if self.is_single(t) and self.random.random() < 0.3:
                    return self.end_single(t)
                if not self.enter(t):
                    return None
            elif t.kind == ARRAY and not self.d.is_char(self.btf.array(t)[0]):
                if not self.enter_element(t):
                    return None
            else:
                return self.end()

    def wants_to_follow(self, t):
        pointee = self.btf.strip(t.size)
        if pointee.kind not in (STRUCT, UNION) or not list(self.btf.members(pointee)) or self.btf.is_tagged(t.size):
            return False
        return self.random.random() < (0.95 if self.direct else 0.85 - 0.12 * self.walk.nr_steps) and self.walk.nr_steps < STEPS

    def is_single(self, t):
        return t.vlen == 1 and all(m.name and not m.bits for m in self.btf.own_members(t))

    def end_single(self, t):
        """a structure of a single member stands for that"""
        while t.kind in (STRUCT, UNION) and self.is_single(t):
            member = next(self.btf.own_members(t))
            self.at += "." + member.name
            self.type = member.type
            t = self.btf.strip(self.type)
        return self.end()

    def read_pointer(self, cast=""):
        """the pointer at the place becomes the base"""
        self.depth += 1
        p = f"p{self.depth}"
        at = self.at
        if self.direct:
            self.walk.lines.append(f"__typeof__({at}) {p} = {at};")
        else:
            self.walk.lines.append(f"__typeof__({at}) *s{self.depth} = (void *)&scratch->pointer;")
            self.walk.lines.append(f"if (bpf_probe_read_kernel((void *)s{self.depth}, sizeof({at}), &{at})) return 0;")
            self.walk.lines.append(f"__typeof__({at}) {p} = *s{self.depth};")
            self.walk.nr_steps += 1
        if cast:
            self.walk.lines.append(f"{cast} c{self.depth} = ({cast}){p};")
            p = f"c{self.depth}"
        self.walk.lines.append(f"if (!{p}) return 0;")
        self.base, self.direct = p, False

    def follow(self, pointee):
        """by -> or [0], sometimes with a cast to the type that it has anyway"""
        t = self.btf.strip(pointee)
        cast = ""
        if t.kind == STRUCT and self.d.is_named_once(t) and self.random.random() < 0.1:
            cast = f"struct {t.name} *"
            self.walk.text = f"((struct {t.name} *){self.walk.text})"
        self.read_pointer(cast)
        self.type = pointee
        if self.random.random() < 0.05:
            self.walk.text += "[0]"
            self.at, self.arrow = f"{self.base}[0]", "."
        else:
            self.at, self.arrow = self.base, "->"
        self.enter(t)

    def enter(self, t):
        members = [m for m in self.btf.members(t) if self.can_enter(m)]
        if not members:
            return False
        member = self.random.choice(self.favoured(members))
        arrow = getattr(self, "arrow", ".")
        blank = " " if self.random.random() < 0.02 else ""
        self.walk.text += f"{blank}{arrow}{blank}{member.name}"
        self.at += arrow + member.name
        self.arrow = "."
        self.type, self.bits = member.type, member.bits
        return True

    def favoured(self, members):
        """members that lead on, and texts, are fewer than others, and make the more interesting walks"""
        chance = self.random.random()
        if chance < 0.65:
            chosen = [m for m in members if self.leads_on(m.type)]
        elif chance < 0.8:
            chosen = [m for m in members if self.is_text(m.type)]
        else:
            chosen = members
        return chosen or members

    def leads_on(self, type_id):
        t = self.btf.strip(type_id)
        return t.kind in (STRUCT, UNION) or (t.kind == PTR and self.btf.strip(t.size).kind in (STRUCT, UNION))

    def is_text(self, type_id):
        t = self.btf.strip(type_id)
        return (t.kind == ARRAY and self.d.is_char(self.btf.array(t)[0])) or (t.kind == PTR and self.d.points_to_text(t.size))

    def can_enter(self, member):
        t = self.btf.strip(member.type)
        return member.name not in OWN and t.kind in (INT, PTR, STRUCT, UNION, ENUM, ENUM64, ARRAY) and not (t.kind in (STRUCT, UNION) and not t.vlen)

    def enter_element(self, t):
        element, nr = self.btf.array(t)
        if not nr or not self.btf.size(element) or self.btf.strip(element).kind == ARRAY and self.random.random() < 0.5:
            return False
        index = self.random.randrange(min(nr, 1 << 16))
        self.walk.text += f"[{index}]" if self.random.random() < 0.9 else f"[{index:#x}]"
        self.at += f"[{index}]"
        self.type = element
        return True

    # what is at the end

    def end(self):
        t = self.btf.strip(self.type)
        if t.kind == PTR and self.is_text(self.type) and not self.btf.is_tagged(t.size):
            return self.end_string()
        if t.kind == ARRAY and self.d.is_char(self.btf.array(t)[0]):
            return self.end_chars(t)
        if t.kind in (INT, PTR, ENUM, ENUM64) and self.btf.size(self.type) in (1, 2, 4, 8):
            return self.end_number(t)
        return None

    def end_string(self):
        self.read_pointer()
        self.walk.kind = "text"
        self.walk.lines.append(f"if (bpf_probe_read_kernel(&scratch->first, 1, (void *){self.base})) return 0;")
        self.walk.lines.append(f"bpf_probe_read_kernel_str(out->text, sizeof(out->text), (void *){self.base}); return 1;")
        return self.walk

    def end_chars(self, t):
        _, nr = self.btf.array(t)
        if self.direct or not nr:
            return None
        self.walk.kind, self.walk.chars = "text", nr
        self.walk.lines.append(f"if (bpf_probe_read_kernel(&scratch->first, 1, &{self.at})) return 0;")
        self.walk.lines.append(f"bpf_probe_read_kernel_str(out->text, sizeof({self.at}) < 63 ? sizeof({self.at}) + 1 : 64, (void *)&{self.at}); return 1;")
        return self.walk

    def end_number(self, t):
        walk = self.walk
        walk.kind = "number"
        if t.kind in (ENUM, ENUM64):
            walk.enum = {}
            for name, value in self.btf.enum(t):
                walk.enum.setdefault(value, set()).add(name)
        walk.is_pointer, walk.size = t.kind == PTR, self.btf.size(self.type)
        walk.is_signed = t.kind != PTR and self.btf.is_signed(t)
        if self.direct:
            walk.lines.append("out->number = (__u64)p0[0]; return 1;")
        elif self.bits:
            walk.bits = self.bits
            if self.btf.is_signed(t) and t.kind == INT:
                return None
            inner = self.at[len(self.base):]
            walk.lines.append(f"if (sizeof(*{self.base}) > {LARGEST} || bpf_probe_read_kernel(scratch->object, sizeof(*{self.base}), {self.base})) return 0;")
            walk.lines.append(f"__typeof__({self.base}) copy = (void *)scratch->object; out->number = copy{inner}; return 1;")
        else:
            swap = {"__be16": "__builtin_bswap16", "__be32": "__builtin_bswap32", "__be64": "__builtin_bswap64"}
            swaps = [swap[name] for name in self.btf.names(self.type) if name in swap]
            walk.lines.append(f"__typeof__({self.at}) *last = (void *)&scratch->last;")
            walk.lines.append(f"if (bpf_probe_read_kernel((void *)last, sizeof({self.at}), &{self.at})) return 0;")
            walk.lines.append(f"out->number = (__u64){swaps[0] if swaps else ''}(*last); return 1;")
        return walk

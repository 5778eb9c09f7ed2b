# SPDX-License-Identifier: GPL-2.0
"""Random filters of walks, with values that they have led to before or nearly so, and what such a filter says of a hit."""
import fnmatch

WORDS = "eth0", "a", "bash", "*", "a*", "*e*", "[a-z]*", "?"
LONGEST = 60  # of a text whose end is known


def signed(number):
    return number - (1 << 64) if number >> 63 else number


class Test:
    def __init__(self, rng, walk, index, values):
        self.walk, self.index = walk, index
        if walk.kind == "text":
            self.draw_text(rng, [value.text for value in values])
        else:
            self.draw_number(rng, [value.number for value in values])

    def draw_text(self, rng, seen):
        good = [text for text in seen if 0 < len(text) < LONGEST and all(0x20 < c < 0x7f and c not in b"*?[]\\'\"" for c in text)]
        text = rng.choice(good).decode() if good and rng.random() < 0.8 else rng.choice(WORDS[:3])
        self.op = rng.choice(("==", "!=", "~", "!~", "in"))
        if self.op in ("~", "!~"):
            cut = rng.randrange(len(text) + 1)
            text = rng.choice((text[:cut] + "*", "*" + text[cut:], "*" + text[cut:cut + 2] + "*", rng.choice(WORDS)))
        self.operands = [text]
        if self.is_too_long(text):
            self.op, self.operands = "~", ["*"]
        quoted = f'"{self.operands[0]}"'
        self.text = f"{self.walk.text} {self.op} {quoted if self.op != 'in' else '{' + quoted + ', nothing}'}"

    def is_too_long(self, text):
        """perf refuses what an array of characters cannot hold"""
        return self.walk.chars and len(text) > self.walk.chars - 1

    def draw_number(self, rng, seen):
        walk = self.walk
        values = [signed(number) if walk.is_signed else number for number in seen] or [0]
        limit = 1 << (walk.bits or walk.size * 8)
        low, high = (-limit // 2, limit // 2 - 1) if walk.is_signed else (0, limit - 1)
        near = [min(max(rng.choice(values) + rng.choice((0, 0, 0, 1, -1)), low), high) for _ in range(3)]
        self.op = rng.choice(("==", "!=", "<", "<=", ">", ">=", "in", "&"))
        if self.op == "<" and not near[0] and not walk.is_signed:
            self.op = "<="  # perf refuses what can never be
        if self.op == "&":
            near = [abs(value) for value in near]
        self.operands = near[:1]
        if self.op == "in":
            self.operands = sorted(near)
            self.text = f"{walk.text} in {{{self.operands[0]}, {self.operands[1]}..{self.operands[2]}}}"
        else:
            shown = hex(near[0]) if near[0] >= 0 and rng.random() < 0.3 else str(near[0])
            names = sorted(walk.enum.get(near[0] & 0xffffffff, ())) if walk.enum else []
            if names and self.op in ("==", "!=") and rng.random() < 0.5:
                shown = names[0]
            self.text = f"{walk.text} {self.op} {shown}"

    def holds(self, values):
        value = values[self.index]
        if value is None:
            return False
        return self.text_holds(value.text.decode("latin-1")) if self.walk.kind == "text" else self.number_holds(value.number)

    def text_holds(self, text):
        operand = self.operands[0]
        if self.op in ("~", "!~"):
            return fnmatch.fnmatchcase(text, operand) == (self.op == "~")
        return (text == operand or (self.op == "in" and text == "nothing")) == (self.op != "!=")

    def number_holds(self, number):
        v = signed(number) if self.walk.is_signed else number
        x = self.operands[0]
        if self.op == "in":
            return v == x or self.operands[1] <= v <= self.operands[2]
        return {"==": v == x, "!=": v != x, "<": v < x, "<=": v <= x, ">": v > x, ">=": v >= x, "&": bool(v & x)}[self.op]


class Tree:
    """text: for perf; holds(values): its verdict"""

    def __init__(self, rng, walks, pairs):
        chosen = rng.sample(range(len(walks)), min(len(walks), rng.choice((1, 2, 2, 3, 4))))
        varied = [i for i in range(len(walks)) if len({before[i] for before, _ in pairs}) > 1]
        if varied and rng.random() < 0.8 and not set(varied) & set(chosen):
            chosen[0] = rng.choice(varied)
        tests = [Test(rng, walks[i], i, [before[i] for before, _ in pairs if before[i] is not None]) for i in chosen]
        self.text, self.holds = self.join(rng, tests)

    def join(self, rng, tests):
        if len(tests) == 1:
            text, holds = tests[0].text, tests[0].holds
            if rng.random() < 0.2:
                return f"!({text})", lambda values: not holds(values)
            return text, holds
        cut = rng.randrange(1, len(tests))
        (left, left_holds), (right, right_holds) = self.join(rng, tests[:cut]), self.join(rng, tests[cut:])
        if rng.random() < 0.5:
            return f"({left} && {right})", lambda values: left_holds(values) and right_holds(values)
        return f"({left} || {right})", lambda values: left_holds(values) or right_holds(values)

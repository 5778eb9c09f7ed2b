#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes 500 different definitions that are wrong in one or more ways, and has perf probe add each: it must exit with 129 or 255 and print one
message. Usage: probe-wrong.py PERF PROGRAM GROUP [SEED]. The program is that of probe.sh."""
import random
import subprocess
import sys

perf, program, group = sys.argv[1:4]
rand = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)

NAMES = ['', '1x', 'a-b', 'a.b', 'a b', 'ä', 'x' * 64, 'a/b', '*', '$x', '%x', '-']
PLACES = ['nosuch', 'work:', 'work:x', 'work:-1', 'work:99999', 'work:4294967296', 'work:1:2', 'work:1-2', 'work+', 'work+x', 'work+-1', 'work+99999',
          'work+18446744073709551616', 'work+1+1', 'work+1:1', 'work%', 'work%ret', 'work%return+1', 'work%return:1', 'work%return%return', 'work@',
          'work@nosuch.c', 'work@t.c@t.c', 'work;', 'work;nosuchtext', 't.c:99999', 't.c:', 't.c:x', 't.c;', 'nosuch.c:1', 't.c:1%return', 't.c:15+1',
          '0x', '0xg', '0xffffffffffffffff', '0x1:3', ':5', '+5', '@t.c', ';x', '%return', '=work', '%', '%sdt_', '%sdt_:x', '%sdt_a:', '%sdt_a:b', '%nosuch',
          '%sdt_a:b:c', 'a=b=work', '[', 'work[', '\\', 'work\\', '\x01work', 'work\x7f', 'wo rk=', '"work', "'work", '"work"x', '(work)', 'ns::nosuch',
          'A<int>::nosuch', 'A<int>::work', '(anonymous namespace)::work', 'operator new', 'A::operator bool', '<S as T>::work', 'work<', 'work(int)', 'no*such', 'sdt_x:y']
OPERANDS = ['nosuch', 'n.b', 'n->b', 'n[0]', 'o.in', 'o->nosuch', 'o->own->b', 'o->in.b', 'o->', 'o.', 'o[', 'o[]', 'o[x]', 'o[1', 'o[-1]',
            'o[99999999999]', 'o->own', 'o->arr', 'keep', 'n:string', 'n:', 'n:foo', 'n:u7', 'n:u32x', 'n:b0@0/32', 'n:b33@0/32', 'n:b1@32/32',
            'n:b1@1/33', 'n:u32[', 'n:u32[]', 'x=', '=n', '1x=n', 'a-b=n', 'x=y=n', 'x' * 64, 'x' * 64 + '=n', '%', '%nosuch', '%ax%', '@', '@nosymbol', '@+',
            '@0x', '$', '$nosuch', '$arg', '$arg0', '$arg99', '$argx', '$stackx', '$retval', 'x=$vars', 'x=$params', '+8', '+(n)', '+8(', '+8(%sp',
            '+8(n)', '+8()', '+x(%sp)', '-(%sp)', '+8(%sp))', '+99999999999999999999(%sp)', '+1(' * 20 + '%sp' + ')' * 20, '\\', '\\x', '\\"',
            '&n', '*n', '!n', 'n+1', 'n n', '(n)', 'n@user@user', '@user', ':u32', '$retval:u32', '->b', '.b', '[0]', '#', 'n;', 'o->in->b->c', 'n,n', 'ä']
GOOD = ['n', 'o->in->b', 'who:string', '%sp', 'y=n:u32']


def name_is_wrong(name):
    return f'{name}={rand.choice(["work", "main"])} {rand.choice(GOOD)}'


def group_is_wrong(name):
    return f'{name}:x=work'


def place_is_wrong(place):
    return f'{rand.choice(["", group + ":e="])}{place} {rand.choice(["", "%sp", "$vars"])}'


def operand_is_wrong(operand):
    good = rand.sample(GOOD, rand.randrange(3))
    good.insert(rand.randrange(len(good) + 1), operand)
    return f'{group}:{rand.choice(["e", "f"])}={rand.choice(["work", "work@t.c", "work:0"])} {" ".join(good)}'


def make():
    kind, values = rand.choice([(name_is_wrong, NAMES), (group_is_wrong, NAMES), (place_is_wrong, PLACES), (operand_is_wrong, OPERANDS),
                                (operand_is_wrong, OPERANDS), (place_is_wrong, PLACES)])
    return kind(rand.choice(values))


# What reads like another word: fine by itself
FINE = {'n n', 'a b', 'wo rk='}


def is_fine(text):
    return any(f' {fine} ' in f' {text} ' for fine in FINE)


def messages(err):
    """The lines that begin a message: not those that go on, nor the last line of each failure."""
    lines = [line for line in err.split('\n') if line and not line.startswith((' ', '\t'))]
    lines = [line for line in lines if not line.startswith(('Target program is compiled', 'Probe on address', 'Rebuild with -g'))]
    return lines


def main():
    tried, right = set(), 0
    while len(tried) < 500:
        text = make()
        if text in tried or '\0' in text or is_fine(text):
            continue
        tried.add(text)
        done = subprocess.run([perf, 'probe', '-x', program, '-a', text], capture_output=True, timeout=100)
        err = done.stderr.decode(errors='replace')
        if done.returncode in (129, 255) and len(messages(err)) == 1 and not done.stdout:
            right += 1
        else:
            print(f'{text!r}: exit status {done.returncode}: {err!r}')
    print(f'{len(tried)} wrong definitions, {right} with one message')
    return 0


sys.exit(main())

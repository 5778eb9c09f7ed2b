#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Values of probes of all types that tracefs has: perf prints what the kernel prints of the same hits. FORMATS=200 tries that many probes.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

FORMATS=${FORMATS:-60}
SEED=${SEED:-$$}
tracing=/sys/kernel/tracing
group=perf_formats_$$

# Four hits, with the same bytes in each run. The first 4 addresses are of texts, the last of nothing. No byte is a newline.
cat >hits.c <<'C'
#include <stdint.h>
#include <string.h>
struct data { const char *texts[4]; unsigned char bytes[256]; };
__attribute__((noinline, noclone)) void hit(struct data *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
int main(void)
{
	static struct data d = { .texts = { "one", "two words", "", "caf\xc3\xa9" } };
	uint32_t random = 7;

	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 256; j++) {
			random = random * 1664525 + 1013904223;
			d.bytes[j] = random >> 24;
			d.bytes[j] += d.bytes[j] == '\n';
		}
		memset(d.bytes, i % 2 ? 0xff : 0, 16); /* 32: all bits, or none */
		strcpy((char *)d.bytes + 200, "in place");
		if (i == 3)
			d.texts[3] = (const char *)1; /* a fault */
		hit(&d);
	}
	return 0;
}
C
"${CC:-cc}" -O1 -o hits hits.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
at=$(nm hits | awk '$3 == "hit" { print $1 }')
case $(uname -m) in
x86_64) p=%di ;;
*) p=%x0 ;;
esac

# A uprobe serves either perf or the kernel's own trace: each has a twin in the group with "_k".
cat >make.py <<'P'
import random, sys
seed, nr, group, place, reg = sys.argv[1:]
random.seed(int(seed))
numbers = ["%s%d" % (sign, bits) for sign in "usx" for bits in (8, 16, 32, 64)] + ["char"]
def arg(i):
    kind = random.randrange(10)
    if kind < 5:
        at, type = "+%d(%s)" % (random.randrange(32, 180), reg), random.choice(numbers)
    elif kind < 6:
        size = random.choice((8, 16, 32, 64))
        width = random.randrange(1, size)
        at, type = "+%d(%s)" % (random.randrange(32, 180), reg), "b%d@%d/%d" % (width, random.randrange(0, size - width + 1), size)
    else:
        text = random.choice(("string", "ustring"))
        place = random.choice(("+232(%s)" % reg, "+0(+%d(%s))" % (8 * random.randrange(4), reg)))
        if random.randrange(2):
            return "v%d=+%d(%s):%s[%d]" % (i, 8 * random.randrange(2), reg, text, random.randrange(1, 4))
        return random.choice(("v%d=%s:%s" % (i, place, text), "v%d=$comm:string" % i, 'v%d=\\"fix":string' % i))
    return "v%d=%s:%s%s" % (i, at, type, "[%d]" % random.randrange(1, 7) if random.randrange(3) == 0 else "")
for n in range(int(nr)):
    args = " ".join(arg(i) for i in range(random.randrange(1, 7)))
    print("p:%s/e%d %s %s\np:%s_k/e%d %s %s" % (group, n, place, args, group, n, place, args))
P
# Bytes that are no text are '?' in perf's lines, but not in the kernel's.
cat >kernel.py <<'P'
import re, sys
def shown(text):
    return "".join("?" if ord(c) < 32 or 127 <= ord(c) < 160 or 0xdc80 <= ord(c) < 0xdd00 else c for c in text)
for line in open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="\n"):
    match = re.match(r"\s*hits-\d+\s+\[\d+\]\s+\S+\s+[\d.]+: (e\w*): \(0x(.*)\n", line)
    if match:
        print("%s: (%s" % (match.group(1), shown(match.group(2))))
P
remove() {
	local enable lines line
	for enable in "$tracing/instances/$group"/events/*/enable; do
		case $enable in *"$group"_k/enable) echo 0 >"$enable" ;; esac
	done
	rmdir "$tracing/instances/$group"
	lines=$(grep -o "${group}[_k]*/[a-z0-9]*" "$tracing/uprobe_events" | sed 's/^/-:/')
	while IFS= read -r line; do # one by one: a write may not end within a line
		echo "$line" >>"$tracing/uprobe_events"
	done <<<"$lines"
} 2>/dev/null
trap 'remove; cleanup' EXIT
mkdir "$tracing/instances/$group" 2>/dev/null || skip_all "needs instances of tracefs"
# define FILE: one by one, as this kernel may lack a type
define() {
	local line
	while IFS= read -r line; do
		printf '%s\n' "$line" >>"$tracing/uprobe_events"
	done <"$1" 2>refused.txt
}

# both: record the hits of all probes of the group, perf's into perf.txt, and the kernel's lines into kernel.txt
both() {
	echo 1 >"$tracing/instances/$group/events/${group}_k/enable"
	run timeout 200 "$PERF" record -q -e "$group:*" -o formats.data ./hits
	echo 0 >"$tracing/instances/$group/events/${group}_k/enable"
	"$PERF" script -i formats.data -F event,trace 2>script.err | sed -E "s/^ *$group:(e[a-z0-9]*): */\1: /" | sort -s -k1,1 >perf.txt
	python3 "$WORK/kernel.py" "$tracing/instances/$group/trace" | sort -s -k1,1 >kernel.txt
}

python3 make.py "$SEED" "$FORMATS" "$group" "$PWD/hits:0x$at" "$p" >probes
define probes
made=$(find "$tracing/events/$group" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l)
[ "$made" -gt 0 ] || skip_all "this kernel has no uprobes, or tracefs may not be written"
ok "$made of $FORMATS formats are accepted by this kernel" test "$made" -ge $((FORMATS * 8 / 10))
both
is "$rc:$(wc -l <kernel.txt)" "0:$((4 * made))" "each has four hits (SEED=$SEED)"
is "$(diff kernel.txt perf.txt)" "" "perf prints them as the kernel does"
is "$("$PERF" report -i formats.data -s trace 2>/dev/null | awk '!/^#/ && NF { sub(/^ *[0-9.]+% */, ""); sub(/ *$/, ""); print }' | sort -u)" \
	"$(sed 's/^[^ ]* //; s/ *$//' kernel.txt | sort -u)" "so does report -s trace"
remove

# --- signs and arrays, where perf reads fields itself ---

# Bytes 32 to 47 are 0 in two hits, and 0xff in the other two.
mkdir "$tracing/instances/$group"
at32=+32\($p\)
cat >probes <<END
p:$group/fixed $PWD/hits:0x$at s8=$at32:s8 u8=$at32:u8 s16=$at32:s16 s32=$at32:s32 s64=$at32:s64
p:$group/bits $PWD/hits:0x$at part=$at32:b3@4/32 bytes=$at32:u8[3]
p:$group/arrays $PWD/hits:0x$at words=$at32:u16[2] ints=$at32:s32[2] texts=+0($p):string[2] text=+0(+0($p)):string
p:${group}_k/fixed $PWD/hits:0x$at s8=$at32:s8
END
define probes
run timeout 100 "$PERF" trace -e "$group:*" -o trace.txt -- ./hits
is "$rc:$(grep -o "$group:.*" trace.txt | sed "s/$group://" | sort | uniq -c | sed 's/^ *//')" "0:$(cat <<'END'
2 arrays(words: [0, 0], ints: [0, 0], texts: ["one", "two words"], text: "one")
2 arrays(words: [65535, 65535], ints: [-1, -1], texts: ["one", "two words"], text: "one")
2 bits(bytes: [0, 0, 0])
2 bits(part: 7, bytes: [255, 255, 255])
2 fixed()
2 fixed(s8: -1, u8: 255, s16: -1, s32: -1, s64: -1)
END
)" "perf trace -e shows signs, and arrays as numbers or texts"
# filtered EVENT FILTER: it keeps two equal hits
filtered() {
	run timeout 100 "$PERF" record -q -e "$group:$1" --filter "$2" -o f.data -- ./hits
	is "$rc:$("$PERF" script -i f.data -F event,trace 2>/dev/null | sort | uniq -c | awk '{ print $1 }')" "0:2" "--filter $2"
}
for filter in 's8 < 0' 's16 < 0' 's32 < 0' 's64 < 0' 's8 == -1' 'u8 > 127' 's16 >= 0' 's8 > -1'; do
	filtered fixed "$filter"
	filtered fixed "$filter && uid == 0" # BPF judges
done
filtered bits 'part == 7' # BPF cannot record them

run timeout 100 "$PERF" record -q -e "$group:fixed" -o f.data -- ./hits
for key in s8 s16 s64; do
	is "$("$PERF" report -i f.data -s "$key" 2>/dev/null | awk '!/^#/ && NF { print $2 }' | sort | xargs)" "-1 0" "report -s $key"
done
for field in s8 s16 s64; do
	run timeout 100 "$PERF" sample-bpf -e "$group:fixed" --hist "$field" -- ./hits
	is "$rc:$(grep -oE '^ +(-1|0) +[0-9]+' <<<"$out" | xargs)" "0:-1 2 0 2" "--hist $field"
done

echo 1 >"$tracing/instances/$group/events/$group/fixed/enable"
run timeout 20 "$PERF" record -q -e "$group:fixed" -o f.data -- ./hits
echo 0 >"$tracing/instances/$group/events/$group/fixed/enable"
like "$rc:$err" '^255:event .*fixed is enabled in tracefs' "a probe that ftrace has enabled is refused with the reason"

done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Where symbols and code lines come from: files that were replaced since the recording, and a kernel's vmlinux.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_root

id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

cat >spin.c <<-EOF
	int NAME(void)
	{
		volatile unsigned long n = 0;
		while (n < 300000000)
			n++;
		return 0;
	}
	int main(void)
	{
		return NAME();
	}
EOF
gcc -g -O1 -fno-inline -Wl,--build-id -DNAME=first_spin -o spin spin.c
run "$PERF" record -q -e cpu-clock -F 500 -g -o spin.data -- ./spin
is "$rc" 0 "a recording of a program"
like "$("$PERF" report --stdio --no-children -g none -s sym -i spin.data)" ' first_spin' "as long as it is there it is known"

# Two programs have different functions at the same address, and take turns on a CPU.
for one in first second; do
	gcc -g -O1 -fno-inline -no-pie -DNAME=${one}_spin -o ${one}_turn spin.c
done
"$PERF" record -q -e cpu-clock:u -F 20000 -o turns.data -- taskset -c 0 sh -c './first_turn & ./second_turn & wait'
for one in first second; do
	nr=$("$PERF" script -i turns.data -F ip,sym -G | grep -c " ${one}_spin")
	ok "${one}_spin was sampled: $nr" test "$nr" -ge 100
	is "$("$PERF" report --stdio -n -s sym -i turns.data 2>/dev/null | awk -v name="${one}_spin" '$NF == name { print $2 }')" "$nr" \
		"report counts as many samples of it"
done

# Callers that several functions have in turn, some of them with inlined ones, are resolved once. With a list of CPUs each sample is.
cat >turn.c <<-EOF
	static inline int more(int n) { volatile int i = n; while (i < n + 200) i++; return i; }
	__attribute__((noinline)) int leaf_a(int n) { return more(n) + more(n + 1); }
	__attribute__((noinline)) int leaf_b(int n) { volatile int i = n; while (i < n + 300) i++; return i; }
	__attribute__((noinline)) int leaf_c(int n) { return more(leaf_b(n)); }
	int (*leaf[])(int) = { leaf_a, leaf_b, leaf_c };
	__attribute__((noinline)) int left(int depth, int i) { return depth ? left(depth - 1, i) + 1 : leaf[i % 3](i) + 1; }
	__attribute__((noinline)) int right(int depth, int i) { return depth % 2 ? right(depth - 1, i) + 1 : left(depth, i) + 1; }
	int main(void)
	{
		int sum = 0;
		for (int i = 0; i < 3000000; i++)
			sum += i % 2 ? left(i % 5, i) : right(i % 7, i);
		return sum == 1;
	}
EOF
gcc -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o turn turn.c
run "$PERF" record -q -e cpu-clock:u -F 10000 --sample-cpu -g -o turn.data -- ./turn
nr=$("$PERF" script -i turn.data -F comm | grep -c turn)
ok "some of $nr samples have known callers" test "$nr" -ge 1000
cpus=$(cat /sys/devices/system/cpu/possible)
for options in "--no-children -g caller,0" "--children -g callee,0" "--no-children -g folded,0,caller,count -s pid" "--no-children --no-inline -s sym,cpu" \
	"--no-children --skip-frames sched,lock" "--no-children --ignore-callees left" "--no-children --max-stack 3"; do
	# shellcheck disable=SC2086
	is "$("$PERF" report --stdio -n $options -i turn.data 2>&1)" "$("$PERF" report --stdio -n $options --cpu "$cpus" -i turn.data 2>&1)" \
		"$options: the same as sample by sample"
done

# A file system gives the number of a deleted file to the next one: that is another file, with a build-id of its own.
gcc -g -O1 -fno-inline -Wl,--build-id -DNAME=first_spin -o old spin.c
gcc -g -O1 -fno-inline -Wl,--build-id -DNAME=next_spin -o new spin.c
run "$PERF" record -q -e cpu-clock:u -F 500 -o reused.data -- sh -c 'cp old again && ./again && rm again && cp new again && ./again'
like "$("$PERF" report --stdio -s dso,sym -i reused.data 2>/dev/null)" ' again +\[\.\] next_spin' "a file with the number of a deleted one is not taken for that"

# Replaced, it is not what was recorded, unless the cache has it.
id=$(id_of spin)
mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}" "cache/.build-id/${id:0:2}" wrong/.build-id/"${id:0:2}/${id:2}"
cp spin "home/.debug/.build-id/${id:0:2}/${id:2}/elf"
cp spin "cache/.build-id/${id:0:2}/${id:2}"
mv spin gone
gcc -g -O1 -Wl,--build-id -DNAME=other_spin -o spin spin.c
cp spin "wrong/.build-id/${id:0:2}/${id:2}/elf"
unlike "$(HOME=/nonexistent "$PERF" report --stdio --no-children -g none -s sym -i spin.data)" 'first_spin|other_spin' \
	"another file of that name is not taken"
HOME=/nonexistent run "$PERF" report --stdio --no-children -g none -s sym -i spin.data
like "$err" "^1 file differs from the recorded one \($PWD/spin\): addresses there have no symbols\.$" "and that is said"
HOME=/nonexistent run "$PERF" report -q --stdio --no-children -g none -s sym -i spin.data
is "$err" "" "but not to who wants rows only"
like "$(HOME=$PWD/home "$PERF" report --stdio --no-children -g none -s sym -i spin.data)" ' first_spin' "\$HOME/.debug has the right one"
like "$("$PERF" report --stdio --no-children -g none -s sym -i spin.data --buildid-dir cache)" ' first_spin' \
	"--buildid-dir, and the file itself in the place of a directory"
unlike "$("$PERF" report --stdio --no-children -g none -s sym -i spin.data --buildid-dir wrong)" 'first_spin|other_spin' \
	"a file in the cache counts by its contents"
like "$(HOME=$PWD/home "$PERF" report --stdio --no-children -g none -s srcline -i spin.data)" ' spin.c:[0-9]' "code lines come from there, too"
like "$(HOME=$PWD/home "$PERF" script -F ip,sym -i spin.data)" ' first_spin' "perf script looks there"
printf '[buildid]\n\tdir = %s\n' "$PWD/cache" >config
like "$(PERF_CONFIG=config "$PERF" report --stdio --no-children -g none -s sym -i spin.data)" ' first_spin' "buildid.dir names the cache"
rm spin
like "$(HOME=$PWD/home "$PERF" report --stdio --no-children -g none -s sym -i spin.data)" ' first_spin' "the file may be missing"

# A "vmlinux" that has one function where the kernel was sampled most often, and lies elsewhere than the kernel that runs
text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
run "$PERF" record -q -e cpu-clock:k -F 2000 -o kernel.data -- dd if=/dev/zero of=/dev/null bs=64k count=20000
addr=$("$PERF" script -i kernel.data -F ip | sort | uniq -c | sort -n | awk 'END { print $2 }')
kernel_id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' | grep -oP '040000001400000003000000474e5500\K.{40}')
if [[ $addr && $kernel_id && $text && $text != 0000000000000000 ]]; then
	cat >kernel.s <<-EOF
		.text
		.globl _text
		_text: nop
		.section .fake, "ax"
		.globl fake_function
		.type fake_function, @function
		fake_function:
		nop
		nop
		.size fake_function, . - fake_function
	EOF
	gcc -g -c -o kernel.o kernel.s
	ld -o vmlinux --build-id="0x$kernel_id" -e _text -Ttext=0xffffffff80000000 \
		--section-start=".fake=$(printf '%#x' $((0xffffffff80000000 + 0x$addr - 0x$text - 1)))" kernel.o
	run "$PERF" report --stdio -i kernel.data -k vmlinux -s sym,srcline
	like "$out" '\[k\] fake_function +kernel\.s:9$' "a vmlinux gives the kernel's symbols and code lines"
	ld -o other --build-id=0x0123 -e _text -Ttext=0xffffffff80000000 kernel.o
	unlike "$("$PERF" report --stdio -i kernel.data -k other -s sym 2>/dev/null)" 'fake_function' "that of another kernel is refused"
else
	skip 2 "no kernel was sampled, or it hides where it is"
fi
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of functions in C++ and Rust: what perf probe -F prints is taken back by perf probe, by events on functions, and by perf ftrace latency.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cat >x.cc <<'C'
#include <cstdlib>
#include <new>
#define FUNCTION __attribute__((noinline))
#define KEEP(v) asm volatile("" : "+r"(v) : : "memory")

namespace ns {
template <class T, class U> struct Box {
	T v;
	FUNCTION T get(int n, const char *who) { KEEP(n); KEEP(who); return v + n; }
	FUNCTION T operator()(int n) { KEEP(n); return v + n; }
	FUNCTION Box *operator->() { KEEP(v); return this; }
	FUNCTION Box &operator<<(int n) { KEEP(n); v += n; return *this; }
	FUNCTION T operator,(int n) { KEEP(n); return v + n; }
	FUNCTION T operator%(int n) { KEEP(n); return v % n; }
	FUNCTION T operator[](int n) { KEEP(n); return v + n; }
	FUNCTION operator bool() { KEEP(v); return v; }
	FUNCTION operator unsigned long() { KEEP(v); return v; }
	FUNCTION operator char const *() { KEEP(v); return nullptr; }
	template <class V> FUNCTION bool operator<(V n) { KEEP(n); return v < n; }
};
template <int N, bool B> FUNCTION int num(int n) { KEEP(n); return N + n; }
FUNCTION int over(int n) { KEEP(n); return n; }
FUNCTION int over(long n, int more) { KEEP(n); KEEP(more); return n; }
}

namespace {
FUNCTION int hidden(int n) { KEEP(n); return n + 1; }
inline __attribute__((always_inline)) int spread(int n) { KEEP(n); return n + 2; }
int (*volatile pointer)(int) = spread;
struct Inside { FUNCTION int call(int n) { KEEP(n); return hidden(n); } };
}

template <class F> FUNCTION int apply(F f, int n) { KEEP(n); return f(n); }
FUNCTION bool operator==(const Inside &, const ns::Box<int, char> &b) { int n = b.v; KEEP(n); return n == 3; }

int main(int argc, char **)
{
	ns::Box<int, char> b = { argc };
	ns::Box<long, char *> c = { argc };
	Inside in;
	int s = 0;

	for (int i = 0; i < 3; i++) {
		s += (b << i)->get(10 + i, "me") + c.get(20 + i, "you") + b(i) + (b, i) + (b % (i + 5)) + b[i] + (b < i) + (c < 7L);
		s += b.operator bool() + b.operator unsigned long() + (b.operator char const *() != nullptr) + (in == b);
		s += ns::num<3, true>(i) + ns::over(i) + ns::over(30L + i, i) + hidden(i) + in.call(40 + i) + spread(50 + i) + pointer(i);
		s += apply([](int n) __attribute__((noinline)) { KEEP(n); return n + 3; }, 60 + i);
		delete new (std::nothrow) int(s);
	}
	return s == 1;
}
C
# Names as rustc wrote them before its own mangling
cat >r.c <<'C'
int go(int n) __asm__("_ZN23_$LT$S$u20$as$u20$T$GT$2go17h0123456789abcdefE");
int drop(int n) __asm__("_ZN64_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE");
int inner(int n) __asm__("_ZN4main3run28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE");
#define FUNCTION __attribute__((noinline))
FUNCTION int go(int n) { __asm__ volatile("" : "+r"(n)); return n; }
FUNCTION int drop(int n) { __asm__ volatile("" : "+r"(n)); return n + 1; }
FUNCTION int inner(int n) { __asm__ volatile("" : "+r"(n)); return n + 2; }
int main(int argc, char **argv) { return go(argc) + drop(argc) + inner(argc) == 99; }
C
"${CXX:-c++}" -O1 -g -o x x.cc 2>cc.txt || skip_all "needs a C++ compiler: $(head -1 cc.txt)"
"${CC:-cc}" -O1 -g -o r r.c 2>cc.txt || skip_all "needs a C compiler: $(head -1 cc.txt)"
strip -g -o plain x

probe() { run timeout 100 "$PERF" probe -x "$@"; }
code='!*@plt & !.*'

# given_back PROGRAM EVERY DESCRIPTION: each EVERYth name that -F prints is a place
given_back() {
	local nr=0 lost=0 name
	while IFS= read -r name; do
		nr=$((nr + 1))
		probe "$1" -q --max-probes 0 -D "$name"
		[ "$rc" = 0 ] && [[ $out == p:* ]] || { lost=$((lost + 1)); echo "# not taken: $name: $err"; }
	done < <("$PERF" probe -x "$1" -F "$code" | awk "NR % $2 == 0")
	is "$lost:$((nr > 10))" 0:1 "$3"
	echo "# $nr names"
}
given_back ./x 1 "names of a C++ program with debug information"
given_back ./plain 1 "names of one without"
given_back ./r 1 "names of Rust"
if HOME=$(getent passwd "$(id -u)" | cut -d: -f6) rustc -g -o rust - <<<'trait T { fn go(&self) -> usize; } impl<X: std::fmt::Debug> T for Vec<X> { fn go(&self) -> usize { format!("{:?}", self).len() } }
	fn main() { std::process::exit((vec![1u8].go() == 77) as i32); }' 2>/dev/null; then
	given_back ./rust 40 "names of a program of Rust"
else
	skip 1 "needs rustc"
fi
library=$(ldconfig -p 2>/dev/null | awk '/libstdc\+\+\.so\.6 / { print $NF; exit }')
if [ -n "$library" ]; then
	given_back "$library" 40 "names of libstdc++"
	# shellcheck disable=SC2016 # of perf probe
	run "$PERF" probe -x "$library" -q -D 'std::istream::get%return $retval'
	like "$out" '^r:probe_libstdc[_a-z]*/std__istream__get__return [^ ]*:0x[0-9a-f]+ ' "its returns"
else
	skip 2 "needs libstdc++"
fi

# --- what is behind the name ---

probe ./x -D 'ns::Box<int, char>::get n who:string'
like "$out" '^p:probe_x/get [^ ]*/x:0x[0-9a-f]+ n=%?[^ ]+:s32 who_string=[^ ]+:string$' "arguments, with debug information"
is "$(grep -c ^p: <<<"$out")" 1 "of this class only"
probe ./x -D '"ns::Box<int, char>::get" n who:string'
quoted=$out
probe ./x -D "g:e='ns::Box<int, char>::get' n"
like "$out" '^p:g/e .* n=' "an event in front of quotes"
probe ./x -D 'ns\:\:Box\<int,\ char\>\:\:get n who:string'
is "$out" "$quoted" "backslashes do as well as quotes"
probe ./x -D '(anonymous namespace)::hidden n'
like "$out" '^p:probe_x/hidden .* n=' "a function of no one else, with an argument"
probe ./x -D '(anonymous namespace)::hidden(int) n'
like "$out" '^p:probe_x/hidden .* n=' "with its parameters, too"
lambda=$("$PERF" probe -x ./x -F 'main::*' | head -1) # compilers name it differently
probe ./x -D "$lambda n"
like "$out" '^p:probe_x/operator__ .* n=' "a function of a class that is declared in a function"
probe ./x -D '(anonymous namespace)::spread'
is "$(grep -c ^p: <<<"$out")" 2 "also where it is inlined"
probe ./x --no-inlines -D '(anonymous namespace)::spread'
is "$(grep -c ^p: <<<"$out")" 1 "unless inlined places are left out"
probe ./x -D 'ns::over(long, int) n'
like "$out" '^p:probe_x/over .* n=[^ ]+:s64$' "parameters choose one of several functions"
probe ./x -D 'ns::over n'
is "$(grep -c ^p: <<<"$out")" 2 "and without them all are meant"
probe ./plain -D 'ns::over'
is "$(grep -c '^p:probe_plain/ns__over ' <<<"$out")" 2 "also without debug information"
probe ./plain -D 'ns::over(int)'
is "$(grep -c ^p: <<<"$out")" 1 "where parameters choose as well"
probe ./x -D 'ns::Box<*>::get n'
is "$(grep -c ^p: <<<"$out")" 2 "a glob of such names"
probe ./plain -D 'ns::Box<*>::get'
is "$(grep -c ^p: <<<"$out")" 2 "also without debug information"
probe ./x -L 'ns::Box<int, char>::get:0+1'
like "$out" "^<ns::Box<int, char>::get@$PWD/x.cc:0>" "its lines"
like "$out" '^      0  	FUNCTION T get' "from the first one on"
probe ./x -D 'ns::Box<int, char>::get:0 n'
like "$out" '^p:probe_x/get_L0 .* n=' "a line of it"
probe ./x -D "ns::Box<int, char>::get@x.cc n"
like "$out" '^p:probe_x/get .* n=' "a file of it"
probe ./x -D 'ns::Box<int, char>::get@nosuch.cc'
is "$rc" 255 "another file"
probe ./x -V 'ns::Box<int, char>::get'
like "$out" 'int	n$' "its variables"
probe ./x -D 'ns::Box<int, char>::nosuch'
is "$rc:$(grep -c "Probe point 'ns::Box<int, char>::nosuch' not found" <<<"$err")" 255:1 "a name that is none"

# --- names of assembler, which may be anything: in quotes they are taken back ---

cat >odd.s <<'S'
	.text
	.macro function name
	.globl "\name"
	.type "\name", %function
"\name":
	nop
	ret
	.size "\name", . - "\name"
	.endm
	function "back\\slash"
	function "per%return"
	function "x+4"
	function "x:3"
	function "x;y"
	function "a b"
	function "eq=x"
	function "0x1234"
	function "%pct"
	function "sdt_a:b"
	function "it's"
	function "x,y{}"
	function "main"
S
"${CC:-cc}" -o odd odd.s 2>cc.txt
lost=0 nr=0
while IFS= read -r name; do
	nr=$((nr + 1))
	quoted=\"${name//\\/\\\\}\"
	at=0x$(nm odd | awk -v name="${name//\\/\\\\}" '{ at = $1; sub(/^[^ ]* [^ ]* /, ""); if ($0 == name) print at }' | sed 's/^0*//')
	probe ./odd -D "$quoted"
	[ "$rc" = 0 ] && [[ $out == p:*:$at ]] || { lost=$((lost + 1)); echo "# not taken: $quoted: $out $err"; }
	run timeout 100 "$PERF" record -e "uprobe:./odd:$quoted" -o odd.data --dry-run true
	[ "$rc" = 0 ] || { lost=$((lost + 1)); echo "# no event: $quoted: $err"; }
done < <("$PERF" probe -x ./odd -F '*' | grep -Ev '^_|^(frame_dummy|(de)?register_tm)')
is "$lost:$((nr >= 13))" 0:1 "odd names are taken in quotes"
probe ./odd -D 'back\\slash'
is "$rc" 0 "or with a backslash before what has a meaning"
probe ./odd -F '*'
is "$(grep -c '^\.plt' <<<"$out")" 0 "tables of calls are no functions"
cat >inlined.c <<'C'
static inline __attribute__((always_inline)) int mid(int n) { __asm__ volatile("" : "+r"(n)); return n + 2; }
int main(int argc, char **argv) { return mid(argc) == 99; }
C
"${CC:-cc}" -O1 -g -o inlined inlined.c
run timeout 100 "$PERF" record -e uprobe:./inlined:mid -o odd.data --dry-run true
is "$rc:$(grep -c "'mid' of .*/inlined has no code of its own: the compiler has inlined it everywhere" <<<"$err")" 129:1 "a function that is inlined only"
cat >clone.c <<'C'
static __attribute__((noinline)) int times(int n, int by) { __asm__ volatile("" : "+r"(n)); return n * by + 3; }
__attribute__((noinline)) int half(int n) { __asm__ volatile("" : "+r"(n)); return n / 2; }
int main(int argc, char **argv) { return times(argc, 5) + times(argc + 1, 5) + half(argc) == 99; }
C
"${CC:-cc}" -O2 -g -o clone clone.c
clone=$(nm clone | awk '$3 ~ /^times\.constprop/ { print $3 }')
objcopy -N half clone no_half
run timeout 100 "$PERF" record -e uprobe:./no_half:half -o odd.data --dry-run true
is "$rc:$(grep -c "/no_half has no symbol 'half': take its address, 0x$(nm clone | awk '$3 == "half" { print $1 }' | sed 's/^0*//')$" <<<"$err")" 129:1 \
	"a function without a symbol has code"
if [ "$clone" ]; then
	run timeout 100 "$PERF" record -e uprobe:./clone:times -o odd.data --dry-run true
	is "$rc:$(grep -c "/clone has no symbol 'times': its code is '$clone', at 0x" <<<"$err")" 129:1 "a function whose code is a clone is not inlined"
else
	skip 1 "this compiler makes no clones"
fi
cat >member.cc <<'C'
struct A { int put(int); };
struct B { int put(int n) { return n + 9; } };
__attribute__((noinline)) int A::put(int n) { asm volatile("" : "+r"(n)); return n; }
int main(int argc, char **argv) { A a; B b; return a.put(argc) + b.put(argc) == 99; }
C
if "${CXX:-c++}" -O2 -g -o member member.cc 2>cc.txt; then
	run timeout 100 "$PERF" record -e uprobe:./member:put -o odd.data --dry-run true
	is "$rc:$(grep -c "/member has no symbol 'put': its code is 'A::put', at 0x" <<<"$err")" 129:1 "a member of a class is named in full"
else
	skip 1 "needs a C++ compiler"
fi

# --- events on functions ---

if [ "$(id -u)" != 0 ]; then
	skip 13 "needs root"
	done_testing
	exit
fi

# records EVENT FILTER WANT DESCRIPTION
records() {
	run timeout 100 "$PERF" record -e "$1" --filter "$2" -o r.data ./x
	is "$rc:$(samples r.data event 2>/dev/null | wc -l)" "0:$3" "$4"
}
records 'uprobe:./x:ns::Box<int, char>::get' 'n == 11' 1 "a template with two parameters"
records "uprobe:./x:'ns::Box<long, char*>::get'" 'n >= 21' 2 "in quotes"
records 'uprobe:./x:(anonymous namespace)::hidden' 'n >= 40' 3 "a namespace without a name"
records 'uprobe:./x:ns::Box<int, char>::operator<<' 'n == 0' 1 "an operator"
records 'uprobe:./x:ns::Box<int, char>::operator,' 'n == 2' 1 "the operator of commas"
records 'uprobe:./x:ns::Box<int, char>::operator unsigned long' 'pid > 0' 3 "an operator with a blank"
records "uprobe:./x:$lambda" 'n == 61' 1 "a lambda"
records 'uprobe:./x:ns::over(long, int)' 'n == 32' 1 "parameters choose a function"
run timeout 100 "$PERF" record -e 'uprobe:./x:ns::over' -o r.data ./x
is "$rc:$(grep -c "has several functions 'ns::over': add the parameters of one, 'ns::over(.*)' or 'ns::over(.*)', or take its address" <<<"$err")" 129:1 \
	"a name that several have"
run timeout 100 "$PERF" stat -x , -e 'uprobe:./x:ns::Box<int, char>::get,uretprobe:./x:(anonymous namespace)::Inside::call,uprobe:./x:main' ./x
is "$rc:$(cut -d, -f1 <<<"$err" | tr '\n' ' ')" "0:3 3 1 " "several in one list"
run timeout 100 "$PERF" stat -x , -e 'uprobe:./r:<S as T>::go,uprobe:./r:<alloc::vec::Vec<T,A> as core::ops::Drop>::drop,uprobe:./r:main::run::{{closure}}' ./r
is "$rc:$(cut -d, -f1 <<<"$err" | tr '\n' ' ')" "0:1 1 1 " "those of Rust"
run timeout 100 "$PERF" sample-bpf --latency 'uprobe:./x:ns::Box<int, char>::get,uretprobe:./x:ns::Box<int, char>::get:tid' ./x
is "$rc:$(awk -F'|' 'NF > 2 { split($1, n, " "); sum += n[length(n)] } END { print sum + 0 }' <<<"$out")" 0:3 "times from one to the other"
run timeout 100 "$PERF" ftrace latency -T './x:ns::Box<int, char>::operator()' ./x
is "$rc:$(awk -F'|' 'NF > 2 { split($0, n, "|"); sum += n[2] } END { print sum + 0 }' <<<"$out")" 0:3 "perf ftrace latency -T"
done_testing

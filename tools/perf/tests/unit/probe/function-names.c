// SPDX-License-Identifier: GPL-2.0
/*
 * perf takes the names of functions that it prints, with all that may follow a name: in definitions of perf probe, in events on functions,
 * and in ranges of lines. The names are those of libstdc++, and some that it lacks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/probe.h"
#include "util/event/spec.h"
#include "util/probe/definition.h"
#include "util/symbol/probe-finder.h"
#include "util/symbol/symtab.h"

static const char *const names[] = {
	/* C, Go, and what compilers make of them */
	"work", "work.part.0", "work.constprop.0.cold", "main.(*T).run", "main.F[go.shape.int]",
	"runtime.main", "operator",
	/* C++ */
	"ns::Box<int>::get", "ns::Box<ns::Box<char*> >::get", "(anonymous namespace)::f",
	"ns::(anonymous namespace)::T::g", "::f", "main::{lambda(int)#1}::operator()",
	"main::$_0::operator()", "f(int)::{lambda()#2}::operator()",
	"f(int)::L::m(int) const::{lambda(int)#1}::operator()", "A<(B)1, true>::f", "A<((N)>(3))>::f",
	"A<(1<<3)>::f", "A<&(operator<)>::f", "A<&B::operator->>::f", "A<int (*)(char, A::*)>::f",
	"A<int [3]>::f", "f[abi:cxx11]", "std::current_path[abi:cxx11]", "f<int>[abi:v15007]",
	"A<decltype(nullptr)>::f", "A<char const*>::~A", "{lambda(auto:1)#1}::operator()",
	"A::{unnamed type#1}::f", "A<std::function<void (int)> >::f", "operator new", "operator new[]",
	"operator delete", "operator delete[]", "A::operator new", "A::operator delete[]",
	"A::operator co_await", "operator+", "operator-", "operator*", "operator/", "operator%", "operator^",
	"operator&", "operator|", "operator~", "operator!", "A::operator=", "operator<", "operator>",
	"operator+=", "operator-=", "operator*=", "operator/=", "operator%=", "operator^=", "operator&=",
	"operator|=", "operator<<", "operator>>", "operator>>=", "operator<<=", "operator==", "operator!=",
	"operator<=", "operator>=", "operator<=>", "operator&&", "operator||", "operator++", "operator--",
	"operator,", "A::operator->*", "A::operator->", "A::operator()", "A::operator[]", "operator\"\" _km",
	"operator< <int>", "operator<< <char, std::char_traits<char> >", "operator>><int>",
	"A::operator-><int>", "A::operator->*<A>", "operator+<int>", "A::operator bool",
	"A::operator unsigned long long", "A::operator char const*", "A::operator B*",
	"A::operator ns::B<int, C>", "A::operator B const&", "A::operator int (*)(int)",
	"A::operator void (B::*)(int)", "A::operator int (&) [3]", "A::operator int ns::B::*",
	"A::operator char*<char>", "A<int>::operator std::string&&",
	"(anonymous namespace)::operator<< <int>", "operator_x", "my_operator", "A::operator__", "$x",
	"non-virtual thunk to A::f(int) const", "virtual thunk to std::B<char>::~B()",
	"covariant return thunk to A::f()", "transaction clone for A::what() const",
	"TLS wrapper function for ns::x", "TLS init function for x", "global constructors keyed to x",
	"f(int, char const*)", "A::f(int) const &", "A::f() volatile", "f(int) [clone .cold]",
	/* Rust */
	"<S as T>::go", "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
	"<&T as core::fmt::Debug>::fmt", "<[A; 3] as T>::go", "<! as T>::go", "<(A, B) as T>::go",
	"<fn(A) -> B as T>::go", "<dyn A + B as T>::go",
	"<dyn for<'a> core::ops::Fn<(&'a u8,), Output = u8> as T>::go",
	"core::ptr::drop_in_place<[closure@src/main.rs:1:2: 3:4]>", "main::f::{{closure}}",
	"main::f::{closure#0}", "core::ops::FnOnce::call_once{{vtable.shim}}", "main::f::<i32>",
	"main::f::<{ 3 }>", "<impl core::ops::Fn(&str) -> u8 for S>::call", "<*const T as P>::is_null",
	"<S<'_> as T<Item = u8>>::next", "std::sys::thread_local::f::<core::cell::Cell<(u64, u64)>>",
	"<S as T>::go::{closure#1}::<u8>",
	"<L>::get::<for<'a> unsafe extern \"C\" fn(*mut A, &'a B), ns::C>",
};

static void fail_for(const char *text, const char *what, const char *got)
{
	fail_msg("%s: %s, and not %s", text, what, got ? got : "nothing");
}

/* format has a %s for the name. */
static char *text_of(const char *format, const char *name)
{
	char *text;

	assert_true(asprintf(&text, format, name) > 0);
	return text;
}

struct wanted { /* what a definition has besides the name */
	const char *format, *event, *file;
	u64 line, offset;
	unsigned int nr_operands;
	bool has_line, is_return;
};

static void check_definition(const char *name, const struct wanted *want)
{
	char *text = text_of(want->format, name);
	struct probe_definition def;
	struct errmsg err = { "" };

	if (probe_definition__parse(&def, text, &err))
		fail_for(text, "it is refused", err.text);
	if (!def.function || strcmp(def.function, name))
		fail_for(text, "the function is another one", def.function);
	if (strcmp(def.event ?: "", want->event ?: "") || strcmp(def.file ?: "", want->file ?: "") ||
	    def.line != want->line || def.offset != want->offset || def.nr_operands != want->nr_operands ||
	    def.has_line != want->has_line || def.is_return != want->is_return)
		fail_for(text, "the file of the definition is another one", def.file);
	probe_definition__exit(&def);
	free(text);
}

static void definitions(const char *name)
{
	static const struct wanted forms[] = {
		{ .format = "%s" },
		{ .format = "%s n who:string", .nr_operands = 2 },
		{ .format = "g:e=%s n", .event = "e", .nr_operands = 1 },
		{ .format = "%s+4 n", .offset = 4, .nr_operands = 1 },
		{ .format = "%s%%return $retval", .is_return = true, .nr_operands = 1 },
		{ .format = "%s@dir/f.c", .file = "dir/f.c" },
		{ .format = "%s@f.c:3", .file = "f.c", .has_line = true, .line = 3 },
		{ .format = "'%s' n", .nr_operands = 1 },
		{ .format = "e='%s'+0x10 n", .event = "e", .offset = 16, .nr_operands = 1 },
	};
	static const struct wanted line = { .format = "%s:3 n", .has_line = true, .line = 3, .nr_operands = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!strchr(name, '\'') || !strchr(forms[i].format, '\''))
			check_definition(name, &forms[i]);
	}
	if (strstr(name, "::") || !strchr(name, '.')) /* f.c:3 is a line of a file */
		check_definition(name, &line);
}

static void check_event(const char *text, const char *name, u64 offset)
{
	struct probe_spec spec;
	const char *why = "";
	unsigned int at;

	if (probe_spec__parse(&spec, text, &at, &why))
		fail_for(text, "it is refused", why);
	if (strcmp(spec.name, name) || strcmp(spec.path, "/bin/a") || spec.offset != offset)
		fail_for(text, "it is another function", spec.name);
	probe_spec__exit(&spec);
}

/* Events are in lists, and a comma may be in a name. */
static void check_list(const char *name)
{
	char *text, *first = text_of("uprobe:/bin/a:%s", name);
	struct spec_event *events;
	struct errmsg err = { "" };

	assert_true(asprintf(&text, "%s+8,{cs,uretprobe:/bin/a:%s},cpu-clock", first, name) > 0);
	if (spec__parse(text, &events, &err))
		fail_for(text, "it is refused", err.text);
	if (strncmp(events->head.text, first, strlen(first)) || strcmp(events->head.text + strlen(first), "+8"))
		fail_for(text, "the event is another one", events->head.text);
	if (!events->next || !events->next->next || events->next->next->next)
		fail_for(text, "it is no list of three", NULL);
	if (strcmp(events->next->members->next->head.text + strlen("uretprobe:/bin/a:"), name))
		fail_for(text, "the event in the group is another one", events->next->members->next->head.text);
	spec_event__delete_list(events);
	free(first);
	free(text);
}

static void events(const char *name)
{
	char *plain = text_of("uprobe:/bin/a:%s", name), *offset = text_of("uprobe:/bin/a:%s+0x10", name);
	char *quoted = text_of("uretprobe:/bin/a:'%s'", name);

	check_event(plain, name, 0);
	check_event(offset, name, 16);
	if (!strchr(name, '\''))
		check_event(quoted, name, 0);
	check_list(name);
	free(plain);
	free(offset);
	free(quoted);
}

static void ranges(const char *name)
{
	struct probe_line_range range;
	char *text = text_of("%s@f.c:2-5", name);
	struct errmsg err = { "" };

	if (probe_line_range__parse(&range, text, &err))
		fail_for(text, "it is refused", err.text);
	if (!range.function || strcmp(range.function, name) || strcmp(range.file, "f.c") || range.first != 2 || range.last != 5)
		fail_for(text, "it is another function", range.function);
	probe_line_range__exit(&range);
	free(text);
}

static void check(const char *name)
{
	definitions(name);
	events(name);
	ranges(name);
}

static void test_forms(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check(names[i]);
}

/* With its parameters, as perf report prints it; a return type before it would be the name. */
static void check_quoted(const char *name)
{
	static const struct wanted single_quoted = {
		.format = "e='%s'+4 n", .event = "e", .offset = 4, .nr_operands = 1,
	};
	static const struct wanted double_quoted = {
		.format = "e=\"%s\"+4 n", .event = "e", .offset = 4, .nr_operands = 1,
	};
	char *quoted = text_of(strchr(name, '"') ? "'%s'" : "\"%s\"", name);
	char *text = text_of("uprobe:/bin/a:%s", quoted);

	check_definition(name, strchr(name, '"') ? &single_quoted : &double_quoted);
	check_event(text, name, 0);
	check_list(quoted);
	free(quoted);
	free(text);
}

static u32 check_all_of(const char *path, bool short_names, void (*check_name)(const char *name))
{
	const struct symtab_opts opts = { .short_names = short_names };
	struct symtab *tab;
	struct errmsg err;
	u32 nr = 0;

	if (symtab__load_elf(path, NULL, &opts, &tab, &err))
		return 0;
	for (u32 i = 0; i < symtab__nr(tab); i++) {
		const struct symbol *sym = symtab__at(tab, i);

		if (sym->is_data || strchr(sym->name, '@') || *sym->name == '.')
			continue;
		check_name(sym->name);
		nr++;
	}
	symtab__delete(tab);
	return nr;
}

static void test_names_of_a_library(void **state)
{
	char *path = probe_finder__file("libstdc++.so.6");
	u32 nr;

	if (!path)
		skip();
	nr = check_all_of(path, true, check);
	nr += check_all_of(path, false, check_quoted);
	free(path);
	assert_in_range(nr, 5000, UINT32_MAX);
}

/* What worked before these names did: none of it is a part of a name. */
static void test_no_names(void **state)
{
	static const struct {
		const char *text, *function;
	} cases[] = {
		{ "operator+4", "operator" }, { "operator%return", "operator" }, { "operator:4", "operator" },
		{ "operator=f", "f" }, { "operator n", "operator" }, { "operator++4", "operator+" },
		{ "w*rk", "w*rk" }, { "[mw]*", "[mw]*" }, { "f\\@V1", "f@V1" }, { "f\\:x", "f:x" },
		{ "'f+4'", "f+4" }, { "\"a b\" n", "a b" }, { "virtual n", "virtual" }, { "f<", "f<" },
		{ "f(+4", "f(" }, { "A::operator bool n", "A::operator bool" },
		{ "A::operator T n", "A::operator T" }, { "operator new n", "operator new" },
		{ "f() const n", "f() const" }, { "ns::f:3", "ns::f" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_definition def;
		struct errmsg err = { "" };

		if (probe_definition__parse(&def, cases[i].text, &err) || !def.function)
			fail_for(cases[i].text, "it is refused", err.text);
		if (strcmp(def.function, cases[i].function))
			fail_for(cases[i].text, cases[i].function, def.function);
		probe_definition__exit(&def);
	}
}

/* Texts of anyone, with brackets that have no end, in a time that grows with their length only. */
static void test_hostile(void **state)
{
	static const char *const parts[] = {
		"<", "(", "{", "[", "<(", "A::operator ", "operator<", "::", "'", "\"", "\\", "non-virtual thunk to ",
	};
	static char text[40000];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const size_t len = strlen(parts[i]);
		struct probe_definition def;
		struct errmsg err;

		for (size_t at = 0; at + len < sizeof(text); at += len)
			strcpy(text + at, parts[i]);
		probe_definition__parse(&def, text, &err);
		probe_definition__exit(&def);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	 cmocka_unit_test(test_names_of_a_library),
		cmocka_unit_test(test_no_names), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("probe/function-names", tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0
/* Functions that come while they are looked at, and how a resolver finds them. */
#include "tests/unit/symbol/fixture.h"
#include "util/symbol/live-functions.h"
#include "util/symbol/resolve.h"

static struct live_functions *functions;

static int setup(void **state)
{
	functions = live_functions__new();
	return functions ? 0 : -1;
}

static int teardown(void **state)
{
	live_functions__delete(functions);
	return 0;
}

static void add(u64 start, u64 size, const char *name)
{
	assert_int_equal(live_functions__add(functions, start, size, name, strlen(name)), 0);
}

static void is_function(u64 offset, const char *name)
{
	const struct symbol *sym = live_functions__find(functions, offset);

	if (name)
		assert_string_equal(sym->name, name);
	else
		assert_null(sym);
}

static void functions_are_found_in_whatever_order_they_come(void **state)
{
	const struct symbol *first;

	is_function(0, NULL);
	add(300, 10, "third");
	first = live_functions__find(functions, 305);
	add(100, 10, "first");
	add(200, 100, "second\n");
	for (u32 i = 0; i < 100; i++)
		add(1000 + i, 1, "many");
	is_function(99, NULL);
	is_function(100, "first");
	is_function(109, "first");
	is_function(110, NULL);
	is_function(299, "second?");
	is_function(300, "third");
	is_function(310, NULL);
	is_function(1099, "many");
	assert_ptr_equal(live_functions__find(functions, 300), first);
}

static u32 nr_fetched;

static void fetch(void *data)
{
	nr_fetched++;
	add(500, 10, "fetched");
}

static void missing_functions_are_fetched(void **state)
{
	nr_fetched = 0;
	add(100, 10, "first");
	live_functions__set_fetch(functions, fetch, NULL);
	is_function(100, "first");
	assert_int_equal(nr_fetched, 0);
	is_function(505, "fetched");
	assert_int_equal(nr_fetched, 1);
	live_functions__set_fetch(functions, NULL, NULL);
	is_function(700, NULL);
	assert_int_equal(nr_fetched, 1);
}

static const struct build_id id = { .size = 20, .data = { 1, 2, 3 } }, other = { .size = 20, .data = { 3, 2, 1 } };

static void feed_file(struct machine *machine, u64 start, const struct build_id *of)
{
	struct {
		struct record_mmap2 mmap;
		char path[8];
	} r = { .mmap = { .header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, .size = sizeof(r) },
			  .pid = 1, .tid = 1, .start = start, .len = 0x1000, .prot = 5, .build_id_size = of->size },
		.path = "/python" };

	memcpy(r.mmap.build_id, of->data, of->size);
	assert_int_equal(machine__process(machine, (const union perf_record *)&r), 0);
}

/* Only in their own file, from the moment on that they come. */
static void resolvers_find_them(void **state)
{
	const struct resolver_opts opts = { .symtab.live = functions };
	struct machine *machine = machine__new(resolver__free_dso);
	struct resolver *resolver = resolver__new(machine, &opts);
	struct thread *thread = machine__thread(machine, 1, 1);
	struct location loc;

	live_functions__set_id(functions, &id);
	feed_file(machine, 0x10000, &id);
	feed_file(machine, 0x20000, &other);
	resolver__resolve(resolver, thread, PERF_RECORD_MISC_USER, 0x10100, &loc);
	assert_null(loc.sym);
	add(0x200, 0x10, "f (a.py)");
	resolver__resolve(resolver, thread, PERF_RECORD_MISC_USER, 0x10204, &loc);
	assert_string_equal(loc.sym->name, "f (a.py)");
	assert_null(resolver__srcline(resolver, &loc));
	resolver__resolve(resolver, thread, PERF_RECORD_MISC_USER, 0x20204, &loc);
	assert_null(loc.sym);
	resolver__delete(resolver);
	machine__delete(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(functions_are_found_in_whatever_order_they_come, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_functions_are_fetched, setup, teardown),
		cmocka_unit_test_setup_teardown(resolvers_find_them, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

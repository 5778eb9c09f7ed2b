// SPDX-License-Identifier: GPL-2.0
/* Ids of samples: who knows them need not have each sample in full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/session/fixture.h"
#include "util/perfdata/writer.h"
#include "util/session/session.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define FUNCTION 0x1000 /* to 0x1fff, and the next ones behind it */

static struct perfdata_writer *writer;

struct sample_record {
	struct perf_event_header header;
	u64 ip;
	u32 pid, tid;
	u64 time;
	u32 cpu, unused;
	u64 period, nr, word[3];
};

struct tail {
	u32 pid, tid;
	u64 time;
	u32 cpu, unused;
};

static void begin(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .sample_type = SAMPLE_TYPE,
					.sample_period = 100, .sample_id_all = 1, .exclude_guest = 1 };
	struct perfdata_event event = { .attr = attr };
	struct errmsg err;

	assert_int_equal(perfdata_writer__open(path, &writer, &err), 0);
	assert_int_equal(perfdata_writer__set_events(writer, &event, 1, &err), 0);
}

static void put(const void *record)
{
	struct errmsg err;

	assert_int_equal(perfdata_writer__write(writer, record, ((const struct perf_event_header *)record)->size, &err), 0);
}

static u32 pid = 7;

static void put_sample_of(u64 time, u32 tid, u64 ip, u64 leaf, u64 caller)
{
	put(&(struct sample_record){ .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sizeof(struct sample_record) },
				     .ip = ip, .pid = pid, .tid = tid, .time = time, .cpu = time % 4, .period = time, .nr = 3,
				     .word = { PERF_CONTEXT_KERNEL, leaf, caller } });
}

static void put_sample(u64 time, u32 tid, u64 ip, u64 caller)
{
	put_sample_of(time, tid, ip, ip, caller);
}

static void put_sample_apart(u64 time, u64 ip, u64 leaf)
{
	put_sample_of(time, 7, ip, leaf, FUNCTION + 0x1000);
}

static void put_comm(u64 time, u32 tid, const char *name)
{
	struct {
		struct perf_event_header header;
		u32 pid, tid;
		char comm[16];
		struct tail id;
	} r = { .header = { PERF_RECORD_COMM, 0, sizeof(r) }, .pid = pid, .tid = tid, .id = { pid, tid, time } };

	strcpy(r.comm, name);
	put(&r);
}

static void put_map(u64 time, u32 tid)
{
	put(&(struct {
		struct perf_event_header header;
		u32 pid, tid;
		u64 start, len, pgoff;
		char name[8];
		struct tail id;
	}){ .header = { PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, 40 + 8 + sizeof(struct tail) }, .pid = pid, .tid = tid, .start = 0x1000,
	    .len = 0x1000, .name = "/a", .id = { pid, tid, time } });
}

static void put_function(u64 time, u64 addr, const char *name)
{
	struct {
		struct perf_event_header header;
		u64 addr;
		u32 len;
		u16 type, flags;
		char name[8]; /* that of the kernel is no longer than the name needs */
		struct tail id;
	} r = { .header = { PERF_RECORD_KSYMBOL, 0, sizeof(r) }, .addr = addr, .len = 0x1000, .type = 1, .id = { 7, 7, time } };

	strcpy(r.name, name);
	put(&r);
}

static char seen[1024];

#define SEE(...) snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), __VA_ARGS__)

/* Counts samples by thread name, place or function, and callers, and tells the first one of each kind, at the end the others. */
struct consumer {
	bool of_function, keeps_nothing;
	struct kind {
		const char *comm;
		u64 identity;
		struct stack_ids ids;
		u64 first, nr, period;
	} kind[16], last;
	u32 nr;
};

static bool is_same(const struct kind *a, const struct kind *b)
{
	return a->comm == b->comm && a->ids.callers == b->ids.callers && a->identity == b->identity &&
	       (a->identity || a->ids.place == b->ids.place);
}

static int see_ids(struct session *s, struct session_brief *brief, void *data)
{
	struct consumer *c = data;

	assert_int_equal(brief->tid, brief->thread->tid);
	assert_int_equal(brief->cpu, brief->time % 4);
	assert_int_equal(brief->period, brief->time);
	c->last = (struct kind){ .comm = brief->thread->comm, .identity = c->of_function ? session__identity(s, brief) : 0, .ids = brief->ids };
	if (c->of_function)
		assert_int_equal(brief->identity, c->last.identity);
	for (u32 i = 0; i < c->nr; i++) {
		if (!is_same(&c->kind[i], &c->last))
			continue;
		c->kind[i].nr++;
		c->kind[i].period += brief->period;
		return SESSION_NEEDS_NOTHING;
	}
	return SESSION_NEEDS_ALL;
}

static int see_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct consumer *c = data;

	SEE("%llu:%s(%s) ", (unsigned long long)sample->sample->time, sample->loc.sym ? sample->loc.sym->name : "?",
	    sample->thread->comm);
	assert_int_equal(sample->ids.place, c->last.ids.place);
	assert_int_equal(sample->ids.callers, c->last.ids.callers);
	c->last.first = sample->sample->time;
	if (!c->keeps_nothing)
		c->kind[c->nr++] = c->last;
	return 0;
}

static void forget_all(struct session *s, void *data)
{
	fail();
}

static bool addresses_only;

static void check_with(const struct session_ops *ops, void *data, u64 nr)
{
	static const char hostname[] = "\4\0\0\0abc"; /* without any feature it would be the file of a killed recording */
	struct session_opts opts = { .input = path };
	struct session *s;
	struct errmsg err;

	assert_int_equal(perfdata_writer__add_feature(writer, HEADER_HOSTNAME, hostname, sizeof(hostname), &err), 0);
	assert_int_equal(perfdata_writer__finish(writer, &err), 0);
	perfdata_writer__delete(writer);
	assert_int_equal(session__open(&opts, &s, &err), 0);
	if (addresses_only)
		session__want(s, SESSION_ADDRESSES, SESSION_IDS);
	assert_int_equal(session__run(s, ops, data, &err), 0);
	assert_int_equal(session__stats(s)->nr_samples, nr);
	assert_int_equal(session__stats(s)->nr[PERF_RECORD_SAMPLE], nr);
	assert_int_equal(session__event(s, 0)->nr_samples, nr);
	session__delete(s);
}

static void check(struct consumer c, u64 nr, const char *want)
{
	const struct session_ops ops = { .sample = see_sample, .seen = see_ids, .forget_ids = forget_all };

	seen[0] = 0;
	check_with(&ops, &c, nr);
	for (u32 i = 0; i < c.nr; i++) {
		if (c.kind[i].nr)
			SEE("%llu+%llu=%llu ", (unsigned long long)c.kind[i].first, (unsigned long long)c.kind[i].nr,
			    (unsigned long long)c.kind[i].period);
	}
	assert_string_equal(seen, want);
}

/* Two functions, two threads of one name. */
static void begin_with_functions(void)
{
	begin();
	put_comm(1, 7, "x");
	put_comm(2, 8, "x");
	put_function(3, FUNCTION, "f");
	put_function(4, FUNCTION + 0x1000, "g");
}

static void one_of_each_kind_is_delivered(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(30, 8, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(40, 7, FUNCTION + 2, FUNCTION + 0x1000);
	put_sample(50, 7, FUNCTION + 1, FUNCTION + 0x1001);
	put_sample(60, 7, FUNCTION + 2, FUNCTION + 0x1000);
	check((struct consumer){}, 6, "10:f(x) 40:f(x) 50:f(x) 10+2=50 40+1=60 ");
}

static void one_of_each_function_is_enough(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 2, FUNCTION + 0x1000);
	put_sample(30, 7, FUNCTION + 0x1002, FUNCTION + 0x1000); /* g */
	put_sample(40, 7, FUNCTION + 3, FUNCTION + 0x1001);
	put_sample(50, 7, FUNCTION + 2, FUNCTION + 0x1000);
	check((struct consumer){ .of_function = true }, 5, "10:f(x) 30:g(x) 40:f(x) 10+2=70 ");
}

static void unknown_places_are_no_function(void **state)
{
	begin_with_functions();
	put_sample(10, 7, 0x9001, FUNCTION + 0x1000);
	put_sample(20, 7, 0x9002, FUNCTION + 0x1000);
	put_sample(30, 7, 0x9002, FUNCTION + 0x1000);
	check((struct consumer){ .of_function = true }, 3, "10:?(x) 20:?(x) 20+1=30 ");
}

static void names_and_maps_begin_anew(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_comm(25, 7, "y");
	put_sample(30, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(40, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_function(45, FUNCTION, "h");
	put_sample(50, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(60, 7, FUNCTION + 2, FUNCTION + 0x1000);
	check((struct consumer){ .of_function = true }, 6, "10:f(x) 30:f(y) 50:h(y) 10+1=20 30+1=40 50+1=60 ");
}

/* Of two names that take turns each is kept. */
static void names_are_told_apart(void **state)
{
	begin_with_functions();
	put_comm(5, 8, "y");
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 8, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(30, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(40, 8, FUNCTION + 2, FUNCTION + 0x1000);
	check((struct consumer){ .of_function = true }, 4, "10:f(x) 20:f(y) 10+1=30 20+1=40 ");
}

/* The kernel is the same for all processes; chains with an address of a process are not. */
static void chains_of_the_kernel_belong_to_no_process(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 1, PERF_CONTEXT_USER);
	pid = 9;
	put_comm(25, 9, "x");
	put_map(27, 9);
	put_sample(30, 9, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(40, 9, FUNCTION + 1, PERF_CONTEXT_USER);
	pid = 7;
	check((struct consumer){}, 4, "10:f(x) 20:f(x) 40:f(x) 10+1=30 ");
}

/* To who looks at neither, all places and callers are the same, whatever the maps of the processes are. */
static void what_is_not_looked_at_belongs_to_no_process(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, PERF_CONTEXT_USER);
	pid = 9;
	put_comm(25, 9, "x");
	put_map(27, 9);
	put_sample(30, 9, FUNCTION + 0x1001, PERF_CONTEXT_USER);
	put_sample(40, 9, FUNCTION + 2, FUNCTION + 3);
	pid = 7;
	addresses_only = true;
	check((struct consumer){}, 3, "10:?(x) 10+2=70 ");
	addresses_only = false;
}

/* A chain that begins elsewhere than the sample says nothing of others in its function. */
static void chains_of_elsewhere_are_told_by_both_places(void **state)
{
	const u64 other = FUNCTION + 0x1001; /* in g */

	begin_with_functions();
	put_sample_apart(10, FUNCTION + 1, FUNCTION + 2);
	put_sample_apart(20, FUNCTION + 1, other);
	put_sample_apart(30, FUNCTION + 3, other);
	put_sample_apart(40, FUNCTION + 1, FUNCTION + 2);
	put_sample_apart(50, FUNCTION + 1, other);
	check((struct consumer){ .of_function = true }, 5, "10:f(x) 20:f(x) 30:f(x) 10+1=40 20+1=50 ");
}

static void who_keeps_nothing_gets_all(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 1, FUNCTION + 0x1000);
	check((struct consumer){ .keeps_nothing = true, .of_function = true }, 2, "10:f(x) 20:f(x) ");
}

struct sums { /* by the name of the function, and the place and callers that were delivered; ids are few */
	u64 delivered, nr[2], period[2], ahead;
	bool known[2][5000];
	u64 identity, identity_of[2];
};

static struct sums sums;

/* 2: neither was delivered. */
static u32 function_of(u64 identity)
{
	u32 i = 0;

	while (i < 2 && sums.identity_of[i] != identity)
		i++;
	return i;
}

static int sum_ids(struct session *s, struct session_brief *brief, void *data)
{
	u32 i;

	sums.identity = session__identity(s, brief);
	i = function_of(sums.identity);
	assert_true(brief->ids.callers < 5000);
	if (i == 2 || !sums.known[i][brief->ids.callers])
		return SESSION_NEEDS_ALL;
	sums.nr[i]++;
	sums.period[i] += brief->period;
	return SESSION_NEEDS_NOTHING;
}

static void sum_ahead(struct session *s, struct session_brief *const *brief, size_t nr, void *data)
{
	for (size_t i = 0; i < nr; i++) {
		u32 function = brief[i]->has_identity ? function_of(brief[i]->identity) : 2;

		brief[i]->need = function < 2 && sums.known[function][brief[i]->ids.callers] ? SESSION_NEEDS_NOTHING : SESSION_NEEDS_ALL;
		sums.ahead++;
	}
}

static int sum_sample(struct session *s, const struct session_sample *sample, void *data)
{
	u32 i = sample->loc.sym->name[0] == 'g';

	assert_int_equal(symbol__identity(sample->loc.sym), sums.identity);
	sums.identity_of[i] = sums.identity;
	sums.delivered++;
	sums.nr[i]++;
	sums.period[i] += sample->sample->period;
	sums.known[i][sample->ids.callers] = true;
	return 0;
}

static void forget_sums(struct session *s, void *data)
{
	memset(sums.known, 0, sizeof(sums.known));
}

/* Far more than a thread that reads ahead has in hand at first, and more kinds than their table begins with. */
static void none_of_many_is_lost(void **state)
{
	const struct session_ops ops = { .sample = sum_sample, .seen = sum_ids, .look_ahead = sum_ahead, .forget_ids = forget_sums };
	const u32 nr = 60000;
	u64 want[2] = {};

	sums = (struct sums){};
	begin_with_functions();
	for (u32 i = 0; i < nr; i++) {
		u32 function = i % 3 / 2;

		put_sample(10 + i, 7 + i % 2, FUNCTION + function * 0x1000 + i % 4093, FUNCTION + 0x1000 + i % 3);
		want[function] += 10 + i;
	}
	check_with(&ops, NULL, nr);
	assert_int_equal(sums.nr[0], nr / 3 * 2);
	assert_int_equal(sums.nr[1], nr / 3);
	assert_int_equal(sums.period[0], want[0]);
	assert_int_equal(sums.period[1], want[1]);
	assert_true(sums.delivered < 10);
	assert_true(sums.ahead > nr / 2);
}

/* Knows places and callers apart, by the time when they were new. */
struct parts {
	u64 place[16], callers[16];
};

static int see_parts(struct session *s, struct session_brief *brief, void *data)
{
	const struct parts *p = data;
	u64 place = p->place[brief->ids.place], callers = p->callers[brief->ids.callers];

	if (!place || !callers)
		return callers ? SESSION_NEEDS_PLACE : SESSION_NEEDS_ALL;
	SEE("%llu=%llu,%llu(%s) ", (unsigned long long)brief->time, (unsigned long long)place, (unsigned long long)callers,
	    brief->thread->comm);
	return SESSION_NEEDS_NOTHING;
}

static int take_parts(struct session *s, const struct session_sample *sample, void *data)
{
	struct parts *p = data;
	u64 *place = &p->place[sample->ids.place], *callers = &p->callers[sample->ids.callers];

	assert_int_equal(sample->chain->nr_leaf, 1);
	assert_int_equal(sample->chain->nr, *callers ? 1 : 2);
	SEE("%llu:%s(%s) ", (unsigned long long)sample->sample->time, sample->loc.sym ? sample->loc.sym->name : "?",
	    sample->thread->comm);
	if (*callers)
		SEE("(of %llu) ", (unsigned long long)*callers);
	*place = sample->sample->time;
	*callers = *callers ?: sample->sample->time;
	return 0;
}

static void check_parts(u64 nr, const char *want)
{
	const struct session_ops ops = { .sample = take_parts, .seen = see_parts, .forget_ids = forget_all };
	struct parts parts = {};

	seen[0] = 0;
	check_with(&ops, &parts, nr);
	assert_string_equal(seen, want);
}

static void samples_of_known_parts_are_told_by_them(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(11, 8, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 2, FUNCTION + 0x1000); /* the place is new, then the callers, then neither */
	put_sample(30, 7, FUNCTION + 1, FUNCTION + 0x1001);
	put_sample(40, 7, FUNCTION + 2, FUNCTION + 0x1001);
	put_comm(45, 8, "y");
	put_sample(50, 8, FUNCTION + 1, FUNCTION + 0x1000);
	check_parts(6, "10:f(x) 11=10,10(x) 20:f(x) (of 10) 30:f(x) 40=20,30(x) 50=30,10(y) ");
}

static void parts_are_known_in_their_maps_only(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(11, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_function(15, FUNCTION, "h");
	put_sample(20, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(30, 7, FUNCTION + 1, FUNCTION + 0x1000);
	check_parts(4, "10:f(x) 11=10,10(x) 20:h(x) 30=20,20(x) ");
}

/* The chain's first frame is a process's: its line is not that of another process's place. */
static void a_place_with_a_frame_of_a_process_belongs_to_it(void **state)
{
	begin_with_functions();
	put_sample_apart(10, FUNCTION + 1, FUNCTION + 2);
	put_sample_apart(11, FUNCTION + 1, FUNCTION + 2);
	pid = 9;
	put_comm(15, 9, "x");
	put_map(17, 9);
	put(&(struct sample_record){ .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sizeof(struct sample_record) },
				     .ip = FUNCTION + 1, .pid = 9, .tid = 9, .time = 20, .cpu = 0, .period = 20, .nr = 3,
				     .word = { PERF_CONTEXT_KERNEL, FUNCTION + 2, FUNCTION + 0x1000 } });
	pid = 7;
	check_parts(3, "10:f(x) 11=10,10(x) 20:f(x) (of 10) ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_each_kind_is_delivered),
		cmocka_unit_test(one_of_each_function_is_enough),
		cmocka_unit_test(unknown_places_are_no_function),
		cmocka_unit_test(names_and_maps_begin_anew),
		cmocka_unit_test(names_are_told_apart),
		cmocka_unit_test(what_is_not_looked_at_belongs_to_no_process),
		cmocka_unit_test(chains_of_the_kernel_belong_to_no_process),
		cmocka_unit_test(chains_of_elsewhere_are_told_by_both_places),
		cmocka_unit_test(who_keeps_nothing_gets_all),
		cmocka_unit_test(none_of_many_is_lost),
		cmocka_unit_test(samples_of_known_parts_are_told_by_them),
		cmocka_unit_test(parts_are_known_in_their_maps_only),
		cmocka_unit_test(a_place_with_a_frame_of_a_process_belongs_to_it),
	};

	return cmocka_run_group_tests_name("session/ids", tests, make_file, remove_file);
}

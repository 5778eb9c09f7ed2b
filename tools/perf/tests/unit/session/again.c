// SPDX-License-Identifier: GPL-2.0
/* Which samples are delivered to who needs one of each kind only, or knows parts of them, and what is told of the others. */
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

struct consumer {
	bool no_token, of_function;
};

static int see_sample(struct session *s, const struct session_sample *sample, void *data)
{
	const struct consumer *consumer = data;

	SEE("%llu:%s(%s) ", (unsigned long long)sample->sample->time, sample->loc.sym ? sample->loc.sym->name : "?",
	    sample->thread->comm);
	sample->again->token = consumer->no_token ? 0 : sample->sample->time;
	sample->again->of_function = consumer->of_function;
	return 0;
}

static void see_again(struct session *s, u64 token, u64 nr, u64 period, void *data)
{
	SEE("%llu+%llu=%llu ", (unsigned long long)token, (unsigned long long)nr, (unsigned long long)period);
}

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
	assert_int_equal(session__run(s, ops, data, &err), 0);
	assert_int_equal(session__stats(s)->nr_samples, nr);
	assert_int_equal(session__stats(s)->nr[PERF_RECORD_SAMPLE], nr);
	assert_int_equal(session__event(s, 0)->nr_samples, nr);
	session__delete(s);
}

static void check(struct consumer consumer, u64 nr, const char *want)
{
	const struct session_ops ops = { .sample = see_sample, .again = see_again };

	seen[0] = 0;
	check_with(&ops, &consumer, nr);
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

static void without_a_token_all_are_delivered(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 1, FUNCTION + 0x1000);
	check((struct consumer){ .no_token = true, .of_function = true }, 2, "10:f(x) 20:f(x) ");
}

struct sums { /* by the function that the token stands for: 1 is f, 2 is g */
	u64 delivered, nr[3], period[3];
};

static int sum_sample(struct session *s, const struct session_sample *sample, void *data)
{
	struct sums *sums = data;
	u32 i = sample->loc.sym->name[0] == 'f' ? 1 : 2;

	sums->delivered++;
	sums->nr[i]++;
	sums->period[i] += sample->sample->period;
	sample->again->token = i;
	sample->again->of_function = true;
	return 0;
}

static void sum_again(struct session *s, u64 token, u64 nr, u64 period, void *data)
{
	struct sums *sums = data;

	sums->nr[token] += nr;
	sums->period[token] += period;
}

/* Far more than a thread that reads ahead has in hand at first, and more kinds than their table begins with. */
static void none_of_many_is_lost(void **state)
{
	const struct session_ops ops = { .sample = sum_sample, .again = sum_again };
	const u32 nr = 60000;
	struct sums sums = {};
	u64 want[3] = {};

	begin_with_functions();
	for (u32 i = 0; i < nr; i++) {
		u32 function = 1 + i % 3 / 2;

		put_sample(10 + i, 7 + i % 2, FUNCTION + (function - 1) * 0x1000 + i % 4093, FUNCTION + 0x1000 + i % 3);
		want[function] += 10 + i;
	}
	check_with(&ops, &sums, nr);
	assert_int_equal(sums.nr[1], nr / 3 * 2);
	assert_int_equal(sums.nr[2], nr / 3);
	assert_int_equal(sums.period[1], want[1]);
	assert_int_equal(sums.period[2], want[2]);
	assert_true(sums.delivered < nr / 10);
}

/* Tokens of parts: that of a place is its address, that of callers the time of the sample that was first. */
static int see_parts(struct session *s, const struct session_sample *sample, void *data)
{
	const bool *forget = data;

	if (*forget)
		session__forget_parts(s);
	assert_true(sample->again->by_parts);
	assert_int_equal(sample->chain->nr_leaf, 1);
	assert_int_equal(sample->chain->nr, sample->again->parts.callers ? 1 : 2);
	SEE("%llu:%s(%s) ", (unsigned long long)sample->sample->time, sample->loc.sym ? sample->loc.sym->name : "?",
	    sample->thread->comm);
	sample->again->parts.place = sample->sample->ip - FUNCTION;
	if (*forget || !sample->again->parts.callers)
		sample->again->parts.callers = sample->sample->time;
	else
		SEE("(of %llu) ", (unsigned long long)sample->again->parts.callers);
	return 0;
}

static int see_known(struct session *s, const struct session_known *known, void *data)
{
	assert_int_equal(known->pid, 7);
	assert_int_equal(known->tid, known->thread->tid);
	assert_int_equal(known->cpu, known->time % 4);
	assert_int_equal(known->period, known->time);
	SEE("%llu=%llu,%llu(%s) ", (unsigned long long)known->time, (unsigned long long)known->tokens.place,
	    (unsigned long long)known->tokens.callers, known->thread->comm);
	return 0;
}

static void check_parts(bool forget, u64 nr, const char *want)
{
	const struct session_ops ops = { .sample = see_parts, .known = see_known };

	seen[0] = 0;
	check_with(&ops, &forget, nr);
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
	check_parts(false, 6, "10:f(x) 11=1,10(x) 20:f(x) (of 10) 30:f(x) 40=2,30(x) 50=1,10(y) ");
}

static void parts_are_known_in_their_maps_only(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(11, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_function(15, FUNCTION, "h");
	put_sample(20, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(30, 7, FUNCTION + 1, FUNCTION + 0x1000);
	check_parts(false, 4, "10:f(x) 11=1,10(x) 20:h(x) 30=1,20(x) ");
}

/* It forgets what was told before, not what is told then. */
static void parts_can_be_forgotten(void **state)
{
	begin_with_functions();
	put_sample(10, 7, FUNCTION + 1, FUNCTION + 0x1000);
	put_sample(20, 7, FUNCTION + 2, FUNCTION + 0x1000);
	put_sample(30, 7, FUNCTION + 2, FUNCTION + 0x1000);
	put_sample(40, 7, FUNCTION + 1, FUNCTION + 0x1000);
	check_parts(true, 4, "10:f(x) 20:f(x) 30=2,20(x) 40:f(x) ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_each_kind_is_delivered),
		cmocka_unit_test(one_of_each_function_is_enough),
		cmocka_unit_test(unknown_places_are_no_function),
		cmocka_unit_test(names_and_maps_begin_anew),
		cmocka_unit_test(names_are_told_apart),
		cmocka_unit_test(chains_of_the_kernel_belong_to_no_process),
		cmocka_unit_test(chains_of_elsewhere_are_told_by_both_places),
		cmocka_unit_test(without_a_token_all_are_delivered),
		cmocka_unit_test(none_of_many_is_lost),
		cmocka_unit_test(samples_of_known_parts_are_told_by_them),
		cmocka_unit_test(parts_are_known_in_their_maps_only),
		cmocka_unit_test(parts_can_be_forgotten),
	};

	return cmocka_run_group_tests_name("session/again", tests, make_file, remove_file);
}

// SPDX-License-Identifier: GPL-2.0
/* What event specs mean, and what is said of wrong ones. PMUs come from a directory that the test makes. */
#include "util/event/resolve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char root[] = "/tmp/perf-pmu-XXXXXX";

static const struct {
	const char *path, *text; /* no text: a directory */
} sysfs[] = {
	{ "cpu", NULL },
	{ "cpu/type", "4\n" },
	{ "cpu/format", NULL },
	{ "cpu/format/event", "config:0-7,32-35\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/edge", "config:18\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/format/ext", "config2:63\n" },
	{ "cpu/format/broken", "config:9-3\n" },
	{ "cpu/events", NULL },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/mem-loads.scale", "2.3283064365386962890625e-10\n" },
	{ "cpu/events/mem-loads.unit", "Joules\n" },
	{ "cpu/events/mem-loads.snapshot", "1\n" },
	{ "cpu/events/per-core", "event=0x2,umask=?\n" },
	{ "cpu/events/odd", "event=0x2,nosuch=1\n" },
	{ "cpu/events/newer", "event=0x2,config3=1\n" },
	{ "uncore_imc", NULL },
	{ "uncore_imc/type", "13\n" },
	{ "uncore_imc/cpumask", "0,18\n" },
	{ "tracepoint", NULL },
	{ "tracepoint/type", "2\n" },
	{ "typeless", NULL },
};

static int make_sysfs(void **state)
{
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(sysfs); i++) {
		char path[256];
		FILE *fp;

		snprintf(path, sizeof(path), "%s/%s", root, sysfs[i].path);
		if (!sysfs[i].text) {
			if (mkdir(path, 0700))
				return -1;
			continue;
		}
		fp = fopen(path, "we");
		if (!fp || fputs(sysfs[i].text, fp) < 0 || fclose(fp))
			return -1;
	}
	return 0;
}

static int remove_sysfs(void **state)
{
	for (size_t i = ARRAY_SIZE(sysfs); i-- > 0;) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", root, sysfs[i].path);
		if (remove(path))
			return -1;
	}
	return rmdir(root);
}

static struct evlist *parse(const char *spec)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;

	assert_non_null(evlist);
	if (evlist__parse_at(evlist, spec, root, NULL, &err))
		fail_msg("%s: %s", spec, err.text);
	return evlist;
}

static void named_events_have_their_display(void **state)
{
	struct evlist *evlist = parse("cpu/mem-loads/,cpu/event=1/");

	assert_string_equal(evlist->evsel[0]->unit, "Joules");
	assert_float_equal(evlist->evsel[0]->scale * 4294967296, 1, 1e-9);
	assert_true(evlist->evsel[0]->snapshot);
	assert_string_equal(evlist->evsel[1]->unit, "");
	assert_true(evlist->evsel[1]->scale == 0 && !evlist->evsel[1]->snapshot);
	evlist__delete(evlist);
}

/* u, k, h, G, H: what is excluded */
static void exclusions(const struct perf_event_attr *attr, char buf[6])
{
	snprintf(buf, 6, "%s%s%s%s%s", attr->exclude_user ? "u" : "", attr->exclude_kernel ? "k" : "", attr->exclude_hv ? "h" : "",
		 attr->exclude_guest ? "G" : "", attr->exclude_host ? "H" : "");
}

static void events_mean(void **state)
{
	static const struct {
		const char *spec;
		u32 type;
		u64 config;
		const char *excluded, *name; /* NULL: the spec itself */
	} cases[] = {
		{ "cpu-clock", 1, 0, "G", NULL },
		{ "task-clock", 1, 1, "G", NULL },
		{ "faults", 1, 2, "G", NULL },
		{ "cs", 1, 3, "G", NULL },
		{ "migrations", 1, 4, "G", NULL },
		{ "minor-faults", 1, 5, "G", NULL },
		{ "dummy", 1, 9, "G", NULL },
		{ "bpf-output", 1, 10, "G", NULL },
		{ "off-cpu", 1, 10, "G", "offcpu-time" },
		{ "offcpu-time", 1, 10, "G", NULL },
		{ "cgroup-switches", 1, 11, "G", NULL },
		{ "cycles", 0, 0, "G", NULL },
		{ "cpu-cycles", 0, 0, "G", NULL },
		{ "branches", 0, 4, "G", NULL },
		{ "branch-misses", 0, 5, "G", NULL },
		{ "idle-cycles-backend", 0, 8, "G", NULL },
		{ "ref-cycles", 0, 9, "G", NULL },
		{ "L1-dcache-load-misses", 3, 0x10000, "G", NULL },
		{ "l1-d", 3, 0, "G", NULL },
		{ "l1i-prefetches-miss", 3, 0x10201, "G", NULL },
		{ "LLC-misses-store", 3, 0x10102, "G", NULL },
		{ "Data-TLB-refs", 3, 3, "G", NULL },
		{ "iTLB-read", 3, 4, "G", NULL },
		{ "branch-loads", 3, 5, "G", NULL },
		{ "node-speculative-read-access", 3, 0x206, "G", NULL },
		{ "r1a8", 4, 0x1a8, "G", NULL },
		{ "rFFFFffffFFFFffff", 4, ~0ull, "G", NULL },
		{ "cycles:u", 0, 0, "khG", NULL },
		{ "cycles:k", 0, 0, "uh", NULL },
		{ "cycles:h", 0, 0, "uk", NULL },
		{ "cycles:uk", 0, 0, "hG", NULL },
		{ "cycles:H", 0, 0, "G", NULL },
		{ "cycles:G", 0, 0, "H", NULL },
		{ "cycles:GH", 0, 0, "", NULL },
		{ "cycles:p", 0, 0, "G", NULL },
		{ "cycles:P", 0, 0, "", NULL },
		{ "cycles:kG", 0, 0, "uhH", NULL },
		{ "r1:u", 4, 1, "khG", NULL },
		{ " cycles : u ", 0, 0, "khG", "cycles:u" },
		{ "cycles//u", 0, 0, "khG", NULL },
		{ "cycles/name=x/u", 0, 0, "khG", "x" },
		{ "cycles/name='a, b'/", 0, 0, "G", "a, b" },
		{ "cpu-clock/config=5/", 1, 5, "G", NULL },
		{ "cpu/event=0x3c/", 4, 0x3c, "G", NULL },
		{ "cpu/event=0xfff,umask=0xff,edge/k", 4, 0xf0004ffff, "uh", NULL },
		{ "cpu/config=0xffff,event=0/", 4, 0xff00, "G", NULL },
		{ "cpu/mem-loads/", 4, 0x1cd, "G", NULL },
		{ "cpu/mem-loads,umask=2/", 4, 0x2cd, "G", NULL },
		{ "cpu/per-core,umask=3/", 4, 0x302, "G", NULL },
		{ "cpu/r1a8/", 4, 0x1a8, "G", NULL },
		{ "uncore_imc//", 13, 0, "G", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = parse(cases[i].spec);
		const struct evsel *evsel = evlist->evsel[0];
		char excluded[6];

		exclusions(&evsel->attr, excluded);
		if (evlist->nr != 1 || evsel->attr.type != cases[i].type || evsel->attr.config != cases[i].config)
			fail_msg("%s: %u events, type %u config %#llx", cases[i].spec, evlist->nr, evsel->attr.type,
				 (unsigned long long)evsel->attr.config);
		assert_string_equal(excluded, cases[i].excluded);
		assert_string_equal(evsel->name, cases[i].name ? cases[i].name : cases[i].spec);
		evlist__delete(evlist);
	}
}

static void terms_fill_other_members(void **state)
{
	struct evlist *evlist = parse("cpu/mem-loads,ldlat=30,ext,period=0x100/ppp,cycles/freq=99/,cycles:P,uncore_imc/config1=7/");
	const struct evsel *e = evlist->evsel[0];

	assert_int_equal(evlist->nr, 4);
	assert_int_equal(e->attr.config1, 30);
	assert_true(e->attr.config2 == 1ull << 63);
	assert_true(e->has_period && !e->has_freq && !e->attr.freq && !e->precise_max);
	assert_int_equal(e->attr.sample_period, 256);
	assert_int_equal(e->attr.precise_ip, 3);
	e = evlist->evsel[1];
	assert_true(!e->has_period && e->has_freq && e->attr.freq && !e->exact_modifier);
	assert_int_equal(e->attr.sample_freq, 99);
	e = evlist->evsel[2];
	assert_true(e->precise_max && !e->attr.precise_ip && !e->exact_modifier);
	e = evlist->evsel[3];
	assert_int_equal(e->attr.config1, 7);
	assert_int_equal(e->idx, 3);
	assert_int_equal(e->cpus->nr, 2);
	assert_int_equal(e->cpus->cpu[1], 18);
	assert_null(evlist->evsel[0]->cpus);
	evlist__delete(evlist);
}

static void groups_have_leaders(void **state)
{
	struct evlist *evlist = parse("cs,{cycles,instructions,cs},mine{faults,cpu-clock}:u,{branches}");
	static const struct {
		int leader; /* -1: none */
		unsigned int nr_members;
		const char *group_name;
	} want[] = {
		{ -1, 0, NULL }, { -1, 3, NULL }, { 1, 0, NULL }, { 1, 0, NULL },
		{ -1, 2, "mine" }, { 4, 0, NULL }, { -1, 1, NULL },
	};

	assert_int_equal(evlist->nr, ARRAY_SIZE(want));
	for (size_t i = 0; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->evsel[i];

		assert_int_equal(evsel->leader ? (int)evsel->leader->idx : -1, want[i].leader);
		assert_int_equal(evsel->nr_members, want[i].nr_members);
		assert_string_equal(evsel->group_name ?: "", want[i].group_name ?: "");
	}
	/* All of them in one forget what they were. */
	evlist__group(evlist, 0);
	for (size_t i = 0; i < evlist->nr; i++) {
		assert_ptr_equal(evlist->evsel[i]->leader, i ? evlist->evsel[0] : NULL);
		assert_int_equal(evlist->evsel[i]->nr_members, i ? 0 : ARRAY_SIZE(want));
		assert_null(evlist->evsel[i]->group_name);
	}
	evlist__delete(evlist);
}

static void group_modifiers_add_to_those_of_members(void **state)
{
	struct evlist *evlist = parse("{cycles:u,instructions:kp,cs}:p,{cycles,branches:G}:H,{cs:u,faults:k,cs:uk}:u");
	static const struct {
		const char *name, *excluded;
		unsigned int precise;
	} want[] = {
		{ "cycles:u", "khG", 1 }, { "instructions:kp", "uhG", 2 }, { "cs", "G", 1 },
		{ "cycles", "G", 0 },	  { "branches:G", "", 0 },
		{ "cs:u", "khG", 0 },	  { "faults:k", "hG", 0 },	   { "cs:uk", "hG", 0 },
	};

	assert_int_equal(evlist->nr, ARRAY_SIZE(want));
	for (size_t i = 0; i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->evsel[i];
		char excluded[6];

		exclusions(&evsel->attr, excluded);
		assert_string_equal(evsel->name, want[i].name);
		assert_string_equal(excluded, want[i].excluded);
		assert_int_equal(evsel->attr.precise_ip, want[i].precise);
	}
	evlist__delete(evlist);
}

static void specs_append(void **state)
{
	struct evlist *evlist = parse("cycles,instructions");
	unsigned int first = 99;
	struct errmsg err;

	assert_int_equal(evlist__parse_at(evlist, "cpu-clock:u,cs", root, &first, &err), 0);
	assert_int_equal(first, 2);
	assert_int_equal(evlist->nr, 4);
	assert_true(evlist->evsel[2]->exact_modifier);
	assert_int_equal(evlist->evsel[3]->idx, 3);
	/* A wrong one takes nothing along. */
	assert_int_equal(evlist__parse_at(evlist, "faults,nosuch", root, &first, &err), -22);
	assert_int_equal(evlist->nr, 4);
	evlist__delete(evlist);
}

static void off_cpu_time_is_no_event_of_the_kernel(void **state)
{
	struct evlist *evlist = parse("cs,off-cpu");

	assert_int_equal(evlist->nr, 2);
	assert_null(evlist->evsel[0]->kind);
	assert_ptr_equal(evlist->evsel[1]->kind, &off_cpu_kind);
	assert_int_equal(evlist->evsel[1]->idx, 1);
	assert_int_equal(evlist->evsel[1]->attr.sample_period, 1);
	assert_true(evlist->evsel[1]->has_period);
	evlist__delete(evlist);
}

static void errors_show_the_place(void **state)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{ "", "event: no event is named" },
		{ " ", "event: no event is named" },
		{ "cycles,", "event: syntax error, unexpected end of text, expecting name or '{'\n  cycles,\n         ^" },
		{ "cycles u", "event: syntax error, unexpected name\n  cycles u\n         ^" },
		{ "cs,cylces:u", "event: unknown event 'cylces'; did you mean 'cycles'?\n  cs,cylces:u\n     ^^^^^^" },
		{ "xyzzy", "event: unknown event 'xyzzy'; 'perf list' shows those that exist\n  xyzzy\n  ^^^^^" },
		{ "r", "event: unknown event 'r'; 'perf list' shows those that exist\n  r\n  ^" },
		{ "r11112222333344445", "event: unknown event 'r11112222333344445'; 'perf list' shows those that exist\n"
		  "  r11112222333344445\n  ^^^^^^^^^^^^^^^^^^" },
		{ "iTLB-stores", "event: this cache has no such operation\n  iTLB-stores\n  ^^^^^^^^^^^" },
		{ "{cycles,cs", "event: syntax error, unexpected end of text, expecting ',' or ':' or '}' or '/'\n  {cycles,cs\n            ^" },
		{ "cs,{}", "event: syntax error, unexpected '}', expecting name\n  cs,{}\n      ^" },
		{ "{cs,{cs}}", "event: syntax error, unexpected '{', expecting name\n  {cs,{cs}}\n      ^" },
		{ "cs,{cs,nosuch}", "event: unknown event 'nosuch'; 'perf list' shows those that exist\n  cs,{cs,nosuch}\n         ^^^^^^" },
		{ "{cycles,cs}:uSS", "event: this modifier is given twice\n  {cycles,cs}:uSS\n                ^" },
		{ "{cycles,cs:uW}", "event: weak (W) is for groups, behind their brace\n  {cycles,cs:uW}\n              ^" },
		{ "{cs,cycles:pp}:pp", "event: together with the group's modifiers this is more than 'ppp', the highest precision\n"
		  "  {cs,cycles:pp}:pp\n             ^" },
		{ "cycles:uu", "event: this modifier is given twice\n  cycles:uu\n          ^" },
		{ "cycles:pppp", "event: 'ppp' is the highest precision\n  cycles:pppp\n            ^" },
		{ "cycles:ub", "event: only perf stat shares counts through BPF (b)\n  cycles:ub\n          ^" },
		{ "mem:x", "event: a breakpoint is mem:ADDRESS[/LENGTH][:ACCESS], as in mem:0x1000/8:rw\n  mem:x\n  ^^^^^" },
		{ "mem:0x10/3:w", "event: the length of a breakpoint is 1, 2, 4 or 8\n  mem:0x10/3:w\n  ^^^^^^^^^^^^" },
		{ "mem:0x10:ww", "event: an access is made of r (read), w (write) and x (execute), each once\n  mem:0x10:ww\n  ^^^^^^^^^^^" },
		{ "cycles:u:k", "event: modifiers stand once, at the event's end\n  cycles:u:k\n           ^" },
		{ "cycles:u/period=1/", "event: modifiers stand once, at the event's end\n  cycles:u/period=1/\n         ^" },
		{ "cycles/period=0/", "event: 'period' must be 1 or more\n  cycles/period=0/\n                ^" },
		{ "cycles/freq/", "event: 'freq' needs a value\n  cycles/freq/\n         ^^^^" },
		{ "cycles/freq=1,period=1/", "event: an event has a period or a frequency, not both\n  cycles/freq=1,period=1/\n"
		  "                ^^^^^^" },
		{ "cycles/name='x/", "event: this quote has no end\n  cycles/name='x/\n              ^" },
		{ "cycles/ldlat=1/", "event: unknown term 'ldlat'; this event takes config, config1, config2, name, period, freq, "
		  "call-graph, stack-size, max-stack, branch_type, inherit, no-inherit, no-overwrite, percore, time\n"
		  "  cycles/ldlat=1/\n         ^^^^^" },
		{ "gpu/event=1/", "event: this machine has no PMU 'gpu'; it has: cpu, tracepoint, typeless, uncore_imc\n"
		  "  gpu/event=1/\n  ^^^" },
		{ "cpu", "event: 'cpu' is a PMU; write cpu/EVENT/ or cpu/TERM=VALUE,.../\n  cpu\n  ^^^" },
		{ "cpu/umask=0x100/", "event: 0x100 is too big for 'umask' of PMU 'cpu', which ends at 0xff\n  cpu/umask=0x100/\n"
		  "            ^^^^^" },
		{ "cpu/umask=-1/", "event: 'umask' needs a number, decimal or 0x...\n  cpu/umask=-1/\n            ^^" },
		{ "cpu/nosuch=1/", "event: PMU 'cpu' has no term 'nosuch'; its own terms: broken, edge, event, ext, ldlat, umask; "
		  "general ones: config, config1, config2, name, period, freq, "
		  "call-graph, stack-size, max-stack, branch_type, inherit, no-inherit, no-overwrite, percore, time\n  cpu/nosuch=1/\n      ^^^^^^" },
		{ "cpu/broken=1/", "event: format 'broken' of PMU 'cpu' is not understood\n  cpu/broken=1/\n      ^^^^^^" },
		{ "cpu/per-core/", "event: 'per-core' needs a value for 'umask', as in cpu/per-core,umask=1/\n  cpu/per-core/\n"
		  "      ^^^^^^^^" },
		{ "typeless//", "event: the type of PMU 'typeless' cannot be read: No such file or directory\n  typeless//\n  ^^^^^^^^" },
		{ "off-cpu:u", "event: off-cpu takes no terms and no modifiers, and is in no group\n  off-cpu:u\n  ^^^^^^^" },
		{ "off-cpu/period=2/", "event: off-cpu takes no terms and no modifiers, and is in no group\n"
		  "  off-cpu/period=2/\n  ^^^^^^^" },
		{ "{cs,off-cpu}", "event: off-cpu takes no terms and no modifiers, and is in no group\n  {cs,off-cpu}\n      ^^^^^^^" },
		{ "of-cpu", "event: unknown event 'of-cpu'; did you mean 'off-cpu'?\n  of-cpu\n  ^^^^^^" },
		{ "tracepoint/config=1/", "event: tracepoints are written SYSTEM:NAME\n  tracepoint/config=1/\n  ^^^^^^^^^^" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = evlist__new();
		struct errmsg err = { "" };

		assert_int_not_equal(evlist__parse_at(evlist, cases[i].spec, root, NULL, &err), 0);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(evlist->nr, 0);
		evlist__delete(evlist);
	}
}

static void errors_in_sysfs_name_the_file(void **state)
{
	struct evlist *evlist = evlist__new();
	struct errmsg err;

	assert_int_equal(evlist__parse_at(evlist, "cpu/odd/", root, NULL, &err), -22);
	assert_non_null(strstr(err.text, "event 'odd' of PMU 'cpu' in sysfs: "));
	assert_non_null(strstr(err.text, "no term 'nosuch'"));
	/* of a kernel that has more of them: no other one may be set in its place */
	assert_int_equal(evlist__parse_at(evlist, "cpu/newer/", root, NULL, &err), -22);
	assert_non_null(strstr(err.text, "no term 'config3'"));
	evlist__delete(evlist);
}

static void long_specs_are_cut_around_the_place(void **state)
{
	struct evlist *evlist = evlist__new();
	char spec[512] = "";
	struct errmsg err;

	for (int i = 0; i < 30; i++)
		strcat(spec, i == 20 ? "nosuch," : "cycles,");
	strcat(spec, "cs");
	assert_int_equal(evlist__parse_at(evlist, spec, root, NULL, &err), -22);
	assert_string_equal(err.text, "event: unknown event 'nosuch'; 'perf list' shows those that exist\n"
			    "  ...,cycles,cycles,cycles,cycles,cycles,nosuch,cycles,cycles,cycles,cycles,c...\n"
			    "                                         ^^^^^^");
	evlist__delete(evlist);
}

static void an_end_at_the_last_column_is_marked(void **state)
{
	struct evlist *evlist = evlist__new();
	char spec[73];
	struct errmsg err;

	memset(spec, 'x', 72);
	memcpy(spec + 65, "cycles,", 8);
	memset(spec + 64, ',', 1);
	assert_int_equal(evlist__parse_at(evlist, spec, root, NULL, &err), -22);
	assert_string_equal(strrchr(err.text, '\n') + 1 + 2 + 72, "^");
	evlist__delete(evlist);
}

/* Whatever is given, there is an answer and no crash. */
static void noise_is_refused(void **state)
{
	static const char alphabet[] = "cycles:/,={}'\"u k0x*?[]-.\n\x80";
	unsigned int seed = 1;

	for (int round = 0; round < 20000; round++) {
		struct evlist *evlist = evlist__new();
		struct errmsg err = { "" };
		char spec[32];
		int len = rand_r(&seed) % (sizeof(spec) - 1), ret;

		for (int i = 0; i < len; i++)
			spec[i] = alphabet[rand_r(&seed) % (sizeof(alphabet) - 1)];
		spec[len] = '\0';
		ret = evlist__parse_at(evlist, spec, root, NULL, &err);
		assert_true(ret ? err.text[0] && !evlist->nr : evlist->nr > 0);
		evlist__delete(evlist);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_mean),
		cmocka_unit_test(named_events_have_their_display),
		cmocka_unit_test(terms_fill_other_members),
		cmocka_unit_test(groups_have_leaders),
		cmocka_unit_test(group_modifiers_add_to_those_of_members),
		cmocka_unit_test(specs_append),
		cmocka_unit_test(off_cpu_time_is_no_event_of_the_kernel),
		cmocka_unit_test(errors_show_the_place),
		cmocka_unit_test(errors_in_sysfs_name_the_file),
		cmocka_unit_test(long_specs_are_cut_around_the_place),
		cmocka_unit_test(an_end_at_the_last_column_is_marked),
		cmocka_unit_test(noise_is_refused),
	};

	return cmocka_run_group_tests_name("event/spec", tests, make_sysfs, remove_sysfs);
}

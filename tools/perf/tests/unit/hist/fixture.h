/* SPDX-License-Identifier: GPL-2.0 */
/* Samples made by hand: functions are letters, 'a' to 'z' of /bin/x in user space, 'A' to 'Z' of the kernel. */
#ifndef PERF_TESTS_HIST_FIXTURE_H
#define PERF_TESTS_HIST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "util/hist/hist.h"

static struct dso fixture_user = { .name = (char *)"/bin/x", .short_name = (char *)"x" };
static struct dso fixture_kernel = { .name = (char *)"[kernel.kallsyms]", .short_name = (char *)"[kernel.kallsyms]",
				     .kind = DSO_KERNEL, .index = 1 };
static struct symbol fixture_symbol[128];
static char fixture_name[128][2];

static inline struct location fixture_location(char c)
{
	bool kernel = c >= 'A' && c <= 'Z';
	struct symbol *sym = &fixture_symbol[(int)c];

	fixture_name[(int)c][0] = c;
	*sym = (struct symbol){ .start = c * 256, .end = c * 256 + 256, .name = fixture_name[(int)c] };
	return (struct location){ .addr = c * 256 + 1,
				  .sym_addr = c * 256 + 1,
				  .cpumode = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
				  .dso = kernel ? &fixture_kernel : &fixture_user,
				  .sym = sym };
}

static inline void fixture_init(struct hists *hists, struct hist_opts opts, const char *sort, const char *fields)
{
	struct hist_layout_opts layout = { .sort = sort, .fields = fields, .default_sort = "comm,dso,symbol",
					   .children = opts.children, .memory = true };
	static struct hist_layout layouts[4]; /* of the hists made last */
	static u32 nr;
	struct hist_layout *made = &layouts[nr++ % ARRAY_SIZE(layouts)];
	struct errmsg err;

	memset(made, 0, sizeof(*made));
	assert_int_equal(hist_layout__init(made, &layout, &err), 0);
	opts.layout = made;
	hists__init(hists, &opts);
}

/* chain: the sampled function and its callers. */
static inline void fixture_add(struct hists *hists, const struct thread *thread, const char *chain, u64 period)
{
	struct location loc = fixture_location(chain[0]), frame[16];
	struct callchain calls = { .frame = frame, .nr = strlen(chain) };
	struct hist_sample sample = { .thread = thread, .loc = &loc, .chain = &calls, .cpu = 1, .period = period, .nr = 1 };

	for (u32 i = 0; i < calls.nr; i++)
		frame[i] = fixture_location(chain[i]);
	assert_int_equal(hists__add(hists, &sample), 0);
}

#endif

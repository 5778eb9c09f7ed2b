// SPDX-License-Identifier: GPL-2.0
/* -d: instead of samples, print those that are out of order. */
#define LOG_DOMAIN "script"
#include "cmd/script/output.h"
#include "util/lib/log.h"

struct order {
	struct script_part part;
	u64 last_time, nr_misordered;
};

static bool wanted(const struct script_options *o)
{
	return o->check_order;
}

static int take_sample(struct script_part *p, struct session *s, const struct session_sample *sample)
{
	struct order *order = (struct order *)p;
	u64 time = sample->sample->time;

	if (time < order->last_time) {
		pr_err("Samples misordered, previous: %llu this: %llu\n", (unsigned long long)order->last_time, (unsigned long long)time);
		order->nr_misordered++;
	}
	order->last_time = time;
	return 0;
}

static int finish(struct script_part *p, struct errmsg *err)
{
	pr_err("Misordered timestamps: %llu\n", (unsigned long long)((struct order *)p)->nr_misordered);
	return 0;
}

const struct script_part_ops script_order = {
	.size = sizeof(struct order),
	.wanted = wanted,
	.sample = take_sample,
	.finish = finish,
};

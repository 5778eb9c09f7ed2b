// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "tracepoint"

#include "util/source/tp-choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/tracepoint.h"
#include "util/lib/log.h"
#include "util/source/tp-source.h"

/* Their hits weigh the nanoseconds of a field (__perf_count in include/trace/events/sched.h); to the programs each hit is one. */
static const char *weighs(const struct evsel *evsel)
{
	if (strcmp(tracepoint__sys(evsel->tp), "sched") || strncmp(tracepoint__name(evsel->tp), "sched_stat_", strlen("sched_stat_")))
		return NULL;
	return "its hits weigh times, which perf's BPF programs do not add up";
}

static int choose_counted(struct tp_choice *choice, const struct evsel *evsel, struct event_filter *filter, unsigned int nr_events,
			  const struct tally_opts *count, struct errmsg *err)
{
	const char *why;
	char buf[160];
	int ret = 0;

	why = weighs(evsel) ?: tp_source__refuses(evsel, nr_events, count->both, buf, sizeof(buf));
	if (!why && evsel->filter)
		ret = event_filter__compile_tracepoint(filter, evsel, TP_JUDGE_BPF_ONLY, NULL, &why, err);
	if (ret)
		return ret;
	if (why)
		return errmsg__set(err, EINVAL, "%s cannot be counted in the kernel, as %s: write its samples with perf record, and let "
				   "perf report count them", evsel->name, why);
	return tp_source__new(evsel, filter->tp_table, count, &choice->source, err);
}

static int choose(struct tp_choice *choice, const struct evsel *evsel, struct event_filter *filter, unsigned int nr_events,
		  struct errmsg *err)
{
	bool in_bpf = tp_source__is_cheaper(evsel);
	const char *no_bpf = NULL, *why;
	char buf[160];
	int ret = 0;

	/* What is not needed is not asked, as it takes time. */
	if (in_bpf || evsel->filter)
		no_bpf = weighs(evsel) ?: tp_source__refuses(evsel, nr_events, true, buf, sizeof(buf));
	why = in_bpf ? no_bpf : NULL;
	if (evsel->filter)
		ret = event_filter__compile_tracepoint(filter, evsel, in_bpf ? TP_JUDGE_BPF : TP_JUDGE_KERNEL, no_bpf, &why, err);
	if (ret)
		return ret;
	if (evsel->filter ? filter->tp_table != NULL : in_bpf && !no_bpf)
		return tp_source__new(evsel, filter->tp_table, NULL, &choice->source, err);
	snprintf(choice->why, sizeof(choice->why), "%s", why ?: "");
	return 0;
}

int tp_choice__make(struct tp_choice *choice, const struct evsel *evsel, struct event_filter *filter, unsigned int nr_events,
		    const struct tally_opts *count, struct errmsg *err)
{
	int ret;

	if (count)
		ret = choose_counted(choice, evsel, filter, nr_events, count, err);
	else
		ret = choose(choice, evsel, filter, nr_events, err);
	if (!ret && choice->source)
		pr_debug("%s: %s by a BPF program\n", evsel->name, count ? "counted" : "recorded");
	else if (!ret && *choice->why)
		pr_debug("%s: recorded by the kernel: %s\n", evsel->name, choice->why);
	return ret;
}

void tp_choice__dump(const struct tp_choice *choice, FILE *fp)
{
	if (choice->source)
		choice->source->ops->dump(choice->source, fp);
	else if (*choice->why)
		fprintf(fp, "not recorded by a BPF program: %s\n", choice->why);
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "tracepoint"

#include "util/sampler/tp-choice.h"

#include <errno.h>
#include <stdlib.h>
#include "util/lib/log.h"
#include "util/sampler/tp-source.h"

static int choose(struct tp_choice *choice, const struct evsel *evsel, struct event_filter *filter, unsigned int nr_events,
		  bool counted, struct errmsg *err)
{
	bool in_bpf = tp_source__is_cheaper(evsel);
	const char *no_bpf = NULL, *why;
	char buf[160];
	int ret = 0;

	/* What is not needed is not asked, as it takes time. */
	if (counted)
		no_bpf = "its samples are counted";
	else if (in_bpf || evsel->filter)
		no_bpf = tp_source__refuses(evsel, nr_events, buf, sizeof(buf));
	why = in_bpf ? no_bpf : NULL;
	if (evsel->filter)
		ret = event_filter__compile_tracepoint(filter, evsel, in_bpf, no_bpf, &why, err);
	if (ret)
		return ret;
	if (evsel->filter ? filter->tp_table != NULL : in_bpf && !no_bpf)
		return tp_source__new(evsel, filter->tp_table, &choice->source, err);
	snprintf(choice->why, sizeof(choice->why), "%s", why ?: "");
	return 0;
}

int tp_choice__make(struct tp_choice *choice, const struct evsel *evsel, struct event_filter *filter, unsigned int nr_events,
		    bool counted, struct errmsg *err)
{
	int ret = choose(choice, evsel, filter, nr_events, counted, err);

	if (!ret && choice->source)
		pr_debug("%s: recorded by a BPF program\n", evsel->name);
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

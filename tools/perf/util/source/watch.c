// SPDX-License-Identifier: GPL-2.0
#include "util/source/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-table.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/advice.h"
#include "util/source/sources.h"
#include "util/source/task-filter.h"

int watch__settle(struct source *source, struct source_wish *wish, const struct watch_words *words, struct errmsg *err)
{
	int ret = 0;

	if (source->filter.table)
		ret = task_filter__check(source->filter.tree, source->filter.table, words->what, words->has, err);
	return ret ?: tp_programs__check_rights(words->watching, err) ?: source__set_tally(source, wish, err);
}

int watch__explain_load(int errnum, const char *what, const char *no_memory, struct errmsg *err)
{
	int ret;

	if (errnum == ENOMEM)
		return errmsg__set(err, ENOMEM, "%s", no_memory);
	/* Older kernels do not know the attribute with the members of their structs that programs read (skeleton-run.c). */
	if (errnum == E2BIG && kernel_offer__probe(KERNEL_FIND_VMA) != KERNEL_HAS)
		return errmsg__set(err, EOPNOTSUPP, "cannot %s: that needs Linux 5.17 or newer", what);
	ret = bpf_filter__explain_program(errnum, err);
	errmsg__prefix(err, "cannot %s", what);
	return ret;
}

void watch__explain(const struct source *source, const struct tp_hook *hooks, const char *when, FILE *fp)
{
	fprintf(fp, "engine: BPF programs");
	for (int i = 0; hooks[i].prog; i++) {
		if (!i || strcmp(hooks[i].prog, hooks[i - 1].prog))
			fprintf(fp, "%s %s", i ? "," : "", hooks[i].prog);
	}
	if (source->filter.table)
		fprintf(fp, "; %u entr%s of the filter, tested %s", source->filter.table->nr, plural_y(source->filter.table->nr), when);
	fputc('\n', fp);
}

u64 watch__missed(const struct tp_programs *p, const struct tp_hook *hooks)
{
	const char *last = "";
	u64 sum = 0;

	for (; hooks->prog; last = hooks++->prog) {
		if (strcmp(hooks->prog, last))
			sum += tp_programs__missed(p, hooks->prog);
	}
	return sum;
}

int watch__for_each(int map_fd, void *key, size_t key_size, void *value, int (*cb)(void *data, struct errmsg *err), void *data, struct errmsg *err)
{
	void *last = malloc(key_size);
	bool has_last = false;
	int ret = 0;

	if (!last)
		return errmsg__set(err, ENOMEM, "out of memory");
	while (!ret && !bpf_map_get_next_key(map_fd, has_last ? last : NULL, key)) {
		memcpy(last, key, key_size);
		has_last = true;
		if (!bpf_map_lookup_elem(map_fd, key, value))
			ret = cb(data, err);
	}
	free(last);
	return ret;
}

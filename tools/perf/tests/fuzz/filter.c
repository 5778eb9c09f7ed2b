// SPDX-License-Identifier: GPL-2.0
/* The text of a filter, a NUL, and a sample that the table judges. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>

#include "util/filter/filter.h"

static int find_field(void *data, const char *name, struct filter_field_desc *desc)
{
	static const struct {
		const char *name;
		struct filter_field_desc desc;
	} fields[] = {
		{ "n", { .offset = 8, .size = 4, .kind = FILTER_FIELD_NUMBER, .is_signed = 1 } },
		{ "s", { .offset = 12, .size = 9, .kind = FILTER_FIELD_CHARS } },
		{ "d", { .offset = 24, .size = 4, .kind = FILTER_FIELD_DATA_LOC } },
		{ "r", { .offset = 28, .size = 4, .kind = FILTER_FIELD_REL_LOC } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!strcmp(fields[i].name, name)) {
			*desc = fields[i].desc;
			return 0;
		}
	}
	return -ENOENT;
}

static void judge(const char *text, const struct filter_env *env, const struct filter_sample *sample)
{
	static struct filter_table table;
	struct filter *filter;
	struct errmsg err;
	char *kernel;

	if (filter__parse(text, &filter, &err))
		return;
	if (env && !filter__to_kernel(filter, env, &kernel, &err))
		free(kernel);
	if (!filter__check(filter, env, &err) && !filter__lower(filter, &table, &err)) {
		filter_table__eval(&table, sample);
		filter_table__dump(&table, fuzz__sink());
	}
	filter__dump(filter, fuzz__sink());
	filter__delete(filter);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct filter_env tracepoint = { .find_field = find_field };
	size_t len = strnlen((const char *)data, size);
	char *text = fuzz__text(data, len);
	struct filter_sample sample;

	data += len < size ? len + 1 : len;
	size -= len < size ? len + 1 : len;
	fuzz__take(&data, &size, &sample, sizeof(sample));
	sample.file[FILTER_FILE_LEN - 1] = '\0';
	judge(text, NULL, &sample);
	judge(text, &tracepoint, &sample);
	free(text);
	return 0;
}

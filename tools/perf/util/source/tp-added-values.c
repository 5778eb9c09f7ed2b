// SPDX-License-Identifier: GPL-2.0
#include "util/source/tp-added-values.h"

#include <errno.h>
#include <string.h>
#include "util/bpf_skel/tp.h"
#include "util/event/tp-added.h"
#include "util/judge/kernel-walks.h"
#include "util/source/value-names.h"
#include "util/types/walk.h"

static bool has_field(void *tp, const char *name)
{
	struct filter_field_desc field;

	return !strcmp(name, TP_ADDED_MASK) || !tracepoint__find_field(tp, name, &field);
}

/* A text has the bytes of all its words, a number those that its type has in the kernel. */
static struct tp_added_field describe(const struct filter_reading *reading, const struct btf *types)
{
	const struct tally_value *value = &reading->value;
	const bool is_text = value->kind == TALLY_VALUE_WALK_TEXT;

	return (struct tp_added_field){
		.offset = TP_HEADER_SIZE + sizeof(u64) * (1 + value->at),
		.size = is_text ? value->words * sizeof(u64) : reading->walk.walk.size,
		.is_text = is_text,
		.is_signed = !is_text && reading->walk.is_signed,
		.is_address = !is_text && reading->walk.walk.size == sizeof(u64) && types && walk_value__is_pointer(types, reading->walk.type),
	};
}

static int add_fields(const struct tally_values *values, const struct tally_exprs *exprs, struct tracepoint *tp, u32 *size, struct errmsg *err)
{
	struct tp_added_field field[TALLY_MAX_VALUES];
	struct tp_added added = { .field = field, .nr = exprs->nr, .size = sizeof(u64) };
	char name[TALLY_MAX_VALUES][VALUE_NAME_LEN];
	int ret;

	value_names__fill(name, exprs->text, exprs->nr, has_field, tp);
	for (unsigned int i = 0; i < exprs->nr; i++) {
		const struct filter_reading *reading = tally_values__reading(values, i);

		field[i] = describe(reading, kernel_walks__types(tp));
		strcpy(field[i].name, name[i]);
		added.size += reading->value.words * sizeof(u64);
	}
	*size = added.size;
	ret = tracepoint__add_fields(tp, &added);
	if (ret == -EINVAL)
		return errmsg__set(err, EINVAL, "--fields: no fields can be added to the format of %s:%s, which has another form than others",
				   tracepoint__sys(tp), tracepoint__name(tp));
	return ret ? errmsg__set(err, ENOMEM, "out of memory for fields of records") : 0;
}

int tp_added_values__new(const struct evsel *evsel, const struct event_filter *filter, struct tally_values **values, u32 *size,
			 struct errmsg *err)
{
	struct tally_exprs exprs = { .nr = evsel->nr_fields, .option = "--fields", .walks_only = true };
	int ret;

	if (!exprs.nr)
		return 0;
	if (exprs.nr > TALLY_MAX_VALUES)
		return errmsg__set(err, EINVAL, "%s: --fields adds at most %d values: leave some out", evsel->name, TALLY_MAX_VALUES);
	for (unsigned int i = 0; i < exprs.nr; i++)
		exprs.text[i] = evsel->fields[i];
	ret = tally_values__new(&exprs, evsel, filter, values, err);
	return ret ?: add_fields(*values, &exprs, evsel->tp, size, err);
}

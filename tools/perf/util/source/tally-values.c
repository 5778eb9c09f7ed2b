// SPDX-License-Identifier: GPL-2.0
#include "util/source/tally-values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "util/bpf/token.h"
#include "util/event/probe.h"
#include "util/filter/filter.h"
#include "util/judge/kernel-walks.h"
#include "util/judge/tp-fields.h"
#include "util/symbol/kernel-names.h"

struct part {
	struct filter_reading reading;
	const char *text, *option; /* that it was named by */
};

struct tally_values {
	struct part part[TALLY_MAX_VALUES + 1]; /* as in tally_config.value */
	unsigned int nr, nr_walks, nr_fields, words;
	const struct tracepoint *tp; /* NULL: the event is none */
	struct tp_formats *formats;  /* of tp, to show its fields as it prints them; NULL: not needed */
	struct kernel_names *names;  /* once an address was shown */
	bool no_names;
};

#define SUM TALLY_MAX_VALUES

static bool is_walk(const struct filter_reading *reading)
{
	return reading->value.kind == TALLY_VALUE_WALK_NUMBER || reading->value.kind == TALLY_VALUE_WALK_TEXT;
}

/* Resolving */

/* Pointers among the arguments of a mark are known only by what they are compared with. */
static struct filter_env env_of(const struct evsel *evsel)
{
	const struct probe_place *probe = evsel->tp ? tracepoint__probe(evsel->tp) : NULL;

	if (evsel->tp)
		return tp_fields__env(evsel->tp, !probe || !probe->is_mark);
	return (struct filter_env){ .find_walk = kernel_walks__find_of_task, .walk_value = kernel_walks__value_of_task };
}

/* The bytes of an array of characters; 0: it is none. */
static u32 size_of_chars(const struct filter_reading *reading)
{
	const struct filter_walk *walk = &reading->walk.walk;

	if (reading->value.kind == TALLY_VALUE_FIELD_TEXT)
		return reading->field.kind == FILTER_FIELD_CHARS ? reading->field.size : 0;
	return walk->kind == FILTER_WALK_CHARS ? walk->size : 0;
}

/* A text takes its NUL, too. */
static unsigned int words_of(const struct filter_reading *reading)
{
	const u32 max = TALLY_TEXT_WORDS * sizeof(u64);
	u32 size;

	if (reading->value.kind == TALLY_VALUE_TERM || reading->value.kind == TALLY_VALUE_WALK_NUMBER)
		return 1;
	size = size_of_chars(reading);
	size = size && size < max ? size + 1 : max;
	return (size + sizeof(u64) - 1) / sizeof(u64);
}

/* Places among walks and fields are taken from the end: those of the filter begin at 0. */
static int place(struct tally_values *v, struct part *part, bool is_sum, struct errmsg *err)
{
	struct filter_reading *reading = &part->reading;
	struct tally_value *value = &reading->value;

	value->words = words_of(reading);
	value->at = is_sum ? TALLY_VALUE_WORDS : v->words;
	v->words += is_sum ? 0 : value->words;
	if (v->words > TALLY_VALUE_WORDS)
		return errmsg__set(err, EINVAL, "%s: these values take more than %d bytes: a number takes 8, a text up to %d. "
				   "Name fewer", part->option, 8 * TALLY_VALUE_WORDS, 8 * TALLY_TEXT_WORDS);
	if (is_walk(reading)) {
		value->index = FILTER_MAX_WALKS - ++v->nr_walks;
		if (value->kind == TALLY_VALUE_WALK_NUMBER)
			value->number.term = FILTER_TERM_WALK + value->index;
	} else if (value->kind == TALLY_VALUE_FIELD_TEXT) {
		value->index = FILTER_MAX_FIELDS - ++v->nr_fields;
	}
	return 0;
}

/* Programs on system calls and functions have their arguments, and no record with texts. */
static int check_text(const struct evsel *evsel, const struct part *part, struct errmsg *err)
{
	if (part->reading.value.kind != TALLY_VALUE_FIELD_TEXT || part->reading.field.kind == FILTER_FIELD_USER_TEXT ||
	    tracepoint__kind(evsel->tp) == TP_OTHER)
		return 0;
	return errmsg__set(err, EINVAL, "%s: %s: '%s' is a text of the record, of which BPF has only the arguments: name the one "
			   "that points to it, filename instead of __filename_val", evsel->name, part->option, part->text);
}

/* A word that is no value may be one of the other keys, misspelled. */
static void name_keys(const struct tally_exprs *exprs, const char *text, struct errmsg *err)
{
	const size_t len = strlen(err->text);

	if (exprs->keys && !strpbrk(text, ">.[("))
		snprintf(err->text + len, sizeof(err->text) - len, "\n--key also takes %s", exprs->keys);
}

static int refuse_term(const struct evsel *evsel, const struct part *part, struct errmsg *err)
{
	return errmsg__set(err, EINVAL, "%s: %s: '%s' is a term of filters. Name data of the kernel: task->prio, skb->dev->name", evsel->name,
			   part->option, part->text);
}

static int check_walk(const struct evsel *evsel, const struct part *part, struct errmsg *err)
{
	if (is_walk(&part->reading))
		return 0;
	if (!part->reading.is_field)
		return refuse_term(evsel, part, err);
	return errmsg__set(err, EINVAL, "%s: %s: '%s' is a field of the tracepoint, which its samples have anyway: leave it out", evsel->name,
			   part->option, part->text);
}

static int add(struct tally_values *v, unsigned int i, const struct tally_exprs *exprs, const struct evsel *evsel,
	       struct errmsg *err)
{
	const char *option = i == SUM ? exprs->sum_option : exprs->option;
	const struct filter_env env = env_of(evsel);
	struct part *part = &v->part[i];
	int ret;

	part->text = i == SUM ? exprs->sum : exprs->text[i];
	part->option = option;
	ret = filter__find_value(option, part->text, &env, i != SUM, &part->reading, err);
	if (ret == -EINVAL && exprs->walks_only && filter__has_task_term(part->text))
		return refuse_term(evsel, part, err);
	if (ret == -EINVAL) {
		errmsg__prefix(err, "%s", evsel->name);
		if (i != SUM)
			name_keys(exprs, part->text, err);
	}
	if (!ret && exprs->walks_only)
		ret = check_walk(evsel, part, err);
	return ret ?: check_text(evsel, part, err) ?: place(v, part, i == SUM, err);
}

static int check_room(const struct tally_values *v, const struct event_filter *filter, struct errmsg *err)
{
	const struct filter_table *table = filter->table ?: filter->tp_table;

	if (v->nr_walks && bpf_token__used())
		return errmsg__set(err, EINVAL, "a BPF token does not let anybody read the kernel's data. Run perf as root, or "
				   "with CAP_BPF and CAP_PERFMON");
	if (v->nr_walks + (table ? table->nr_walks : 0) > FILTER_MAX_WALKS)
		return errmsg__set(err, EINVAL, "filters, and what samples are counted by or get, have room for %d walks through the kernel's data "
				   "together: name fewer", FILTER_MAX_WALKS);
	if (v->nr_fields + (table ? table->nr_fields : 0) > FILTER_MAX_FIELDS)
		return errmsg__set(err, EINVAL, "filters, and what samples are counted by, have room for %d texts of fields together: name fewer",
				   FILTER_MAX_FIELDS);
	return 0;
}

static int load_formats(struct tally_values *v, struct errmsg *err)
{
	const char *format;
	bool has_field = false;
	size_t size;

	for (unsigned int i = 0; i < v->nr; i++)
		has_field |= v->part[i].reading.is_field && v->part[i].reading.value.kind == TALLY_VALUE_TERM;
	if (!has_field)
		return 0;
	v->formats = tp_formats__new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long));
	format = tracepoint__format(v->tp, &size);
	if (!v->formats || tp_formats__add(v->formats, tracepoint__sys(v->tp), format, size) == -ENOMEM)
		return errmsg__set(err, ENOMEM, "out of memory for the format of an event");
	return 0;
}

static int resolve(struct tally_values *v, const struct tally_exprs *exprs, const struct evsel *evsel,
		   const struct event_filter *filter, struct errmsg *err)
{
	int ret = 0;

	for (; v->nr < exprs->nr && !ret; v->nr++)
		ret = add(v, v->nr, exprs, evsel, err);
	if (!ret && exprs->sum)
		ret = add(v, SUM, exprs, evsel, err);
	return ret ?: check_room(v, filter, err) ?: load_formats(v, err);
}

int tally_values__new(const struct tally_exprs *exprs, const struct evsel *evsel, const struct event_filter *filter,
		      struct tally_values **values, struct errmsg *err)
{
	struct tally_values *v = calloc(1, sizeof(*v));
	int ret;

	if (!v)
		return errmsg__set(err, ENOMEM, "out of memory for values to count by");
	v->tp = evsel->tp;
	ret = resolve(v, exprs, evsel, filter, err);
	if (!ret)
		*values = v;
	else
		tally_values__delete(v);
	return ret;
}

void tally_values__delete(struct tally_values *v)
{
	if (!v)
		return;
	tp_formats__delete(v->formats);
	kernel_names__delete(v->names);
	free(v);
}

bool tally_values__is_walk(const char *text, const struct evsel *evsel)
{
	const struct filter_env env = env_of(evsel);
	struct filter_reading reading;
	struct errmsg unused;

	return !filter__find_value("", text, &env, false, &reading, &unused) && is_walk(&reading);
}

/* Placing */

u64 tally_values__sample_type(const struct tally_values *v)
{
	u64 type = 0;

	for (unsigned int i = 0; v && i < ARRAY_SIZE(v->part); i++)
		type |= v->part[i].reading.sample_type;
	return type;
}

u32 tally_values__arguments(const struct tally_values *v)
{
	u32 arguments = 0;

	for (unsigned int i = 0; v && i < ARRAY_SIZE(v->part); i++) {
		const struct filter_reading *reading = &v->part[i].reading;

		if (is_walk(reading) && reading->walk.walk.source != FILTER_WALK_TASK)
			arguments |= 1U << (reading->walk.walk.source - FILTER_WALK_ARGUMENT);
	}
	return arguments;
}

const struct filter_reading *tally_values__reading(const struct tally_values *v, unsigned int i)
{
	return &v->part[i].reading;
}

unsigned int tally_values__nr_walks(const struct tally_values *v)
{
	return v ? v->nr_walks : 0;
}

unsigned int tally_values__nr(const struct tally_values *v)
{
	return v ? v->nr : 0;
}

const char *tally_values__text(const struct tally_values *v, unsigned int i)
{
	return v->part[i].text;
}

void tally_values__configure(const struct tally_values *v, struct tally_config *config)
{
	const struct histogram_number *sum;

	if (!v)
		return;
	config->nr_values = v->nr;
	config->value_words = v->words;
	for (unsigned int i = 0; i < ARRAY_SIZE(v->part); i++)
		config->value[i] = v->part[i].reading.value;
	sum = &config->value[SUM].number;
	config->histogram.is_signed |= sum->is_signed || sum->offset < 0;
}

static u32 record_len(const struct filter_reading *reading)
{
	if (reading->value.kind == TALLY_VALUE_FIELD_TEXT)
		return (reading->field.offset + reading->field.size + 7) / 8 * 8;
	return histogram_number__record_len(&reading->value.number);
}

int tally_values__put(const struct tally_values *v, struct bpf_programs *programs, struct errmsg *err)
{
	struct filter_words *words = bpf_programs__var(programs, "filter_words", NULL);
	const u8 *reads = bpf_programs__sized_var(programs, "filter_reads", FILTER_TERM_MAX);

	for (unsigned int i = 0; v && i < ARRAY_SIZE(v->part); i++) {
		const struct filter_reading *reading = &v->part[i].reading;
		const struct tally_value *value = &reading->value;
		const u8 term = is_walk(reading) ? FILTER_TERM_WALK_HAS : value->number.term;

		if ((is_walk(reading) || value->kind == TALLY_VALUE_TERM) && !reads[term])
			return errmsg__set(err, EDOM, "%s: '%s' cannot be counted here: the program for this kernel and these options does not "
					   "read it. Leave it out", v->part[i].option, v->part[i].text);
		if (is_walk(reading))
			words->walk[value->index] = reading->walk.walk;
		else if (value->kind == TALLY_VALUE_FIELD_TEXT)
			words->field[value->index] = reading->field;
		if (record_len(reading) > words->record_len)
			words->record_len = record_len(reading);
	}
	return 0;
}

void tally_values__add_missing(const struct tally_values *v, struct filter_missing *missing, const u64 valueless[FILTER_MAX_WALKS])
{
	for (unsigned int i = 0; v && i < ARRAY_SIZE(v->part) && missing->nr < FILTER_MAX_WALKS; i++) {
		const struct part *part = &v->part[i];

		if (!is_walk(&part->reading))
			continue;
		snprintf(missing->walk[missing->nr].text, sizeof(missing->walk[0].text), "%s", part->text);
		missing->walk[missing->nr++].samples = valueless[part->reading.value.index];
	}
}

/* Showing */

static const struct kernel_name *name_of(struct tally_values *v, u64 address)
{
	struct errmsg unused;

	if (!v->names && !v->no_names)
		v->no_names = kernel_names__new(NULL, &v->names, &unused);
	return v->names ? kernel_names__find(v->names, address) : NULL;
}

#define LARGEST_FUNCTION (1 << 20) /* bytes: an address farther behind a symbol is in no function */

/* Functions of the kernel by their names, as %pS shows them; false: it is in none. */
static bool show_function(struct tally_values *v, u64 address, char *text, size_t size)
{
	const struct kernel_name *name = (s64)address < 0 ? name_of(v, address) : NULL;

	if (!name || !name->is_code || address - name->start >= LARGEST_FUNCTION)
		return false;
	if (address > name->start)
		snprintf(text, size, "%s+0x%" PRIx64, name->name, address - name->start);
	else
		snprintf(text, size, "%s", name->name);
	return true;
}

/* The name of a value of an enum; NULL: it is none, or has none. */
static const char *enum_name(const struct tally_values *v, const char *field, u64 number)
{
	const char *type = tracepoint__field_type(v->tp, field);
	const struct btf *btf = type && !strncmp(type, "enum ", 5) ? kernel_walks__types(v->tp) : NULL;
	const u32 id = btf ? walk_enum__find(btf, type) : 0;

	return id ? walk_enum__name(btf, id, number) : NULL;
}

/* As the tracepoint prints it, but values of an enum by their names, and numbers with a sign as such: system calls print all as hexadecimal. */
static void show_field(struct tally_values *v, const struct part *part, u64 number, char *text, size_t size)
{
	const struct filter_field_desc *field = &part->reading.field;
	u8 record[FILTER_RECORD_LEN] = { 0 };
	const u16 id = tracepoint__id(v->tp);
	const char *name = enum_name(v, part->text, number);

	if (field->size == sizeof(number) && !field->is_signed && show_function(v, number, text, size))
		return;
	if (name) {
		snprintf(text, size, "%s", name);
		return;
	}
	if (field->is_signed) {
		snprintf(text, size, "%" PRId64, number);
		return;
	}
	memcpy(record, &id, sizeof(id));
	if (field->size <= sizeof(number) && field->offset + field->size <= sizeof(record))
		memcpy(record + field->offset, &number, field->size); /* little endian */
	if (tp_formats__show(v->formats, record, sizeof(record), "", part->text, text, size))
		snprintf(text, size, "%" PRIu64, number);
}

static void show_walk(struct tally_values *v, const struct part *part, u64 number, char *text, size_t size)
{
	const struct type_walk *walk = &part->reading.walk;
	const struct btf *btf = kernel_walks__types(v->tp);
	const char *name = btf ? walk_enum__name(btf, walk->type, number) : NULL;

	if (name)
		snprintf(text, size, "%s", name);
	else if (walk->walk.size == sizeof(number) && !walk->is_signed && show_function(v, number, text, size))
		return;
	else if (btf && walk_value__is_pointer(btf, walk->type))
		snprintf(text, size, "0x%" PRIx64, number);
	else
		snprintf(text, size, walk->is_signed ? "%" PRId64 : "%" PRIu64, number);
}

void tally_values__show(struct tally_values *v, unsigned int i, u64 has, const u64 *words, char *text, size_t size)
{
	const struct part *part = &v->part[i];
	const struct tally_value *value = &part->reading.value;
	const u64 number = words[value->at];

	if (!(has >> i & 1))
		snprintf(text, size, TALLY_NO_VALUE);
	else if (value->kind == TALLY_VALUE_WALK_TEXT || value->kind == TALLY_VALUE_FIELD_TEXT)
		snprintf(text, size, "%.*s", (int)(value->words * sizeof(*words)), (const char *)(words + value->at));
	else if (value->kind == TALLY_VALUE_WALK_NUMBER)
		show_walk(v, part, number, text, size);
	else if (part->reading.is_field)
		show_field(v, part, number, text, size);
	else
		snprintf(text, size, value->number.is_signed || value->number.offset < 0 ? "%" PRId64 : "%" PRIu64, number);
}

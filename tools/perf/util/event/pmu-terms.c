// SPDX-License-Identifier: GPL-2.0
#include "util/event/pmu-terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/sample-terms.h"

#define GENERAL_TERMS "config, config1, config2, name, period, freq, " SAMPLE_TERMS

struct applier {
	struct evsel *evsel;
	const struct pmu *pmu;
	const struct spec_term *given;	/* all terms of the spec, for a named event with undefined terms */
	const char *text;		/* text for the locations of terms */
	struct errmsg *err;
};

static int no_memory(struct applier *a)
{
	return errmsg__set(a->err, ENOMEM, "out of memory");
}

/* Decimal or 0x; a term without value is a switch: 1. */
static int term_value(struct applier *a, const struct spec_term *term, u64 *value)
{
	char *end;

	*value = 1;
	if (!term->has_value)
		return 0;
	errno = 0;
	*value = strtoull(term->value.text, &end, 0);
	if (term->value.text[0] >= '0' && term->value.text[0] <= '9' && *end == '\0' && !errno)
		return 0;
	return spec__error(a->err, EINVAL, a->text, term->value.loc, errno ? "this number needs more than 64 bits" :
			   "'%s' needs a number, decimal or 0x...", term->name.text);
}

static int set_config(struct applier *a, const struct spec_term *term)
{
	struct perf_event_attr *attr = &a->evsel->attr;
	u64 value;
	int ret;

	if (!term->has_value)
		return spec__error(a->err, EINVAL, a->text, term->name.loc, "'%s' needs a value", term->name.text);
	ret = term_value(a, term, &value);
	if (ret)
		return ret;
	if (!strcmp(term->name.text, "config1"))
		attr->config1 = value;
	else if (!strcmp(term->name.text, "config2"))
		attr->config2 = value;
	else
		attr->config = value;
	return 0;
}

static int set_name(struct applier *a, const struct spec_term *term)
{
	char *name;

	if (!term->has_value || !*term->value.text)
		return spec__error(a->err, EINVAL, a->text, term->name.loc, "'name' needs a value");
	name = strdup(term->value.text);
	if (!name)
		return no_memory(a);
	free(a->evsel->name);
	a->evsel->name = name;
	a->evsel->has_name = true;
	return 0;
}

static int set_rate(struct applier *a, const struct spec_term *term)
{
	struct evsel *evsel = a->evsel;
	bool freq = !strcmp(term->name.text, "freq");
	u64 value;
	int ret;

	if (!term->has_value)
		return spec__error(a->err, EINVAL, a->text, term->name.loc, "'%s' needs a value", term->name.text);
	ret = term_value(a, term, &value);
	if (ret)
		return ret;
	if (!value)
		return spec__error(a->err, EINVAL, a->text, term->value.loc, "'%s' must be 1 or more", term->name.text);
	if (freq ? evsel->has_period : evsel->has_freq)
		return spec__error(a->err, EINVAL, a->text, term->name.loc, "an event has a period or a frequency, not both");
	evsel->has_freq = freq;
	evsel->has_period = !freq;
	evsel->attr.freq = freq;
	evsel->attr.sample_period = value; /* a union with sample_freq */
	return 0;
}

static const struct {
	const char *name;
	int (*apply)(struct applier *a, const struct spec_term *term);
} general_terms[] = {
	{ "config", set_config }, { "config1", set_config }, { "config2", set_config },
	{ "name", set_name },	  { "period", set_rate },    { "freq", set_rate },
};

/* Apply a term of the PMU's own. */
static int set_pmu_term(struct applier *a, const struct spec_term *term)
{
	struct errmsg why;
	u64 value;
	int ret = term_value(a, term, &value);

	if (ret)
		return ret;
	ret = pmu__set_term(a->pmu, term->name.text, value, &a->evsel->attr, &why);
	if (ret == -ENOENT)
		return spec__error(a->err, EINVAL, a->text, term->name.loc, "%s; general ones: " GENERAL_TERMS, why.text);
	if (ret)
		return spec__error(a->err, ret == -ERANGE ? EINVAL : -ret, a->text,
				   ret == -ERANGE ? term->value.loc : term->name.loc, "%s", why.text);
	return 0;
}

/* "r1a8" between slashes sets config as a whole. */
static bool set_raw(struct applier *a, const struct spec_term *term)
{
	const char *digits = term->name.text + 1;
	size_t nr;

	if (term->has_value || term->name.text[0] != 'r')
		return false;
	nr = strspn(digits, "0123456789abcdefABCDEF");
	if (!nr || nr > 16 || digits[nr])
		return false;
	a->evsel->attr.config = strtoull(digits, NULL, 16);
	return true;
}

static bool is_given(const struct applier *a, const char *name)
{
	for (const struct spec_term *term = a->given; term; term = term->next) {
		if (term->has_value && !strcmp(term->name.text, name))
			return true;
	}
	return false;
}

static bool is_config(const char *name)
{
	return !strcmp(name, "config") || !strcmp(name, "config1") || !strcmp(name, "config2");
}

/* Apply the terms of a named event; their locations refer to the text of its file. */
static int apply_event_terms(struct applier *a, const struct spec_term *event, const struct spec_term *terms, const char *text)
{
	struct applier inner = { .evsel = a->evsel, .pmu = a->pmu, .given = a->given, .text = text, .err = a->err };

	for (; terms; terms = terms->next) {
		int ret;

		/* "core=?": the user must give the value by a term with that name. */
		if (terms->has_value && !strcmp(terms->value.text, "?")) {
			if (is_given(a, terms->name.text))
				continue;
			return spec__error(a->err, EINVAL, a->text, event->name.loc, "'%s' needs a value for '%s', as in %s/%s,%s=1/",
					   event->name.text, terms->name.text, pmu__name(a->pmu), event->name.text,
					   terms->name.text);
		}
		ret = is_config(terms->name.text) ? set_config(&inner, terms) : set_pmu_term(&inner, terms);
		if (ret) {
			errmsg__prefix(a->err, "event '%s' of PMU '%s' in sysfs", event->name.text, pmu__name(a->pmu));
			return ret;
		}
	}
	return 0;
}

/* 1 if term names an event of the PMU, 0 if not, or -errno. */
static int set_named_event(struct applier *a, const struct spec_term *term)
{
	struct spec_term *terms = NULL;
	char *text;
	int ret;

	if (term->has_value)
		return 0;
	text = pmu__event_terms(a->pmu, term->name.text);
	if (!text && errno == ENOENT)
		return 0;
	if (!text)
		return spec__error(a->err, errno, a->text, term->name.loc, "event '%s' of PMU '%s' cannot be read: %s",
				   term->name.text, pmu__name(a->pmu), strerror(errno));
	ret = spec__parse_terms(text, &terms, a->err);
	if (ret)
		errmsg__prefix(a->err, "event '%s' of PMU '%s' in sysfs", term->name.text, pmu__name(a->pmu));
	else
		ret = apply_event_terms(a, term, terms, text);
	pmu__event_display(a->pmu, term->name.text, a->evsel->unit, sizeof(a->evsel->unit), &a->evsel->scale, &a->evsel->snapshot);
	spec_term__delete_list(terms);
	free(text);
	return ret ? ret : 1;
}

static int apply_term(struct applier *a, const struct spec_term *term)
{
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(general_terms); i++) {
		if (!strcmp(term->name.text, general_terms[i].name))
			return general_terms[i].apply(a, term);
	}
	ret = sample_term__apply(a->evsel, term, a->text, a->err);
	if (ret != -ENOENT)
		return ret;
	if (!a->pmu)
		return spec__error(a->err, EINVAL, a->text, term->name.loc, "unknown term '%s'; this event takes " GENERAL_TERMS,
				   term->name.text);
	ret = set_named_event(a, term);
	if (ret)
		return ret < 0 ? ret : 0;
	if (set_raw(a, term))
		return 0;
	return set_pmu_term(a, term);
}

int pmu_terms__apply(struct evsel *evsel, const struct pmu *pmu, const struct spec_term *terms, const char *text,
		     struct errmsg *err)
{
	struct applier a = { .evsel = evsel, .pmu = pmu, .given = terms, .text = text, .err = err };

	for (const struct spec_term *term = terms; term; term = term->next) {
		int ret = apply_term(&a, term);

		if (ret)
			return ret;
	}
	return 0;
}

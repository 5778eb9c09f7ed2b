// SPDX-License-Identifier: GPL-2.0
/* Resolves values of sym and dso to places of code: ranges of addresses in the kernel, or of offsets in mapped files. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "util/filter/check.h"

#define NEAR_MAX 3
#define FILE_MAX (FILTER_FILE_LEN - 1)

struct search {
	struct check *c;
	struct filter_test *test;
	const char *name; /* NULL: every symbol */
	bool pattern;
	unsigned int nr_found;
	struct filter_place *last; /* the place of the last symbol: the next symbol is often there, too */
};

static bool same_file(const struct filter_file_id *a, const struct filter_file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && !strncmp(a->name, b->name, FILTER_FILE_LEN);
}

static bool is_place(const struct filter_place *place, const struct filter_file_id *file)
{
	return file ? !place->kernel && same_file(&place->file, file) : place->kernel;
}

/* Get the test's place for this file; file NULL: in the kernel. NULL: out of memory. */
static struct filter_place *get_place(struct search *s, const struct filter_file_id *file)
{
	struct filter_place *place;

	if (s->last && is_place(s->last, file))
		return s->last;
	LL_FOREACH(s->test->places, place) {
		if (is_place(place, file))
			return place;
	}
	place = filter__alloc(s->c->filter, sizeof(*place));
	if (!place)
		return NULL;
	place->kernel = !file;
	if (file)
		place->file = *file;
	LL_APPEND(s->test->places, place);
	return place;
}

/* The allocated size is the next power of two. */
static int add_range(struct search *s, struct filter_place *place, u64 first, u64 last)
{
	struct filter_range *grown;

	if (!(place->nr & (place->nr - 1))) {
		grown = filter__alloc(s->c->filter, (place->nr ? 2 * place->nr : 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		if (place->nr)
			memcpy(grown, place->range, place->nr * sizeof(*grown));
		place->range = grown;
	}
	place->range[place->nr++] = (struct filter_range){ first, last };
	return 0;
}

/* Users may write the name of a C++ or Rust function without its parameters. */
static bool is_wanted(const struct search *s, const char *name)
{
	size_t len;

	if (!s->name)
		return true;
	if (s->pattern)
		return !fnmatch(s->name, name, 0);
	len = strlen(s->name);
	return !strncmp(s->name, name, len) && (!name[len] || name[len] == '(');
}

static int take_symbol(void *arg, const struct filter_symbol *sym)
{
	struct search *s = arg;

	if (!is_wanted(s, sym->name) || sym->first > sym->last)
		return 0;
	s->nr_found++;
	s->last = get_place(s, sym->file);
	return s->last ? add_range(s, s->last, sym->first, sym->last) : -ENOMEM;
}

static int by_first(const void *a, const void *b)
{
	const struct filter_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static void merge_ranges(struct filter_place *place)
{
	struct filter_range *r = place->range;
	unsigned int last = 0, i;

	if (!place->nr)
		return;
	qsort(r, place->nr, sizeof(*r), by_first);
	for (i = 1; i < place->nr; i++) {
		if (r[i].first > r[last].last && r[i].first - r[last].last > 1)
			r[++last] = r[i];
		else if (r[i].last > r[last].last)
			r[last].last = r[i].last;
	}
	place->nr = last + 1;
}

struct nearest {
	const struct filter_word *word;
	char *name[NEAR_MAX]; /* nearest first */
	unsigned int distance[NEAR_MAX];
};

static int note_nearest(void *arg, const struct filter_symbol *sym)
{
	struct nearest *n = arg;
	unsigned int len = strlen(sym->name), d, i, k;

	if (len > n->word->len + 3 || len + 3 < n->word->len)
		return 0;
	d = filter_word__distance(n->word, sym->name);
	if (d > 1 + n->word->len / 4)
		return 0;
	for (i = 0; i < NEAR_MAX && n->name[i]; i++) {
		if (!strcmp(n->name[i], sym->name))
			return 0;
	}
	for (i = 0; i < NEAR_MAX && n->name[i] && n->distance[i] <= d; i++)
		;
	if (i == NEAR_MAX)
		return 0;
	free(n->name[NEAR_MAX - 1]);
	for (k = NEAR_MAX - 1; k > i; k--) {
		n->name[k] = n->name[k - 1];
		n->distance[k] = n->distance[k - 1];
	}
	n->name[i] = strdup(sym->name);
	n->distance[i] = d;
	return 0;
}

static int no_such_symbol(struct check *c, const struct filter_word *whole, const char *name, const char *dso, const char *scope)
{
	struct filter_word word = { .text = name, .len = strlen(name) };
	struct nearest n = { .word = &word };
	char near[256] = "";
	const char *remedy;
	unsigned int i, len = 0;

	c->env->for_each_symbol(c->env->data, dso, note_nearest, &n, &scope, NULL);
	for (i = 0; i < NEAR_MAX && n.name[i]; i++) {
		if (len < sizeof(near))
			len += snprintf(near + len, sizeof(near) - len, "%s%s", i ? ", " : "; did you mean ", n.name[i]);
		free(n.name[i]);
	}
	remedy = len ? "?" : dso ? "" : "; those of another file are written FILE:NAME, as in libc.so.6:malloc";
	return word_error(c, whole, "is no function of %s%s%s", dso ? dso : scope, near, remedy);
}

static int search_symbols(struct search *s, const struct filter_word *word, const char *dso)
{
	struct check *c = s->c;
	const char *scope = "the kernel";
	struct filter_place *place;
	struct errmsg why = { "" };
	int rc;

	if (!c->env || !c->env->for_each_symbol)
		return filter__error(c->filter, word->loc, c->err, EINVAL, "symbols cannot be looked up here");
	rc = c->env->for_each_symbol(c->env->data, dso, take_symbol, s, &scope, &why);
	if (rc == -ENOMEM)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	if (rc)
		return filter__error(c->filter, word->loc, c->err, EINVAL, "%s", why.text);
	LL_FOREACH(s->test->places, place)
		merge_ranges(place);
	if (!s->nr_found && !s->name)
		return word_error(c, word, "is no module of the kernel that is loaded, nor [kernel.kallsyms]");
	return s->nr_found ? 0 : no_such_symbol(c, word, s->name, dso, scope);
}

/* The colon in "libc.so.6:malloc"; NULL: a name alone, in which "::" is a part. */
static char *find_colon(char *text)
{
	char *colon = strchr(text, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	return colon && colon != text && colon[1] ? colon : NULL;
}

int check__symbol(struct check *c, struct filter_test *test, struct filter_value *value)
{
	bool pattern = test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB;
	const struct filter_word *word = &value->lo;
	struct search s = { .c = c, .test = test, .pattern = pattern };
	char *text, *colon;
	int rc;

	if (value->range)
		return filter__error(c->filter, value->loc, c->err, EINVAL, "there are no ranges of symbols; '~' takes a pattern");
	rc = pattern ? check__pattern(c, word, UINT32_MAX, "") : check__literal(c, word);
	if (rc)
		return rc;
	text = pattern ? strndup(word->text, word->len) : filter_word__unescape(word);
	if (!text)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	colon = find_colon(text);
	if (colon)
		*colon = '\0';
	s.name = colon ? colon + 1 : text;
	rc = search_symbols(&s, word, colon ? text : NULL);
	free(text);
	return rc;
}

static int add_file(struct check *c, struct filter_test *test, const struct filter_value *value, const char *path)
{
	struct search s = { .c = c, .test = test };
	struct filter_file_id id = { 0 };
	struct errmsg why = { "" };

	if (!c->env || !c->env->identify_file)
		return filter__error(c->filter, value->loc, c->err, EINVAL, "files cannot be looked up here");
	if (c->env->identify_file(c->env->data, path, &id, &why))
		return filter__error(c->filter, value->loc, c->err, EINVAL, "%s", why.text);
	return get_place(&s, &id) ? 0 : errmsg__set(c->err, ENOMEM, "filter: out of memory");
}

static int check_file_name(struct check *c, struct filter_test *test, struct filter_value *value, const char *name)
{
	struct search s = { .c = c, .test = test };

	if (name[0] == '[') {
		if (c->env && c->env->for_each_symbol)
			return search_symbols(&s, &value->lo, name);
		return filter__error(c->filter, value->loc, c->err, EINVAL, "symbols cannot be looked up here");
	}
	if (name[0] == '/')
		return add_file(c, test, value, name);
	if (!name[0] || strchr(name, '/'))
		return word_error(c, &value->lo, "is neither the name of a file, such as libc.so.6, nor a path from '/' on");
	if (strlen(name) > FILE_MAX)
		return word_error(c, &value->lo, "is longer than %d bytes; give the file's path", FILE_MAX);
	memcpy(value->text, name, strlen(name)); /* the rest is already 0 */
	return 0;
}

int check__file(struct check *c, struct filter_test *test, struct filter_value *value)
{
	char *name;
	int rc;

	if (value->range)
		return filter__error(c->filter, value->loc, c->err, EINVAL, "there are no ranges of files; '~' takes a pattern");
	if (test->op == FILTER_OP_GLOB || test->op == FILTER_OP_NOT_GLOB)
		return check__pattern(c, &value->lo, FILTER_GLOB_MAX_ELEMENTS,
				      "is too long: a pattern of dso has at most 31 characters besides '*'");
	rc = check__literal(c, &value->lo);
	if (rc)
		return rc;
	name = filter_word__unescape(&value->lo);
	if (!name)
		return errmsg__set(c->err, ENOMEM, "filter: out of memory");
	rc = check_file_name(c, test, value, name);
	free(name);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0
/* Prints the stages of a filter: --dry-run -v. */
#include <inttypes.h>
#include <utlist.h>
#include "util/filter/terms.h"
#include "util/lib/advice.h"

/* Print quoted words as written. */
static void dump_word(const struct filter *f, const struct filter_word *word, FILE *fp)
{
	fwrite(f->text + word->loc.begin, 1, word->loc.end - word->loc.begin, fp);
}

static void dump_value(const struct filter *f, const struct filter_test *test, const struct filter_value *value,
		       FILE *fp)
{
	bool range = value->range;

	dump_word(f, &value->lo, fp);
	if (range) {
		fputs("..", fp);
		dump_word(f, &value->hi, fp);
	}
	if (!f->checked || test->term->kind == FILTER_KIND_COMM || test->term->kind == FILTER_KIND_FILE ||
	    test->term->kind == FILTER_KIND_SYMBOL || test->term->kind == FILTER_KIND_STRING ||
	    (test->term->kind == FILTER_KIND_FIELD && test->field.is_signed))
		return;
	if (range)
		fprintf(fp, " [%" PRIu64 "..%" PRIu64 "]", value->first, value->last);
	else
		fprintf(fp, " [%" PRIu64 "]", value->first);
}

#define RANGES_SHOWN 4

static void dump_place(const struct filter_place *place, FILE *fp)
{
	unsigned int i;

	fprintf(fp, " [%s", place->kernel ? "kernel" : place->file.name);
	for (i = 0; i < place->nr && i < RANGES_SHOWN; i++)
		fprintf(fp, " 0x%" PRIx64 "..0x%" PRIx64, (u64)place->range[i].first, (u64)place->range[i].last);
	if (i < place->nr)
		fprintf(fp, " and %u more range%s", place->nr - i, plural(place->nr - i));
	fputc(']', fp);
}

static void dump_test(const struct filter *f, const struct filter_test *test, FILE *fp)
{
	const struct filter_value *value;
	const struct filter_place *place;

	dump_word(f, &test->name, fp);
	if (test->op != FILTER_OP_NONE)
		fprintf(fp, " %s", filter_op__text(test->op));
	if (test->values)
		fputc(' ', fp);
	if (test->braces)
		fputc('{', fp);
	DL_FOREACH(test->values, value) {
		dump_value(f, test, value, fp);
		if (value->next)
			fputs(", ", fp);
	}
	if (test->braces)
		fputc('}', fp);
	LL_FOREACH(test->places, place)
		dump_place(place, fp);
	fputc('\n', fp);
}

static void dump_node(const struct filter *f, const struct filter_node *node, int depth, FILE *fp)
{
	static const char *const names[] = { [FILTER_AND] = "and", [FILTER_OR] = "or", [FILTER_NOT] = "not" };
	const struct filter_node *child;

	fprintf(fp, "%*s", 2 * depth, "");
	if (node->kind == FILTER_TEST) {
		dump_test(f, &node->test, fp);
		return;
	}
	fprintf(fp, "%s\n", names[node->kind]);
	DL_FOREACH(node->children, child)
		dump_node(f, child, depth + 1, fp);
}

void filter__dump(const struct filter *filter, FILE *fp)
{
	dump_node(filter, filter->root, 0, fp);
}

static void dump_field(const struct filter_entry *e, FILE *fp)
{
	const char *name = filter_slot__get(e->term)->name;

	if (e->term == FILTER_TERM_FIELD_TEXT || e->term == FILTER_TERM_FIELD_GLOB || e->term == FILTER_TERM_WALK_TEXT ||
	    e->term == FILTER_TERM_WALK_GLOB) {
		fprintf(fp, "%s(#%u, #%u)", name, e->shift >> FILTER_FIELD_SHIFT, e->shift & FILTER_FIELD_WHICH);
		return;
	}
	if (e->term >= FILTER_TERM_INDEXED) {
		fprintf(fp, "%s(%s%u)", name, e->term == FILTER_TERM_CGROUP_AT ? "level " : "#", e->shift);
		return;
	}
	fputs(name, fp);
	if (e->term >= FILTER_TERM_RECORD && e->term <= FILTER_TERM_RECORD_LAST)
		fprintf(fp, "[%u]", (e->term - FILTER_TERM_RECORD) * 8);
	if (e->term >= FILTER_TERM_WALK && e->term <= FILTER_TERM_WALK_LAST)
		fprintf(fp, "[%u]", e->term - FILTER_TERM_WALK);
	if (e->shift)
		fprintf(fp, " >> %u", e->shift);
	if (e->mask != UINT64_MAX)
		fprintf(fp, " & 0x%" PRIx64, (u64)e->mask);
}

static void dump_target(unsigned int target, FILE *fp)
{
	if (target == FILTER_ACCEPT)
		fputs("accept", fp);
	else if (target == FILTER_REJECT)
		fputs("reject", fp);
	else
		fprintf(fp, "%u", target);
}

static void dump_walk(const struct filter_walk *walk, unsigned int i, FILE *fp)
{
	static const char *const kinds[] = {
		[FILTER_WALK_NUMBER] = "number", [FILTER_WALK_DIRECT] = "number", [FILTER_WALK_CHARS] = "text", [FILTER_WALK_STRING] = "pointer to a text",
	};

	fprintf(fp, "walk[%u]: ", i);
	if (walk->source == FILTER_WALK_TASK)
		fputs("the current task", fp);
	else
		fprintf(fp, "argument %u", walk->source - FILTER_WALK_ARGUMENT + 1);
	for (unsigned int s = 0; s < walk->nr_steps; s++)
		fprintf(fp, ", pointer at +%u", walk->step[s]);
	if (walk->kind != FILTER_WALK_DIRECT)
		fprintf(fp, ", %s at +%u", kinds[walk->kind], walk->last);
	fprintf(fp, ", %u byte%s%s\n", walk->size, plural(walk->size), walk->swap ? " in the order of the network" : "");
}

void filter_table__dump(const struct filter_table *table, FILE *fp)
{
	static const char *const conds[] = { "never", "<", "==", "<=", ">", "!=", ">=", "always" };
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		const struct filter_entry *e = &table->entry[i];

		fprintf(fp, "%2u: ", i);
		dump_field(e, fp);
		fprintf(fp, " %s 0x%" PRIx64 " ? ", conds[e->cond & 7], (u64)e->value);
		dump_target(e->jt, fp);
		fputs(" : ", fp);
		dump_target(e->jf, fp);
		fputc('\n', fp);
	}
	for (i = 0; i < table->nr_walks; i++)
		dump_walk(&table->words.walk[i], i, fp);
}

static const struct filter_node *find_clause(const struct filter_node *node, unsigned int clause)
{
	const struct filter_node *child, *found = NULL;

	if (node->kind == FILTER_TEST)
		return node->test.index == clause ? node : NULL;
	DL_FOREACH(node->children, child) {
		found = find_clause(child, clause);
		if (found)
			break;
	}
	return found;
}

const char *filter__clause(const struct filter *filter, unsigned int clause, unsigned int *len)
{
	const struct filter_node *node = find_clause(filter->root, clause);
	struct filter_loc loc = node ? node->loc : (struct filter_loc){ 0, 0 };

	*len = loc.end - loc.begin;
	return filter->text + loc.begin;
}

const char *filter__walk(const struct filter *filter, const struct filter_table *table, unsigned int walk, unsigned int *len)
{
	const struct filter_node *node;
	unsigned int i;

	*len = 0;
	for (i = 0; i < table->nr; i++) {
		if (table->entry[i].term != FILTER_TERM_WALK_HAS || table->entry[i].shift != walk)
			continue;
		node = find_clause(filter->root, table->clause[i]);
		*len = node ? node->test.name.len : 0;
		return node ? node->test.name.text : "";
	}
	return "";
}

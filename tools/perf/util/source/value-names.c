// SPDX-License-Identifier: GPL-2.0
#include "util/source/value-names.h"

#include <stdio.h>
#include <string.h>
#include "util/filter/terms.h"
#include "util/types/walk.h"

struct namer {
	char (*name)[VALUE_NAME_LEN];
	unsigned int nr;
	bool (*is_taken)(void *data, const char *name);
	void *data;
};

static bool is_taken(const struct namer *n, const char *name)
{
	for (unsigned int i = 0; i < n->nr; i++) {
		if (!strcmp(n->name[i], name))
			return true;
	}
	return n->is_taken && n->is_taken(n->data, name);
}

/* Reports have keys of the names of terms. */
static bool is_term(const char *name)
{
	const struct filter_word word = { .text = name, .len = strlen(name) };

	return filter_term__find(&word);
}

static void give_name(const struct namer *n, const char *text, char *name)
{
	char whole[VALUE_NAME_LEN - 12]; /* and a number */

	walk__field_name(text, false, name, VALUE_NAME_LEN);
	if (!is_taken(n, name) && !is_term(name))
		return;
	walk__field_name(text, true, whole, sizeof(whole));
	snprintf(name, VALUE_NAME_LEN, "%s", whole);
	for (unsigned int i = 2; is_taken(n, name); i++)
		snprintf(name, VALUE_NAME_LEN, "%s_%u", whole, i);
}

void value_names__fill(char (*name)[VALUE_NAME_LEN], const char *const *text, unsigned int nr, bool (*taken)(void *data, const char *name),
		       void *data)
{
	struct namer n = { .name = name, .is_taken = taken, .data = data };

	for (; n.nr < nr; n.nr++)
		give_name(&n, text[n.nr], name[n.nr]);
}

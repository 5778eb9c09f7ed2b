// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/kernel-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/array.h"
#include "util/lib/text.h"
#include "util/symbol/symtab.h"

struct kernel_names {
	struct kernel_name *name; /* by address */
	size_t nr, room;
	struct text text; /* all names; until they are complete, name[].name is an offset in it */
};

static int add(void *data, u64 address, char type, const char *name, const char *module)
{
	struct kernel_names *names = data;

	if (array__grow(names->name, names->nr, names->room))
		return -ENOMEM;
	names->name[names->nr++] = (struct kernel_name){
		.start = address,
		.name = (const char *)names->text.len,
		.is_code = strchr("tTwW", type) != NULL,
	};
	text__put(&names->text, name, strlen(name) + 1);
	return names->text.failed ? -ENOMEM : 0;
}

/* Of several names at one address, that of kallsyms' first line comes last and is found: the table is stable by text. */
static int compare(const void *a, const void *b)
{
	const struct kernel_name *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name > y->name ? -1 : x->name < y->name;
}

int kernel_names__new(const char *path, struct kernel_names **result, struct errmsg *err)
{
	struct kernel_names *names = calloc(1, sizeof(*names));
	int ret;

	if (!names)
		return errmsg__set(err, ENOMEM, "out of memory for the kernel's symbols");
	ret = kallsyms__for_each(path, add, names, err);
	if (ret == -ENOMEM)
		errmsg__set(err, ENOMEM, "out of memory for the kernel's symbols");
	if (ret) {
		kernel_names__delete(names);
		return ret;
	}
	for (size_t i = 0; i < names->nr; i++)
		names->name[i].name = names->text.buf + (size_t)names->name[i].name;
	qsort(names->name, names->nr, sizeof(*names->name), compare);
	*result = names;
	return 0;
}

const struct kernel_name *kernel_names__find(const struct kernel_names *names, u64 address)
{
	size_t low = 0, high = names->nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (names->name[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &names->name[low - 1] : NULL;
}

const struct kernel_name *kernel_names__find_name(const struct kernel_names *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++) {
		if (!strcmp(names->name[i].name, name))
			return &names->name[i];
	}
	return NULL;
}

void kernel_names__delete(struct kernel_names *names)
{
	if (!names)
		return;
	free(names->name);
	text__exit(&names->text);
	free(names);
}

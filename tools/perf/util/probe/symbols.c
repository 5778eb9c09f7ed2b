// SPDX-License-Identifier: GPL-2.0
#include "util/probe/symbols.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include "util/event/function-name.h"

struct searching {
	const char *name;
	bool as_glob;
	int (*cb)(const struct symbol *sym, void *data);
	void *data;
	bool found;
};

static int search(struct searching *s, const struct symtab *tab)
{
	int ret = 0;

	for (u32 i = 0; i < symtab__nr(tab) && !ret; i++) {
		const struct symbol *sym = symtab__at(tab, i);

		if (sym->is_data || strstr(sym->name, "@plt") ||
		    (s->as_glob ? fnmatch(s->name, sym->name, 0) : strcmp(s->name, sym->name)))
			continue;
		s->found = true;
		ret = s->cb(sym, s->data);
	}
	return ret;
}

static int search_file(struct searching *s, const struct probe_wanted_symbol *wanted, bool short_names,
		       struct errmsg *err)
{
	const struct symtab_opts opts = { .opened = wanted->opened, .symfs = wanted->symfs, .short_names = short_names };
	struct symtab *tab;
	int ret = symtab__load_elf(wanted->path, NULL, &opts, &tab, err);

	if (ret)
		return ret;
	ret = search(s, tab);
	if (short_names && !s->found && !ret && function_name__is_glob(s->name)) {
		s->as_glob = true;
		ret = search(s, tab);
		s->as_glob = false;
	}
	symtab__delete(tab);
	return ret;
}

int probe_symbols__for_each(const struct probe_wanted_symbol *wanted, int (*cb)(const struct symbol *sym, void *data),
			    void *data, struct errmsg *err)
{
	struct searching s = { .name = wanted->name, .cb = cb, .data = data };
	int ret = search_file(&s, wanted, true, err);

	if (!ret && !s.found && strchr(wanted->name, '('))
		ret = search_file(&s, wanted, false, err);
	return !ret && !s.found ? -ENOENT : ret;
}

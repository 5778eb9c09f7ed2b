// SPDX-License-Identifier: GPL-2.0
#include "util/probe/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/probe/convert.h"
#include "util/probe/kernel.h"
#include "util/symbol/symtab.h"

struct probe_places {
	char *path; /* of the last file; NULL: the kernel, or none yet */
	bool is_open, has_debug;
	struct probe_debug debug;
	struct symtab *symbols;
	u64 text; /* of the kernel: _text in vmlinux, and of its symbols */
};

struct probe_places *probe_places__new(void)
{
	return calloc(1, sizeof(struct probe_places));
}

static void close_last(struct probe_places *places)
{
	if (places->has_debug)
		probe_debug__close(&places->debug);
	symtab__delete(places->symbols);
	free(places->path);
	*places = (struct probe_places){ 0 };
}

void probe_places__delete(struct probe_places *places)
{
	if (!places)
		return;
	close_last(places);
	free(places);
}

static bool is_last(const struct probe_places *places, const char *path)
{
	return places->is_open && (path ? places->path && !strcmp(places->path, path) : !places->path);
}

static void open_file(struct probe_places *places, const char *path)
{
	const struct probe_target target = { .exec = path };
	const struct symtab_opts opts = { .short_names = true };
	char *found = NULL;

	if (is_last(places, path))
		return;
	close_last(places);
	places->is_open = true;
	places->path = path ? strdup(path) : NULL;
	places->has_debug = !probe_target__open_debug(&target, &places->debug, &found, NULL);
	if (places->has_debug && !path)
		places->text = probe_kernel__text_of(found);
	if (path)
		symtab__load_elf(path, NULL, &opts, &places->symbols, NULL);
	else
		symtab__load_kallsyms(NULL, NULL, 0, &places->symbols, NULL);
	free(found);
}

/* By debug information */

struct row_search {
	u64 vaddr, first, line;
	const char *file;
};

static int keep_row(const struct probe_row *row, void *data)
{
	struct row_search *s = data;

	if (row->vaddr == s->vaddr && row->line >= s->first && !strcmp(row->file, s->file))
		s->line = row->line;
	return 0; /* the last row of an address has its line */
}

static char *name_by_line(struct probe_places *places, const struct probe_event *event, u64 vaddr)
{
	struct row_search s = { .vaddr = vaddr };
	struct probe_function function;
	const char *name, *file;
	char behind[32] = "", *text;
	u64 line = 0;

	if (!probe_debug__beginning_at(&places->debug, vaddr, &function))
		return NULL;
	name = dwarf_diename(&function.die);
	file = probe_function__declared(&function, &line);
	if (!name || !file)
		return NULL;
	if (vaddr != function.entry) {
		s.file = file;
		s.first = line;
		probe_debug__for_each_row(&places->debug, keep_row, &s);
		if (s.line)
			snprintf(behind, sizeof(behind), ":%" PRIu64, s.line - line);
		else
			snprintf(behind, sizeof(behind), "+%" PRIu64, vaddr - function.entry);
	}
	if (asprintf(&text, "%s%s%s@%s", name, behind, event->is_return ? "%return" : "", file) < 0)
		return NULL;
	return text;
}

/* By symbols */

static char *name_by_symbol(struct probe_places *places, const struct probe_event *event, u64 addr)
{
	const struct symbol *sym = places->symbols ? symtab__find(places->symbols, addr) : NULL;
	char behind[32] = "", *text;

	if (!sym)
		return NULL;
	if (addr != sym->start)
		snprintf(behind, sizeof(behind), "+%" PRIu64, addr - sym->start);
	return asprintf(&text, "%s%s%s", sym->name, behind, event->is_return ? "%return" : "") < 0 ? NULL : text;
}

static char *name_in_file(struct probe_places *places, const struct probe_event *event)
{
	const u64 offset = strtoull(event->place, NULL, 16);
	char *name = NULL;
	u64 vaddr;

	open_file(places, event->path);
	if (places->has_debug && elf_file__vaddr(&places->debug.file.runtime, offset, &vaddr))
		name = name_by_line(places, event, vaddr);
	return name ?: name_by_symbol(places, event, offset);
}

/* "_text+1234", "vfs_read", "vfs_read+4", "ext4:ext4_sync_fs+0", "0xffffffff81000000" */
static char *name_in_kernel(struct probe_places *places, const struct probe_event *event)
{
	const char *plus = strchr(event->place, '+');
	char *symbol = strndup(event->place, strcspn(event->place, "+")), *name = NULL;
	const u64 offset = plus ? strtoull(plus, NULL, 0) : 0;
	const struct symbol *sym;
	u64 addr;

	if (!symbol)
		return NULL;
	open_file(places, NULL);
	sym = places->symbols && !strchr(symbol, ':') ? symtab__find_name(places->symbols, symbol) : NULL;
	if (sym) {
		const struct symbol *text = symtab__find_name(places->symbols, "_text");

		addr = sym->start + offset;
		if (places->has_debug && places->text && text)
			name = name_by_line(places, event, addr - text->start + places->text);
		name = name ?: name_by_symbol(places, event, addr);
	}
	if (!name && asprintf(&name, "%s%s%s", symbol, offset ? plus : "", event->is_return ? "%return" : "") < 0)
		name = NULL;
	free(symbol);
	return name;
}

char *probe_places__name(struct probe_places *places, const struct probe_event *event)
{
	char *name = event->in_kernel ? name_in_kernel(places, event) : name_in_file(places, event);

	if (!name && asprintf(&name, "%s%s", event->place, event->is_return ? "%return" : "") < 0)
		return NULL;
	return name;
}

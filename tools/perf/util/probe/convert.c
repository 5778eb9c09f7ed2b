// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "probe"
#include "util/probe/convert.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/log.h"
#include "util/probe/convert-parts.h"
#include "util/probe/fetch.h"
#include "util/probe/kernel.h"
#include "util/probe/operand.h"
#include "util/probe/point.h"
#include "util/probe/symbols.h"
#include "util/probe/variable.h"
#include "util/symbol/probe-finder.h"

int probe_target__open_debug(const struct probe_target *target, struct probe_debug *debug, char **path, struct errmsg *err)
{
	if (target->exec || target->vmlinux)
		*path = strdup(target->exec ?: target->vmlinux);
	else
		*path = probe_kernel__find_vmlinux();
	if (!*path && errno == ENOENT)
		return errmsg__set(err, ENODATA, "Failed to find the path for the kernel: it has no vmlinux with debug information\n"
				   "Install the debuginfo package of the running kernel, or name its vmlinux with -k.");
	if (!*path)
		return errmsg__set(err, ENOMEM, "out of memory");
	return probe_debug__open(debug, &(struct probe_file){ *path, target->exec ? target->opened : NULL }, target->symfs, err);
}

/* "who:string" is who_string, as in other perfs; of members the last one's name. */
static char *name_of(const struct probe_operand *operand)
{
	const char *name = operand->name ?: operand->variable, *type = operand->type;
	char *text;

	for (unsigned int i = 0; i < operand->nr_members && !operand->name; i++) {
		name = operand->member[i].name ?: name;
		type = NULL;
	}
	if (operand->name || !type)
		return strdup(name);
	if (asprintf(&text, "%s_%s", name, type) < 0)
		return NULL;
	for (char *p = text; *p; p++)
		*p = strchr("@/[]%", *p) ? '_' : *p;
	return text;
}

struct arguments {
	struct probe_conversion *c;
	struct probe_debug *debug;
	const struct probe_point *point;
	struct probe_event *event;
	int ret;
};

/* Debug information says where variables are when the function begins. When it returns, only those are there that are in no register and no frame. */
static int check_returned(const struct probe_operand *operand, const char *text, struct errmsg *err)
{
	if (!memchr(text, '%', strcspn(text, ":")))
		return 0;
	return errmsg__set(err, EINVAL, "'%s' is gone when the function returns: record it in an event without %%return", operand->text);
}

static int add_variable(struct arguments *a, const struct probe_operand *operand)
{
	char *text, *name;
	int ret = probe_fetch__make(a->debug, a->point, operand, a->event->in_kernel, &text, a->c->err);

	if (!ret && a->event->is_return)
		ret = check_returned(operand, text, a->c->err);
	if (ret) {
		free(text);
		return ret;
	}
	name = name_of(operand);
	ret = name ? probe_event__add_argument(a->event, name, text) : probe_conversion__no_memory(a->c);
	free(name);
	free(text);
	return ret;
}

/* Of all variables, those that cannot be fetched here are left out. */
static int add_any(Dwarf_Die *variable, void *data)
{
	struct arguments *a = data;
	const char *name = dwarf_diename(variable);
	const struct probe_operand operand = { .kind = OPERAND_VARIABLE, .text = (char *)name, .variable = (char *)name };

	if (!probe_name__is_valid(name))
		return 0;
	a->ret = add_variable(a, &operand);
	if (a->ret == -ENOMEM)
		return a->ret;
	if (a->ret)
		pr_debug("%s is left out: %s\n", name, a->c->err->text);
	a->ret = 0;
	return 0;
}

static int add_operand(struct arguments *a, const struct probe_operand *operand)
{
	switch (operand->kind) {
	case OPERAND_RAW:
		return probe_conversion__add_raw(a->c, a->event, operand, a->point->at_entry);
	case OPERAND_VARIABLE:
		return add_variable(a, operand);
	case OPERAND_VARS:
	case OPERAND_PARAMS:
		if (a->event->is_return)
			return errmsg__set(a->c->err, EINVAL, "%s are gone when the function returns: write $retval", operand->variable);
		probe_variables__for_each(a->debug, a->point,
					  operand->kind == OPERAND_VARS ? SCOPE_LOCAL : SCOPE_PARAMETERS, add_any, a);
	}
	return a->ret;
}

static int add_operands(struct probe_conversion *c, struct probe_debug *debug, const struct probe_point *point, struct probe_event *event)
{
	struct arguments a = { c, debug, point, event, 0 };
	int ret = 0;

	for (unsigned int i = 0; i < c->def->nr_operands && !ret; i++)
		ret = add_operand(&a, &c->def->operand[i]);
	if (ret == -ENOMEM)
		return probe_conversion__no_memory(c);
	return ret ?: probe_event__check(event, c->err);
}

/* Places */

static int check_instruction(struct probe_conversion *c, struct probe_debug *debug, u64 vaddr, u64 offset)
{
	const struct probe_file file = probe_target__file(c->target);

	if (c->def->is_address)
		return probe_finder__check_address(&debug->code, &file, vaddr, c->def->is_return, c->err);
	return probe_finder__check_instruction(&file, offset - c->def->offset, c->def->offset, c->err);
}

static char *place_in_file(struct probe_conversion *c, struct probe_debug *debug, u64 vaddr)
{
	u64 offset;
	char *place;

	if (!elf_file__offset(&debug->file.runtime, vaddr, &offset)) {
		errmsg__set(c->err, EINVAL, "0x%" PRIx64 " is in no part of %s that is loaded", vaddr, c->target->exec);
		return NULL;
	}
	if (!probe_finder__is_code(&debug->code, vaddr)) {
		errmsg__set(c->err, EINVAL, "0x%" PRIx64 " is no code of %s", vaddr, c->target->exec);
		return NULL;
	}
	if (check_instruction(c, debug, vaddr, offset))
		return NULL;
	if (asprintf(&place, "0x%" PRIx64, offset) >= 0)
		return place;
	probe_conversion__no_memory(c);
	return NULL;
}

/* _text moves with the kernel. */
static char *place_in_kernel(struct probe_conversion *c, const char *vmlinux, u64 vaddr)
{
	const u64 text = probe_kernel__text_of(vmlinux);
	char *place;

	if (!text || vaddr < text) {
		errmsg__set(c->err, EINVAL, "%s has no symbol _text before 0x%" PRIx64, vmlinux, vaddr);
		return NULL;
	}
	if (asprintf(&place, "_text+%" PRIu64, vaddr - text) >= 0)
		return place;
	probe_conversion__no_memory(c);
	return NULL;
}

static void tell_skipped(u64 vaddr)
{
	pr_info("Target program is compiled without optimization. Skipping prologue.\n"
		"Probe on address 0x%" PRIx64 " to force probing at the function entry.\n\n", vaddr);
}

static int convert_point(struct probe_conversion *c, struct probe_debug *debug, const char *path, struct probe_point *point)
{
	const u64 entry = point->vaddr;
	struct probe_event *event;
	char *place;

	if (!c->target->exec && point->outer && probe_kernel__is_blacklisted(point->outer)) {
		pr_warn("%s is blacklisted function, skip it.\n", point->outer);
		return 0;
	}
	if (!c->def->is_address && !c->def->is_return && !c->def->has_line && !c->def->offset &&
	    probe_variables__need_frame(debug, point, c->def) && probe_point__skip_frame(point, debug))
		tell_skipped(entry);
	place = c->target->exec ? place_in_file(c, debug, point->vaddr) : place_in_kernel(c, path, point->vaddr);
	if (!place)
		return -EINVAL;
	event = probe_conversion__add(c, point->function ?: "abs", place);
	return event ? add_operands(c, debug, point, event) : probe_conversion__no_memory(c);
}

#define FOUND_SYMBOL 1

static int found_symbol(const struct symbol *sym, void *data)
{
	return FOUND_SYMBOL;
}

/* Is a function without debug information to have variables? */
static int refuse_variables(struct probe_conversion *c)
{
	const struct probe_wanted_symbol wanted = { c->target->exec, c->target->opened, c->target->symfs, c->def->function };
	struct errmsg unused;

	if (!c->target->exec || !c->def->function || !probe_definition__has_variables(c->def) ||
	    probe_symbols__for_each(&wanted, found_symbol, NULL, &unused) != FOUND_SYMBOL)
		return -ENOENT;
	return errmsg__set(c->err, ENOENT, "%s is in the symbol table, but the debug information of %s lacks it: its variables are unknown",
			   c->def->function, c->target->exec);
}

/* Others may do: those of the compiled function have all parameters. */
static void name_place(struct probe_conversion *c, const struct probe_points *points, const struct probe_point *point)
{
	bool others = false;
	const struct errmsg why = *c->err;

	for (unsigned int i = 0; i < points->nr && !point->at_entry; i++)
		others |= points->point[i].at_entry;
	errmsg__set(c->err, ENOENT, "%s\n At 0x%" PRIx64 " in %s, one of %u places.%s", why.text, point->vaddr, point->outer ?: "?", points->nr,
		    others && !c->target->no_inlines ? " --no-inlines leaves out those where the function is inlined." : "");
}

static int convert_points(struct probe_conversion *c, struct probe_debug *debug, const char *path)
{
	const struct probe_point_opts opts = { c->target->max_points, c->target->no_inlines, c->target->source };
	const size_t before = c->events->nr;
	struct probe_points points;
	int ret = probe_points__find(&points, debug, c->def, &opts, c->err);

	if (ret == -ENOENT)
		ret = refuse_variables(c);
	for (unsigned int i = 0; i < points.nr && !ret; i++) {
		ret = convert_point(c, debug, path, &points.point[i]);
		if (ret && ret != -ENOMEM && points.nr > 1)
			name_place(c, &points, &points.point[i]);
	}
	probe_points__exit(&points);
	if (!ret && c->events->nr == before)
		ret = errmsg__set(c->err, ENOENT, "Probe point '%s' not found.", c->def->function ?: c->def->file);
	return ret;
}

static int convert_without(struct probe_conversion *c, const struct errmsg *why)
{
	if (c->target->exec)
		return probe_conversion__by_symbols(c);
	return probe_conversion__by_kallsyms(c, why);
}

static int convert_symbol(struct probe_conversion c, const struct errmsg *why)
{
	struct errmsg unused;

	c.err = &unused;
	return convert_without(&c, why);
}

/* Functions of assembler, for one, are in the symbol table only. */
static bool may_be_symbol(const struct probe_conversion *c, int error)
{
	return error == -ENOENT && c->def->function && !c->def->is_address && !probe_definition__needs_debug_info(c->def);
}

static int convert_by_debug(struct probe_conversion *c)
{
	struct probe_debug debug;
	struct errmsg why = { "" };
	char *path;
	int ret = c->target->module ? -ENODATA : probe_target__open_debug(c->target, &debug, &path, &why);

	if (c->target->module) {
		errmsg__set(&why, ENODATA, "Debug information of the kernel's modules is not read.");
		path = NULL;
	}
	if (ret == -ENODATA && (!probe_definition__needs_debug_info(c->def) || (!c->target->exec && !c->target->vmlinux))) {
		ret = convert_without(c, &why);
	} else if (ret) {
		errmsg__set(c->err, -ret, "%s", why.text);
	} else {
		const size_t before = c->events->nr;

		ret = probe_finder__check_machine(&debug.code, path, c->err) ?: convert_points(c, &debug, path);
		probe_debug__close(&debug);
		if (may_be_symbol(c, ret) && c->events->nr == before && !convert_symbol(*c, &why))
			ret = 0;
	}
	free(path);
	return ret;
}

/* Where the kernel's parser ends a path: its isspace() takes 0xa0, too, as in "à" of UTF-8. # begins a comment. */
static bool ends_path(u8 c)
{
	return isspace(c) || c == 0xa0 || c == '#';
}

/* Of ASCII, or U+0080 to U+009F. The kernel would take them, but its list of events is printed by others, too. */
static bool is_control(const u8 *c)
{
	return iscntrl(c[0]) || (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
}

static int check_path(const struct probe_conversion *c)
{
	const u8 *path = (const u8 *)(c->target->raw ?: c->target->exec);

	for (; path && *path; path++) {
		if (ends_path(*path) || is_control(path))
			return errmsg__set(c->err, EINVAL, "The kernel takes no path with blanks, # or control characters: %s", c->target->exec);
	}
	return 0;
}

static int check_return(const struct probe_conversion *c)
{
	const struct probe_file exec = probe_target__file(c->target);
	struct elf_file file;
	struct errmsg unused;
	int ret;

	if (!exec.path || !c->def->is_return || c->target->force || probe_finder__open(&exec, &file, &unused))
		return 0;
	ret = probe_finder__check_return(&file, exec.path, "-f", c->err);
	elf_file__close(&file);
	return ret;
}

int probe_convert(const struct probe_target *target, const struct probe_definition *def, size_t number, struct probe_events *events,
		  struct errmsg *err)
{
	struct probe_conversion c = { target, def, number, events, err };
	int ret = check_path(&c) ?: check_return(&c);

	if (ret)
		return ret;
	return def->mark ? probe_conversion__of_mark(&c) : convert_by_debug(&c);
}

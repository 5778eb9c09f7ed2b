// SPDX-License-Identifier: GPL-2.0
/* Events without debug information: symbols of files, kallsyms and BTF of the kernel, notes of SDT marks. */
#define LOG_DOMAIN "probe"
#include "util/lib/advice.h"
#include "util/probe/convert-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/event/function-name.h"
#include "util/lib/log.h"
#include "util/probe/kernel.h"
#include "util/probe/symbols.h"
#include "util/symbol/probe-finder.h"

static int check_number(struct probe_conversion *c, size_t nr)
{
	if (!c->target->max_points || nr <= c->target->max_points)
		return 0;
	return errmsg__set(c->err, E2BIG, "Too many( > %u) probe point found.", c->target->max_points);
}

/* Programs */

static int add_at_offset(struct probe_conversion *c, const char *function, u64 offset)
{
	struct probe_event *event;
	char *place;
	int ret = 0;

	if (asprintf(&place, "0x%" PRIx64, offset) < 0)
		place = NULL;
	event = probe_conversion__add(c, function, place);
	if (!event)
		return probe_conversion__no_memory(c);
	for (unsigned int i = 0; i < c->def->nr_operands && !ret; i++)
		ret = probe_conversion__add_raw(c, event, &c->def->operand[i], !c->def->offset);
	return ret ?: probe_event__check(event, c->err);
}

struct adding {
	struct probe_conversion *c;
	size_t nr;
};

static int add_symbol(const struct symbol *sym, void *data)
{
	struct adding *a = data;
	struct probe_conversion *c = a->c;
	const struct probe_file file = probe_target__file(c->target);
	const u64 offset = c->def->offset;

	if (offset && offset >= sym->end - sym->start)
		return errmsg__set(c->err, EINVAL, "'%s' of %s has %" PRIu64 " byte%s only", sym->name, c->target->exec,
				   sym->end - sym->start, plural(sym->end - sym->start));
	return check_number(c, ++a->nr) ?: probe_finder__check_instruction(&file, sym->start, offset, c->err) ?:
					   add_at_offset(c, sym->name, sym->start + offset);
}

/* All functions with the name, or those that fit a glob */
static int add_all(struct probe_conversion *c)
{
	const struct probe_wanted_symbol wanted = { c->target->exec, c->target->opened, c->target->symfs, c->def->function };
	struct adding a = { .c = c };
	int ret = probe_symbols__for_each(&wanted, add_symbol, &a, c->err);

	return ret == -ENOENT && !a.nr ? errmsg__set(c->err, ENOENT, "Probe point '%s' not found.", c->def->function)
				       : ret;
}

int probe_conversion__by_symbols(struct probe_conversion *c)
{
	const struct probe_spec spec = {
		.kind = c->def->is_return ? PROBE_USER_RETURN : PROBE_USER,
		.path = (char *)c->target->exec,
		.opened = c->target->opened,
		.name = c->def->function,
		.is_symbol = !c->def->is_address,
		.offset = c->def->offset,
		.force = true, /* probe_convert() has checked it */
	};
	struct probe_place place;
	int ret;

	if (function_name__is_glob(c->def->function) || function_name__is_demangled(c->def->function)) {
		ret = add_all(c);
		if (ret != -ENOENT || function_name__is_glob(c->def->function))
			return ret;
	}
	ret = probe_finder__find(&spec, &place, c->err);
	if (!ret)
		ret = add_at_offset(c, c->def->function, place.offset[0]);
	probe_place__exit(&place);
	return ret == -ENOTUNIQ ? add_all(c) : ret;
}

/* Marks */

static int add_mark(struct probe_conversion *c, const struct probe_place *at, unsigned int nr)
{
	char *place, semaphore[32] = "", text[PROBE_FETCH_LEN + 8];
	struct probe_event *event;
	int ret = 0;

	if (at->semaphore)
		snprintf(semaphore, sizeof(semaphore), "(0x%" PRIx64 ")", at->semaphore);
	if (asprintf(&place, "0x%" PRIx64 "%s", at->offset[nr], semaphore) < 0)
		place = NULL;
	event = probe_conversion__add(c, c->def->mark, place);
	if (!event)
		return probe_conversion__no_memory(c);
	if (!c->def->group) {
		free(event->group);
		snprintf(text, sizeof(text), "sdt_%s", c->def->provider);
		event->group = probe_event__name_of(text, "");
	}
	for (unsigned int i = 0; i < at->nr_arguments && !ret && !c->def->nr_operands; i++) {
		const struct probe_argument *arg = &at->argument[i];
		bool is_signed;
		u8 size;
		const char *fetch = probe_place__fetch(at, i, nr, &size, &is_signed);

		if (arg->is_hidden)
			continue;
		snprintf(text, sizeof(text), "%s:%c%u", fetch, is_signed ? 's' : 'u', size * 8U);
		ret = probe_event__add_argument(event, arg->name, text);
	}
	for (unsigned int i = 0; i < c->def->nr_operands && !ret; i++) {
		if (c->def->operand[i].kind != OPERAND_RAW)
			return errmsg__set(c->err, EINVAL, "SDT events have no variables: %s", c->def->operand[i].text);
		ret = probe_conversion__add_raw(c, event, &c->def->operand[i], false);
	}
	return ret || event->group ? ret : -ENOMEM;
}

int probe_conversion__of_mark(struct probe_conversion *c)
{
	struct probe_spec spec = {
		.kind = PROBE_SDT,
		.path = (char *)c->target->exec,
		.opened = c->target->opened,
		.provider = c->def->provider,
		.name = c->def->mark,
	};
	struct probe_place place;
	int ret;

	if (!c->target->exec)
		return errmsg__set(c->err, EINVAL, "Name the program or library of the SDT event with -x: its notes are read, there is no cache of them.");
	if (!c->def->provider)
		return errmsg__set(c->err, EINVAL, "Write the provider, too: %%sdt_PROVIDER:%s", c->def->mark);
	ret = probe_finder__find(&spec, &place, c->err);
	for (unsigned int i = 0; i < place.nr_missing && !ret && !c->def->nr_operands; i++)
		pr_warn("arg%u of %s:%s is left out: %s\n", place.missing[i].number, c->def->provider, c->def->mark, place.missing[i].why);
	for (unsigned int i = 0; i < place.nr_offsets && !ret; i++)
		ret = add_mark(c, &place, i);
	probe_place__exit(&place);
	return ret == -ENOMEM ? probe_conversion__no_memory(c) : ret;
}

/* The kernel */

static int add_by_btf(struct probe_conversion *c, struct probe_event *event, const struct probe_argument *arg, const struct probe_operand *operand)
{
	const char *type = operand ? operand->type : NULL;
	const bool is_string = type && (!strcmp(type, "string") || !strcmp(type, "ustring"));
	char text[2 * PROBE_FETCH_LEN], name[PROBE_NAME_LEN + 16], own[8];

	snprintf(own, sizeof(own), "%c%u", arg->is_signed ? 's' : 'x', arg->size * 8U);
	if (is_string)
		snprintf(text, sizeof(text), "+%s0(%s):%s", operand->is_user ? "u" : "", arg->fetch, type);
	else
		snprintf(text, sizeof(text), "%s:%s", arg->fetch, type ?: own);
	snprintf(name, sizeof(name), "%s%s%s", arg->name, type ? "_" : "", type ?: "");
	return probe_event__add_argument(event, operand && operand->name ? operand->name : name, text);
}

static bool is_known(const struct probe_argument *arg)
{
	return !arg->is_hidden && strcmp(arg->name, arg->alias);
}

static int add_one_by_btf(struct probe_conversion *c, struct probe_event *event, const struct probe_place *place,
			  const struct probe_operand *operand, const struct errmsg *no_debug)
{
	if (operand->nr_members)
		return errmsg__set(c->err, ENODATA, "%s\n '%s' has members, which need debug information.", no_debug->text, operand->text);
	for (unsigned int i = 0; i < place->nr_arguments; i++) {
		if (is_known(&place->argument[i]) && !strcmp(place->argument[i].name, operand->variable))
			return add_by_btf(c, event, &place->argument[i], operand);
	}
	return errmsg__set(c->err, ENOENT, "Failed to find '%s' in this function.", operand->variable);
}

static int add_params(struct probe_conversion *c, struct probe_event *event, const struct probe_place *place)
{
	int ret = 0;

	for (unsigned int i = 0; i < place->nr_arguments && !ret; i++) {
		if (is_known(&place->argument[i]))
			ret = add_by_btf(c, event, &place->argument[i], NULL);
	}
	return ret;
}

/* A clone of a function (f.constprop.0) may have other parameters than BTF says. */
static int add_operands(struct probe_conversion *c, struct probe_event *event, const struct probe_kernel_function *function,
			const struct errmsg *no_debug)
{
	const struct probe_spec spec = { .kind = PROBE_KERNEL, .name = function->name, .offset = c->def->offset };
	const bool is_certain = !c->def->is_return && !c->def->offset && !function->is_ambiguous && !strchr(function->name, '.');
	struct probe_place place = { .in_kernel = true };
	int ret = 0;

	if (is_certain && probe_definition__has_variables(c->def))
		probe_kernel__add_arguments(&spec, &place);
	for (unsigned int i = 0; i < c->def->nr_operands && !ret; i++) {
		const struct probe_operand *operand = &c->def->operand[i];

		if (operand->kind == OPERAND_RAW)
			ret = probe_conversion__add_raw(c, event, operand, !c->def->offset);
		else if (operand->kind == OPERAND_VARIABLE)
			ret = add_one_by_btf(c, event, &place, operand, no_debug);
		else if (operand->kind == OPERAND_PARAMS)
			ret = add_params(c, event, &place);
		else
			ret = errmsg__set(c->err, ENODATA, "%s\n $vars needs debug information; $params is known without.", no_debug->text);
	}
	return ret == -ENOMEM ? probe_conversion__no_memory(c) : ret ?: probe_event__check(event, c->err);
}

static char *place_of(const struct probe_conversion *c, const struct probe_kernel_functions *functions, const struct probe_kernel_function *f)
{
	char *place;
	int ret;

	if (f->is_ambiguous && functions->text && !c->target->module)
		ret = asprintf(&place, "_text+%" PRIu64, f->addr - functions->text + c->def->offset);
	else
		ret = asprintf(&place, "%s%s%s+%" PRIu64, c->target->module ?: "", c->target->module ? ":" : "", f->name, c->def->offset);
	return ret < 0 ? NULL : place;
}

static int add_functions(struct probe_conversion *c, const struct probe_kernel_functions *functions, const struct errmsg *no_debug)
{
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < functions->nr && !ret; i++) {
		const struct probe_kernel_function *f = &functions->function[i];
		struct probe_event *event;

		if (probe_kernel__is_blacklisted(f->name)) {
			pr_warn("%s is blacklisted function, skip it.\n", f->name);
			continue;
		}
		ret = check_number(c, ++nr);
		if (ret)
			break;
		event = probe_conversion__add(c, f->name, place_of(c, functions, f));
		ret = event ? add_operands(c, event, f, no_debug) : probe_conversion__no_memory(c);
	}
	if (!ret && !nr)
		ret = errmsg__set(c->err, ENOENT, "Probe point '%s' not found.", c->def->function);
	return ret;
}

static bool has_lines(const struct probe_definition *def)
{
	return !def->function || def->file || def->pattern || (def->has_line && def->line);
}

int probe_conversion__by_kallsyms(struct probe_conversion *c, const struct errmsg *no_debug)
{
	struct probe_kernel_functions functions;
	int ret;

	if (has_lines(c->def))
		return errmsg__set(c->err, ENODATA, "%s", no_debug->text);
	if (c->def->is_address)
		return errmsg__set(c->err, EINVAL, "Addresses of the kernel change: take FUNCTION+OFFSET");
	ret = probe_kernel_functions__find(&functions, c->def->function, c->target->module, c->err);
	if (!ret && !functions.nr)
		ret = errmsg__set(c->err, ENOENT, "Failed to find symbol %s in %s", c->def->function, c->target->module ?: "kernel");
	ret = ret ?: add_functions(c, &functions, no_debug);
	probe_kernel_functions__exit(&functions);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/probe-args.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "util/lib/types.h"
#include "util/symbol/dwarf-file.h"
#include "util/symbol/dwarf-type.h"
#include "util/symbol/dwarf-units.h"
#include "util/symbol/dwarf-vars.h"
#include "util/symbol/probe-finder.h"

/* By the rules for calls (psABI); names as in tracefs. */
static const char *const call_registers[] = {
#if defined(__x86_64__)
	"%di", "%si", "%dx", "%cx", "%r8", "%r9",
#elif defined(__aarch64__)
	"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7",
#endif
};

const char *probe_args__dwarf_register(int nr, char buf[8])
{
#if defined(__x86_64__)
	static const char *const names[] = {
		"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};

	if (nr < 0 || nr >= (int)ARRAY_SIZE(names))
		return NULL;
	snprintf(buf, 8, "%%%s", names[nr]);
	return buf;
#elif defined(__aarch64__)
	if (nr < 0 || nr > 31)
		return NULL;
	snprintf(buf, 8, nr == 31 ? "%%sp" : "%%x%d", nr);
	return buf;
#else
	return NULL;
#endif
}

const char *probe_args__register(unsigned int nr)
{
	return nr < ARRAY_SIZE(call_registers) ? call_registers[nr] : NULL;
}

static struct probe_argument *add(struct probe_place *place)
{
	return place->nr_arguments < PROBE_MAX_FIELDS ? &place->argument[place->nr_arguments++] : NULL;
}

void probe_args__add_registers(struct probe_place *place)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(call_registers); i++) {
		struct probe_argument *arg = add(place);

		if (!arg)
			return;
		*arg = (struct probe_argument){ .size = 8, .is_hex = true };
		snprintf(arg->name, sizeof(arg->name), "arg%u", i + 1);
		snprintf(arg->fetch, sizeof(arg->fetch), "%s", call_registers[i]);
	}
}

void probe_args__add_returned(struct probe_place *place, u8 size, bool is_signed, bool is_hex)
{
	struct probe_argument *arg = add(place);

	if (!arg)
		return;
	*arg = (struct probe_argument){ .name = "retval", .fetch = "$retval", .size = size, .is_signed = is_signed, .is_hex = is_hex };
}

/* Where a call leaves its return address on the stack, that is gone when the function has returned. */
#if defined(__x86_64__)
#define RETURN_ADDRESS "-8"
#else
#define RETURN_ADDRESS ""
#endif

void probe_args__add_frame(struct probe_place *place)
{
	struct probe_argument *arg = add(place);

	if (!arg)
		return;
	*arg = (struct probe_argument){ .name = PROBE_FRAME, .size = 8, .is_hex = true, .is_hidden = true };
	snprintf(arg->fetch, sizeof(arg->fetch), "%%sp%s", place->is_return ? RETURN_ADDRESS : "");
}

/* By debug information */

enum class { CLASS_INTEGER, CLASS_FLOAT, CLASS_OTHER }; /* how calls pass a type */

static enum class classify_base(Dwarf_Die *type, struct probe_argument *arg)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	if (dwarf_formudata(dwarf_attr_integrate(type, DW_AT_encoding, &attr), &encoding))
		return CLASS_OTHER;
	arg->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (encoding == DW_ATE_float)
		return CLASS_FLOAT;
	return arg->is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char || encoding == DW_ATE_boolean ||
	       encoding == DW_ATE_UTF ? CLASS_INTEGER : CLASS_OTHER;
}

static bool is_character(Dwarf_Die *pointer)
{
	Dwarf_Die target;
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	return dwarf_type__target(pointer, &target) && dwarf_type__peel(&target, &target) && dwarf_tag(&target) == DW_TAG_base_type &&
	       !dwarf_formudata(dwarf_attr_integrate(&target, DW_AT_encoding, &attr), &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static enum class classify(Dwarf_Die *type, struct probe_argument *arg)
{
	Dwarf_Die peeled;
	u64 size;

	if (!type || !dwarf_type__peel(type, &peeled) || !dwarf_type__size(&peeled, &size))
		return CLASS_OTHER;
	arg->size = size;
	switch (dwarf_tag(&peeled)) {
	case DW_TAG_pointer_type:
		arg->is_text = is_character(&peeled);
		/* fall through */
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		arg->is_hex = true;
		return CLASS_INTEGER;
	case DW_TAG_enumeration_type:
		return CLASS_INTEGER;
	case DW_TAG_base_type:
		return size == 1 || size == 2 || size == 4 || size == 8 ? classify_base(&peeled, arg) : CLASS_OTHER;
	}
	return CLASS_OTHER;
}

struct adding {
	struct probe_place *place;
	const struct probe_code *code;
	unsigned int nr;	/* parameters so far */
	unsigned int nr_integers; /* of these passed in registers for integers; */
	bool lost;		/* unless what came before has unknown registers */
};

/* Clones of a function (f.constprop.0) may lack parameters, so that the others are elsewhere. */
static bool is_clone(const struct probe_code *code)
{
	return strchr(code->name, '.');
}

/*
 * Code without optimisation says that parameters are in the function's frame, where they are not yet at its begin: then they are
 * where the caller has put them.
 */
static bool fetch(const struct adding *a, const struct dwarf_parameter *p, unsigned int integer, struct probe_argument *arg)
{
	const char *by_call = a->code->at_begin && !a->lost && !is_clone(a->code) ? probe_args__register(integer) : NULL;
	char buf[8];
	const char *reg = p->kind == PARAMETER_UNKNOWN ? NULL : probe_args__dwarf_register(p->reg, buf);

	if (p->kind == PARAMETER_REGISTER && reg) {
		snprintf(arg->fetch, sizeof(arg->fetch), "%s", reg);
		return true;
	}
	if (by_call) {
		snprintf(arg->fetch, sizeof(arg->fetch), "%s", by_call);
		return true;
	}
	if (!reg)
		return false;
	snprintf(arg->fetch, sizeof(arg->fetch), "%+" PRId64 "(%s)", p->disp, reg);
	return true;
}

/* The name in filters of what is in the register of a call's argument. */
static void set_alias(struct probe_argument *arg)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(call_registers); i++) {
		if (!strcmp(arg->fetch, call_registers[i]))
			snprintf(arg->alias, sizeof(arg->alias), "arg%u", i + 1);
	}
}

/* The last field is kept for the frame. */
static int add_parameter(const struct dwarf_parameter *p, void *data)
{
	struct adding *a = data;
	struct probe_argument arg = { 0 }, *added;
	const enum class class = classify(p->type, &arg);
	const unsigned int integer = a->nr_integers;

	a->nr++;
	a->nr_integers += class == CLASS_INTEGER;
	a->lost |= class == CLASS_OTHER; /* a structure takes some registers, or none */
	if (class != CLASS_INTEGER || !fetch(a, p, integer, &arg))
		return 0;
	if (p->name)
		snprintf(arg.name, sizeof(arg.name), "%s", p->name);
	else
		snprintf(arg.name, sizeof(arg.name), "arg%u", a->nr);
	if (a->code->at_begin)
		set_alias(&arg);
	added = a->place->nr_arguments < PROBE_MAX_FIELDS - 1 ? add(a->place) : NULL;
	if (added)
		*added = arg;
	return !added;
}

static bool add_known_return(struct probe_place *place, struct dwarf_vars *vars, u64 vaddr)
{
	struct probe_argument arg = { 0 };
	bool is_void;
	Dwarf_Die type;

	if (!dwarf_vars__returned(vars, vaddr, &type, &is_void))
		return false;
	if (!is_void && classify(&type, &arg) == CLASS_INTEGER)
		probe_args__add_returned(place, arg.size, arg.is_signed, arg.is_hex);
	return true;
}

static bool add_known(struct probe_place *place, const struct probe_code *code, struct dwarf_vars *vars)
{
	struct adding a = { .place = place, .code = code };

	if (code->is_return)
		return add_known_return(place, vars, code->vaddr);
	return dwarf_vars__for_each_parameter(vars, code->vaddr, add_parameter, &a);
}

/* The debug information of a file, while it is read */
struct debug_information {
	struct dwarf_file file;
	struct dwarf_units *units;
};

static bool debug_information__open(struct debug_information *d, const struct probe_file *file)
{
	const struct dwarf_file_opts opts = { .opened = file->opened, .locations = true };

	d->units = NULL;
	if (dwarf_file__open(&d->file, file->path, NULL, &opts, NULL))
		return false;
	if (d->file.dw)
		d->units = dwarf_units__new(d->file.dw, dwarf_file__elf(&d->file), d->file.size);
	if (!d->units)
		dwarf_file__close(&d->file);
	return d->units;
}

static void debug_information__close(struct debug_information *d)
{
	dwarf_units__delete(d->units);
	dwarf_file__close(&d->file);
}

static bool add_by_debug_information(struct probe_place *place, const struct probe_code *code)
{
	struct debug_information d;
	struct dwarf_vars *vars;
	bool known = false;

	if (!debug_information__open(&d, code->file))
		return false;
	vars = dwarf_vars__new(d.units, d.file.dw, d.file.runtime.elf);
	if (vars)
		known = add_known(place, code, vars);
	dwarf_vars__delete(vars);
	debug_information__close(&d);
	return known;
}

struct looking {
	const char *name;
	bool known; /* some DIE has the name: a function that was inlined has an abstract one, without an address, */
	u64 vaddr;  /* and one with an address if there is code that is not inlined; 0: not found */
};

static int look(Dwarf_Die *die, void *data)
{
	const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;
	struct looking *l = data;
	Dwarf_Attribute attr;
	Dwarf_Addr vaddr;

	if (!name || strcmp(name, l->name))
		return 0;
	l->known |= dwarf_attr(die, DW_AT_inline, &attr) != NULL;
	if (dwarf_entrypc(die, &vaddr) || !vaddr)
		return 0;
	l->known = true;
	l->vaddr = vaddr;
	return 1;
}

bool probe_args__find(const struct probe_file *file, const char *name, u64 *vaddr)
{
	struct looking l = { .name = name };
	struct debug_information d;
	struct dwarf_unit *unit;
	int ret = 0;

	if (!debug_information__open(&d, file))
		return false;
	for (size_t i = 0; !ret && (unit = dwarf_units__at(d.units, i)); i++)
		ret = dwarf_units__for_each(d.units, unit, false, look, &l);
	debug_information__close(&d);
	*vaddr = l.vaddr;
	return ret >= 0 && l.known;
}

void probe_args__add(struct probe_place *place, const struct probe_code *code)
{
	const bool known = add_by_debug_information(place, code);

	if (!known && code->is_return)
		probe_args__add_returned(place, 8, true, false);
	else if (!known && code->at_begin)
		probe_args__add_registers(place);
	if (code->is_return || code->at_begin)
		probe_args__add_frame(place);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/probe/fetch.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/near.h"
#include "util/lib/text.h"
#include "util/probe/variable.h"
#include "util/symbol/dwarf-type.h"
#include "util/symbol/probe-args.h"

#define MAX_STEPS 16
#define MAX_DIMENSIONS 16
#define MAX_NESTED 16	  /* limit of structures without a name inside each other */
#define MAX_MEMBERS 65536 /* limit of members to look at */

/*
 * A value in a register, or in memory: at a fixed address, or where steps lead to. Each step adds its offset and reads the pointer there; the
 * last one reads the value.
 */
struct place {
	char base[160];	 /* "%di", "\5", "@symbol", "@" */
	bool is_fixed;	 /* base is an address, to which offset belongs */
	bool is_constant;
	s64 offset;
	s64 step[MAX_STEPS];
	bool by_pointer[MAX_STEPS]; /* the program's own pointer leads there */
	unsigned int nr_steps;
};

struct fetching {
	const struct probe_operand *operand;
	struct place place;
	Dwarf_Die type;
	u32 bit_size, bit_offset; /* of a bit field; size 0: it is none */
	unsigned int nr_indices; /* of the dimensions of type, an array, that stand before it */
	bool in_kernel;
};

static bool is_in_memory(const struct place *place)
{
	return place->is_fixed || place->nr_steps;
}

static int refuse(const struct fetching *f, struct errmsg *err, const char *why)
{
	return errmsg__set(err, EINVAL, "'%s' cannot be fetched: %s", f->operand->text, why);
}

static int take_step(struct fetching *f, s64 offset, bool by_pointer, struct errmsg *err)
{
	struct place *place = &f->place;

	if (place->is_constant)
		return refuse(f, err, "the compiler has made it a constant");
	if (place->nr_steps == MAX_STEPS)
		return refuse(f, err, "it has too many parts");
	place->step[place->nr_steps] = offset;
	place->by_pointer[place->nr_steps++] = by_pointer;
	return 0;
}

static int add_offset(struct fetching *f, s64 offset, struct errmsg *err)
{
	struct place *place = &f->place;

	if (place->nr_steps)
		place->step[place->nr_steps - 1] += offset;
	else if (place->is_fixed)
		place->offset += offset;
	else if (offset)
		return refuse(f, err, "the structure is in a register");
	return 0;
}

/* The variable itself */

/* The kernel adds the offset to what the probe's place in the file is mapped to, so it is that from one address to the other. */
static int set_file_address(struct fetching *f, struct probe_debug *debug, u64 vaddr, u64 addr, struct errmsg *err)
{
	u64 offset;

	if (!elf_file__offset(&debug->file.runtime, vaddr, &offset))
		return refuse(f, err, "the probe is in no part of the file that is loaded");
	f->place.is_fixed = true;
	f->place.offset = addr - vaddr + offset;
	if (f->place.offset < 0)
		return refuse(f, err, "it is before the begin of the file");
	snprintf(f->place.base, sizeof(f->place.base), "@");
	return 0;
}

static int set_register(struct fetching *f, int reg, struct errmsg *err)
{
	char buf[8];
	const char *name = probe_args__dwarf_register(reg, buf);

	if (!name)
		return refuse(f, err, "it is in a register that the kernel does not show, as those for floating point");
	snprintf(f->place.base, sizeof(f->place.base), "%s", name);
	return 0;
}

static int refuse_unknown(const char *name, struct errmsg *err)
{
	return errmsg__set(err, ENOENT, "Failed to find the location of the '%s' variable at this address.\n Perhaps it has been optimized out.\n"
			   " Use -V with the --range option to show '%s' location range.", name, name);
}

static int try_near(Dwarf_Die *variable, void *data)
{
	near_name__try(data, dwarf_diename(variable));
	return 0;
}

/* Debug information has no variable of that name at all. */
static int refuse_nameless(struct probe_debug *debug, const struct probe_point *point, const char *name, struct errmsg *err)
{
	struct near_name near = { .word = name };
	char hint[NEAR_FAR + 32];

	probe_variables__for_each(debug, point, SCOPE_ALL, try_near, &near);
	return errmsg__set(err, ENOENT, "%s has no variable '%s'%s", point->function ?: "This place", name, near_name__text(&near, hint, sizeof(hint)));
}

static int set_place(struct fetching *f, struct probe_debug *debug, u64 vaddr, Dwarf_Die *variable, struct errmsg *err)
{
	const struct dwarf_place at = dwarf_vars__place(debug->vars, vaddr, variable);
	s64 value;
	int ret;

	switch (at.kind) {
	case PLACE_REGISTER:
		return set_register(f, at.reg, err);
	case PLACE_MEMORY:
		ret = set_register(f, at.reg, err);
		return ret ?: take_step(f, at.disp, false, err);
	case PLACE_VALUE:
		return at.disp ? refuse(f, err, "its value must be computed at this place") : set_register(f, at.reg, err);
	case PLACE_ADDRESS:
		if (!f->in_kernel)
			return set_file_address(f, debug, vaddr, at.addr, err);
		f->place.is_fixed = true;
		snprintf(f->place.base, sizeof(f->place.base), "@%s", dwarf_diename(variable));
		return 0;
	case PLACE_UNKNOWN:
		break;
	}
	if (!probe_variable__constant(variable, &value))
		return refuse_unknown(f->operand->variable, err);
	f->place.is_constant = true;
	snprintf(f->place.base, sizeof(f->place.base), "\\%" PRId64, value);
	return 0;
}

/* Members */

struct member_search {
	const char *name;
	Dwarf_Die found;
	s64 offset; /* from the begin of the outermost structure */
	u32 left;
};

static s64 number_of(Dwarf_Die *die, unsigned int name, s64 other)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, &number) ? (s64)number : other;
}

static bool find_member(struct member_search *s, Dwarf_Die *structure, s64 offset, unsigned int nested)
{
	Dwarf_Die die, type;
	bool more = !dwarf_child(structure, &die);

	for (; more && s->left; s->left--, more = !dwarf_siblingof(&die, &die)) {
		const int tag = dwarf_tag(&die);
		const char *name = dwarf_diename(&die);
		const s64 at = offset + number_of(&die, DW_AT_data_member_location, 0);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (name && tag == DW_TAG_member && !strcmp(name, s->name)) {
			s->found = die;
			s->offset = at;
			return true;
		}
		if ((!name || tag == DW_TAG_inheritance) && nested < MAX_NESTED && dwarf_type__of(&die, &type) && dwarf_type__peel(&type, &type) &&
		    dwarf_type__has_members(&type) && find_member(s, &type, at, nested + 1))
			return true;
	}
	return false;
}

/* Bits are counted from the lowest one of a number of the field's type, as on all machines with that byte order. */
static int set_bits(struct fetching *f, Dwarf_Die *member, s64 *offset, struct errmsg *err)
{
	const s64 bits = number_of(member, DW_AT_bit_size, 0);
	s64 first = number_of(member, DW_AT_data_bit_offset, -1);
	u64 size;

	if (!bits)
		return 0;
	if (!dwarf_type__size(&f->type, &size) || size > 8)
		return refuse(f, err, "the type of its bits is unknown");
	if (first < 0) /* DWARF 3: from the other end of a number at the member's place */
		first = size * 8 - number_of(member, DW_AT_bit_offset, 0) - bits;
	*offset += first / (s64)(size * 8) * (s64)size;
	f->bit_offset = first % (s64)(size * 8);
	f->bit_size = bits;
	if (bits < 0 || first < 0 || f->bit_offset + f->bit_size > size * 8)
		return refuse(f, err, "its bits are in two numbers");
	return 0;
}

static int follow(struct fetching *f, struct errmsg *err)
{
	Dwarf_Die target;

	if (!dwarf_type__target(&f->type, &target))
		return refuse(f, err, "what it points to has no type");
	f->type = target;
	return take_step(f, 0, true, err);
}

static bool is_pointer(Dwarf_Die *type)
{
	Dwarf_Die peeled, target;

	return dwarf_type__peel(type, &peeled) && (dwarf_tag(&peeled) == DW_TAG_pointer_type || dwarf_type__target(&peeled, &target));
}

static bool is_reference(Dwarf_Die *type)
{
	Dwarf_Die peeled;
	const int tag = dwarf_type__peel(type, &peeled) ? dwarf_tag(&peeled) : 0;

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static int go_to_member(struct fetching *f, const struct probe_member *member, const char *of, struct errmsg *err)
{
	struct member_search s = { .name = member->name, .left = MAX_MEMBERS };
	const bool pointer = is_pointer(&f->type);
	Dwarf_Die structure;
	int ret = 0;

	if (pointer && !member->by_pointer && !is_reference(&f->type))
		return errmsg__set(err, EINVAL, "Semantic error: %s must be referred by '->'", member->name);
	if (!pointer && member->by_pointer && dwarf_type__has_members(&f->type))
		return errmsg__set(err, EINVAL, "Semantic error: %s must be referred by '.'", member->name);
	if (pointer)
		ret = follow(f, err);
	if (ret)
		return ret;
	if (!dwarf_type__has_members(&f->type) || !dwarf_type__peel(&f->type, &structure))
		return errmsg__set(err, EINVAL, "%s is not a data structure nor a union.", of);
	if (!find_member(&s, &structure, 0, 0) || !dwarf_type__of(&s.found, &f->type))
		return errmsg__set(err, EINVAL, "%s(type:%s) has no member %s.", of, dwarf_diename(&structure) ?: "", member->name);
	return set_bits(f, &s.found, &s.offset, err) ?: add_offset(f, s.offset, err);
}

/* The dimensions of an array; 0: there are too many, or their sizes are unknown. */
static unsigned int dimensions(Dwarf_Die *array, u64 count[MAX_DIMENSIONS])
{
	Dwarf_Die die;
	unsigned int nr = 0;

	for (bool more = !dwarf_child(array, &die); more; more = !dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (nr == MAX_DIMENSIONS)
			return 0;
		count[nr] = number_of(&die, DW_AT_count, number_of(&die, DW_AT_upper_bound, -1) + 1);
		if (nr && !count[nr]) /* of the first one the number may be unknown */
			return 0;
		nr++;
	}
	return nr;
}

/* Of "int m[3][4]" each index of the first dimension is 4 elements. */
static int go_to_array_element(struct fetching *f, Dwarf_Die *array, u64 index, struct errmsg *err)
{
	u64 count[MAX_DIMENSIONS], size;
	const unsigned int nr = dimensions(array, count);
	Dwarf_Die element;
	s64 offset;

	if (f->nr_indices >= nr || !dwarf_type__of(array, &element) || !dwarf_type__size(&element, &size))
		return refuse(f, err, "the size of its elements is unknown");
	for (unsigned int i = f->nr_indices + 1; i < nr; i++) {
		if (__builtin_mul_overflow(size, count[i], &size))
			return refuse(f, err, "it is too large");
	}
	if (__builtin_mul_overflow(index, size, &offset))
		return refuse(f, err, "it is too large");
	f->nr_indices++;
	if (f->nr_indices == nr) {
		f->type = element;
		f->nr_indices = 0;
	}
	return add_offset(f, offset, err);
}

static int go_to_element(struct fetching *f, u64 index, const char *of, struct errmsg *err)
{
	Dwarf_Die array;
	s64 offset;
	u64 size;
	int ret;

	if (!dwarf_type__peel(&f->type, &array))
		return refuse(f, err, "it has no type");
	if (dwarf_tag(&array) == DW_TAG_array_type)
		return go_to_array_element(f, &array, index, err);
	if (!is_pointer(&array))
		return errmsg__set(err, EINVAL, "%s is no array or pointer.", of);
	ret = follow(f, err);
	if (ret)
		return ret;
	if (!dwarf_type__size(&f->type, &size))
		return refuse(f, err, "the size of its elements is unknown");
	if (__builtin_mul_overflow(index, size, &offset))
		return refuse(f, err, "it is too large");
	return add_offset(f, offset, err);
}

static int go_to_members(struct fetching *f, struct errmsg *err)
{
	const struct probe_operand *o = f->operand;
	const char *of = o->variable;
	int ret = 0;

	for (unsigned int i = 0; i < o->nr_members && !ret; i++) {
		if (f->bit_size)
			return refuse(f, err, "bits have no members");
		if (o->member[i].name)
			ret = go_to_member(f, &o->member[i], of, err);
		else
			ret = go_to_element(f, o->member[i].index, of, err);
		of = o->member[i].name ?: of;
	}
	return ret;
}

/* Types */

static bool is_character(Dwarf_Die *type)
{
	Dwarf_Die peeled;
	u64 size;

	return dwarf_type__peel(type, &peeled) && dwarf_tag(&peeled) == DW_TAG_base_type && dwarf_type__size(&peeled, &size) && size == 1;
}

static int make_string(struct fetching *f, Dwarf_Die *peeled, struct errmsg *err)
{
	const bool is_array = dwarf_tag(peeled) == DW_TAG_array_type;
	u64 count[MAX_DIMENSIONS];
	Dwarf_Die target;
	char *name;

	if (!is_array && !is_pointer(peeled)) {
		name = dwarf_type__name(&f->type);
		errmsg__set(err, EINVAL, "Failed to cast into string: %s(%s) is not a pointer nor array.", f->operand->variable, name ?: "");
		free(name);
		return -EINVAL;
	}
	if ((is_array ? dwarf_type__of(peeled, &target) : dwarf_type__target(peeled, &target)) && !is_character(&target))
		return refuse(f, err, "it is no string of characters");
	if (is_array && dimensions(peeled, count) != f->nr_indices + 1)
		return refuse(f, err, "it is no string of characters, but an array of them");
	return is_array ? 0 : take_step(f, 0, true, err);
}

static int put_bits(struct fetching *f, struct text *t, u64 size, struct errmsg *err)
{
	if (!is_in_memory(&f->place))
		return refuse(f, err, "its bits are in a register");
	text__printf(t, ":b%u@%u/%" PRIu64, f->bit_size, f->bit_offset, size * 8);
	return 0;
}

static bool is_signed(Dwarf_Die *type)
{
	const s64 encoding = number_of(type, DW_AT_encoding, 0);

	return dwarf_tag(type) == DW_TAG_base_type && (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char);
}

static int put_type(struct fetching *f, struct text *t, struct errmsg *err)
{
	const char *written = f->operand->type;
	Dwarf_Die peeled;
	u64 size;

	if (written && written[1]) {
		text__printf(t, ":%s", written);
		return 0;
	}
	if (!dwarf_type__peel(&f->type, &peeled) || !dwarf_type__size(&peeled, &size))
		return refuse(f, err, "it has no type");
	if (dwarf_type__has_members(&peeled))
		return refuse(f, err, "it is a structure: name a member of it");
	if (dwarf_tag(&peeled) == DW_TAG_array_type)
		return refuse(f, err, "it is an array: name an element of it, or write ':string'");
	if (f->bit_size)
		return put_bits(f, t, size, err);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return refuse(f, err, "it has more than 64 bits");
	text__printf(t, ":%c%" PRIu64, written ? *written : is_signed(&peeled) ? 's' : 'x', size * 8);
	return 0;
}

/* Text */

static void put_place(const struct fetching *f, struct text *t)
{
	const struct place *place = &f->place;

	for (unsigned int i = place->nr_steps; i > 0; i--)
		text__printf(t, "%c%s%" PRIu64 "(", place->step[i - 1] < 0 ? '-' : '+', f->operand->is_user && place->by_pointer[i - 1] ? "u" : "",
			     place->step[i - 1] < 0 ? -(u64)place->step[i - 1] : (u64)place->step[i - 1]);
	text__str(t, place->base);
	if (place->is_fixed && !strcmp(place->base, "@"))
		text__printf(t, "+0x%" PRIx64, place->offset);
	else if (place->is_fixed)
		text__printf(t, "%+" PRId64, place->offset);
	for (unsigned int i = 0; i < place->nr_steps; i++)
		text__char(t, ')');
}

static bool wants_string(const struct probe_operand *o)
{
	return o->type && (!strcmp(o->type, "string") || !strcmp(o->type, "ustring"));
}

static int make(struct fetching *f, struct text *t, struct errmsg *err)
{
	Dwarf_Die peeled;
	int ret = go_to_members(f, err);

	if (!ret && wants_string(f->operand)) {
		if (!dwarf_type__peel(&f->type, &peeled))
			return refuse(f, err, "it has no type");
		ret = make_string(f, &peeled, err);
		if (!ret && !is_in_memory(&f->place))
			return refuse(f, err, "it is in a register");
	}
	if (ret)
		return ret;
	put_place(f, t);
	return put_type(f, t, err);
}

int probe_fetch__make(struct probe_debug *debug, const struct probe_point *point, const struct probe_operand *operand,
		      bool in_kernel, char **text, struct errmsg *err)
{
	struct fetching f = { .operand = operand, .in_kernel = in_kernel };
	struct text t = { 0 };
	Dwarf_Die variable;
	int ret;

	*text = NULL;
	if (!probe_variable__find(debug, point, operand->variable, &variable))
		return refuse_nameless(debug, point, operand->variable, err);
	if (!dwarf_type__of(&variable, &f.type))
		return refuse(&f, err, "it has no type");
	ret = set_place(&f, debug, point->vaddr, &variable, err);
	if (!ret)
		ret = make(&f, &t, err);
	text__char(&t, '\0');
	if (t.failed)
		ret = errmsg__set(err, ENOMEM, "out of memory");
	if (ret)
		text__exit(&t);
	else
		*text = t.buf;
	return ret;
}

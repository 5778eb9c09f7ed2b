// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dwarf-type.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/printable.h"
#include "util/lib/text.h"

#define MAX_CHAIN 64	  /* limit of typedefs, qualifiers and pointers in a chain, and of nested members */
#define MAX_MEMBERS 65536 /* limit of members to search */
#define MAX_SEEN (16 * MAX_MEMBERS) /* limit of DIEs that one layout looks at: a structure that is a member again and again has its own each time */

bool dwarf_type__of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type);
}

static bool is_qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return true;
	}
	return false;
}

static bool is_composite(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static const char *pointer_sign(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	}
	return NULL;
}

bool dwarf_type__peel(Dwarf_Die *type, Dwarf_Die *peeled)
{
	*peeled = *type;
	for (int i = 0; i < MAX_CHAIN; i++) {
		int tag = dwarf_tag(peeled);

		if (tag != DW_TAG_typedef && !is_qualifier(tag))
			return true;
		if (!dwarf_type__of(peeled, peeled))
			return false;
	}
	return false;
}

bool dwarf_type__target(Dwarf_Die *type, Dwarf_Die *target)
{
	Dwarf_Die pointer;

	return dwarf_type__peel(type, &pointer) && pointer_sign(dwarf_tag(&pointer)) && dwarf_type__of(&pointer, target);
}

bool dwarf_type__has_members(Dwarf_Die *type)
{
	Dwarf_Die peeled;

	return dwarf_type__peel(type, &peeled) && is_composite(dwarf_tag(&peeled));
}

bool dwarf_type__size(Dwarf_Die *type, u64 *size)
{
	Dwarf_Die peeled;
	Dwarf_Word bytes;

	if (!dwarf_type__peel(type, &peeled) || dwarf_aggregate_size(&peeled, &bytes) || !bytes)
		return false;
	*size = bytes;
	return true;
}

bool dwarf_type__holds(Dwarf_Die *type, s64 offset)
{
	u64 size;

	return offset >= 0 && dwarf_type__size(type, &size) && (u64)offset < size;
}

static bool number(Dwarf_Die *die, unsigned int name, u64 *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &word))
		return false;
	*value = word;
	return true;
}

struct member {
	Dwarf_Die die, type;
	u64 offset, size, bits; /* bits: 0 if it is no bit-field */
};

/* Read offset and size of a member; false: objects do not contain it. */
static bool member__read(struct member *member, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	u64 first_bit;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !dwarf_type__of(die, &member->type))
		return false;
	member->die = *die;
	member->offset = member->bits = 0;
	if (number(die, DW_AT_bit_size, &member->bits) && number(die, DW_AT_data_bit_offset, &first_bit)) {
		member->offset = first_bit / 8;
		member->size = (first_bit % 8 + member->bits + 7) / 8;
		return true;
	}
	if (dwarf_hasattr(die, DW_AT_data_member_location) && !number(die, DW_AT_data_member_location, &member->offset))
		return false; /* a virtual base: its offset depends on the object */
	return !dwarf_hasattr(die, DW_AT_external) && dwarf_type__size(&member->type, &member->size);
}

/* Find the first member that contains the byte at offset. */
static bool find_member(Dwarf_Die *composite, u64 offset, struct member *member)
{
	Dwarf_Die die;
	bool more = !dwarf_child(composite, &die);

	for (u32 i = 0; more && i < MAX_MEMBERS; i++, more = !dwarf_siblingof(&die, &die)) {
		if (member__read(member, &die) && offset - member->offset < member->size)
			return true;
	}
	return false;
}

/* Get the type of an array's elements, and turn offset into one within the element. */
static bool into_element(Dwarf_Die *array, Dwarf_Die *element, u64 *offset)
{
	u64 size;

	if (!dwarf_type__of(array, element) || !dwarf_type__size(element, &size))
		return false;
	*offset %= size;
	return true;
}

bool dwarf_type__pointer_at(Dwarf_Die *type, u64 offset, Dwarf_Die *target)
{
	struct member member = { .type = *type };
	Dwarf_Die peeled;

	for (int i = 0; i < MAX_CHAIN && dwarf_type__peel(&member.type, &peeled); i++) {
		switch (dwarf_tag(&peeled)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			if (!find_member(&peeled, offset, &member) || member.bits)
				return false;
			offset -= member.offset;
			break;
		case DW_TAG_array_type:
			if (!into_element(&peeled, &member.type, &offset))
				return false;
			break;
		default: /* another member of a union may be a different pointer */
			return !offset && dwarf_type__target(&peeled, target);
		}
	}
	return false;
}

static const char *prefix(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	}
	return "";
}

/* "struct node" followed by signs; at NULL: void */
static char *put_name(Dwarf_Die *at, const char *signs)
{
	int tag = at ? dwarf_tag(at) : 0;
	const char *name = at ? dwarf_diename(at) : "void";
	char *text;

	if (tag == DW_TAG_subroutine_type)
		name = "(function_type)";
	if (asprintf(&text, "%s%s%s", prefix(tag), name ?: "(unnamed)", signs) < 0)
		return NULL;
	return printable__clean(text);
}

static bool put_before(char *signs, size_t size, const char *sign)
{
	size_t len = strlen(sign), used = strlen(signs);

	if (len + used >= size)
		return false;
	memmove(signs + len, signs, used + 1);
	memcpy(signs, sign, len);
	return true;
}

/* What a pointer, array or qualifier adds to the name of its target type. */
static const char *sign_of(int tag)
{
	if (is_qualifier(tag))
		return "";
	return tag == DW_TAG_array_type ? "[]" : pointer_sign(tag);
}

char *dwarf_type__name(Dwarf_Die *type)
{
	char signs[2 * MAX_CHAIN] = "";
	Dwarf_Die at = *type;
	const char *sign;

	for (int i = 0; i < MAX_CHAIN && (sign = sign_of(dwarf_tag(&at))); i++) {
		if (!put_before(signs, sizeof(signs), sign))
			return strdup("(unknown type)");
		if (!dwarf_type__of(&at, &at))
			return put_name(NULL, signs);
	}
	return sign ? strdup("(unknown type)") : put_name(&at, signs);
}

char *dwarf_type__plain_name(Dwarf_Die *type)
{
	Dwarf_Die peeled;

	if (!dwarf_type__peel(type, &peeled) || (*prefix(dwarf_tag(&peeled)) && !dwarf_diename(&peeled)))
		return dwarf_type__name(type);
	return dwarf_type__name(&peeled);
}

static int put_member(FILE *fp, const struct member *member, bool first)
{
	Dwarf_Die die = member->die;
	const char *name = dwarf_tag(&die) == DW_TAG_member ? dwarf_diename(&die) : NULL;

	if (!name)
		return 0;
	fprintf(fp, "%s%s", first ? "" : ".", name);
	if (member->bits)
		fprintf(fp, ":%llu", (unsigned long long)member->bits);
	return 1;
}

/* In an array of structures the elements have the members; the index is not always known. */
static void put_members(FILE *fp, Dwarf_Die *type, u64 offset)
{
	struct member member = { .type = *type };
	Dwarf_Die peeled;
	int nr = 0;

	if (!dwarf_type__peel(type, &peeled))
		return;
	if (dwarf_tag(&peeled) == DW_TAG_array_type) {
		if (!into_element(&peeled, &member.type, &offset) || !dwarf_type__has_members(&member.type))
			return;
		nr = fprintf(fp, "[]");
	}
	for (int i = 0; i < MAX_CHAIN && dwarf_type__peel(&member.type, &peeled); i++) {
		if (!is_composite(dwarf_tag(&peeled)) || !find_member(&peeled, offset, &member))
			return;
		nr += put_member(fp, &member, !nr);
		offset -= member.offset;
	}
}

char *dwarf_type__member_name(Dwarf_Die *type, u64 offset)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	put_members(fp, type, offset);
	if (text__close_stream(fp, &text))
		return NULL;
	if (*text)
		return printable__clean(text);
	free(text);
	return strdup("no field");
}

struct layout_filling {
	struct data_layout *layout;
	u32 nr_seen; /* DIEs, of which not all are members */
};

/* Takes over both texts. */
static int add_member(struct data_layout *layout, char *type, char *name, const struct data_member *place)
{
	const u32 nr = layout->nr;
	int ret = type && name ? 0 : -ENOMEM;

	if (!ret && nr > MAX_MEMBERS)
		ret = -E2BIG;
	ret = ret ?: array__extend(layout->member, layout->nr);
	if (ret) {
		free(type);
		free(name);
		return ret;
	}
	layout->member[layout->nr] = *place;
	layout->member[layout->nr].type = type;
	layout->member[layout->nr++].name = name;
	return 0;
}

/* "struct " for one without a name, as in perf */
static char *name_in_layout(Dwarf_Die *type)
{
	Dwarf_Die bare = *type;

	for (int i = 0; i < MAX_CHAIN && is_qualifier(dwarf_tag(&bare)); i++) {
		if (!dwarf_type__of(&bare, &bare))
			break;
	}
	if (*prefix(dwarf_tag(&bare)) && !dwarf_diename(&bare))
		return strdup(prefix(dwarf_tag(&bare)));
	return dwarf_type__name(type);
}

static char *member_text(Dwarf_Die *die, u64 bits)
{
	const char *name = dwarf_tag(die) == DW_TAG_member ? dwarf_diename(die) : NULL;
	char *text;

	if (!name)
		return strdup("");
	if (!bits)
		text = strdup(name);
	else if (asprintf(&text, "%s:%llu", name, (unsigned long long)bits) < 0)
		text = NULL;
	return text ? printable__clean(text) : NULL;
}

/* The members of a composite type that begins at this offset. */
static int add_members(struct layout_filling *f, Dwarf_Die *type, u64 offset, u32 depth)
{
	Dwarf_Die peeled, die;
	struct member member;
	int ret = 0;

	if (!dwarf_type__peel(type, &peeled) || !is_composite(dwarf_tag(&peeled)))
		return 0;
	if (depth > MAX_CHAIN)
		return -E2BIG;
	for (bool more = !dwarf_child(&peeled, &die); more && !ret; more = !dwarf_siblingof(&die, &die)) {
		struct data_member place;

		if (f->nr_seen++ == MAX_SEEN)
			return -E2BIG;
		if (!member__read(&member, &die))
			continue;
		place = (struct data_member){ .offset = offset + member.offset, .size = member.size, .bits = member.bits, .depth = depth };
		ret = add_member(f->layout, name_in_layout(&member.type), member_text(&die, member.bits), &place) ?:
		      add_members(f, &member.type, place.offset, depth + 1);
	}
	return ret;
}

int dwarf_type__layout(Dwarf_Die *type, const char *name, struct data_layout *layout)
{
	struct layout_filling f = { .layout = layout };
	struct data_member whole = {};

	if (!dwarf_type__size(type, &whole.size))
		whole.size = 0;
	return add_member(layout, strdup(name), strdup(""), &whole) ?: add_members(&f, type, 0, 1);
}

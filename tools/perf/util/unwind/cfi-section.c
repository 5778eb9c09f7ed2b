// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi-section.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include "util/lib/array.h"

#define LENGTH_64 0xffffffffU /* the 64-bit format of DWARF, which is left out: it is for sections above 4 GiB */
#define DEBUG_CIE 0xffffffffU /* the id of a CIE in .debug_frame; in .eh_frame it is 0 */
#define FORM_BITS 0x0f	      /* of an encoding: how an address is written */
#define BASE_BITS 0x70	      /* what it counts from */
#define MAX_CIE 1024 /* bytes of a CIE; compilers write 20. Limits the work: FDEs could lead to different CIEs within the same bytes */

struct entry {
	u32 position;
	u32 id;		   /* of a CIE, or where an FDE's CIE is */
	u32 id_position;
	struct bytes body; /* behind the id */
};

bool cfi_section__address(const struct cfi_section *section, u8 encoding, struct bytes *at, u64 *address)
{
	u64 base = section->vaddr + (at->at - section->data);

	switch (encoding & FORM_BITS) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		*address = bytes__number(at, 8);
		break;
	case DW_EH_PE_uleb128:
		*address = bytes__uleb(at);
		break;
	case DW_EH_PE_udata2:
		*address = bytes__number(at, 2);
		break;
	case DW_EH_PE_udata4:
		*address = bytes__number(at, 4);
		break;
	case DW_EH_PE_sleb128:
		*address = bytes__sleb(at);
		break;
	case DW_EH_PE_sdata2:
		*address = bytes__signed(at, 2);
		break;
	case DW_EH_PE_sdata4:
		*address = bytes__signed(at, 4);
		break;
	default:
		return false;
	}
	if ((encoding & BASE_BITS) == DW_EH_PE_pcrel)
		*address += base;
	else if (encoding & BASE_BITS)
		return false;
	return !at->bad && !(encoding & DW_EH_PE_indirect);
}

/* Take the next entry. false: the section ends. Entries without contents are terminators; linkers leave some between others. */
static bool next_entry(const struct cfi_section *section, struct bytes *left, struct entry *entry)
{
	while (bytes__left(left) >= 8) {
		u32 length;

		entry->position = left->at - section->data;
		length = bytes__number(left, 4);
		if (!length)
			continue;
		if (length == LENGTH_64) {
			bytes__block(left, bytes__number(left, 8));
			continue;
		}
		entry->body = bytes__block(left, length);
		entry->id_position = entry->position + 4;
		entry->id = bytes__number(&entry->body, 4);
		if (!entry->body.bad)
			return true;
	}
	return false;
}

static bool is_cie(const struct cfi_section *section, const struct entry *entry)
{
	return entry->id == (section->is_debug ? DEBUG_CIE : 0);
}

/*
 * The letters that begin with 'z', behind their data's size. Letters after an unknown one are left out, as their data may be anywhere.
 * Returns if all were known.
 */
static bool read_augmentation(const struct cfi_section *section, struct cfi_cie *cie, const char *letter, struct bytes data)
{
	bool known = true;
	u64 ignored;

	for (; *letter; letter++) {
		switch (*letter) {
		case 'R':
			cie->encoding = bytes__u8(&data);
			break;
		case 'P':
			known &= cfi_section__address(section, bytes__u8(&data) & FORM_BITS, &data, &ignored);
			break;
		case 'L':
			bytes__u8(&data);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* AArch64: the key that signs return addresses */
		case 'G': /* AArch64: tagged memory */
			break;
		default:
			return false;
		}
	}
	return known && !data.bad;
}

/* false: an unknown version, or damaged */
static bool read_cie_head(const struct cfi_section *section, struct cfi_cie *cie, struct bytes *body)
{
	u8 version = bytes__u8(body);
	const char *letters = (const char *)body->at;
	u64 ra;

	if (version != 1 && version != 3 && version != 4)
		return false;
	while (bytes__u8(body))
		;
	if (body->bad || (version == 4 && bytes__number(body, 2) != 8)) /* sizes of an address and of a segment selector: 8 and 0 */
		return false;
	cie->code_factor = bytes__uleb(body);
	cie->data_factor = bytes__sleb(body);
	ra = version == 1 ? bytes__u8(body) : bytes__uleb(body);
	cie->has_sizes = *letters == 'z';
	if (cie->has_sizes)
		cie->is_plain = read_augmentation(section, cie, letters + 1, bytes__block(body, bytes__uleb(body)));
	return !body->bad && ra == section->machine->ra && (cie->has_sizes || !*letters);
}

static bool read_cie(const struct cfi_section *section, const struct entry *entry, struct cfi_cie *cie)
{
	struct bytes body = entry->body;
	struct cfi_run run = { .machine = section->machine, .cie = cie };
	struct cfi_state state;

	*cie = (struct cfi_cie){ .position = entry->position };
	if (!read_cie_head(section, cie, &body))
		return false;
	cfi_state__init(&cie->initial, section->machine);
	state = cie->initial;
	if (!cfi_run__program(&run, body, &state))
		return false;
	cie->initial = state;
	return true;
}

static int by_position(const void *key, const void *element)
{
	u32 position = *(const u32 *)key;
	const struct cfi_cie *cie = element;

	return position < cie->position ? -1 : position > cie->position;
}

static u32 cie_position(const struct cfi_section *section, const struct entry *entry)
{
	return section->is_debug ? entry->id : entry->id_position - entry->id;
}

/* The CIE of an FDE, or NULL. Mostly it is the one that came last. */
static const struct cfi_cie *cie_of(const struct cfi_section *section, const struct entry *entry)
{
	u32 position = cie_position(section, entry), nr = section->nr_cies;

	if (!nr)
		return NULL;
	if (section->cie[nr - 1].position == position)
		return &section->cie[nr - 1];
	return bsearch(&position, section->cie, nr, sizeof(*section->cie), by_position);
}

static bool read_fde(const struct cfi_section *section, const struct entry *entry, struct cfi_fde *fde)
{
	const struct cfi_cie *cie = cie_of(section, entry);
	struct bytes body = entry->body;
	struct cfi_section no_base = { .data = section->data };

	if (!cie || !cfi_section__address(section, cie->encoding, &body, &fde->begin) ||
	    !cfi_section__address(&no_base, cie->encoding & FORM_BITS, &body, &fde->size))
		return false;
	if (cie->has_sizes)
		bytes__block(&body, bytes__uleb(&body));
	fde->cie = cie;
	fde->program = body;
	return !body.bad && fde->size;
}

bool cfi_section__fde(const struct cfi_section *section, u32 position, struct cfi_fde *fde)
{
	struct bytes left = { section->data + position, section->data + section->size, false };
	struct entry entry;

	return next_entry(section, &left, &entry) && read_fde(section, &entry, fde);
}

static int add_cie(struct cfi_section *section, struct elf_budget *budget, const struct cfi_cie *cie)
{
	if (section->nr_cies == section->room) {
		u32 room = section->room ? 2 * section->room : 8;
		struct cfi_cie *bigger;

		if (!elf_budget__take(budget, (room - section->room) * sizeof(*bigger), "the CIEs of its unwinding table"))
			return -E2BIG;
		bigger = reallocarray(section->cie, room, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		section->cie = bigger;
		section->room = room;
	}
	section->cie[section->nr_cies++] = *cie;
	return 0;
}

/* Keep them sorted by their positions. */
static int read_missing_cie(struct cfi_section *section, struct elf_budget *budget, u32 position)
{
	struct bytes left = { section->data + position, section->data + section->size, false };
	struct entry entry;
	struct cfi_cie cie;
	u32 at;
	int err;

	if (position >= section->size || !next_entry(section, &left, &entry) || entry.position != position || !is_cie(section, &entry) ||
	    bytes__left(&entry.body) > MAX_CIE || !read_cie(section, &entry, &cie))
		return -EINVAL;
	err = add_cie(section, budget, &cie);
	if (err)
		return err;
	for (at = section->nr_cies - 1; at && section->cie[at - 1].position > position; at--)
		section->cie[at] = section->cie[at - 1];
	section->cie[at] = cie;
	return 0;
}

int cfi_section__read_fde(struct cfi_section *section, struct elf_budget *budget, u32 position, struct cfi_fde *fde)
{
	struct bytes left = { section->data + position, section->data + section->size, false };
	struct entry entry;
	int err = 0;

	if (position >= section->size || !next_entry(section, &left, &entry) || entry.position != position || is_cie(section, &entry))
		return -EINVAL;
	if (!cie_of(section, &entry))
		err = read_missing_cie(section, budget, cie_position(section, &entry));
	if (err)
		return err;
	return read_fde(section, &entry, fde) ? 0 : -EINVAL;
}

int cfi_section__scan(struct cfi_section *section, struct elf_budget *budget, int (*fde)(void *context, const struct cfi_fde *fde, u32 position),
		      void *context)
{
	struct bytes left = { section->data, section->data + section->size, false };
	struct entry entry;
	int err = 0;

	while (!err && next_entry(section, &left, &entry)) {
		struct cfi_cie cie;
		struct cfi_fde found;

		if (!is_cie(section, &entry)) {
			if (read_fde(section, &entry, &found))
				err = fde(context, &found, entry.position);
		} else if (read_cie(section, &entry, &cie)) {
			err = add_cie(section, budget, &cie);
		}
	}
	return err;
}

/* Checking */

struct positions { /* of CIEs, in their order */
	u32 *at;
	u32 nr, room;
};

static int positions__add(struct positions *p, u32 position)
{
	if (array__grow(p->at, p->nr, p->room))
		return -ENOMEM;
	p->at[p->nr++] = position;
	return 0;
}

static int compare_positions(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool positions__have(const struct positions *p, u32 position)
{
	if (p->nr && p->at[p->nr - 1] == position)
		return true;
	return p->nr && bsearch(&position, p->at, p->nr, sizeof(*p->at), compare_positions);
}

static int check_entry(const struct cfi_section *section, struct positions *cies, struct entry *entry, u32 max_length, u32 *nr_long)
{
	const bool is_long = bytes__left(&entry->body) > max_length;

	if (bytes__left(&entry->body) < 4) /* nothing but padding */
		return 0;
	entry->id_position = entry->position + 4;
	entry->id = bytes__number(&entry->body, 4);
	if (is_cie(section, entry))
		return is_long ? -E2BIG : positions__add(cies, entry->position);
	*nr_long += is_long;
	return positions__have(cies, section->is_debug ? entry->id : entry->id_position - entry->id) ? 0 : -E2BIG;
}

int cfi_section__check(const struct cfi_section *section, u32 max_length, u32 *nr_long)
{
	struct bytes left = { section->data, section->data + section->size, false };
	struct positions cies = { 0 };
	int err = 0;

	*nr_long = 0;
	while (!err && bytes__left(&left) >= 4) {
		struct entry entry = { .position = left.at - section->data };
		const u32 length = bytes__number(&left, 4);

		if (length > bytes__left(&left)) /* LENGTH_64 is, too */
			err = -E2BIG;
		entry.body = bytes__block(&left, length);
		err = err ?: check_entry(section, &cies, &entry, max_length, nr_long);
	}
	free(cies.at);
	return err;
}

void cfi_section__exit(struct cfi_section *section)
{
	free(section->cie);
	section->cie = NULL;
	section->nr_cies = section->room = 0;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/cfi-file.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/lib/fs.h"
#include "util/lib/hash-index.h"
#include "util/symbol/eh-frame-hdr.h"
#include "util/unwind/cfi-section.h"
#include "util/unwind/elf-frames.h"

#define BLOCK 4096 /* bytes of the section that are read together */
#define MIN_IN_BLOCKS (1 << 16) /* size of sections that are read in blocks: their files stay open */
#define MAX_FD 256 /* with more files open, sections are read as a whole */
#define LENGTH_64 0xffffffffU /* an entry in DWARF's 64-bit format */
#define MAX_PROGRAM (1 << 16) /* bytes that are run for one rule: a forged program is libdw's */

struct known_rule {
	u64 offset;
	u32 rule;
};

struct cfi_file {
	struct elf_file file; /* without contents */
	struct unwind_rules *rules;
	struct cfi_section section;
	bool has_debug_frame;
	u8 *data; /* of the section */
	/* A stack needs few entries of a large section: they are read when they are needed. */
	int fd; /* -1: all was read */
	u64 offset; /* of the section in the file */
	bool *is_read; /* for each block */
	struct eh_frame_hdr hdr;
	struct known_rule *known;
	u32 nr, room;
	struct hash_index index; /* of known */
};

static int read_whole(struct cfi_file *cfi)
{
	struct elf_bytes bytes;
	int err = elf_frames__eh(&cfi->file, &bytes);

	if (err || !bytes.data)
		return err ?: -ENODATA;
	cfi->data = bytes.own ?: malloc(bytes.size ?: 1);
	if (!cfi->data)
		return -ENOMEM;
	if (!bytes.own)
		memcpy(cfi->data, bytes.data, bytes.size);
	cfi->section.data = cfi->data;
	cfi->section.size = bytes.size;
	cfi->section.vaddr = bytes.vaddr;
	return 0;
}

/* false: it cannot be read in blocks. */
static bool prepare_blocks(struct cfi_file *cfi, const GElf_Shdr *shdr)
{
	size_t size = shdr->sh_size;
	void *data;

	if (shdr->sh_type == SHT_NOBITS || shdr->sh_flags & SHF_COMPRESSED || size < MIN_IN_BLOCKS || size > UINT32_MAX || cfi->file.fd < 0)
		return false;
	cfi->is_read = calloc(size / BLOCK + 1, sizeof(*cfi->is_read));
	data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	cfi->fd = fcntl(cfi->file.fd, F_DUPFD_CLOEXEC, 0);
	if (data == MAP_FAILED || !cfi->is_read || cfi->fd < 0 || cfi->fd > MAX_FD) {
		if (data != MAP_FAILED)
			munmap(data, size);
		fs__close_many(&cfi->fd, 1);
		cfi->fd = -1;
		return false;
	}
	cfi->data = data;
	cfi->offset = shdr->sh_offset;
	cfi->section.data = data;
	cfi->section.size = size;
	cfi->section.vaddr = shdr->sh_addr;
	return true;
}

static int read_section(struct cfi_file *cfi)
{
	GElf_Shdr shdr;

	return elf_file__section(&cfi->file, ".eh_frame", &shdr) && prepare_blocks(cfi, &shdr) ? 0 : read_whole(cfi);
}

/* What cannot be read stays zero, as in a damaged file. */
static void need(struct cfi_file *cfi, u64 from, u64 size)
{
	u64 end = from + size < cfi->section.size ? from + size : cfi->section.size;

	for (u64 block = from / BLOCK; block * BLOCK < end; block++) {
		u64 at = block * BLOCK, left = cfi->section.size - at;

		if (cfi->is_read[block])
			continue;
		cfi->is_read[block] = true;
		if (pread(cfi->fd, cfi->data + at, left < BLOCK ? left : BLOCK, cfi->offset + at) < 0)
			memset(cfi->data + at, 0, left < BLOCK ? left : BLOCK);
	}
}

/* Read the entry at position, and return its id. false: there is none. */
static bool need_entry(struct cfi_file *cfi, u64 position, u32 *id)
{
	u32 length;

	if (position + 8 > cfi->section.size)
		return false;
	need(cfi, position, 8);
	memcpy(&length, cfi->data + position, sizeof(length));
	length = le32toh(length);
	if (!length || length == LENGTH_64)
		return false;
	need(cfi, position, (u64)length + sizeof(length));
	memcpy(id, cfi->data + position + sizeof(length), sizeof(*id));
	*id = le32toh(*id);
	return true;
}

/* Read the FDE at position, and its CIE. false: there is none. */
static bool need_fde(struct cfi_file *cfi, u32 position)
{
	u32 id, of_cie;

	if (cfi->fd < 0)
		return true;
	return need_entry(cfi, position, &id) && need_entry(cfi, (u32)(position + sizeof(id) - id), &of_cie);
}

int cfi_file__new(struct elf_file *file, struct unwind_rules *rules, struct cfi_file **result)
{
	struct cfi_file *cfi = calloc(1, sizeof(*cfi));
	GElf_Shdr shdr;
	int err;

	*result = NULL;
	if (!cfi) {
		elf_file__close(file);
		return -ENOMEM;
	}
	cfi->file = *file;
	cfi->fd = -1;
	cfi->rules = rules;
	cfi->section.machine = cfi_machine__of_elf(file->ehdr.e_machine);
	err = file->ehdr.e_machine != unwind_rules__machine(rules) || !cfi->section.machine ? -ENOTSUP : 0;
	cfi->has_debug_frame = elf_file__section(file, ".debug_frame", &shdr);
	err = err ?: read_section(cfi) ?: eh_frame_hdr__read(&cfi->hdr, &cfi->file);
	elf_file__close_contents(&cfi->file);
	if (err) {
		cfi_file__delete(cfi);
		return err;
	}
	unwind_rules__begin_file(rules);
	*result = cfi;
	return 0;
}

void cfi_file__delete(struct cfi_file *cfi)
{
	if (!cfi)
		return;
	cfi_section__exit(&cfi->section);
	hash_index__exit(&cfi->index);
	elf_file__close(&cfi->file);
	free(cfi->known);
	eh_frame_hdr__exit(&cfi->hdr);
	free(cfi->is_read);
	if (cfi->fd < 0)
		free(cfi->data);
	else
		munmap(cfi->data, cfi->section.size);
	fs__close_many(&cfi->fd, 1);
	free(cfi);
}

bool cfi_file__has_more(const struct cfi_file *cfi)
{
	return cfi->has_debug_frame;
}

/* The position of the FDE that may have the code at vaddr: the last one that does not begin behind it. */
static bool find_fde(const struct cfi_file *cfi, u64 vaddr, u32 *position)
{
	const u32 before = eh_frame_hdr__nr_before(&cfi->hdr, vaddr);
	u64 fde;

	if (!before)
		return false;
	fde = eh_frame_hdr__fde(&cfi->hdr, before - 1) - cfi->section.vaddr;
	*position = fde;
	return fde < cfi->section.size;
}

struct row { /* the state at one instruction */
	struct cfi_state state;
	bool found;
};

static void take_row(void *context, u64 at, const struct cfi_state *state)
{
	struct row *row = context;

	row->state = *state;
	row->found = true;
}

static void lose_row(void *context, u64 at)
{
	((struct row *)context)->found = false;
}

static u32 make_rule(struct cfi_file *cfi, u64 vaddr)
{
	struct row row = {};
	struct cfi_run run = { .machine = cfi->section.machine, .end = vaddr + 1, .changed = take_row, .unknown = lose_row, .context = &row };
	struct cfi_state state;
	struct unwind_rule rule;
	struct cfi_fde fde;
	u32 position;

	if (!find_fde(cfi, vaddr, &position) || !need_fde(cfi, position) || cfi_section__read_fde(&cfi->section, &cfi->file.budget, position, &fde) ||
	    vaddr - fde.begin >= fde.size)
		return UNWIND_RULE_NONE;
	if (bytes__left(&fde.program) > MAX_PROGRAM)
		return UNWIND_RULE_HARD;
	run.cie = fde.cie;
	run.at = fde.begin;
	state = fde.cie->initial;
	cfi_run__program(&run, fde.program, &state);
	if (!row.found)
		return UNWIND_RULE_HARD;
	rule = cfi_state__rule(&row.state, cfi->section.machine, fde.cie->is_signal);
	return unwind_rules__id(cfi->rules, &rule);
}

/* Without memory the rule is made again each time. */
static void note_rule(struct cfi_file *cfi, u64 offset, u32 hash, u32 rule)
{
	if (cfi->nr == cfi->room) {
		u32 room = cfi->room ? 2 * cfi->room : 256;
		struct known_rule *bigger = room > cfi->nr ? reallocarray(cfi->known, room, sizeof(*bigger)) : NULL;

		if (!bigger)
			return;
		cfi->known = bigger;
		cfi->room = room;
	}
	cfi->known[cfi->nr] = (struct known_rule){ offset, rule };
	if (!hash_index__add(&cfi->index, hash, cfi->nr))
		cfi->nr++;
}

u32 cfi_file__rule(struct cfi_file *cfi, u64 offset)
{
	u32 hash = hash_mix(0, offset), i = hash, rule;
	const struct hash_slot *slot;
	u64 vaddr;

	while ((slot = hash_index__next(&cfi->index, hash, &i))) {
		if (cfi->known[slot->place - 1].offset == offset)
			return cfi->known[slot->place - 1].rule;
	}
	rule = elf_file__vaddr(&cfi->file, offset, &vaddr) ? make_rule(cfi, vaddr) : UNWIND_RULE_NONE;
	note_rule(cfi, offset, hash, rule);
	return rule;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/elf-unpack.h"

#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "util/lib/pages.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* in <elf.h> since glibc 2.36 */
#endif

struct elf_unpacked {
	struct elf_unpacked *next;
	size_t size; /* including this header */
	char contents[] __attribute__((aligned(16)));
};

static int unpack_zlib(struct elf_unpacked *to, size_t size, const void *packed, size_t packed_size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (!d)
		return -ENOMEM;
	result = libdeflate_zlib_decompress(d, packed, packed_size, to->contents, size, NULL);
	libdeflate_free_decompressor(d);
	return result == LIBDEFLATE_SUCCESS ? 0 : -EBADMSG;
}

static int unpack_zstd(struct elf_unpacked *to, size_t size, const void *packed, size_t packed_size)
{
	return ZSTD_decompress(to->contents, size, packed, packed_size) == size ? 0 : -EBADMSG;
}

static const struct unpacker {
	u32 type; /* ch_type */
	u32 max_growth; /* a section that claims to be so many times larger than its contents is damaged */
	int (*unpack)(struct elf_unpacked *to, size_t size, const void *packed, size_t packed_size);
} unpackers[] = {
	{ ELFCOMPRESS_ZLIB, 1032, unpack_zlib },      /* 258 bytes from two bits (RFC 1951) */
	{ ELFCOMPRESS_ZSTD, 128 << 10, unpack_zstd }, /* a block of one byte repeated (RFC 8878) */
};

static const struct unpacker *unpacker__find(u32 type)
{
	for (size_t i = 0; i < ARRAY_SIZE(unpackers); i++) {
		if (unpackers[i].type == type)
			return &unpackers[i];
	}
	return NULL;
}

/* The old format: "ZLIB", the size in eight bytes, big endian, and the contents. */
#define OLD_MARK "ZLIB"
#define OLD_HEADER 12

/* The size of a compressed section; otherwise 0. */
static u64 unpacked_size(Elf_Scn *scn, const GElf_Shdr *shdr, const char *name)
{
	Elf_Data *raw;
	GElf_Chdr chdr;
	u64 size;

	if (shdr->sh_type == SHT_NOBITS)
		return 0;
	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &chdr) ? chdr.ch_size : 0;
	if (strncmp(name, ".zdebug", 7))
		return 0;
	raw = elf_rawdata(scn, NULL);
	if (!raw || !raw->d_buf || raw->d_size < OLD_HEADER || memcmp(raw->d_buf, OLD_MARK, strlen(OLD_MARK)))
		return 0;
	memcpy(&size, (const char *)raw->d_buf + strlen(OLD_MARK), sizeof(size));
	return be64toh(size);
}

bool elf_file__may_unpack(struct elf_file *file, Elf_Scn *scn)
{
	const char *name;
	GElf_Shdr shdr;
	char what[64];

	if (!gelf_getshdr(scn, &shdr))
		return false;
	name = elf_file__section_name(file, &shdr);
	snprintf(what, sizeof(what), "its section %.16s unpacked", name);
	return elf_budget__take(&file->budget, unpacked_size(scn, &shdr, name), what);
}

int elf_file__unpack(struct elf_file *file, Elf_Scn *scn)
{
	size_t header = gelf_getclass(file->elf) == ELFCLASS32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
	const struct unpacker *unpacker;
	struct elf_unpacked *unpacked;
	Elf_Data *raw, *data;
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	int ret;

	if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_COMPRESSED) || !gelf_getchdr(scn, &chdr))
		return -ENOTSUP;
	unpacker = unpacker__find(chdr.ch_type);
	if (!unpacker)
		return -ENOTSUP;
	raw = elf_rawdata(scn, NULL);
	data = elf_getdata(scn, NULL);
	if (!raw || !data || raw->d_size < header || chdr.ch_size / unpacker->max_growth > raw->d_size)
		return -EBADMSG;
	if (!elf_file__may_unpack(file, scn))
		return -EFBIG;
	unpacked = pages__new(sizeof(*unpacked) + chdr.ch_size);
	if (!unpacked)
		return -ENOMEM;
	unpacked->size = sizeof(*unpacked) + chdr.ch_size;
	ret = unpacker->unpack(unpacked, chdr.ch_size, (const char *)raw->d_buf + header, raw->d_size - header);
	if (ret) {
		pages__delete(unpacked, unpacked->size);
		return ret;
	}
	unpacked->next = file->unpacked;
	file->unpacked = unpacked;
	shdr.sh_flags &= ~(u64)SHF_COMPRESSED;
	shdr.sh_size = chdr.ch_size;
	shdr.sh_addralign = chdr.ch_addralign;
	gelf_update_shdr(scn, &shdr); /* in memory only */
	/* libdw reads the raw data since elfutils 0.190, and the other before. */
	data->d_buf = raw->d_buf = unpacked->contents;
	data->d_size = raw->d_size = chdr.ch_size;
	return 0;
}

void elf_unpacked__delete(struct elf_unpacked *first)
{
	while (first) {
		struct elf_unpacked *next = first->next;

		pages__delete(first, first->size);
		first = next;
	}
}

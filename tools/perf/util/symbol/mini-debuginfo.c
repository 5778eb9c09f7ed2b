// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/mini-debuginfo.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#define SECTION ".gnu_debugdata"
/* What xz needs beside the result: xz -9 has a dictionary of 64 MiB. Of that only as much is touched as is unpacked. */
#define MAX_DICTIONARY (66ULL << 20)
#define FIRST_ROOM (64ULL << 10)

struct unpacking {
	lzma_stream stream;
	u8 *image;
	size_t room;
};

/* Double the room. Each byte of it is taken from the budget. */
static int unpacking__grow(struct unpacking *u, struct elf_budget *budget)
{
	const size_t room = u->room ? 2 * u->room : FIRST_ROOM;
	u8 *more;

	if (!elf_budget__take(budget, room - u->room, "its section " SECTION " unpacked"))
		return -ENOENT;
	more = realloc(u->image, room);
	if (!more)
		return -ENOMEM;
	u->stream.next_out = more + u->stream.total_out;
	u->stream.avail_out = room - u->stream.total_out;
	u->image = more;
	u->room = room;
	return 0;
}

static int refuse(struct elf_budget *budget, lzma_ret why)
{
	if (why == LZMA_MEM_ERROR)
		return -ENOMEM;
	if (why == LZMA_MEMLIMIT_ERROR)
		elf_budget__note(budget, "its section " SECTION " takes more than %llu MiB to unpack", MAX_DICTIONARY >> 20);
	else
		elf_budget__note(budget, "its section " SECTION " is damaged");
	return -ENOENT;
}

static int unpacking__run(struct unpacking *u, struct elf_budget *budget)
{
	lzma_ret ret = lzma_stream_decoder(&u->stream, MAX_DICTIONARY, 0);

	while (ret == LZMA_OK) {
		const int err = u->stream.avail_out ? 0 : unpacking__grow(u, budget);

		if (err)
			return err;
		ret = lzma_code(&u->stream, LZMA_FINISH);
	}
	return ret == LZMA_STREAM_END ? 0 : refuse(budget, ret);
}

static int unpack(const Elf_Data *packed, struct elf_budget *budget, void **image, size_t *size)
{
	struct unpacking u = { .stream = LZMA_STREAM_INIT };
	int err;

	u.stream.next_in = packed->d_buf;
	u.stream.avail_in = packed->d_size;
	err = unpacking__run(&u, budget);
	lzma_end(&u.stream);
	if (err) {
		free(u.image);
		return err;
	}
	*image = u.image;
	*size = u.stream.total_out;
	return 0;
}

int mini_debuginfo__open(struct mini_debuginfo *mini, struct elf_file *file)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, SECTION, &shdr);
	Elf_Data *packed = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	size_t size;
	int err;

	if (!packed || !packed->d_buf || !packed->d_size)
		return -ENOENT;
	err = unpack(packed, &file->budget, &mini->image, &size);
	if (err)
		return err;
	err = elf_file__open_unpacked(&mini->elf, mini->image, size, &file->budget);
	if (!err)
		return 0;
	free(mini->image);
	if (err == -ENOEXEC)
		elf_budget__note(&file->budget, "its section " SECTION " is damaged");
	return err == -ENOMEM ? err : -ENOENT;
}

void mini_debuginfo__close(struct mini_debuginfo *mini)
{
	elf_file__close(&mini->elf);
	free(mini->image);
}

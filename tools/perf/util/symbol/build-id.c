// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "util/lib/fs.h"
#include "util/symbol/elf-file.h"
#include "util/symbol/symtab.h"

/* Limit in bytes of the notes to read: libelf copies them, and thousands may claim the whole file. */
#define MAX_NOTES (1 << 20)

/* elf(5): each note is a header, a name and a description; both are padded to four bytes. */
int build_id__from_notes(const void *notes, size_t size, struct build_id *id)
{
	const char *p = notes;

	while (size >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note; /* the same as Elf32_Nhdr */
		u64 desc_off, total;

		memcpy(&note, p, sizeof(note));
		desc_off = sizeof(note) + ALIGN_UP((u64)note.n_namesz, 4);
		total = desc_off + ALIGN_UP((u64)note.n_descsz, 4);
		if (desc_off + note.n_descsz > size)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(p + sizeof(note), "GNU", sizeof("GNU")) && note.n_descsz && note.n_descsz <= sizeof(id->data)) {
			*id = (struct build_id){ .size = note.n_descsz };
			memcpy(id->data, p + desc_off, note.n_descsz);
			return 0;
		}
		if (total >= size)
			break;
		p += total;
		size -= total;
	}
	return -ENOENT;
}

static bool build_id__of_data(Elf_Data *data, struct build_id *id)
{
	return data && data->d_buf && !build_id__from_notes(data->d_buf, data->d_size, id);
}

int elf_file__build_id(const struct elf_file *file, struct build_id *id)
{
	size_t nr, left = MAX_NOTES;
	Elf_Scn *scn = NULL;

	/* Read sections first: in a separate debug file the program headers describe what was left in the other file. */
	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE || shdr.sh_size > left)
			continue;
		left -= shdr.sh_size;
		if (build_id__of_data(elf_getdata(scn, NULL), id))
			return 0;
	}
	if (elf_getphdrnum(file->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_NOTE || phdr.p_filesz > left)
			continue;
		left -= phdr.p_filesz;
		data = elf_getdata_rawchunk(file->elf, phdr.p_offset, phdr.p_filesz, ELF_T_NHDR);
		if (build_id__of_data(data, id))
			return 0;
	}
	return -ENOENT;
}

static int build_id__read_kernel(struct build_id *id)
{
	struct fs_text notes = {};
	int err = fs_text__read(&notes, AT_FDCWD, "/sys/kernel/notes");

	if (!err)
		err = build_id__from_notes(notes.text, notes.size, id);
	fs_text__exit(&notes);
	return err;
}

static int read_and_close(struct elf_file *file, struct build_id *id)
{
	int err = elf_file__build_id(file, id);

	elf_file__close(file);
	return err;
}

int build_id__read(const char *path, struct build_id *id)
{
	struct elf_file file;
	int err;

	if (!path)
		return build_id__read_kernel(id);
	err = elf_file__open(&file, path, NULL);
	return err ? err : read_and_close(&file, id);
}

int build_id__read_fd(int fd, struct build_id *id)
{
	struct elf_file file;
	int err = elf_file__open_fd(&file, fd, "", NULL);

	return err ? err : read_and_close(&file, id);
}

bool build_id__equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size > b->size ? a : b;
	size_t size = a->size < b->size ? a->size : b->size;

	if (!size || memcmp(a->data, b->data, size))
		return a->size == b->size && !size;
	for (size_t i = size; i < longer->size; i++) {
		if (longer->data[i])
			return false;
	}
	return true;
}

char *build_id__str(const struct build_id *id, char buf[41])
{
	size_t size = id->size < sizeof(id->data) ? id->size : sizeof(id->data);

	buf[0] = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(buf + 2 * i, "%02x", id->data[i]);
	return buf;
}

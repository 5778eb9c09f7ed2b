// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/elf-file.h"

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/lib/regular-file.h"
#include "util/symbol/elf-unpack.h"
#include "util/symbol/symtab.h"

/* The kernel refuses to run files with more than 64 KiB of program headers (fs/binfmt_elf.c). */
#define MAX_PHDRS (65536 / sizeof(Elf64_Phdr))
/* libelf's memory for a section's header: Elf_Scn, and the header twice. */
#define MEMORY_PER_SECTION 512

static u64 number_at(const u8 *p, size_t size, bool big_endian)
{
	u64 value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | p[big_endian ? i : size - 1 - i];
	return value;
}

struct contents { /* of a file, or in memory */
	int fd; /* -1: in memory */
	const u8 *image;
	size_t size;
};

/* Returns how many bytes were read, at most size. */
static size_t contents__read(const struct contents *c, void *to, size_t size, u64 at)
{
	ssize_t n;

	if (c->fd >= 0) {
		n = at <= INT64_MAX ? pread(c->fd, to, size, at) : 0;
		return n > 0 ? n : 0;
	}
	if (at >= c->size)
		return 0;
	size = size < c->size - at ? size : c->size - at;
	memcpy(to, c->image + at, size);
	return size;
}

/* Check before libelf allocates all sections at once. If e_shnum is too small for their number, it is in sh_size of the first one. */
static u64 count_sections(const struct contents *c)
{
	u8 ehdr[sizeof(Elf64_Ehdr)] = {}, shdr[sizeof(Elf64_Shdr)] = {};
	bool is64, big;
	u64 nr, at;

	if (contents__read(c, ehdr, sizeof(ehdr), 0) < sizeof(Elf32_Ehdr) || memcmp(ehdr, ELFMAG, SELFMAG))
		return 0;
	is64 = ehdr[EI_CLASS] == ELFCLASS64;
	big = ehdr[EI_DATA] == ELFDATA2MSB;
	nr = number_at(ehdr + (is64 ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum)), 2, big);
	at = is64 ? number_at(ehdr + offsetof(Elf64_Ehdr, e_shoff), 8, big) : number_at(ehdr + offsetof(Elf32_Ehdr, e_shoff), 4, big);
	if (nr || !at || contents__read(c, shdr, sizeof(shdr), at) < sizeof(Elf32_Shdr))
		return nr;
	return is64 ? number_at(shdr + offsetof(Elf64_Shdr, sh_size), 8, big) : number_at(shdr + offsetof(Elf32_Shdr, sh_size), 4, big);
}

static bool take_headers(struct elf_budget *budget, const struct contents *c)
{
	return elf_budget__take(budget, count_sections(c) * MEMORY_PER_SECTION, "its section headers");
}

void elf_file__hide(Elf_Scn *scn)
{
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return;
	shdr.sh_type = SHT_NOBITS;
	gelf_update_shdr(scn, &shdr); /* in memory only */
}

static void elf_file__afford(struct elf_file *file, Elf_Scn *scn, const GElf_Shdr *shdr, const char *name)
{
	bool converted = file->ehdr.e_ident[EI_DATA] != (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
	u64 size = shdr->sh_size;
	char what[48];

	snprintf(what, sizeof(what), "its section %.24s", name);
	if (converted && size <= UINT64_MAX / 2) /* libelf keeps both forms */
		size *= 2;
	if (!elf_budget__take(&file->budget, size, what))
		elf_file__hide(scn);
}

bool elf_file__may_read_whole(struct elf_file *file)
{
	struct stat st;

	return file->fd >= 0 && !fstat(file->fd, &st) && elf_budget__take(&file->budget, st.st_size, "the file as a whole");
}

/* Code and data may be huge, and are never read as a whole, except the sections that describe code, such as PLTs and frames. */
static bool may_be_read(const struct elf_file *file, const GElf_Shdr *shdr)
{
	static const char *const prefixes[] = { ".debug", ".zdebug", ".gnu", ".plt", ".eh_frame" };
	const char *name = elf_file__section_name(file, shdr);

	if (shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_ALLOC) || !file->section_names.size)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

/* Read the names first: they identify the other sections. */
static void elf_file__afford_sections(struct elf_file *file)
{
	Elf_Scn *names = NULL, *scn = NULL;
	size_t shstrndx;
	GElf_Shdr shdr;

	if (!elf_getshdrstrndx(file->elf, &shstrndx)) {
		names = elf_getscn(file->elf, shstrndx);
		if (names && gelf_getshdr(names, &shdr) && shdr.sh_type != SHT_NOBITS)
			elf_file__afford(file, names, &shdr, "with names");
		file->section_names = elf_file__strings(file, shstrndx);
	}
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (scn != names && gelf_getshdr(scn, &shdr) && shdr.sh_type != SHT_NOBITS && may_be_read(file, &shdr))
			elf_file__afford(file, scn, &shdr, elf_file__section_name(file, &shdr));
	}
}

static int elf_file__read_loads(struct elf_file *file)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr) || nr > MAX_PHDRS)
		return -ENOEXEC;
	file->load = calloc(nr + 1, sizeof(*file->load));
	if (!file->load)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		file->load[file->nr_load++] = (struct elf_load){
			.vaddr = phdr.p_vaddr, .offset = phdr.p_offset, .file_size = phdr.p_filesz,
			.size = phdr.p_memsz > phdr.p_filesz ? phdr.p_memsz : phdr.p_filesz, .flags = phdr.p_flags,
		};
	}
	return 0;
}

static bool is_strings(const struct elf_file *file, size_t index, GElf_Shdr *shdr)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);

	return scn && gelf_getshdr(scn, shdr) && shdr->sh_type == SHT_STRTAB;
}

/* Not elf_strptr(), which searches the end of each string from the end of its table. */
struct elf_strings elf_file__strings(const struct elf_file *file, size_t index)
{
	GElf_Shdr shdr;
	Elf_Data *data = is_strings(file, index, &shdr) ? elf_getdata(elf_getscn(file->elf, index), NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size || ((const char *)data->d_buf)[data->d_size - 1])
		return (struct elf_strings){};
	return (struct elf_strings){ data->d_buf, data->d_size };
}

static bool is_in_file(const struct elf_file *file, const GElf_Shdr *shdr)
{
	struct stat st;

	return !fstat(file->fd, &st) && shdr->sh_offset <= (u64)st.st_size && shdr->sh_size <= st.st_size - shdr->sh_offset;
}

size_t elf_file__strings_size(const struct elf_file *file, size_t index)
{
	GElf_Shdr shdr;

	if (file->fd < 0)
		return elf_file__strings(file, index).size;
	return is_strings(file, index, &shdr) && is_in_file(file, &shdr) ? shdr.sh_size : 0;
}

static bool read_at(int fd, char *to, size_t size, u64 offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, to + done, size - done, offset + done);

		if (!n || (n < 0 && errno != EINTR))
			return false;
		done += n > 0 ? n : 0;
	}
	return true;
}

/* Not through libelf, which would keep another copy until it is closed. */
bool elf_file__read_strings(const struct elf_file *file, size_t index, char *to, size_t size)
{
	struct elf_strings strings;
	GElf_Shdr shdr;

	if (!size || !is_strings(file, index, &shdr) || shdr.sh_size != size)
		return false;
	if (file->fd >= 0)
		return is_in_file(file, &shdr) && read_at(file->fd, to, size, shdr.sh_offset) && !to[size - 1];
	strings = elf_file__strings(file, index);
	if (strings.size != size)
		return false;
	memcpy(to, strings.text, size);
	return true;
}

/* Continues at file->elf, which may be NULL. */
static int elf_file__init(struct elf_file *file)
{
	int err = -ENOEXEC;

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &file->ehdr))
		goto err_out;
	elf_file__afford_sections(file);
	err = elf_file__read_loads(file);
	if (!err)
		return 0;
err_out:
	elf_file__close(file);
	return err;
}

int elf_file__open(struct elf_file *file, const char *path, struct errmsg *err)
{
	int fd = regular_file__open(path, 0);

	if (fd == -EINVAL)
		return errmsg__set(err, ENOEXEC, "%s: not a regular file", path);
	if (fd == -ENOSYS)
		return errmsg__set(err, ENOSYS, "%s: is opened by way of /proc, which is not mounted", path);
	return fd < 0 ? errmsg__set(err, -fd, "%s: %s", path, strerror(-fd)) : elf_file__open_fd(file, fd, path, err);
}

int elf_file__open_fd(struct elf_file *file, int fd, const char *path, struct errmsg *err)
{
	int rc;

	elf_version(EV_CURRENT);
	*file = (struct elf_file){ .fd = fd };
	elf_budget__init(&file->budget, fd);
	if (take_headers(&file->budget, &(struct contents){ .fd = fd }))
		file->elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = elf_file__init(file);
	if (rc == -ENOEXEC && file->budget.left_out[0])
		return errmsg__set(err, E2BIG, "%s: %s", path, file->budget.left_out);
	if (rc == -ENOMEM)
		return errmsg__set(err, ENOMEM, "%s: out of memory", path);
	return rc ? errmsg__set(err, -rc, "%s: not an ELF file, or a damaged one", path) : 0;
}

int elf_file__open_memory(struct elf_file *file, const void *image, size_t size)
{
	elf_version(EV_CURRENT);
	/* libelf only reads it, but elf_memory() lacks a const */
	*file = (struct elf_file){ .fd = -1, .elf = elf_memory((char *)image, size) };
	elf_budget__init_memory(&file->budget, size);
	return elf_file__init(file);
}

int elf_file__open_unpacked(struct elf_file *file, const void *image, size_t size, struct elf_budget *budget)
{
	int err;

	elf_version(EV_CURRENT);
	*file = (struct elf_file){ .fd = -1, .budget = *budget };
	if (take_headers(&file->budget, &(struct contents){ -1, image, size }))
		file->elf = elf_memory((char *)image, size);
	err = elf_file__init(file);
	*budget = file->budget;
	return err;
}

void elf_file__close_contents(struct elf_file *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	elf_unpacked__delete(file->unpacked);
	file->unpacked = NULL;
	file->section_names = (struct elf_strings){};
	file->elf = NULL;
	file->fd = -1;
}

void elf_file__close(struct elf_file *file)
{
	elf_file__close_contents(file);
	free(file->load);
}

Elf_Scn *elf_file__section(const struct elf_file *file, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, shdr) && !strcmp(elf_file__section_name(file, shdr), name))
			return scn;
	}
	return NULL;
}

bool elf_file__offset(const struct elf_file *file, u64 vaddr, u64 *offset)
{
	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];

		if (vaddr - load->vaddr < load->size) {
			*offset = vaddr - load->vaddr + load->offset;
			return true;
		}
	}
	return false;
}

bool elf_file__vaddr(const struct elf_file *file, u64 offset, u64 *vaddr)
{
	for (u32 i = 0; i < file->nr_load; i++) {
		const struct elf_load *load = &file->load[i];

		if (offset - load->offset < load->file_size) {
			*vaddr = offset - load->offset + load->vaddr;
			return true;
		}
	}
	return false;
}

bool elf_file__read(const struct elf_file *file, u64 offset, void *buf, size_t size)
{
	const char *image;
	size_t image_size;

	if (file->fd >= 0)
		return offset <= INT64_MAX && pread(file->fd, buf, size, offset) == (ssize_t)size;
	image = elf_rawfile(file->elf, &image_size); /* in memory anyway */
	if (!image || offset > image_size || size > image_size - offset)
		return false;
	memcpy(buf, image + offset, size);
	return true;
}

bool elf_file__phdr(const struct elf_file *file, u32 type, GElf_Phdr *phdr)
{
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (gelf_getphdr(file->elf, i, phdr) && phdr->p_type == type)
			return true;
	}
	return false;
}

/* The section has the name with its NUL, padded to four bytes, then the CRC-32 of the debug file in the ELF file's byte order. */
int elf_file__debuglink(const struct elf_file *file, const char **name, u32 *crc)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(file, ".gnu_debuglink", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	size_t len;

	if (!data || !data->d_buf || !memchr(data->d_buf, '\0', data->d_size))
		return -ENOENT;
	*name = data->d_buf;
	len = ALIGN_UP(strlen(*name) + 1, 4);
	if (len + sizeof(*crc) > data->d_size)
		return -ENOENT;
	memcpy(crc, *name + len, sizeof(*crc));
	*crc = file->ehdr.e_ident[EI_DATA] == ELFDATA2MSB ? be32toh(*crc) : le32toh(*crc);
	return 0;
}

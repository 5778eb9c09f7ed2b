// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/kernel-code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/lib/advice.h"

#define SIZE_MAX_OF_CODE (16u << 20) /* the largest functions have some 100 kB */
#define NAME_SIZE 512

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif

/* /proc/kcore may return less than was asked for. 0 or -errno (-ENODATA: the file ends before). */
static int read_at(int fd, void *buf, size_t size, u64 offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(fd, (char *)buf + done, size - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		done += got;
	}
	return 0;
}

static int write_all(int fd, const void *buf, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = write(fd, (const char *)buf + done, size - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		done += put;
	}
	return 0;
}

static bool is_core(const Elf64_Ehdr *ehdr)
{
	return !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) && ehdr->e_ident[EI_CLASS] == ELFCLASS64 && ehdr->e_ident[EI_DATA] == OWN_ORDER &&
	       ehdr->e_type == ET_CORE && ehdr->e_phentsize == sizeof(Elf64_Phdr);
}

/* Where the bytes of [addr, addr + size) are in the core file; -ENOENT: no segment has all of them. */
static int find_bytes(int fd, const Elf64_Ehdr *ehdr, u64 addr, u64 size, u64 *offset)
{
	Elf64_Phdr phdr;

	for (u32 i = 0; i < ehdr->e_phnum; i++) {
		int ret = read_at(fd, &phdr, sizeof(phdr), ehdr->e_phoff + i * sizeof(phdr));

		if (ret)
			return ret;
		if (phdr.p_type == PT_LOAD && addr >= phdr.p_vaddr && size <= phdr.p_filesz && addr - phdr.p_vaddr <= phdr.p_filesz - size) {
			*offset = phdr.p_offset + (addr - phdr.p_vaddr);
			return 0;
		}
	}
	return -ENOENT;
}

/* What objdump needs: the headers and the code */
static int write_file(const Elf64_Ehdr *core, u64 addr, const void *bytes, size_t size)
{
	struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr;
	} head = {
		.ehdr = { .e_type = ET_CORE, .e_machine = core->e_machine, .e_version = EV_CURRENT, .e_phoff = sizeof(Elf64_Ehdr), .e_flags = core->e_flags,
			  .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1 },
		.phdr = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = sizeof(head), .p_vaddr = addr, .p_filesz = size, .p_memsz = size,
			  .p_align = 1 },
	};
	int fd = memfd_create("kernel-code", MFD_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	memcpy(head.ehdr.e_ident, core->e_ident, EI_NIDENT);
	ret = write_all(fd, &head, sizeof(head)) ?: write_all(fd, bytes, size);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int copy_code(struct kernel_code *code, int core, const char *path, u64 addr, u64 size, struct errmsg *err)
{
	Elf64_Ehdr ehdr = {};
	u64 offset = 0;
	void *bytes;
	int ret = read_at(core, &ehdr, sizeof(ehdr), 0);

	if (!ret && !is_core(&ehdr))
		return errmsg__set(err, ENOEXEC, "%s is no ELF core file of this machine's byte order", path);
	if (!size || size > SIZE_MAX_OF_CODE)
		return errmsg__set(err, EFBIG, "its size is not known");
	bytes = malloc(size);
	if (!bytes)
		return errmsg__set(err, ENOMEM, "out of memory");
	ret = ret ?: find_bytes(core, &ehdr, addr, size, &offset);
	if (ret == -ENOENT)
		errmsg__set(err, ENOENT, "%s has no memory at %#" PRIx64, path, (uint64_t)addr);
	else if ((ret = ret ?: read_at(core, bytes, size, offset)))
		errmsg__set(err, -ret, "%s: %s", path, strerror(-ret));
	else if ((code->fd = ret = write_file(&ehdr, addr, bytes, size)) < 0)
		errmsg__set(err, -ret, "a copy of its code: %s", strerror(-ret));
	code->machine = ehdr.e_machine;
	free(bytes);
	return ret < 0 ? ret : 0;
}

int kernel_code__open(struct kernel_code *code, const char *path, u64 addr, u64 size, struct errmsg *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -errno;

	*code = (struct kernel_code){ .fd = -1 };
	if (fd < 0 && ret == -ENOENT)
		return errmsg__set(err, ENOENT, "this kernel has no %s: name its vmlinux by -k", path);
	if (fd < 0)
		return errmsg__set(err, -ret, "%s: %s: %s, or name the kernel's vmlinux by -k", path, strerror(-ret), advice__root_within());
	ret = copy_code(code, fd, path, addr, size, err);
	close(fd);
	return ret;
}

void kernel_code__close(struct kernel_code *code)
{
	if (code->fd >= 0)
		close(code->fd);
	code->fd = -1;
}

/* The next " 0x..." that is a whole word from at on; NULL: none */
static char *find_address(char *at, u64 *addr, char **end)
{
	while ((at = strstr(at, " 0x"))) {
		*addr = strtoull(at + 3, end, 16);
		if (*end != at + 3 && (!**end || **end == ' '))
			return at + 1;
		at += 3;
	}
	return NULL;
}

char *kernel_code__name_addresses(char *text, bool (*name)(u64 addr, char *buf, size_t size, void *data), void *data)
{
	char buf[NAME_SIZE], *at = text, *end, *named;
	u64 addr;
	int ret;

	while ((at = find_address(at, &addr, &end))) {
		if (!name(addr, buf, sizeof(buf), data)) {
			at = end;
			continue;
		}
		ret = asprintf(&named, "%.*s%" PRIx64 " <%s>%s", (int)(at - text), text, (uint64_t)addr, buf, end);
		free(text);
		return ret < 0 ? NULL : named;
	}
	return text;
}

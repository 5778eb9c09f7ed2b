// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/elf-budget.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/lib/disk-bytes.h"

#define ANY_FILE (256ULL << 10)
#define SMALL_FACTOR 32
#define LARGE_FILE (1ULL << 30)
#define LARGE_FACTOR 4

static u64 memory_for(u64 disk)
{
	u64 small = ANY_FILE + SMALL_FACTOR * disk, large = LARGE_FILE + LARGE_FACTOR * disk;

	return small < large ? small : large;
}

void elf_budget__init(struct elf_budget *b, int fd)
{
	u64 disk = disk_bytes__of(fd);

	*b = (struct elf_budget){ .disk = disk, .left = memory_for(disk) };
}

void elf_budget__init_memory(struct elf_budget *b, u64 size)
{
	*b = (struct elf_budget){ .disk = size, .left = memory_for(size) };
}

static int print_size(char *buf, size_t size, u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = bytes / 1024.0;
	size_t i = 0;

	while (value >= 1000 && i + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		i++;
	}
	return snprintf(buf, size, "%.*f %s", value < 10, value, units[i]);
}

bool elf_budget__has(struct elf_budget *b, u64 bytes, const char *what)
{
	char need[32], disk[32], left[32];

	if (bytes <= b->left)
		return true;
	print_size(need, sizeof(need), bytes);
	print_size(disk, sizeof(disk), b->disk);
	print_size(left, sizeof(left), b->left);
	elf_budget__note(b, "%.40s would take %s of memory, and for a file with %s on disk only %s are left", what, need, disk, left);
	return false;
}

bool elf_budget__take(struct elf_budget *b, u64 bytes, const char *what)
{
	if (!elf_budget__has(b, bytes, what))
		return false;
	b->left -= bytes;
	return true;
}

void elf_budget__note(struct elf_budget *b, const char *fmt, ...)
{
	va_list args;

	if (b->left_out[0])
		return;
	va_start(args, fmt);
	vsnprintf(b->left_out, sizeof(b->left_out), fmt, args);
	va_end(args);
}

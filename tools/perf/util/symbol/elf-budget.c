// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/elf-budget.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANY_FILE (256ULL << 10)
#define SMALL_FACTOR 32
#define LARGE_FILE (1ULL << 30)
#define LARGE_FACTOR 4
/* Limit of data runs between holes to count: linkers and package managers make a few. */
#define MAX_RUNS 4096
/* The size granted to a file with far fewer blocks than its size, on a file system that reports no hole in it. */
#define UNPROVEN (16ULL << 20)
#define PACKED 32 /* times: the file has holes, it is not just compressed */

static u64 memory_for(u64 disk)
{
	u64 small = ANY_FILE + SMALL_FACTOR * disk, large = LARGE_FILE + LARGE_FACTOR * disk;

	return small < large ? small : large;
}

/* Count the bytes that are no hole. A file system that does not report holes says that all bytes are data. */
static u64 count_data(int fd, u64 size)
{
	off_t before = lseek(fd, 0, SEEK_CUR), hole = 0, data;
	u64 sum = 0;

	for (int i = 0; i < MAX_RUNS; i++) {
		data = lseek(fd, hole, SEEK_DATA);
		if (data < 0)
			break;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			break;
		sum += hole - data;
	}
	if (before < 0 || (!sum && errno != ENXIO)) /* a pipe, or unknown */
		sum = size;
	else
		lseek(fd, before, SEEK_SET);
	return sum < size ? sum : size;
}

/*
 * st_blocks alone is not enough: some file systems (ZFS) report a new file's blocks seconds later, some never. If the file system
 * reports no holes either, a file that is one hole looks the same.
 */
static u64 bytes_on_disk(int fd)
{
	struct stat st;
	u64 data;

	if (fstat(fd, &st) || st.st_size <= 0)
		return 0;
	data = count_data(fd, st.st_size);
	if (data < (u64)st.st_size || st.st_blocks >= st.st_size / 512 / PACKED || data < UNPROVEN)
		return data;
	return UNPROVEN;
}

void elf_budget__init(struct elf_budget *b, int fd)
{
	u64 disk = bytes_on_disk(fd);

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

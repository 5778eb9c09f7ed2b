// SPDX-License-Identifier: GPL-2.0
#include "util/lib/disk-bytes.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit of data runs between holes to count: linkers and package managers make a few. */
#define MAX_RUNS 4096
/* The size granted to a file with far fewer blocks than its size, on a file system that reports no hole in it. */
#define UNPROVEN (16ULL << 20)
#define PACKED 32 /* times: the file has holes, it is not just compressed */

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
u64 disk_bytes__of(int fd)
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

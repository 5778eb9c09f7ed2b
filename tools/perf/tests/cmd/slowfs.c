// SPDX-License-Identifier: GPL-2.0
/*
 * A file system that stops to answer, of a user who is not root: slowfs DIR FILE mounts it on DIR, with copies of FILE as "file" and "sub/file",
 * and a directory "empty". While the file "stop" is in the working directory, looking up, opening and reading there wait. It ends after 30
 * seconds, so that nobody waits for ever.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int fuse, source;
static struct stat st;

static void reply(const struct fuse_in_header *in, int error, const void *data, size_t size)
{
	static char buffer[1 << 18];
	struct fuse_out_header out = { .len = sizeof(out) + size, .error = error, .unique = in->unique };

	memcpy(buffer, &out, sizeof(out));
	if (size)
		memcpy(buffer + sizeof(out), data, size);
	if (write(fuse, buffer, out.len) < 0 && errno != ENOENT)
		perror("write");
}

/* Nodes: 1 is the directory, 2 the file, 3 "sub", 4 "empty" */
static struct fuse_attr attr_of(unsigned long node)
{
	return (struct fuse_attr){
		.ino = node, .size = node != 2 ? 0 : st.st_size, .blocks = st.st_blocks, .mode = node != 2 ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1, .blksize = 4096, .mtime = 1, .ctime = 1,
	};
}

static void look_up(const struct fuse_in_header *in, const char *name)
{
	const unsigned long node = in->nodeid != 4 && !strcmp(name, "file") ? 2 : in->nodeid != 1 ? 0 : !strcmp(name, "sub") ? 3 : !strcmp(name, "empty") ? 4 : 0;
	struct fuse_entry_out out = { .nodeid = node, .entry_valid = 1000, .attr_valid = 1000, .attr = attr_of(node) };

	reply(in, node ? 0 : -ENOENT, &out, node ? sizeof(out) : 0);
}

static void get_attr(const struct fuse_in_header *in)
{
	struct fuse_attr_out out = { .attr_valid = 1000, .attr = attr_of(in->nodeid) };

	reply(in, 0, &out, sizeof(out));
}

static void open_it(const struct fuse_in_header *in)
{
	reply(in, 0, &(struct fuse_open_out){ .fh = 1 }, sizeof(struct fuse_open_out));
}

static void read_it(const struct fuse_in_header *in, const struct fuse_read_in *want)
{
	static char data[1 << 17];
	ssize_t n = pread(source, data, want->size < sizeof(data) ? want->size : sizeof(data), want->offset);

	reply(in, n < 0 ? -EIO : 0, data, n < 0 ? 0 : n);
}

static void begin(const struct fuse_in_header *in)
{
	struct fuse_init_out out = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 4096, .max_write = 4096, .max_background = 4 };

	reply(in, 0, &out, sizeof(out));
}

static void stat_fs(const struct fuse_in_header *in)
{
	struct fuse_statfs_out out = { .st = { .bsize = 4096, .namelen = 255 } };

	reply(in, 0, &out, sizeof(out));
}

static void serve(const struct fuse_in_header *in)
{
	int stopped = !access("stop", F_OK);

	switch (in->opcode) {
	case FUSE_INIT: begin(in); break;
	case FUSE_LOOKUP: if (!stopped) look_up(in, (const char *)(in + 1)); break;
	case FUSE_STATFS: stat_fs(in); break;
	case FUSE_GETATTR: get_attr(in); break;
	case FUSE_OPEN: if (!stopped) open_it(in); break;
	case FUSE_READ: if (!stopped) read_it(in, (const void *)(in + 1)); break;
	case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
	case FUSE_FLUSH: case FUSE_RELEASE: reply(in, 0, NULL, 0); break;
	default: reply(in, -ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char buffer[1 << 18] __attribute__((aligned(8)));
	char options[100];

	alarm(30);
	fuse = open("/dev/fuse", O_RDWR);
	source = argc > 2 ? open(argv[2], O_RDONLY) : -1;
	if (fuse < 0 || source < 0 || fstat(source, &st))
		return perror("slowfs"), 1;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=1000,group_id=1000,allow_other", fuse);
	if (mount("slowfs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options))
		return perror("slowfs: mount"), 1;
	while (read(fuse, buffer, sizeof(buffer)) > 0)
		serve((const void *)buffer);
	return 0;
}

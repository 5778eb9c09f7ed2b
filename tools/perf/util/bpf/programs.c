// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "bpf"
#include "util/bpf/programs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/skeleton-run.h"
#include "util/bpf/token.h"
#include "util/lib/log.h"

#define LOG_SIZE (4 << 20)
#define LOG_TAIL_LINES 20

struct bpf_programs {
	const struct bpf_image *image;
	char *skel; /* its first member is a struct bpf_loader_ctx */
	struct { /* maps of others, until the load */
		struct bpf_map_desc *desc;
		int fd;
	} shared[SKELETON_MAX_SHARED];
	unsigned int nr_shared;
};

struct bpf_programs *bpf_programs__open(const struct bpf_image *image)
{
	struct bpf_programs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->image = image;
	p->skel = image->open();
	if (p->skel)
		return p;
	free(p);
	return NULL;
}

void bpf_programs__delete(struct bpf_programs *p)
{
	if (!p)
		return;
	p->image->destroy(p->skel);
	free(p);
}

static const struct bpf_image_part *find_part(const struct bpf_image_part *part, const char *name)
{
	while (part->name && strcmp(part->name, name))
		part++;
	return part->name ? part : NULL;
}

static const struct bpf_image_part *find_var(const struct bpf_programs *p, const char *name, char **section)
{
	for (const struct bpf_image_section *s = p->image->sections; s->vars; s++) {
		const struct bpf_image_part *var = find_part(s->vars, name);

		*section = *(char **)(p->skel + s->offset);
		if (var)
			return var;
	}
	return NULL;
}

void *bpf_programs__var(struct bpf_programs *p, const char *name, size_t *size)
{
	char *section;
	const struct bpf_image_part *var = find_var(p, name, &section);

	assert(var);
	if (size)
		*size = var->size;
	return section + var->offset;
}

void *bpf_programs__sized_var(struct bpf_programs *p, const char *name, size_t size)
{
	size_t has;
	void *var = bpf_programs__var(p, name, &has);

	assert(has == size);
	return var;
}

bool bpf_programs__has_var(const struct bpf_programs *p, const char *name)
{
	char *section;

	return find_var(p, name, &section);
}

bool bpf_programs__has_map(const struct bpf_programs *p, const char *name)
{
	return find_part(p->image->maps, name);
}

static struct bpf_map_desc *find_map(const struct bpf_programs *p, const char *name)
{
	const struct bpf_image_part *map = find_part(p->image->maps, name);

	assert(map);
	return (struct bpf_map_desc *)(p->skel + map->offset);
}

static struct bpf_prog_desc *find_prog(const struct bpf_programs *p, const char *name)
{
	const struct bpf_image_part *prog = find_part(p->image->progs, name);

	assert(prog);
	return (struct bpf_prog_desc *)(p->skel + prog->offset);
}

void bpf_programs__resize(struct bpf_programs *p, const char *map, u32 max_entries)
{
	find_map(p, map)->max_entries = max_entries;
}

/* Gives the descriptor to the skeleton. */
static void put_map(struct bpf_programs *p, const char *map, int fd)
{
	struct bpf_map_desc *desc = find_map(p, map);

	assert(p->nr_shared < SKELETON_MAX_SHARED);
	p->shared[p->nr_shared].desc = desc;
	p->shared[p->nr_shared++].fd = desc->map_fd = fd;
}

int bpf_programs__share(struct bpf_programs *p, const char *map, const struct bpf_programs *other)
{
	int fd = fcntl(bpf_programs__map(other, map), F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return -errno;
	put_map(p, map, fd);
	return 0;
}

int bpf_programs__leave_out(struct bpf_programs *p, const char *map)
{
	const struct bpf_token_map none = { .name = "left_out", .type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	int fd = bpf_token__create_map(&none);

	if (fd < 0)
		return fd;
	put_map(p, map, fd);
	return 0;
}

/* The loader has left copies in the place of all. */
static int bpf_programs__end_sharing(struct bpf_programs *p)
{
	int ret = 0;

	for (unsigned int i = 0; i < p->nr_shared; i++) {
		struct bpf_map_info has = { 0 }, wants = { 0 };
		u32 len = sizeof(has);

		if (bpf_obj_get_info_by_fd(p->shared[i].desc->map_fd, &has, &len) || bpf_obj_get_info_by_fd(p->shared[i].fd, &wants, &len))
			ret = -errno;
		else if (has.id != wants.id)
			ret = -ENOTSUP;
		close(p->shared[i].fd);
	}
	p->nr_shared = 0;
	return ret;
}

/* The last lines of the log contain the reason. */
static const char *last_words(const char *log)
{
	const char *tail = log + strlen(log);
	int lines = 0;

	if (tail > log)
		tail--; /* the newline at the end begins no line */
	while (tail > log && (tail[-1] != '\n' || ++lines < LOG_TAIL_LINES))
		tail--;
	return tail;
}

static void bpf_programs__debug_refusal(struct bpf_programs *p)
{
	struct bpf_loader_ctx *ctx = (struct bpf_loader_ctx *)p->skel;
	char *log = calloc(1, LOG_SIZE);

	if (!log)
		return;
	ctx->log_level = 1;
	ctx->log_size = LOG_SIZE;
	ctx->log_buf = (uintptr_t)log;
	if (!p->image->load(p->skel))
		pr_debug("the second attempt to load %s succeeded\n", p->image->name);
	pr_debug("the verifier's last words:\n%s\n", last_words(log));
	ctx->log_level = 0;
	ctx->log_size = 0;
	ctx->log_buf = 0;
	free(log);
}

int bpf_programs__load(struct bpf_programs *p)
{
	int ret = p->image->load(p->skel);

	if (ret && log__enabled(LOG_DEBUG))
		bpf_programs__debug_refusal(p);
	return ret ?: bpf_programs__end_sharing(p);
}

int bpf_programs__prog(const struct bpf_programs *p, const char *name)
{
	return find_prog(p, name)->prog_fd;
}

int bpf_programs__map(const struct bpf_programs *p, const char *name)
{
	return find_map(p, name)->map_fd;
}

int bpf_programs__attach_named(const struct bpf_programs *p, const char *prog, const char *tracepoint)
{
	int link = bpf_raw_tracepoint_open(tracepoint, bpf_programs__prog(p, prog));

	return link < 0 ? -errno : link;
}

int bpf_programs__attach_raw(const struct bpf_programs *p, const char *prog)
{
	return bpf_programs__attach_named(p, prog, NULL);
}

/* The iterator holds the program; the link only creates iterators. */
struct iterated_task { /* of union bpf_iter_link_info, since Linux 6.1; not in every <linux/bpf.h> */
	u32 tid, pid, pid_fd, pad;
};

static int iterate(const struct bpf_programs *p, const char *prog, struct iterated_task *task)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = (void *)task, .iter_info_len = task ? sizeof(*task) : 0);
	int link = bpf_link_create(bpf_programs__prog(p, prog), 0, BPF_TRACE_ITER, &opts), fd;

	if (link < 0)
		return -errno;
	fd = bpf_iter_create(link);
	if (fd < 0)
		fd = -errno;
	close(link);
	return fd;
}

int bpf_programs__iterate(const struct bpf_programs *p, const char *prog)
{
	return bpf_programs__iterate_process(p, prog, 0);
}

int bpf_programs__iterate_process(const struct bpf_programs *p, const char *prog, pid_t pid)
{
	struct iterated_task task = { .pid = pid };

	return iterate(p, prog, pid ? &task : NULL);
}

int bpf_programs__iterate_thread(const struct bpf_programs *p, const char *prog, pid_t tid)
{
	struct iterated_task task = { .tid = tid };

	return iterate(p, prog, &task);
}

int bpf_programs__run_iterator(const struct bpf_programs *p, const char *prog)
{
	int fd = bpf_programs__iterate(p, prog), ret = 0;
	ssize_t n;
	char buf[8];

	if (fd < 0)
		return fd;
	while (!ret && (n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			ret = -errno;
	}
	close(fd);
	return ret;
}

/* 0 tells the skeleton that there is nothing to close. */
static int take_fd(int *from)
{
	int fd = *from;

	*from = 0;
	return fd;
}

int bpf_programs__take_prog(struct bpf_programs *p, const char *name)
{
	return take_fd(&find_prog(p, name)->prog_fd);
}

int bpf_programs__take_map(struct bpf_programs *p, const char *name)
{
	return take_fd(&find_map(p, name)->map_fd);
}

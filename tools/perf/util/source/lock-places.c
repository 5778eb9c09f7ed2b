// SPDX-License-Identifier: GPL-2.0
#include "util/source/lock-places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-places.h"
#include "util/lib/cpumap.h"
#include "util/symbol/symtab.h"

struct lock_places {
	u64 image, image_size;		 /* the kernel's; size 0: unknown */
	u64 some_page, pages_size;	 /* a struct page, and the largest size of the array that it is in; 0: unknown */
	u32 page_size;			 /* of a struct page */
	struct cpu_base {
		u64 start; /* of its part of the per-CPU variables */
		u32 cpu;
	} *base;
	u32 nr_bases;
};

/* Where things are */

/* The kernel's image and the memory, as /proc/iomem shows them to root. Addresses there are physical; distances are the same. */
static void read_iomem(u64 *image_size, u64 *memory)
{
	FILE *fp = fopen("/proc/iomem", "re");
	u64 start, end, code = 0;
	char line[256];

	*image_size = *memory = 0;
	while (fp && fgets(line, sizeof(line), fp)) {
		if (sscanf(line, " %lx-%lx", &start, &end) != 2)
			continue;
		if (strstr(line, " : System RAM"))
			*memory = end;
		if (strstr(line, " : Kernel code"))
			code = start;
		if (strstr(line, " : Kernel ") && code && end > code)
			*image_size = end - code;
	}
	if (fp)
		fclose(fp);
}

static void find_image(struct lock_places *p)
{
	static const char *const start[] = { "_text", "_stext" }; /* arm64 counts from the second one */
	u64 address[2] = { 0, 0 }, memory;

	read_iomem(&p->image_size, &memory);
	kallsyms__lookup(NULL, start, address, ARRAY_SIZE(address));
	p->image = address[0] ?: address[1];
	if (!p->image)
		p->image_size = 0;
	p->page_size = kernel_places__size("page");
	p->pages_size = memory / sysconf(_SC_PAGESIZE) * p->page_size;
}

static int find_bases(struct lock_places *p, int run_queues)
{
	u64 lock, *last = NULL;
	u32 offset, cpu;

	if (!kernel_places__percpu_offset("runqueues", "rq", "__lock", &offset))
		return 0;
	p->base = calloc(cpumap__possible_count(), sizeof(*p->base));
	if (!p->base)
		return -1;
	while (p->nr_bases < (u32)cpumap__possible_count() && !bpf_map_get_next_key(run_queues, last, &lock)) {
		if (!bpf_map_lookup_elem(run_queues, &lock, &cpu))
			p->base[p->nr_bases++] = (struct cpu_base){ lock - offset, cpu };
		last = &lock;
	}
	return 0;
}

struct lock_places *lock_places__new(int run_queues, u64 some_page)
{
	struct lock_places *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->some_page = some_page;
	find_image(p);
	if (!find_bases(p, run_queues))
		return p;
	lock_places__delete(p);
	return NULL;
}

void lock_places__delete(struct lock_places *p)
{
	if (!p)
		return;
	free(p->base);
	free(p);
}

/* Finding */

static bool in_percpu(const struct lock_places *p, u64 lock, struct lock_name *name)
{
	char text[128];

	for (u32 i = 0; i < p->nr_bases; i++) {
		const u64 offset = lock - p->base[i].start;

		if (offset <= UINT32_MAX && kernel_places__in_percpu(offset, text, sizeof(text))) {
			*name = (struct lock_name){ .kind = LOCK_OF_CPU, .id = p->base[i].cpu, .offset = offset };
			return true;
		}
	}
	return false;
}

static bool name_of_page(u32 offset, char *buf, size_t size)
{
	static const char *const types[] = { "ptdesc", "page" }; /* the first one since Linux 6.6: the same memory */
	char member[128];

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (kernel_places__in_struct(types[i], offset, member, sizeof(member)))
			return (size_t)snprintf(buf, size, "%s.%s", types[i], member) < size;
	}
	return false;
}

/* A struct page has one lock, that of a page table, always at the same offset: other addresses are no locks. */
static bool in_page(const struct lock_places *p, u64 lock, struct lock_name *name)
{
	const u64 distance = lock > p->some_page ? lock - p->some_page : p->some_page - lock;
	char text[128];
	u32 offset;

	if (!p->some_page || !p->page_size || distance >= p->pages_size)
		return false;
	offset = distance % p->page_size;
	if (offset && lock < p->some_page)
		offset = p->page_size - offset;
	if (!name_of_page(offset, text, sizeof(text)))
		return false;
	*name = (struct lock_name){ .kind = LOCK_OF_PAGE, .offset = offset };
	return true;
}

void lock_places__find(const struct lock_places *p, u64 lock, struct lock_name *name)
{
	if (name->kind != LOCK_OF_UNKNOWN || in_percpu(p, lock, name) || in_page(p, lock, name))
		return;
	if (lock - p->image < p->image_size)
		*name = (struct lock_name){ .kind = LOCK_OF_KERNEL, .offset = lock - p->image };
}

/* Names */

static const char *const structures[] = {
	[LOCK_OF_MM] = "mm_struct",	[LOCK_OF_SIGHAND] = "sighand_struct", [LOCK_OF_SIGNAL] = "signal_struct",
	[LOCK_OF_FILES] = "files_struct", [LOCK_OF_FS] = "fs_struct",	      [LOCK_OF_TASK] = "task_struct",
};

/* Short names, as other perfs use them: those of the members. */
static const char *const short_names[] = { "mmap_lock", "siglock", "rq_lock" };

static bool name_of_member(const char *type, u32 offset, char *buf, size_t size)
{
	char member[128];

	if (!kernel_places__in_struct(type, offset, member, sizeof(member)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(short_names); i++) {
		if (!strcmp(member, short_names[i]))
			return (size_t)snprintf(buf, size, "%s", member) < size;
	}
	return (size_t)snprintf(buf, size, "%s.%s", type, member) < size;
}

/* Caches whose objects have a type of another name; most have that of the cache. */
static const struct {
	const char *cache, *type;
} object_types[] = {
	{ "inode_cache", "inode" },		    { "ext4_inode_cache", "ext4_inode_info" },	{ "shmem_inode_cache", "shmem_inode_info" },
	{ "proc_inode_cache", "proc_inode" },	    { "sock_inode_cache", "socket_alloc" },	{ "hugetlbfs_inode_cache", "hugetlbfs_inode_info" },
	{ "mqueue_inode_cache", "mqueue_inode_info" }, { "nfs_inode_cache", "nfs_inode" },	{ "files_cache", "files_struct" },
	{ "fs_cache", "fs_struct" },		    { "signal_cache", "signal_struct" },	{ "sighand_cache", "sighand_struct" },
	{ "filp", "file" },			    { "kernfs_node_cache", "kernfs_node" },	{ "bdev_cache", "bdev_inode" },
};

static const char *type_of_objects(const char *cache)
{
	for (size_t i = 0; i < ARRAY_SIZE(object_types); i++) {
		if (!strcmp(object_types[i].cache, cache))
			return object_types[i].type;
	}
	return cache;
}

/* A lock is where a lock is. If only one of the two offsets is such a place, it is the right one. */
static bool name_in_object(const struct lock_name *name, char *buf, size_t size)
{
	char cache[LOCK_NAME_LEN + 1], other[128];
	const char *type;
	bool found;

	snprintf(cache, sizeof(cache), "%.*s", LOCK_NAME_LEN, name->text);
	type = type_of_objects(cache);
	found = name->offset != LOCK_NO_OFFSET && kernel_places__in_struct(type, name->offset, buf, size);
	if (name->or_offset == name->offset || name->or_offset == LOCK_NO_OFFSET)
		return found;
	if (!kernel_places__in_struct(type, name->or_offset, other, sizeof(other)))
		return found;
	if (found)
		return !strcmp(buf, other);
	return (size_t)snprintf(buf, size, "%s", other) < size;
}

bool lock_place__name(const struct lock_name *name, char *buf, size_t size)
{
	switch (name->kind) {
	case LOCK_OF_MM ... LOCK_OF_TASK:
		return name_of_member(structures[name->kind], name->offset, buf, size);
	case LOCK_OF_RQ:
		return (size_t)snprintf(buf, size, "rq_lock") < size;
	case LOCK_OF_SLAB:
		return (size_t)snprintf(buf, size, "&%.*s", LOCK_NAME_LEN, name->text) < size;
	case LOCK_OF_CPU:
		return kernel_places__in_percpu(name->offset, buf, size);
	case LOCK_OF_PAGE:
		return name_of_page(name->offset, buf, size);
	case LOCK_OF_KERNEL:
		return (size_t)snprintf(buf, size, "[kernel]+%#x", name->offset) < size;
	default:
		return false;
	}
}

void lock_place__whose(const struct lock_name *name, char *buf, size_t size)
{
	char member[128];

	*buf = '\0';
	if (name->kind == LOCK_OF_SLAB && name_in_object(name, member, sizeof(member)))
		snprintf(buf, size, "->%s", member);
	else if (name->kind == LOCK_OF_RQ || name->kind == LOCK_OF_CPU)
		snprintf(buf, size, " of CPU %u", name->id);
	else if (name->kind >= LOCK_OF_MM && name->kind <= LOCK_OF_TASK)
		snprintf(buf, size, " of %s %u (%.*s)", name->kind == LOCK_OF_TASK ? "TID" : "PID", name->id, LOCK_NAME_LEN, name->text);
}

bool lock_place__is_one(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(short_names); i++) {
		if (!strcmp(name, short_names[i]))
			return true;
	}
	return (name[0] == '&' && name[1]) || !strncmp(name, "[kernel]+", strlen("[kernel]+")) || kernel_places__has(name, strcspn(name, ".["));
}

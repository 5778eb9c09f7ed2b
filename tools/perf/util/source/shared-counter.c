// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "counters"
#include "util/source/shared-counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-features.h"
#include "util/bpf/token.h"
#include "util/lib/clock.h"
#include "util/lib/log.h"

#define OFFER_NAME "perf_counter"
#define FILL_NS 100000000 /* a perf that has made its map fills it at once; the limit for all maps together */

struct offer { /* the only value of the map */
	struct perf_event_attr attr;
	u32 pid; /* 0: it is not filled yet */
	s32 map_fd; /* of pid: the map itself */
	u32 nr;
	u32 pad;
	struct {
		u64 id; /* PERF_EVENT_IOC_ID, which no other event ever has */
		s32 cpu;
		s32 fd; /* of pid */
	} counter[];
};

static size_t offer_size(int nr)
{
	return sizeof(struct offer) + nr * sizeof(((struct offer *)NULL)->counter[0]);
}

/* Taking what another perf offers */

/* The map with this id, if it is an offer; *size of its value. -1: it is not, or is gone. */
static int open_offer(u32 id, size_t *size)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	if (fd < 0)
		return -1;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == BPF_MAP_TYPE_ARRAY && info.max_entries == 1 &&
	    !strcmp(info.name, OFFER_NAME) && info.value_size >= sizeof(struct offer) && info.value_size <= offer_size(cpumap__possible_count())) {
		*size = info.value_size;
		return fd;
	}
	close(fd);
	return -1;
}

/* Its value, which the caller frees. NULL: it has none that is of use. */
static struct offer *read_offer(u32 id, u64 until)
{
	struct offer *offer;
	const u32 zero = 0;
	size_t size;
	int fd = open_offer(id, &size);

	if (fd < 0)
		return NULL;
	offer = calloc(1, size);
	while (offer && !bpf_map_lookup_elem(fd, &zero, offer) && !offer->pid && clock__ns(CLOCK_MONOTONIC) < until)
		usleep(100);
	close(fd);
	if (offer && offer->pid && size == offer_size(offer->nr))
		return offer;
	free(offer);
	return NULL;
}

/* Is it what a process of this user offers? Others may make maps with that name. */
static bool is_of_this_user(const struct offer *offer, u32 id)
{
	char path[64], line[128];
	struct stat st;
	u32 held = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%u", offer->pid);
	if (stat(path, &st) || st.st_uid != geteuid())
		return false;
	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%d", offer->pid, offer->map_fd);
	fp = fopen(path, "re");
	if (!fp)
		return false;
	while (fgets(line, sizeof(line), fp) && sscanf(line, "map_id: %u", &held) != 1)
		;
	fclose(fp);
	return held == id;
}

static int take_fd(int pidfd, const struct offer *offer, u32 i)
{
	int fd = syscall(SYS_pidfd_getfd, pidfd, offer->counter[i].fd, 0);
	u64 id;

	if (fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ID, &id) && id == offer->counter[i].id)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int take_cpu(int pidfd, const struct offer *offer, int cpu)
{
	for (u32 i = 0; i < offer->nr; i++) {
		if (offer->counter[i].cpu == cpu)
			return take_fd(pidfd, offer, i);
	}
	return -1;
}

static void close_all(struct shared_counter *c)
{
	for (int i = 0; i < c->cpus->nr; i++) {
		if (c->fd[i] >= 0)
			close(c->fd[i]);
		c->fd[i] = -1;
	}
}

static bool take_all(struct shared_counter *c, const struct offer *offer)
{
	int pidfd = syscall(SYS_pidfd_open, offer->pid, 0), i;

	if (pidfd < 0)
		return false;
	for (i = 0; i < c->cpus->nr; i++) {
		c->fd[i] = take_cpu(pidfd, offer, c->cpus->cpu[i]);
		if (c->fd[i] < 0)
			break;
	}
	close(pidfd);
	if (i == c->cpus->nr)
		return true;
	close_all(c);
	return false;
}

/* Take the oldest offer of the event, of those with an id below this one. */
static bool take(struct shared_counter *c, const struct perf_event_attr *attr, u32 below)
{
	const u64 until = clock__ns(CLOCK_MONOTONIC) + FILL_NS;
	u32 id = 0;

	while (!c->taken && !bpf_map_get_next_id(id, &id) && id < below) {
		struct offer *offer = read_offer(id, until);

		c->taken = offer && !memcmp(&offer->attr, attr, sizeof(*attr)) && is_of_this_user(offer, id) && take_all(c, offer);
		if (c->taken)
			pr_debug("the counters of process %u are shared\n", offer->pid);
		free(offer);
	}
	return c->taken;
}

/* Offering */

static int fill_offer(const struct shared_counter *c, const struct perf_event_attr *attr, struct offer *offer)
{
	offer->attr = *attr;
	offer->pid = getpid();
	offer->map_fd = c->offer_fd;
	offer->nr = c->cpus->nr;
	for (int i = 0; i < c->cpus->nr; i++) {
		offer->counter[i].cpu = c->cpus->cpu[i];
		offer->counter[i].fd = c->fd[i];
		if (ioctl(c->fd[i], PERF_EVENT_IOC_ID, &offer->counter[i].id))
			return -errno;
	}
	return 0;
}

static u32 map_id(int fd)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.id;
}

/* Without an offer nobody else finds the counters, which is no error. */
static void offer(struct shared_counter *c, const struct perf_event_attr *attr)
{
	struct offer *offer = calloc(1, offer_size(c->cpus->nr));
	const u32 zero = 0;

	if (offer)
		c->offer_fd = bpf_token__create_map(&(struct bpf_token_map){
			.name = OFFER_NAME, .type = BPF_MAP_TYPE_ARRAY, .key_size = sizeof(zero), .value_size = offer_size(c->cpus->nr), .max_entries = 1 });
	if (c->offer_fd >= 0 && (fill_offer(c, attr, offer) || bpf_map_update_elem(c->offer_fd, &zero, offer, BPF_ANY))) {
		close(c->offer_fd);
		c->offer_fd = -1;
	}
	free(offer);
}

static int open_all(struct shared_counter *c, const struct perf_event_attr *attr)
{
	for (int i = 0; i < c->cpus->nr; i++) {
		struct perf_event_attr own = *attr;

		c->fd[i] = sys_perf_event_open(&own, -1, c->cpus->cpu[i], -1, PERF_FLAG_FD_CLOEXEC);
		if (c->fd[i] < 0)
			return -errno;
	}
	return 0;
}

/*
 * Two perfs that start at once may both find nothing and open counters. Each looks again when it has made its offer: the one with the
 * older offer keeps its counters, the other one takes them.
 */
static void settle(struct shared_counter *c, const struct perf_event_attr *attr)
{
	struct shared_counter older = { .cpus = c->cpus, .fd = calloc(c->cpus->nr, sizeof(*c->fd)), .offer_fd = -1 };

	if (!older.fd)
		return;
	memset(older.fd, -1, c->cpus->nr * sizeof(*older.fd));
	if (c->offer_fd >= 0 && take(&older, attr, map_id(c->offer_fd))) {
		shared_counter__close(c);
		*c = older;
		offer(c, attr);
	} else {
		free(older.fd);
	}
}

int shared_counter__open(struct shared_counter *c, const struct perf_event_attr *attr, const struct cpumap *cpus)
{
	int ret;

	*c = (struct shared_counter){ .cpus = cpus, .fd = calloc(cpus->nr, sizeof(*c->fd)), .offer_fd = -1 };
	if (!c->fd)
		return -ENOMEM;
	memset(c->fd, -1, cpus->nr * sizeof(*c->fd));
	if (take(c, attr, UINT32_MAX)) {
		offer(c, attr);
		return 0;
	}
	ret = open_all(c, attr);
	if (ret) {
		shared_counter__close(c);
		return ret;
	}
	offer(c, attr);
	settle(c, attr);
	return 0;
}

int shared_counter__open_cpu(const struct shared_counter *c, const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr own = *attr;
	int fd;

	if (!cpumap__has(c->cpus, cpu))
		return -ENOENT;
	own.disabled = 1;
	fd = sys_perf_event_open(&own, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Who starts later must find the new one. */
static void offer_again(struct shared_counter *c, const struct perf_event_attr *attr)
{
	if (c->offer_fd >= 0)
		close(c->offer_fd);
	c->offer_fd = -1;
	offer(c, attr);
}

int shared_counter__replace(struct shared_counter *c, const struct perf_event_attr *attr, int cpu, int fd)
{
	const int ret = ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;

	for (int i = 0; i < c->cpus->nr; i++) {
		if (c->cpus->cpu[i] != cpu)
			continue;
		close(c->fd[i]);
		c->fd[i] = fd;
	}
	offer_again(c, attr);
	return ret;
}

void shared_counter__close(struct shared_counter *c)
{
	if (c->fd)
		close_all(c);
	free(c->fd);
	c->fd = NULL;
	if (c->offer_fd >= 0)
		close(c->offer_fd);
	c->offer_fd = -1;
}

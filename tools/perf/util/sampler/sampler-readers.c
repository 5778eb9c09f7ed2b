// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of the rings: a thread each may have some CPUs. A ring's descriptors are in the epoll of one reader only, as polling one of
 * them clears the mark that there is data for all (kernel/events/core.c, perf_poll).
 */
#include "util/sampler/sampler-state.h"

#include <stdlib.h>
#include <sys/epoll.h>

int sampler__new_readers(struct sampler *s, const struct sampler_opts *opts)
{
	s->nr_readers = 1 + opts->nr_readers;
	s->reader = calloc(s->nr_readers, sizeof(*s->reader));
	if (!s->reader)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->nr_readers; i++)
		s->reader[i].epfd = -1;
	for (unsigned int i = 0; i < s->nr_readers; i++) {
		struct sampler_reader *reader = &s->reader[i];

		reader->bounce = malloc(RING_BOUNCE_SIZE);
		if (!reader->bounce)
			return -ENOMEM;
		reader->epfd = epoll_create1(EPOLL_CLOEXEC);
		if (reader->epfd < 0)
			return -errno;
	}
	return 0;
}

void sampler__delete_readers(struct sampler *s)
{
	for (unsigned int i = 0; s->reader && i < s->nr_readers; i++) {
		close_fd(&s->reader[i].epfd);
		free(s->reader[i].bounce);
	}
	free(s->reader);
	free(s->reader_of);
	s->reader = NULL;
	s->reader_of = NULL;
	s->nr_readers = 0;
}

static unsigned int reader_of_cpu(const struct sampler_opts *opts, int cpu)
{
	for (unsigned int i = 0; i < opts->nr_readers && cpu >= 0; i++) {
		if (cpumap__has(opts->readers[i], cpu))
			return 1 + i;
	}
	return 0;
}

void sampler__assign_rings(struct sampler *s, const struct sampler_opts *opts)
{
	for (unsigned int i = 0; i < s->nr_slots; i++) {
		const struct slot *slot = &s->slot[i];

		s->reader_of[slot->ring] = reader_of_cpu(opts, slot->cpu);
		s->reader[s->reader_of[slot->ring]].nr_slots++;
	}
}

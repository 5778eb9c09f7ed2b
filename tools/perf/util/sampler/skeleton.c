// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "skeleton"
#include "util/sampler/skeleton.h"

#include <errno.h>
#include <stdlib.h>
#include <bpf/bpf.h>
#include "util/lib/cpumap.h"
#include "util/lib/log.h"

#define LOG_SIZE (4 << 20)
#define LOG_TAIL_LINES 20

int verifier_log__new(struct verifier_log *log)
{
	log->buf = calloc(1, LOG_SIZE);
	log->size = log->buf ? LOG_SIZE : 0;
	return log->buf ? 0 : -ENOMEM;
}

void verifier_log__tell(struct verifier_log *log)
{
	const char *tail = log->buf + strlen(log->buf);
	int lines = 0;

	if (tail > log->buf)
		tail--; /* the last newline ends a line, and begins none */
	while (tail > log->buf && (tail[-1] != '\n' || ++lines < LOG_TAIL_LINES))
		tail--;
	pr_debug("the verifier's last words:\n%s\n", tail);
	free(log->buf);
	log->buf = NULL;
}

void *percpu_map__read(int map_fd, u32 key, size_t size, int *nr_cpus, const char *what, struct errmsg *err)
{
	void *values;
	int error;

	*nr_cpus = cpumap__possible_count();
	if (*nr_cpus < 0) {
		errno = -errmsg__set(err, -*nr_cpus, "cannot tell how many CPUs the system can have: %s", strerror(-*nr_cpus));
		return NULL;
	}
	values = calloc(*nr_cpus, size);
	if (!values) {
		errno = -errmsg__set(err, ENOMEM, "out of memory for counts");
		return NULL;
	}
	if (!bpf_map_lookup_elem(map_fd, &key, values))
		return values;
	error = -errmsg__set(err, errno, "cannot read %s: %s", what, strerror(errno));
	free(values);
	errno = error;
	return NULL;
}

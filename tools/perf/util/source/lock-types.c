// SPDX-License-Identifier: GPL-2.0
/* The names of kinds of locks, as perf lock of others prints them. */
#include "util/source/lock-types.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "util/bpf_skel/lock.h"

static const struct {
	u32 flags;
	const char *name, *alias; /* alias: another one that -Y takes; NULL: none */
} types[] = {
	{ 0, "semaphore", NULL },
	{ LOCK_FLAG_SPIN, "spinlock", NULL },
	{ LOCK_FLAG_SPIN | LOCK_FLAG_READ, "rwlock:R", NULL },
	{ LOCK_FLAG_SPIN | LOCK_FLAG_WRITE, "rwlock:W", NULL },
	{ LOCK_FLAG_READ, "rwsem:R", NULL },
	{ LOCK_FLAG_WRITE, "rwsem:W", NULL },
	{ LOCK_FLAG_RT, "rt-mutex", "rtmutex" },
	{ LOCK_FLAG_RT | LOCK_FLAG_READ, "rwlock-rt:R", NULL },
	{ LOCK_FLAG_RT | LOCK_FLAG_WRITE, "rwlock-rt:W", NULL },
	{ LOCK_FLAG_PERCPU | LOCK_FLAG_READ, "pcpu-sem:R", "percpu-rwsem:R" },
	{ LOCK_FLAG_PERCPU | LOCK_FLAG_WRITE, "pcpu-sem:W", "percpu-rwsem:W" },
	{ LOCK_FLAG_MUTEX, "mutex", NULL },
	{ LOCK_FLAG_MUTEX | LOCK_FLAG_SPIN, "mutex", NULL },
	{ LOCK_FUTEX, "futex", NULL },
	{ LOCK_FUTEX_SHARED, "futex:S", NULL },
	{ LOCK_FUTEX_PI, "futex-pi", NULL },
	{ LOCK_FUTEX_PI_SHARED, "futex-pi:S", NULL },
};

const char *lock_type__name(u32 flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (types[i].flags == flags)
			return types[i].name;
	}
	return "unknown";
}

static bool matches(const char *type, const char *name, size_t len)
{
	if (!type || strncmp(type, name, len))
		return false;
	return !type[len] || (type[len] == ':' && !memchr(name, ':', len));
}

u64 lock_type__parse(const char *name, size_t len)
{
	u64 found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types) && len; i++) {
		if (types[i].flags < LOCK_NR_FLAGS && (matches(types[i].name, name, len) || matches(types[i].alias, name, len)))
			found |= 1ULL << types[i].flags;
	}
	return found;
}

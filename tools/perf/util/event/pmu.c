// SPDX-License-Identifier: GPL-2.0
#include "util/event/pmu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/lib/fs.h"

struct pmu {
	char *name;
	int dir;
	u32 type;
};

struct format {
	int config;	/* 0: config, 1: config1, 2: config2 */
	u64 mask;	/* the bits for the value, lowest first */
};

/* Allow only plain names in paths. */
static bool plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* "a, b, c" of the names below dir for an error text; "none" if there are none. */
static const char *list_names(int dir, const char *path, char *buf, size_t size)
{
	struct fs_names *names = fs_names__read(dir, path);
	size_t len = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; names && i < names->nr && len < size; i++)
		len += snprintf(buf + len, size - len, "%s%s", i ? ", " : "", names->name[i]);
	fs_names__delete(names);
	return buf;
}

static int no_pmu(struct errmsg *err, const char *root, const char *name)
{
	char list[256];

	return errmsg__set(err, ENOENT, "this machine has no PMU '%s'; it has: %s", name,
			   list_names(AT_FDCWD, root, list, sizeof(list)));
}

static int read_type(struct pmu *pmu, struct errmsg *err)
{
	char *text = fs__read_file(pmu->dir, "type", NULL), *end;
	unsigned long type;

	if (!text)
		return errmsg__set(err, errno, "the type of PMU '%s' cannot be read: %s", pmu->name, strerror(errno));
	errno = 0;
	type = strtoul(text, &end, 10);
	if (errno || end == text || (*end && *end != '\n') || type > UINT32_MAX) {
		free(text);
		return errmsg__set(err, EINVAL, "the type of PMU '%s' is not a number", pmu->name);
	}
	free(text);
	pmu->type = type;
	return 0;
}

int pmu__new(const char *root, const char *name, struct pmu **pmup, struct errmsg *err)
{
	struct pmu *pmu;
	char *path;
	int ret;

	if (!plain_name(name))
		return no_pmu(err, root, name);
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return errmsg__set(err, ENOMEM, "out of memory");
	pmu->dir = -1;
	pmu->name = strdup(name);
	if (!pmu->name || asprintf(&path, "%s/%s", root, name) < 0) {
		ret = errmsg__set(err, ENOMEM, "out of memory");
		goto err_out;
	}
	pmu->dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(path);
	if (pmu->dir < 0) {
		ret = errno == ENOENT ? no_pmu(err, root, name) :
					errmsg__set(err, errno, "PMU '%s' cannot be read: %s", name, strerror(errno));
		goto err_out;
	}
	ret = read_type(pmu, err);
	if (ret)
		goto err_out;
	*pmup = pmu;
	return 0;
err_out:
	pmu__delete(pmu);
	return ret;
}

void pmu__delete(struct pmu *pmu)
{
	if (!pmu)
		return;
	if (pmu->dir >= 0)
		close(pmu->dir);
	free(pmu->name);
	free(pmu);
}

const char *pmu__name(const struct pmu *pmu)
{
	return pmu->name;
}

u32 pmu__type(const struct pmu *pmu)
{
	return pmu->type;
}

/* A file below format/ or events/; NULL with errno set. */
static char *read_below(const struct pmu *pmu, const char *dir, const char *name)
{
	char *path, *text;
	int saved;

	if (!plain_name(name)) {
		errno = ENOENT;
		return NULL;
	}
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	text = fs__read_file(pmu->dir, path, NULL);
	saved = errno;
	free(path);
	errno = saved;
	return text;
}

/* Parse "config:0-7,21,32-35". */
static int parse_format(const char *text, struct format *format)
{
	static const char *const configs[] = { "config:", "config1:", "config2:" };

	format->mask = 0;
	for (format->config = 0; format->config < (int)ARRAY_SIZE(configs); format->config++) {
		size_t len = strlen(configs[format->config]);

		if (!strncmp(text, configs[format->config], len)) {
			text += len;
			break;
		}
	}
	if (format->config == (int)ARRAY_SIZE(configs))
		return -EINVAL;
	for (;;) {
		unsigned int first, last;
		int used;

		if (sscanf(text, "%u-%u%n", &first, &last, &used) != 2) {
			if (sscanf(text, "%u%n", &first, &used) != 1)
				return -EINVAL;
			last = first;
		}
		if (first > last || last > 63)
			return -EINVAL;
		for (; first <= last; first++)
			format->mask |= 1ull << first;
		text += used;
		if (*text != ',')
			return *text == '\0' || *text == '\n' ? 0 : -EINVAL;
		text++;
	}
}

static int read_format(const struct pmu *pmu, const char *term, struct format *format, struct errmsg *err)
{
	char *text = read_below(pmu, "format", term), list[256];
	int ret;

	if (!text && errno == ENOENT)
		return errmsg__set(err, ENOENT, "PMU '%s' has no term '%s'; its own terms: %s", pmu->name, term,
				   list_names(pmu->dir, "format", list, sizeof(list)));
	if (!text)
		return errmsg__set(err, errno, "format '%s' of PMU '%s' cannot be read: %s", term, pmu->name, strerror(errno));
	ret = parse_format(text, format);
	free(text);
	return ret ? errmsg__set(err, -ret, "format '%s' of PMU '%s' is not understood", term, pmu->name) : 0;
}

/* Distribute the bits of value, lowest first, to the bits of mask. */
static u64 deposit(u64 value, u64 mask)
{
	u64 out = 0;

	for (; mask; mask &= mask - 1, value >>= 1) {
		if (value & 1)
			out |= mask & -mask;
	}
	return out;
}

int pmu__set_term(const struct pmu *pmu, const char *term, u64 value, struct perf_event_attr *attr, struct errmsg *err)
{
	struct format format;
	int ret = read_format(pmu, term, &format, err), bits;
	u64 bit_values;

	if (ret)
		return ret;
	bits = __builtin_popcountll(format.mask);
	if (bits < 64 && value >> bits)
		return errmsg__set(err, ERANGE, "0x%llx is too big for '%s' of PMU '%s', which ends at 0x%llx",
				   (unsigned long long)value, term, pmu->name, (1ull << bits) - 1);
	bit_values = deposit(value, format.mask);
	if (format.config == 0)
		attr->config = (attr->config & ~format.mask) | bit_values;
	else if (format.config == 1)
		attr->config1 = (attr->config1 & ~format.mask) | bit_values;
	else
		attr->config2 = (attr->config2 & ~format.mask) | bit_values;
	return 0;
}

char *pmu__event_terms(const struct pmu *pmu, const char *name)
{
	return read_below(pmu, "events", name);
}

/* "events/NAME.kind" without its newline, malloc'ed; NULL: there is none */
static char *read_display(const struct pmu *pmu, const char *name, const char *kind)
{
	char file[256], *text;

	snprintf(file, sizeof(file), "%s.%s", name, kind);
	text = read_below(pmu, "events", file);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

void pmu__event_display(const struct pmu *pmu, const char *name, char *unit, size_t size, double *scale, bool *snapshot)
{
	char *text = read_display(pmu, name, "unit");

	snprintf(unit, size, "%s", text ?: "");
	free(text);
	text = read_display(pmu, name, "scale");
	*scale = text ? strtod(text, NULL) : 0;
	free(text);
	text = read_display(pmu, name, "snapshot");
	*snapshot = text && strtol(text, NULL, 10) == 1;
	free(text);
}

int pmu__cpus(const struct pmu *pmu, struct cpumap **cpus, struct errmsg *err)
{
	static const char *const files[] = { "cpumask", "cpus" };

	*cpus = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *text = fs__read_file(pmu->dir, files[i], NULL);
		int saved;

		if (!text && errno == ENOENT)
			continue;
		if (!text)
			return errmsg__set(err, errno, "%s of PMU '%s' cannot be read: %s", files[i], pmu->name,
					   strerror(errno));
		text[strcspn(text, "\n")] = '\0';
		*cpus = cpumap__parse(text, err);
		saved = errno;
		free(text);
		return *cpus ? 0 : -saved;
	}
	return 0;
}

/* Some events have additional files that describe the display of their counts (NAME.scale, NAME.unit, ...). */
static bool is_event_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !dot || (strcmp(dot, ".scale") && strcmp(dot, ".unit") && strcmp(dot, ".per-pkg") && strcmp(dot, ".snapshot"));
}

static int for_each_event_of(const char *root, const char *pmu, int (*cb)(void *data, const char *pmu, const char *event),
			     void *data)
{
	struct fs_names *events;
	char *path;
	int ret = 0;

	if (asprintf(&path, "%s/%s/events", root, pmu) < 0)
		return -ENOMEM;
	events = fs_names__read(AT_FDCWD, path);
	free(path);
	if (!events)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	for (size_t i = 0; i < events->nr && !ret; i++) {
		if (is_event_file(events->name[i]))
			ret = cb(data, pmu, events->name[i]);
	}
	fs_names__delete(events);
	return ret;
}

int pmu__for_each_event(const char *root, int (*cb)(void *data, const char *pmu, const char *event), void *data)
{
	struct fs_names *pmus = fs_names__read(AT_FDCWD, root);
	int ret = 0;

	if (!pmus)
		return -errno;
	for (size_t i = 0; i < pmus->nr && !ret; i++)
		ret = for_each_event_of(root, pmus->name[i], cb, data);
	fs_names__delete(pmus);
	return ret;
}

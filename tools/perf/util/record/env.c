// SPDX-License-Identifier: GPL-2.0
#include "util/record/env.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include "util/event/pmu.h"
#include "util/event/tracepoint.h"
#include "util/lib/array.h"
#include "util/lib/cpumap.h"
#include "util/lib/fs.h"
#include "util/record/env-memory.h"

#define CPU_DIR "/sys/devices/system/cpu"

static int set_string(char **dst, const char *text)
{
	*dst = strdup(text);
	return *dst ? 0 : -ENOMEM;
}

static int collect_uname(struct perfdata_features *f)
{
	struct utsname u;

	if (uname(&u))
		return 0;
	if (set_string(&f->hostname, u.nodename) || set_string(&f->osrelease, u.release))
		return -ENOMEM;
	return set_string(&f->arch, u.machine);
}

static int collect_memory(struct perfdata_features *f)
{
	struct sysinfo info;

	if (!sysinfo(&info))
		f->total_mem = (u64)info.totalram * info.mem_unit / 1024;
	return 0;
}

/* The first CPU's model. The beginning of the file suffices; reading on costs time for each further CPU. */
static int collect_cpudesc(struct perfdata_features *f)
{
	static const char *const keys[] = { "\nmodel name", "\nProcessor", "\ncpu\t", "\nuarch", "\nModel Name" };
	char text[4096], *at, *end;
	ssize_t size;
	size_t i;
	int fd;

	fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = read(fd, text + 1, sizeof(text) - 2);
	close(fd);
	if (size <= 0)
		return 0;
	text[0] = '\n';
	text[size + 1] = '\0';
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		at = strstr(text, keys[i]);
		at = at ? strchr(at, ':') : NULL;
		if (!at)
			continue;
		at += 1 + strspn(at + 1, " \t");
		end = at + strcspn(at, "\n");
		*end = '\0';
		return set_string(&f->cpudesc, at);
	}
	return 0;
}

/* vendor,family,model,stepping: perf's name of an x86 CPU. Intel SDM volume 2, CPUID, leaves 0 and 1. */
static int collect_cpuid(struct perfdata_features *f)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int max, a, b, c, d, family, model;
	char vendor[13] = "", text[64];

	if (!__get_cpuid(0, &max, &b, &c, &d))
		return 0;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return 0;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	snprintf(text, sizeof(text), "%s,%u,%u,%u", vendor, family, model, a & 0xf);
	return set_string(&f->cpuid, text);
#else
	return 0;
#endif
}

static int collect_nrcpus(struct perfdata_features *f)
{
	long avail = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);

	if (avail > 0 && online > 0) {
		f->nrcpus_avail = avail;
		f->nrcpus_online = online;
	}
	return 0;
}

static int add_pmu(struct perfdata_features *f, const char *name)
{
	char path[PATH_MAX];
	int type;

	snprintf(path, sizeof(path), PMU_ROOT "/%s/type", name);
	if (fs__read_int(path, &type))
		return 0;
	if (array__extend(f->pmu, f->nr_pmu))
		return -ENOMEM;
	f->pmu[f->nr_pmu].type = type;
	f->pmu[f->nr_pmu].name = strdup(name);
	if (!f->pmu[f->nr_pmu].name)
		return -ENOMEM;
	f->nr_pmu++;
	return 0;
}

static int collect_pmus(struct perfdata_features *f)
{
	struct fs_names *names = fs_names__read(AT_FDCWD, PMU_ROOT);
	int ret = 0;

	if (!names)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (size_t i = 0; i < names->nr && !ret; i++)
		ret = add_pmu(f, names->name[i]);
	fs_names__delete(names);
	return ret;
}

/* Add the sibling list of a CPU to a set of distinct lists. */
static int add_siblings(char ***lists, u32 *nr, int cpu, const char *file, struct fs_text *t)
{
	char path[PATH_MAX];
	u32 i;
	int ret;

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/topology/%s", cpu, file);
	ret = fs_text__read(t, AT_FDCWD, path);
	if (ret)
		return ret;
	t->text[strcspn(t->text, "\n")] = '\0';
	for (i = 0; i < *nr; i++) {
		if (!strcmp((*lists)[i], t->text))
			return 0;
	}
	if (array__extend(*lists, *nr))
		return -ENOMEM;
	(*lists)[*nr] = strdup(t->text);
	if (!(*lists)[*nr])
		return -ENOMEM;
	++*nr;
	return 0;
}

static int topology_id(int cpu, const char *file, u32 *id)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/topology/%s", cpu, file);
	return fs__read_int(path, (int *)id);
}

/* Kernels before 5.2, and processors without dies, have no list for any CPU. */
static int add_dies(struct perfdata_features *f, int cpu, struct fs_text *t)
{
	int ret = cpu && !f->nr_die_siblings ? 0 : topology_id(cpu, "die_id", &f->cpu_topology[cpu].die_id);

	if (cpu && !f->nr_die_siblings)
		return 0;
	if (!ret)
		ret = add_siblings(&f->die_siblings, &f->nr_die_siblings, cpu, "die_cpus_list", t);
	return ret == -ENOENT && !cpu ? 0 : ret;
}

static int read_topology(struct perfdata_features *f, struct fs_text *t)
{
	u32 cpu;
	int ret = 0;

	for (cpu = 0; cpu < f->nrcpus_avail && !ret; cpu++) {
		ret = add_siblings(&f->core_siblings, &f->nr_core_siblings, cpu, "core_siblings_list", t);
		if (!ret)
			ret = add_siblings(&f->thread_siblings, &f->nr_thread_siblings, cpu, "thread_siblings_list", t);
		if (!ret)
			ret = add_dies(f, cpu, t);
		if (!ret)
			ret = topology_id(cpu, "core_id", &f->cpu_topology[cpu].core_id);
		if (!ret)
			ret = topology_id(cpu, "physical_package_id", &f->cpu_topology[cpu].socket_id);
	}
	return ret;
}

/* All or nothing: an offline CPU has no topology, and the section cannot leave one out. */
static int collect_topology(struct perfdata_features *f)
{
	struct fs_text t = { 0 };
	int ret;

	f->cpu_topology = calloc(f->nrcpus_avail, sizeof(*f->cpu_topology));
	if (f->nrcpus_avail && !f->cpu_topology)
		return -ENOMEM;
	ret = read_topology(f, &t);
	fs_text__exit(&t);
	f->nr_cpu_topology = ret ? 0 : f->nrcpus_avail;
	return ret == -ENOMEM ? ret : 0;
}

/* The path of perf itself, then its arguments. */
static int collect_cmdline(struct perfdata_features *f, int argc, const char *const *argv)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int i;

	f->cmdline = calloc(argc + 1, sizeof(*f->cmdline));
	if (!f->cmdline)
		return -ENOMEM;
	self[len > 0 ? len : 0] = '\0';
	if (set_string(&f->cmdline[f->nr_cmdline], len > 0 ? self : "perf"))
		return -ENOMEM;
	f->nr_cmdline++;
	for (i = 0; i < argc; i++) {
		if (set_string(&f->cmdline[f->nr_cmdline], argv[i]))
			return -ENOMEM;
		f->nr_cmdline++;
	}
	return 0;
}

int env__collect(struct perfdata_features *f, const char *version, int argc, const char *const *argv)
{
	static int (*const collectors[])(struct perfdata_features *f) = {
		collect_uname, collect_memory, collect_cpudesc, collect_cpuid, collect_nrcpus, collect_pmus, collect_topology,
		env__collect_nodes, env__collect_caches,
	};
	size_t i;
	int ret = set_string(&f->version, version), error;

	for (i = 0; i < ARRAY_SIZE(collectors); i++) {
		error = collectors[i](f);
		ret = ret ?: error;
	}
	error = collect_cmdline(f, argc, argv);
	return ret ?: error;
}

/* Does an earlier event have the same tracepoint as evsel nr? */
static bool has_format(const struct evlist *evlist, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (evlist->evsel[i]->tp && evlist->evsel[i]->attr.config == evlist->evsel[nr]->attr.config)
			return true;
	}
	return false;
}

static int add_format(struct perfdata_features *f, const struct tracepoint *tp)
{
	struct perfdata_tracing *t = &f->tracing[f->nr_tracing];
	size_t size;
	const char *format = tracepoint__written_format(tp, &size);

	t->sys = strdup(tracepoint__sys(tp));
	t->format = malloc(size + 1);
	if (!t->sys || !t->format) {
		free(t->sys);
		free(t->format);
		return -ENOMEM;
	}
	memcpy(t->format, format, size);
	t->format[size] = '\0';
	t->size = size;
	f->nr_tracing++;
	return 0;
}

/* Takes over the format. */
static int add_made_format(struct perfdata_features *f, const char *sys, char *format, size_t size)
{
	struct perfdata_tracing *t = &f->tracing[f->nr_tracing++];

	*t = (struct perfdata_tracing){ .sys = strdup(sys), .format = format, .size = size };
	return t->sys && format ? 0 : -ENOMEM;
}

int env__collect_tracing(struct perfdata_features *f, const struct evlist *evlist, bool each, const struct env_format *made)
{
	unsigned int i;
	size_t size;
	int ret = 0;

	f->tracing = calloc(evlist->nr + 1, sizeof(*f->tracing));
	if (!f->tracing)
		return -ENOMEM;
	for (i = 0; each && i < evlist->nr && !ret; i++) {
		if (evlist->evsel[i]->tp && !has_format(evlist, i))
			ret = add_format(f, evlist->evsel[i]->tp);
	}
	if (!ret && made->format)
		ret = add_made_format(f, made->sys, made->format, made->size);
	if (ret || !f->nr_tracing)
		return ret;
	f->tracing_bigendian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	f->tracing_long_size = sizeof(long);
	f->tracing_page_size = sysconf(_SC_PAGESIZE);
	f->header_page = tracefs__read("events/header_page", &size);
	f->header_event = tracefs__read("events/header_event", &size);
	f->printk_formats = tracefs__read("printk_formats", &size);
	return 0;
}

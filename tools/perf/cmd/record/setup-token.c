// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "record"

#include "cmd/record/setup-token.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/bpf/token-mount.h"
#include "util/lib/cgroup-mount.h"
#include "util/lib/log.h"
#include "util/lib/options.h"

#define TRACING ",tracing"

/* The least that filters and counting in BPF need, and what programs on tracepoints need besides; tests/cmd/token.sh runs both. */
static const struct token_grant samples_grant = {
	.cmds = "map_create:prog_load:btf_load",
	.maps = "hash:array:percpu_array:array_of_maps:ringbuf",
	.progs = "perf_event",
	.attachs = "cgroup_inet_ingress", /* number 0, which programs of events have */
};
static const struct token_grant tracing_grant = {
	.cmds = "map_create:prog_load:btf_load",
	.maps = "hash:array:perf_event_array:percpu_array:lru_hash:array_of_maps:ringbuf:task_storage",
	.progs = "perf_event:tracing",
	.attachs = "cgroup_inet_ingress:trace_raw_tp:trace_iter",
};

/* From a target's text to a process */

static pid_t first_number(const char *path)
{
	FILE *fp = fopen(path, "re");
	pid_t pid = 0;

	if (!fp)
		return 0;
	if (fscanf(fp, "%d", &pid) != 1)
		pid = 0;
	fclose(fp);
	return pid;
}

static int pid_of_namespace(const char *path, pid_t *pid, struct errmsg *err)
{
	struct stat wanted, has;
	struct dirent *entry;
	char link[NAME_MAX + 16];
	DIR *proc;

	if (stat(path, &wanted))
		return errmsg__set(err, errno, "%s: %s", path, strerror(errno));
	proc = opendir("/proc");
	if (!proc)
		return errmsg__set(err, errno, "/proc: %s", strerror(errno));
	*pid = 0;
	while (!*pid && (entry = readdir(proc))) {
		snprintf(link, sizeof(link), "/proc/%s/ns/user", entry->d_name);
		if (isdigit((unsigned char)*entry->d_name) && !stat(link, &has) && has.st_ino == wanted.st_ino && has.st_dev == wanted.st_dev)
			*pid = atoi(entry->d_name);
	}
	closedir(proc);
	return *pid ? 0 : errmsg__set(err, ESRCH, "%s: no process is in this user namespace", path);
}

static struct {
	const char *unit;
	pid_t pid;
	size_t len; /* of the unit's directory, 0: not found yet */
	char dir[PATH_MAX];
} wanted;

static bool is_slice(const char *name)
{
	const size_t len = strlen(name), end = strlen(".slice");

	return len > end && !strcmp(name + len - end, ".slice");
}

/*
 * The unit's own directory, then the first one in it that has a process. Only systemd makes cgroups in slices: elsewhere users and containers
 * make their own, and might give them the names of units.
 */
static int visit_cgroup(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char procs[PATH_MAX + sizeof("/cgroup.procs")];
	const char *name = path + ftw->base;

	(void)st;
	if (type != FTW_D)
		return FTW_CONTINUE;
	if (!wanted.len && ftw->level && !strcmp(name, wanted.unit))
		wanted.len = snprintf(wanted.dir, sizeof(wanted.dir), "%s", path);
	if (!wanted.len)
		return !ftw->level || is_slice(name) ? FTW_CONTINUE : FTW_SKIP_SUBTREE;
	if (strncmp(path, wanted.dir, wanted.len) || (path[wanted.len] && path[wanted.len] != '/'))
		return FTW_STOP;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	wanted.pid = first_number(procs);
	return wanted.pid ? FTW_STOP : FTW_CONTINUE;
}

static int pid_of_unit(const char *name, pid_t *pid, struct errmsg *err)
{
	char root[PATH_MAX], unit[PATH_MAX + 16];

	if (cgroup__mount(NULL, root, sizeof(root)))
		return errmsg__set(err, ENOENT, "No cgroup2 is mounted, by which units are found: give the id of a process");
	snprintf(unit, sizeof(unit), "%s%s", name, strchr(name, '.') ? "" : ".service");
	wanted.unit = unit;
	nftw(root, visit_cgroup, 16, FTW_PHYS | FTW_ACTIONRETVAL);
	*pid = wanted.pid;
	if (*pid)
		return 0;
	return errmsg__set(err, ESRCH, wanted.len ? "The unit %s has no process" : "No slice of systemd has a unit %s", unit);
}

static int find_pid(const char *target, pid_t *pid, struct errmsg *err)
{
	char *end;
	long number = strtol(target, &end, 10);

	if (*target && !*end) {
		*pid = number > 0 && number <= INT_MAX ? number : 0;
		return *pid ? 0 : errmsg__set(err, EINVAL, "%s is no id of a process", target);
	}
	return strchr(target, '/') ? pid_of_namespace(target, pid, err) : pid_of_unit(target, pid, err);
}

/* The same for good */

/* "map_create:prog_load" as systemd spells it: "BPFMapCreate,BPFProgLoad" */
static void print_systemd(const char *setting, const char *prefix, const char *names)
{
	bool first = true;

	printf("\t%s=", setting);
	for (const char *c = names; *c; c++) {
		const bool begins = c == names || c[-1] == ':';

		if (begins) {
			printf("%s%s", first ? "" : ",", prefix);
			first = false;
		}
		if (*c != ':' && *c != '_')
			putchar(begins || c[-1] == '_' ? toupper((unsigned char)*c) : *c);
	}
	putchar('\n');
}

static void print_with_commas(const char *setting, const char *names)
{
	printf("\t%s=", setting);
	for (const char *c = names; *c; c++)
		putchar(*c == ':' ? ',' : *c);
	putchar('\n');
}

static void print_settings(const struct token_grant *grant)
{
	printf("The same for good, in a unit of systemd 258 or newer, which has user and mount namespaces of its own:\n"
	       "\tPrivateUsers=yes\n\tPrivateMounts=yes\n\tDelegateNamespaces=mnt\n\tPrivateBPF=yes\n");
	print_systemd("BPFDelegateCommands", "BPF", grant->cmds);
	print_systemd("BPFDelegateMaps", "BPFMapType", grant->maps);
	print_systemd("BPFDelegatePrograms", "BPFProgType", grant->progs);
	print_systemd("BPFDelegateAttachments", "BPF", grant->attachs);
	printf("As options of an Incus instance:\n");
	print_with_commas("security.bpffs.delegate_cmds", grant->cmds);
	print_with_commas("security.bpffs.delegate_maps", grant->maps);
	print_with_commas("security.bpffs.delegate_progs", grant->progs);
	print_with_commas("security.bpffs.delegate_attachs", grant->attachs);
	printf("As options of a bpffs that another container runtime mounts in the user namespace:\n"
	       "\tdelegate_cmds=%s,delegate_maps=%s,delegate_progs=%s,delegate_attachs=%s\n",
	       grant->cmds, grant->maps, grant->progs, grant->attachs);
}

int record_setup_token__run(const char *target)
{
	const size_t len = strlen(target), extra = strlen(TRACING);
	const bool tracing = len >= extra && !strcmp(target + len - extra, TRACING);
	const struct token_grant *grant = tracing ? &tracing_grant : &samples_grant;
	char name[PATH_MAX];
	struct errmsg err;
	pid_t pid;

	snprintf(name, sizeof(name), "%.*s", (int)(tracing ? len - extra : len), target);
	if (!*name) {
		pr_err("--setup-token takes a process, a user namespace or a unit: PID, /proc/PID/ns/user or NAME.service\n");
		return EXIT_USAGE;
	}
	if (find_pid(name, &pid, &err) || token_mount__add(pid, grant, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	pr_warn("Who loads BPF programs can read all memory of the kernel%s: delegate only to whom you trust with that\n",
		tracing ? ", and on tracepoints they see all tasks of the machine" : "");
	printf("Perf in the user namespace of process %d %s now, by a bpffs at its " TOKEN_MOUNT_DIR ".\n"
	       "To end that: nsenter -t %d -U -m umount " TOKEN_MOUNT_DIR "\n", pid,
	       tracing ? "filters, counts and traces" : "filters and counts samples in BPF", pid);
	print_settings(grant);
	return 0;
}

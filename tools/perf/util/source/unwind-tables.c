// SPDX-License-Identifier: GPL-2.0
#include "util/source/unwind-tables.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "util/bpf/kernel-table.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/first-namespace.h"
#include "util/judge/bpf-filter.h"
#include "util/lib/advice.h"
#include "util/lib/capability.h"
#include "util/lib/cpumap.h"
#include "util/lib/fs.h"

#define DEFAULT_MEMORY (64 << 20)
/*
 * Until a table is made, all stacks through its file have to be finished in user space. So perf does not wait for a CPU behind the
 * programs that it records: a make's share of such stacks is a half then.
 */
#define MAKER_NICE (-5)

struct unwind_tables {
	struct bpf_programs *programs; /* NULL: not loaded */
	int exec_fd; /* the program that asks for tables of programs that start; -1: it is not attached */
	struct unwind_feeder *feeder;
	struct unwind_files *files; /* NULL: frames are addresses */
	struct interp_feeder *interp; /* NULL: stacks have native frames only */
	struct interp_choice interp_choice;
	size_t max_bytes;
	const char *cache;
	bool is_prompt; /* we run at MAKER_NICE */
	struct unwind_feeder_counts counts;
};

struct unwind_tables *unwind_tables__new(size_t max_bytes, const char *cache, bool by_file)
{
	struct unwind_tables *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->exec_fd = -1;
	t->max_bytes = max_bytes ?: DEFAULT_MEMORY;
	t->cache = cache;
	t->files = by_file ? unwind_files__new() : NULL;
	if (t->files || !by_file)
		return t;
	free(t);
	return NULL;
}

void unwind_tables__find_interpreters(struct unwind_tables *t, const struct interp_choice *choice)
{
	t->interp_choice = *choice;
}

/* This thread only. Somebody who has chosen another priority for perf meant it. */
static void be_prompt(struct unwind_tables *t)
{
	if (!t->is_prompt && !getpriority(PRIO_PROCESS, 0))
		t->is_prompt = !setpriority(PRIO_PROCESS, 0, MAKER_NICE);
}

static void be_ordinary(struct unwind_tables *t)
{
	if (t->is_prompt)
		setpriority(PRIO_PROCESS, 0, 0);
	t->is_prompt = false;
}

static void unload(struct unwind_tables *t)
{
	be_ordinary(t);
	if (t->exec_fd >= 0)
		close(t->exec_fd);
	t->exec_fd = -1;
	unwind_feeder__delete(t->feeder);
	t->feeder = NULL;
	interp_feeder__delete(t->interp);
	t->interp = NULL;
	bpf_programs__delete(t->programs);
	t->programs = NULL;
}

void unwind_tables__delete(struct unwind_tables *t)
{
	if (!t)
		return;
	unload(t);
	unwind_files__delete(t->files);
	free(t);
}

/* Checking */

#if defined(__x86_64__) || defined(__aarch64__)
#define CAN_UNWIND true
#else
#define CAN_UNWIND false
#endif

int unwind_tables__refuse(struct errmsg *err, const char *why)
{
	return errmsg__set(err, EOPNOTSUPP, "--call-graph bpf %s: take --call-graph fp or dwarf", why);
}

/* Besides those for BPF programs: /proc/PID/map_files opens files only for these, see proc_pid_map_files(5). */
static bool may_open_mappings(void)
{
	return capability__has(CAP_SYS_ADMIN) || capability__has(CAP_CHECKPOINT_RESTORE);
}

static int check_capabilities(struct errmsg *err)
{
	const char *missing = bpf_filter__missing_capabilities();
	const bool may_open = may_open_mappings();

	if (!*missing && may_open)
		return 0;
	return errmsg__set(err, EPERM, "--call-graph bpf needs %s%s%s, which this process lacks.\n%s, or give it the right: "
			   "setcap cap_bpf,cap_perfmon,cap_checkpoint_restore+ep $(command -v perf)", missing, *missing && !may_open ? " and " : "",
			   may_open ? "" : "CAP_CHECKPOINT_RESTORE", advice__root());
}

int unwind_tables__check(struct errmsg *err)
{
	if (!CAN_UNWIND)
		return unwind_tables__refuse(err, "unwinds programs of x86-64 and arm64 only");
	if (!pid_namespace__is_first())
		return unwind_tables__refuse(err, "needs the initial PID namespace, since programs get their tasks' ids there");
	if (!user_namespace__is_first())
		return unwind_tables__refuse(err, "needs the initial user namespace, since the files of processes are opened with its rights");
	return check_capabilities(err);
}

static bool has_maple_tree(void)
{
	return kernel_offer__is_of_version(KERNEL_MAPLE_TREE) || kernel_offer__probe(KERNEL_MAPLE_TREE) == KERNEL_HAS;
}

int unwind_tables__promise(struct errmsg *err)
{
	int ret = unwind_tables__check(err);
	char lacks[160];

	if (ret || has_maple_tree())
		return ret;
	return errmsg__set(err, EOPNOTSUPP, "--call-graph bpf needs %s", kernel_offer__explain(KERNEL_MAPLE_TREE, lacks, sizeof(lacks)));
}

unsigned int unwind_tables__max_stack(void)
{
	int max;

	return fs__read_int("/proc/sys/kernel/perf_event_max_stack", &max) || max < 1 ? UNWIND_MAX_STACK : max;
}

/* Loading */

bool unwind_tables__explain(struct errmsg *err)
{
	const enum kernel_offer lacked = kernel_offer__probe(KERNEL_BTF) == KERNEL_LACKS ? KERNEL_BTF : KERNEL_MAPLE_TREE;
	char why[256];

	if (*bpf_filter__missing_capabilities() || kernel_offer__probe(lacked) != KERNEL_LACKS)
		return false;
	errmsg__set(err, EOPNOTSUPP, "--call-graph bpf needs %s: take --call-graph fp or dwarf",
		    kernel_offer__explain(lacked, why, sizeof(why)));
	return true;
}

static int explain_load(int errnum, struct errmsg *err)
{
	int ret;

	if (errnum == ENOMEM)
		return errmsg__set(err, ENOMEM, "not enough memory for unwinding stacks: free some and try again");
	if (unwind_tables__explain(err))
		return -EOPNOTSUPP;
	ret = bpf_filter__explain_program(errnum, err);
	errmsg__prefix(err, "cannot unwind stacks in the kernel");
	return ret;
}

static int attach(struct unwind_tables *t, struct errmsg *err)
{
	t->exec_fd = bpf_programs__attach_raw(t->programs, "unwind_exec");
	if (t->exec_fd >= 0)
		return 0;
	return errmsg__set(err, -t->exec_fd, "cannot see in BPF which programs start: %s", strerror(-t->exec_fd));
}

static int new_feeder(struct unwind_tables *t, struct errmsg *err)
{
	int ret = unwind_feeder__new(t->programs, t->max_bytes, &t->feeder, err);

	if (ret)
		return ret;
	unwind_feeder__name_files(t->feeder, t->files);
	if (t->interp_choice.mode != INTERP_OFF) {
		ret = interp_feeder__new(t->programs, t->interp_choice.names, &t->interp, err);
		if (ret)
			return ret;
		unwind_feeder__find_interpreters(t->feeder, t->interp);
	}
	if (t->cache && unwind_feeder__use_cache(t->feeder, t->cache))
		return errmsg__set(err, ENOMEM, "out of memory for unwinding stacks");
	return 0;
}

static int load_once(struct unwind_tables *t, bool system_wide, struct errmsg *err)
{
	int ret;

	t->programs = bpf_programs__open(&bpf_image_unwind_tables);
	if (!t->programs)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding stacks");
	bpf_programs__set(t->programs, "unwind_all_tasks", system_wide);
	ret = bpf_programs__load(t->programs);
	ret = ret ? explain_load(-ret, err) : new_feeder(t, err) ?: attach(t, err);
	if (ret)
		unload(t);
	else
		be_prompt(t);
	return ret;
}

/* Of a thread; or -errno: it has ended */
static pid_t process_of(pid_t tid)
{
	struct fs_text status = { 0 };
	const char *tgid = NULL;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	ret = fs_text__read(&status, AT_FDCWD, path);
	if (!ret)
		tgid = strstr(status.text, "\nTgid:");
	ret = tgid ? atoi(tgid + strlen("\nTgid:")) : ret ?: -ESRCH;
	fs_text__exit(&status);
	return ret;
}

static int compare_pids(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each process once, whose listing goes through all tasks of the machine. */
static int feed_processes(struct unwind_tables *t, const struct sampler_target *target, pid_t *pids, struct errmsg *err)
{
	int nr = 0, ret = 0;

	for (int i = 0; i < target->nr_tids; i++) {
		pids[nr] = process_of(target->tids[i]);
		nr += pids[nr] > 0;
	}
	qsort(pids, nr, sizeof(*pids), compare_pids);
	for (int i = 0; i < nr && !ret; i++) {
		if (!i || pids[i] != pids[i - 1])
			ret = unwind_feeder__add_process(t->feeder, pids[i], err);
	}
	return ret;
}

/* What the target has mapped before it starts. A command has what perf has, until its exec. */
static int feed(struct unwind_tables *t, const struct sampler_target *target, struct errmsg *err)
{
	pid_t *pids;
	int ret;

	if (target->system_wide)
		return unwind_feeder__add_process(t->feeder, 0, err);
	if (target->waits)
		return unwind_feeder__add_common(t->feeder, err);
	pids = calloc(target->nr_tids + 1, sizeof(*pids));
	if (!pids)
		return errmsg__set(err, ENOMEM, "out of memory for unwinding stacks");
	ret = feed_processes(t, target, pids, err);
	free(pids);
	return ret;
}

int unwind_tables__load(struct unwind_tables *t, const struct sampler_target *target, struct errmsg *err)
{
	int ret = t->programs ? 0 : load_once(t, target->system_wide, err);

	if (!ret && (target->system_wide || target->waits))
		unwind_feeder__expect_programs(t->feeder);
	return ret ?: feed(t, target, err);
}

int unwind_tables__share(const struct unwind_tables *t, struct bpf_programs *programs)
{
	static const char *const maps[] = { "unwind_segments", "unwind_rules", "unwind_files", "unwind_requests" };
	const int nr_cpus = cpumap__possible_count();
	int ret = nr_cpus < 0 ? nr_cpus : 0;

	for (size_t i = 0; i < ARRAY_SIZE(maps) && !ret; i++)
		ret = bpf_programs__share(programs, maps[i], t->programs);
	if (!ret) {
		bpf_programs__resize(programs, "unwind_bounces", nr_cpus);
		bpf_programs__resize(programs, "unwind_gathered", nr_cpus);
	}
	if (!ret)
		ret = interp_feeder__share(t->programs, t->interp_choice.mode, programs);
	bpf_programs__set(programs, "unwind_by_file", (bool)t->files);
	bpf_programs__set(programs, "unwind_page_shift", (u32)__builtin_ctzl(sysconf(_SC_PAGESIZE)));
	return ret;
}

/* Running */

static void add_interp(struct interp_counts *to, const struct interp_counts *c)
{
	to->frames += c->frames;
	to->activations += c->activations;
	to->unlinked += c->unlinked;
	to->no_thread += c->no_thread;
	to->unreadable += c->unreadable;
	to->gone += c->gone;
	to->nameless += c->nameless;
	to->unsent += c->unsent;
	to->no_room += c->no_room;
}

int unwind_totals__read(struct unwind_totals *totals, int counts_fd, const struct unwind_finisher *finisher, struct errmsg *err)
{
	struct unwind_counts *percpu;
	int nr_cpus;

	percpu = percpu_map__read(counts_fd, 0, sizeof(*percpu), &nr_cpus, "the counts of stacks", err);
	if (!percpu)
		return -errno;
	*totals = (struct unwind_totals){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		for (unsigned int end = 0; end < UNWIND_NR_ENDS; end++)
			totals->ended[end] += percpu[i].ended[end];
		totals->frames += percpu[i].frames;
		add_interp(&totals->interp, &percpu[i].interp);
		totals->unsent += percpu[i].unsent;
		totals->lost += percpu[i].lost;
	}
	free(percpu);
	if (finisher)
		totals->finished = finisher->counts;
	return 0;
}

int unwind_tables__fd(const struct unwind_tables *t)
{
	return unwind_feeder__fd(t->feeder);
}

int unwind_tables__names_fd(const struct unwind_tables *t)
{
	return interp_feeder__fd(t->interp);
}

struct unwind_feeder *unwind_tables__feeder(const struct unwind_tables *t)
{
	return t ? t->feeder : NULL;
}

int unwind_tables__take(struct unwind_tables *t)
{
	if (!t->feeder)
		return 0;
	return interp_feeder__take(t->interp) ?: unwind_feeder__take(t->feeder);
}

int unwind_tables__make_next(struct unwind_tables *t)
{
	return t->feeder ? unwind_feeder__make_next(t->feeder) : 0;
}

const struct unwind_files *unwind_tables__files(const struct unwind_tables *t)
{
	return t->files;
}

const struct unwind_feeder_counts *unwind_tables__counts(struct unwind_tables *t)
{
	if (!t->feeder)
		return NULL;
	t->counts = unwind_feeder__counts(t->feeder);
	return &t->counts;
}

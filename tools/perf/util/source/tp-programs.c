// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "probe"
#include "util/source/tp-programs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-features.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/first-namespace.h"
#include "util/bpf_skel/sample-encode.h"
#include "util/event/tracefs.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/program-table.h"
#include "util/lib/advice.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/source/probe-attr.h"
#include "util/source/probe-view.h"
#include "util/source/tally-values.h"
#include "util/source/tp-layout.h"
#include "util/source/tp-order.h"

/* Each event has programs and a ring of its own, and each syscall runs the programs of all events. */
#define MAX_EVENTS 16

int tp_programs__check_rights(const char *what, struct errmsg *err)
{
	if (*bpf_filter__missing_capabilities())
		return errmsg__set(err, EPERM, "%s by BPF programs, for which this process lacks %s.\n%s, or give it the right: "
				   "setcap cap_bpf,cap_perfmon,cap_syslog+ep $(command -v perf)", what, bpf_filter__missing_capabilities(),
				   advice__root());
	if (!pid_namespace__is_first())
		return errmsg__set(err, EOPNOTSUPP, "%s by BPF programs, which see the ids that tasks have outside of this pid namespace.\nRun perf "
				   "outside of the container.", what);
	return 0;
}

int tp_place__fill(struct tp_place *place, const struct tracepoint *tp, bool whole, const char **why)
{
	place->kind = tracepoint__kind(tp);
	place->id = tracepoint__id(tp);
	place->event = tracepoint__name(tp);
	place->probe = tracepoint__probe(tp);
	return tp_layout__fill(tp, whole, &place->config, why);
}

/* Options of an event that BPF does not support. */
static const char *unknown_setting(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;
	int max_stack;

	if (attr->freq || attr->sample_period != 1)
		return "it is not asked for each hit";
	if (attr->write_backward)
		return "only the latest samples are to be kept";
	if (attr->sample_type & ~(u64)SAMPLE_ENCODE_TYPES)
		return "its samples are to hold what BPF programs do not write";
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle)
		return "it has a modifier";
	if (evsel->leader || evsel->nr_members > 1)
		return "it is in a group";
	if (evsel->cgroup)
		return "it is for a cgroup";
	if (attr->use_clockid && attr->clockid != CLOCK_MONOTONIC)
		return "times are to be of another clock";
	if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return NULL;
	if (attr->sample_max_stack || attr->exclude_callchain_kernel || attr->exclude_callchain_user)
		return "its callchains are not the usual ones";
	if (fs__read_int("/proc/sys/kernel/perf_event_max_stack", &max_stack) || max_stack > TP_MAX_STACK)
		return "kernel.perf_event_max_stack is above 127";
	return NULL;
}

/* Check the version first, as reading the kernel's types takes 20 ms: only for a kernel that may be old. */
static bool is_old_kernel(void)
{
	return !kernel_offer__is_of_version(KERNEL_KFUNC_CAST) && kernel_offer__probe(KERNEL_KFUNC_CAST) != KERNEL_HAS;
}

bool tp_programs__by_event(void)
{
	unsigned int major, minor;
	struct utsname uts;
	int root;

	if (uname(&uts) || sscanf(uts.release, "%u.%u", &major, &minor) != 2 || major < 6 || (major == 6 && minor < 19))
		return false;
	root = tracefs__root(NULL);
	return root >= 0 && !faccessat(root, "events/raw_syscalls/sys_enter/id", R_OK, AT_EACCESS);
}

const char *tp_programs__refuse(const struct evsel *evsel, unsigned int nr_events, bool whole, char *buf, size_t size)
{
	const char *why = unknown_setting(evsel);
	struct tp_config config;
	char why_old[128];

	if (why || tp_layout__fill(evsel->tp, whole, &config, &why))
		return why;
	if (nr_events > MAX_EVENTS && tracepoint__probe(evsel->tp)) {
		snprintf(buf, size, "at most %d functions go into one recording, %u are given: make the others with perf probe, or count them with "
			 "perf stat", MAX_EVENTS, nr_events);
		return buf;
	}
	if (nr_events > MAX_EVENTS) {
		snprintf(buf, size, "at most %d tracepoints and functions go into one recording by BPF programs, %u are given", MAX_EVENTS, nr_events);
		return buf;
	}
	if (*bpf_filter__missing_capabilities()) {
		snprintf(buf, size, "BPF programs need %s, which this process lacks: %s", bpf_filter__missing_capabilities(),
			 advice__root_within());
		return buf;
	}
	if (!tracepoint__probe(evsel->tp) && is_old_kernel()) {
		snprintf(buf, size, "it needs %s", kernel_offer__explain(KERNEL_KFUNC_CAST, why_old, sizeof(why_old)));
		return buf;
	}
	if (kernel_offer__probe(KERNEL_LOADER_PROGRAMS) != KERNEL_HAS || access("/sys/kernel/btf/vmlinux", R_OK))
		return "this kernel or its settings do not let BPF programs be loaded, or no memory is left for them";
	return pid_namespace__is_first() ? NULL : "BPF programs do not know the process ids of this namespace";
}

static int put_values(const struct tp_programs_setup *setup, struct bpf_programs *programs, struct errmsg *err)
{
	struct tally_config config = { 0 };

	if (setup->tally) {
		tally_setup__put(setup->tally, programs);
		return tally_values__put(setup->tally->values, programs, err);
	}
	if (!setup->written)
		return 0;
	tally_values__configure(setup->written, &config);
	bpf_programs__set(programs, "tally_config", config);
	return tally_values__put(setup->written, programs, err);
}

int tp_programs__open(struct tp_programs *p, const struct tp_programs_setup *setup, struct errmsg *err)
{
	tp_programs__unload(p);
	p->programs = bpf_programs__open(setup->image);
	if (!p->programs)
		return errmsg__set(err, ENOMEM, "out of memory for BPF programs");
	return program_table__put(setup->table, p->programs, err) ?: put_values(setup, p->programs, err) ?:
	       bpf_target__configure(setup->target, p->programs, err);
}

int tp_programs__load(struct tp_programs *p)
{
	return bpf_programs__load(p->programs);
}

static int check_probe(const struct probe_place *probe, const struct sampler_target *target, struct errmsg *err)
{
	for (unsigned int i = 0; i < probe->nr_missing; i++)
		pr_debug("%s: arg%u of the mark is missing: %s\n", probe->target, probe->missing[i].number, probe->missing[i].why);
	return probe_view__check(probe, target, err);
}

int tp_programs__follow(struct tp_programs *p, const struct tp_programs_setup *setup, bool waits_for_exec, struct errmsg *err)
{
	struct tally_maps maps;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(setup->probe) && !ret; i++)
		ret = setup->probe[i] ? check_probe(setup->probe[i], setup->target, err) : 0;
	if (!ret && setup->tally) {
		tally_maps__take(&maps, p->programs);
		ret = tally_table__new(&maps, setup->tally, &p->tally, err);
	}
	return ret ?: bpf_target__follow(&p->target, p->programs, setup->target, waits_for_exec, err);
}

void tp_programs__unload(struct tp_programs *p)
{
	tp_programs__detach(p);
	bpf_target__unfollow(&p->target);
	tally_table__delete(p->tally);
	p->tally = NULL;
	bpf_programs__delete(p->programs);
	p->programs = NULL;
}

/*
 * A program of this type is attached to a perf event, but runs for the whole tracepoint: so one event suffices. It has no samples
 * and is never enabled. prog_fd -1: only open the event
 */
static int attach_to_event(struct perf_event_attr *attr, pid_t pid, int cpu, int prog_fd)
{
	int error, fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	fd = sys_perf_event_open(attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (prog_fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/*
 * The kernel sets a uprobe for the tasks of its events, so open this one for all tasks; any CPU will do, as the program runs for the
 * events of all CPUs. It is never enabled either.
 */
static int attach_to_probe(struct perf_event_attr *attr, int prog_fd)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	int fd = -ENODEV;

	for (int cpu = 0; cpu < nr_cpus && fd == -ENODEV; cpu++)
		fd = attach_to_event(attr, -1, cpu, prog_fd);
	return fd;
}

/* Of tracefs: by its id. */
static int attach_by_id(const struct tp_place *place, int prog_fd)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = place->id };

	return place->kind == TP_PROBE ? attach_to_probe(&attr, prog_fd) : attach_to_event(&attr, 0, -1, prog_fd);
}

static int add_link(struct tp_programs *p, int link)
{
	if (link >= 0)
		p->link[p->nr_links++] = link;
	return link < 0 ? link : 0;
}

/* The same for one of several places that differ: its programs get its number. The link holds the event. */
static int link_to_probe(struct perf_event_attr *attr, u64 place, int prog_fd)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = place);
	const int event = attach_to_probe(attr, -1);
	int link;

	if (event < 0)
		return event;
	link = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts);
	if (link < 0)
		link = -errno;
	close(event);
	return link;
}

/* The kernel sets the probe at each of its places when its event is opened, and removes it when that is closed. */
static int attach_own(struct tp_programs *p, const struct probe_place *probe, int prog_fd)
{
	struct perf_event_attr attr;
	int ret = 0;

	for (unsigned int i = 0; i < probe->nr_offsets && !ret; i++) {
		ret = probe_attr__fill(&attr, probe, i);
		if (!ret)
			ret = add_link(p, probe->nr_fetches ? link_to_probe(&attr, i, prog_fd) : attach_to_probe(&attr, prog_fd));
	}
	return ret;
}

static int explain_probe(const struct probe_place *probe, int ret, struct errmsg *err)
{
	if (probe->in_kernel && ret == -EINVAL)
		return errmsg__set(err, EINVAL, "cannot set a kprobe on %s: the kernel allows none there", probe->target);
	if (!probe->in_kernel && ret == -EOPNOTSUPP)
		return errmsg__set(err, EOPNOTSUPP, "cannot set a uprobe in %s: no instruction that the kernel can step over is there", probe->target);
	if (ret == -EACCES || ret == -EPERM)
		return errmsg__set(err, -ret, "cannot set a %s in %s: that takes CAP_SYS_ADMIN", probe->in_kernel ? "kprobe" : "uprobe", probe->target);
	return errmsg__set(err, -ret, "cannot set a %s in %s: %s", probe->in_kernel ? "kprobe" : "uprobe", probe->target, strerror(-ret));
}

static int explain_attach(int ret, bool uprobe, struct errmsg *err)
{
	return ret ? errmsg__set(err, -ret, "cannot attach a BPF program to the %s: %s", uprobe ? "uprobe" : "tracepoint", strerror(-ret)) : 0;
}

static int attach_to_place(struct tp_programs *p, const struct tp_place *place, const char *prog, struct errmsg *err)
{
	return explain_attach(add_link(p, attach_by_id(place, bpf_programs__prog(p->programs, prog))), place->kind == TP_PROBE, err);
}

int tp_programs__attach_raw(struct tp_programs *p, const char *prog, struct errmsg *err)
{
	return explain_attach(add_link(p, bpf_programs__attach_raw(p->programs, prog)), false, err);
}

static int attach_named(struct tp_programs *p, const struct tp_hook *hook, struct errmsg *err)
{
	int ret = add_link(p, bpf_programs__attach_named(p->programs, hook->prog, hook->event));

	return ret == -ENOENT ? errmsg__set(err, ENOENT, "this kernel has no tracepoint %s:%s", hook->sys, hook->event) : explain_attach(ret, false, err);
}

static int attach_hook(struct tp_programs *p, const struct tp_hook *hook, struct errmsg *err)
{
	struct tp_place place = { .kind = TP_OTHER };
	struct tracepoint *tp;
	int ret;

	if (hook->named)
		return attach_named(p, hook, err);
	if (!hook->sys || !tp_programs__by_event())
		return tp_programs__attach_raw(p, hook->prog, err);
	ret = tracepoint__new(hook->sys, hook->event, &tp, err);
	if (ret)
		return ret;
	place.id = tracepoint__id(tp);
	tracepoint__delete(tp);
	return attach_to_place(p, &place, hook->prog, err);
}

/* Programs that see arguments and record: they begin when it is known which one is called first (tp-arguments.bpf.h). */
static int attach_pair(struct tp_programs *p, const struct tp_place *place, const char *prog, struct errmsg *err)
{
	const char *raw = "tp_see_arguments";
	enum tp_order order;
	int ret;

	ret = explain_attach(add_link(p, bpf_programs__attach_named(p->programs, raw, place->event)), false, err) ?:
	      attach_to_place(p, place, prog, err) ?:
	      tp_order__find(bpf_programs__prog(p->programs, raw), p->link[p->nr_links - 1], &order, err);
	if (!ret)
		*(u32 *)bpf_programs__var(p->programs, "tp_order", NULL) = order;
	return ret;
}

int tp_programs__attach(struct tp_programs *p, const struct tp_place *place, const char *prog, struct errmsg *err)
{
	const struct tp_hook enter = TP_HOOK_ENTER(prog), exit = TP_HOOK_EXIT(prog);
	int ret;

	if (place->probe) {
		ret = attach_own(p, place->probe, bpf_programs__prog(p->programs, prog));
		return ret ? explain_probe(place->probe, ret, err) : 0;
	}
	if (place->config.arguments)
		return attach_pair(p, place, prog, err);
	if (place->kind == TP_OTHER || place->kind == TP_PROBE)
		return attach_to_place(p, place, prog, err);
	return attach_hook(p, place->kind == TP_SYSCALL_ENTER ? &enter : &exit, err);
}

int tp_programs__attach_all(struct tp_programs *p, const struct tp_hook *hooks, struct errmsg *err)
{
	int ret = 0;

	if (p->nr_links)
		return 0;
	for (; hooks->prog && !ret; hooks++)
		ret = attach_hook(p, hooks, err);
	if (ret)
		tp_programs__detach(p);
	return ret;
}

void tp_programs__let_run(struct tp_programs *p, bool on)
{
	if (p->programs)
		bpf_programs__get(p->programs, "tp_running", bool) = on;
}

void tp_programs__detach(struct tp_programs *p)
{
	while (p->nr_links)
		close(p->link[--p->nr_links]);
}

int tp_programs__counts(const struct tp_programs *p, struct tp_counts *sum, u64 *untracked, const char *what, struct errmsg *err)
{
	struct tp_counts *percpu;
	int nr_cpus;

	*untracked = bpf_programs__get(p->programs, "target_untracked", u64);
	percpu = percpu_map__read(bpf_programs__map(p->programs, "tp_counts"), 0, sizeof(*percpu), &nr_cpus, what, err);
	if (!percpu)
		return -errno;
	*sum = (struct tp_counts){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		sum->kept += percpu[i].kept;
		sum->filter.dropped += percpu[i].filter.dropped;
		sum->lost += percpu[i].lost;
		sum->missed += percpu[i].missed;
		sum->blind += percpu[i].blind;
		for (int walk = 0; walk < FILTER_MAX_WALKS; walk++)
			sum->filter.valueless[walk] += percpu[i].filter.valueless[walk];
	}
	free(percpu);
	return 0;
}

int tp_programs__tally_counts(const struct tp_programs *p, struct tally_counts *counts, struct errmsg *err)
{
	struct tally_totals totals;
	int ret = tally_table__counts(p->tally, &totals, err);

	if (ret)
		return ret;
	*counts = (struct tally_counts){
		.counted = totals.counted + totals.spilled + totals.unfinished,
		.lost_stacks = totals.lost_stacks,
		.spilled = totals.spilled,
		.lost_keys = totals.lost_keys,
		.lost_spill = totals.lost_spill,
		.map_bytes = tally_table__bytes(p->tally),
	};
	return 0;
}

u64 tp_programs__missed(const struct tp_programs *p, const char *prog)
{
	struct bpf_prog_info info = { 0 };
	u32 len = sizeof(info);

	if (!p->programs || bpf_obj_get_info_by_fd(bpf_programs__prog(p->programs, prog), &info, &len))
		return 0;
	return info.recursion_misses;
}

// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "bpf-filter"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "util/bpf/kernel-btf.h"
#include "util/bpf/kernel-table.h"
#include "util/bpf/percpu-map.h"
#include "util/bpf/programs.h"
#include "util/bpf/ring.h"
#include "util/bpf/token.h"
#include "util/lib/advice.h"
#include "util/lib/capability.h"
#include "util/lib/fs.h"
#include "util/lib/log.h"
#include "util/lib/types.h"
#include "util/judge/bpf-filter.h"
#include "util/judge/filter-engine.h"
#include "util/judge/old-kernel.h"
#include "util/judge/program-table.h"

#define ENOTSUPP 524 /* kernel-internal, but BPF returns it to user space */

void bpf_filter__close(struct bpf_filter *filter)
{
	const int fds[] = { filter->prog_fd, filter->counts_fd, filter->hits_fd, filter->undecided_fd, filter->mends_fd, filter->slot_fd };

	fs__close_many(fds, ARRAY_SIZE(fds));
}

struct engine {
	unsigned int slots;
	const struct bpf_image *image;
};
static const struct engine engines[] = {
	{ 16, &bpf_image_filter16 },
	{ 32, &bpf_image_filter32 },
	{ 64, &bpf_image_filter64 },
};
/* for tables that test files, and for events whose samples may hold another event's values */
static const struct engine sending_engines[] = {
	{ 16, &bpf_image_filter_files16 },
	{ 64, &bpf_image_filter_files64 },
};
static const struct engine explaining_engine = { 64, &bpf_image_filter_explain };
/* for kernels before Linux 6.3 */
static const struct engine old_engine = { 64, &bpf_image_filter_old };
static const struct engine old_explaining_engine = { 64, &bpf_image_filter_explain_old };
_Static_assert(FILTER_MAX_ENTRIES == 64, "the largest engine holds every table");

static const struct engine *smallest_engine(const struct filter_table *table)
{
	const struct engine *engine = filter_table__asks_for_files(table) || table->words.own ? sending_engines : engines;

	while (engine->slots < table->nr) /* the last engine of each kind holds every table */
		engine++;
	return engine;
}

/* Enable what the program sends to user space, if it can send; shrink the rings that are not used. */
static void configure_sending(struct bpf_programs *p, const struct filter_table *table)
{
	__u64 *terms = bpf_programs__var(p, "filter_sends_terms", NULL);

	program_table__needs(table, terms, bpf_programs__var(p, "filter_sends_cgroups", NULL));
	if (!*terms)
		bpf_programs__resize(p, "filter_undecided", bpf_ring__size(1));
	if (!table->words.own)
		bpf_programs__resize(p, "filter_mends", bpf_ring__size(1));
}

static void configure(struct bpf_programs *p, const struct filter_table *table, struct bpf_filter *filter)
{
	if (bpf_programs__has_var(p, "filter_nr_events")) {
		bpf_programs__set(p, "filter_nr_events", filter->nr_events);
		bpf_programs__resize(p, "filter_counts", filter->nr_events);
	} else {
		filter->nr_events = 1;
	}
	if (bpf_programs__has_var(p, "filter_sends_terms"))
		configure_sending(p, table);
	if (bpf_programs__has_map(p, "filter_hits"))
		bpf_programs__resize(p, "filter_hits", filter->nr_events * FILTER_MAX_ENTRIES);
	/* A failure does not matter: old_kernel__refuses() has made sure that no entry then needs them. */
	if (bpf_programs__has_var(p, "filter_offsets"))
		kernel_btf__filter_offsets(bpf_programs__var(p, "filter_offsets", NULL));
}

static void take_fds(struct bpf_programs *p, const struct filter_table *table, struct bpf_filter *filter)
{
	filter->prog_fd = bpf_programs__take_prog(p, "sample_filter");
	filter->counts_fd = bpf_programs__take_map(p, "filter_counts");
	if (bpf_programs__has_map(p, "filter_hits"))
		filter->hits_fd = bpf_programs__take_map(p, "filter_hits");
	if (!bpf_programs__has_var(p, "filter_sends_terms"))
		return;
	if (*(__u64 *)bpf_programs__var(p, "filter_sends_terms", NULL))
		filter->undecided_fd = bpf_programs__take_map(p, "filter_undecided");
	if (table->words.own)
		filter->mends_fd = bpf_programs__take_map(p, "filter_mends");
}

const char *bpf_filter__missing_capabilities(void)
{
	bool bpf = capability__has(CAP_BPF), perfmon = capability__has(CAP_PERFMON);

	if (capability__has(CAP_SYS_ADMIN))
		return "";
	if (!bpf && !perfmon)
		return "CAP_BPF and CAP_PERFMON";
	return !bpf ? "CAP_BPF" : !perfmon ? "CAP_PERFMON" : "";
}

static bool is_shortage(int errnum)
{
	return errnum == ENOMEM || errnum == EMFILE || errnum == ENFILE;
}

/* Check the likely causes, those that can be determined for sure first. what: "filter", "program" */
static int explain_load(int errnum, const char *what, const char *instead, struct errmsg *err)
{
	const char *missing = bpf_filter__missing_capabilities();
	char why[256], a_what[32];

	snprintf(a_what, sizeof(a_what), "A BPF %s", what);
	if (errnum == ENOSYS)
		return errmsg__set(err, errnum, "This kernel has no bpf() system call; a BPF %s needs a kernel that is "
				   "built with CONFIG_BPF_SYSCALL.", what);
	if (is_shortage(errnum))
		return errmsg__set(err, errnum, "Cannot load the BPF %s: %s. Free some and try again.", what,
				   errnum == ENOMEM ? "no memory is left" : "too many files are open");
	if (*missing) /* without CAP_PERFMON the verifier refuses, with other errors than EPERM */
		return errmsg__set(err, EPERM, "%s needs %s, which this process lacks.\n%s, or "
				   "give it the right: setcap cap_bpf,cap_perfmon+ep $(command -v perf)", a_what, missing, advice__root());
	if (kernel_offer__probe(KERNEL_LOADER_PROGRAMS) == KERNEL_LACKS)
		return errmsg__set(err, errnum, "%s needs %s.%s", a_what, kernel_offer__explain(KERNEL_LOADER_PROGRAMS, why, sizeof(why)), instead);
	if (errnum == EPERM && bpf_token__explain(a_what, err))
		return -EPERM;
	if (errnum == EPERM)
		return errmsg__set(err, errnum, "The system forbids BPF programs although the process has the capabilities "
				   "for them.\nRun perf outside of the container or user namespace, or relax the security "
				   "policy (kernel lockdown, SELinux, seccomp).");
	if (kernel_offer__probe(KERNEL_BTF) == KERNEL_LACKS)
		return errmsg__set(err, errnum, "%s needs the kernel's type information, but there is no "
				   "/sys/kernel/btf/vmlinux.\nUse a kernel that is built with CONFIG_DEBUG_INFO_BTF=y.", a_what);
	return errmsg__set(err, errnum, "The kernel refuses the BPF %s: %s. -v shows the verifier's reason.", what, strerror(errnum));
}

int bpf_filter__explain_load(int errnum, struct errmsg *err)
{
	return explain_load(errnum, "filter", "\nRecord without a filter and select the samples afterwards.", err);
}

int bpf_filter__explain_program(int errnum, struct errmsg *err)
{
	return explain_load(errnum, "program", "", err);
}

/* The programs for one filter: for this kernel's samples, and for those before Linux 6.3. */
struct engine_choice {
	const struct engine *engine, *old; /* engine NULL: the smallest one that holds the table */
	const struct bpf_programs *marks;
};

int bpf_filter__share_marks(struct bpf_programs *p, const struct bpf_programs *marks)
{
	if (!marks)
		return bpf_programs__leave_out(p, "target_tasks");
	bpf_programs__set(p, "target_only", (bool)true);
	return bpf_programs__share(p, "target_tasks", marks);
}

/* -EDOM, with a message: it cannot read some term */
static int load_engine(const struct engine *engine, const struct engine_choice *choice, const struct filter_table *table,
		       struct bpf_filter *filter, struct errmsg *err)
{
	struct bpf_programs *p = bpf_programs__open(engine->image);
	int ret;

	if (!p)
		return -ENOMEM;
	configure(p, table, filter);
	ret = program_table__put(table, p, err) ?: bpf_filter__share_marks(p, choice->marks) ?: bpf_programs__load(p);
	if (!ret) {
		take_fds(p, table, filter);
		pr_debug2("loaded a filter of %u entries into %u slots\n", table->nr, engine->slots);
	}
	bpf_programs__delete(p);
	return ret;
}

static int load_prepared(const struct engine_choice *choice, const struct filter_table *table, struct bpf_filter *filter,
			 struct errmsg *err)
{
	static bool is_old; /* known after the first load that failed for that */
	struct old_kernel_refusal refusal;
	int ret;

	if (!is_old) {
		ret = load_engine(choice->engine ?: smallest_engine(table), choice, table, filter, err);
		if (!ret || ret == -EDOM)
			return ret;
		if (*bpf_filter__missing_capabilities() || is_shortage(-ret) || !old_kernel__is())
			return bpf_filter__explain_load(-ret, err);
		pr_debug("this kernel is older than Linux 6.3: trying the program for those\n");
		is_old = true;
	}
	if (old_kernel__refuses(table, &refusal))
		return old_kernel__explain(&refusal, err);
	ret = load_engine(choice->old, choice, table, filter, err);
	return ret && ret != -EDOM ? bpf_filter__explain_load(-ret, err) : ret;
}

static int load(const struct engine_choice *choice, const struct filter_table *table, u32 nr_events,
		struct bpf_filter **filterp, struct errmsg *err)
{
	struct filter_table *prepared;
	struct bpf_filter *filter;
	int ret;

	*filterp = NULL;
	ret = program_table__new(table, &prepared, err);
	if (ret)
		return ret;
	filter = malloc(sizeof(*filter));
	if (filter) {
		*filter = (struct bpf_filter)BPF_FILTER_INIT;
		filter->nr_events = nr_events;
		ret = load_prepared(choice, prepared, filter, err);
	} else {
		ret = errmsg__set(err, ENOMEM, "No memory is left for the filter.");
	}
	free(prepared);
	if (ret)
		free(filter);
	else
		*filterp = filter;
	return ret;
}

int bpf_filter__load(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err)
{
	return bpf_filter__load_marked(table, nr_events, NULL, filter, err);
}

int bpf_filter__load_marked(const struct filter_table *table, u32 nr_events, const struct bpf_programs *marks,
			    struct bpf_filter **filter, struct errmsg *err)
{
	return load(&(struct engine_choice){ NULL, &old_engine, marks }, table, nr_events, filter, err);
}

int bpf_filter__load_explaining(const struct filter_table *table, u32 nr_events, const struct bpf_programs *marks,
				struct bpf_filter **filter, struct errmsg *err)
{
	return load(&(struct engine_choice){ &explaining_engine, &old_explaining_engine, marks }, table, nr_events, filter, err);
}

int bpf_filter__load_old(const struct filter_table *table, u32 nr_events, struct bpf_filter **filter, struct errmsg *err)
{
	return load(&(struct engine_choice){ &old_engine, &old_engine, NULL }, table, nr_events, filter, err);
}

int bpf_filter__attach(struct bpf_filter *filter, int perf_fd, struct errmsg *err)
{
	return bpf_filter__attach_program(filter->prog_fd, perf_fd, err);
}

int bpf_filter__attach_program(int prog_fd, int perf_fd, struct errmsg *err)
{
	const char *missing;

	if (!ioctl(perf_fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return 0;
	switch (errno) {
	case EEXIST:
		return errmsg__set(err, EEXIST, "The event already has a BPF program, and an event takes only one. Join the "
				   "filters of this event to one with &&.");
	case EINVAL:
	case EOPNOTSUPP:
	case ENOTSUPP:
		return errmsg__set(err, EINVAL, "This kind of event takes no BPF filter (tracepoints and probes do "
				   "not). Filter a tracepoint by its own fields, see its format file.");
	case EPERM:
	case EACCES:
		missing = bpf_filter__missing_capabilities();
		return errmsg__set(err, EPERM, "The system forbids to attach the BPF filter to the event%s%s. %s.",
				   *missing ? ": this process lacks " : "", missing, advice__root());
	default:
		return errmsg__set(err, errno, "Cannot attach the BPF filter to the event: %s", strerror(errno));
	}
}

u32 bpf_filter__nr_events(const struct bpf_filter *filter)
{
	return filter->nr_events;
}

int bpf_filter__counts(struct bpf_filter *filter, u32 event, struct filter_counts *counts, struct errmsg *err)
{
	struct filter_counts *percpu;
	int nr_cpus;

	percpu = percpu_map__read(filter->counts_fd, event, sizeof(*percpu), &nr_cpus, "the filter's counts", err);
	if (!percpu)
		return -errno;
	*counts = (struct filter_counts){ 0 };
	for (int i = 0; i < nr_cpus; i++) {
		if (percpu[i].epoch != filter->epoch)
			continue; /* no sample so far; counts of the filter that had this program before */
		counts->seen += percpu[i].seen;
		counts->dropped += percpu[i].dropped;
		counts->undecided += percpu[i].undecided;
		counts->unmended += percpu[i].unmended;
		counts->period += percpu[i].period;
		counts->untaken += percpu[i].untaken;
		counts->late += percpu[i].late;
		counts->untimed += percpu[i].untimed;
		for (int walk = 0; walk < FILTER_MAX_WALKS; walk++)
			counts->valueless[walk] += percpu[i].valueless[walk];
	}
	free(percpu);
	return 0;
}

int bpf_filter__hits(struct bpf_filter *filter, u32 event, struct filter_hits hits[FILTER_MAX_ENTRIES], struct errmsg *err)
{
	struct filter_hits *percpu;
	int nr_cpus;

	if (filter->hits_fd < 0)
		return -ENODATA;
	for (u32 entry = 0; entry < FILTER_MAX_ENTRIES; entry++) {
		percpu = percpu_map__read(filter->hits_fd, event * FILTER_MAX_ENTRIES + entry, sizeof(*percpu), &nr_cpus,
					  "the counts of the filter's tests", err);
		if (!percpu)
			return -errno;
		hits[entry] = (struct filter_hits){ 0 };
		for (int i = 0; i < nr_cpus; i++) {
			hits[entry].runs += percpu[i].runs;
			hits[entry].taken += percpu[i].taken;
		}
		free(percpu);
	}
	return 0;
}

int bpf_filter__undecided_fd(const struct bpf_filter *filter)
{
	return filter->undecided_fd;
}

int bpf_filter__mends_fd(const struct bpf_filter *filter)
{
	return filter->mends_fd;
}

int bpf_filter__prog_fd(const struct bpf_filter *filter)
{
	return filter->prog_fd;
}

void bpf_filter__delete(struct bpf_filter *filter)
{
	if (!filter)
		return;
	bpf_filter__close(filter);
	free(filter);
}

// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/kernel-table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "util/bpf/inherit-check.h"
#include "util/bpf/kernel-btf.h"
#include "util/bpf/kernel-features.h"
#include "util/bpf/token.h"
#include "util/event/attr-flags.h"
#include "util/event/tracefs.h"
#include "util/lib/fs.h"
#include "util/lib/types.h"

static enum kernel_answer answer(bool has)
{
	return has ? KERNEL_HAS : KERNEL_LACKS;
}

/* Load a program only for the kernel's verdict. (libbpf's own probes take a lack of privilege for one.) */
static enum kernel_answer try_program(enum bpf_prog_type type, const struct bpf_insn *insns, size_t nr, u32 flags)
{
	int fd = bpf_token__load_program(type, insns, nr, flags);

	if (fd < 0)
		return fd == -EPERM || fs__own_error(fd) ? KERNEL_UNKNOWN : KERNEL_LACKS;
	close(fd);
	return KERNEL_HAS;
}

#define RETURN(value)	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = (value) }, \
			{ .code = BPF_JMP | BPF_EXIT }
static const struct bpf_insn empty_program[] = { RETURN(0) };

static enum kernel_answer probe_btf(void)
{
	return answer(kernel_btf__exists());
}

static enum kernel_answer probe_perf_event_programs(void)
{
	return try_program(BPF_PROG_TYPE_PERF_EVENT, empty_program, ARRAY_SIZE(empty_program), 0);
}

/* With a token perf does what they do, see loader-run.h. */
static enum kernel_answer probe_loader_programs(void)
{
	if (bpf_token__used())
		return KERNEL_HAS;
	return try_program(BPF_PROG_TYPE_SYSCALL, empty_program, ARRAY_SIZE(empty_program), BPF_F_SLEEPABLE);
}

static enum kernel_answer probe_find_vma(void)
{
	return answer(kernel_btf__has_function("bpf_find_vma"));
}

static enum kernel_answer probe_kfunc_cast(void)
{
	return answer(kernel_btf__has_function("bpf_rdonly_cast"));
}

static enum kernel_answer probe_lock_tracepoints(void)
{
	return answer(kernel_btf__has_function("__traceiter_contention_begin"));
}

static enum kernel_answer probe_kfunc_task(void)
{
	return answer(kernel_btf__has_function("bpf_task_from_pid"));
}

static enum kernel_answer probe_kfunc_cache(void)
{
	return answer(kernel_btf__has_function("bpf_get_kmem_cache"));
}

/* The same change added the member and moved the call of programs after the preparation, see filter-sample.bpf.h. */
static enum kernel_answer probe_prepared_samples(void)
{
	return answer(kernel_btf__has_member("perf_sample_data", "dyn_size"));
}

/* That of a process's mappings, see bpf_skel/unwind-maps.bpf.h */
static enum kernel_answer probe_maple_tree(void)
{
	return answer(kernel_btf__has_member("mm_struct", "mm_mt"));
}

static enum kernel_answer probe_may_goto(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		/* BPF_JCOND, newer than the headers that we build with; with source 0 it is may_goto */
		{ .code = BPF_JMP | 0xe0, .off = 1 },
		RETURN(1),
	};

	return try_program(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns), 0);
}

static enum kernel_answer probe_attr_feature(struct perf_event_attr *attr)
{
	struct kernel_features features = { 0 };

	return answer(!kernel_features__strip(&features, attr));
}

static enum kernel_answer probe_read_lost(void)
{
	struct perf_event_attr attr = { .read_format = PERF_FORMAT_LOST };

	return probe_attr_feature(&attr);
}

/* Count the calling thread's user space, which needs the least privilege; -1 and errno. */
static int try_event(struct perf_event_attr *attr)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	fd = sys_perf_event_open(attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd;
}

static enum kernel_answer probe_compared_groups(void)
{
	int ret = inherit_check__probe();

	return ret < 0 ? KERNEL_UNKNOWN : answer(ret);
}

static enum kernel_answer probe_defer_callchain(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
					.sample_type = PERF_SAMPLE_CALLCHAIN };

	attr__set_flags(&attr, ATTR_FLAG_DEFER_CALLCHAIN);
	if (try_event(&attr) >= 0)
		return KERNEL_HAS;
	return errno == EINVAL ? KERNEL_LACKS : KERNEL_UNKNOWN;
}

static enum kernel_answer probe_hardware_events(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES };

	if (try_event(&attr) >= 0)
		return KERNEL_HAS;
	return errno == EACCES || errno == EPERM ? KERNEL_UNKNOWN : KERNEL_LACKS;
}

static enum kernel_answer probe_tracefs(void)
{
	struct errmsg err;
	int fd = tracefs__root(&err);

	return fd == -EPERM || fd == -EACCES ? KERNEL_UNKNOWN : answer(fd >= 0);
}

/* Its mount point does not matter: pins have a separate mount. */
static enum kernel_answer probe_bpffs(void)
{
	char *text = fs__read_file(AT_FDCWD, "/proc/filesystems", NULL);
	enum kernel_answer has = text ? answer(strstr(text, "\tbpf\n")) : KERNEL_UNKNOWN;

	free(text);
	return has;
}

static enum kernel_answer probe_tokens(void)
{
	return answer(bpf_token__is_known());
}

static const struct {
	struct kernel_offer_desc desc;
	enum kernel_answer (*probe)(void);
} offers[KERNEL_OFFER_MAX] = {
	[KERNEL_BTF] = { { "type information (BTF)", "5.2", "filters by samples, tasks and files" }, probe_btf },
	[KERNEL_PERF_EVENT_PROGRAMS] = { { "perf_event programs", "4.9", "filters" }, probe_perf_event_programs },
	[KERNEL_LOADER_PROGRAMS] = { { "BPF loader programs", "5.14", "filters" }, probe_loader_programs },
	[KERNEL_FIND_VMA] = { { "bpf_find_vma", "5.17", "filters by dso, and by sym in user space" }, probe_find_vma },
	[KERNEL_KFUNC_CAST] = { { "bpf_rdonly_cast", "6.2", "filters by all that a sample holds" }, probe_kfunc_cast },
	[KERNEL_PREPARED_SAMPLES] = { { "prepared samples", "6.3", "filters by all that a sample holds" },
				      probe_prepared_samples },
	[KERNEL_MAPLE_TREE] = { { "maple tree of mappings", "6.1", "--call-graph bpf" }, probe_maple_tree },
	[KERNEL_MAY_GOTO] = { { "may_goto", "6.9", "quick filters for unprivileged users" }, probe_may_goto },
	[KERNEL_READ_LOST] = { { "counts of lost samples", "6.0", "what each event has lost" }, probe_read_lost },
	[KERNEL_COMPARED_GROUPS] = { { "compared groups", "6.6", "filters with -p and -t, but for --no-inherit" }, probe_compared_groups },
	[KERNEL_DEFER_CALLCHAIN] = { { "deferred call chains", "6.19", "--call-graph fp,defer" }, probe_defer_callchain },
	[KERNEL_LOCK_TRACEPOINTS] = { { "lock tracepoints", "5.19", "perf lock contention" }, probe_lock_tracepoints },
	[KERNEL_KFUNC_TASK] = { { "bpf_task_from_pid", "6.2", "stacks of who holds a lock" }, probe_kfunc_task },
	[KERNEL_KFUNC_CACHE] = { { "bpf_get_kmem_cache", "6.13", "names of locks in memory of the kernel" }, probe_kfunc_cache },
	[KERNEL_HARDWARE_EVENTS] = { { "hardware counters", NULL, "cycles and the like; cpu-clock stands in" },
				     probe_hardware_events },
	[KERNEL_TRACEFS] = { { "tracefs", "4.1", "tracepoints" }, probe_tracefs },
	[KERNEL_BPFFS] = { { "bpffs", "4.4", "filters for unprivileged users" }, probe_bpffs },
	[KERNEL_TOKENS] = { { "BPF tokens", "6.9", "filters in containers" }, probe_tokens },
};

const struct kernel_offer_desc *kernel_offer__get(enum kernel_offer offer)
{
	return &offers[offer].desc;
}

enum kernel_answer kernel_offer__probe(enum kernel_offer offer)
{
	static struct {
		bool known;
		enum kernel_answer answer;
	} known[KERNEL_OFFER_MAX];

	if (!known[offer].known) {
		known[offer].answer = offers[offer].probe();
		known[offer].known = true;
	}
	return known[offer].answer;
}

const char *kernel_offer__explain(enum kernel_offer offer, char *buf, size_t size)
{
	const struct kernel_offer_desc *desc = &offers[offer].desc;
	struct utsname uts = { .release = "" };

	uname(&uts);
	if (desc->since)
		snprintf(buf, size, "%s, which Linux %s and newer can have; this is Linux %s", desc->name, desc->since,
			 uts.release);
	else
		snprintf(buf, size, "%s", desc->name);
	return buf;
}

bool kernel_offer__is_of_version(enum kernel_offer offer)
{
	const char *since = offers[offer].desc.since;
	unsigned int is[2], first[2];
	struct utsname uts;

	if (!since || uname(&uts) || sscanf(uts.release, "%u.%u", &is[0], &is[1]) != 2 || sscanf(since, "%u.%u", &first[0], &first[1]) != 2)
		return false;
	return is[0] > first[0] || (is[0] == first[0] && is[1] >= first[1]);
}

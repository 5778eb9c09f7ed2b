// SPDX-License-Identifier: GPL-2.0
/* What is traced: system calls and events of -e, page faults of -F. */
#define LOG_DOMAIN "trace"

#include "cmd/trace/options.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "util/lib/comma-list.h"
#include "util/lib/log.h"
#include "util/source/syscall-number.h"

/* -e */

/* Groups of calls, as globs: the names of other tracers. */
static const struct {
	const char *name, *globs;
} groups[] = {
	{ "file", "open,openat,openat2,open_by_handle_at,creat,access,faccessat*,stat,lstat,newfstatat,statx,statfs,chmod,fchmodat*,chown,lchown,fchownat,"
		  "truncate,link,linkat,symlink*,unlink*,rename*,mkdir*,mknod*,rmdir,readlink*,chdir,chroot,execve*,mount,umount2,pivot_root,swapon,swapoff,"
		  "utime*,futimesat,*xattr,*xattrat,getcwd,acct,quotactl,uselib,inotify_add_watch,name_to_handle_at,fanotify_mark,move_mount,open_tree*,fspick" },
	{ "desc", "read,write,close,fstat,poll,lseek,mmap,ioctl,pread*,pwrite*,readv,writev,pipe*,select,dup*,sendfile,fcntl,flock,fsync,fdatasync,"
		  "ftruncate,getdents*,fchdir,fchmod*,fchown*,fstatfs,readahead,f*xattr,epoll_*,fadvise64,timerfd_*,signalfd*,eventfd*,openat*,"
		  "*at,*at2,splice,tee,vmsplice,sync_file_range,fallocate,inotify_*,perf_event_open,memfd_create,copy_file_range,bpf,ppoll,pselect6,"
		  "pidfd_*,close_range,io_uring_*,statx,syncfs,setns" },
	{ "network", "socket,socketpair,bind,connect,listen,accept*,getsockname,getpeername,send*,recv*,setsockopt,getsockopt,shutdown" },
	{ "memory", "mmap,munmap,mprotect,pkey_mprotect,brk,mremap,msync,mincore,madvise,process_madvise,mlock*,munlock*,mbind,get_mempolicy,set_mempolicy*,"
		    "migrate_pages,move_pages,remap_file_pages,shmat,shmdt,mseal,map_shadow_stack,memfd_secret" },
	{ "process", "fork,vfork,clone,clone3,execve*,exit,exit_group,wait4,waitid,kill,tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo,unshare,setns,arch_prctl,"
		     "pidfd_open,pidfd_send_signal" },
	{ "signal", "kill,tkill,tgkill,rt_sig*,sigaltstack,pause,signalfd*,pidfd_send_signal" },
	{ "ipc", "msg*,sem*,shm*,mq_*" },
	{ "clock", "clock_*,gettimeofday,settimeofday,time,adjtimex" },
	{ "creds", "get*uid,get*gid,set*uid,set*gid,getgroups,setgroups,capget,capset,prctl" },
};

unsigned int trace_options__choose_calls(struct trace_options *o, const char *glob, bool wanted)
{
	unsigned int nr = 0;

	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		const u32 number = trace_row_number(i);
		const char *name = syscall_name(number);

		if (name ? fnmatch(glob, name, 0) && fnmatch(glob, syscall_function(number), 0) : strcmp(glob, "*"))
			continue;
		o->wanted[i] = wanted;
		nr++;
	}
	return nr;
}

/* "%NAME" or, as in other perfs, "NAME". */
static bool choose_group(struct trace_options *o, const char *name, bool wanted)
{
	char glob[32];

	name += *name == '%';
	if (!strcmp(name, "net"))
		name = "network";
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		const char *globs = groups[i].globs;

		if (strcmp(groups[i].name, name))
			continue;
		comma_list__for_each(globs, one) {
			snprintf(glob, sizeof(glob), "%.*s", (int)one.len, one.text);
			trace_options__choose_calls(o, glob, wanted);
		}
		return true;
	}
	return false;
}

int trace_options__add_other(struct trace_options *o, const char *word, size_t len)
{
	char *longer;

	if (asprintf(&longer, "%s%s%.*s", o->other_events ?: "", o->other_events ? "," : "", (int)len, word) < 0) {
		pr_err("out of memory\n");
		return -1;
	}
	free(o->other_events);
	o->other_events = longer;
	return 0;
}

/* What can only be an event is checked later, with a message that says where it is wrong. */
static bool is_event(const char *word, size_t len)
{
	struct evlist *evlist = evlist__new();
	char *text = strndup(word, len);
	struct errmsg err;
	const bool is = len && evlist && text && (strpbrk(text, ":/") || !evlist__parse(evlist, text, NULL, &err));

	free(text);
	evlist__delete(evlist);
	return is;
}

static int choose_word(struct trace_options *o, const char *word, size_t len, bool wanted)
{
	char glob[64];

	if (len && len < sizeof(glob)) {
		snprintf(glob, sizeof(glob), "%.*s", (int)len, word);
		if ((*glob != '%' && trace_options__choose_calls(o, glob, wanted)) || choose_group(o, glob, wanted)) {
			o->some_wanted |= wanted;
			return 0;
		}
	}
	if (wanted && is_event(word, len))
		return trace_options__add_other(o, word, len);
	pr_err("-e: there is no system call%s group%s \"%.*s\". perf trace --list-values -e shows all calls\n", wanted ? "," : " or",
	       wanted ? " or event" : "", (int)len, word);
	return -1;
}

/* Up to the next comma that is not within the slashes of an event's terms. An address has one slash: mem:0x1000/8:w */
static size_t word_length(const char *list)
{
	size_t len = strcspn(list, ",");
	const char *begin = memchr(list, '/', len), *end;

	if (!begin || !strncmp(list, "mem:", 4))
		return len;
	end = strchr(begin + 1, '/');
	return end ? end - list + strcspn(end, ",") : len;
}

int trace_options__parse_calls(const struct option_row *row, const char *arg, bool unset)
{
	struct trace_options *o = row->value;
	const bool wanted = !unset && *arg != '!';
	const char *word;

	if (unset)
		return record_options__refuse_unset(row);
	if ((wanted && o->some_unwanted) || (!wanted && o->some_wanted)) {
		pr_err("-e lists the calls to trace, or with ! those to leave out, not both\n");
		return -1;
	}
	if (!wanted && !o->some_unwanted)
		trace_options__choose_calls(o, "*", true);
	o->some_unwanted |= !wanted;
	for (word = arg + !wanted;; word += word_length(word) + 1) {
		if (choose_word(o, word, word_length(word), wanted))
			return -1;
		if (!word[word_length(word)])
			return 0;
	}
}

void trace_options__list_calls(void)
{
	for (int i = 0; i < TRACE_MAX_CALLS; i++) {
		const char *name = syscall_name(trace_row_number(i));

		if (name && (i < TRACE_ABI_CALLS || syscall_number(name) < 0))
			puts(name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		printf("%%%s\n", groups[i].name);
}

/* -F and --syscalls */

static const char *const fault_kinds[] = { "all", "maj", "min" };

int trace_options__parse_faults(const struct option_row *row, const char *arg, bool unset)
{
	struct trace_options *o = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	if (strcmp(arg, "all") && strcmp(arg, "maj") && strcmp(arg, "min")) {
		pr_err("-F takes all, maj or min: not \"%s\"\n", arg);
		return -1;
	}
	o->major_faults |= strcmp(arg, "min") != 0;
	o->minor_faults |= strcmp(arg, "maj") != 0;
	return 0;
}

void trace_options__list_faults(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fault_kinds); i++)
		puts(fault_kinds[i]);
}

int trace_options__parse_syscalls(const struct option_row *row, const char *arg, bool unset)
{
	struct trace_options *o = row->value;

	o->calls_on = !unset;
	o->calls_off = unset;
	return 0;
}

/* Other events */

/* Of clocks and of hardware there are too many to see each one: they are sampled as perf record does, unless their terms say how often. */
static bool has_each_hit(const struct evsel *evsel)
{
	const struct perf_event_attr *attr = &evsel->attr;

	return evsel->tp || attr->type == PERF_TYPE_BREAKPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE && !attr__is_clock(attr));
}

static bool is_software(const struct evsel *evsel, u64 config)
{
	return evsel->attr.type == PERF_TYPE_SOFTWARE && evsel->attr.config == config;
}

/* The events of -e. Page faults that -F takes, too, would have two lines each. */
static int parse_others(const struct trace_options *o, struct evlist *evlist, struct errmsg *err)
{
	const unsigned int first = evlist->nr;
	int ret = o->other_events ? evlist__parse(evlist, o->other_events, NULL, err) : 0;

	for (unsigned int i = first; !ret && i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->evsel[i];

		if ((o->major_faults && is_software(evsel, PERF_COUNT_SW_PAGE_FAULTS_MAJ)) ||
		    (o->minor_faults && is_software(evsel, PERF_COUNT_SW_PAGE_FAULTS_MIN)))
			ret = errmsg__set(err, EINVAL, "-F takes the page faults that -e names (%s): leave out one of them", evsel->name);
	}
	return ret;
}

/* Take each hit, and addresses with page faults. */
static void config_event(struct trace_options *o, struct evsel *evsel)
{
	const bool major = is_software(evsel, PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	const bool minor = is_software(evsel, PERF_COUNT_SW_PAGE_FAULTS_MIN);

	if (has_each_hit(evsel) && !evsel->has_period && !evsel->has_freq) {
		evsel->attr.sample_period = 1;
		evsel->has_period = true;
	}
	if (!major && !minor)
		return;
	evsel->attr.sample_type |= PERF_SAMPLE_ADDR;
	o->major_faults |= major;
	o->minor_faults |= minor;
	o->recording.opts.attr.data_maps = true;
}

int trace_options__find_rates(const struct trace_options *o, bool *sampled, bool *each, struct errmsg *err)
{
	struct evlist *evlist = evlist__new();
	int ret = evlist ? 0 : errmsg__set(err, ENOMEM, "out of memory");

	*sampled = false;
	*each = o->major_faults || o->minor_faults;
	if (!ret)
		ret = parse_others(o, evlist, err);
	for (unsigned int i = 0; !ret && i < evlist->nr; i++) {
		const struct evsel *evsel = evlist->evsel[i];

		*sampled |= !has_each_hit(evsel) && !evsel->has_period;
		*each |= has_each_hit(evsel) && !evsel->has_period && evsel->attr.type == PERF_TYPE_SOFTWARE;
	}
	evlist__delete(evlist);
	return ret;
}

int trace_options__add_events(struct trace_options *o, struct errmsg *err)
{
	struct evlist *evlist = o->recording.evlist;
	const unsigned int first = evlist->nr;
	int ret = parse_others(o, evlist, err);

	if (!ret && o->major_faults)
		ret = evlist__parse(evlist, "major-faults", NULL, err);
	if (!ret && o->minor_faults)
		ret = evlist__parse(evlist, "minor-faults", NULL, err);
	o->recording.opts.attr.period = 1; /* unless some are sampled */
	for (unsigned int i = first; i < evlist->nr && !ret; i++) {
		config_event(o, evlist->evsel[i]);
		if (!evlist->evsel[i]->has_period)
			o->recording.opts.attr.period = 0;
	}
	return ret;
}

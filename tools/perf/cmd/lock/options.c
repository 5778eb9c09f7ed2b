// SPDX-License-Identifier: GPL-2.0
#define LOG_DOMAIN "lock"

#include "cmd/lock/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/common/lost-output.h"
#include "util/lib/advice.h"
#include "util/lib/array.h"
#include "util/lib/comma-list.h"
#include "util/lib/log.h"
#include "util/lib/stream.h"
#include "util/lib/text.h"
#include "util/source/lock-places.h"
#include "util/source/lock-types.h"
#include "util/source/unwind-tables.h"
#include "util/symbol/live-functions.h"
#include "util/symbol/symtab.h"

#define ALL_TYPES UINT64_MAX

static int parse_number(const char *option, const char *word, size_t len)
{
	for (int i = 0; i < LOCK_NR_NUMBERS; i++) {
		if (strlen(lock_number__name(i)) == len && !strncmp(lock_number__name(i), word, len))
			return i;
	}
	if (len == strlen("acquired") && !strncmp("acquired", word, len)) {
		pr_err("%s acquired: locks that were free are seen by lockdep only (lock:lock_acquired, CONFIG_LOCKDEP), which this perf does not read: take "
		       "contended\n", option);
		return -1;
	}
	pr_err("%s takes contended, wait_total, wait_max, wait_min or avg_wait: not \"%.*s\"\n", option, (int)len, word);
	return -1;
}

int lock_options__parse_key(const struct option_row *row, const char *arg, bool unset)
{
	struct lock_options *o = row->value;
	int number;

	if (unset)
		return record_options__refuse_unset(row);
	number = parse_number("-k", arg, strlen(arg));
	if (number >= 0)
		o->output.sort = number;
	return number < 0 ? -1 : 0;
}

int lock_options__parse_fields(const struct option_row *row, const char *arg, bool unset)
{
	struct lock_options *o = row->value;
	int number;

	if (unset)
		return record_options__refuse_unset(row);
	o->output.nr_columns = 0;
	comma_list__for_each(arg, word) {
		number = parse_number("-F", word.text, word.len);
		if (number < 0)
			return -1;
		if (o->output.nr_columns == LOCK_NR_NUMBERS) {
			pr_err("-F takes at most %d columns: not \"%s\"\n", LOCK_NR_NUMBERS, arg);
			return -1;
		}
		o->output.columns[o->output.nr_columns++] = number;
	}
	return 0;
}

void lock_options__list_numbers(void)
{
	for (int i = 0; i < LOCK_NR_NUMBERS; i++)
		puts(lock_number__name(i));
}

int lock_options__parse_types(const struct option_row *row, const char *arg, bool unset)
{
	struct lock_options *o = row->value;
	u64 types;

	if (unset)
		return record_options__refuse_unset(row);
	comma_list__for_each(arg, word) {
		types = lock_type__parse(word.text, word.len);
		if (!types) {
			pr_err("-Y: there is no type \"%.*s\" of locks. perf lock contention --list-values --type-filter shows all\n", (int)word.len, word.text);
			return -1;
		}
		o->locks.types |= types;
	}
	return 0;
}

void lock_options__list_types(void)
{
	const char *last = "";

	for (u32 flags = 0; flags < LOCK_NR_FLAGS; flags++) {
		const char *name = lock_type__name(flags);

		if (strcmp(name, "unknown") && strcmp(name, last))
			puts(name);
		last = name;
	}
}

int lock_options__parse_locks(const struct option_row *row, const char *arg, bool unset)
{
	struct lock_options *o = row->value;

	if (unset)
		return record_options__refuse_unset(row);
	free(o->lock_list);
	o->lock_list = strdup(arg);
	return o->lock_list ? 0 : -1;
}

int lock_options__parse_substring(const struct option_row *row, const char *arg, bool unset)
{
	struct lock_options *o = row->value;
	const char **bigger;

	if (unset)
		return record_options__refuse_unset(row);
	comma_list__for_each(arg, word) {
		bigger = reallocarray(o->substring, o->nr_substring + 2, sizeof(*bigger));
		if (!bigger)
			return -1;
		o->substring = bigger;
		o->substring[o->nr_substring++] = strndup(word.text, word.len);
		o->substring[o->nr_substring] = NULL;
		if (!word.len || !o->substring[o->nr_substring - 1]) {
			pr_err("-S takes parts of the names of functions, several with commas: not \"%s\"\n", arg);
			return -1;
		}
	}
	return 0;
}

/* Checking and combining the options */

static void settle_view(struct lock_options *o)
{
	if (o->by_task && o->by_lock)
		options__refuse_exit("-t and -l exclude each other\n");
	if (o->by_cgroup && (o->by_lock || o->by_task))
		options__refuse_exit("--lock-cgroup goes neither with -t nor with -l\n");
	if (o->by_owner && (o->by_lock || o->by_cgroup))
		options__refuse_exit("-o goes neither with -l nor with --lock-cgroup\n");
	o->output.view = o->by_task ? LOCK_VIEW_TASK : o->by_lock ? LOCK_VIEW_LOCK : o->by_cgroup ? LOCK_VIEW_CGROUP : LOCK_VIEW_CALLER;
	o->output.by = o->locks.by = !o->by_owner ? LOCK_BY_WAITER : o->by_task ? LOCK_BY_OWNER : LOCK_BY_OWNER_STACK;
	o->output.futexes = o->locks.futexes;
	o->locks.named = o->by_lock;
	if (!o->locks.types)
		o->locks.types = ALL_TYPES;
}

static bool has_user_stacks(const struct lock_options *o)
{
	return o->locks.futexes || o->locks.user_stacks;
}

static bool writes_stacks(const struct lock_options *o)
{
	return o->write || lock_stacks__wanted(&o->stacks);
}

static void check_user_locks(const struct lock_options *o)
{
	if (o->locks.futexes && o->locks.types)
		options__refuse_exit("--futex and -Y exclude each other: types are those of locks of the kernel\n");
	if (o->locks.futexes && o->locks.user_stacks)
		options__refuse_exit("--futex shows callers in user space anyway: leave out --user-callers\n");
	if (o->locks.user_stacks && o->by_owner)
		options__refuse_exit("--user-callers and -o exclude each other: -o shows where owners are in the kernel\n");
	if (has_user_stacks(o) && o->substring && writes_stacks(o))
		options__refuse_exit("-S chooses user stacks when their names are known, which is too late for -w, --folded and --flamegraph: leave it out\n");
}

/* Frames of programs, tracepoints and locks that come before a caller; those seen so far are 8 at most. */
#define MAX_BEFORE_CALLER 15

/* Walking a stack is most of the cost: take no more of it than is looked at. */
static void settle_frames(struct lock_options *o)
{
	const u64 shown = writes_stacks(o) ? LOCK_MAX_FRAMES : o->output.stacks ? o->max_stack : 1;
	const u64 wanted = MAX_BEFORE_CALLER + (o->skip > 0 ? o->skip : 0) + shown;

	o->locks.max_frames = o->substring || wanted > LOCK_MAX_FRAMES ? LOCK_MAX_FRAMES : wanted;
}

/* The kernel counts by what is shown; by stacks, too, if they choose or explain the rows. */
static void settle_key(struct lock_options *o)
{
	static const unsigned int keys[] = {
		[LOCK_VIEW_CALLER] = TALLY_KEY_KSTACK | TALLY_KEY_LOCK_TYPE,
		[LOCK_VIEW_TASK] = TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_COMM,
		[LOCK_VIEW_LOCK] = TALLY_KEY_LOCK,
		[LOCK_VIEW_CGROUP] = TALLY_KEY_CGROUP,
	};

	o->counting.key = keys[o->output.view];
	if (o->substring || o->output.stacks)
		o->counting.key |= TALLY_KEY_KSTACK;
	if (writes_stacks(o))
		o->counting.key |= TALLY_KEY_KSTACK | TALLY_KEY_LOCK_TYPE | TALLY_KEY_PID | TALLY_KEY_TID | TALLY_KEY_COMM;
	if (o->locks.by == LOCK_BY_OWNER_STACK) /* whose stack it is */
		o->counting.key |= TALLY_KEY_TID;
	if (has_user_stacks(o)) { /* names come from the process */
		o->counting.key |= TALLY_KEY_PID;
		if (o->counting.key & TALLY_KEY_KSTACK)
			o->counting.key ^= TALLY_KEY_KSTACK | TALLY_KEY_USTACK;
	}
	if (o->locks.futexes && o->by_lock)
		o->counting.key |= TALLY_KEY_LOCK_TYPE;
	o->counting.max_keys = o->locks.max_waits;
	o->counting.max_stack = LOCK_MAX_FRAMES;
}

/* By tables where this is possible: few programs and hardly any C library have frame pointers. Loading these programs is most of the start. */
static void settle_callgraph(struct lock_options *o)
{
	struct callgraph *callgraph = &o->recording.opts.attr.callgraph;
	struct errmsg err;

	if (!has_user_stacks(o)) {
		if (callgraph->mode != CALLGRAPH_NONE)
			options__refuse_exit("--call-graph is for stacks in user space: take it with --futex or --user-callers\n");
		return;
	}
	if (callgraph->mode == CALLGRAPH_NONE || callgraph->mode == CALLGRAPH_AUTO)
		callgraph->mode = o->counting.key & TALLY_KEY_USTACK && !unwind_tables__promise(&err) ? CALLGRAPH_BPF : CALLGRAPH_FP;
	if ((callgraph->mode != CALLGRAPH_BPF && callgraph->mode != CALLGRAPH_FP) || callgraph->defer)
		options__refuse_exit("--call-graph takes bpf or fp here\n");
}

static void check_separator(const struct lock_options *o)
{
	const char *separator = o->output.separator;

	if (separator && (!*separator || strpbrk(separator, ":+.")))
		options__refuse_exit("-x takes a separator without ':', '+' and '.', which fields have: not \"%s\"\n", separator);
}

static int add_event(struct lock_options *o)
{
	struct evlist *evlist = o->recording.evlist;
	struct errmsg err;
	int ret = evlist__add_kind(evlist, &contention_kind, NULL, &o->locks, &err);

	if (!ret && o->filter_text)
		ret = evsel__add_filter(evlist->evsel[0], "filter", o->filter_text, &err);
	if (!ret && o->cgroups)
		ret = evsel__add_cgroups(evlist->evsel[0], o->cgroups, &err);
	if (ret)
		pr_err("%s\n", err.text);
	return !ret ? 0 : ret == -ENOMEM ? EXIT_SETUP : EXIT_USAGE;
}

static bool prints_to_stdout(const struct lock_options *o)
{
	return o->stacks.folded || (o->path ? !strcmp(o->path, "-") : o->as_json);
}

/* --folded prints stacks in place of the table, to the standard output. */
static void check_outputs(const struct lock_options *o)
{
	const struct option_use forms[] = {
		{ "--folded", o->stacks.folded },
		{ "--json", o->as_json },
		{ "-x", o->output.separator },
	}, files[] = {
		{ "--folded", o->stacks.folded },
		{ "--output", o->path },
	};

	options__check_exclusive(forms, ARRAY_SIZE(forms));
	options__check_exclusive(files, ARRAY_SIZE(files));
}

void lock_options__check(struct lock_options *o)
{
	if (!o->locks.max_waits || o->locks.max_waits > 1 << 22)
		options__refuse_exit("-M takes 1 to %d\n", 1 << 22);
	if (o->max_stack > LOCK_MAX_FRAMES)
		options__refuse_exit("--max-stack takes at most %d frames\n", LOCK_MAX_FRAMES);
	if (o->skip < LOCK_SKIP_BY_NAME)
		options__refuse_exit("--stack-skip takes a number of frames: not %d\n", o->skip);
	if (o->cgroups && !*o->cgroups)
		options__refuse_exit("-G takes names of cgroups\n");
	check_outputs(o);
	if (o->output.interval && o->stacks.folded)
		options__refuse_exit("-I and --folded exclude each other: stacks are printed once, at the end\n");
	if (o->write && !strcmp(o->write, "-") && prints_to_stdout(o))
		options__refuse_exit("-w - writes a recording to the standard output, where the table or the stacks would go, too: let -w write a file\n");
	check_separator(o);
	check_user_locks(o);
	settle_view(o);
	o->output.stacks = o->recording.verbose > 0;
}

static void refuse_files(const struct read_options *reading)
{
	if (reading->vmlinux || reading->kallsyms || reading->symfs)
		options__refuse_exit("--vmlinux, --kallsyms and --symfs name the functions of a recording: take them with -i only\n");
}

int lock_options__settle(struct lock_options *o, char **argv)
{
	int ret;

	refuse_files(&o->reading);
	settle_frames(o);
	settle_key(o);
	settle_callgraph(o);
	o->recording.opts.count = &o->counting;
	o->recording.opts.output = o->write;
	o->recording.opts.interval = o->output.interval;
	o->recording.opts.synth.no_maps = !has_user_stacks(o);
	o->recording.opts.attr.data_maps = o->locks.futexes && (o->by_lock || o->lock_list);
	ret = add_event(o);
	return ret ?: record_options__settle(&o->recording, argv);
}

/* Running */

static int read_names(struct lock_options *o, struct errmsg *err)
{
	int ret = 0;

	if (!o->names)
		ret = kernel_names__new(NULL, &o->names, err);
	lock_frames__init(&o->frames, o->names);
	return ret;
}

int lock_options__add_address(struct lock_options *o, u64 address, struct errmsg *err)
{
	if (array__extend(o->address, o->locks.nr_addresses))
		return errmsg__set(err, ENOMEM, "out of memory");
	o->address[o->locks.nr_addresses++] = address;
	return 0;
}

int lock_options__add_place(struct lock_options *o, const char *name, struct errmsg *err)
{
	char **bigger = reallocarray(o->place, o->nr_places + 2, sizeof(*bigger));

	if (bigger)
		o->place = bigger;
	if (!bigger || !(o->place[o->nr_places] = strdup(name)))
		return errmsg__set(err, ENOMEM, "out of memory");
	o->place[++o->nr_places] = NULL;
	return 0;
}

bool lock_options__parse_address(const char *text, u64 *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	return isxdigit((unsigned char)*text) && !*end && !errno;
}

/* -l prints addresses with all digits; "a" and "bad" may be variables. */
static bool may_be_name(const char *text)
{
	return isalpha((unsigned char)*text) && strlen(text) < 2 * sizeof(u64);
}

static int find_futex(struct lock_options *o, const char *text, struct errmsg *err)
{
	u64 address;
	int ret;

	if (!lock_options__parse_address(text, &address))
		return lock_options__add_place(o, text, err);
	ret = lock_options__add_address(o, address, err);
	return ret || !may_be_name(text) ? ret : lock_options__add_place(o, text, err);
}

static int find_lock(struct lock_options *o, const char *word, size_t len, struct errmsg *err)
{
	const struct kernel_name *name;
	char text[LOCK_NAME_MAX];
	u64 address;

	snprintf(text, sizeof(text), "%.*s", (int)len, word);
	if (o->locks.futexes)
		return find_futex(o, text, err);
	if (lock_place__is_one(text))
		return lock_options__add_place(o, text, err);
	if (lock_options__parse_address(text, &address))
		return lock_options__add_address(o, address, err);
	if (read_names(o, err))
		return -1;
	name = kernel_names__find_name(o->names, text);
	if (!name || name->is_code)
		return errmsg__set(err, EINVAL, "-L takes addresses of locks, names as -l prints them, and names of variables that are in /proc/kallsyms, "
				   "which lists all only with CONFIG_KALLSYMS_ALL: not \"%s\"", text);
	return lock_options__add_address(o, name->start, err);
}

int lock_options__for_each_lock(struct lock_options *o, int (*cb)(struct lock_options *o, const char *word, size_t len, struct errmsg *err),
				struct errmsg *err)
{
	int ret = 0;

	comma_list__for_each(o->lock_list, word) {
		if (!word.len || word.len >= LOCK_NAME_MAX)
			return errmsg__set(err, EINVAL, "-L: the name of a lock is %s: \"%s\"", word.len ? "too long" : "empty", o->lock_list);
		ret = cb(o, word.text, word.len, err);
		if (ret)
			break;
	}
	return ret;
}

/* Names of locks are known when a row arrives; then the kernel counts all locks, one by one. */
static int settle_locks(struct lock_options *o, struct errmsg *err)
{
	int ret = lock_options__for_each_lock(o, find_lock, err);

	if (!ret && o->nr_places && has_user_stacks(o) && writes_stacks(o))
		return errmsg__set(err, EINVAL, "-L chooses by names that are known at the end here, which is too late for -w, --folded and --flamegraph: "
				   "give addresses, or leave it out");
	if (o->nr_places) {
		o->locks.named = true;
		o->counting.key |= TALLY_KEY_LOCK;
	} else {
		o->locks.addresses = o->address;
	}
	o->locks.chosen_late = o->output.chosen_late = o->nr_places || o->substring;
	return ret;
}

/*
 * Reading the kernel's symbols costs as much as all the rest of a short run, so they are read when the first row asks for names. Those of the
 * programs are among them then, which are loaded before.
 */
static void need_names(struct lock_options *o)
{
	struct errmsg err;

	if (!o->names_read && read_names(o, &err) && !o->output.quiet)
		pr_warn("%s\n", err.text);
	o->names_read = true;
}

/* The file and the flame graph get the rows without the frames of the programs, and only those that the table has. */
static int take_row(void *data, unsigned int event, struct tally_row *row, struct errmsg *err)
{
	struct lock_options *o = data;
	u32 skip;

	if (has_user_stacks(o))
		return lock_late_rows__keep(&o->late, row) ? errmsg__set(err, ENOMEM, "out of memory for the table of waits") : 0;
	if (row->nr_kstack || o->counting.key & TALLY_KEY_LOCK)
		need_names(o);
	if (!lock_rows__wants(o->rows, row)) {
		row->count = 0;
		return 0;
	}
	if (lock_rows__add(o->rows, row))
		return errmsg__set(err, ENOMEM, "out of memory for the table of waits");
	skip = lock_frames__plumbing(&o->frames, row->kstack, row->nr_kstack);
	row->kstack += skip;
	row->nr_kstack -= skip;
	return 0;
}

/* Now the session knows the processes' maps. */
static int add_late_rows(struct lock_options *o)
{
	if (o->late.nr && o->counting.key & TALLY_KEY_LOCK && !o->locks.futexes)
		need_names(o);
	o->frames.live = o->stacks.live;
	return lock_late_rows__add_to(&o->late, o->rows);
}

static int end_round(void *data, struct errmsg *err)
{
	return add_late_rows(data) || lock_options__print_round(data) ? errmsg__set(err, ENOMEM, "out of memory for the table of waits") : 0;
}

/* Nobody reads the tables any more, or a disk is full: more rounds are of no use. */
static bool is_full(void *data)
{
	const struct lock_options *o = data;

	return o->write_error;
}

/* Without addresses of functions all callers would be one: the frames of the program itself. */
static int check_names(const struct lock_options *o)
{
	static const char *const first[] = { "_stext" };
	u64 address;

	if (!(o->counting.key & TALLY_KEY_KSTACK) || kallsyms__lookup(NULL, first, &address, 1) == 1)
		return 0;
	pr_err("callers cannot be named: /proc/kallsyms hides the addresses of functions from this process.\n%s, or give it the "
	       "right: setcap cap_bpf,cap_perfmon,cap_syslog+ep $(command -v perf); -t, -l and --lock-cgroup need no names\n", advice__root());
	return -1;
}

static FILE *open_output(const char *path, FILE *usual)
{
	if (!path)
		return usual;
	return strcmp(path, "-") ? fopen(path, "we") : stdout;
}

int lock_options__open_rows(struct lock_options *o, struct machine *machine)
{
	struct lock_rows_opts opts = {
		.view = o->output.view,
		.skip = o->skip,
		.max_frames = o->max_stack,
		.substring = o->substring,
		.lock = (const char *const *)o->place,
		.address = o->address,
		.nr_addresses = o->locks.nr_addresses,
		.machine = machine,
	};
	struct errmsg err;

	o->output.fp = open_output(o->path, o->as_json ? stdout : stderr);
	if (!o->output.fp) {
		pr_err("cannot open %s: %s\n", o->path, strerror(errno));
		return EXIT_SETUP;
	}
	o->rows = lock_rows__new(&opts, &o->frames);
	opts.view = LOCK_VIEW_LOCK;
	o->locks_too = o->show_locks ? lock_rows__new(&opts, &o->frames) : NULL;
	o->json = o->as_json ? lock_json__new(&o->output) : NULL;
	if (!o->rows || (o->show_locks && !o->locks_too) || (o->as_json && !o->json)) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	if (lock_stacks__wanted(&o->stacks) && lock_stacks__begin(&o->stacks, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_SETUP;
	}
	return 0;
}

int lock_options__begin(struct lock_options *o)
{
	struct errmsg err;
	int ret;

	if (settle_locks(o, &err)) {
		pr_err("%s\n", err.text);
		return EXIT_USAGE;
	}
	ret = check_names(o) ? EXIT_SETUP : lock_options__open_rows(o, NULL);
	o->sink = (struct record_rows){ .row = take_row, .round = end_round, .is_full = is_full, .data = o };
	o->recording.opts.rows = &o->sink;
	if (ret || !(lock_stacks__wanted(&o->stacks) || has_user_stacks(o)))
		return ret;
	o->stacks.live_functions = o->recording.opts.live = live_functions__new();
	if (!o->stacks.live_functions) {
		pr_err("out of memory\n");
		return EXIT_SETUP;
	}
	o->recording.opts.sink = lock_stacks__sink(&o->stacks);
	return 0;
}

static void flush(struct lock_options *o)
{
	o->write_error = -stream__flush(o->output.fp);
}

int lock_options__print_round(struct lock_options *o)
{
	int ret = 0;

	if (o->show_tasks)
		ret = lock_output__tasks(&o->output, o->rows);
	if (o->show_locks && !ret)
		ret = lock_output__locks(&o->output, o->locks_too);
	if (o->show_tasks || o->show_locks)
		return ret;
	if (o->json)
		ret = lock_json__round(o->json, o->rows, &o->frames);
	else if (!o->stacks.folded)
		ret = lock_output__rows(&o->output, o->rows, &o->frames);
	lock_rows__clear(o->rows);
	if (o->output.interval)
		flush(o);
	return ret;
}

int lock_options__print_end(struct lock_options *o, const struct lock_totals *totals, const struct tally_counts *counts)
{
	int ret;

	if (o->json)
		lock_json__finish(o->json, totals, counts);
	else
		lock_output__notes(&o->output, totals, counts, o->locks.max_waits);
	flush(o);
	if (o->write_error && o->output.fp != stdout) /* perf tells of that one at its end */
		lost_output__tell(o->path ?: "the table", o->write_error);
	ret = lock_stacks__wanted(&o->stacks) ? lock_stacks__finish(&o->stacks) : 0;
	return o->write_error ? -1 : ret;
}

#define MAX_TOLD 3

/* Of kernel locks, and of calls that perf cannot see into */
static void tell_early(const struct lock_options *o, const struct lock_totals *totals)
{
	const struct run_opts *run = &o->recording.opts.run;

	if (!totals->begins && (run->pids || run->tids))
		pr_info("No wait began while perf watched. Threads that waited before are not in the table: 'perf stacks -p PID' shows where they\n"
			"wait, and who holds the mutex.\n");
}

/* As of a program that is stuck */
static void tell_holders(const struct lock_totals *totals)
{
	u32 nr = 0;

	for (u32 i = 0; i < totals->nr_holders; i++) {
		const struct lock_holder *holder = &totals->holder[i];

		if (!holder->of_mutex || nr++ >= MAX_TOLD)
			continue;
		pr_info("Thread %u (%s) holds a mutex for which %u %s: 'perf stacks -p %u' shows where.\n", holder->tid,
			comm__shown(holder->comm), holder->nr_waiters, holder->nr_waiters == 1 ? "thread waits" : "threads wait", holder->pid);
	}
	if (nr > MAX_TOLD)
		pr_info("%u more thread%s a mutex for which others wait.\n", nr - MAX_TOLD, nr - MAX_TOLD == 1 ? " holds" : "s hold");
}

void lock_options__finish(struct record_options *recording, const struct record_result *result)
{
	struct lock_options *o = (struct lock_options *)recording;

	o->failed = lock_options__print_end(o, result->counts[0].totals, &result->counted[0]);
	tell_early(o, result->counts[0].totals);
	tell_holders(result->counts[0].totals);
	if (o->write)
		pr_info("[ perf lock: Wrote %.3f MB %s (%" PRIu64 " wait%s in %" PRIu64 " sample%s) ]\n", result->bytes / 1024.0 / 1024.0, o->write,
			result->nr_counted, plural(result->nr_counted), result->nr_keys, plural(result->nr_keys));
}

void lock_options__exit(struct lock_options *o)
{
	lock_late_rows__exit(&o->late);
	lock_rows__delete(o->rows);
	lock_rows__delete(o->locks_too);
	lock_json__delete(o->json);
	lock_stacks__exit(&o->stacks);
	kernel_names__delete(o->names);
	free(o->address);
	free(o->lock_list);
	for (unsigned int i = 0; i < o->nr_substring; i++)
		free((char *)o->substring[i]);
	free(o->substring);
	for (unsigned int i = 0; i < o->nr_places; i++)
		free(o->place[i]);
	free(o->place);
	if (o->output.fp && o->output.fp != stderr && o->output.fp != stdout)
		fclose(o->output.fp); /* all is written */
}

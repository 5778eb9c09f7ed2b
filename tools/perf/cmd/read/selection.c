// SPDX-License-Identifier: GPL-2.0
#include "cmd/read/selection.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/cpumap.h"

#define NSEC 1000000000ULL

static int parse_ids(struct id_list *list, const char *option, const char *text, struct errmsg *err)
{
	const char *at = text;

	if (!text)
		return 0;
	list->id = calloc(strlen(text) / 2 + 1, sizeof(*list->id));
	if (!list->id)
		return errmsg__set(err, ENOMEM, "out of memory");
	do {
		char *end;
		unsigned long id = strtoul(at, &end, 10);

		if (!isdigit((unsigned char)*at) || (*end && *end != ',') || id > INT32_MAX)
			return errmsg__set(err, EINVAL, "%s %s: not a list of numbers such as 12,345", option, text);
		list->id[list->nr++] = id;
		at = *end ? end + 1 : end;
	} while (*at);
	return 0;
}

static bool has_id(const struct id_list *list, u32 id)
{
	for (u32 i = 0; i < list->nr; i++) {
		if (list->id[i] == id)
			return true;
	}
	return false;
}

/* "12.5" in seconds, to *ns. Returns behind it; NULL: it is no time. */
static const char *parse_time(const char *text, u64 *ns)
{
	u64 unit = NSEC;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*ns = strtoull(text, &end, 10);
	if (errno || *ns > UINT64_MAX / NSEC)
		return NULL;
	*ns *= NSEC;
	if (*end == '.') {
		for (end++; isdigit((unsigned char)*end); end++)
			*ns += (u64)(*end - '0') * (unit /= 10);
	}
	return end;
}

/* "from,to", each may be missing. */
static int parse_times(struct time_range *range, const char *text)
{
	const char *end = text;

	*range = (struct time_range){ 0, UINT64_MAX };
	if (*text != ',')
		end = parse_time(text, &range->from);
	if (!end || *end++ != ',')
		return -EINVAL;
	if (*end)
		end = parse_time(end, &range->to);
	return end && !*end && range->from <= range->to ? 0 : -EINVAL;
}

/* "10%", "10%/2", "10%-40%", in percent. */
static bool parse_percents(const char *text, double *from, double *to)
{
	unsigned int number;
	int len = 0;

	*from = 0;
	if (sscanf(text, "%lf%%%n", to, &len) == 1 && len && !text[len])
		return true;
	len = 0;
	if (sscanf(text, "%lf%%/%u%n", to, &number, &len) == 2 && len && !text[len] && number) {
		*from = (number - 1) * *to;
		*to *= number;
		return true;
	}
	return sscanf(text, "%lf%%-%lf%%%n", from, to, &len) == 2 && len && !text[len];
}

/* That part of the time from the first sample to the last. */
static int parse_part(struct time_range *range, const char *text, const struct time_range *all)
{
	double from, to, whole = all->to - all->from;

	if (!parse_percents(text, &from, &to) || !(from >= 0 && from < to && to <= 100.0001))
		return -EINVAL;
	range->from = all->from + (u64)(from / 100 * whole);
	/* only the last part has its end in it */
	range->to = to >= 100 ? all->to : all->from + (u64)(to / 100 * whole) - 1;
	return 0;
}

static int parse_parts(struct sample_filter *f, char *text, const struct time_range *all)
{
	char *word, *rest;

	for (word = strtok_r(text, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		if (parse_part(&f->time[f->nr_times++], word, all))
			return -EINVAL;
	}
	return 0;
}

static int parse_ranges(struct sample_filter *f, char *text)
{
	char *word, *rest;

	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (parse_times(&f->time[f->nr_times++], word))
			return -EINVAL;
	}
	return 0;
}

static int parse_all_times(struct sample_filter *f, struct session *s, struct errmsg *err)
{
	const struct perfdata_features *features = perfdata_reader__features(session__reader(s));
	const struct time_range all = { features->sample_time_first, features->sample_time_last };
	char *text;
	int ret;

	if (!f->times)
		return 0;
	if (strchr(f->times, '%') && !all.to)
		return errmsg__set(err, EINVAL, "--time %s: the file does not tell the time of its first and last sample; name times in "
				   "seconds", f->times);
	text = strdup(f->times);
	f->time = calloc(strlen(f->times) / 2 + 1, sizeof(*f->time));
	if (!text || !f->time) {
		free(text);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = strchr(text, '%') ? parse_parts(f, text, &all) : parse_ranges(f, text);
	free(text);
	if (ret || !f->nr_times)
		return errmsg__set(err, EINVAL, "--time %s: neither seconds (from,to) nor parts of the whole (10%%, 10%%/2, 0%%-30%%)", f->times);
	return 0;
}

static int check_cpus(struct session *s, const char *option, struct errmsg *err)
{
	for (u32 i = 0; i < session__nr_events(s); i++) {
		if (!(session__event(s, i)->event->attr.sample_type & PERF_SAMPLE_CPU))
			return errmsg__set(err, ENODATA, "%s: samples of '%s' have no CPU: record with --sample-cpu, or read without %s",
					   option, session__event(s, i)->name, option);
	}
	return 0;
}

/* Of the words of -S those that are addresses in hex, as perf writes them. */
static int parse_addresses(struct sample_filter *f, struct errmsg *err)
{
	const char *word;

	for (size_t i = 0; f->symbol_list && (word = words__at(f->symbol_list, i)); i++) {
		char *end;
		u64 addr = strtoull(word, &end, 16);
		u64 *more;

		if (strncmp(word, "0x", 2) || *end)
			continue;
		more = reallocarray(f->addr, f->nr_addrs + 1, sizeof(*more));
		if (!more)
			return errmsg__set(err, ENOMEM, "out of memory");
		f->addr = more;
		f->addr[f->nr_addrs++] = addr;
	}
	return 0;
}

static int parse_words(struct words **words, const char *text, struct errmsg *err)
{
	return text ? words__parse(text, words, err) : 0;
}

/* Without the machine's topology in the file, a sample's socket is not known. */
static int parse_socket(struct sample_filter *f, struct session *s, struct errmsg *err)
{
	char *end;

	if (!f->socket)
		return 0;
	f->socket_id = strtoul(f->socket, &end, 10);
	if (!isdigit((unsigned char)*f->socket) || *end || f->socket_id > INT32_MAX)
		return errmsg__set(err, EINVAL, "--socket-filter %s: not a number", f->socket);
	f->features = perfdata_reader__features(session__reader(s));
	if (!f->features->nr_cpu_topology)
		return errmsg__set(err, ENODATA, "--socket-filter: the file does not tell which CPU is in which socket");
	return check_cpus(s, "--socket-filter", err);
}

int sample_filter__init(struct sample_filter *f, struct session *s, struct errmsg *err)
{
	int ret = parse_ids(&f->pid, "--pid", f->pids, err);

	ret = ret ?: parse_socket(f, s, err);
	ret = ret ?: parse_ids(&f->tid, "--tid", f->tids, err);
	ret = ret ?: parse_words(&f->comm_list, f->comms, err);
	ret = ret ?: parse_words(&f->dso_list, f->dsos, err);
	ret = ret ?: parse_words(&f->symbol_list, f->symbols, err);
	ret = ret ?: parse_addresses(f, err);
	ret = ret ?: parse_all_times(f, s, err);
	if (ret || !f->cpus)
		return ret;
	f->cpu_map = cpumap__parse(f->cpus, err);
	return f->cpu_map ? check_cpus(s, "-C", err) : -errno;
}

void sample_filter__exit(struct sample_filter *f)
{
	free(f->cpu_map);
	free(f->pid.id);
	free(f->tid.id);
	words__delete(f->comm_list);
	words__delete(f->dso_list);
	words__delete(f->symbol_list);
	free(f->addr);
	free(f->time);
}

static bool is_in_time(const struct sample_filter *f, u64 time)
{
	for (u32 i = 0; i < f->nr_times; i++) {
		if (time >= f->time[i].from && time <= f->time[i].to)
			return true;
	}
	return !f->nr_times;
}

bool sample_filter__has_cpu(const struct sample_filter *f, u32 cpu)
{
	return !f->cpu_map || cpumap__has(f->cpu_map, cpu);
}

/* By the function's name, its address, or the address itself. */
static bool is_listed_symbol(const struct sample_filter *f, const struct location *loc)
{
	u64 start = loc->sym ? loc->addr - (loc->sym_addr - loc->sym->start) : 0;

	if (loc->sym && words__has(f->symbol_list, loc->sym->name))
		return true;
	for (u32 i = 0; i < f->nr_addrs; i++) {
		if ((loc->sym && f->addr[i] == start) || (loc->map && loc->addr - f->addr[i] < (f->addr_range ?: 1)))
			return true;
	}
	return false;
}

static bool is_in_socket(const struct sample_filter *f, const struct perf_sample *sample)
{
	if (!f->socket)
		return true;
	return sample->cpu < f->features->nr_cpu_topology && f->features->cpu_topology[sample->cpu].socket_id == f->socket_id;
}

bool sample_filter__ignores_rest(const struct sample_filter *f)
{
	return !f->cpu_map && !f->nr_times && !f->socket && !f->tids && !f->switches;
}

enum sample_verdict sample_filter__judge(const struct sample_filter *f, const struct session_sample *sample)
{
	const struct location *loc = &sample->loc;

	if (!is_in_time(f, sample->sample->time))
		return SAMPLE_LEFT_OUT;
	/* As in perf: also samples that do not count for another reason switch. */
	if (f->switches && sample_switch__leaves_out(f->switches, sample->evsel))
		return SAMPLE_LEFT_OUT;
	if (!sample_filter__has_cpu(f, sample->sample->cpu))
		return SAMPLE_LEFT_OUT;
	if (f->named_only && !loc->sym)
		return SAMPLE_LEFT_OUT;
	if (!is_in_socket(f, sample->sample))
		return SAMPLE_HIDDEN;
	if ((f->pids && !has_id(&f->pid, sample->thread->pid)) || (f->tids && !has_id(&f->tid, sample->thread->tid)))
		return SAMPLE_HIDDEN;
	if (f->comms && !words__has(f->comm_list, sample->thread->comm))
		return SAMPLE_HIDDEN;
	if (f->dsos && !(loc->dso && (words__has(f->dso_list, loc->dso->short_name) || words__has(f->dso_list, loc->dso->name))))
		return SAMPLE_HIDDEN;
	if (f->symbols && !is_listed_symbol(f, loc))
		return SAMPLE_HIDDEN;
	return SAMPLE_SHOWN;
}

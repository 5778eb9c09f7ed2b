// SPDX-License-Identifier: GPL-2.0
#include "cmd/read/selection.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/lib/array.h"
#include "util/lib/cpumap.h"

#define NSEC 1000000000ULL
#define NSEC_PER_USEC 1000ULL

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

/* "12.5" in seconds, or microseconds if seconds of that number cannot be, to *ns. Returns behind it; NULL: it is no time. */
static const char *parse_time(const char *text, u64 *ns)
{
	u64 unit = NSEC;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*ns = strtoull(text, &end, 10);
	if (!errno && *end != '.' && *ns > UINT64_MAX / NSEC && *ns <= UINT64_MAX / NSEC_PER_USEC) {
		*ns *= NSEC_PER_USEC;
		return end;
	}
	if (errno || *ns > UINT64_MAX / NSEC)
		return NULL;
	*ns *= NSEC;
	if (*end == '.') {
		for (end++; isdigit((unsigned char)*end); end++)
			*ns += (u64)(*end - '0') * (unit /= 10);
	}
	return end;
}

/* "from,to", both optional. */
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

/* That percentage of the time from the first sample to the last. */
static int parse_part(struct time_range *range, const char *text, const struct time_range *all)
{
	double from, to, whole = all->to - all->from;

	if (!parse_percents(text, &from, &to) || !(from >= 0 && from < to && to <= 100.0001))
		return -EINVAL;
	range->from = all->from + (u64)(from / 100 * whole);
	/* only the last part includes its end */
	range->to = to >= 100 ? all->to : all->from + (u64)(to / 100 * whole) - 1;
	return 0;
}

static int parse_parts(struct selection *sel, char *text, const struct time_range *all)
{
	char *word, *rest;

	for (word = strtok_r(text, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
		if (parse_part(&sel->time[sel->nr_times++], word, all))
			return -EINVAL;
	}
	return 0;
}

/* A blank behind a comma separates ranges only if what follows is one: "1, 2" is "1,2", and "1, 2,3" is "1," and "2,3". */
static void join_ranges(char *text)
{
	char *to = text, *from = text;

	while (*from) {
		const char *next = from + strspn(from, " ");

		if (next > from && to > text && to[-1] == ',' && !memchr(next, ',', strcspn(next, " ")))
			from = (char *)next;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

static int parse_ranges(struct selection *sel, char *text)
{
	char *word, *rest;

	join_ranges(text);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (parse_times(&sel->time[sel->nr_times++], word))
			return -EINVAL;
	}
	return 0;
}

static int parse_all_times(struct selection *sel, struct session *s, struct errmsg *err)
{
	const struct perfdata_features *features = sel->times ? session__features(s) : NULL;
	struct time_range all;
	char *text;
	int ret;

	if (!features)
		return 0;
	all = (struct time_range){ features->sample_time_first, features->sample_time_last };
	if (strchr(sel->times, '%') && !all.to)
		return errmsg__set(err, EINVAL, "--time %s: the file does not tell the time of its first and last sample; name times in "
				   "seconds", sel->times);
	text = strdup(sel->times);
	sel->time = calloc(strlen(sel->times) / 2 + 1, sizeof(*sel->time));
	if (!text || !sel->time) {
		free(text);
		return errmsg__set(err, ENOMEM, "out of memory");
	}
	ret = strchr(text, '%') ? parse_parts(sel, text, &all) : parse_ranges(sel, text);
	free(text);
	if (ret || !sel->nr_times)
		return errmsg__set(err, EINVAL, "--time %s: neither seconds (from,to) nor parts of the whole (10%%, 10%%/2, 0%%-30%%)", sel->times);
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

/* The words of -S that are addresses in hex, as perf writes them. */
static int parse_addresses(struct selection *sel, struct errmsg *err)
{
	const char *word;

	for (size_t i = 0; sel->symbol_list && (word = words__at(sel->symbol_list, i)); i++) {
		char *end;
		u64 addr = strtoull(word, &end, 16);

		if (strncmp(word, "0x", 2) || *end)
			continue;
		if (array__extend(sel->addr, sel->nr_addrs))
			return errmsg__set(err, ENOMEM, "out of memory");
		sel->addr[sel->nr_addrs++] = addr;
	}
	return 0;
}

static int parse_words(struct words **words, const char *text, struct errmsg *err)
{
	return text ? words__parse(text, words, err) : 0;
}

/* If the file lacks the machine's topology, a sample's socket is unknown. */
static int parse_socket(struct selection *sel, struct session *s, struct errmsg *err)
{
	char *end;

	if (!sel->socket)
		return 0;
	sel->socket_id = strtoul(sel->socket, &end, 10);
	if (!isdigit((unsigned char)*sel->socket) || *end || sel->socket_id > INT32_MAX)
		return errmsg__set(err, EINVAL, "--socket-filter %s: not a number", sel->socket);
	sel->features = session__features(s);
	if (!sel->features->nr_cpu_topology)
		return errmsg__set(err, ENODATA, "--socket-filter: the file does not tell which CPU is in which socket");
	return check_cpus(s, "--socket-filter", err);
}

static int parse_cpus(struct selection *sel, struct session *s, struct errmsg *err)
{
	if (!sel->cpus)
		return 0;
	sel->cpu_map = cpumap__parse(sel->cpus, err);
	return sel->cpu_map ? check_cpus(s, "--cpu", err) : -errno;
}

int selection__init(struct selection *sel, struct session *s, struct errmsg *err)
{
	int ret = parse_ids(&sel->pid, "--pid", sel->pids, err);

	ret = ret ?: parse_socket(sel, s, err);
	ret = ret ?: parse_ids(&sel->tid, "--tid", sel->tids, err);
	ret = ret ?: parse_words(&sel->comm_list, sel->comms, err);
	ret = ret ?: parse_words(&sel->dso_list, sel->dsos, err);
	ret = ret ?: parse_words(&sel->symbol_list, sel->symbols, err);
	ret = ret ?: parse_addresses(sel, err);
	ret = ret ?: parse_all_times(sel, s, err);
	ret = ret ?: parse_cpus(sel, s, err);
	ret = ret ?: sample_switch__init(&sel->switches, s, err);
	sel->shows_all = selection__ignores_rest(sel) && !sel->named_only && !sel->comms && !sel->dsos && !sel->symbols;
	return ret;
}

void selection__exit(struct selection *sel)
{
	free(sel->cpu_map);
	free(sel->pid.id);
	free(sel->tid.id);
	words__delete(sel->comm_list);
	words__delete(sel->dso_list);
	words__delete(sel->symbol_list);
	free(sel->addr);
	free(sel->time);
	sel->cpu_map = NULL;
	sel->pid = sel->tid = (struct id_list){};
	sel->comm_list = sel->dso_list = sel->symbol_list = NULL;
	sel->addr = NULL;
	sel->time = NULL;
	sel->nr_addrs = sel->nr_times = 0;
}

static bool is_in_time(const struct selection *sel, u64 time)
{
	for (u32 i = 0; i < sel->nr_times; i++) {
		if (time >= sel->time[i].from && time <= sel->time[i].to)
			return true;
	}
	return !sel->nr_times;
}

bool selection__has_cpu(const struct selection *sel, u32 cpu)
{
	return !sel->cpu_map || cpumap__has(sel->cpu_map, cpu);
}

/* Match a C++ function's name without its parameters, as users write it. */
static bool is_listed_without_parameters(const struct selection *sel, const char *name)
{
	const char *at = strrchr(name, ')');
	char bare[1024];
	int depth = 0;

	for (; at && at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			break;
	}
	if (!at || at == name || at - name >= (ptrdiff_t)sizeof(bare))
		return false;
	memcpy(bare, name, at - name);
	bare[at - name] = '\0';
	return words__has(sel->symbol_list, bare);
}

/* Match the function's name, its address, or the sampled address. */
static bool is_listed_symbol(const struct selection *sel, const struct location *loc)
{
	u64 start = loc->sym ? loc->addr - (loc->sym_addr - loc->sym->start) : 0;

	if (loc->sym && (words__has(sel->symbol_list, loc->sym->name) || is_listed_without_parameters(sel, loc->sym->name)))
		return true;
	for (u32 i = 0; i < sel->nr_addrs; i++) {
		if ((loc->sym && sel->addr[i] == start) || (loc->map && loc->addr - sel->addr[i] < (sel->addr_range ?: 1)))
			return true;
	}
	return false;
}

static bool is_in_socket(const struct selection *sel, const struct perf_sample *sample)
{
	if (!sel->socket)
		return true;
	return sample->cpu < sel->features->nr_cpu_topology && sel->features->cpu_topology[sample->cpu].socket_id == sel->socket_id;
}

bool selection__ignores_rest(const struct selection *sel)
{
	return !sel->cpu_map && !sel->nr_times && !sel->socket && !sel->pids && !sel->tids && !sample_switch__is_used(&sel->switches);
}

/* Match all but the time and the switches. */
static enum sample_verdict judge_rest(const struct selection *sel, const struct session_sample *sample)
{
	const struct location *loc = &sample->loc;

	if (!selection__has_cpu(sel, sample->sample->cpu))
		return SAMPLE_LEFT_OUT;
	if (sel->named_only && !loc->sym)
		return SAMPLE_LEFT_OUT;
	if (!is_in_socket(sel, sample->sample))
		return SAMPLE_HIDDEN;
	if ((sel->pids && !has_id(&sel->pid, sample->thread->pid)) || (sel->tids && !has_id(&sel->tid, sample->thread->tid)))
		return SAMPLE_HIDDEN;
	if (sel->comms && !words__has(sel->comm_list, sample->thread->comm))
		return SAMPLE_HIDDEN;
	if (sel->dsos && !(loc->dso && (words__has(sel->dso_list, loc->dso->short_name) || words__has(sel->dso_list, loc->dso->name))))
		return SAMPLE_HIDDEN;
	if (sel->symbols && !is_listed_symbol(sel, loc))
		return SAMPLE_HIDDEN;
	return SAMPLE_SHOWN;
}

enum sample_verdict selection__judge(struct selection *sel, const struct session_sample *sample)
{
	enum sample_verdict verdict;

	if (sel->shows_all)
		return SAMPLE_SHOWN;
	if (!is_in_time(sel, sample->sample->time))
		return SAMPLE_LEFT_OUT;
	if (!sel->only_shown_switch && sample_switch__leaves_out(&sel->switches, sample->evsel))
		return SAMPLE_LEFT_OUT;
	verdict = judge_rest(sel, sample);
	if (verdict == SAMPLE_SHOWN && sel->only_shown_switch && sample_switch__leaves_out(&sel->switches, sample->evsel))
		return SAMPLE_LEFT_OUT;
	return verdict;
}

// SPDX-License-Identifier: GPL-2.0
#include "util/event/modifier.h"

#include <errno.h>
#include <string.h>

struct modifiers {
	bool user, kernel, hv, host, guest, precise_max;
	bool pinned, exclusive, no_idle, sample_read, weak, retire_latency;
	unsigned int precise;
};

static bool *find_flag(struct modifiers *m, char letter)
{
	const struct {
		char letter;
		bool *flag;
	} flags[] = {
		{ 'u', &m->user },	{ 'k', &m->kernel },	  { 'h', &m->hv },	    { 'H', &m->host },
		{ 'G', &m->guest },	{ 'P', &m->precise_max }, { 'D', &m->pinned },	    { 'e', &m->exclusive },
		{ 'I', &m->no_idle },	{ 'S', &m->sample_read }, { 'W', &m->weak },	    { 'R', &m->retire_latency },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].letter == letter)
			return flags[i].flag;
	}
	return NULL;
}

static const char *add_letter(struct modifiers *m, char letter)
{
	bool *flag;

	if (letter == 'p')
		return ++m->precise > 3 ? "'ppp' is the highest precision" : NULL;
	if (letter == 'b')
		return "only perf stat shares counts through BPF (b)";
	flag = find_flag(m, letter);
	if (!flag)
		return "unknown modifier; those known: u (user) k (kernel) h (hypervisor) H (host) G (guest) I (not idle) p pp ppp P (precise) "
		       "S (leader samples) W (weak group) D (pinned) e (exclusive) R (latency)";
	if (*flag)
		return "this modifier is given twice";
	*flag = true;
	return NULL;
}

static int parse(struct modifiers *m, const char *mods, unsigned int *at, const char **why)
{
	*m = (struct modifiers){ 0 };
	for (*at = 0; mods && mods[*at]; (*at)++) {
		*why = add_letter(m, mods[*at]);
		if (*why)
			return -EINVAL;
	}
	return 0;
}

int modifier__check(const char *mods, unsigned int *at, const char **why)
{
	struct modifiers m;

	return parse(&m, mods, at, why);
}

static void add(struct modifiers *m, const struct modifiers *group)
{
	m->user |= group->user;
	m->kernel |= group->kernel;
	m->hv |= group->hv;
	m->host |= group->host;
	m->guest |= group->guest;
	m->precise_max |= group->precise_max;
	m->no_idle |= group->no_idle;
	m->sample_read |= group->sample_read;
	m->retire_latency |= group->retire_latency;
	m->precise += group->precise;
}

int modifier__apply(struct evsel *evsel, const char *mods, const char *group, bool leads, unsigned int *at, const char **why)
{
	struct perf_event_attr *attr = &evsel->attr;
	struct modifiers m, of_group;

	if (parse(&of_group, group, at, why) || parse(&m, mods, at, why))
		return -EINVAL;
	if (m.weak) {
		*at = strchr(mods, 'W') - mods;
		*why = "weak (W) is for groups, behind their brace";
		return -EINVAL;
	}
	add(&m, &of_group);
	if (m.precise > 3) {
		*at = 0;
		*why = "together with the group's modifiers this is more than 'ppp', the highest precision";
		return -EINVAL;
	}
	if (m.user || m.kernel || m.hv) {
		attr->exclude_user = !m.user;
		attr->exclude_kernel = !m.kernel;
		attr->exclude_hv = !m.hv;
		evsel->exact_modifier = true;
	}
	/* As in perf 6.1: u and p exclude guests, but k, h and P alone do not, unless they are only the group's. */
	if (m.host || m.guest) {
		attr->exclude_host = !m.host;
		attr->exclude_guest = !m.guest;
	} else if (mods && *mods) {
		attr->exclude_guest = m.user || m.precise;
	}
	/* The kernel accepts these two only for leaders, and applies a leader's to its group. */
	attr->pinned = m.pinned || (of_group.pinned && leads);
	attr->exclusive = m.exclusive || (of_group.exclusive && leads);
	attr->exclude_idle = m.no_idle;
	attr->precise_ip = m.precise;
	evsel->sample_read = m.sample_read;
	evsel->weak_group = of_group.weak;
	evsel->retire_latency = m.retire_latency;
	evsel->precise_max = m.precise_max;
	return 0;
}

bool modifier__looks_like(const char *word)
{
	return word[strspn(word, "ukhHGpPDISWbeR")] == '\0';
}

// SPDX-License-Identifier: GPL-2.0
#include "util/event/modifier.h"

#include <errno.h>
#include <string.h>

struct modifiers {
	bool user, kernel, hv, host, guest, precise_max;
	unsigned int precise;
};

static const char *add_letter(struct modifiers *m, char letter)
{
	bool *flag;

	switch (letter) {
	case 'u':
		flag = &m->user;
		break;
	case 'k':
		flag = &m->kernel;
		break;
	case 'h':
		flag = &m->hv;
		break;
	case 'H':
		flag = &m->host;
		break;
	case 'G':
		flag = &m->guest;
		break;
	case 'P':
		flag = &m->precise_max;
		break;
	case 'p':
		return ++m->precise > 3 ? "'ppp' is the highest precision" : NULL;
	case 'S':
		return "samples that the leader takes for its group (S) are not supported: without S each event takes its own";
	case 'D':
	case 'I':
	case 'W':
	case 'b':
	case 'e':
		return "this modifier is not supported; those that are: u k h H G p P";
	default:
		return "unknown modifier; those known: u (user) k (kernel) h (hypervisor) H (host) G (guest) p pp ppp P (precise)";
	}
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
	m->precise += group->precise;
}

int modifier__apply(struct evsel *evsel, const char *mods, const char *group, unsigned int *at, const char **why)
{
	struct perf_event_attr *attr = &evsel->attr;
	struct modifiers m, of_group;

	if (parse(&of_group, group, at, why) || parse(&m, mods, at, why))
		return -EINVAL;
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
	/* As perf 6.1 has it: guests are left out with u and p, but not with k, h and P alone, unless these are the group's only. */
	if (m.host || m.guest) {
		attr->exclude_host = !m.host;
		attr->exclude_guest = !m.guest;
	} else if (mods && *mods) {
		attr->exclude_guest = m.user || m.precise;
	}
	attr->precise_ip = m.precise;
	evsel->precise_max = m.precise_max;
	return 0;
}

bool modifier__looks_like(const char *word)
{
	return word[strspn(word, "ukhHGpPDISWbe")] == '\0';
}

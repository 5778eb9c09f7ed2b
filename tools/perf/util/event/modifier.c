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
	case 'D':
	case 'I':
	case 'S':
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

int modifier__apply(struct evsel *evsel, const char *mods, unsigned int *at, const char **why)
{
	struct perf_event_attr *attr = &evsel->attr;
	struct modifiers m = { 0 };

	for (*at = 0; mods[*at]; (*at)++) {
		*why = add_letter(&m, mods[*at]);
		if (*why)
			return -EINVAL;
	}
	if (m.user || m.kernel || m.hv) {
		attr->exclude_user = !m.user;
		attr->exclude_kernel = !m.kernel;
		attr->exclude_hv = !m.hv;
		evsel->exact_modifier = true;
	}
	/* As perf 6.1 has it: guests are left out with u and p, but not with k, h and P alone. */
	if (m.host || m.guest) {
		attr->exclude_host = !m.host;
		attr->exclude_guest = !m.guest;
	} else {
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
